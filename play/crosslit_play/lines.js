// Nonograms: what a line's clue settles, and a search for solutions that stops in time. Cells are "?", "0" if empty, or
// the number of their colour as a digit or letter: "1" where there is one colour. A block is a length, or with several
// colours a pair of a length and the number of a colour. A mask has a bit for each value that a cell can have.

const UNKNOWN = "?",
  FILLED = "1",
  EMPTY = "0",
  VALUES = "0123456789abcdefghijklmnopqrstuv",
  LETTERS = "abcdefghijklmnopqrstuvwxyzABCDE"; // of the colours, in clues

const isFilled = (cell) => cell !== EMPTY && cell !== UNKNOWN;
const lengthOf = (block) => block[0] ?? block;
const colourOf = (block) => block[1] ?? 1;
const coloursOf = ({ palette }) => (palette ? palette.length - 1 : 1);

// Pairs of a length and a colour.
function runsOf(cells) {
  const runs = [];
  cells.forEach((cell, at) => {
    if (!isFilled(cell)) return;
    if (cell === cells[at - 1]) runs.at(-1)[0]++;
    else runs.push([1, VALUES.indexOf(cell)]);
  });
  return runs;
}

const blocksOf = (cells) => runsOf(cells).map(lengthOf); // of one colour
const sameClue = (one, other) =>
  one.length === other.length &&
  one.every((block, at) => lengthOf(block) === lengthOf(other[at]) && colourOf(block) === colourOf(other[at]));
const blockText = (block) => (block[1] ? block[0] + LETTERS[block[1] - 1] : String(block));
const clueText = (clue) => clue.map(blockText).join(" ") || "0";

const every = (colours) => ~(-2 << colours); // the mask of a cell that can have every value
const isOpen = (mask) => (mask & (mask - 1)) !== 0;
const maskOf = (cell, colours) => (cell === UNKNOWN ? every(colours) : 1 << VALUES.indexOf(cell));
const cellOf = (mask) => (isOpen(mask) ? UNKNOWN : VALUES[31 - Math.clz32(mask)]);

// The cells of a line with all that its clue and its known cells settle; null if the clue does not fit them.
function settleLine(clue, cells, colours = 1) {
  return settleMasks(clue, cells.map((cell) => maskOf(cell, colours)))?.map(cellOf) ?? null;
}

// The values that cells can have where a clue fits, or null. Every prefix and every suffix of the line is asked how many
// of the blocks it can hold. Blocks of one colour have an empty cell between them.
function settleMasks(clue, masks) {
  const length = masks.length,
    blocks = clue.length,
    lengths = clue.map(lengthOf),
    colours = clue.map(colourOf),
    misfits = []; // by colour: how many of the first cells cannot have it
  for (const colour of colours) {
    if (misfits[colour]) continue;
    const count = (misfits[colour] = [0]);
    for (const mask of masks) count.push(count.at(-1) + ((mask >>> colour) & 1 ? 0 : 1));
  }
  const room = (block, from, to) =>
    from >= 0 && to <= length && misfits[colours[block]][to] === misfits[colours[block]][from];
  const free = (at) => at >= 0 && at < length && (masks[at] & 1) === 1;
  const apart = (block) => block > 0 && block < blocks && colours[block] === colours[block - 1];
  const table = () => Array.from({ length: blocks + 1 }, () => new Uint8Array(length + 1));
  const before = table(),
    after = table();
  // whether the blocks before one fit left of it, and those from one on right of a cell
  const start = (block, at) => (apart(block) ? free(at - 1) && before[block][at - 1] : before[block][at]);
  const end = (block, at) => (apart(block) ? free(at) && after[block][at + 1] : after[block][at]);
  for (let held = 0; held <= blocks; held++)
    for (let at = 0; at <= length; at++) {
      const from = held ? at - lengths[held - 1] : 0;
      before[held][at] =
        (at === 0 && held === 0) ||
        (free(at - 1) && before[held][at - 1]) ||
        (held > 0 && room(held - 1, from, at) && start(held - 1, from))
          ? 1
          : 0;
    }
  for (let held = blocks; held >= 0; held--)
    for (let at = length; at >= 0; at--) {
      const to = held < blocks ? at + lengths[held] : 0;
      after[held][at] =
        (at === length && held === blocks) ||
        (free(at) && after[held][at + 1]) ||
        (held < blocks && room(held, at, to) && end(held + 1, to))
          ? 1
          : 0;
    }
  if (!before[blocks][length]) return null;
  const possible = Array(length).fill(0);
  for (let at = 0; at < length; at++)
    for (let held = 0; held <= blocks && free(at); held++) if (before[held][at] && after[held][at + 1]) possible[at] = 1;
  for (let block = 0; block < blocks; block++)
    for (let from = 0; from + lengths[block] <= length; from++) {
      const to = from + lengths[block];
      if (room(block, from, to) && start(block, from) && end(block + 1, to))
        for (let at = from; at < to; at++) possible[at] |= 1 << colours[block];
    }
  return possible;
}

// The lines of a nonogram: their names, clues and cells.
function linesOf(puzzle) {
  const { rows, columns } = puzzle;
  const across = puzzle.row_clues.map((clue, row) => ({
    name: `row ${row + 1}`,
    clue,
    cells: Array.from({ length: columns }, (_, column) => row * columns + column),
  }));
  const down = puzzle.column_clues.map((clue, column) => ({
    name: `column ${column + 1}`,
    clue,
    cells: Array.from({ length: rows }, (_, row) => row * columns + column),
  }));
  return [...across, ...down];
}

// Settle lines until all stand still, in place; the line that does not fit, or null.
function propagate(puzzle, cells) {
  const masks = cells.map((cell) => maskOf(cell, coloursOf(puzzle)));
  const unfit = propagateMasks(puzzle, masks);
  masks.forEach((mask, at) => {
    cells[at] = cellOf(mask);
  });
  return unfit;
}

// The same on masks. Lines without a clue are left out.
function propagateMasks(puzzle, masks) {
  const lines = puzzle.lines ?? (puzzle.lines = linesOf(puzzle));
  const waiting = new Set(lines.keys());
  for (const number of waiting) {
    // a Set goes on to what is added meanwhile
    waiting.delete(number);
    const line = lines[number];
    if (!line.clue) continue;
    const settled = settleMasks(
      line.clue,
      line.cells.map((at) => masks[at]),
    );
    if (!settled) return line;
    settled.forEach((mask, place) => {
      const at = line.cells[place];
      if (masks[at] === mask) return;
      masks[at] = mask;
      const crossing = number < puzzle.rows ? puzzle.rows + place : place;
      waiting.delete(crossing);
      waiting.add(crossing);
    });
  }
  return null;
}

// Up to `most` solutions that keep the known cells, and whether there are no others: not known where time ran out.
function search(puzzle, known, most, milliseconds = 400) {
  const deadline = performance.now() + milliseconds,
    found = [],
    stack = [known.map((cell) => maskOf(cell, coloursOf(puzzle)))];
  while (stack.length) {
    if (performance.now() > deadline) return { found, complete: false, late: true };
    const masks = stack.pop();
    if (propagateMasks(puzzle, masks)) continue;
    const at = masks.findIndex(isOpen);
    if (at < 0) {
      found.push(masks.map(cellOf).join(""));
      if (found.length === most && stack.length) return { found, complete: false, late: false };
      continue;
    }
    for (let value = 0; value <= coloursOf(puzzle); value++) {
      if (!((masks[at] >>> value) & 1)) continue;
      const branch = masks.slice();
      branch[at] = 1 << value;
      stack.push(branch);
    }
  }
  return { found, complete: true, late: false };
}
