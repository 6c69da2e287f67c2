// The page: timeline, readings, keys.

const find = (id) => document.getElementById(id);
const PARTS = ["tube", "muscles", "plates", "traces", "centres of gravity", "ground"];
const shown = Object.fromEntries(PARTS.map((part) => [part, part !== "centres of gravity"]));
const clock = { time: 0, playing: true, speed: 1, loop: true };
let stale = true;

function setTheme(dark) {
  document.documentElement.classList.toggle("dark", dark);
  find("theme").textContent = dark ? "Light" : "Dark";
  stale = true;
}

function seek(time) {
  clock.time = Math.min(Math.max(time, 0), header.duration);
  stale = true;
}

function play(playing) {
  if (playing && clock.time >= header.duration) clock.time = 0;
  clock.playing = playing;
  find("play").textContent = playing ? "Pause" : "Play";
  stale = true;
}

function tick(seconds) {
  if (!clock.playing) return;
  let time = clock.time + clock.speed * seconds;
  if (time > header.duration && clock.loop && header.duration > 0) time %= header.duration;
  else if (time >= header.duration && !clock.loop) play(false);
  seek(time);
}

// One state of the first motion back or forth.
function step(motion, count) {
  play(false);
  const at = between(motion.time, clock.time + 1e-6);
  const row = Math.min(Math.max(at.row + count, 0), motion.time.length - 1);
  seek(motion.time[row]);
}

function cells(kind, texts) {
  const row = document.createElement("tr");
  for (const text of texts) {
    const cell = document.createElement(kind);
    cell.textContent = text;
    row.append(cell);
  }
  return row;
}

function tell(motions) {
  const [first, other] = motions;
  const at = between(first.time, clock.time);
  find("clock").textContent = `${clock.time.toFixed(3)} s`;
  const names = Object.keys(first.energies);
  const energies = names.map((name) => `${valuesAt(first.energies[name], 1, at)[0].toFixed(3)} J`);
  find("energies").replaceChildren(cells("th", names), cells("td", energies));
  const tips = valuesAt(first.tips, 3 * first.sections, at);
  const others = other && valuesAt(other.tips, 3 * other.sections, between(other.time, clock.time));
  const rows = [cells("th", ["tip", "x, mm", "y, mm", "z, mm", ...(other ? ["apart, mm"] : [])])];
  for (let tip = 0; tip < first.sections; tip++) {
    const place = [...tips.slice(3 * tip, 3 * tip + 3)];
    const texts = [`${tip + 1}`, ...place.map((each) => (1e3 * each).toFixed(1).replace(/^-0\.0$/, "0.0"))];
    if (other) {
      const there = [...others.slice(3 * tip, 3 * tip + 3)];
      texts.push(there.length ? (1e3 * long(minus(place, there))).toFixed(2) : "");
    }
    const row = cells("td", texts);
    const dot = Object.assign(document.createElement("span"), { textContent: "\u25cf " });
    dot.style.color = first.colours[tip];
    row.firstChild.prepend(dot);
    rows.push(row);
  }
  find("tips").replaceChildren(...rows);
  find("time").value = clock.time;
  const { left, right } = header.plot;
  const x = left + ((right - left) * Math.min(clock.time, first.time.at(-1))) / (first.time.at(-1) || 1);
  for (const line of document.querySelectorAll("#plots .now")) {
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
  }
}

function listen(motions, camera) {
  find("time").max = header.duration;
  find("time").addEventListener("input", () => seek(Number(find("time").value)));
  find("play").addEventListener("click", () => play(!clock.playing));
  find("speed").addEventListener("change", () => { clock.speed = Number(find("speed").value); });
  find("loop").addEventListener("change", () => { clock.loop = find("loop").checked; });
  find("home").addEventListener("click", () => camera.reset());
  find("theme").addEventListener("click", () => setTheme(!document.documentElement.classList.contains("dark")));
  for (const part of PARTS) {
    const label = document.createElement("label");
    const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: shown[part] });
    box.addEventListener("change", () => { shown[part] = box.checked; stale = true; });
    label.append(box, ` ${part}`);
    find("shown").append(label);
  }
  window.addEventListener("resize", () => { stale = true; });
  const keys = {
    " ": () => play(!clock.playing),
    ArrowLeft: (event) => step(motions[0], event.shiftKey ? -20 : -1),
    ArrowRight: (event) => step(motions[0], event.shiftKey ? 20 : 1),
    Home: () => seek(0),
    End: () => seek(header.duration),
    r: () => camera.reset(),
    d: () => find("theme").click(),
  };
  window.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    event.preventDefault(); // so that a button or the timeline does not act on the key as well
    keys[event.key](event);
  });
}

async function start() {
  const buffer = await unpacked();
  const motions = header.motions.map((entry) => readMotion(entry, buffer));
  const camera = new Camera(header.camera, find("view"), () => { stale = true; });
  const picture = new Picture(find("view"), motions, camera);
  setTheme(matchMedia("(prefers-color-scheme: dark)").matches);
  listen(motions, camera);
  let before = performance.now();
  const frame = (now) => {
    tick(Math.min((now - before) / 1000, 0.25));
    before = now;
    if (stale) {
      stale = false;
      picture.draw(clock.time, shown, document.documentElement.classList.contains("dark") ? "dark" : "light");
      tell(motions);
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

start().catch((error) => {
  find("trouble").hidden = false;
  find("trouble").textContent = error.message;
});
