"""The rules that derive the figures of a report from the exported runs, so that a referee can recompute them."""

from __future__ import annotations

from collections.abc import Iterator

from crosslit.campaigns.analysis import censored_fit, intervals
from crosslit.campaigns.analysis.correlation import DIFFICULTY
from crosslit.campaigns.analysis.families import MIN_RATIO, MIN_WALL_FACTOR
from crosslit.campaigns.analysis.growth import MIN_SIZES, MIN_SIZES_BETWEEN
from crosslit.campaigns.analysis.pairs import MAX_EXACT, MIN_SECONDS, TIE_SECONDS
from crosslit.campaigns.report.text import Column, Sheet
from crosslit.campaigns.results.judged import DISQUALIFIES
from crosslit.campaigns.results.table import Measure
from crosslit.judging.verdict import PROBLEMS
from crosslit.numbers import format_number, format_seconds


def rules(measure: Measure) -> tuple[Sheet, ...]:
    """Return the table of rules, without those that the sections of the report state."""
    columns = (Column("figure", lambda rule: rule[0]), Column("rule", lambda rule: rule[1], True))
    return Sheet.of("From the runs to the figures", _rules(measure), columns)


def _rules(measure: Measure) -> Iterator[tuple[str, str]]:
    harmless = ", ".join(name for name in PROBLEMS if name not in DISQUALIFIES)
    yield "runs", "`crosslit bench export` writes one line for each; names in quotation marks are its columns"
    yield (
        "time of a run",
        f"{_column(measure)} if its 'judgement' is right; else unsolved, longer than any",
    )
    yield "limit", "'limit_seconds', or 'limit_cpu_seconds' if that is less"
    yield (
        "machines",
        "if 'processor', 'processors', 'machine_memory_mb' in GB, or 'governor' differ, a contestant counts separately"
        " on each kind of machine",
    )
    yield "not asked", "a puzzle on which a contestant has no runs, or only runs with the 'status' unsupported"
    yield (
        "time on a puzzle",
        "the median over the contestant's runs; for an even number, the mean of the middle two, so it is unsolved if"
        " half of the runs are",
    )
    yield "disqualified", f"a contestant with a run that has 'problems' other than {harmless}"
    yield "size n", "'size'; for most puzzles it is the square root of rows times columns"
    yield "order", "contestants by group, as in the campaign's file, then by name; it breaks ties"
    yield (
        "digits",
        "the usual number of significant digits of the table or sentence, without trailing zeros; more if unequal"
        " values that are compared would look equal, at most 6",
    )
    yield (
        "puzzles in common",
        "the puzzles that two contestants or more were asked; if fewer than two contestants were asked all of them, the"
        " puzzles that all contestants were asked",
    )
    yield "PAR-2 in common", "empty for a contestant that was not asked all puzzles in common"
    yield "fastest on, only solver", "on puzzles that others were asked too; several contestants may be the fastest"
    yield "contribution", "over all puzzles that two contestants or more were asked"
    yield (
        "interval of a median",
        "from the k-th smallest to the k-th largest of N times; k is the largest number such that fewer than k heads in"
        f" N tosses of a coin have a probability below {intervals.TAIL:.1%}",
    )
    yield (
        "signed-rank test",
        f"two-sided; exact for {MAX_EXACT} puzzles or fewer, ties left out, by the normal approximation for more;"
        f" equal ranks share their mean. Times below {format_seconds(MIN_SECONDS)} count as that. Sign test: exact,"
        " two-sided",
    )
    yield (
        "interval of a ratio",
        f"Student's for the mean of the logarithms; for {intervals.MIN_VALUES} puzzles that both solved, or more",
    )
    words = ", ".join(f"{word} {value:g}" for word, value in DIFFICULTY.items())
    yield (
        "correlation",
        "equal values share the mean of their ranks; p is two-sided, by Student's t. 'density' and 'difficulty', as"
        f" {words}, are those of the puzzle",
    )
    yield (
        "fit of a curve",
        "maximum likelihood for normal errors with a standard deviation s; the logarithm of the likelihood of an"
        f" uncensored time has the additional term -({censored_fit.NOISE:g}/s)²/2, because each time has an error of"
        f" {censored_fit.NOISE:.0%}. AIC is 2p - 2 log likelihood; p, the number of parameters, is 2 for a constant and"
        f" 3 for others. It needs {MIN_SIZES} sizes, and uncensored times of {MIN_SIZES_BETWEEN} sizes. An unsolved"
        " puzzle is censored if a run on it has the status timeout or memory, else left out",
    )
    yield (
        "interval of a rate",
        "from the sandwich estimator, times N/(N - p) for N puzzles, and Student's quantiles for N - p degrees of"
        " freedom; the interval of a doubling has the ends ln 2 / slope",
    )
    yield (
        "series",
        f"{MIN_SIZES} sizes or more, each with the same number of puzzles, two or more; or in equal steps, or by equal"
        " factors",
    )
    yield (
        "exponential growth in the summary",
        "no other curve fits about as well, and the interval of the doubling is finite; a puzzle is censored, or the"
        f" curve grows by a factor of over {MIN_WALL_FACTOR:g}, from the floor at least. Unsolved from n on: asked, and"
        " reached a limit",
    )
    yield (
        "the fastest in the summary",
        "at the largest sizes, two or more, the next median is longer by a factor of over"
        f" {format_number(MIN_RATIO)} and by over {format_seconds(TIE_SECONDS)}",
    )


def _column(measure: Measure) -> str:
    return f"'{measure}', in seconds,"
