// Small plots over time, with a line at the time now and what each curve is there.

const PLOT = { width: 340, height: 104, left: 40, right: 6, top: 6, bottom: 16 };
const MOST_NAMED = 9;
const BINS = 300;
const DASHES = ["", "5 2.5", "1.5 2.5", "7 2.5 1.5 2.5"];

// A few round numbers between two.
function ticks(low, high) {
  const ten = 10 ** Math.floor(Math.log10((high - low) / 2));
  const step = ten * [1, 2, 5, 10].find((factor) => (high - low) / (factor * ten) <= 5.5);
  const found = [];
  for (let k = Math.ceil(low / step); k <= Math.floor(high / step); k++) found.push(+(k * step).toPrecision(12));
  return found;
}

const plain = (value, digits) => value.toFixed(digits).replace(/^-(0(\.0*)?)$/, "$1");

// With as many decimals as tell a thousandth of a range apart; with a power of ten where that is shorter.
function reading(value, range) {
  if (value && (range < 1e-2 || range >= 1e5)) return value.toExponential(2);
  return plain(value, Math.min(Math.max(3 - Math.floor(Math.log10(range || 1)), 0), 5));
}

const tick = (value) => (value && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e5) ? value.toExponential() : `${value}`);

class Plot {
  // curves: {name, colour, dash}; seek: told the time that somebody points at; compared: whose curves are faint, or
  // whether there are any.
  constructor(title, unit, curves, seek, compared = false) {
    Object.assign(this, { curves, range: 1, fromZero: false });
    const { width, height, left, right, top, bottom } = PLOT;
    this.readings = curves.map(({ name }) => make("b", { "data-reading": `${title} ${name}` }));
    const many = curves.length > MOST_NAMED;
    const names = (many ? [] : curves).map(({ name, colour, dash }, k) => {
      const line = drawn("line", { x2: 14, y1: 5, y2: 5, stroke: pageColour(colour), "stroke-width": 2, "stroke-dasharray": dash ?? "" });
      return make("span", {}, drawn("svg", { viewBox: "0 0 14 10", class: "key" }, line), `${name} `, this.readings[k]);
    });
    if (many) names.push(make("span", {}, `${curves.length} curves, in the colours of their sections`));
    if (compared.length) names.push(make("span", {}, `faint: ${compared}`));
    const line = ({ colour, dash }, width, opacity) => drawn("path", {
      fill: "none", stroke: pageColour(colour), "stroke-width": width, "stroke-opacity": opacity,
      "stroke-linejoin": "round", "stroke-dasharray": dash ?? "",
    });
    this.lines = curves.map((curve) => line(curve, 1.4, 1));
    this.faint = compared ? curves.map((curve) => line(curve, 3, 0.3)) : [];
    this.now = make("div", { class: "now" }); // beside the picture, which is not drawn anew when it moves
    const share = (value, whole) => `${((100 * value) / whole).toFixed(2)}%`;
    this.now.style.inset = [share(top, height), share(right, width), share(bottom, height), share(left, width)].join(" ");
    this.grid = drawn("g", { class: "grid" });
    this.picture = drawn("svg", { viewBox: `0 0 ${width} ${height}` }, this.grid, ...this.faint, ...this.lines);
    const caption = make("figcaption", {}, make("strong", {}, `${title}, ${unit}`), make("div", { class: "names" }, ...names));
    this.figure = make("figure", { "data-plot": title }, caption, make("div", { class: "plot" }, this.picture, this.now));
    this.now.hidden = !seek;
    if (seek) this.listen(seek);
    this.inner = { x: left, width: width - left - right, bottom: height - bottom, height: height - top - bottom };
  }

  listen(seek) {
    const point = (event) => {
      if (!(event.buttons & 1)) return;
      const box = this.picture.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * PLOT.width;
      seek(this.first + ((this.last - this.first) * (x - this.inner.x)) / this.inner.width);
    };
    this.picture.addEventListener("pointerdown", point);
    this.picture.addEventListener("pointermove", point);
  }

  x(time) {
    return this.inner.x + (this.inner.width * (time - this.first)) / (this.last - this.first);
  }

  // Times and columns of the same length; least: the smallest range worth showing; other: what is faint.
  draw(time, columns, least = 0, other = { time: [], columns: [] }) {
    [this.first, this.last] = [time[0], Math.max(time[time.length - 1], ...other.time.slice(-1), time[0] + 1e-3)];
    let [low, high] = [Infinity, -Infinity];
    for (const column of [...columns, ...other.columns]) for (const value of column) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (this.fromZero) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
    const margin = Math.max(0.05 * (high - low), (least - (high - low)) / 2, 0.01 * Math.abs(high)) || 1;
    [low, high] = [low - margin, high + margin];
    this.range = high - low;
    const y = (value) => this.inner.bottom - (this.inner.height * (value - low)) / (high - low);
    const marks = ticks(low, high).flatMap((value) => [
      drawn("line", { x1: this.inner.x, x2: this.inner.x + this.inner.width, y1: y(value), y2: y(value) }),
      drawn("text", { x: this.inner.x - 4, y: y(value) + 3.5, "text-anchor": "end" }, tick(value)),
    ]);
    for (const value of ticks(this.first, this.last)) {
      marks.push(drawn("text", { x: this.x(value), y: PLOT.height - 3, "text-anchor": "middle" }, tick(value)));
    }
    this.grid.replaceChildren(...marks);
    columns.forEach((column, k) => this.lines[k].setAttribute("d", this.path(time, column, y)));
    other.columns.forEach((column, k) => this.faint[k].setAttribute("d", this.path(other.time, column, y)));
  }

  // Of many rows that share a place, the first, least, greatest and last: nothing that sticks out is left out.
  path(time, column, y) {
    const points = [];
    const every = Math.max(Math.ceil(time.length / BINS), 1);
    for (let begin = 0; begin < time.length; begin += every) {
      const end = Math.min(begin + every, time.length) - 1;
      let [low, high] = [begin, begin];
      for (let k = begin; k <= end; k++) {
        if (column[k] < column[low]) low = k;
        if (column[k] > column[high]) high = k;
      }
      for (const k of [...new Set([begin, Math.min(low, high), Math.max(low, high), end])]) {
        points.push(`${this.x(time[k]).toFixed(1)},${y(column[k]).toFixed(1)}`);
      }
    }
    return `M${points.join("L")}`;
  }

  point(time) {
    const share = Math.min(Math.max((time - this.first) / (this.last - this.first), 0), 1);
    this.now.style.transform = `translateX(${(100 * share).toFixed(2)}%)`;
  }

  tell(values) {
    if (this.curves.length > MOST_NAMED) return;
    this.readings.forEach((each, k) => { each.textContent = reading(values[k], this.range); });
  }
}

// Places in metres where the whole is large.
const lengthsIn = ({ size }) => (size < 5 ? { unit: "mm", factor: 1e3 } : { unit: "m", factor: 1 });

// Of a closed loop: what is drawn faint beside what, and what it is called. The tip is one of many, its reference alone.
const BESIDE = {
  tips: { series: "reference", name: "reference", alone: true },
  pressures: { series: "commands", name: "commands" },
  lengths: { series: "estimate", name: "estimate" },
};

// What can be drawn of an arm over time: by which series, in which unit, with which curves (name, colour, dash, column).
function plotsOf(arm, header, has) {
  const last = 3 * (arm.sections - 1);
  const bySection = (names) => names.map((name, k) => {
    const section = names === arm.muscles ? arm.muscleSections[k] : Math.floor(k / 3);
    const number = names.slice(0, k).filter((_, j) => (names === arm.muscles ? arm.muscleSections[j] : Math.floor(j / 3)) === section).length;
    return { name, colour: arm.colours[section], dash: DASHES[number % DASHES.length], column: k };
  });
  const axes = Object.entries(header.axes).map(([letter, colour], k) => ({ name: letter.toLowerCase(), colour, column: last + k }));
  const wrench = Object.entries(header.axes).flatMap(([letter, colour], k) => [
    { name: `F${letter.toLowerCase()}`, colour, column: 3 + k },
    { name: `M${letter.toLowerCase()}`, colour, dash: DASHES[1], column: k },
  ]);
  const lengths = lengthsIn(header.view);
  const size = lengths.factor * header.view.size;
  return [
    { title: `tip of section ${arm.sections}`, ...lengths, series: "tips", curves: axes, least: 0.02 * size },
    { title: "pressure", unit: "kPa", series: "pressures", factor: 1 / header.pressure.unit, curves: bySection(arm.muscles), used: true },
    { title: "length change of muscles", ...lengths, series: "lengths", curves: bySection(arm.muscles), least: 0.001 * size },
    { title: "force τ over q", unit: "N", series: "forces", factor: 1, curves: bySection(arm.coordinates), used: true },
    { title: "wrench on the tip", unit: "N, N m", series: "wrench", factor: 1, curves: wrench, used: true },
  ].filter(({ series }) => has(series));
}
