"""The growth of time with size: constant, a power, or exponential, by contestant and by family.

The logarithm of time is linear in size (exponential), linear in the logarithm of size (power), or constant (flat), with
normal errors. A run that hit its limit is neither dropped nor counted as having needed exactly the limit: it is
censored, and the likelihood says only that it needs more (Tobin, *Estimation of Relationships for Limited Dependent
Variables*, Econometrica 1958). Times below `FLOOR` are dominated by starting and reading, so they are censored from
below. Dropping either would make every curve too flat. In the parameters 1 / sigma and line / sigma the log-likelihood
is concave (Olsen, *Note on the Uniqueness of the Maximum Likelihood Estimator for the Tobit Model*, Econometrica 1978),
so Newton's method finds its only maximum; see `statistics.fit_line`.

AIC selects one of the three. If another is within 2 of the best, both describe the times about equally well: they are
`Fit.rivals`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from crosslit.base.numbers import format_count, format_number, format_seconds
from crosslit_bench.analysis.statistics import FittedLine, Interval, enough_digits, fit_line
from crosslit_bench.results.frame import TimeTable

Model = Literal["flat", "power", "exponential"]

FLOOR = 1e-3
"""The time in seconds below which times are censored, as starting and reading dominate them."""
STARTING = 2.0
"""The multiple of a contestant's shortest time that replaces `FLOOR` if it is longer and `MIN_SIZES` sizes have times
above it."""
MIN_SIZES = 3
"""The minimum number of different sizes for a fit."""
MIN_PUZZLES = 6
"""The minimum number of puzzles to distinguish a power from an exponential. With four puzzles at n = 5 to 14, times
proportional to n^4 and errors of 35%, AIC wrongly prefers an exponential by 2 or more in a third of the cases; with
seven, in a tenth."""

MIN_SIZES_BETWEEN = 2
"""The minimum number of sizes with times between floor and limit: fewer do not determine a slope."""
MIN_AIC_GAP = 0.01
"""The difference of AIC within which models count as equal; the first of flat, power and exponential is selected."""
MAX_AIC_GAP = 2.0
"""The difference of AIC within which models describe the times about equally well (Burnham and Anderson, *Model
Selection and Multimodel Inference*, 2002, section 2.6)."""


@dataclass(frozen=True, kw_only=True)
class Fit:
    """The growth of a contestant's time with size on a family of puzzles."""

    family: str = ""
    contestant: str = ""  # its label
    group: str = ""
    model: Model | None = None  # the best model by AIC, or the first of equals; None if the times do not determine one
    # for ``exponential``, the increase of size in which time doubles (negative: halves); for ``power``, the exponent;
    # for ``flat``, seconds. None without a model
    rate: float | None = None
    # 95% interval of the rate; for a doubling, the upper end is inf if growth is not certain
    interval: Interval | None = None
    points: int  # number of puzzles in the fit
    censored: int  # number of these that it did not solve within the limit of time or memory
    floored: int  # number of these with times below the floor
    floor: float  # in seconds
    smallest: float  # the size of the smallest puzzle in the fit
    largest: float
    solved_to: float | None  # largest size of a solved puzzle; None if it solved none
    # AIC of each model that could be fitted, by name; the lowest is best
    aic: Mapping[Model, float] = field(default_factory=dict)
    # of the line for the logarithm of seconds, in size or its logarithm
    intercept: float = math.nan
    slope: float = 0.0
    sigma: float = 0.0  # standard deviation about that line: typical deviations are a factor of e^sigma
    why: str = ""  # the reason if there is no model
    left_out: int = 0  # number of puzzles left out because of a crash or giving up, which gives no bound for the time

    @property
    def rivals(self) -> tuple[Model, ...]:
        """The other models that describe the times about equally well: AIC within 2, or too few puzzles to decide.

        ``flat`` has no rivals: a useless slope raises AIC by at most 2, so growth would always be one (Arnold,
        *Uninformative Parameters and Model Selection Using Akaike's Information Criterion*, 2010).
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
    def growth(self) -> str | None:
        """The model, ``undecided`` if it has rivals, or ``below 1 ms`` (the floor) if no time could be measured."""
        if self.rivals:
            return "undecided"
        return f"below {format_seconds(self.floor, 2)}" if self.is_too_short else self.model

    @property
    def is_too_short(self) -> bool:
        """True for a constant below the floor: the fit extrapolates it from times that count as at most the floor."""
        return self.model == "flat" and self.rate is not None and self.rate < self.floor

    @property
    def grows(self) -> bool:
        """True if growth is certain: ``flat`` is not a rival, and the interval excludes constant time."""
        if self.model in (None, "flat") or "flat" in self.rivals or self.interval is None:
            return False
        return self.interval.low > 0 and (self.model == "power" or math.isfinite(self.interval.high))

    def predict(self, size: float) -> float:
        """Return the median time in seconds that the curve predicts for a size; nan without a model."""
        if self.model == "power" and size <= 0:
            raise ValueError(f"a power needs a positive size, not {size:g}")
        abscissa = {"exponential": size, "power": math.log(size) if size > 0 else 0.0}.get(self.model or "", 0.0)
        exponent = self.intercept + self.slope * abscissa
        return math.exp(min(exponent, 700.0))  # exp(710) overflows

    def words(self, size: str = "n") -> str:
        """Return the fit as a phrase, with a symbol for size."""
        span = f"over {size} = {self.smallest:.4g} to {self.largest:.4g}"
        if self.model is None:
            return f"{self.why}, {span}"
        rate, low, high = self.rate or 0.0, *(self.interval or (math.nan, math.nan))
        digits = enough_digits((rate, low, high), 2) if rate > 0 else 2  # a halving is shown without its interval
        shown = partial(format_number, digits=digits)
        if self.model == "flat":
            text = f"no visible growth: {self.growth if self.is_too_short else f'about {format_seconds(rate, 2)}'}"
        elif self.model == "power":
            text = f"grows as {size}^{shown(rate)} (95% {shown(low)} to {shown(high)})"
        elif rate > 0:
            ends = f"{shown(low)} to {shown(high)}"
            ends = ends if math.isfinite(high) else f"from {shown(low)}, growth is not certain"
            text = f"doubles when {size} grows by {shown(rate)} (95% {ends})"
        else:
            text = f"halves when {size} grows by {shown(abs(rate))}"
        text += f", fitted {span}"
        if self.floored:
            text += f", {self.floored} below {format_seconds(self.floor, 2)} counted as at most that"
        if self.censored:
            text += f", {format_count(self.censored, 'puzzle')} censored"
        if self.rivals:
            others = " or ".join(_KINDS[name] for name in self.rivals)
            few = self.points < MIN_PUZZLES
            text += f"; too few puzzles to rule out {others}" if few else f"; {others} fits about as well"
        return text


_KINDS = {"flat": "no growth", "power": "a power", "exponential": "exponential growth"}


def fits(table: TimeTable) -> list[Fit]:
    """Return the growth of every ranked contestant on every family of which it was asked at least `MIN_SIZES` sizes."""
    found = []
    for family in table.families:
        if family in table.without_growth:
            continue
        part = table.of_family(family).ranked
        sizes = np.array([entry.size for entry in part.entries])
        mute = not_informative(part)
        for contestant, seconds, is_mute in zip(part.contestants, part.seconds.T, mute.T, strict=True):
            known = ~np.isnan(seconds) & ~is_mute
            if len(np.unique(sizes[known])) >= MIN_SIZES:
                growth = fit(sizes[known], seconds[known], part.limit, floor=table.floor)
                names: dict[str, Any] = {"family": family, "contestant": contestant.label, "group": contestant.group}
                found.append(dataclasses.replace(growth, **names, left_out=int(is_mute.sum())))
    return found


def fit(sizes: NDArray[np.float64], seconds: NDArray[np.float64], limit: float, *, floor: float | None = None) -> Fit:
    """Return the growth of times with size; times are inf if the limit was hit.

    Below the floor, times are censored. Without a floor it is `FLOOR`, or the floor by `STARTING` if times grow above
    it.

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
        floor = FLOOR  # no growth above the time of starting, so short times are as good as others
    order = np.lexsort((seconds, sizes))  # makes rounding independent of the order of the puzzles
    sizes, seconds = sizes[order], seconds[order]
    censored, floored = np.isinf(seconds), seconds < floor
    counts: dict[str, Any] = {
        "points": len(sizes),
        "censored": int(censored.sum()),
        "floored": int(floored.sum()),
        "floor": floor,
        "smallest": float(sizes.min()),
        "largest": float(sizes.max()),
        "solved_to": float(sizes[~censored].max()) if not censored.all() else None,
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
    tried = {name: fit_line(line, values, side) for name, line in lines.items()}
    # The parameters are intercept, sigma, and a slope unless the model is flat.
    aic = {name: 2 * (2 + (name != "flat")) - 2 * line.log_likelihood for name, line in tried.items()}
    # with exact times at only two sizes, two curves coincide, and rounding must not choose between them
    model = next(name for name, value in aic.items() if value <= min(aic.values()) + MIN_AIC_GAP)
    best = tried[model]
    rate, interval = _rate(model, best)
    return Fit(
        model=model, rate=rate, interval=interval, **counts,
        aic=aic, intercept=best.intercept, slope=best.slope, sigma=best.sigma,
    )  # fmt: skip


def is_series(sizes: Sequence[float]) -> bool:
    """Return whether the sizes of puzzles form a series, chosen to study growth.

    A series has at least `MIN_SIZES` different sizes with the same number of puzzles each; this number is two or more,
    or the sizes are in equal steps or by equal factors. Hand-picked puzzles form no series.
    """
    different, counts = np.unique(np.asarray(sizes, dtype=float), return_counts=True)
    if len(different) < MIN_SIZES or len(set(counts.tolist())) > 1:
        return False
    steps, factors = np.diff(different), different[1:] / np.where(different[:-1] > 0, different[:-1], np.nan)
    return bool(counts[0] > 1 or np.allclose(steps, steps[0]) or np.allclose(factors, factors[0]))


def not_informative(table: TimeTable) -> NDArray[np.bool_]:
    """Return a mask of unsolved puzzles without a hit limit (a crash or giving up), which give no bound for time."""
    hit = [[bool({"timeout", "memory"} & set(words.split(" / "))) for words in line] for line in table.statuses]
    return np.asarray(np.isinf(table.seconds) & ~np.array(hit, dtype=bool).reshape(table.seconds.shape))


def _floor(sizes: NDArray[np.float64], seconds: NDArray[np.float64]) -> float:
    """Return the floor for times: the shortest ones are dominated by starting and reading."""
    solved = np.isfinite(seconds)
    if not solved.any():
        return FLOOR
    own = max(FLOOR, STARTING * float(seconds[solved].min()))
    return own if len(np.unique(sizes[solved & (seconds >= own)])) >= MIN_SIZES else FLOOR


def _rate(model: Model, best: FittedLine) -> tuple[float, Interval]:
    """Return the rate of a fit and its 95% interval."""
    if model == "flat":
        half = best.intercept_margin
        return math.exp(best.intercept), Interval(math.exp(best.intercept - half), math.exp(best.intercept + half))
    low, high = best.slope - best.slope_margin, best.slope + best.slope_margin
    if model == "power":
        return best.slope, Interval(low, high)

    def doubling(slope: float) -> float:
        return math.log(2) / slope if slope else math.inf

    # The doubling size is the inverse of the slope: this exchanges the ends of the interval, and a slope of 0 becomes
    # infinity.
    if best.slope < 0:
        return doubling(best.slope), Interval(doubling(high) if high < 0 else -math.inf, doubling(low))
    return doubling(best.slope), Interval(doubling(high), doubling(low) if low > 0 else math.inf)


def _why_none(censored: NDArray[np.bool_], floored: NDArray[np.bool_], floor: float, sizes: NDArray[np.float64]) -> str:
    if censored.all():
        return "solved none within the limit"
    if floored.all():
        return f"always below {format_seconds(floor, 2)}"
    if (censored | floored).all():
        return f"from below {format_seconds(floor, 2)} to beyond the limit, with no times between"
    if len(set(sizes.tolist())) < MIN_SIZES:
        return "too few sizes for a fit"
    return f"measured between {format_seconds(floor, 2)} and the limit at one size only"


MIN_WALL_FACTOR = 100.0
"""The factor of growth that counts as a wall if no run hit the limit."""


@dataclass(frozen=True, kw_only=True)
class Wall:
    """The contestants of a group whose time grows exponentially on a family."""

    family: str
    is_series: bool  # True if the sizes of the family were chosen as a series; otherwise its growth is secondary
    group: str  # name of the group, or label of a contestant without a group
    contestants: tuple[str, ...]  # labels
    doubling: tuple[float, float]  # smallest and largest increase of size among them in which time doubles
    unsolved_from: float | None  # smallest size from which on none of them solved a puzzle; None if there is none


def find_walls(table: TimeTable, fits: Sequence[Fit]) -> Iterator[Wall]:
    """Yield the exponential growth on each family of puzzles, by group."""
    for family in dict.fromkeys(fit.family for fit in fits):
        part = table.of_family(family).ranked
        in_series = is_series([entry.size for entry in part.entries])
        labels = [contestant.label for contestant in part.contestants]
        groups: dict[str, list[Fit]] = {}
        for fit in fits:
            if fit.family == family and has_wall(fit):
                groups.setdefault(fit.group or fit.contestant, []).append(fit)
        for group, members in groups.items():
            rates = [fit.rate for fit in members if fit.rate is not None]
            columns = [labels.index(fit.contestant) for fit in members]
            yield Wall(
                family=family,
                is_series=in_series,
                group=group,
                contestants=tuple(fit.contestant for fit in members),
                doubling=(min(rates), max(rates)),
                unsolved_from=_unsolved_from(part.among(columns=columns)),
            )


def has_wall(fit: Fit) -> bool:
    """Return whether time grows exponentially over a large enough range, and no other model describes it as well.

    A sum of a constant and a power looks exponential over a short range, so time must have grown to the limit or by a
    factor of `MIN_WALL_FACTOR`.
    """
    if fit.model != "exponential" or not fit.grows or fit.rivals:
        return False
    return fit.censored > 0 or fit.predict(fit.largest) > MIN_WALL_FACTOR * max(fit.floor, fit.predict(fit.smallest))


def _unsolved_from(part: TimeTable) -> float | None:
    sizes = np.array([entry.size for entry in part.entries], dtype=float)
    # a contestant that crashed counts like one that was not asked
    asked, solved = ~np.isnan(part.seconds) & ~not_informative(part), np.isfinite(part.seconds)
    reached = sizes[solved.any(axis=1)].max(initial=-np.inf)
    return min(
        (float(size) for size in sizes if size > reached and asked[sizes == size].any(axis=0).all()), default=None
    )


def medians_by_size(table: TimeTable) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sizes, ascending, and the median time of each contestant at each size, of shape (sizes, contestants).

    It is inf if half of the puzzles or more were not solved, and nan if none was asked.
    """
    sizes = np.array([entry.size for entry in table.entries], dtype=float)
    different = np.unique(sizes)

    def median(times: NDArray[np.float64]) -> float:
        known = times[~np.isnan(times)]
        return float(np.median(known)) if len(known) else math.nan

    found = [[median(times) for times in table.seconds[sizes == size].T] for size in different]
    return different, np.array(found, dtype=float).reshape(len(different), len(table.contestants))
