// The page: one puzzle of those embedded at a time, in five panels.

const RECORDS = JSON.parse(document.getElementById("puzzles").textContent);
const TABS = [
  ["play", "Play"],
  ["steps", "Watch"],
  ["solutions", "Solutions"],
  ["draw", "Draw"],
  ["new", "New"],
].filter(([name]) => !RECORDS[0].players || !["steps", "solutions"].includes(name));

class Page {
  constructor() {
    this.records = [...RECORDS];
    this.panels = new Map(); // of a record, by tab: what was begun goes on when one comes back
    this.chooser = document.getElementById("chooser");
    this.heading = document.getElementById("heading");
    this.facts = document.getElementById("facts");
    this.panel = document.getElementById("panel");
    this.tabs = TABS.map(([name, text]) => {
      const tab = button(text, () => this.show(name), {
        role: "tab",
        id: `tab-${name}`,
        "aria-controls": "panel",
        "aria-selected": "false",
        tabindex: -1,
      });
      document.getElementById("tabs").append(tab);
      return tab;
    });
    document.getElementById("tabs").addEventListener("keydown", (event) => {
      const change = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!change) return;
      const at = (this.tabs.indexOf(document.activeElement) + change + this.tabs.length) % this.tabs.length;
      this.tabs[at].focus();
      this.show(TABS[at][0]);
    });
    this.chooser.addEventListener("change", () => this.choose(Number(this.chooser.value)));
    this.#list();
    this.tab = "play";
    this.#open();
    window.addEventListener("beforeprint", () => this.#toPaper());
    for (const change of ["resize", "afterprint"]) window.addEventListener(change, () => this.#toScreen());
    window.addEventListener("hashchange", () => linkedText() !== this.record.text && this.#open());
  }

  // The puzzle of the link, or the first one.
  #open() {
    const text = linkedText();
    if (!text) return this.choose(0);
    try {
      this.add(linkedRecord(text, this.records));
    } catch (error) {
      this.choose(0);
      this.facts.append(` The link names no puzzle: ${error.message}.`);
    }
  }

  // Play a puzzle; one that is there already goes on.
  add(record) {
    let number = this.records.findIndex((other) => other.text === record.text);
    if (number < 0) number = this.records.push(record) - 1;
    this.#list();
    this.tab = "play";
    this.choose(number);
  }

  #list() {
    this.chooser.replaceChildren(
      ...this.records.map((record, number) =>
        element("option", { value: number }, this.#numbered(record, number)),
      ),
    );
    this.chooser.parentElement.hidden = this.records.length < 2;
  }

  #name(record) {
    return `${record.name || sentence(record.label)}, ${record.rows} × ${record.columns}`;
  }

  #numbered(record, number) {
    return `${number + 1}. ${this.#name(record)}`;
  }

  // All puzzles of the file, each on its own sheet, or all solutions; of other panels and added puzzles what is shown.
  // What was played is not printed for players.
  #toPaper() {
    const empty = RECORDS[0].players && this.tab === "play",
      records = RECORDS.includes(this.record) ? RECORDS : [this.record];
    if (!empty && (records.length < 2 || !["play", "solutions"].includes(this.tab)))
      return this.shown.view?.fitPaper();
    const panels = records.map((record) =>
      empty ? new PlayPanel(record, null, true) : this.#own(record, this.tab),
    );
    const sheets = records.map((record, number) =>
      element(
        "section",
        { class: "sheet" },
        element("h2", {}, this.#numbered(record, number)),
        element("p", {}, this.#facts(record)),
        panels[number].element,
      ),
    );
    this.panel.replaceChildren(...sheets);
    for (const { view } of panels) view?.fitPaper();
  }

  #toScreen() {
    if (this.panel.firstChild !== this.shown.element) this.panel.replaceChildren(this.shown.element);
    this.shown.view?.fit();
  }

  // Whatever plays by itself stops when one goes away from it.
  #pause() {
    this.panels.get(this.record)?.steps?.stop?.();
  }

  choose(number) {
    this.#pause();
    this.record = this.records[number];
    this.chooser.value = number;
    this.heading.textContent = this.#name(this.record);
    document.title = `${this.#name(this.record)} · Crosslit`;
    this.facts.textContent = this.#facts(this.record);
    this.#address(number ? fragmentOf(this.record.text) : "");
    this.show(this.tab);
  }

  // Name the puzzle in the address, so that a reload goes on with it.
  #address(fragment) {
    if (fragment === location.hash) return;
    try {
      history.replaceState(null, "", fragment || location.href.replace(/#.*/, ""));
    } catch {
      // forbidden for files in some browsers: a reload opens the first puzzle
    }
  }

  #facts({ players, kind, palette, states, complete, more, solutions, stopped, settings, nullity, by }) {
    const goal = states
      ? `Bring all lights to 0: a press adds ${settings.length ? `by these rules: ${settings.join(", ")}` : "1 to a cell and its four neighbours"}, modulo ${states}.`
      : kind === "lights-out"
        ? `Put all lights out: ${settings.length ? `a press toggles by these rules: ${settings.join(", ")}` : "a press toggles a cell and its four neighbours"}.`
        : palette
          ? "Colour cells so that each line has the blocks of its clue. Blocks of one colour have a gap between them, others may touch."
          : "Fill cells so that each line has the blocks of its clue.";
    if (players) return goal;
    const known = complete
      ? (solutions.length
          ? solutions.length === 1
            ? "One solution, and no other"
            : `${solutions.length} solutions`
          : "No solution") + (by ? ` (claimed by ${by}).` : ".")
      : more
        ? nullity
          ? `2^${nullity} solutions.`
          : "More than 16 solutions."
        : `How many solutions there are is not known: the search ended early (${stopped})${solutions.length ? `, after ${solutions.length}` : ""}.`;
    return `${goal} ${known}`;
  }

  show(name) {
    this.#pause();
    this.tab = name;
    this.tabs.forEach((tab, at) => {
      const chosen = TABS[at][0] === name;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    });
    this.shown = this.#own(this.record, name);
    this.panel.setAttribute("aria-labelledby", `tab-${name}`);
    this.panel.replaceChildren(this.shown.element);
    this.shown.view?.fit();
  }

  #own(record, name) {
    if (!this.panels.has(record)) this.panels.set(record, {});
    const own = ["draw", "new"].includes(name) ? (this.shared ??= {}) : this.panels.get(record);
    return (own[name] ??= this.#make(record, name));
  }

  #make(record, name) {
    const play = (other) => this.add(other);
    if (name === "play") return new PlayPanel(record, play);
    if (name === "steps") return new StoryPanel(record);
    if (name === "solutions") return new SolutionsPanel(record);
    return name === "draw" ? new DrawPanel(play) : new NewPanel(play);
  }
}

new Page();
