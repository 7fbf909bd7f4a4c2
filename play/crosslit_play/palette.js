// The colours of a nonogram to choose from, and their names on paper.

function legendOf({ palette }) {
  const names = palette.slice(1).map(([name], at) => `${LETTERS[at]} ${name}`);
  return element("p", { class: "legend" }, names.join(", "));
}

// A press makes a cell that of the chosen swatch: a colour, "empty" or "not known". `chosen(value)` is called for each.
function paletteOf(record, brush, chosen) {
  const legend = element("legend");
  const choose = (value) => {
    chosen(value);
    const letter = isFilled(value) ? ` (${LETTERS[VALUES.indexOf(value) - 1]})` : "";
    legend.textContent = `A press makes a cell: ${valueText(record, value)}${letter}`;
  };
  const choice = (value, sign) => {
    const name = valueText(record, value);
    const input = element("input", {
      ...{ type: "radio", name: "brush", value, "aria-label": name, checked: value === brush },
    });
    input.addEventListener("change", () => choose(value));
    const swatch = element("label", { class: "swatch", title: name }, input, sign);
    // at once: browsers drop the click of a finger that comes soon after another
    swatch.addEventListener("pointerdown", () => {
      input.checked = true;
      choose(value);
    });
    return paint(swatch, record.palette, Math.max(0, VALUES.indexOf(value)));
  };
  const colours = record.palette.slice(1).map((_, at) => choice(VALUES[at + 1], LETTERS[at]));
  choose(brush);
  const others = [choice(EMPTY, "×"), choice(UNKNOWN, "?")];
  return element("fieldset", { class: "brushes palette" }, legend, ...colours, ...others);
}
