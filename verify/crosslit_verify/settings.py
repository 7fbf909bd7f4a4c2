"""The settings of a verification: the answer that the solver promises, and the puzzles to send."""

from __future__ import annotations

import functools
import itertools
import re
from dataclasses import dataclass

from crosslit_backends.programs.answers import CLAIMS, FEWEST, Claims
from crosslit_generate.exhaustive import ONLY, Only
from crosslit_generate.stream import DEFAULT_SIZE

from crosslit.errors import wrong_type
from crosslit.kinds import all_kinds
from crosslit.records import Short
from crosslit_verify.rules import KINDS, Rules, Wrap

Shape = tuple[int, int]
MAX_SIZE = 40
"""Maximum rows and columns that the command line accepts."""


@dataclass(frozen=True, repr=False)
class Settings(Short):
    """The settings of a verification."""

    kind: str  # of the puzzles, such as `lights-out`
    claims: Claims = "one"  # the kind of answer that the solver promises
    seed: int = 0  # of random puzzles
    square: bool = False  # only puzzles with as many rows as columns
    only: Only | None = None  # only puzzles of this class; `valid`: each clue fits, and the sums match
    max_size: int | None = None  # maximum number of rows and of columns; None for the default of the generator
    cases: int | None = None  # maximum number of puzzles; None for no limit
    seconds: float | None = None  # maximum wall time; None for no limit
    keep_going: bool = False  # continue after a failure, to find one example of each cause
    min_size: int = 1  # minimum number of rows and of columns
    sizes: tuple[int, ...] = ()  # numbers of rows and columns that the solver supports; empty for any
    shapes: tuple[Shape, ...] = ()  # rows and columns that it supports; empty for any
    no_unknown: bool = False  # `unknown` and `unsupported` are failures
    press: str = ""  # press pattern of boards, a name or a picture; empty for the plus
    wrap: Wrap = "none"  # joined edges of boards
    holes: bool = False  # boards may have missing cells
    varied: bool = False  # mostly random puzzles, for a solver that answers few
    states: int = 0  # of a light of modular Lights Out; 0 for any number

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
        if not self.rules.are_usual and self.kind not in KINDS:
            raise ValueError(f"press, wrap, holes and states are rules of {' and '.join(KINDS)} boards")
        for name, value in (("cases", self.cases), ("seconds", self.seconds), ("max_size", self.max_size)):
            if not isinstance(value, int | float | None):
                raise wrong_type(f"{name} as a number", value)
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
        return Rules(self.press, self.wrap, self.holes, self.states, self.kind)

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
        """Return whether the solver has to expect puzzles with this shape."""
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
        sides = ", ".join(map(str, self.sizes))
        parts = [
            "mostly random" if self.varied else "",
            self.only or "",
            "square" if self.square else "",
            ", ".join(f"{rows}x{columns}" for rows, columns in self.shapes),
            f"{sides} by {sides}" if sides else "",
            f"{self.min_size}x{self.min_size} or larger" if self.min_size > 1 else "",
            self.members,
        ]
        return " ".join(filter(None, parts))


def parse_sizes(text: str) -> tuple[int, ...]:
    """Read numbers of rows and columns, such as ``3,5,7``, or an empty text for none."""
    numbers = [number.strip() for number in text.split(",")] if text.strip() else []
    if not all(number.isascii() and number.isdecimal() and len(number) < 4 for number in numbers):
        raise ValueError(f"expected sizes such as 3,5,7, found {text[:40]!r}")
    return tuple(map(int, numbers))


def parse_shape(text: str) -> Shape:
    """Read rows and columns, such as ``5x7``; ``5`` means ``5x5``."""
    sides = re.fullmatch(r"\s*([0-9]{1,3})(?:\s*x\s*([0-9]{1,3}))?\s*", text)
    if sides is None:
        raise ValueError(f"expected ROWSxCOLUMNS such as 5x7, or 5 for 5x5, found {text[:40]!r}")
    return int(sides[1]), int(sides[2] or sides[1])
