"""The growth of each contestant on each family, as the table and the summary of a page have it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tests.campaigns.referee.growing import Curve, curves, is_series
from tests.campaigns.referee.inference import median
from tests.campaigns.referee.runs import Puzzle, Times
from tests.campaigns.referee.shown import Near, time

Parts = list[str | Near]
_RIVALS = {"constant": "no growth", "power": "a power", "exponential": "exponential growth"}


@dataclass(frozen=True)
class Growth:
    """A contestant on a family: the puzzles that count, its times, the floor and all curves, the one shown first."""

    contestant: str
    family: str
    puzzles: Sequence[Puzzle]
    times: Sequence[float]
    floor: float
    curves: Sequence[Curve]
    rivals: Sequence[str]
    few: bool

    @property
    def best(self) -> Curve:
        """The curve that is shown."""
        return self.curves[0]

    @property
    def sizes(self) -> list[float]:
        """The sizes of the puzzles."""
        return [puzzle.size for puzzle in self.puzzles]

    @property
    def censored(self) -> int:
        """The number of puzzles that were not solved."""
        return sum(map(math.isinf, self.times))

    @property
    def floored(self) -> int:
        """The number of times below the floor."""
        return sum(value < self.floor for value in self.times)

    @property
    def rate(self) -> tuple[float, float, float]:
        """The exponent, or the sizes in which time doubles, with its interval."""
        slope, margin = self.best.slope, self.best.margins[1]
        if self.best.model == "power":
            return slope, slope - margin, slope + margin
        ends = [math.log(2) / end if end > 0 else math.inf for end in (slope + margin, slope - margin)]
        return math.log(2) / slope, ends[0], ends[1]

    def words(self) -> Parts:
        """Return the sentence of the table."""
        n = [f"{size:.4g}" for size in (min(self.sizes), max(self.sizes))]
        parts: Parts
        if self.best.model == "constant":
            parts = ["no visible growth: about ", time(math.exp(self.best.intercept), 2)]
        else:
            rate, low, high = (Near(value, 2) for value in self.rate)
            if self.best.model == "power":
                parts = ["grows as n^", rate, " (95% ", low, " to ", high, ")"]
            elif math.isinf(high.value):
                parts = ["doubles when n grows by ", rate, " (95% from ", low, ", growth is not certain)"]
            else:
                parts = ["doubles when n grows by ", rate, " (95% ", low, " to ", high, ")"]
        parts.append(f", fitted over n = {n[0]} to {n[1]}")
        if self.floored:
            parts += [f", {self.floored} below ", time(self.floor, 2), " counted as at most that"]
        if self.censored:
            parts.append(f", {self.censored} puzzle{'' if self.censored == 1 else 's'} censored")
        if self.rivals:
            others = " or ".join(
                _RIVALS[model] for model in ("constant", "power", "exponential") if model in self.rivals
            )
            few = f"; too few puzzles to rule out {others}"
            parts.append(few if self.few else f"; {others} fits about as well")
        return parts

    def is_wall(self, factor: float) -> bool:
        """Return whether the summary tells of its exponential growth."""
        if self.best.model != "exponential" or self.rivals or self.best.slope <= 0 or math.isinf(self.rate[2]):
            return False
        start, end = (self.best.seconds(size) for size in (min(self.sizes), max(self.sizes)))
        return self.censored > 0 or end > factor * max(start, self.floor)


def growth(data: Times, contestant: str, family: str) -> Growth | None:
    """Return the growth of a contestant on a family; None without enough sizes."""
    rules = data.rules
    points = [
        (puzzle, value)
        for puzzle in data.puzzles
        if puzzle.family == family and (value := data.time(puzzle, contestant)) is not None
        if not data.says_nothing(puzzle, contestant)
    ]
    if len({puzzle.size for puzzle, _ in points}) < rules.fit_sizes:
        return None
    puzzles, times = [puzzle for puzzle, _ in points], [value for _, value in points]
    sizes = [puzzle.size for puzzle in puzzles]

    def made(floor: float) -> Growth:
        exact = {size for size, value in zip(sizes, times, strict=True) if floor <= value < math.inf}
        if len(exact) < rules.fit_exact:
            raise ValueError(f"a fit of {contestant} on {family} is not possible")
        found = list(curves(tuple(sizes), tuple(times), data.limit, floor, rules.noise))
        lowest = min(one.aic for one in found)
        found.sort(key=lambda one: one.aic > lowest + rules.same_aic)  # of equals the first
        best, few = found[0], len(times) < rules.min_puzzles
        rivals = [
            other.model
            for other in found[1:]
            if other.aic - best.aic < rules.aic_gap or (few and other.model != "constant")
        ]
        rivals = [] if best.model == "constant" else rivals
        return Growth(contestant, family, puzzles, times, floor, found, rivals, few)

    own = rules.starting * min(times)
    above = {size for size, value in zip(sizes, times, strict=True) if own <= value < math.inf}
    if own > rules.floor and len(above) >= rules.min_sizes:
        found = made(own)
        if found.best.model != "constant":
            return found
    return made(rules.floor)


def summary(data: Times, known: Sequence[Growth], family: str) -> Parts | None:
    """Return the sentence of the summary on a family; None if its sizes are no series."""
    own = [one for one in known if one.family == family]
    puzzles = [puzzle for puzzle in data.puzzles if puzzle.family == family]
    if not own or not is_series([puzzle.size for puzzle in puzzles], data.rules.series):
        return None
    walls: dict[str, list[Growth]] = {}
    for one in own:
        if one.is_wall(data.rules.wall):
            walls.setdefault(data.group[one.contestant], []).append(one)
    sentences = [_wall(data, group, members, puzzles) for group, members in walls.items()]
    sentences += [fastest] if (fastest := _fastest(data, puzzles)) else []
    return [part for at, sentence in enumerate(sentences) for part in ([*(["; "] if at else []), *sentence])]


def _wall(data: Times, group: str, members: Sequence[Growth], puzzles: Sequence[Puzzle]) -> Parts:
    low, *_, high = sorted([one.rate[0] for one in members] * 2)
    names = [one.contestant for one in members]
    parts: Parts = [f"{group} ({' and '.join([', '.join(names[:-1]), names[-1]] if len(names) > 1 else names)})"]
    parts += [" grows exponentially, doubling each time n grows by ", Near(low, 2)]
    parts += [" to ", Near(high, 2)] if f"{low:.2g}" != f"{high:.2g}" else []
    solved = [
        puzzle.size for puzzle in puzzles if any((data.time(puzzle, name) or math.inf) < math.inf for name in names)
    ]
    beyond = sorted({puzzle.size for puzzle in puzzles if puzzle.size > max(solved)})
    for size in beyond:
        same = [puzzle for puzzle in puzzles if puzzle.size == size]
        if all(any(data.time(p, name) is not None and not data.says_nothing(p, name) for p in same) for name in names):
            return [*parts, f", unsolved from n = {size:.4g} on"]
    return parts


def _fastest(data: Times, puzzles: Sequence[Puzzle]) -> Parts:
    sizes = sorted({puzzle.size for puzzle in puzzles})
    medians: list[dict[str, float]] = []
    for size in sizes:
        same = [puzzle for puzzle in puzzles if puzzle.size == size]
        times = {name: [value for p in same if (value := data.time(p, name)) is not None] for name in data.ranked}
        medians.append({name: median(known) for name, known in times.items() if known})
    first, since = min(medians[-1], key=lambda name: medians[-1][name]), len(sizes)
    for at in reversed(range(len(sizes))):
        others = [value for name, value in medians[at].items() if name != first]
        own = medians[at].get(first, math.inf)
        if not others or math.isinf(own) or min(others) <= max(own * data.rules.faster, own + data.rules.faster_by):
            break
        since = at
    if since > len(sizes) - 2:
        return []
    own = medians[-1].pop(first)
    parts: Parts = [
        f"{first} is the fastest from n = {sizes[since]:.4g} on, ",
        time(own, 2),
        f" at n = {sizes[-1]:.4g}",
    ]
    second = min(medians[-1], key=lambda name: medians[-1][name])
    if medians[-1][second] < math.inf:
        parts += [", ", Near(medians[-1][second] / own, 2), f" times faster than the next ({second})"]
    return parts
