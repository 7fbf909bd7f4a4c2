"""``crosslit enumerate`` as a user runs it: streams, files, and every way to end."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from crosslit import Grid, Limits, load
from crosslit.cli import output
from crosslit.cli.compare import tell_end
from crosslit.contract.run import Run
from crosslit.judging.verdict import Finding
from crosslit.questions.list_check import ListCheck
from crosslit.runs.job import Job
from tests.commands.conftest import Asked
from tests.driving import ended
from tests.inline import run_inline

BOARD = "0000/0000/0000/0000"
ENDLESS = "/".join(["0" * 39] * 39)  # 2^32 solutions
BOUNDED = ("--limit", "1000000000")


def started(*arguments: str, **options: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "crosslit", "enumerate", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "start_new_session": True}
    return subprocess.Popen(command, **{**pipes, **options})  # type: ignore[call-overload, no-any-return]


def test_the_output_may_be_closed() -> None:
    process = started(ENDLESS, *BOUNDED)
    assert process.stdout is not None
    assert process.stderr is not None
    first = process.stdout.readline().decode().strip()  # long before the end, which is never reached
    assert not any(load(ENDLESS).violations(Grid.from_text(first)))
    process.stdout.close()
    with process.stderr as errors:
        told = errors.read().decode()
    assert process.wait(20) == 141
    assert told == "crosslit: incomplete: the output was closed\n"


@pytest.mark.parametrize("command", [["enumerate"], ["compare", "--all"]])
def test_a_list_that_would_not_end_is_refused(command: list[str], tmp_path: Path) -> None:
    done = run_inline(*command, ENDLESS, env={}, input="", cwd=tmp_path)
    assert (done.returncode, done.stdout, "too many to list" in done.stderr) == (2, "", True)


def test_the_end_of_each_of_two_lists_has_the_name_of_its_puzzle(tmp_path: Path) -> None:
    (tmp_path / "two.puzzles").write_text("10/01 # One\n01/10\n", encoding="utf-8")
    done = run_inline("enumerate", "two.puzzles", env={}, input="", cwd=tmp_path)
    heads = [line.partition(",")[0] for line in done.stderr.splitlines()]
    assert heads == ["crosslit: One: 1 solution", "crosslit: two:2: 1 solution"]


def test_an_interrupt_keeps_whole_lines() -> None:
    process = started(ENDLESS, *BOUNDED, bufsize=0)  # or lines that were read ahead are lost to `communicate`
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(100)]
    os.killpg(process.pid, signal.SIGINT)
    rest, told = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"incomplete (polynomial: interrupted)" in told
    output = b"".join(lines) + rest
    assert output.endswith(b"\n")
    assert {len(line) for line in output.splitlines()} == {39 * 40 - 1}


@pytest.mark.parametrize(
    ("backend", "problem"),
    [
        ("batches-drop", "missing-solution"),
        ("batches-repeat", "duplicate-solution"),
        ("batches-swap", "error"),
        ("batches-lie", "wrong-solution"),
    ],
)
def test_the_guilty_is_named_by_a_witness(planted_environment: dict[str, str], backend: str, problem: str) -> None:
    arguments = (BOARD, "--backend", backend, "--check", "--json")
    run = run_inline("enumerate", *arguments, env=planted_environment)
    assert run.returncode == 1
    *solutions, summary = map(json.loads, run.stdout.splitlines())
    findings = [finding for finding in summary["findings"] if finding["problem"] == problem]
    assert [finding["backend"] for finding in findings] == [backend]
    assert findings[0]["witness"] is not None
    # for any backend, no wrong solution is listed, and none twice
    texts = [solution["solution"] for solution in solutions]
    assert len(set(texts)) == len(texts) == summary["solutions"]
    assert not any(list(load(BOARD).violations(Grid.from_text(text))) for text in texts)
    assert not summary["complete"]


PUZZLE = "1,1|1,1"  # two solutions
LIST = ("enumerate", PUZZLE, "--backend", "glucose4")
ONE, OTHER, WRONG = (Grid.from_text(text) for text in ("10/01", "01/10", "11/00"))
ALL = ended("complete", ONE, OTHER)


@pytest.mark.parametrize(
    ("arguments", "runs", "interrupted", "status", "end"),
    [
        ([], [ALL], False, 0, "2 solutions, complete (evidence: claimed, by glucose4)"),
        ([], [ended("timeout", ONE)], False, 3, "1 solution, incomplete (glucose4: stopped after 9 s)"),
        ([], [ended("timeout")], False, 3, "none listed, incomplete (glucose4: stopped after 9 s)"),
        ([], [ended("interrupted", ONE)], True, 130, "1 solution, incomplete (glucose4: interrupted)"),
        ([], [ended("complete", ONE, WRONG)], False, 1, "1 solution, incomplete (glucose4: its number of ...)"),
        ([], [ended("interrupted", WRONG)], True, 1, "none listed, incomplete (glucose4: it is wrong)"),
        (["--check"], [ALL, ALL], False, 0, "2 solutions, complete (evidence: agreed, by glucose4, line)"),
        (["--limit", "1"], [ended("limit", ONE)], False, 3, "1 solution, incomplete (... stopped at 1, as ...)"),
    ],
)
def test_the_end_of_a_list_is_its_exit_status(
    given: Asked, arguments: list[str], runs: list[Callable[[Job], Run]], interrupted: bool, status: int, end: str
) -> None:
    done, runner, options = given(*LIST, *arguments, "--timeout", "9", runs=runs, interrupted=interrupted)
    assert done.exit_code == status, done.output
    assert re.fullmatch(".*".join(map(re.escape, f"crosslit: {end}".split("..."))), done.stderr.splitlines()[-1])
    assert (len(runner.asked), options) == (len(runs), {"fork_first": True, "once": True, "cores": 7})
    assert runner.limits == Limits(1 if "--limit" in arguments else None, 9.0)
    again, _, _ = given(*LIST, *arguments, "--json", runs=runs, interrupted=interrupted)
    assert again.exit_code == status
    assert ("findings" in json.loads(again.stdout.splitlines()[-1]), again.stderr) == (True, "")


def test_a_limit_with_a_list_is_about_what_the_list_lacks(given: Asked, tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_text(f"{ONE.text}\n", encoding="utf-8")
    done, runner, _ = given(*LIST, "--check-list", str(path), "--limit", "1", runs=[ended("limit", ONE, OTHER)])
    assert (done.exit_code, done.stdout) == (1, f"{OTHER.text}\n")
    assert (runner.limits.solutions, runner.asked[0].limits.solutions) == (1, None)


@pytest.mark.parametrize("json_option", [[], ["--json"]])
def test_a_closed_output_has_its_own_status_and_no_number_of_solutions(
    given: Asked, monkeypatch: pytest.MonkeyPatch, json_option: list[str]
) -> None:
    def refuse(_: object) -> None:
        raise output.PipeClosed("the output was closed")

    monkeypatch.setattr(output, "write_bytes", refuse)
    done, _, _ = given(*LIST, *json_option, runs=[ALL])
    assert (done.exit_code, done.stdout) == (141, "")
    assert done.stderr == "crosslit: incomplete: the output was closed\n"


@pytest.mark.parametrize(("witness", "shown"), [(None, ""), ("0" * 120, "0" * 120), ("0" * 121, "0" * 117 + "...")])
def test_a_witness_is_printed_and_the_faults_are_in_the_order_of_their_lines(
    capsys: pytest.CaptureFixture[str], witness: str | None, shown: str
) -> None:
    finding = Finding("a", "wrong-solution", "why", witness)
    faults = [(9, "repeats an earlier line"), (2, "no grid")]
    check = ListCheck(
        load(PUZZLE), found=3, known=1, reason="late", findings=[finding], wrong=1, repeated=1, faults=faults
    )
    tell_end(check, "list")
    assert capsys.readouterr().err.splitlines() == [
        f"crosslit: a: wrong-solution: why{f' (witness {shown})' if shown else ''}",
        "crosslit: list:2: no grid",
        "crosslit: list:9: repeats an earlier line",
        "crosslit: 3 solutions: 1 in list, 2 missing; 1 wrong line, 1 repeated, incomplete (late)",
    ]
    tell_end(ListCheck(load(PUZZLE), reason="late"), "list")
    assert capsys.readouterr().err.startswith("crosslit: no solution: 0 in list, none found missing so far; 0 wrong")
