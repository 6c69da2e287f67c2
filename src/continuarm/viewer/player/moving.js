// An arm that moves now: its picture, sliders, plots and readings. Classes that extend this one have what moves it:
// shows(series) of what there are curves; press(name, pressure) and do({move: name} or {reset: true}) when a hand wants it;
// they give every state to see().

const TRAIL = 3; // seconds of the past that are drawn behind the tips
const PLOTTED = 10; // and in the plots
const TOLD = 1 / 8; // seconds between two readings
const HELD = 600; // milliseconds for which a slider is left to the hand that moves it
const MOST_OPEN = 3; // sections whose sliders are unfolded at first

class Moving {
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
    this.buildPanel();
  }

  buildPanel() {
    const { header, arm } = this;
    showHeading(header);
    showPressures(header.pressure);
    this.tips = new Tips(arm, header.view, false);
    this.plots = plotsOf(arm, header, (series) => this.shows(series)).map((spec) => {
      const beside = header.live.controller && this.shows(BESIDE[spec.series]?.series) && BESIDE[spec.series];
      return {
        spec, beside, plot: new Plot(spec.title, spec.unit, spec.curves, undefined, beside ? beside.name : false),
        row: (state) => spec.curves.map(({ column }) => spec.factor * state[spec.series][column]),
        faint: (state) => (beside ? [...state[beside.series]].map((each) => spec.factor * each) : []),
      };
    });
    for (const { plot, spec } of this.plots) plot.fromZero = Boolean(spec.used);
    const energies = Object.entries(header.energies).map(([name, colour]) => ({ name, colour }));
    const row = (state) => [...state.energies];
    this.plots.push({ spec: {}, plot: new Plot("energy", "J", energies), row, faint: () => [] });
    find("plots").replaceChildren(...this.plots.map((each) => each.plot.figure));
    find("controls").replaceChildren(this.moves(), ...this.sliders());
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

  notice() {
    const stopped = this.stopped && `the arm has stopped: ${this.stopped}. Reset starts anew.`;
    notice([this.refused, stopped, this.far, this.gone].filter(Boolean).join(" "));
  }

  see(state) {
    const { time } = state;
    if (this.state && time < this.state.time) [this.trail, this.past] = [[], []];
    this.state = state;
    this.trail.push({ time, tips: state.tips });
    while (time - this.trail[0].time > TRAIL) this.trail.shift();
    stale = true;
  }

  get tip() {
    return [...this.state.tips.subarray(-3)];
  }

  // Draws what is new.
  refresh() {
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
    const now = (which) => this.plots.map((each) => each[which](state));
    this.past.push({ time: state.time, rows: now("row"), faint: now("faint") });
    while (state.time - this.past[0].time > PLOTTED) this.past.shift();
    const time = this.past.map((each) => each.time);
    this.plots.forEach(({ plot, spec, beside, row }, k) => {
      const columns = (which) => plot.curves.map((_, c) => this.past.map((each) => each[which][k][c]));
      plot.draw(time, columns("rows"), spec.least, beside ? { time, columns: columns("faint") } : undefined);
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
}
