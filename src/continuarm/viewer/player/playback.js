// Motions that are played: a timeline, keys, and readings at the time of the clock.

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
    this.tips = new Tips(first.arm, Boolean(other));
    const seek = (time) => this.seek(time);
    this.plots = plotsOf(first.arm, header, (series) => first.series[series]).map((spec) => {
      const columns = spec.curves.map(({ column }) => first.column(spec.series, column).map((each) => spec.factor * each));
      const used = columns.map((column) => !spec.used || column.some((each) => each !== 0));
      const curves = spec.curves.filter((_, k) => used[k]);
      const plot = new Plot(spec.title, spec.unit, curves, seek);
      plot.draw(first.time, columns.filter((_, k) => used[k]), spec.least);
      return { plot, values: (at) => valuesOf(first.values(spec.series, at), curves, spec.factor) };
    });
    const energies = Object.entries(header.energies).map(([name, colour]) => ({ name, colour }));
    const plot = new Plot("energy", "J", energies, seek);
    plot.draw(first.time, energies.map(({ name }) => first.column(name, 0)));
    this.plots.push({ plot, values: (at) => energies.map(({ name }) => first.values(name, at)[0]) });
    find("plots").replaceChildren(...this.plots.map((each) => each.plot.figure));
    find("time").max = header.duration;
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
      ...Object.fromEntries(["places", "turns", "pressures", "wrench", "tips"].map((name) => [name, motion.values(name, places[k])])),
      largest: this.largest[k],
    }));
    this.picture.draw(states, places.map(({ row }) => row), shown, isDark() ? "dark" : "light");
    this.overlay.draw(states[0], shown);
    find("clock").textContent = `${this.clock.time.toFixed(3)} s`;
    find("time").value = this.clock.time;
    for (const { plot } of this.plots) plot.point(this.clock.time);
    const now = performance.now();
    if (this.clock.playing && now - this.told < READ) return;
    this.told = now;
    this.tips.tell(states[0].tips, states[1]?.tips);
    for (const { plot, values } of this.plots) plot.tell(values(places[0]));
  }

  keys() {
    return {
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
    takeFiles(this.header.files, (content) => show({ ...content, header: { ...content.header, files: this.header.files } }), notice);
  }
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
