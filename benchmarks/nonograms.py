"""Nonograms: `line` and SAT on line-solvable puzzles, and `hybrid` and every SAT solver on the survey.

Run it with ``python -m benchmarks.nonograms [--data FOLDER]``; the folder of real puzzles is not part of the project,
and parts that need it are skipped without it. A figure is the median CPU time of several runs. Each run is in a newly
forked process with imported engines and no other state, and the runs to compare alternate, so that they see the same
load. Every run seeks two solutions, to decide whether the puzzle is unique.

With ``--peers`` it compares `hybrid` and `line` with other solvers instead (`benchmarks.nonogram_peers`).
"""

from __future__ import annotations

import argparse
import multiprocessing
import platform
import statistics
import sys
import time
from importlib.metadata import version
from pathlib import Path

# as a run's server does, before the clock starts
import crosslit_backends.nonogram.loaded_kernel  # noqa: F401
import crosslit_encoders.nonogram.order  # noqa: F401
import numpy as np
import pysat.solvers  # noqa: F401

from benchmarks.nonogram_peers import compare_with_peers
from crosslit import __version__, load
from crosslit.contract import Task
from crosslit.kinds import Puzzle
from crosslit.registry import all_backends, select_one
from crosslit.runs.drive import drive

ROOT = Path(__file__).parents[1]
ROUNDS = 5
WITHOUT = {"knotty", "faase"}  # several solutions each, and no SAT solver by itself finds them in minutes


def run(spec: str, puzzle: Puzzle) -> tuple[float, int]:
    """CPU seconds of one run, and how many solutions it found, two at most."""
    choice = select_one(spec, puzzle)
    task = Task(max_solutions_hint=2, encoding=choice.encoding, options=choice.options)
    began = time.process_time()
    solutions = drive(choice.backend, puzzle, task)
    found = len([grid for _, grid in zip(range(2), solutions, strict=False)])
    solutions.close()
    return time.process_time() - began, found


def run_apart(spec: str, puzzle: Puzzle) -> float:
    """CPU seconds of a run in a new process, after one on a puzzle of one cell: without what first use costs.

    No pool: its threads would fork while a command starts, whose pipes a worker would then keep open.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def measure() -> None:
        run(spec, load("1|1" if puzzle.kind == "nonogram" else "coloured-nonogram:1a|1a"))
        sender.send(run(spec, puzzle)[0])

    process = context.Process(target=measure)
    process.start()
    seconds = receiver.recv()
    process.join()
    return float(seconds)


def medians(specs: list[str], puzzle: Puzzle) -> dict[str, float]:
    """Median CPU seconds of each spec on a puzzle that has one solution."""
    seconds: dict[str, list[float]] = {spec: [] for spec in specs}
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as fresh:
        for _ in range(ROUNDS):
            for spec in specs:
                took, found = fresh.apply(run, (spec, puzzle))
                if found != 1:
                    raise SystemExit(f"{spec} found {found} solutions of {puzzle.name}")
                seconds[spec].append(took)
    return {spec: statistics.median(times) for spec, times in seconds.items()}


def line_beside_sat(data: Path) -> None:
    """Where line solving is nearly all that it takes: encoding and loading are what SAT pays for."""
    specs = ["line", "hybrid", "cadical195/order"]
    groups = {"article-50x50": [ROOT / "examples" / "article-50x50.txt"]}
    if (data / "jwilk").is_dir():
        groups["jwilk, 14 pictures"] = sorted((data / "jwilk").glob("*.nin"))
    else:
        print(f"skipped: the pictures, for there is no {data / 'jwilk'}")
    for name, files in groups.items():
        found = [medians(specs, load(file)) for file in files]
        total = {spec: sum(times[spec] for times in found) for spec in specs}
        shown = ", ".join(f"{spec} {total[spec] * 1000:.1f} ms" for spec in specs)
        print(f"{name}: {shown}; cadical195/order takes", end="")
        print(f" {total[specs[2]] / total['line']:.1f} x line, {total[specs[2]] / total['hybrid']:.1f} x hybrid")


def hybrid_beside_sat(data: Path) -> None:
    """Uniqueness of the survey's puzzles: `hybrid` and `line` beside every SAT solver of PySAT, on its own."""
    folder = data / "survey-redistributable"
    if not folder.is_dir():
        print(f"skipped: the survey, for there is no {folder}")
        return
    engines = [name for name, backend in all_backends().items() if "sat" in backend.groups]
    specs = ["hybrid", "line", *(f"{engine}/order" for engine in engines)]
    files = [file for file in sorted(folder.glob("*.non")) if file.stem not in WITHOUT]
    found = {file.stem: medians(specs, load(file)) for file in files}
    print(
        f"survey, CPU ms, uniqueness included:\n{'':18}",
        *(f"{stem.removeprefix('webpbn-'):>7}" for stem in found),
        end="",
    )
    print(f" {'total':>8} {'ratio':>6}")
    total = {spec: sum(times[spec] for times in found.values()) for spec in specs}
    for spec in sorted(specs, key=total.__getitem__):
        row = " ".join(f"{times[spec] * 1000:7.1f}" for times in found.values())
        print(f"{spec:18} {row} {total[spec] * 1000:8.1f} {total[spec] / total['hybrid']:6.2f}")


def main() -> None:
    """Print a line a puzzle, then a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="the folder of real puzzles")
    parser.add_argument("--peers", action="store_true", help="compare with the solvers of others that are installed")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=CMD", help="another one: 'cmd {file}'")
    options = parser.parse_args()
    data = options.data
    print(f"crosslit {__version__}, Python {platform.python_version()}, numpy {np.__version__},", end=" ")
    print(f"python-sat {version('python-sat')}, {platform.machine()}, {sys.platform}")
    if options.peers or options.peer:
        compare_with_peers(data, options.peer, run_apart)
        return
    line_beside_sat(data)
    hybrid_beside_sat(data)


if __name__ == "__main__":
    main()
