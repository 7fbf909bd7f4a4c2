"""The time of ``crosslit bench status`` on a store of 100,000 rows, compared with building and judging every run.

Run it with ``python benchmarks/status.py`` in a checkout, or with another number of rows as its argument. The stores
are synthetic, in a temporary folder: 50 repetitions of each run, and 5, some of them wrong. The command and the
judgement of all runs, which it replaced, alternate, each in a new process. Times are CPU time.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.campaigns.synthetic import fill

ROUNDS = 3
ALL = (
    "import pathlib, sys; from crosslit_bench.results import judged; from crosslit_bench.store import store;"
    " judged.load(store.Store(pathlib.Path(sys.argv[1]))).findings"
)


def spent(arguments: list[str]) -> tuple[float, float]:
    """Seconds of processor time of a command, and its memory in MB."""
    process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> None:
    """Measure, and print."""
    rows = int(sys.argv[1]) if sys.argv[1:] else 100_000
    with tempfile.TemporaryDirectory() as folder:
        for repetitions in (50, 5):
            store = fill(Path(folder) / f"{repetitions}.sqlite", rows, repetitions=repetitions, wrong="gauss")
            commands = {"status": ["-m", "crosslit", "bench", "status", str(store)], "all": ["-c", ALL, str(store)]}
            found: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
            for _ in range(ROUNDS):
                for name, command in commands.items():
                    found[name].append(spent(command))
            seconds = {name: statistics.median(time for time, _ in times) for name, times in found.items()}
            memory = {name: max(used for _, used in times) for name, times in found.items()}
            print(
                f"{rows} rows, {repetitions} of each: status {seconds['status']:.2f} s, {memory['status']:.0f} MB;"
                f" judging all {seconds['all'] / seconds['status']:.1f} times as long, {memory['all']:.0f} MB"
            )


if __name__ == "__main__":
    main()
