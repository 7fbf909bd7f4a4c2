"""``crosslit bench``: campaigns and their results."""

from __future__ import annotations

from crosslit_bench.cli import bench_report, bench_run
from crosslit_bench.cli.group import command

__all__ = ["bench_report", "bench_run", "command"]
