"""A comparison of model engines with brute force, on random small puzzles.

    python -m benchmarks.agreement [--puzzles N] [SPEC ...]

Each engine finds all solutions of N boards and N nonograms with up to 12 cells, and the fewest presses of the boards.
Half of the boards have random rules, and a third of the nonograms have the columns of another picture, so that most of
these have no solution. By default, the engines are all installed ones of the group ``engines``, and SCIP with its
faulty presolve. The exit status is 1 if any engine but this SCIP is wrong or gives up.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator

from crosslit_verify.contract_checks import by_rules

from crosslit import Nonogram
from crosslit.base.errors import CrosslitError, GaveUp
from crosslit.contract import Task
from crosslit.kinds import Puzzle
from crosslit.kinds.lights_out.families import random_board, random_rules
from crosslit.kinds.nonogram.families import random_nonogram
from crosslit.registry import Choice, select
from crosslit.runs.drive import drive

FAULTY = "scip:presolpairwise=1"
UNDECIDED = "gave up: "


def puzzles(count: int) -> Iterator[list[Puzzle]]:
    """Yield the boards, then the nonograms, each with the smallest first."""
    rng = random.Random(1)
    shapes = [(rows, columns) for rows in range(1, 5) for columns in range(1, 13) if rows * columns <= 12]
    sizes = sorted((rng.choice(shapes) for _ in range(count)), key=lambda shape: shape[0] * shape[1])
    yield [(random_rules if number % 2 else random_board)(rng, *shape) for number, shape in enumerate(sizes)]
    yield [_nonogram(rng, *shape, mixed=number % 3 == 0) for number, shape in enumerate(sizes)]


def _nonogram(rng: random.Random, rows: int, columns: int, mixed: bool) -> Nonogram:
    one, other = (random_nonogram(rng, rows, columns) for _ in range(2))
    return Nonogram(one.row_clues, other.column_clues) if mixed else one


def complaint(choice: Choice, puzzle: Puzzle) -> str | None:
    """Return the first answer that is wrong or missing, in words; None if all are right."""
    truth = by_rules(puzzle).solutions
    try:
        found = list(drive(choice.backend, puzzle, Task("solutions", None, choice.encoding, choice.options)))
        if len(found) != len(truth) or {*found} != truth:
            wrong = [grid.text for grid in found if grid not in truth][:1]
            return f"{len(found)} solutions of {len(truth)}{'; no solution: ' if wrong else ''}{''.join(wrong)}"
        if puzzle.kind == "lights-out":
            better = list(drive(choice.backend, puzzle, Task("fewest", None, choice.encoding, choice.options)))
            best, least = [grid.count() for grid in better[-1:]], [*sorted(grid.count() for grid in truth)[:1]]
            if best != least or not {*better} <= truth:
                return f"fewest presses {best}, not {least}"
    except GaveUp as error:
        return f"{UNDECIDED}{error}"
    except CrosslitError as error:
        return f"{type(error).__name__}: {error}"
    return None


def main() -> int:
    """Print a line for each engine and kind: wrong and missing answers, the first of them, and seconds of wall time."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--puzzles", type=int, default=500, metavar="N", help="of each kind (default 500)")
    parser.add_argument("specs", nargs="*", metavar="SPEC", default=["engines", FAULTY])
    arguments = parser.parse_args()
    status = 0
    for some in puzzles(arguments.puzzles):
        without = sum(not by_rules(puzzle).solutions for puzzle in some)
        print(f"{len(some)} {some[0].kind} puzzles, {without} without a solution", flush=True)
        for choice in select(arguments.specs, some[0]):
            if choice.refusal:
                print(f"  {choice.spec:36} {choice.refusal}")
                continue
            began = time.perf_counter()
            words = {puzzle.text: text for puzzle in some if (text := complaint(choice, puzzle))}
            wrong = {puzzle: text for puzzle, text in words.items() if not text.startswith(UNDECIDED)}
            counts = f"{len(wrong)} wrong, {len(words) - len(wrong)} undecided"
            first = "".join(f"; {puzzle}: {text}" for puzzle, text in [*wrong.items(), *words.items()][:1])
            print(f"  {choice.spec:36} {counts}{first}; {time.perf_counter() - began:.0f} s", flush=True)
            status |= bool(words) and not choice.spec.endswith(FAULTY.partition(":")[2])
    return status


if __name__ == "__main__":
    raise SystemExit(main())
