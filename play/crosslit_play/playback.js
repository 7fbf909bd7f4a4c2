// The panel that plays steps: those of a solver, or the solutions one after the other.

class PlaybackPanel {
  constructor(record, stories) {
    this.record = record;
    this.game = gameOf(record);
    this.start = this.game.cells;
    this.stories = stories;
    this.view = new GridView(this.game);
    this.words = element("p", { class: "words", role: "status", id: "words" });
    this.cut = element("p", { class: "fine" }, "Cut off: the page holds no more steps.");
    this.count = element("span", { class: "count" });
    this.slider = element("input", { type: "range", min: 0, value: 0, id: "slider", "aria-label": "step" });
    this.slider.addEventListener("input", () => this.#go(Number(this.slider.value)));
    this.player = button("Play", () => (this.timer ? this.stop() : this.#play()), { id: "play", class: "primary" });
    this.chooser = element("select", { id: "story", "aria-label": "solver", hidden: stories.length < 2 });
    this.chooser.append(...stories.map(({ title }, number) => element("option", { value: number }, title)));
    this.chooser.addEventListener("change", () => this.#choose());
    const tools = element(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "Steps" },
      button("First", () => this.#go(0), { id: "first" }),
      button("Back", () => this.#go(this.at - 1), { id: "back" }),
      this.player,
      button("Next", () => this.#go(this.at + 1), { id: "next" }),
      button("Last", () => this.#go(Infinity), { id: "last" }),
    );
    const side = element("div", { class: "side" }, this.chooser, tools, this.count, this.slider, this.words, this.cut);
    this.element = element("div", { class: "play" }, element("div", { class: "stage" }, this.view.element), side);
    this.#choose();
  }

  #choose() {
    this.stop();
    this.story = this.stories[this.chooser.value];
    this.cut.hidden = this.story.whole;
    this.slider.max = this.story.steps.length - 1;
    this.#show(0);
  }

  #go(at) {
    this.stop();
    this.#show(at);
  }

  #show(at) {
    const { steps } = this.story;
    this.at = Math.min(steps.length - 1, Math.max(0, at));
    const { words, line, cell, light, press, bad, differing } = steps[this.at],
      told = steps.slice(0, this.at + 1);
    this.game.cells = Object.assign([...this.start], ...told.map((step) => step.cells));
    const of = (number) => (number === undefined ? [] : [number]);
    this.view.refresh([
      ["now", of(line).flatMap((number) => this.#cellsOf(number))],
      ["settled", told.flatMap((step) => of(step.press))],
      ["hinted", [...of(cell), ...of(press)]],
      [bad ? "wrong" : "even", of(light)],
      ["varies", differing ?? []],
    ]);
    this.view.markLines(of(line), "now");
    this.view.element.classList.toggle("bad", Boolean(bad));
    this.words.textContent = words;
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", words);
    this.count.textContent = `${this.at + 1} of ${steps.length}`;
  }

  // The cells of a line, rows first.
  #cellsOf(line) {
    const { rows, columns } = this.record;
    return [...this.start.keys()].filter((at) =>
      line < rows ? Math.floor(at / columns) === line : at % columns === line - rows,
    );
  }

  #play() {
    if (this.at === this.story.steps.length - 1) this.#show(0);
    this.words.setAttribute("aria-live", "off"); // words that follow each other so fast are no help to hear
    this.player.textContent = "Stop";
    this.timer = setInterval(
      () => (this.at + 1 < this.story.steps.length ? this.#show(this.at + 1) : this.stop()),
      Math.min(400, Math.max(60, 30000 / this.story.steps.length)), // half a minute in all
    );
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.words.removeAttribute("aria-live");
    this.player.textContent = "Play";
  }
}

// The solutions of a puzzle as a story, each with the cells in which any two of them differ.
function storyOfSolutions({ solutions, known, lights, why }) {
  const all = solutions.map(valuesOf);
  const differing = [...(all[0] ?? []).keys()].filter((at) => all.some((cells) => cells[at] !== all[0][at]));
  const steps = all.map((cells, number) => {
    const total = lights ? cells.reduce((sum, times) => sum + times, 0) : cells.filter(Boolean).length;
    const size = lights ? plural(total, "press", "presses") : plural(total, "filled cell");
    const others = all.length > 1 ? ` The solutions differ in ${plural(differing.length, "cell")}, tinted.` : "";
    return { words: `Solution ${number + 1} of ${all.length}: ${size}.${others}`, cells, differing };
  });
  return { title: "solutions", steps: steps.length ? steps : [{ words: why?.words ?? known }], whole: true };
}
