"""The judge on synthetic runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from itertools import permutations
from typing import Any

import pytest

from crosslit import Grid, Limits, load
from crosslit.contract import Certificate, Certified, CheckResult
from crosslit.contract.run import Run, Timing
from crosslit.judging import verdict
from crosslit.judging.solutions import incomplete, judge
from crosslit.judging.verdict import PROBLEMS, Comparison, Finding
from crosslit.kinds import batch
from crosslit.questions.compare import NEEDS, compare, jobs, seek
from crosslit.runs.job import Job
from tests.conftest import all_grids

PUZZLE = load("1,1|1,1")  # two solutions
ONE, OTHER, WRONG, EMPTY = (Grid.from_text(text) for text in ("10/01", "01/10", "11/00", "00/00"))


def run(name: str, *grids: Grid, status: str = "complete", trusted_base: str = "", **more: Any) -> Run:
    return Run(backend=name, status=status, grids=list(grids), trusted_base=frozenset({trusted_base or name}), **more)  # type: ignore[arg-type]


def judged(*runs: Run, puzzle: Any = PUZZLE) -> Comparison:
    return judge(puzzle, list(runs), Limits())


def test_two_lineages_that_agree() -> None:
    verdict = judged(run("a", ONE, OTHER), run("b", OTHER, ONE)).verdict
    assert (verdict.status, verdict.solutions, verdict.complete) == ("multiple", 2, True)
    assert (verdict.evidence, verdict.by) == ("agreed", ("a", "b"))


@pytest.mark.parametrize(("limit", "is_there"), [(6, False), (7, True), (8, True)])
def test_a_puzzle_is_written_up_to_a_length(monkeypatch: pytest.MonkeyPatch, limit: int, is_there: bool) -> None:
    monkeypatch.setattr(verdict, "TEXT_LIMIT", limit)
    assert ("text" in verdict.puzzle_json(PUZZLE, None)) == is_there  # 7 characters


def test_one_lineage_does_not_confirm_itself() -> None:
    verdict = judged(run("a", ONE, OTHER, trusted_base="chase"), run("b", ONE, OTHER, trusted_base="chase")).verdict
    assert (verdict.evidence, verdict.by) == ("claimed", ("a",))


def test_brute_force_is_the_best_evidence() -> None:
    verdict = judged(run("a", ONE, OTHER), run("b", ONE, OTHER), run("brute", ONE, OTHER)).verdict
    assert (verdict.evidence, verdict.by) == ("brute-force", ("brute",))


def test_two_solutions_are_witnesses_from_any_backend() -> None:
    verdict = judged(run("a", ONE, status="timeout"), run("b", OTHER, status="limit")).verdict
    assert (verdict.status, verdict.solutions, verdict.at_least) == ("multiple", None, 2)
    assert (verdict.complete, verdict.evidence, verdict.by) == (False, "witnessed", ("a", "b"))


def test_one_solution_without_a_complete_run_decides_nothing() -> None:
    verdict = judged(run("a", ONE, status="limit")).verdict
    assert (verdict.status, verdict.at_least, verdict.evidence, verdict.by) == ("undecided", 1, None, ())


def test_a_run_that_lacks_a_checked_solution_is_not_believed() -> None:
    comparison = judged(run("a", ONE), run("b", ONE), run("c", OTHER, status="limit"))
    assert [(f.backend, f.problem, f.witness) for f in comparison.findings] == [
        ("a", "false-unique", "01/10"),
        ("b", "false-unique", "01/10"),
    ]
    assert comparison.verdict.status == "multiple"
    assert comparison.verdict.evidence == "witnessed"
    six = load("1,1,1|1,1,1")
    every = [grid for grid in all_grids(3, 3) if not any(six.violations(grid))]
    comparison = judged(run("a", *every[:2]), run("b", *every), puzzle=six)  # two claim no uniqueness
    assert [(f.backend, f.problem) for f in comparison.findings] == [("a", "missing-solution")]


def test_a_wrong_solution_counts_for_nothing() -> None:
    comparison = judged(run("a", WRONG), run("b", ONE, OTHER))
    assert [(f.backend, f.problem) for f in comparison.findings] == [("a", "wrong-solution"), ("a", "missing-solution")]
    assert comparison.findings[0].detail == "row 1 has blocks 2, its clue is 1"
    assert comparison.solutions == [OTHER, ONE]
    for first, second in ((WRONG, EMPTY), (EMPTY, WRONG)):
        assert judged(run("a", first, second)).findings[0].witness == first.text()


def test_a_run_with_a_wrong_solution_is_not_believed_when_it_says_that_there_are_no_others() -> None:
    comparison = judged(run("a", WRONG))
    assert comparison.verdict.status == "undecided"


@pytest.mark.parametrize("few", [0, 1000])
def test_many_solutions_are_checked_in_batches_as_few_are_one_by_one(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "_FEW", (few, few))
    monkeypatch.setattr(batch, "_ARRAY", 8)  # batches of four
    puzzle = load("1,1,1,1|1,1,1,1")
    every = [Grid.from_rows([1 << column for column in order], 4) for order in permutations(range(4))]
    first, other = (Grid.from_rows(rows, 4) for rows in ([1, 1, 4, 8], [0, 0, 0, 0]))
    comparison = judged(
        run("a", *every),
        run("b", *every[:13], other, first, *every[13:], other, status="limit"),
        run("c", *every[1:], first),
        run("d", *every[:14], *every[15:]),
        puzzle=puzzle,
    )
    assert comparison.verdict.at_least == 24
    assert [(f.backend, f.problem, f.detail, f.witness) for f in comparison.findings] == [
        ("b", "wrong-solution", "row 1 has blocks 0, its clue is 1", other.text()),
        ("b", "duplicate-solution", "gave this solution more than once", other.text()),
        ("c", "wrong-solution", "column 1 has blocks 2, its clue is 1", first.text()),
        ("c", "missing-solution", incomplete(23, 1, "a found"), every[0].text()),
        ("d", "missing-solution", incomplete(23, 1, "a found"), every[14].text()),
    ]


def test_a_run_that_did_not_finish_claims_nothing() -> None:
    for status in ("limit", "gave-up", "timeout", "memory", "interrupted", "unsupported"):
        assert judged(run("a", status=status), run("b", ONE, OTHER)).consistent


def test_the_number_of_solutions_of_a_board_is_checked_against_its_nullity() -> None:
    board = load("00/00/00")  # nullity 2
    comparison = judged(run("a", Grid.from_bits(3, 2, 0)), puzzle=board)
    assert comparison.nullity == 2
    assert [(f.backend, f.problem) for f in comparison.findings] == [("a", "contradicts-nullity")]
    assert comparison.verdict.status == "undecided"


BOARD = load("00/00/00")  # four solutions: its nullity is 2
FOUR = [grid for grid in all_grids(3, 2) if not any(BOARD.violations(grid))]


def nullity_is(monkeypatch: pytest.MonkeyPatch, nullity: int) -> None:
    monkeypatch.setattr("crosslit.kinds.lights_out.nullity.board_nullity", lambda _: nullity)


@pytest.mark.parametrize("found", [3, 4])
@pytest.mark.parametrize(("names", "status"), [("a", "complete"), ("a", "limit"), ("ab", "complete")])
def test_solutions_that_pass_the_rules_prove_the_nullity_wrong_where_they_are_more(
    monkeypatch: pytest.MonkeyPatch, found: int, names: str, status: str
) -> None:
    nullity_is(monkeypatch, 1)
    comparison = judged(*(run(name, *FOUR[:found], status=status) for name in names), puzzle=BOARD)
    assert [(f.backend, f.problem) for f in comparison.findings] == [("nullity", "contradicts-nullity")]
    verdict = comparison.verdict
    assert (verdict.status, verdict.at_least, verdict.complete) == ("multiple", found, status == "complete")


@pytest.mark.parametrize("names", [["a", "b"], ["a", "brute"], ["brute"], ["a", "b", "c"]])
def test_neither_agreeing_runs_nor_the_nullity_win_against_each_other(names: list[str]) -> None:
    comparison = judged(*(run(name, FOUR[0]) for name in names), puzzle=BOARD)
    assert [(f.backend, f.problem) for f in comparison.findings] == [
        (name, "disagreement") for name in [*names, "nullity"]
    ]
    detail = f"solutions by {' and '.join(names)}: 1; by the nullity of 2: 0 or 4; one of them is wrong"
    assert {f.detail for f in comparison.findings} == {detail}
    verdict = comparison.verdict
    assert (verdict.status, verdict.solutions, verdict.evidence, verdict.by) == ("undecided", None, None, ())


def test_two_checked_solutions_witness_that_there_are_several_whatever_disagrees(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nullity_is(monkeypatch, 3)
    comparison = judged(run("a", *FOUR), run("b", *FOUR), puzzle=BOARD)
    assert {f.problem for f in comparison.findings} == {"disagreement"}
    verdict = comparison.verdict
    assert (verdict.status, verdict.solutions, verdict.at_least) == ("multiple", None, 4)
    assert (verdict.complete, verdict.evidence) == (False, "witnessed")


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("bad", [{"status": "complete"}, {"status": "error", "error": "?"}])
def test_a_backend_that_is_wrong_in_one_repetition_supports_nothing(bad: dict[str, Any], first: bool) -> None:
    repeated = [run("a", ONE, OTHER), run("a", ONE, repetition=1, **bad)]
    comparison = judged(*(repeated if first else repeated[::-1]), run("b", ONE, OTHER))
    assert {f.backend for f in comparison.findings} == {"a"}
    assert (comparison.verdict.evidence, comparison.verdict.by) == ("claimed", ("b",))


def certified(count: int, *trusted_base: str) -> Certified:
    claim = {0: "unsolvable", 1: "unique"}.get(count, "complete")
    certificate = Certificate("a format", "an id", claim, count, {})  # type: ignore[arg-type]
    return Certified(certificate, "maker", CheckResult(certificate.claim, count, "a check", trusted_base))


def test_a_certificate_that_trusts_its_encoder_adds_nothing_to_what_is_only_witnessed() -> None:
    runs = [run("a", ONE, OTHER, status="timeout")]
    verdict = judge(PUZZLE, runs, Limits(), certified(2, "encoder order")).verdict
    assert (verdict.status, verdict.solutions, verdict.complete) == ("multiple", None, False)
    assert (verdict.evidence, verdict.certificate) == ("witnessed", None)
    assert judge(PUZZLE, runs, Limits(), certified(2)).verdict.evidence == "certified"


def test_a_certificate_that_trusts_its_encoder_is_listed_with_a_claim() -> None:
    accepted = certified(2, "encoder order")
    verdict = judge(PUZZLE, [run("a", ONE, OTHER)], Limits(), accepted).verdict
    assert (verdict.evidence, verdict.certificate) == ("claimed", accepted)


@pytest.mark.parametrize("names", [["a"], ["a", "b"]])
def test_neither_complete_runs_nor_a_certificate_win_against_each_other(names: list[str]) -> None:
    comparison = judge(PUZZLE, [run(name, ONE) for name in names], Limits(), certified(2))
    assert [(f.backend, f.problem) for f in comparison.findings] == [
        (name, "disagreement") for name in [*names, "maker"]
    ]
    by = " and ".join(names)
    assert comparison.findings[0].detail == (
        f"solutions by {by}: 1; by a certificate of a format from maker: 2; one of them is wrong"
    )
    assert (comparison.verdict.status, comparison.verdict.certificate) == ("undecided", None)


@pytest.mark.parametrize("count", [1, 4])
def test_runs_a_nullity_and_a_certificate_are_all_named_where_they_disagree(count: int) -> None:
    comparison = judge(BOARD, [run("a", FOUR[0]), run("b", FOUR[0])], Limits(), certified(count))
    assert [f.backend for f in comparison.findings] == ["a", "b", "nullity", "maker"]
    assert comparison.findings[0].detail == (
        "solutions by a and b: 1; by the nullity of 2: 0 or 4;"
        f" by a certificate of a format from maker: {count}; one of them is wrong"
    )
    assert (comparison.verdict.status, comparison.verdict.evidence) == ("undecided", None)


def test_a_certificate_and_the_nullity_outweigh_a_single_claim() -> None:
    comparison = judge(BOARD, [run("a", FOUR[0])], Limits(), certified(4))
    assert [(f.backend, f.problem) for f in comparison.findings] == [("a", "contradicts-nullity")]
    assert (comparison.verdict.solutions, comparison.verdict.evidence) == (4, "certified")


def test_a_claim_that_a_certificate_supports_is_not_blamed_by_the_nullity() -> None:
    comparison = judge(BOARD, [run("a", FOUR[0])], Limits(), certified(1))
    assert {(f.backend, f.problem) for f in comparison.findings} == {
        (name, "disagreement") for name in ("a", "nullity", "maker")
    }
    assert comparison.verdict.status == "undecided"


def test_checked_solutions_prove_a_certificate_of_fewer_wrong() -> None:
    comparison = judge(PUZZLE, [run("a", ONE, OTHER), run("b", ONE, OTHER)], Limits(), certified(1))
    assert [(f.backend, f.problem) for f in comparison.findings] == [("maker", "contradicted-certificate")]
    accepted = "a certificate of a format was accepted for unique"
    assert comparison.findings[0].detail == (
        f"{accepted}; 2 solutions were found and checked, so its checker is wrong too"
    )
    assert (comparison.verdict.evidence, comparison.verdict.certificate) == ("agreed", None)


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


def test_every_run_of_one_lineage_is_to_blame_for_too_few_solutions() -> None:
    grid = Grid.from_bits(3, 2, 0)
    comparison = judged(run("a", grid, trusted_base="x"), run("b", grid, trusted_base="x"), puzzle=load("00/00/00"))
    assert [(f.backend, f.problem) for f in comparison.findings] == [
        ("a", "contradicts-nullity"),
        ("b", "contradicts-nullity"),
    ]


@pytest.mark.parametrize("status", ["complete", "limit", "gave-up"])
def test_the_time_of_every_run_that_reports_its_end_is_checked(status: str) -> None:
    timing = Timing({"encode": 0, "load": 0, "solve": 1.0, "decode": 0}, cpu=1.0, wall=2.0, overhead=0.1)
    comparison = judged(run("a", ONE, OTHER, status=status, timing=timing))
    assert [finding.problem for finding in comparison.findings] == ["timing"]


@pytest.mark.parametrize(
    ("timing", "threads", "wrong"),
    [
        (Timing({"encode": 0, "load": 0, "solve": 1.0, "decode": 0}, cpu=1.0, wall=1.1, overhead=0.1), 1, False),
        (Timing({"encode": 0, "load": 0, "solve": 1.0, "decode": 0}, cpu=1.0, wall=1.3, overhead=0.1), 1, True),
        (Timing({"encode": 0, "load": 0, "solve": 1.0, "decode": 0}, cpu=1.0, wall=0.8, overhead=0.0), 1, True),
        (Timing({"encode": 0, "load": 0, "solve": 1.0, "decode": 0}, cpu=2.0, wall=1.0, overhead=0.0), 1, True),
        (Timing({"encode": 0, "load": 0, "solve": 1.0, "decode": 0}, cpu=2.0, wall=1.0, overhead=0.0), 2, False),
        (Timing({"encode": 0, "load": 0, "solve": 0.01, "decode": 0}, cpu=0.02, wall=0.029, overhead=0.0), 1, False),
    ],
)
def test_unexplained_time_is_found_beyond_a_tenth_and_twenty_milliseconds(
    timing: Timing, threads: int, wrong: bool
) -> None:
    comparison = judged(run("a", ONE, OTHER, timing=timing, threads=threads))
    assert [finding.problem for finding in comparison.findings] == (["timing"] if wrong else [])
    assert comparison.verdict.status == "multiple"


@pytest.mark.parametrize(("status", "problems"), [("complete", ["orphaned-process"]), ("timeout", [])])
def test_a_run_that_was_killed_is_not_blamed_for_processes_left_behind(status: str, problems: list[str]) -> None:
    assert [finding.problem for finding in judged(run("a", ONE, OTHER, status=status, left=2)).findings] == problems


def test_a_backend_that_is_blamed_is_asked_for_no_certificate() -> None:
    comparison = judged(run("polynomial"), puzzle=load("11/11"))
    nobody: Any = None
    comparison.findings = [Finding("polynomial", "false-unsolvable", "there is a solution")]
    assert seek(comparison, jobs(comparison.puzzle, "polynomial"), nobody) == (None, [], {"": NEEDS})


@pytest.mark.parametrize(
    ("refused", "evidence", "by"),
    [
        ({"a"}, "agreed", ("b", "c")),
        ({"a", "b"}, "claimed", ("c",)),
        ({"a", "b", "c"}, "claimed", ("a",)),
    ],
)
def test_a_run_whose_certificate_was_refused_confirms_no_other(refused: set[str], evidence: str, by: Any) -> None:
    runs = [run(name, ONE, OTHER) for name in "abc"]
    verdict = judge(PUZZLE, runs, Limits(), refused=refused).verdict
    assert (verdict.solutions, verdict.evidence, verdict.by) == (2, evidence, by)


def test_every_finding_uses_a_documented_word() -> None:
    comparison = judged(
        run("a", WRONG, ONE, ONE), run("b"), run("c", status="error", error="?"), run("d", ONE, OTHER, stray="hello")
    )
    assert {finding.problem for finding in comparison.findings} <= set(PROBLEMS)
    assert {finding.backend for finding in comparison.findings} == {"a", "b", "c", "d"}
