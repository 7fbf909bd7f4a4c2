// The panel to play in.

const MARKS = { hinted: "hint", wrong: "marked", even: "one of the lights that contradict each other" };

class PlayPanel {
  constructor(record) {
    const game = gameOf(record);
    Object.assign(this, { record, game, brush: 1, wrong: [], advice: null });
    const strokes = { drag: (cells) => this.#drag(cells), cancel: () => this.#change(() => game.cancel()) };
    this.view = new GridView(game, { act: (at, how) => this.#act(at, how), ...(record.clues && strokes) });
    this.counter = element("p", { class: "counter" });
    this.status = element("p", { class: "status", role: "status" });
    this.followButton = button("Do it", () => this.#follow(), { id: "do-it" });
    const tools = element(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "Play" },
      button("Undo", () => this.#change(() => game.undo()), { id: "undo" }),
      button("Redo", () => this.#change(() => game.redo()), { id: "redo" }),
      button("Reset", () => this.#reset(), { id: "reset" }),
      element("span", { class: "break" }),
      button("Hint", () => this.#hint(), { id: "hint", class: "primary" }),
      this.followButton,
      button("Check", () => this.#check(), { id: "check" }),
    );
    const side = element("div", { class: "side" }, this.counter, tools, this.status, this.#keys());
    if (record.why) side.prepend(element("p", { class: "notice" }, record.why.words));
    if (record.clues) side.prepend(this.#palette());
    const stage = element("div", { class: "stage" }, this.view.element);
    if (record.palette?.length) stage.append(this.#legend());
    this.element = element("div", { class: "play" }, stage, side);
    this.element.addEventListener("keydown", (event) => this.#key(event));
    if (record.why && record.clues) this.view.markLines(record.why.marked, "clash");
    this.#show();
  }

  // Go on with the moves that the browser has kept.
  recall() {
    recall(this.game);
    this.#show(this.game.moves.length ? "Your moves from last time are back." : "");
    return this;
  }

  // Make a change of the game and show it.
  #change(make) {
    make();
    Object.assign(this, { wrong: [], advice: null });
    remember(this.game);
    this.#show(this.game.solved ? this.game.praise : "");
  }

  #show(text = "") {
    const { game, record } = this;
    const marks = [
      ["hinted", this.advice?.follow ? [this.advice.at] : []],
      ["wrong", this.wrong],
      ["even", (record.lights && record.why?.marked) || []],
    ];
    this.view.refresh(marks, MARKS);
    this.element.classList.toggle("solved", game.solved);
    this.status.textContent = text;
    this.counter.textContent = game.counter;
    this.followButton.disabled = !this.advice?.follow;
    const done = game.lines?.flatMap((line, number) => (game.isDone(line) ? [number] : []));
    this.view.markLines(done ?? [], "done");
  }

  #act(at, how) {
    const { game } = this;
    if (this.record.lights) return this.#change(() => game.press(at));
    const value = how === "cross" ? EMPTY : this.brush;
    this.replaced = game.cells[at];
    this.painted = this.replaced === value ? UNKNOWN : value;
    this.#change(() => game.set(at, this.painted));
  }

  // The cells that a drag goes over: those that are as its first cell was become what that became.
  #drag(cells) {
    const { game } = this;
    const chosen = cells.filter((at) => game.cells[at] === this.replaced);
    if (chosen.length) this.#change(() => chosen.forEach((at) => game.set(at, this.painted, true)));
  }

  #reset() {
    this.#change(() => {
      while (this.game.undo());
    });
  }

  #hint() {
    this.wrong = [];
    this.advice = this.game.hint();
    this.#show(this.advice.text);
    if (this.advice.follow) this.view.cells[this.advice.at].scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  #follow() {
    if (this.advice?.follow) this.#change(this.advice.follow);
  }

  #check() {
    const { cells, text } = this.game.check();
    Object.assign(this, { wrong: cells, advice: null });
    this.#show(text);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase(),
      id = { u: "undo", r: "redo", h: "hint", d: "do-it", c: "check" }[key];
    if (id) this.element.querySelector(`#${id}`).click();
    if (key === "x" && this.record.clues) this.#act(this.view.current, "cross");
    if (/^[0-9]$/.test(key)) this.element.querySelector(`.swatch [value="${key}"]`)?.click();
  }

  // What a press makes of a cell: a colour, "empty" or "not known".
  #palette() {
    const { game, record } = this,
      legend = element("legend");
    const choose = (value) => {
      this.brush = value;
      legend.textContent = `A press makes a cell: ${game.nameOf(value)}`;
    };
    const swatch = (value) => {
      const name = game.nameOf(value),
        sign = value === EMPTY ? "×" : value === UNKNOWN ? "?" : record.palette.length ? LETTERS[value - 1] : "";
      const input = element("input", { type: "radio", name: "brush", value, "aria-label": name, checked: value === 1 });
      const label = element("label", { class: `swatch${value > EMPTY ? " filled" : ""}`, title: name }, input, sign);
      input.addEventListener("change", () => choose(value));
      // at once: browsers drop the click of a finger that comes soon after another
      label.addEventListener("pointerdown", () => {
        input.checked = true;
        choose(value);
      });
      return paint(label, record.palette, value);
    };
    const [unknown, empty, ...colours] = game.values;
    choose(this.brush);
    return element("fieldset", { class: "palette" }, legend, ...[...colours, empty, unknown].map(swatch));
  }

  // The colours on paper.
  #legend() {
    const names = this.game.colours.map((name, number) => `${LETTERS[number]} ${name}`);
    return element("p", { class: "legend" }, names.join(", "));
  }

  #keys() {
    const text = this.record.lights
      ? "Arrow keys move, Space presses"
      : "Arrow keys move, Space fills, X marks empty (also the right mouse button), digits choose what a press makes";
    const drags = "Drag along a row or a column to fill several cells. With two fingers, or on the clues, a puzzle scrolls.";
    return element(
      "details",
      {},
      element("summary", {}, "Keys and drags"),
      element("p", { class: "fine" }, `${text}; U undoes, R redoes, H hints, D does what the hint says, C checks.`),
      element("p", { class: "fine", hidden: !this.record.clues }, drags),
      element("p", { class: "fine" }, "Moves are kept in this browser, where it allows that."),
    );
  }
}
