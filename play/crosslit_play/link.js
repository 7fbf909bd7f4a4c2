// Links to a puzzle: the page with the puzzle in the fragment.

const MAX_LINK = 8000; // characters, which every browser opens

// The fragment of a puzzle, or nothing where it is too long.
function fragmentOf(text) {
  const fragment = `#${encodeURI(text).replaceAll("+", "%2B").replaceAll("%20", "+")}`;
  return fragment.length > MAX_LINK ? "" : fragment;
}

// The address of this page with a puzzle; null where that is too long.
function linkTo(text) {
  const fragment = fragmentOf(text);
  return fragment ? location.href.replace(/#.*/, "") + fragment : null;
}

// The puzzle that the address names, or an empty text.
function linkedText() {
  try {
    return decodeURIComponent(location.hash.slice(1).replaceAll("+", " "));
  } catch {
    return "";
  }
}

// A record of the puzzle of a link; a board with unusual rules needs a record with the same rules.
function linkedRecord(text, records) {
  const known = records.find((record) => record.text === text);
  if (known) return known;
  if (text.includes("|")) return nonogramRecord("Linked nonogram", readClues(text));
  const parts = text.split("/"),
    rules = parts.filter((part) => part.includes("=")).join("/"),
    rows = parts.filter((part) => !part.includes("="));
  const like = records.find((record) => record.kind === "lights-out" && record.settings.join("/") === rules);
  if (rules && !like) throw new Error(`this page has no board with the rules ${rules}`);
  return boardRecord("Linked board", rows, like ?? PLAIN);
}

const PLUS = [
  [0, 0],
  [0, 1],
  [0, -1],
  [1, 0],
  [-1, 0],
];
const PLAIN = { pattern: PLUS, joined: { rows: false, columns: false }, settings: [] };

// A board as this page plays it, with all of its solutions if there are few.
function boardRecord(name, lines, { pattern, joined, settings }) {
  const shape = { rows: lines.length, columns: lines[0].length };
  if (!lines.every((line) => /^[01_]+$/.test(line) && line.length === shape.columns))
    throw new Error("expected a nonogram ROWS|COLUMNS, or a board of rows of 0, 1 and _ between /");
  if (shape.rows * shape.columns > MAX_ELIMINATED)
    throw new Error(`expected a board of at most ${MAX_ELIMINATED} cells`);
  const given = lines.join("/"),
    lit = given.replaceAll("_", "0");
  const missing = given.includes("_")
    ? lit.replaceAll("1", "0").replace(/./g, (cell, at) => (given[at] === "_" ? "1" : cell))
    : null;
  const rules = { ...shape, pattern, joined, missing: missing && bitsOf(missing) };
  const { solution, kernel } = eliminate(rules, bitsOf(lit));
  const text = (bits) => textOf(bits, shape.rows, shape.columns);
  const solutions = [];
  for (let number = 0; solution && number < Math.min(MAX_SHOWN, 2 ** kernel.length); number++) {
    const presses = solution.slice();
    kernel.forEach((quiet, at) => (number >>> at) & 1 && add(presses, quiet));
    solutions.push(text(presses));
  }
  return {
    kind: "lights-out",
    name,
    text: [...settings, ...lines].join("/"),
    ...shape,
    ...{ lit, missing, pattern, joined, settings, solutions },
    complete: !solution || 2 ** kernel.length <= MAX_SHOWN,
    more: Boolean(solution) && 2 ** kernel.length > MAX_SHOWN,
    stopped: "",
    nullity: kernel.length,
    kernel: kernel.length <= MAX_QUIET ? kernel.map(text) : null,
    why: solution ? null : { sums: null, lines: [], chosen: [], lights: text(contradiction(rules, bitsOf(lit))) },
    stories: [],
  };
}
