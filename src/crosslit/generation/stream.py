"""The endless sequence of puzzles that solvers are verified with."""

from __future__ import annotations

import random
from collections.abc import Iterator

from crosslit.generation.case import ONLY, Case, Only
from crosslit.generation.checking import suits
from crosslit.generation.exhaustive import families
from crosslit.generation.making import between, pick, random_board, random_nonogram, random_rules
from crosslit.puzzles import LightsOut, Nonogram

DEFAULT_SIZE = 12


def cases(
    kind: str,
    seed: int = 0,
    *,
    square: bool = False,
    only: Only | None = None,
    max_size: int | None = None,
    rules: bool = False,
    exhaustive: bool = True,
    most_solutions: int = 4096,
) -> Iterator[Case]:
    """Puzzles without end: small families entirely, smallest first, then puzzles by chance.

    The same arguments give the same sequence, in every process and version of Python.

    Args:
        kind: ``lights-out`` or ``nonogram``.
        seed: of what is by chance.
        square: as many rows as columns.
        only: puzzles that are ``solvable``, ``unique`` (one solution) or ``unsolvable``.
        max_size: the most rows and columns; by default 12.
        rules: Lights Out boards of other rules too: press patterns, joined edges, missing cells.
        exhaustive: go through the small families first.
        most_solutions: what a puzzle by chance may have.

    Raises:
        ValueError: if there are no such puzzles.

    Examples:
        >>> import itertools
        >>> [case.puzzle.text for case in itertools.islice(cases("nonogram"), 6)]
        ['0|0', '0|1', '1|0', '1|1', '0|0,0', '0|0,1']
    """
    if kind not in (LightsOut.kind, Nonogram.kind):
        raise ValueError(f"the kind is {LightsOut.kind} or {Nonogram.kind}, not {kind!r:.40}")
    if only is not None and only not in ONLY:
        raise ValueError(f"only is one of {', '.join(ONLY)}, not {only!r:.40}")
    if max_size is not None and max_size < 1:
        raise ValueError(f"the most rows and columns are at least 1, not {max_size}")
    return _cases(kind, seed, square, only, max_size, rules, exhaustive, most_solutions)


def _cases(
    kind: str,
    seed: int,
    square: bool,
    only: Only | None,
    max_size: int | None,
    rules: bool,
    exhaustive: bool,
    most_solutions: int,
) -> Iterator[Case]:
    if exhaustive:
        for family in families(kind, square=square, only=only, max_size=max_size):
            yield from family.cases(only)
    rng = random.Random(f"{kind} {seed}")
    longest = max_size or DEFAULT_SIZE
    while True:
        rows = between(rng, 1, longest)
        columns = rows if square else between(rng, 1, longest)
        if kind == LightsOut.kind:
            if rules and rng.random() < 0.5:
                case = Case(random_rules(rng, rows, columns), "random rules", False)
            else:
                case = Case(random_board(rng, rows, columns, solvable=rng.random() < 0.5), "random board", False)
        else:
            density = pick(rng, [0.5, 0.6, 0.7])
            case = Case(random_nonogram(rng, rows, columns, density), "random picture", False)
        if suits(case.puzzle, only, most_solutions):
            yield case
