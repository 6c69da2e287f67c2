// The picture: puppets that hang on discs, their traces and shadows, arrows, the ground.

const THEMES = {
  light: { paper: [1, 1, 1], grid: [0.62, 0.67, 0.74, 0.9], shadow: [0.1, 0.14, 0.22, 0.2], ink: [0.15, 0.17, 0.22] },
  dark: { paper: [0.082, 0.094, 0.114], grid: [0.5, 0.55, 0.63, 0.5], shadow: [0, 0, 0, 0.5], ink: [0.86, 0.88, 0.92] },
};
const MOST_POINTS = 1500;
const SUNS = 12; // shadows of a wide light: as many sharp ones, side by side; one, where drawing is slow
const SLOW = 0.06; // seconds between two pictures
const GHOST = 0.14; // opacity of a ghost where one looks square at it

class Picture {
  constructor(canvas, header, camera) {
    const gl = canvas.getContext("webgl2", { antialias: true, stencil: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("This page needs WebGL 2, which this browser does not offer.");
    Object.assign(this, { canvas, gl, header, camera, up: unit(header.view.up), size: header.view.size });
    this.puppet = this.program(PUPPET, LIT);
    this.puppetShade = this.program(PUPPET, FLAT);
    this.still = this.program(STILL, LIT);
    this.floor = this.program(STILL, FLAT);
    this.sun = unit(plus(plus(this.up, camera.east, 0.35), camera.north, -0.25));
    this.arms = header.motions.map((arm) => this.arm(arm));
    this.traces = [];
    this.references = [];
    this.ground = this.grid();
    this.passing = this.stillMesh();
    this.suns = SUNS;
    this.slow = 0;
  }

  // Told how long the last pictures took: a machine without a graphics card gets plainer ones.
  pace(seconds) {
    this.slow = seconds > SLOW ? this.slow + 1 : Math.max(this.slow - 1, 0);
    if (this.slow > 8) this.suns = 1;
  }

  program(vertex, fragment) {
    const gl = this.gl;
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const found = { program };
    for (let k = 0; k < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); k++) {
      const { name } = gl.getActiveUniform(program, k);
      found[name] = gl.getUniformLocation(program, name);
    }
    return found;
  }

  texture(count, format) {
    const gl = this.gl;
    const made = { texture: gl.createTexture(), height: Math.ceil(count / 1024) || 1, format };
    made.values = format === gl.FLOAT ? new Float32Array(4096 * made.height) : new Uint8Array(4096 * made.height);
    gl.bindTexture(gl.TEXTURE_2D, made.texture);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) {
      gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
    }
    gl.texStorage2D(gl.TEXTURE_2D, 1, format === gl.FLOAT ? gl.RGBA32F : gl.RGBA8, 1024, made.height);
    return made;
  }

  fill(unit, { texture, values, height, format }) {
    const gl = this.gl;
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 1024, height, gl.RGBA, format, values);
  }

  // An arm as it is drawn: its mesh, and textures of where its discs are and which colours its muscles have.
  arm(arm) {
    const gl = this.gl;
    const { vertices, faces } = puppetMesh(arm);
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(vertices), gl.STATIC_DRAW);
    for (let k = 0; k < 4; k++) {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 4 * FLOATS, 12 * k);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(Object.values(faces).flat()), gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    const parts = {};
    let begin = 0;
    for (const [part, list] of Object.entries(faces)) {
      parts[part] = { begin, count: list.length };
      begin += list.length;
    }
    const poses = this.texture(2 * arm.discs, gl.FLOAT);
    return { arm, array, parts, poses, shades: this.texture(arm.muscles.length, gl.UNSIGNED_BYTE) };
  }

  replaceArm(k, arm) {
    this.gl.deleteVertexArray(this.arms[k].array);
    this.arms[k] = this.arm(arm);
  }

  pose({ poses, shades, arm }, state) {
    for (let d = 0; d < arm.discs; d++) {
      const turn = state.turns.subarray(4 * d, 4 * d + 4);
      const size = Math.hypot(...turn) || 1;
      poses.values.set([state.places[3 * d], state.places[3 * d + 1], state.places[3 * d + 2], 0], 8 * d);
      poses.values.set([turn[1] / size, turn[2] / size, turn[3] / size, turn[0] / size], 8 * d + 4);
    }
    arm.muscles.forEach((_, m) => shades.values.set([...this.pressureColour(state.pressures?.[m] ?? 0), 255], 4 * m));
    this.fill(0, poses);
    this.fill(1, shades);
  }

  pressureColour(pressure) {
    const { colours, highest } = this.header.pressure;
    const part = highest ? Math.min(Math.max(pressure / highest, 0), 1) * (colours.length - 1) : 0;
    const low = Math.min(Math.floor(part), colours.length - 2);
    const [from, to] = [channels(colours[low]), channels(colours[low + 1])];
    return from.map((each, k) => Math.round(each + (part - low) * (to[k] - each)));
  }

  // Vertices of place and normal, filled later or at once.
  stillMesh(vertices, faces) {
    const gl = this.gl;
    const mesh = { array: gl.createVertexArray(), buffer: gl.createBuffer(), elements: gl.createBuffer(), count: 0 };
    gl.bindVertexArray(mesh.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.buffer);
    for (const k of [0, 1]) {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 24, 12 * k);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.elements);
    gl.bindVertexArray(null);
    if (vertices) this.refill(mesh, vertices, faces);
    return mesh;
  }

  refill(mesh, vertices, faces) {
    const gl = this.gl;
    gl.bindVertexArray(mesh.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, vertices, gl.DYNAMIC_DRAW);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, faces, gl.DYNAMIC_DRAW);
    mesh.count = faces.length;
  }

  // Where the tips go in a whole motion: paths that are drawn as far as it has come.
  traceMotion(motion) {
    const every = Math.max(Math.ceil(motion.time.length / MOST_POINTS), 1);
    const { values } = motion.series.tips;
    const { sections, ghost, colours } = motion.arm;
    const paths = colours.map((colour, tip) => {
      const points = [];
      for (let row = 0; row < motion.time.length; row += every) {
        const k = 3 * (row * sections + tip);
        points.push([values[k], values[k + 1], values[k + 2]]);
      }
      return this.trace(points, colour, ghost);
    });
    this.traces.push({ every, paths });
    if (motion.series.reference) this.traceReference(motion.series.reference.values, every);
  }

  // Where the tip of a closed loop is to go in a whole motion.
  traceReference(values, every) {
    const points = [];
    for (let k = 0; k < values.length; k += 3 * every) points.push([values[k], values[k + 1], values[k + 2]]);
    this.references.push(this.trace(points, "#000000", true).mesh);
  }

  trace(points, colour, ghost = false) {
    const radius = (ghost ? 0.0016 : 0.0022) * this.size; // of two that are the same the wider one is seen
    const { vertices, faces } = tubeAlong(points, points.map(() => radius));
    const pale = channels(colour).map((each) => 0.15 + (0.85 * each) / 255);
    return { mesh: this.stillMesh(vertices, faces), colour: pale };
  }

  // Where the tips of a live arm were of late.
  trail(tips, colours) {
    this.traces[0] ??= { every: 1, paths: colours.map((colour) => this.trace([], colour)) };
    const radius = 0.0022 * this.size;
    this.traces[0].paths.forEach(({ mesh }, tip) => {
      const points = tips.map((row) => [row[3 * tip], row[3 * tip + 1], row[3 * tip + 2]]);
      const { vertices, faces } = tubeAlong(points, points.map((_, k) => (radius * (k + 1)) / points.length));
      this.refill(mesh, vertices, faces);
    });
  }

  grid() {
    const cell = 10 ** Math.floor(Math.log10(this.size / 2));
    const middle = this.header.view.corners.reduce((sum, each) => plus(sum, each, 1 / this.header.view.corners.length), [0, 0, 0]);
    const centre = plus(middle, this.up, this.header.view.floor - dot(middle, this.up));
    const corner = (x, y) => plus(plus(centre, this.camera.east, x * cell), this.camera.north, y * cell);
    const corners = [[-25, -25], [25, -25], [-25, 25], [25, 25]].flatMap(([x, y]) => [...corner(x, y), ...this.up]);
    const mesh = this.stillMesh(new Float32Array(corners), new Uint32Array([0, 1, 2, 1, 3, 2]));
    // Lines go through the base.
    const base = plus(centre, this.camera.east, -dot(centre, this.camera.east));
    return { mesh, cell, centre, lines: plus(base, this.camera.north, -dot(centre, this.camera.north)) };
  }

  // The matrix that presses everything onto the ground along a light, before it goes to the screen.
  pressed(matrix, sun) {
    const steep = dot(this.up, sun);
    const press = new Float32Array(16);
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++) press[4 * c + r] = (r === c ? 1 : 0) - (sun[r] * this.up[c]) / steep;
      press[12 + r] = (sun[r] * this.header.view.floor) / steep;
    }
    press[15] = 1;
    const out = new Float32Array(16);
    for (let c = 0; c < 4; c++) for (let r = 0; r < 4; r++) {
      for (let k = 0; k < 4; k++) out[4 * c + r] += matrix[4 * k + r] * press[4 * c + k];
    }
    return out;
  }

  // states: of every arm, where its discs are, its pressures and the wrench on its tip; rows: how far traces go.
  draw(states, rows, shown, theme) {
    const gl = this.gl;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight].map((each) => Math.max(each * ratio, 1) | 0);
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
    this.camera.resize(width / height);
    gl.viewport(0, 0, width, height);
    gl.clearColor(...THEMES[theme].paper, 1);
    gl.depthMask(true);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const matrix = this.camera.matrix();
    const above = dot(this.camera.position, this.up) > this.header.view.floor;
    if (shown.ground && above) this.drawGround(states, matrix, shown, THEMES[theme]);

    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    for (const program of [this.still, this.puppet]) {
      gl.useProgram(program.program);
      gl.uniformMatrix4fv(program.matrix, false, matrix);
      gl.uniform3fv(program.eye, this.camera.position);
      gl.uniform3fv(program.sun, this.sun);
      gl.uniform3fv(program.up, this.up);
      gl.uniform1f(program.opacity, 1);
    }
    this.arms.forEach((each, k) => {
      if (!each.arm.ghost) this.drawArm(this.puppet, each, states[k], shown);
    });
    gl.useProgram(this.still.program);
    if (shown.traces) this.traces.forEach((trace, k) => this.drawTrace(trace, rows[k]));
    if (shown.reference) this.drawReferences(states, THEMES[theme].ink);
    states.forEach((state, k) => this.drawWrench(state, this.arms[k].arm, THEMES[theme].ink));
    this.arms.forEach((each, k) => {
      if (each.arm.ghost) this.drawGhost(each, states[k], shown);
    });
    gl.disable(gl.DEPTH_TEST);
  }

  // Only its nearest surface shines through: first where that is, then its colour.
  drawGhost(each, state, shown) {
    const gl = this.gl;
    gl.useProgram(this.puppet.program);
    gl.colorMask(false, false, false, false);
    this.drawArm(this.puppet, each, state, shown);
    gl.colorMask(true, true, true, true);
    gl.uniform1f(this.puppet.opacity, GHOST);
    this.drawParts(each, shown);
    gl.uniform1f(this.puppet.opacity, 1);
  }

  drawGround(states, matrix, shown, colours) {
    const gl = this.gl;
    gl.useProgram(this.floor.program);
    gl.uniform3fv(this.floor.centre, this.ground.lines);
    gl.uniform3fv(this.floor.east, this.camera.east);
    gl.uniform3fv(this.floor.north, this.camera.north);
    gl.uniform1f(this.floor.cell, this.ground.cell);
    gl.uniform4fv(this.floor.paint, colours.grid);
    gl.uniformMatrix4fv(this.floor.matrix, false, matrix);
    this.drawStill(this.ground.mesh);
    gl.useProgram(this.puppetShade.program);
    gl.uniform1f(this.puppetShade.cell, 0);
    const [red, green, blue, alpha] = colours.shadow;
    gl.uniform4f(this.puppetShade.paint, red, green, blue, 1 - (1 - alpha) ** (1 / this.suns));
    gl.enable(gl.STENCIL_TEST); // a place is in the shade of a light once, however many things shade it
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.REPLACE);
    this.arms.forEach((each, k) => {
      if (each.arm.ghost) return;
      this.bind(this.puppetShade, each, states[k]);
      for (let s = 0; s < this.suns; s++) { // spread over a small disc, as the seeds of a sunflower are
        const [wide, turn] = [0.028 * Math.sqrt(s / this.suns), 2.4 * s];
        const aside = plus(this.sun, this.camera.east, wide * Math.cos(turn));
        gl.stencilFunc(gl.NOTEQUAL, s + 1, 255);
        gl.uniformMatrix4fv(this.puppetShade.matrix, false, this.pressed(matrix, plus(aside, this.camera.north, wide * Math.sin(turn))));
        this.drawParts(each, shown);
      }
    });
    gl.disable(gl.STENCIL_TEST);
  }

  bind(program, each, state) {
    this.pose(each, state);
    this.gl.uniform1i(program.poses, 0);
    this.gl.uniform1i(program.shades, 1);
  }

  drawArm(program, each, state, shown) {
    this.bind(program, each, state);
    this.drawParts(each, shown);
  }

  drawParts({ array, parts }, shown) {
    const gl = this.gl;
    gl.bindVertexArray(array);
    for (const [part, { begin, count }] of Object.entries(parts)) {
      if (shown[part]) gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 4 * begin);
    }
  }

  drawStill(mesh, count = mesh.count) {
    const gl = this.gl;
    gl.bindVertexArray(mesh.array);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.elements);
    gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0);
  }

  drawTrace({ every, paths }, row) {
    for (const { mesh, colour } of paths) {
      this.gl.uniform3fv(this.still.tint, colour);
      this.drawStill(mesh, row === undefined ? mesh.count : Math.floor(row / every) * 36);
    }
  }

  // The paths that tips are to follow, and where on them they are to be now: in the ink of the page.
  drawReferences(states, ink) {
    this.gl.uniform3fv(this.still.tint, ink);
    for (const mesh of this.references) this.drawStill(mesh);
    for (const { reference } of states) {
      if (!reference) continue;
      const radius = 0.009 * this.size;
      const rings = ball(radius);
      const { vertices, faces } = tubeAlong(rings.map(([, height]) => plus([...reference], this.up, height)), rings.map(([wide]) => wide), 16);
      this.refill(this.passing, vertices, faces);
      this.drawStill(this.passing);
    }
  }

  // Force on the tip as an arrow, moment as one with two heads; the longest of a motion is a quarter of the picture.
  drawWrench(state, arm, ink) {
    if (!state.wrench) return;
    const tip = [...state.places.subarray(3 * arm.tip, 3 * arm.tip + 3)];
    this.gl.uniform3fv(this.still.tint, ink);
    [[state.wrench.subarray(3, 6), state.largest.force, 1], [state.wrench.subarray(0, 3), state.largest.moment, 2]]
      .forEach(([vector, largest, heads]) => {
        const length = largest ? (0.25 * this.size * long(vector)) / largest : 0;
        if (length > 0.01 * this.size) this.drawArrow(tip, unit(vector), length, heads);
      });
  }

  drawArrow(from, along, length, heads) {
    const [thin, thick, head] = [0.006, 0.018, 0.05].map((each) => each * this.size);
    const points = [from, plus(from, along, length - heads * head)];
    const radii = [thin, thin];
    for (let k = heads; k > 0; k--) {
      points.push(plus(from, along, length - k * head), plus(from, along, length - (k - 1) * head));
      radii.push(thick, k > 1 ? thin : 0);
    }
    const { vertices, faces } = tubeAlong(points, radii, 20);
    this.refill(this.passing, vertices, faces);
    this.drawStill(this.passing);
  }
}
