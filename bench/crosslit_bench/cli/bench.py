"""``crosslit bench``: campaigns and their results."""

from __future__ import annotations

from crosslit_bench.cli import report, run
from crosslit_bench.cli.run import command

__all__ = ["command", "report", "run"]
