"""What answers about a puzzle promise: backbones, cells to reveal, contradictions; against brute force by the rules."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from itertools import combinations

import pytest

from crosslit import Grid, LightsOut, Nonogram, load
from crosslit.conformance.samples import by_rules
from crosslit.contract import Encoding, Question, Task, answer_shape
from crosslit.errors import GaveUp
from crosslit.puzzles import Puzzle
from crosslit.registry import all_encodings, select
from crosslit.runs.inline import drive
from tests.conftest import all_grids, random_board, random_grid, random_nonogram, random_rules
from tests.contract.configurations import beyond, every_configuration


@cache
def samples(kind: str) -> tuple[Puzzle, ...]:
    """Small puzzles: with one solution, with many, with none."""
    rng = random.Random(8)
    puzzles: list[Puzzle] = []
    for rows, columns in [(1, 1), (1, 4), (4, 1), (2, 2), (2, 3), (3, 2), (3, 3)]:
        if kind == LightsOut.kind:
            puzzles += [random_board(rng, rows, columns) for _ in range(2)]
            puzzles += [random_rules(rng, rows, columns) for _ in range(2)]
        else:
            puzzles += [random_nonogram(rng, rows, columns) for _ in range(2)]
            other = random_nonogram(rng, rows, columns)
            puzzles.append(Nonogram(random_nonogram(rng, rows, columns).row_clues, other.column_clues))
    if kind == LightsOut.kind:
        puzzles += [LightsOut(Grid.from_bits(2, 3, 0)), LightsOut(Grid.from_text("100/000"))]
        puzzles.append(load("press=100,011,010/110/001/010"))  # unsolvable, and the pattern turned round is another
        puzzles.append(load("press=000,000,001/00/01"))  # solutions that differ in the last cell and nowhere else
    else:
        puzzles += [
            Nonogram([[1]] * 3, [[1]] * 3),
            Nonogram([[5], [1]], [[1], [1]]),
            Nonogram([[3], []], [[1], [], [9]]),
        ]
    return tuple(puzzles)


def answers(
    spec: str, puzzle: Puzzle, question: Question, target: Grid | None = None, among: Grid | None = None
) -> tuple[list[Grid], int] | None:
    """What is yielded, and the bound; None where the encoding cannot."""
    choice = select([spec], puzzle, question)[0]
    if choice.refusal or beyond(choice.encoding, puzzle):
        return None
    task = Task(question, encoding=choice.encoding, options=choice.options, target=target, among=among)
    try:
        return list(drive(choice.backend, puzzle, task)), task.bound
    except GaveUp:
        assert choice.encoding is not None
        assert _lacks(choice.encoding, question)
        return None


def _lacks(encoding: Encoding, question: Question) -> bool:
    return encoding.line is None if question == "mus" else "chase" in encoding.trusts


def _parametrize(question: Question) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("spec", "kind"), every_configuration(question))


@_parametrize("backbone")
def test_where_the_solutions_of_a_backbone_agree_all_do(spec: str, kind: str) -> None:
    for puzzle in samples(kind):
        if (found := answers(spec, puzzle, "backbone")) is None:
            continue
        solutions = by_rules(puzzle).solutions
        assert set(found[0]) <= solutions, puzzle.text
        assert _agreed(found[0]) == _agreed(solutions), puzzle.text


def _agreed(solutions: Sequence[Grid] | frozenset[Grid]) -> set[tuple[int, bool]] | None:
    values = [{(bit, bool(grid.bits >> bit & 1)) for bit in range(grid.rows * grid.columns)} for grid in solutions]
    return set.intersection(*values) if values else None


@_parametrize("reveal")
def test_the_fewest_cells_to_reveal(spec: str, kind: str) -> None:
    rng = random.Random(9)
    for puzzle in samples(kind):
        solutions = sorted(by_rules(puzzle).solutions, key=lambda grid: grid.bits)
        target = rng.choice(solutions) if solutions else None
        for among in (None, random_grid(rng, puzzle.rows, puzzle.columns, 0.8)):
            if (found := answers(spec, puzzle, "reveal", target, among)) is None:
                continue
            everything = (1 << puzzle.rows * puzzle.columns) - 1

            def suffices(cells: int, target: Grid | None = target, solutions: list[Grid] = solutions) -> bool:
                return not any(grid != target and not (grid.bits ^ target.bits) & cells for grid in solutions)  # type: ignore[union-attr]

            allowed = everything if among is None else among.bits
            if target is None or not suffices(allowed):
                assert found[0] == [], puzzle.text
                continue
            _check_ever_smaller(found, allowed, suffices, puzzle)


@_parametrize("mus")
def test_the_smallest_contradictions(spec: str, kind: str) -> None:
    rng = random.Random(10)
    for puzzle in samples(kind):
        rows, columns = answer_shape("mus", puzzle)
        kept = [_satisfied(puzzle, grid) for grid in all_grids(puzzle.rows, puzzle.columns)]

        def contradicts(constraints: int, kept: list[int] = kept) -> bool:
            return all(constraints & ~satisfied for satisfied in kept)

        for among in (None, random_grid(rng, rows, columns, 0.8)):
            if (found := answers(spec, puzzle, "mus", None, among)) is None:
                continue
            allowed = (1 << rows * columns) - 1 if among is None else among.bits
            if contradicts(allowed):
                _check_ever_smaller(found, allowed, contradicts, puzzle)
            else:
                assert found[0] == [], puzzle.text


def _satisfied(puzzle: Puzzle, grid: Grid) -> int:
    """The constraints that a grid keeps, as bits: the lights that it puts out, or the lines that have their blocks."""
    if isinstance(puzzle, LightsOut):
        if puzzle.missing is not None and grid.bits & puzzle.missing.bits:
            return 0
        return ~puzzle.pressed(grid).lit.bits
    own = Nonogram.of(grid)
    pairs = zip([*puzzle.row_clues, *puzzle.column_clues], [*own.row_clues, *own.column_clues], strict=True)
    return sum((clue == blocks) << line for line, (clue, blocks) in enumerate(pairs))


def _check_ever_smaller(found: tuple[list[Grid], int], allowed: int, enough, puzzle: Puzzle) -> None:  # type: ignore[no-untyped-def]
    """Each answer is allowed, enough and minimal; they get smaller; and the last has the fewest, which is the bound."""
    sets, bound = found
    counts = [grid.count() for grid in sets]
    assert counts == sorted(set(counts), reverse=True), puzzle.text
    for grid in sets:
        assert not grid.bits & ~allowed, puzzle.text
        assert enough(grid.bits), puzzle.text
        places = [1 << row * grid.columns + column for row, column in grid.cells()]
        assert not any(enough(grid.bits ^ place) for place in places), puzzle.text
    places = [1 << bit for bit in range(allowed.bit_length()) if allowed >> bit & 1]
    fewest = next(
        size for size in range(len(places) + 1) if any(enough(sum(some)) for some in combinations(places, size))
    )
    assert counts[-1] == fewest == bound, puzzle.text


@pytest.mark.parametrize("encoding", [e for e in all_encodings().values() if e.line], ids=lambda e: e.name)
def test_the_formula_of_a_line_alone(encoding: Encoding) -> None:
    """One model for each arrangement of the blocks, on every line up to seven cells; and none for what does not fit."""
    from tests.contract.test_every_encoding import models_by_cells

    for length in range(1, 8):
        lines: dict[tuple[int, ...], list[int]] = {(length + 1,): [], (1,) * length + (1,): []}
        for grid in all_grids(1, length):
            lines.setdefault(Nonogram.of(grid).row_clues[0], []).append(grid.bits)
        for clue, arrangements in lines.items():
            assert encoding.line is not None
            assert models_by_cells(encoding.line(clue, length)) == dict.fromkeys(arrangements, 1), (clue, length)
