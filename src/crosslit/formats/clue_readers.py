"""Readers of the formats that are lists of clues, in the way of the programs that have it.

An `InputError` names the wrong line, and what was expected there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Any

from crosslit.base.errors import InputError
from crosslit.base.files import numbered_lines
from crosslit.formats.clues import AXES, Line, append_clue, of_lines, read_head, read_sizes, require_section
from crosslit.kinds import Nonogram
from crosslit.kinds.nonogram.puzzle import Clue
from crosslit.kinds.nonogram.text import MAX_DIGITS, read_clue

HEADING = re.compile(r"\s*(rows?|columns?|cols?)\b[^0-9]*", re.IGNORECASE)
TAAI_SIZE = 25  # rows and columns in the tournaments
TAAI_HEAD = re.compile(r"\s*\$[0-9]+\$?\s*?(?:\n|\Z)")  # the files have one $, their descriptions two
_CLUE_QUOTED = re.compile(r'"([^"]*)"|([^",\s]+)')  # quotation marks may be missing around a clue of one number
_ID = re.compile(r"([0-9]+)(?:x([0-9]+))?:(.*)", re.ASCII)


def is_read(read: Callable[[str, str], Any], text: str) -> bool:
    """Return whether a reader of one nonogram reads a text."""
    try:
        read(text, "")
    except InputError:
        return False
    return True


def read_mk(text: str, origin: str) -> Nonogram:
    """Read height and width, then rows and columns with a line # between; blank lines as in `section`."""
    every = numbered_lines(text)
    first, (height, width) = read_head(every, "height and width, two positive numbers", origin)
    lines = list(every)
    marks = [index for index, (_, line) in enumerate(lines) if line.strip() == "#"]
    if len(marks) != 1:
        place = lines[marks[1]][0] if marks else lines[-1][0] if lines else first
        raise InputError(origin, f"expected one line # between rows and columns, found {len(marks)}", place)
    rows = require_section(lines[: marks[0]], height, f"{height} row clues", origin, first)
    columns = require_section(lines[marks[0] + 1 :], width, f"{width} column clues", origin, first)
    return of_lines(rows, columns, origin)


def read_nin(text: str, origin: str) -> Nonogram:
    """Read width and height, the reverse of `mk`, then rows and columns; blank lines as in `section`."""
    lines = numbered_lines(text)
    first, (width, height) = read_head(lines, "width and height, two positive numbers", origin)
    expected = f"{height} row and {width} column clues"
    clues = require_section(list(lines), width + height, expected, origin, first)
    return of_lines(clues[:height], clues[height:], origin)


def read_cwd(text: str, origin: str) -> Nonogram:
    """Read the sizes on two lines, then rows, a blank line, and columns.

    Other blank lines are ignored, because the sizes say where the columns begin. But if that leaves too few clues, the
    blank line after the rows separates them from the columns, and every other one is an empty clue.
    """
    lines = numbered_lines(text)
    head = list(islice((line for line in lines if line[1].strip()), 2))
    first, what = head[0][0] if head else 1, "height and width, each on its own line"
    if len(head) != 2:
        raise InputError(origin, f"expected {what}", first)
    height, width = read_sizes([line.strip() for _, line in head], what, origin, first)
    rest = list(lines)
    written = [line for line in rest if line[1].strip()]
    if len(written) == height + width:
        return of_lines(written[:height], written[height:], origin)
    # Blank lines are clues here, except the one between rows and columns and those at the end.
    end = height + 1 + width
    if len(rest) < end or rest[height][1].strip() or any(line.strip() for _, line in rest[end:]):
        expected = f"expected {height} row clues, a blank line, and {width} column clues"
        raise InputError(origin, f"{expected}, found {len(written)} clues", rest[-1][0] if rest else first)
    return of_lines(rest[:height], rest[height + 1 : end], origin)


def read_zero(text: str, origin: str) -> Iterator[Nonogram]:
    """Yield every nonogram of a text of numbers; line ends count as blanks."""
    words = text.split()
    for word in words:
        if not (word.isascii() and word.isdigit()) or len(word) > MAX_DIGITS:
            raise InputError(origin, f"expected whole numbers, found {word[:20]!r}")
    # A number by itself on the first line counts the puzzles. It is not needed, because each says its sizes.
    first = text.lstrip().partition("\n")[0].split()
    at = 1 if len(first) == 1 else 0
    while at < len(words):
        sizes, at = words[at : at + 2], at + 2
        height, width = read_sizes(sizes if len(sizes) == 2 else ["0"], "height and width", origin, None)
        clues: list[Clue] = []
        while len(clues) < height + width:
            try:
                end = words.index("0", at)
            except ValueError:
                what = f"expected {height} row and {width} column clues that end with 0, found {len(clues)}"
                raise InputError(origin, what) from None
            clues.append(read_clue(" ".join(words[at:end]) or "0", f"clue {len(clues) + 1}", origin))
            at = end + 1
        yield Nonogram(clues[:height], clues[height:])


def read_olsak(text: str, origin: str) -> Nonogram:
    """Read blocks of clues below colons; colours may be declared, but all blocks must have the same."""
    blocks: list[list[Clue]] = []
    for number, line in numbered_lines(text):
        if line.startswith(":"):
            blocks.append([])
        elif not blocks and line.lower().startswith("#t"):
            raise InputError(origin, "expected a nonogram of rows and columns, found a triddler (#t)", number)
        elif blocks and line.strip():
            if len(blocks) > 2:
                raise InputError(origin, "expected rows and columns, found a third line ':' with clues", number)
            append_clue(blocks[-1], line, AXES[len(blocks) - 1], origin, number)
    if len(blocks) < 2 or not blocks[0] or not blocks[1]:
        raise InputError(origin, "expected a line ':' and the clues of rows, then ':' and the clues of columns")
    return Nonogram(blocks[0], blocks[1])


def read_typed(text: str, origin: str) -> Nonogram:
    """Read two blocks of clues, of which headings may say the axis."""
    blocks = typed_blocks(text)
    if (count := sum(bool(lines) for _, lines in blocks) if len(blocks) == 2 else len(blocks)) != 2:
        found = f"found {count} block(s) of lines"
        raise InputError(origin, f"expected the clues of rows, a blank line, and those of columns; {found}")
    (heading, first), (_, second) = blocks
    # Without headings the rows come first.
    return of_lines(second, first, origin) if heading.startswith("c") else of_lines(first, second, origin)


def typed_blocks(text: str) -> list[tuple[str, list[Line]]]:
    """Return the blocks of lines that are not blank, each with its heading, if any, in lower case."""
    blocks: list[tuple[str, list[Line]]] = []
    inside = False
    for number, line in numbered_lines(text):
        heading = HEADING.fullmatch(line)
        if heading:
            blocks.append((heading[1].lower(), []))
            inside = True
        elif not line.strip():
            inside = inside and not blocks[-1][1]  # a blank line may follow a heading
        else:
            if not inside:
                blocks.append(("", []))
            blocks[-1][1].append((number, line))
            inside = True
    return blocks


def read_taai(text: str, origin: str) -> Iterator[Nonogram]:
    """Yield every nonogram; its number is ignored, because its position gives the same. An empty line is a clue."""
    head, block = 0, list[Line]()
    for number, line in chain(numbered_lines(text), [(0, "$0")]):
        if not TAAI_HEAD.match(line):
            block.append((number, line))
            if not head and line.strip():
                raise InputError(origin, f"expected a line such as $1, found {line.strip()[:20]!r}", number)
            continue
        # Only lines beyond the fixed number separate puzzles.
        while head and len(block) > 2 * TAAI_SIZE and not block[-1][1].strip():
            block.pop()
        if head and len(block) != 2 * TAAI_SIZE:
            expected = f"expected {TAAI_SIZE} column and {TAAI_SIZE} row clues below"
            raise InputError(origin, f"{expected}, found {len(block)} (an empty line is one)", head)
        if head:
            yield of_lines(block[TAAI_SIZE:], block[:TAAI_SIZE], origin)
        head, block = number, []


def read_picross(text: str, origin: str) -> Iterator[Nonogram]:
    """Yield every nonogram, each with the title of its grid."""
    name, clues, axis, begun = "", dict[str, list[Clue]](), "", 0
    for number, line in chain(numbered_lines(text), [(0, "GRID")]):
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        if words.split()[0] == "GRID":
            # A new grid ends the one before it; nothing else marks the end.
            for title in ("ROWS", "COLUMNS") if begun else ():
                if not clues.get(title):
                    raise InputError(origin, f"expected clues below {title} in this grid", begun)
            if begun:
                yield Nonogram(clues["ROWS"], clues["COLUMNS"], name)
            name, clues, axis, begun = words[4:].strip(), {}, "", number
        elif words in ("ROWS", "COLUMNS") and begun and words not in clues:
            axis, clues[words] = words, []
        elif axis and words.startswith("[") and words.endswith("]"):
            append_clue(clues[axis], words[1:-1].strip() or "0", axis.lower()[:-1], origin, number)
        else:
            expected = "a clue such as [ 1 2 ]" if axis else "ROWS or COLUMNS" if begun else "GRID"
            raise InputError(origin, f"expected {expected}, found {words[:20]!r}", number)


def read_houston(text: str, origin: str) -> Nonogram:
    """Read four lines: the numbers of columns and of rows, and their clues in quotation marks."""
    lines = [line for line in numbered_lines(text) if line[1].strip()]
    if len(lines) != 4:
        raise InputError(origin, f"expected four lines: width, height, columns, rows; found {len(lines)}")
    sizes = read_sizes([line.strip() for _, line in lines[:2]], "width and height", origin, lines[0][0])
    clues: dict[str, list[Clue]] = {"column": [], "row": []}
    # Columns before rows, as their number comes first.
    for axis, size, (number, line) in zip(clues, sizes, lines[2:], strict=True):
        found = [first or other for first, other in _CLUE_QUOTED.findall(line)]
        if len(found) != size:
            raise InputError(origin, f"expected {size} {axis} clues, found {len(found)}", number)
        for clue in found:
            append_clue(clues[axis], clue, axis, origin, number)
    return Nonogram(clues["row"], clues["column"])


def read_sgt(text: str, origin: str) -> Iterator[Nonogram]:
    """Yield the nonogram of every line that is not blank."""
    several = "\n" in text.strip()
    for number, line in numbered_lines(text):
        if line.strip():
            yield _pattern(line.strip(), origin, number if several else None)


def _pattern(text: str, origin: str, line: int | None) -> Nonogram:
    parts = _ID.fullmatch(text)
    if parts is None:
        raise InputError(origin, f"expected WIDTHxHEIGHT: and the clues, found {text[:20]!r}", line)
    # The game omits the height of a square.
    width, height = read_sizes([parts[1], parts[2] or parts[1]], "WIDTHxHEIGHT:, two positive numbers", origin, line)
    if "," in parts[3]:
        raise InputError(origin, "expected only clues: an id with given cells is not supported", line)
    clues = parts[3].split("/")
    if len(clues) != width + height:
        raise InputError(origin, f"expected {width} column and {height} row clues, found {len(clues)}", line)
    read: list[Clue] = []
    for number, clue in enumerate(clues):
        what = f"column {number + 1}" if number < width else f"row {number + 1 - width}"
        if " " in clue:
            raise InputError(origin, f"{what}: expected numbers separated by a full stop, found {clue[:20]!r}", line)
        read.append(read_clue(clue.replace(".", ","), what, origin, line) if clue else ())
    return Nonogram(read[width:], read[:width])
