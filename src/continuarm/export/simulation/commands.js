// What one muscle is commanded over time: straight lines from knot to knot, with jumps at the knots; the last is held.
// The mean over a step is that of CommandsOverTime in Python.

class Command {
  // threshold: Pa, below which it does nothing; delay: s, by which it arrives later.
  constructor(threshold, delay) {
    Object.assign(this, { threshold, delay, line: new Float64Array(6), sums: new Float64Array(6) });
    this.reset();
  }

  reset() {
    this.knots = [{ time: -Infinity, begin: 0, end: 0 }];
  }

  // Knots {time, begin, end}, the first at 0, from a time on. What was commanded for later is forgotten.
  follow(time, knots) {
    const from = time + this.delay;
    this.knots = this.knots.filter((knot) => knot.time < from);
    const last = this.knots.at(-1);
    if (last) Object.assign(last, { end: this.value(last, from), until: from });
    const later = knots.map((knot) => ({ ...knot, time: from + knot.time }));
    later.forEach((knot, k) => { knot.until = later[k + 1]?.time; });
    this.knots.push(...later);
  }

  hold(time, value) {
    this.follow(time, [{ time: 0, begin: value, end: value }]);
  }

  // The value on the line of a knot, whenever it arrives.
  value({ time, begin, end, until }, at) {
    if (begin === end) return begin;
    this.line.set([begin, end, at, time, until]);
    ramp(this.line, 0, 1, 2, 3, 4, 5);
    return this.line[5];
  }

  // What is commanded at a time, before it is delayed.
  wanted(time) {
    const at = time + this.delay;
    return this.value(this.knots.findLast((knot) => knot.time <= at), at);
  }

  // The mean over a step, Pa; steps are asked for in their order.
  mean(from, to) {
    const { knots, sums, threshold } = this;
    while (knots[1]?.time <= from) knots.shift();
    if (!(knots[1]?.time < to)) return this.value(knots[0], (from + to) / 2);
    const [total, above, value, edge, share, acting] = sums.keys();
    sums.set([0, 0, 0, threshold]);
    for (let here = from; here < to;) {
      const next = Math.min(knots[1]?.time ?? to, to);
      sums[value] = this.value(knots[0], (here + next) / 2);
      sums[share] = (next - here) / (to - from);
      part_of_mean(sums, total, above, value, edge, share, total, above);
      here = next;
      if (here < to) knots.shift();
    }
    acting_mean(sums, total, above, edge, acting);
    return sums[acting];
  }
}
