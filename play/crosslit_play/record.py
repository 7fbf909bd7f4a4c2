"""The data of a puzzle for a page, found under limits: its solutions if they are few, or why there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from crosslit.errors import InputError
from crosslit.grid import Grid
from crosslit.judging.verdict import DISCREDITS, Finding, run_findings
from crosslit.kinds import LightsOut, Nonogram, Puzzle
from crosslit.kinds.lights_out.board_system import elimination_work
from crosslit.kinds.lights_out.chase import why_no_chase
from crosslit.kinds.lights_out.nullity import solution_space
from crosslit.questions.explain import explain
from crosslit.questions.solve import some_solutions
from crosslit.runs.run import Run
from crosslit.runs.runner import Runner
from crosslit_play.story import stories

MAX_CELLS = 10_000
"""Maximum cells of a puzzle on a page: each is an element that can be pressed."""
MAX_SOLUTIONS = 16
MAX_QUIET = 16
"""Maximum dimension of a kernel that a page searches for the fewest presses after every press."""
_MAX_WORK = 20_000_000  # row operations: a few seconds


@dataclass(frozen=True)
class PageData:
    """The data of a puzzle for a page.

    Args:
        record: the data as the page embeds it.
        decided: whether the page knows all solutions, or that there are more than it shows, or why there is none.
    """

    record: dict[str, Any]
    findings: tuple[Finding, ...]
    decided: bool
    runs: tuple[Run, ...]

    @property
    def name(self) -> str:
        """The name of the puzzle, or else its kind."""
        return str(self.record["name"] or self.record["kind"])

    def json(self) -> dict[str, Any]:
        """Return the numbers of the page about it as JSON, documented in docs/reference/json.md."""
        record = self.record
        return {
            "name": record["name"] or None,
            "solutions": len(record["solutions"]),
            "complete": record["complete"],
            "steps": sum(len(story["steps"]) for story in record["stories"]),
        }


def check_size(puzzle: Puzzle) -> None:
    """Raise an error for puzzles that no page can show.

    Raises:
        InputError: if there are more than `MAX_CELLS` cells, or a page cannot draw puzzles of the kind.
    """
    if puzzle.kind not in _RECORDS:
        raise InputError(puzzle.name or puzzle.kind, f"expected a puzzle of the kinds {', '.join(_RECORDS)} for a page")
    cells = puzzle.rows * puzzle.columns
    if cells > MAX_CELLS:
        size = f"{puzzle.rows} x {puzzle.columns}"
        raise InputError(
            puzzle.name or puzzle.kind, f"expected at most {MAX_CELLS} cells for a page, found {cells} ({size})"
        )


def gather_all(puzzles: Iterable[Puzzle], runner: Runner) -> list[PageData]:
    """Return the data of puzzles for a page, only of some after an interrupt.

    Raises:
        InputError: if one is too large; no run has started then.
    """
    puzzles = list(puzzles)
    for puzzle in puzzles:
        check_size(puzzle)
    return [gather(runner, puzzle) for puzzle in puzzles if not runner.interrupted]


def gather(runner: Runner, puzzle: Puzzle) -> PageData:
    """Return the data of a puzzle for a page."""
    check_size(puzzle)
    solutions, run = some_solutions(runner, puzzle, MAX_SOLUTIONS + 1)
    findings, runs = run_findings(run), [run]
    complete = run.status == "complete" and not any(finding.problem in DISCREDITS for finding in findings)
    record: dict[str, Any] = {
        "kind": puzzle.kind,
        "name": puzzle.name,
        "text": puzzle.text,
        "rows": puzzle.rows,
        "columns": puzzle.columns,
        "solutions": [grid.text() for grid in solutions[:MAX_SOLUTIONS]],
        "complete": complete,
        "by": run.backend,
        "more": len(solutions) > MAX_SOLUTIONS,
        "stopped": "" if complete or len(solutions) > MAX_SOLUTIONS else run.error or run.status,
        "why": None,
    }
    if complete and not solutions and not runner.interrupted:
        why = explain(puzzle, runner=runner)
        findings += [finding for finding in why.findings if finding not in findings]
        runs += why.contradiction.runs if why.contradiction else ()
        chosen = why.contradiction.chosen if why.contradiction else None
        record["why"] = {
            "sums": why.sums,
            "lines": list(why.lines),
            "chosen": [] if chosen is None or why.lights is not None else [number for _, number in chosen.cells()],
            "lights": why.lights.text() if why.lights is not None else None,
        }
    record.update(_RECORDS[puzzle.kind](puzzle))
    record["stories"] = stories(puzzle, lambda: runner.interrupted)
    decided = complete or len(solutions) > MAX_SOLUTIONS
    return PageData(record, tuple(findings), decided, tuple(runs))


def _nonogram(puzzle: Nonogram) -> dict[str, Any]:
    return {"row_clues": puzzle.row_clues, "column_clues": puzzle.column_clues}


def _board(board: LightsOut) -> dict[str, Any]:
    """Return the rules of a board, its lights, and its kernel if a page can use it."""
    nullity: int | None = None
    kernel: list[str] | None = None
    if why_no_chase(board) is None or elimination_work(board.rows, board.columns, board) <= _MAX_WORK:
        _, basis = solution_space(board)
        nullity = len(basis)
        if nullity <= MAX_QUIET:
            kernel = [Grid.from_bits(board.rows, board.columns, quiet).text() for quiet in basis]
    return {
        "lit": board.lit.text(),
        "missing": None if board.missing is None else board.missing.text(),
        "pattern": board.pattern,
        "joined": {"rows": board.wraps_rows, "columns": board.wraps_columns},
        "settings": list(board.settings),
        "nullity": nullity,
        "kernel": kernel,
    }


_RECORDS: dict[str, Callable[[Any], dict[str, Any]]] = {LightsOut.kind: _board, Nonogram.kind: _nonogram}
"""By kind, the function that gathers a puzzle's data; the scripts draw only these kinds."""
