"""A bug of Crosslit is said to be one, and nobody else is blamed."""

from __future__ import annotations

import pytest

from crosslit.base.errors import InternalError
from crosslit.cli import group
from crosslit.cli.output import BUG


def test_a_bug_of_crosslit_has_its_own_exit_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(**_: object) -> None:
        raise InternalError("a set lacks a solution that is in it")

    monkeypatch.setattr(group.root, "main", fails)
    assert group.run() == BUG
    assert "a bug of Crosslit, not of a solver: a set lacks a solution" in capsys.readouterr().err
