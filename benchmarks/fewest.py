"""Fewest presses by the Walsh-Hadamard transform, compared with a plain loop of butterflies over the whole histogram.

Run it with ``python benchmarks/fewest.py``, or with nullities as arguments. Every search runs in a separate process,
which reports its peak memory. All lights of the board are on, and the solution is verified by pressing. The plain loop
runs in the same process, after the search. The machine's load is not controlled. No file is read or written.
"""

from __future__ import annotations

import multiprocessing
import platform
import resource
import sys
import time

import numpy as np
from crosslit_backends.lights_out import minimum
from crosslit_backends.lights_out.minimum import descend, lightest
from crosslit_backends.lights_out.polynomial import solve_polynomially

from crosslit import Grid, LightsOut, __version__
from crosslit.algebra.chase import chase
from crosslit.algebra.gf2 import connected

BOARDS = {16: (19, 19), 20: (30, 30), 24: (62, 62), 26: (119, 59), 28: (64, 64), 30: (47, 47), 32: (39, 39)}
PLAIN = 24  # the largest nullity for the plain loop, which needs several arrays of 2^nullity 32-bit numbers


def solved(rows: int, columns: int) -> tuple[int, list[int]]:
    """A solution of the board that is all lit, and a basis of its quiet patterns, as bits in row-major order."""

    def presses(row: int, lights: list[int]) -> int:
        return sum(row << number * columns for number, row in enumerate(chase(lights, row, columns)[0]))

    lights = [(1 << columns) - 1] * rows
    first, kernel = solve_polynomially(rows, columns, chase(lights, 0, columns)[1])
    if first is None:
        raise SystemExit("boards that are all lit are solvable")
    return presses(first, lights), [presses(row, [0] * rows) for row in kernel]


def plain(start: int, basis: list[int]) -> int:
    """The least weight by one loop of butterflies in 32 bits, as anyone would write it."""
    columns, weights = minimum._histogram(start, basis)
    values = np.zeros(1 << len(basis), np.int32)
    values[columns] = weights
    for bit in range(len(basis)):
        pairs = values.reshape(-1, 2, 1 << bit)
        difference = pairs[:, 0] - pairs[:, 1]
        pairs[:, 0] += pairs[:, 1]
        pairs[:, 1] = difference
    cells = minimum.union(basis)
    return (start & ~cells).bit_count() + (cells.bit_count() - int(values.max())) // 2


def megabytes() -> float:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(nullity: int) -> None:
    """Print a line for the board of a nullity."""
    rows, columns = BOARDS[nullity]
    start, basis = solved(rows, columns)
    if [len(part) for part in connected(basis)] != [nullity]:
        raise SystemExit(f"the {rows} x {columns} board has another nullity than {nullity}, or falls apart")
    before = megabytes()
    began = time.perf_counter()
    found = [(element, time.perf_counter() - began) for element in lightest(start, basis)]
    took = time.perf_counter() - began
    memory = megabytes()
    best, last = found[-1]
    if any(
        LightsOut(Grid.from_bits(rows, columns, (1 << rows * columns) - 1)).violations(
            Grid.from_bits(rows, columns, best)
        )
    ):
        raise SystemExit(f"the solution of the {rows} x {columns} board is wrong")
    *_, near = descend(start, basis)
    *_, nearer = descend(start, basis, window=16)
    print(
        f"nullity {nullity}, {rows} x {columns}: {best.bit_count()} presses in {took:.4f} s"
        f" ({took / 2**nullity * 1e9:.2f} ns * 2^nullity), found after {last:.4f} s;"
        f" {memory:.0f} MB, {memory - before:.0f} MB more than before;"
        f" descent alone {near.bit_count()}, with windows {nearer.bit_count()}",
        end="",
    )
    if nullity <= PLAIN:
        began = time.perf_counter()
        if plain(start, basis) != best.bit_count():
            raise SystemExit("the plain loop finds another weight")
        loop = time.perf_counter() - began
        print(f"; plain loop {loop:.4f} s, {loop / took:.1f} x as long, {megabytes():.0f} MB", end="")
    print(flush=True)


def main() -> None:
    """Print a line for each nullity."""
    versions = f"Python {platform.python_version()}, numpy {np.__version__}"
    print(f"crosslit {__version__}, {versions}, {platform.machine()}, {sys.platform}")
    processes = multiprocessing.get_context("spawn")
    for nullity in map(int, sys.argv[1:] or map(str, BOARDS)):
        run = processes.Process(target=measured, args=(nullity,))
        run.start()
        run.join()
        if run.exitcode:
            raise SystemExit(run.exitcode)


if __name__ == "__main__":
    main()
