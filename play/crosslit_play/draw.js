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
          button("Is it unique?", () => (this.status.textContent = uniqueness(this.#record())), { id: "unique" }),
          button("Play it", () => this.play(this.#record()), { id: "play-it" }),
        ),
        this.status,
        element("p", { class: "fine" }, "As one argument of a command: crosslit solve 'ROWS|COLUMNS'."),
      ),
    );
    this.#build();
  }

  #read() {
    this.clues = cluesOf(this.rows, this.columns, this.cells);
    this.form.value = oneLine(...this.clues);
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
      rowClues: this.clues[0],
      columnClues: this.clues[1],
      describe: (at) => ({
        classes: this.cells[at] === FILLED ? "filled" : "open",
        label: this.cells[at] === FILLED ? "filled" : "empty",
      }),
      act: (at, how) => this.#act(at, how),
      stroke: { drag: (cells) => this.#paint(cells), cancel: () => this.#paint([...this.before.keys()], this.before) },
    });
    this.stage.replaceChildren(this.view.element);
    if (focused) this.view.focus(Math.min(current, this.cells.length - 1));
  }

  #act(at, how) {
    this.before = [...this.cells];
    this.stroke = how === "cross" || this.cells[at] === FILLED ? EMPTY : FILLED;
    this.#paint([at]);
  }

  #paint(cells, values = null) {
    for (const at of cells) this.cells[at] = values ? values[at] : this.stroke;
    this.status.textContent = "";
    this.#read();
    this.view.setClues(...this.clues);
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
    const copied = await copy(this.form.value);
    if (!copied) this.form.select();
    this.status.textContent = copied ? "Copied." : "Selected: copy it with the keys of your system.";
  }

  #record() {
    return nonogramRecord("Drawn nonogram", this.clues, this.cells.join(""));
  }
}
