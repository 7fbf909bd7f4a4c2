"""The commands that ask one backend, by runs that are given: what they print at each end, and the exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crosslit import Grid, Limits, load
from crosslit.cli.ask import explanation_words
from crosslit.contract.run import Run
from crosslit.judging.verdict import MinimalSubset
from crosslit.questions.explain import Explanation
from crosslit.registry.table import NONOGRAM, Row
from tests.commands.conftest import Asked, End
from tests.driving import ended

ONE, OTHER, WRONG = (Grid.from_text(text) for text in ("10/01", "01/10", "11/00"))
DARK, FOUR = Grid.from_text("00/00/00"), Grid.from_text("11/11/00")
ASK_MORE = "other solutions were not looked for; `crosslit count` does"
ASK_WHY = "`crosslit explain PUZZLE` says why a puzzle has no solution"
BROKEN = "row 1 has blocks 2, its clue is 1"


@pytest.mark.parametrize(
    ("arguments", "run", "status", "word", "printed", "errors"),
    [
        (["11/11"], ended("limit", Grid.from_text("11/11")), 0, "solved", ["()()", "()()"], []),
        (["00/00/00"], ended("limit", DARK), 0, "solved", 3, ["there are 2^2 solutions, since the nullity is 2"]),
        (["1,1|1,1"], ended("limit", ONE), 0, "solved", 3, [ASK_MORE]),
        (["1,1|1,1"], ended("complete", ONE), 0, "solved", 3, []),
        (["1,1|1,1"], ended("complete"), 0, "unsolvable", ["no solution (claimed by line)"], [ASK_WHY]),
        (["1,1|1,1"], ended("timeout"), 3, "undecided", [], ["line: stopped after 9 s (--timeout)"]),
        (["1,1|1,1"], ended("memory"), 3, "undecided", [], ["line: stopped at 4,096 MB of memory"]),
        (["1,1|1,1"], ended("error", error="it fell"), 1, "wrong", [], ["line: error: it fell"]),
        (["1,1|1,1"], ended("limit", WRONG), 1, "wrong", [], [f"line: wrong-solution: {BROKEN}"]),
        (
            *(["1,1|1,1"], ended("limit", ONE, stray="hi"), 0, "solved", 3),
            [ASK_MORE, "line: stray-output: printed 'hi'"],
        ),
        (
            *(["00/00/00", "--fewest"], ended("complete", DARK), 0, "solved"),
            *(["· ·", "· ·", "· ·", "0 presses, the fewest (evidence: claimed, by fewest)"], []),
        ),
        (
            *(["11/11/11", "--fewest"], ended("timeout", FOUR, bound=2), 3, "undecided"),
            ["()()", "()()", "· ·", "undecided (at most 4 presses, at least 2; no reliable run closed the gap)"],
            ["fewest: stopped after 9 s (--timeout)"],
        ),
        (
            *(["11/11/11", "--fewest"], ended("timeout", bound=3), 3, "undecided"),
            ["undecided (no solution found, at least 3; no reliable run closed the gap)"],
            ["fewest: stopped after 9 s (--timeout)"],
        ),
        (*(["10", "--fewest"], ended("complete"), 0, "unsolvable"), *(["no solution (claimed by fewest)"], [ASK_WHY])),
    ],
)
def test_solve_prints_a_solution_or_why_there_is_none(
    given: Asked, arguments: list[str], run: End, status: int, word: str, printed: list[str] | int, errors: list[str]
) -> None:
    spec = "fewest" if "--fewest" in arguments else "line" if "|" in arguments[0] else "gauss"
    limits = ["--timeout", "9", "--backend", spec]
    done, runner, options = given("solve", *arguments, *limits, runs=[run])
    assert (done.exit_code, done.stderr.splitlines()) == (status, [f"crosslit: {error}" for error in errors])
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    assert (len(lines) if isinstance(printed, int) else lines) == printed
    assert options == {"fork_first": True, "once": True, "cores": 7, "in_process": True}
    assert runner.limits == Limits(None if spec == "fewest" else 1, 9.0)
    assert [job.question for job in runner.asked] == ["fewest" if spec == "fewest" else "solutions"]
    done, _, _ = given("solve", *arguments, *limits, "--json", runs=[run])
    record = json.loads(done.stdout)
    assert (done.exit_code, record["status"]) == (status, word)
    assert ("presses" in record, "presses" in record["run"]) == (spec == "fewest",) * 2
    assert (record["solution"] is None) == (word in ("wrong", "unsolvable") or not [*run(runner.asked[0]).grids])
    assert given("solve", *arguments, *limits, runs=[run], interrupted=True)[0].exit_code == 130


COUNTED = {
    "two": [ended("complete", ONE, OTHER)],
    "late": [ended("timeout", ONE)],
    "wrong": [ended("error", error="it fell")],
}


@pytest.mark.parametrize(
    ("ends", "interrupted", "status", "lines", "errors"),
    [
        (["two"], False, 0, ["2"], []),
        (["two", "two"], False, 0, ["1,1|1,1: 2"] * 2, []),
        (["late"], False, 3, ["undecided: at least 1"], 1),
        (["late", "two"], False, 3, ["1,1|1,1: undecided: at least 1", "1,1|1,1: 2"], 1),
        (["two", "late"], False, 3, ["1,1|1,1: 2", "1,1|1,1: undecided: at least 1"], 1),
        (["wrong", "late"], False, 1, ["1,1|1,1: undecided", "1,1|1,1: undecided: at least 1"], 2),
        (["two", "two"], True, 130, ["1,1|1,1: undecided"], []),
    ],
)
def test_count_prints_a_line_for_each_puzzle_and_the_worst_end_is_the_status(
    given: Asked, ends: list[str], interrupted: bool, status: int, lines: list[str], errors: list[str] | int
) -> None:
    runs = [run for end in ends for run in COUNTED[end]]
    arguments = ["count", *["1,1|1,1"] * len(ends), "--backend", "line"]
    done, _, options = given(*arguments, runs=runs, interrupted=interrupted)
    assert (done.exit_code, done.stdout.splitlines(), options["fork_first"]) == (status, lines, True)
    told = [line.removeprefix("crosslit: ") for line in done.stderr.splitlines()]
    assert (len(told) if isinstance(errors, int) else told) == errors
    done, _, _ = given(*arguments, "--json", runs=runs, interrupted=interrupted)
    assert (done.exit_code, done.stderr) == (status, "")
    numbers = {"two": (2, None), "late": (None, 1), "wrong": (None, 0)}
    records = [json.loads(line) for line in done.stdout.splitlines()]
    found = [(record["count"], record.get("at_least")) for record in records]
    assert found == ([(None, 0)] if interrupted else [numbers[end] for end in ends])


RUNS = (Run("a", status="complete", trusted_base=frozenset("a")),)
SMALLEST = "the smallest set (evidence: claimed, by a)"
LARGER = "none can be left out; a smaller set has at least 2 (evidence: claimed, by a)"
OPEN = "none can be left out; the search for a smaller set did not finish (evidence: claimed, by a)"
TWO_CLUES = ["unsolvable: these 2 clues contradict each other", "  row 1: 0", "  column 1: 2"]


@pytest.mark.parametrize(
    ("text", "chosen", "bound", "is_decided", "lines"),
    [
        ("0,2|2,0", "1010", 2, True, [*TWO_CLUES, SMALLEST]),
        ("0,2|2,0", "1010", 2, False, [*TWO_CLUES, LARGER]),
        ("0,2|2,0", "1010", 1, False, [*TWO_CLUES, OPEN]),
        ("3,0|0,0", "1000", 1, True, ["unsolvable: this clue cannot be", "  row 1: 3 (needs 3 cells, the line has 2)"]),
        ("0,2|2,0", None, 1, False, ["unsolvable (claimed by b); which clues contradict was not found"]),
        ("10", None, 1, True, ["unsolvable (claimed by b); which lights contradict was not found"]),
        ("11/11", "10/11", 3, True, ["unsolvable (claimed by b); which lights contradict was not found"]),
    ],
)
def test_a_contradiction_in_words(
    text: str, chosen: str | None, bound: int, is_decided: bool, lines: list[str]
) -> None:
    grid = None if chosen is None else Grid.from_text(chosen)
    answer = MinimalSubset(grid, bound, is_decided, "claimed", ("a",), runs=RUNS)
    found = Explanation(load(text), "unsolvable", contradiction=answer, run=Run("b", status="complete"))
    assert [*explanation_words(found)] == lines


LINES = Grid.from_text("1010")


@pytest.mark.parametrize(
    ("runs", "interrupted", "status", "last", "errors"),
    [
        ([ended("limit", ONE, OTHER)], False, 0, "  10/01", []),
        ([ended("complete", ONE)], False, 0, "unique: no other solution (claimed by hybrid)", []),
        ([ended("timeout")] * 2, False, 3, "undecided", ["glucose4: stopped after 10 s (--timeout)"]),
        ([ended("complete", ONE)], True, 130, "unique: no other solution (claimed by hybrid)", []),
        ([ended("error", error="it fell")], False, 1, "undecided", ["hybrid: error: it fell"]),
        (
            *([ended("complete"), ended("complete", LINES), ended("complete", LINES)], False, 0),
            *("the smallest set (evidence: claimed, by glucose4, cadical195/automaton)", []),
        ),
        (
            *([ended("complete"), ended("timeout")], False, 3),
            "unsolvable (claimed by hybrid); which clues contradict was not found",
            ["glucose4: stopped after 10 s (--timeout)"],
        ),
    ],
)
def test_explain_ends_with_its_reason_or_why_it_has_none(
    given: Asked, runs: list[End], interrupted: bool, status: int, last: str, errors: list[str]
) -> None:
    done, runner, _ = given("explain", "0,2|2,0" if len(runs) > 1 else "1,1|1,1", runs=runs, interrupted=interrupted)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (status, last)
    assert done.stderr.splitlines() == [f"crosslit: {error}" for error in errors]
    assert len(runner.asked) == len(runs)


@pytest.mark.parametrize(
    ("check", "status", "line", "errors"),
    [
        ([ended("complete", counted=2)], 0, "2 (evidence: agreed, by line, frontier)", []),
        (
            *([ended("timeout", error="stopped after 1 s of CPU time")], 3, "2 (evidence: claimed, by line)"),
            ["not cross-checked: frontier did not finish", "frontier: stopped after 1 s of CPU time"],
        ),
    ],
)
def test_a_checked_count_has_its_evidence_or_why_nothing_confirms_it(
    given: Asked, monkeypatch: pytest.MonkeyPatch, check: list[End], status: int, line: str, errors: list[str]
) -> None:
    monkeypatch.setitem(NONOGRAM, "count", Row(("line",), ("frontier",)))
    done, _, _ = given("count", "1,1|1,1", "--check", runs=[ended("complete", ONE, OTHER), *check])
    assert (done.exit_code, done.stdout) == (status, f"{line}\n")
    assert done.stderr.splitlines() == [f"crosslit: {error}" for error in errors]


def test_names_of_counted_puzzles_are_short_and_those_of_their_files(given: Asked, tmp_path: Path) -> None:
    paths = [tmp_path / "one.non", tmp_path / "other.non"]
    for path, title in zip(paths, ("x" * 61, "y" * 60), strict=True):
        path.write_text(f'title "{title}"\nwidth 2\nheight 2\nrows\n1\n1\ncolumns\n1\n1\n', encoding="utf-8")
    done, _, _ = given("count", *map(str, paths), runs=[ended("complete", ONE, OTHER)] * 2)
    assert done.stdout.splitlines() == [f"{'x' * 57}...: 2", f"{'y' * 60}: 2"]
