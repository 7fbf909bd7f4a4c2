"""The parity wall: unsolvable Lights Out boards with clauses, with parity constraints, and by elimination.

Run it with ``python benchmarks/parity.py [--seconds LIMIT] [--sizes N...]``. Every configuration has to prove that a
board with one lit cell has no solution. Solvable boards show less, because more solutions make it easier to find one.
So every size here has a nullity above 0, which the table shows. A figure is the time of one run in a separate process,
in seconds from encode to decode; ``>`` marks a run that was ended at the limit, after which the configuration does not
run on larger boards.

Compare only figures of one table: the machine's load is not controlled.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys

import crosslit
from crosslit import Grid, LightsOut
from crosslit.registry import select

SIZES = (9, 11, 16, 23, 39)
SPECS = (
    "cadical195/full-direct",
    "cadical195/full-cut3",
    "cadical195/full-cut4",
    "glucose4/full-direct",
    "glucose4/full-cut4",
    "cpsat/xor",
    "cpsat/sum",
    "cpsat/automaton",
    "cryptominisat/full-direct",
    "cryptominisat/full-direct:gauss=0",
    "cryptominisat/full-xor",
    "cadical195/chased-cut3",
    "cadical195/chased-cut4",
    "cadical195/chased-cut5",
    "glucose4/chased-cut4",
    "cpsat/chased",
    "cryptominisat/chased-xor",
    "gauss",
    "chase",
    "polynomial",
)


def unsolvable(size: int) -> LightsOut:
    """A board whose one lit cell, the first of such in row-major order, cannot be put out."""
    for cell in range(size * size):
        board = LightsOut(Grid.from_bits(size, size, 1 << cell))
        if crosslit.solve(board) is None:
            return board
    raise SystemExit(f"every {size} x {size} board has a solution: choose a size of a nullity above 0")


def measured(spec: str, board: LightsOut, limit: float) -> float | None:
    """Seconds of one run; None if it reached the limit.

    Raises:
        SystemExit: if the run ends otherwise than by the claim that there is no solution.
    """
    (run,) = crosslit.compare(board, [spec], timeout=limit).runs
    if run.status == "timeout":
        return None
    if run.status != "complete" or run.grids:
        raise SystemExit(f"{spec} on {board.rows} x {board.columns}: {run.status} {run.error}")
    return run.timing.total


def main() -> None:
    """Print the versions, then a row for every configuration."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20, help="the limit of each run (default 20)")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="of the boards, ascending")
    arguments = parser.parse_args()
    boards = [unsolvable(size) for size in arguments.sizes]
    choices = [select(spec, boards[0])[0] for spec in SPECS]
    versions = sorted({choice.version for choice in choices if not choice.refusal} - {crosslit.__version__})
    print(f"crosslit {crosslit.__version__}, {', '.join(versions)}, Python {platform.python_version()}")
    print(f"{platform.machine()}, {sys.platform}, {os.cpu_count()} processors; limit {arguments.seconds:g} s")
    print(f"{'':34}", *(f"{f'{size} x {size}':>9}" for size in arguments.sizes))
    print(f"{'nullity':34}", *(f"{crosslit.nullity(size, size):9}" for size in arguments.sizes))
    for choice in choices:
        if choice.refusal:
            print(f"{choice.spec:34} {choice.refusal}")
            continue
        print(f"{choice.spec:34}", end="", flush=True)
        for board in boards:
            seconds = measured(choice.spec, board, arguments.seconds)
            print(f" {f'> {arguments.seconds:g}' if seconds is None else f'{seconds:.4f}':>9}", end="", flush=True)
            if seconds is None:
                break
        print()


if __name__ == "__main__":
    main()
