// An arm that moves now: frames come from the viewer, and what a hand does goes to it.

const TRAIL = 3; // seconds of the past that are drawn behind the tips
const PLOTTED = 10; // and in the plots
const TOLD = 1 / 8; // seconds between two readings
const HELD = 600; // milliseconds for which a slider is left to the hand that moves it
const MOST_OPEN = 3; // sections whose sliders are unfolded at first

class Live {
  constructor(header) {
    this.header = header;
    [this.arm] = header.motions;
    this.camera = new Camera(header.view, find("view"), () => { stale = true; });
    this.picture = new Picture(find("view"), header, this.camera);
    this.overlay = new Overlay(header, this.camera);
    this.stopped = this.refused = "";
    this.told = -Infinity;
    this.trail = [];
    this.past = [];
    this.wanted = {};
    this.buildPanel();
  }

  buildPanel() {
    const { header, arm } = this;
    showHeading(header);
    showPressures(header.pressure);
    showParts({ motions: [{ parts: [{ part: "payload" }] }] });
    this.tips = new Tips(arm, header.view, false);
    this.plots = plotsOf(arm, header, (series) => header.live.frame.some(([name]) => name === series)).map((spec) => ({
      spec, plot: new Plot(spec.title, spec.unit, spec.curves),
      row: (state) => spec.curves.map(({ column }) => spec.factor * state[spec.series][column]),
    }));
    for (const { plot, spec } of this.plots) plot.fromZero = Boolean(spec.used);
    const energies = Object.entries(header.energies).map(([name, colour]) => ({ name, colour }));
    this.plots.push({ spec: {}, plot: new Plot("energy", "J", energies), row: (state) => [...state.energies] });
    find("plots").replaceChildren(...this.plots.map((each) => each.plot.figure));
    find("controls").replaceChildren(this.moves(), ...this.sliders(), this.world());
    find("controls").after(find("open"));
  }

  moves() {
    const buttons = this.header.live.moves.map((name) => make("button", { click: () => this.do({ move: name }) }, name));
    return make("div", { class: "buttons" }, make("button", { class: "main", click: () => this.do({ reset: true }) }, "Reset"), ...buttons);
  }

  sliders() {
    const { arm } = this;
    const { unit } = this.header.pressure;
    const most = this.header.live.highest / unit;
    this.hands = arm.muscles.map((name) => {
      const hand = { name, moved: -Infinity };
      hand.range = make("input", { type: "range", min: 0, max: most, step: 5, value: 0, "aria-label": `${name}, kPa` });
      hand.number = make("input", { type: "number", min: 0, max: most, step: 5, value: 0, "aria-label": name });
      const moved = (from) => {
        hand.moved = performance.now();
        hand.range.value = from.value;
        if (from === hand.range) hand.number.value = from.value;
        this.press(name, unit * Number(from.value));
      };
      hand.range.addEventListener("input", () => moved(hand.range));
      hand.number.addEventListener("change", () => moved(hand.number));
      return hand;
    });
    return arm.colours.map((colour, section) => {
      const rows = this.hands.filter((_, k) => arm.muscleSections[k] === section)
        .map(({ name, range, number }) => make("div", { class: "slider" }, make("span", {}, name), range, number));
      const mark = make("i", { class: "swatch" });
      mark.style.setProperty("--colour", colour);
      return make("details", { open: section < MOST_OPEN }, make("summary", {}, mark, `section ${section + 1}, pressure in kPa`), ...rows);
    });
  }

  world() {
    const field = (name, label, step) => make("input", { type: "number", step, "aria-label": label, "data-world": name });
    const change = (name, value) => this.do({ world: { [name]: value } });
    this.fields = {
      payload: [field("payload", "payload, kg", 0.01)],
      damping: [field("damping", "damping, times", 0.1)],
      gravity: ["x", "y", "z"].map((axis) => field("gravity", `gravity along ${axis}, m/s²`, 0.1)),
    };
    for (const [name, inputs] of Object.entries(this.fields)) {
      for (const input of inputs) {
        input.addEventListener("change", () => {
          const values = inputs.map((each) => Number(each.value));
          change(name, name === "gravity" ? values : values[0]);
        });
      }
    }
    const rows = [["payload, kg", "payload"], ["damping, times that of the arm", "damping"], ["gravity, m/s²", "gravity"]]
      .map(([label, name]) => make("div", { class: "field" }, make("span", {}, label), ...this.fields[name]));
    return make("details", { open: true }, make("summary", {}, "world"), ...rows);
  }

  async do(what) {
    try {
      await ask("/do", JSON.stringify(what));
      this.refused = "";
    } catch (error) {
      this.refused = error.message;
      this.told = -Infinity;
      if (this.news) this.showWorld(this.news.world);
    }
    this.notice();
  }

  // One message at a time: what a hand does meanwhile goes with the next.
  async press(name, pressure) {
    this.wanted[name] = pressure;
    if (this.pressing) return;
    this.pressing = true;
    while (Object.keys(this.wanted).length) {
      const pressures = this.wanted;
      this.wanted = {};
      await this.do({ pressures });
    }
    this.pressing = false;
  }

  notice() {
    const stopped = this.stopped && `the arm has stopped: ${this.stopped}. Reset starts anew.`;
    notice([this.refused, stopped, this.gone].filter(Boolean).join(" "));
  }

  showWorld(world) {
    for (const [name, inputs] of Object.entries(this.fields)) {
      inputs.forEach((input, k) => { input.value = name === "gravity" ? world[name][k] : world[name]; });
    }
  }

  hear(news) {
    if (this.news && JSON.stringify(news.arm) !== JSON.stringify(this.news.arm)) this.picture.replaceArm(0, news.arm);
    this.news = news;
    this.overlay.gravity = news.world.gravity;
    this.stopped = news.stopped;
    this.showWorld(news.world);
    this.notice();
    stale = true;
  }

  // The stream of messages, for as long as somebody can see the page: a browser has few connections to spare.
  async follow() {
    for (;;) {
      if (document.visibilityState === "visible") await this.stream().catch(() => {});
      await new Promise((resume) => {
        setTimeout(resume, 1000);
        document.addEventListener("visibilitychange", resume, { once: true });
      });
    }
  }

  async stream() {
    const control = new AbortController();
    const hide = () => document.visibilityState === "visible" || control.abort();
    document.addEventListener("visibilitychange", hide);
    try {
      const answer = await fetch("/frames", { headers: { "X-Continuarm-Token": token }, signal: control.signal });
      if (!answer.ok) throw new Error(await answer.text());
      this.gone = "";
      this.notice();
      await this.read(answer.body.getReader());
    } finally {
      document.removeEventListener("visibilitychange", hide);
      if (document.visibilityState === "visible") {
        this.gone = "The viewer does not answer: its program has ended.";
        this.notice();
      }
    }
  }

  async read(reader) {
    let held = new Uint8Array(0);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const joined = new Uint8Array(held.length + value.length);
      joined.set(held);
      joined.set(value, held.length);
      let begin = 0;
      while (joined.length - begin >= 16) {
        const head = new DataView(joined.buffer, begin, 16);
        const end = begin + 16 + head.getUint32(0, true);
        if (end > joined.length) break;
        const content = joined.slice(begin + 16, end);
        if (head.getUint32(4, true)) this.hear(JSON.parse(new TextDecoder().decode(content)));
        else this.take(head.getFloat64(8, true), new Float32Array(content.buffer));
        begin = end;
      }
      held = joined.slice(begin);
    }
  }

  take(time, numbers) {
    const state = { time };
    let begin = 0;
    for (const [name, size] of this.header.live.frame) {
      state[name] = numbers.subarray(begin, begin + size);
      begin += size;
    }
    if (this.state && time < this.state.time) [this.trail, this.past] = [[], []];
    this.state = state;
    this.trail.push({ time, tips: state.tips });
    while (time - this.trail[0].time > TRAIL) this.trail.shift();
    stale = true;
  }

  frame() {
    if (!stale || !this.state) return;
    stale = false;
    const { state } = this;
    if (shown.traces) this.picture.trail(this.trail.map(({ tips }) => tips), this.arm.colours);
    this.picture.draw([state], [], shown, isDark() ? "dark" : "light");
    this.overlay.draw(state, shown);
    if (Math.abs(state.time - this.told) >= TOLD) this.tell();
  }

  tell() {
    const { state } = this;
    this.told = state.time;
    find("clock").textContent = `${state.time.toFixed(3)} s`;
    this.tips.tell(state.tips);
    const [speed, step, late] = state.figures;
    [["real time", `${speed.toFixed(2)} x`, speed < 0.98], ["one step", `${(1e6 * step).toFixed(1)} µs`, false],
      ["late steps", `${(100 * late).toFixed(2)} %`, late > 0.01]].forEach(([name, text, bad]) => {
      const reading = document.querySelector(`[data-reading="${name}"]`);
      reading.textContent = text;
      reading.classList.toggle("bad", bad);
    });
    this.past.push({ time: state.time, rows: this.plots.map(({ row }) => row(state)) });
    while (state.time - this.past[0].time > PLOTTED) this.past.shift();
    const time = this.past.map((each) => each.time);
    this.plots.forEach(({ plot, spec, row }, k) => {
      plot.draw(time, plot.curves.map((_, c) => this.past.map((each) => each.rows[k][c])), spec.least);
      plot.tell(row(state));
    });
    const { unit } = this.header.pressure;
    this.hands.forEach((hand, k) => {
      if (performance.now() - hand.moved < HELD || hand.number === document.activeElement) return;
      const pressure = Math.round(state.commands[k] / unit);
      if (Number(hand.number.value) !== pressure) hand.number.value = pressure;
      if (Math.abs(Number(hand.range.value) - pressure) > 2.5) hand.range.value = pressure;
    });
  }

  keys() {
    return {};
  }

  listen() {
    takeFiles(this.header.files, () => { this.refused = ""; this.notice(); }, (sentence) => { this.refused = sentence; this.notice(); });
    this.follow();
  }
}
