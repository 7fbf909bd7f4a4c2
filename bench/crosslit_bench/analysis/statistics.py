"""Intervals of times, which may be inf, and maximum-likelihood fits of a line to censored values.

A censored value is known only to be above or below a bound. With theta = 1 / sigma and gamma = (intercept, slope) /
sigma (Olsen 1978) a residual in units of sigma is z = theta y - gamma x, linear in the parameters, and the logarithm of
the likelihood is concave:

    exact:            log theta - z^2 / 2 - theta^2 noise^2 / 2
    known from below: log P(normal > z)
    known from above: log P(normal < z)

The last term of the first line is not part of Tobin's model. It keeps sigma at `NOISE` or more, as if every time had
that relative error in addition to its distance from the line; otherwise points exactly on a line would have infinite
likelihood. Without censored values, the line is the least-squares line and sigma^2 the mean square residual plus
noise^2.

Margins come from the sandwich estimator (Huber, *The Behavior of Maximum Likelihood Estimates under Nonstandard
Conditions*, 1967), which does not assume that all points have the same variance, and Student's t quantiles.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from importlib import import_module
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crosslit.base.errors import Unavailable, install_hint
from crosslit.base.numbers import format_number


def enough_digits(values: Iterable[float | None], least: int = 3) -> int:
    """Return the number of significant digits with which unequal numbers do not look equal, at most six.

    None, NaN and infinities do not count.

    >>> enough_digits([1.0, 2.5]), enough_digits([1.2861, 1.2864]), enough_digits([1.0, 1.0 + 1e-12])
    (3, 5, 3)
    """
    known = sorted({value for value in values if value is not None and math.isfinite(value)})
    digits = range(least, 7)
    needed = (
        next((count for count in digits if format_number(low, count) != format_number(high, count)), least)
        for low, high in pairwise(known)
    )
    return max(needed, default=least)


TAIL = 0.025
"""The probability on each side of an interval of 95%."""
MIN_VALUES = 6
"""The minimum number of values for an interval: even the interval from the smallest to the largest of n values contains
the median only with a probability of 1 - 2^(1 - n), 94% for five."""


class Interval(NamedTuple):
    """A confidence interval of 95%; an end that is censored is inf."""

    low: float
    high: float


def median_interval(values: ArrayLike) -> Interval | None:
    """Return the interval of the median between two order statistics; None for fewer than six values.

    It assumes only independent values, which may be inf: each exceeds the true median with a probability of 1/2, so the
    k-th smallest exceeds it with the probability of fewer than k heads in n tosses of a coin (Conover, *Practical
    Nonparametric Statistics*, 1999, section 3.2).
    """
    known = np.sort(np.asarray(values, dtype=float))
    # The smallest k with P(X <= k) of at least 2.5%. So P(X <= k - 1), with which the k-th value lies above the median,
    # is below that.
    rank = int(np.searchsorted(scipy_part("special").bdtr(np.arange(known.size), known.size, 0.5), TAIL))
    return Interval(float(known[rank - 1]), float(known[-rank])) if rank else None


def scipy_part(name: str) -> Any:
    """Return a subpackage of SciPy; the extra ``report`` installs it. Not ``stats``, which takes a second to import."""
    try:
        return import_module(f"scipy.{name}")
    except ImportError:
        raise Unavailable(f"the analysis of campaigns needs SciPy: {install_hint('report')}") from None


Array = NDArray[np.float64]

NOISE = 0.02
"""The assumed relative error of every measured time."""

_MAX_STEPS, _MIN_GAIN = 200, 1e-12  # of Newton's method; the gain of a step in log-likelihood
_MAX_EXACT_TAIL = 50.0  # standard deviations beyond which the hazard is z + 1 / z to six digits


class FittedLine(NamedTuple):
    """A fitted line, with half the widths of the 95% intervals of its parameters, and the standard deviation about it.

    The slope of a constant is 0.
    """

    intercept: float
    slope: float
    intercept_margin: float
    slope_margin: float
    sigma: float
    log_likelihood: float


def fit_line(sizes: Array | None, values: Array, side: NDArray[np.int_]) -> FittedLine:
    """Return the line of maximum likelihood.

    Args:
        sizes: abscissas of the points; None to fit a constant.
        values: ordinates of the points, of the same shape.
        side: 1 for a true value above the given one, -1 for one below, 0 for an exact one. There must be exact values
            at two different sizes, or one exact value if ``sizes`` is None.
    """
    special, is_exact = scipy_part("special"), side == 0
    # Centred and scaled, so that the equations are well conditioned for sizes such as 1000 to 1010.
    centre, scale = (0.0, 1.0) if sizes is None else (float(sizes.mean()), float(sizes.std()) or 1.0)
    abscissas = [] if sizes is None else [(centre - sizes) / scale]
    design = np.stack([-np.ones_like(values), *abscissas, values], axis=1)

    def cost(parameters: Array) -> float:
        z, theta = design @ parameters, parameters[-1]
        if theta <= 0:
            return np.inf
        exact = np.log(theta) - (z**2 + np.log(2 * np.pi) + (theta * NOISE) ** 2) / 2
        return -float(np.where(is_exact, exact, special.log_ndtr(-side * z)).sum())

    def derivatives(parameters: Array) -> tuple[Array, Array]:
        """Return the first derivative of each point's log-likelihood by z, and the negative second."""
        z = design @ parameters
        beyond = side * z  # standard deviations from the line to the bound
        near = np.minimum(beyond, _MAX_EXACT_TAIL)  # far out, the difference of huge logarithms loses all digits
        # the normal density over the tail probability
        hazard = np.exp(-(near**2 + np.log(2 * np.pi)) / 2 - special.log_ndtr(-near))
        hazard = np.where(beyond > _MAX_EXACT_TAIL, beyond + 1 / np.maximum(beyond, _MAX_EXACT_TAIL), hazard)
        return np.where(is_exact, -z, -side * hazard), np.where(is_exact, 1.0, hazard * (hazard - beyond))

    def gradients(parameters: Array) -> Array:
        """Return the gradient of each point's log-likelihood, of shape (points, parameters)."""
        found = design * derivatives(parameters)[0][:, None]
        found[is_exact, -1] += 1 / parameters[-1] - NOISE**2 * parameters[-1]
        return np.asarray(found)

    def curvature(parameters: Array) -> Array:
        """Return the negative Hessian of the log-likelihood, of shape (parameters, parameters)."""
        found = (design.T * derivatives(parameters)[1]) @ design
        found[-1, -1] += is_exact.sum() * (1 / parameters[-1] ** 2 + NOISE**2)
        return np.asarray(found)

    # Begin with the least squares of the exact points. The likelihood is concave, so any start leads to its one
    # maximum.
    exact = design[is_exact]
    line = np.linalg.lstsq(-exact[:, :-1], exact[:, -1], rcond=None)[0]
    sigma = np.sqrt(np.mean((exact[:, -1] + exact[:, :-1] @ line) ** 2) + NOISE**2)
    parameters = np.append(line, 1.0) / sigma
    least = cost(parameters)
    for _ in range(_MAX_STEPS):  # Newton's method, with steps halved until the cost falls, so that theta stays positive
        slopes = gradients(parameters).sum(axis=0)
        step = np.linalg.solve(curvature(parameters), slopes)
        gain = float(slopes @ step)
        while gain > _MIN_GAIN and not (lower := cost(parameters + step)) < least:
            step, gain = step / 2, gain / 2
        if not gain > _MIN_GAIN:
            break
        parameters, least = parameters + step, lower
    theta = parameters[-1]
    # The sandwich of Huber: the spread of the gradients between two inverse curvatures. For few points the covariance
    # is enlarged by n / (n - parameters), as that of least squares is.
    bread, spread = np.linalg.inv(curvature(parameters)), gradients(parameters)
    freedom = max(1, len(values) - len(parameters))
    covariance = bread @ (spread.T @ spread) @ bread * len(values) / freedom
    # The delta method carries the covariance over from gamma and theta to intercept and slope, whose derivatives by
    # the parameters are the rows.
    estimates = parameters[:-1] / theta
    derivative = np.hstack([np.eye(len(estimates)) / theta, -estimates[:, None] / theta])
    unscale = np.array([[1.0]]) if sizes is None else np.array([[1.0, -centre / scale], [0.0, 1 / scale]])
    estimates, derivative = unscale @ estimates, unscale @ derivative
    variances = np.diag(derivative @ covariance @ derivative.T)
    # rounding can turn a variance of 0 into -1e-17
    margins = special.stdtrit(freedom, 0.975) * np.sqrt(np.maximum(variances, 0.0))
    slope, slope_margin = (float(estimates[1]), float(margins[1])) if sizes is not None else (0.0, 0.0)
    sigma, log_likelihood = float(1 / theta), -least
    return FittedLine(float(estimates[0]), slope, float(margins[0]), slope_margin, sigma, log_likelihood)
