"""The likelihood of a line through values of which some are only known to be above, or below, their own.

With theta = 1 / sigma and gamma = (intercept, slope) / sigma (Olsen 1978) a residual in units of sigma is z = theta y -
gamma x, linear in the parameters, and the logarithm of the likelihood is concave:

    exact:            log theta - z^2 / 2 - theta^2 noise^2 / 2
    known from below: log P(normal > z)
    known from above: log P(normal < z)

The last term of the first line is no part of Tobin's model. It keeps sigma at `NOISE` or more, as though every time had
that relative error in addition to its distance from the line: points that lie on a line exactly would have infinite
likelihood. Where nothing is censored the line is that of least squares, and sigma^2 the mean square residual plus
noise^2.

Margins are those of the sandwich estimator (Huber, *The Behavior of Maximum Likelihood Estimates under Nonstandard
Conditions*, 1967), which does not take the points for equally spread, with the quantiles of Student.
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


@dataclass(frozen=True, kw_only=True)
class FittedLine:
    """A fitted line.

    Args:
        intercept, slope: of it; without a size, the slope is 0.
        intercept_margin, slope_margin: half the widths of their intervals of 95%.
        sigma: the standard deviation about it.
        likelihood: the logarithm of its likelihood.
    """

    intercept: float
    slope: float
    intercept_margin: float
    slope_margin: float
    sigma: float
    likelihood: float


def fit(sizes: NDArray[np.float64] | None, values: NDArray[np.float64], side: NDArray[np.int_]) -> FittedLine:
    """Return the line of greatest likelihood.

    Args:
        sizes: of the points; None for a line that is constant.
        values: of the points.
        side: 1 where the true value is known to be above, -1 where below, 0 where it is the value itself: these must
            have two different sizes, or be one at least where ``sizes`` is None.
    """
    # Centred and scaled, so that the equations are well conditioned for sizes such as 1000 to 1010.
    centre, scale = (0.0, 1.0) if sizes is None else (float(sizes.mean()), float(sizes.std()) or 1.0)
    ones = -np.ones_like(values)
    columns = [ones, values] if sizes is None else [ones, (centre - sizes) / scale, values]
    design = np.stack(columns, axis=1)
    exact = design[side == 0]
    # Begin with the least squares of the exact points. The likelihood is concave, so any start leads to its one
    # maximum.
    line = np.linalg.lstsq(-exact[:, :-1], exact[:, -1], rcond=None)[0]
    sigma = np.sqrt(np.mean((exact[:, -1] + exact[:, :-1] @ line) ** 2) + NOISE**2)
    likelihood = _Likelihood(design, side)
    top = scipy_part("optimize").minimize(
        likelihood.cost,
        np.append(line, 1.0) / sigma,
        jac=lambda at: -likelihood.gradients(at).sum(axis=0),
        hess=likelihood.curvature,
        method="trust-exact",  # Newton's method, which stays where theta is positive
    )
    at, theta = top.x, top.x[-1]
    # The sandwich of Huber: the spread of the gradients between two inverse curvatures.
    bread = np.linalg.inv(likelihood.curvature(at))
    gradients = likelihood.gradients(at)
    # For few points the covariance is enlarged by n / (n - parameters), as that of least squares is.
    freedom = max(1, len(values) - len(at))
    covariance = bread @ (gradients.T @ gradients) @ bread * len(values) / freedom
    # the rows of the derivative of (intercept, slope) by the parameters
    found = at[:-1] / theta
    derivative = np.hstack([np.eye(len(found)) / theta, -found[:, None] / theta])
    unscale = np.array([[1.0]]) if sizes is None else np.array([[1.0, -centre / scale], [0.0, 1 / scale]])
    found, derivative = unscale @ found, unscale @ derivative
    # The delta method carries the covariance over from gamma and theta to intercept and slope.
    variances = np.diag(derivative @ covariance @ derivative.T)
    # rounding may make a variance of nothing -1e-17
    margins = scipy_part("special").stdtrit(freedom, 0.975) * np.sqrt(np.maximum(variances, 0.0))
    return FittedLine(
        intercept=float(found[0]),
        slope=float(found[1]) if len(found) > 1 else 0.0,
        intercept_margin=float(margins[0]),
        slope_margin=float(margins[1]) if len(found) > 1 else 0.0,
        sigma=float(1 / theta),
        likelihood=-float(top.fun),
    )


class _Likelihood:
    """The logarithm of the likelihood; design @ parameters are the residuals, in units of sigma."""

    def __init__(self, design: NDArray[np.float64], side: NDArray[np.int_]) -> None:
        self._design, self._side, self._is_exact = design, side, side == 0
        self._log_ndtr: Any = scipy_part("special").log_ndtr

    def cost(self, at: NDArray[np.float64]) -> float:
        """The logarithm with its sign changed; inf where theta is not positive."""
        if at[-1] <= 0:
            return np.inf
        z = self._design @ at
        exact = np.log(at[-1]) - (z**2 + np.log(2 * np.pi) + (at[-1] * NOISE) ** 2) / 2
        return -float(np.where(self._is_exact, exact, self._log_ndtr(-self._side * z)).sum())

    def gradients(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """The gradient of each point, of shape (points, parameters)."""
        z = self._design @ at
        found = self._design * np.where(self._is_exact, -z, -self._side * self._hazard(z))[:, None]
        found[self._is_exact, -1] += 1 / at[-1] - NOISE**2 * at[-1]
        return np.asarray(found)

    def curvature(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """The second derivative with its sign changed, of shape (parameters, parameters)."""
        z = self._design @ at
        hazard = self._hazard(z)
        second = np.where(self._is_exact, 1.0, hazard * (hazard - self._side * z))
        found = (self._design.T * second) @ self._design
        found[-1, -1] += self._is_exact.sum() * (1 / at[-1] ** 2 + NOISE**2)
        return np.asarray(found)

    def _hazard(self, z: NDArray[np.float64]) -> NDArray[np.float64]:
        """The density at each censored point over the probability of its tail."""
        out = self._side * z
        near = np.minimum(out, _MAX_EXACT_TAIL)  # far out, the difference of the logarithms is one of huge numbers
        close = np.exp(-(near**2 + np.log(2 * np.pi)) / 2 - self._log_ndtr(-near))
        return np.where(out > _MAX_EXACT_TAIL, out + 1 / np.maximum(out, _MAX_EXACT_TAIL), close)
