// The panel beside the picture: what is shown, notices, where the tips are, what is drawn, files.

const PARTS = ["tube", "muscles", "plates", "payload", "traces", "reference", "centres of gravity", "muscle names", "ground"];
const HIDDEN = ["centres of gravity", "muscle names"];
const shown = Object.fromEntries(PARTS.map((part) => [part, !HIDDEN.includes(part)]));
let stale = true; // whether the picture must be drawn anew

const isDark = () => document.documentElement.classList.contains("dark");

function setTheme(dark) {
  document.documentElement.classList.toggle("dark", dark);
  stale = true;
}

function showHeading(header) {
  const colours = header.motions.map((arm) => arm.colours[0]);
  find("heading").replaceChildren(...header.names.map((name, k) => {
    const swatch = make("i", { class: header.motions[k].ghost ? "swatch ghost" : "swatch" });
    swatch.style.setProperty("--colour", colours[k]);
    const marked = header.motions.length > 1 ? [swatch] : [];
    return make("div", {}, make("h1", {}, ...marked, name), make("p", {}, header.details[k]));
  }));
  document.title = header.names.join(" and ");
}

function notice(sentence) {
  find("notice").hidden = !sentence;
  if (find("notice").textContent !== sentence) find("notice").textContent = sentence;
}

function showPressures({ highest, colours, unit }) {
  find("bar").hidden = !highest;
  find("shades").style.background = `linear-gradient(to right, ${colours.join(", ")})`;
  find("marks").replaceChildren(...[0, 1, 2, 3, 4].map((k) => make("span", {}, `${+((highest / unit / 4) * k).toPrecision(3)}`)));
}

function cells(kind, texts) {
  return make("tr", {}, ...texts.map((text) => make(kind, {}, text)));
}

// Where the tips are, m; how far from those of another.
class Tips {
  constructor(arm, view, compared) {
    Object.assign(this, { compared, ...lengthsIn(view) });
    find("unit").textContent = this.unit;
    this.rows = arm.colours.map((colour, tip) => {
      const row = cells("td", ["", "", "", "", ...(compared ? [""] : [])]);
      const mark = make("i", { class: "swatch" });
      mark.style.setProperty("--colour", colour);
      row.firstChild.append(mark, `${tip + 1}`);
      return row;
    });
    const heads = cells("th", ["section", "x", "y", "z", ...(compared ? ["apart"] : [])]);
    find("tips").replaceChildren(heads, ...this.rows);
  }

  tell(tips, others) {
    if (!find("where").open) return;
    this.rows.forEach((row, tip) => {
      const place = [...tips.subarray(3 * tip, 3 * tip + 3)];
      place.forEach((each, k) => { row.children[k + 1].textContent = plain(this.factor * each, this.unit === "mm" ? 1 : 3); });
      if (!this.compared) return;
      const there = [...others.subarray(3 * tip, 3 * tip + 3)];
      row.children[4].textContent = there.length ? (this.factor * long(minus(place, there))).toFixed(this.unit === "mm" ? 2 : 4) : "";
    });
  }
}

function showParts(header) {
  const has = {
    payload: header.motions.some((arm) => arm.parts.some((each) => each.part === "payload")),
    reference: header.live?.controller || header.motions.some((arm) => arm.series?.reference),
  };
  const names = PARTS.filter((part) => has[part] ?? !(part in has));
  find("shown").replaceChildren(...names.map((part) => {
    const box = make("input", { type: "checkbox", checked: shown[part], change: () => { shown[part] = box.checked; stale = true; } });
    return make("label", {}, box, ` ${part}`);
  }));
}

const token = new URLSearchParams(location.search).get("token") ?? "";

// Asks the viewer that served this page; what it refuses is an error with its sentence.
async function ask(path, body) {
  let answer;
  try {
    answer = await fetch(path, { method: "POST", headers: { "X-Continuarm-Token": token }, body });
  } catch {
    throw new Error("the viewer does not answer: its program has ended");
  }
  if (!answer.ok) throw new Error((await answer.text()) || `the viewer answers ${answer.status}`);
  return answer.json();
}

// A button and the whole page take files; opened: told what the viewer found in one.
function takeFiles(files, opened, refused) {
  find("open").hidden = !files;
  if (!files) return;
  const kinds = Object.keys(files);
  find("file").accept = kinds.join(",");
  find("kinds").textContent = kinds.includes(".csv") ? "Play pressures from a file (.csv, .nc)" : "Open a motion (.nc)";
  const send = async (file) => {
    if (!file) return;
    try {
      const most = files[kinds.find((each) => file.name.toLowerCase().endsWith(each))];
      if (!most) throw new Error(`${file.name}: the suffix must be ${kinds.join(" or ")}`);
      if (file.size > most) throw new Error(`${file.name}: ${file.size} bytes: must be at most ${most}`);
      find("open").classList.add("busy");
      opened(await ask(`/file?name=${encodeURIComponent(file.name)}`, file));
    } catch (error) {
      refused(error.message);
    } finally {
      find("open").classList.remove("busy");
      find("file").value = "";
    }
  };
  find("file").onchange = () => send(find("file").files[0]);
  document.body.ondragover = (event) => event.preventDefault();
  document.body.ondrop = (event) => {
    event.preventDefault();
    send(event.dataTransfer.files[0]);
  };
}
