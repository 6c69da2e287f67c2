// An arm with its muscles and valves, in implicit steps: loops over sections and muscles. All arithmetic is in the steps
// that are printed; all numbers are in one array m, and what is called q, passage or section is a place in it.

class Plant {
  // numbers: what Python knows of the plant, see plant_numbers in page.py.
  constructor(numbers) {
    Object.assign(this, numbers.layout);
    this.n = numbers.sections.length;
    this.size = 3 * this.n;
    this.hasPayload = numbers.mass !== 0;
    const constants = [];
    const keep = (rows) => {
      const at = constants.length;
      for (const row of rows) constants.push(...row);
      return at;
    };
    const lists = (sections, width) => { // places of what every section has of them
      const at = keep(sections.flat());
      let count = 0;
      return sections.map((rows) => rows.map(() => at + width * count++));
    };
    this.sections = numbers.sections.map((row) => keep([row]));
    this.stops = lists(numbers.stops, SIZES.Stop);
    this.gravity = keep([numbers.gravity]);
    this.baseFrame = keep([numbers.frame]);
    this.mass = keep([[numbers.mass]]);
    this.offset = keep([numbers.offset]);
    this.muscles = lists(numbers.muscles, SIZES.Muscle);
    this.valves = numbers.valves.map((row) => keep([row]));
    this.branches = numbers.branches.map((row) => keep([row]));
    this.kept = numbers.kept.map((row) => keep([row]));
    this.h = keep([[numbers.step]]);
    this.lagged = numbers.lagged;
    this.muscleCount = this.lagged.length;
    this.branchCount = this.branches.length / this.muscleCount;
    this.firstMuscle = this.muscles.map((_, i) => this.muscles.slice(0, i).flat().length);
    this.places = numbers.places.map((xi) => keep([[xi]]));
    this.lay(constants);
    this.start = Float64Array.from(numbers.start);
    this.reset();
  }

  // Memory after the constants, one array after another.
  lay(constants) {
    let end = constants.length;
    const take = (count) => (end += count) - count;
    const each = (count, size) => Array.from({ length: count }, () => take(size));
    const { n, size } = this;
    this.state = take(this.width);
    this.before = take(this.width);
    this.commands = take(this.commandWidth);
    this.zeros = take(Math.max(size, 6));
    for (const name of ["tau", "ahead", "springs", "dampers", "there", "rate", "first", "second", "ways", "more"]) {
      this[name] = take(size);
    }
    this.after = take(2 * size);
    this.blocks = each(n, SIZES.Symmetric);
    this.pressuresAfter = take(this.muscleCount);
    this.halfway = take(this.muscleCount);
    this.creepHalfway = take(this.branches.length);
    this.passages = each(n, SIZES.Passage);
    this.responses = each(n, SIZES.Response);
    this.products = each(n, 6);
    this.frames = each(n + 1, SIZES.Frame);
    this.frame = take(SIZES.Frame);
    this.carried = take(SIZES.Articulated);
    this.body = take(SIZES.SectionBody); // or GroundedBody, which is smaller
    this.extra = take(SIZES.Symmetric);
    for (const name of ["omega", "force", "pushed", "pull", "spot"]) this[name] = take(3);
    for (const name of ["acceleration", "motion"]) this[name] = take(6);
    for (const name of ["energyOf", "allRates", "height", "bend", "length", "zero", "value"]) this[name] = take(1);
    this.energy = take(2);
    this.turns = take(16);
    this.m = new Float64Array(end);
    this.m.set(constants);
  }

  reset() {
    this.m.set(this.start, this.state);
    this.m.fill(0, this.commands, this.commands + this.commandWidth);
  }

  copy(from, count, to) {
    const { m } = this;
    for (let k = 0; k < count; k++) m[to + k] = m[from + k];
  }

  add(more, count, to) {
    const { m } = this;
    for (let k = 0; k < count; k++) m[to + k] += m[more + k];
  }

  fill(at, count) {
    const { m } = this;
    for (let k = 0; k < count; k++) m[at + k] = 0;
  }

  allZero(at, count) {
    for (let k = 0; k < count; k++) if (this.m[at + k] !== 0) return false;
    return true;
  }

  passOutward(q, qd) {
    const { m, omega, sections, passages } = this;
    this.fill(omega, 3);
    for (let i = 0; i < this.n; i++) outward(m, sections[i], q + 3 * i, qd + 3 * i, omega, passages[i], omega);
  }

  // Passages at rest, and the frames of the base and of every tip.
  place(q) {
    this.passOutward(q, this.zeros);
    this.copy(this.baseFrame, SIZES.Frame, this.frames[0]);
    for (let i = 0; i < this.n; i++) attach(this.m, this.passages[i], this.frames[i], this.frames[i + 1]);
  }

  // Accelerations of a stage of an implicit step, in which springs, dampers, stops and muscles resist acceleration too.
  accelerations(q, qd, springs, dampers, qdd) {
    const { m, n, sections, passages, responses, products, carried, body, extra, force, pushed, acceleration } = this;
    this.passOutward(q, qd);
    if (this.hasPayload) payload_body(m, this.mass, this.offset, this.omega, carried);
    for (let i = n - 1; i >= 0; i--) {
      const [section, passage, at, against] = [sections[i], passages[i], springs + 3 * i, dampers + 3 * i];
      const loaded = i + 1 < n || this.hasPayload;
      lean(m, this.blocks[i], at, this.ahead + 3 * i, this.tau + 3 * i, force);
      this.copy(this.blocks[i], SIZES.Symmetric, extra);
      for (const stop of this.stops[i]) {
        end_stop(m, stop, at, pushed, this.energyOf);
        for (let k = 0; k < 3; k++) m[force + k] -= m[pushed + k];
        stop_stiffness(m, stop, at, this.frame);
        this.add(this.frame, SIZES.Symmetric, extra);
      }
      impedance(m, section, extra, this.h, extra);
      if (i > 0) {
        weigh(m, section, passage, qd + 3 * i, body, products[i]);
        stiffen(m, section, body, extra, body);
      } else {
        weigh_base(m, section, passage, qd, body, products[i]);
        stiffen_base(m, section, body, extra, body);
      }
      if (loaded) lift(m, passage, products[i], carried, carried);
      if (i > 0 && loaded) absorb(m, section, passage, body, at, against, force, carried, carried, responses[i]);
      else if (i > 0) absorb_tip(m, section, passage, body, at, against, force, carried, responses[i]);
      else if (loaded) absorb_base(m, section, passage, body, at, against, force, carried, responses[i]);
      else absorb_only(m, section, passage, body, at, against, force, responses[i]);
    }
    this.fill(acceleration, 3);
    for (let k = 0; k < 3; k++) m[acceleration + 3 + k] = -m[this.gravity + k];
    for (let i = 0; i + 1 < n; i++) {
      respond(m, sections[i], passages[i], responses[i], products[i], acceleration, qdd + 3 * i, acceleration);
    }
    respond_tip(m, sections[n - 1], passages[n - 1], responses[n - 1], acceleration, qdd + 3 * (n - 1));
  }

  // Σ|l̇| over all muscles, or of ways.
  allAlong(rates) {
    const { m, allRates } = this;
    m[allRates] = 0;
    this.muscles.forEach((muscles, i) => {
      for (const muscle of muscles) one_more_along(m, muscle, rates + 3 * i, allRates, allRates);
    });
  }

  // Forces and wrench from outside, over q.
  outsideForces(q) {
    const { m, n } = this;
    this.copy(this.commands + this.forces, this.size, this.tau);
    const wrench = this.commands + this.wrench;
    if (this.allZero(wrench, 6)) return;
    this.place(q);
    for (let i = 0; i < n; i++) {
      feel_wrench(m, this.sections[i], this.passages[i], this.frames[i], this.frames[n], wrench, this.more + 3 * i);
    }
    this.add(this.more, this.size, this.tau);
  }

  // What a step takes half a step ahead: lengths, forces and how they lean on q, and what muscles remember.
  lookAhead() {
    const { m, state, h } = this;
    const qd = state + this.size;
    for (let j = 0; j < this.size; j += 3) half_ahead(m, state + j, qd + j, h, this.ahead + j);
    this.outsideForces(this.ahead);
    this.allAlong(qd);
    for (let i = 0; i < this.n; i++) {
      const [at, rate, own, block] = [this.ahead + 3 * i, qd + 3 * i, this.tau + 3 * i, this.blocks[i]];
      this.fill(block, SIZES.Symmetric);
      this.muscles[i].forEach((muscle, k) => {
        const j = this.firstMuscle[i] + k;
        const pressure = this.lagged[j] ? state + this.pressures + j : this.commands + j;
        const held = this.remembers ? state + this.hysteresis + j : this.zero;
        muscle_ahead(m, muscle, this.valves[j], this.commands + j, pressure, held, at, rate, this.allRates, own, block,
          h, own, block, this.pressuresAfter + j, this.halfway + j);
        for (let b = j; b < this.branches.length; b += this.muscleCount) {
          branch_ahead(m, muscle, this.branches[b], this.kept[b], state + this.creep + b, rate, own, block, h, own,
            block, this.creepHalfway + b);
        }
      });
    }
  }

  // A step in place under the commands, which are means over it.
  step() {
    const { m, state, size, h, tau, springs, dampers, there, rate, first, second, after, energy, ways } = this;
    const [q, qd] = [state, state + size];
    this.copy(state, this.width, this.before);
    this.lookAhead();
    for (let j = 0; j < size; j += 3) first_stage(m, q + j, qd + j, h, springs + j);
    this.accelerations(q, qd, springs, qd, first);
    for (let j = 0; j < size; j += 3) {
      second_stage(m, q + j, qd + j, first + j, h, there + j, rate + j, springs + j, dampers + j);
    }
    this.accelerations(there, rate, springs, dampers, second);
    for (let j = 0; j < size; j += 3) {
      end_of_step(m, q + j, qd + j, first + j, second + j, h, after + j, after + size + j);
    }
    this.copy(state + this.supplied, 2, energy);
    for (let i = 0, j = 0; i < this.n; i++, j += 3) {
      section_work(m, this.sections[i], q + j, after + j, tau + j, energy, h, ways + j, energy);
    }
    if (this.remembers) this.remember();
    this.copy(after, 2 * size, state);
    this.copy(energy, 2, state + this.supplied);
  }

  // Pressures, hysteresis and creep after a step.
  remember() {
    const { m, state, energy } = this;
    this.allAlong(this.ways);
    this.muscles.forEach((muscles, i) => muscles.forEach((muscle, k) => {
      const [j, moved] = [this.firstMuscle[i] + k, this.ways + 3 * i];
      if (this.lagged[j]) this.copy(this.pressuresAfter + j, 1, state + this.pressures + j);
      const held = state + this.hysteresis + j;
      muscle_work(m, muscle, this.halfway + j, held, moved, this.allRates, energy, held, energy);
      for (let b = j; b < this.branches.length; b += this.muscleCount) {
        const creep = state + this.creep + b;
        branch_work(m, muscle, this.branches[b], this.kept[b], this.creepHalfway + b, creep, moved, energy, creep, energy);
      }
    }));
  }

  // Why the model does not hold for the state; then the state is again what it was before the step.
  refused() {
    const { m, state } = this;
    let reason = "";
    if (!m.subarray(state, state + this.width).every(Number.isFinite)) {
      reason = "the steps are too long for this motion";
    }
    for (let i = 0; !reason && i < this.n; i++) {
      margins(m, this.sections[i], state + 3 * i, this.bend, this.length);
      if (!(m[this.bend] > 0)) reason = `section ${i + 1} of ${this.n} bent beyond a full turn, where the model ends`;
      else if (!(m[this.length] > 0)) reason = `section ${i + 1} of ${this.n} was shortened to nothing`;
    }
    if (reason) this.copy(this.before, this.width, state);
    return reason;
  }

  // Kinetic, gravitational and elastic energy, supplied and dissipated work, J.
  energies() {
    const { m, n, state, sections, passages, energyOf, motion, pull, height } = this;
    const totals = new Float64Array(5);
    this.passOutward(state, this.zeros);
    this.fill(motion, 6);
    this.fill(height, 1);
    this.copy(this.gravity, 3, pull);
    for (let i = 0; i < n; i++) {
      kinetic(m, sections[i], passages[i], state + this.size + 3 * i, motion, energyOf, motion);
      totals[0] += m[energyOf];
      fall(m, sections[i], passages[i], pull, height, energyOf, pull, height);
      totals[1] += m[energyOf];
      spring(m, sections[i], state + 3 * i, this.force, energyOf);
      totals[2] += m[energyOf];
      for (const stop of this.stops[i]) {
        end_stop(m, stop, state + 3 * i, this.force, energyOf);
        totals[2] += m[energyOf];
      }
    }
    payload_body(m, this.mass, this.offset, this.zeros, this.carried);
    payload_kinetic(m, this.carried, motion, energyOf);
    totals[0] += m[energyOf];
    payload_fall(m, this.mass, this.offset, pull, height, energyOf);
    totals[1] += m[energyOf];
    totals.set(m.subarray(state + this.supplied, state + this.supplied + 2), 3);
    return totals;
  }

  // What is in the muscles, Pa, and by how much they are longer, m.
  inMuscles() {
    const { m, state, commands, value } = this;
    const found = { pressures: new Float64Array(this.muscleCount), lengths: new Float64Array(this.muscleCount) };
    this.muscles.forEach((muscles, i) => muscles.forEach((muscle, k) => {
      const j = this.firstMuscle[i] + k;
      found.pressures[j] = this.lagged[j] ? m[state + this.pressures + j] : m[commands + j];
      along(m, muscle, state + 3 * i, value);
      found.lengths[j] = m[value];
    }));
    return found;
  }

  // Where the discs are that the arm is drawn on, in the order of disc_frames, and where the tips are, m.
  discs() {
    const { m, n, state, frames, frame, spot } = this;
    const count = n * this.places.length + 2 * n + 1;
    const found = { places: new Float32Array(3 * count), turns: new Float32Array(4 * count), tips: new Float64Array(3 * n) };
    let disc = 0;
    const put = (at) => found.places.set(m.subarray(at, at + 3), 3 * disc++);
    const putFrame = (at) => {
      found.turns.set(this.turn(at), 4 * disc);
      put(at + 9);
    };
    this.place(state);
    for (let i = 0; i < n; i++) {
      for (const xi of this.places) {
        place(m, this.sections[i], state + 3 * i, xi, frames[i], frame);
        putFrame(frame);
      }
    }
    for (let i = 1; i <= n; i++) {
      found.tips.set(m.subarray(frames[i] + 9, frames[i] + 12), 3 * i - 3);
      putFrame(frames[i]);
    }
    for (let i = 0; i <= n; i++) { // not turned
      found.turns[4 * disc] = 1;
      if (i < n) place_centre(m, this.passages[i], frames[i], spot);
      else payload_place(m, frames[n], this.offset, spot);
      put(spot);
    }
    return found;
  }

  // The turn of a frame as a quaternion of any length: of the rows, all multiples of it, that with the largest diagonal.
  turn(at) {
    const { m, turns } = this;
    turn_rows(m, at, turns);
    let best = 0;
    for (let k = 1; k < 4; k++) if (m[turns + 5 * k] > m[turns + 5 * best]) best = k;
    return m.subarray(turns + 4 * best, turns + 4 * best + 4);
  }
}
