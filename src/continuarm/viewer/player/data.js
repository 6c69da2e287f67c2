// What a page shows: a header of plain values, and the arrays it names, compressed.

const KINDS = {}; // what makes a page of each kind, of its header and its arrays

async function unpacked(text) {
  if (!text) return new ArrayBuffer(0);
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

// An array of the header: floats as they are, a series as numbers over time, row by row.
function arrayOf(entry, buffer) {
  const part = buffer.slice(entry.begin, entry.begin + entry.bytes);
  if (entry.kind === "float") return new Float32Array(part);
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

// A motion: its times and series, whose rows have `columns` numbers.
class Motion {
  constructor(entry, buffer) {
    this.arm = entry;
    this.time = arrayOf(entry.time, buffer);
    this.series = {};
    for (const [name, each] of Object.entries(entry.series)) {
      const values = arrayOf(each, buffer);
      this.series[name] = { values, columns: values.length / this.time.length };
    }
  }

  get end() {
    return this.time[this.time.length - 1];
  }

  // The rows before and after a time, and how far it is from the one to the other.
  at(time) {
    let [low, high] = [0, this.time.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.time[middle] <= time) low = middle;
      else high = middle;
    }
    if (this.time[high] <= time) return { row: high, next: high, part: 0 };
    const step = this.time[high] - this.time[low] || 1;
    return { row: low, next: high, part: Math.min(Math.max((time - this.time[low]) / step, 0), 1) };
  }

  // Numbers of a series there: straight lines between rows; what may jump, as pressures do, is that of the row before.
  values(name, { row, next, part }) {
    if (!this.series[name]) return null;
    const { values, columns } = this.series[name];
    const found = new Float32Array(columns);
    const share = ["pressures", "commands"].includes(name) ? 0 : part;
    for (let k = 0; k < columns; k++) {
      const here = values[row * columns + k];
      found[k] = here + share * (values[next * columns + k] - here);
    }
    return found;
  }

  // One column of a series over time.
  column(name, k) {
    const { values, columns } = this.series[name];
    return this.time.map((_, row) => values[row * columns + k]);
  }
}
