"""The exported runs, and the times that follow from them by the rules on the page."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass

from tests.campaigns.referee.inference import median
from tests.campaigns.referee.page import Page

Run = dict[str, str]
NO_TIME = math.nan


def seconds(number: str, unit: str) -> float:
    """Return a time of the page in seconds."""
    return float(number) / (1000 if unit == "ms" else 1)


class Rules:
    """The constants of the page.

    Raises:
        ValueError: if one is not on the page.
    """

    def __init__(self, page: Page) -> None:
        def numbers(pattern: str) -> list[float]:
            return [float(text) for text in page.rule(pattern).groups()]

        self.column = page.rule(r"'(\w+)', in seconds, if its 'judgement' is")[1]
        self.measure = {"total": "time", "cpu": "CPU time", "wall": "wall time", "solve": "search time"}[self.column]
        self.solved = page.rule(r"if its 'judgement' is (\w+); otherwise the run is unsolved")[1]
        self.harmless = page.rule(r"has 'problems' other than (.+)")[1].split(", ")
        self.penalty = {"twice": 2.0}[page.rule(r"an unsolved puzzle counting [\d.]+ m?s, (\w+) the limit")[1]]
        self.k = numbers(r"PAR-k with k = ([\d.]+), where an unsolved puzzle counts k times the limit")[0]
        page.rule(r"each other contestant, 1 if only this one solved it, and t' / \(t \+ t'\) if both did")
        self.tail = numbers(r"P\(X < k\) < ([\d.]+)% for the number X of heads")[0] / 100
        tie = page.rule(r"Times within (\d+)% \(of the longer one\) or (\d+) (m?s) of each other tie")
        self.tie_share, self.tie = float(tie[1]) / 100, seconds(tie[2], tie[3])
        self.max_exact = int(page.rule(r"ties are left out; exact for at most (\d+) puzzles")[1])
        self.least_time = seconds(*page.rule(r"Times below ([\d.]+) (m?s) count as \1 \2").groups())
        self.min_ratio_puzzles = int(page.rule(r"mean of the logarithms, if both solved at least (\d+) of the same")[1])
        self.min_ranked = int(page.rule(r"Empty: fewer than (\d+) puzzles, or equal times or facts")[1])
        levels = page.rule(r"'difficulty' counts as line (\d), probe (\d), search (\d)").groups()
        self.difficulty = dict(zip(("line", "probe", "search"), map(float, levels), strict=True))
        self.same_aic = numbers(r"the first in this order within ([\d.]+) of it")[0]
        self.aic_gap = numbers(r"fits about as well if its AIC is less than (\d+) higher")[0]
        self.floor = seconds(*page.rule(r"Unless the campaign sets it, the floor is ([\d.]+) (m?s)").groups())
        self.starting = numbers(r"; or (\d+) times the shortest time of the contestant")[0]
        self.min_sizes = int(page.rule(r"if that is longer, (\d+) sizes have times of at least that")[1])
        self.min_puzzles = int(page.rule(r"Fewer than (\d+) puzzles do not distinguish an exponential")[1])
        noise, share = numbers(r"term -\(([\d.]+)/s\)²/2, because each time has an error of (\d+)%")
        self.noise = noise if noise == share / 100 else NO_TIME
        aic = r"AIC is (2)p - (2) log likelihood; p, the number of parameters, is (2) for a constant and (3) for others"
        page.rule(aic)
        needs = page.rule(r"A fit needs (\d+) sizes, and uncensored times at (\d+) sizes")
        self.fit_sizes, self.fit_exact = int(needs[1]), int(needs[2])
        page.rule(r"doubling has the ends ln 2 / slope")
        self.series = int(page.rule(r"^at least (\d+) sizes; each has the same number")[1])
        self.wall = numbers(r"grows by a factor of over (\d+) \(from the floor")[0]
        faster = page.rule(
            r"the median of the next contestant is longer by a factor of over ([\d.]+) and by over ([\d.]+) (m?s)"
        )
        self.faster, self.faster_by = float(faster[1]), seconds(faster[2], faster[3])
        least = page.rule(r"at most [\d.]+ m?s worse \((\d+)%, at least ([\d.]+) (m?s)\)")
        self.contribution, self.least_contribution = float(least[1]) / 100, seconds(least[2], least[3])
        self.waited = numbers(r"waited for a processor for over (\d+)% of their time")[0] / 100
        self.max_digits = int(page.rule(r"it shows more, at most (\d+), if unequal")[1])


@dataclass(frozen=True)
class Puzzle:
    """A puzzle, by the columns of any of its runs."""

    run: Run

    @property
    def name(self) -> str:
        return self.run["puzzle_name"]

    @property
    def family(self) -> str:
        return self.run["family"]

    @property
    def kind(self) -> str:
        return self.run["kind"]

    @property
    def size(self) -> float:
        return float(self.run["size"])

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.run["rows"]), int(self.run["columns"])


class Times:
    """All runs of a campaign, and the time of each contestant on each puzzle: inf unsolved, None not asked."""

    def __init__(self, text: str, rules: Rules, page: Page) -> None:
        self.runs: list[Run] = list(csv.DictReader(io.StringIO(text)))
        self.puzzles = [Puzzle(run) for run in {run["puzzle"]: run for run in self.runs}.values()]
        limits = (self.runs[0]["limit_seconds"], self.runs[0]["limit_cpu_seconds"])
        self.limit = min(float(limit) for limit in limits if limit)
        listed = next(sheet for sheet in page.sheets if sheet.caption.text == "Contestants")
        names = [item.text for item in listed.column("contestant")]
        groups = [item.text for item in listed.column("group")]
        order = list(dict.fromkeys(groups))
        self.group = dict(zip(names, groups, strict=True))
        self.all = sorted(
            {run["contestant"] for run in self.runs}, key=lambda name: (order.index(self.group[name]), name)
        )
        harmful = {run["contestant"] for run in self.runs if set(run["problems"].split()) - set(rules.harmless)}
        self.wrong = [name for name in self.all if name in harmful]
        self.ranked = [name for name in self.all if name not in harmful]
        self.rules = rules
        self._runs: dict[tuple[str, str], list[Run]] = {}
        for run in self.runs:
            self._runs.setdefault((run["puzzle"], run["contestant"]), []).append(run)

    def of(self, puzzle: Puzzle, contestant: str) -> list[Run]:
        """Return the runs of a contestant on a puzzle."""
        return self._runs.get((puzzle.run["puzzle"], contestant), [])

    def time(self, puzzle: Puzzle, contestant: str) -> float | None:
        """Return the median time; inf if unsolved, None if it was not asked."""
        runs = [run for run in self.of(puzzle, contestant) if run["status"] != "unsupported"]
        column, solved = self.rules.column, self.rules.solved
        times = [float(run[column]) if run["judgement"] == solved else math.inf for run in runs]
        return median(times) if times else None

    def says_nothing(self, puzzle: Puzzle, contestant: str) -> bool:
        """Return whether a puzzle was not solved, and no limit was reached."""
        reached = {run["status"] for run in self.of(puzzle, contestant)} & {"timeout", "memory"}
        return self.time(puzzle, contestant) == math.inf and not reached

    def asked(self, puzzle: Puzzle, contestants: Sequence[str]) -> list[str]:
        """Return the contestants that were asked a puzzle."""
        return [name for name in contestants if self.time(puzzle, name) is not None]

    def beats(self, one: float, other: float) -> bool:
        """Return whether a time is shorter by more than makes a tie."""
        if math.isinf(one) or math.isinf(other):
            return one < other
        return other - one > max(self.rules.tie_share * other, self.rules.tie)

    def par(self, times: Sequence[float], k: float = 0.0) -> float:
        """Return the mean of times, an unsolved one counting k times the limit, or with the usual penalty."""
        penalty = (k or self.rules.penalty) * self.limit
        return math.fsum(penalty if math.isinf(time) else time for time in times) / len(times)

    def points(self, times: Sequence[tuple[float, Sequence[float]]]) -> float:
        """Return the Borda points for times on puzzles, each with those of the others."""
        return math.fsum(
            1.0 if math.isinf(other) else other / (own + other) if own + other else 0.5
            for own, others in times
            if own < math.inf
            for other in others
        )

    def disturbed(self, run: Run) -> tuple[bool, bool]:
        """Return whether a run waited for a processor, and whether its machine was busy."""
        waited = float(run["delayed"]) > self.rules.waited * float(run["wall"])
        return waited, float(run["machine_load"]) > int(run["processors"])
