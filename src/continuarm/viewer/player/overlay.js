// What lies over the picture: names of muscles, a scale, and the directions of axes and gravity.

const SVG = "http://www.w3.org/2000/svg";
const find = (id) => document.getElementById(id);

// An element with attributes, properties (those that are functions) and children.
function make(tag, attributes = {}, ...children) {
  const made = typeof tag === "string" ? document.createElement(tag) : document.createElementNS(SVG, tag.svg);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (typeof value === "boolean") made.toggleAttribute(name, value);
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}
const drawn = (tag, attributes, ...children) => make({ svg: tag }, attributes, ...children);
const pageColour = (colour) => (colour === "#000000" ? "currentColor" : colour); // black is the ink of the page

class Overlay {
  constructor(header, camera) {
    Object.assign(this, { header, camera });
    this.labels = (header.motions[0].labels ?? []).map((label) => ({ ...label, tag: make("span", {}, label.name) }));
    find("labels").replaceChildren(...this.labels.map(({ tag }) => tag));
    this.gravity = header.gravity;
    this.buildAxes();
  }

  buildAxes() {
    this.axes = Object.entries(this.header.axes).map(([letter, colour], k) => ({
      along: [0, 1, 2].map((each) => (each === k ? 1 : 0)), letter: letter.toLowerCase(), colour: pageColour(colour),
    }));
    this.axes.push({ letter: "g", colour: "currentColor", dashed: true });
    for (const axis of this.axes) {
      axis.line = drawn("line", { stroke: axis.colour, "stroke-width": 2, "stroke-linecap": "round" });
      if (axis.dashed) axis.line.setAttribute("stroke-dasharray", "2 4");
      axis.text = drawn("text", { fill: axis.colour, "text-anchor": "middle", "dominant-baseline": "central" }, axis.letter);
    }
    find("axes").replaceChildren(...this.axes.flatMap(({ line, text }) => [line, text]));
  }

  draw(state, shown) {
    const { right, top } = this.camera.axes();
    for (const { along, line, text, dashed } of this.axes) {
      const vector = dashed ? unit(this.gravity) : along;
      const [x, y] = [dot(vector, right), -dot(vector, top)];
      for (const [name, value] of Object.entries({ x2: 30 * x, y2: 30 * y })) line.setAttribute(name, value.toFixed(1));
      const aside = dashed ? 12 : 0; // gravity is often along an axis
      text.setAttribute("x", (40 * x - aside * y).toFixed(1));
      text.setAttribute("y", (40 * y + aside * x).toFixed(1));
      line.style.display = text.style.display = long(vector) ? "" : "none";
    }
    this.drawScale();
    find("labels").hidden = !shown["muscle names"];
    if (shown["muscle names"]) this.placeLabels(state);
  }

  // The longest of 1, 2, 5, 10, ... that fits.
  drawScale() {
    const most = Math.min(150, 0.4 * this.camera.canvas.clientWidth) / this.camera.scale;
    const ten = 10 ** Math.floor(Math.log10(most));
    const length = ten * [5, 2, 1].find((each) => each * ten <= most);
    find("rule").style.width = `${(length * this.camera.scale).toFixed(1)}px`;
    const text = length >= 1 ? `${+length.toPrecision(1)} m` : `${+(1000 * length).toPrecision(1)} mm`;
    if (find("length").textContent !== text) find("length").textContent = text;
  }

  placeLabels(state) {
    const towards = this.camera.position;
    for (const { tag, disc, place } of this.labels) {
      const [x, y, z] = state.places.subarray(3 * disc, 3 * disc + 3);
      const turn = state.turns.subarray(4 * disc, 4 * disc + 4);
      const away = turned(unitTurn(turn), place);
      // Outside its muscle, where a reader sees the muscle itself.
      const at = this.camera.onScreen(plus([x, y, z], away, 1.9));
      tag.hidden = !at;
      if (!at) continue;
      tag.style.transform = `translate(${at[0].toFixed(1)}px, ${at[1].toFixed(1)}px) translate(-50%, -50%)`;
      tag.classList.toggle("behind", dot(away, minus(towards, [x, y, z])) < 0);
    }
  }
}

function unitTurn(turn) {
  const size = Math.hypot(...turn) || 1;
  return [turn[0] / size, turn[1] / size, turn[2] / size, turn[3] / size];
}
