// Rings over the picture that a hand takes: one at the tip, by which it is pushed, one at a target, which is moved.

const NEAR = { mouse: 28, pen: 30, touch: 40 }; // pixels from a ring's middle within which it is taken
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const BY_KEY = 0.4; // of the strongest push

// at(): where the ring is, m; pulled(way, from): a hand has it so far from where it took it, m; free(): it let go.
class Handle {
  constructor(camera, ring, { at, pulled, free }) {
    Object.assign(this, { camera, ring, at, pulled, free, finger: null });
  }

  show(text, held) {
    const at = this.camera.onScreen(this.at());
    this.ring.hidden = !at;
    if (at) this.ring.style.transform = `translate(${at[0].toFixed(1)}px, ${at[1].toFixed(1)}px)`;
    if (this.ring.firstChild.textContent !== text) this.ring.firstChild.textContent = text;
    this.ring.classList.toggle("held", held);
  }

  // A way on the screen, pixels, as a way in the world as far away as the ring, m.
  across([x, y]) {
    const { right, top } = this.camera.axes();
    const scale = this.camera.scaleAt(this.at());
    return plus(times(right, x / scale), top, -y / scale);
  }

  take(event) {
    const at = this.camera.onScreen(this.at());
    const away = [event.offsetX, event.offsetY];
    if (event.button || !at || Math.hypot(away[0] - at[0], away[1] - at[1]) > (NEAR[event.pointerType] ?? NEAR.mouse)) return false;
    this.finger = { id: event.pointerId, from: [event.clientX, event.clientY], place: this.at() };
    this.camera.canvas.setPointerCapture(event.pointerId);
    return true;
  }

  pull(event) {
    if (event.pointerId !== this.finger?.id) return;
    const { from: [x, y], place } = this.finger;
    this.pulled(this.across([event.clientX - x, event.clientY - y]), place);
  }

  letGo(event) {
    if (event.pointerId !== this.finger?.id) return;
    this.finger = null;
    this.free();
  }

  listen() {
    const { canvas } = this.camera;
    canvas.addEventListener("pointermove", (event) => this.pull(event));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => this.letGo(event));
  }
}

// A hand that pushes the tip of an arm: as far as it pulls the ring, so strong is the force, along the axes of the world
// and up to the strongest, push.most, N. The arm is told of it by pushed(force).
class Pusher {
  constructor(arm, push, pushed) {
    Object.assign(this, { push, pushed, force: [0, 0, 0], pressed: new Set() });
    this.handle = new Handle(arm.camera, find("handle"), {
      at: () => arm.tip,
      pulled: (way) => this.by(times(way, push.stiffness)),
      free: () => this.by([0, 0, 0]),
    });
  }

  by(force) {
    const size = long(force);
    this.force = size > this.push.most ? times(force, this.push.most / size) : force;
    this.wasUsed ||= size > 0;
    this.pushed(this.force);
  }

  get wrench() {
    return Float64Array.of(0, 0, 0, ...this.force);
  }

  show() {
    const size = long(this.force);
    const idle = this.wasUsed ? "" : "push"; // until somebody has
    this.handle.show(size ? `${size.toFixed(size < 10 ? 2 : 1)} N` : idle, size > 0);
  }

  byKeys() {
    const way = [...this.pressed].reduce(([x, y], key) => [x + KEYS[key][0], y + KEYS[key][1]], [0, 0]);
    this.by(times(unit(this.handle.across(way)), Math.hypot(...way) ? BY_KEY * this.push.most : 0));
  }

  press(key) {
    this.pressed.add(key);
    this.byKeys();
  }

  release(keys) {
    if (!keys.some((key) => this.pressed.has(key))) return;
    for (const key of keys) this.pressed.delete(key);
    this.byKeys();
  }

  listen() {
    this.handle.listen();
    window.onkeyup = ({ key }) => this.release([key]);
    window.onblur = () => this.release(Object.keys(KEYS)); // the key is let go elsewhere
  }
}
