"""Counting: every backend that counts, against enumeration and published numbers, and the judge of counts."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from crosslit_backends.nonogram.frontier import STATES_PER_MB

from crosslit import Grid, Nonogram, load
from crosslit.base.errors import GaveUp
from crosslit.contract import Task
from crosslit.kinds import Puzzle
from crosslit.questions.enumerate import count
from crosslit.registry import Choice, all_backends, select_one
from crosslit.registry.table import NONOGRAM, Row
from crosslit.runs.drive import drive_count
from tests.conftest import random_nonogram
from tests.driving import Script, Scripted, solve_inline

SWITCH = "1,1|1,1"
_CHOICES: dict[tuple[str, str], Choice] = {}


def switches(number: int) -> Nonogram:
    """Squares of two by two, each with two solutions, on the diagonal of a picture that is filled around them."""
    sides = range(4 * number)
    lit = [[r // 4 != c // 4 or (r % 4 == c % 4 and r % 4 in (1, 2)) for c in sides] for r in sides]
    return Nonogram.of(Grid.from_cells(lit))


def counted(spec: str, puzzle: Puzzle) -> int:
    key = (spec, puzzle.kind)
    choice = _CHOICES.get(key) or select_one(spec, puzzle, "count")
    _CHOICES[key] = choice  # choosing takes longer than counting a 3 x 3 puzzle
    return drive_count(choice.backend, puzzle, Task("count", None, choice.encoding, choice.options))


def test_independent_switches() -> None:
    puzzle = switches(41)
    task = Task("count")
    assert drive_count(all_backends()["frontier"], puzzle, task) == 2**41 > 10**12
    assert task.stats == {"open": 164, "parts": 41, "states": 2}


def test_a_later_segment_of_a_column_with_fewer_states_does_not_narrow_its_field() -> None:
    puzzle = load("0,1,2,2,1 1,0,1,3,2|1,1 2,2 2,2 2,1")
    assert counted("frontier", puzzle) == len(solve_inline("line", puzzle)) == 14


def test_the_states_are_bounded() -> None:
    puzzle = Nonogram([[1]] * 8, [[1]] * 8)
    with pytest.raises(GaveUp, match=r"more than 50 states after 1\d of 64 cells"):
        counted("frontier:states=50", puzzle)
    assert counted("frontier:states=200", puzzle) == math.factorial(8)


@pytest.mark.parametrize("probe", [1, 10**9])
def test_frontiers_of_many_states(monkeypatch: pytest.MonkeyPatch, probe: int) -> None:
    """Code for many states: probing, and large numbers."""
    monkeypatch.setattr("crosslit_backends.nonogram.frontier.PROBE", probe)
    assert counted("frontier", Nonogram([[1]] * 14, [[1]] * 14)) == math.factorial(14) > 2**32
    assert counted("frontier", Nonogram([[1]] * 9, [[1]] * 8 + [[]])) == 0
    rng = random.Random(2)
    for _ in range(40):
        puzzle = random_nonogram(rng, 7, 7)
        if rng.random() < 0.3:
            puzzle = Nonogram(puzzle.row_clues, random_nonogram(rng, 7, 7).column_clues)
        assert counted("frontier", puzzle) == len(solve_inline("line", puzzle)), puzzle.text


def test_probing_that_refutes_both_values_of_a_cell_counts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosslit_backends.nonogram.frontier.PROBE", 1)
    puzzle = load("1,2,2,2|2,1 1,1 1,1")
    assert solve_inline("brute", puzzle) == []
    task = Task("count")
    assert drive_count(all_backends()["frontier"], puzzle, task) == 0
    assert task.stats["probed"] == 1


def test_memory_bounds_the_states() -> None:
    """A permutation matrix takes one bit for each column and one for the row, and 768 KiB are left for states."""
    with pytest.raises(GaveUp, match=f"more than {STATES_PER_MB} states.*; a higher limit allows more"):
        drive_count(all_backends()["frontier"], Nonogram([[1]] * 62, [[1]] * 62), Task("count", memory_mb=1))


def test_the_states_of_the_widest_part_are_reported() -> None:
    puzzle = load("7,1 7,1 7,1 7,7,12,6,6 1 1,6 1,6 1,6 1,6|7,1 7,1 7,1 7,7,12,6,6 1 1,6,6 1,6 1 1,6")
    task = Task("count")
    drive_count(all_backends()["frontier"], puzzle, task)
    assert task.stats == {"open": 19, "parts": 2, "states": 6}  # the last part, of ten cells, has four


def test_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosslit_backends.nonogram.frontier._TELL", -1.0)
    told: list[tuple[int, int]] = []
    task = Task("count", on_progress=lambda done, of: told.append((done, of)))
    drive_count(all_backends()["frontier"], switches(2), task)
    assert told == [(done, 8) for done in range(1, 9)]


SAT = "cadical195"
BOTH = [Grid.from_text("10/01"), Grid.from_text("01/10")]


@pytest.mark.parametrize(
    ("counted", "problems", "asked"), [(2, [], ["line"]), (3, ["wrong-count"], ["line", "alignment"])]
)
def test_two_independent_lists_decide_against_a_count(counted: int, problems: list[str], asked: list[str]) -> None:
    runner: Any = Scripted(("complete", counted), *[("complete", BOTH)] * 5)
    verdict = count(load(SWITCH), "frontier", check=True, runner=runner)
    assert [job.spec for job in runner.asked] == ["frontier", *asked]
    assert [finding.problem for finding in verdict.findings] == problems
    assert (verdict.number, verdict.evidence) == (2, "agreed")


@pytest.mark.parametrize("backend", ["hybrid", "line", "glucose4", "frontier", "alignment", "cpsat"])
def test_whichever_backend_counts_an_independent_one_checks_it(backend: str) -> None:
    verdict = count(load("1,1,1,1|1,1,1,1"), backend, check=True)
    assert (verdict.number, verdict.evidence, verdict.unchecked) == (24, "agreed", "")


def test_a_backend_that_is_too_slow_leaves_the_rest_of_the_time_to_the_next() -> None:
    runner: Any = Scripted(("timeout", BOTH[:1]), ("gave-up", 0), ("complete", BOTH))
    found = count(SWITCH, runner=runner)
    assert (found.number, found.evidence, found.by) == (2, "claimed", ("line",))
    assert [job.choice.backend.name for job in runner.asked] == ["line", "frontier", "line"]
    limits = [job.limits.cpu_timeout for job in runner.asked]
    assert limits[2] > limits[0] == 0.1


def test_what_no_backend_finishes_has_at_least_the_solutions_that_were_found() -> None:
    runner: Any = Scripted(
        *[("timeout", BOTH), ("gave-up", 0), *[("timeout", BOTH)] * 3, ("gave-up", 0), ("gave-up", BOTH)]
    )
    found = count(SWITCH, runner=runner)
    assert (found.number, found.evidence, found.at_least) == (None, None, 2)


def test_an_interrupt_ends_the_count() -> None:
    runner: Any = Scripted(("interrupted", []))
    runner.interrupted = True
    assert count(SWITCH, check=True, runner=runner).number is None


def test_an_error_in_counting_is_no_reason_to_ask_another() -> None:
    runner: Any = Scripted(("error", []))
    found = count(SWITCH, runner=runner)
    assert (found.number, [finding.problem for finding in found.findings]) == (None, ["error"])


@pytest.mark.parametrize(
    ("runs", "by"),
    [
        ([("complete", BOTH), ("complete", BOTH)], ("line", "alignment")),
        ([("complete", BOTH), ("timeout", []), ("complete", BOTH)], ("line", SAT)),
        ([("complete", BOTH), ("gave-up", []), ("timeout", []), ("complete", 2)], ("line", "frontier:states=100000")),
        # in the second round, `alignment` is not asked again
        (
            [("complete", BOTH), ("gave-up", []), ("timeout", []), ("gave-up", 0), ("complete", BOTH)],
            ("line", "cadical195"),
        ),
    ],
)
def test_independent_backends_are_asked_in_turns_until_one_agrees(
    runs: list[Script], by: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    checks = ("line 0.5", "alignment 0.5", "cadical195 1", "frontier:states=100000 0.5")
    monkeypatch.setitem(NONOGRAM, "count", Row(("line",), checks))  # without those that may not be installed
    runner: Any = Scripted(*runs)
    found = count(SWITCH, check=True, runner=runner)
    assert (found.number, found.evidence, set(found.by), list(runner.left)) == (2, "agreed", set(by), [])


def test_a_number_that_nothing_confirms_names_the_backends_that_were_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(NONOGRAM, "count", Row(("line",), ("hybrid", "alignment 0.5")))
    runner: Any = Scripted(("complete", BOTH), ("gave-up", []))
    found = count(SWITCH, check=True, runner=runner)
    assert (found.number, found.evidence, found.unchecked) == (2, "claimed", "alignment did not finish")
    monkeypatch.setitem(NONOGRAM, "count", Row(("line",), ("hybrid",)))
    found = count(SWITCH, check=True, runner=Scripted(("complete", BOTH)))  # type: ignore[arg-type]
    assert found.unchecked == "no independent backend supports this puzzle"


@pytest.mark.parametrize(("backend", "question"), [("frontier", "count"), ("brute", "count"), ("line", "solutions")])
def test_the_named_backend_counts_or_lists(backend: str, question: str) -> None:
    runner: Any = Scripted(("complete", 2 if question == "count" else BOTH))
    found = count(SWITCH, backend, runner=runner)
    assert (found.number, found.by, found.unchecked) == (2, (backend,), "")
    assert [(job.spec, job.question) for job in runner.asked] == [(backend, question)]
