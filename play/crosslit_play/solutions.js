// The panel of all solutions.

function shape(tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

// A picture of cells: `kind(at)` names the classes that each is drawn with, or the value of a colour.
function picture(rows, columns, name, kind, text = () => "", palette = null) {
  const svg = shape("svg", {
    viewBox: `-0.5 -0.5 ${columns * 10 + 1} ${rows * 10 + 1}`,
    role: "img",
    "aria-label": name,
  });
  const paths = new Map([["paper", `M0 0h${columns * 10}v${rows * 10}h${-columns * 10}z`]]);
  for (let at = 0; at < rows * columns; at++)
    for (const drawn of kind(at)) {
      const x = (at % columns) * 10,
        y = Math.floor(at / columns) * 10;
      const path =
        drawn === "press"
          ? `M${x + 2} ${y + 5}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z`
          : drawn === "framed"
            ? `M${x + 0.8} ${y + 0.8}h8.4v8.4h-8.4z`
            : `M${x} ${y}h10v10h-10z`;
      paths.set(drawn, (paths.get(drawn) ?? "") + path);
    }
  if (rows <= 30 && columns <= 30) {
    let lines = "";
    for (let r = 1; r < rows; r++) lines += `M0 ${r * 10}h${columns * 10}`;
    for (let c = 1; c < columns; c++) lines += `M${c * 10} 0v${rows * 10}`;
    paths.set("mesh", lines);
  }
  if (palette) svg.style.setProperty("--card", `#${palette[0][1]}`);
  const colours = palette ? [...VALUES].slice(1, palette.length) : [];
  for (const drawn of ["paper", ...colours, "missing", "varies", "filled", "filled-varies", "press", "mesh", "framed"])
    if (paths.has(drawn)) {
      const path = shape("path", { class: colours.includes(drawn) ? "filled" : drawn, d: paths.get(drawn) });
      svg.append(colours.includes(drawn) ? paint(path, palette, VALUES.indexOf(drawn)) : path);
    }
  for (let at = 0; at < rows * columns; at++) {
    if (!text(at)) continue;
    const number = shape("text", { x: (at % columns) * 10 + 5, y: Math.floor(at / columns) * 10 + 7 });
    number.textContent = text(at);
    svg.append(number);
  }
  return svg;
}

class SolutionsPanel {
  constructor(record) {
    const { rows, columns, complete, more, stopped } = record,
      board = isBoard(record);
    const solutions = record.solutions.map((text) => text.replaceAll("/", ""));
    this.element = element("div", { class: "solutions" });
    const say = (text) => this.element.append(element("p", { class: "said" }, text));
    const number = solutions.length;
    if (!number && complete)
      return void say(`There is no solution. ${gameOf(record).unsolvable}`);
    if (!number) return void say(`No solution was found: the search ended early (${stopped}).`);
    const power = board && record.nullity !== null ? 2 ** record.nullity : null;
    if (complete)
      say(number === 1 ? "There is one solution, and no other." : `There are ${number} solutions, all shown.`);
    else if (more && power > number) say(`There are 2^${record.nullity} solutions; these are ${number} of them.`);
    else if (more) say(`There are more than ${number} solutions; these are ${number} of them.`);
    else
      say(
        `The search ended early (${stopped}): ${number === 1 ? "this is a solution; there may be others" : `these are ${number} solutions; there may be more`}.`,
      );
    const varies = (at) => solutions.some((text) => text[at] !== solutions[0][at]);
    const varying = [...solutions[0]].flatMap((_, at) => (varies(at) ? [at] : []));
    const missing = record.missing && bitsOf(record.missing),
      different = new Set(varying);
    const digit = (value) => (record.states > 2 && value !== EMPTY ? String(parseInt(value, 36)) : "");
    const kinds = (value, at) => {
      if (missing && bit(missing, at)) return ["missing"];
      if (record.palette) return different.has(at) ? [value, "framed"] : [value];
      const varying = different.has(at) ? ["varies"] : [];
      if (value === EMPTY) return varying;
      if (record.states > 2) return varying; // a number says it
      return board ? [...varying, "press"] : [varying.length ? "filled-varies" : "filled"];
    };
    const list = element("ol", { class: `gallery${number === 1 ? " alone" : ""}` });
    const show = (title, detail, kind, text) =>
      list.append(
        element(
          "li",
          {},
          element(
            "figure",
            {},
            picture(rows, columns, `${title}. ${detail}`, kind, text, record.palette),
            element("figcaption", {}, title, element("span", { class: "fine" }, ` ${detail}`)),
          ),
        ),
      );
    if (number > 1) {
      say(
        `They differ in ${plural(varying.length, "cell")}, tinted${varying.length <= 12 ? `: ${varying.map((at) => place(at, columns)).join("; ")}` : ""}.`,
      );
      show(
        "What they share",
        `${plural(rows * columns - varying.length - (missing ? weight(missing) : 0), "cell")} alike`,
        (at) => (different.has(at) ? ["framed"] : kinds(solutions[0][at], at)),
        (at) => (different.has(at) ? "" : digit(solutions[0][at])),
      );
    }
    const word = board ? ["press", "presses"] : ["filled cell", "filled cells"];
    solutions.forEach((text, i) =>
      show(
        `Solution ${i + 1}`,
        plural(
          board ? digitsOf(text).reduce((sum, value) => sum + value, 0) : [...text].filter(isFilled).length,
          ...word,
        ),
        (at) => kinds(text[at], at),
        (at) => digit(text[at]),
      ),
    );
    this.element.append(list);
  }
}
