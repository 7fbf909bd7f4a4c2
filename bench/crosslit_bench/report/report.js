// Sort, filter and open rows of the table of puzzles. Untrusted texts are only inserted as text.
const facts = JSON.parse(document.getElementById("facts").textContent);
const table = document.getElementById("puzzles");

function element(name, text = "", properties = {}) {
  const made = document.createElement(name);
  if (text !== "") made.textContent = text;
  return Object.assign(made, properties);
}

// Return a gzipped picture in base64, a tenth of the plain size, as a data: URL.
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const picture = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (let at = 0; at < picture.length; at += 8192) binary += String.fromCharCode(...picture.subarray(at, at + 8192));
  return `data:image/svg+xml;base64,${btoa(binary)}`;
}

function imageOf(puzzle) {
  const image = element("img", "", { alt: `${puzzle.shape}. ${puzzle.caption}` });
  unpacked(puzzle.picture).then(
    (source) => (image.src = source),
    () => image.remove(),
  );
  return image;
}

function pictureOf(puzzle) {
  const figure = element("figure");
  if (puzzle.picture) figure.append(imageOf(puzzle));
  figure.append(element("figcaption", `${puzzle.shape}. ${puzzle.caption}`));
  return figure;
}

const HEADINGS = [
  ["contestant", true],
  ["run", false],
  ["ended", true],
  ["seconds", false],
  ["CPU s", false],
  ["wall s", false],
  ["MB", false],
  ["solutions", false],
  ["remarks", true],
];

function runsOf(puzzle) {
  const sheet = element("table");
  const head = sheet.createTHead().insertRow();
  for (const [text, word] of HEADINGS) head.append(element("th", text, { scope: "col", className: word ? "word" : "" }));
  const body = sheet.createTBody();
  for (const [who, spec, repetition, status, total, cpu, wall, memory, solutions, remark] of puzzle.runs) {
    const row = body.insertRow();
    row.append(element("th", spec < 0 ? facts.labels[who] : facts.words[spec], { scope: "row" }));
    const texts = [repetition, facts.words[status], total, cpu, wall, memory, solutions];
    texts.push(remark < 0 ? "" : facts.words[remark]);
    texts.forEach((text, at) => row.append(element("td", `${text}`, { className: HEADINGS[at + 1][1] ? "word" : "" })));
  }
  const scroller = element("div", "", { className: "scroller", tabIndex: 0 });
  scroller.setAttribute("role", "region");
  scroller.setAttribute("aria-label", "Runs");
  scroller.append(sheet);
  return scroller;
}

function detailOf(puzzle, columns) {
  const row = element("tr", "", { className: "detail" });
  const open = element("div", "", { className: "open" });
  const runs = element("div", "", { className: "runs" });
  runs.append(puzzle.runs.length ? runsOf(puzzle) : element("p", "No run was made."));
  if (puzzle.known) runs.append(element("p", puzzle.known, { className: "fine" }));
  if (puzzle.text) runs.append(element("pre", puzzle.text, { className: "text" }));
  open.append(pictureOf(puzzle), runs);
  const cell = element("td", "", { colSpan: columns });
  cell.append(open);
  row.append(cell);
  return row;
}

function start() {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const rows = [...body.rows].map((row, at) => ({
    row,
    at,
    puzzle: facts.puzzles[at],
    detail: null,
    cells: [...row.cells].map((cell) => cell.textContent),
    searched: `${row.cells[0].textContent} ${row.cells[1].textContent}`.toLowerCase(),
  }));
  const order = [...rows];
  const filters = document.getElementById("filters");
  const chosen = (id) => document.getElementById(id);

  const toggle = (one, open) => {
    const button = one.row.querySelector("button");
    if (open && !one.detail) {
      one.detail = detailOf(one.puzzle, heads.length);
      one.row.after(one.detail);
    }
    if (one.detail) one.detail.hidden = !open || one.row.hidden;
    button.setAttribute("aria-expanded", `${open}`);
  };

  const place = () => {
    const all = [];
    for (const one of order) {
      all.push(one.row);
      if (one.detail) all.push(one.detail);
    }
    body.append(...all);
  };

  const sort = (column) => {
    const up = heads[column].getAttribute("aria-sort") !== "ascending";
    heads.forEach((head, at) => head.setAttribute("aria-sort", at === column ? (up ? "ascending" : "descending") : "none"));
    const words = heads[column].classList.contains("word");
    const key = (one) => (words ? one.cells[column] : one.cells[column].split(" x ").map(Number.parseFloat).reduce((a, b) => a * b));
    const absent = (value) => (words ? value === "" : Number.isNaN(value));
    const language = new Intl.Collator("en", { numeric: true });
    order.sort((one, other) => {
      const [a, b] = [key(one), key(other)];
      if (absent(a) || absent(b)) return absent(a) - absent(b) || one.at - other.at; // last in both directions
      const sign = words ? language.compare(a, b) : a - b;
      return (up ? sign : -sign) || one.at - other.at;
    });
    place();
  };

  // A check box for each column but the names; the columns of contestants are the last ones.
  const boxes = heads.slice(1).map((head) => {
    const label = element("label", "", { className: "check" });
    const box = element("input", "", { type: "checkbox", defaultChecked: true });
    label.append(box, ` ${head.textContent}`);
    chosen("columns").append(label);
    return box;
  });
  const columns = () => {
    boxes.forEach((box, at) => {
      if (heads[at + 1].hidden === !box.checked) return;
      for (const line of [table.tHead.rows[0], ...rows.map((one) => one.row)]) line.cells[at + 1].hidden = !box.checked;
    });
  };

  const filter = () => {
    const searched = chosen("search").value.trim().toLowerCase();
    const [family, verdict] = ["family", "verdict"].map((id) => chosen(id).value);
    const shown = rows.filter(
      (one) =>
        one.searched.includes(searched) &&
        (family === "" || one.row.dataset.family === family) &&
        (verdict === "" || one.row.dataset.verdict === verdict),
    );
    const fits = new Set(shown);
    for (const one of rows) {
      const isOpen = one.row.querySelector("button").getAttribute("aria-expanded") === "true";
      one.row.hidden = !fits.has(one);
      if (one.detail) one.detail.hidden = one.row.hidden || !isOpen;
    }
    columns();
    chosen("shown").textContent = `${shown.length} of ${rows.length} puzzles`;
  };

  const follow = () => {
    const one = rows.find((other) => `#${other.row.id}` === location.hash);
    if (!one) return;
    if (one.row.hidden) {
      filters.reset();
      filter();
    }
    toggle(one, true);
    one.row.scrollIntoView({ block: "center" });
    one.row.querySelector("button").focus({ preventScroll: true });
  };

  heads.forEach((head, column) => {
    const button = element("button", "", { type: "button" });
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => sort(column));
  });
  for (const one of rows) {
    const cell = one.row.cells[0];
    const button = element("button", cell.textContent, { type: "button" });
    cell.replaceChildren(button);
    button.setAttribute("aria-expanded", "false");
    button.addEventListener("click", () => toggle(one, button.getAttribute("aria-expanded") !== "true"));
  }
  filters.addEventListener("input", filter);
  filters.addEventListener("submit", (event) => event.preventDefault());
  filters.addEventListener("reset", () => setTimeout(filter)); // the fields change only after the event
  for (const hidden of document.querySelectorAll(".scripted")) hidden.hidden = false;
  filter(); // browsers keep form values when a page is reloaded
  addEventListener("hashchange", follow);
  follow();
}

addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details")) folded.open = true;
});
if (table) start();
