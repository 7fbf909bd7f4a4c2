// A Lights Out board as it is played: presses, hints and mistakes.

const MAX_ELIMINATED = 1600; // cells of a board that this page solves by itself

class BoardGame {
  constructor(record) {
    this.record = record;
    const { rows, columns, pattern, joined, missing } = record;
    this.rules = { rows, columns, pattern, joined, missing: missing && bitsOf(missing) };
    this.restore();
  }

  // Cells of numbers below `states` are the work of ModularGame; here they are bits.
  get states() {
    return 2;
  }

  cellsOf(text) {
    return bitsOf(text);
  }

  value(cells, at) {
    return bit(cells, at);
  }

  total(cells) {
    return weight(cells);
  }

  step(cells, at) {
    flip(cells, at);
  }

  // The lights that a press changes, each with the amount.
  effect(at) {
    return toggled(this.rules, at).map((light) => [light, 1]);
  }

  lightest(cells, kernel) {
    return lightest(cells, kernel);
  }

  // The number of lights that are on.
  get on() {
    return weight(this.lit);
  }

  // The board as it was given, with what was found out about it when the page was made.
  restore() {
    const { record } = this;
    const { rows, columns, pattern, joined, missing } = record;
    this.rules = { rows, columns, pattern, joined, missing: missing && bitsOf(missing) };
    const solution = record.solutions.length ? this.cellsOf(record.solutions[0]) : null;
    const lights = record.why?.lights ? bitsOf(record.why.lights) : null;
    const solvable = solution ? true : record.complete ? false : null;
    const kernel = record.kernel && record.kernel.map((text) => this.cellsOf(text));
    this.own = false;
    this.#begin(this.cellsOf(record.lit), { solution, kernel, lights, solvable });
  }

  // A board of the same rules and another size: dark, or with random lights, or what random presses leave.
  renew(rows, columns, random) {
    this.#resize(rows, columns);
    const { missing } = this.rules;
    const cells = zeros(rows * columns);
    for (let at = 0; at < rows * columns; at++)
      if (random !== "dark" && Math.random() < 0.5 && !(missing && bit(missing, at))) flip(cells, at);
    const lit = random === "presses" ? zeros(rows * columns) : cells;
    if (random === "presses")
      for (let at = 0; at < rows * columns; at++)
        if (bit(cells, at)) for (const light of toggled(this.rules, at)) flip(lit, light);
    this.set(lit);
  }

  #resize(rows, columns) {
    const same = rows === this.record.rows && columns === this.record.columns;
    const { pattern, joined } = this.rules;
    const missing = same && this.record.missing ? bitsOf(this.record.missing) : null;
    this.rules = { rows, columns, pattern, joined, missing };
  }

  // The same rules and size with other lights; solved here.
  set(lit) {
    this.own = true;
    this.nullity = null;
    if (this.rules.rows * this.rules.columns > MAX_ELIMINATED)
      return this.#begin(lit, { solution: null, kernel: null, lights: null, solvable: null });
    const { solution, kernel } = eliminate(this.rules, lit);
    const lights = solution ? null : contradiction(this.rules, lit);
    this.nullity = kernel.length;
    const known = kernel.length <= MAX_QUIET ? kernel : null;
    this.#begin(lit, { solution, kernel: known, lights, solvable: solution !== null });
  }

  #begin(lit, { solution, kernel, lights, solvable }) {
    const count = this.rules.rows * this.rules.columns;
    Object.assign(this, { start: lit, known: { solution, kernel, lights, solvable }, kernel, lights, solvable });
    this.affected = Array.from({ length: count }, () => null);
    this.#clear();
    this.fewest = solution && kernel ? this.total(this.toPress()) : null;
  }

  #clear() {
    this.lit = this.start.slice();
    this.solution = this.known.solution && this.known.solution.slice();
    this.pressed = this.cellsOf("0".repeat(this.rules.rows * this.rules.columns));
    this.history = [];
    this.undone = [];
    this.best = null;
  }

  get moves() {
    return this.history.length;
  }

  isMissing(at) {
    return Boolean(this.rules.missing && bit(this.rules.missing, at));
  }

  press(at) {
    if (this.isMissing(at)) return false;
    this.#press(at);
    this.history.push(at);
    this.undone = [];
    return true;
  }

  undo() {
    if (!this.history.length) return false;
    this.undone.push(this.history.pop());
    this.#press(this.undone.at(-1), -1);
    return true;
  }

  redo() {
    if (!this.undone.length) return false;
    this.history.push(this.undone.pop());
    this.#press(this.history.at(-1));
    return true;
  }

  reset() {
    while (this.undo());
  }

  // The present board from its start, on one line.
  get text() {
    const { rows, columns } = this.rules,
      lines = textOf(this.start, rows, columns).split("/");
    const cells = lines.map((line, r) => line.replace(/./g, (lit, c) => (this.isMissing(r * columns + c) ? "_" : lit)));
    return [...this.record.settings, ...cells].join("/");
  }

  // The state to keep over a reload, or null.
  get state() {
    const moves = [...this.history, ...[...this.undone].reverse()],
      { rows, columns } = this.rules;
    if (!moves.length && !this.own) return null;
    return { own: this.own && { rows, columns, lit: textOf(this.start, rows, columns) }, moves, made: this.moves };
  }

  set state({ own, moves, made }) {
    if (own) {
      const lines = own.lit.split("/");
      if (lines.length !== own.rows || !lines.every((line) => line.length === own.columns && line)) return;
      this.#resize(own.rows, own.columns);
      this.set(bitsOf(own.lit));
    }
    if (!moves.every((at) => Number.isInteger(at) && at >= 0 && at < this.rules.rows * this.rules.columns)) return;
    for (const at of moves) this.press(at);
    while (this.moves > made) this.undo();
  }

  // Press a cell, and change only the given lights.
  change(lit, at, times = 1) {
    this.affected[at] ??= this.effect(at);
    for (const [light, amount] of this.affected[at]) this.step(lit, light, times * amount);
  }

  #press(at, times = 1) {
    this.change(this.lit, at, times);
    this.step(this.pressed, at, times);
    if (this.solution) this.step(this.solution, at, -times); // what is left to press from here on
    this.best = null;
  }

  get solved() {
    return this.on === 0;
  }

  // Presses that put the present lights out: the fewest where the whole kernel is known.
  toPress() {
    this.best ??= this.lightest(this.solution, this.kernel ?? []);
    return this.best;
  }

  get unsolvable() {
    if (this.solvable !== false) return "";
    if (!this.lights) return "This board cannot be solved; which lights contradict each other was not found out.";
    const count = weight(this.lights),
      lit = weight(this.lights.map((word, at) => word & this.start[at]));
    return (
      `This board cannot be solved: every press toggles an even number of the ${count} marked lights, and an odd ` +
      `number of them (${lit}) are lit at the start, so that one always stays lit.`
    );
  }

  // What is known of a board other than the one that was given.
  get facts() {
    const { rows, columns } = this.rules,
      size = `A board of your own, ${rows} × ${columns}`;
    const number = this.nullity > 10 ? `2^${this.nullity} solutions` : plural(2 ** this.nullity, "solution");
    const known =
      this.nullity === null ? ", too large to be solved here" : this.solvable ? `: ${number}` : ": no solution";
    return `${size}${known}. What is said above and in the other tabs is about the board as given.`;
  }

  hint() {
    const { columns, rows } = this.rules;
    if (this.solved) return { text: "All lights are out: nothing is left to press." };
    if (this.solvable === false) return { text: "No hint: no presses put all lights out." };
    if (this.solvable === null)
      return {
        text: this.record.players
          ? "No hint: this page was made without solutions."
          : "No solution of this board is known, nor that there is none: the search was too much, or ran out of time.",
      };
    const best = this.toPress(),
      left = this.total(best);
    let at = 0;
    while (at < rows * columns && !this.value(best, at)) at++;
    const times = this.value(best, at);
    const how = this.kernel ? "the fewest from here" : "which may not be the fewest";
    return {
      at,
      times,
      value: null,
      text: `Press ${place(at, columns)}${times > 1 ? ` (${times} times)` : ""}. ${sentence(plural(left, "press", "presses"))} left, ${how}.`,
    };
  }

  mistakes() {
    if (this.solvable === false)
      return { cells: new Set(), text: "Nothing to check against: no presses put all lights out." };
    if (!this.solution)
      return { cells: new Set(), text: "No solution of this board is known: nothing to check against." };
    const best = this.toPress(),
      left = this.total(best),
      cells = new Set();
    for (let at = 0; at < this.rules.rows * this.rules.columns; at++)
      if (this.value(best, at) + this.value(this.pressed, at) >= this.states) cells.add(at); // a whole round
    const made = plural(this.moves, "press", "presses");
    if (!this.kernel)
      return {
        cells,
        text: `${sentence(made)} made; ${left} more put all lights out. Whether fewer could is not known here.`,
      };
    const wasted = this.moves + left - this.fewest;
    const more = cells.size ? ` Marked: ${plural(cells.size, "cell")} to press again.` : "";
    if (!wasted)
      return {
        cells,
        text: `No mistake: ${made} made, ${left} left, and the fewest from the start are ${this.fewest}.`,
      };
    return {
      cells,
      text: `${sentence(made)} made, ${left} left: ${wasted} more than the fewest from the start, ${this.fewest}.${more}`,
    };
  }
}
