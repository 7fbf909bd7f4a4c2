"""Compare solvers on random nonograms from Python, and print which was the fastest.

Run it with ``python examples/compare_in_python.py``.
"""

import random

import crosslit


def random_nonogram(rng: random.Random, size: int) -> crosslit.Nonogram:
    """Return the clues of a random picture: solvable, and often not unique."""
    cells = [[rng.random() < 0.5 for _ in range(size)] for _ in range(size)]
    return crosslit.Nonogram.of(crosslit.Grid.from_cells(cells))


def main() -> None:
    """Compare three engines on five puzzles."""
    rng = random.Random(1)
    for number in range(5):
        comparison = crosslit.compare(random_nonogram(rng, 12), "alignment,cadical195,cpsat", timeout=20)
        seconds = {run.backend: run.timing.total for run in comparison.runs}
        fastest = min(seconds, key=seconds.__getitem__)
        print(f"puzzle {number}: {comparison.verdict.status}, {comparison.verdict.evidence}, fastest {fastest}")
        for finding in comparison.findings:
            print(f"  wrong: {finding.backend}: {finding.problem}: {finding.detail}")


if __name__ == "__main__":
    main()
