// What is shown: elements whose text is only ever text, and grids of cells for mouse, touch, keyboard and screen readers.

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function button(text, act, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", act);
  return made;
}

const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
const place = (at, columns) => `row ${Math.floor(at / columns) + 1}, column ${(at % columns) + 1}`;
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// A grid of cells. `describe(at)` gives a cell's classes and what it is called; `act(at, how)` is told of what is done to
// it: "press", "cross" (right button or X), or "drag" (the mouse goes on to it). Without `act` the grid is a picture.
class GridView {
  constructor({ name, rows, columns, rowClues = null, columnClues = null, describe, act = null, moved = () => {} }) {
    Object.assign(this, { rows, columns, rowClues, columnClues, describe, act, moved });
    this.zoom = 1;
    this.current = 0;
    this.cells = [];
    this.heads = [];
    this.grid = element("div", {
      class: `grid${rowClues ? " clued" : ""}`,
      role: act ? "grid" : "img",
      "aria-label": name,
    });
    if (act) this.grid.setAttribute("aria-colcount", columns);
    if (columnClues) this.grid.append(this.#columnHeads());
    for (let row = 0; row < rows; row++) this.grid.append(this.#row(row));
    this.element = element("div", { class: "scroller" }, this.grid);
    if (rowClues) this.setClues(rowClues, columnClues);
    if (act) this.#listen();
    this.refresh();
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(this.element);
    this.fit();
  }

  #columnHeads() {
    const line = element(
      "div",
      { class: "line heads", role: this.act && "row" },
      element("span", { class: "corner", "aria-hidden": "true" }),
    );
    this.columnClues.forEach((_, column) => {
      const head = element("span", { class: "clue down", role: this.act && "columnheader" });
      this.heads[this.rows + column] = head;
      line.append(head);
    });
    return line;
  }

  #row(row) {
    const line = element("div", {
      class: `line${row % 5 === 4 && row + 1 < this.rows ? " fifth" : ""}`,
      role: this.act && "row",
    });
    if (this.rowClues) {
      this.heads[row] = element("span", { class: "clue across", role: this.act && "rowheader" });
      line.append(this.heads[row]);
    }
    for (let column = 0; column < this.columns; column++) {
      const at = row * this.columns + column;
      const cell = this.act
        ? element("button", { type: "button", role: "gridcell", tabindex: -1, "data-at": at })
        : element("span", { "data-at": at });
      this.cells.push(cell);
      line.append(cell);
    }
    return line;
  }

  // Other clues than before; the room that they take does not shrink while one draws.
  setClues(across, down) {
    [...across, ...down].forEach((clue, number) => {
      const head = this.heads[number],
        row = number < this.rows,
        text = clueText(clue);
      const name = row ? `row ${number + 1}: ${text}` : `column ${number - this.rows + 1}: ${text}`;
      if (head.dataset.name === name) return;
      head.dataset.name = name;
      if (this.act) head.setAttribute("aria-label", name);
      head.replaceChildren(
        ...(row ? [text] : (clue.length ? clue : [0]).map((block) => element("span", {}, String(block)))),
      );
    });
    const widest = Math.max(this.widest ?? 1, ...across.map((clue) => clueText(clue).length));
    const tallest = Math.max(this.tallest ?? 1, ...down.map((clue) => clue.length));
    if (widest === this.widest && tallest === this.tallest) return;
    Object.assign(this, { widest, tallest });
    if (this.element) this.fit();
  }

  refresh() {
    this.cells.forEach((cell, at) => {
      const { classes, label } = this.describe(at);
      const fifth = (at % this.columns) % 5 === 4 && (at + 1) % this.columns ? " fifth" : "";
      if (cell.className !== `cell ${classes}${fifth}`) cell.className = `cell ${classes}${fifth}`;
      const name = `${place(at, this.columns)}: ${label}`;
      if (this.act && cell.getAttribute("aria-label") !== name) cell.setAttribute("aria-label", name);
    });
    if (this.act && !this.cells.some((cell) => cell.tabIndex === 0)) this.cells[this.current].tabIndex = 0;
  }

  // Mark the clues of some lines, rows first, with a class.
  markLines(numbers, name) {
    this.heads.forEach((head, number) => head.classList.toggle(name, numbers.has(number)));
  }

  focus(at = this.current) {
    this.cells[this.current].tabIndex = -1;
    this.current = at;
    this.cells[at].tabIndex = 0;
    this.cells[at].focus();
  }

  reveal(at) {
    this.cells[at].scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // The largest cells with which the grid fits its box, and mostly the window; never too small to press.
  fit() {
    const room = this.element.clientWidth - 8,
      tall = window.innerHeight - 230;
    if (room <= 0) return;
    // a picture that does not fit leaves its clues out: the whole of it says more
    this.bare = !this.act && this.rowClues !== null && this.#size(9, true)[0] > room;
    const smallest = this.bare ? 3 : !this.act ? 9 : matchMedia("(pointer: coarse)").matches ? 24 : 13;
    let cell = this.rowClues ? 44 : 72;
    for (; cell > smallest; cell--) {
      const [width, height] = this.#size(cell);
      if (width <= room && (height <= tall || cell <= 24)) break;
    }
    cell = Math.max(this.bare ? 3 : 8, Math.round(cell * this.zoom));
    const [, , font, across, down] = this.#size(cell);
    const style = this.element.style; // the box too keeps clear of the clues that stay in sight
    style.setProperty("--cell", `${cell}px`);
    style.setProperty("--font", `${font}px`);
    style.setProperty("--across", `${across}px`);
    style.setProperty("--down", `${down}px`);
    this.element.classList.toggle("sticky", across < room / 3);
    this.element.classList.toggle("bare", this.bare);
  }

  #size(cell, clued = !this.bare) {
    const font = Math.min(15, Math.max(7, Math.round(cell * 0.56)));
    const across = this.rowClues && clued ? Math.ceil(this.widest * font * 0.6) + 12 : 0;
    const down = this.rowClues && clued ? Math.ceil(this.tallest * font * 1.2) + 8 : 0;
    return [
      across + this.columns * cell + this.columns / 5,
      down + this.rows * cell + this.rows / 5,
      font,
      across,
      down,
    ];
  }

  #listen() {
    let pressed = false,
      handled = false;
    const target = (event) => event.target.closest("[data-at]");
    const act = (cell, how) => {
      if (Number(cell.dataset.at) !== this.current) this.focus(Number(cell.dataset.at));
      this.act(Number(cell.dataset.at), how);
    };
    this.grid.addEventListener("pointerdown", (event) => {
      handled = false;
      if (event.pointerType !== "mouse" || event.button !== 0 || !target(event)) return;
      pressed = handled = true;
      act(target(event), "press");
    });
    this.grid.addEventListener("pointerover", (event) => {
      if (pressed && event.buttons & 1 && target(event)) this.act(Number(target(event).dataset.at), "drag");
    });
    window.addEventListener("pointerup", () => {
      pressed = false;
    });
    this.grid.addEventListener("click", (event) => {
      // also of a touch, of Enter, of a screen reader
      if (target(event) && !(handled && event.detail)) act(target(event), "press");
      handled = false;
    });
    this.grid.addEventListener("contextmenu", (event) => {
      if (!target(event)) return;
      event.preventDefault();
      act(target(event), "cross");
    });
    this.grid.addEventListener("focusin", (event) => {
      const cell = target(event);
      if (!cell) return;
      this.cells[this.current].tabIndex = -1;
      this.current = Number(cell.dataset.at);
      cell.tabIndex = 0;
      this.moved(this.current);
    });
    this.grid.addEventListener("keydown", (event) => {
      if ((event.ctrlKey && !["Home", "End"].includes(event.key)) || event.altKey || event.metaKey) return;
      if (event.key === "x" || event.key === "X") return void this.act(this.current, "cross");
      const at = this.#target(event.key, event.ctrlKey);
      if (at === null) return;
      event.preventDefault();
      this.focus(at);
    });
  }

  #target(key, whole) {
    const { rows, columns, current } = this;
    const row = Math.floor(current / columns),
      column = current % columns;
    switch (key) {
      case "ArrowUp":
        return row > 0 ? current - columns : current;
      case "ArrowDown":
        return row + 1 < rows ? current + columns : current;
      case "ArrowLeft":
        return column > 0 ? current - 1 : current;
      case "ArrowRight":
        return column + 1 < columns ? current + 1 : current;
      case "Home":
        return whole ? 0 : row * columns;
      case "End":
        return whole ? rows * columns - 1 : row * columns + columns - 1;
      default:
        return null;
    }
  }
}
