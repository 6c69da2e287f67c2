// An arm that this page simulates by itself: steps in time with the clock on the wall, and a hand that pushes its tip.

const MOST_BUSY = 0.03; // seconds of computing for one picture: steps that do not fit are left out
const WINDOW = 2; // seconds over which speed, step time and late steps are averaged
const NEAR = { mouse: 28, pen: 30, touch: 40 }; // pixels from the tip within which it is taken
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const BY_KEY = 0.4; // of the strongest push

class Simulated extends Moving {
  constructor(header, buffer) {
    super(header);
    const { plant, delays, moves, push } = header.simulated;
    Object.assign(this, { push, plant: new Plant(plant), rate: Math.round(1 / plant.step) });
    this.commands = plant.thresholds.map((threshold, k) => new Command(threshold, delays[k]));
    this.known = Object.fromEntries(Object.entries(moves).map(([name, move]) => [name, new Move(move, buffer)]));
    this.pressed = new Set();
    showParts(header);
    find("handle").hidden = false;
    this.play(true);
    this.reset();
  }

  shows(series) {
    return ["tips", "pressures", "lengths"].includes(series);
  }

  get time() {
    return this.steps / this.rate;
  }

  reset() {
    this.plant.reset();
    for (const command of this.commands) command.reset();
    Object.assign(this, { steps: 0, behind: 0, stopped: "", recent: [[0, 0, 0, 0]] });
    this.first = this.plant.energies();
    this.told = -Infinity;
    this.pushBy([0, 0, 0]);
    this.look();
    this.notice();
  }

  play(playing) {
    this.playing = playing;
    this.behind = 0;
    find("play").classList.toggle("playing", playing);
    find("play").setAttribute("aria-label", playing ? "Pause" : "Play");
  }

  do({ move, reset }) {
    this.refused = "";
    if (reset) this.reset();
    else this.known[move].play(this.commands, this.time);
    if (!this.playing) this.play(true);
    this.notice();
  }

  // All muscles of a line have its pressure.
  press(name, pressure) {
    const { highest } = this.header.live;
    const { unit } = this.header.pressure;
    this.refused = "";
    if (!(pressure >= 0 && pressure <= highest)) {
      this.refused = `${name} = ${pressure / unit} kPa: must be from 0 to ${highest / unit} kPa.`;
      this.told = -Infinity;
    } else {
      for (const muscle of this.header.simulated.lines[name]) {
        this.commands[this.arm.muscles.indexOf(muscle)].hold(this.time, pressure);
      }
    }
    this.notice();
    this.look();
  }

  // A force on the tip, N, along the axes of the world, until it is another.
  pushBy(force) {
    const size = long(force);
    this.force = size > this.push.most ? times(force, this.push.most / size) : force;
    this.plant.m.set(this.force, this.plant.commands + this.plant.wrench + 3);
    if (this.state) this.look();
  }

  // The steps that are due, at most those of a quarter of a second: a page that was hidden, or is too slow, leaves steps
  // out and never falls further behind.
  advance(seconds) {
    this.behind += seconds;
    const due = Math.floor(this.behind * this.rate + 1e-6);
    const begun = performance.now();
    const busy = () => (performance.now() - begun) / 1000;
    let made = 0;
    while (made < due && !this.stopped && busy() < MOST_BUSY) {
      this.step();
      made += 1;
    }
    this.behind = this.stopped ? 0 : this.behind - due / this.rate;
    const [clock, all, spent, late] = this.recent.at(-1);
    this.recent.push([clock + seconds, all + made, spent + busy(), late + (this.stopped ? 0 : due - made)]);
    while (this.recent.length > 2 && this.recent.at(-1)[0] - this.recent[0][0] > WINDOW) this.recent.shift();
    if (made) this.look();
    if (this.stopped) this.notice();
  }

  step() {
    const { plant, commands, rate, steps } = this;
    for (let j = 0; j < commands.length; j++) {
      plant.m[plant.commands + j] = commands[j].mean(steps / rate, (steps + 1) / rate);
    }
    plant.step();
    this.stopped = plant.refused();
    if (!this.stopped) this.steps += 1;
  }

  // What the arm is now, for the picture and the panel.
  look() {
    const { plant, commands, time } = this;
    const [clock, made, busy, late] = this.recent.at(-1).map((each, k) => each - this.recent[0][k]);
    this.see({
      time,
      figures: [made / this.rate / (clock || 1), busy / (made || 1), late / (made + late || 1)],
      energies: plant.energies().map((each, k) => each - (this.header.simulated.sinceStart[k] ? this.first[k] : 0)),
      ...plant.discs(),
      ...plant.inMuscles(),
      commands: commands.map((each) => each.wanted(time)),
      wrench: Float64Array.of(0, 0, 0, ...this.force),
      largest: { force: this.push.most, moment: 0 },
    });
  }

  frame(seconds) {
    if (this.playing && !this.stopped) this.advance(seconds);
    this.refresh();
    this.showHandle();
  }

  get tip() {
    return [...this.state.tips.subarray(-3)];
  }

  showHandle() {
    const at = this.camera.onScreen(this.tip);
    const handle = find("handle");
    handle.hidden = !at;
    if (at) handle.style.transform = `translate(${at[0].toFixed(1)}px, ${at[1].toFixed(1)}px)`;
    const size = long(this.force);
    this.wasPushed ||= size > 0;
    const idle = this.wasPushed ? "" : "push"; // until somebody has
    const text = size ? `${size.toFixed(size < 10 ? 2 : 1)} N` : idle;
    if (handle.firstChild.textContent !== text) handle.firstChild.textContent = text;
    handle.classList.toggle("held", size > 0);
  }

  // A way on the screen, pixels, as a way in the world as far away as the tip, m.
  across([x, y]) {
    const { right, top } = this.camera.axes();
    const scale = this.camera.scaleAt(this.tip);
    return plus(times(right, x / scale), top, -y / scale);
  }

  // A finger on the tip pulls it along: as far as it goes, so strong is the force.
  take(event) {
    const at = this.camera.onScreen(this.tip);
    const away = [event.offsetX, event.offsetY];
    if (event.button || !at || Math.hypot(away[0] - at[0], away[1] - at[1]) > (NEAR[event.pointerType] ?? NEAR.mouse)) return false;
    this.finger = { id: event.pointerId, from: [event.clientX, event.clientY] };
    this.camera.canvas.setPointerCapture(event.pointerId);
    return true;
  }

  pull(event) {
    if (event.pointerId !== this.finger?.id) return;
    const [x, y] = this.finger.from;
    this.pushBy(times(this.across([event.clientX - x, event.clientY - y]), this.push.stiffness));
  }

  letGo(event) {
    if (event.pointerId !== this.finger?.id) return;
    this.finger = null;
    this.pushBy([0, 0, 0]);
  }

  pushByKeys() {
    const way = [...this.pressed].reduce(([x, y], key) => [x + KEYS[key][0], y + KEYS[key][1]], [0, 0]);
    this.pushBy(times(unit(this.across(way)), Math.hypot(...way) ? BY_KEY * this.push.most : 0));
  }

  // What has the focus keeps the keys that it needs itself.
  keys(target) {
    const isOne = (kinds) => target.matches?.(kinds);
    const keys = {};
    if (!isOne("input[type=checkbox]")) keys[" "] = () => this.play(!this.playing);
    if (isOne("input[type=range]")) return keys;
    keys.Backspace = () => this.do({ reset: true });
    for (const key of Object.keys(KEYS)) {
      keys[key] = () => {
        this.pressed.add(key);
        this.pushByKeys();
      };
    }
    return keys;
  }

  release(keys) {
    for (const key of keys) this.pressed.delete(key);
    this.pushByKeys();
  }

  listen() {
    const { canvas } = this.camera;
    canvas.setAttribute("aria-label", `${canvas.getAttribute("aria-label").split(";")[0]}; drag the ring at its tip, or arrow keys: push it`);
    this.camera.isTaken = (event) => this.take(event);
    canvas.addEventListener("pointermove", (event) => this.pull(event));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => this.letGo(event));
    find("play").onclick = () => this.play(!this.playing);
    window.onkeyup = ({ key }) => { if (this.pressed.has(key)) this.release([key]); };
    window.onblur = () => this.release(Object.keys(KEYS)); // the key is let go elsewhere
  }
}

// Pressures over time that are known beforehand: times, and what holds after and before each.
class Move {
  constructor({ times: at, begin, end }, buffer) {
    Object.assign(this, { at, begin: arrayOf(begin, buffer), end: arrayOf(end, buffer) });
  }

  play(commands, time) {
    const count = commands.length;
    commands.forEach((command, j) => command.follow(time, this.at.map((each, k) => (
      { time: each, begin: this.begin[count * k + j], end: this.end[count * k + j] }
    ))));
  }
}

KINDS.simulated = (header, buffer) => new Simulated(header, buffer);
