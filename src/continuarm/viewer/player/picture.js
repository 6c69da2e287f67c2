// The picture: puppets whose vertices hang on discs, their traces and shadows, the ground and gravity.

const SOLID = [
  `#version 300 es
  in vec3 place; in vec3 normal; in vec4 colour;
  uniform mat4 matrix;
  out vec3 n; out vec3 p; out vec3 c;
  void main() { n = normal; p = place; c = colour.rgb; gl_Position = matrix * vec4(place, 1.0); }`,
  `#version 300 es
  precision highp float;
  in vec3 n; in vec3 p; in vec3 c;
  uniform vec3 eye; uniform vec3 sun; uniform vec3 up; uniform float opacity;
  out vec4 shade;
  void main() {
    vec3 m = normalize(n), view = normalize(eye - p);
    if (dot(m, view) < 0.0) m = -m;
    float sky = 0.5 + 0.5 * dot(m, up), lit = max(dot(m, sun), 0.0), rim = max(dot(m, view), 0.0);
    float gloss = pow(max(dot(m, normalize(sun + view)), 0.0), 40.0);
    shade = vec4(c * (0.46 + 0.24 * sky + 0.36 * lit + 0.14 * rim) + 0.14 * gloss, 1.0) * opacity;
  }`,
];
const FLAT = [
  `#version 300 es
  in vec3 place;
  uniform mat4 matrix;
  out vec3 p;
  void main() { p = place; gl_Position = matrix * vec4(place, 1.0); }`,
  `#version 300 es
  precision highp float;
  in vec3 p;
  uniform vec4 tint; uniform vec3 centre; uniform vec3 east; uniform vec3 north; uniform float cell;
  out vec4 shade;
  float line(float x) { return 1.0 - min(abs(fract(x - 0.5) - 0.5) / fwidth(x), 1.0); }
  void main() {
    float alpha = tint.a;
    if (cell > 0.0) {  // lines of a grid, fading away from its centre
      vec3 away = (p - centre) / cell;
      vec2 at = vec2(dot(away, east), dot(away, north));
      float thin = max(line(at.x), line(at.y)), thick = max(line(at.x / 5.0), line(at.y / 5.0));
      alpha *= max(0.55 * thin, thick) * (1.0 - smoothstep(4.0, 24.0, length(away)));
    }
    shade = vec4(tint.rgb, 1.0) * alpha;
  }`,
];
const THEMES = {
  light: { grid: [0.62, 0.67, 0.74, 0.9], shadow: [0.1, 0.14, 0.22, 0.13] },
  dark: { grid: [0.5, 0.55, 0.63, 0.55], shadow: [0, 0, 0, 0.4] },
};
const MOST_POINTS = 1500;

const channels = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));

function pressureColour(pressure) {
  const anchors = header.pressure.colours;
  const part = Math.min(Math.max(pressure / header.pressure.highest, 0), 1) * (anchors.length - 1);
  const low = Math.min(Math.floor(part), anchors.length - 2);
  const [from, to] = [channels(anchors[low]), channels(anchors[low + 1])];
  return from.map((each, k) => Math.round(each + (part - low) * (to[k] - each)));
}

// A tube along points with a radius at each: vertices (place, normal) and triangles in the order of the points.
function tubeAlong(points, radii, up, sides = 5) {
  const vertices = [];
  const faces = [];
  points.forEach((point, k) => {
    const along = unit(minus(points[Math.min(k + 1, points.length - 1)], points[Math.max(k - 1, 0)]));
    const other = Math.abs(dot(along, up)) < 0.9 ? up : cross(up, Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0]);
    const across = unit(cross(along, other));
    const third = cross(along, across);
    for (let side = 0; side < sides; side++) {
      const angle = (2 * Math.PI * side) / sides;
      const normal = plus(across.map((each) => each * Math.cos(angle)), third, Math.sin(angle));
      vertices.push(...plus(point, normal, radii[k]), ...normal);
      if (k === 0) continue;
      const [here, beside] = [k * sides + side, k * sides + ((side + 1) % sides)];
      faces.push(here - sides, beside - sides, beside, here - sides, beside, here);
    }
  });
  return { vertices: new Float32Array(vertices), faces: new Uint32Array(faces) };
}

class Picture {
  constructor(canvas, motions, camera) {
    const gl = canvas.getContext("webgl2", { antialias: true, stencil: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("This page needs WebGL 2, which this browser does not offer.");
    Object.assign(this, { canvas, gl, motions, camera, up: unit(header.camera.up) });
    this.solid = this.program(SOLID, ["matrix", "eye", "sun", "up", "opacity"]);
    this.flat = this.program(FLAT, ["matrix", "tint", "centre", "east", "north", "cell"]);
    this.sun = unit(plus(plus(this.up, camera.east, 0.35), camera.north, -0.25));
    this.puppets = motions.map((motion) => this.puppet(motion));
    this.traces = motions.map((motion) => this.traceOf(motion));
    this.arrow = this.gravityArrow();
    this.ground = this.grid();
  }

  program([vertex, fragment], names) {
    const gl = this.gl;
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    ["place", "normal", "colour"].forEach((name, k) => gl.bindAttribLocation(program, k, name));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    return { program, ...Object.fromEntries(names.map((name) => [name, gl.getUniformLocation(program, name)])) };
  }

  // Vertices of place and normal, with colours of their own or one for all, and lists of triangles.
  mesh(vertices, lists, colours) {
    const gl = this.gl;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, vertices, gl.DYNAMIC_DRAW);
    for (const k of [0, 1]) {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 24, 12 * k);
    }
    const paint = colours && gl.createBuffer();
    if (paint) {
      gl.bindBuffer(gl.ARRAY_BUFFER, paint);
      gl.bufferData(gl.ARRAY_BUFFER, colours, gl.DYNAMIC_DRAW);
      gl.enableVertexAttribArray(2);
      gl.vertexAttribPointer(2, 4, gl.UNSIGNED_BYTE, true, 0, 0);
    }
    const parts = {};
    for (const [name, faces] of Object.entries(lists)) {
      parts[name] = { buffer: gl.createBuffer(), count: faces.length };
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, parts[name].buffer);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(faces), gl.STATIC_DRAW);
    }
    gl.bindVertexArray(null);
    return { array, buffer, paint, parts, vertices, colours };
  }

  puppet(motion) {
    const count = motion.rig.disc.length;
    const colours = new Uint8Array(4 * count).fill(255);
    for (let k = 0; k < count; k++) for (let c = 0; c < 3; c++) colours[4 * k + c] = motion.rig.colour[3 * k + c];
    return this.mesh(new Float32Array(6 * count), motion.rig.parts, colours);
  }

  // Moves a puppet to where its discs are: every vertex is p + R x.
  pose(motion, mesh, at) {
    const poses = valuesAt(motion.poses, 7 * motion.discs, at);
    const { disc, place, normal, muscle } = motion.rig;
    const out = mesh.vertices;
    for (let d = 0; d < motion.discs; d++) {
      const size = Math.hypot(poses[7 * d + 3], poses[7 * d + 4], poses[7 * d + 5], poses[7 * d + 6]);
      for (let k = 3; k < 7; k++) poses[7 * d + k] /= size;
    }
    for (let v = 0; v < disc.length; v++) {
      const d = 7 * disc[v];
      const [w, x, y, z] = [poses[d + 3], poses[d + 4], poses[d + 5], poses[d + 6]];
      for (let k = 0; k < 2; k++) {
        const from = k ? normal : place;
        const [a, b, c] = [from[3 * v], from[3 * v + 1], from[3 * v + 2]];
        const [e, f, g] = [2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)];
        const to = 6 * v + 3 * k;
        out[to] = a + w * e + y * g - z * f + (k ? 0 : poses[d]);
        out[to + 1] = b + w * f + z * e - x * g + (k ? 0 : poses[d + 1]);
        out[to + 2] = c + w * g + x * f - y * e + (k ? 0 : poses[d + 2]);
      }
    }
    const shades = [];
    for (let m = 0; m < motion.muscles; m++) shades.push(pressureColour(motion.pressures[at.row * motion.muscles + m]));
    for (let v = 0; v < disc.length; v++) {
      if (muscle[v] >= 0) for (let c = 0; c < 3; c++) mesh.colours[4 * v + c] = shades[muscle[v]][c];
    }
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.buffer);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, out);
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.paint);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, mesh.colours);
  }

  traceOf(motion) {
    const every = Math.max(Math.ceil(motion.time.length / MOST_POINTS), 1);
    const radius = 0.0022 * header.size;
    const paths = [];
    for (let tip = 0; tip < motion.sections; tip++) {
      const points = [];
      for (let row = 0; row < motion.time.length; row += every) {
        const k = 3 * (row * motion.sections + tip);
        points.push([motion.tips[k], motion.tips[k + 1], motion.tips[k + 2]]);
      }
      const { vertices, faces } = tubeAlong(points, points.map(() => radius), this.up);
      paths.push({ mesh: this.mesh(vertices, { path: faces }), colour: channels(motion.colours[tip]), perPoint: 30 });
    }
    return { every, paths };
  }

  gravityArrow() {
    if (!long(header.gravity.along)) return [];
    const along = unit(header.gravity.along);
    const length = 0.16 * header.size;
    const begin = header.gravity.from;
    const neck = plus(begin, along, 0.7 * length);
    const [thin, thick] = [0.04 * length, 0.12 * length];
    return [
      tubeAlong([begin, neck], [thin, thin], this.up, 14),
      tubeAlong([neck, plus(begin, along, length)], [thick, 0], this.up, 14),
    ].map(({ vertices, faces }) => this.mesh(vertices, { arrow: faces }));
  }

  grid() {
    const cell = 10 ** Math.floor(Math.log10(header.size / 2));
    const level = dot(this.camera.target, this.up);
    const centre = plus(this.camera.target, this.up, header.floor - level);
    const corner = (x, y) => plus(plus(centre, this.camera.east, x * cell), this.camera.north, y * cell);
    const square = [[-25, -25], [25, -25], [-25, 25], [25, 25]].flatMap(([x, y]) => [...corner(x, y), 0, 0, 0]);
    return { mesh: this.mesh(new Float32Array(square), { ground: [0, 1, 2, 1, 3, 2] }), centre, cell };
  }

  // The matrix that presses everything onto the ground along the light, before it goes to the screen.
  pressed(matrix) {
    const steep = dot(this.up, this.sun);
    const press = new Float32Array(16);
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++) press[4 * c + r] = (r === c ? 1 : 0) - (this.sun[r] * this.up[c]) / steep;
      press[12 + r] = (this.sun[r] * header.floor) / steep;
    }
    press[15] = 1;
    const out = new Float32Array(16);
    for (let c = 0; c < 4; c++) for (let r = 0; r < 4; r++) {
      for (let k = 0; k < 4; k++) out[4 * c + r] += matrix[4 * k + r] * press[4 * c + k];
    }
    return out;
  }

  draw(time, shown, theme) {
    const gl = this.gl;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight].map((each) => Math.max(each * ratio, 1) | 0);
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.stencilMask(255);
    gl.depthMask(true);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const matrix = this.camera.matrix(width / height);
    const rows = this.motions.map((motion) => between(motion.time, time));
    this.motions.forEach((motion, k) => this.pose(motion, this.puppets[k], rows[k]));
    const above = dot(this.camera.position, this.up) > header.floor;
    if (shown.ground && above) this.drawGround(matrix, shown, THEMES[theme]);

    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.useProgram(this.solid.program);
    gl.uniformMatrix4fv(this.solid.matrix, false, matrix);
    gl.uniform3fv(this.solid.eye, this.camera.position);
    gl.uniform3fv(this.solid.sun, this.sun);
    gl.uniform3fv(this.solid.up, this.up);
    gl.uniform1f(this.solid.opacity, 1);
    gl.vertexAttrib4f(2, 0.43, 0.46, 0.52, 1);
    for (const mesh of this.arrow) this.drawPart(mesh, "arrow");
    this.motions.forEach((motion, k) => {
      if (!motion.ghost) this.drawPuppet(this.puppets[k], shown);
      if (shown.traces) this.drawTraces(this.traces[k], rows[k].row);
    });
    this.motions.forEach((motion, k) => {
      if (!motion.ghost) return;
      gl.colorMask(false, false, false, false); // only its nearest surface is to shine through
      this.drawPuppet(this.puppets[k], shown);
      gl.colorMask(true, true, true, true);
      gl.uniform1f(this.solid.opacity, 0.45);
      this.drawPuppet(this.puppets[k], shown);
      gl.uniform1f(this.solid.opacity, 1);
    });
    gl.disable(gl.DEPTH_TEST);
  }

  drawGround(matrix, shown, colours) {
    const gl = this.gl;
    gl.useProgram(this.flat.program);
    gl.uniform3fv(this.flat.centre, this.ground.centre);
    gl.uniform3fv(this.flat.east, this.camera.east);
    gl.uniform3fv(this.flat.north, this.camera.north);
    gl.uniform1f(this.flat.cell, this.ground.cell);
    gl.uniform4fv(this.flat.tint, colours.grid);
    gl.uniformMatrix4fv(this.flat.matrix, false, matrix);
    this.drawPart(this.ground.mesh, "ground");
    gl.uniform1f(this.flat.cell, 0);
    gl.uniform4fv(this.flat.tint, colours.shadow);
    gl.uniformMatrix4fv(this.flat.matrix, false, this.pressed(matrix));
    gl.enable(gl.STENCIL_TEST); // a place is in the shade once, however many things shade it
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    this.motions.forEach((motion, k) => {
      if (!motion.ghost) this.drawPuppet(this.puppets[k], shown);
    });
    gl.disable(gl.STENCIL_TEST);
  }

  drawPuppet(mesh, shown) {
    for (const part of Object.keys(mesh.parts)) if (shown[part]) this.drawPart(mesh, part);
  }

  drawPart(mesh, part, count = mesh.parts[part].count) {
    const gl = this.gl;
    gl.bindVertexArray(mesh.array);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.parts[part].buffer);
    gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0);
  }

  drawTraces({ every, paths }, row) {
    for (const { mesh, colour, perPoint } of paths) {
      this.gl.vertexAttrib4f(2, ...colour.map((each) => 0.2 + (0.8 * each) / 255), 1);
      this.drawPart(mesh, "path", Math.floor(row / every) * perPoint);
    }
  }
}
