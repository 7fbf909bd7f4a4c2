"""The section of a report on wrong answers, each with a picture of the puzzle, and on other findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from crosslit.grid import Grid
from crosslit.judging.solutions import NULLITY
from crosslit.judging.verdict import PROBLEMS, Finding
from crosslit.numbers import format_count
from crosslit_bench.report.images import PictureBudget
from crosslit_bench.report.text import Column, Sheet, brief
from crosslit_bench.results.frame import DISQUALIFIES, WRONG, PuzzleResult, Results

MAX_WRONG_ANSWERS = 300
"""The maximum number of wrong answers that are listed."""
_MAX_PICTURE_BYTES = 600_000  # total size of their pictures
_MAX_PICTURE_CELLS = 60_000

_WITNESSES = {
    "wrong-solution": "the grid that it gave",
    "duplicate-solution": "the solution that it gave twice",
    "missing-solution": "a solution that it lacks, found by another and checked by the rules",
    "false-unique": "a second solution, found by another and checked by the rules",
    "false-unsolvable": "a solution, found by another and checked by the rules",
    "not-fewest": "a solution with fewer presses, checked by the rules",
    "false-bound": "a solution with fewer presses than its bound, checked by the rules",
}


def find_wrong_answers(results: Results) -> dict[str, Any]:
    """Return the findings of a campaign, for the template.

    Its keys are ``verdicts``, a sentence for each disqualified contestant; ``listed``, wrong answers, those on small
    puzzles first; ``omitted``, the number of the others; ``others``, tables of the other findings.
    """
    places = {result.instance.puzzle.id: index for index, result in enumerate(results.judged)}
    found = [pair for pair in results.findings if pair[1].problem in WRONG]
    listed = _in_turn(found)[:MAX_WRONG_ANSWERS]
    room = PictureBudget(_MAX_PICTURE_BYTES, _MAX_PICTURE_CELLS)
    disqualified = Counter(label for result in results.judged for label in disqualified_on(result))
    return {
        "verdicts": [
            f"{brief(contestant.label)} gave wrong answers on {format_count(disqualified[contestant.label], 'puzzle')}"
            " and is disqualified: its times are shown but not ranked."
            for contestant in results.contestants
            if contestant.disqualified
        ],
        "listed": [_wrong(result, finding, places[result.instance.puzzle.id], room) for result, finding in listed],
        "omitted": len(found) - len(listed),
        "others": _others(results),
    }


def disqualified_on(result: PuzzleResult) -> set[str]:
    """Return the labels of the contestants that a puzzle disqualifies."""
    return {result.accused(finding) for finding in result.comparison.findings if finding.problem in DISQUALIFIES}


def shape(result: PuzzleResult) -> str:
    """Return the kind and the size of a puzzle."""
    puzzle = result.instance.puzzle
    return f"{puzzle.label}, {puzzle.rows} × {puzzle.columns}"


def cells(result: PuzzleResult) -> int:
    """Return the number of cells of a puzzle."""
    return result.instance.puzzle.rows * result.instance.puzzle.columns


def _in_turn(found: Iterable[tuple[PuzzleResult, Finding]]) -> list[tuple[PuzzleResult, Finding]]:
    """Return findings by size of puzzle, with contestants in turn, so that the first ones cover all contestants."""
    turns: Counter[str] = Counter()
    placed = []
    for pair in sorted(found, key=lambda pair: cells(pair[0])):
        label = pair[0].accused(pair[1])
        turns[label] += 1
        placed.append((turns[label], pair))
    return [pair for _, pair in sorted(placed, key=lambda item: item[0])]


def _wrong(result: PuzzleResult, finding: Finding, place: int, room: PictureBudget) -> dict[str, Any]:
    """Return the texts on a wrong answer to the puzzle at an index, and its picture as a URL; empty if not drawn."""
    puzzle = result.instance.puzzle
    witness = None if finding.witness is None else Grid.from_text(finding.witness)
    if witness is not None and (witness.rows, witness.columns) != (puzzle.rows, puzzle.columns):
        witness = None
    marked, caption = None, "The puzzle."
    if witness is not None:
        caption = f"The puzzle, and {_WITNESSES.get(finding.problem, 'the grid that proves it')}."
        if puzzle.shown is not None:
            caption = caption.replace(", and ", "; the discs are ", 1).replace("the grid", "the presses")
            if finding.problem == "wrong-solution":
                marked = puzzle.broken(witness)
                caption = f"{caption[:-1]}; the rings are lights that they leave on."
    source = room.url(puzzle, witness, marked)
    return {
        "guilty": brief("the computed nullity" if finding.backend == NULLITY else result.accused(finding)),
        "problem": finding.problem,
        "meaning": PROBLEMS.get(finding.problem, ""),
        "detail": brief(finding.detail, 600),
        "puzzle": brief(result.name),
        "shape": shape(result),
        "at": place,
        "source": source,
        "caption": caption if source else "Not drawn: it is too large, or there are too many pictures.",
    }


def _others(results: Results) -> tuple[Sheet, ...]:
    """Return the table of findings that disqualify nobody, with similar ones combined."""
    groups: dict[tuple[str, str], list[tuple[PuzzleResult, Finding]]] = {}
    for result, finding in results.findings:
        if finding.problem not in WRONG:
            groups.setdefault((result.accused(finding), finding.problem), []).append((result, finding))
    columns = (
        Column("contestant", lambda group: brief(group[0][0])),
        Column("finding", lambda group: group[0][1], True),
        Column("meaning", lambda group: PROBLEMS.get(group[0][1], ""), True),
        Column("puzzles", lambda group: f"{len(group[1]):,}"),
        Column("for example", lambda group: f"{brief(group[1][0][0].name)}: {brief(group[1][0][1].detail, 200)}", True),
    )
    return Sheet.of("Other findings, which disqualify nobody", groups.items(), columns)
