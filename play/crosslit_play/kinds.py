"""What a page shows of each kind of puzzle: its rules, as the scripts read them, and the steps of some solvers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crosslit.algebra.chase import why_no_chase
from crosslit.base.errors import InputError
from crosslit.base.text import join_names
from crosslit.kinds import NAMED, OWN, LightsOut, Nonogram, Puzzle, find_kind

_MAX_CHASED = 120_000  # cells of all first rows of a board, chased
_MAX_ELIMINATED = 900  # cells of a board with k states that is eliminated


def rules_of(puzzle: Puzzle) -> dict[str, Any]:
    """Return the goal in words and the rules of a puzzle; an InputError says that no page shows it."""
    if isinstance(puzzle, LightsOut):
        return _board(puzzle)
    if isinstance(puzzle, Nonogram):
        return _nonogram(puzzle)
    known = join_names([find_kind(kind).plural for kind in (*OWN, *NAMED)])
    raise InputError(puzzle.name or puzzle.text, f"a page shows {known}, not {puzzle.plural}")


def _board(board: LightsOut) -> dict[str, Any]:
    """Return the lights, ``_`` for missing cells, and for each press those to which it adds 1, repeated for more."""
    if not board.is_grid:
        raise InputError(board.name or board.text, "a page shows grids, not boards of edges or of a matrix")
    where = f"by these rules: {', '.join(board.settings)}" if board.settings else "a cell and its four neighbours"
    if board.states > 2:
        adds = "adds" if board.settings else "adds 1 to"
        goal = f"Bring all lights to 0: a press {adds} {where}, modulo {board.states}."
    else:
        goal = f"Put all lights out: a press toggles {where}."
    return {
        "goal": goal,
        "states": board.states,
        "lights": "/".join(board.lines),
        "presses": [[light for light, amount in effect for _ in range(amount)] for effect in board.effects],
    }


def _nonogram(puzzle: Nonogram) -> dict[str, Any]:
    """Return the blocks of all lines as pairs of a length and a colour, and the palette if any."""
    if puzzle.palette:
        goal = "Colour cells so that each line has the blocks of its clue. Only blocks of one colour need a gap."
    else:
        goal = "Fill cells so that each line has the blocks of its clue."
    clues = [puzzle.pairs(clue) for clue in (*puzzle.row_clues, *puzzle.column_clues)]
    return {"goal": goal, "clues": clues, "palette": puzzle.palette}


def solvers_of(puzzle: Puzzle) -> Iterator[tuple[str, str]]:
    """Yield the solvers whose steps a page shows: the spec and a title."""
    if not isinstance(puzzle, LightsOut):
        yield "alignment", "alignment: line by line"
    elif puzzle.states > 2:
        if puzzle.rows * puzzle.columns <= _MAX_ELIMINATED:
            yield "howell", "howell: elimination, light by light"
    elif why_no_chase(puzzle) is not None:
        yield "gauss", "gauss: elimination, light by light"
    else:
        yield "polynomial", "polynomial: one chase and one congruence"
        if puzzle.columns <= 10 and puzzle.rows * puzzle.columns << puzzle.columns <= _MAX_CHASED:
            yield "first-row", "first-row: every first row, chased"
