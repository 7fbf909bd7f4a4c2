"""The likelihood of a line through values of which some are only known to be above, or below, their own.

With theta = 1 / sigma and gamma = (intercept, slope) / sigma (Olsen 1978) a residual in units of sigma is z = theta y -
gamma x, linear in the parameters, and the logarithm of the likelihood is concave:

    exact:            log theta - z^2 / 2 - theta^2 noise^2 / 2
    known from below: log P(normal > z)
    known from above: log P(normal < z)

The last term of the first line is no part of Tobin's model. It keeps sigma at `NOISE` or more, as though every time had
that relative error beside its distance from the line: points that lie on a line exactly would have infinite likelihood.
Where nothing is censored the line is that of least squares, and sigma^2 the mean square residual plus noise^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosslit.campaigns.analysis.needs import scipy_part

NOISE = 0.02
"""The relative error of every measured time."""

_MAX_EXACT_TAIL = 50.0  # standard deviations, from which on the hazard is z + 1 / z to six digits
_MAX_STEPS = 100
_MAX_HALVINGS = 30
_MIN_GAIN = 1e-10  # of the logarithm of the likelihood, that a step would still gain


@dataclass(frozen=True, kw_only=True)
class FittedLine:
    """A fitted line.

    Args:
        intercept, slope: of it; without a size, the slope is 0.
        sigma: the standard deviation about it.
        likelihood: the logarithm of its likelihood.
    """

    intercept: float
    slope: float
    sigma: float
    likelihood: float


@dataclass(frozen=True)
class _Points:
    """What the likelihood is of: design[i] @ parameters is the residual of point i, in units of sigma."""

    design: NDArray[np.float64]
    side: NDArray[np.int_]
    log_ndtr: Any


def fit(sizes: NDArray[np.float64] | None, values: NDArray[np.float64], side: NDArray[np.int_]) -> FittedLine:
    """The line of greatest likelihood.

    Args:
        sizes: of the points; None for a line that is constant.
        values: of the points.
        side: 1 where the true value is known to be above, -1 where below, 0 where it is the value itself: these must
            have two different sizes, or be one at least where ``sizes`` is None.

    Raises:
        Unavailable: if SciPy is not installed.
    """
    centre, scale = _scaling(sizes)
    points = _points(sizes, values, side)
    exact = points.design[side == 0]
    line = np.linalg.lstsq(-exact[:, :-1], exact[:, -1], rcond=None)[0]
    sigma = np.sqrt(np.mean((exact[:, -1] + exact[:, :-1] @ line) ** 2) + NOISE**2)
    found, likelihood = _climb(points, np.append(line, 1.0)[None] / sigma, np.ones((1, len(values))))
    intercepts, slopes = _unscaled(found, centre, scale)
    return FittedLine(
        intercept=float(intercepts[0]),
        slope=float(slopes[0]),
        sigma=float(1 / found[0, -1]),
        likelihood=float(likelihood[0]),
    )


def fit_weighted(
    sizes: NDArray[np.float64] | None,
    values: NDArray[np.float64],
    side: NDArray[np.int_],
    weights: NDArray[np.float64],
    start: FittedLine,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The lines of greatest likelihood where points count by weights.

    Args:
        sizes: of the points, as of `fit`.
        values: of the points.
        side: of their true values, as of `fit`.
        weights: positive, of shape (draws, points).
        start: a line near by: that of equal weights.

    Returns:
        Intercepts and slopes, of shape (draws,).
    """
    centre, scale = _scaling(sizes)
    line = [start.intercept] if sizes is None else [start.intercept + start.slope * centre, start.slope * scale]
    begin = np.tile(np.array([*line, 1.0]) / start.sigma, (len(weights), 1))
    found, _ = _climb(_points(sizes, values, side), begin, weights)
    return _unscaled(found, centre, scale)


def _scaling(sizes: NDArray[np.float64] | None) -> tuple[float, float]:
    return (0.0, 1.0) if sizes is None else (float(sizes.mean()), float(sizes.std()) or 1.0)


def _unscaled(
    found: NDArray[np.float64], centre: float, scale: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    line = found[:, :-1] / found[:, -1:]
    slopes = line[:, 1] / scale if line.shape[1] > 1 else line[:, 0] * 0.0
    return line[:, 0] - slopes * centre, slopes


def _points(sizes: NDArray[np.float64] | None, values: NDArray[np.float64], side: NDArray[np.int_]) -> _Points:
    centre, scale = _scaling(sizes)
    ones = -np.ones_like(values)
    columns = [ones, values] if sizes is None else [ones, (centre - sizes) / scale, values]
    return _Points(np.stack(columns, axis=1), side, scipy_part("special").log_ndtr)


def _climb(
    points: _Points, start: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Newton's method for all draws at once, a step halved until it climbs: what is concave has one top."""
    at = start
    height, gradient, curvature = _likelihood(points, at, weights)
    stuck = np.zeros(len(at), dtype=bool)  # no step climbs: the top, as far as numbers tell
    for _ in range(_MAX_STEPS):
        step = np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0]
        stuck |= np.einsum("bp,bp->b", step, gradient) < _MIN_GAIN * (1 + np.abs(height))
        if stuck.all():
            break
        length = np.where(stuck, 0.0, 1.0)
        for _ in range(_MAX_HALVINGS):
            tried = at + length[:, None] * step
            inside = tried[:, -1] > 0
            tried[:, -1] = np.where(inside, tried[:, -1], at[:, -1])
            with np.errstate(over="ignore", invalid="ignore"):  # a step may lead beyond all numbers; it is halved
                new = _likelihood(points, tried, weights)
            worse = ~stuck & (~inside | ~(new[0] >= height))
            if not worse.any():
                break
            length[worse] /= 2
        if worse.any():
            stuck |= worse
            tried = np.where(worse[:, None], at, tried)
            new = _likelihood(points, tried, weights)
        at = tried
        height, gradient, curvature = new
    return at, height


def _likelihood(
    points: _Points, at: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Its logarithm, its gradient, and its curvature with the sign changed: of shape (draws, parameters...)."""
    theta = at[:, -1]
    parts = []
    for side in (0, 1, -1):
        chosen = points.side == side
        if not chosen.any():
            continue
        design, weight = points.design[chosen], weights[:, chosen]
        z = at @ design.T
        if side == 0:
            height = np.log(theta)[:, None] - (z**2 + np.log(2 * np.pi) + (theta**2 * NOISE**2)[:, None]) / 2
            first, second = -z, np.ones_like(z)
        else:
            # the chance of the tail, and the hazard: density over that chance
            height = points.log_ndtr(-side * z)
            out = side * z
            near = np.minimum(out, _MAX_EXACT_TAIL)  # far out, the difference of the logarithms is one of huge numbers
            close = np.exp(-(near**2 + np.log(2 * np.pi)) / 2 - points.log_ndtr(-near))
            hazard = np.where(out > _MAX_EXACT_TAIL, out + 1 / np.maximum(out, _MAX_EXACT_TAIL), close)
            first, second = -side * hazard, hazard * (hazard - out)
        gradient = (weight * first) @ design
        curvature = np.einsum("bn,np,nq->bpq", weight * second, design, design, optimize=True)
        if side == 0:
            total = weight.sum(axis=1)
            gradient[:, -1] += total * (1 / theta - NOISE**2 * theta)
            curvature[:, -1, -1] += total * (1 / theta**2 + NOISE**2)
        parts.append(((weight * height).sum(axis=1), gradient, curvature))
    heights, gradients, curvatures = zip(*parts, strict=True)
    return sum(heights), sum(gradients), sum(curvatures)
