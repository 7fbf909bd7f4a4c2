"""The making of an exam from a seed: a plan, puzzles with proved answers, and the key."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_args

import crosslit_generate
from crosslit_generate.coloured_nonogram import random_coloured
from crosslit_generate.forked import ForkedWorker
from crosslit_generate.nonogram import difficulty, from_picture
from crosslit_generate.solution_count import count_up_to

from crosslit import __version__
from crosslit.answer import Layout, differing
from crosslit.errors import GaveUp, InputError, InternalError
from crosslit.formats import from_line
from crosslit.grid import Grid
from crosslit.kinds import Puzzle
from crosslit.kinds.chance import between, pick, random_grid, shuffled
from crosslit.questions.ask import isolated
from crosslit.questions.compare import compare
from crosslit.questions.solve import solutions
from crosslit.runs.run import Limits
from crosslit.runs.runner import Runner
from crosslit.sandbox.posix import require_isolation
from crosslit_bench.exam.contestants import chase, line_solved
from crosslit_bench.exam.questions import GRADES, QUESTIONS, Grade, Item, KindName, Slot, item_of, json_line
from crosslit_bench.provenance.contents import CORE, folder_hash

_Drawn = tuple[Any, Grid | None]  # a puzzle, and a solution if it has one

# Always the same one for a certificate: which of several is the fastest depends on the machine. Two are only compared:
# the certificates of coloured nonograms take ten times as long as all else.
_PROVERS = {
    "nonogram": "hybrid",
    "lights-out": "gauss",
    "coloured-nonogram": "coloured-line,glucose4",
    "modular-lights-out": "howell",
}
_MAX_LISTED = 100  # solutions
_TRIES = 60
_DRAW_SECONDS = 600.0  # maximum for one puzzle
_MAX_SOLUTIONS = 50  # of a puzzle with several, so that they can be counted by hand
_STATES = (3, 4, 6)  # of modular boards: a prime, a power of a prime, a product
_MAX_WIDER = 12  # columns more than rows, until a shape has boards without a solution
_MAX_SIZE = 20  # rows; larger puzzles are not graded in reasonable time


@dataclass(frozen=True)
class Plan:
    """The contents of an exam; equal plans and seeds give the same exam."""

    number: int = 100
    kinds: tuple[KindName, ...] = get_args(KindName)
    sizes: tuple[int, ...] = (5, 8, 10, 15)
    grades: tuple[Grade, ...] = GRADES

    def __post_init__(self) -> None:
        if refused := [size for size in self.sizes if not 2 <= size <= _MAX_SIZE]:
            raise ValueError(f"sizes: expected 2 to {_MAX_SIZE} rows, found {refused[0]}")


@dataclass(frozen=True)
class Key:
    """The key of an exam: what is needed to make it again and to score it."""

    seed: str
    plan: Plan
    crosslit: str
    commitment: str
    exam: str  # a hash of the seed and the items
    answers: Mapping[str, tuple[str, ...]]  # hashes of the right answers by the ids of items
    proofs: Mapping[str, tuple[str, str | None]]  # evidence and certificate by the ids of items


def commit(seed: str, plan: Plan) -> str:
    """Return the commitment to publish before an exam: a hash of the seed, the plan and the generator's sources."""
    sources = [CORE, Path(crosslit_generate.__file__).parent, Path(__file__).parent]
    return hidden(json.dumps([seed, asdict(plan), *map(folder_hash, sources)], sort_keys=True))


def hidden(*texts: str) -> str:
    """Return the hash of texts; with the seed among them, it says nothing about an answer to those without the seed."""
    return hashlib.sha256(" ".join(texts).encode()).hexdigest()


def make(
    seed: str, plan: Plan, exclude: Iterable[Puzzle] = (), on_item: Callable[[str], None] = lambda _: None
) -> tuple[list[Item], Key]:
    """Return the items of an exam, and its key.

    Excluded puzzles do not occur in any rotated or mirrored form. An `InternalError` says that the number of solutions
    of a puzzle is not proved, or not as intended; an `InputError`, that too few puzzles fit the plan.
    """
    require_isolation()
    drawn = _puzzles(seed, plan, set(map(_name, exclude)))
    with ForkedWorker(lambda *_: next(drawn, None), plan.number, _DRAW_SECONDS) as worker:
        puzzles = [found for found in worker.results(on_item) if found]
    if worker.interrupted:
        raise KeyboardInterrupt
    if len(puzzles) < plan.number:
        raise InputError("plan", f"only {len(puzzles)} puzzles fit it: choose more sizes, kinds or grades")
    items: list[Item] = []
    answers, proofs = {}, {}
    with isolated(None, Limits(_MAX_LISTED, 120), 1) as runner:
        for question, size, slot, (puzzle, solution) in shuffled(random.Random(f"exam order {seed}"), puzzles):
            name = f"{len(items) + 1:04}"
            on_item(f"proof {name} of {plan.number:04}")
            item = item_of(name, question, size, slot[0], puzzle, solution, random.Random(f"exam item {seed} {name}"))
            number, proofs[name] = _proved(puzzle, slot[1], runner)
            right = {item.reading(f"ANSWER: {answer}") for answer in item.definition.right(item, number, solution)}
            answers[name] = tuple(sorted(hidden(seed, name, str(answer)) for answer in right))
            items.append(item)
    exam = hidden(seed, *map(json_line, items))
    return items, Key(seed, plan, __version__, commit(seed, plan), exam, answers, proofs)


def _puzzles(seed: str, plan: Plan, seen: set[str]) -> Iterator[tuple[str, int, Slot, _Drawn]]:
    """Yield questions and puzzles for them: questions, sizes, kinds and grades in turn, as far as they exist."""
    rng = random.Random(f"exam puzzles {seed}")
    for turn in itertools.count():
        before = len(seen)
        parts = itertools.product(QUESTIONS.items(), enumerate(plan.sizes), plan.kinds)
        for (question, definition), (place, size), kind in parts:
            slots = definition.of_clues if "nonogram" in kind else definition.of_boards
            # Without puzzles for one of the answers of a grade, the other answer would be known from the grade.
            lacking = {slot[0] for slot in slots if slot[0] not in plan.grades or not _exists(kind, size, slot)}
            if choices := [slot for slot in slots if slot[0] not in lacking]:
                # Another grade for each size, and in the next round another one for the same size.
                slot = choices[(turn + place) % len(choices)]
                if drawn := _draw(kind, size, slot, rng, seen):
                    yield question, size, slot, drawn
        if len(seen) == before:
            return


@functools.cache
def _exists(kind: KindName, size: int, slot: Slot) -> bool:
    return _draw(kind, size, slot, random.Random("exam"), set()) is not None


def _draw(kind: KindName, size: int, slot: Slot, rng: random.Random, seen: set[str]) -> _Drawn | None:
    """Return a random puzzle that is not seen in any form; None if none is found: small ones seldom need search."""
    for _ in range(_TRIES):
        found = (_nonogram if "nonogram" in kind else _board)(kind, size, *slot, rng)
        if found and (name := _name(found[0])) not in seen:
            seen.add(name)
            return found
    return None


def _name(puzzle: Puzzle) -> str:
    """Return a name that all rotated and mirrored forms of a puzzle share."""
    return min(image.id for image in puzzle.images())


def _nonogram(kind: KindName, size: int, grade: Grade, truth: str, rng: random.Random) -> _Drawn | None:
    density, unique = 0.55 if grade == "line" else 0.4, truth == "one"
    try:
        if kind == "nonogram":
            made: Any = from_picture(random_grid(rng, size, size, density), unique)
        else:
            made = random_coloured(rng, size, size, 3, density + 0.15, unique)
    except GaveUp:  # a picture that cannot be repaired
        return None
    puzzle, solution, found = made.puzzle, made.picture, ""
    if truth == "none":  # two clues of rows are exchanged, so that all sums stay as they are
        clues, solution = list(puzzle.row_clues), None
        a, b = pick(rng, range(size)), pick(rng, range(size))
        clues[a], clues[b] = clues[b], clues[a]
        puzzle = puzzle.with_clues(clues, puzzle.column_clues)
        if count_up_to(puzzle, 1) or any(puzzle.contradictions()):  # neither solvable nor refuted at a glance
            return None
    elif truth == "several":
        others = list(itertools.islice(solutions(puzzle), _MAX_SOLUTIONS + 1))
        if not 1 < len(others) <= _MAX_SOLUTIONS:
            return None
        varying = {cell for other in others for cell in differing(solution, other).cells()}
        solver = line_solved(puzzle)  # here "line" means that all other cells are found by lines
        found = "line" if solver and len(solver.open_cells()) == len(varying) else "search"
    return (puzzle, solution) if (found or difficulty(puzzle)) == grade else None


def _board(kind: KindName, size: int, grade: Grade, truth: str, rng: random.Random) -> _Drawn | None:
    states = 2 if kind == "lights-out" else pick(rng, _STATES)
    dark = _dark(size, states)
    cells = [between(rng, 0, states - 1) for _ in range(dark.rows * dark.columns)]
    if truth == "none":
        board = _lit(dark.layout.pack(cells))
        return (board, None) if grade == "search" and not count_up_to(board, 1) else None
    # The presses of the first row decide the grade: the chase finds all others.
    guessed = pick(rng, range(dark.columns)) if grade == "probe" else None
    for column in range(dark.columns) if grade != "search" else ():
        cells[column] *= column == guessed
    board = dark.pressed(dark.layout.pack([-presses % states for presses in cells]))
    return (board, dark.layout.pack(cells)) if _grade_of_board(board) == grade else None


def _lit(lights: Grid) -> Any:
    prefix = "" if lights.states == 2 else f"modular-lights-out:{lights.states}/"
    return from_line(prefix + lights.text(), "exam")


@functools.cache
def _dark(size: int, states: int) -> Any:
    """Return the dark board of the shape nearest to a square that has boards without a solution; else the square."""
    shapes = itertools.product(range(size, size + _MAX_WIDER), (size, size - 1, size + 1))
    boards = [_lit(Layout(rows, columns, states).pack([0] * rows * columns)) for columns, rows in shapes]
    return next((board for board in boards if count_up_to(board, 2) > 1), boards[0])


def _grade_of_board(board: Puzzle) -> Grade:
    """Return how many presses of the first row a chase has to guess: none, one, or more."""
    for column, presses in [(0, 0), *itertools.product(range(board.columns), range(1, board.layout.states))]:
        if chase(board, [presses if other == column else 0 for other in range(board.columns)]) is not None:
            return "probe" if presses else "line"
    return "search"


def _proved(puzzle: Puzzle, truth: str, runner: Runner) -> tuple[int, tuple[str, str | None]]:
    """Return the number of solutions, the evidence and the certificate, the same on every machine."""
    prover = _PROVERS[puzzle.kind]
    comparison = compare(puzzle, prover, runner=runner, certify="," not in prover)
    verdict, number = comparison.verdict, comparison.verdict.solutions
    found = "none" if not number else "several" if number > 1 and "nonogram" in puzzle.kind else "one"
    proved = comparison.consistent and verdict.complete and verdict.evidence != "claimed"
    if number is None or not proved or found != truth:
        raise InternalError(f"expected a proof of {truth} as the number of solutions of {puzzle.text}")
    return number, (str(verdict.evidence), verdict.certificate.certificate.text() if verdict.certificate else None)
