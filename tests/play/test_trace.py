"""The steps that solvers report: in order, in words, as JSON, and none unless requested."""

from __future__ import annotations

import json
import random

import pytest
from crosslit_play.trace import STEPS, words

from crosslit import Nonogram, load, solutions
from crosslit.base.errors import SpecError
from crosslit.contract import Task
from crosslit.kinds import Puzzle
from crosslit.registry import select_one
from tests.conftest import random_board, random_nonogram, random_rules
from tests.play.conftest import steps

TELLING = {"nonogram": ["alignment:kernel=no"], "lights-out": ["first-row", "gauss", "polynomial"]}
EVERY = [(spec, kind) for kind, specs in TELLING.items() for spec in specs]


def samples(kind: str) -> list[Puzzle]:
    rng = random.Random(4)
    shapes = [(1, 1), (1, 4), (3, 2), (4, 4), (5, 4)]
    if kind == "lights-out":
        return [random_board(rng, *shape) for shape in shapes]
    one = random_nonogram(rng, 4, 4)
    return [*(random_nonogram(rng, *shape) for shape in shapes), Nonogram(one.row_clues, one.column_clues[::-1])]


@pytest.mark.parametrize(("spec", "kind"), EVERY)
def test_every_step_is_json_and_has_words(spec: str, kind: str) -> None:
    for puzzle in samples(kind):
        told = steps(puzzle, spec)
        assert json.loads(json.dumps(told)) == json.loads(json.dumps(told, default=str))
        assert all(words(json.loads(json.dumps(step))) for step in told)
        assert {step["step"] for step in told} <= set(STEPS)
        found = [step["cells"] for step in told if step["step"] == "solution"]
        assert found == [grid.text for grid in solutions(puzzle, spec)]
        assert told[-1] == {"step": "end", "found": len(found)}


@pytest.mark.parametrize(("spec", "kind"), EVERY)
def test_the_solver_does_the_same_untold(spec: str, kind: str) -> None:
    for puzzle in samples(kind):
        choice = select_one(spec, puzzle)
        runs = []
        for trace in (None, lambda *_: None):
            task = Task(options=choice.options, trace=trace)
            runs.append((list(choice.backend.solutions(puzzle, task)), task.stats))  # type: ignore[attr-defined]
        assert runs[0] == runs[1]


def test_the_limits_of_a_line_move_until_they_agree() -> None:
    """Between two steps `line`, front starts only move right, back starts only left, and known cells only increase."""
    for puzzle in samples("nonogram"):
        before: dict[str, list[int]] = {}
        known = ""
        for step in steps(puzzle, "alignment"):
            if step["step"] == "line":
                before, known = {}, step["known"]
            elif step["step"] in ("front", "back"):
                sign = 1 if step["step"] == "front" else -1
                moved = [sign * start for start in step["starts"]]
                assert all(a <= b for a, b in zip(before.get(step["step"], moved), moved, strict=True))
                before[step["step"]] = moved
            elif step["step"] == "settled":
                assert all(old in ("?", new) for old, new in zip(known, step["known"], strict=True))


def test_guesses_and_contradictions_are_reported_in_order() -> None:
    names = [step["step"] for step in steps(load("1,1|1,1"), "alignment")]
    assert [name for name in names if name in ("guess", "solution", "backtrack", "contradiction", "end")] == [
        *("guess", "solution", "guess", "solution", "end")
    ]
    told = steps(load("1 1,1 1,1,1|1 1,1 1,2,1"), "alignment")
    assert told == [{"step": "sums", "rows": 6, "columns": 7}, {"step": "end", "found": 0}]
    told = steps(load("0,2|2,0"), "alignment")
    assert told[-3:] == [{"step": "contradiction"}, {"step": "backtrack", "left": 0}, {"step": "end", "found": 0}]


def test_pivots_are_as_many_as_the_rank() -> None:
    rng = random.Random(6)
    for _ in range(20):
        board = random_rules(rng, rng.randint(1, 4), rng.randint(1, 4))
        told = steps(board, "gauss")
        pivots = [step for step in told if step["step"] == "pivot"]
        assert len({tuple(step["press"]) for step in pivots}) == len(pivots)
        missing = 0 if board.missing is None else board.missing.count()
        found = sum(step["step"] == "solution" for step in told)
        cells = board.rows * board.columns - missing
        assert found in (0, 2 ** (cells - len(pivots)))
        assert (found == 0) == any(step["step"] == "impossible" for step in told)


def test_every_contradicting_light_is_reported() -> None:
    """In a 4 x 4 board the last four lights follow from the others, so lights only there cannot be turned off."""
    for lit in ("0000", "1000", "1100", "1111"):
        told = steps(load(f"0000/0000/0000/{lit}"), "gauss")
        assert sum(step["step"] == "impossible" for step in told) == lit.count("1")


def test_backends_without_steps() -> None:
    with pytest.raises(SpecError, match="'cadical195': it does not trace its steps"):
        steps(load("1|1"), "cadical195")
