"""Functions that nonogram formats share: clues in one colour and in colours by name, and checks of parts of a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count

from crosslit.base.errors import InputError
from crosslit.base.grid import Grid
from crosslit.base.layout import Layout
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram.colours import WHITE, Block, Colour, ColouredNonogram, usual_palette
from crosslit.kinds.nonogram.puzzle import Clue
from crosslit.kinds.nonogram.text import MAX_DIGITS, read_clue

COLOURED = re.compile(r"[0-9]+(?:-[0-9A-Za-z]|[A-Za-z])")
"""A block with a colour."""
Line = tuple[int, str]
"""A line and its number, from 1."""


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


def read_clues(lines: Iterable[Line], axis: str, origin: str) -> list[Clue]:
    """Read the clues of lines of an ``axis``, row or column; a blank line is an empty clue."""
    return [
        read_clue(line, f"{axis} {index}", origin, number) if line.strip() else ()
        for index, (number, line) in enumerate(lines, 1)
    ]


def check_goal(puzzle: Puzzle, goal: Grid, origin: str, line: int) -> None:
    """Check that the solution in a file solves its puzzle."""
    if (goal.rows, goal.columns) != (puzzle.rows, puzzle.columns):
        shape = f"{puzzle.rows} x {puzzle.columns}"
        raise InputError(origin, f"expected a goal of {shape} cells, found {goal.rows} x {goal.columns}", line)
    violation = next(puzzle.violations(goal), None)
    if violation is not None:
        raise InputError(origin, f"expected a goal that solves the puzzle, but {violation}", line)


Named = list[tuple[int, str]]
"""A clue: the length and the key of the colour of each block."""

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


def of_named(
    rows: Sequence[Named],
    columns: Sequence[Named],
    colours: Mapping[str, tuple[str, str]],
    background: tuple[str, str] = WHITE,
    name: str = "",
) -> tuple[ColouredNonogram, dict[str, int]]:
    """Return the puzzle of clues whose colours have keys, and the number of each key.

    The palette has the colours in use, in the order of ``colours``, which gives the name of each key and its value, or
    "" if the file does not say it.
    """
    used = {key for clue in (*rows, *columns) for _, key in clue}
    keys = [*(key for key in colours if key in used), *sorted(used - colours.keys())]
    numbers = {key: number for number, key in enumerate(keys, 1)}
    named = [colours.get(key, (key, "")) for key in keys]
    usual = usual_palette(len(keys) + 1)
    palette = [_colour(*background, WHITE), *map(_colour, *zip(*named, strict=True), usual[1:])] if keys else []
    blocks = [[[Block(size, numbers[key]) for size, key in clue] for clue in clues] for clues in (rows, columns)]
    return ColouredNonogram(blocks[0], blocks[1], palette, name), numbers


def _colour(name: str, value: str, usual: Colour) -> Colour:
    shown = rgb(value) or rgb(name) or usual.rgb
    plain = re.sub(r"[\s=,;|/]+", " ", name).strip() or usual.name
    return Colour(_VALUES.get(shown, plain) if len(plain) == 1 else plain, shown)


def distinct(names: Iterable[str]) -> list[str]:
    """Return names of which no two differ in case only, since some programs ignore it.

    Examples:
        >>> distinct(["a", "A", "b", "A2"])
        ['a', 'A2', 'b', 'A22']
    """
    found: dict[str, str] = {}  # by their lower case
    for name in names:
        tries = (f"{name}{number or ''}" for number in chain([0], count(2)))
        free = next(each for each in tries if each.lower() not in found)
        found[free.lower()] = free
    return [*found.values()]


def read_named(text: str, default: str) -> Named | None:
    """Return a clue such as ``2a,1b 3``, whose blocks without a colour have the default; None if it is no clue.

    Examples:
        >>> read_named("12a,1b 3", "black"), read_named("0", "black"), read_named("a", "black")
        ([(12, 'a'), (1, 'b'), (3, 'black')], [], None)
    """
    words = [word for word in re.split(r"[\s,]+", text.strip()) if word and word != "0"]
    blocks = [re.fullmatch(r"([1-9][0-9]{0,8})-?([0-9A-Za-z_]*)", word) for word in words]
    return [(int(block[1]), block[2] or default) for block in blocks if block] if all(blocks) else None


def goal_grid(puzzle: ColouredNonogram, rows: Sequence[Sequence[str]], numbers: Mapping[str, int]) -> Grid:
    """Return the solution in a file, given the key of each cell's colour; other keys than ``numbers`` are empty."""
    layout = Layout(len(rows), len(rows[0]), puzzle.colours + 1)
    return layout.pack([numbers.get(key, 0) for row in rows for key in row])
