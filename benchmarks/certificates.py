"""The cost of certificates: time to make and check them, and their size, relative to solving the same board.

Everything runs in one process. Run it with ``python benchmarks/certificates.py``; it takes half a minute.
"""

from __future__ import annotations

import random
import time
from itertools import pairwise
from typing import Any

from crosslit import Grid, LightsOut, registry
from crosslit.contract import Certificate, Task
from crosslit.judging.certificates import check
from crosslit.kinds.lights_out.rules import KING

SIZES = (18, 19, 50, 1000, 2000)


def measure(backend: Any, board: LightsOut, what: str) -> None:
    """One line: seconds to solve, and the rest as a ratio to it."""
    moments = [time.perf_counter()]
    first = next(backend.solutions(board, Task()), None)
    moments.append(time.perf_counter())
    made = backend.certify(board, Task(), [] if first is None else [first])
    moments.append(time.perf_counter())
    text = made.text()
    read = Certificate.from_json(text)
    moments.append(time.perf_counter())
    proved = check(board, read)
    moments.append(time.perf_counter())
    solving, making, writing, checking = (after - before for before, after in pairwise(moments))
    count = f"2^{proved.count.bit_length() - 1}" if proved.count else "0"
    print(
        f"{what:<22} {backend.name:<11} {made.format:<22} {count:>5}  solve {solving * 1000:8.2f} ms"
        f"  make x{making / solving:<6.2f} text x{writing / solving:<6.2f} check x{checking / solving:<6.2f}"
        f" ({checking * 1000:.1f} ms)  {len(text):>10,} characters"
    )


def main() -> None:
    """Random boards, made solvable by pressing, or as they are."""
    rng = random.Random(1)
    natives = registry.all_backends()

    def solvable(rows: int, columns: int, **rules: Any) -> LightsOut:
        pressed = Grid.from_bits(rows, columns, rng.getrandbits(rows * columns))
        return LightsOut(Grid.from_bits(rows, columns, 0), **rules).pressed(pressed)

    def lit(rows: int, columns: int, **rules: Any) -> LightsOut:
        return LightsOut(Grid.from_bits(rows, columns, rng.getrandbits(rows * columns)), **rules)

    measure(natives["polynomial"], solvable(10, 10), "(warming up)")
    for size in SIZES:
        measure(natives["polynomial"], solvable(size, size), f"{size} x {size}")
    for size in (19, 50, 999):  # with a nullity above 0, so that random lights have no solution
        measure(natives["polynomial"], lit(size, size), f"{size} x {size}")
    for size in (18, 19, 50, 100):
        measure(natives["gauss"], solvable(size, size), f"{size} x {size}")
    measure(natives["gauss"], lit(19, 19), "19 x 19")
    measure(natives["gauss"], solvable(100, 100, wrap="torus"), "100 x 100 torus")
    measure(natives["gauss"], lit(100, 100, wrap="torus"), "100 x 100 torus")
    measure(natives["gauss"], solvable(100, 100, pattern=KING), "100 x 100 king")


if __name__ == "__main__":
    main()
