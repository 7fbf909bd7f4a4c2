"""The text format of pynogram: a section [clues], or columns and rows separated by two blank lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from crosslit.base.errors import InputError
from crosslit.base.files import numbered_lines
from crosslit.formats.clues import Named, append_clue, of_named, read_named, require_nonogram
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.colours import LETTERS
from crosslit.kinds.nonogram.puzzle import Clue

NAME = "pynogram"
PRIORITY = 85
EXTENSIONS: frozenset[str] = frozenset()
HEAD = re.compile(r"(?:[ \t\r]*(?:[#;][^\n]*)?\n)*[ \t]*\[(?:clues|colors)\]")
SUMMARY = "nonogram: of pynogram; [clues], columns = and rows =, clues separated by commas or line ends; also [colors]"
EXAMPLE = "[clues]\ncolumns = 1, 2\nrows = 2, 1\n"

_AXES = ("columns", "rows")
_KEY = re.compile(r"\s*(columns|rows)\s*=(.*)")
_COLOUR = re.compile(r"^[ \t]*['\"]?(\w+)[ \t]*=[ \t]*\(([^)\n]*)\)", re.MULTILINE)  # of pynogram or nonogrid
_REMARK = re.compile(r"#.*|(?:^|\s);.*")
_CLUE = re.compile(r"'([^']*)'|\"([^\"]*)\"|([^,'\"]+)")


def parse(text: str, origin: str) -> Nonogram:
    """Return the nonogram in a text; without a section, two or more blank lines separate columns and rows."""
    # Without the section the whole file is clues, and only blank lines separate the axes.
    sectioned = re.search(r"^[ \t]*\[clues\]", text, re.MULTILINE) is not None
    clues: dict[str, list[Clue]] = {axis: [] for axis in _AXES}
    named: dict[str, list[Named]] = {axis: [] for axis in _AXES}
    lines = [*(_in_sections if sectioned else _in_blocks)(text, origin)]
    colours = {key: (key, value) for key, value in _COLOUR.findall(text)} if sectioned else {}
    for axis, number, line in lines:
        for found in _CLUE.findall(line):
            clue = next(filter(None, found), "").strip()
            if clue and colours:
                blocks = read_named(clue, "black")
                if blocks is None or any(key not in {"black", *colours} for _, key in blocks):
                    raise InputError(origin, f"expected blocks in colours of [colors], found {clue[:20]!r}", number)
                named[axis].append(blocks)
            elif clue:
                append_clue(clues[axis], clue, axis[:-1], origin, number)
    if all(named.values()):
        return of_named(named["rows"], named["columns"], colours)[0]
    for axis in _AXES:
        if not clues[axis]:
            raise InputError(origin, f"expected clues of {axis}, found none")
    return Nonogram(clues["rows"], clues["columns"])


def _in_sections(text: str, origin: str) -> Iterator[tuple[str, int, str]]:
    """Yield the lines of clues after [clues], each with its axis and its number."""
    inside, axis = False, ""
    for number, line in numbered_lines(text):
        line = _REMARK.sub("", line).strip()
        key = _KEY.fullmatch(line)
        if line.startswith("["):
            inside, axis = line == "[clues]", ""
        elif inside and key:
            axis, line = key[1], key[2]
        if inside and line and not line.startswith("["):
            if not axis:
                raise InputError(origin, f"expected columns = or rows =, found {line[:20]!r}", number)
            yield axis, number, line


def _in_blocks(text: str, origin: str) -> Iterator[tuple[str, int, str]]:
    """Yield the lines of clues of two blocks, each with its axis and its number."""
    # As if blank lines came before the first clue, which thereby begins the first block.
    block, gap = -1, 2
    for number, line in numbered_lines(text):
        line = _REMARK.sub("", line).strip()
        if not line:
            gap += 1
            continue
        block, gap = block + (gap >= 2), 0
        if block >= len(_AXES):
            raise InputError(origin, "expected two blocks of clues, columns and rows, found a third", number)
        yield _AXES[block], number, line


def write(puzzle: Puzzle) -> str:
    """Return the text of a nonogram, in several colours with their names and values."""
    nonogram = require_nonogram(puzzle, NAME, coloured=True)
    # pynogram ignores the case of a key
    keys = [letter.lower() * (1 + letter.isupper()) for letter in LETTERS] if nonogram.palette else [""]
    colours = zip(keys, nonogram.palette[1:], LETTERS, strict=False)
    lines = ["[colors]", *(f"{key} = ({rgb}) {letter}" for key, (_, rgb), letter in colours), ""]
    lines = [*(lines if nonogram.palette else ()), "[clues]"]
    for axis, clues in zip(_AXES, (nonogram.column_clues, nonogram.row_clues), strict=True):
        blocks = ([f"{length}{keys[colour - 1]}" for length, colour in nonogram.pairs(clue)] for clue in clues)
        lines += [f"{axis} =", *(f"    {' '.join(clue) or '0'}" for clue in blocks)]
    return "\n".join(lines) + "\n"
