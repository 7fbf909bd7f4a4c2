"""A check of Crosslit's own grids and runs, on puzzles whose solutions follow from how they are made.

It is made before a backend, or a solver of `crosslit verify`, is blamed for the first time: a mistake there makes right
answers look wrong.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable
from typing import NamedTuple

from crosslit.base.errors import InternalError
from crosslit.base.layout import DIGITS, Layout, parse_any
from crosslit.contract import SOLUTIONS
from crosslit.contract.run import Limits, Run
from crosslit.formats import from_line
from crosslit.judging.verdict import Finding
from crosslit.kinds import Puzzle, find_kind
from crosslit.kinds.rules import solutions_by_rules
from crosslit.registry import select_one
from crosslit.runs.job import Job, Solve
from crosslit.runs.runner import Runner, isolated

_COUNTED = 70  # parts of a puzzle: more solutions than a word of 64 bits can count
_MARGIN = 64  # empty columns behind the parts, so that every row is longer than a word
# all small shapes, and some whose rows are longer than a byte, longer than a word, and kept as integers
_SHAPES = (*itertools.product(range(1, 10), repeat=2), (3, 16), (3, 65), (3, 513))
_STATES = (2, 3, 4, 5, 16, 32)
_BRUTE = "brute"
_NO_ANSWER = {"error", "stray-output", "orphaned-process", "timing"}  # problems of a run's course


def require_sound(puzzle: Puzzle, findings: Iterable[Finding]) -> None:
    """Check Crosslit itself if a finding says that an answer is wrong; an `InternalError` says what is unsound."""
    accused = frozenset(finding.backend.partition(":")[0] for finding in findings if finding.problem not in _NO_ANSWER)
    if accused:
        check(puzzle.kind, accused)


@functools.cache
def check(kind: str, accused: frozenset[str] = frozenset()) -> None:
    """Check grids of many shapes and numbers of states, and list and count solutions in isolated processes.

    Args:
        kind: the kind of the puzzles.
        accused: backends that take part only if there is no other, because they would show their own mistake again.
    """
    for (rows, columns), states in itertools.product(_SHAPES, _STATES):
        if rows * columns < 100 or states < 4:
            _check_grid(rows, columns, states)
    with isolated(None, Limits(None), in_process=True) as runner:
        _check_sample(runner, find_kind(kind).samples()[-1])
        if (example := _EXAMPLES.get(kind)) is not None:
            _check_list(runner, example, min(example.listers, key=accused.__contains__))
            if example.counters:
                _check_count(runner, example, min(example.counters, key=accused.__contains__))


class _Example(NamedTuple):
    """A puzzle of any number of independent parts side by side."""

    make: Callable[[int], str]  # returns its one-line form
    solutions: tuple[tuple[str, ...], ...]  # of a part: its rows
    parts: int  # in the puzzle whose solutions are listed
    listers: tuple[str, ...]  # the first that is not accused lists them, or else the first
    counters: tuple[str, ...] = ()


def _board(parts: int) -> str:
    """Return a dark board of one row: pairs of cells between holes, of which both are pressed or none."""
    return "00_" * parts + "_" * _MARGIN


def _clues(parts: int, row: str, columns: str) -> str:
    """Return a puzzle of two rows with the same clue, in pairs of columns with one filled cell in each row."""
    rows = ",".join([" ".join([row] * parts)] * 2)
    return f"{rows}|{','.join([columns] * parts + ['0'] * _MARGIN)}"


_SWAPPED = (("100", "010"), ("010", "100"))
_IN_COLOURS = itertools.product(_SWAPPED, [tuple(row.replace("1", "2") for row in rows) for rows in _SWAPPED])
_EXAMPLES = {
    "lights-out": _Example(_board, (("000",), ("110",)), 11, ("gauss", "glucose4"), ("gauss",)),
    "nonogram": _Example(
        lambda parts: _clues(parts, "1", "1,1,0"), _SWAPPED, 11, ("line", "cadical195"), ("frontier",)
    ),
    # both cells of a pair are pressed, five times in sum
    "modular-lights-out": _Example(
        lambda parts: f"modular-lights-out:5/{_board(parts)}",
        (("000",), ("140",), ("230",), ("320",), ("410",)),
        5,
        ("howell", "modular-chase"),
        ("howell", "modular-chase"),
    ),
    "coloured-nonogram": _Example(
        lambda parts: f"coloured-nonogram:{_clues(parts, '1a 1b', '1a,1a,0,1b,1b,0')}",
        tuple((one[0] + other[0], one[1] + other[1]) for one, other in _IN_COLOURS),
        5,
        ("coloured-line", "coloured-alignment"),
    ),
}


def _check_grid(rows: int, columns: int, states: int) -> None:
    """Write and read a grid in all forms, and compare them with its cells."""
    cells = [[(3 * row + 5 * column + row * column) % 7 % states for column in range(columns)] for row in range(rows)]
    cells[-1][-1] = states - 1
    lines, layout = ["".join(DIGITS[cell] for cell in row) for row in cells], Layout(rows, columns, states)
    values, text = [cell for row in cells for cell in row], "/".join(lines)
    if states == 2:
        chosen, literals = text.replace("/", ""), [cell if value else -cell for cell, value in enumerate(values, 1)]
    else:
        chosen = "".join("0" * value + "1" + "0" * (states - value - 1) for value in values)
        literals = [1 + cell * states + value for cell, value in enumerate(values)]
    grid = layout.parse(text)
    same = [parse_any(text, states), layout.pack(values), layout.answers(grid.packed)[0], layout.decode(chosen)]
    if any(other != grid for other in same) or (grid.values(), layout.literals(grid)) != (values, literals):
        raise InternalError(f"the grid {text} of {states} states becomes {', '.join(other.text() for other in same)}")
    turned = ["".join(column) for column in zip(*lines, strict=True)]
    if (grid.lines(), grid.transposed().lines()) != (lines, turned):
        raise InternalError(f"the grid {text} becomes {grid.text()}, and {grid.transposed().text()} turned")
    bits = [int("".join("01"[cell > 0] for cell in row[::-1]), 2) for row in cells]
    if (grid.row_bits(), grid.count()) != (bits, sum(values)):
        raise InternalError(f"the grid {text} has rows {grid.row_bits()} and the sum {grid.count()}")


def _check_sample(runner: Runner, puzzle: Puzzle) -> None:
    """List the solutions of a sample of any kind with the solver that uses its rules only, and here by its rules."""
    if select_one(_BRUTE, puzzle, SOLUTIONS.name).refusal is None:
        run = _run(runner, _BRUTE, puzzle, Solve())
        if {*run.grids} != solutions_by_rules(puzzle):
            raise InternalError(f"{puzzle.text} has other solutions than arrived: {run.status} {run.error}")


def _check_list(runner: Runner, example: _Example, lister: str) -> None:
    puzzle = from_line(example.make(example.parts))
    chosen = itertools.product(example.solutions, repeat=example.parts)
    right = sorted("/".join("".join(row) + "0" * _MARGIN for row in zip(*parts, strict=True)) for parts in chosen)
    for batched in (False, True):
        run = _run(runner, lister, puzzle, Solve(batched=batched))
        if sorted(grid.text() for grid in run.grids) != right:
            raise InternalError(f"{puzzle.text} has {len(right)} solutions; others arrived: {run.status} {run.error}")


def _check_count(runner: Runner, example: _Example, counter: str) -> None:
    puzzle = from_line(example.make(_COUNTED))
    run = _run(runner, counter, puzzle, Solve(question="count"))
    if run.counted != (number := len(example.solutions) ** _COUNTED):
        raise InternalError(f"{puzzle.text} has {number} solutions, not {run.counted}: {run.status} {run.error}")


def _run(runner: Runner, solver: str, puzzle: Puzzle, request: Solve) -> Run:
    choice = select_one(solver, puzzle, request.question)
    run = runner.run(Job(choice=choice, puzzle=puzzle, request=request))
    # The runner records an interrupt instead of raising it.
    if run.status == "interrupted":
        raise KeyboardInterrupt
    return run
