"""Functions that nonogram formats share: sizes, sections of clues, goals, and colours by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from crosslit.base.errors import InputError
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.colours import WHITE, Block, Colour, ColouredNonogram, usual_palette
from crosslit.kinds.nonogram.text import MAX_DIGITS

Line = tuple[int, str]
"""A line and its number, from 1."""
Named = list[tuple[int, str]]
"""A clue: the length and the key of the colour of each block."""


def require_nonogram(puzzle: Puzzle, name: str, coloured: bool = False) -> Nonogram:
    """Return the puzzle, typed as a nonogram; raise a `ValueError` for one that the format cannot hold."""
    if not isinstance(puzzle, Nonogram) or (puzzle.palette and not coloured):
        raise ValueError(f"the format {name} holds nonograms, not a {puzzle.kind} puzzle")
    return puzzle


def read_sizes(words: Sequence[str], what: str, origin: str, line: int | None, count: int = 2) -> list[int]:
    """Return the positive numbers of a header, however large, because nothing is allocated by them."""
    are_sizes = all(word.isascii() and word.isdigit() and len(word) <= MAX_DIGITS and int(word) for word in words)
    if len(words) != count or not are_sizes:
        raise InputError(origin, f"expected {what}, found {' '.join(words)[:20]!r}", line)
    return [int(word) for word in words]


def section(lines: Sequence[Line], size: int) -> Sequence[Line] | None:
    """Return the ``size`` lines that are clues; None if there are more or fewer.

    Blank lines are ignored, as in most programs; but if that leaves too few clues, and counting them gives the exact
    number, each is an empty clue, as in other programs.
    """
    written = [line for line in lines if line[1].strip()]
    if len(written) == size:
        return written
    if len(written) < size <= len(lines) and not any(line.strip() for _, line in lines[size:]):
        return lines[:size]
    return None


def blocks_of_lines(lines: Iterable[Sequence[str]], background: str) -> list[Named]:
    """Return the blocks of lines of cells, each given by the key of its colour.

    Examples:
        >>> blocks_of_lines(["aab.", "...."], ".")
        [[(2, 'a'), (1, 'b')], []]
    """
    return [[(len([*run]), key) for key, run in groupby(line) if key != background] for line in lines]


def check_goal(
    goal: Sequence[Sequence[str]], background: str, rows: list[Named], columns: list[Named], origin: str, place: int
) -> None:
    """Check that the solution in a file, given by the keys of its cells' colours, solves its puzzle."""
    if (len(goal), len(goal[0])) != (len(rows), len(columns)):
        shapes = f"{len(rows)} x {len(columns)} cells, found {len(goal)} x {len(goal[0])}"
        raise InputError(origin, f"expected a goal of {shapes}", place)
    for axis, lines, clues in (("row", goal, rows), ("column", [*zip(*goal, strict=True)], columns)):
        for number, (found, clue) in enumerate(zip(blocks_of_lines(lines, background), clues, strict=True), 1):
            if found != clue:
                words = [" ".join(f"{size}{key}" for size, key in blocks) or "0" for blocks in (found, clue)]
                problem = f"{axis} {number} has blocks {words[0]}, its clue is {words[1]}"
                raise InputError(origin, f"expected a goal that solves the puzzle, but {problem}", place)


_NAMES: dict[str, str] = dict(
    re.findall(
        r"(\w+)=(\w+)",
        "white=ffffff black=000000 grey=808080 gray=808080 silver=c0c0c0 red=ff0000 maroon=800000 yellow=ffff00 "
        "olive=808000 lime=00ff00 green=008000 cyan=00ffff aqua=00ffff teal=008080 blue=0000ff navy=000080 "
        "magenta=ff00ff purple=800080 orange=ffa500 pink=ffc0cb brown=a52a2a gold=ffd700 violet=ee82ee tan=d2b48c",
    )
)
_VALUES = {value: name for name, value in _NAMES.items()}


def rgb(text: str) -> str | None:
    """Return the six digits of a colour: a name, or three or six hexadecimal digits; None for any other text.

    Examples:
        >>> rgb("#F80"), rgb("ff0010"), rgb("Red"), rgb("who knows")
        ('ff8800', 'ff0010', 'ff0000', None)
    """
    text = text.strip().lower().removeprefix("#")
    if re.fullmatch("[0-9a-f]{3}", text):
        return "".join(2 * digit for digit in text)
    return text if re.fullmatch("[0-9a-f]{6}", text) else _NAMES.get(text)


def plain(rows: Sequence[Named], columns: Sequence[Named], name: str = "") -> Nonogram:
    """Return the nonogram of clues whatever their colours."""
    sizes = [[[size for size, _ in clue] for clue in clues] for clues in (rows, columns)]
    return Nonogram(sizes[0], sizes[1], name)


def of_named(
    rows: Sequence[Named],
    columns: Sequence[Named],
    colours: Mapping[str, tuple[str, str]],
    background: tuple[str, str] = WHITE,
    name: str = "",
) -> ColouredNonogram:
    """Return the puzzle of clues whose colours have keys.

    The palette has the colours in use, in the order of ``colours``, which gives the name of each key and its value, or
    "" if the file does not say it.
    """
    used = {key for clue in (*rows, *columns) for _, key in clue}
    keys = [*(key for key in colours if key in used), *sorted(used - colours.keys())]
    named = [colours.get(key, (key, "")) for key in keys]
    usual = usual_palette(len(keys) + 1)
    palette = [_colour(*background, WHITE), *map(_colour, *zip(*named, strict=True), usual[1:])] if keys else []
    blocks = [[[Block(size, keys.index(key) + 1) for size, key in clue] for clue in clues] for clues in (rows, columns)]
    return ColouredNonogram(blocks[0], blocks[1], palette, name)


def _colour(name: str, value: str, usual: Colour) -> Colour:
    shown = rgb(value) or rgb(name) or usual.rgb
    plain = re.sub(r"[\s=,;|/]+", " ", name).strip() or usual.name
    return Colour(_VALUES.get(shown, plain) if len(plain) == 1 else plain, shown)
