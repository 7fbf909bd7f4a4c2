"""What an isolated run costs beside the run itself, as a ratio to starting a plain Python process in the same minute.

Run it with ``python benchmarks/overhead.py``. Each figure is a median; the machine's load is not controlled.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from crosslit import Limits, load
from crosslit.questions.compare import jobs
from crosslit.runs.runner import Runner

ROUNDS = 30
ENGINES = {"gauss": "crosslit", "glucose4": "pysat.solvers", "cpsat": "ortools.sat.python.cp_model"}


def plain_start(statement: str) -> float:
    """Seconds to start Python, execute a statement and end."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return time.perf_counter() - began


def main() -> None:
    """Print a line an engine."""
    board = load("10/01")
    with Runner(Limits()) as runner:
        for engine, module in ENGINES.items():
            planned = jobs(board, engine)
            list(runner.runs(planned))  # starts the fork server
            isolated, plain = [], []
            for _ in range(ROUNDS):  # in turn, so that all see the same load
                ((_, run),) = runner.runs(planned)
                isolated.append(run.timing.wall - run.timing.total)
                plain.append(plain_start("pass"))
            cold_starts = [plain_start(f"import {module}") for _ in range(5)]
            overhead, start, cold = map(statistics.median, (isolated, plain, cold_starts))
            print(f"{engine}: {overhead * 1000:.1f} ms beside the run;", end=" ")
            print(f"{overhead / start:.2f} x a plain Python start ({start * 1000:.1f} ms),", end=" ")
            print(f"{overhead / cold:.3f} x a start that imports {module} ({cold * 1000:.0f} ms)")


if __name__ == "__main__":
    main()
