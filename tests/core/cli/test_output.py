"""Lines of progress on standard error."""

from __future__ import annotations

import pytest

from crosslit.cli import output


def test_without_a_terminal_no_second_line_of_progress_is_due_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosslit.cli.output.time.monotonic", lambda: 100.0)
    progress = output.Progress(1)
    assert progress.is_due
    progress.says("a line")
    assert not progress.is_due
