"""The sizes of counterexamples after our own shrinking and after Hypothesis's, from the same failing puzzles.

Run it with ``python -m benchmarks.shrinking`` in the project's folder. Hypothesis draws a size and a grid (for a
nonogram, the picture, so that all are solvable) and shrinks them; ours starts from the first puzzle on which Hypothesis
found the solver wrong. The solvers are all members of the zoo that fail on solvable puzzles.
"""

from __future__ import annotations

import time
from typing import Any

from crosslit_verify import SolverAnswer
from crosslit_verify.judging import judge
from crosslit_verify.reference import Oracle
from crosslit_verify.shrinking import shrink
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from crosslit import Grid, LightsOut, Nonogram
from tests.verify.zoo import boards, nonograms

SOLVERS: list[tuple[Any, str]] = [
    (boards.contiguous_first_rows, "one"),
    (boards.above_8x8, "one"),
    (boards.first_quiet_pattern, "all"),
    (boards.nullity_above_4, "all"),
    (nonograms.last_block_short, "one"),
    (nonograms.two_blocks_at_most, "one"),
    (nonograms.cap_on_rounds, "one"),
    (nonograms.at_most_five, "all"),
]


@st.composite
def puzzles(draw: Any, kind: str) -> Any:
    """Boards, or nonograms of pictures, up to 10 x 10."""
    rows, columns = draw(st.integers(1, 10)), draw(st.integers(1, 10))
    lines = draw(st.lists(st.integers(0, (1 << columns) - 1), min_size=rows, max_size=rows))
    grid = Grid.from_rows(lines, columns)
    return LightsOut(grid) if kind == LightsOut.kind else Nonogram.of(grid)


def main() -> None:
    """Print a line a solver."""
    oracle = Oracle()
    for solver, claims in SOLVERS:
        kind = LightsOut.kind if solver.__module__.endswith("boards") else Nonogram.kind
        met: list[Any] = []
        asks = 0

        def fails(puzzle: Any, solver: Any = solver, claims: Any = claims, met: Any = met) -> bool:
            nonlocal asks
            asks += 1
            said = solver(puzzle)
            grids = () if said is None else (said,) if isinstance(said, Grid) else tuple(said)
            wrong = judge(puzzle, claims, SolverAnswer(grids, not grids), lambda: oracle.reference(puzzle)) is not None
            if wrong:
                met.append(puzzle)
            return wrong

        quiet = settings(
            max_examples=20_000, database=None, derandomize=True, phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        began = time.perf_counter()
        try:
            theirs = find(puzzles(kind), fails, settings=quiet)
        except NoSuchExample:
            print(f"{solver.__name__}: hypothesis found none in {asks:,} puzzles", flush=True)
            continue
        hypothesis = time.perf_counter() - began
        first, asks_of_hypothesis = met[0], asks

        def picture(puzzle: Any) -> Any:
            return min(oracle.reference(puzzle, 2).solutions, key=Grid.text, default=None)

        asks, began = 0, time.perf_counter()
        ours = shrink(first, fails, picture=picture).puzzle
        print(
            f"{solver.__name__}: from {first.rows} x {first.columns}: ours {ours.text} "
            f"({asks} puzzles, {time.perf_counter() - began:.1f} s), hypothesis's {theirs.text} "
            f"({asks_of_hypothesis} with finding it, {hypothesis:.1f} s)",
            flush=True,
        )


if __name__ == "__main__":
    main()
