// Vectors of three numbers, and turns (quaternions w, x, y, z).

const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const plus = (a, b, factor = 1) => [a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]];
const times = (a, factor) => [a[0] * factor, a[1] * factor, a[2] * factor];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const long = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => times(a, 1 / (long(a) || 1));

// A direction square to another.
const square = (a) => unit(cross(a, Math.abs(a[0]) < 0.9 * long(a) ? [1, 0, 0] : [0, 1, 0]));

function turned([w, x, y, z], v) {
  const across = times(cross([x, y, z], v), 2);
  return plus(plus(v, across, w), cross([x, y, z], across));
}
