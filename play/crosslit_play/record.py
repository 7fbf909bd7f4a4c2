"""The data of a puzzle for a page, found under limits: its solutions if they are few, or why there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from crosslit.base.errors import InputError
from crosslit.base.numbers import join_names
from crosslit.contract.run import Run
from crosslit.judging.verdict import DISCREDITS, Finding, run_findings
from crosslit.kinds import Puzzle, all_kinds, kind_of
from crosslit.questions.explain import explain
from crosslit.questions.solve import some_solutions
from crosslit.runs.runner import Runner
from crosslit_play.story import stories

MAX_CELLS = 10_000
"""Maximum cells of a puzzle on a page: each is an element that can be pressed."""
MAX_SOLUTIONS = 16


@dataclass(frozen=True)
class PageData:
    """The data of a puzzle for a page."""

    record: dict[str, Any]  # as the page embeds it
    findings: tuple[Finding, ...]
    decided: bool  # whether the page knows all solutions, or that there are more than it shows, or why there is none
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
    """Raise an InputError for puzzles that no page can show."""
    if kind_of(puzzle).page is None:
        kinds = join_names([kind.puzzle.plural for kind in all_kinds().values() if kind.page])
        raise InputError(puzzle.name or puzzle.text, f"a page shows {kinds}, not {puzzle.plural}")
    cells = puzzle.rows * puzzle.columns
    if cells > MAX_CELLS:
        size = f"{puzzle.rows} x {puzzle.columns}"
        raise InputError(
            puzzle.name or puzzle.kind, f"expected at most {MAX_CELLS} cells for a page, found {cells} ({size})"
        )


def gather_all(
    puzzles: Iterable[Puzzle], runner: Runner, for_players: bool = False, ended: Callable[[], None] = lambda: None
) -> list[PageData]:
    """Return the data of puzzles for a page, only of some after an interrupt; if one is too large, nothing runs.

    ``ended`` is called after each.
    """
    puzzles, gathered = list(puzzles), []
    for puzzle in puzzles:
        check_size(puzzle)
    for puzzle in puzzles:
        if not runner.interrupted:
            gathered.append(gather(runner, puzzle, for_players))
            ended()
    return gathered


def gather(runner: Runner, puzzle: Puzzle, for_players: bool = False) -> PageData:
    """Return the data of a puzzle for a page; without title, solutions and stories for players."""
    check_size(puzzle)
    page = kind_of(puzzle).page
    assert page is not None
    own = page(puzzle)  # first, as it may refuse the puzzle
    record: dict[str, Any] = {
        "kind": puzzle.kind,
        "label": puzzle.label,
        "name": puzzle.name,
        "text": puzzle.text,
        "rows": puzzle.rows,
        "columns": puzzle.columns,
        **own,
    }
    if for_players:
        nothing = {"name": "", "solutions": [], "complete": False, "why": None, "stories": [], "players": True}
        return PageData({**record, **nothing}, (), True, ())
    solutions, run = some_solutions(runner, puzzle, MAX_SOLUTIONS + 1)
    findings, runs = run_findings(run), [run]
    complete = run.status == "complete" and not any(finding.problem in DISCREDITS for finding in findings)
    record |= {
        "solutions": [grid.text for grid in solutions[:MAX_SOLUTIONS]],
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
            "lights": why.lights.text if why.lights is not None else None,
        }
    record["stories"] = stories(puzzle, lambda: runner.interrupted)
    decided = complete or len(solutions) > MAX_SOLUTIONS
    return PageData(record, tuple(findings), decided, tuple(runs))
