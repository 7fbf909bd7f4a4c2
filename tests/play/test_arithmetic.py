"""Computations of the page against those of Python: elimination, contradictions, lines, searches."""

from __future__ import annotations

import itertools
import random
from importlib.resources import files
from typing import Any

import pytest

from crosslit import Grid, LightsOut, Nonogram, fewest, solutions
from crosslit.algebra.nullity import solution_space
from tests.conftest import random_grid, random_nonogram, random_rules

pytestmark = pytest.mark.slow  # a browser


def run(chromium: Any, text: str, *arguments: Any) -> Any:
    """Run a script after the parts of the page that compute."""
    names = ("gf2.js", "lines.js", "view.js", "board.js", "nonogram.js", "clues.js", "link.js")
    parts = "\n".join(files("crosslit_play").joinpath(name).read_text("utf-8") for name in names)
    chromium.get("about:blank")
    return chromium.execute_script(f"{parts}\n{text}", *arguments)


def boards() -> list[LightsOut]:
    rng = random.Random(5)
    shapes = [(rng.randint(1, 5), rng.randint(1, 5)) for _ in range(80)]
    return [random_rules(rng, rows, columns) for rows, columns in shapes] + [
        LightsOut(random_grid(rng, size, size)) for size in (4, 5, 9, 11, 13)
    ]


def rules(board: LightsOut) -> dict[str, Any]:
    return {
        "rows": board.rows,
        "columns": board.columns,
        "pattern": board.pattern,
        "joined": {"rows": board.wraps_rows, "columns": board.wraps_columns},
        "missing": None if board.missing is None else board.missing.text,
        "lit": board.lit.text,
    }


def test_boards_are_solved_or_contradicted(chromium: Any) -> None:
    chosen = boards()
    answers = run(
        chromium,
        """
        const cells = (bits, count) => bits && Array.from({ length: count }, (_, at) => bit(bits, at)).join("");
        return arguments[0].map((board) => {
          const rules = { ...board, missing: board.missing && bitsOf(board.missing) };
          const lit = bitsOf(board.lit), count = board.rows * board.columns;
          const { solution, kernel } = eliminate(rules, lit);
          const best = solution && kernel.length <= MAX_QUIET ? lightest(solution, kernel) : solution;
          return [cells(best, count), kernel.length, solution ? null : cells(contradiction(rules, lit), count)];
        });
        """,
        [rules(board) for board in chosen],
    )
    found = 0
    for board, (solution, nullity, lights) in zip(chosen, answers, strict=True):

        def grid(cells: str, board: LightsOut = board) -> Grid:
            return Grid.from_bits(board.rows, board.columns, int(cells[::-1], 2))

        particular, kernel = solution_space(board)
        assert (solution is None, nullity) == (particular is None, len(kernel)), board.text
        if solution is None:
            assert board.contradicts(grid(lights)), board.text
        else:
            found += 1
            assert not list(board.violations(grid(solution))), board.text
            best = fewest(board)
            assert best is not None
            assert grid(solution).count() == best.count(), board.text
    assert 10 < found < len(chosen) - 10


@pytest.mark.parametrize("length", range(1, 7))
def test_a_line_is_settled_completely(chromium: Any, length: int) -> None:
    lines = ["".join(cells) for cells in itertools.product("10", repeat=length)]
    fits: dict[tuple[int, ...], list[str]] = {(length + 1,): [], (1, length): []}
    for line in lines:
        fits.setdefault(tuple(map(len, line.replace("0", " ").split())), []).append(line)
    expected = [
        [
            "".join(cells.pop() if len(cells) == 1 else "?" for cells in map(set, zip(*left, strict=True)))
            if left
            else None
        ]
        for all_ in fits.values()
        for known in map("".join, itertools.product("10?", repeat=length))
        for left in [[line for line in all_ if all(a in ("?", b) for a, b in zip(known, line, strict=True))]]
    ]
    asked = [[clue, known] for clue in fits for known in map("".join, itertools.product("10?", repeat=length))]
    script = "return arguments[0].map(([clue, known]) => [settleLine(clue, [...known])?.join('') ?? null])"
    assert run(chromium, script, asked) == expected


def test_all_solutions_of_nonograms_are_found(chromium: Any) -> None:
    rng = random.Random(9)
    chosen = [random_nonogram(rng, rng.randint(1, 6), rng.randint(1, 6)) for _ in range(60)]
    chosen += [Nonogram(puzzle.row_clues, puzzle.column_clues[::-1]) for puzzle in chosen[:20]]
    script = """
        return arguments[0].map(({ rows, columns, across, down }) => {
          const puzzle = { rows, columns, row_clues: across, column_clues: down };
          return search(puzzle, Array(rows * columns).fill(UNKNOWN), 1000, 60000);
        });
    """
    shapes = [{"rows": p.rows, "columns": p.columns, "across": p.row_clues, "down": p.column_clues} for p in chosen]
    for puzzle, answer in zip(chosen, run(chromium, script, shapes), strict=True):
        expected = sorted(grid.text.replace("/", "") for grid in solutions(puzzle))
        assert (sorted(answer["found"]), answer["complete"], answer["late"]) == (expected, True, False)


@pytest.mark.parametrize(("most", "complete"), [(1, False), (2, True), (3, True)])
def test_a_search_that_finds_as_many_as_it_may_knows_whether_there_are_more(
    chromium: Any, most: int, complete: bool
) -> None:
    script = """
        const puzzle = { rows: 2, columns: 2, row_clues: [[1], [1]], column_clues: [[1], [1]] };
        return search(puzzle, Array(4).fill(UNKNOWN), arguments[0], 60000);
    """
    answer = run(chromium, script, most)
    assert answer == {"found": ["1001", "0110"][:most], "complete": complete, "late": False}


def test_undo_of_a_move_that_changed_a_cell_twice_restores_its_first_value(chromium: Any) -> None:
    script = """
        const game = new NonogramGame({ rows: 1, columns: 2, row_clues: [[1]], column_clues: [[1], []] });
        game.set(0, FILLED);
        game.set(1, EMPTY, true);
        game.set(0, EMPTY, true);
        const before = game.cells.join("");
        game.undo();
        return [before, game.cells.join(""), game.moves];
    """
    assert run(chromium, script) == ["00", "??", 0]
