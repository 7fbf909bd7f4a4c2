"""The cost of proof certificates, relative to solving.

Run it with ``python benchmarks/proofs.py [--spec ENGINE/ENCODING]... PUZZLE...``. For every puzzle and solver, CPU
seconds in this process: all solutions; the proof by a new solver; the check of its lemmas by another engine's unit
propagation, also as a ratio to solving; the check that the formula forbids no solution, repeated for every solver. The
first line of a run may include the time of imports.

Compare only figures of one table: the machine's load is not controlled.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager

from crosslit import load
from crosslit.contract import Task
from crosslit.contract.clauses import check_refutation
from crosslit.judging.certificates import check_formula, remake
from crosslit.kinds.nonogram import placements
from crosslit.registry import select_one
from crosslit.runs.job import drive

SPECS = ("glucose4/order", "cadical195/order")
HEADER = (
    f"{'puzzle':<20} {'solver':<20} {'found':>5} {'solve':>7} {'prove':>7} {'lemmas':>7} {'check':>7} {'ratio':>6} "
    f"{'formula':>7}  not shown"
)


class Watch:
    """CPU seconds of what runs within it."""

    seconds = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Measure what runs within."""
        began = time.process_time()
        yield
        self.seconds = time.process_time() - began


def measure(source: str, spec: str) -> str:
    """One line of the table."""
    puzzle = load(source)
    choice = select_one(spec, puzzle)
    solving, proving, checking, narrow = (Watch() for _ in range(4))
    with solving.running():
        solutions = [*drive(choice.backend, puzzle, Task(encoding=choice.encoding, options=choice.options))]
    with proving.running():
        task = Task(encoding=choice.encoding, options=choice.options)
        certificate = choice.backend.certify(puzzle, task, solutions)  # type: ignore[attr-defined]
    remade = remake(puzzle, certificate)
    with checking.running():
        count = check_refutation(remade.clauses, remade.lemmas, remade.variables)
    placements.check_line.cache_clear()
    with narrow.running():
        why_not = check_formula(puzzle, remade.formula)
    ratio = checking.seconds / max(solving.seconds, 1e-4)
    return (
        f"{puzzle.name[:20]:<20} {spec:<20} {len(solutions):>5} {solving.seconds:7.3f} {proving.seconds:7.3f} "
        f"{count:>7} {checking.seconds:7.3f} {ratio:6.2f} {narrow.seconds:7.3f}  {why_not or ''}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spec", action="append", help=f"default: {', '.join(SPECS)}")
    parser.add_argument("puzzles", nargs="+")
    arguments = parser.parse_args()
    print(f"{platform.machine()}, Python {platform.python_version()}; CPU seconds")
    print(HEADER)
    for source in arguments.puzzles:
        for spec in arguments.spec or SPECS:
            print(measure(source, spec), flush=True)


if __name__ == "__main__":
    main()
