"""How time grows with size: constant, as a power, or exponentially.

The logarithm of time is a line in size (exponential), in the logarithm of size (power), or constant (flat), with
normal errors. A run that hit its limit is not left out, nor taken to have needed just the limit: it is censored, all
that is known is that it needs more, and the likelihood says just that (Tobin, *Estimation of Relationships for Limited
Dependent Variables*, Econometrica 1958). Below `FLOOR` the time is that of starting and reading rather than of
solving, so there all that is known is that it is less. Dropping either would make every curve too flat. In the
parameters 1 / sigma and line / sigma that likelihood is concave (Olsen, *Note on the Uniqueness of the Maximum
Likelihood Estimator for the Tobit Model*, Econometrica 1978), so that Newton's method finds its one maximum; see
`censored_fit`.

Which of the three is told by AIC; where another is within 2 of the best, they describe the times about equally well,
and the fit is `undecided`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from crosslit.campaigns.analysis import censored_fit
from crosslit.campaigns.analysis.intervals import Interval
from crosslit.campaigns.results.table import Table
from crosslit.numbers import enough_digits, format_number, format_seconds

Model = Literal["flat", "power", "exponential"]

FLOOR = 1e-3
"""Seconds below which a time is not told from any other,"""
STARTING = 2.0
"""nor where it is below so many times the shortest of the contestant, if `MIN_SIZES` sizes have longer times."""
MIN_SIZES = 3
"""So many different sizes at least; of fewer no growth is told."""
MIN_PUZZLES = 6
"""Of fewer puzzles a power is not told from an exponential: of four at n = 5 to 14, with times as n^4 and a usual
error of 35%, the AIC alone is sure of an exponential every third time; of seven, every tenth."""

MIN_SIZES_BETWEEN = 2
"""The number of sizes with times between floor and limit that a fit needs: fewer do not fix a slope."""
MIN_AIC_GAP = 0.01
"""The difference of AIC within which models are equal, and the first of flat, power and exponential is taken."""
MAX_AIC_GAP = 2.0
"""The difference of AIC within which models describe the times about equally well (Burnham and Anderson, *Model
Selection and Multimodel Inference*, 2002, section 2.6)."""


@dataclass(frozen=True, kw_only=True)
class Fit:
    """How a contestant's time grows with size, on one family of puzzles.

    Args:
        family: of the puzzles.
        contestant, group: its label, and its group.
        model: the best by AIC, of equals the first; None where the times do not tell one (`why` says so).
        rate: of ``exponential``, the sizes in which time doubles (negative: halves); of ``power``, the exponent; of
            ``flat``, seconds. None without a model.
        interval: of the rate; of a doubling, its upper end is inf where growth is not told from none.
        points: how many puzzles count: those it was asked but for those that are left out.
        censored: how many of these it did not solve within the limit of time or memory.
        floored: how many took less than the floor.
        floor: in seconds.
        smallest, largest: size of these puzzles.
        solved_to: the largest size of a puzzle that it solved; None if it solved none.
        aic: of each model that could be fitted, by name; the lowest is best.
        intercept, slope: of the line of the logarithm of seconds, in size or its logarithm.
        sigma: the standard deviation about that line: a factor of e^sigma either way is usual.
        why: in words, why there is no model.
        left_out: how many puzzles it crashed or gave up on: that says nothing of how long it would have taken.
    """

    family: str = ""
    contestant: str = ""
    group: str = ""
    model: Model | None = None
    rate: float | None = None
    interval: Interval | None = None
    points: int
    censored: int
    floored: int
    floor: float
    smallest: float
    largest: float
    solved_to: float | None
    aic: Mapping[Model, float] = field(default_factory=dict)
    intercept: float = math.nan
    slope: float = 0.0
    sigma: float = 0.0
    why: str = ""
    left_out: int = 0

    @property
    def rivals(self) -> tuple[Model, ...]:
        """The other models that describe the times about equally well: AIC within 2, or puzzles too few to tell.

        Growth is no rival of none: a slope that explains nothing costs 2 and never more (Arnold, *Uninformative
        Parameters and Model Selection Using Akaike's Information Criterion*, 2010).
        """
        if self.model in (None, "flat"):
            return ()
        best = self.aic[self.model]
        few = self.points < MIN_PUZZLES
        return tuple(
            name
            for name, value in self.aic.items()
            if name != self.model and (value - best < MAX_AIC_GAP or (few and name != "flat"))
        )

    @property
    def undecided(self) -> bool:
        """Whether another model describes the times about equally well."""
        return bool(self.rivals)

    @property
    def grows(self) -> bool:
        """Whether time grows with size for certain: no rival is flat, and the interval leaves no doubt."""
        if self.model in (None, "flat") or "flat" in self.rivals or self.interval is None:
            return False
        return self.interval.low > 0 and (self.model == "power" or math.isfinite(self.interval.high))

    def predict(self, size: float) -> float:
        """The median of the seconds that the curve says for a size; nan without a model.

        Raises:
            ValueError: of a power, if the size is not positive.
        """
        if self.model == "power" and size <= 0:
            raise ValueError(f"a power is of a positive size, not {size:g}")
        at = {"exponential": size, "power": math.log(size) if size > 0 else 0.0}.get(self.model or "", 0.0)
        exponent = self.intercept + self.slope * at
        return math.exp(min(exponent, 700.0))  # beyond is no float

    def words(self, size: str = "n") -> str:
        """The fit as a phrase.

        Args:
            size: what sizes are called.
        """
        span = f"over {size} = {self.smallest:.4g} to {self.largest:.4g}"
        if self.model is None:
            return f"{self.why}, {span}"
        rate, low, high = self.rate or 0.0, *(self.interval or (math.nan, math.nan))
        digits = enough_digits((rate, low, high), 2) if rate > 0 else 2  # no interval is shown of a time that halves
        if self.model == "flat":
            told = f"no growth to be seen: about {format_seconds(rate, 2)}"
        elif self.model == "power":
            told = f"grows as {size}^{format_number(rate, digits)}"
            told += f" (95% {format_number(low, digits)} to {format_number(high, digits)})"
        else:
            way = "doubles" if rate > 0 else "halves"
            ends = (
                f"{format_number(low, digits)} to {format_number(high, digits)}"
                if math.isfinite(high)
                else f"from {format_number(low, digits)}, growth is not certain"
            )
            told = f"{way} when {size} grows by {format_number(abs(rate), digits)}" + (
                f" (95% {ends})" if rate > 0 else ""
            )
        told += f", fitted {span}"
        if self.floored:
            told += f", {self.floored} below {format_seconds(self.floor, 2)} taken as at most that"
        if self.censored:
            told += f", {self.censored} {'puzzle' if self.censored == 1 else 'puzzles'} censored"
        if self.rivals:
            others = " or ".join(_KINDS[name] for name in self.rivals)
            few = self.points < MIN_PUZZLES
            told += f"; too few puzzles to tell it from {others}" if few else f"; {others} describes them about as well"
        return told


_KINDS = {"flat": "no growth", "power": "a power", "exponential": "exponential growth"}


def fits(table: Table) -> list[Fit]:
    """The growth of every ranked contestant on every family of which it was asked `MIN_SIZES` sizes or more."""
    found = []
    for family in table.families:
        if family in table.without_growth:
            continue
        part = table.of_family(family).ranked
        sizes = np.array([entry.size for entry in part.entries])
        mute = not_informative(part)
        for at, contestant in enumerate(part.contestants):
            asked = ~np.isnan(part.seconds[:, at]) & ~mute[:, at]
            if len(np.unique(sizes[asked])) >= MIN_SIZES:
                made = fit(sizes[asked], part.seconds[asked, at], part.limit, floor=table.floor)
                of: dict[str, Any] = {"family": family, "contestant": contestant.label, "group": contestant.group}
                found.append(dataclasses.replace(made, **of, left_out=int(mute[:, at].sum())))
    return found


def fit(
    sizes: NDArray[np.float64],
    seconds: NDArray[np.float64],
    limit: float,
    *,
    floor: float | None = None,
) -> Fit:
    """The growth of some times with size.

    Args:
        sizes: of the puzzles.
        seconds: of the same shape; inf where the limit was hit.
        limit: in seconds.
        floor: seconds below which times are taken for less than that; None means `FLOOR`, and
            `STARTING` where growth is seen above that.

    Raises:
        ValueError: if there are no times.
        Unavailable: if SciPy is not installed.

    Examples:
        >>> import numpy as np
        >>> sizes = np.array([4.0, 6.0, 8.0, 10.0, 12.0, 14.0])
        >>> seconds = np.array([0.01, 0.04, 0.16, 0.64, 2.56, np.inf])
        >>> fit(sizes, seconds, limit=5.0, floor=0.001).words()
        'doubles when n grows by 1 (95% 1 to 1), fitted over n = 4 to 14, 1 puzzle censored'
    """
    if not len(sizes):
        raise ValueError("no times, no growth")
    if floor is None:
        own = _floor(sizes, seconds)
        if own > FLOOR:
            # Tried with the higher floor first, and kept only if growth shows above it.
            found = fit(sizes, seconds, limit, floor=own)
            if found.model in ("power", "exponential"):
                return found
        floor = FLOOR  # starting hides no growth, so that short times are as good as others
    order = np.lexsort((seconds, sizes))  # so that rounding does not depend on the order of the puzzles
    sizes, seconds = sizes[order], seconds[order]
    censored, floored = np.isinf(seconds), seconds < floor
    solved = sizes[~censored]
    counts: dict[str, Any] = {
        "points": len(sizes),
        "censored": int(censored.sum()),
        "floored": int(floored.sum()),
        "floor": floor,
        "smallest": float(sizes.min()),
        "largest": float(sizes.max()),
        "solved_to": float(solved.max()) if len(solved) else None,
    }
    exact = ~censored & ~floored
    # Censored times bound a line; only times between the bounds fix its slope.
    if len(np.unique(sizes[exact])) < MIN_SIZES_BETWEEN or len(np.unique(sizes)) < MIN_SIZES:
        return Fit(**counts, why=_why_none(censored, floored, floor, sizes))
    # A censored value is the bound, and `side` says on which side of it the time lies.
    values = np.log(np.where(censored, limit, np.maximum(seconds, floor)))
    side = np.where(censored, 1, np.where(floored, -1, 0))
    lines: dict[Model, NDArray[np.float64] | None] = {"flat": None}
    if (sizes > 0).all():
        lines["power"] = np.log(sizes)
    lines["exponential"] = sizes
    tried = {name: censored_fit.fit(line, values, side) for name, line in lines.items()}
    # The parameters are intercept, sigma, and a slope unless the model is flat.
    aic = {name: 2 * (2 + (name != "flat")) - 2 * one.likelihood for name, one in tried.items()}
    # two curves are the same where only two sizes have exact times: rounding must not choose between them
    model = next(name for name, value in aic.items() if value <= min(aic.values()) + MIN_AIC_GAP)
    best = tried[model]
    rate, interval = _rate(model, best)
    return Fit(
        model=model, rate=rate, interval=interval, **counts,
        aic=aic, intercept=best.intercept, slope=best.slope, sigma=best.sigma,
    )  # fmt: skip


def is_series(sizes: Sequence[float]) -> bool:
    """Return whether the sizes of some puzzles were chosen as a series, so that growth with size is their question.

    There are `MIN_SIZES` different sizes or more, and each has the same number of puzzles, two or more; or the sizes
    differ by the same amount or the same factor. A hand-picked set is no series.

    Examples:
        >>> is_series([4, 6, 8]), is_series([5, 10, 20, 40]), is_series([3, 3, 7, 7, 20, 20]), is_series([5, 16, 19])
        (True, True, True, False)
    """
    different, counts = np.unique(np.asarray(sizes, dtype=float), return_counts=True)
    if len(different) < MIN_SIZES or len(set(counts.tolist())) > 1:
        return False
    steps, factors = np.diff(different), different[1:] / np.where(different[:-1] > 0, different[:-1], np.nan)
    return bool(counts[0] > 1 or np.allclose(steps, steps[0]) or np.allclose(factors, factors[0]))


def not_informative(table: Table) -> NDArray[np.bool_]:
    """Where a puzzle was not solved and that says nothing of time, for no limit was hit: a crash, or giving up."""
    hit = [[bool({"timeout", "memory"} & set(words.split(" / "))) for words in line] for line in table.statuses]
    return np.asarray(np.isinf(table.seconds) & ~np.array(hit, dtype=bool).reshape(table.seconds.shape))


def _floor(sizes: NDArray[np.float64], seconds: NDArray[np.float64]) -> float:
    """Where time begins to be that of solving: the shortest times are those of starting and reading."""
    solved = np.isfinite(seconds)
    if not solved.any():
        return FLOOR
    own = max(FLOOR, STARTING * float(seconds[solved].min()))
    return own if len(np.unique(sizes[solved & (seconds >= own)])) >= MIN_SIZES else FLOOR


def _rate(model: Model, best: censored_fit.FittedLine) -> tuple[float, Interval]:
    """The rate of a fit, and its interval of 95%."""
    if model == "flat":
        half = best.intercept_margin
        return math.exp(best.intercept), Interval(math.exp(best.intercept - half), math.exp(best.intercept + half))
    low, high = best.slope - best.slope_margin, best.slope + best.slope_margin
    if model == "power":
        return best.slope, Interval(low, high)
    # The doubling size is the inverse of the slope: this exchanges the ends of the interval, and a slope of 0 becomes
    # infinity.
    if best.slope < 0:
        return _doubling(best.slope), Interval(_doubling(high) if high < 0 else -math.inf, _doubling(low))
    return _doubling(best.slope), Interval(_doubling(high), _doubling(low) if low > 0 else math.inf)


def _doubling(slope: float) -> float:
    return math.log(2) / slope if slope else math.inf


def _why_none(censored: NDArray[np.bool_], floored: NDArray[np.bool_], floor: float, sizes: NDArray[np.float64]) -> str:
    if censored.all():
        return "solved none within the limit"
    if floored.all():
        return f"always below {format_seconds(floor, 2)}"
    if (censored | floored).all():
        return f"from below {format_seconds(floor, 2)} to beyond the limit, with nothing between"
    if len(set(sizes.tolist())) < MIN_SIZES:
        return "too few sizes to tell growth"
    return f"measured between {format_seconds(floor, 2)} and the limit at one size only"
