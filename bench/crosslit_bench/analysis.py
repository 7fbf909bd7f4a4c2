"""The statistics of a campaign's times: scores, paired tests, and growth with size.

Each function takes `Times` or its frames, in which inf is unsolved and nan not asked, and returns a frame or records.
docs/reference/campaigns.md has the rules by which all numbers can be recomputed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import scipy  # which imports its packages at their first use, as they take half a second
from pandas import DataFrame, Series

from crosslit.base.text import format_count, format_number, format_seconds
from crosslit_bench.results import Times

inf, nan = math.inf, math.nan
Record = dict[str, Any]
TIE_SHARE, TIE_SECONDS = 0.05, 1e-3  # two times tie if they differ by at most that, which is within the noise
MIN_SECONDS = 1e-6  # in tests: 0 has no logarithm
MIN_VALUES = 6  # for an interval of 95%


def par(seconds: DataFrame, limit: float, k: float = 2) -> Series:
    """Return PAR-k: the mean time over the puzzles asked, k times the limit for an unsolved one."""
    return seconds.replace(inf, k * limit).mean()


def borda(seconds: DataFrame) -> Series:
    """Return the points of the MiniZinc Challenge: t' / (t + t') on each puzzle against each other contestant."""
    points = dict.fromkeys(seconds, 0.0)
    for label, other in combinations(seconds, 2):
        pair = seconds[[label, other]].dropna()
        pair = pair[np.isfinite(pair).any(axis=1)]
        share = (pair[other] / pair.sum(axis=1)).where(pair[other] < inf, 1.0).fillna(0.5)
        points[label] += share.sum()
        points[other] += (1 - share).sum()
    return Series(points)


def comparable(seconds: DataFrame) -> Series:
    """Return a mask of the puzzles in common: those asked of two, if two were asked all of these; else those of all."""
    asked = seconds.notna()
    raced = asked.sum(axis=1) >= 2
    return raced if asked[raced].all().sum() >= 2 else raced & asked.loc[:, asked.any()].all(axis=1)


def scores(times: Times) -> DataFrame:
    """Return the scores of the ranked entrants that were asked any puzzle."""
    seconds, limit = times.ranked.dropna(axis=1, how="all"), times.limit
    common = seconds[comparable(seconds)]
    everywhere = common.notna().all()
    raced = seconds[seconds.notna().sum(axis=1) >= 2]
    best = raced.min(axis=1)  # the virtual best solver
    others = DataFrame({label: raced.drop(columns=label).min(axis=1) for label in raced})
    solved = np.isfinite(raced)
    found = DataFrame(index=seconds.columns.rename("backend"))
    found["group"] = found.index.map(times.groups)
    found["asked"], found["solved"] = seconds.count(), np.isfinite(seconds).sum()
    found["par2"] = par(seconds, limit)
    found["par2_common"] = par(common, limit).where(everywhere)
    found["par10_common"] = par(common, limit, 10).where(everywhere)
    found["borda"] = borda(common).where(everywhere)
    found["median"] = seconds.median()
    intervals = [median_interval(seconds[label].dropna()) for label in seconds]
    found[["interval_low", "interval_high"]] = DataFrame(intervals, index=found.index, columns=[*"ab"], dtype=float)
    found["start"] = found.index.map(times.starts).astype(float)
    found["only_solver"] = (solved & np.isinf(others)).sum()
    found["best"] = (solved & raced.eq(best, axis=0)).sum()
    found["contribution"] = (par(others, limit) - par(best.to_frame(), limit)[0]).clip(lower=0).fillna(0)
    return found


def median_interval(values: Series) -> tuple[float, float]:
    """Return the interval of 95% of a median between two order statistics; nan for fewer than six values."""
    rank = int(scipy.stats.binom.ppf(0.025, len(values), 0.5)) if len(values) >= MIN_VALUES else 0
    ordered = sorted(values)
    return (ordered[rank - 1], ordered[-rank]) if rank else (nan, nan)


def rankings(times: Times) -> dict[str, DataFrame]:
    """Return the scores by kind of puzzle, best PAR-2 in common first; different kinds are not compared."""
    found = {}
    for kind in times.puzzles["kind"].unique():
        table = scores(times.only("kind", kind))
        points = table["par2_common"].fillna(table["par2"])
        order = DataFrame({"other": table["par2_common"].isna(), "points": points, "solved": -table["solved"]})
        found[kind] = table.loc[order.sort_values(["other", "points", "solved"], kind="stable").index]
    return found


def portfolio(times: Times) -> Record | None:
    """Return the virtual and the single best solver on the puzzles in common; None without any."""
    seconds = times.ranked
    common = seconds[comparable(seconds)]
    if common.empty:
        return None
    everywhere = common.columns[common.notna().all()]
    means, best = par(common[everywhere], times.limit), common.min(axis=1)
    return {
        "puzzles": len(common),
        "solved": int(np.isfinite(best).sum()),
        "par2": par(best.to_frame(), times.limit)[0],
        "best": means.idxmin(),
        "best_par2": means.min(),
    }


def group_scores(times: Times) -> list[Record]:
    """Return the scores of groups, each with the time of its fastest member on each puzzle, if there are several."""
    seconds, found = times.ranked, []
    groups = Series(times.groups)[seconds.columns]
    for group in groups.unique():
        best = seconds.loc[:, groups == group].min(axis=1)
        counts = {"contestants": int((groups == group).sum()), "asked": int(best.count())}
        solved = int(np.isfinite(best).sum())
        found.append({"group": group, **counts, "solved": solved, "par2": par(best.to_frame(), times.limit)[0]})
    return found if len(found) > 1 else []


def beats(a: Series, b: Series) -> Series:
    """Return a mask of the puzzles that a wins: faster by more than a tie, or the only one to solve it."""
    return np.isfinite(a) & (np.isinf(b) | (b - a > np.maximum(TIE_SHARE * b, TIE_SECONDS)))


def compare_pair(a: Series, b: Series, limit: float) -> Record:
    """Compare two entrants on the puzzles that both were asked."""
    both = DataFrame({"a": a, "b": b}).dropna()
    won, lost = beats(both.a, both.b), beats(both.b, both.a)
    solved = np.isfinite(both).all(axis=1)
    longest = both.where(np.isfinite(both)).max().max()
    logs = np.log(both.replace(inf, 2 * np.nanmax([limit, longest])).clip(lower=MIN_SECONDS))
    difference = logs.a - logs.b
    tested, ratios = difference[won | lost], difference[solved]
    rank = scipy.stats.wilcoxon(tested) if len(tested) else None
    wins, losses = int(won.sum()), int(lost.sum())
    low = high = nan
    if len(ratios) >= MIN_VALUES:
        half = scipy.stats.t.ppf(0.975, len(ratios) - 1) * ratios.sem()
        low, high = math.exp(ratios.mean() - half), math.exp(ratios.mean() + half)
    return {
        "a": a.name,
        "b": b.name,
        "puzzles": len(both),
        "wins_a": wins,
        "wins_b": losses,
        "ties": len(both) - wins - losses,
        "both_solved": int(solved.sum()),
        "ratio": math.exp(ratios.mean()) if len(ratios) else nan,
        "interval_low": low,
        "interval_high": high,
        "statistic": float(rank.statistic) if rank else nan,
        "p": float(rank.pvalue) if rank else 1.0,
        "p_sign": float(scipy.stats.binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0,
    }


def adjusted(pairs: Sequence[Record]) -> list[Record]:
    """Return comparisons with p-values adjusted for their number (Holm 1979)."""
    table = DataFrame(pairs)
    for name in ("p", "p_sign") if pairs else ():
        ordered = table[name].sort_values()
        table[f"{name}_adjusted"] = (ordered * np.arange(len(ordered), 0, -1)).cummax().clip(upper=1)
    found: list[Record] = table.to_dict("records")
    return found


def paired(times: Times) -> list[Record]:
    """Return the comparisons of all pairs of ranked entrants with puzzles that both were asked."""
    seconds = times.ranked
    asked = seconds.notna()
    together = [pair for pair in combinations(seconds, 2) if (asked[pair[0]] & asked[pair[1]]).any()]
    return adjusted([compare_pair(seconds[a], seconds[b], times.limit) for a, b in together])


def format_p(p: float) -> str:
    """Return a p-value as text; a smaller one than .001 says nothing more, and is never 0."""
    return "< 0.001" if p < 0.001 else format_number(p, 2)


FLOOR = 1e-3  # seconds, below which starting and reading dominate a time
MIN_SIZES, MIN_PUZZLES = 3, 6  # for a fit, and to tell a power from an exponential
MAX_AIC_GAP = 2.0  # within which models describe the times about equally well (Burnham and Anderson 2002)
NOISE = 0.02  # relative error of every time, so that points on a line have no infinite likelihood
MODELS = {"flat": None, "power": np.log, "exponential": lambda sizes: sizes}
_MAX_LOG = 700  # whose exponential is a number
_PRECISION = {"xatol": 1e-9, "fatol": 1e-9, "maxiter": 4000}
_KINDS = {"flat": "no growth", "power": "a power", "exponential": "exponential growth"}


def fit_line(x: Any, y: Any, side: Any) -> Record:
    """Return the line of maximum likelihood for censored values (Tobin 1958).

    Args:
        x: the independent values; None for a constant.
        y: the values.
        side: 1 where the true value is above that of ``y``, -1 where it is below, 0 where it is exact.

    Returns:
        The line with sigma, the cost at the optimum, and the half width of the slope's interval of 95% by the curvature
        (the intercept's for a constant).
    """
    centre, scale = (0.0, 1.0) if x is None else (x.mean(), x.std())
    design = np.column_stack([np.ones_like(y), *([] if x is None else [(x - centre) / scale])])
    exact = side == 0

    def cost(p: Any) -> Any:
        """Return the negative logarithm of the likelihood, convex in 1 / sigma and line / sigma (Olsen 1978)."""
        theta = p[-1]
        if theta <= 0:
            return inf
        z = theta * y - design @ p[:-1]
        known = np.log(theta) - (z**2 + np.log(2 * np.pi) + (theta * NOISE) ** 2) / 2
        return -np.where(exact, known, scipy.special.log_ndtr(-side * z)).sum()

    line = np.linalg.lstsq(design[exact], y[exact], rcond=None)[0]
    sigma = math.hypot(y[exact].std(), NOISE)  # a first guess
    found = scipy.optimize.minimize(cost, np.append(line, 1) / sigma, method="Nelder-Mead", options=_PRECISION)
    p, theta = found.x, found.x[-1]
    estimates = p[:-1] / theta
    # the delta method carries the covariance over to intercept and slope
    derivative = np.column_stack([np.eye(len(estimates)), -estimates]) / theta
    variances = np.diag(derivative @ np.linalg.pinv(_curvature(cost, p)) @ derivative.T)
    margins = scipy.stats.t.ppf(0.975, max(1, len(y) - len(p))) * np.sqrt(np.abs(variances))
    slope = estimates[1] / scale if x is not None else 0.0
    margin = margins[1] / scale if x is not None else margins[0]
    return {
        "intercept": estimates[0] - slope * centre,
        "slope": slope,
        "sigma": 1 / theta,
        "margin": margin,
        "cost": found.fun,
    }


def _curvature(function: Any, point: Any) -> Any:
    """Return the second derivatives of a function, by differences."""
    steps = np.eye(len(point)) * np.maximum(np.abs(point), 1) * 1e-4

    def second(a: Any, b: Any) -> Any:
        corners = (s * t * function(point + s * a + t * b) for s in (-1, 1) for t in (-1, 1))
        return float(sum(corners)) / (4 * a.sum() * b.sum())

    return np.array([[second(a, b) for b in steps] for a in steps])


def fit_curve(sizes: Any, seconds: Any, limit: float, floor: float | None = None) -> Record:
    """Return the growth of times with positive sizes, by the model of the lowest AIC; a time is inf at the limit.

    Without a floor it is 1 ms, or twice the shortest time if times grow above that.
    """
    solved = np.isfinite(seconds)
    if floor is None and solved.any():
        own = 2 * seconds[solved].min()
        if own > FLOOR and len(np.unique(sizes[solved & (seconds >= own)])) >= MIN_SIZES:
            found = fit_curve(sizes, seconds, limit, own)
            if found["model"] in ("power", "exponential"):
                return found
    floor = floor or FLOOR
    floored = seconds < floor
    found = {
        "model": None,
        **dict.fromkeys(("rate", "interval_low", "interval_high"), nan),
        "points": len(sizes),
        "censored": int((~solved).sum()),
        "floored": int(floored.sum()),
        "floor": floor,
        "smallest": sizes.min(),
        "largest": sizes.max(),
        "solved_to": sizes[solved].max() if solved.any() else nan,
        "aic": {},
        "intercept": nan,
        "slope": 0.0,
        "sigma": 0.0,
        "why": "",
    }
    if len(np.unique(sizes[solved & ~floored])) < 2 or len(np.unique(sizes)) < MIN_SIZES:
        few = "too few times between the floor and the limit"
        below = f"always below {format_seconds(floor, 2)}" if floored.all() else few
        return found | {"why": below if solved.any() else "solved none within the limit"}
    values = np.log(np.where(solved, np.maximum(seconds, floor), limit))
    side = np.where(~solved, 1, np.where(floored, -1, 0))
    lines = {name: fit_line(shape and shape(sizes), values, side) for name, shape in MODELS.items()}
    aic = {name: 2 * (2 + (name != "flat") + line["cost"]) for name, line in lines.items()}
    model = next(name for name in aic if aic[name] <= min(aic.values()) + 0.01)
    line = lines[model]
    rate, low, high = _rate(model, line)
    numbers = {"rate": rate, "interval_low": low, "interval_high": high}
    return found | numbers | {"model": model, "aic": aic, **{key: line[key] for key in ("intercept", "slope", "sigma")}}


def _rate(model: str, line: Record) -> tuple[float, float, float]:
    """Return the number that describes growth, with its interval: a time, an exponent, or a doubling."""
    slope, margin = line["slope"], line["margin"]
    if model == "flat":
        low, rate, high = (math.exp(line["intercept"] + side * margin) for side in (-1, 0, 1))
        return rate, low, high
    if model == "power":
        return slope, slope - margin, slope + margin
    # the increase of size that doubles the time; negative if it halves
    ends = (slope - margin, slope + margin)
    doublings = [math.log(2) / end if end * slope > 0 else math.copysign(inf, slope) for end in ends]
    return math.log(2) / slope, min(doublings), max(doublings)


def rivals(fit: Record) -> list[str]:
    """Return the other models that describe the times about as well; none for ``flat``."""
    if fit["model"] in (None, "flat"):
        return []
    best, few = fit["aic"][fit["model"]], fit["points"] < MIN_PUZZLES
    close = {name: value - best < MAX_AIC_GAP or (few and name != "flat") for name, value in fit["aic"].items()}
    return [name for name, holds in close.items() if holds and name != fit["model"]]


def growth(fit: Record) -> str | None:
    """Return the model, ``unclear`` if it has rivals, or ``below 1 ms`` (the floor) if no time could be measured."""
    if rivals(fit):
        return "unclear"
    is_short = fit["model"] == "flat" and fit["rate"] < fit["floor"]
    return f"below {format_seconds(fit['floor'], 2)}" if is_short else fit["model"]


def grows(fit: Record) -> bool:
    """Return whether growth is certain: the interval excludes a constant time."""
    if fit["model"] in (None, "flat") or "flat" in rivals(fit):
        return False
    return fit["interval_low"] > 0 and (fit["model"] == "power" or math.isfinite(fit["interval_high"]))


def predict(fit: Record, sizes: Any) -> Any:
    """Return the median times in seconds that a curve predicts."""
    shape = MODELS[fit["model"]] or np.zeros_like
    return np.exp(np.minimum(fit["intercept"] + fit["slope"] * shape(sizes), _MAX_LOG))


def fit_words(fit: Record) -> str:
    """Return a fit as a phrase."""
    span = f"over n = {fit['smallest']:.4g} to {fit['largest']:.4g}"
    if fit["model"] is None:
        return f"{fit['why']}, {span}"
    rate, low, high = (format_number(fit[name], 2) for name in ("rate", "interval_low", "interval_high"))
    short = growth(fit) or ""
    constant = short if short.startswith("below") else f"about {format_seconds(fit['rate'], 2)}"
    parts = {
        "flat": f"no visible growth: {constant}",
        "power": f"grows as n^{rate} (95% {low} to {high})",
        "exponential": f"doubles when n grows by {rate} (95% {low} to {high})",
    }
    text = f"{parts[fit['model']]}, fitted {span}"
    if fit["floored"]:
        text += f", {fit['floored']} below {format_seconds(fit['floor'], 2)} counted as at most that"
    if fit["censored"]:
        text += f", {format_count(fit['censored'], 'puzzle')} censored"
    others = " or ".join(_KINDS[name] for name in rivals(fit))
    return f"{text}; {others} fits about as well" if others else text


def fits(times: Times) -> list[Record]:
    """Return the growth of every ranked entrant on every family of which it was asked at least three sizes."""
    found, without = [], times.spec.without_growth
    for family in times.puzzles["family"].unique():
        if family in without:
            continue
        part = times.only("family", family)
        sizes, known = part.puzzles["size"].to_numpy(float), _informative(part)
        for label, column in part.ranked.items():
            own = known[label].to_numpy()
            if len(np.unique(sizes[own])) >= MIN_SIZES:
                line = fit_curve(sizes[own], column.to_numpy()[own], part.limit)
                left_out = int(column.notna().sum() - own.sum())
                found.append(
                    {"family": family, "backend": label, "group": times.groups[label], **line, "left_out": left_out}
                )
    return found


def _informative(times: Times) -> DataFrame:
    """Return a mask of the times that bound growth: a crash or giving up says nothing about it."""
    late = times.statuses.apply(lambda column: column.str.contains("timeout|memory"))
    return np.isfinite(times.seconds) | (np.isinf(times.seconds) & late)


def walls(fits: Sequence[Record]) -> Iterator[Record]:
    """Yield the certain exponential growth to the limit or by a factor of 100, by family and group."""
    walled: dict[tuple[str, str], list[Record]] = {}
    for fit in fits:
        if fit["model"] == "exponential" and grows(fit) and not rivals(fit):
            first, last = predict(fit, np.array([fit["smallest"], fit["largest"]]))
            if fit["censored"] or last > 100 * max(fit["floor"], first):
                walled.setdefault((fit["family"], fit["group"] or fit["backend"]), []).append(fit)
    for (family, group), members in walled.items():
        rates = [fit["rate"] for fit in members]
        yield {
            "family": family,
            "group": group,
            "backends": ", ".join(fit["backend"] for fit in members),
            "doubling_low": min(rates),
            "doubling_high": max(rates),
        }


def tables(times: Times) -> dict[str, list[Record]]:
    """Return the tables of the analysis by name, as records; what is not defined is None."""
    grown, kinds = fits(times), times.puzzles["kind"].unique()
    ranked = [table.reset_index().assign(kind=kind) for kind, table in rankings(times).items()]
    singles = [{"kind": kind, **scores} for kind in kinds if (scores := portfolio(times.only("kind", kind)))]
    flat = [
        {**{key: value for key, value in fit.items() if key != "aic"}, "growth": growth(fit)}
        | {f"aic_{name}": fit["aic"].get(name) for name in MODELS}
        for fit in grown
    ]
    columns = [times.puzzles, times.seconds.add_prefix("seconds "), times.statuses.add_prefix("status ")]
    found = {
        "ranking": pd.concat(ranked).to_dict("records") if ranked else [],
        "portfolio": singles,
        "groups": group_scores(times),
        "pairs": paired(times),
        "fits": flat,
        "walls": list(walls(grown)),
        "puzzles": pd.concat(columns, axis=1).reset_index().to_dict("records"),
    }
    return {name: [{key: scalar(value) for key, value in row.items()} for row in rows] for name, rows in found.items()}


def scalar(value: Any) -> Any:
    """Return a value of a frame as a Python value; nan as None."""
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and math.isnan(value) else value
