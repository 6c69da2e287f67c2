// What the page was made with: a header of JSON, and the arrays it names, compressed.

const header = JSON.parse(document.getElementById("header").textContent);

async function unpacked() {
  const text = document.getElementById("data").textContent.trim();
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

// An array of the header: floats and whole numbers as they are, a series as numbers over time, row by row.
function arrayOf(entry, buffer) {
  const part = buffer.slice(entry.begin, entry.begin + entry.bytes);
  if (entry.kind === "float") return new Float32Array(part);
  if (entry.kind === "whole") return new Int32Array(part);
  const rows = entry.shape[0];
  const planes = new Uint8Array(part);
  const count = planes.length / 2;
  const columns = count / rows;
  const values = new Float32Array(count);
  for (let column = 0; column < columns; column++) {
    let level = 0;
    for (let row = 0; row < rows; row++) {
      const k = column * rows + row;
      level = (level + 256 * planes[k] + planes[count + k]) & 0xffff;
      values[row * columns + column] = entry.low + entry.step * level;
    }
  }
  return values;
}

function readMotion(entry, buffer) {
  const read = (each) => arrayOf(each, buffer);
  const all = (entries) => Object.fromEntries(Object.entries(entries).map(([name, each]) => [name, read(each)]));
  return {
    ...entry,
    time: read(entry.time),
    poses: read(entry.poses),
    discs: entry.poses.shape[1],
    tips: read(entry.tips),
    pressures: read(entry.pressures),
    muscles: entry.pressures.shape[1],
    energies: all(entry.energies),
    rig: {
      disc: read(entry.rig.disc),
      place: read(entry.rig.place),
      normal: read(entry.rig.normal),
      colour: read(entry.rig.colour),
      muscle: read(entry.rig.muscle),
      parts: all(entry.rig.parts),
    },
  };
}

// The rows before and after a time, and how far it is from the one to the other.
function between(times, time) {
  let low = 0;
  let high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  if (times[high] <= time) return { row: high, next: high, part: 0 };
  const part = Math.min(Math.max((time - times[low]) / (times[high] - times[low] || 1), 0), 1);
  return { row: low, next: high, part };
}

// Numbers of a series at a time: straight lines between rows.
function valuesAt(values, columns, at) {
  const found = new Float32Array(columns);
  for (let k = 0; k < columns; k++) {
    const here = values[at.row * columns + k];
    found[k] = here + at.part * (values[at.next * columns + k] - here);
  }
  return found;
}
