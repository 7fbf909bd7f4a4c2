"""The order of the puzzles: exhaustive families, smallest first, interleaved with random puzzles."""

from __future__ import annotations

import contextlib
import functools
import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import gcd

from crosslit_generate import Case, Family, Only, cases, families

from crosslit.kinds import Puzzle, all_kinds, find_kind
from crosslit_verify.settings import Settings

MAX_EXHAUSTED = 1_000
"""Maximum number of puzzles in a family that is sent in order; larger families follow, in scattered order."""

# families first would keep a slow solver at puzzles of up to six cells for a whole minute
TURNS = 3
"""Puzzles of exhaustive families per random one."""

VARIED_TURNS = 7
"""Random puzzles per one of exhaustive families, if varied puzzles are wanted: a slow solver gets few in all."""

FIRST = 4  # puzzles of exhaustive families that come first even then, because a solver's speed is not known yet

LARGE_TURNS, LARGE = 8, (10, 10)
"""One random puzzle in 8 has this shape: it is common, and random draws would rarely reach it early."""

_MAX_PROBES, _PROBE_SECONDS = 8, 1.0  # of the first puzzles, of which two are random

_MAX_LARGE_IDLE = 1_000  # rejected puzzles after which the kind has none of that shape


def stream(settings: Settings, tick: Callable[[], None] = lambda: None) -> Iterator[Case]:
    """Yield the cases of a verification, the same for equal settings.

    Exhaustive families and random puzzles alternate from the start, so that a slow solver, or one that is wrong only
    above some size, soon gets larger puzzles. The families come smallest first; one with more than `MAX_EXHAUSTED`
    puzzles is sent in scattered order, because neighbours are similar. ``tick`` is called for every puzzle of a large
    family and every random one, and may raise to stop.

    Raises:
        ValueError: if there are no such puzzles.
    """
    only = settings.only
    random_ones = _random(settings, only, tick)
    whole = families(settings.kind, square=settings.sizes.square, only=only, max_size=settings.sizes.max_size)
    whole = [family for family in whole if not settings.has_sizes or settings.allows(family.rows, family.columns)]
    return _turns(whole, only, random_ones, tick, settings.varied)


def probes(settings: Settings) -> list[Puzzle]:
    """Return the first puzzles of a verification; samples of the kind if it takes long to make any."""
    found, until = [], time.monotonic() + _PROBE_SECONDS

    def tick() -> None:
        if time.monotonic() > until:
            raise TimeoutError

    with contextlib.suppress(TimeoutError):
        for case in itertools.islice(stream(settings, tick), _MAX_PROBES):
            found.append(case.puzzle)  # noqa: PERF401  (those made before the time ran out count)
    return found or [*find_kind(settings.kind).samples()]


def _random(settings: Settings, only: Only | None, tick: Callable[[], None]) -> Iterator[Case]:
    """Return random puzzles of all families in turn, some with the shape `LARGE` if the settings allow it."""
    draw = functools.partial(
        cases, settings.kind, settings.seed, square=settings.sizes.square, only=only, exhaustive=False, tick=tick
    )
    longest = settings.longest if settings.has_sizes else settings.sizes.max_size
    mixed = draw(max_size=longest, shapes=settings.allowed_shapes if settings.has_sizes else ())
    if not settings.allows(*LARGE) or (only == "unsolvable" and all_kinds()[settings.kind].puzzle.is_linear):
        # every 10 x 10 board is solvable
        return mixed
    return _with_large(mixed, draw(max_size=longest, shapes=(LARGE,), max_idle=_MAX_LARGE_IDLE))


def _with_large(mixed: Iterator[Case], large: Iterator[Case]) -> Iterator[Case]:
    for number, case in enumerate(mixed, 1):
        yield case
        if number % (LARGE_TURNS - 1) == 0 and (extra := next(large, None)) is not None:
            yield extra


def _turns(
    whole: list[Family],
    only: Only | None,
    random_ones: Iterator[Case],
    tick: Callable[[], None],
    varied: bool,
) -> Iterator[Case]:
    """Yield puzzles of families and random ones in turns."""
    small = [family for family in whole if family.size <= MAX_EXHAUSTED]
    members = (family.cases(only) for family in small)
    scattered = (_scattered(family, only, tick) for family in whole if family not in small)
    for number, case in enumerate(itertools.chain.from_iterable(itertools.chain(members, scattered)), 1):
        yield case
        # By counting: any stretch of cases has the same share of random ones.
        every, share = (1, VARIED_TURNS) if varied and number > FIRST else (TURNS, 1)
        if number % every == 0:
            yield from itertools.islice(random_ones, share)
    yield from random_ones


def _scattered(family: Family, only: Only | None, tick: Callable[[], None]) -> Iterator[Case]:
    """Yield the members in steps of about 0.618 of their number, so that any part of them is spread over all."""
    members = list(family.cases(only, tick))
    number = len(members)
    step = int(number * 0.6180339887498949) or 1
    # A step coprime to the number visits each member exactly once.
    while gcd(step, number) > 1:
        step += 1
    for index in range(number):
        case, is_last = members[index * step % number], index == number - 1
        yield case if case.last == is_last else replace(case, last=is_last)
