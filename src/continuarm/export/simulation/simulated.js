// An arm that this page simulates by itself: steps in time with the clock on the wall, and a hand that pushes its tip.

const MOST_BUSY = 0.03; // seconds of computing for one picture: steps that do not fit are left out
const WINDOW = 2; // seconds over which speed, step time and late steps are averaged

class Simulated extends Moving {
  constructor(header, buffer) {
    super(header);
    const { plant, delays, moves, push } = header.simulated;
    Object.assign(this, { plant: new Plant(plant), rate: Math.round(1 / plant.step) });
    this.commands = plant.thresholds.map((threshold, k) => new Command(threshold, delays[k]));
    this.known = Object.fromEntries(Object.entries(moves).map(([name, move]) => [name, new Move(move, buffer)]));
    this.pusher = new Pusher(this, push, (force) => this.feel(force));
    showParts(header);
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
    this.pusher.by([0, 0, 0]);
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

  // A force on the tip, N, until it is another.
  feel(force) {
    this.plant.m.set(force, this.plant.commands + this.plant.wrench + 3);
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
      wrench: this.pusher.wrench,
      largest: { force: this.pusher.push.most, moment: 0 },
    });
  }

  frame(seconds) {
    if (this.playing && !this.stopped) this.advance(seconds);
    this.refresh();
    this.pusher.show();
  }

  // What has the focus keeps the keys that it needs itself.
  keys(target) {
    const isOne = (kinds) => target.matches?.(kinds);
    const keys = {};
    if (!isOne("input[type=checkbox]")) keys[" "] = () => this.play(!this.playing);
    if (isOne("input[type=range]")) return keys;
    keys.Backspace = () => this.do({ reset: true });
    for (const key of Object.keys(KEYS)) keys[key] = () => this.pusher.press(key);
    return keys;
  }

  listen() {
    const { canvas } = this.camera;
    canvas.setAttribute("aria-label", `${canvas.getAttribute("aria-label").split(";")[0]}; drag the ring at its tip, or arrow keys: push it`);
    this.camera.isTaken = (event) => this.pusher.handle.take(event);
    this.pusher.listen();
    find("play").onclick = () => this.play(!this.playing);
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
