"""The order in which a verification asks: what is small first, all of it, and soon what is larger too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import gcd
from typing import cast

from crosslit.generation import Case, Family, Only, cases, families
from crosslit.puzzles import Nonogram
from crosslit.verification.settings import Settings

MAX_EXHAUSTED = 1_000
"""Puzzles of a family that is gone through before anything by chance."""

_FAIL_EARLY = frozenset({Nonogram.kind})  # kinds on whose solvable puzzles solvers fail while these are small

TURNS = 3
"""Puzzles of larger families that are asked for each one by chance."""


def stream(settings: Settings) -> Iterator[Case]:
    """The cases of a verification, the same for equal settings.

    Families of at most `MAX_EXHAUSTED` puzzles are gone through entirely, the smallest first. Larger ones then take
    turns with random puzzles, so that a solver that is wrong only beyond some size is not asked a hundred thousand
    small puzzles before; and each is gone through in a scattered order, for neighbours are alike. Of nonograms that are
    narrowed to solvable or unique ones all families come first: solvers fail on few of these, and on small ones.

    Raises:
        ValueError: if there are no such puzzles.

    Examples:
        >>> from itertools import islice
        >>> [case.puzzle.text for case in islice(stream(Settings("lights-out")), 4)]
        ['0', '1', '00', '10']
    """
    only = cast("Only | None", settings.only)
    by_chance = cases(
        settings.kind,
        settings.seed,
        square=settings.square,
        only=only,
        max_size=settings.longest if settings.has_sizes else settings.max_size,
        exhaustive=False,
        shapes=settings.allowed_shapes if settings.has_sizes else (),
    )
    whole = families(settings.kind, square=settings.square, only=only, max_size=settings.max_size)
    whole = [family for family in whole if not settings.has_sizes or settings.allows(family.rows, family.columns)]
    first = settings.kind in _FAIL_EARLY and only in ("solvable", "unique")
    return _turns(whole, only, by_chance, 0 if first else TURNS)


def _turns(whole: list[Family], only: Only | None, by_chance: Iterator[Case], turns: int) -> Iterator[Case]:
    for family in whole:
        if family.size <= MAX_EXHAUSTED:
            yield from family.cases(only)
    turn = 0
    for family in whole:
        if family.size > MAX_EXHAUSTED:
            for case in _scattered(family, only):
                yield case
                turn += 1
                if turns and turn % turns == 0:
                    yield next(by_chance)
    yield from by_chance


def _scattered(family: Family, only: Only | None) -> Iterator[Case]:
    """The members in steps of some 0.618 of their number: any stretch of them is spread over all."""
    members = list(family.cases(only))
    number = len(members)
    step = int(number * 0.6180339887498949) or 1
    while gcd(step, number) > 1:
        step += 1
    for index in range(number):
        yield replace(members[index * step % number], last=index == number - 1)
