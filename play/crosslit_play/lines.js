// Nonograms: what a line's clue settles, and a search for solutions that stops in time. Cells are "?", "1" or "0".

const UNKNOWN = "?",
  FILLED = "1",
  EMPTY = "0";

function blocksOf(cells) {
  const blocks = [];
  let run = 0;
  for (const cell of [...cells, EMPTY]) {
    if (cell === FILLED) run++;
    else if (run) {
      blocks.push(run);
      run = 0;
    }
  }
  return blocks;
}

const sameClue = (one, other) => one.length === other.length && one.every((block, at) => block === other[at]);
const clueText = (clue) => clue.join(" ") || "0";

// The cells of a line with all that its clue and its known cells settle; null if the clue does not fit them. Every
// prefix and every suffix of the line is asked how many of the blocks it can hold.
function settleLine(clue, cells) {
  const length = cells.length,
    blocks = clue.length;
  const gaps = [0];
  for (const cell of cells) gaps.push(gaps.at(-1) + (cell === EMPTY));
  const room = (from, to) => from >= 0 && to <= length && gaps[to] === gaps[from];
  const free = (at) => at < 0 || at >= length || cells[at] !== FILLED; // beyond the edges too
  const table = () => Array.from({ length: blocks + 1 }, () => new Uint8Array(length + 3));
  const before = table(),
    after = table(); // index + 1, so that the cell before the first has a place
  const start = (held, at) => (at < 0 ? held === 0 : before[held][at]);
  const end = (held, at) => (at > length ? held === blocks : after[held][at]);
  for (let held = 0; held <= blocks; held++)
    for (let at = 0; at <= length; at++) {
      const from = held ? at - clue[held - 1] : 0;
      before[held][at] =
        (at === 0 && held === 0) ||
        (at > 0 && free(at - 1) && before[held][at - 1]) ||
        (held > 0 && room(from, at) && free(from - 1) && start(held - 1, from - 1))
          ? 1
          : 0;
    }
  for (let held = blocks; held >= 0; held--)
    for (let at = length; at >= 0; at--) {
      const to = held < blocks ? at + clue[held] : 0;
      after[held][at] =
        (at === length && held === blocks) ||
        (at < length && free(at) && after[held][at + 1]) ||
        (held < blocks && room(at, to) && free(to) && end(held + 1, to + 1))
          ? 1
          : 0;
    }
  if (!before[blocks][length]) return null;
  const empty = new Uint8Array(length),
    filled = new Uint8Array(length);
  for (let at = 0; at < length; at++)
    for (let held = 0; held <= blocks && free(at); held++) if (before[held][at] && after[held][at + 1]) empty[at] = 1;
  for (let block = 0; block < blocks; block++)
    for (let from = 0; from + clue[block] <= length; from++) {
      const to = from + clue[block];
      if (room(from, to) && free(from - 1) && free(to) && start(block, from - 1) && end(block + 1, to + 1))
        filled.fill(1, from, to);
    }
  return cells.map((_, at) => (empty[at] && filled[at] ? UNKNOWN : filled[at] ? FILLED : EMPTY));
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

// Settle lines until all stand still, in place; the line that does not fit, or null. Lines without a clue are left out.
function propagate(puzzle, cells) {
  const lines = puzzle.lines ?? (puzzle.lines = linesOf(puzzle));
  const waiting = new Set(lines.keys());
  for (const number of waiting) {
    // a Set goes on to what is added meanwhile
    waiting.delete(number);
    const line = lines[number];
    if (!line.clue) continue;
    const settled = settleLine(
      line.clue,
      line.cells.map((at) => cells[at]),
    );
    if (!settled) return line;
    settled.forEach((value, place) => {
      const at = line.cells[place];
      if (cells[at] === value) return;
      cells[at] = value;
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
    stack = [known.slice()];
  while (stack.length) {
    if (performance.now() > deadline) return { found, complete: false, late: true };
    const cells = stack.pop();
    if (propagate(puzzle, cells)) continue;
    const at = cells.indexOf(UNKNOWN);
    if (at < 0) {
      found.push(cells.join(""));
      if (found.length === most && stack.length) return { found, complete: false, late: false };
      continue;
    }
    for (const value of [EMPTY, FILLED]) {
      const branch = cells.slice();
      branch[at] = value;
      stack.push(branch);
    }
  }
  return { found, complete: true, late: false };
}
