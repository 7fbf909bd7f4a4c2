"""Censored fits of the growth of times with size, by maximum likelihood and numeric derivatives."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize, special, stats

MODELS = ("constant", "power", "exponential")


@dataclass(frozen=True)
class Curve:
    """A fitted curve: log seconds = intercept + slope x, with x the size, its logarithm, or nothing.

    ``margins`` are half the widths of the intervals of 95% of intercept and slope.
    """

    model: str
    intercept: float
    slope: float
    margins: tuple[float, float]
    aic: float

    def seconds(self, size: float) -> float:
        """Return the time that the curve has for a size."""
        return math.exp(self.intercept + self.slope * (math.log(size) if self.model == "power" else size))


def curve(model: str, sizes: Any, logs: Any, side: Any, noise: float) -> Curve:
    """Return the curve of greatest likelihood; ``side`` is 1 where censored, -1 where below the floor, else 0."""
    x = {"constant": np.zeros_like(sizes), "power": np.log(sizes), "exponential": sizes}[model]
    has_slope = model != "constant"
    centre, scale = x.mean(), x.std() or 1.0
    units = (x - centre) / scale

    def likelihoods(at: Any) -> Any:
        s = math.exp(at[-1])
        z = (logs - at[0] - (at[1] * units if has_slope else 0.0)) / s
        exact = -(z**2) / 2 - math.log(s) - math.log(2 * math.pi) / 2 - (noise / s) ** 2 / 2
        return np.where(side == 0, exact, special.log_ndtr(-side * z))

    def scores(at: Any) -> Any:
        steps = 1e-5 * np.eye(len(at))
        return np.stack([(likelihoods(at + step) - likelihoods(at - step)) / 2e-5 for step in steps], axis=1)

    def hessian(at: Any) -> Any:
        steps = 1e-4 * np.eye(len(at))
        return np.stack([(scores(at + step) - scores(at - step)).sum(axis=0) / 2e-4 for step in steps])

    start = np.array([logs.mean(), *([0.0] if has_slope else []), math.log(logs.std() + noise)])
    at = optimize.minimize(lambda at: -likelihoods(at).sum(), start, method="Nelder-Mead", tol=1e-7).x
    for _ in range(5):
        at = at - np.linalg.solve(hessian(at), scores(at).sum(axis=0))
    count, parameters = len(logs), len(at)
    bread, gradients = np.linalg.inv(hessian(at)), scores(at)
    covariance = bread @ gradients.T @ gradients @ bread * count / (count - parameters)
    quantile = float(stats.t.ppf(0.975, count - parameters))
    slope = at[1] / scale if has_slope else 0.0
    margin = quantile * math.sqrt(covariance[1, 1]) / scale if has_slope else 0.0
    return Curve(
        model,
        float(at[0] - slope * centre),
        float(slope),
        (quantile * math.sqrt(covariance[0, 0]), margin),
        float(2 * parameters - 2 * likelihoods(at).sum()),
    )


@functools.cache
def curves(
    sizes: tuple[float, ...], seconds: tuple[float, ...], limit: float, floor: float, noise: float
) -> list[Curve]:
    """Return all curves, in order."""
    n, times = np.array(sizes), np.array(seconds)
    side = np.where(np.isinf(times), 1, np.where(times < floor, -1, 0))
    logs = np.log(np.where(side == 1, limit, np.maximum(times, floor)))
    return [curve(model, n, logs, side, noise) for model in MODELS]


def is_series(sizes: Sequence[float], least: int) -> bool:
    """Return whether there are enough sizes, each as often, two times or more or in equal steps or factors."""
    different = sorted(set(sizes))
    often = {sizes.count(size) for size in different}
    if len(different) < least or len(often) > 1:
        return False
    pairs = list(itertools.pairwise(different))
    steps, factors = [b - a for a, b in pairs], [b / a for a, b in pairs]
    return often != {1} or max(np.ptp(steps) / steps[0], 0) < 1e-6 or np.ptp(factors) / factors[0] < 1e-6
