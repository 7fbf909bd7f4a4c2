"""However a command ends, it has an exit status and at most one line; a bug of Crosslit blames nobody else."""

from __future__ import annotations

import click
import pytest

from crosslit.base.errors import InputError, InternalError
from crosslit.cli import group
from crosslit.cli.output import BAD_INPUT, BUG, INTERRUPTED, PIPE_CLOSED


@pytest.mark.parametrize(
    ("error", "status", "last"),
    [
        (InternalError("a set lacks one"), BUG, "crosslit: a bug of Crosslit, not of a solver: a set lacks one"),
        (ZeroDivisionError("1 / 0"), BUG, "ZeroDivisionError: 1 / 0"),  # with its traceback
        (MemoryError(), BAD_INPUT, "crosslit: there is not enough memory for this"),
        (InputError("a.non", "it is empty"), BAD_INPUT, "crosslit: a.non: it is empty"),
        (OSError(2, "No such file", "a.non"), BAD_INPUT, "crosslit: a.non: No such file"),
        (OSError("no device"), BAD_INPUT, "crosslit: no device"),
        (click.UsageError("what"), BAD_INPUT, "Error: what"),
        (BrokenPipeError(), PIPE_CLOSED, None),
        (SystemExit(1), PIPE_CLOSED, None),
        (KeyboardInterrupt(), INTERRUPTED, None),
        (click.Abort(), INTERRUPTED, None),
    ],
)
def test_every_end_has_its_exit_status(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    status: int,
    last: str | None,
) -> None:
    def fails(**_: object) -> None:
        raise error

    monkeypatch.setattr(group.root, "main", fails)
    assert group.run() == status
    told = capsys.readouterr().err.splitlines()
    assert told[-1:] == [last] * (last is not None)
    assert len(told) == (last is not None) or isinstance(error, ZeroDivisionError)
