"""The judge on synthetic runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from itertools import permutations
from typing import Any

import pytest

from crosslit import Grid, Limits, load
from crosslit.contract import no_time
from crosslit.contract.run import Run, Timing
from crosslit.judging import verdict
from crosslit.judging.solutions import incomplete, judge
from crosslit.judging.verdict import PROBLEMS, Comparison, Finding
from crosslit.kinds import batch
from crosslit.questions.compare import NEEDS, _candidates, compare, jobs, seek
from crosslit.runs.job import Job

from .test_verdicts import certified

PUZZLE = load("1,1|1,1")  # two solutions
ONE, OTHER, WRONG = (Grid.from_text(text) for text in ("10/01", "01/10", "11/00"))


def run(name: str, *grids: Grid, status: str = "complete", trusted_base: str = "", **more: Any) -> Run:
    return Run(backend=name, status=status, grids=list(grids), trusted_base=frozenset({trusted_base or name}), **more)  # type: ignore[arg-type]


def judged(*runs: Run, puzzle: Any = PUZZLE) -> Comparison:
    return judge(puzzle, list(runs), Limits())


def test_a_native_backend_and_an_engine_are_named_rather_than_two_of_a_kind() -> None:
    natives, engines = [run("a", ONE, OTHER), run("b", ONE, OTHER)], [run("c", ONE, OTHER, encoding="order")]
    assert judged(*natives, *engines).verdict.by == ("a", "c")
    assert judged(*natives).verdict.by == ("a", "b")


def test_the_fastest_backend_is_asked_for_a_certificate_first() -> None:
    def timed(name: str, seconds: float) -> Run:
        return run(name, ONE, OTHER, timing=Timing({**no_time(), "solve": seconds}, seconds, seconds, 0.0))

    comparison = judged(timed("a", 2), timed("b", 0.5), timed("c", 1), timed("b", 3))
    assert [found.backend for found in _candidates(comparison, "complete")] == ["b", "c", "a"]


@pytest.mark.parametrize(("limit", "is_there"), [(6, False), (7, True), (8, True)])
def test_a_puzzle_is_written_up_to_a_length(monkeypatch: pytest.MonkeyPatch, limit: int, is_there: bool) -> None:
    monkeypatch.setattr(verdict, "TEXT_LIMIT", limit)
    assert ("text" in verdict.puzzle_json(PUZZLE, None)) == is_there  # 7 characters


@pytest.mark.parametrize("few", [0, 1000])
def test_many_solutions_are_checked_in_batches_as_few_are_one_by_one(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "_FEW", (few, few))
    monkeypatch.setattr(batch, "_ARRAY", 8)  # batches of four
    puzzle = load("1,1,1,1|1,1,1,1")
    every = [Grid.from_rows([1 << column for column in order], 4) for order in permutations(range(4))]
    first, other = (Grid.from_rows(rows, 4) for rows in ([1, 1, 4, 8], [0, 0, 0, 0]))
    comparison = judged(
        run("b", *every[:13], other, first, *every[13:], other, status="limit"),
        run("a", *every),
        run("c", *every[1:], first),
        run("d", *every[:14], *every[15:]),
        puzzle=puzzle,
    )
    assert comparison.verdict.at_least == 24
    assert [(f.backend, f.problem, f.detail, f.witness) for f in comparison.findings] == [
        ("b", "wrong-solution", "row 1 has blocks 0, its clue is 1", other.text()),
        ("b", "duplicate-solution", "gave this solution more than once", other.text()),
        ("c", "wrong-solution", "column 1 has blocks 2, its clue is 1", first.text()),
        ("c", "missing-solution", incomplete(23, 1, "b found"), every[0].text()),
        ("d", "missing-solution", incomplete(23, 1, "b found"), every[14].text()),
    ]


def test_runs_come_back_in_the_order_of_the_plan_whichever_ends_first() -> None:
    class Backwards:
        limits = Limits()
        guard = nullcontext

        def runs(self, jobs: list[Job]) -> Iterator[tuple[Job, Run]]:
            for job in reversed(jobs):
                yield job, run(job.spec, ONE, OTHER, repetition=job.repetition)

    ended: list[tuple[str, int]] = []
    runner: Any = Backwards()
    comparison = compare(
        PUZZLE,
        "brute,line,alignment",
        repeat=2,
        runner=runner,
        on_end=lambda run: ended.append((run.backend, run.repetition)),
    )
    in_order = [(name, repetition) for repetition in (0, 1) for name in ("brute", "line", "alignment")]
    assert [(run.backend, run.repetition) for run in comparison.runs] == in_order == ended[::-1]


@pytest.mark.parametrize("status", ["complete", "limit", "gave-up"])
def test_the_time_of_every_run_that_reports_its_end_is_checked(status: str) -> None:
    timing = Timing({"encode": 0, "load": 0, "solve": 1.0, "decode": 0}, cpu=1.0, wall=2.0, overhead=0.1)
    comparison = judged(run("a", ONE, OTHER, status=status, timing=timing))
    assert [finding.problem for finding in comparison.findings] == ["timing"]


@pytest.mark.parametrize(("status", "problems"), [("complete", ["orphaned-process"]), ("timeout", [])])
def test_a_run_that_was_killed_is_not_blamed_for_processes_left_behind(status: str, problems: list[str]) -> None:
    assert [finding.problem for finding in judged(run("a", ONE, OTHER, status=status, left=2)).findings] == problems


def test_a_backend_that_is_blamed_is_asked_for_no_certificate() -> None:
    comparison = judged(run("polynomial"), puzzle=load("11/11"))
    nobody: Any = None
    comparison.findings = [Finding("polynomial", "false-unsolvable", "there is a solution")]
    assert seek(comparison, jobs(comparison.puzzle, "polynomial"), nobody) == (None, [], {"": NEEDS})


def test_every_finding_uses_a_documented_word() -> None:
    comparison = judged(
        run("a", WRONG, ONE, ONE), run("b"), run("c", status="error", error="?"), run("d", ONE, OTHER, stray="hello")
    )
    assert {finding.problem for finding in comparison.findings} <= set(PROBLEMS)
    assert {finding.backend for finding in comparison.findings} == {"a", "b", "c", "d"}


@pytest.mark.parametrize(
    ("text", "by", "count", "detail"),
    [
        ("00/00/00", ["a", "b"], None, "a and b: 1; by the nullity of 2: 0 or 4"),
        ("00/00/00", ["a", "brute"], 1, "a and brute: 1; by the nullity of 2: 0 or 4; by a certificate of"),
        ("11/11", ["a"], 2**9, "a: 1; by the nullity of 0: 0 or 1; by a certificate of"),
    ],
)
def test_a_disagreement_names_all_sides(text: str, by: list[str], count: int | None, detail: str) -> None:
    accepted = certified(f"certified {count}") if count else None
    comparison = judge(load(text), [run(name, Grid.from_text(text)) for name in by], Limits(), accepted)
    side = f" a format from maker: {count}" if count else ""
    assert {finding.detail for finding in comparison.findings} == {
        f"solutions by {detail}{side}; one of them is wrong",
    }


def test_a_certificate_is_part_of_the_json_of_a_verdict() -> None:
    verdict = judge(load("11/11"), [run("maker", Grid.from_text("11/11"))], Limits(), certified("certified 1")).verdict
    assert verdict.json()["certificate"] == {
        "format": "a format",
        "claim": "unique",
        "count": 1,
        "by": "maker",
        "checked_by": "a check",
        "trusts": [],
    }
