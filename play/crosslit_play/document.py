"""One HTML file of puzzles, all inline, under a Content-Security-Policy that only allows its script and style."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from crosslit.base.errors import InputError
from crosslit.base.html import data, policy, style
from crosslit.base.shapes import ASCII
from crosslit.base.text import format_count
from crosslit.contract.run import Limits, Run
from crosslit.formats import PuzzleLike, as_puzzles
from crosslit.judging.verdict import DISCREDITS, Finding
from crosslit.kinds import LightsOut, Nonogram, Puzzle
from crosslit.questions.explain import Explanation, explain
from crosslit.questions.solve import ask_in_turns
from crosslit.runs.runner import Runner, isolated
from crosslit_play.story import story, titles

MAX_CELLS = 10_000  # of a puzzle: each is an element that can be pressed
MAX_SOLUTIONS = 16
# They define functions and classes, and the last one opens the page.
SCRIPTS = ("game.js", "grid.js", "pointers.js", "store.js", "play.js", "playback.js", "page.js")


@dataclass(frozen=True)
class PageData:
    """The data of a puzzle for a page, and how it was found."""

    record: dict[str, Any]  # as the page embeds it
    findings: Sequence[Finding] = ()
    stopped: Run | None = None  # a run after which the page knows neither all solutions nor that there are more


def page(
    puzzles: Iterable[PuzzleLike] | Puzzle | str,
    *,
    timeout: float = 10.0,
    memory_mb: int = Limits.memory_mb,
    for_players: bool = False,
) -> str:
    """Return an HTML page to play puzzles on, with hints, up to 16 solutions, and the steps of solvers.

    Args:
        puzzles: one or several puzzles, or their one-line forms; an InputError refuses more than 10,000 cells each.
        timeout: limit of each search for solutions, in seconds of wall time.
        memory_mb: limit of each search, in 2^20 bytes.
        for_players: leave out titles, solutions and the steps of solvers.

    Examples:
        >>> page("1,1|1,1").splitlines()[0]
        '<!doctype html>'
    """
    with isolated(None, Limits(None, timeout, memory_mb), in_process=True) as runner:
        return html(found.record for found in gather_all([*as_puzzles(puzzles)], runner, for_players))


def gather_all(puzzles: Sequence[Puzzle], runner: Runner, for_players: bool = False) -> Iterator[PageData]:
    """Yield the data of puzzles for a page, only of some after an interrupt; if one is unsuitable, nothing runs."""
    for puzzle in puzzles:
        if (cells := puzzle.rows * puzzle.columns) > MAX_CELLS:
            raise InputError(puzzle.title(), f"expected at most {MAX_CELLS} cells for a page, found {cells}")
        rules_of(puzzle)
    for puzzle in puzzles:
        if not runner.interrupted:
            yield gather(runner, puzzle, for_players)


def gather(runner: Runner, puzzle: Puzzle, for_players: bool = False) -> PageData:
    """Return the data of a puzzle for a page; without title, solutions and stories for players."""
    title = (not for_players and puzzle.name) or puzzle.label[0].upper() + puzzle.label[1:]
    record: dict[str, Any] = {"title": f"{title}, {puzzle.rows} × {puzzle.columns}", "players": bool(for_players)}
    record |= {"rows": puzzle.rows, "columns": puzzle.columns, **rules_of(puzzle)}
    nothing = {"solutions": [], "complete": False, "known": "", "why": None}
    found = PageData(nothing) if for_players else _search(runner, puzzle)
    stories = [] if for_players else [story(puzzle, title) for title in titles(puzzle)]
    return replace(found, record={**record, **found.record, "stories": stories})


def _search(runner: Runner, puzzle: Puzzle) -> PageData:
    """Return what a page shows of the solutions of a puzzle, or why it has none."""
    found = ask_in_turns(puzzle, runner, max_solutions=MAX_SOLUTIONS + 1)
    run, findings, solutions, number = found.runs[-1], found.findings, found.solutions, len(found.solutions)
    is_right = not any(finding.problem in DISCREDITS for finding in findings)
    complete, has_more = (is_right and run.status == status for status in ("complete", "limit"))
    known, why = f"The search ended early ({run.error or run.status}), after {format_count(number, 'solution')}.", None
    if complete:
        words = {0: "No solution", 1: "One solution, and no other"}.get(number, f"{number} solutions")
        known = f"{words} (claimed by {run.backend})."
    elif has_more:
        known = f"More than {MAX_SOLUTIONS} solutions."
    if complete and not solutions and not runner.interrupted:
        explanation = explain(puzzle, runner=runner)
        findings = [*dict.fromkeys([*findings, *explanation.findings])]
        why = _why(puzzle, explanation)
    record = {"solutions": [grid.text for grid in solutions[:MAX_SOLUTIONS]], "complete": complete}
    return PageData({**record, "known": known, "why": why}, findings, None if complete or has_more else run)


def rules_of(puzzle: Puzzle) -> dict[str, Any]:
    """Return the goal in words and the rules of a puzzle, as the scripts read them; an InputError refuses it.

    A board has its lights, ``_`` for missing cells, and for each press those to which it adds 1, repeated for more; a
    nonogram the blocks of all lines as pairs of a length and a colour, and the palette if any.
    """
    if isinstance(puzzle, LightsOut) and not puzzle.graph:
        where = f"by these rules: {', '.join(puzzle.settings)}" if puzzle.settings else "a cell and its four neighbours"
        goal = f"Put all lights out: a press toggles {where}."
        if puzzle.states > 2:
            adds = "adds" if puzzle.settings else "adds 1 to"
            goal = f"Bring all lights to 0: a press {adds} {where}, modulo {puzzle.states}."
        presses = [[light for light, amount in effect for _ in range(amount)] for effect in puzzle.effects]
        return {"goal": goal, "states": puzzle.states, "lights": "/".join(puzzle.lines), "presses": presses}
    if isinstance(puzzle, LightsOut):
        raise InputError(puzzle.name or puzzle.text, "a page shows grids, not boards of edges or of a matrix")
    if not isinstance(puzzle, Nonogram):
        raise InputError(puzzle.name or puzzle.text, f"a page shows nonograms and boards, not {puzzle.plural}")
    goal = "Fill cells so that each line has the blocks of its clue."
    if puzzle.palette:
        goal = "Colour cells so that each line has the blocks of its clue. Only blocks of one colour need a gap."
    clues = [puzzle.pairs(clue) for clue in (*puzzle.row_clues, *puzzle.column_clues)]
    return {"goal": goal, "clues": clues, "palette": puzzle.palette}


def _why(puzzle: Puzzle, explanation: Explanation) -> dict[str, Any]:
    """Return why a puzzle has no solution in words, with the numbers of the lights, or of the lines, rows first."""
    chosen = explanation.contradiction.chosen if explanation.contradiction else None
    if explanation.sums:
        words = f"the rows need {format_count(explanation.sums[0], 'cell')}, the columns {explanation.sums[1]}"
    elif chosen is None:
        words = f"which {puzzle.constraints} contradict each other was not found"
    elif contradiction := puzzle.contradiction(chosen, ASCII):
        words = contradiction[1]
    else:
        lines = explanation.lines
        words = f"{'this cannot be' if len(lines) == 1 else 'these contradict each other'}: {'; '.join(lines)}"
    marked = [] if chosen is None else [row * chosen.columns + column for row, column in chosen.cells()]
    return {"words": f"No solution: {words}.", "marked": marked}


def html(records: Iterable[Mapping[str, Any]]) -> str:
    """Return the page of the data gathered for each puzzle, as JSON in a block of data that no browser runs."""
    gathered = list(records)
    if not gathered:
        raise ValueError("a page has at least one puzzle")
    look, script = style(_part("page.css")), "\n".join(map(_part, SCRIPTS))
    script = f'(() => {{\n"use strict";\n{script}}})();\n'
    parts = {"policy": policy(script, look), "style": look, "data": data(gathered), "script": script}
    # in one pass, so that inserted text is never searched for placeholders
    return re.sub(r"\{\{(\w+)\}\}", lambda placeholder: parts[placeholder[1]], _part("page.html"))


def _part(name: str) -> str:
    return files("crosslit_play").joinpath(name).read_text(encoding="utf-8")
