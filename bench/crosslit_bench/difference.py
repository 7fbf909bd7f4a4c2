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
from crosslit_bench.analysis import Record, adjusted, compare_pair, plain
from crosslit_bench.results import Judged, Measure, Results

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
    before = {judged.instance.puzzle.id: judged for judged in old.judged}
    pairs = [(before[id_], judged) for judged in new.judged if (id_ := judged.instance.puzzle.id) in before]
    if not any(first.runs and second.runs for first, second in pairs):
        raise ValueError("no puzzle has runs in both files")
    known = {(id_, one.backend, one.problem) for id_, judged in before.items() for one in judged.comparison.findings}
    wrong = [
        {"backend": judged.accused(one), "puzzle": _puzzle(judged), "finding": one.json()}
        for judged, one in new.wrong
        if (judged.instance.puzzle.id, one.backend, one.problem) not in known
    ]
    verdicts = sorted(_verdicts(pairs), key=lambda one: not one["contradicts"])
    changes = list(_changes(old, new, measure))
    labels = [[one.label for one in results.entrants] for results in (old, new)]
    worse = wrong or any(one["contradicts"] for one in verdicts)
    return {
        "puzzles": len(pairs),
        "verdicts": verdicts,
        "wrong": wrong,
        "changes": changes,
        "setups": list(_setups(old, new)),
        "only_old": [label for label in labels[0] if label not in labels[1]],
        "only_new": [label for label in labels[1] if label not in labels[0]],
        "worse": bool(worse) or any(one["trend"] in ("slower", "mixed") for one in changes),
        "undecided": any(one["trend"] == TOO_FEW for one in changes),
    }


def _verdicts(pairs: list[tuple[Judged, Judged]]) -> Iterator[Record]:
    for pair in pairs:
        old, new = map(_words, pair)
        verdicts = [judged.comparison.verdict for judged in pair]
        unknown = verdicts[0].status == verdicts[1].status and None in (verdicts[0].solutions, verdicts[1].solutions)
        if old != new and not unknown:
            decided = all(verdict.status != "undecided" for verdict in verdicts)
            yield {"puzzle": _puzzle(pair[1]), "old": old, "new": new, "contradicts": decided}


def _puzzle(judged: Judged) -> Record:
    return judged.instance.puzzle.named(judged.name).json()


def _words(judged: Judged) -> str:
    verdict, presses = judged.comparison.verdict, judged.comparison.presses
    if presses is not None and presses.proved and presses.best is not None:
        return format_count(presses.best, "press", "presses")
    return format_count(verdict.solutions, "solution") if verdict.solutions else str(judged.facts["verdict"])


def _changes(old: Results, new: Results, measure: Measure) -> Iterator[Record]:
    before, after = old.times(measure).seconds, new.times(measure).seconds
    ids, limit = after.index.intersection(before.index), max(one.spec.run_limits.shortest for one in (old, new))
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
        found |= {name: plain(pair[name]) for name in ("ratio", "interval_low", "interval_high", "p_adjusted")}
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
    for one, other in (("old", "new"), ("new", "old")):
        cut |= np.isinf(both[one]) & np.isfinite(both[other]) & (used[one] <= used[other]).reindex(both.index)
    return both[~cut]


def _trend(found: Record) -> Trend:
    gained = found["solved_new"] - found["solved_old"]
    if found["p_adjusted"] >= MAX_P:
        return "same"
    # beyond the tolerance with the whole interval, which needs six puzzles that are solved in both files
    low, high = found["interval_low"] or 1.0, found["interval_high"] or 1.0
    faster = found["faster_on"] > found["slower_on"] and (gained > 0 or high < 1 / (1 + TOLERANCE))
    slower = found["slower_on"] > found["faster_on"] and (gained < 0 or low > 1 + TOLERANCE)
    if (faster and gained < 0) or (slower and gained > 0):
        return "mixed"
    return "faster" if faster else "slower" if slower else "same"


def _setups(old: Results, new: Results) -> Iterator[Record]:
    both = {one.label for one in old.entrants} & {one.label for one in new.entrants}

    def conditions(results: Results) -> dict[str, str]:
        contestants = {one.label: one.contestant for one in results.entrants if one.label in both}
        versions = {f"version of {label}": f"{one.version} {one.plugin}" for label, one in contestants.items()}
        return results.conditions() | versions

    first, second = conditions(old), conditions(new)
    for name, here in first.items():
        if here != second[name]:
            yield {"condition": name, "old": here.strip() or "none", "new": second[name].strip() or "none"}
