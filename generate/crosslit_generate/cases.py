"""Puzzles to verify solvers: families enumerated completely, with all solutions by the rules, and random ones."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from crosslit.base.grid import Grid
from crosslit.base.records import Short
from crosslit.contract.family import MAX_LISTED_CELLS, Chance, CompleteFamily, Population, RandomFamily, pick
from crosslit.kinds import Puzzle, find_kind
from crosslit_generate.solution_count import Only, admitted

DEFAULT_SIZE = 12  # rows and columns of random puzzles
MAX_IDLE = 20_000  # rejected members in a row after which there are none
_TRIES = 20  # attempts to make a member of a family before the next family is tried


@dataclass(frozen=True, repr=False)
class Case(Short):
    """A puzzle of a family, and whether that is enumerated completely."""

    puzzle: Puzzle
    family: str  # a description, by which coverage is summed up
    exhaustive: bool
    last: bool = False  # the last member of an exhaustive family
    solutions: frozenset[Grid] | None = None  # by the rules, for an exhaustive family

    def suits(self, only: Only | None) -> bool:
        """Return whether the puzzle is of the requested class, according to its solutions if these are known."""
        if only == "valid":
            return not any(self.puzzle.contradictions())  # each clue fits its line, and their sums are equal
        if only is None or self.solutions is None:
            return only is None
        found = len(self.solutions)
        return {"solvable": found > 0, "unique": found == 1, "unsolvable": found == 0}[only]


@dataclass(frozen=True)
class Family:
    """All puzzles of a kind and shape, or those of its pictures."""

    complete: CompleteFamily
    rows: int
    columns: int

    @property
    def name(self) -> str:
        """A description of the family."""
        return f"every {self.complete.words.format(f'{self.rows} x {self.columns}')}"

    @property
    def size(self) -> int:
        """Upper bound on the number of its puzzles."""
        return self.complete.size(self.rows, self.columns)

    def cases(self, only: Only | None = None, tick: Callable[[], None] = lambda: None) -> Iterator[Case]:
        """Yield the suitable members, and mark the last; ``tick`` is called for every member."""
        name = f"{self.name}, {only}" if only else self.name
        # One member is held back, because only the end of the family shows which suitable one is the last.
        before: Case | None = None
        for puzzle, solutions in self.complete.members(self.rows, self.columns):
            tick()
            case = Case(puzzle, name, True, False, solutions)
            if not case.suits(only):
                continue
            if before is not None:
                yield before
            before = case
        if before is not None:
            yield Case(before.puzzle, name, True, True, before.solutions)


def population(kind: str, like: Puzzle | None = None) -> Population:
    """Return the families of a kind; with ``like``, of its puzzles with the rules of that one."""
    return find_kind(kind).population() if like is None else like.like()


def families(
    kind: str,
    *,
    square: bool = False,
    only: Only | None = None,
    max_size: int | None = None,
    like: Puzzle | None = None,
) -> list[Family]:
    """Return the families that are enumerated completely, by area, the smallest first; see `random_cases`.

    Boards: every shape up to 12 cells, and 4 x 4. Nonograms: every pair of clues that fit their lines, including
    contradictory pairs, of every shape that has at most 50,000 of them (up to 9 cells, and 2 x 5); and for the other
    shapes up to 4 x 4 the clues of every picture. If only solvable or unique puzzles are requested: the clues of every
    picture up to 4 x 4.

    Examples:
        >>> for family in families("nonogram", square=True):
        ...     print(family.name, family.size)
        every pair of fitting clues 1 x 1 4
        every pair of fitting clues 2 x 2 81
        every pair of fitting clues 3 x 3 15625
        every picture 4 x 4 65536
    """
    sides = range(1, min(max_size or MAX_LISTED_CELLS, MAX_LISTED_CELLS) + 1)
    complete, found = population(kind, like).complete, []
    for rows, columns in itertools.product(sides, sides):
        if not square or rows == columns:
            found += [Family(each, rows, columns) for each in _fitting(complete, rows, columns, only)]
    return sorted(found, key=lambda family: (family.rows * family.columns, family.rows))


def _fitting(complete: Sequence[CompleteFamily], rows: int, columns: int, only: Only | None) -> list[CompleteFamily]:
    fitting = [family for family in complete if family.has(rows, columns)]
    # Every solvable puzzle is among those of the pictures; the others would be made and thrown away.
    narrowed = only in ("solvable", "unique") and any(family.solvable for family in complete)
    whole = [] if narrowed else [family for family in fitting if not family.solvable]
    return whole or [family for family in fitting if family.solvable and only != "unsolvable"]


def random_cases(
    kind: str,
    seed: int = 0,
    *,
    square: bool = False,
    only: Only | None = None,
    max_size: int | None = None,
    most_solutions: int = 1024,
    shapes: Sequence[tuple[int, int]] = (),
    max_idle: int = MAX_IDLE,
    like: Puzzle | None = None,
    tick: Callable[[], None] = lambda: None,
) -> Iterator[Case]:
    """Yield random puzzles without end, of each family of a kind in turn.

    The same arguments give the same sequence, in every process and version of Python.

    Args:
        kind: the kind of puzzles, such as ``lights-out``.
        seed: seed of the random numbers.
        square: as many rows as columns.
        only: puzzles that are ``solvable``, ``unique`` (one solution), ``unsolvable``, or ``valid``, whose clues fit.
        max_size: maximum rows and columns, by default 12.
        most_solutions: maximum number of solutions, so that all can be known.
        shapes: the allowed rows and columns; empty for any.
        max_idle: rejected puzzles in a row after which the sequence ends.
        like: a puzzle of the kind: only puzzles with its rules.
        tick: called for every puzzle, rejected or not, and while its solutions are counted; may raise to stop.
    """
    least = 4 if square else 2  # the smallest board with positive nullity
    if find_kind(kind).is_linear and only == "unsolvable" and max_size is not None and max_size < least:
        raise ValueError(f"every {'square ' if square else ''}board of fewer than {least} rows and columns is solvable")
    chance = Chance(random.Random(f"{kind} {seed}"), max_size or DEFAULT_SIZE, square, tuple(shapes))
    pool = population(kind, like).random or _samples(kind)
    return _by_chance(pool, chance, only, most_solutions, max_idle, tick)


def _samples(kind: str) -> Sequence[RandomFamily]:
    """Return the samples of a kind that makes no random puzzles."""
    samples = find_kind(kind).samples()

    def sample(chance: Chance) -> Puzzle | None:
        puzzle = pick(chance.rng, samples)
        return puzzle if max(puzzle.rows, puzzle.columns) <= chance.max_side else None

    return (RandomFamily("samples", sample),)


def _by_chance(
    pool: Sequence[RandomFamily], chance: Chance, only: Only | None, most: int, max_idle: int, tick: Callable[[], None]
) -> Iterator[Case]:
    """Yield a puzzle of each family in turn; a family that finds none for a while is skipped."""
    unsuited = {None: (), "valid": (), "unsolvable": (True,)}.get(only, (False,))
    suited = [family for family in pool if family.solvable is None or family.solvable not in unsuited]
    turns = itertools.cycle(suited)  # in turn and not at random, so that every family is tested early and equally often

    def following() -> Case | None:
        rejected = 0
        for family in turns:
            for _ in range(_TRIES):
                tick()
                puzzle = family.make(chance)
                rejected += 1
                if puzzle is None:
                    break
                is_allowed = chance.allows(puzzle.rows, puzzle.columns)
                if is_allowed and admitted(puzzle, family.solvable, only, most, tick):
                    return Case(puzzle, family.name, False)
            # Some requests have few or no puzzles, which cannot be known in advance.
            if rejected > max_idle:
                break
        return None

    return iter(following, None)
