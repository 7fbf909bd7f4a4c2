"""Lines of progress on standard error."""

from __future__ import annotations

import json

import click
import pytest

from crosslit import Grid
from crosslit.cli import output
from crosslit.cli.group import root


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
