"""Solutions per second: boards with large kernels, stage by stage, and nonograms with native and SAT backends.

Run it with ``python -m benchmarks.enumeration``. The solutions of a board are made in batches, checked against the
rules (`crosslit.kinds.batch`) and for ascending order, and rendered in memory, all in CPU time. The last figures of a
board are for the whole command with a temporary file as output: wall time including the start, and the CPU time of all
its processes without the start. Nonograms are enumerated in this process by the backend without any checks, for a few
seconds: the ratio of the times for the last and the first tenth shows the slowdown. SAT solvers that branch after many
solutions are also shown with only blocking clauses. The machine's load is not controlled, so compare only figures of
one run. It takes five minutes at most.
"""

from __future__ import annotations

import platform
import random
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

from crosslit_backends.sat import pysat

from benchmarks.commands import command_seconds, compiled
from crosslit import Grid, LightsOut, Nonogram, __version__, load, registry
from crosslit.contract import Task
from crosslit.kinds.batch import first_wrong, record_bytes
from crosslit.questions.enumerate import ListingFormat
from crosslit.questions.enumerate.lists import not_ascending

SECONDS = 3.5  # time for a backend on a nonogram
STEP = 100  # solutions between readings of the clock
BACKENDS = ("line", "hybrid", "hybrid:engine=cadical195", "minisat22", "glucose4", "cadical195")
BLOCKING = ("minisat22", "glucose4")


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


def thin(size: int, seed: int) -> Nonogram:
    """A random picture with one cell in five filled."""
    rng = random.Random(seed)
    return Nonogram.of(Grid.from_cells([[rng.random() < 0.2 for _ in range(size)] for _ in range(size)]))


def per_second(count: int, work: Callable[[], None]) -> str:
    """How many a second of processor time, of so many that some work takes."""
    began = time.process_time()
    work()
    return f"{count / (time.process_time() - began) / 1e6:.2f} million/s"


def board(size: int) -> None:
    """Print the stages of one dark board."""
    puzzle = LightsOut(Grid.from_bits(size, size, 0))
    backend = registry.all_backends()["polynomial"]
    made: list[bytes] = []
    making = time.process_time()
    made.extend(backend.batches(puzzle, Task()))  # type: ignore[attr-defined]
    making = time.process_time() - making
    width = record_bytes(puzzle)
    count = sum(map(len, made)) // width
    last = [b"", *(batch[-width:] for batch in made)]

    def check() -> None:
        if any(first_wrong(puzzle, batch) is not None for batch in made):
            raise SystemExit("a solution breaks the rules")

    def order() -> None:
        pairs = zip(last, made, strict=False)
        if any(not_ascending(before, batch, puzzle.layout) is not None for before, batch in pairs):
            raise SystemExit("solutions out of order")

    print(f"{size} x {size}: {count} solutions, made {count / making / 1e6:.2f} million/s,", end=" ")
    print(f"checked by the rules {per_second(count, check)}, order {per_second(count, order)},", end=" ")

    def render(records: ListingFormat) -> None:
        for batch in made:
            records.render(batch)

    for name in ("text", "jsonl"):
        print(f"{name} {per_second(count, partial(render, ListingFormat(puzzle, name)))},", end=" ")
    with tempfile.TemporaryDirectory() as folder:
        listing_seconds(puzzle, folder, "first", "--limit", "16", "--to", "text")  # compiles
        clock, start = listing_seconds(puzzle, folder, "start", "--limit", "16", "--to", "text")
        print(f"the command's start {clock:.2f} s, {start:.2f} s CPU")
        for name in ("jsonl", "text"):
            clock, took = listing_seconds(puzzle, folder, name, "--to", name)
            rate = f"{count / (took - start) / 1e6:.2f}" if took > 1.2 * start else "-"
            print(f"  to {name} {count / clock / 1e6:.2f} million/s, beyond its start {rate} million/s CPU")


def listing_seconds(puzzle: LightsOut, folder: str, name: str, *options: str) -> tuple[float, float]:
    """How long the command takes: by the clock, and processor time of all its processes."""
    words = [sys.executable, "-m", "crosslit", "enumerate", puzzle.text, "-o", str(Path(folder) / name), *options]
    return command_seconds(words, compiled(str(Path(folder) / "compiled")))


def nonogram(name: str, puzzle: Nonogram) -> None:
    """Print a line a backend."""
    for spec in BACKENDS:
        row(name, puzzle, spec)
        if spec in BLOCKING:
            usual, pysat.BLOCKED = pysat.BLOCKED, sys.maxsize
            row(name, puzzle, spec, ", only blocking clauses")
            pysat.BLOCKED = usual


def row(name: str, puzzle: Nonogram, spec: str, note: str = "") -> None:
    """Enumerate for some seconds, and print how it went."""
    choice = registry.select_one(spec, puzzle)
    task = Task(encoding=choice.encoding, options=choice.options)
    marks: list[float] = []
    began, clock = time.process_time(), time.perf_counter()
    found, all_found = 0, True
    with closing(choice.backend.solutions(puzzle, task)) as solutions:  # type: ignore[attr-defined]
        for _ in solutions:
            found += 1
            if found % STEP == 0:
                marks.append(time.process_time() - began)
                if time.perf_counter() - clock > SECONDS:
                    all_found = False
                    break
    took = time.process_time() - began
    tenth = len(marks) // 10
    slower = f"{(marks[-1] - marks[-1 - tenth]) / (marks[tenth] - marks[0]):.1f}" if tenth else "-"
    print(
        f"{name}, {spec}{note}: {'all ' if all_found else ''}{found} in {took:.2f} s CPU, {found / took:.0f} a second,"
        f" last tenth / first {slower}",
        flush=True,
    )


def main() -> None:
    """Print a line a board, then those of the nonograms."""
    import numpy

    versions = f"Python {platform.python_version()}, numpy {numpy.__version__}"
    print(f"crosslit {__version__}, {versions}, {platform.machine()}, {sys.platform}")
    for size in (19, 30):
        board(size)
    for size in (7, 8, 9):
        nonogram(f"{size} x {size} permutations", permutations(size))
    for number in (10, 17, 20):
        nonogram(f"{number} switches", switches(number))
    nonogram("thin 12 x 12", thin(12, 3))


if __name__ == "__main__":
    main()
