"""What every registered backend promises; a new one is tested here by being registered."""

from __future__ import annotations

import random
from collections import defaultdict
from functools import cache

import pytest

from crosslit import Grid, LightsOut, Nonogram
from crosslit.contract import PHASES, TARGETS, Task
from crosslit.errors import GaveUp, SpecError, Unavailable
from crosslit.formats import read
from crosslit.puzzles import Puzzle
from crosslit.puzzles.lights_out import NEIGHBOURS
from crosslit.registry import all_backends, questions, select, select_one
from crosslit.runs.inline import drive
from tests.conftest import all_grids, random_board, random_grid, random_nonogram, random_rules
from tests.contract.configurations import available, beyond, every_configuration
from tests.driving import solve_inline

every_fewest = pytest.mark.parametrize(
    "spec", [spec for spec, kind in every_configuration("fewest") if kind == "lights-out"]
)
every = pytest.mark.parametrize(("spec", "kind"), every_configuration())


@cache
def samples(kind: str) -> list[tuple[Puzzle, set[Grid]]]:
    """Small puzzles of a kind with all their solutions, by the rule checker; solvable and unsolvable ones."""
    rng = random.Random(5)
    found = []
    for rows, columns in [(1, 1), (1, 5), (5, 1), (2, 5), (4, 3), (3, 4)]:
        puzzles: list[Puzzle]
        if kind == "lights-out":
            puzzles = [random_board(rng, rows, columns) for _ in range(3)]
            puzzles += [LightsOut(random_grid(rng, rows, columns), NEIGHBOURS) for _ in range(2)]
            puzzles += [random_rules(rng, rows, columns) for _ in range(6)]
        else:
            puzzles = [random_nonogram(rng, rows, columns) for _ in range(3)]
            one, other = random_nonogram(rng, rows, columns), random_nonogram(rng, rows, columns)
            puzzles.append(Nonogram(one.row_clues, other.column_clues))
        for puzzle in puzzles:
            solutions = {grid for grid in all_grids(rows, columns) if not any(puzzle.violations(grid))}
            found.append((puzzle, solutions))
    return found


@every
def test_all_3_by_3_puzzles(spec: str, kind: str) -> None:
    truth: dict[Puzzle, set[Grid]] = defaultdict(set)
    if kind == "lights-out":
        for grid in all_grids(3, 3):  # every 3 x 3 board has one solution
            lit = Grid.from_cells(
                [
                    [
                        sum(grid[r, c] for r in range(3) for c in range(3) if abs(r - row) + abs(c - column) <= 1) % 2
                        for column in range(3)
                    ]
                    for row in range(3)
                ]
            )
            truth[LightsOut(lit)].add(grid)
    else:
        for grid in all_grids(3, 3):
            truth[Nonogram.of(grid)].add(grid)
    for puzzle, grids in list(truth.items())[:: _step(spec, command=17, cpsat=3)]:
        found = solve_inline(spec, puzzle)
        assert len(found) == len(grids), puzzle.text
        assert set(found) == grids, puzzle.text


def _step(spec: str, command: int = 1, **slow: int) -> int:
    """That of a spread of puzzles for the slow: commands (a process for each solution), and backends by their names.

    Not by powers of two: such a spread of all boards would leave some cells dark in every one.
    """
    name = spec.partition("/")[0]
    return command if "command" in all_backends()[name].groups else slow.get(name, 1)


@every
def test_a_sample_of_other_shapes(spec: str, kind: str) -> None:
    for puzzle, grids in samples(kind)[:: _step(spec, command=3, brute=3)]:
        choice = select([spec], puzzle)[0]
        if choice.refusal or beyond(choice.encoding, puzzle):
            continue
        found = solve_inline(spec, puzzle)
        assert len(found) == len(grids), puzzle.text
        assert set(found) == grids, puzzle.text


def test_who_refuses_rules() -> None:
    """Whoever chases from the first row refuses what else than the plus it was not made for; all others take it."""
    refusing = {"first-row", "chase", "polynomial"}
    for rules in ("press=king", "press=010,010,000", "wrap=torus", "wrap=horizontal", "_00"):
        board = read(f"{rules}/111/111" if "=" in rules else f"{rules}/111")
        for name, backend in all_backends().items():
            if board.kind in backend.kinds and "solutions" in questions(backend):
                assert bool(backend.refuses(board, {})) == (name in refusing), (name, rules)


@pytest.mark.parametrize("spec", [spec for spec, kind in every_configuration() if kind == "nonogram"])
def test_clues_that_cannot_fit(spec: str) -> None:
    for rows, columns in [([[2]], [[1]]), ([[10**9]], [[10**9]]), ([[], [2]], [[2], []]), ([[1, 1]], [[1], [1]])]:
        assert solve_inline(spec, Nonogram(rows, columns)) == []


@every
def test_taking_fewer_than_there_are(spec: str, kind: str) -> None:
    puzzle = LightsOut(Grid.from_bits(4, 4, 0)) if kind == "lights-out" else Nonogram([[1]] * 4, [[1]] * 4)
    choice = select_one(spec, puzzle)
    task = Task(want=2, encoding=choice.encoding)
    solutions = drive(choice.backend, puzzle, task)
    found = [next(solutions), next(solutions)]
    solutions.close()
    assert found[0] != found[1]
    assert not [violation for grid in found for violation in puzzle.violations(grid)]


@every
def test_a_run_for_one_solution_never_claims_that_it_is_the_only_one(spec: str, kind: str) -> None:
    puzzle = LightsOut(Grid.from_bits(2, 3, 0)) if kind == "lights-out" else Nonogram([[1]] * 2, [[1]] * 2)
    choice = select_one(spec, puzzle)
    solutions = drive(choice.backend, puzzle, Task(want=1, encoding=choice.encoding))
    next(solutions)
    try:
        further = list(solutions)
    except GaveUp:
        return
    # exhausted without giving up: then that claim is one about all solutions
    assert 1 + len(further) == len(solve_inline(spec, puzzle))


@every
def test_the_same_task_gives_the_same_solutions_in_the_same_order(spec: str, kind: str) -> None:
    for puzzle, _ in samples(kind)[:3]:
        assert solve_inline(spec, puzzle) == solve_inline(spec, puzzle)


@every
def test_every_phase_is_told(spec: str, kind: str) -> None:
    puzzle = random_board(random.Random(7), 3, 4) if kind == "lights-out" else random_nonogram(random.Random(7), 3, 4)
    choice = select_one(spec, puzzle)
    task = Task(encoding=choice.encoding)
    list(drive(choice.backend, puzzle, task))
    assert set(task.clock.seconds) == set(PHASES)
    assert all(seconds >= 0 for seconds in task.clock.seconds.values())
    assert task.clock.seconds["solve"] > 0
    assert task.clock.seconds["encode"] > 0 or choice.encoding is None


@every_fewest
def test_the_fewest_presses_of_a_sample(spec: str) -> None:
    rng = random.Random(11)
    boards = [random_board(rng, rows, columns) for rows, columns in [(1, 1), (1, 5), (4, 4), (4, 4), (5, 3)]]
    boards += [LightsOut(Grid.from_bits(4, 4, 0)).pressed(random_board(rng, 4, 4).lit) for _ in range(3)]
    boards += [random_rules(rng, rows, columns) for rows, columns in [(1, 2), (2, 3), (3, 3), (3, 4)] * 4]
    if spec == "brute":  # it tries every grid: one board of 4 x 4 is enough of these
        boards = [*boards[:3], *boards[8:]]
    for board in boards:
        expected = min((grid.count() for grid in solve_inline("gauss", board)), default=None)
        choice = select_one(spec, board, "fewest")
        task = Task("fewest", None, choice.encoding, choice.options)
        found = list(drive(choice.backend, board, task))
        assert not [violation for grid in found for violation in board.violations(grid)], board.text
        counts = [grid.count() for grid in found]
        assert counts == sorted(set(counts), reverse=True), board.text
        assert (counts[-1] if counts else None) == expected, board.text
        assert expected is None or task.bound == expected, board.text


@pytest.mark.parametrize("spec", ["cpsat/chased", "rc2/chased-cut4"])
def test_the_fewest_presses_need_a_variable_for_each(spec: str) -> None:
    board = LightsOut(Grid.from_text("10/01"))
    choice = select_one(spec, board, "fewest")
    with pytest.raises(GaveUp, match="no variable for every press"):
        list(drive(choice.backend, board, Task("fewest", None, choice.encoding)))


@pytest.mark.parametrize("name", list(all_backends()))
def test_what_a_backend_says_of_itself(name: str) -> None:
    backend = all_backends()[name]
    assert backend.name == name
    assert backend.summary
    if available(name):
        assert backend.version()
    else:
        with pytest.raises(Unavailable, match=r"pip install|is not"):
            backend.version()
    assert backend.trusts
    assert questions(backend)
    assert backend.kinds <= {"lights-out", "nonogram"}
    assert backend.accepts <= set(TARGETS)


@pytest.mark.parametrize("name", [name for name, backend in all_backends().items() if len(backend.kinds) == 1])
def test_the_other_kind_is_refused(name: str) -> None:
    puzzle: Puzzle = LightsOut(Grid.from_text("1"))
    if puzzle.kind in all_backends()[name].kinds:
        puzzle = Nonogram([[1]], [[1]])
    assert select([name], puzzle)[0].refusal == f"does not solve {puzzle.kind} puzzles"
    with pytest.raises(SpecError, match="does not solve"):
        select_one(name, puzzle)
