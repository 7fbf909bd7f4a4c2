"""The largest nonograms whose solutions can be counted: `frontier`, `ganak`, and enumeration by `line`.

Every run has a separate process. `python benchmarks/counting.py [--seconds 20] [--memory 4096] [GROUP...]`.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

from crosslit import Grid, Limits, Nonogram, registry
from crosslit.contract.run import Run
from crosslit.runs.job import Job, Solve
from crosslit.runs.runner import Runner

TAAI = Path(__file__).parents[2] / "shared" / "data" / "taai" / "taai-2011-first-100.txt"


def random_pictures() -> Iterator[tuple[str, Nonogram]]:
    """Three pictures of each size and density."""
    rng = random.Random(1)
    for size in (8, 10, 12, 15, 20):
        for density in (0.3, 0.4, 0.5, 0.7):
            for number in range(3):
                cells = [[rng.random() < density for _ in range(size)] for _ in range(size)]
                yield f"{size} x {size}, density {density}, {number + 1}", Nonogram.of(Grid.from_cells(cells))


def permutations() -> Iterator[tuple[str, Nonogram]]:
    """All clues 1: n! solutions."""
    for size in (8, 10, 12, 16, 20, 24):
        yield f"{size}!", Nonogram([[1]] * size, [[1]] * size)


def switches() -> Iterator[tuple[str, Nonogram]]:
    """Squares with two solutions each, apart from each other: on the diagonal, and as a chequered frame."""
    for number in (10, 41, 100):
        sides = range(4 * number)
        lit = [[r // 4 != c // 4 or (r % 4 == c % 4 and r % 4 in (1, 2)) for c in sides] for r in sides]
        yield f"{number} switches on a diagonal", Nonogram.of(Grid.from_cells(lit))
    for number in (3, 7, 15):
        sides = range(5 * number + 1)
        lit = [[r % 5 == 0 or c % 5 == 0 or (r % 5 == c % 5 and r % 5 in (2, 3)) for c in sides] for r in sides]
        yield f"{number} x {number} framed switches", Nonogram.of(Grid.from_cells(lit))


def taai() -> Iterator[tuple[str, Nonogram]]:
    """The first puzzles of the TAAI tournament of 2011, 25 x 25, columns first."""
    for block in TAAI.read_text(encoding="utf-8").split("$")[1:31]:
        number, *lines = block.split("\n")
        clues = [[int(word) for word in line.split()] for line in lines[:50]]
        yield f"TAAI {number}", Nonogram(clues[25:], clues[:25])


GROUPS = {"random": random_pictures, "permutations": permutations, "switches": switches, "taai": taai}


def told(run: Run) -> str:
    """The count, or how the run ended, with its time, memory and states."""
    number = len(run.grids) if run.counted is None else run.counted
    what = f"{number}" if run.status == "complete" else run.status
    states = f", {run.stats['states']} states" if "states" in run.stats else ""
    return f"{what} in {run.timing.total:.2f} s, {run.memory_mb:.0f} MB{states}"


def main() -> None:
    """Print a table of each group."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--memory", type=int, default=4096)
    parser.add_argument("groups", nargs="*", default=["permutations", "switches", "random", "taai"])
    asked = parser.parse_args()
    with Runner(Limits(None, asked.seconds, asked.memory)) as runner:
        for group in asked.groups:
            for name, puzzle in GROUPS[group]():
                jobs = [
                    Job(choice=choice, puzzle=puzzle, request=Solve(question="count"))
                    for choice in registry.select("frontier,ganak", puzzle, "count")
                ]
                jobs += [Job(choice=choice, puzzle=puzzle) for choice in registry.select("line", puzzle)]
                runs = [run for _, run in runner.runs(jobs)]
                print(f"{name}: " + "; ".join(f"{run.backend} {told(run)}" for run in runs), flush=True)
                numbers = {
                    run.counted if run.counted is not None else len(run.grids)
                    for run in runs
                    if run.status == "complete"
                }
                assert len(numbers) < 2, numbers


if __name__ == "__main__":
    main()
