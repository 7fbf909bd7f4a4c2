"""Belief propagation: marginals against all arrangements, hints against the formula, and two alternating engines."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

import numpy as np
import pytest
from crosslit_backends.nonogram import probing
from crosslit_backends.nonogram.message_passing import LineMarginals, phase_hints
from crosslit_backends.nonogram.probing import Alternation
from crosslit_encoders.formula import Formula, Literals
from crosslit_encoders.nonogram.order import TRUE, residue
from numpy.typing import NDArray

from crosslit import Grid
from crosslit.base.errors import GaveUp
from crosslit.contract import Task
from crosslit.formats import read
from crosslit.kinds.nonogram.puzzle import Clue
from crosslit.registry import all_backends
from tests.conftest import random_nonogram
from tests.driving import solve_inline

LENGTH = 7
LINES = list(product((0, 1), repeat=LENGTH))


def clue_of(line: tuple[int, ...]) -> Clue:
    """The lengths of the blocks."""
    return tuple(map(len, "".join(map(str, line)).replace("0", " ").split()))


def marginals(clue: Clue, odds: list[float], known: list[int]) -> list[float]:
    """The probability of each cell, summed over all lines with the clue."""
    weights: Counter[tuple[int, ...]] = Counter()
    for line in LINES:
        fits = all(not value or (value == TRUE) == cell for value, cell in zip(known, line, strict=True))
        if fits and clue_of(line) == clue:
            weights[line] = np.exp(sum(odd for odd, cell in zip(odds, line, strict=True) if cell))
    total = sum(weights.values())
    return [sum(weight for line, weight in weights.items() if line[cell]) / total for cell in range(LENGTH)]


def test_marginals_are_those_of_all_arrangements() -> None:
    rng = random.Random(1)
    clues, knowns, odds = [], [], []
    for line in rng.sample(LINES, 60):
        clues.append(clue_of(line))
        knowns.append([(TRUE if cell else -TRUE) if rng.random() < 0.2 else 0 for cell in line])
        odds.append([rng.gauss(0, 2) if not value else 0.0 for value in knowns[-1]])
    found, starts = LineMarginals(clues, np.array(knowns, np.int32)).solve(np.array(odds))
    expected = [marginals(*line) for line in zip(clues, odds, knowns, strict=True)]
    assert np.allclose(found, expected, atol=1e-4)  # a filled cell counts by its odds, e^15
    assert np.allclose(starts.sum(axis=1), 1)


def test_hints_are_a_model_where_beliefs_converge() -> None:
    puzzle = read("1 1,1,2|1 1,2,1")
    (solution,) = solve_inline("line", puzzle)
    known = [0] * puzzle.rows
    formula = residue(puzzle, known, known)
    hints = phase_hints(puzzle, known, known, range(puzzle.rows))
    assert list(map(abs, hints)) == list(range(1, formula.variables + 1))
    true = {literal for literal in hints if literal > 0}
    assert all(any((abs(literal) in true) == (literal > 0) for literal in clause) for clause in formula.clauses())
    assert formula.grid(hints).text().replace("/", "") == solution.text().replace("/", "")


@pytest.mark.parametrize("text", ["0,0|0,0", "1,1|1,1", "2,1|1,2", "3|1,1,1"])
def test_it_finds_and_gives_up(text: str) -> None:
    puzzle = read(text)
    solutions = all_backends()["belief"].solutions(puzzle, Task())
    found: list[Grid] = []
    with pytest.raises(GaveUp, match="cannot know"):
        while True:
            found.append(next(solutions))
    assert found
    assert len(set(found)) == len(found)
    assert set(found) <= set(solve_inline("brute", puzzle))


@pytest.mark.parametrize("text", ["2|1", "3,1|1,1", "1|2", "1 1,1,0|0,3,0"])
def test_it_proves_nothing(text: str) -> None:
    with pytest.raises(GaveUp):
        next(all_backends()["belief"].solutions(read(text), Task()))


@pytest.mark.parametrize("piece", [None, 1, 100])
def test_engines_take_turns_until_one_finds(piece: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    # seven pigeons in six holes, then the last pigeon gone: no engine is done within a conflict or two
    monkeypatch.setattr(probing, "BUDGET", 1)
    monkeypatch.setattr(probing, "HINTED_BUDGET", 1)
    holes, pigeons = range(6), range(7)
    number = {pair: index for index, pair in enumerate(product(pigeons, holes), 1)}
    clauses = [[number[pigeon, hole] for hole in holes] for pigeon in pigeons[:-1]]
    clauses += [[-number[a, hole], -number[b, hole]] for hole in holes for a in pigeons for b in range(a)]
    formula = Formula(7, 6, 42, *_flat(clauses))
    turns: list[int] = []

    def hints(turn: int) -> list[int]:
        turns.append(turn)
        return [-variable for variable in number.values()]

    solver = Alternation(formula, hints, piece=piece)

    def solve(*assumptions: int) -> bool:
        while (answer := solver.solve(assumptions)) is None:
            assert piece
        return answer

    try:
        solver.add_clause([43, *(number[pigeons[-1], hole] for hole in holes)])
        assert not solve(-43)
        assert turns[:2] == [0, 1]
        solver.add_clause([43])
        assert solve()
        model = solver.get_model()
        assert all(any(model[abs(literal) - 1] == literal for literal in clause) for clause in clauses)
        assert solver.accum_stats()["conflicts"] > 3
    finally:
        solver.delete()


def _flat(clauses: list[list[int]]) -> tuple[Literals, NDArray[np.int64]]:
    """Clauses as a formula keeps them: the literals, and where each clause ends."""
    return np.concatenate(clauses).astype(np.int32), np.cumsum([len(clause) for clause in clauses])


def test_hybrid_finds_all_by_engines_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "BUDGET", 1)
    monkeypatch.setattr(probing, "HINTED_BUDGET", 1)
    monkeypatch.setattr("crosslit_backends.nonogram.hybrid.IN_ADVANCE", 0)
    rng = random.Random(4)
    for _ in range(30):
        puzzle = random_nonogram(rng, 6, 6)
        assert set(solve_inline("hybrid", puzzle)) == set(solve_inline("line", puzzle)), puzzle.text
