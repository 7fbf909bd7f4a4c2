"""The report page with its summary and its sections on the analysis: a self-contained HTML file.

Its policy allows only its script, its style and its pictures. The template escapes all texts. The script's data is
JSON, which it inserts only as text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.resources import files
from typing import Any

from crosslit.base.errors import Unavailable, install_hint
from crosslit.base.html import data, policy, style
from crosslit.base.numbers import format_count, format_number, format_seconds, join_names
from crosslit.base.table import Table
from crosslit.contract.run import RunStatus
from crosslit.kinds import all_kinds
from crosslit_bench.analysis.growth import Wall
from crosslit_bench.analysis.scores import HEADINGS, SECONDS, TIE_SECONDS, PairComparison, Score, explanations
from crosslit_bench.analysis.statistics import Interval, enough_digits
from crosslit_bench.analysis.tables import Analysis, Ranking
from crosslit_bench.report.methods import commands, environment, measured
from crosslit_bench.report.puzzles import find_wrong_answers, puzzle_table
from crosslit_bench.report.text import Column, ReportFigure, Section, brief, data_url, facts, plain, tables_of
from crosslit_bench.results.frame import MEASURES, Measure, Results, TimeTable, disturbed_words, few_collections

_MIN_CONTRIBUTION = 0.01  # smallest contribution listed, as a share of the virtual best solver's PAR-2
_MAX_FACT_LENGTH = 1500  # characters: labels may have any length
_ENDS: dict[RunStatus, str] = {
    "timeout": "reached the time limit",
    "memory": "reached the memory limit",
    "one found": "found one solution only",
    "gave-up": "gave up",
    "error": "crashed",
}


def summary(results: Results, analysis: Analysis | None) -> Table:
    """Return the table of facts; without an analysis, it is only about answers and runs."""
    lines = [("wrong answers", _wrong(results)), ("runs", _runs(results))]
    if analysis is not None:
        lines += [(f"growth on {wall.family}", _growth(wall)) for wall in analysis.walls if wall.is_series]
        for ranking in analysis.rankings:
            on = f" on {all_kinds()[ranking.kind].puzzle.plural}" if len(analysis.rankings) > 1 else ""
            lines += [(f"{name}{on}", text) for name, text in _ranking(ranking)]
    shown = [(brief(name), brief(text, _MAX_FACT_LENGTH)) for name, text in lines if text]
    (sheet,) = facts("Summary, wrong answers first", shown)
    return sheet


def _wrong(results: Results) -> str:
    wrong = []
    for contestant in results.contestants:
        problems = Counter(finding.problem for finding in contestant.disqualified)
        if problems:
            wrong.append(f"{contestant.label} ({', '.join(f'{count:,} {word}' for word, count in problems.items())})")
    if wrong:
        return f"{'; '.join(wrong)}. Disqualified, and left out below."
    judged = [result for result in results.judged if result.rows]
    undecided = sum(result.comparison.verdict.status == "undecided" for result in judged)
    return f"none on {format_count(len(judged), 'puzzle')}" + (f"; {undecided:,} undecided" if undecided else "")


def _runs(results: Results) -> str:
    counts = f"{results.made:,} of {format_count(results.planned, 'run')} made"
    ends = Counter(results.frame["status"])
    parts = [f"{ends[status]:,} {words}" for status, words in _ENDS.items() if ends[status]]
    parts.append(disturbed_words(results.disturbed, results.made))
    repeated = (results.frame["attempts"] > 1).sum()
    parts += [f"{repeated:,} repeated, because the process that made them was lost"] if repeated else []
    return "; ".join(filter(None, [counts, *parts]))


def _growth(wall: Wall) -> str:
    who = "" if wall.contestants == (wall.group,) else f" ({join_names(wall.contestants)})"
    low, high = (format_number(rate, 2) for rate in wall.doubling)
    text = f"{wall.group}{who} grows exponentially, doubling each time n grows by {low}"
    text += f" to {high}" if high != low else ""
    return text + (f", unsolved from n = {wall.unsolved_from:.4g} on" if wall.unsolved_from is not None else "")


def _contributions(ranking: Ranking, least: float) -> str:
    """Return by how much PAR-2 would rise without a contestant; rises up to a threshold in seconds are combined."""
    needed = sorted(
        (score for score in ranking.scores if score.contribution > least), key=lambda score: -score.contribution
    )
    digits = enough_digits([least, *(score.contribution for score in needed)])
    rises = [f"by {format_seconds(score.contribution, digits)} without {score.label}" for score in needed]
    parts = [join_names(rises)] if rises else []
    if len(needed) < len(ranking.scores):
        who = "any other contestant" if parts else "any one contestant"
        parts.append(f"by at most {format_seconds(least, digits)} without {who}")
    return "; ".join(parts)


def _ranking(ranking: Ranking) -> Iterator[tuple[str, str]]:
    max_solved = max((score.solved for score in ranking.scores), default=0)
    best = [score for score in ranking.scores if score.solved == max_solved]
    asked = {score.asked for score in best}
    if max_solved:
        of = f"{max_solved:,} of " if len(asked) == 1 else ""
        puzzles = format_count(asked.pop() if of else max_solved, "puzzle")
        yield "most solved", f"{of}{puzzles}: {join_names([score.label for score in best])}"
    field = ranking.portfolio
    if field is None or len(ranking.scores) < 2:
        return
    over = f"over {format_count(field.puzzles, 'puzzle')}"
    if field.entrants < field.contestants:
        over += f", which {field.entrants} of {format_count(field.contestants, 'contestant')} were asked"
    commons = [score.par2_common for score in ranking.scores]
    best_par2, par2 = (
        format_seconds(value, enough_digits([*commons, field.par2])) for value in (field.best_par2, field.par2)
    )
    yield "best PAR-2", f"{field.best}: {best_par2}, {over}"
    rises = _contributions(ranking, max(_MIN_CONTRIBUTION * field.par2, TIE_SECONDS))
    yield "virtual best solver", f"solves {field.solved:,}; its PAR-2 is {par2}, and would rise {rises}"


MAX_PAIRS = 200
"""The maximum number of paired tests listed; those with the smallest p-values."""
_MAX_FITS = 400


def figures(table: TimeTable, analysis: Analysis) -> dict[str, list[ReportFigure]]:
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
    table: TimeTable, analysis: Analysis, drawn: dict[str, list[ReportFigure]], columns: Sequence[str] = ()
) -> list[Section]:
    """Return the sections that are not empty; the ranking has some columns, by name, instead of all that differ."""
    found = [
        Section(
            id="ranking",
            title="Ranking",
            figures=drawn.get("cactus", ()),
            sheets=[
                *_rankings(table, analysis.rankings, columns),
                *tables_of("Groups: the fastest of each on every puzzle", analysis.groups, _GROUPS),
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
            sheets=tables_of("Growth with size n", analysis.fits, _GROWTH, _MAX_FITS),
        ),
    ]
    for sheet in (sheet for section in found for sheet in section.sheets if sheet.columns[1:] != sheet.right):
        sheet.notes = (*sheet.notes, *explanations(sheet.columns, table))  # the columns of wins are contestants
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
    Column("solved", lambda score: f"{score.solved:,}"),
    Column("of puzzles", lambda score: f"{score.asked:,}"),
    Column("PAR-2", lambda score: format_seconds(score.par2)),
)


_GROWTH = (
    Column("contestant", lambda fit: brief(fit.contestant)),
    Column("family", lambda fit: brief(fit.family), True),
    Column("growth of its time", lambda fit: brief(fit.words(), 300), True),
    Column("fitted", lambda fit: f"{fit.points:,}"),
    Column("largest n solved", lambda fit: "" if fit.solved_to is None else f"{fit.solved_to:.4g}"),
)


def _ratio_digits(pair: PairComparison) -> int:
    """Return enough digits to see on which side of 1 the ratio and its interval are."""
    return enough_digits((1.0, pair.ratio, *(pair.interval or ())))


_TESTS = (
    Column("A against B", lambda pair: f"{brief(pair.a, 40)} against {brief(pair.b, 40)}"),
    Column("asked of both", lambda pair: f"{pair.puzzles:,}"),
    Column("A wins", lambda pair: f"{pair.wins_a:,}"),
    Column("B wins", lambda pair: f"{pair.wins_b:,}"),
    Column("ties", lambda pair: f"{pair.ties:,}"),
    Column("time of A / B", lambda pair: format_number(pair.ratio, _ratio_digits(pair))),
    Column("its 95% interval", lambda pair: _range(pair.interval, partial(format_number, digits=_ratio_digits(pair)))),
    Column("p, signed rank", lambda pair: _p(pair.p_adjusted)),
    Column("p, sign test", lambda pair: _p(pair.p_sign_adjusted)),
)


def _rankings(table: TimeTable, rankings: Sequence[Ranking], columns: Sequence[str]) -> Iterator[Table]:
    for ranking in rankings:
        on = f" on {all_kinds()[ranking.kind].puzzle.plural}" if len(rankings) > 1 else ""
        common = ranking.portfolio.puzzles if ranking.portfolio else 0
        shared = f" on the {format_count(common, 'puzzle')} in common" if common else ""
        caption = f"Contestants{on} by {MEASURES[table.measure]}, best PAR-2{shared} first"
        yield from tables_of(caption, ranking.scores, _ranking_columns(ranking.scores, columns))


def _pairs(table: TimeTable, pairs: Sequence[PairComparison]) -> list[Table]:
    if not pairs:
        return []
    labels = [contestant.label for contestant in table.ranked.contestants]
    wins = {(pair.a, pair.b): f"{pair.wins_a:,}" for pair in pairs}
    wins |= {(pair.b, pair.a): f"{pair.wins_b:,}" for pair in pairs} | {(label, label): "–" for label in labels}
    columns = list(map(brief, labels))
    matrix = Table(
        "contestant",
        *columns,
        rows=[(brief(label), *(wins.get((label, other), "") for other in labels)) for label in labels],
        right=tuple(columns),
        caption="Wins: number of puzzles on which the row's contestant beats the column's",
        notes=("A cell is empty if no puzzle was asked of both.",) * (len(wins) < len(labels) ** 2),
    )
    tested = sorted(pairs, key=lambda pair: (pair.p_adjusted, pair.p))
    return [matrix, *tables_of("Paired tests, smallest p-value first", tested, _TESTS, MAX_PAIRS)]


STYLES = ("report.css", "tables.css")
"""The parts of the style; the second overrides some rules of the first."""

_MAX_ABOUT_LENGTH = 4_000  # characters
_MAX_FILE_LENGTH = 100_000


@few_collections()
def html(results: Results, measure: Measure = "total", columns: Sequence[str] = ()) -> str:
    """Return the report of a campaign, complete or not, as a self-contained page, which runs only its own script.

    The ranking has all columns that say anything new, or some by name (`crosslit_bench.analysis.scores.HEADINGS`).
    """
    try:
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup
    except ImportError:
        raise Unavailable(f"a report needs Jinja: {install_hint('report')}") from None
    from crosslit_bench.analysis.tables import analyse

    def finalized(value: Any) -> Any:
        return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    table = results.table(measure)
    analysis = analyse(table) if results.made and table.ranked.contestants else None
    drawn = figures(table, analysis) if analysis else {}
    listed = puzzle_table(results, table)
    look, code = style(*map(part, STYLES)), part("report.js")
    script = f'(() => {{\n"use strict";\n{code}}})();\n'

    def breakable(text: str) -> Markup:
        return Markup("/<wbr>").join(plain(text).split("/"))  # `join` escapes the parts

    # safe without escaping: our own files, and JSON without characters that could end its element
    own = {"style": look, "script": script, "facts": data(listed["facts"])}
    environment_ = Environment(
        autoescape=True, finalize=finalized, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment_.filters["breakable"] = breakable
    about = results.about
    return environment_.from_string(part("report.html")).render(
        **{name: Markup(text) for name, text in own.items()},
        policy=policy(script, look, pictures=True),
        title=brief(about.title or about.name, 300),
        about=_paragraphs(about.about[:_MAX_ABOUT_LENGTH]),
        made=results.made,
        planned=results.planned,
        shard=about.shard,
        wrongs=find_wrong_answers(results),
        summary=summary(results, analysis),
        leading=leading(analysis, drawn) if analysis else None,
        sections=sections(table, analysis, drawn, columns) if analysis else [],
        listed=listed,
        measured=measured(results, measure),
        environment=environment(results),
        file=about.text[:_MAX_FILE_LENGTH],
        commands=commands(results),
    )


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, which are separated by empty lines; other line ends become spaces."""
    parts = re.split(r"\n\s*\n", "\n".join(text.splitlines()))
    return [" ".join(part.split()) for part in parts if part.strip()]


def part(name: str) -> str:
    """Return the text of a file of this package, such as one of `STYLES`."""
    return files("crosslit_bench.report").joinpath(name).read_text(encoding="utf-8")
