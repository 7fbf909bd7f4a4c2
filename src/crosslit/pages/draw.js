// The panel to draw a nonogram in.

class DrawPanel {
  constructor(play) {
    this.play = play;
    this.rows = this.columns = 10;
    this.cells = Array(100).fill(EMPTY);
    this.stage = element("div", { class: "stage" });
    this.form = element("textarea", { id: "one-line", readonly: true, rows: 3, spellcheck: "false" });
    this.status = element("p", { class: "status", role: "status", "aria-live": "polite" });
    const size = (text, id) => {
      const input = element("input", { type: "number", min: 1, max: 40, value: 10, id });
      input.addEventListener("change", () => this.#resize());
      return [element("label", { for: id }, text), input];
    };
    const [rowsLabel, rows] = size("rows", "draw-rows"),
      [columnsLabel, columns] = size("columns", "draw-columns");
    this.inputs = [rows, columns];
    this.element = element(
      "div",
      { class: "play" },
      this.stage,
      element(
        "div",
        { class: "side" },
        element("p", { class: "said" }, "Press cells to draw a picture; its clues follow."),
        element(
          "div",
          { class: "tools" },
          rowsLabel,
          rows,
          columnsLabel,
          columns,
          button("Clear", () => this.#clear(), { id: "clear" }),
        ),
        element("label", { for: "one-line" }, "The puzzle on one line"),
        this.form,
        element(
          "div",
          { class: "tools" },
          button("Copy", () => this.#copy(), { id: "copy", class: "primary" }),
          button("Is it unique?", () => this.#unique(), { id: "unique" }),
          button("Play it", () => this.#play(), { id: "play-it" }),
        ),
        this.status,
        element("p", { class: "fine" }, "As one argument of a command: crosslit solve 'ROWS|COLUMNS'."),
      ),
    );
    this.#build();
  }

  get text() {
    const side = (clues) => clues.map(clueText).join(",");
    return `${side(this.clues.rows)}|${side(this.clues.columns)}`;
  }

  #read() {
    const { rows, columns, cells } = this;
    this.clues = {
      rows: Array.from({ length: rows }, (_, r) => blocksOf(cells.slice(r * columns, (r + 1) * columns))),
      columns: Array.from({ length: columns }, (_, c) =>
        blocksOf(Array.from({ length: rows }, (__, r) => cells[r * columns + c])),
      ),
    };
    this.form.value = this.text;
  }

  #build() {
    this.#read();
    const focused = this.stage.contains(document.activeElement),
      current = this.view?.current ?? 0;
    this.view?.observer.disconnect();
    this.view = new GridView({
      name: "nonogram to draw",
      rows: this.rows,
      columns: this.columns,
      rowClues: this.clues.rows,
      columnClues: this.clues.columns,
      describe: (at) => ({
        classes: this.cells[at] === FILLED ? "filled" : "open",
        label: this.cells[at] === FILLED ? "filled" : "empty",
      }),
      act: (at, how) => this.#act(at, how),
    });
    this.stage.replaceChildren(this.view.element);
    if (focused) this.view.focus(Math.min(current, this.cells.length - 1));
  }

  #act(at, how) {
    if (how === "press") this.stroke = this.cells[at] === FILLED ? EMPTY : FILLED;
    this.cells[at] = how === "cross" ? EMPTY : (this.stroke ?? FILLED);
    this.status.textContent = "";
    this.#read();
    this.view.setClues(this.clues.rows, this.clues.columns);
    this.view.refresh();
  }

  #resize() {
    const [rows, columns] = this.inputs.map((input) => Math.min(40, Math.max(1, Math.floor(Number(input.value)) || 1)));
    const old = this.cells,
      width = this.columns;
    this.cells = Array.from({ length: rows * columns }, (_, at) => {
      const r = Math.floor(at / columns),
        c = at % columns;
      return c < width && r < this.rows ? old[r * width + c] : EMPTY;
    });
    Object.assign(this, { rows, columns });
    this.inputs.forEach((input, i) => {
      input.value = [rows, columns][i];
    });
    this.#build();
  }

  #clear() {
    this.cells.fill(EMPTY);
    this.#build();
  }

  async #copy() {
    this.form.focus();
    this.form.select();
    let copied = false;
    try {
      await navigator.clipboard.writeText(this.text);
      copied = true;
    } catch {
      copied = document.execCommand("copy"); // where the page may not use the clipboard by itself
    }
    this.status.textContent = copied ? "Copied." : "Selected: copy it with the keys of your system.";
  }

  #record() {
    const { rows, columns } = this;
    const record = {
      kind: "nonogram",
      name: "drawn here",
      text: this.text,
      rows,
      columns,
      row_clues: this.clues.rows,
      column_clues: this.clues.columns,
    };
    const { found, complete, late } = search(record, Array(rows * columns).fill(UNKNOWN), 17, 1500);
    const solutions = found.length ? found.slice(0, 16) : [this.cells.join("")];
    return {
      ...record,
      solutions,
      complete,
      more: found.length > 16,
      stopped: late ? "time ran out" : "",
      why: null,
      stories: [],
    };
  }

  #unique() {
    const { solutions, complete, more } = this.#record();
    this.status.textContent =
      complete && solutions.length === 1
        ? "Unique: this picture is the only solution."
        : complete
          ? `Not unique: there are ${solutions.length} solutions.`
          : solutions.length > 1
            ? `Not unique: there are ${more ? "more than 16" : `at least ${solutions.length}`} solutions.`
            : "Not found out in the time that a page may take: crosslit explain tells.";
  }

  #play() {
    this.play(this.#record());
  }
}
