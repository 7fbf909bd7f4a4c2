"""The ranking, the pairs and the growth of a campaign, recomputed from its exported runs in another way.

docs/reference/campaigns.md has the rules.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from statistics import fmean, median
from typing import Any

import numpy as np
import scipy.optimize
import scipy.special

Times = dict[str, dict[str, float]]  # by contestant and puzzle, in seconds; inf if unsolved
HARMLESS = {"error", "disagreement", "stray-output", "orphaned-process", "timing"}
FLOOR, NOISE = 1e-3, 0.02


def times_of(runs: Iterable[dict[str, str]], column: str, value: str) -> Times:
    """Return the median times of the contestants without a wrong answer, on the puzzles of a kind or family."""
    runs = list(runs)
    wrong = {run["backend"] for run in runs if set(run["problems"].split()) - HARMLESS}
    found: dict[str, dict[str, list[float]]] = {}
    for run in runs:
        if run[column] == value and run["backend"] not in wrong and run["status"] != "unsupported":
            seconds = float(run["total"]) if run["judgement"] == "right" else math.inf
            found.setdefault(run["backend"], {}).setdefault(run["puzzle_id"], []).append(seconds)
    return {who: {puzzle: median(some) for puzzle, some in own.items()} for who, own in found.items()}


def par(seconds: Iterable[float], limit: float, k: float = 2) -> float:
    """Return the mean time, k times the limit for an unsolved puzzle."""
    return fmean([k * limit if math.isinf(time) else time for time in seconds])


def ranking(times: Times, limit: float) -> dict[str, dict[str, Any]]:
    """Return the scores of each contestant."""
    puzzles = dict.fromkeys(puzzle for own in times.values() for puzzle in own)
    asked = {puzzle: [own[puzzle] for own in times.values() if puzzle in own] for puzzle in puzzles}
    raced = [puzzle for puzzle, some in asked.items() if len(some) >= 2]
    everywhere = [who for who, own in times.items() if all(puzzle in own for puzzle in raced)]
    common = raced
    if len(everywhere) < 2:
        common = [puzzle for puzzle in raced if len(asked[puzzle]) == len(times)]
        everywhere = list(times)

    def best(puzzle: str, without: str = "") -> float:
        return min(own[puzzle] for who, own in times.items() if puzzle in own and who != without)

    found = {}
    for who, own in times.items():
        mine = [puzzle for puzzle in raced if puzzle in own and own[puzzle] < math.inf]
        loss = par([best(puzzle, who) for puzzle in raced], limit) - par(map(best, raced), limit) if raced else 0.0
        found[who] = {
            "asked": len(own),
            "solved": sum(time < math.inf for time in own.values()),
            "par2": par(own.values(), limit),
            "median": median(own.values()),
            "best": sum(own[puzzle] == best(puzzle) for puzzle in mine),
            "only_solver": sum(best(puzzle, who) == math.inf for puzzle in mine),
            "contribution": max(0.0, loss),
            **dict.fromkeys(("par2_common", "par10_common", "borda")),
        }
        if who in everywhere and common:
            mine = [own[puzzle] for puzzle in common]
            found[who] |= {"par2_common": par(mine, limit), "par10_common": par(mine, limit, 10)}
            rivals = [rival for other, rival in times.items() if other != who]
            met = [(own[puzzle], rival[puzzle]) for puzzle in common for rival in rivals if puzzle in rival]
            found[who]["borda"] = sum(_points(*both) for both in met)
    return found


def _points(own: float, other: float) -> float:
    if own == math.inf:
        return 0.0
    return 1.0 if other == math.inf else other / (own + other)


def pair(a: dict[str, float], b: dict[str, float]) -> dict[str, Any]:
    """Return the comparison of two contestants on the puzzles that both were asked."""
    both = [(a[puzzle], b[puzzle]) for puzzle in a if puzzle in b]

    def beats(one: float, other: float) -> bool:
        return one < math.inf and (other == math.inf or other - one > max(0.05 * other, 1e-3))

    ratios = [math.log(max(1e-6, one) / max(1e-6, other)) for one, other in both if max(one, other) < math.inf]
    return {
        "puzzles": len(both),
        "wins_a": sum(beats(one, other) for one, other in both),
        "wins_b": sum(beats(other, one) for one, other in both),
        "ratio": math.exp(fmean(ratios)) if ratios else None,
    }


SHAPES: dict[str, Callable[[Any], Any]] = {"flat": np.zeros_like, "power": np.log, "exponential": np.asarray}


def growth(points: Sequence[tuple[float, float]], limit: float, floor: float | None = None) -> dict[str, Any]:
    """Return the model of sizes and times with the lowest AIC, None if nothing can be fitted, and its slope."""
    sizes, seconds = np.array(points).T
    ended, own = seconds < math.inf, 2 * seconds.min()
    if floor is None and FLOOR < own < math.inf and len({*sizes[ended & (seconds >= own)]}) >= 3:
        found = growth(points, limit, own)
        if found["model"] in ("power", "exponential"):
            return found
    floor = floor or FLOOR
    exact = ended & (seconds >= floor)
    if len({*sizes[exact]}) < 2 or len({*sizes}) < 3:
        return {"model": None, "aic": {}, "slope": 0.0}
    logs = np.log(seconds.clip(floor, limit))
    aic, slopes = {}, {}
    for name, shape in SHAPES.items():
        x = shape(sizes)
        scale = x.std() or 1.0
        scaled = (x - x.mean()) / scale  # of the sizes themselves, intercept and slope would depend on each other

        def cost(p: Sequence[float], scaled: Any = scaled) -> float:
            z = (logs - p[1] - sum(p[2:]) * scaled) / math.exp(p[0])
            known = p[0] + (z**2 + math.log(2 * math.pi) + (NOISE / math.exp(p[0])) ** 2) / 2
            # otherwise it is at most the floor, or longer than the limit
            return float(np.where(exact, known, -scipy.special.log_ndtr(np.where(ended, z, -z))).sum())

        start = [0.0, -3.0] if name == "flat" else [0.0, -3.0, 1.0]
        best = scipy.optimize.minimize(cost, start, method="Powell", options={"xtol": 1e-9, "ftol": 1e-13}).x
        aic[name], slopes[name] = 2 * len(best) + 2 * cost(best), sum(best[2:]) / scale
    model = next(name for name in aic if aic[name] <= min(aic.values()) + 0.01)
    return {"model": model, "aic": aic, "slope": slopes[model]}


def recomputed(runs: Sequence[dict[str, str]]) -> dict[str, Any]:
    """Return the rankings by kind, the pairs and the growth by family."""
    limit = min(float(runs[0][name]) for name in ("timeout", "cpu_timeout") if runs[0][name])
    kinds = {kind: times_of(runs, "kind", kind) for kind in dict.fromkeys(run["kind"] for run in runs)}
    pairs = {(a, b): pair(times[a], times[b]) for times in kinds.values() for a, b in combinations(times, 2)}
    sizes = {run["puzzle_id"]: float(run["size"]) for run in runs}
    silent = {(run["backend"], run["puzzle_id"]) for run in runs if run["status"] in ("error", "gave-up")}
    fits = {}
    for family in dict.fromkeys(run["family"] for run in runs):
        for who, own in times_of(runs, "family", family).items():
            # a crash or giving up bounds no time
            known = [key for key, time in own.items() if time < math.inf or (who, key) not in silent]
            if len({sizes[key] for key in known}) >= 3:
                fits[family, who] = growth([(sizes[key], own[key]) for key in known], limit)
    return {"ranking": {kind: ranking(times, limit) for kind, times in kinds.items()}, "pairs": pairs, "fits": fits}
