"""The rules that derive the figures of a report from the exported runs, so that a referee can recompute them."""

from __future__ import annotations

from collections.abc import Iterator

from crosslit.judging.verdict import PROBLEMS
from crosslit.numbers import format_number, format_seconds
from crosslit_bench.analysis import censored_fit, intervals
from crosslit_bench.analysis.correlation import DIFFICULTY
from crosslit_bench.analysis.families import MIN_RATIO, MIN_WALL_FACTOR
from crosslit_bench.analysis.growth import MIN_SIZES, MIN_SIZES_BETWEEN
from crosslit_bench.analysis.pairs import MAX_EXACT, MIN_SECONDS, TIE_SECONDS
from crosslit_bench.report.text import Column, Sheet
from crosslit_bench.results.judged import DISQUALIFIES
from crosslit_bench.results.table import Measure


def rules(measure: Measure) -> tuple[Sheet, ...]:
    """Return the table of rules, without those that the sections of the report state."""
    columns = (Column("figure", lambda rule: rule[0]), Column("rule", lambda rule: rule[1], True))
    return Sheet.of("From the runs to the figures", _rules(measure), columns)


def _rules(measure: Measure) -> Iterator[tuple[str, str]]:
    harmless = ", ".join(name for name in PROBLEMS if name not in DISQUALIFIES)
    yield (
        "runs",
        "`crosslit bench export` writes one line for each run; names in quotation marks are its columns",
    )
    yield (
        "time of a run",
        f"{_column(measure)} if its 'judgement' is right; otherwise the run is unsolved, and counts as longer than any",
    )
    yield "limit", "'limit_seconds', or 'limit_cpu_seconds' if that is less"
    yield (
        "machines",
        "two machines are of different kinds if 'processor', 'processors', 'machine_memory_mb' in GB, or 'governor'"
        " differ; a contestant on several kinds of machines counts as one contestant on each",
    )
    yield "not asked", "a puzzle on which a contestant has no runs, or only runs with the 'status' unsupported"
    yield (
        "time on a puzzle",
        "the median over the contestant's runs; if their number is even, the mean of the middle two, so the puzzle is"
        " unsolved if half of the runs are",
    )
    yield "disqualified", f"a contestant with a run that has 'problems' other than {harmless}"
    yield "size n", "'size'; for most puzzles it is the square root of rows times columns"
    yield (
        "order",
        "contestants are sorted by group, in the order of the campaign's file, then by name; this order breaks ties",
    )
    yield (
        "digits",
        "each table and sentence has a usual number of significant digits, without trailing zeros; it shows more, at"
        " most 6, if unequal values that are compared would look equal",
    )
    yield (
        "puzzles in common",
        "the puzzles that at least two contestants were asked; but if fewer than two contestants were asked all of"
        " these, the puzzles that all contestants were asked",
    )
    yield "PAR-2 in common", "empty for a contestant that was not asked all puzzles in common"
    yield (
        "fastest on, only solver",
        "only puzzles that others were asked too; on ties, several contestants are the fastest",
    )
    yield "contribution", "over all puzzles that at least two contestants were asked"
    yield (
        "interval of a median",
        "from the k-th smallest to the k-th largest of N times, where k is the largest number with P(X < k) <"
        f" {intervals.TAIL:.1%} for the number X of heads in N tosses of a fair coin",
    )
    yield (
        "signed-rank test",
        f"two-sided; ties are left out; exact for at most {MAX_EXACT} puzzles, otherwise by the normal approximation."
        f" Equal values share the mean of their ranks. Times below {format_seconds(MIN_SECONDS)} count as"
        f" {format_seconds(MIN_SECONDS)}. The sign test is exact and two-sided",
    )
    yield (
        "interval of a ratio",
        f"Student's t interval for the mean of the logarithms, if both solved at least {intervals.MIN_VALUES} of the"
        " same puzzles",
    )
    words = ", ".join(f"{word} {value:g}" for word, value in DIFFICULTY.items())
    yield (
        "correlation",
        "equal values share the mean of their ranks; p is two-sided, by Student's t. 'density' and 'difficulty'"
        f" are properties of the puzzle; 'difficulty' counts as {words}",
    )
    yield (
        "fit of a curve",
        "maximum likelihood for normal errors with a standard deviation s; the logarithm of the likelihood of an"
        f" uncensored time has the additional term -({censored_fit.NOISE:g}/s)²/2, because each time has an error of"
        f" {censored_fit.NOISE:.0%}. AIC is 2p - 2 log likelihood; p, the number of parameters, is 2 for a constant and"
        f" 3 for others. A fit needs {MIN_SIZES} sizes, and uncensored times at {MIN_SIZES_BETWEEN} sizes. An unsolved"
        " puzzle is censored if a run on it has the status timeout or memory; otherwise it is left out",
    )
    yield (
        "interval of a rate",
        "from the sandwich estimator, times N/(N - p) for N puzzles, and Student's quantiles for N - p degrees of"
        " freedom; the interval of a doubling has the ends ln 2 / slope",
    )
    yield (
        "series",
        f"at least {MIN_SIZES} sizes; each has the same number of puzzles, at least two, or the sizes grow in equal"
        " steps or by equal factors",
    )
    yield (
        "exponential growth in the summary",
        "reported if no other curve fits about as well, the interval of the doubling is finite, and a puzzle is"
        f" censored or the curve grows by a factor of over {MIN_WALL_FACTOR:g} (from the floor, if the curve starts"
        " below it). 'Unsolved from n on' means that the contestant was asked these puzzles and reached a limit",
    )
    yield (
        "the fastest in the summary",
        "at each of the largest sizes, at least two, the median of the next contestant is longer by a factor of"
        f" over {format_number(MIN_RATIO)} and by over {format_seconds(TIE_SECONDS)}",
    )


def _column(measure: Measure) -> str:
    return f"'{measure}', in seconds,"
