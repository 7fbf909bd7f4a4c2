"""The judge on synthetic runs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

from crosslit import Grid, Limits, load
from crosslit.contract import no_time
from crosslit.contract.run import Run, Timing
from crosslit.judging.solutions import judge, judge_count, judge_fewest
from crosslit.judging.verdict import DISCREDITS, PROBLEMS, Comparison, Finding, grade, run_findings
from crosslit.questions.compare import NEEDS, candidates, cross_check, jobs, seek
from crosslit.runs.job import Job

from .test_verdicts import certified

PUZZLE = load("1,1|1,1")  # two solutions
ONE, OTHER = (Grid.from_text(text) for text in ("10/01", "01/10"))


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
    assert [found.backend for found in candidates(comparison, "complete")] == ["b", "c", "a"]


def test_a_list_is_accused_of_what_sets_of_python_show_and_of_nothing_else() -> None:
    puzzle = load("1,1,1|1,1,1")
    grids = [Grid.from_rows([1 << column for column in order], 3) for order in product(range(3), repeat=3)]
    right, rng, accused = {grid for grid in grids if not any(puzzle.violations(grid))}, random.Random(7), 0
    for _ in range(500):
        lists = [[*right, *rng.choices(grids, k=rng.randint(0, 2))] for _ in range(rng.randint(1, 4))]
        lists = [rng.sample(each, rng.randint(max(0, len(each) - 3), len(each))) for each in lists]
        complete = [rng.random() < 0.7 for _ in lists]
        runs = [run(str(i), *each, status=("limit", "complete")[complete[i]]) for i, each in enumerate(lists)]
        judged = judge(puzzle, runs, Limits())
        known = right & {grid for each in lists for grid in each}
        assert {*judged.solutions} == known
        witnesses = {(f.backend, f.problem): Grid.from_text(f.witness or "") for f in judged.findings}
        expected = set()
        for i, each in enumerate(lists):
            found = {"wrong-solution": {*each} - right, "duplicate-solution": {g for g in each if each.count(g) > 1}}
            lacks = "missing-solution" if each else "false-unsolvable"
            found[lacks] = known - {*each} if complete[i] else set()
            expected |= {(str(i), problem) for problem, chosen in found.items() if chosen}
            assert all(witnesses[str(i), problem] in chosen for problem, chosen in found.items() if chosen)
        assert witnesses.keys() == expected
        accused += len(expected)
    assert accused > 500


def test_runs_come_back_in_the_order_of_the_plan_whichever_ends_first() -> None:
    class Backwards:
        limits = Limits()
        guard = nullcontext

        def runs(self, jobs: list[Job]) -> Iterator[tuple[Job, Run]]:
            for job in reversed(jobs):
                yield job, run(job.spec, ONE, OTHER, repetition=job.repetition)

    ended: list[tuple[str, int]] = []
    runner: Any = Backwards()
    planned = jobs(PUZZLE, "brute,line,alignment", repeat=2)
    comparison = cross_check(PUZZLE, planned, runner, on_end=lambda run: ended.append((run.backend, run.repetition)))
    in_order = [(name, repetition) for repetition in (0, 1) for name in ("brute", "line", "alignment")]
    assert [(run.backend, run.repetition) for run in comparison.runs] == in_order == ended[::-1]


def test_a_backend_that_is_blamed_is_asked_for_no_certificate() -> None:
    comparison = judged(run("polynomial"), puzzle=load("11/11"))
    nobody: Any = None
    comparison.findings = [Finding("polynomial", "false-unsolvable", "there is a solution")]
    assert seek(comparison, jobs(comparison.puzzle, "polynomial"), nobody) == (None, [], {"": NEEDS})


def test_nobody_is_asked_for_a_certificate_after_an_interrupt() -> None:
    """Neither the next backend, if an interrupt ends the run of the first one, nor any if it came before."""
    pressed = Grid.from_text("11/11")
    comparison = judged(run("polynomial", pressed), run("gauss", pressed), puzzle=load("11/11"))
    asked: list[str] = []

    def fail(job: Any) -> Run:
        asked.append(job.choice.spec)
        runner.interrupted = True
        return job.blank("interrupted")

    runner: Any = SimpleNamespace(interrupted=True, run=fail)
    for interrupted, expected in ((True, 0), (False, 1)):
        asked.clear()
        runner.interrupted = interrupted
        certified, findings, _ = seek(comparison, jobs(comparison.puzzle, "polynomial,gauss"), runner)
        assert (certified, findings, len(asked)) == (None, [], expected)


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


def test_solutions_are_in_the_order_of_their_bits_or_of_their_presses() -> None:
    texts = ["11/11/00", "10/00/01", "01/00/10", "00/11/11"]
    board, grids = load("11/11/11"), [Grid.from_text(text) for text in texts]
    for runs in ([run("a", *grids)], [run(text, Grid.from_text(text), status="limit") for text in texts]):
        found = judge(board, runs, Limits()).solutions
        assert found == sorted(found, key=lambda grid: grid.bits)
        by_presses = sorted(found, key=lambda grid: (grid.count(), grid.bits))
        assert judge_fewest(board, runs, Limits()).solutions == by_presses != found


COURSE: dict[str, dict[str, Any]] = {
    "stray-output": {"stray": "  hello \n"},
    "orphaned-process": {"left": 1},
    "timing": {"timing": Timing({**no_time(), "solve": 1.0}, cpu=2.0, wall=2.0)},
}


INNOCENT = [*COURSE, "disagreement", "refused-certificate", "contradicted-certificate"]


@pytest.mark.parametrize("problem", PROBLEMS)
def test_only_a_backend_without_blame_is_asked_for_a_certificate(problem: str) -> None:
    comparison = judged(run("a", ONE, OTHER), run("b", ONE, OTHER, status="limit"))
    comparison.findings = [Finding("a", problem, "")]
    assert [found.backend for found in candidates(comparison, "complete")] == ["a"] * (problem in INNOCENT)
    comparison.findings = [Finding("a", "error", ""), Finding("b", problem, "")]
    assert [found.backend for found in candidates(comparison, "limit")] == ["b"] * (problem in INNOCENT)


@pytest.mark.parametrize("problem", COURSE)
def test_a_problem_in_the_course_of_a_run_takes_nothing_from_its_answer(problem: str) -> None:
    comparison = judged(run("a", ONE, OTHER, **COURSE[problem]), run("b", ONE, OTHER))
    assert [finding.problem for finding in comparison.findings] == [problem]
    assert (comparison.verdict.evidence, comparison.verdict.by) == ("agreed", ("a", "b"))
    assert problem not in DISCREDITS
    counted = judge_count(PUZZLE, [run("a", counted=2, **COURSE[problem])], Limits(None))
    assert (counted.number, counted.evidence) == (2, "claimed")
    dark = [run(name, Grid.from_text("00"), **(COURSE[problem] if name == "a" else {})) for name in "ab"]
    comparison = judge_fewest(load("00"), dark, Limits(None))
    assert [finding.problem for finding in comparison.findings] == [problem]
    assert comparison.verdict.by == ("a", "b")


def test_a_count_and_unfinished_lists_are_kept_in_this_order() -> None:
    counts, lists = [run("a", counted=0)], [run("e", status="timeout")]
    found = judge_count(load("2|1"), counts, Limits(None), lists)
    assert (found.number, found.at_least, found.consistent, [*found.runs]) == (0, 0, True, [*counts, *lists])
    wrong = judge_count(PUZZLE, counts, Limits(None), [run("e", ONE, status="timeout")])
    assert (wrong.number, wrong.at_least, wrong.consistent) == (None, 1, False)


def test_a_count_shows_why_it_is_not_known() -> None:
    runs = [run("a", status="gave-up", error="too large"), run("b", status="timeout"), run("c", ONE)]
    runs.append(run("d", ONE, status="limit"))
    unknown = judge_count(PUZZLE, runs, Limits(None))
    assert str(unknown).splitlines()[-3:] == ["a: too large", "b: stopped after 60 s", "d: stopped"]
    known = judge_count(PUZZLE, [run("a", counted=2), run("b", status="timeout")], Limits(None))
    assert "stopped" not in str(known)
    keys = ["limits", "puzzle", "count", "evidence", "by", "findings", "runs", "consistent"]
    assert [*known.json()] == keys
    assert [*replace(known, unchecked="why").json()] == [*keys[:7], "unchecked", *keys[7:]]
    assert [*unknown.json()] == [*keys[:3], "at_least", *keys[3:]]
    assert (known.json()["evidence"], known.json()["by"]) == ("claimed", ["a"])


def test_a_number_that_is_not_known_equals_nothing_else() -> None:
    known = judge_count(PUZZLE, [run("a", counted=2)], Limits(None))
    one, other = (judge_count(PUZZLE, [run("a", status="timeout")], Limits(None)) for _ in range(2))
    assert (known == 2, known == 3, known == judge_count(PUZZLE, [run("b", counted=2)], Limits(None))) == (1, 0, 1)
    assert (one == one, one == other, one == None, known == one) == (1, 0, 0, 0)  # noqa: E711
    assert (int(known), hash(known) == hash(2)) == (2, True)
    assert [bool(each) for each in (known, replace(one, at_least=1), replace(known, number=0))] == [True, True, False]


@pytest.mark.parametrize(
    ("given", "detail"),
    [
        ({"stray": "  hello \n"}, "printed 'hello'"),
        ({"stray": "  " + "x" * 70}, f"printed {'x' * 60!r}"),
        ({"left": 1}, "it left a process behind"),
        ({"left": 2}, "it left 2 processes behind"),
        ({"status": "error", "error": "it fell"}, "it fell"),
        ({"left": 2, "status": "timeout"}, None),
        (
            {"status": "limit", "timing": Timing({**no_time(), "solve": 1.0}, cpu=1.5, wall=1.0, overhead=0.125)},
            "0.125 s of reported time unexplained: reported 1.000 s, wall 1.000 s, CPU 1.500 s",
        ),
        (
            {"status": "gave-up", "timing": Timing({**no_time(), "solve": 1.0}, cpu=1.5, wall=1.5, overhead=0.25)},
            "0.250 s of CPU time unexplained: reported 1.000 s, wall 1.500 s, CPU 1.500 s",
        ),
    ],
)
def test_a_problem_in_the_course_of_a_run_in_words(given: Any, detail: str | None) -> None:
    assert [finding.detail for finding in run_findings(run("a", **given))] == [detail] * (detail is not None)


def test_repetitions_and_parts_that_are_shared_make_no_second_source() -> None:
    a, same, b = (frozenset(each) for each in ("ax", "bx", "b"))
    runs = [
        Run("a", status="complete", trusted_base=a, repetition=0),
        Run("a", status="complete", trusted_base=a, repetition=1),
        Run("shared", status="complete", trusted_base=same),
        Run("a", status="complete", trusted_base=b),  # the same name with another encoding
        Run("b", status="complete", trusted_base=b),
    ]
    assert grade(runs[:3]) == ("claimed", ("a",))
    assert grade(runs[1:4]) == ("agreed", ("a", "a"))
    assert grade(runs[2:]) == ("claimed", ("shared",))
    assert grade([*runs[:3], runs[4]]) == ("agreed", ("a", "b"))
    assert grade([*runs, Run("brute", status="complete")]) == ("brute-force", ("brute",))


def test_the_times_of_a_comparison_are_those_of_backends_that_ran() -> None:
    timing = Timing({**no_time(), "solve": 2.0}, 2.0000014, 2.0)
    runs = [run("a", ONE, OTHER, timing=timing), run("b", status="unsupported"), run("c", status="gave-up")]
    record = judged(*runs, *(run("a", ONE, OTHER, repetition=1, timing=timing) for _ in "1")).json()
    assert {name: total and total["max"] for name, total in record["totals"].items()} == {"a": 2.0, "b": None, "c": 0.0}
    assert record["runs"][0]["seconds"]["cpu"] == 2.000001  # to the microsecond
    assert (record["question"], len(record["runs"]), "presses" in record["runs"][0]) == ("solutions", 4, False)
    assert "uncertified" not in record
    record = judge_fewest(load("0"), [run("a", Grid.from_text("0"))], Limits()).json()
    assert (record["question"], record["presses"], record["runs"][0]["presses"]) == (
        *("fewest", {"best": 0, "bound": 0, "proved": True}),
        {"best": 0, "bound": 0, "proved": True},
    )
