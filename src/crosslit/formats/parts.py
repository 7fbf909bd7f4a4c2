"""Parts that files of several formats have: sizes, lines of clues, goals, and blocks of named colours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from crosslit.base.errors import InputError
from crosslit.kinds import ColouredNonogram, Nonogram
from crosslit.kinds.nonogram.colours import MAX_COLOURS, WHITE, Block, Colour, usual_palette
from crosslit.kinds.nonogram.text import MAX_DIGITS

Line = tuple[int, str]
"""A line and its number, from 1."""
Readings = tuple[Nonogram | None, Nonogram | None]
"""A nonogram read with the rows first, and with the columns first; None where the file cannot be read so."""
Named = list[tuple[int, str]]
"""A clue: the length and the key of the colour of each block."""


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
    known_names = (*usual_palette(MAX_COLOURS), *_VALUES.items())
    names = [name for name, known in known_names if known == shown and len(plain) == 1]
    return Colour((*names, plain)[0], shown)
