// Puzzles as they are played. The value of a cell is the number of its presses on a board; in a nonogram it is the number
// of its colour, EMPTY or UNKNOWN.

const UNKNOWN = -1,
  EMPTY = 0,
  LETTERS = "abcdefghijklmnopqrstuvwxyzABCDE"; // of colours, in clues

const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const valuesOf = (text) => Array.from(text.replaceAll("/", ""), (digit) => parseInt(digit, 36));

// Moves that can be taken back, and what the solutions of the page say about them. A move is a list of changes: a cell,
// its value before and its value after.
class Game {
  constructor(record, start) {
    this.record = record;
    this.solutions = record.solutions.map(valuesOf);
    this.cells = Array(record.rows * record.columns).fill(start);
    this.moves = [];
    this.made = 0; // of the moves; the others were taken back
  }

  // Change a cell: in a move of its own, or in the last one.
  set(at, value, inLastMove = false) {
    if (this.cells[at] === value) return;
    if (!inLastMove) {
      this.replaced = this.moves.splice(this.made);
      this.made = this.moves.push([]);
    }
    this.moves.at(-1).push([at, this.cells[at], value]);
    this.cells[at] = value;
  }

  undo() {
    if (!this.made) return false;
    for (const [at, before] of [...this.moves[--this.made]].reverse()) this.cells[at] = before;
    return true;
  }

  redo() {
    if (this.made === this.moves.length) return false;
    for (const [at, , after] of this.moves[this.made++]) this.cells[at] = after;
    return true;
  }

  // Take the last move back as if it had not been made.
  cancel() {
    this.undo();
    this.moves.splice(this.made, 1, ...this.replaced);
  }

  // What the browser kept, which may be anything.
  restore({ moves, made }) {
    const fits = ([at, before, after]) => at in this.cells && this.values.includes(before) && this.values.includes(after);
    if (!moves.every((move) => move.every(fits)) || !(made <= moves.length)) return;
    this.moves = moves;
    while (this.made < made) this.redo();
  }

  place(at) {
    const { columns } = this.record;
    return `row ${Math.floor(at / columns) + 1}, column ${(at % columns) + 1}`;
  }

  // The solution that is the fewest changes away, with their number, or null.
  nearest() {
    const found = this.solutions.map((solution) => ({ solution, distance: this.distance(solution) }));
    return found.reduce((best, other) => (best && best.distance <= other.distance ? best : other), null);
  }

  hint() {
    if (this.solved) return { text: "It is solved." };
    if (this.record.why) return { text: "No hint: there is no solution." };
    const nearest = this.nearest();
    return nearest ? this.advice(nearest) : { text: "No hint: this page has no solution of this puzzle." };
  }
}

class Board extends Game {
  constructor(record) {
    super(record, 0);
    this.start = valuesOf(record.lights); // NaN for missing cells
    this.values = [...Array(record.states).keys()];
    this.hasNumbers = record.states > 2;
  }

  isMissing(at) {
    return Number.isNaN(this.start[at]);
  }

  press(at) {
    if (!this.isMissing(at)) this.set(at, (this.cells[at] + 1) % this.record.states);
  }

  get lights() {
    const lights = this.start.slice(),
      { presses, states } = this.record;
    this.cells.forEach((times, at) => {
      for (const light of times ? presses[at] : []) lights[light] = (lights[light] + times) % states;
    });
    return lights;
  }

  get solved() {
    return !this.lights.some(Boolean);
  }

  // The presses that are left on the way to a solution.
  left(solution) {
    return solution.map((times, at) => (times - this.cells[at] + this.record.states) % this.record.states);
  }

  distance(solution) {
    return this.left(solution).reduce((sum, times) => sum + times, 0);
  }

  // The fewest presses from the start, if all solutions are on the page.
  get fewest() {
    const totals = this.solutions.map((solution) => solution.reduce((sum, times) => sum + times, 0));
    return this.record.complete ? Math.min(...totals) : null;
  }

  get counter() {
    return `${plural(this.made, "move")} · ${plural(this.lights.filter(Boolean).length, "light")} on`;
  }

  get praise() {
    const { made, fewest } = this;
    const others = fewest === null ? "" : made === fewest ? ", the fewest" : `; the fewest are ${fewest}`;
    return `Solved: all lights are out after ${plural(made, "press", "presses")}${others}.`;
  }

  looks() {
    const { lights, cells, hasNumbers } = this;
    return lights.map((light, at) => {
      if (Number.isNaN(light)) return { classes: "missing", label: "missing" };
      const times = cells[at],
        name = hasNumbers ? String(light) : light ? "lit" : "dark";
      const pressed = times ? `, pressed${hasNumbers ? ` ${plural(times, "time")}` : ""}` : "";
      return {
        classes: `light${light ? " lit" : ""}${times ? " pressed" : ""}${hasNumbers ? " number" : ""}`,
        label: name + pressed,
        ...(hasNumbers && { text: name, times: String(times || ""), shade: light / (this.record.states - 1) }),
      };
    });
  }

  advice({ solution, distance }) {
    const left = this.left(solution),
      at = left.findIndex(Boolean),
      times = left[at];
    const fewest = this.record.complete ? "the fewest from here" : "which may not be the fewest";
    const text = `Press ${this.place(at)}${times > 1 ? ` (${times} times)` : ""}. ${plural(distance, "press", "presses")} left, ${fewest}.`;
    const follow = () => {
      for (let made = 0; made < times; made++) this.press(at);
    };
    return { at, text, follow };
  }

  check() {
    const nearest = this.nearest(),
      { made, fewest, cells } = this;
    if (!nearest) return { cells: [], text: "Nothing to check against: this page has no solution of this puzzle." };
    const wrong = [...cells.keys()].filter((at) => cells[at] > nearest.solution[at]);
    const marked = wrong.length ? ` Marked: ${plural(wrong.length, "cell")} to press again.` : "";
    const known = fewest === null ? "" : ` The fewest from the start are ${fewest}.`;
    return { cells: wrong, text: `${plural(made, "press", "presses")} made, ${nearest.distance} left.${known}${marked}` };
  }
}

class Nonogram extends Game {
  constructor(record) {
    super(record, UNKNOWN);
    const { rows, columns, clues, palette } = record;
    this.colours = palette.length ? palette.slice(1).map(([name]) => name) : ["filled"];
    this.values = [UNKNOWN, EMPTY, ...this.colours.map((_, number) => number + 1)];
    const range = (count, number) => Array.from({ length: count }, (_, i) => number(i));
    this.lines = clues.map((clue, line) => ({
      clue,
      name: line < rows ? `row ${line + 1}` : `column ${line - rows + 1}`,
      cells: line < rows ? range(columns, (i) => line * columns + i) : range(rows, (i) => i * columns + line - rows),
    }));
  }

  clueText(clue) {
    const letter = (colour) => (this.record.palette.length ? LETTERS[colour - 1] : "");
    return clue.map(([length, colour]) => length + letter(colour)).join(" ") || "0";
  }

  nameOf(value) {
    return value === UNKNOWN ? "not known" : value === EMPTY ? "empty" : this.colours[value - 1];
  }

  isDone({ clue, cells }) {
    const blocks = [];
    cells.forEach((at, i) => {
      const value = Math.max(EMPTY, this.cells[at]);
      if (value && value === this.cells[cells[i - 1]]) blocks.at(-1)[0]++;
      else if (value) blocks.push([1, value]);
    });
    return String(blocks) === String(clue);
  }

  get solved() {
    return this.lines.every((line) => this.isDone(line));
  }

  // The cells that differ from a solution.
  clashes(solution) {
    return [...this.cells.keys()].filter((at) => ![UNKNOWN, solution[at]].includes(this.cells[at]));
  }

  distance(solution) {
    return this.clashes(solution).length;
  }

  get counter() {
    const filled = this.cells.filter((value) => value > EMPTY).length;
    return `${plural(this.made, "move")} · ${plural(filled, "cell")} filled`;
  }

  get praise() {
    return "Solved: every clue is met.";
  }

  looks() {
    return this.cells.map((value) => ({
      classes: value === UNKNOWN ? "open" : value === EMPTY ? "crossed" : "filled",
      label: this.nameOf(value),
      colour: value,
    }));
  }

  // The solutions of the page in a sentence, as far as a statement about them holds for all.
  get #claimed() {
    return this.record.complete ? "No solution" : "No solution on this page";
  }

  advice({ solution, distance }) {
    const step = (at, words) => ({
      at,
      text: words(`${this.place(at)} is ${this.nameOf(solution[at])}`),
      follow: () => this.set(at, solution[at]),
    });
    if (distance)
      return step(this.clashes(solution)[0], (what) => `${this.#claimed} has all of your cells. In the nearest, ${what}.`);
    const fits = this.solutions.filter((other) => !this.distance(other));
    const unknown = [...this.cells.keys()].filter((at) => this.cells[at] === UNKNOWN);
    const shared = unknown.filter((at) => fits.every((other) => other[at] === solution[at]));
    const chosen = shared.length ? shared : unknown;
    const at = chosen.find((cell) => solution[cell] > EMPTY) ?? chosen[0];
    if (this.record.complete && shared.length) return step(at, (what) => `${sentence(what)}.`);
    return step(at, (what) => `In a solution that has your cells, ${what}; others may differ.`);
  }

  check() {
    const nearest = this.nearest();
    if (nearest?.distance === 0) return { cells: [], text: "No mistake: these cells can be completed." };
    if (nearest && this.record.complete) {
      const cells = this.clashes(nearest.solution);
      return { cells, text: `${plural(cells.length, "cell")} marked: there the nearest solution differs.` };
    }
    // without all solutions, by the rules
    const full = this.lines.filter(({ cells }) => cells.every((at) => this.cells[at] !== UNKNOWN));
    const wrong = full.filter((line) => !this.isDone(line));
    const text = wrong.length
      ? `Not as its clue says: ${wrong.map(({ name }) => name).join(", ")}.`
      : "No full line is wrong. Whether your cells can be completed is not known here.";
    return { cells: wrong.flatMap(({ cells }) => cells), text };
  }
}

const gameOf = (record) => (record.lights ? new Board(record) : new Nonogram(record));
