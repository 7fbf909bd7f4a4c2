"""Maximum-likelihood fits of a line to values of which some are censored: known only to be above or below a bound.

With theta = 1 / sigma and gamma = (intercept, slope) / sigma (Olsen 1978) a residual in units of sigma is z = theta y -
gamma x, linear in the parameters, and the logarithm of the likelihood is concave:

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

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosslit_bench.analysis.intervals import scipy_part

NOISE = 0.02
"""The assumed relative error of every measured time."""

_MAX_EXACT_TAIL = 50.0  # standard deviations beyond which the hazard is z + 1 / z to six digits


@dataclass(frozen=True, kw_only=True)
class FittedLine:
    """A fitted line.

    Args:
        intercept, slope: its parameters; the slope is 0 for a constant.
        intercept_margin, slope_margin: half the widths of their 95% intervals.
        sigma: the standard deviation of the values about the line.
        likelihood: the log-likelihood.
    """

    intercept: float
    slope: float
    intercept_margin: float
    slope_margin: float
    sigma: float
    likelihood: float


def fit(sizes: NDArray[np.float64] | None, values: NDArray[np.float64], side: NDArray[np.int_]) -> FittedLine:
    """Return the line of maximum likelihood.

    Args:
        sizes: abscissas of the points; None to fit a constant.
        values: ordinates of the points, of the same shape.
        side: 1 for a true value above the given one, -1 for one below, 0 for an exact one. There must be exact values
            at two different sizes, or one exact value if ``sizes`` is None.
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
        method="trust-exact",  # Newton's method in a trust region, which rejects steps to theta <= 0
    )
    at, theta = top.x, top.x[-1]
    # The sandwich of Huber: the spread of the gradients between two inverse curvatures.
    bread = np.linalg.inv(likelihood.curvature(at))
    gradients = likelihood.gradients(at)
    # For few points the covariance is enlarged by n / (n - parameters), as that of least squares is.
    freedom = max(1, len(values) - len(at))
    covariance = bread @ (gradients.T @ gradients) @ bread * len(values) / freedom
    # rows: the derivatives of intercept and slope by the parameters
    found = at[:-1] / theta
    derivative = np.hstack([np.eye(len(found)) / theta, -found[:, None] / theta])
    unscale = np.array([[1.0]]) if sizes is None else np.array([[1.0, -centre / scale], [0.0, 1 / scale]])
    found, derivative = unscale @ found, unscale @ derivative
    # The delta method carries the covariance over from gamma and theta to intercept and slope.
    variances = np.diag(derivative @ covariance @ derivative.T)
    # rounding can turn a variance of 0 into -1e-17
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
    """The log-likelihood; ``design @ parameters`` are the residuals in units of sigma."""

    def __init__(self, design: NDArray[np.float64], side: NDArray[np.int_]) -> None:
        self._design, self._side, self._is_exact = design, side, side == 0
        self._log_ndtr: Any = scipy_part("special").log_ndtr

    def cost(self, at: NDArray[np.float64]) -> float:
        """Return the negative log-likelihood; inf unless theta is positive."""
        if at[-1] <= 0:
            return np.inf
        z = self._design @ at
        exact = np.log(at[-1]) - (z**2 + np.log(2 * np.pi) + (at[-1] * NOISE) ** 2) / 2
        return -float(np.where(self._is_exact, exact, self._log_ndtr(-self._side * z)).sum())

    def gradients(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the gradient of each point's log-likelihood, of shape (points, parameters)."""
        z = self._design @ at
        found = self._design * np.where(self._is_exact, -z, -self._side * self._hazard(z))[:, None]
        found[self._is_exact, -1] += 1 / at[-1] - NOISE**2 * at[-1]
        return np.asarray(found)

    def curvature(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the negative Hessian of the log-likelihood, of shape (parameters, parameters)."""
        z = self._design @ at
        hazard = self._hazard(z)
        second = np.where(self._is_exact, 1.0, hazard * (hazard - self._side * z))
        found = (self._design.T * second) @ self._design
        found[-1, -1] += self._is_exact.sum() * (1 / at[-1] ** 2 + NOISE**2)
        return np.asarray(found)

    def _hazard(self, z: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the hazard at each censored point: the normal density over the tail probability."""
        out = self._side * z
        near = np.minimum(out, _MAX_EXACT_TAIL)  # far out, the difference of huge logarithms loses all digits
        close = np.exp(-(near**2 + np.log(2 * np.pi)) / 2 - self._log_ndtr(-near))
        return np.where(out > _MAX_EXACT_TAIL, out + 1 / np.maximum(out, _MAX_EXACT_TAIL), close)
