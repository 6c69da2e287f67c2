// Motions that are played: a timeline, keys, and readings at the time of the clock.

const BRIEF = 0.8; // seconds
const READ = 120; // milliseconds between two readings while it plays: nobody reads faster

class Playback {
  constructor(header, buffer) {
    this.header = header;
    this.motions = header.motions.map((entry) => new Motion(entry, buffer));
    this.clock = { time: 0, playing: true };
    this.told = -Infinity;
    this.camera = new Camera(header.view, find("view"), () => { stale = true; });
    this.picture = new Picture(find("view"), header, this.camera);
    this.motions.forEach((motion) => this.picture.traceMotion(motion));
    this.overlay = new Overlay(header, this.camera);
    this.largest = this.motions.map((motion) => largestWrench(motion));
    this.buildPanel();
    this.play(true);
  }

  buildPanel() {
    const [first, other] = this.motions;
    const { header } = this;
    showHeading(header);
    notice(header.notes.join("; "));
    showPressures(header.pressure);
    showParts(header);
    this.tips = new Tips(first.arm, header.view, Boolean(other));
    const seek = (time) => this.seek(time);
    const has = (series) => first.series[series];
    this.plots = plotsOf(first.arm, header, has).map((spec) => {
      const columns = (motion, curves) => curves.map(({ column }) => motion.column(spec.series, column).map((each) => spec.factor * each));
      const used = columns(first, spec.curves).map((column) => !spec.used || column.some((each) => each !== 0));
      const curves = spec.curves.filter((_, k) => used[k]);
      const faint = other && comparable(spec, other);
      const own = !other && first.series[BESIDE[spec.series]?.series] && BESIDE[spec.series];
      const said = own ? own.name : faint && (spec.series === "tips" ? header.names[1] : true);
      const plot = new Plot(spec.title, spec.unit, curves, seek, said);
      plot.fromZero = Boolean(spec.used);
      const beside = own
        ? { time: first.time, columns: curves.map(({ column }, k) => first.column(own.series, own.alone ? k : column).map((each) => spec.factor * each)) }
        : faint && { time: other.time, columns: columns(other, faint.filter((_, k) => used[k])) };
      plot.draw(first.time, columns(first, curves), spec.least, beside || undefined);
      return { plot, values: (at) => valuesOf(first.values(spec.series, at), curves, spec.factor) };
    });
    const energies = Object.entries(header.energies).map(([name, colour]) => ({ name, colour }));
    const plot = new Plot("energy", "J", energies, seek, Boolean(other));
    const columns = (motion) => energies.map(({ name }) => motion.column(name, 0));
    plot.draw(first.time, columns(first), 0, other && { time: other.time, columns: columns(other) });
    this.plots.push({ plot, values: (at) => energies.map(({ name }) => first.values(name, at)[0]) });
    find("plots").replaceChildren(...this.plots.map((each) => each.plot.figure));
    find("time").max = header.duration;
    this.offerSpeeds(header.duration);
  }

  // What is over in a moment is shown slowly at first.
  offerSpeeds(duration) {
    const brief = duration > 0 && duration < BRIEF;
    const speeds = [...(brief ? [0.001, 0.002, 0.005, 0.01, 0.02, 0.05] : []), 0.1, 0.2, 0.5, 1, 2, 5, 10];
    find("speed").replaceChildren(...speeds.map((speed) => make("option", { value: speed }, `${speed} ×`)));
    find("speed").value = brief ? speeds.findLast((speed) => duration / speed >= 2 * BRIEF) ?? speeds[0] : 1;
    this.digits = duration < 0.1 ? 5 : 3;
  }

  seek(time) {
    this.clock.time = Math.min(Math.max(time, 0), this.header.duration);
    stale = true;
  }

  play(playing) {
    if (playing && this.clock.time >= this.header.duration) this.clock.time = 0;
    this.clock.playing = playing;
    find("play").classList.toggle("playing", playing);
    find("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    stale = true;
  }

  // One state of the first motion back or forth.
  step(count) {
    this.play(false);
    const [first] = this.motions;
    const row = first.at(this.clock.time + 1e-6).row + count;
    this.seek(first.time[Math.min(Math.max(row, 0), first.time.length - 1)]);
  }

  tick(seconds) {
    if (!this.clock.playing) return;
    const { duration } = this.header;
    let time = this.clock.time + Number(find("speed").value) * seconds;
    if (this.recorder && time >= duration) {
      this.seek(duration);
      this.recorder.stop();
      return this.play(false);
    }
    const loop = find("loop").getAttribute("aria-pressed") === "true";
    if (time > duration && loop && duration > 0) time %= duration;
    else if (time >= duration && !loop) this.play(false);
    this.seek(time);
  }

  frame(seconds) {
    this.tick(seconds);
    if (!stale) return;
    stale = false;
    const places = this.motions.map((motion) => motion.at(this.clock.time));
    const states = this.motions.map((motion, k) => ({
      ...Object.fromEntries(["places", "turns", "pressures", "wrench", "tips", "reference"].map((name) => [name, motion.values(name, places[k])])),
      largest: this.largest[k],
    }));
    this.picture.draw(states, places.map(({ row }) => row), shown, isDark() ? "dark" : "light");
    this.overlay.draw(states[0], shown);
    find("clock").textContent = `${this.clock.time.toFixed(this.digits)} s`;
    find("time").value = this.clock.time;
    for (const { plot } of this.plots) plot.point(this.clock.time);
    const now = performance.now();
    if (this.clock.playing && now - this.told < READ) return;
    this.told = now;
    this.tips.tell(states[0].tips, states[1]?.tips);
    for (const { plot, values } of this.plots) plot.tell(values(places[0]));
  }

  // From the beginning to the end, once, at the speed that is chosen; pressed again, it ends at once.
  film() {
    if (this.recorder) return this.recorder.stop();
    this.recorder = record(find("view"), this.header.names[0], () => {
      this.recorder = null;
      find("film").classList.remove("busy");
    });
    find("film").classList.add("busy");
    this.seek(0);
    this.play(true);
  }

  // Of the speeds that can be chosen, the next.
  hurry(by) {
    const speed = find("speed");
    speed.selectedIndex = Math.min(Math.max(speed.selectedIndex + by, 0), speed.options.length - 1);
  }

  keys() {
    return {
      ArrowUp: () => this.hurry(1),
      ArrowDown: () => this.hurry(-1),
      " ": () => this.play(!this.clock.playing),
      ArrowLeft: (event) => this.step(event.shiftKey ? -20 : -1),
      ArrowRight: (event) => this.step(event.shiftKey ? 20 : 1),
      Home: () => this.seek(0),
      End: () => this.seek(this.header.duration),
      l: () => find("loop").click(),
    };
  }

  listen() {
    find("time").oninput = () => this.seek(Number(find("time").value));
    find("play").onclick = () => this.play(!this.clock.playing);
    find("loop").onclick = () => {
      find("loop").setAttribute("aria-pressed", String(find("loop").getAttribute("aria-pressed") !== "true"));
    };
    find("film").onclick = () => this.film();
    takeFiles(this.header.files, (content) => show({ ...content, header: { ...content.header, files: this.header.files } }), notice);
  }
}

// The same curves of another motion, where it has them: its last tip, or what has the same names.
function comparable(spec, other) {
  if (!other.series[spec.series]) return null;
  const { sections, muscles, coordinates } = other.arm;
  if (spec.series === "tips") return spec.curves.map((curve, k) => ({ ...curve, column: 3 * (sections - 1) + k }));
  const names = { pressures: muscles, lengths: muscles, forces: coordinates }[spec.series];
  return !names || spec.curves.every(({ name }, k) => names[k] === name) ? spec.curves : null;
}

const valuesOf = (values, curves, factor) => curves.map(({ column }) => factor * values[column]);

function largestWrench(motion) {
  const found = { force: 0, moment: 0 };
  if (!motion.series.wrench) return found;
  const { values } = motion.series.wrench;
  for (let k = 0; k < values.length; k += 6) {
    found.moment = Math.max(found.moment, Math.hypot(values[k], values[k + 1], values[k + 2]));
    found.force = Math.max(found.force, Math.hypot(values[k + 3], values[k + 4], values[k + 5]));
  }
  return found;
}

KINDS.playback = (header, buffer) => new Playback(header, buffer);
