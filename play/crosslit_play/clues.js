// Nonograms made on the page: from typed clues, from a picture, or at random.

const MAX_SIDE = 100, // rows or columns of typed clues
  MAX_RANDOM = 40, // rows or columns of a random nonogram: lines settle few larger ones
  MAX_SHOWN = 16, // solutions
  MAX_REPAIRS = 60; // cells of a random picture that are changed before another one is tried
const SHAPE =
  "expected the clues of the rows, an empty line, and the clues of the columns; or ROWS|COLUMNS on one line";

const clueSum = (clue) => clue.reduce((sum, block) => sum + block, 0);
const oneLine = (rows, columns) => [rows, columns].map((clues) => clues.map(clueText).join(",")).join("|");

// The clues of the rows and of the columns; an Error says what was expected. A side is one line with commas between its
// clues, or a line for each clue.
function readClues(text) {
  if (!text.trim()) throw new Error(`no clues: ${SHAPE}`);
  if (/^\s*[{[]/.test(text)) return checkClues(readJSON(text));
  const sections = [[]];
  text.split("\n").forEach((line, number) => {
    line.split("|").forEach((part, at) => {
      const isBreak = !part.trim() || /^\s*(rows?|columns?|across|down)\W*$/i.test(part);
      if (at || isBreak) sections.push([]);
      if (!isBreak) sections.at(-1).push([part, number + 1]);
    });
  });
  let sides = sections.filter((lines) => lines.length);
  if (sides.length === 1 && sides[0].length === 2) sides = sides[0].map((line) => [line]);
  if (sides.length !== 2) throw new Error(SHAPE);
  return checkClues(
    sides.map((lines) =>
      (lines.length === 1 ? lines[0][0].split(/[,;]/).map((clue) => [clue, lines[0][1]]) : lines).map(readClue),
    ),
  );
}

function readClue([text, number]) {
  const words = text.trim().split(/[\s,;.]+/);
  const wrong = words.find((word) => !/^\d{1,3}$/.test(word));
  if (wrong !== undefined) throw new Error(`line ${number}: expected numbers such as 2 1, found "${text.trim()}"`);
  return words.map(Number);
}

function readJSON(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('expected JSON such as {"rows": [[1], [2]], "columns": [[2], [1]]}');
  }
  return Array.isArray(value) ? value : [value.rows, value.columns];
}

function checkClues(sides) {
  const isClue = (clue) => Array.isArray(clue) && clue.every((block) => Number.isInteger(block) && block >= 0);
  if (sides.length !== 2 || !sides.every((clues) => Array.isArray(clues) && clues.length && clues.every(isClue)))
    throw new Error(SHAPE);
  const largest = Math.max(...sides.map((clues) => clues.length));
  if (largest > MAX_SIDE) throw new Error(`expected at most ${MAX_SIDE} rows and columns, found ${largest}`);
  return sides.map((clues) => clues.map((clue) => clue.filter((block) => block)));
}

// A nonogram as this page plays it. `known` is a solution, for where the search ends early.
function nonogramRecord(name, [rows, columns], known = null) {
  const shape = { rows: rows.length, columns: columns.length, row_clues: rows, column_clues: columns };
  const why = obstacle(shape);
  const { found, complete, late } = why
    ? { found: [], complete: true, late: false }
    : search({ ...shape }, Array(rows.length * columns.length).fill(UNKNOWN), MAX_SHOWN + 1, 1500);
  return {
    kind: "nonogram",
    name,
    text: oneLine(rows, columns),
    ...shape,
    solutions: found.length || !known ? found.slice(0, MAX_SHOWN) : [known],
    complete,
    more: found.length > MAX_SHOWN,
    stopped: late ? "time ran out" : "",
    why,
    stories: [],
  };
}

// Clues that contradict each other, as far as lines show it, or null.
function obstacle(shape) {
  const lines = linesOf(shape);
  const long = lines.findIndex(({ clue, cells }) => clueSum(clue) + clue.length - 1 > cells.length);
  const says = ({ name, clue }) => `${name}: ${clueText(clue)}`;
  if (long >= 0) {
    const { clue, cells } = lines[long];
    const needs = `(needs ${plural(clueSum(clue) + clue.length - 1, "cell")}, the line has ${cells.length})`;
    return { sums: null, lines: [`${says(lines[long])} ${needs}`], chosen: [long] };
  }
  const sums = [shape.row_clues, shape.column_clues].map((clues) => clueSum(clues.flat()));
  if (sums[0] !== sums[1]) return { sums, lines: [], chosen: [] };
  const blank = () => Array(shape.rows * shape.columns).fill(UNKNOWN);
  if (!propagate({ ...shape, lines }, blank())) return null;
  // leave out each line without which the others still contradict each other, as long as there is time
  const deadline = performance.now() + 500;
  for (const line of [...lines].reverse()) {
    const { clue } = line;
    line.clue = null;
    if (performance.now() > deadline || !propagate({ ...shape, lines }, blank())) line.clue = clue;
  }
  const chosen = [...lines.keys()].filter((number) => lines[number].clue);
  return { sums: null, lines: chosen.map((number) => says(lines[number])), chosen };
}

// Say if a nonogram has one solution, and claim no more than the search has shown.
function uniqueness(record) {
  const { solutions, complete, more } = record;
  if (complete && !solutions.length) return new NonogramGame(record).unsolvable;
  if (complete && solutions.length === 1) {
    const cells = Array(record.rows * record.columns).fill(UNKNOWN);
    propagate(record, cells);
    return cells.includes(UNKNOWN)
      ? "Unique: there is one solution, but lines do not settle every cell by themselves."
      : "Unique: there is one solution, and lines settle every cell.";
  }
  if (complete) return `Not unique: there are ${solutions.length} solutions.`;
  if (solutions.length > 1)
    return `Not unique: there are ${more ? `more than ${MAX_SHOWN}` : `at least ${solutions.length}`} solutions.`;
  const found = solutions.length ? "One solution is known; there may be others" : "No solution was found";
  return `Not decided: the search of this page took too long. ${found}. The command crosslit count has more time.`;
}

// The clues of the rows and of the columns of a picture.
function cluesOf(rows, columns, cells) {
  const blank = Array.from({ length: rows }, () => []),
    lines = linesOf({ rows, columns, row_clues: blank, column_clues: Array(columns).fill([]) });
  const clues = lines.map((line) => blocksOf(line.cells.map((at) => cells[at])));
  return [clues.slice(0, rows), clues.slice(rows)];
}

// Clues of a random picture that lines settle from the start, so that it is the only solution; null if time ran out.
function randomClues(rows, columns, milliseconds = 2000) {
  const deadline = performance.now() + milliseconds;
  while (performance.now() < deadline) {
    const cells = randomPicture(rows, columns);
    let least = Infinity,
      changed = null;
    for (let repair = 0; repair <= MAX_REPAIRS && performance.now() < deadline; repair++) {
      const clues = cluesOf(rows, columns, cells),
        settled = Array(rows * columns).fill(UNKNOWN);
      propagate({ rows, columns, row_clues: clues[0], column_clues: clues[1] }, settled);
      const open = settled.flatMap((value, at) => (value === UNKNOWN ? [at] : []));
      if (!open.length) return clues;
      if (open.length > least) cells[changed] = cells[changed] === FILLED ? EMPTY : FILLED;
      else least = open.length;
      changed = open[Math.floor(Math.random() * open.length)];
      cells[changed] = cells[changed] === FILLED ? EMPTY : FILLED;
    }
  }
  return null;
}

const NOT_FOUND = "No nonogram that lines settle was found in two seconds. Smaller ones are easier to find.";

function randomRecord(rows, columns) {
  const clues = randomClues(rows, columns);
  return clues && nonogramRecord("Random nonogram", clues);
}

// Noise, smoothed a little so that blocks are longer than one cell; 11 of 20 cells are filled.
function randomPicture(rows, columns) {
  const noise = Array.from({ length: rows * columns }, () => Math.random());
  const level = noise.map((value, at) => {
    const column = at % columns;
    const near = [noise[at - columns], noise[at + columns]];
    near.push(column > 0 ? noise[at - 1] : undefined, column + 1 < columns ? noise[at + 1] : undefined);
    return near.reduce((sum, other) => sum + (other ?? 0.5), 2 * value);
  });
  const bound = [...level].sort((one, other) => one - other)[Math.floor(level.length * 0.45)];
  return level.map((value) => (value >= bound ? FILLED : EMPTY));
}
