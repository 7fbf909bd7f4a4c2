"""The generated puzzles of a campaign: the specifications in a table with ``generate``, by kind."""

from __future__ import annotations

import contextlib
import math
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from crosslit_generate.constrained import check_size
from crosslit_generate.lights_out import BoardSpec, board_to_order
from crosslit_generate.nonogram import DIFFICULTIES, NonogramOrder, nonogram_to_order

from crosslit.contract.chance import seeded
from crosslit.kinds import LightsOut, Nonogram, Puzzle
from crosslit.kinds.lights_out.format import rules
from crosslit.kinds.lights_out.puzzle import WRAPS
from crosslit.kinds.nonogram.makers import pigeonhole
from crosslit_bench.plan.toml_tables import TomlTable, Value, flag, number, text, whole, word

MAX_PUZZLES = 20_000
"""Maximum number of puzzles of one table."""
SEED = whole(0, 2**63 - 1)
KINDS = (LightsOut.kind, Nonogram.kind, "pigeonhole")
"""The values of ``generate``."""

Step = Callable[[str], None]

_COUNT = whole(1, MAX_PUZZLES)
_SIZE = re.compile(r"([0-9]{1,6})x([0-9]{1,6})", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class PuzzleSpec:
    """The specification of a puzzle to generate."""

    name: str
    size: float  # size for the growth of time
    facts: Mapping[str, Any]  # parameters of its generation
    make: Callable[[Step], Puzzle]  # generates the puzzle; may take long


def specs(table: TomlTable, kind: str) -> Iterator[PuzzleSpec]:
    """Yield the specifications of the puzzles of a table, after checking all its values."""
    holes = kind == KINDS[-1]
    size: Value[Any] = whole(1, 2000) if holes else Value("5 or '11x16', 11 rows of 16", _size)
    sizes = tuple(dict.fromkeys(table.items("sizes", size)))
    if not sizes:
        raise table.error("expected sizes = [...], the sizes of the puzzles")
    if holes:
        return map(_pigeonhole, sizes)
    orders = _boards(table, sizes) if kind == LightsOut.kind else _nonograms(table, sizes)
    count, seed = table.take("count", _COUNT, 1), table.take("seed", SEED, 0)
    return (
        PuzzleSpec(
            name=f"{title} #{index} (seed {seed})",
            size=size,
            facts={**facts, "seed": seed, "number": index},
            # each puzzle has separate random numbers
            make=lambda step, make=make, index=index: make(seeded(kind, seed, index), step),  # type: ignore[misc]
        )
        for title, size, facts, make in orders
        for index in range(1, count + 1)
    )


def _pigeonhole(size: int) -> PuzzleSpec:
    """Return the specification of a nonogram with n + 1 rows, n columns and all clues 1, which has no solution."""
    name = f"{size + 1} rows, {size} columns"
    return PuzzleSpec(name=name, size=float(size), facts={}, make=lambda _: pigeonhole(size))


_Order = tuple[str, float, Mapping[str, Any], Callable[[random.Random, Step], Puzzle]]
"""Title, size, facts and maker of puzzles that differ only in their random numbers."""


def _boards(table: TomlTable, sizes: Sequence[tuple[int, int]]) -> list[_Order]:
    solvable = table.take("solvable", flag(), None)
    press = Value("a pattern or its picture", lambda name: rules(text().read(name), "none"))
    usual = table.take("press", press, rules("plus", "none"))
    presses = table.take("presses", whole(0, 10**6), 0)
    if presses and solvable is False:
        raise table.error("a board without a solution has no fewest presses", "presses")
    board = replace(usual, wrap=table.take("wrap", word(*WRAPS), "none"))
    word_of = "solvable" if solvable or presses else "random" if solvable is None else "unsolvable"
    notes = "".join(f", {note}" for note in [*board.settings, *([f"at least {presses} presses"] if presses else [])])

    def order(rows: int, columns: int) -> _Order:
        spec = BoardSpec(rows, columns, board, solvable, presses)
        with _refusing(table):
            check_size(rows, columns)
            if solvable is False and not spec.nullity():
                raise ValueError(f"every board of {rows} x {columns} has a solution: its nullity is 0")
        title = f"{word_of} {rows}x{columns}{notes}"
        return title, math.sqrt(rows * columns), {}, lambda rng, _: board_to_order(spec, rng)

    return [order(*size) for size in sizes]


def _nonograms(table: TomlTable, sizes: Sequence[tuple[int, int]]) -> list[_Order]:
    densities = tuple(dict.fromkeys(table.items("densities", number(1, "a density")))) or (None,)
    unique = table.take("unique", flag(), None)
    difficulty = table.take("difficulty", word(*DIFFICULTIES), None)
    if difficulty and unique is False:
        raise table.error("only puzzles with one solution have a difficulty: expected no unique = false", "unique")

    def order(rows: int, columns: int, density: float | None) -> _Order:
        with _refusing(table):
            check_size(rows, columns)
        spec = NonogramOrder(rows, columns, density, bool(unique), difficulty)
        title = f"{difficulty or ('unique' if unique else 'random')} {rows}x{columns}"
        title, facts = (title, {}) if density is None else (f"{title}, density {density:g}", {"density": density})
        return title, math.sqrt(rows * columns), facts, lambda rng, step: nonogram_to_order(spec, rng, step).puzzle

    return [order(*size, density) for size in sizes for density in densities]


@contextlib.contextmanager
def _refusing(table: TomlTable) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise table.error(str(error), "sizes") from None


def _size(value: Any) -> tuple[int, int]:
    if type(value) is int and 1 <= value < 10**6:
        return value, value
    found = _SIZE.fullmatch(value) if isinstance(value, str) else None
    if found is None or not int(found[1]) or not int(found[2]):
        raise ValueError
    return int(found[1]), int(found[2])
