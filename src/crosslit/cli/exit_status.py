"""The exit statuses of the command line."""

from __future__ import annotations

FINDING = 1


BAD_INPUT = 2


UNDECIDED = 3


BUG = 70


INTERRUPTED = 130


PIPE_CLOSED = 141
