"""Nonograms in several colours: every line has the blocks of its clue, each in its colour."""

from __future__ import annotations

import colorsys
import functools
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from crosslit.base.errors import wrong_type
from crosslit.base.grid import DIGITS, Cells, Grid, text_of
from crosslit.contract.puzzle import function_at
from crosslit.kinds.nonogram.puzzle import LENGTHS, Clues, Nonogram, whole_number

_HOME = "crosslit.kinds.nonogram"
MAX_COLOURS = 31
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDE"
"""The colours in clues, from the first."""

_NAME = re.compile(r"[^\s=,;|/][^=,;|\n]*")
_RGB = re.compile("[0-9a-f]{6}")
_BLOCK = re.compile(r"([1-9][0-9]{0,8})([a-zA-E])")


class Block(NamedTuple):
    """A block: its length, and the number of its colour, from 1."""

    length: int
    colour: int

    def __str__(self) -> str:
        return f"{self.length}{LETTERS[self.colour - 1]}"


class Colour(NamedTuple):
    """A colour: its name, and its value as six hexadecimal digits."""

    name: str
    rgb: str


Palette = tuple[Colour, ...]
"""The background, and then the colours."""

Clue = tuple[Block, ...]

WHITE = Colour("white", "ffffff")
# Okabe and Ito's colours, which are safe for colour-blind people
_FIRST = (
    Colour("black", "222222"),
    Colour("orange", "e69f00"),
    Colour("blue", "0072b2"),
    Colour("green", "009e73"),
    Colour("red", "d55e00"),
    Colour("sky", "56b4e9"),
    Colour("purple", "cc79a7"),
    Colour("yellow", "f0e442"),
)


@functools.cache
def usual_palette(colours: int) -> tuple[Colour, ...]:
    """Return white and as many colours, for puzzles that name none.

    Examples:
        >>> [colour.name for colour in usual_palette(2)], [colour.rgb for colour in usual_palette(11)[9:]]
        (['white', 'black', 'orange'], ['24678f', 'b4c030', 'bb58d5'])
    """
    palette = [WHITE, *_FIRST[:colours]]
    while len(palette) <= colours:
        # Steps by the golden ratio keep any number of hues apart.
        rgb = colorsys.hls_to_rgb(len(palette) * 0.618, 0.35 + 0.12 * (len(palette) % 3), 0.6)
        palette.append(Colour(f"colour {len(palette)}", "".join(f"{round(255 * part):02x}" for part in rgb)))
    return tuple(palette)


class ColouredNonogram(Nonogram):
    """A nonogram in colours: blocks of different colours may touch, those of one have an empty cell between them.

    In a solution a cell has the number of its colour, or 0 if it is empty. Clues that contradict each other or do not
    fit their line are valid; such a puzzle has no solution.

    Args:
        row_clues: for each row its blocks in order, pairs of a length and the number of a colour, from 1.
        column_clues: for each column its blocks in order.
        palette: the background and then the colours, as pairs of a name and six hexadecimal digits; by default
            `usual_palette` of the colours in the clues.
        name: title of the puzzle; not part of its identity.

    Raises:
        TypeError: if the clues of an axis, one clue, or the palette are not a sequence.
        ValueError: if there are no rows or no columns, a block is not positive, or the palette does not have its colour
            or has more than 31 colours.

    Examples:
        >>> puzzle = ColouredNonogram([[(1, 1), (1, 2)]], [[(1, 1)], [(1, 2)]])
        >>> puzzle.text
        'coloured-nonogram:1a 1b|1a,1b'
        >>> list(puzzle.violations(puzzle.layout.parse("12")))
        []
        >>> list(puzzle.violations(puzzle.layout.parse("11")))[:2]
        ['row 1 has blocks 2a, its clue is 1a 1b', 'column 2 has blocks 1a, its clue is 1b']
    """

    __slots__ = ()

    palette: Palette

    kind: ClassVar[str] = "coloured-nonogram"
    label: ClassVar[str] = "coloured nonogram"
    member: ClassVar[str] = "coloured nonogram"
    plural: ClassVar[str] = "coloured nonograms"
    file_format: ClassVar[str] = "xml"
    data_keys: ClassVar[tuple[str, ...]] = ("palette", "rows", "columns")
    certificates: ClassVar[Mapping[str, Any]] = {}
    samples = staticmethod(function_at(f"{_HOME}.samples:coloured_samples"))
    population = staticmethod(function_at(f"{_HOME}.samples:coloured_population"))
    like = function_at(f"{_HOME}.samples:like")
    smaller = function_at(f"{_HOME}.reduction:coloured_smaller")
    _example: ClassVar[str] = "[(2, 1), (1, 2)]"
    _block_words: ClassVar[str] = "a positive length of at most nine digits and the number of a colour, from 1"
    most_solutions = None
    tint = function_at(f"{_HOME}.picture:tint")

    def __init__(
        self,
        row_clues: Iterable[Iterable[Sequence[int]]],
        column_clues: Iterable[Iterable[Sequence[int]]],
        palette: Iterable[Sequence[str]] = (),
        name: str = "",
    ) -> None:
        rows, columns = self._clues("row", row_clues), self._clues("column", column_clues)
        last = max((block.colour for clue in (*rows, *columns) for block in clue), default=1)
        if isinstance(palette, str) or not isinstance(palette, Iterable):
            raise wrong_type("a palette such as [('white', 'ffffff'), ('red', 'ff0000')]", palette)
        colours = tuple([_checked_colour(given) for given in palette]) or usual_palette(min(last, MAX_COLOURS))
        if not last < len(colours) <= MAX_COLOURS + 1:
            raise ValueError(f"expected a background and 1 to {MAX_COLOURS} colours, with that of every block")
        self._set(rows, columns, name, colours)

    @staticmethod
    def _block(given: Any) -> Any:
        try:
            length, colour = given
        except (TypeError, ValueError):
            return None
        if not type(length) is type(colour) is int:
            length, colour = whole_number(length), whole_number(colour)
        return Block(length, colour) if length in LENGTHS and colour > 0 else None

    @property
    def facts(self) -> tuple[str, ...]:
        """The number of colours."""
        return (f"{self.colours} colour{'s'[: self.colours > 1]}",)

    @property
    def text(self) -> str:
        """The canonical one-line form: the palette and ``;`` if it is not the usual one, rows, ``|``, columns."""
        usual = self.palette == usual_palette(max(self.sums_by_colour(), default=1))
        palette = "" if usual else f"{','.join(map('='.join, self.palette))};"
        return f"{self.kind}:{palette}{super().text}"

    @classmethod
    def parse(cls, text: str, origin: str = "text") -> ColouredNonogram:  # noqa: ARG003
        """Read a puzzle from its one-line form; a ValueError says what was expected.

        Examples:
            >>> ColouredNonogram.parse("coloured-nonogram:white=ffffff,red=ff0000;2a|1a,1a").palette[1]
            Colour(name='red', rgb='ff0000')
        """
        colours, _, clues = text.removeprefix(f"{cls.kind}:").rpartition(";")
        lines = [[read_clue(clue) for clue in axis.split(",")] for axis in clues.split("|")]
        if len(lines) != 2:
            raise ValueError(f"expected {cls.kind}: and clues, rows|columns, such as {cls.kind}:1a 1b|1a,1b")
        palette = [colour.partition("=")[::2] for colour in colours.split(",")] if colours else []
        return cls(lines[0], lines[1], palette)

    @property
    def sums(self) -> None:  # type: ignore[override]
        """None: each colour has sums of its own."""

    def colour_words(self, colour: int) -> str:
        """Return the letter and the name of a colour."""
        return f" of colour {LETTERS[colour - 1]} ({self.palette[colour].name})"

    @staticmethod
    def pairs(clue: Clue) -> Clue:
        """Return the blocks, which are pairs of a length and a colour."""
        return clue

    @staticmethod
    def blocks(lines: list[str]) -> Clues:
        """Return the blocks of each line of a picture, given as digits."""
        return tuple(map(_line_blocks, lines))

    @staticmethod
    def resized(block: Block, length: int) -> Block:
        """Return a block of the same colour and another length."""
        return Block(length, block.colour)

    def with_clues(self, row_clues: Iterable[Clue], column_clues: Iterable[Clue]) -> ColouredNonogram:
        """Return a puzzle with other clues, and the same palette and name."""
        return ColouredNonogram(row_clues, column_clues, self.palette, self.name)

    @classmethod
    def of(cls, grid: Grid | Cells, name: str = "", palette: Iterable[Sequence[str]] = ()) -> ColouredNonogram:
        """Return the puzzle that a picture of the numbers of colours solves; it may have other solutions too.

        Examples:
            >>> ColouredNonogram.of([[1, 1, 2], [0, 2, 0]]).text
            'coloured-nonogram:2a 1b,1b|1a,1a 1b,1b'
        """
        if not isinstance(grid, Grid):
            text = text_of(grid)
            grid = Grid.from_text(text, max(2, 1 + DIGITS.index(max(text))))
        return cls(*cls.clues_of(grid), palette or usual_palette(grid.states - 1), name)


def _checked_colour(given: Any) -> Colour:
    try:
        name, rgb = given
        if _NAME.fullmatch(name) and _RGB.fullmatch(rgb):
            return Colour(name, rgb)
    except (TypeError, ValueError):
        pass
    raise ValueError(f"expected a name without =,;| and six hexadecimal digits, not {given!r:.40}")


def read_clue(text: str) -> Clue:
    """Return the clue of a text such as ``2a 1b``; ``0`` is an empty one."""
    blocks = [_BLOCK.fullmatch(word) for word in text.split()] if text.strip() != "0" else []
    if not all(blocks) or not text.strip():
        raise ValueError(f"expected blocks of a length and a colour from a to E, such as 2a 1b, found {text[:20]!r}")
    return tuple(Block(int(block[1]), LETTERS.index(block[2]) + 1) for block in blocks if block)


@functools.lru_cache(1 << 13)
def _line_blocks(line: str) -> Clue:
    runs = ((digit, len([*run])) for digit, run in itertools.groupby(line))
    return tuple(Block(length, DIGITS.index(digit)) for digit, length in runs if digit != "0")
