// What is shown: elements whose text is only ever text, and a grid of cells.

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

// Give an element a colour of a palette as its fill, with letters that can be read on it; none without such a colour.
function paint(node, palette, colour) {
  const rgb = (colour > EMPTY && palette[colour]?.[1]) || "";
  const [red, green, blue] = [0, 2, 4].map((from) => parseInt(rgb.slice(from, from + 2), 16));
  node.style.setProperty("--fill", rgb && `#${rgb}`);
  node.style.setProperty("--on-fill", rgb && (299 * red + 587 * green + 114 * blue > 140000 ? "#16181d" : "#fff"));
  return node;
}

const MAX_CLUES = 0.4; // of the width, for clues that stay in sight

// The grid of a game, with the clues of a nonogram. With `actions` its cells are pressed as `Pointers` says, and with keys;
// without them it is a picture.
class GridView {
  constructor(game, actions = null) {
    const { rows, columns, clues = null, palette = [] } = game.record;
    Object.assign(this, { game, rows, columns, clues, palette, current: 0, cells: [], heads: [] });
    this.widest = Math.max(...(clues ?? []).slice(0, rows).map((clue) => game.clueText(clue).length));
    this.tallest = Math.max(1, ...(clues ?? []).slice(rows).map((clue) => clue.length));
    this.role = (role) => (actions ? role : null);
    this.grid = element("div", {
      class: `grid${clues ? " clued" : ""}${actions?.drag ? " strokes" : ""}`,
      role: this.role("grid") ?? "img",
      "aria-label": clues ? "nonogram" : "Lights Out board",
    });
    if (clues) this.grid.append(this.#line(0, "heads", element("span", { class: "corner" }), ...this.#columnHeads()));
    for (let row = 0; row < rows; row++) this.grid.append(this.#row(row));
    this.element = element("div", { class: `scroller${palette.length ? " coloured" : ""}` }, this.grid);
    if (palette.length) this.grid.style.setProperty("--card", `#${palette[0][1]}`);
    if (!actions) return;
    this.cells[0].tabIndex = 0;
    new Pointers(this, actions);
    this.grid.addEventListener("focusin", (event) => this.#select(this.at(event) ?? this.current));
    this.grid.addEventListener("keydown", (event) => this.#key(event));
  }

  #line(row, name, ...children) {
    const fifth = row % 5 === 4 && row + 1 < this.rows ? " fifth" : "";
    return element("div", { class: `line ${name}${fifth}`, role: this.role("row") }, ...children);
  }

  #columnHeads() {
    return Array.from({ length: this.columns }, (_, column) => this.#head(this.rows + column, "down", "columnheader"));
  }

  #head(line, name, role) {
    const { clue, name: label } = this.game.lines[line];
    const blocks = (clue.length ? clue : [[0, EMPTY]]).map(([length, colour]) => {
      if (!this.palette.length || !length) return element("span", {}, String(length));
      const chip = element("span", { class: "chip", "data-letter": LETTERS[colour - 1] }, String(length));
      return paint(chip, this.palette, colour);
    });
    const text = this.role(`${label}: ${this.game.clueText(clue)}`);
    this.heads[line] = element("span", { class: `clue ${name}`, role: this.role(role), "aria-label": text }, ...blocks);
    return this.heads[line];
  }

  #row(row) {
    const cells = Array.from({ length: this.columns }, (_, column) => {
      const at = row * this.columns + column;
      const attributes = { "data-at": at, "data-fifth": column % 5 === 4 && column + 1 < this.columns };
      if (this.role("gridcell")) Object.assign(attributes, { type: "button", role: "gridcell", tabindex: -1 });
      return element(attributes.role ? "button" : "span", attributes);
    });
    this.cells.push(...cells);
    return this.#line(row, "cells", ...(this.clues ? [this.#head(row, "across", "rowheader")] : []), ...cells);
  }

  // Show the cells of the game. `marks` are pairs of a class and the cells that have it, `words` what it means.
  refresh(marks = [], words = {}) {
    const marked = marks.map(([name, cells]) => [name, new Set(cells)]);
    this.game.looks().forEach(({ classes, label, text = "", times = "", shade = 0, colour = EMPTY }, at) => {
      const cell = this.cells[at],
        names = marked.flatMap(([name, cells]) => (cells.has(at) ? [name] : []));
      const name = ["cell", classes, ...names].join(" ");
      if (cell.className !== name) cell.className = name;
      if (this.palette.length) paint(cell, this.palette, colour);
      if (text) {
        cell.textContent = text;
        cell.dataset.times = times;
        cell.style.setProperty("--shade", `${100 * shade}%`);
      }
      const said = [`${this.game.place(at)}: ${label}`, ...names.map((name) => words[name] ?? name)].join(", ");
      if (this.role("gridcell") && cell.getAttribute("aria-label") !== said) cell.setAttribute("aria-label", said);
    });
  }

  // Give some clues a class, by the numbers of their lines.
  markLines(numbers, name) {
    this.heads.forEach((head, number) => head.classList.toggle(name, numbers.includes(number)));
  }

  #select(at) {
    this.cells[this.current].tabIndex = -1;
    this.current = at;
    this.cells[at].tabIndex = 0;
  }

  focus(at = this.current, preventScroll = false) {
    this.#select(at);
    this.cells[at].focus({ preventScroll });
  }

  #key(event) {
    const { rows, columns, current } = this,
      column = current % columns;
    if (event.altKey || event.metaKey || (event.ctrlKey && !["Home", "End"].includes(event.key))) return;
    const at = {
      ArrowUp: current - columns,
      ArrowDown: current + columns,
      ArrowLeft: column ? current - 1 : current,
      ArrowRight: column + 1 < columns ? current + 1 : current,
      Home: event.ctrlKey ? 0 : current - column,
      End: event.ctrlKey ? rows * columns - 1 : current - column + columns - 1,
    }[event.key];
    if (at === undefined) return;
    event.preventDefault();
    this.focus(at in this.cells ? at : current);
  }

  // The cell of an event, or null.
  at(event) {
    const cell = event.target.closest("[data-at]");
    return cell && Number(cell.dataset.at);
  }

  // The row and the column nearest to a point of the window; cells that are scrolled out of sight are not reached.
  nearest(x, y) {
    const box = this.element.getBoundingClientRect(),
      left = box.left + (this.element.classList.contains("sticky") ? this.across : 0);
    const first = this.cells[0].getBoundingClientRect(),
      last = this.cells.at(-1).getBoundingClientRect();
    const number = (point, from, to, count) =>
      Math.min(count - 1, Math.max(0, Math.floor(((point - from) / (to - from)) * count)));
    const within = (point, from, to) => Math.min(to - 1, Math.max(from, point));
    return [
      number(within(y, box.top + this.down, box.bottom), first.top, last.bottom, this.rows),
      number(within(x, left, box.right), first.left, last.right, this.columns),
    ];
  }

  // The largest cells with which the grid fits the width, and mostly the height: never too small to press, and on paper on
  // one sheet of A4 or Letter, below a heading.
  fit(onPaper = false) {
    const stage = this.element.parentElement;
    stage.style.removeProperty("--board"); // the room, before the stage shrinks to its grid
    const room = onPaper ? 640 : this.element.clientWidth - 8,
      tall = onPaper ? 860 : window.innerHeight - 230,
      least = onPaper ? 4 : matchMedia("(pointer: coarse)").matches ? 24 : 13;
    const isTooLarge = ({ cell, width, height }) => width > room || (height > tall && (onPaper || cell > 24));
    let sizes = this.#sizes(this.clues ? 60 : 90, room);
    while (sizes.cell > least && isTooLarge(sizes)) sizes = this.#sizes(sizes.cell - 1, room);
    Object.assign(this, { across: sizes.across, down: sizes.down }); // the box too keeps clear of clues that stay in sight
    for (const name of ["cell", "font", "across", "down"]) this.element.style.setProperty(`--${name}`, `${sizes[name]}px`);
    this.element.classList.toggle("sticky", sizes.across <= room * MAX_CLUES);
    const bar = this.element.offsetWidth - this.element.clientWidth;
    stage.style.setProperty("--board", `${this.grid.offsetWidth + 8 + bar}px`);
  }

  // The sizes of all for cells of a size; long clues are written smaller, down to what can be read, to stay in sight.
  #sizes(cell, room) {
    const across = (size) => (this.clues ? Math.ceil(this.widest * size * 0.6) + 12 : 0);
    let font = Math.min(20, Math.max(7, Math.round(cell * (cell > 27 ? 0.45 : 0.56))));
    while (font > 9 && across(font) > room * MAX_CLUES) font--;
    const down = this.clues ? Math.ceil(this.tallest * font * 1.2) + 8 : 0;
    const [width, height] = [this.columns, this.rows].map((count) => count * cell + count / 5);
    return { cell, font, across: across(font), down, width: across(font) + width, height: down + height };
  }
}
