// A camera that has everything in view, and turns about a point with the hand.

const OPENING = Math.tan((16 * Math.PI) / 180); // half the height of the picture at distance 1
const MARGIN = 0.9; // how much of the picture is used

class Camera {
  constructor(view, canvas, moved) {
    Object.assign(this, { view, canvas, moved, up: unit(view.up), isTaken: () => false });
    this.east = square(this.up);
    this.north = cross(this.up, this.east);
    this.aspect = 1;
    this.reset();
    this.listen();
  }

  // Back to where everything is in view; so it stays, whatever the size of the window, until a hand moves it.
  reset() {
    const toward = unit(this.view.toward);
    this.height = Math.asin(dot(toward, this.up));
    this.turn = Math.atan2(dot(toward, this.north), dot(toward, this.east));
    this.fitted = true;
    this.fit();
    this.moved();
  }

  // The nearest place on the line of sight from which all corners are in the picture: a corner at (x, y), z towards
  // the camera at (X, Y, Z), is in it where |x - X| <= (Z - z) w and |y - Y| <= (Z - z) h.
  fit() {
    const { right, top, back } = this.axes();
    const [height, width] = [MARGIN * OPENING, MARGIN * OPENING * this.aspect];
    const ends = [-Infinity, -Infinity, -Infinity, -Infinity];
    let front = -Infinity;
    for (const corner of this.view.corners) {
      const [x, y, z] = [dot(corner, right), dot(corner, top), dot(corner, back)];
      [x + z * width, -x + z * width, y + z * height, -y + z * height].forEach((each, k) => {
        ends[k] = Math.max(ends[k], each);
      });
      front = Math.max(front, z);
    }
    const far = Math.max((ends[0] + ends[1]) / (2 * width), (ends[2] + ends[3]) / (2 * height));
    const middle = this.view.corners.reduce((sum, each) => sum + dot(each, back), 0) / this.view.corners.length;
    const depth = Math.min(middle, front);
    this.target = plus(plus(times(right, (ends[0] - ends[1]) / 2), top, (ends[2] - ends[3]) / 2), back, depth);
    this.distance = this.reach = far - depth;
  }

  resize(aspect) {
    if (aspect === this.aspect) return;
    this.aspect = aspect;
    if (this.fitted) this.fit();
  }

  axes() {
    const level = plus(times(this.east, Math.cos(this.turn)), this.north, Math.sin(this.turn));
    const back = plus(times(level, Math.cos(this.height)), this.up, Math.sin(this.height));
    const right = unit(cross(this.up, back));
    return { right, top: cross(back, right), back };
  }

  get position() {
    return plus(this.target, this.axes().back, this.distance);
  }

  // Columns of a 4x4 matrix from the world to the screen.
  matrix() {
    const from = this.position;
    const { right, top, back } = this.axes();
    const [near, far] = [this.distance / 50, this.distance + 40 * this.reach];
    const depth = dot(back, from);
    const [slope, offset] = [(far + near) / (near - far), (2 * far * near) / (near - far)];
    const wide = 1 / OPENING / this.aspect;
    const rows = [
      [...times(right, wide), -dot(right, from) * wide],
      [...times(top, 1 / OPENING), -dot(top, from) / OPENING],
      [...times(back, slope), offset - depth * slope],
      [...times(back, -1), depth],
    ];
    const columns = new Float32Array(16);
    for (let r = 0; r < 4; r++) for (let c = 0; c < 4; c++) columns[4 * c + r] = rows[r][c];
    return columns;
  }

  // Where a point is in the picture, in pixels of the page from its upper left corner; nothing for what is behind.
  onScreen(point) {
    const { right, top, back } = this.axes();
    const seen = minus(point, this.position);
    const scale = this.scaleAt(point);
    if (!(-dot(seen, back) > 0)) return null;
    return [this.canvas.clientWidth / 2 + dot(seen, right) * scale, this.canvas.clientHeight / 2 - dot(seen, top) * scale];
  }

  // Pixels of the page for a metre, as far away as a point.
  scaleAt(point) {
    return this.canvas.clientHeight / (2 * OPENING * dot(minus(this.position, point), this.axes().back));
  }

  // The same at the point that it turns about.
  get scale() {
    return this.canvas.clientHeight / (2 * OPENING * this.distance);
  }

  changed() {
    this.fitted = false;
    this.moved();
  }

  rotate(x, y) {
    this.turn -= 0.006 * x;
    this.height = Math.min(Math.max(this.height + 0.006 * y, -1.5), 1.5);
    this.changed();
  }

  shift(x, y) {
    const { right, top } = this.axes();
    this.target = plus(plus(this.target, right, -x / this.scale), top, y / this.scale);
    this.changed();
  }

  zoom(factor) {
    this.distance = Math.min(Math.max(this.distance * factor, this.reach / 20), this.reach * 8);
    this.changed();
  }

  listen() {
    const { canvas } = this;
    const fingers = new Map();
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("dblclick", () => this.reset());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(0.0012 * event.deltaY));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      if (this.isTaken(event)) return;
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
