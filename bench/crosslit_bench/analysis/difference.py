"""The differences between two campaigns: verdicts, wrong answers, times and set-ups."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from crosslit.base.numbers import format_count
from crosslit.base.records import to_json
from crosslit.judging.verdict import Finding
from crosslit_bench.analysis.scores import PairComparison, adjusted, compare_pair
from crosslit_bench.results.frame import CONDITIONS, WRONG, Measure, PuzzleResult, Results

MAX_P = 0.01
"""The adjusted p-value below which a contestant is called slower or faster."""

TOO_FEW = "too few puzzles"


@dataclass(frozen=True, kw_only=True)
class VerdictChange:
    """A puzzle on which the two campaigns have different verdicts."""

    puzzle: str
    old: str  # the verdict in words
    new: str
    contradicts: bool  # True if the verdicts contradict each other, False if one is undecided


@dataclass(frozen=True, kw_only=True)
class WrongAnswer:
    """A wrong answer in the new campaign that the old one does not have."""

    contestant: str
    puzzle: str
    finding: Finding


@dataclass(frozen=True, kw_only=True)
class TimeChange:
    """The times of a contestant on the puzzles that both campaigns asked it."""

    contestant: str
    # the new times (a) compared with the old ones (b); its p-values are adjusted for the number of contestants
    pair: PairComparison
    solved_old: int  # number of puzzles solved
    solved_new: int
    timed: int  # number of puzzles solved in either campaign, on which the test rests
    # ``slower`` or ``faster`` if the signed-rank test is significant and the change exceeds the tolerance; `TOO_FEW` if
    # it could not be significant, even if all times had changed in one direction; otherwise ``same``
    trend: str


@dataclass(frozen=True, kw_only=True)
class SetupChange:
    """A condition that differs between the campaigns."""

    condition: str  # for example ``limits`` or ``processor``
    old: str
    new: str


@dataclass(frozen=True, kw_only=True)
class Difference:
    """The differences between two campaigns."""

    puzzles: int  # number of common puzzles
    verdicts: tuple[VerdictChange, ...]  # changed verdicts, contradictions first
    wrong: tuple[WrongAnswer, ...]  # new wrong answers
    times: tuple[TimeChange, ...]  # changes of time for each common contestant, in the order of the new campaign
    setups: tuple[SetupChange, ...]  # conditions that differ
    only_old: tuple[str, ...] = ()  # contestants that only one of the campaigns has
    only_new: tuple[str, ...] = ()

    @property
    def is_worse(self) -> bool:
        """True if the new campaign contradicts the old one, has new wrong answers or a slower contestant."""
        return (
            any(change.contradicts for change in self.verdicts)
            or bool(self.wrong)
            or any(change.trend == "slower" for change in self.times)
        )

    @property
    def is_undecided(self) -> bool:
        """True if some contestant has too few puzzles for a change of its times to be noticed."""
        return any(change.trend == TOO_FEW for change in self.times)

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            **to_json(dataclasses.replace(self, times=())),
            "verdicts": [to_json(change) | {"puzzle": {"name": change.puzzle}} for change in self.verdicts],
            "wrong": [to_json(answer) | {"puzzle": {"name": answer.puzzle}} for answer in self.wrong],
            "times": list(map(_time_json, self.times)),
            "worse": self.is_worse,
            "undecided": self.is_undecided,
        }


def difference(old: Results, new: Results, measure: Measure = "total", tolerance: float = 0.1) -> Difference:
    """Compare two campaigns, puzzles by content and contestants by label.

    Those in only one campaign are left out: puzzles are counted as a set-up, contestants are listed. The tolerance is a
    relative slowdown. A ValueError says that the campaigns ask different questions, or share no puzzle with runs.
    """
    if old.about.asked != new.about.asked:
        raise ValueError(f"one campaign asks for {old.about.asked!r}, the other for {new.about.asked!r}")
    before = {judged.instance.puzzle.id: judged for judged in old.judged}
    after = {result.instance.puzzle.id: result for result in new.judged}
    common = [(before[puzzle], result) for puzzle, result in after.items() if puzzle in before]
    if not any(first.rows and second.rows for first, second in common):
        raise ValueError("no puzzle has runs in both files")
    changes = [change for pair in common if (change := _verdict_change(*pair)) is not None]
    return Difference(
        puzzles=len(common),
        verdicts=tuple(sorted(changes, key=lambda change: not change.contradicts)),
        wrong=tuple(_new_wrong_answers(before, new)),
        times=tuple(_time_changes(old, new, measure, tolerance)),
        setups=tuple(_setup_changes(old, new)),
        only_old=tuple(label for label in _labels(old) if label not in _labels(new)),
        only_new=tuple(label for label in _labels(new) if label not in _labels(old)),
    )


def _labels(results: Results) -> dict[str, None]:
    return dict.fromkeys(contestant.label for contestant in results.contestants)


def _verdict_change(old: PuzzleResult, new: PuzzleResult) -> VerdictChange | None:
    first, second = (result.comparison.verdict for result in (old, new))
    words = [_verdict_words(result) for result in (old, new)]
    # A number of solutions that only one of them knows is no change.
    if first.status == second.status and (words[0] == words[1] or None in (first.solutions, second.solutions)):
        return None
    # Two different verdicts that are both decided cannot both be true; an undecided one contradicts nothing.
    decided = "undecided" not in (first.status, second.status)
    return VerdictChange(puzzle=new.name, old=words[0], new=words[1], contradicts=decided)


def _verdict_words(judged: PuzzleResult) -> str:
    verdict, presses = judged.comparison.verdict, judged.comparison.presses
    if presses is not None and presses.proved and presses.best is not None:
        return format_count(presses.best, "press", "presses")
    return format_count(verdict.solutions, "solution") if verdict.solutions else verdict.status


def _new_wrong_answers(before: dict[str, PuzzleResult], new: Results) -> Iterator[WrongAnswer]:
    for result, finding in new.findings:
        earlier = before.get(result.instance.puzzle.id)
        known = earlier.comparison.findings if earlier is not None else []
        is_known = any((item.backend, item.problem) == (finding.backend, finding.problem) for item in known)
        if finding.problem in WRONG and not is_known:
            yield WrongAnswer(contestant=result.accused(finding), puzzle=result.name, finding=finding)


def _time_changes(old: Results, new: Results, measure: Measure, tolerance: float) -> Iterator[TimeChange]:
    earlier, later = old.table(measure), new.table(measure)
    places = {entry.id: row for row, entry in enumerate(earlier.entries)}
    rows = [(places[entry.id], row) for row, entry in enumerate(later.entries) if entry.id in places]
    here, there = map(list, zip(*rows, strict=True))
    columns = {contestant.label: column for column, contestant in enumerate(earlier.contestants)}
    labels, pairs, solved, timed = [], [], [], []
    for column, label in enumerate(contestant.label for contestant in later.contestants):
        if label in columns:
            times = np.stack([later.seconds[there, column], earlier.seconds[here, columns[label]]], axis=1)
            labels.append(label)
            # The longer limit for both, so that an unsolved run counts alike in the old and the new campaign.
            pairs.append(compare_pair(f"new {label}", f"old {label}", times, max(earlier.limit, later.limit)))
            finite = np.isfinite(times[~np.isnan(times).any(axis=1)])
            solved.append(finite.sum(axis=0).tolist())
            timed.append(int(finite.any(axis=1).sum()))
    # Each contestant is a separate test, so the number of contestants is what to adjust for.
    for label, pair, (solved_new, solved_old), count in zip(labels, adjusted(pairs), solved, timed, strict=True):
        trend = _trend(pair, solved_new - solved_old, tolerance) if count >= min_puzzles(len(pairs)) else TOO_FEW
        counts = {"solved_old": solved_old, "solved_new": solved_new, "timed": count}
        yield TimeChange(contestant=label, pair=pair, trend=trend, **counts)


def min_puzzles(contestants: int) -> int:
    """Return the least number of puzzles with which a change of one of some contestants can be significant.

    >>> [min_puzzles(contestants) for contestants in (1, 2, 10, 22)]
    [8, 9, 11, 13]
    """
    # The smallest p-value of a two-sided signed-rank test of n values is 2^(1 - n); it is adjusted for all contestants.
    return 2 + math.floor(math.log2(contestants / MAX_P))


def _trend(pair: PairComparison, gained: int, tolerance: float) -> str:
    if pair.p_adjusted >= MAX_P:
        return "same"
    # A significant change may be too small to matter, so the ratio must exceed the tolerance; solving fewer puzzles
    # always matters.
    change = math.log(pair.ratio) if pair.ratio is not None else 0.0
    if pair.wins_b > pair.wins_a and (change > math.log1p(tolerance) or gained < 0):
        return "slower"
    if pair.wins_a > pair.wins_b and (change < -math.log1p(tolerance) or gained > 0):
        return "faster"
    return "same"


def _setup_changes(old: Results, new: Results) -> Iterator[SetupChange]:
    def of(results: Results) -> dict[str, str]:
        about = results.about
        conditions = {
            "limits": f"{about.limits.solutions or 'all'} solutions, {about.limits.words}",
            "repetitions": str(about.repetitions),
            "seeds": ", ".join(map(str, about.seeds)) or "none",
        }
        setups = results.setups()
        for place, condition in enumerate(CONDITIONS, 1):
            conditions[condition] = "; ".join(sorted({texts[place] for texts in setups})) or "no runs"
        conditions |= about.software.versions if about.software is not None else {}
        both = [contestant for contestant in results.contestants if contestant.label in common]
        return {**conditions, **{f"version of {contestant.label}": contestant.version for contestant in both}}

    common = _labels(old).keys() & _labels(new)
    first, second = of(old), of(new)
    for condition in dict.fromkeys([*first, *second]):
        here, there = first.get(condition, "not there"), second.get(condition, "not there")
        if here != there:
            yield SetupChange(condition=condition, old=here, new=there)
    ids = [{judged.instance.puzzle.id for judged in results.judged} for results in (old, new)]
    if ids[0] != ids[1]:
        counts = [f"{len(ids_here)}, {len(ids_here - other)} only here" for ids_here, other in (ids, ids[::-1])]
        yield SetupChange(condition="puzzles", old=counts[0], new=counts[1])


def _time_json(change: TimeChange) -> dict[str, Any]:
    pair = change.pair
    return {
        "contestant": change.contestant,
        "trend": change.trend,
        "puzzles": pair.puzzles,
        "solved_old": change.solved_old,
        "solved_new": change.solved_new,
        "slower_on": pair.wins_b,
        "faster_on": pair.wins_a,
        "ratio": pair.ratio,
        "interval": None if pair.interval is None else list(pair.interval),
        "p_adjusted": pair.p_adjusted,
        "p_sign_adjusted": pair.p_sign_adjusted,
    }
