// The panel in which the steps of a solver are played.

// What a board looks like at each step: how many rows of which presses have been made, or which press each light settles.
function boardFrames(record, story) {
  const { rows, columns } = record,
    game = gameOf(record),
    frames = [];
  const after = (presses, until) => {
    const left = game.start.slice();
    for (let at = 0; at < until * columns; at++)
      if (game.value(presses, at)) game.change(left, at, game.value(presses, at));
    return left;
  };
  const row = (bits, number) => Array.from({ length: columns }, (_, c) => bit(bits, number * columns + c)).join("");
  // press each row where the row above is still lit
  const chase = (first) => {
    const presses = bitsOf(first + "0".repeat((rows - 1) * columns)),
      left = after(presses, 1);
    frames.push({ presses, until: 1, words: `chase: press ${first} in the first row` });
    for (let r = 1; r < rows; r++) {
      for (let c = 0; c < columns; c++)
        if (bit(left, (r - 1) * columns + c)) {
          flip(presses, r * columns + c);
          game.change(left, r * columns + c);
        }
      frames.push({
        presses,
        until: r + 1,
        words: `chase: press ${row(presses, r)} in row ${r + 1}, below what is still lit in row ${r}`,
      });
    }
    return presses;
  };
  let presses = game.pressed;
  const settled = new Map();
  story.steps.forEach((step, number) => {
    const words = story.words[number],
      frame = { words, presses, until: 0 };
    if (step.step === "first-row" || step.step === "residue") {
      presses = chase(step.step === "residue" ? "0".repeat(columns) : step.row);
      Object.assign(frame, { presses, until: rows });
    } else if (step.step === "start") {
      frames.push(frame);
      presses = chase(step.row);
      return;
    } else if (
      step.step === "solution" ||
      step.step === "end" ||
      step.step === "gcd" ||
      step.step === "contradiction"
    ) {
      if (step.step === "solution") presses = game.cellsOf(step.cells);
      Object.assign(frame, { presses, until: rows });
    } else if (step.light) {
      const light = step.light[0] * columns + step.light[1],
        press = step.press && step.press[0] * columns + step.press[1];
      if (step.press) settled.set(press, light);
      Object.assign(frame, {
        light,
        press: step.press ? press : null,
        settled: settled.size,
        bad: step.step === "impossible",
      });
      frame.order = settled;
    }
    frames.push(frame);
  });
  return frames.map((frame) => ({
    words: frame.words,
    draw: () => {
      const left = after(frame.presses, frame.until);
      const done = new Set(frame.order ? [...frame.order.keys()].slice(0, frame.settled) : []);
      return {
        classes: (at) => {
          if (game.isMissing(at)) return "missing";
          const made = at < frame.until * columns && game.value(frame.presses, at);
          const now = frame.until && frame.until < rows && Math.floor(at / columns) === frame.until - 1;
          return [
            game.states > 2 ? "light number" : "light",
            game.value(left, at) ? "lit" : "",
            made ? "pressed" : "",
            now ? "now" : "",
            done.has(at) ? "settled" : "",
            at === frame.press ? "hinted" : "",
            at === frame.light ? (frame.bad ? "wrong" : "even") : "",
          ]
            .filter(Boolean)
            .join(" ");
        },
        numbers: (at) =>
          game.states > 2 &&
          !game.isMissing(at) && {
            value: game.value(left, at),
            times: frame.until ? game.value(frame.presses, at) : 0,
            states: game.states,
          },
      };
    },
  }));
}

// The value of a guess: whether the cell is filled, or "empty" or "of colour a".
function guessed(value) {
  const letter = /^of colour (.)$/.exec(value);
  return letter ? VALUES[LETTERS.indexOf(letter[1]) + 1] : value && value !== "empty" ? FILLED : EMPTY;
}

// What is known of a nonogram at each step, and where the limits of the line at hand are: told from the first step on.
function nonogramFrames(record, story) {
  const { rows, columns } = record,
    lines = linesOf(record);
  let state, reached;
  const restart = () => {
    state = {
      cells: Array(rows * columns).fill(UNKNOWN),
      stack: [],
      line: null,
      front: null,
      back: null,
      guess: null,
      bad: false,
    };
    reached = -1;
  };
  const take = (step) => {
    state.bad = step.step === "contradiction" || step.step === "sums";
    if (step.axis) {
      const number = step.axis === "row" ? step.line : rows + step.line;
      if (step.step === "line" || number !== state.line)
        Object.assign(state, { line: number, front: null, back: null });
      state.guess = null;
    }
    if (step.step === "front") state.front = step.starts;
    if (step.step === "back") state.back = step.starts;
    if (step.step === "settled")
      lines[state.line].cells.forEach((at, i) => {
        state.cells[at] = step.known[i];
      });
    if (step.step === "guess") {
      // one state for each value that is left to try
      if (step.left > state.stack.length)
        while (step.left > state.stack.length) state.stack.push(state.cells.slice());
      else state.cells = state.stack.pop();
      state.guess = step.cell[0] * columns + step.cell[1];
      state.cells[state.guess] = guessed(step.value);
      state.line = null;
    }
    if (step.step === "solution") {
      state.cells = [...step.cells.replaceAll("/", "")];
      Object.assign(state, { line: null, guess: null });
    }
    if (step.step === "end") state.line = null;
  };
  restart();
  return story.words.map((words, number) => ({
    words,
    draw: () => {
      if (number < reached) restart();
      while (reached < number) take(story.steps[++reached]);
      const { cells, line, front, back, guess, bad } = state;
      const inLine = new Set(line === null ? [] : lines[line].cells);
      return {
        classes: (at) =>
          [
            isFilled(cells[at]) ? "filled" : cells[at] === EMPTY ? "crossed" : "open",
            inLine.has(at) ? (bad ? "now bad" : "now") : "",
            at === guess ? "hinted" : "",
          ]
            .filter(Boolean)
            .join(" "),
        colour: (at) => (isFilled(cells[at]) ? VALUES.indexOf(cells[at]) : undefined),
        line:
          line === null
            ? null
            : { ...lines[line], number: line, known: lines[line].cells.map((at) => cells[at]), front, back },
      };
    },
  }));
}

class StoryPanel {
  constructor(record) {
    this.record = record;
    this.element = element("div", { class: "story" });
    if (!record.stories.length) {
      this.element.append(element("p", {}, "No solver told its steps on this puzzle."));
      return;
    }
    this.said = element("p", { class: "said", role: "status", "aria-live": "polite", id: "said" });
    this.cut = element("p", { class: "fine" });
    this.count = element("span", { class: "count" });
    this.slider = element("input", { type: "range", min: 0, value: 0, id: "slider", "aria-label": "step" });
    this.slider.addEventListener("input", () => {
      this.stop();
      this.show(Number(this.slider.value));
    });
    const go = (change) => () => {
      this.stop();
      this.show(this.at + change);
    };
    this.player = button("Play", () => (this.timer ? this.stop() : this.start()), {
      id: "play-steps",
      class: "primary",
    });
    const choose = element("select", { id: "which-story", "aria-label": "solver" });
    record.stories.forEach((story, number) => choose.append(element("option", { value: number }, story.title)));
    choose.addEventListener("change", () => this.tell(Number(choose.value)));
    const tools = element(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "Steps" },
      button("First", go(-1e9), { id: "first" }),
      button("Back", go(-1), { id: "back" }),
      this.player,
      button("Next", go(1), { id: "next" }),
      button("Last", go(1e9), { id: "last" }),
      this.count,
    );
    this.strips = element("div", { class: "strips", "aria-hidden": "true" });
    this.view = new GridView({
      name: "what the solver knows",
      rows: record.rows,
      columns: record.columns,
      rowClues: record.row_clues,
      columnClues: record.column_clues,
      palette: record.palette,
      describe: (at) => ({
        classes: this.drawn ? this.drawn.classes(at) : "open",
        label: "",
        colour: this.drawn?.colour?.(at),
        ...this.drawn?.numbers?.(at),
      }),
    });
    const controls = element(
      "div",
      { class: "side" },
      element("label", { class: "which" }, "Solver ", choose),
      tools,
      this.slider,
      this.said,
      this.strips,
      this.cut,
    );
    this.element.append(
      element("div", { class: "play" }, element("div", { class: "stage" }, this.view.element), controls),
    );
    this.tell(0);
  }

  tell(number) {
    this.stop();
    const story = this.record.stories[number];
    this.frames =
      isBoard(this.record) ? boardFrames(this.record, story) : nonogramFrames(this.record, story);
    this.slider.max = this.frames.length - 1;
    this.cut.textContent = story.whole
      ? ""
      : `Cut off: the story goes on after these ${story.steps.length} steps, which are all that the page holds.`;
    this.show(0);
  }

  show(at) {
    this.at = Math.min(this.frames.length - 1, Math.max(0, at));
    const frame = this.frames[this.at];
    this.drawn = frame.draw();
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", frame.words);
    this.count.textContent = `${this.at + 1} of ${this.frames.length}`;
    this.said.textContent = sentence(frame.words.trim());
    this.view.refresh();
    this.view.markLines(new Set(this.drawn.line ? [this.drawn.line.number] : []), "now");
    this.#draw(this.drawn.line);
  }

  // The line at hand: its blocks at the front limit, what is known, and its blocks at the back limit.
  #draw(line) {
    this.strips.replaceChildren();
    if (!line) return;
    const name = `${sentence(line.name)} (${clueText(line.clue)})`;
    this.strips.append(element("p", { class: "fine" }, name));
    const strip = (title, cells) => {
      const { palette } = this.record;
      const boxes = cells.map(([classes, text, colour]) => {
        const box = element("span", { class: `box ${classes}` }, text);
        return palette ? paint(box, palette, colour) : box;
      });
      this.strips.append(
        element(
          "div",
          { class: "strip" },
          element("span", { class: "title" }, title),
          element("span", { class: "boxes" }, ...boxes),
        ),
      );
    };
    const blocks = (starts) => {
      const cells = line.known.map(() => ["none", ""]);
      starts?.forEach((from, block) => {
        const length = lengthOf(line.clue[block]),
          colour = colourOf(line.clue[block]),
          look = this.record.palette ? "filled" : block % 2 ? "second" : "first";
        for (let at = Math.max(0, from); at < from + length && at < cells.length; at++)
          cells[at] = [`block ${look}`, at === from && cells.length <= 25 ? String(length) : "", colour];
      });
      return cells;
    };
    if (line.front) strip("front", blocks(line.front));
    strip(
      "known",
      line.known.map((value) => [
        isFilled(value) ? "filled" : value === EMPTY ? "crossed" : "open",
        "",
        isFilled(value) ? VALUES.indexOf(value) : undefined,
      ]),
    );
    if (line.back) strip("back", blocks(line.back));
  }

  start() {
    if (this.at === this.frames.length - 1) this.show(0);
    this.said.setAttribute("aria-live", "off"); // words that follow each other so fast are no help to hear
    this.player.textContent = "Stop";
    const pause = this.frames.length > 300 ? 60 : isBoard(this.record) ? 450 : 250;
    this.timer = setInterval(() => (this.at < this.frames.length - 1 ? this.show(this.at + 1) : this.stop()), pause);
  }

  stop() {
    if (!this.timer) return;
    clearInterval(this.timer);
    this.timer = null;
    this.said.setAttribute("aria-live", "polite");
    this.player.textContent = "Play";
  }
}
