// Vectors, and a camera that turns about a point with the hand.

const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const plus = (a, b, factor = 1) => [a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const long = (a) => Math.hypot(...a);
const unit = (a) => a.map((each) => each / (long(a) || 1));

class Camera {
  constructor(begin, canvas, moved) {
    this.begin = begin;
    this.moved = moved;
    this.up = unit(begin.up);
    const aside = Math.abs(this.up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
    this.east = unit(cross(this.up, aside));
    this.north = cross(this.up, this.east);
    this.reset();
    this.listen(canvas);
  }

  reset() {
    const away = minus(this.begin.position, this.begin.target);
    this.target = this.begin.target.slice();
    this.distance = long(away);
    this.height = Math.asin(dot(away, this.up) / this.distance);
    this.turn = Math.atan2(dot(away, this.north), dot(away, this.east));
    this.moved();
  }

  get position() {
    const level = plus(this.east.map((each) => each * Math.cos(this.turn)), this.north, Math.sin(this.turn));
    const away = plus(level.map((each) => each * Math.cos(this.height)), this.up, Math.sin(this.height));
    return plus(this.target, away, this.distance);
  }

  // Columns of a 4x4 matrix from the world to the screen.
  matrix(aspect) {
    const from = this.position;
    const back = unit(minus(from, this.target));
    const right = unit(cross(this.up, back));
    const top = cross(back, right);
    const near = this.distance / 100;
    const far = this.distance * 30;
    // A tall window shows as much to the sides as a square one.
    const scale = (1 / Math.tan((16 * Math.PI) / 180)) * Math.min(1, aspect);
    const depth = dot(back, from);
    const [slope, offset] = [(far + near) / (near - far), (2 * far * near) / (near - far)];
    const rows = [
      [...right.map((each) => (each * scale) / aspect), (-dot(right, from) * scale) / aspect],
      [...top.map((each) => each * scale), -dot(top, from) * scale],
      [...back.map((each) => each * slope), offset - depth * slope],
      [...back.map((each) => -each), depth],
    ];
    const columns = new Float32Array(16);
    for (let r = 0; r < 4; r++) for (let c = 0; c < 4; c++) columns[4 * c + r] = rows[r][c];
    return columns;
  }

  rotate(x, y) {
    this.turn -= 0.006 * x;
    this.height = Math.min(Math.max(this.height + 0.006 * y, -1.5), 1.5);
    this.moved();
  }

  shift(x, y) {
    const back = unit(minus(this.position, this.target));
    const right = unit(cross(this.up, back));
    const size = this.distance * 0.0008;
    this.target = plus(plus(this.target, right, -size * x), cross(back, right), size * y);
    this.moved();
  }

  zoom(factor) {
    const reach = long(minus(this.begin.position, this.begin.target));
    this.distance = Math.min(Math.max(this.distance * factor, reach / 20), reach * 8);
    this.moved();
  }

  listen(canvas) {
    const fingers = new Map();
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("dblclick", () => this.reset());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(0.0012 * event.deltaY));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, (event) => fingers.delete(event.pointerId));
    }
    canvas.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const now = [event.clientX, event.clientY];
      const [x, y] = [now[0] - before[0], now[1] - before[1]];
      if (fingers.size > 1) {
        const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
        const apart = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]) || 1;
        this.zoom(apart(before) / apart(now));
        this.shift(x / 2, y / 2);
      } else if (event.shiftKey || event.buttons > 1) this.shift(x, y);
      else this.rotate(x, y);
      fingers.set(event.pointerId, now);
    });
  }
}
