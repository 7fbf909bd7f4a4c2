// The scatter plot of two contestants: logarithmic axes, unsolved runs on lines at the edges, a mark for each puzzle.
// It is a single tab stop; arrow keys move between marks. Untrusted texts are only inserted as text.
const SHORTEST = 1e-6; // seconds; a logarithmic axis has no zero
const NEAR = 14; // maximum distance from the pointer to a mark, in pixels
const FACTORS = [1, 2, 1 / 2, 10, 1 / 10];
const COLOURS = 4; // the number of classes c0, c1, ... in the style
const SHAPES = [
  "M-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0-6.8 0",
  "M-3-3H3V3H-3Z",
  "M0-4L4 3H-4Z",
  "M0-4.4L4.4 0L0 4.4L-4.4 0Z",
  "M0 4L4-3H-4Z",
];

// Return a time with three significant digits, in ms below a second, as in the tables.
function duration(seconds) {
  if (seconds < 0) return "unsolved";
  const [value, unit] = seconds < 0.9995 ? [seconds * 1000, "ms"] : [seconds, "s"];
  return `${value < 1000 ? Number(value.toPrecision(3)) : Math.round(value)} ${unit}`;
}

// Return whether the first time wins and the two do not tie; -1 is unsolved.
function beats(a, b) {
  if (a < 0 || b < 0) return a >= 0 && b < 0;
  return b - a > Math.max(facts.ties[0] * b, facts.ties[1]);
}

function shape(name, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text) made.textContent = text;
  return made;
}

function shortened(text, length) {
  return text.length <= length ? text : `${text.slice(0, Math.max(1, length - 1))}…`;
}

// A time axis of a length in pixels, whose last part is for unsolved puzzles.
class Scale {
  constructor(times, pixels) {
    const solved = times.filter((time) => time >= 0).map((time) => Math.max(time, SHORTEST));
    if (!solved.length) solved.push(facts.limit / 10, facts.limit);
    this.low = solved.reduce((least, time) => Math.min(least, time)) / 1.4;
    this.high = solved.reduce((most, time) => Math.max(most, time)) * 1.4;
    this.edge = pixels * 0.96;
    this.end = pixels * 0.9;
  }

  at(time) {
    if (time < 0) return this.edge;
    return (this.end * Math.log(Math.max(time, SHORTEST) / this.low)) / Math.log(this.high / this.low);
  }

  // Return ticks at powers of ten; with 2 and 5 times these on a short axis, and fewer on a long one.
  ticks() {
    const decades = Math.log10(this.high / this.low);
    const step = Math.ceil((decades * 48) / this.end);
    const found = [];
    for (let power = Math.floor(Math.log10(this.low)); 10 ** power <= this.high; power += step) {
      for (const digit of decades < 2 ? [1, 2, 5] : [1]) found.push(digit * 10 ** power);
    }
    return found.filter((tick) => tick >= this.low && tick <= this.high);
  }
}

class Scatter {
  // `open` is called with a row of the table when its mark is opened.
  constructor(open) {
    this.open = open;
    this.rows = [];
    this.marks = [];
    this.current = null;
    const [figure, svg, tip, told, wins, families] = ["figure", "plot", "tip", "told", "wins", "families"].map((id) =>
      document.getElementById(id),
    );
    Object.assign(this, { figure, svg, tip, told, wins, families });
    this.choices = [document.getElementById("first"), document.getElementById("second")];
    this.choices.forEach((choice, at) => {
      facts.labels.forEach((label, number) => {
        const text = facts.ranked[number] ? label : `${label} (disqualified)`;
        choice.append(element("option", text, { value: number, selected: number === facts.pair[at] }));
      });
      choice.addEventListener("input", () => this.draw(this.rows));
    });
    document.getElementById("swap").addEventListener("click", () => {
      const [first, second] = this.choices.map((choice) => choice.value);
      [this.choices[0].value, this.choices[1].value] = [second, first];
      this.draw(this.rows);
    });
    svg.addEventListener("keydown", (event) => this.#key(event));
    svg.addEventListener("focus", () => {
      if (svg.matches(":focus-visible")) this.#show(this.current); // not after a click
    });
    svg.addEventListener("blur", () => this.#hide());
    svg.addEventListener("pointermove", (event) => {
      const mark = this.#nearest(event);
      svg.classList.toggle("over", mark !== null);
      if (mark) this.#show(mark);
      else this.#hide();
    });
    svg.addEventListener("pointerleave", () => this.#hide());
    svg.addEventListener("click", (event) => {
      const mark = this.#nearest(event);
      // a finger cannot hover: the first tap shows a mark, the second one opens it
      const seen = event.pointerType !== "touch" || mark === this.tapped;
      this.tapped = mark;
      if (mark && seen) this.open(mark.row);
      else if (mark) this.#show(mark);
    });
    addEventListener("resize", () => {
      if (figure.clientWidth !== this.room) this.draw(this.rows);
    });
  }

  draw(rows) {
    this.rows = rows;
    const [a, b] = this.choices.map((choice) => Number(choice.value));
    const [left, right, top, bottom] = [82, 28, 22, 44];
    this.room = this.figure.clientWidth;
    const side = Math.max(180, Math.min(this.room, 640) - left - right);
    const [width, height] = [side + left + right, side + top + bottom];
    // from all puzzles, so that filters do not move the axes
    const scale = new Scale([...facts.times[a], ...facts.times[b]].filter((time) => time !== null), side);
    const [kept, isShown] = [this.current?.row, !this.tip.hidden];
    this.#hide();
    this.marks = rows
      .map((row) => ({ row, times: [facts.times[a][row.at], facts.times[b][row.at]] }))
      .filter((mark) => mark.times.every((time) => time !== null));
    for (const mark of this.marks) {
      [mark.x, mark.y] = [left + scale.at(mark.times[0]), top + side - scale.at(mark.times[1])];
    }
    this.order = [
      [...this.marks].sort((one, other) => one.x - other.x || other.y - one.y),
      [...this.marks].sort((one, other) => other.y - one.y || one.x - other.x),
    ];
    this.current = this.marks.find((mark) => mark.row === kept) ?? this.order[0][0] ?? null;
    Object.assign(this, { width, height });
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.setAttribute("width", width);
    this.svg.setAttribute("height", height);
    this.svg.setAttribute("aria-label", `${facts.labels[a]} against ${facts.labels[b]}, ${this.marks.length} puzzles`);
    const field = shape("g", { transform: `translate(${left} ${top})` });
    field.append(...this.#axes(scale, side, facts.labels[a], facts.labels[b]));
    const marks = shape("g", { class: "marks" });
    marks.append(...this.marks.map((mark) => this.#drawn(mark)));
    this.ring = shape("circle", { class: "ring", r: 8, visibility: "hidden" });
    this.svg.replaceChildren(field, marks, this.ring);
    this.#tell(facts.labels[a], facts.labels[b]);
    if (isShown && this.current?.row === kept) this.#show(this.current);
  }

  *#axes(scale, side, a, b) {
    const level = (place) => side - place;
    yield shape("rect", { class: "field", width: side, height: side });
    for (const tick of scale.ticks()) {
      const at = scale.at(tick);
      yield shape("path", { class: "grid", d: `M${at} 0V${side}M0 ${level(at)}H${side}` });
      yield shape("text", { x: -6, y: level(at) + 4, "text-anchor": "end" }, duration(tick));
      if (at < scale.edge - 50) yield shape("text", { x: at, y: side + 16, "text-anchor": "middle" }, duration(tick));
    }
    for (const factor of FACTORS) {
      const [from, to] = [Math.max(scale.low, scale.low / factor), Math.min(scale.high, scale.high / factor)];
      if (from >= to) continue;
      const [x, y] = [scale.at(to), level(scale.at(to * factor))];
      const d = `M${scale.at(from)} ${level(scale.at(from * factor))}L${x} ${y}`;
      yield shape("path", { class: factor === 1 ? "equal" : "factor", d });
      if (factor > 1) yield shape("text", { x: x - 8, y: y + 3, "text-anchor": "end" }, `${factor} ×`);
    }
    yield shape("path", { class: "edge", d: `M${scale.edge} 0V${side}M0 ${level(scale.edge)}H${side}` });
    yield shape("text", { x: -6, y: level(scale.edge) + 4, "text-anchor": "end" }, "unsolved");
    yield shape("text", { x: scale.edge, y: side + 16, "text-anchor": "middle" }, "unsolved");
    const room = Math.floor(side / 7.5) - facts.measure.length - 2;
    const name = (text) => `${shortened(text, room)}, ${facts.measure}`;
    yield shape("text", { class: "name", x: side / 2, y: side + 36, "text-anchor": "middle" }, name(a));
    const turned = `translate(-66 ${side / 2}) rotate(-90)`;
    yield shape("text", { class: "name", transform: turned, "text-anchor": "middle" }, name(b));
  }

  #drawn(mark) {
    const family = Number(mark.row.row.dataset.family);
    const transform = `translate(${mark.x.toFixed(1)} ${mark.y.toFixed(1)})`;
    return shape("path", { class: `c${family % COLOURS}`, d: SHAPES[family % SHAPES.length], transform });
  }

  // Write the wins below the plot, and the legend of the families.
  #tell(a, b) {
    const won = (at) => this.marks.filter(({ times }) => beats(times[at], times[1 - at])).length;
    const [first, second] = [won(0), won(1)];
    const ties = this.marks.length - first - second;
    this.wins.textContent = this.marks.length
      ? `On ${this.marks.length} puzzles that both were asked: ${a} wins ${first} (above the diagonal),` +
        ` ${b} wins ${second} (below), ${ties} tie.`
      : "None of the puzzles shown was asked of both.";
    const families = new Map(this.marks.map(({ row }) => [row.row.dataset.family, row.cells[1]]));
    const known = COLOURS * SHAPES.length;
    const entries = [...families].slice(0, known).map(([number, name]) => {
      const entry = element("li");
      const size = { viewBox: "-6 -6 12 12", width: 14, height: 14 };
      const icon = shape("svg", { ...size, class: "marks", "aria-hidden": "true" });
      icon.append(shape("path", { class: `c${number % COLOURS}`, d: SHAPES[number % SHAPES.length] }));
      entry.append(icon, name || "(no family)");
      return entry;
    });
    if (families.size > known) entries.push(element("li", `and ${families.size - known} more, whose marks repeat`));
    this.families.replaceChildren(...(families.size > 1 ? entries : []));
  }

  #nearest(event) {
    const bounds = this.svg.getBoundingClientRect();
    const [x, y] = [event.clientX - bounds.left, event.clientY - bounds.top];
    let [best, least] = [null, NEAR];
    for (const mark of this.marks) {
      const distance = Math.hypot(mark.x - x, mark.y - y);
      if (distance < least) [best, least] = [mark, distance];
    }
    return best;
  }

  #key(event) {
    const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowUp: [1, 1], ArrowDown: [1, -1] };
    if (event.ctrlKey || event.altKey || event.metaKey || !this.marks.length) return;
    if (event.key in steps) {
      const [axis, step] = steps[event.key];
      const at = this.order[axis].indexOf(this.current) + step;
      this.#show(this.order[axis][Math.max(0, Math.min(at, this.marks.length - 1))]);
    } else if (event.key === "Home" || event.key === "End") {
      this.#show(this.order[0].at(event.key === "Home" ? 0 : -1));
    } else if (event.key === "Enter" || event.key === " ") {
      if (this.current) this.open(this.current.row);
    } else if (event.key === "Escape") {
      this.#hide();
    } else return;
    event.preventDefault();
  }

  #show(mark) {
    if (!mark || (mark === this.current && !this.tip.hidden)) return;
    this.current = mark;
    this.ring.setAttribute("cx", mark.x);
    this.ring.setAttribute("cy", mark.y);
    this.ring.setAttribute("visibility", "visible");
    const { row, times } = mark;
    const ends = this.choices.map((choice) => facts.endings[facts.ends[choice.value][row.at]]);
    const lines = this.choices.map((choice, at) => {
      const said = ends[at] === "complete" || ends[at] === "limit" ? "" : ` (${ends[at]})`;
      return `${facts.labels[choice.value]}: ${duration(times[at])}${said}`;
    });
    const nullity = facts.nullity[row.at] === null ? "" : `, nullity ${facts.nullity[row.at]}`;
    const about = `${row.cells[1]}, ${row.puzzle.shape}${nullity}`;
    const others = this.marks.filter((one) => Math.hypot(one.x - mark.x, one.y - mark.y) < 1).length - 1;
    const more = others ? [`${others} more at this place`] : [];
    this.told.textContent = [row.cells[0], about, ...lines, ...more].join("; ");
    const words = [about, ...lines, ...more].map((line) => element("p", line));
    const picture = row.puzzle.picture ? [Object.assign(imageOf(row.puzzle), { alt: "" })] : [];
    this.tip.replaceChildren(...picture, element("strong", row.cells[0]), ...words);
    this.tip.hidden = false;
    this.#place(mark);
  }

  // Place the tooltip on the side of the mark with more room.
  #place(mark) {
    const half = this.tip.offsetWidth / 2;
    const left = Math.max(0, Math.min(mark.x - half, this.figure.clientWidth - 2 * half));
    const isHigh = mark.y < this.height / 2;
    this.tip.style.left = `${left}px`;
    this.tip.style.top = isHigh ? `${mark.y + 14}px` : "auto";
    this.tip.style.bottom = isHigh ? "auto" : `${this.height - mark.y + 14}px`;
  }

  #hide() {
    this.tip.hidden = true;
    this.ring?.setAttribute("visibility", "hidden");
  }
}
