"""The time in which commands without options decide Lights Out boards, and what confirms the answers.

Run it with ``python -m benchmarks.default_backends [--boards N]``. For each size and rule it draws random boards, about
half of them unsolvable if there are such, and gives the longest time of a command by the clock and of its processors,
and how many verdicts of `compare` name an engine, native solvers only, or nothing. The longest time by the
clock should be below 5 s on a machine that has nothing else to do.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.commands import command_seconds, compiled
from crosslit import Grid, LightsOut
from crosslit.contract.family import random_grid
from crosslit.kinds.lights_out.rules import PATTERNS

BOARDS = ((20, "plus", "none"), (30, "plus", "none"), (50, "plus", "none"), (20, "plus", "torus"))
LARGE = ((50, "plus", "torus"), (30, "king", "none"))
COMMANDS = (["compare"], ["count", "--check"], ["enumerate", "--check", "--limit", "1000"], ["stats"])
CROSSLIT = [sys.executable, "-m", "crosslit"]


def drawn(size: int, pattern: str, wrap: str, count: int) -> Iterator[str]:
    """Random boards; every other one is solvable for sure, and most of the others are not, if any can be so."""
    rng = random.Random(size)
    for number in range(count):
        grid = random_grid(rng, size, size)
        board = LightsOut(grid if number % 2 else Grid.from_bits(size, size, 0), PATTERNS[pattern], wrap)
        yield (board if number % 2 else board.pressed(grid)).text


def by(board: str) -> str:
    """Who agrees on a board by `compare`."""
    done = subprocess.run([*CROSSLIT, "compare", board, "--json"], capture_output=True, text=True)
    comparison = json.loads(done.stdout)
    encoded = {run["backend"] for run in comparison["runs"] if run["encoding"]}
    if comparison["verdict"]["evidence"] != "agreed":
        return comparison["verdict"]["evidence"]
    return "agreed by an engine" if encoded & {*comparison["verdict"]["by"]} else "agreed by native solvers"


def main() -> None:
    """Print a row for each size and rule."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--boards", type=int, default=20, help="boards of each size")
    count = parser.parse_args().boards
    with tempfile.TemporaryDirectory() as folder:
        environment = compiled(folder)
        for rules in (*BOARDS, *LARGE):
            boards = [*drawn(*rules, count if rules in BOARDS else 2)]
            print(f"{rules[0]} x {rules[0]}, press={rules[1]}, wrap={rules[2]}: {dict(Counter(map(by, boards)))}")
            for words in COMMANDS:
                times = []
                for board in boards:
                    path = Path(folder, "board.txt")
                    path.write_text(board + "\n", encoding="utf-8")
                    times.append(command_seconds([*CROSSLIT, *words, str(path)], environment))
                clock, processor = map(max, zip(*times, strict=True))
                print(
                    f"  {' '.join(words):32} {clock:5.1f} s by the clock, {processor:5.1f} s of processors", flush=True
                )


if __name__ == "__main__":
    main()
