"""The .non files of Steven Simpson's nonogram solver.

A .non file has one property per line, then the clues of rows and columns; a line ``====`` separates several puzzles.
The goal is checked against the clues. Properties and sections that are not known, and remarks, are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from crosslit.base.errors import InputError
from crosslit.base.files import numbered_lines
from crosslit.formats.parts import Line, Named, check_goal, of_named, read_sizes, section
from crosslit.kinds import Nonogram
from crosslit.kinds.nonogram.colours import LETTERS
from crosslit.kinds.nonogram.text import read_clue

_WORD = re.compile(r"[A-Za-z]{2,}[\w-]*|#")  # the first of a property or a section, or of a remark
_SEPARATOR = "===="
_SIZES = {"rows": "height", "columns": "width"}
_COLOURED = re.compile(r"[0-9]+(?:-[0-9A-Za-z]|[A-Za-z])")
_BLOCK = re.compile(r"([1-9][0-9]{0,8})-?([0-9A-Za-z_]*)")


def read_non(text: str, origin: str) -> Iterator[Nonogram]:
    """Yield every nonogram in a text; blank lines are ignored, unless the sizes show that they are empty clues."""
    lines: list[Line] = []
    for number, line in numbered_lines(f"{text}\n{_SEPARATOR}"):
        if line.strip() != _SEPARATOR:
            lines.append((number, line.strip()))
            continue
        if any(line for _, line in lines):
            yield _puzzle(lines, origin)
        lines = []


def _puzzle(lines: list[Line], origin: str) -> Nonogram:
    properties: dict[str, str] = {}
    colours: dict[str, tuple[str, str]] = {}  # by character: name and value
    sections: dict[str, list[Line]] = {}  # rows, columns, goal and others, each with its first line
    current = ""
    for number, line in lines:
        word, rest = (*line.split(None, 1), "", "")[:2]
        if word in _SIZES.values():
            read_sizes([rest], f"a positive number after {word}", origin, number, 1)
            properties[word] = rest
        elif word == "color" and len(rest.split()) == 2:
            key, value = rest.split()
            colours[key] = (key, value)
        elif word == "goal" or (_WORD.fullmatch(word) and not rest and word != "#" and current != "goal"):
            if word in _SIZES and word in sections:
                what = f"a second section {word}: expected a line {_SEPARATOR} between puzzles"
                raise InputError(origin, what, number)
            current, sections[word] = word, [(number, rest)]  # a goal may go on over several lines
        elif word == "title" or (_WORD.fullmatch(word) and (rest or word == "#")):
            properties[word] = rest
        elif current:
            # Only the sizes, which may come later, show whether blank lines are empty clues.
            sections[current].append((number, line))
        elif word:
            raise InputError(origin, f"expected a property such as width, or rows, found {line[:20]!r}", number)
    clues = {word: _section(word, sections, properties.get(_SIZES[word]), origin) for word in _SIZES}
    is_coloured = any(_COLOURED.search(line) for lines in clues.values() for _, line in lines)
    rows, columns = (
        [_clue(line, f"{word[:-1]} {index}", is_coloured, origin) for index, line in enumerate(clues[word], 1)]
        for word in _SIZES
    )
    if goal := sections.get("goal"):
        cells = _unquote("".join("".join(line.split()) for _, line in goal))
        # In one colour, every cell that is not 0 is filled.
        keys = [*cells] if is_coloured else ["" if cell != "0" else cell for cell in cells]
        picture = [keys[start : start + len(columns)] for start in range(0, len(keys), len(columns))]
        check_goal(picture, "0", (rows, columns), origin, goal[0][0])
    title = _unquote(properties.get("title", ""))
    if "&" in title:
        import html  # loads a large table

        title = html.unescape(title)
    return of_named(rows, columns, colours if is_coloured else None, name=title)


def _section(word: str, sections: dict[str, list[Line]], size: str | None, origin: str) -> list[Line]:
    """Return the clues of a section, rows or columns."""
    head, *lines = sections.get(word, [(0, "")])
    if lines and not lines[-1][1]:  # the line between sections is not a clue, even if one seems to be missing
        lines = lines[:-1]
    written = [line for line in lines if line[1]]
    chosen = section(lines, len(written) if size is None else int(size))
    if head[0] and chosen is None:
        problem = f"expected {size} {word} as {_SIZES[word]} says, found {len(written)} (an empty line is written 0)"
        raise InputError(origin, problem, head[0])
    if not chosen:
        raise InputError(origin, f"expected a section {word} with one clue per line")
    return [*chosen]


def _clue(line: Line, what: str, is_coloured: bool, origin: str) -> Named:
    number, text = line
    if not is_coloured:
        return [(size, "") for size in read_clue(text or "0", what, origin, number)]
    words = [word for word in re.split(r"[\s,]+", text) if word and word != "0"]
    blocks = [_BLOCK.fullmatch(word) for word in words]
    if not all(blocks):
        raise InputError(origin, f"{what}: expected blocks such as 2a,1b, found {text[:20]!r}", number)
    return [(int(block[1]), block[2] or "1") for block in blocks if block]


def write_non(puzzles: Iterable[Nonogram]) -> Iterator[str]:
    """Yield the text of nonograms, with their names as titles."""
    for number, puzzle in enumerate(puzzles):
        title = " ".join(puzzle.name.replace("&", "&amp;").replace('"', "&quot;").splitlines())
        lines = ["", _SEPARATOR, ""] if number else []
        lines += [f'title "{title}"'] if title else []
        lines += [f"width {puzzle.columns}", f"height {puzzle.rows}"]
        lines += [f"color {sign} #{rgb}" for sign, (_, rgb) in zip(LETTERS, puzzle.palette[1:], strict=False)]
        for word, clues in (("rows", puzzle.row_clues), ("columns", puzzle.column_clues)):
            lines += ["", word, *(",".join(map(str, clue)) or "0" for clue in clues)]
        yield "\n".join(lines) + "\n"


def _unquote(text: str) -> str:
    return re.sub(r"""\A(["'])(.*)\1\Z""", r"\2", text, flags=re.DOTALL)
