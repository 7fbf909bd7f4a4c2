"""The settings of a verification: the answer that the solver promises, the puzzles to send, and the rules of boards."""

from __future__ import annotations

import functools
import itertools
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from crosslit_backends.programs.protocol import CLAIMS, FEWEST, Claims
from crosslit_generate import Case
from crosslit_generate.exhaustive import ONLY, Only
from crosslit_generate.solution_count import admitted
from crosslit_generate.stream import DEFAULT_SIZE

from crosslit.base.errors import wrong_type
from crosslit.base.grid import Grid
from crosslit.base.records import Short
from crosslit.contract.family import random_grid
from crosslit.kinds import LightsOut, Puzzle, all_kinds
from crosslit.kinds.lights_out.making import planted, random_lights
from crosslit.kinds.lights_out.modular import ModularLightsOut
from crosslit.kinds.lights_out.rules import Wrap as Wrap
from crosslit.kinds.lights_out.text import of_lights, rules

KINDS = (LightsOut.kind, ModularLightsOut.kind)
"""The kinds of puzzles that have such rules."""

_HOLES = 0.15  # share of the cells
_MAX_SOLUTIONS = 1024


@dataclass(frozen=True)
class BoardRules:
    """The rules of boards; raise a ValueError if there is no such press pattern or edge.

    Examples:
        >>> BoardRules("king", "torus").apply(LightsOut(Grid.from_text("10/00")), random.Random(0)).text
        'press=king/wrap=torus/10/00'
    """

    press: str = ""  # the name or the picture of a press pattern, as in a file; empty for the plus
    wrap: Wrap = "none"  # the joined edges
    holes: bool = False  # cells may be missing
    states: int = 0  # of a light, where that varies; 0 for any number
    kind: str = LightsOut.kind

    def __post_init__(self) -> None:
        wraps = (LightsOut if self.kind == LightsOut.kind else ModularLightsOut).wraps
        if self.wrap not in wraps:
            raise ValueError(f"wrap is one of {', '.join(wraps)}, not {self.wrap!r:.40}")
        if self.states and self.kind != ModularLightsOut.kind:
            raise ValueError(f"only {ModularLightsOut.kind} boards have a number of states")
        _ = (
            self._template
            if self.kind == LightsOut.kind
            else self._ruled(of_lights(ModularLightsOut, self.states or 2, ["0"]))
        )

    @property
    def are_usual(self) -> bool:
        """True if these are the rules of the usual game."""
        return not (self.press or self.holes or self.states) and self.wrap == "none"

    def allow(self, puzzle: Puzzle, found: Puzzle | None = None) -> bool:
        """Return whether a puzzle has these rules, or those of a puzzle that was found and has others itself."""
        if found is not None and not self.allow(found):  # a user's own puzzle
            return _rules_of(puzzle) == _rules_of(found)
        if not isinstance(puzzle, LightsOut):
            return True
        if isinstance(puzzle, ModularLightsOut):
            if self.are_usual:
                return True  # their usual families have all rules
            right = puzzle.is_grid and puzzle == self._ruled(puzzle) and self.states in (0, puzzle.states)
        else:
            right = _rules_of(puzzle) == _rules_of(self._template)
        return right and (self.holes or not any(puzzle.gone))

    def apply(self, board: LightsOut, rng: random.Random, is_solvable: bool = False) -> LightsOut:
        """Return a board of these rules with the lights of another, or, to be solvable, with these cells pressed."""
        missing = random_grid(rng, board.rows, board.columns, _HOLES).bits if self.holes else 0
        cells = (1 << board.rows * board.columns) - 1
        # A board without any cell is not a board.
        missing = 0 if missing == cells else missing
        lit = Grid.from_bits(board.rows, board.columns, board.lit.bits & ~missing)
        gone = Grid.from_bits(board.rows, board.columns, missing) if missing else None
        ruled = replace(self._template, lit=lit, missing=gone)
        dark = replace(ruled, lit=Grid.from_bits(board.rows, board.columns, 0))
        return dark.pressed(lit) if is_solvable else ruled

    def cases(self, usual: Iterator[Case], only: Only | None, seed: int) -> Iterator[Case]:
        """Yield boards of these rules instead of usual ones; every other random one is made solvable."""
        rng = random.Random(f"rules {seed}")
        sent = Counter[str]()  # boards with this number of states, by family, which has other numbers too
        for number, case in enumerate(usual):
            is_whole = case.exhaustive and not self.holes and only is None
            # every fourth case is random, from number 3 on
            is_solvable = not case.exhaustive and number % 8 == 3
            board: Puzzle
            if isinstance(case.puzzle, ModularLightsOut):
                if self.states and case.exhaustive and case.puzzle.states != self.states:
                    continue
                board = self._ruled(case.puzzle) if case.exhaustive else self._random(case.puzzle, rng, is_solvable)
            else:
                assert isinstance(case.puzzle, LightsOut)
                board = self.apply(case.puzzle, rng, is_solvable)
            if is_whole or admitted(board, None, only, _MAX_SOLUTIONS):
                family = case.family if is_whole else f"boards of these rules{f', {only}' if only else ''}"
                family = family.replace("of few states", f"modulo {self.states}") if self.states else family
                sent[family] += 1
                last = sent[family] == self.states ** (board.rows * board.columns) if self.states else case.last
                yield Case(board, family, is_whole, last and is_whole)

    def _ruled(self, board: ModularLightsOut) -> ModularLightsOut:
        return of_lights(ModularLightsOut, board.states, [*board.lines], f"press={self.press or 'plus'}", self.wrap)

    def _random(self, board: ModularLightsOut, rng: random.Random, is_solvable: bool) -> ModularLightsOut:
        states, gone = self.states or board.states, _HOLES if self.holes else 0
        found = self._ruled(random_lights(rng, board.rows, board.columns, states, gone))
        return planted(rng, found) if is_solvable else found

    @property
    def _template(self) -> LightsOut:
        return rules(self.press or "plus", self.wrap)


def _rules_of(puzzle: Puzzle) -> tuple[object, ...]:
    return (puzzle.pattern, puzzle.wrap) if isinstance(puzzle, LightsOut) else ()


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
        for name, value in (("cases", self.cases), ("seconds", self.seconds)):
            if not isinstance(value, int | float | None):
                raise wrong_type(f"{name} as a number", value)
            if value is not None and not value > 0:
                raise ValueError(f"{name} is a positive number, not {value}")
        if self.has_sizes and not self.allowed_shapes:
            raise ValueError("there is no shape of these sizes")

    @functools.cached_property
    def rules(self) -> BoardRules:
        """The rules of boards."""
        return BoardRules(self.press, self.wrap, self.holes, self.states, self.kind)

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
