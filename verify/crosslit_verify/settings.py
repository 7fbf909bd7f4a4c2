"""The settings of a verification: the answer that the solver promises, and the puzzles to send."""

from __future__ import annotations

import functools
import itertools
import re
from dataclasses import dataclass

from crosslit_backends.programs.protocol import CLAIMS, FEWEST, Claims
from crosslit_generate.exhaustive import ONLY, Only
from crosslit_generate.stream import DEFAULT_SIZE

from crosslit.base.errors import wrong_type
from crosslit.base.records import Short
from crosslit.kinds import all_kinds
from crosslit.kinds.lights_out.rules import Wrap as Wrap

SECONDS = 60.0
"""Seconds of a verification, if neither cases nor seconds are given."""

Shape = tuple[int, int]
MAX_SIZE = 40
"""Maximum rows and columns that the command line accepts."""


@dataclass(frozen=True)
class Sizes:
    """Sizes of puzzles."""

    min_size: int = 1  # minimum number of rows and of columns
    max_size: int | None = None  # maximum number of rows and of columns; None for the default of the generator
    square: bool = False  # as many rows as columns
    shapes: tuple[Shape, ...] = ()  # rows and columns; empty for any

    @classmethod
    def parse(cls, text: str) -> Sizes:
        """Read sizes, separated by commas: a range of rows and of columns, shapes, and NxN for squares only.

        Examples:
            >>> Sizes.parse("3..8,NxN")
            Sizes(min_size=3, max_size=8, square=True, shapes=())
            >>> Sizes.parse("5,3x4").shapes
            ((5, 5), (3, 4))
        """
        low, high, square, shapes = 1, None, False, []
        for part in re.split(r"\s*,\s*", text.strip()) if text.strip() else ():
            found = re.fullmatch(r"([0-9]{0,3})\.\.([0-9]{0,3})|([0-9]{1,3})(?:x([0-9]{1,3}))?|NxN", part, re.ASCII)
            if found is None:
                raise ValueError(f"expected a size such as 3..12, 5x7, 5 or NxN, found {part[:40]!r}")
            if part == "NxN":
                square = True
            elif found[3]:
                shapes.append((int(found[3]), int(found[4] or found[3])))
            else:
                low, high = int(found[1] or low), int(found[2]) if found[2] else high
        for value in (low, 1 if high is None else high, *itertools.chain.from_iterable(shapes)):
            if not 1 <= value <= MAX_SIZE:
                raise ValueError(f"a size is a number from 1 to {MAX_SIZE}, not {value}")
        return cls(low, high, square, tuple(shapes))


@dataclass(frozen=True, repr=False)
class Settings(Short):
    """The settings of a verification."""

    kind: str  # of the puzzles, such as `lights-out`
    claims: Claims = "one"  # the kind of answer that the solver promises
    seed: int = 0  # of random puzzles
    size: str = ""  # rows and columns, as `Sizes.parse` reads them; empty for at most 12
    only: Only | None = None  # only puzzles of this class; `valid`: each clue fits, and the sums match
    cases: int | None = None  # maximum number of puzzles; None for no limit
    seconds: float | None = None  # maximum wall time; None for no limit
    keep_going: bool = False  # continue after a failure, to find one example of each cause
    no_unknown: bool = False  # `unknown` and `unsupported` are failures
    varied: bool = False  # mostly random puzzles, for a solver that answers few

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
        for name, value in (("cases", self.cases), ("seconds", self.seconds)):
            if not isinstance(value, int | float | None):
                raise wrong_type(f"{name} as a number", value)
            if value is not None and not value > 0:
                raise ValueError(f"{name} is a positive number, not {value}")
        if self.has_sizes and not self.allowed_shapes:
            raise ValueError("there is no shape of these sizes")

    @functools.cached_property
    def sizes(self) -> Sizes:
        """The sizes of the puzzles."""
        return Sizes.parse(self.size)

    @property
    def has_sizes(self) -> bool:
        """True if the sizes are restricted by more than a maximum, and to squares."""
        return bool(self.sizes.min_size > 1 or self.sizes.shapes)

    @property
    def longest(self) -> int:
        """Maximum number of rows and of columns."""
        given = max(itertools.chain.from_iterable(self.sizes.shapes), default=DEFAULT_SIZE)
        return self.sizes.max_size or max(given, self.sizes.min_size)

    def allows(self, rows: int, columns: int) -> bool:
        """Return whether the solver has to expect puzzles with this shape."""
        if (self.sizes.square and rows != columns) or (self.sizes.shapes and (rows, columns) not in self.sizes.shapes):
            return False
        return self.sizes.min_size <= min(rows, columns) and max(rows, columns) <= self.longest

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
        parts = [
            "mostly random" if self.varied else "",
            self.only or "",
            "square" if self.sizes.square else "",
            ", ".join(f"{rows}x{columns}" for rows, columns in self.sizes.shapes),
            f"{self.sizes.min_size}x{self.sizes.min_size} or larger" if self.sizes.min_size > 1 else "",
            self.members,
        ]
        return " ".join(filter(None, parts))
