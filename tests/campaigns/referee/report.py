"""All that a page shows, against what follows from the runs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from itertools import combinations

from tests.campaigns.referee.details import details
from tests.campaigns.referee.growth_rules import Growth, growth, summary
from tests.campaigns.referee.inference import (
    holm,
    median,
    median_interval,
    rank_correlation,
    ratio,
    sign_test,
    signed_rank,
)
from tests.campaigns.referee.page import Item, Page, Sheet
from tests.campaigns.referee.runs import Puzzle, Rules, Times
from tests.campaigns.referee.shown import Near, says, time, words

Parts = Sequence[str | Near]
KINDS = {"lights-out": "Lights Out boards", "nonogram": "nonograms"}
# digits of a name or a unit, not of a figure
_NAMES = (r"PAR-2", r"95% interval", r"\(UTC\)", r"ln 2", r"2\^nullity", r"cgroup v2")
# how to read a scale; no figures
_SCALES = (
    r"1 if time always grows with the fact, 0 if they are unrelated, -1 if time always falls",
    r"∞ is unsolved",
    r"dotted lines mark times 2 and 10 times as long",
)


def problems(page_text: str, runs_text: str) -> list[str]:
    """Return every number of a page that does not follow from the runs, or that nothing explains."""
    page = Page(page_text)
    try:
        rules = Rules(page)
        return _Referee(page, Times(runs_text, rules, page)).found()
    except (KeyError, ValueError, IndexError) as error:
        return [f"the page cannot be recomputed: {error!r}"]


class _Referee:
    def __init__(self, page: Page, data: Times) -> None:
        self.page, self.data, self.rules = page, data, data.rules
        self.problems: list[str] = []

    def found(self) -> list[str]:
        """Return all problems."""
        self._names()
        known = [
            one
            for family in dict.fromkeys(puzzle.family for puzzle in self.data.puzzles)
            for name in self.data.ranked
            if (one := growth(self.data, name, family))
        ]
        for kind in dict.fromkeys(puzzle.kind for puzzle in self.data.puzzles):
            self._ranking(kind)
            self._correlations(kind)
        self._groups()
        self._summary(known)
        self._growth(known)
        self._pairs()
        details(self.page, self.data, self.expect, self.claim)
        for item in self.page.items:
            if left := item.unexplained():
                self.problems.append(f"not explained in #{item.section} <{item.kind}>: {left} of {item.text!r}")
        return self.problems

    def expect(self, item: Item, *parts: str | Near) -> None:
        """Compare a whole text with what it must say."""
        item.explain_all()
        if not says(item.text, parts):
            self.problems.append(f"#{item.section} shows {item.text!r}, recomputed {words(parts)!r}")

    def claim(self, pattern: str, *parts: str | Near, kind: str = "") -> None:
        """Compare what a pattern finds on the page, once or more in items of a kind, with what it must say."""
        count = 0
        for item in self.page.items:
            for found in re.finditer(pattern, item.text) if kind in ("", item.kind) else ():
                count += 1
                item.explained.append(found.span())
                if not says(found[0], parts):
                    self.problems.append(f"#{item.section} says {found[0]!r}, recomputed {words(parts)!r}")
        if not count:
            self.problems.append(f"the page does not say {pattern}")

    def _names(self) -> None:
        columns = ("contestant", "puzzle_name", "family", "version", "error")
        names = {run[column] for run in self.data.runs for column in columns} - {""}
        escaped = sorted(map(re.escape, names), key=len, reverse=True)
        pattern = re.compile("|".join([rf"(?<!\w)(?:{'|'.join(escaped)})(?!\w)", *_NAMES, *_SCALES]))
        for item in self.page.items:
            if not re.fullmatch(r"[\d., ]+", item.text):  # a version such as 1.0 is no excuse for a number
                item.explained += [found.span() for found in pattern.finditer(item.text)]

    def _table(self, caption: str, rows: Sequence[Sequence[Parts | str | Near]]) -> Sheet:
        """Compare a table without its headings, whose rows must be in this order."""
        sheet = self.page.sheet(caption)
        if sheet is None:
            raise ValueError(f"no table {caption!r}")
        if len(sheet.rows) != len(rows):
            self.problems.append(f"{caption!r} has {len(sheet.rows)} rows, recomputed {len(rows)}")
        for items, row in zip(sheet.rows, rows, strict=False):
            for item, parts in zip(items, row, strict=True):
                self.expect(item, *([parts] if isinstance(parts, str | Near) else parts))
        return sheet

    # ranking

    def _raced(self, kind: str) -> list[Puzzle]:
        data = self.data
        own = [puzzle for puzzle in data.puzzles if puzzle.kind == kind]
        return [puzzle for puzzle in own if len(data.asked(puzzle, data.ranked)) >= 2]

    def _common(self, kind: str) -> tuple[list[Puzzle], list[str]]:
        """The puzzles in common, and the contestants that were asked all of them."""
        data, raced = self.data, self._raced(kind)
        entrants = [name for name in data.ranked if all(data.time(puzzle, name) is not None for puzzle in raced)]
        if len(entrants) < 2:
            any_ = {name for puzzle in data.puzzles if puzzle.kind == kind for name in data.asked(puzzle, data.ranked)}
            raced = [puzzle for puzzle in raced if set(data.asked(puzzle, data.ranked)) == any_]
            entrants = [name for name in data.ranked if all(data.time(puzzle, name) is not None for puzzle in raced)]
        return raced, entrants

    def _best(self, puzzles: Sequence[Puzzle], names: Sequence[str]) -> list[float]:
        data = self.data
        known = ([value for name in names if (value := data.time(puzzle, name)) is not None] for puzzle in puzzles)
        return [min(times, default=math.inf) for times in known]

    def _ranking(self, kind: str) -> None:
        data = self.data
        own = [puzzle for puzzle in data.puzzles if puzzle.kind == kind]
        raced, (common, entrants) = self._raced(kind), self._common(kind)
        lines = []
        best_of_all = self._best(raced, data.ranked)
        whole = data.par(best_of_all)
        alone, contributions, solved, commons = {}, {}, {}, {}
        for name in data.ranked:
            times = [value for puzzle in own if (value := data.time(puzzle, name)) is not None]
            if not times:
                continue
            mine = [data.time(puzzle, name) for puzzle in raced]
            others = self._best(raced, [other for other in data.ranked if other != name])
            fastest = sum(value == best < math.inf for value, best in zip(mine, best_of_all, strict=True))
            alone[name] = sum(
                value is not None and value < math.inf == other for value, other in zip(mine, others, strict=True)
            )
            contributions[name] = data.par(others) - whole
            solved[name] = sum(value < math.inf for value in times)
            if name in entrants:
                commons[name] = data.par([value for puzzle in common if (value := data.time(puzzle, name)) is not None])
            interval = median_interval(times, self.rules.tail)
            row: list[Parts | str | Near] = [name, data.group[name], str(solved[name]), str(len(times))]
            row += [time(data.par(times)), time(commons[name]) if name in commons else ""]
            row += self._other_scores(name, common) if name in commons else ["", ""]
            row.append(time(median(times)))
            row += [[time(interval[0]), " to ", time(interval[1])] if interval else "", str(fastest), str(alone[name])]
            row.append(time(max(0.0, contributions[name])))
            place = (name not in commons, commons.get(name, data.par(times)), -solved[name])
            lines.append((place, row))
        lines.sort(key=lambda line: line[0])
        sheet = self._table(f"Contestants on {KINDS[kind]} by {self.rules.measure}", [row for _, row in lines])
        shared = f"{len(common)} puzzles in common"
        self.expect(
            sheet.caption, f"Contestants on {KINDS[kind]} by {self.rules.measure}, best PAR-2 on the {shared} first"
        )
        self._distinct(sheet, "PAR-2 in common", [commons.get(str(row[0]), math.nan) for _, row in lines])
        self._ranking_facts(kind, [str(row[0]) for _, row in lines], common, commons, contributions, alone, solved)

    def _other_scores(self, name: str, common: Sequence[Puzzle]) -> list[Parts | str | Near]:
        """PAR-k and Borda points of a contestant that was asked all puzzles in common."""
        data = self.data

        def times(names: Sequence[str], puzzle: Puzzle) -> list[float]:
            return [value for one in names if (value := data.time(puzzle, one)) is not None]

        own = [times([name], puzzle)[0] for puzzle in common]
        others = [times([other for other in data.ranked if other != name], puzzle) for puzzle in common]
        points = data.points(list(zip(own, others, strict=True)))
        return [time(data.par(own, self.rules.k)), f"{points:,.2f}"]

    def _distinct(self, sheet: Sheet, heading: str, values: Sequence[float]) -> None:
        """Unequal numbers of a column that sorts must not look equal."""
        shown = zip(sheet.column(heading), values, strict=True)
        for (one, low), (other, high) in combinations(list(shown), 2):
            if one.text == other.text and one.text and abs(high - low) > 10 ** (1 - self.rules.max_digits) * high:
                self.problems.append(f"{heading}: {low} and {high} look equal: {one.text}")

    def _ranking_facts(
        self,
        kind: str,
        order: Sequence[str],
        common: Sequence[Puzzle],
        commons: dict[str, float],
        contributions: dict[str, float],
        alone: dict[str, int],
        solved: dict[str, int],
    ) -> None:
        data, most = self.data, max(solved.values())
        best = self._best(common, data.ranked)
        virtual = data.par(best)
        first = min(commons, key=lambda name: commons[name])
        asked = {name: sum(p.kind == kind and data.time(p, name) is not None for p in data.puzzles) for name in order}
        firsts = [name for name in order if solved[name] == most]
        over = f", over {len(common)} puzzles"
        if len(commons) < len(order):
            over += f", which {len(commons)} of {len(order)} contestants were asked"
        least = max(self.rules.contribution * virtual, self.rules.least_contribution)
        needed = sorted((name for name in order if contributions[name] > least), key=lambda one: -contributions[one])
        listed: list[str | Near] = []
        for at, name in enumerate(needed):
            listed += [" and " if at and at == len(needed) - 1 else ", " if at else ""]
            listed += [f"{name} (+", time(contributions[name]), ")"]
        share = f"{self.rules.contribution:.0%}, at least "
        rest: list[str | Near] = [time(least), f" worse ({share}", time(self.rules.least_contribution), ")"]
        only = [f"{name} ({alone[name]})" for name in order if alone[name]]
        facts: dict[str, Parts] = {
            "most solved": [f"{most} of {asked[firsts[0]]}: {' and '.join(firsts)}"],
            "best PAR-2": [f"{first}: ", time(commons[first]), over],
            "virtual best solver": [f"solves {sum(value < math.inf for value in best)}, PAR-2 ", time(virtual)],
            "its PAR-2 without": [
                *listed,
                *(["; any other"] if listed else ["any one contestant"]),
                ": at most ",
                *rest,
            ],
            "solved by only one": [" and ".join(only)],
        }
        for name, parts in facts.items():
            if item := self._fact(f"{name} on {KINDS[kind]}"):
                self.expect(item, *parts)

    def _fact(self, name: str) -> Item | None:
        sheet = self.page.sheet("Summary")
        rows = {row[0].text: row[1] for row in sheet.rows} if sheet else {}
        return rows.get(name)

    def _groups(self) -> None:
        rows: list[list[str | Near]] = []
        for group in dict.fromkeys(self.data.group[name] for name in self.data.ranked):
            names = [name for name in self.data.ranked if self.data.group[name] == group]
            asked = [puzzle for puzzle in self.data.puzzles if self.data.asked(puzzle, names)]
            best = self._best(asked, names)
            counts = [str(len(names)), str(sum(value < math.inf for value in best)), str(len(best))]
            rows.append([group, *counts, time(self.data.par(best))])
        self._table("Groups", rows)

    # growth

    def _growth(self, known: Sequence[Growth]) -> None:
        rows: list[list[Parts | str | Near]] = []
        for one in known:
            by_model = {curve.model: curve.aic for curve in one.curves}
            aic = ", ".join(f"{by_model[model]:.2f}" for model in ("constant", "power", "exponential"))
            solved = [puzzle for puzzle, value in zip(one.puzzles, one.times, strict=True) if value < math.inf]
            largest = max(puzzle.size for puzzle in solved)
            shape = next(puzzle.shape for puzzle in solved if puzzle.size == largest)
            counts = [str(len(one.times)), str(one.censored), str(one.floored)]
            row: list[Parts | str | Near] = [one.contestant, one.family, one.words(), *counts, time(one.floor), aic]
            rows.append([*row, f"{shape[0]} x {shape[1]}"])
        self._table("Growth with size n", rows)

    def _summary(self, known: Sequence[Growth]) -> None:
        for family in dict.fromkeys(puzzle.family for puzzle in self.data.puzzles):
            item, parts = self._fact(f"growth on {family}"), summary(self.data, known, family)
            if item is not None or parts:
                self.expect(item or Item("summary", "", ""), *(parts or []))

    # pairs

    def _pairs(self) -> None:
        data, rules = self.data, self.rules
        wins: dict[tuple[str, str], str] = {}
        tests = []
        for a, b in combinations(data.ranked, 2):
            both = [
                (one, other)
                for puzzle in data.puzzles
                if (one := data.time(puzzle, a)) is not None and (other := data.time(puzzle, b)) is not None
            ]
            if not both:
                continue
            finite = [value for pair in both for value in pair if value < math.inf]
            beyond = rules.penalty * max([data.limit, *finite])
            logs = [[math.log(max(min(v, beyond), rules.least_time)) for v in pair] for pair in both]
            won, lost = ([data.beats(*pair) for pair in order] for order in (both, [pair[::-1] for pair in both]))
            wins[a, b], wins[b, a] = str(sum(won)), str(sum(lost))
            decided = [one - other for (one, other), *ahead in zip(logs, won, lost, strict=True) if any(ahead)]
            solved = [one - other for (one, other), pair in zip(logs, both, strict=True) if max(pair) < math.inf]
            p = signed_rank(decided, rules.max_exact), sign_test(sum(won), sum(lost))
            ties = len(both) - sum(won) - sum(lost)
            counts = [str(len(both)), str(sum(won)), str(sum(lost)), str(ties)]
            tests.append((f"{a} against {b}", counts, ratio(solved, rules.min_ratio_puzzles), p))
        adjusted = zip(*(holm([test[-1][which] for test in tests]) for which in (0, 1)), strict=True)
        rows: list[tuple[float, float, list[Parts | str | Near]]] = []
        for (pair, counts, factor, p), (signed, sign) in zip(tests, adjusted, strict=True):
            cells: list[Parts | str | Near] = [pair, *counts, Near(factor.value) if factor else ""]
            shown = factor and not math.isnan(factor.low)
            cells.append([Near(factor.low), " to ", Near(factor.high)] if factor and shown else "")
            rows.append((signed, p[0], [*cells, _p(signed), _p(sign)]))
        rows.sort(key=lambda row: row[:2])
        sheet = self._table("Paired tests", [row for *_, row in rows])
        for item in sheet.column("ratio of times"):
            if item.text == "1":
                self.problems.append("a ratio of times looks equal to 1")
        names = data.ranked
        self._table("Wins", [[one, *(wins.get((one, other), "") for other in names)] for one in names])

    def _correlations(self, kind: str) -> None:
        facts: dict[str, Callable[[Puzzle], float | None]] = {
            "size": lambda puzzle: puzzle.size,
            "nullity": lambda puzzle: float(puzzle.run["nullity"]) if puzzle.run["nullity"] else None,
            "difficulty": lambda puzzle: self.rules.difficulty.get(puzzle.run["difficulty"]),
            "density": lambda puzzle: float(puzzle.run["density"]) if puzzle.run["density"] else None,
        }
        own = [puzzle for puzzle in self.data.puzzles if puzzle.kind == kind]
        facts = {name: of for name, of in facts.items() if any(of(puzzle) is not None for puzzle in own)}
        rows = []
        for name in self.data.ranked:
            row = [name]
            for of in facts.values():
                points = [
                    (value, fact)
                    for puzzle in own
                    if (value := self.data.time(puzzle, name)) is not None and (fact := of(puzzle)) is not None
                ]
                row.append(self._correlation(points))
            if any(row[1:]):
                rows.append(row)
        sheet = self._table(f"Rank correlation of {self.rules.measure} on {KINDS[kind]}", rows)
        if [item.text for item in sheet.head] != ["contestant", *facts]:
            self.problems.append(f"facts of {KINDS[kind]} are {', '.join(facts)}")

    def _correlation(self, points: Sequence[tuple[float, float]]) -> str:
        times, values = (list(values) for values in zip(*points, strict=True)) if points else ([], [])
        if len(points) < self.rules.min_ranked or len(set(times)) == 1 or len(set(values)) == 1:
            return ""
        rho, p = rank_correlation(times, values)
        return f"{round(rho, 2) + 0.0:.2f} (p {'' if p < 0.001 else '= '}{_p(p)})"


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
