"""The .non files of Steven Simpson's nonogram solver, and the parts of files with titles, goals and colours.

A .non file has one property per line, then the clues of rows and columns; a line ``====`` separates several puzzles.
The goal is checked against the clues. Properties and sections that are not known, and remarks, are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from crosslit.base.errors import InputError
from crosslit.base.files import numbered_lines
from crosslit.kinds import Nonogram
from crosslit.kinds.nonogram.colours import LETTERS, WHITE, Block, Colour, ColouredNonogram, usual_palette
from crosslit.kinds.nonogram.text import MAX_DIGITS, read_clue

Line = tuple[int, str]
"""A line and its number, from 1."""
Readings = tuple[Nonogram | None, Nonogram | None]
"""A nonogram read with the rows first, and with the columns first; None where the file cannot be read so."""
Named = list[tuple[int, str]]
"""A clue: the length and the key of the colour of each block."""

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


def read_sizes(words: Sequence[str], what: str, origin: str, line: int | None, count: int = 2) -> list[int]:
    """Return the positive numbers of a header, however large, because nothing is allocated by them."""
    are_sizes = all(word.isascii() and word.isdigit() and len(word) <= MAX_DIGITS and int(word) for word in words)
    if len(words) != count or not are_sizes:
        raise InputError(origin, f"expected {what}, found {' '.join(words)[:20]!r}", line)
    return [int(word) for word in words]


def section(lines: Sequence[Line], size: int) -> Sequence[Line] | None:
    """Return the ``size`` lines that are clues; None if there are more or fewer.

    Blank lines are ignored; but if that leaves too few clues, and counting them gives ``size``, each is an empty clue.
    """
    written = [line for line in lines if line[1].strip()]
    if len(written) == size:
        return written
    if len(written) < size <= len(lines) and not any(line.strip() for _, line in lines[size:]):
        return lines[:size]
    return None


def blocks_of_lines(lines: Iterable[Sequence[str]], background: str) -> list[Named]:
    """Return the blocks of lines of cells, each given by the key of its colour."""
    return [[(len([*run]), key) for key, run in groupby(line) if key != background] for line in lines]


def check_goal(
    goal: Sequence[Sequence[str]], background: str, clues: Sequence[list[Named]], origin: str, line: int | None = None
) -> None:
    """Check that the solution in a file, given by the keys of its cells' colours, solves its puzzle."""
    sizes, (height, width) = [len(row) for row in goal], map(len, clues)
    if sizes != [width] * height:
        raise InputError(origin, f"expected a goal of {height} x {width} cells, found {sum(sizes)}", line)
    for axis, lines, expected in zip(("row", "column"), (goal, zip(*goal, strict=True)), clues, strict=True):
        for number, (found, clue) in enumerate(zip(blocks_of_lines(lines, background), expected, strict=True), 1):
            if found != clue:
                words = [" ".join(f"{size}{key}" for size, key in blocks) or "0" for blocks in (found, clue)]
                problem = f"{axis} {number} has blocks {words[0]}, its clue is {words[1]}"
                raise InputError(origin, f"expected a goal that solves the puzzle, but {problem}", line)


_COLOURS = """white=ffffff black=000000 grey=808080 red=ff0000 lime=00ff00 green=008000 blue=0000ff yellow=ffff00
cyan=00ffff magenta=ff00ff orange=ffa500 purple=800080 pink=ffc0cb brown=a52a2a"""
_VALUES: dict[str, str] = dict(re.findall(r"(\w+)=(\w+)", _COLOURS))


def _rgb(text: str) -> str | None:
    """Return the six digits of a colour: a name, or three or six hexadecimal digits; None for any other text."""
    text = text.strip().lower().removeprefix("#")
    if re.fullmatch("[0-9a-f]{3}", text):
        return "".join(2 * digit for digit in text)
    return text if re.fullmatch("[0-9a-f]{6}", text) else _VALUES.get(text)


def of_named(
    rows: Sequence[Named],
    columns: Sequence[Named],
    colours: Mapping[str, tuple[str, str]] | None = None,
    background: tuple[str, str] = WHITE,
    name: str = "",
) -> Nonogram:
    """Return the puzzle with these clues; without ``colours``, the keys of their blocks are ignored.

    The palette has the colours in use, in the order of ``colours``, with the name of each key and its value or "".
    """
    if colours is None:
        lengths = [[[length for length, _ in clue] for clue in clues] for clues in (rows, columns)]
        return Nonogram(lengths[0], lengths[1], name)
    used = {key for clue in (*rows, *columns) for _, key in clue}
    keys = [*(key for key in colours if key in used), *sorted(used - colours.keys())]
    named = [colours.get(key, (key, "")) for key in keys]
    pairs = zip([background, *named], usual_palette(len(keys)), strict=True)
    palette = [_colour(*colour, usual) for colour, usual in pairs] if keys else []
    blocks = [[[Block(size, keys.index(key) + 1) for size, key in clue] for clue in clues] for clues in (rows, columns)]
    return ColouredNonogram(blocks[0], blocks[1], palette, name)


def _colour(name: str, value: str, usual: Colour) -> Colour:
    shown = _rgb(value) or _rgb(name) or usual.rgb
    plain = re.sub(r"[\s=,;|/]+", " ", name).strip() or usual.name
    names = [name for name, known in _VALUES.items() if known == shown and len(plain) == 1]
    return Colour((*names, plain)[0], shown)
