"""The sizes that backends solve in a millisecond, a second and a minute, for docs/how-to/how-large.md.

    python -m benchmarks.how_large FILE [--table]  # measure into FILE, which is JSON, or print its table

Puzzles are n x n, for n in a sequence with ten steps for each power of ten. The median of three random puzzles counts,
or one puzzle from half a second on. A backend ends at the first size that takes more than a minute or 4 GB; 64+ says
that larger ones were not tried. A time is the lesser of the run's own clock and of its processor time: the one excludes
the start of the process, the other excludes other load.
"""

from __future__ import annotations

import itertools
import json
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import crosslit
from crosslit.runs.runner import Runner

SECONDS = (0.001, 1.0, 60.0)
MAX_SIZE = 5_000
SOLUTIONS = {"solve": 1, "unique": 2}  # at which a run stops
ROWS = {  # the first backend of a question is the unit of the ratios
    "board, solve": "polynomial gauss cryptominisat/chased-xor cpsat/chased-shared glucose4/chased-shared"
    " glucose4/full-direct first-row",
    "board, fewest": "fewest cpsat/xor",
    "3 states, solve": "modular-chase howell glucose4/chased-direct",
    "noise, solve": "hybrid line glucose4/order cadical195/order cpsat/automaton choco/automaton",
    "noise, count": "frontier",
    "picture, unique": "hybrid line glucose4/order cpsat/automaton",
}


def sizes() -> Iterator[int]:
    """Yield the sizes 4, 5, 6, 8, 10, 12, 16, ..."""
    steps = (10, 12, 16, 20, 25, 32, 40, 50, 64, 80)
    rounded = (10**power * step // 10 for power in itertools.count() for step in steps)
    return itertools.takewhile(lambda n: n <= MAX_SIZE, (n for n in rounded if n >= 4))


def puzzle(name: str, n: int, seed: int) -> Any:
    """Return a random puzzle that has a solution."""
    if name == "noise":  # many of these have several solutions
        return crosslit.generate("nonogram", n, seed=seed)[0]
    if name == "picture":  # smooth: lines decide most of its cells
        cells = np.random.default_rng([n, seed]).random((n, n))
        for _ in range(2):
            cells = np.mean([np.roll(cells, step, (0, 1)) for step in itertools.product((-1, 0, 1), repeat=2)], axis=0)
        return crosslit.Nonogram.of(crosslit.Grid.from_cells((cells > np.median(cells)).tolist()))
    if name == "3 states":
        return crosslit.generate("modular-lights-out", n, seed=seed, states=3)[0]
    return crosslit.generate("lights-out", n, seed=seed)[0]


def seconds(given: Any, question: str, spec: str, runner: Runner) -> float:
    """Return the time of a run, infinite if it did not answer."""
    if question == "count":
        (run,) = crosslit.count(given, spec, runner=runner).runs
    else:
        (run,) = crosslit.compare(given, spec, fewest=question == "fewest", runner=runner).runs
    times = run.json()["seconds"]
    return min(times["total"], times["cpu"]) if run.status in ("complete", "limit") else np.inf


def measure(found: dict[str, float], limit: float, name: str, question: str, spec: str) -> Iterator[None]:
    """Add the time for each size, up to the first that takes longer than a limit, and stop after each."""
    with Runner(crosslit.Limits(solutions=SOLUTIONS.get(question), timeout=600, cpu_timeout=limit)) as runner:
        for n in itertools.takewhile(lambda _: np.inf not in found.values(), sizes()):
            if str(n) not in found:
                count = 3 if max(found.values(), default=0.0) < SECONDS[1] / 2 else 1
                times = [seconds(puzzle(name, n, seed), question, spec, runner) for seed in range(count)]
                middle = statistics.median(times)
                print(f"{name}, {question}, {spec}, {n}: {middle:.4f} s", flush=True)
                if middle > limit and limit < SECONDS[-1]:
                    return
                found[str(n)] = middle
                yield


def table(rows: dict[str, dict[str, dict[str, float]]]) -> Iterator[str]:
    """Yield the table: the largest sizes by time, and the ratio to the first backend within a second."""
    yield f"{'':32}{'1 ms':>6}{'1 s':>6}{'1 min':>6}  ratio"
    for key, backends in rows.items():
        yield key
        first = next(iter(backends.values()))
        for spec, times in backends.items():
            largest = [_largest(times, limit) for limit in SECONDS]
            largest[-1] += "+" * (np.inf not in times.values())
            both = min(_largest(times, SECONDS[1]), _largest(first, SECONDS[1]), key=int)
            ratio = "1" if times is first else f"{times[both] / first[both]:,.1f} at {both}"
            yield f"  {spec:30}{''.join(f'{n:>6}' for n in largest)}  {ratio}"


def _largest(times: dict[str, float], limit: float) -> str:
    """Return the size before the first that takes longer: a larger puzzle may be easier by chance."""
    return ["", *itertools.takewhile(lambda n: times[n] <= limit, times)][-1]


def main(file: Path, *words: str) -> None:
    """Measure, or print the table."""
    rows = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    if words == ("--table",):
        print(*table(rows), sep="\n")
        return
    # a second for all before a minute for one: the work can be interrupted, and continues
    for limit, key in itertools.product((2 * SECONDS[1], SECONDS[-1]), ROWS):
        name, question = key.split(", ")
        for spec in ROWS[key].split():
            for _ in measure(rows.setdefault(key, {}).setdefault(spec, {}), limit, name, question, spec):
                file.write_text(json.dumps(rows), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
