"""The endless sequence of puzzles for verifying solvers."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence

from crosslit.contract.family import Chance, Maker, pick
from crosslit.kinds import Puzzle, all_kinds, find_kind
from crosslit_generate.exhaustive import ONLY, Case, Only, families, population
from crosslit_generate.solution_count import admitted

__all__ = ["cases"]

DEFAULT_SIZE = 12  # rows and columns of random puzzles
MAX_IDLE = 100_000
"""Rejected members in a row after which there are none."""
_TRIES = 20  # attempts to make a member of a family before the next family is tried


def cases(
    kind: str,
    seed: int = 0,
    *,
    square: bool = False,
    only: Only | None = None,
    max_size: int | None = None,
    exhaustive: bool = True,
    most_solutions: int = 1024,
    shapes: Sequence[tuple[int, int]] = (),
    max_idle: int = MAX_IDLE,
    like: Puzzle | None = None,
    tick: Callable[[], None] = lambda: None,
) -> Iterator[Case]:
    """Yield puzzles without end: small families completely, smallest first, then random puzzles.

    The same arguments give the same sequence, in every process and version of Python. Random puzzles do not depend on
    the puzzles before them, and cycle through all families (`crosslit.kinds.Kind.makers`).

    Args:
        kind: the kind of puzzles, such as ``lights-out``.
        seed: seed of the random puzzles.
        square: as many rows as columns.
        only: puzzles that are ``solvable``, ``unique`` (one solution), ``unsolvable``, or ``valid``, whose clues fit.
        max_size: maximum rows and columns, 12 by default for random puzzles.
        exhaustive: enumerate the small families first (`families`).
        most_solutions: maximum number of solutions of a random puzzle, so that all can be known.
        shapes: the allowed rows and columns; empty for any.
        max_idle: rejected random puzzles in a row after which the sequence ends.
        like: a puzzle of the kind: only puzzles with its rules.
        tick: called for every random puzzle, rejected or not, and while its solutions are counted; may raise to stop.

    Examples:
        >>> [case.puzzle.text for case in itertools.islice(cases("nonogram"), 6)]
        ['0|0', '0|1', '1|0', '1|1', '0|0,0', '0|0,1']
    """
    if kind not in all_kinds():
        raise ValueError(f"the kind is {' or '.join(all_kinds())}, not {kind!r:.40}")
    if only is not None and only not in ONLY:
        raise ValueError(f"only is one of {', '.join(ONLY)}, not {only!r:.40}")
    if most_solutions < 1 or (max_size is not None and max_size < 1):
        raise ValueError("the most rows, columns and solutions are at least 1")
    least = 4 if square else 2  # the smallest board with positive nullity
    if all_kinds()[kind].is_linear and only == "unsolvable" and max_size is not None and max_size < least:
        raise ValueError(f"every {'square ' if square else ''}board of fewer than {least} rows and columns is solvable")
    chance = Chance(random.Random(f"{kind} {seed}"), max_size or DEFAULT_SIZE, square, tuple(shapes))
    makers = population(kind, like).makers or _samples(kind)
    whole = families(kind, square=square, only=only, max_size=max_size, like=like) if exhaustive else []
    whole = [family for family in whole if chance.allows(family.rows, family.columns)]
    return itertools.chain(
        itertools.chain.from_iterable(family.cases(only) for family in whole),
        _by_chance(makers, chance, only, most_solutions, max_idle, tick),
    )


def _samples(kind: str) -> Sequence[Maker]:
    """Return the samples of a kind that makes no random puzzles."""
    samples = find_kind(kind).samples()

    def sample(chance: Chance) -> Puzzle | None:
        fitting = [puzzle for puzzle in samples if max(puzzle.rows, puzzle.columns) <= chance.longest]
        return pick(chance.rng, fitting) if fitting else None

    return (Maker("samples", sample),)


def _by_chance(
    makers: Sequence[Maker], chance: Chance, only: Only | None, most: int, max_idle: int, tick: Callable[[], None]
) -> Iterator[Case]:
    """Yield a puzzle of each family in turn; a family that finds none for a while is skipped."""
    unsuited = {None: (), "valid": (), "unsolvable": (True,)}.get(only, (False,))
    suited = [maker for maker in makers if maker.solvable is None or maker.solvable not in unsuited]
    idle = 0  # members rejected since the last puzzle
    # In turn and not at random, so that every family is tested early and equally often.
    for maker in itertools.cycle(suited):
        for _ in range(_TRIES):
            tick()
            puzzle = maker.make(chance)
            idle += 1
            if puzzle is None:
                break
            is_allowed = chance.allows(puzzle.rows, puzzle.columns)
            if is_allowed and admitted(puzzle, maker.solvable, only, most, tick):
                yield Case(puzzle, maker.family, False)
                idle = 0
                break
        # Some requests have few or no puzzles, which cannot be known in advance: give up instead of looping forever.
        if idle > max_idle:
            return
