"""How many solutions a second: boards with large kernels, stage by stage, and nonograms by native and SAT backends.

Run it with ``python benchmarks/enumeration.py``. A board's solutions are made in batches; every one of them is checked
by the rules (`crosslit.puzzles.many`), and that they ascend; then they are rendered, in memory. The last figures of a
board are the command itself, its start included, writing to a temporary file. Nonograms are enumerated in this process,
each solution by the backend alone, up to a number of them or some seconds: the time of the last thousand beside that
of the first shows the slowdown. The machine's load is not controlled: compare figures of one run.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from crosslit import Grid, LightsOut, Nonogram, __version__, load, registry
from crosslit.contract import Task
from crosslit.enumeration import Layout
from crosslit.enumeration.listing import _not_ascending
from crosslit.puzzles.many import first_wrong, record_bytes

SECONDS = 12.0  # for a backend on a nonogram
BACKENDS = ("line", "hybrid", "hybrid:engine=cadical195", "minisat22", "glucose4", "cadical195")


def switches(number: int) -> Nonogram:
    """So many independent parts of two solutions each."""
    size = 5 * number
    cells = [[row // 5 != column // 5 or 4 in (row % 5, column % 5) for column in range(size)] for row in range(size)]
    for at in range(0, size, 5):
        cells[at + 1][at + 1] = cells[at + 2][at + 2] = True
    return Nonogram.of(Grid.from_cells(cells))


def permutations(size: int) -> Nonogram:
    """One cell in every row and column: size! solutions."""
    return load("|".join([",".join(["1"] * size)] * 2))  # type: ignore[return-value]


def per_second(count: int, work: Callable[[], None]) -> str:
    """How many a second, of so many that some work takes."""
    began = time.perf_counter()
    work()
    return f"{count / (time.perf_counter() - began) / 1e6:.2f} million/s"


def board(size: int) -> None:
    """Print the stages of one dark board."""
    puzzle = LightsOut(Grid.from_bits(size, size, 0))
    backend = registry.all_backends()["polynomial"]
    made: list[bytes] = []
    making = time.perf_counter()
    made.extend(backend.batches(puzzle, Task()))  # type: ignore[attr-defined]
    making = time.perf_counter() - making
    width = record_bytes(puzzle)
    count = sum(map(len, made)) // width
    last = [b"", *(batch[-width:] for batch in made)]

    def check() -> None:
        if any(first_wrong(puzzle, batch) is not None for batch in made):
            raise SystemExit("a solution breaks the rules")

    def order() -> None:
        if any(_not_ascending(before, batch, width) is not None for before, batch in zip(last, made, strict=False)):
            raise SystemExit("solutions out of order")

    print(f"{size} x {size}: {count} solutions, made {count / making / 1e6:.2f} million/s,", end=" ")
    print(f"checked by the rules {per_second(count, check)}, order {per_second(count, order)},", end=" ")
    for name in ("text", "jsonl"):
        layout = Layout(puzzle, name)
        print(f"{name} {per_second(count, lambda layout=layout: [layout.render(batch) for batch in made])},", end=" ")  # type: ignore[misc]
    with tempfile.TemporaryDirectory() as folder:
        for name in ("npy", "text"):
            command = [sys.executable, "-m", "crosslit", "enumerate", puzzle.text]
            command += ["-o", str(Path(folder) / name), "--format", name]

            def run(command: list[str] = command) -> None:
                subprocess.run(command, check=True, stderr=subprocess.DEVNULL)

            print(f"the command to {name} {per_second(count, run)}", end=", " if name == "npy" else "\n")


def nonogram(name: str, puzzle: Nonogram, most: int) -> None:
    """Print a line a backend."""
    for spec in BACKENDS:
        choice = registry.select_one(spec, puzzle)
        task = Task(encoding=choice.encoding, options=choice.options)
        marks = []
        began = time.process_time()
        found = 0
        with closing(choice.backend.solutions(puzzle, task)) as solutions:  # type: ignore[attr-defined]
            for _ in solutions:
                found += 1
                if found % 1000 == 0:
                    marks.append(time.process_time() - began)
                    if found >= most or marks[-1] > SECONDS:
                        break
        took = time.process_time() - began
        slower = (marks[-1] - marks[-2]) / marks[0] if len(marks) > 1 else 1.0
        print(
            f"{name}, {spec}: {found} solutions in {took:.2f} s CPU, {found / took:.0f} a second;"
            f" the last thousand took {slower:.1f} times as long as the first"
        )


def main() -> None:
    """Print a line a board, then those of the nonograms."""
    import numpy

    versions = f"Python {platform.python_version()}, numpy {numpy.__version__}"
    print(f"crosslit {__version__}, {versions}, {platform.machine()}, {sys.platform}")
    for size in (19, 30):
        board(size)
    nonogram("7 x 7 permutations", permutations(7), 5040)
    nonogram("8 x 8 permutations", permutations(8), 40320)
    nonogram("10 switches", switches(10), 1024)
    nonogram("20 switches", switches(20), 100_000)


if __name__ == "__main__":
    main()
