"""Lists that arrive in batches of several solutions: what is delivered, blamed and counted."""

from __future__ import annotations

import random
import resource
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from crosslit import Grid, InputError, Limits, load, solutions
from crosslit.base.grid import Layout
from crosslit.contract import no_time
from crosslit.contract.run import Timing
from crosslit.kinds import Puzzle
from crosslit.questions import enumerate as listing
from crosslit.questions.enumerate import Enumeration, Lister
from crosslit.questions.lists import SolutionFile, SolutionReader, lines_of
from crosslit.registry import select_one
from crosslit.registry.defaults import checks_of
from crosslit.registry.table import NONOGRAM, Row
from crosslit.runs.job import Job
from tests.driving import Given, checked_by, ended

PUZZLE, BOARD = load("1,1,1,0|1,1,1,0"), load("0000/0000/0000/0000")
GRIDS: dict[str, list[Grid]] = {
    by: sorted(solutions(puzzle), key=lambda grid: grid.text) for by, puzzle in (("glucose4", PUZZLE), ("gauss", BOARD))
}
WRONG = Grid.from_text("1000/0000/0000/0000")
Batches = Sequence[Sequence[int | None]]  # the numbers of solutions; None for a wrong grid


def packed(by: str, batch: Sequence[int | None]) -> bytes:
    return b"".join((WRONG if number is None else GRIDS[by][number]).packed for number in batch)


def listed(
    by: str, *runs: Batches, known: Sequence[int] = (), check: str = "", limit: int | None = None, **more: Any
) -> tuple[Lister, list[str], int]:
    """Return the lister, the solutions that it delivers, and the number of batches that it took."""
    puzzle: Puzzle = PUZZLE if by == "glucose4" else BOARD
    left, delivered, arrived = iter(runs), list[bytes](), list[None]()
    course = {name: value for name, value in more.items() if name != "status"}

    def make(job: Job) -> Any:
        grids: Any = [SimpleNamespace(packed=packed(by, each)) for each in next(left)]
        return ended(more.get("status", "complete"), *grids, **course)(job)

    runner: Any = Given(make)
    choice = select_one(by, puzzle)
    runner.limits = Limits(limit)
    lister = Lister(Enumeration(puzzle), choice, runner, delivered.append, checked_by(check, puzzle) if check else None)
    lister.on_batch = lambda: arrived.append(None)
    lister.run([packed(by, [number]) for number in known])
    assert list(left) == []
    return lister, [grid.text for grid in puzzle.layout.grids(b"".join(delivered))], len(arrived)


@pytest.mark.parametrize("states", range(2, 37))
@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (3, 1), (2, 2)])
def test_lists_are_read_as_they_are_written(states: int, shape: tuple[int, int]) -> None:
    rng, layout = random.Random(states), Layout(*shape, states)
    for number in (1, 40):
        grids = [layout.pack(rng.choices(range(states), k=shape[0] * shape[1])) for _ in range(number)]
        lines = lines_of(b"".join(grid.packed for grid in grids), layout).decode().splitlines()
        assert lines == [grid.text for grid in grids]
        spaced = [" ".join(row) for line in lines for row in line.split("/")]  # as rows of a picture
        for written in (lines, spaced):
            assert [grid for _, grid in SolutionReader(layout).read(written)] == grids


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
        ("glucose4", [0], [[0, 1, 1, 3], [2]], [1], 1, TWICE, 1),
        ("gauss", [], [[0, 1], [2, 3]], [0, 1, 2, 3], 2, None, None),
        ("gauss", [], [[0, 1, 2, 2, 3], [4]], [0, 1, 2], 1, TWICE, 2),
        ("gauss", [], [[0, 1], [1, 2], [3]], [0, 1], 2, TWICE, 1),
        ("gauss", [], [[0, 2, 3, 1, 4], [5]], [0, 2, 3], 1, UNSORTED, 1),
        ("gauss", [], [[1, 2], [0, 3], [4]], [1, 2], 2, UNSORTED, 0),
        ("gauss", [], [[0, 1, 2, None, 3], [4]], [0, 1, 2], 1, "row 1, column 1 stays lit", None),
        ("gauss", [], [[0, 15, None], [4]], [0, 15], 1, "row 1, column 1 stays lit", None),
    ],
)
def test_solutions_up_to_the_first_fault_are_delivered_and_it_ends_the_run(
    by: str, known: list[int], batches: Batches, given: list[int], taken: int, problem: str | None, witness: int | None
) -> None:
    lister, delivered, arrived = listed(by, batches, known=known)
    assert delivered == [GRIDS[by][number].text for number in given]
    assert (arrived, lister.outcome.found, lister.outcome.known) == (taken, len(known) + len(given), len(known))
    blamed = [finding for finding in lister.outcome.findings if finding.problem != "contradicts-nullity"]
    assert [finding.detail.startswith(problem or "?") for finding in blamed] == [True] * (problem is not None)
    assert all(finding.backend == by for finding in blamed)
    if problem is not None:
        expected = WRONG if witness is None else GRIDS[by][witness]
        assert blamed[0].witness == expected.text


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
        ([[0, 1, 2, 3, 4, 5]], [[0, None, 1]], [("line", "wrong-solution", None), ("line", "missing-solution", 1)], 1),
    ],
)
def test_a_check_in_batches_is_compared_solution_by_solution(
    first: Batches, second: Batches, findings: list[tuple[str, str, int | None]], checked: int
) -> None:
    lister, _, _ = listed("glucose4", first, second, check="line")
    expected = [
        (backend, problem, (WRONG if number is None else GRIDS["glucose4"][number]).text)
        for backend, problem, number in findings
    ]
    assert [(one.backend, one.problem, one.witness) for one in lister.outcome.findings] == expected
    assert lister.checked == checked
    assert [number for _, number in lister.outcome.runs] == [sum(map(len, first)), checked]
    assert (lister.outcome.evidence == "agreed") == (findings == [])
    assert (lister.outcome.reason == "") == (findings == [])


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
    assert lister.outcome.reason == ""


@pytest.mark.parametrize(
    ("known", "limit", "given", "taken"), [([], 3, [0, 1, 2], 2), ([0], 2, [1, 2], 2), ([], 4, [0, 1, 2, 3], 3)]
)
def test_nothing_is_taken_once_the_limit_is_exceeded(
    known: list[int], limit: int, given: list[int], taken: int
) -> None:
    lister, delivered, arrived = listed("glucose4", [[0, 1], [2, 3], [4, 5], [5]], known=known, limit=limit)
    assert (delivered, arrived) == ([GRIDS["glucose4"][number].text for number in given], taken)
    assert lister.outcome.found == limit + len(known)


@pytest.mark.parametrize(("status", "detail"), [("complete", "claims completeness with 1 solution"), ("timeout", "")])
def test_only_a_run_that_ended_lacks_what_was_known(status: str, detail: str) -> None:
    lister, _, _ = listed("glucose4", [[2]], known=[0, 1], status=status)
    assert [one.detail.partition(";")[0] for one in lister.outcome.findings] == [detail] * bool(detail)


@pytest.mark.parametrize(("few", "asked"), [(6, ["solutions", "solutions"]), (5, ["solutions", "count"])])
def test_a_list_of_a_few_is_listed_again_and_a_longer_one_counted(
    monkeypatch: pytest.MonkeyPatch, few: int, asked: list[str]
) -> None:
    monkeypatch.setattr(listing, "FEW", few)
    monkeypatch.setitem(NONOGRAM, "count", Row(("frontier",), ("frontier",)))
    count = ended("complete", counted=6)
    runner: Any = Given(lambda job: (count if job.question == "count" else ended("complete", *GRIDS["glucose4"]))(job))
    runner.limits = Limits(9)
    choice = select_one("glucose4", PUZZLE)
    lister = Lister(Enumeration(PUZZLE), choice, runner, lambda _: None, checks_of(choice, PUZZLE))
    outcome = lister.run()
    assert [job.question for job in runner.asked] == asked
    assert [job.limits.solutions for job in runner.asked] == [9, None]
    assert ([number for _, number in outcome.runs], outcome.evidence) == ([6, 6 if few == 6 else 0], "agreed")
    runner.interrupted = True
    runner.asked.clear()
    lister = Lister(Enumeration(PUZZLE), choice, runner, lambda _: None, checks_of(choice, PUZZLE))
    assert lister.run().evidence == "claimed"
    assert len(runner.asked) == 1


def test_where_there_is_no_room_what_is_there_is_whole(tmp_path: Path) -> None:
    puzzle = load("1,1,1|1,1,1")
    layout, path = puzzle.layout, tmp_path / "list"
    packed = b"".join(grid.packed for grid in [*solutions(puzzle)][:3])
    room = len(lines_of(packed, layout)) * 5 // 6  # two lines and a half
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with SolutionFile(str(path), layout) as file:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
        try:
            with pytest.raises(InputError, match="too large; the 2 solutions in it are complete"):
                file.append(packed)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_bytes() == lines_of(packed[: len(packed) * 2 // 3], layout)
