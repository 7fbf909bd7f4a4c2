// The page: one puzzle of those embedded at a time, to play, with its solutions and with the steps of solvers.

const RECORDS = JSON.parse(document.getElementById("puzzles").textContent);
const NO_STORY = { steps: [{ words: "No solver reports its steps on this puzzle." }], whole: true };
const TABS = {
  play: ["Play", (record) => new PlayPanel(record).recall()],
  solutions: ["Solutions", (record) => new PlaybackPanel(record, [storyOfSolutions(record)])],
  steps: ["Steps", (record) => new PlaybackPanel(record, record.stories.length ? record.stories : [NO_STORY])],
};

class Page {
  constructor() {
    this.panels = new Map(); // by record and tab: what was begun goes on when one comes back
    this.tab = "play";
    this.chooser = document.getElementById("chooser");
    this.panel = document.getElementById("panel");
    this.tabs = document.getElementById("tabs");
    this.tabs.hidden = RECORDS[0].players;
    for (const [name, [text]] of Object.entries(TABS)) {
      const input = element("input", { type: "radio", name: "tab", id: `tab-${name}`, checked: name === this.tab });
      input.addEventListener("change", () => this.#show(name));
      this.tabs.append(element("label", {}, input, text));
    }
    this.chooser.append(...RECORDS.map((record, number) => element("option", { value: number }, this.#title(record))));
    this.chooser.parentElement.hidden = RECORDS.length < 2;
    this.chooser.addEventListener("change", () => this.#choose(this.chooser.value));
    window.addEventListener("beforeprint", () => this.#toPaper());
    window.addEventListener("afterprint", () => this.#show(this.tab));
    window.addEventListener("resize", () => this.shown.view.fit());
    this.#choose(0);
  }

  #title(record) {
    return RECORDS.length < 2 ? record.title : `${RECORDS.indexOf(record) + 1}. ${record.title}`;
  }

  #choose(number) {
    this.record = RECORDS[number];
    document.getElementById("heading").textContent = document.title = this.#title(this.record);
    document.getElementById("facts").textContent = `${this.record.goal} ${this.record.known}`;
    this.#show(this.tab);
  }

  #show(name) {
    this.shown?.stop?.(); // what plays by itself stops when one goes away from it
    this.tab = name;
    this.shown = this.#panel(this.record, name);
    this.panel.replaceChildren(this.shown.element);
    this.shown.view.fit();
  }

  #panel(record, name) {
    if (!this.panels.has(record)) this.panels.set(record, {});
    return (this.panels.get(record)[name] ??= TABS[name][1](record));
  }

  // All puzzles, each on its own sheet, as they are shown; for players without what was played.
  #toPaper() {
    const panels = RECORDS.map((record) => (record.players ? new PlayPanel(record) : this.#panel(record, this.tab)));
    const sheets = RECORDS.map((record, number) =>
      element(
        "section",
        { class: "sheet" },
        element("h2", {}, this.#title(record)),
        element("p", {}, `${record.goal} ${record.known}`),
        panels[number].element,
      ),
    );
    this.panel.replaceChildren(...sheets);
    for (const { view } of panels) view.fit(true);
  }
}

new Page();
