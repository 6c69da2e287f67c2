// Bodies as triangles. A vertex hangs on a disc: place (3), normal (3), disc, how far to the next, muscle, colour (3).

const FLOATS = 12;
const channels = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));

class Mesh {
  constructor() {
    this.vertices = [];
    this.faces = {};
  }

  // A sheet of rows of vertices; triangles between neighbours, around or not.
  sheet(part, rows) {
    const faces = (this.faces[part] ??= []);
    const first = this.vertices.length / FLOATS;
    const width = rows[0].length;
    for (const row of rows) for (const vertex of row) this.vertices.push(...vertex);
    for (let r = 0; r + 1 < rows.length; r++) {
      for (let c = 0; c < width; c++) {
        const [here, beside] = [first + r * width + c, first + r * width + ((c + 1) % width)];
        faces.push(here, beside, beside + width, here, beside + width, here + width);
      }
    }
  }

  tube(each, sides, pieces) {
    const rows = [];
    for (let disc = each.first; disc < each.last; disc++) {
      for (let piece = disc === each.first ? 0 : 1; piece <= pieces; piece++) rows.push([disc, piece / pieces]);
    }
    this.sheet(each.part, rows.map(([disc, part]) => around(sides).map(([x, y]) => [
      each.at[0] + each.radius * x, each.at[1] + each.radius * y, 0, x, y, 0, disc, part, each.muscle, ...shade(each),
    ])));
  }

  // A body of revolution about Z: a profile of radius, height and the normal there.
  turned(each, sides, profile) {
    this.sheet(each.part, profile.map(([r, z, nr, nz]) => around(sides).map(([x, y]) => [
      each.at[0] + r * x, each.at[1] + r * y, each.at[2] + z, nr * x, nr * y, nz, each.first, 0, -1, ...shade(each),
    ])));
  }
}

const shade = (each) => channels(each.colour).map((value) => value / 255);
const around = (sides) => Array.from({ length: sides }, (_, k) => (2 * Math.PI * k) / sides).map((a) => [Math.cos(a), Math.sin(a)]);

// A cylinder whose edges are rounded a little.
function rod(radius, length) {
  const bevel = 0.25 * Math.min(radius, length / 2);
  const edge = [0, 0.25, 0.5, 0.75, 1].map((part) => (part * Math.PI) / 2);
  const [rim, end] = [radius - bevel, length / 2 - bevel];
  const low = edge.map((a) => [rim + bevel * Math.sin(a), -end - bevel * Math.cos(a), Math.sin(a), -Math.cos(a)]);
  const high = low.map(([r, z, nr, nz]) => [r, -z, nr, -nz]).reverse();
  return [[0, -length / 2, 0, -1], ...low, ...high, [0, length / 2, 0, 1]];
}

function ball(radius, rings = 14) {
  return Array.from({ length: rings + 1 }, (_, k) => Math.PI * (k / rings - 0.5))
    .map((a) => [radius * Math.cos(a), radius * Math.sin(a), Math.cos(a), Math.sin(a)]);
}

// The puppet of an arm; one of many sections is drawn with fewer triangles.
function puppetMesh(arm) {
  const mesh = new Mesh();
  const fine = arm.sections <= 15 ? 2 : 1;
  for (const each of arm.parts) {
    if (each.kind === "tube") mesh.tube(each, (each.muscle < 0 ? 12 : 6) * fine, fine);
    else if (each.kind === "rod") mesh.turned(each, 20 * fine, rod(each.radius, each.length));
    else mesh.turned(each, 12 * fine, ball(each.radius));
  }
  return mesh;
}

// A tube along points in the world with a radius at each: vertices (place, normal) and triangles in their order.
function tubeAlong(points, radii, sides = 6) {
  const vertices = new Float32Array(6 * sides * points.length);
  const faces = new Uint32Array(6 * sides * Math.max(points.length - 1, 0));
  let across = null;
  let [v, f] = [0, 0];
  points.forEach((point, k) => {
    const along = unit(minus(points[Math.min(k + 1, points.length - 1)], points[Math.max(k - 1, 0)]));
    // As little turned from point to point as can be.
    const kept = across && minus(across, times(along, dot(across, along)));
    across = kept && long(kept) > 1e-6 ? unit(kept) : square(long(along) ? along : [0, 0, 1]);
    const third = cross(along, across);
    around(sides).forEach(([x, y], side) => {
      const normal = plus(times(across, x), third, y);
      vertices.set(plus(point, normal, radii[k]), v);
      vertices.set(normal, v + 3);
      v += 6;
      if (k === 0) return;
      const [here, beside] = [k * sides + side, k * sides + ((side + 1) % sides)];
      faces.set([here - sides, beside - sides, beside, here - sides, beside, here], f);
      f += 6;
    });
  });
  return { vertices, faces };
}
