"""The complete reports of verifications of solvers with one fault each, as stored in ``reports.txt``."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from crosslit_backends.programs.protocol import Abstention, SolverAnswer, SolverFailure
from crosslit_verify import Settings, Verifier

import crosslit
from crosslit import Grid
from tests.stored import check

from .scripted import Scripted
from .zoo import boards, nonograms

STORED = Path(__file__).with_name("reports.txt")


def every(puzzle: Any) -> list[Grid]:
    """Right: all solutions."""
    return sorted(
        crosslit.solutions(puzzle), key=lambda grid: grid.text
    )  # the compiled kernel has another order than Python


def first(puzzle: Any) -> SolverAnswer:
    """Right: one solution, and whether it is the only one."""
    found = every(puzzle)
    return SolverAnswer(tuple(found[:1]), not found, len(found) == 1 if found else None)


def never_unique(puzzle: Any) -> SolverAnswer:
    """Says that there is another solution, always."""
    return replace(first(puzzle), unique=None if first(puzzle).unsolvable else False)


def always_unique(puzzle: Any) -> SolverAnswer:
    """Says that its solution is the only one, always."""
    return replace(first(puzzle), unique=None if first(puzzle).unsolvable else True)


def any_grid(puzzle: Any) -> Grid:
    """Gives the first grid that breaks at most the last rule, also where no grid breaks none."""
    grids = [Grid.from_bits(puzzle.rows, puzzle.columns, bits) for bits in range(1 << min(8, puzzle.layout.bits))]
    return min(grids, key=lambda grid: sum(1 for _ in puzzle.violations(grid)))


def all_zero(puzzle: Any) -> Grid:
    """Gives the grid of zeros."""
    return puzzle.layout.pack([0] * (puzzle.rows * puzzle.columns))  # type: ignore[no-any-return]


def crashes(puzzle: Any) -> Any:
    """Ends in two ways, by shape."""
    if puzzle.columns == 3 and puzzle.rows > 1:
        return SolverFailure("crash", f"exit status {puzzle.rows} after writing '{puzzle.text}': KeyError: 'a'")
    return SolverFailure("crash", "IndexError: 12 of [1, 2]") if puzzle.rows == 4 else first(puzzle)


def hangs(puzzle: Any) -> Any:
    """Never answers puzzles of two columns."""
    return SolverFailure("hang", "no answer within 0.1 s") if puzzle.columns == 2 else first(puzzle)


def abstains(puzzle: Any) -> Any:
    """Gives up in two ways, by shape."""
    if puzzle.rows == puzzle.columns:
        return Abstention("unsupported")
    return Abstention("unknown") if puzzle.rows > puzzle.columns else first(puzzle)


def unreadable(puzzle: Any) -> Any:
    """Writes what is no answer where there is none."""
    found = first(puzzle)
    return SolverFailure("malformed-output", "not a line of JSON: 'none'") if found.unsolvable else found


def top_heavy(puzzle: Any) -> Any:
    """Says unsolvable where the first row has more lights than the last."""
    rows = puzzle.lit.text.split("/")
    return SolverAnswer((), True) if rows[0].count("1") > rows[-1].count("1") else first(puzzle)


def without_last(puzzle: Any) -> list[Grid]:
    """Loses the last of several solutions."""
    found = every(puzzle)
    return found[:-1] if len(found) > 1 else found


def with_first_twice(puzzle: Any) -> list[Grid]:
    """Gives the first of several solutions twice."""
    found = every(puzzle)
    return [*found, found[0]] if len(found) > 1 else found


CASES: list[tuple[str, str, Any, dict[str, Any]]] = [
    ("lights-out", "one", boards.elimination, {}),
    ("lights-out", "one", boards.contiguous_first_rows, {}),
    ("lights-out", "one", boards.no_consistency_check, {"keep_going": True}),
    ("lights-out", "one", boards.Flaky, {"keep_going": True}),
    ("lights-out", "one", crashes, {"keep_going": True}),
    ("lights-out", "one", hangs, {"keep_going": True}),
    ("lights-out", "one", abstains, {}),
    ("lights-out", "fewest", boards.any_solution, {}),
    ("modular-lights-out", "one", all_zero, {"size": "1..4"}),
    ("nonogram", "all", nonograms.search, {"size": "1..5"}),
    ("nonogram", "one", nonograms.columns_unchecked, {"keep_going": True, "size": "1..6"}),
    ("nonogram", "one", unreadable, {"keep_going": True}),
    ("nonogram", "unique", always_unique, {"only": "valid", "size": "..4"}),
    ("coloured-nonogram", "all", without_last, {"size": "1..4"}),
]


def solver_of(solver: Any, claims: str) -> Scripted:
    """A subject in this process that answers as a function does."""

    def reply(_: int, puzzle: Any) -> Any:
        found = solver(puzzle)
        if found is None or isinstance(found, (Grid, list)):
            grids = tuple(found) if isinstance(found, list) else () if found is None else (found,)
            return SolverAnswer(grids, not grids)
        return found

    subject = Scripted(reply)
    subject.claims = claims
    return subject


@pytest.mark.parametrize(("kind", "claims", "solver", "given"), CASES)
def test_the_whole_report_is_as_stored(kind: str, claims: Any, solver: Any, given: dict[str, Any]) -> None:
    settings = Settings(kind, claims, **{"cases": 100, **given})
    subject = solver_of(solver() if isinstance(solver, type) else solver, claims)
    found = replace(Verifier(settings, subject).run(), seconds=0.0)
    words = ", ".join(f"{name}={value}" for name, value in given.items())
    title = f"{kind}, {claims}, {solver.__name__}{f' ({words})' if words else ''}"
    record = found.json()
    record["failures"] = [{**failure, "puzzle": failure["puzzle"]["text"]} for failure in record["failures"]]
    text = f"{found.render()}\n\n{json.dumps(record)}\n{found!r}"
    check(STORED, title, text)
