"""The near-linear method for Lights Out beside two bare chases of the same board, and beside elimination.

Run it with ``python benchmarks/lights_out.py``. Every solution is verified by pressing. Ratios are of medians of what
was measured in turn in one run; the machine's load is not controlled. Nothing here reads or writes a file.
"""

from __future__ import annotations

import platform
import random
import statistics
import sys
import time
from collections.abc import Callable

from crosslit import Grid, LightsOut, __version__
from crosslit.contract import Task
from crosslit.gf2 import chase, nullity
from crosslit.registry import all_backends

SIZES = {1000: 9, 3000: 9, 10_000: 5, 20_000: 3}  # board: rounds
ELIMINATION = 3000  # the largest board for `chase`: it takes seconds


def seconds(work: Callable[..., object], *arguments: object) -> float:
    """How long a call takes."""
    began = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - began


def nullities(limit: int) -> list[int]:
    """Of all square boards up to a size."""
    return [nullity(size, size) for size in range(1, limit + 1)]


def solved(name: str, board: LightsOut) -> Grid:
    """The first solution by a backend."""
    solutions = all_backends()[name].solutions(board, Task())
    grid = next(solutions)
    solutions.close()
    return grid


def main() -> None:
    """Print a line a size."""
    print(f"crosslit {__version__}, Python {platform.python_version()}, {platform.machine()}, {sys.platform}")
    rng = random.Random(1)
    for size, rounds in SIZES.items():
        while nullity(size, size):  # so that every board is solvable
            size += 1
        board = LightsOut(Grid.from_rows([rng.getrandbits(size) for _ in range(size)], size))
        lit = board.lit.row_bits()
        solution = solved("polynomial", board)
        if any(board.violations(solution)):
            raise SystemExit(f"the solution of the {size} x {size} board is wrong")
        solving, chasing = [], []
        for _ in range(rounds):  # in turn, so that both see the same machine
            solving.append(seconds(solved, "polynomial", board))
            chasing.append(seconds(chase, lit, 0, size) + seconds(chase, lit, 0, size))
        solve, chases = statistics.median(solving), statistics.median(chasing)
        print(f"{size} x {size}: polynomial {solve:.4f} s, {solve / chases:.2f} x two chases ({chases:.4f} s)", end="")
        if size <= ELIMINATION + 10:
            elimination = seconds(solved, "chase", board)
            print(f"; chase {elimination:.2f} s, {elimination / solve:.0f} x polynomial", end="")
        print(flush=True)
    for limit in (500, 2000):
        took = seconds(nullities, limit)
        print(f"nullity of all squares up to {limit}: {took:.2f} s")
    print(f"nullity of 20,000 x 20,000: {seconds(lambda: nullity(20_000, 20_000)):.4f} s")


if __name__ == "__main__":
    main()
