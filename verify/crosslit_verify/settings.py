"""The settings of a verification: the answer that the solver promises, and the puzzles to send."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from crosslit_backends.programs.answers import CLAIMS, FEWEST, Claims
from crosslit_generate.stream import DEFAULT_SIZE

from crosslit.kinds import all_kinds
from crosslit_verify.rules import KIND, Rules, Wrap

Shape = tuple[int, int]
MAX_SIZE = 40
"""Maximum rows and columns that the command line accepts."""

ONLY = ("solvable", "unique", "valid", "unsolvable")
"""Classes of puzzles to which a verification can be restricted."""


@dataclass(frozen=True)
class Settings:
    """The settings of a verification.

    Args:
        kind: kind of the puzzles, such as ``lights-out``.
        claims: the kind of answer that the solver promises.
        seed: seed of random puzzles.
        square: only puzzles with as many rows as columns.
        only: send only ``solvable``, ``unique``, ``valid`` (each clue fits, the sums match) or ``unsolvable`` puzzles;
            None for all.
        max_size: maximum number of rows and of columns; None for the default of the generator.
        cases: maximum number of puzzles; None for no limit.
        seconds: maximum wall time; None for no limit.
        keep_going: whether to continue after a failure, to find one example of each cause.
        min_size: minimum number of rows and of columns.
        sizes: numbers of rows and columns that the solver supports; empty for any.
        shapes: shapes (rows, columns) that it supports; empty for any.
        no_unknown: whether ``unknown`` and ``unsupported`` are failures.
        press: press pattern of boards, a name or a picture; empty for the plus.
        wrap: joined edges of boards: ``none``, ``horizontal``, ``vertical`` or ``torus``.
        holes: whether boards may have missing cells.
    """

    kind: str
    claims: Claims = "one"
    seed: int = 0
    square: bool = False
    only: str | None = None
    max_size: int | None = None
    cases: int | None = None
    seconds: float | None = None
    keep_going: bool = False
    min_size: int = 1
    sizes: tuple[int, ...] = ()
    shapes: tuple[Shape, ...] = ()
    no_unknown: bool = False
    press: str = ""
    wrap: Wrap = "none"
    holes: bool = False

    def __post_init__(self) -> None:
        kinds = all_kinds()
        if self.kind not in kinds:
            raise ValueError(f"kind is one of {', '.join(kinds)}, not {self.kind!r:.40}")
        if self.claims not in CLAIMS:
            raise ValueError(f"claims is one of {', '.join(CLAIMS)}, not {self.claims!r:.40}")
        if self.claims == FEWEST and not kinds[self.kind].cost:
            raise ValueError("only lights-out boards have fewest presses")
        if self.only not in (None, *ONLY):
            raise ValueError(f"only is one of {', '.join(ONLY)}, not {self.only!r:.40}")
        if not self.rules.are_usual and self.kind != KIND:
            raise ValueError("press, wrap and holes are rules of lights-out boards")
        for name, value in (("cases", self.cases), ("seconds", self.seconds), ("max_size", self.max_size)):
            if value is not None and not value > 0:
                raise ValueError(f"{name} is a positive number, not {value}")
        for value in (self.min_size, *self.sizes, *(side for shape in self.shapes for side in shape)):
            if not 1 <= value <= MAX_SIZE:
                raise ValueError(f"a size is a number from 1 to {MAX_SIZE}, not {value}")
        if self.has_sizes and not self.allowed_shapes:
            raise ValueError("there is no shape of these sizes")

    @functools.cached_property
    def rules(self) -> Rules:
        """The rules of boards."""
        return Rules(self.press, self.wrap, self.holes)

    @property
    def has_sizes(self) -> bool:
        """True if the sizes are restricted by more than ``max_size`` and ``square``."""
        return bool(self.min_size > 1 or self.sizes or self.shapes)

    @property
    def longest(self) -> int:
        """Maximum number of rows and of columns."""
        given = max((*self.sizes, *(side for shape in self.shapes for side in shape)), default=DEFAULT_SIZE)
        return self.max_size or max(given, self.min_size)

    def allows(self, rows: int, columns: int) -> bool:
        """Return whether the solver has to expect puzzles with this shape.

        Examples:
            >>> from crosslit.formats import read
            >>> settings = Settings(read("1").kind, sizes=(3, 5))
            >>> settings.allows(3, 5), settings.allows(4, 5)
            (True, False)
        """
        if (self.square and rows != columns) or (self.shapes and (rows, columns) not in self.shapes):
            return False
        if self.sizes and not {rows, columns} <= set(self.sizes):
            return False
        return self.min_size <= min(rows, columns) and max(rows, columns) <= self.longest

    @functools.cached_property
    def allowed_shapes(self) -> tuple[Shape, ...]:
        """Shapes that the solver has to expect."""
        sides = range(1, self.longest + 1)
        return tuple(shape for shape in itertools.product(sides, sides) if self.allows(*shape))

    @property
    def members(self) -> str:
        """The plural name of puzzles of the kind."""
        return f"{all_kinds()[self.kind].puzzle.member}s"

    @property
    def puzzles(self) -> str:
        """The puzzles to send, in words."""
        parts = [self.only or "", "square" if self.square else "", *self._sizes, self.members]
        return " ".join(filter(None, parts))

    @property
    def _sizes(self) -> Iterator[str]:
        if self.shapes:
            yield ", ".join(f"{rows}x{columns}" for rows, columns in self.shapes)
        if self.sizes:
            yield f"{', '.join(map(str, self.sizes))} by {', '.join(map(str, self.sizes))}"
        if self.min_size > 1:
            yield f"{self.min_size}x{self.min_size} or larger"


def parse_sizes(text: str) -> tuple[int, ...]:
    """Read numbers of rows and columns, such as ``3,5,7``.

    Raises:
        ValueError: if the text has another form.

    Examples:
        >>> parse_sizes("3,5,7"), parse_sizes("")
        ((3, 5, 7), ())
    """
    numbers = [number.strip() for number in text.split(",")] if text.strip() else []
    if not all(number.isascii() and number.isdecimal() and len(number) < 4 for number in numbers):
        raise ValueError(f"expected sizes such as 3,5,7, found {text[:40]!r}")
    return tuple(map(int, numbers))


def parse_shape(text: str) -> Shape:
    """Read rows and columns, such as ``5x7``; ``5`` means ``5x5``.

    Raises:
        ValueError: if the text has another form.

    Examples:
        >>> parse_shape("5x7")
        (5, 7)
    """
    sides = re.fullmatch(r"\s*([0-9]{1,3})(?:\s*x\s*([0-9]{1,3}))?\s*", text)
    if sides is None:
        raise ValueError(f"expected ROWSxCOLUMNS such as 5x7, or 5 for 5x5, found {text[:40]!r}")
    return int(sides[1]), int(sides[2] or sides[1])
