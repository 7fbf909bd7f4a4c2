"""Two campaigns compared: contradicted verdicts, new wrong answers, backends that became better or worse, set-ups.

Times differ with the load of a machine, CPU times hardly do. So the puzzles that a backend solves count first, then its
CPU time; a puzzle that was not solved because a run got too little CPU time says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

import numpy as np
from pandas import DataFrame, Series

from crosslit.base.text import format_count
from crosslit_bench.analysis import Record, adjusted, compare_pair, scalar
from crosslit_bench.results import Measure, PuzzleResult, Results

Trend = Literal["same", "faster", "slower", "mixed", "too few puzzles"]
MAX_P = 0.01
TOLERANCE = 0.1  # of a change of time
TOO_FEW: Trend = "too few puzzles"


def min_puzzles(backends: int) -> int:
    """Return the least number of puzzles with which a change of one of some backends can be significant."""
    return 2 + math.floor(math.log2(backends / MAX_P))


def difference(old: Results, new: Results, measure: Measure = "cpu") -> Record:
    """Compare two campaigns, puzzles by content and backends by label; a ValueError if nothing can be compared."""
    if old.spec.task != new.spec.task:
        raise ValueError(f"one campaign asks for {old.spec.task!r}, the other for {new.spec.task!r}")
    before = {result.instance.puzzle.id: result for result in old.puzzles}
    pairs = [(before[id_], result) for result in new.puzzles if (id_ := result.instance.puzzle.id) in before]
    if not any(first.runs and second.runs for first, second in pairs):
        raise ValueError("no puzzle has runs in both files")
    findings = [(id_, finding) for id_, result in before.items() for finding in result.comparison.findings]
    known = {(id_, finding.backend, finding.problem) for id_, finding in findings}
    wrong = [
        {"backend": result.accused(finding), "puzzle": _puzzle(result), "finding": finding.json()}
        for result, finding in new.wrong
        if (result.instance.puzzle.id, finding.backend, finding.problem) not in known
    ]
    verdicts = sorted(_verdicts(pairs), key=lambda verdict: not verdict["contradicts"])
    changes = list(_changes(old, new, measure))
    is_worse = bool(wrong) or any(verdict["contradicts"] for verdict in verdicts)
    return {
        "puzzles": len(pairs),
        "verdicts": verdicts,
        "wrong": wrong,
        "changes": changes,
        "setups": list(_setups(old, new)),
        "only_old": _missing(old, new),
        "only_new": _missing(new, old),
        "worse": is_worse or any(change["trend"] in ("slower", "mixed") for change in changes),
        "undecided": any(change["trend"] == TOO_FEW for change in changes),
    }


def _missing(results: Results, others: Results) -> list[str]:
    """Return the labels of the entrants that only the first of two campaigns has."""
    known = {entrant.label for entrant in others.entrants}
    return [entrant.label for entrant in results.entrants if entrant.label not in known]


def _verdicts(pairs: list[tuple[PuzzleResult, PuzzleResult]]) -> Iterator[Record]:
    for pair in pairs:
        statuses, numbers = {result.facts["verdict"] for result in pair}, {*map(_number, pair)}
        if len(statuses) > 1 or len(numbers - {None}) > 1:
            old, new = map(_words, pair)
            is_open = "undecided" in statuses or ("solvable" in statuses and "unsolvable" not in statuses)
            yield {"puzzle": _puzzle(pair[1]), "old": old, "new": new, "contradicts": not is_open}


def _puzzle(result: PuzzleResult) -> Record:
    return result.instance.puzzle.named(result.name).json()


def _number(result: PuzzleResult) -> int | None:
    """Return the fewest presses of a puzzle, or else its number of solutions; None if it is unknown or unsolvable."""
    presses = result.comparison.presses
    if presses is None:
        return result.comparison.verdict.solutions or None
    return presses.best if presses.proved else None


def _words(result: PuzzleResult) -> str:
    if (number := _number(result)) is None:
        return str(result.facts["verdict"])
    nouns = ("solution", "solutions") if result.comparison.presses is None else ("press", "presses")
    return format_count(number, *nouns)


def _changes(old: Results, new: Results, measure: Measure) -> Iterator[Record]:
    before, after = old.times(measure).seconds, new.times(measure).seconds
    ids, limit = after.index.intersection(before.index), max(results.spec.run_limits.shortest for results in (old, new))
    frames = {}
    for label in [label for label in after if label in before]:
        both = DataFrame({"old": before.loc[ids, label], "new": after.loc[ids, label]})
        used = DataFrame({"old": _used(old, label), "new": _used(new, label)}).reindex(ids)
        frames[label] = _informative(both.dropna(), used)
    compared = [
        compare_pair(both["new"].rename(label), both["old"].rename(label), limit) for label, both in frames.items()
    ]
    for pair in adjusted(compared):
        solved = np.isfinite(frames[pair["a"]])
        found = {"puzzles": pair["puzzles"], "slower_on": pair["wins_b"], "faster_on": pair["wins_a"]}
        found |= {f"solved_{name}": int(solved[name].sum()) for name in ("old", "new")}
        found |= {name: scalar(pair[name]) for name in ("ratio", "interval_low", "interval_high", "p_adjusted")}
        enough = solved.any(axis=1).sum() >= min_puzzles(len(frames))
        yield {"backend": pair["a"], "trend": _trend(found) if enough else TOO_FEW, **found}


def _used(results: Results, label: str) -> Series:
    """Return the CPU time of each puzzle's longest run of a backend, also of runs that reached a limit."""
    frame = results.frame[results.frame["backend"] == label]
    return frame.groupby("puzzle_id")["cpu"].max()


def _informative(both: DataFrame, used: DataFrame) -> DataFrame:
    """Leave out puzzles that one side did not solve although it used no more CPU time than the other needed.

    Then its limit of wall time came too early, as on a busy machine.
    """
    cut = Series(False, index=both.index)
    for side, other in (("old", "new"), ("new", "old")):
        cut |= np.isinf(both[side]) & np.isfinite(both[other]) & (used[side] <= used[other]).reindex(both.index)
    return both[~cut]


def _trend(found: Record) -> Trend:
    if found["p_adjusted"] >= MAX_P:
        return "same"
    is_faster = found["faster_on"] > found["slower_on"]
    gained = found["solved_new"] - found["solved_old"]
    # the least factor in the interval, which needs six puzzles that are solved in both files
    factor = 1 / (found["interval_high"] or 1.0) if is_faster else found["interval_low"] or 1.0
    if not is_faster:
        gained = -gained
    if gained <= 0 and factor <= 1 + TOLERANCE:
        return "same"
    return "mixed" if gained < 0 else "faster" if is_faster else "slower"


def _setups(old: Results, new: Results) -> Iterator[Record]:
    before = _conditions(old)
    for name, now in _conditions(new).items():
        if now != (earlier := before.get(name, now)):
            yield {"condition": name, "old": earlier.strip() or "none", "new": now.strip() or "none"}


def _conditions(results: Results) -> dict[str, str]:
    conditions = results.conditions()
    for entrant in results.entrants:
        conditions[f"version of {entrant.label}"] = f"{entrant.contestant.version} {entrant.contestant.plugin}"
    return conditions
