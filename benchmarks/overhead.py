"""The overhead of isolating a run, and the cost of whole commands on tiny puzzles.

Each is a ratio to starting a plain Python process in the same minute. Run it with ``python benchmarks/overhead.py``.
Each figure is a median; the machine's load is not controlled. Commands use compiled modules, as in an installed
package, regardless of PYTHONDONTWRITEBYTECODE; their CPU time includes all their processes.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from crosslit import Limits, load
from crosslit.cli.exit_status import FINDING, UNDECIDED
from crosslit.questions.compare import jobs
from crosslit.runs.runner import Runner

ROUNDS = 30
ENGINES = {"gauss": "crosslit", "glucose4": "pysat.solvers", "cpsat": "ortools.sat.python.cp_model"}
COMMANDS = {
    "--help": ["--help"],
    "solve, line": ["solve", "1,1|1,1", "--backend", "line"],
    "solve, gauss": ["solve", "examples/board-5x5.txt", "--backend", "gauss"],
    "enumerate, gauss": ["enumerate", "examples/board-5x5.txt", "--backend", "gauss"],
    "solve, hybrid": ["solve", "1,1|1,1", "--backend", "hybrid"],
    "compare, gauss": ["compare", "examples/board-5x5.txt", "--backends", "gauss"],
}


def plain_start(statement: str) -> float:
    """Seconds to start Python, execute a statement and end."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return time.perf_counter() - began


def compiled(folder: str) -> dict[str, str]:
    """Return the environment for commands, which keep their modules compiled in a folder."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**environment, "PYTHONPYCACHEPREFIX": folder}


def command_seconds(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Return how long a command takes: by the clock, and processor time of all its processes."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    nowhere = subprocess.DEVNULL
    code = subprocess.run(command, env=environment, stdout=nowhere, stderr=nowhere).returncode
    if code not in (0, FINDING, UNDECIDED):
        raise SystemExit(f"the command {command} ended with exit status {code}")
    clock, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def start_commands() -> None:
    """Print a line a command."""
    words = {name: [sys.executable, "-m", "crosslit", *arguments] for name, arguments in COMMANDS.items()}
    with tempfile.TemporaryDirectory() as folder:
        environment = compiled(folder)
        for command in words.values():
            command_seconds(command, environment)  # compiles
        used: dict[str, list[float]] = {name: [] for name in ("plain", *words)}
        for _ in range(ROUNDS):  # in turn, so that all see the same load
            for name, times in used.items():
                times.append(command_seconds(words.get(name, [sys.executable, "-c", "pass"]), environment)[1])
    plain = statistics.median(used.pop("plain"))
    print(f"a plain Python start: {plain * 1000:.0f} ms of processor time")
    for name, times in used.items():
        cpu = statistics.median(times)
        print(f"crosslit {name}: {cpu * 1000:.0f} ms of processor time, {cpu / plain:.1f} x a plain Python start")


def main() -> None:
    """Print a line an engine and a line a command."""
    start_commands()
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
