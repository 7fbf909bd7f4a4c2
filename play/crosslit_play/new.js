// The panel for another nonogram: a random one, or clues that are typed or pasted.

class NewPanel {
  constructor(play) {
    this.play = play;
    this.status = element("p", { class: "status", role: "status", "aria-live": "polite" });
    const size = (text, id) => [
      element("label", { for: id }, text),
      element("input", { type: "number", min: 1, max: MAX_RANDOM, value: 10, id }),
    ];
    this.sizes = [size("rows", "random-rows"), size("columns", "random-columns")];
    this.clues = element("textarea", {
      id: "clues",
      rows: 12,
      spellcheck: "false",
      placeholder: "1 1\n5\n5\n3\n1\n\n2\n4\n4\n4\n2",
    });
    this.element = element(
      "div",
      { class: "new" },
      element("h2", {}, "A random nonogram"),
      element(
        "div",
        { class: "tools" },
        ...this.sizes.flat(),
        button("New nonogram", () => this.#random(), { id: "random-nonogram", class: "primary" }),
      ),
      element(
        "p",
        { class: "fine" },
        `Lines settle every cell of it, without guesses. Up to ${MAX_RANDOM} × ${MAX_RANDOM}.`,
      ),
      element("h2", {}, "Your own clues"),
      element(
        "label",
        { for: "clues" },
        "A line for each row, an empty line, and a line for each column; or ROWS|COLUMNS on one line.",
      ),
      this.clues,
      element(
        "div",
        { class: "tools" },
        button("Is it unique?", () => this.#check(), { id: "check-clues" }),
        button("Play it", () => this.#playClues(), { id: "play-clues", class: "primary" }),
      ),
      this.status,
    );
  }

  #random() {
    const [rows, columns] = this.sizes.map(([, input]) => {
      input.value = Math.min(MAX_RANDOM, Math.max(1, Math.floor(Number(input.value)) || 1));
      return Number(input.value);
    });
    const record = randomRecord(rows, columns);
    if (record) this.play(record);
    else this.status.textContent = NOT_FOUND;
  }

  // The nonogram that was typed, or null after saying what is wrong.
  #read() {
    try {
      return nonogramRecord("Typed nonogram", readClues(this.clues.value));
    } catch (error) {
      this.status.textContent = `${sentence(error.message)}.`;
      return null;
    }
  }

  #check() {
    const record = this.#read();
    if (record) this.status.textContent = `${record.rows} × ${record.columns}. ${uniqueness(record)}`;
  }

  #playClues() {
    const record = this.#read();
    if (record) this.play(record);
  }
}
