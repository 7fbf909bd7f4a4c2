"""The near-linear method for Lights Out, compared with two bare chases of the same board and with elimination.

Run it with ``python -m benchmarks.lights_out``. A solve covers the backend's work from the board to its first solution;
every solution is verified by pressing. Boards are random, solvable, and in one of two forms: *rows*, one integer each,
as from `Grid.from_text`, or *bytes*, as from `Grid` itself and `Grid.from_bits`. `crosslit.solve` also checks the
solution against the rules. Times are CPU time. Ratios are between medians of alternating measurements in one run; the
machine's load is not controlled. Only the whole command reads a file, a temporary one.
"""

from __future__ import annotations

import itertools
import os
import platform
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from crosslit_generate.lights_out import nullity

import crosslit
from benchmarks.commands import command_seconds, compiled
from crosslit import Grid, LightsOut, __version__
from crosslit.algebra import boards
from crosslit.algebra.boards import BoardSystem
from crosslit.algebra.chase import chase
from crosslit.contract import Task
from crosslit.kinds.lights_out.rules import NEIGHBOURS, PLUS, Offset, Wrap
from crosslit.registry import all_backends

SIZES = {1000: 9, 3000: 9, 10_000: 11, 20_000: 11}  # rows: rounds
ELIMINATION = 3000  # the largest board for `chase`: it takes seconds
LARGEST = 20_000
TORI = (60, 100, 120)
COMMANDS = (5, 1000, 10_000)


def seconds(work: Callable[..., object], *arguments: object) -> float:
    """How much processor time a call takes."""
    began = time.process_time()
    work(*arguments)
    return time.process_time() - began


def shifts_and_xors(lit: list[int]) -> None:
    """For each row as many operations on integers of its length as a chase takes, without a mask or a result."""
    above = lit[-1]
    for row in lit:
        row << 1
        row >> 1
        row ^ above
        row ^ above
        row ^ above
        row ^ above
        above = row


def nullities(limit: int, wrap: Wrap = "none") -> list[int]:
    """Of all square boards up to a size."""
    return [nullity(size, size, wrap=wrap) for size in range(1, limit + 1)]


def solved(name: str, board: LightsOut) -> Grid:
    """The first solution by a backend."""
    solutions = all_backends()[name].solutions(board, Task())
    grid = next(solutions)
    solutions.close()
    return grid


def random_board(rows: int, pattern: tuple[Offset, ...], form: str) -> LightsOut:
    """A board of about so many columns, as many that every board of the size is solvable."""
    columns = rows
    while nullity(rows, columns, pattern):
        columns += 1
    rng = random.Random(1)
    lit = Grid.from_rows([rng.getrandbits(columns) for _ in range(rows)], columns)
    return LightsOut(lit if form == "rows" else Grid(rows, columns, lit.packed), pattern)


def verified(board: LightsOut, solution: Grid) -> None:
    """End here unless the solution is one."""
    if any(board.violations(solution)):
        raise SystemExit(f"the solution of the {board.rows} x {board.columns} board is wrong")


def compare_with_chases(rows: int, rounds: int, rule: str, pattern: tuple[Offset, ...]) -> None:
    """Print how long a board in both forms takes, as a ratio to two bare chases."""
    boards = {form: random_board(rows, pattern, form) for form in ("rows", "bytes")}
    board = boards["rows"]
    lit, columns, stay = board.lit.row_bits(), board.columns, (0, 0) in pattern
    took: dict[str, list[float]] = defaultdict(list)
    for each in boards.values():
        verified(each, solved("polynomial", each))
    calls: list[tuple[str, Callable[..., object], tuple[object, ...]]] = [
        *((form, solved, ("polynomial", each)) for form, each in boards.items()),
        *2 * [("chase", chase, (lit, 0, columns, stay))],
        ("operations", shifts_and_xors, (lit,)),
        *((f"checked {form}", crosslit.solve, (boards[form], "polynomial")) for form in ("rows", "bytes")),
    ]
    rng = random.Random(2)
    for _ in range(rounds):
        rng.shuffle(calls)  # so that load and memory state affect all calls equally
        for what, work, arguments in calls:
            took[what].append(seconds(work, *arguments))
    median = {what: statistics.median(times) for what, times in took.items()}
    chases = 2 * median["chase"]
    print(
        f"{rows} x {columns} {rule}: polynomial {median['rows']:.4f} s, {median['rows'] / chases:.2f} x two chases"
        f" (of bytes {median['bytes'] / chases:.2f} x);"
        f" crosslit.solve {median['checked rows'] / chases:.2f} x (of bytes {median['checked bytes'] / chases:.2f} x);"
        f" a chase {median['chase']:.4f} s, {median['chase'] / median['operations']:.2f} x its shifts and XORs",
        flush=True,
    )
    if rows <= ELIMINATION:
        elimination = seconds(solved, "chase", board)
        print(f"    by elimination (chase) {elimination:.2f} s, {elimination / median['rows']:.0f} x polynomial")


def enumerate_many(rule: str, pattern: tuple[Offset, ...]) -> None:
    """Print what the solutions after the first cost where there are very many."""
    board = LightsOut(Grid.from_bits(639, 639, 0), pattern)
    solutions = all_backends()["polynomial"].solutions(board, Task())
    first = seconds(next, solutions)
    found = list(itertools.islice(solutions, 63))  # six vectors of the kernel are made
    one, other = found[0].bits, found[1].bits
    further = statistics.median(seconds(next, solutions) for _ in range(101))
    xor = statistics.median(seconds(int.__xor__, one, other) for _ in range(101))
    packing = statistics.median(seconds(Grid.from_bits, 639, 639, one) for _ in range(101))
    exponent = nullity(639, 639, pattern)
    print(
        f"639 x 639 {rule}, 2^{exponent} solutions: the first after {1e3 * first:.1f} ms, further ones"
        f" {1e6 * further:.0f} us each (an XOR {1e6 * xor:.0f} us, packing it into bytes {1e6 * packing:.0f} us)"
    )


def first_of(board: LightsOut) -> int | None:
    """The first solution by elimination."""
    return BoardSystem(board).particular()


def eliminate_tori() -> None:
    """Print how long elimination takes on a torus, as a ratio to the same equations kept in a band."""
    for size in TORI:
        board = LightsOut(Grid.from_bits(size, size, 0), wrap="torus")
        board = board.pressed(Grid.from_bits(size, size, random.Random(1).getrandbits(size * size)))
        took: dict[int, list[float]] = {0: [], boards._MAX_MISSING: []}  # the banded form is for missing cells
        for _ in range(5):
            for most, times in took.items():
                boards._MAX_MISSING = most or -1
                times.append(seconds(first_of, board))
        band, now = map(statistics.median, took.values())
        print(f"torus {size} x {size}: gauss {now:.3f} s to the first solution, {now / band:.2f} x a band", flush=True)


def solve_whole() -> None:
    """Print the CPU time and the memory of whole commands, as a ratio to one about a tiny board."""
    with tempfile.TemporaryDirectory() as folder:
        used: dict[int, list[float]] = {size: [] for size in COMMANDS}
        for size in COMMANDS:
            board = LightsOut(Grid.from_rows([random.Random(row).getrandbits(size) for row in range(size)], size))
            Path(folder, f"{size}.board").write_text("\n".join(board.lines), encoding="utf-8")
        environment = compiled(str(Path(folder, "compiled")))
        for size in [COMMANDS[0], *3 * COMMANDS]:  # the first one compiles
            words = [sys.executable, "-m", "crosslit", "solve", str(Path(folder, f"{size}.board"))]
            used[size].append(command_seconds(words, environment)[1])
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    del used[COMMANDS[0]][0]
    tiny = statistics.median(used[COMMANDS[0]])
    for size, times in used.items():
        cpu = statistics.median(times)
        print(f"crosslit solve, {size} x {size}: {cpu:.2f} s of CPU time, {cpu / tiny:.1f} x the smallest")
    print(f"at most {peak} MB resident in one process of these commands", flush=True)


def use_memory(form: str) -> None:
    """Make, solve and verify the largest board, and print the peak of resident memory of this process."""
    board = random_board(LARGEST, PLUS, form)
    verified(board, solved("polynomial", board))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "linux" else 1 << 30)
    print(f"{board.rows} x {board.columns} of {form}, made, solved and verified: at most {peak:.2f} GiB resident")


def main() -> None:
    """Print a line or two for everything measured; commands first, while no child of this process is larger."""
    print(
        f"crosslit {__version__}, Python {platform.python_version()}, {platform.machine()}, {sys.platform},"
        f" {os.cpu_count()} processors"
    )
    solve_whole()
    eliminate_tori()
    for rows, rounds in SIZES.items():
        for rule, pattern in (("plus", PLUS), ("neighbours", NEIGHBOURS)):
            compare_with_chases(rows, rounds, rule, pattern)
    for rule, pattern in (("plus", PLUS), ("neighbours", NEIGHBOURS)):
        enumerate_many(rule, pattern)
    for limit in (500, 2000):
        print(f"nullity of all squares up to {limit}: {seconds(nullities, limit):.2f} s")
    print(f"nullity of all square tori up to 400: {seconds(nullities, 400, 'torus'):.2f} s")
    print(f"nullity of {LARGEST} x {LARGEST}: {seconds(nullity, LARGEST, LARGEST):.4f} s", flush=True)
    for form in ("rows", "bytes"):  # in separate processes, because this one has already reached its peak memory
        subprocess.run([sys.executable, "-m", "benchmarks.lights_out", form], check=True)


if __name__ == "__main__":
    use_memory(sys.argv[1]) if len(sys.argv) > 1 else main()
