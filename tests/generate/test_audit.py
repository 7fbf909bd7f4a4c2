"""The audit of a pack: against brute force on everything small, and its symmetries against the rules."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Any

import pytest
from crosslit_generate.audit import Audit, _Seen, audit_planned, plan, totals

from crosslit import Grid, LightsOut, Limits, Nonogram, SpecError, audit, load, solutions
from crosslit.contract.run import Run, RunStatus
from crosslit.judging.solutions import judge
from crosslit.kinds import Puzzle
from crosslit.runs.job import Job
from tests.conftest import all_grids, plant_nullity, random_nonogram, random_rules
from tests.driving import Given


def by_the_rules(puzzle: Puzzle) -> list[Grid]:
    return [grid for grid in all_grids(puzzle.rows, puzzle.columns) if not any(puzzle.violations(grid))]


def small_puzzles() -> list[Puzzle]:
    rng = random.Random(5)
    boards = [random_rules(rng, *rng.choice([(2, 3), (3, 3), (1, 5)])) for _ in range(12)]
    nonograms = [random_nonogram(rng, 3, 3) for _ in range(8)]
    mixed = [Nonogram(one.row_clues, other.column_clues) for one, other in itertools.pairwise(nonograms)]
    return [*boards, *nonograms, *mixed]


@pytest.mark.parametrize("status", ["interrupted", "lost"])
def test_a_run_that_an_interrupt_ended_is_no_audit_of_its_puzzle(status: RunStatus) -> None:
    runner: Any = Given(lambda job: job.blank(status))
    assert list(audit_planned(plan([load("10/01")]), runner)) == []
    assert len(runner.asked) == 1


@pytest.mark.slow
def test_an_audit_agrees_with_brute_force() -> None:
    puzzles = small_puzzles()
    for puzzle, found in zip(puzzles, audit(puzzles), strict=True):
        truth = by_the_rules(puzzle)
        assert found.solutions == len(truth), puzzle.text
        assert found.status == ("unsolvable", "unique", "multiple")[min(len(truth), 2)]
        assert found.findings == ()
        if isinstance(puzzle, LightsOut) and truth:
            assert found.presses is not None
            assert found.presses.proved
            assert found.presses.best == min(grid.count() for grid in truth)
        else:
            assert found.presses is None
            assert (found.difficulty is not None) == isinstance(puzzle, Nonogram)


@pytest.mark.slow
def test_more_solutions_than_the_limit_are_counted() -> None:
    permutations = load("1,1,1,1,1|1,1,1,1,1")
    (found,) = audit([permutations], limit=10)
    assert (found.solutions, found.counted_by) == (120, "line")
    assert found.comparison.verdict.evidence == "witnessed"
    (found,) = audit([permutations], limit=1000)
    assert (found.solutions, found.counted_by) == (120, None)
    assert found.comparison.verdict.evidence == "agreed"


def test_a_nullity_that_is_proved_wrong_counts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    plant_nullity(monkeypatch, 0)
    (found,) = audit([load("0000/0000/0000/0000")], limit=2)
    assert {(f.backend, f.problem) for f in found.findings} == {("nullity", "contradicts-nullity")}
    assert (found.solutions, found.counted_by) == (None, None)


def test_a_board_is_counted_by_its_nullity() -> None:
    (found,) = audit([LightsOut(Grid.from_bits(19, 19, 0))], timeout=60)
    assert (found.solutions, found.counted_by) == (2**16, "nullity")
    assert found.presses is not None
    assert (found.presses.best, found.presses.proved) == (0, True)


def test_what_no_lineage_confirms_is_claimed() -> None:
    (found,) = audit([load("1|1")], "line")
    assert found.comparison.verdict.evidence == "claimed"
    (found,) = audit([load("10/01")], "line")
    assert (found.status, found.solutions) == ("undecided", None)
    with pytest.raises(SpecError, match="there is no 'nobody'"):
        audit([load("1|1")], "nobody")


def after(text: str, run: Run, limits: Limits) -> tuple[list[Job], list[Audit]]:
    """The runs that are made of a puzzle if each is this one, and the audits."""
    runner: Any = Given(lambda _: run)
    runner.limits = limits
    audits = list(audit_planned(plan([load(text)], run.backend), runner))
    return runner.asked, audits


@pytest.mark.parametrize(("status", "difficulty"), [("complete", "line"), ("timeout", None)])
def test_a_puzzle_that_was_not_decided_has_no_difficulty(status: RunStatus, difficulty: str | None) -> None:
    _, (found,) = after("1|0", Run("line", status=status, stats={"difficulty": "line"}), Limits())
    assert found.difficulty == difficulty


@pytest.mark.parametrize(("text", "questions"), [("111/111", ["solutions", "fewest"]), ("10/01", ["solutions"])])
def test_a_board_with_several_solutions_is_asked_for_the_fewest_presses_and_no_other_is(
    text: str, questions: list[str]
) -> None:
    run = Run("gauss", status="complete", grids=list(solutions(load(text), "gauss")))
    asked, _ = after(text, run, Limits(1))
    assert [job.question for job in asked] == questions
    assert [job.limits for job in asked[1:]] == [Limits(None, Limits().timeout / 8)] * (len(questions) - 1)


def test_backends_that_support_a_puzzle_are_asked_or_all_for_their_reasons() -> None:
    planned = [[turn.choice.spec for turn in plan([load("1|1")], specs)[0][1]] for specs in ("line,gauss", "gauss")]
    assert planned == [["line"], ["gauss"]]


def test_duplicates_name_the_first_of_them() -> None:
    names = ["10/00 # A", "10/00 # B", "00/01 # C", "10/00 # A", "1,0|1,0 # D", "0,1|0,1 # E"]
    puzzles = [pack(name) for name in names]
    audits = audit(puzzles)
    assert [found.same_as for found in audits] == [None, "A", None, "A", None, None]
    assert [found.image_of for found in audits] == [None, None, "A", None, None, "D"]
    told = totals(audits)
    assert (told["same"], told["images"], told["puzzles"]) == (2, 2, 6)


def marks(names: Sequence[str]) -> list[tuple[str | None, str | None]]:
    """The names of an equal earlier puzzle and of an earlier image, of each puzzle of a pack."""
    seen, limits = _Seen(), Limits()
    found = [seen.marked(Audit(judge(pack(name), [], limits), None)) for name in names]
    return [(audit.same_as, audit.image_of) for audit in found]


def test_all_images_name_the_first_and_a_repeated_image_the_one_that_it_equals() -> None:
    turned = ["110/000 # A", "000/011 # B", "10/10/00 # C", "000/011 # D", "011/000 # E", "100/000 # other"]
    assert marks(turned) == [(None, None), (None, "A"), (None, "A"), ("B", None), (None, "A"), (None, None)]


@pytest.mark.parametrize(("too_many", "images"), [(0, (None, "A")), (1, (None, None))])
def test_images_are_compared_up_to_a_number_of_cells(
    monkeypatch: pytest.MonkeyPatch, too_many: int, images: tuple[str | None, str | None]
) -> None:
    monkeypatch.setattr("crosslit_generate.audit._MAX_IMAGE_CELLS", 6 - too_many)
    assert marks(["110/000 # A", "000/011 # B", "110/000 # C"]) == [(None, None), images, ("A", None)]


def pack(line: str) -> Puzzle:
    from crosslit.formats import FORMATS

    return FORMATS["lines"].parse(line, "here")


def test_totals_add_up() -> None:
    audits = audit([load(text) for text in ("10000/00000/00000/00000/00000", "11/11", "1|1", "2|1", "1,1|1,1")])
    told = totals(audits)
    assert {key: told[key] for key in ("solvable", "unsolvable", "undecided", "unique", "multiple", "wrong")} == {
        "solvable": 3,
        "unsolvable": 2,
        "undecided": 0,
        "unique": 2,
        "multiple": 1,
        "wrong": 0,
    }
    assert told["difficulty"] == {"line": 2, "search": 1}


def test_a_record_is_a_flat_row() -> None:
    board, nonogram = (found.record() for found in audit([load("11/11").named("a name"), load("1,1|1,1")]))
    assert list(board) == list(nonogram)
    assert not [value for value in (*board.values(), *nonogram.values()) if not isinstance(value, str | int | None)]
    assert [board[name] for name in ("puzzle", "kind", "rows", "status", "solutions", "nullity", "presses")] == [
        *("a name", "lights-out", 2, "unique", 1, 0, 4),
    ]
    assert [
        nonogram[name] for name in ("puzzle", "kind", "status", "solutions", "at_least", "presses", "findings")
    ] == [
        *("1,1|1,1", "nonogram", "multiple", 2, 2, None, 0),
    ]
