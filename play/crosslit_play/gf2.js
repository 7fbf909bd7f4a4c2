// Lights Out over GF(2). Cells are bits of a Uint32Array: cell (r, c) is bit r * columns + c.

const MAX_QUIET = 16; // dimensions of a kernel that is searched through for the fewest presses

const zeros = (count) => new Uint32Array((count + 31) >>> 5);
const bit = (bits, at) => (bits[at >>> 5] >>> (at & 31)) & 1;
const flip = (bits, at) => {
  bits[at >>> 5] ^= 1 << (at & 31);
};
const add = (bits, others) => {
  for (let i = 0; i < others.length; i++) bits[i] ^= others[i];
};

function bitsOf(text) {
  const cells = text.replaceAll("/", "");
  const bits = zeros(cells.length);
  for (let at = 0; at < cells.length; at++) if (cells[at] === "1") flip(bits, at);
  return bits;
}

// The opposite of bitsOf: rows of 0 and 1.
const textOf = (bits, rows, columns) =>
  Array.from({ length: rows }, (_, r) =>
    Array.from({ length: columns }, (__, c) => bit(bits, r * columns + c)).join(""),
  ).join("/");

function weight(bits) {
  let total = 0;
  for (let value of bits) {
    value -= (value >>> 1) & 0x55555555;
    value = (value & 0x33333333) + ((value >>> 2) & 0x33333333);
    total += Math.imul((value + (value >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return total;
}

function odd(bits, others) {
  let parity = 0;
  for (let i = 0; i < bits.length; i++) parity ^= bits[i] & others[i];
  return weight([parity >>> 0]) % 2 === 1;
}

// The lights that a press toggles; where it meets one twice around a joined edge, that stays. With `sign` -1, the other
// way round: the presses that toggle a light.
function toggled(rules, cell, sign = 1) {
  const { rows, columns, pattern, joined, missing } = rules;
  if (missing && bit(missing, cell)) return [];
  const row = Math.floor(cell / columns),
    column = cell % columns,
    found = new Set();
  for (const [down, right] of pattern) {
    let r = row + sign * down,
      c = column + sign * right;
    if (joined.rows) r = ((r % rows) + rows) % rows;
    if (joined.columns) c = ((c % columns) + columns) % columns;
    if (r < 0 || r >= rows || c < 0 || c >= columns) continue;
    const at = r * columns + c;
    if (missing && bit(missing, at)) continue;
    if (!found.delete(at)) found.add(at);
  }
  return [...found];
}

// Presses that put the lights out, or null, and a basis of the kernel; by elimination, one equation a light.
function eliminate(rules, lit, sign = 1) {
  const count = rules.rows * rules.columns,
    pivots = [];
  let consistent = true;
  for (let light = 0; light < count; light++) {
    const row = zeros(count + 1);
    for (const press of toggled(rules, light, -sign)) flip(row, press);
    if (bit(lit, light)) flip(row, count);
    for (const pivot of pivots) if (bit(row, pivot.press)) add(row, pivot.row);
    let press = 0;
    while (press < count && !bit(row, press)) press++;
    if (press === count) {
      if (bit(row, count)) consistent = false;
      continue;
    }
    for (const pivot of pivots) if (bit(pivot.row, press)) add(pivot.row, row);
    pivots.push({ press, row });
  }
  const settled = new Set(pivots.map((pivot) => pivot.press));
  const solution = zeros(count),
    kernel = [];
  for (const pivot of pivots) if (bit(pivot.row, count)) flip(solution, pivot.press);
  for (let free = 0; free < count; free++) {
    if (settled.has(free) || (rules.missing && bit(rules.missing, free))) continue;
    const quiet = zeros(count);
    flip(quiet, free);
    for (const pivot of pivots) if (bit(pivot.row, free)) flip(quiet, pivot.press);
    kernel.push(quiet);
  }
  return { solution: consistent ? solution : null, kernel };
}

// Of a vector plus all of a space, the one with the fewest bits: in Gray-code order, one addition each.
function lightest(bits, kernel) {
  const now = bits.slice();
  let best = bits.slice(),
    least = weight(bits);
  for (let step = 1; step < 2 ** kernel.length; step++) {
    add(now, kernel[31 - Math.clz32(step & -step)]);
    const size = weight(now);
    if (size < least) [best, least] = [now.slice(), size];
  }
  return best;
}

// Lights of which every press toggles an even number, and an odd number are lit: why there is no solution.
function contradiction(rules, lit) {
  const { kernel } = eliminate(rules, zeros(rules.rows * rules.columns), -1);
  const first = kernel.find((lights) => odd(lights, lit));
  if (!first) return null;
  const even = kernel
    .filter((lights) => lights !== first)
    .map((lights) => {
      const made = lights.slice();
      if (odd(made, lit)) add(made, first);
      return made;
    });
  return even.length <= MAX_QUIET ? lightest(first, even) : first;
}
