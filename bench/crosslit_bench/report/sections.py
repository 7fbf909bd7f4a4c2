"""The sections of a report that show the analysis in tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from crosslit.kinds import all_kinds
from crosslit.numbers import format_count, format_number, format_seconds
from crosslit_bench.analysis.analysis import Analysis, Ranking
from crosslit_bench.analysis.digits import enough_digits
from crosslit_bench.analysis.intervals import Interval
from crosslit_bench.analysis.pairs import PairComparison
from crosslit_bench.analysis.scores import HEADINGS, SECONDS, Score
from crosslit_bench.report.images import data_url
from crosslit_bench.report.text import Column, ReportFigure, Section, Sheet, brief
from crosslit_bench.results.frame import MEASURES, Table

MAX_PAIRS = 200
"""The maximum number of paired tests listed; those with the smallest p-values."""
_MAX_FITS = 400


def figures(table: Table, analysis: Analysis) -> dict[str, list[ReportFigure]]:
    """Return the figures by kind of plot."""
    from crosslit_bench.figures import ONE_COLUMN, figures_of, svg_text

    found: dict[str, list[ReportFigure]] = {}
    series = {wall.family for wall in analysis.walls if wall.is_series}
    for plot in sorted(figures_of(table, analysis.fits, ONE_COLUMN), key=lambda plot: plot.family not in series):
        source = data_url(svg_text(plot.figure).encode())
        found.setdefault(plot.kind, []).append(ReportFigure(source, brief(plot.alt, 600), plot.caption))
    return found


def leading(analysis: Analysis, drawn: dict[str, list[ReportFigure]]) -> ReportFigure | None:
    """Remove and return the figure for the summary: growth if it is exponential in a series, else the cactus plot."""
    first = (any(wall.is_series for wall in analysis.walls) and drawn.get("scaling")) or drawn.get("cactus")
    return first.pop(0) if first else None


def sections(
    table: Table, analysis: Analysis, drawn: dict[str, list[ReportFigure]], columns: Sequence[str] = ()
) -> list[Section]:
    """Return the sections that are not empty; the ranking has some columns, by name, instead of all that differ."""
    unsolved = f"{format_seconds(2 * table.limit)} in PAR-2, and {table.par:g} limits in PAR-k"
    found = [
        Section(
            id="ranking",
            title="Ranking",
            paragraphs=(f"An unsolved puzzle counts {unsolved}.",),
            figures=drawn.get("cactus", ()),
            sheets=[
                *_rankings(table, analysis.rankings, columns),
                *Sheet.of("Groups: the fastest of each on every puzzle", analysis.groups, _GROUPS),
            ],
        ),
        Section(
            id="pairs",
            title="Pairs of contestants",
            figures=drawn.get("scatter", ()),
            sheets=_pairs(table, analysis.pairs),
        ),
        Section(
            id="growth",
            title="Growth with size",
            figures=drawn.get("scaling", ()),
            sheets=Sheet.of("Growth with size n", analysis.fits, _GROWTH, _MAX_FITS),
        ),
    ]
    return [section for section in found if section.figures or section.sheets]


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


_REPEATS = {"par2_common": "par2", "park_common": "par2_common"}


def _ranking_columns(scores: Sequence[Score], chosen: Sequence[str]) -> list[Column]:
    """Return columns of the ranking; by default those that say anything new."""

    def is_new(name: str) -> bool:
        before = _REPEATS.get(name, "")
        return any(getattr(score, name) not in (None, "", getattr(score, before, "")) for score in scores)

    def text(name: str, digits: int, score: Score) -> str:
        value = getattr(score, name)
        if value is None or isinstance(value, str):
            return brief(value or "")
        if isinstance(value, Interval):
            return _range(value, format_seconds)
        if name in SECONDS:
            return format_seconds(value, digits)
        return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"

    names = chosen or list(filter(is_new, HEADINGS))
    digits = {name: enough_digits(getattr(score, name) for score in scores) for name in SECONDS}
    return [Column(HEADINGS[name], partial(text, name, digits.get(name, 0)), name == "group") for name in names]


def _range(interval: Interval | None, text: Callable[[float], str]) -> str:
    return "" if interval is None else f"{text(interval.low)} to {text(interval.high)}"


_GROUPS = (
    Column("group", lambda score: brief(score.group) or "(no group)"),
    Column("contestants", lambda score: str(score.contestants)),
    Column("solved by any", lambda score: f"{score.solved:,}"),
    Column("of puzzles", lambda score: f"{score.asked:,}"),
    Column("PAR-2 of its best", lambda score: format_seconds(score.par2)),
)


_GROWTH = (
    Column("contestant", lambda fit: brief(fit.contestant)),
    Column("family", lambda fit: brief(fit.family), True),
    Column("growth of its time", lambda fit: brief(fit.words(), 300), True),
    Column("puzzles", lambda fit: f"{fit.points:,}"),
    Column("largest n solved", lambda fit: "" if fit.solved_to is None else f"{fit.solved_to:.4g}"),
)


def _ratio_digits(pair: PairComparison) -> int:
    """Return enough digits to see on which side of 1 the ratio and its interval are."""
    return enough_digits((1.0, pair.ratio, *(pair.interval or ())))


_TESTS = (
    Column("pair", lambda pair: f"{brief(pair.a, 40)} against {brief(pair.b, 40)}"),
    Column("puzzles", lambda pair: f"{pair.puzzles:,}"),
    Column("first wins", lambda pair: f"{pair.wins_a:,}"),
    Column("second wins", lambda pair: f"{pair.wins_b:,}"),
    Column("ties", lambda pair: f"{pair.ties:,}"),
    Column("ratio of times", lambda pair: format_number(pair.ratio, _ratio_digits(pair))),
    Column("95% interval", lambda pair: _range(pair.interval, partial(format_number, digits=_ratio_digits(pair)))),
    Column("p, signed rank", lambda pair: _p(pair.p_adjusted)),
    Column("p, sign test", lambda pair: _p(pair.p_sign_adjusted)),
)


def _rankings(table: Table, rankings: Sequence[Ranking], columns: Sequence[str]) -> Iterator[Sheet]:
    for ranking in rankings:
        on = f" on {all_kinds()[ranking.kind].puzzle.plural}" if len(rankings) > 1 else ""
        common = ranking.portfolio.puzzles if ranking.portfolio else 0
        shared = f" on the {format_count(common, 'puzzle')} in common" if common else ""
        caption = f"Contestants{on} by {MEASURES[table.measure]}, best PAR-2{shared} first"
        yield from Sheet.of(caption, ranking.scores, _ranking_columns(ranking.scores, columns))


def _pairs(table: Table, pairs: Sequence[PairComparison]) -> list[Sheet]:
    if not pairs:
        return []
    labels = [contestant.label for contestant in table.ranked.contestants]
    wins = {(pair.a, pair.b): f"{pair.wins_a:,}" for pair in pairs}
    wins |= {(pair.b, pair.a): f"{pair.wins_b:,}" for pair in pairs}
    matrix = Sheet(
        caption="Wins: number of puzzles on which the row's contestant beats the column's",
        columns=("contestant", *map(brief, labels)),
        rows=[(brief(label), *(wins.get((label, other), "") for other in labels)) for label in labels],
        notes=("Empty: no common puzzles.",),
    )
    tested = sorted(pairs, key=lambda pair: (pair.p_adjusted, pair.p))
    return [matrix, *Sheet.of("Paired tests, smallest p-value first", tested, _TESTS, MAX_PAIRS)]
