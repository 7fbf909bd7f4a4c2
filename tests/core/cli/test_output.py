"""Lines of progress on standard error."""

from __future__ import annotations

import json
import os
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from click.testing import CliRunner

from crosslit import Grid
from crosslit.base.errors import InputError
from crosslit.cli import ask, output
from crosslit.cli.group import root
from crosslit.cli.options import SECONDS, Size, conclude
from crosslit.contract.run import Limits, Run
from crosslit.judging.answers import MinimalSubset
from crosslit.judging.verdict import Finding


def test_without_a_terminal_no_second_line_of_progress_is_due_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosslit.cli.output.time.monotonic", lambda: 100.0)
    progress = output.Progress(1)
    assert progress.is_due
    progress.says("a line")
    assert not progress.is_due


def test_a_solution_in_json_is_written_in_pieces(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output, "_MAX_PENDING", 5)
    record = {"name": '"solution": "', "solution": "", "status": "solved"}
    with click.Context(root):
        output.write_json(record, Grid.from_text("10/11/00"))
    assert json.loads(capsys.readouterr().out).items() >= {**record, "solution": "10/11/00"}.items()


@pytest.mark.parametrize(
    ("interrupted", "problem", "decided", "status", "lines"),
    [
        (False, None, True, 0, []),
        (False, None, False, 3, ["a: timeout after 5 s (--timeout)"]),
        (False, "timing", True, 0, ["a: timing: "]),
        (False, "wrong-solution", False, 1, ["a: wrong-solution: "]),
        (True, "wrong-solution", True, 130, ["a: wrong-solution: "]),
        (True, None, False, 130, []),
    ],
)
def test_a_question_ends_with_its_errors_or_why_nothing_was_decided(
    capsys: pytest.CaptureFixture[str], interrupted: bool, problem: Any, decided: bool, status: int, lines: list[str]
) -> None:
    runner: Any = SimpleNamespace(interrupted=interrupted, limits=Limits(None, 5))
    findings = [Finding("a", problem, "")] if problem else []
    assert conclude(runner, findings, decided, [Run("a", status="timeout")]) == status
    assert capsys.readouterr().err.splitlines() == [f"crosslit: {line}" for line in lines]


@pytest.mark.parametrize(
    ("text", "fits"), [("0", False), ("1e-9", True), ("1e7", True), ("10000001", False), ("nan", False)]
)
def test_a_time_is_above_0_and_bounded(text: str, fits: bool) -> None:
    with nullcontext() if fits else pytest.raises(click.BadParameter):
        SECONDS.convert(text, None, None)


@pytest.mark.parametrize(("text", "size"), [("5", (5, 5)), ("5x7", (5, 7)), ("1x999999", (1, 999_999))])
def test_one_number_is_the_size_of_a_square(text: str, size: tuple[int, int]) -> None:
    assert Size().convert(text, None, None) == size


@pytest.mark.parametrize(
    ("decided", "words"), [(True, "no solution (evidence: claimed, by a)"), (False, "undecided (at least 3 cells)")]
)
def test_only_a_search_that_ended_says_that_nothing_can_be_revealed(decided: bool, words: str) -> None:
    assert ask._reveal_words(MinimalSubset(None, 3, decided, runs=(Run("a", status="complete"),))) == words


def test_files_that_are_written_together_are_plain(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # no device: with a mistake here the test would replace that of the system
    with pytest.raises(InputError, match="pipe: is not a plain file"):
        output.write_files({str(tmp_path / "pipe"): b""})


def test_a_model_that_breaks_a_single_rule_is_wrong() -> None:
    assert CliRunner().invoke(root, ["decode", "1", "-"], input="v -1 0\n").exit_code == 1
    assert CliRunner().invoke(root, ["decode", "1", "-"], input="v 1 0\n").exit_code == 0
