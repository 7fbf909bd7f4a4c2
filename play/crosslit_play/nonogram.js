// A nonogram as it is played: cells, moves, hints and mistakes.

// What a cell is, in words.
function valueText({ palette }, value) {
  if (!isFilled(value)) return value === EMPTY ? "empty" : "not known";
  return palette ? palette[VALUES.indexOf(value)][0] : "filled";
}

class NonogramGame {
  constructor(record) {
    this.record = record;
    this.lines = linesOf(record);
    this.#clear();
  }

  #clear() {
    this.cells = Array(this.record.rows * this.record.columns).fill(UNKNOWN);
    this.history = []; // moves: lists of a cell, its value before and its value after
    this.undone = [];
  }

  get moves() {
    return this.history.length;
  }

  // Changes that belong to one move; a drag goes on with the last one.
  set(at, value, goOn = false) {
    if (this.cells[at] === value) return false;
    if (!goOn || !this.history.length) {
      this.history.push([]);
      [this.dropped, this.undone] = [this.undone, []];
    }
    this.history.at(-1).push([at, this.cells[at], value]);
    this.cells[at] = value;
    return true;
  }

  undo() {
    if (!this.history.length) return false;
    const move = this.history.pop();
    for (const [at, before] of [...move].reverse()) this.cells[at] = before;
    this.undone.push(move);
    return true;
  }

  redo() {
    if (!this.undone.length) return false;
    const move = this.undone.pop();
    for (const [at, , after] of move) this.cells[at] = after;
    this.history.push(move);
    return true;
  }

  // Take back a move that was not meant: as if it had not been made.
  cancel() {
    this.undo();
    this.undone = this.dropped;
  }

  reset() {
    while (this.undo());
  }

  // The state to keep over a reload, or null.
  get state() {
    const moves = [...this.history, ...[...this.undone].reverse()];
    if (!moves.length) return null;
    return { moves: moves.map((move) => move.map(([at, , value]) => [at, value])), made: this.moves };
  }

  set state({ moves, made }) {
    const values = [UNKNOWN, ...VALUES.slice(0, coloursOf(this.record) + 1)];
    const fits = ([at, value]) => at in this.cells && values.includes(value);
    if (!moves.every((move) => move.every(fits))) return;
    this.#clear();
    for (const move of moves) move.forEach(([at, value], number) => this.set(at, value, number > 0));
    while (this.moves > made) this.undo();
  }

  lineDone(line) {
    return sameClue(runsOf(line.cells.map((at) => this.cells[at])), line.clue);
  }

  get solved() {
    return this.lines.every((line) => this.lineDone(line));
  }

  get unsolvable() {
    const { record } = this;
    if (!record.complete || record.solutions.length) return "";
    const why = record.why ?? {};
    if (why.sums)
      return `This puzzle cannot be solved: its rows need ${plural(why.sums[0], "filled cell")}, its columns ${why.sums[1]}.`;
    if (why.lines?.length === 1) return `This puzzle cannot be solved: this clue cannot be: ${why.lines[0]}.`;
    if (why.lines?.length)
      return `This puzzle cannot be solved: these clues contradict each other: ${why.lines.join("; ")}.`;
    return "This puzzle cannot be solved; which clues contradict each other was not found out in time.";
  }

  #clashes(solution) {
    return this.cells.flatMap((value, at) => (value !== UNKNOWN && value !== solution[at] ? [at] : []));
  }

  // The solutions that have all cells of the present state, as far as is known, and whether there is none for certain.
  #fitting() {
    const { record } = this;
    const fits = record.solutions.map((text) => text.replaceAll("/", "")).filter((text) => !this.#clashes(text).length);
    if (fits.length || record.complete) return { fits, none: !fits.length };
    const { found, complete } = search(record, this.cells, 1);
    return { fits: found, none: complete && !found.length };
  }

  hint() {
    if (this.solved) return { text: "Solved: every clue is met." };
    if (this.unsolvable) return { text: "No hint: no cells meet all clues." };
    const { fits, none } = this.#fitting();
    if (none) return this.#wrong();
    if (!fits.length) return { text: "Whether your cells can be completed could not be found out in time." };
    return this.#byLine() ?? this.#bySolutions(fits);
  }

  #byLine() {
    let second = null;
    for (const line of this.lines) {
      const settled = this.#settle(line);
      const fresh = (wanted) => settled.findIndex((now, i) => wanted(now) && this.cells[line.cells[i]] === UNKNOWN);
      for (const wanted of [isFilled, (value) => value === EMPTY]) {
        const found = fresh(wanted);
        if (found < 0 || (wanted !== isFilled && second)) continue;
        const at = line.cells[found],
          value = settled[found],
          word = valueText(this.record, value);
        const hint = {
          at,
          value,
          text: `${sentence(line.name)} (${clueText(line.clue)}) settles it: ${place(at, this.record.columns)} is ${word}.`,
        };
        if (wanted === isFilled) return hint;
        second = hint;
      }
    }
    return second;
  }

  #settle(line) {
    const cells = line.cells.map((at) => this.cells[at]);
    return settleLine(line.clue, cells, coloursOf(this.record));
  }

  #bySolutions(fits) {
    const { record } = this,
      { columns, complete } = record;
    const unknown = this.cells.flatMap((value, at) => (value === UNKNOWN ? [at] : []));
    const shared = complete ? unknown.filter((at) => fits.every((text) => text[at] === fits[0][at])) : [];
    const from = shared.length ? shared : unknown;
    const at = from.find((cell) => isFilled(fits[0][cell])) ?? from[0],
      value = fits[0][at];
    const what = `${place(at, columns)} is ${valueText(record, value)}`;
    const alone = "No line alone settles a cell.";
    if (shared.length && record.solutions.length === 1)
      return { at, value, text: `${alone} In the solution, ${what}.` };
    if (shared.length) return { at, value, text: `${alone} In every solution that has your cells, ${what}.` };
    if (complete)
      return { at, value, text: `${alone} ${fits.length} solutions have your cells; in one of them ${what}.` };
    return { at, value, text: `${alone} In a solution that has your cells, ${what}; others may differ.` };
  }

  #wrong() {
    const nearest = this.#nearest();
    if (!nearest) return { text: this.#broken().text };
    const at = nearest.cells[0],
      { columns, solutions } = this.record;
    const value = nearest.solution[at];
    const word = valueText(this.record, value);
    if (solutions.length === 1)
      return { at, value, wrong: true, text: `A mistake: ${place(at, columns)} is ${word} in the solution.` };
    const many = plural(nearest.cells.length, "cell");
    return {
      at,
      value,
      wrong: true,
      text: `No solution has all of your cells. The nearest differs in ${many}: there, ${place(at, columns)} is ${word}.`,
    };
  }

  // Of all solutions, if they are known, the one that the fewest cells clash with.
  #nearest() {
    if (!this.record.complete) return null;
    let best = null;
    for (const text of this.record.solutions) {
      const solution = text.replaceAll("/", ""),
        cells = this.#clashes(solution);
      if (!best || cells.length < best.cells.length) best = { solution, cells };
    }
    return best;
  }

  #broken() {
    const lines = this.lines.filter((line) => !this.#settle(line));
    const cells = new Set(lines.flatMap((line) => line.cells.filter((at) => this.cells[at] !== UNKNOWN)));
    if (!lines.length)
      return {
        cells,
        text: "No solution has all of your cells, though each line alone could be completed. Undo until a hint goes on.",
      };
    return {
      cells,
      text: `No solution has all of your cells: ${lines.map((line) => line.name).join(", ")} cannot be completed.`,
    };
  }

  mistakes() {
    const none = new Set();
    if (this.unsolvable) return { cells: none, text: "Nothing to check against: no cells meet all clues." };
    const { fits, none: impossible } = this.#fitting();
    if (fits.length) return { cells: none, text: "No mistake: these cells can be completed." };
    if (!impossible)
      return { cells: none, text: "Whether your cells can be completed could not be found out in time." };
    const nearest = this.#nearest();
    if (!nearest) return this.#broken();
    const many = plural(nearest.cells.length, "cell");
    const text =
      this.record.solutions.length === 1
        ? `${sentence(many)} wrong, marked.`
        : `No solution has all of your cells. The nearest differs in ${many}, marked.`;
    return { cells: new Set(nearest.cells), text };
  }
}
