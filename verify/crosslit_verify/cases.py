"""The cases of a verification: a user's own puzzles, and small families that alternate with random puzzles."""

from __future__ import annotations

import functools
import itertools
import random
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from crosslit_backends.programs.protocol import CLAIMS, FEWEST, Claims
from crosslit_generate.cases import DEFAULT_SIZE, Case, Family, families, random_cases
from crosslit_generate.solution_count import ONLY, Only

from crosslit.base.errors import wrong_type
from crosslit.base.records import Short
from crosslit.contract.family import shuffled
from crosslit.kinds import Puzzle, all_kinds

Shape = tuple[int, int]
MAX_SIZE = 40  # rows and columns that a user may ask for
MAX_EXHAUSTED = 1_000  # puzzles of a family that is sent in order; larger ones follow, in random order
TURNS = 3  # puzzles of families per random one: a slow solver would get only those of up to six cells otherwise
LARGE_TURNS, LARGE = 8, (10, 10)  # one random puzzle in 8 has this shape: it is common, and rarely drawn
_MAX_NUMBER = 1e9  # of cases, and seconds
_MAX_LARGE_IDLE = 1_000  # rejected puzzles after which the kind has none of that shape

_TYPES: dict[str, tuple[Any, str]] = {
    **dict.fromkeys(("kind", "size"), (str, "a text")),
    "seed": (int, "a whole number"),
    "cases": (int | None, "a whole number"),
    "seconds": (int | float | None, "a number"),
}


@dataclass(frozen=True)
class Sizes:
    """Sizes of puzzles."""

    min_side: int = 1  # rows and columns
    max_side: int | None = None  # rows and columns; None for the maximum of the generator
    square: bool = False  # as many rows as columns
    shapes: tuple[Shape, ...] = ()  # rows and columns; empty for any

    @classmethod
    def parse(cls, text: str) -> Sizes:
        """Read sizes, separated by commas: a range of rows and of columns, shapes, and NxN for squares only."""
        min_side, max_side, square, shapes = 1, None, False, []
        for part in re.split(r"\s*,\s*", text.strip()) if text.strip() else ():
            found = re.fullmatch(r"([0-9]{0,3})\.\.([0-9]{0,3})|([0-9]{1,3})(?:x([0-9]{1,3}))?|NxN", part, re.ASCII)
            if found is None:
                raise ValueError(f"expected a size such as 3..12, 5x7, 5 or NxN, found {part[:40]!r}")
            if not all(1 <= int(number) <= MAX_SIZE for number in found.groups() if number):
                raise ValueError(f"a size is a number from 1 to {MAX_SIZE}, not {part}")
            if found[3]:
                shapes.append((int(found[3]), int(found[4] or found[3])))
            elif part != "NxN":
                min_side, max_side = int(found[1] or min_side), int(found[2]) if found[2] else max_side
            square = square or part == "NxN"
        return cls(min_side, max_side, square, tuple(shapes))


@dataclass(frozen=True, repr=False)
class Settings(Short):
    """The settings of a verification: the answer that the solver promises, and the puzzles to send."""

    kind: str  # of the puzzles, such as `lights-out`
    claims: Claims = "one"  # the kind of answer that the solver promises
    seed: int = 0  # of random puzzles
    size: str = ""  # rows and columns, as `Sizes.parse` reads them; empty for at most 12
    only: Only | None = None  # only puzzles of this class; `valid`: each clue fits, and the sums match
    like: Puzzle | None = None  # only puzzles with the rules of this one
    cases: int | None = None  # maximum number of puzzles; None for no limit
    seconds: float | None = None  # maximum wall time; None for no limit, or a minute if there is none of cases either
    keep_going: bool = False  # continue after a failure, to find one example of each cause

    def __post_init__(self) -> None:
        for name, (kind, words) in _TYPES.items():
            if not isinstance(value := getattr(self, name), kind):
                raise wrong_type(f"{name} as {words}", value)
            if name in ("cases", "seconds") and value is not None and not 0 < value <= _MAX_NUMBER:
                raise ValueError(f"{name} is a positive number of at most {_MAX_NUMBER:.0e}, not {value!r:.40}")
        kinds = all_kinds()
        for name, known in (("kind", kinds), ("claims", CLAIMS), ("only", (None, *ONLY))):
            if (value := getattr(self, name)) not in known:
                found = f", not {value!r:.40}" if value else ""
                raise ValueError(f"{name} is one of {', '.join(filter(None, known))}{found}")
        if self.claims == FEWEST and not kinds[self.kind].has_presses:
            raise ValueError("only lights-out boards have fewest presses")
        if not self.allowed_shapes:
            raise ValueError("there is no shape of these sizes")

    @functools.cached_property
    def sizes(self) -> Sizes:
        """The sizes of the puzzles."""
        return Sizes.parse(self.size)

    @property
    def longest(self) -> int:
        """Maximum number of rows and of columns."""
        usual = [DEFAULT_SIZE] if self.like is None else [DEFAULT_SIZE, self.like.rows, self.like.columns]
        given = [*itertools.chain.from_iterable(self.sizes.shapes)] or usual
        return self.sizes.max_side or max(*given, self.sizes.min_side)

    def allows(self, rows: int, columns: int) -> bool:
        """Return whether the solver has to expect puzzles with this shape."""
        sizes = self.sizes
        if (sizes.square and rows != columns) or (sizes.shapes and (rows, columns) not in sizes.shapes):
            return False
        return sizes.min_side <= min(rows, columns) and max(rows, columns) <= self.longest

    @functools.cached_property
    def allowed_shapes(self) -> tuple[Shape, ...]:
        """Shapes that the solver has to expect."""
        sides = range(1, self.longest + 1)
        return tuple(shape for shape in itertools.product(sides, sides) if self.allows(*shape))


def stream(settings: Settings, tick: Callable[[], None] = lambda: None) -> Iterator[Case]:
    """Yield the cases of a verification, the same for equal settings; a ValueError says that there are none.

    Small families, smallest first, and random puzzles alternate from the start, so that a slow solver, or one that is
    wrong only above some size, soon gets larger puzzles. ``tick`` is called for every puzzle of a large family and
    every random one, and may raise to stop.
    """
    sizes = settings.sizes
    chosen: dict[str, Any] = {"square": sizes.square, "only": settings.only, "like": settings.like}
    longest = settings.longest
    draw = functools.partial(random_cases, settings.kind, settings.seed, **chosen, max_size=longest, tick=tick)
    drawn = draw(shapes=settings.allowed_shapes)
    if settings.allows(*LARGE):
        drawn = in_turns(drawn, draw(shapes=(LARGE,), max_idle=_MAX_LARGE_IDLE), LARGE_TURNS - 1)
    whole = families(settings.kind, **chosen, max_size=longest)
    whole = [family for family in whole if settings.allows(family.rows, family.columns)]
    large = [family for family in whole if family.size > MAX_EXHAUSTED]
    cases = [family.cases(settings.only) for family in whole if family not in large]
    cases += [scattered(family, settings.only, tick) for family in large]
    return in_turns(itertools.chain.from_iterable(cases), drawn, TURNS)


def in_turns(first: Iterable[Case], others: Iterator[Case], turns: int) -> Iterator[Case]:
    """Yield one of the others after so many of the first, and the rest of them at the end."""
    for number, case in enumerate(first, 1):
        yield case
        # By counting: any stretch of cases has the same share of both.
        if number % turns == 0:
            yield from itertools.islice(others, 1)
    yield from others


def scattered(family: Family, only: Only | None, tick: Callable[[], None] = lambda: None) -> Iterator[Case]:
    """Yield the members in random order, because neighbours are similar."""
    members = list(family.cases(only, tick))
    for number, case in enumerate(shuffled(random.Random(len(members)), members), 1):
        yield replace(case, last=number == len(members))
