"""The planner of questions beside the best single backend, in processor time of all processes and peak memory.

    python -m benchmarks.planner [--each N] [--results FILE] [SET ...]

The sets are random nonograms with 2 to 100,000 solutions (r30 to r45), pictures of 50 to 100 cells (pic), and boards
and tori of 20 to 50 cells (board). Single backends get 20 s for each puzzle, or the time in which two independent ones
have ended. A check is compared with the soonest independent pair. FILE keeps the figures; those of single backends are
not measured again. Schedules are chosen on puzzles with even numbers; the others report. Listed are figures above 6
times the best and a second, questions that a backend decides and the planner does not, and checks without agreement.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import os
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from crosslit_generate.audit import audit_all

from crosslit import Grid, Nonogram, load
from crosslit.base.text import Table
from crosslit.contract import why_dependent
from crosslit.contract.run import Limits, Run
from crosslit.kinds import Puzzle
from crosslit.kinds.lights_out.families import random_board
from crosslit.kinds.nonogram.families import random_nonogram
from crosslit.questions.enumerate import Enumeration, Lister, count
from crosslit.questions.solve import ask_in_turns
from crosslit.registry import select, select_one
from crosslit.registry.defaults import default
from crosslit.runs.job import Job, Solve
from crosslit.runs.runner import Runner

MANY = 100_000  # solutions at which a list ends
TIMEOUT = 20.0  # seconds of processor time of a single backend
LIMITS = Limits(None, 10 * TIMEOUT)  # wall time, on a machine that may have other work
AUDITED = 1000  # solutions at which an audit stops
SPECS = {
    "nonogram": ("line", "hybrid", "alignment", "cadical195", "glucose4", "frontier"),
    "lights-out": ("polynomial", "gauss", "modular-chase"),
    "modular-lights-out": ("modular-chase", "howell"),
}


class Measured(NamedTuple):
    """What a piece of work has found, whether that decides it, and what it took."""

    found: Any
    is_decided: bool
    seconds: float = 0.0
    memory_mb: float = 0.0


def puzzles(name: str) -> Iterator[Puzzle]:
    """Yield the puzzles of a set, without end."""
    for number in itertools.count():
        rng = random.Random(f"{name} {number}")
        if name.startswith("r"):
            size = int(name[1:])
            yield random_nonogram(rng, size, size)
        elif name == "pic":
            size = rng.randint(50, 100)
            noise = np.random.default_rng(rng.getrandbits(32)).random((size, size))
            for _ in range(2):
                around = itertools.product((-1, 0, 1), repeat=2)
                noise = np.mean([np.roll(noise, step, (0, 1)) for step in around], axis=0)
            yield Nonogram.of(Grid.from_cells((noise > np.median(noise)).tolist()))
        else:
            rows, columns, states = rng.randint(20, 50), rng.randint(20, 50), (2, 2, 2, 3)[number % 4]
            if states == 2:
                board = random_board(rng, rows, columns, solvable=True)
                yield replace(board, wrap="torus") if number % 3 else board
            else:
                lights = "/".join("".join(rng.choice("012") for _ in range(columns)) for _ in range(rows))
                yield load(f"modular-lights-out:3/{'wrap=torus/' if number % 3 else ''}{lights}")


def measure(work: Callable[[Runner], tuple[Any, bool]], limits: Limits = LIMITS) -> Measured:
    """Return the result of some work in a new process, with the processor time and memory of all its processes."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    if (child := os.fork()) == 0:
        status = 1
        with suppress(BaseException):
            with Runner(limits, fork_first=True) as runner:
                found = work(runner)
            sender.send(found)
            status = 0
        os._exit(status)
    sender.close()
    result: tuple[Any, bool] = (None, False)
    with suppress(EOFError):
        result = receiver.recv()
    _, status, usage = os.wait4(child, 0)
    if status:
        raise SystemExit("a measurement failed")
    return Measured(*result, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def one_run(puzzle: Puzzle, spec: str, question: str, seconds: float) -> Measured:
    """Measure one backend that solves, lists or counts."""
    (choice,) = select(spec, puzzle, "count" if question == "count" else "solutions")
    if choice.refusal is not None:
        return Measured(None, False)
    solutions = {"solve": 1, "list": MANY}.get(question)
    limits = replace(LIMITS, solutions=solutions, cpu_timeout=max(seconds, 0.05))

    def work(runner: Runner) -> tuple[Any, bool]:
        if question == "list":
            outcome = Lister(Enumeration(puzzle), choice, runner, lambda _: None).run()
            return outcome.found, outcome.complete or outcome.found == MANY
        request = Solve(question="count" if question == "count" else "solutions")
        run: Run = runner.run(Job(choice=choice, puzzle=puzzle, request=request))
        return run.counted if question == "count" else len(run.grids), run.status in ("complete", "limit")

    return measure(work, limits)


def singles(puzzle: Puzzle) -> dict[str, dict[str, Measured]]:
    """Measure the single backends of each question, and the soonest independent pair as ``check``."""
    found: dict[str, dict[str, Measured]] = {"list": {}, "count": {}, "solve": {}}
    pair = TIMEOUT
    for spec in SPECS[puzzle.kind]:
        # Nobody needs to know how far a backend is behind the soonest pair.
        question = "count" if spec == "frontier" else "list"
        found[question][spec] = one_run(puzzle, spec, question, pair)
        ended = {**found["list"], **found["count"]}
        ended = {spec: done for spec, done in ended.items() if done.is_decided and done.found != MANY}
        times = [max(ended[one].seconds, ended[other].seconds) for one, other in pairs(puzzle, ended)]
        pair = min([pair, *times])
    for spec in SPECS[puzzle.kind]:
        if spec != "frontier":
            best = min([TIMEOUT, *(done.seconds for done in found["solve"].values() if done.is_decided)])
            found["solve"][spec] = one_run(puzzle, spec, "solve", best)
    if puzzle.kind != "nonogram":
        found["count"] = {spec: one_run(puzzle, spec, "count", TIMEOUT) for spec in SPECS[puzzle.kind]}
    counts = {spec: done for spec, done in found["list"].items() if done.found != MANY} | found["count"]
    decided = {spec: done for spec, done in counts.items() if done.is_decided}
    checks = {
        f"{one} {other}": Measured(decided[one].found, True, decided[one].seconds + decided[other].seconds)
        for one, other in pairs(puzzle, decided)
    }
    return {**found, "count": counts, "check": checks}


def pairs(puzzle: Puzzle, specs: dict[str, Measured]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of independent backends."""
    bases = {spec: select(spec, puzzle)[0].trusted_base for spec in specs}
    for one, other in itertools.combinations(specs, 2):
        if not why_dependent(bases[one], bases[other]):
            yield one, other


def planned(puzzle: Puzzle) -> dict[str, Measured]:
    """Measure the answers of the planner."""

    def counted(runner: Runner, check: bool) -> tuple[Any, bool]:
        result = count(puzzle, check=check, runner=runner)
        return result.number, result.evidence in ("agreed", "brute-force") if check else result.number is not None

    def listed(runner: Runner) -> tuple[Any, bool]:
        choice = select_one(default(puzzle, "list"), puzzle)
        outcome = Lister(Enumeration(puzzle), choice, runner, lambda _: None).run()
        return outcome.found, outcome.complete or outcome.found == MANY

    def audited(runner: Runner) -> tuple[Any, bool]:
        (audit,) = audit_all([puzzle], runner)
        return audit.solutions, audit.solutions is not None

    def solved(runner: Runner) -> tuple[Any, bool]:
        runs = ask_in_turns(puzzle, runner, max_solutions=1).runs
        return len(runs[-1].grids), runs[-1].status in ("complete", "limit")

    return {
        "count": measure(lambda runner: counted(runner, False)),
        "check": measure(lambda runner: counted(runner, True)),
        "list": measure(listed, replace(LIMITS, solutions=MANY)),
        "stats": measure(audited, replace(LIMITS, solutions=AUDITED)),
        "solve": measure(solved, replace(LIMITS, solutions=1)),
    }


def best(question: str, single: dict[str, dict[str, Measured]]) -> Measured | None:
    """Return the best single backend or pair for a question; an audit is a check, unless it stops at its limit."""
    found = [done for done in single[question if question != "stats" else "count"].values() if done.is_decided]
    if question == "stats":
        return best("check", single) if found and found[0].found <= AUDITED else None
    return min(found, key=lambda done: done.seconds, default=None)


def keep(path: Path | None, key: str, figures: object) -> None:
    """Add the figures of a puzzle to a file."""
    if path is not None:
        with path.open("a") as file:
            file.write(f"{json.dumps([key, figures])}\n")


def main() -> None:
    """Print a line for each puzzle that is slower than it should be, then a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sets", nargs="*", metavar="SET", default=["r30", "r35", "r40", "r45", "pic", "board"])
    parser.add_argument("--each", type=int, default=20, metavar="N", help="puzzles of each set (default 20)")
    parser.add_argument("--results", type=Path, metavar="FILE", help="keep figures, and use those of single backends")
    options = parser.parse_args()
    known: dict[str, Any] = {}
    if options.results and options.results.exists():
        known = dict(map(json.loads, options.results.read_text().splitlines()))
    sums: dict[tuple[str, str, str], list[list[float]]] = {}
    for name in options.sets:
        numbered = enumerate(puzzles(name))
        kept = 0
        while kept < options.each:
            number, puzzle = next(numbered)
            key = f"{name}.{number}"
            if key not in known:
                # Most random puzzles with too many solutions are recognised at once.
                one = one_run(puzzle, "line", "list", TIMEOUT) if name.startswith("r") else Measured(2, True)
                known[key] = singles(puzzle) if 1 < one.found < MANY or not one.is_decided else {}
                keep(options.results, key, known[key])
            single = {
                question: {spec: Measured(*done) for spec, done in found.items()}
                for question, found in known[key].items()
            }
            if not single or (name.startswith("r") and not any(done.is_decided for done in single["count"].values())):
                continue
            kept += 1
            answers = planned(puzzle)
            keep(options.results, f"{key} planned", answers)
            for question, done in answers.items():
                goal = best(question, single)
                row = sums.setdefault((name, question, "tuning" if number % 2 == 0 else "report"), [])
                if goal is not None:
                    row.append([done.is_decided, done.seconds, goal.seconds, done.memory_mb])
                    slow = done.seconds > 6 * goal.seconds + 1
                    wrong = done.is_decided and done.found != goal.found
                    if slow or wrong or not done.is_decided or done.memory_mb > 600:
                        word = "WRONG" if wrong else "slow" if slow else "large" if done.is_decided else "undecided"
                        print(f"{key} {question}: {word}, {done} beside {goal}", flush=True)
    rows = []
    for (name, question, half), found in sums.items():
        if found:
            decided, seconds, goals, _ = map(sum, zip(*found, strict=True))
            ratios = [seconds / goal for _, seconds, goal, _ in found]
            figures = [f"{decided:.0f} of {len(found)}", f"{seconds:.2f}", f"{goals:.2f}", f"{seconds / goals:.2f}"]
            rows.append([name, question, half, *figures, f"{max(ratios):.1f}", f"{max(row[3] for row in found):.0f}"])
    numbers = ("decided", "seconds", "best", "ratio", "worst", "MB")
    print(Table("set", "question", "half", *numbers, rows=rows, right=numbers).render())


if __name__ == "__main__":
    main()
