"""Encodings of nonograms: sizes, times for encoding and loading, and their share of solving.

Run it with ``python -m benchmarks.encodings [--data FOLDER]``; the folder of real puzzles is not part of the project,
and parts that need it are skipped without it. Each figure is the median CPU time of several runs. Each run is in a
newly forked process with imported engines and no other state, and the runs to compare alternate, so that they see the
same load. "loop" is an encoder with plain loops and lists, for the same clauses.
"""

from __future__ import annotations

import argparse
import multiprocessing
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

import numpy as np
import ortools.sat.python.cp_model  # noqa: F401  (as a run's server does, before the clock starts)
from crosslit_encoders.formula import Formula
from pysat.solvers import Solver

from crosslit import Nonogram, __version__, load
from crosslit.contract import PHASES, Clock, Phase, Task
from crosslit.kinds import Puzzle
from crosslit.kinds.nonogram.puzzle import Clue
from crosslit.registry import all_encodings, select_one
from crosslit.runs.job import drive

ROOT = Path(__file__).parents[1]
ROUNDS = 7
SURVEY_ROUNDS = 3
ENGINES = ("kissat404", "cadical195", "glucose4")
WITHOUT = {"knotty", "faase"}  # several solutions each, and no SAT solver by itself finds them in minutes
TRUE = 1 << 30
FALSE = -TRUE

Clauses = list[list[int]]


def lines(puzzle: Nonogram) -> Iterator[tuple[Clue, list[int], int]]:
    """Each clue, with its cells and its slack."""
    columns = puzzle.columns
    cells = range(1, puzzle.rows * columns + 1)
    for row, clue in enumerate(puzzle.row_clues):
        yield clue, list(cells[row * columns : (row + 1) * columns]), columns - sum(clue) - len(clue) + 1
    for column, clue in enumerate(puzzle.column_clues):
        yield clue, list(cells[column::columns]), puzzle.rows - sum(clue) - len(clue) + 1


def plain_order(puzzle: Nonogram) -> Clauses:
    """What the encoding `order` makes, by loops; every clue must fit its line."""
    clauses: Clauses = []
    used = puzzle.rows * puzzle.columns

    def add(*literals: int) -> None:
        if TRUE not in literals:
            clauses.append([literal for literal in literals if literal != FALSE])

    for clue, cells, slack in lines(puzzle):
        earliest = [sum(clue[:block]) + block for block in range(len(clue))]
        start = starts(earliest, slack, used)
        for block, first in enumerate(earliest):
            for place in range(first, first + slack):
                if place > first:
                    add(-start(block, place - 1), start(block, place))
                if block:
                    add(-start(block, place), start(block - 1, place - clue[block - 1] - 1))
        for block, length in enumerate([0, *clue], -1):
            for place, cell in enumerate(cells):
                ended, behind = start(block, place - length), start(block + 1, place)
                if length and (started := start(block, place)) != ended:
                    add(-started, ended, cell)
                if ended != behind:
                    add(-ended, behind, -cell)
        used += len(clue) * slack
    return clauses


def starts(earliest: list[int], slack: int, used: int) -> Callable[[int, int], int]:
    """The literal that says "this block starts at or before that place"; blocks lie between two constants."""

    def start(block: int, place: int) -> int:
        if block < 0 or block == len(earliest):
            return TRUE if block < 0 else FALSE
        step = place - earliest[block]
        return FALSE if step < 0 else TRUE if step >= slack else used + 1 + block * slack + step

    return start


def plain_direct(puzzle: Nonogram) -> Clauses:
    """What the encoding `direct` makes, by loops; every clue must fit its line."""
    clauses: Clauses = []
    used = puzzle.rows * puzzle.columns
    for clue, cells, slack in lines(puzzle):
        if not slack or not clue:
            blocks = "0".join("1" * block for block in clue) or "0" * len(cells)
            clauses += [[cell if filled == "1" else -cell] for cell, filled in zip(cells, blocks, strict=True)]
            continue
        covering: Clauses = [[] for _ in cells]
        earliest = 0
        before: list[int] = []
        for length in clue:
            numbers = list(range(used + 1, used + slack + 2))
            used += slack + 1
            clauses.append(numbers)
            for i, start in enumerate(numbers):
                clauses += [[-start, -other] for other in numbers[i + 1 :]]
                clauses += [[-other, -start] for other in before[i + 1 :]]
                for place in range(earliest + i, earliest + i + length):
                    clauses.append([-start, cells[place]])
                    covering[place].append(start)
            earliest += length + 1
            before = numbers
        clauses += [[-cell, *over] for cell, over in zip(cells, covering, strict=True)]
    return clauses


PLAIN: dict[str, Callable[[Nonogram], Clauses]] = {"order": plain_order, "direct": plain_direct}


def make(target: str, name: str, puzzle: Nonogram) -> tuple[float, float, tuple[int, ...]]:
    """CPU seconds of encoding, and of loading into glucose4 (CNF); variables, clauses or constraints, literals."""
    encode = all_encodings()["nonogram", target, name].encode
    began = time.process_time()
    formula = encode(puzzle)
    made = time.process_time()
    if not isinstance(formula, Formula):
        proto = formula.model.proto
        return made - began, 0.0, (len(proto.variables), len(proto.constraints))
    solver = Solver(name="glucose4", bootstrap_with=formula.clauses())
    loaded = time.process_time()
    solver.delete()
    return made - began, loaded - made, (formula.variables, len(formula), len(formula.literals))


def make_plainly(name: str, puzzle: Nonogram) -> tuple[float, float, int]:
    """The same for the loops of an encoding to CNF; how many clauses there are."""
    began = time.process_time()
    clauses = PLAIN[name](puzzle)
    made = time.process_time()
    solver = Solver(name="glucose4")
    solver.append_formula(clauses)
    loaded = time.process_time()
    solver.delete()
    return made - began, loaded - made, len(clauses)


def table(puzzle: Nonogram) -> None:
    """Print a row for each encoding."""
    encodings = [e for e in all_encodings().values() if e.kind == puzzle.kind]
    taken = [e for e in encodings if not e.unsupported_reason(puzzle)]
    sizes: dict[tuple[str, str], tuple[int, ...]] = {}
    seconds: dict[tuple[str, str], list[tuple[float, float]]] = {}
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as fresh:
        for _ in range(ROUNDS):
            for encoding in taken:
                key = encoding.target, encoding.name
                made, loaded, sizes[key] = fresh.apply(make, (*key, puzzle))
                seconds.setdefault(key, []).append((made, loaded))
            for name in PLAIN:
                made, loaded, count = fresh.apply(make_plainly, (name, puzzle))
                seconds.setdefault(("loop", name), []).append((made, loaded))
                if count != sizes["cnf", name][1]:
                    raise SystemExit(f"the loops of {name} make {count} clauses, not {sizes['cnf', name][1]}")
    print(f"{puzzle.name}, {puzzle.rows} x {puzzle.columns}; clauses of a CP-SAT model are its constraints")
    print(
        f"{'encoding':20}{'variables':>10}{'clauses':>9}{'literals':>9}{'make ms':>9}{'M/s':>7}{'load ms':>9}{'M/s':>7}"
    )
    for target, name in seconds:
        variables, count, *literals = sizes["cnf" if target == "loop" else target, name]
        made, loaded = map(statistics.median, zip(*seconds[target, name], strict=True))
        row = f"{target + ' ' + name:20}{variables:10}{count:9}{literals[0] if literals else '':>9}{made * 1000:9.1f}"
        row += f"{count / made / 1e6:7.2f}"
        print(row + (f"{loaded * 1000:9.1f}{count / loaded / 1e6:7.2f}" if loaded else ""))
    for name in PLAIN:
        plain, arrays = (statistics.median(made for made, _ in seconds[target, name]) for target in ("loop", "cnf"))
        print(f"{name}: the loop takes {plain / arrays:.1f} times as long as the arrays")
    for encoding in encodings:
        if reason := encoding.unsupported_reason(puzzle):
            print(f"{encoding.target + ' ' + encoding.name:20}refused: {reason}")


def phases(spec: str, puzzle: Puzzle) -> tuple[float, float]:
    """CPU seconds of a run that seeks two solutions: of making and loading the clauses, and of everything."""
    choice = select_one(spec, puzzle)
    spent = dict.fromkeys(PHASES, 0.0)
    phase: Phase = "solve"
    since = time.process_time()

    def switched() -> None:
        nonlocal phase, since
        now = time.process_time()
        spent[phase] += now - since
        phase, since = clock.phase, now

    clock = Clock(switched)
    solutions = drive(choice.backend, puzzle, Task(max_solutions_hint=2, encoding=choice.encoding, clock=clock))
    for _ in zip(range(2), solutions, strict=False):
        pass
    solutions.close()
    switched()
    return spent["encode"] + spent["load"], sum(spent.values())


def shares(data: Path) -> None:
    """Print what part of solving the survey's puzzles is making and loading the clauses of the default encoding."""
    folder = data / "survey-redistributable"
    if not folder.is_dir():
        print(f"skipped: the survey, for there is no {folder}")
        return
    print("making and loading the clauses of `order`, of the total, in ms (uniqueness included):")
    print(f"{'':14}{'clauses':>8}", *(f"{engine:>24}" for engine in ENGINES), sep="")
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as fresh:
        for file in sorted(folder.glob("*.non")):
            if file.stem in WITHOUT:
                continue
            puzzle = load(str(file))
            row = f"{file.stem:14}{len(all_encodings()['nonogram', 'cnf', 'order'].encode(puzzle)):8}"
            for engine in ENGINES:
                runs = [fresh.apply(phases, (f"{engine}/order", puzzle)) for _ in range(SURVEY_ROUNDS)]
                part, total = sorted(runs, key=lambda run: run[1])[SURVEY_ROUNDS // 2]
                row += f"{part * 1000:9.1f} of{total * 1000:7.1f}{part / total:5.0%}"
            print(row)


def main() -> None:
    """Print a table of all encodings, then the shares of the survey."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="the folder of real puzzles")
    data = parser.parse_args().data
    print(f"crosslit {__version__}, Python {platform.python_version()}, numpy {np.__version__},", end=" ")
    print(f"python-sat {version('python-sat')}, {platform.machine()}, {sys.platform}")
    puzzle = load(str(ROOT / "examples" / "article-50x50.txt"))
    if isinstance(puzzle, Nonogram):
        table(puzzle)
    shares(data)


if __name__ == "__main__":
    main()
