"""The time of ``crosslit bench report`` on a store of 10,000 rows, and the size of its page.

Run it with ``python benchmarks/report.py`` in a checkout, or with another number of rows as its argument. The store is
synthetic, in a temporary folder. The command runs in a separate process, pinned to one processor if the system supports
that. The time for only loading and cross-checking the same store is measured in the same minute.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.bench.synthetic import fill


def spent(arguments: list[str]) -> tuple[float, float]:
    """Seconds of wall and of CPU time of a command."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=False, stdout=subprocess.DEVNULL)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure, and print."""
    rows = int(sys.argv[1]) if sys.argv[1:] else 10_000
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        store, page = Path(folder) / "rows.sqlite", Path(folder) / "report.html"
        for repetitions in (1, 5):
            store.unlink(missing_ok=True)
            fill(store, rows, repetitions=repetitions, wrong="glucose4/full-cut4")
            checked = spent(["-m", "crosslit", "bench", "status", str(store)])
            told = spent(["-m", "crosslit", "bench", "report", str(store), "-o", str(page)])
            print(
                f"{rows} rows, {repetitions} of each: report {told[0]:.1f} s (CPU {told[1]:.1f} s), status"
                f" {checked[0]:.1f} s (CPU {checked[1]:.1f} s), page {page.stat().st_size / 1e6:.2f} MB"
            )


if __name__ == "__main__":
    main()
