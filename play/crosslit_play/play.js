// The panel to play in.

const isBoard = (record) => record.kind.endsWith("lights-out");

function gameOf(record) {
  if (!isBoard(record)) return new NonogramGame(record);
  return record.states ? new ModularGame(record) : new BoardGame(record);
}

class PlayPanel {
  // `play(record)` opens another puzzle; an empty panel is for paper, without what was played
  constructor(record, play, empty = false) {
    this.record = record;
    this.play = play;
    this.board = isBoard(record);
    this.game = gameOf(record);
    this.marked = new Set();
    this.hinted = null;
    this.editing = false;
    this.brush = FILLED;
    this.stage = element("div", { class: "stage" });
    this.counter = element("p", { class: "counter", "aria-live": "off" });
    this.status = element("p", { class: "status", role: "status", "aria-live": "polite" });
    this.where = element("p", { class: "where" });
    this.own = element("p", { class: "fine own" });
    this.notice = element("p", { class: "notice", hidden: true });
    this.doIt = button("Do it", () => this.followHint(), { disabled: true, id: "do-it" });
    const tools = element(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "Play" },
      button("Undo", () => this.undo(), { id: "undo" }),
      button("Redo", () => this.redo(), { id: "redo" }),
      button("Reset", () => this.reset(), { id: "reset" }),
      element("span", { class: "break" }),
      button("Hint", () => this.hint(), { id: "hint", class: "primary" }),
      this.doIt,
      button("Check", () => this.check(), { id: "check" }),
    );
    const side = element("div", { class: "side" }, this.own, this.notice, this.counter, tools, this.status);
    if (!this.board) side.prepend((this.brushes = this.#brushes()));
    side.append(this.#pageTools());
    if (record.kind === "lights-out") side.append(this.#boardTools());
    side.append(this.#keys());
    this.element = element("div", { class: "play" }, this.stage, side);
    this.element.addEventListener("keydown", (event) => this.#key(event));
    if (!empty) this.#recall();
    this.#build();
    if (this.game.state)
      this.status.textContent = this.game.solved ? this.#won() : "Your moves from last time are back.";
  }

  // The state as it was kept by the browser; what cannot be read is left.
  #recall() {
    try {
      this.game.state = remembered(this.record.text);
    } catch {
      // nothing was kept, or another version of this page kept it
    }
  }

  #build() {
    const { record, game } = this,
      shape = this.board ? game.rules : record;
    this.view?.observer.disconnect();
    this.view = new GridView({
      name: this.board ? "Lights Out board" : "nonogram",
      rows: shape.rows,
      columns: shape.columns,
      rowClues: record.row_clues,
      columnClues: record.column_clues,
      palette: record.palette,
      describe: (at) => (this.board ? this.#light(at) : this.#square(at)),
      act: (at, how) => this.act(at, how),
      stroke: this.board ? null : { drag: (cells) => this.drag(cells), cancel: () => this.cancel() },
      moved: (at) => this.#moved(at),
    });
    const zoom = (factor) => {
      this.view.zoom = Math.min(4, Math.max(0.4, this.view.zoom * factor));
      this.view.fit();
    };
    const big = Math.max(shape.rows, shape.columns) > 15;
    const sizes = element(
      "div",
      { class: "zoom", hidden: this.board && !big },
      button("−", () => zoom(0.8), { "aria-label": "smaller cells", hidden: !big }),
      button("+", () => zoom(1.25), { "aria-label": "larger cells", hidden: !big }),
      this.where,
    );
    this.stage.replaceChildren(this.view.element, sizes);
    if (record.palette) this.stage.append(legendOf(record));
    const unsolvable = game.unsolvable;
    this.own.textContent = game.own ? game.facts : "";
    this.notice.hidden = !unsolvable;
    this.notice.textContent = unsolvable;
    if (!this.board && record.why) this.view.markLines(new Set(record.why.chosen), "clash");
    this.#show("");
  }

  #light(at) {
    const { game } = this;
    if (game.isMissing(at)) return { classes: "missing", label: "missing" };
    const light = game.value(game.lit, at),
      times = game.value(game.pressed, at),
      numbers = game.states > 2;
    const classes = [numbers ? "light number" : "light"],
      said = [numbers ? String(light) : light ? "lit" : "dark"];
    if (light) classes.push("lit");
    if (times) {
      classes.push("pressed");
      said.push(numbers ? `pressed ${plural(times, "time")}` : "pressed");
    }
    if (game.lights && bit(game.lights, at)) {
      classes.push("even");
      said.push("one of the lights that contradict each other");
    }
    return { ...this.#marks(at, classes, said), ...(numbers && { value: light, times, states: game.states }) };
  }

  #square(at) {
    const value = this.game.cells[at];
    const classes = [isFilled(value) ? "filled" : value === EMPTY ? "crossed" : "open"];
    const marks = this.#marks(at, classes, [valueText(this.record, value)]);
    return { ...marks, colour: isFilled(value) ? VALUES.indexOf(value) : undefined };
  }

  #marks(at, classes, said) {
    if (this.hinted?.at === at) {
      classes.push("hinted");
      said.push("hint");
    }
    if (this.marked.has(at)) {
      classes.push("wrong");
      said.push("marked");
    }
    return { classes: classes.join(" "), label: said.join(", ") };
  }

  act(at, how) {
    const { game } = this;
    if (this.board && this.editing) {
      if (how !== "press" || game.isMissing(at)) return;
      const lit = game.start.slice();
      flip(lit, at);
      game.set(lit);
      this.#forget();
      return (this.#build(), this.view.focus(at));
    }
    if (this.board) return void (how === "press" && game.press(at) && this.#changed());
    const goal = how === "cross" ? EMPTY : this.brush;
    this.replaced = game.cells[at];
    this.painted = this.replaced === goal ? UNKNOWN : goal;
    game.set(at, this.painted);
    this.#changed();
  }

  // The cells that a drag goes over: those that are as its first cell was become what that became.
  drag(cells) {
    const { game } = this;
    const chosen = cells.filter((at) => game.cells[at] === this.replaced);
    for (const at of chosen) game.set(at, this.painted, true);
    if (chosen.length) this.#changed();
  }

  cancel() {
    this.game.cancel();
    this.#changed();
  }

  #changed() {
    this.#forget();
    this.#show(this.game.solved ? this.#won() : "");
  }

  #forget() {
    this.marked = new Set();
    this.hinted = null;
  }

  #won() {
    const { game } = this;
    if (!this.board) return "Solved: every clue is met.";
    const fewest =
      game.fewest === null ? "" : game.moves === game.fewest ? ", the fewest" : `; the fewest are ${game.fewest}`;
    return `Solved: all lights are out after ${plural(game.moves, "press", "presses")}${fewest}.`;
  }

  #show(text) {
    const { game } = this;
    remember(this.record.text, game.state);
    this.view.refresh();
    this.element.classList.toggle("solved", game.solved);
    this.status.textContent = text;
    this.doIt.disabled = this.hinted === null;
    this.counter.textContent = this.board
      ? `${plural(game.moves, "move")} · ${plural(game.on, "light")} on`
      : `${plural(game.moves, "move")} · ${plural(game.cells.filter(isFilled).length, "cell")} filled`;
    if (!this.board) {
      const done = game.lines.flatMap((line, number) => (game.lineDone(line) ? [number] : []));
      this.view.markLines(new Set(done), "done");
    }
  }

  undo() {
    const done = this.game.undo();
    this.#forget();
    this.#show(done ? "Undone." : "Nothing to undo.");
  }

  redo() {
    const done = this.game.redo();
    this.#forget();
    this.#show(done ? (this.game.solved ? this.#won() : "Done again.") : "Nothing to redo.");
  }

  reset() {
    this.game.reset();
    this.#forget();
    this.#show("From the start again. Redo brings the moves back.");
  }

  hint() {
    const hint = this.game.hint();
    this.#forget();
    if (hint.at !== undefined) {
      this.hinted = hint;
      this.view.reveal(hint.at);
    }
    this.#show(hint.text);
  }

  followHint() {
    const hint = this.hinted,
      focused = document.activeElement === this.doIt;
    if (!hint) return;
    if (this.board) for (let i = 0; i < hint.times; i++) this.game.press(hint.at);
    else this.game.set(hint.at, hint.value);
    this.#changed();
    if (!this.status.textContent) this.status.textContent = "Done.";
    if (focused) this.element.querySelector("#hint").focus(); // "Do it" is disabled now
  }

  check() {
    const { cells, text } = this.game.mistakes();
    this.hinted = null;
    this.marked = cells;
    this.#show(text);
  }

  #key(event) {
    if (event.target.closest("input, select, textarea")) return;
    const key = event.key.toLowerCase();
    if ((event.ctrlKey || event.metaKey) && key === "z") {
      event.preventDefault();
      if (event.shiftKey) this.redo();
      else this.undo();
    }
    if (event.ctrlKey && key === "y") {
      event.preventDefault();
      this.redo();
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === "u") this.undo();
    if (key === "r") this.redo();
    if (key === "h") this.hint();
    if (key === "d") this.followHint();
    if (key === "c") this.check();
    if (this.record.palette && /^[0-9]$/.test(key)) this.brushes.querySelector(`[value="${key}"]`)?.click();
  }

  #moved(at) {
    const { columns } = this.view,
      row = Math.floor(at / columns),
      column = at % columns;
    const { row_clues: across, column_clues: down } = this.record;
    this.where.textContent = this.board
      ? ""
      : `Row ${row + 1}: ${clueText(across[row])} · Column ${column + 1}: ${clueText(down[column])}`;
  }

  #brushes() {
    if (this.record.palette) return paletteOf(this.record, this.brush, (value) => (this.brush = value));
    const choice = (value, text) => {
      const input = element("input", { type: "radio", name: "brush", value, checked: value === FILLED });
      input.addEventListener("change", () => {
        this.brush = value;
      });
      return element("label", {}, input, ` ${text}`);
    };
    return element(
      "fieldset",
      { class: "brushes" },
      element("legend", {}, "A press makes a cell"),
      choice(FILLED, "filled"),
      choice(EMPTY, "empty (×)"),
    );
  }

  #pageTools() {
    const tools = element(
      "div",
      { class: "tools" },
      button("Copy link", () => this.#share(), { id: "share" }),
      button("Print", () => window.print(), { id: "print" }),
    );
    if (!this.board) tools.prepend(button("New nonogram", () => this.#renew(), { id: "new-nonogram" }));
    return tools;
  }

  // A random nonogram of about this size.
  #renew() {
    const record = randomRecord(Math.min(MAX_RANDOM, this.record.rows), Math.min(MAX_RANDOM, this.record.columns));
    if (record) this.play(record);
    else this.status.textContent = NOT_FOUND;
  }

  async #share() {
    const link = linkTo(this.game.own ? this.game.text : this.record.text);
    if (!link) return void (this.status.textContent = "This puzzle is too large for a link.");
    const copied = await copy(link);
    const where = location.protocol === "file:" ? " It needs this file in the same place." : "";
    this.status.textContent = copied ? `The link to this puzzle is copied.${where}` : `Copy this link: ${link}`;
  }

  #boardTools() {
    const { record, game } = this;
    const size = (text, id, value) => {
      const input = element("input", { type: "number", min: 1, max: 20, value: Math.min(20, value), id });
      return [element("label", { for: id }, text), input];
    };
    const [rowsLabel, rows] = size("rows", "new-rows", record.rows);
    const [columnsLabel, columns] = size("columns", "new-columns", record.columns);
    const start = (random, text) => {
      const [m, n] = [rows, columns].map((input) => Math.min(20, Math.max(1, Math.floor(Number(input.value)) || 1)));
      [rows.value, columns.value] = [m, n];
      game.renew(m, n, random);
      this.#forget();
      this.#build();
      this.status.textContent = text;
    };
    const editing = element("input", { type: "checkbox", id: "edit" });
    editing.addEventListener("change", () => {
      this.editing = editing.checked;
    });
    const settings = record.settings.length ? ` The rules stay: ${record.settings.join(", ")}.` : "";
    return element(
      "details",
      { class: "another" },
      element("summary", {}, "Another board"),
      element("div", { class: "tools" }, rowsLabel, rows, columnsLabel, columns),
      element(
        "div",
        { class: "tools" },
        button("Random, solvable", () => start("presses", "A new board, by random presses: it can be solved."), {
          id: "random",
        }),
        button("Random lights", () => start("lights", "A new board, of random lights."), { id: "random-lights" }),
        button("All dark", () => start("dark", "A dark board."), { id: "dark" }),
        button(
          "As given",
          () => {
            game.restore();
            this.#forget();
            this.#build();
            this.status.textContent = "The board as it was given.";
          },
          { id: "given" },
        ),
      ),
      element("label", {}, editing, " A press changes the light of that cell alone"),
      element("p", { class: "fine" }, `Up to 20 × 20.${settings}`),
    );
  }

  #keys() {
    const text = this.board
      ? "Arrow keys move, Space presses, U undoes, R redoes, H hints, D does what the hint says, C checks."
      : `Arrow keys move, Space fills${this.record.palette ? ", 1 to 9 choose a colour and 0 empty" : ""}, X marks empty (also the right mouse button), U undoes, R redoes, H hints, D does what the hint says, C checks. Drag along a row or a column to fill several cells; cells that are marked already stay. With two fingers, or on the clues, a large board scrolls.`;
    return element(
      "details",
      { class: "another" },
      element("summary", {}, "Keys and drags"),
      element("p", { class: "fine" }, `${text} Moves are kept in this browser, where it allows that.`),
    );
  }
}
