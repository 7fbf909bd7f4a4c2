"""The report on a comparison: its table, its errors and its verdict, from runs that are given."""

from __future__ import annotations

from typing import Any

import pytest

from crosslit import Grid, Limits, load
from crosslit.base.shapes import ASCII
from crosslit.contract import Certificate, Certified, CheckResult, no_time
from crosslit.contract.run import Presses, Run, Timing
from crosslit.judging.solutions import judge, judge_fewest
from crosslit.judging.verdict import Comparison, Verdict
from crosslit.questions.report import Report, presses_words, verdict_words

PUZZLE = load("1,1|1,1")  # two solutions
ONE, OTHER, WRONG = (Grid.from_text(text) for text in ("10/01", "01/10", "11/00"))


@pytest.fixture(autouse=True)
def plain_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosslit.questions.report.style_of_output", lambda: ASCII)


def run(
    name: str,
    *grids: Grid,
    status: Any = "complete",
    seconds: tuple[float, ...] = (0.0,) * 4,
    by: str = "",
    **more: Any,
) -> Run:
    """Return a run with the seconds of its phases, and its lineage if that is not its name."""
    timing = Timing(dict(zip(no_time(), seconds, strict=True)), sum(seconds), sum(seconds))
    base = frozenset({by or name})
    return Run(name, status=status, grids=list(grids), timing=timing, trusted_base=base, **more)


REPEATED = judge(
    PUZZLE,
    [
        run("a", ONE, OTHER, seconds=(1, 2, 3, 4), encoding="order"),
        run("b", ONE, status="limit", seconds=(5, 6, 7, 8)),
        run("c", status="unsupported", error="not this kind"),
        run("d", status="gave-up", error="too\nmany"),
        run("a", ONE, OTHER, seconds=(3, 2, 1, 0), repetition=1, encoding="order"),
        run("b", status="timeout", repetition=1),
        run("a", ONE, OTHER, seconds=(3, 2, 1, 0), repetition=2, encoding="order"),
    ],
    Limits(1),
)
FAULTY = judge(
    PUZZLE,
    [run("a", ONE, OTHER, stray="hi"), run("b", ONE, WRONG, WRONG, OTHER), run("c", status="error", error="it\nfell")],
    Limits(),
)
FEWEST = judge_fewest(
    load("11/11/11"),
    [
        run("a", Grid.from_text("11/11/00"), status="timeout", bound=1),
        run("b", status="gave-up", bound=2, error="too many"),
        run("a", status="timeout", repetition=1),
    ],
    Limits(None),
)


@pytest.mark.parametrize(
    ("comparison", "text"),
    [
        (
            REPEATED,
            """\
nonogram, 2 x 2

 backend  status               found  encode    load   solve   total            spread  note
 a/order  complete                 2  3.00 s  2.00 s  1.00 s  6.00 s  6.00 s to 10.0 s
 b        one found / timeout  1 / 0  2.50 s  3.00 s  7.50 s  13.0 s    0 ms to 26.0 s
 c        unsupported                                                                   not this kind
 d        gave-up                  0    0 ms    0 ms    0 ms    0 ms      0 ms to 0 ms  too?many

verdict: multiple, 2 solutions (evidence: claimed, by a)""",
        ),
        (
            FAULTY,
            """\
nonogram, 2 x 2

 backend  status    found  encode  load  solve  total  note
 a        complete      2    0 ms  0 ms   0 ms   0 ms  stray-output
 b        complete      4    0 ms  0 ms   0 ms   0 ms  wrong-solution, duplicate-solution
 c        error         0    0 ms  0 ms   0 ms   0 ms  error

  wrong: a: stray-output: printed 'hi'
  wrong: b: wrong-solution: row 1 has blocks 2, its clue is 1
         witness 11/00
            1 1
         1 ####
         1 . .
  wrong: b: duplicate-solution: gave this solution more than once
         witness 11/00
            1 1
         1 ####
         1 . .
  wrong: c: error: it?fell
verdict: multiple, 2 solutions (evidence: claimed, by a)""",
        ),
        (
            FEWEST,
            """\
Lights Out, 3 x 2, nullity 2

 backend  status   presses  at least  encode  load  solve  total        spread  note
 a        timeout    4 / -     1 / 0    0 ms  0 ms   0 ms   0 ms  0 ms to 0 ms
 b        gave-up        -         2    0 ms  0 ms   0 ms   0 ms  0 ms to 0 ms  too many

verdict: undecided (at most 4 presses, at least 2; no reliable run closed the gap)""",
        ),
    ],
    ids=["repetitions", "errors", "fewest presses"],
)
def test_a_report_has_a_row_for_each_backend_then_the_errors_and_the_verdict(comparison: Comparison, text: str) -> None:
    lines = [line.rstrip() for line in str(Report(comparison)).splitlines() if "──" not in line]
    assert lines == text.splitlines()


@pytest.mark.parametrize(("columns", "is_drawn", "is_whole"), [(30, 1, 1), (31, 0, 1), (120, 0, 1), (121, 0, 0)])
def test_a_witness_is_drawn_if_it_is_small_and_cut_if_it_is_long(columns: int, is_drawn: int, is_whole: int) -> None:
    comparison = judge(load("0" * columns), [run("a", Grid.from_bits(1, columns, 0)), run("b")], Limits())
    wrong, witness, *drawn, _ = Report(comparison).lines()
    assert wrong.startswith("  wrong: b: false-unsolvable: ")
    cut = "0" * 117 + "... (121 characters; --json has it whole)"
    assert witness == f"         witness {'0' * columns if is_whole else cut}"
    assert [line.replace(" ", "") for line in drawn] == ["." * columns] * is_drawn


@pytest.mark.parametrize(
    ("reasons", "evidence", "lines"),
    [
        ({"a": "no\nreason", "b": "late", "c": "no\nreason"}, "agreed", [" by a, c: no?reason", " by b: late"]),
        ({"": "nobody can"}, None, [": nobody can"]),
        ({"a": "late"}, "certified", []),
        ({}, "claimed", []),
        (None, "agreed", []),
    ],
)
def test_the_backends_without_a_certificate_are_grouped_by_the_reason(
    reasons: dict[str, str] | None, evidence: Any, lines: list[str]
) -> None:
    comparison = judge(PUZZLE, [run("a", ONE, OTHER)], Limits())
    comparison.verdict = Verdict("multiple", 2, 2, True, evidence, ("a",))
    comparison.uncertified = reasons
    assert [*Report(comparison).lines()][:-1] == [f"  not certified{line}" for line in lines]


@pytest.mark.parametrize(
    ("others", "words"),
    [
        ([run("b", ONE, OTHER, by="a"), run("c", ONE, OTHER, by="a")], ["  b does not confirm a: both rest on a"]),
        ([run("b", ONE, OTHER, by="a", left=1), run("c", ONE, by="a", status="limit")], []),
        ([run("b", ONE, by="a"), run("c", ONE, OTHER, by="a")], ["  c does not confirm a: both rest on a"]),
        ([run("b", ONE, OTHER)], []),
    ],
)
def test_only_a_complete_run_without_errors_is_said_not_to_confirm_a_claim(others: list[Run], words: list[str]) -> None:
    comparison = judge(PUZZLE, [run("a", ONE, OTHER), *others], Limits())
    lines = [*Report(comparison).lines()]
    assert lines[-1 - len(words)].startswith("verdict: multiple")
    assert lines[len(lines) - len(words) :] == words


def certified(count: int, *trusted_base: str) -> Certified:
    """Return an accepted certificate for a number of solutions."""
    checked = CheckResult("complete", count, "a check", trusted_base)
    return Certified(Certificate("a format", "an id", "complete", count, {}), "b", checked)


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (
            Verdict("undecided", None, 1, False, None, ()),
            "undecided (1 solution found and checked, no reliable run searched everything)",
        ),
        (
            Verdict("multiple", 3, 2, True, "certified", ("b",), certified(3)),
            "multiple, 3 solutions (evidence: certified, by b; checked by a check)",
        ),
        (
            Verdict("multiple", None, 2, False, "witnessed", ("a",)),
            "multiple, at least 2 solutions (evidence: witnessed, by a)",
        ),
        (
            Verdict("multiple", 2, 2, True, "certified", ("b",), certified(2, "pysat", "sums")),
            "multiple, 2 solutions (evidence: certified, by b; checked by a check, trusting pysat, sums)",
        ),
        (
            Verdict("multiple", 2, 2, True, "claimed", ("a",), certified(2, "encoder x")),
            "multiple, 2 solutions (evidence: claimed, by a; not certified: the certificate of b, checked by a check,"
            " trusting encoder x, which no independent run confirms)",
        ),
    ],
)
def test_a_verdict_in_words(verdict: Verdict, words: str) -> None:
    assert verdict_words(verdict) == words


OPTIMAL = Verdict("optimal", None, 1, True, "agreed", ("a", "b"))
OPEN = Verdict("undecided", None, 0, False, None, ())


@pytest.mark.parametrize(
    ("presses", "verdict", "words"),
    [
        (Presses(1, 1, True), OPTIMAL, "1 press, the fewest (evidence: agreed, by a, b)"),
        (Presses(None, None, True), OPTIMAL, "unsolvable (evidence: agreed, by a, b)"),
        (Presses(None, 2, False), OPEN, "undecided (no solution found, at least 2; no reliable run closed the gap)"),
        (Presses(3, 2, False), OPEN, "undecided (at most 3 presses, at least 2; no reliable run closed the gap)"),
    ],
)
def test_the_fewest_presses_in_words(presses: Presses, verdict: Verdict, words: str) -> None:
    assert presses_words(presses, verdict) == words


def test_a_disagreement_is_printed_once_with_all_its_parties_and_any_other_error_for_each() -> None:
    comparison = judge(PUZZLE, [run("a", ONE), run("b", ONE), run("c", ONE, OTHER, status="limit")], Limits())
    names = [line.split(": ")[1] for line in Report(comparison).lines() if line.startswith("  wrong: ")]
    assert names == ["a", "b"]
    dark = Grid.from_bits(3, 2, 0)
    lines = [*Report(judge(load("00/00/00"), [run("a", dark), run("b", dark)], Limits())).lines()]
    assert [line.partition(": disagreement")[0] for line in lines[:-1]] == ["  wrong: a, b, nullity"]
