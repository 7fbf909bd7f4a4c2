"""The wrong answers in a report, and its table of puzzles with the runs of each row, for the page and its script."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from crosslit.base.grid import Grid
from crosslit.base.numbers import format_count, format_number
from crosslit.base.table import Table
from crosslit.contract.run import Limits, status_words
from crosslit.judging.solutions import NULLITY
from crosslit.judging.verdict import PROBLEMS, Finding
from crosslit_bench.analysis.scores import explanations
from crosslit_bench.analysis.statistics import enough_digits
from crosslit_bench.report.text import Column, PictureBudget, brief, plain, tables_of
from crosslit_bench.results.frame import DISQUALIFIES, WRONG, PuzzleResult, Results, TimeTable, has_waited, is_loaded
from crosslit_bench.store.rows import StoredRun

MAX_WRONG_ANSWERS = 300
"""The maximum number of wrong answers that are listed."""
_MAX_WITNESS_BYTES = 600_000  # total size of their pictures
_MAX_WITNESS_CELLS = 60_000

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
    room = PictureBudget(_MAX_WITNESS_BYTES, _MAX_WITNESS_CELLS)
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


def _others(results: Results) -> tuple[Table, ...]:
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
    return tables_of("Other findings, which disqualify nobody", groups.items(), columns)


MAX_CELLS = 40_000
"""The maximum number of cells in the table, and of runs; the last puzzles are left out to keep it."""
_MAX_PICTURE_BYTES = 400_000  # total size of pictures
_MAX_PICTURE_CELLS = 60_000
_MAX_TEXT_LENGTH = 400_000  # characters of all errors and remarks of runs
_MAX_LINE_LENGTH = 400  # longest one-line form of a puzzle that is shown


def puzzle_table(results: Results, table: TimeTable) -> dict[str, Any]:
    """Return the table of puzzles for the template, and ``facts`` for the script."""
    judged = results.judged[: _fitting(results)]
    # Without a run in a complete campaign, the backend does not support the puzzle; or another machine ran it.
    is_complete = results.made >= results.planned and not results.machines
    lines = list(_lines(judged, table, ("–", "u") if is_complete else ("", "")))
    optional = {name: any(line[name] for line in lines) for name in ("nullity", "difficulty")}
    return {
        **optional,
        "labels": [brief(contestant.label) for contestant in results.contestants],
        "lines": lines,
        "left_out": len(results.judged) - len(judged),
        "notes": explanations([*filter(optional.get, optional), "verdict", "evidence"], table),
        "families": list(dict.fromkeys(line["family"] for line in lines)),
        "verdicts": list(dict.fromkeys(line["verdict"] for line in lines)),
        "facts": _facts(results, judged),
    }


def _fitting(results: Results) -> int:
    """Return the number of puzzles that fit into the table."""
    runs = 0
    for index, result in enumerate(results.judged):
        runs += len(result.rows)
        if max(runs, (index + 1) * len(results.contestants)) > MAX_CELLS:
            return index
    return len(results.judged)


def _lines(judged: Sequence[PuzzleResult], table: TimeTable, no_run: tuple[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of the table as texts; a cell without a run has the given text and class."""
    labels = [contestant.label for contestant in table.contestants]
    ranked = np.array([not contestant.disqualified for contestant in table.contestants], dtype=bool)
    # the table may have more rows than fit
    for result, entry, times, statuses in zip(judged, table.entries, table.seconds, table.statuses, strict=False):
        wrong = disqualified_on(result)
        known = np.unique(times[ranked & np.isfinite(times)])[:2].tolist()
        digits = enough_digits(known)
        yield {
            "name": brief(result.name),
            "family": brief(entry.family),
            "size": f"{entry.rows} x {entry.columns}",
            "nullity": "" if entry.nullity is None else str(entry.nullity),
            "difficulty": brief(entry.difficulty or ""),
            "verdict": entry.verdict,
            "evidence": entry.evidence or "",
            "cells": [
                _cell(float(time), str(status), label in wrong, *known[:1], digits=digits) if status else no_run
                for time, status, label in zip(times, statuses, labels, strict=True)
            ],
        }


def _cell(seconds: float, status: str, wrong: bool, best: float = 0.0, *, digits: int = 3) -> tuple[str, str]:
    """Return the text of a cell and its CSS class: best, timeout, other unsolved, or wrong."""
    if wrong:
        return "✗ wrong", "w"
    if math.isnan(seconds):
        return "–", "u"
    if math.isinf(seconds):
        return ("timeout", "t") if "timeout" in status else (status, "u")
    return format_number(seconds, digits), "b" if seconds <= best else ""


class _Words:
    """An index of texts, which stores repeated ones once."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}
        self._room = _MAX_TEXT_LENGTH

    def number(self, text: str) -> int:
        text = plain(brief(text, 400))
        if text not in self.texts:
            if len(text) > self._room:
                text = "(omitted here; `crosslit bench export` writes it)"
            self._room -= len(text)
            self.texts.setdefault(text, len(self.texts))
        return self.texts[text]


def _facts(results: Results, judged: Sequence[PuzzleResult]) -> dict[str, Any]:
    """Return the data for opened rows; the script inserts every text as text."""
    words, room = _Words(), PictureBudget(_MAX_PICTURE_BYTES, _MAX_PICTURE_CELLS)
    labels = {contestant.label: column for column, contestant in enumerate(results.contestants)}
    # small puzzles first, so that the budget is spent on many
    pictures = {id(result): _picture(result, room) for result in sorted(judged, key=cells)}
    puzzles = [
        {
            "shape": shape(result),
            "text": _text(result),
            "known": plain(brief(", ".join(f"{name} {value}" for name, value in result.instance.facts.items()), 300)),
            "picture": pictures[id(result)][0],
            "caption": pictures[id(result)][1],
            "runs": [_run(row, labels, words, results.about.limits) for row in result.rows],
        }
        for result in judged
    ]
    return {"labels": [plain(brief(label)) for label in labels], "puzzles": puzzles, "words": list(words.texts)}


def _picture(result: PuzzleResult, room: PictureBudget) -> tuple[str, str]:
    solutions = result.comparison.solutions
    picture = room.packed(result.instance.puzzle, solutions[0] if solutions else None)
    if not picture:
        return "", "Not drawn: it is too large, or there are too many pictures."
    if not solutions:
        return picture, "The puzzle; no solution was found."
    only = "its solution" if result.comparison.verdict.status == "unique" else "one of its solutions"
    return picture, f"The puzzle, and {only}."


def _text(result: PuzzleResult) -> str:
    text = result.instance.puzzle.text if cells(result) <= 4 * _MAX_LINE_LENGTH else ""
    return text if len(text) <= _MAX_LINE_LENGTH else ""


def _run(row: StoredRun, labels: dict[str, int], words: _Words, limits: Limits) -> list[Any]:
    """Return contestant, spec, repetition, status, total, cpu, wall, memory, solutions, and remarks of a run."""
    run, timing, values = row.run, row.run.timing, row.values
    remarks = (
        run.error,
        timing.note,
        f"printed: {run.stray}" if run.stray.strip() else "",
        "waited for a processor" if has_waited(values) else "",
        "busy machine" if is_loaded(values) else "",
        f"repeated: {values['lost']}" if values["attempts"] > 1 else "",
    )
    remark = "; ".join(filter(None, remarks))
    measured = (timing.total, timing.cpu, timing.wall, run.memory_mb)
    status = words.number(status_words(run.status, limits))
    return [
        labels[row.label],
        words.number(run.backend) if run.backend != row.label else -1,
        run.repetition + 1,
        status,
        *(format_number(value) if run.status != "unsupported" else "" for value in measured),
        len(run.grids),
        words.number(remark) if remark else -1,
    ]
