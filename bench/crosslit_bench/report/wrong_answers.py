"""The section of a report on wrong answers, each with a picture of the puzzle, and on other findings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from crosslit.grid import Grid
from crosslit.judging.solutions import NULLITY
from crosslit.judging.verdict import PROBLEMS, Finding
from crosslit.numbers import format_count
from crosslit_bench.report.images import PictureBudget
from crosslit_bench.report.text import Column, Sheet, brief
from crosslit_bench.results.judged import DISQUALIFIES, WRONG, PuzzleResult, Results

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
    places = {judged.instance.puzzle.id: at for at, judged in enumerate(results.judged)}
    found = [pair for pair in results.findings if pair[1].problem in WRONG]
    listed = _in_turn(found)[:MAX_WRONG_ANSWERS]
    room = PictureBudget(_MAX_PICTURE_BYTES, _MAX_PICTURE_CELLS)
    return {
        "verdicts": list(_verdicts(results)),
        "listed": [_wrong(judged, finding, places[judged.instance.puzzle.id], room) for judged, finding in listed],
        "omitted": len(found) - len(listed),
        "others": _others(results),
    }


def guilty(judged: PuzzleResult, finding: Finding) -> str:
    """Return the contestant that a finding is about, or the finding's spec if there is none."""
    names = {row.run.backend: row.contestant for row in judged.rows}
    return names.get(finding.backend, finding.backend)


def title(judged: PuzzleResult) -> str:
    """Return the name of a puzzle in a report."""
    puzzle = judged.instance.puzzle
    return brief(puzzle.name) or f"{puzzle.rows} × {puzzle.columns} {puzzle.id[:8]}"


def shape(judged: PuzzleResult) -> str:
    """Return the kind and the size of a puzzle."""
    puzzle = judged.instance.puzzle
    return f"{puzzle.label}, {puzzle.rows} × {puzzle.columns}"


def cells(judged: PuzzleResult) -> int:
    """Return the number of cells of a puzzle."""
    return judged.instance.puzzle.rows * judged.instance.puzzle.columns


def _in_turn(found: Iterable[tuple[PuzzleResult, Finding]]) -> list[tuple[PuzzleResult, Finding]]:
    """Return findings by size of puzzle, with contestants in turn, so that the first ones cover all contestants."""
    turns: dict[str, int] = {}
    placed = []
    for number, (judged, finding) in enumerate(sorted(found, key=lambda pair: cells(pair[0]))):
        name = guilty(judged, finding)
        turns[name] = turns.get(name, 0) + 1
        placed.append((turns[name], number, (judged, finding)))
    return [pair for *_, pair in sorted(placed, key=lambda item: item[:2])]


def _verdicts(results: Results) -> Iterable[str]:
    for contestant in results.contestants:
        if not contestant.disqualified:
            continue
        on = sum(
            any(
                finding.problem in DISQUALIFIES and guilty(judged, finding) == contestant.label
                for finding in judged.comparison.findings
            )
            for judged in results.judged
        )
        yield (
            f"{brief(contestant.label)} gave wrong answers on {format_count(on, 'puzzle')} and is disqualified: its"
            " times are shown but not ranked."
        )


def _wrong(judged: PuzzleResult, finding: Finding, at: int, room: PictureBudget) -> dict[str, Any]:
    """Return the texts on a wrong answer to the puzzle at an index, and its picture as a URL; empty if not drawn."""
    puzzle = judged.instance.puzzle
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
        "guilty": brief("the computed nullity" if finding.backend == NULLITY else guilty(judged, finding)),
        "problem": finding.problem,
        "meaning": PROBLEMS.get(finding.problem, ""),
        "detail": brief(finding.detail, 600),
        "puzzle": title(judged),
        "shape": shape(judged),
        "at": at,
        "source": source,
        "caption": caption if source else "Not drawn: it is too large, or there are too many pictures.",
    }


def _others(results: Results) -> tuple[Sheet, ...]:
    """Return the table of findings that disqualify nobody, with similar ones combined."""
    groups: dict[tuple[str, str], list[tuple[PuzzleResult, Finding]]] = {}
    for judged, finding in results.findings:
        if finding.problem not in WRONG:
            groups.setdefault((guilty(judged, finding), finding.problem), []).append((judged, finding))
    columns = (
        Column("contestant", lambda group: brief(group[0][0])),
        Column("finding", lambda group: group[0][1], True),
        Column("meaning", lambda group: PROBLEMS.get(group[0][1], ""), True),
        Column("puzzles", lambda group: f"{len(group[1]):,}"),
        Column("for example", lambda group: _example(*group[1][0]), True),
    )
    return Sheet.of("Other findings, which disqualify nobody", groups.items(), columns)


def _example(judged: PuzzleResult, finding: Finding) -> str:
    return f"{title(judged)}: {brief(finding.detail, 200)}"
