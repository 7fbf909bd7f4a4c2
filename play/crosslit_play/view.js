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

// Put a text on the clipboard; false if the browser forbids it.
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // where the page may not use the clipboard by itself
    const field = element("textarea", { class: "copied" }, text);
    const focused = document.activeElement;
    document.body.append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    focused?.focus();
    return copied;
  }
}

const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
const place = (at, columns) => `row ${Math.floor(at / columns) + 1}, column ${(at % columns) + 1}`;
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// Give an element the colour with a number as its fill, with letters that can be read on it; none without a number.
function paint(node, palette, colour) {
  const rgb = palette[colour]?.[1] ?? "";
  const [red, green, blue] = [0, 2, 4].map((from) => parseInt(rgb.slice(from, from + 2), 16));
  node.style.setProperty("--fill", rgb && `#${rgb}`);
  node.style.setProperty("--on-fill", rgb && (299 * red + 587 * green + 114 * blue > 140000 ? "#16181d" : "#fff"));
  return node;
}

const MAX_CLUES = 0.4; // of the width, for clues that stay in sight

// A grid of cells. `describe(at)` gives a cell's classes, what it is called, and its colour where there is a palette; `act(at, how)` is called when it is
// pressed: how is "press" or "cross" (right button or X). Without `act` the grid is a picture. With `stroke`, drags go on
// from a press: `stroke.drag(cells)` for the cells on the way, `stroke.cancel()` if the browser took the drag for itself.
class GridView {
  constructor(options) {
    const { name, rows, columns, rowClues = null, columnClues = null, palette = null, describe } = options;
    const { act = null, stroke = null, moved = () => {} } = options;
    Object.assign(this, { rows, columns, rowClues, columnClues, palette, describe, act, stroke, moved });
    this.zoom = 1;
    this.current = 0;
    this.cells = [];
    this.heads = [];
    this.grid = element("div", {
      class: `grid${rowClues ? " clued" : ""}${stroke ? " strokes" : ""}`,
      role: act ? "grid" : "img",
      "aria-label": name,
    });
    if (act) this.grid.setAttribute("aria-colcount", columns);
    if (columnClues) this.grid.append(this.#columnHeads());
    for (let row = 0; row < rows; row++) this.grid.append(this.#row(row));
    this.element = element("div", { class: `scroller${palette ? " coloured" : ""}` }, this.grid);
    if (palette) this.grid.style.setProperty("--card", `#${palette[0][1]}`);
    if (rowClues) this.setClues(rowClues, columnClues);
    if (act) {
      new Pointers(this);
      this.#listen();
    }
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
      const blocks = (clue.length ? clue : [0]).map((block) => this.#block(block));
      head.replaceChildren(...(row && !this.palette ? [text] : blocks));
    });
    const widest = Math.max(this.widest ?? 1, ...across.map((clue) => clueText(clue).length));
    const tallest = Math.max(this.tallest ?? 1, ...down.map((clue) => clue.length));
    if (widest === this.widest && tallest === this.tallest) return;
    Object.assign(this, { widest, tallest });
    if (this.element) this.fit();
  }

  #block(block) {
    if (!this.palette || !block) return element("span", {}, String(block));
    const chip = element("span", { class: "chip", "data-letter": LETTERS[colourOf(block) - 1] }, String(lengthOf(block)));
    return paint(chip, this.palette, colourOf(block));
  }

  refresh() {
    this.cells.forEach((cell, at) => {
      const { classes, label, colour, ...numbers } = this.describe(at);
      if (this.palette) paint(cell, this.palette, colour);
      if (numbers.states) this.#number(cell, numbers);
      const fifth = (at % this.columns) % 5 === 4 && (at + 1) % this.columns ? " fifth" : "";
      if (cell.className !== `cell ${classes}${fifth}`) cell.className = `cell ${classes}${fifth}`;
      const name = `${place(at, this.columns)}: ${label}`;
      if (this.act && cell.getAttribute("aria-label") !== name) cell.setAttribute("aria-label", name);
    });
    if (this.act && !this.cells.some((cell) => cell.tabIndex === 0)) this.cells[this.current].tabIndex = 0;
  }

  // A light of several states: its number, brighter for larger ones, and how often it was pressed.
  #number(cell, { value, times, states }) {
    if (cell.textContent !== String(value)) cell.textContent = value;
    cell.dataset.times = times || "";
    cell.style.setProperty("--shade", `${(100 * value) / (states - 1)}%`);
  }

  // Mark the clues of some lines, rows first, with a class.
  markLines(numbers, name) {
    this.heads.forEach((head, number) => head.classList.toggle(name, numbers.has(number)));
  }

  focus(at = this.current, preventScroll = false) {
    this.cells[this.current].tabIndex = -1;
    this.current = at;
    this.cells[at].tabIndex = 0;
    this.cells[at].focus({ preventScroll });
  }

  // The cell of an event, or null.
  at(event) {
    const cell = event.target.closest("[data-at]");
    return cell && Number(cell.dataset.at);
  }

  // The row and the column nearest to a point of the window; cells that are scrolled out of sight are not reached.
  nearest(x, y) {
    const box = this.element.getBoundingClientRect(),
      clues = this.element.classList.contains("sticky") ? this.across : 0;
    const first = this.cells[0].getBoundingClientRect(),
      last = this.cells.at(-1).getBoundingClientRect();
    const number = (point, from, to, count) =>
      Math.min(count - 1, Math.max(0, Math.floor(((point - from) / (to - from)) * count)));
    const within = (point, from, to) => Math.min(to - 1, Math.max(from, point));
    return [
      number(within(y, box.top + this.down, box.bottom), first.top, last.bottom, this.rows),
      number(within(x, box.left + clues, box.right), first.left, last.right, this.columns),
    ];
  }

  reveal(at) {
    this.cells[at].scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // The largest cells with which the grid fits its box, and mostly the window; never too small to press.
  fit() {
    const stage = this.element.parentElement;
    stage?.style.removeProperty("--board"); // the room, before the stage shrinks to its grid
    const room = this.element.clientWidth - 8;
    const smallest = matchMedia("(pointer: coarse)").matches ? 24 : 13;
    if (room > 0) this.#size({ room, tall: window.innerHeight - 230, smallest, scrolled: 24, zoom: this.zoom });
    const bar = this.element.offsetWidth - this.element.clientWidth;
    stage?.style.setProperty("--board", `${this.grid.offsetWidth + 8 + bar}px`);
  }

  // All of the grid on one sheet of A4 or Letter, below a heading.
  fitPaper() {
    this.#size({ room: 640, tall: 860, smallest: 4, scrolled: 4, zoom: 1 });
  }

  // Cells of up to `scrolled` pixels need not fit in the height: the window scrolls.
  #size({ room, tall, smallest, scrolled, zoom }) {
    // a picture that does not fit leaves its clues out: the whole of it says more
    this.bare = !this.act && this.rowClues !== null && this.#sizes(9, true).width > room;
    const least = this.bare ? 3 : this.act ? smallest : 9;
    let cell = this.rowClues ? 60 : 90;
    for (; cell > least; cell--) {
      const { width, height } = this.#sizes(cell);
      if (width <= room && (height <= tall || cell <= scrolled)) break;
    }
    cell = Math.max(this.bare ? 3 : 4, Math.round(cell * zoom));
    const { font, across, down } = this.#sizes(cell, !this.bare, room);
    Object.assign(this, { across, down });
    const style = this.element.style; // the box too keeps clear of the clues that stay in sight
    style.setProperty("--cell", `${cell}px`);
    style.setProperty("--font", `${font}px`);
    style.setProperty("--across", `${across}px`);
    style.setProperty("--down", `${down}px`);
    this.element.classList.toggle("sticky", across <= room * MAX_CLUES);
    this.element.classList.toggle("bare", this.bare);
  }

  // The sizes of all for cells of a size; long clues are written smaller, down to what can be read, to stay in sight.
  #sizes(cell, clued = !this.bare, room = Infinity) {
    const shown = this.rowClues && clued,
      across = (font) => (shown ? Math.ceil(this.widest * font * 0.6) + 12 : 0);
    let font = Math.min(20, Math.max(7, Math.round(cell * (cell > 27 ? 0.45 : 0.56))));
    while (font > 9 && across(font) > room * MAX_CLUES) font--;
    const down = shown ? Math.ceil(this.tallest * font * 1.2) + 8 : 0;
    const [width, height] = [this.columns, this.rows].map((count) => count * cell + count / 5);
    return { width: across(font) + width, height: down + height, font, across: across(font), down };
  }

  #listen() {
    this.grid.addEventListener("focusin", (event) => {
      const at = this.at(event);
      if (at === null) return;
      this.cells[this.current].tabIndex = -1;
      this.current = at;
      this.cells[at].tabIndex = 0;
      this.moved(at);
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
