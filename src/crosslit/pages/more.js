// The panels of all solutions, and of a nonogram to draw.

function shape(tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

// A picture of cells: `kind(at)` names the class that each is drawn with.
function picture(rows, columns, name, kind) {
  const svg = shape("svg", {
    viewBox: `-0.5 -0.5 ${columns * 10 + 1} ${rows * 10 + 1}`,
    role: "img",
    "aria-label": name,
  });
  const paths = new Map([["paper", `M0 0h${columns * 10}v${rows * 10}h${-columns * 10}z`]]);
  for (let at = 0; at < rows * columns; at++)
    for (const drawn of kind(at)) {
      const x = (at % columns) * 10,
        y = Math.floor(at / columns) * 10;
      const path =
        drawn === "press"
          ? `M${x + 2} ${y + 5}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z`
          : drawn === "framed"
            ? `M${x + 0.8} ${y + 0.8}h8.4v8.4h-8.4z`
            : `M${x} ${y}h10v10h-10z`;
      paths.set(drawn, (paths.get(drawn) ?? "") + path);
    }
  if (rows <= 30 && columns <= 30) {
    let lines = "";
    for (let r = 1; r < rows; r++) lines += `M0 ${r * 10}h${columns * 10}`;
    for (let c = 1; c < columns; c++) lines += `M${c * 10} 0v${rows * 10}`;
    paths.set("mesh", lines);
  }
  for (const drawn of ["paper", "missing", "varies", "filled", "filled-varies", "press", "mesh", "framed"])
    if (paths.has(drawn)) svg.append(shape("path", { class: drawn, d: paths.get(drawn) }));
  return svg;
}

class SolutionsPanel {
  constructor(record) {
    const { rows, columns, complete, more, stopped } = record,
      board = record.kind === "lights-out";
    const solutions = record.solutions.map((text) => text.replaceAll("/", ""));
    this.element = element("div", { class: "solutions" });
    const say = (text) => this.element.append(element("p", { class: "said" }, text));
    const number = solutions.length;
    if (!number && complete)
      return void say(`There is no solution. ${(board ? new BoardGame(record) : new NonogramGame(record)).unsolvable}`);
    if (!number) return void say(`No solution was found: the search ended early (${stopped}).`);
    const power = board && record.nullity !== null ? 2 ** record.nullity : null;
    if (complete)
      say(number === 1 ? "There is one solution, and no other." : `There are ${number} solutions, all shown.`);
    else if (more && power > number) say(`There are 2^${record.nullity} solutions; these are ${number} of them.`);
    else if (more) say(`There are more than ${number} solutions; these are ${number} of them.`);
    else
      say(
        `The search ended early (${stopped}): ${number === 1 ? "this is a solution; there may be others" : `these are ${number} solutions; there may be more`}.`,
      );
    const varies = (at) => solutions.some((text) => text[at] !== solutions[0][at]);
    const varying = [...solutions[0]].flatMap((_, at) => (varies(at) ? [at] : []));
    const missing = record.missing && bitsOf(record.missing),
      different = new Set(varying);
    const kinds = (value, at) => {
      if (missing && bit(missing, at)) return ["missing"];
      const varying = different.has(at) ? ["varies"] : [];
      if (value !== FILLED) return varying;
      return board ? [...varying, "press"] : [varying.length ? "filled-varies" : "filled"];
    };
    const list = element("ol", { class: `gallery${number === 1 ? " alone" : ""}` });
    const show = (title, detail, kind) =>
      list.append(
        element(
          "li",
          {},
          element(
            "figure",
            {},
            picture(rows, columns, `${title}. ${detail}`, kind),
            element("figcaption", {}, title, element("span", { class: "fine" }, ` ${detail}`)),
          ),
        ),
      );
    if (number > 1) {
      say(
        `They differ in ${plural(varying.length, "cell")}, tinted${varying.length <= 12 ? `: ${varying.map((at) => place(at, columns)).join("; ")}` : ""}.`,
      );
      show(
        "What they share",
        `${plural(rows * columns - varying.length - (missing ? weight(missing) : 0), "cell")} alike`,
        (at) => (different.has(at) ? ["framed"] : kinds(solutions[0][at], at)),
      );
    }
    const word = board ? ["press", "presses"] : ["filled cell", "filled cells"];
    solutions.forEach((text, i) =>
      show(`Solution ${i + 1}`, plural([...text].filter((cell) => cell === FILLED).length, ...word), (at) =>
        kinds(text[at], at),
      ),
    );
    this.element.append(list);
  }
}

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
