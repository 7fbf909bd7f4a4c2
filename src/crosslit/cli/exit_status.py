"""The exit statuses of the command line."""

from __future__ import annotations

FINDING = 1
BAD_INPUT = 2
UNDECIDED = 3
BUG = 70
INTERRUPTED = 130
PIPE_CLOSED = 141


def exit_status(*, interrupted: bool = False, wrong: bool = False, undecided: bool = False) -> int:
    """Return the exit status of a command: an interrupt counts more than an error, and that more than an open end."""
    return INTERRUPTED if interrupted else FINDING if wrong else UNDECIDED if undecided else 0
