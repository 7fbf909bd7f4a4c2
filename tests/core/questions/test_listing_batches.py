"""Lists that arrive in batches of several solutions: what is delivered, blamed and counted."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from crosslit import Grid, Limits, load, solutions
from crosslit.contract.backend import no_time
from crosslit.contract.run import Timing
from crosslit.kinds import Puzzle
from crosslit.questions.enumerate import Lister, listing
from crosslit.registry import select_one
from crosslit.registry.defaults import checkers
from crosslit.runs.job import Job
from tests.driving import Given, ended

PUZZLE, BOARD = load("1,1,1,0|1,1,1,0"), load("0000/0000/0000/0000")
GRIDS: dict[str, list[Grid]] = {
    by: sorted(solutions(puzzle), key=Grid.text) for by, puzzle in (("glucose4", PUZZLE), ("gauss", BOARD))
}
WRONG = Grid.from_text("1000/0000/0000/0000")
Batches = Sequence[Sequence[int | None]]  # the numbers of solutions; None for a wrong grid


@pytest.fixture(autouse=True)
def _sound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "require_sound", lambda *_: None)


def packed(by: str, batch: Sequence[int | None]) -> bytes:
    return b"".join((WRONG if number is None else GRIDS[by][number]).packed for number in batch)


def listed(
    by: str, *runs: Batches, known: Sequence[int] = (), check: str = "", **more: Any
) -> tuple[Lister, list[str], int]:
    """Return the lister, the solutions that it delivers, and the number of batches that it took."""
    puzzle: Puzzle = PUZZLE if by == "glucose4" else BOARD
    left, delivered, arrived = iter(runs), list[bytes](), list[None]()

    def make(job: Job) -> Any:
        return ended("complete", *(SimpleNamespace(packed=packed(by, each)) for each in next(left)), **more)(job)  # type: ignore[arg-type]

    runner: Any = Given(make)
    choice = select_one(by, puzzle)
    runner.limits = Limits(None)
    lister = Lister(puzzle, choice, runner, delivered.append, checkers(choice, puzzle, check) if check else None)
    lister.on_batch = lambda: arrived.append(None)
    lister.run(lambda: [packed(by, known)] if known else [])
    assert list(left) == []
    return lister, [grid.text() for grid in puzzle.layout.answers(b"".join(delivered))], len(arrived)


UNSORTED = "its batches are not in ascending order"
TWICE = "gave this solution more than once"


@pytest.mark.parametrize(
    ("by", "known", "batches", "given", "taken", "problem", "witness"),
    [
        ("glucose4", [], [[0, 1], [2, 3, 4, 5]], [0, 1, 2, 3, 4, 5], 2, None, None),
        ("glucose4", [], [[0, 1, 2, 1, 3], [4]], [0, 1, 2], 1, TWICE, 1),
        ("glucose4", [], [[0, 1], [2, 0], [4]], [0, 1, 2], 2, TWICE, 0),
        ("glucose4", [], [[5, 4, None, 3], [2]], [5, 4], 1, "row 2 has blocks 0", None),
        ("glucose4", [0, 2], [[0, 1], [2, 3, 4, 5]], [1, 3, 4, 5], 2, None, None),
        ("gauss", [], [[0, 1], [2, 3]], [0, 1, 2, 3], 2, None, None),
        ("gauss", [], [[0, 1, 2, 2, 3], [4]], [0, 1, 2], 1, TWICE, 2),
        ("gauss", [], [[0, 1], [1, 2], [3]], [0, 1], 2, TWICE, 1),
        ("gauss", [], [[0, 2, 3, 1, 4], [5]], [0, 2, 3], 1, UNSORTED, 1),
        ("gauss", [], [[1, 2], [0, 3], [4]], [1, 2], 2, UNSORTED, 0),
        ("gauss", [], [[0, 1, 2, None, 3], [4]], [0, 1, 2], 1, "row 1, column 1 stays lit", None),
        ("gauss", [0, 1, 2], [[2, 3], [4, 5]], [3, 4, 5], 2, None, None),
    ],
)
def test_solutions_up_to_the_first_fault_are_delivered_and_it_ends_the_run(
    by: str, known: list[int], batches: Batches, given: list[int], taken: int, problem: str | None, witness: int | None
) -> None:
    lister, delivered, arrived = listed(by, batches, known=known)
    assert delivered == [GRIDS[by][number].text() for number in given]
    assert (arrived, lister.outcome.found, lister.outcome.known) == (taken, len(known) + len(given), len(known))
    blamed = [finding for finding in lister.outcome.findings if finding.problem != "contradicts-nullity"]
    assert [finding.detail.startswith(problem or "?") for finding in blamed] == [True] * (problem is not None)
    assert all(finding.backend == by for finding in blamed)
    if problem is not None:
        expected = WRONG if witness is None else GRIDS[by][witness]
        assert blamed[0].witness == expected.text()


def test_a_list_whose_order_has_changed_is_made_again_without_an_order() -> None:
    lister, delivered, _ = listed("gauss", [[1, 2, 3]], [[1, 3, 5], [2, 0, 4]], known=[0, 1, 2])
    assert delivered == [GRIDS["gauss"][number].text() for number in (3, 5, 4)]
    assert (lister.outcome.found, lister.outcome.known) == (6, 3)


@pytest.mark.parametrize(
    ("first", "second", "findings", "checked"),
    [
        ([[0, 1, 2], [3, 4, 5]], [[5, 4], [3, 2, 1, 0]], [], 6),
        (
            [[0, 1, 2, 3, 4, 5]],
            [[0, 1, 2, 1], [3]],
            [("line", "duplicate-solution", 1), ("line", "missing-solution", 3)],
            3,
        ),
        ([[0, 1, 2, 3]], [[0, 1, 4, 2, 5, 3]], [("glucose4", "missing-solution", 4)], 6),
        ([[0, 1, 2, 3, 4, 5]], [[0, 1, 2, 3, 4]], [("line", "missing-solution", 5)], 5),
        (
            [[0, 1, 2, 3, 4, 5]],
            [[0, None, 1]],
            [("line", "wrong-solution", None), ("line", "missing-solution", 1)],
            1,
        ),
    ],
)
def test_a_check_in_batches_is_compared_solution_by_solution(
    first: Batches, second: Batches, findings: list[tuple[str, str, int | None]], checked: int
) -> None:
    lister, _, _ = listed("glucose4", first, second, check="line")
    expected = [
        (backend, problem, (WRONG if number is None else GRIDS["glucose4"][number]).text())
        for backend, problem, number in findings
    ]
    assert [(one.backend, one.problem, one.witness) for one in lister.outcome.findings] == expected
    assert lister.checked == checked
    assert [number for _, number in lister.outcome.runs] == [sum(map(len, first)), checked]
    assert (lister.outcome.evidence == "agreed") == (findings == [])


@pytest.mark.parametrize(
    ("more", "problems"),
    [
        ({"stray": "hi"}, ["stray-output"]),
        ({"left": 1}, ["orphaned-process"]),
        ({"timing": Timing({**no_time(), "solve": 1.0}, cpu=1.0, wall=2.0)}, []),  # its reader may be slow
    ],
)
def test_a_problem_in_the_course_of_a_run_leaves_its_list_complete(more: dict[str, Any], problems: list[str]) -> None:
    lister, delivered, _ = listed("glucose4", [[0, 1, 2, 3, 4, 5]], **more)
    assert [finding.problem for finding in lister.outcome.findings] == problems
    assert (lister.outcome.complete, lister.outcome.evidence, len(delivered)) == (True, "claimed", 6)
