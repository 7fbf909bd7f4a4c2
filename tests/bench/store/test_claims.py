"""Notes of claims that were judged when they were stored."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from crosslit_bench.plan.campaign import Instance
from crosslit_bench.results.status import campaign_status
from crosslit_bench.store.merge import merge
from crosslit_bench.store.outcome import Outcome
from crosslit_bench.store.schema import PREFIX, doubtful_puzzles, is_consistent, note_name
from crosslit_bench.store.store import Store

from crosslit.base.errors import InputError
from crosslit.base.grid import Grid
from crosslit.formats import read
from tests.bench.reports import BOARD, CORNER, campaign, named, solved
from tests.bench.store.test_store import ask
from tests.bench.synthetic import HERE, fill

SOLUTION, WRONG = Grid.from_bits(2, 2, 0b0111), Grid.from_bits(2, 2, 0b1000)


@pytest.mark.parametrize(
    ("puzzle", "status", "grids", "expected"),
    [
        ("10/00", "complete", [SOLUTION], True),
        ("10/00", "limit", [SOLUTION], True),
        ("10/00", "timeout", [], True),
        ("10/00", "limit", [WRONG], False),
        ("10/00", "limit", [SOLUTION, SOLUTION], False),
        ("10/00", "error", [], False),
        ("0000/0000/0000/0000", "complete", [Grid.from_bits(4, 4, 0)], False),  # of 16 solutions
        ("/".join(["0" * 101] * 101), "complete", [], False),  # too large to judge between two runs
    ],
)
def test_a_claim_without_findings_is_consistent(puzzle: str, status: str, grids: list[Grid], expected: bool) -> None:
    assert is_consistent(read(puzzle), status, grids) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ([("complete", "a"), ("limit", "a"), ("timeout", ""), ("unsupported", "")], False),
        ([("complete", ""), ("timeout", "")], False),
        ([("complete", ""), ("limit", "a")], True),
        ([("complete", "a"), ("limit", "b")], True),
        ([("limit", "a"), ("limit", "b")], True),
    ],
)
def test_a_puzzle_with_different_solutions_is_doubtful(claims: list[tuple[str, str]], expected: bool) -> None:
    noted = {note_name("p", *claim) for claim in claims}
    assert doubtful_puzzles([("p", *claim) for claim in claims], noted) == ({"p"} if expected else set())


def test_a_puzzle_with_a_claim_that_is_not_noted_is_doubtful() -> None:
    assert doubtful_puzzles([("p", "complete", "a"), ("q", "timeout", "")], {note_name("p", "complete", "a")}) == {"q"}


def test_a_merge_notes_the_claims_of_a_file_without_notes(tmp_path: Path) -> None:
    path, goal = fill(tmp_path / "old.sqlite", 60, repetitions=1), tmp_path / "goal.sqlite"
    query = f"SELECT name FROM about WHERE name LIKE '{PREFIX}%'"
    noted = ask(path, query)
    ask(path, f"DELETE FROM about WHERE name LIKE '{PREFIX}%'")
    merge(goal, [path])
    assert ask(goal, query) == noted != []
    assert [count.path for count in merge(goal, [goal, path, path])] == [path]
    ask(goal, "DELETE FROM plan WHERE key = (SELECT max(key) FROM plan)")
    with pytest.raises(InputError, match="has other runs than"):
        merge(goal, [path])


def test_only_consistent_claims_are_noted(tmp_path: Path) -> None:
    runs = {"right": solved(0.01, CORNER), "wrong": solved(0.01, Grid.from_bits(3, 3, 0))}
    for label, noted in (("right", 1), ("wrong", 0)):
        campaign(tmp_path, [named(BOARD, "one")], [label], lambda _, label: runs[label])
        assert len(ask(tmp_path / "results.sqlite", f"SELECT name FROM about WHERE name LIKE '{PREFIX}%'")) == noted


@pytest.mark.parametrize(
    ("load", "delayed", "disturbed"), [(4.0, 0.1, 0), (4.1, 0.0, 1), (0.0, 0.11, 1), (4.1, 0.11, 1)]
)
def test_load_above_the_processors_or_a_tenth_of_waiting_disturbs_a_run(
    tmp_path: Path, load: float, delayed: float, disturbed: int
) -> None:
    def run(_: Instance, label: str) -> Outcome:
        run, where = solved(0.01, CORNER), HERE
        if label == "b":
            run.timing, where = replace(run.timing, wall=1.0, delayed=delayed), replace(HERE, load=load)
        return Outcome(key="", run=run, circumstances=where)

    assert campaign(tmp_path, [named(BOARD, "one")], ["a", "b"], run).disturbed == disturbed
    with Store(tmp_path / "results.sqlite") as store:
        assert campaign_status(store).json()["disturbed"] == disturbed
