"""The analysis as a report tells it: in words, in tables and in figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crosslit.campaigns.analysis.bootstrap import MIN_VALUES, Interval
from crosslit.campaigns.analysis.correlation import FACTS, MIN_RANKED, correlations
from crosslit.campaigns.analysis.growth import MIN_PUZZLES, Fit, fits
from crosslit.campaigns.analysis.pairs import ASSUMPTIONS, PairComparison, paired, wins
from crosslit.campaigns.analysis.scaling_summary import MEASURES, BulletSentence
from crosslit.campaigns.analysis.scores import Score, comparable, par, portfolio, scores, virtual_best
from crosslit.campaigns.analysis.summary import sentences
from crosslit.campaigns.report.images import data_url
from crosslit.campaigns.report.text import ReportFigure, Section, Sheet, brief
from crosslit.campaigns.results.judged import Results
from crosslit.campaigns.results.table import Table
from crosslit.numbers import format_count, format_number, format_seconds
from crosslit.puzzles import all_kinds

MAX_PAIRS = 200
"""Pairs whose tests are told: those that were least likely chance."""
_MAX_FITS = 400
_MAX_SENTENCE_LENGTH = 1500  # characters of a sentence: labels may be of any length
_NARROW = 5.0  # inches
_MAX_NAMED = 6  # in the words for a figure


@dataclass(frozen=True)
class SummaryItem:
    """A sentence of the summary.

    Args:
        lead: all of it, or its beginning.
        clauses: the rest of it, without the marks between them.
    """

    lead: str
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True)
class AnalysisSections:
    """What the analysis says.

    Args:
        summary: sentences.
        sections: in order.
        essence: the one figure to show beside the summary.
    """

    summary: Sequence[SummaryItem]
    sections: Sequence[Section]
    essence: ReportFigure | None = None


def analysis_sections(results: Results, table: Table) -> AnalysisSections:
    """The analysis of a campaign.

    Raises:
        Unavailable: if what the extra ``report`` brings is not installed.
    """
    if not results.rows or not table.ranked.contestants:
        why = "No run was made yet." if not results.rows else "Every contestant gave a wrong answer: nobody is ranked."
        return AnalysisSections((SummaryItem(why), *_sentences(results, table, (), ())), ())
    scored, pairs, growth = scores(table), paired(table), fits(table)
    drawn = _figures(table, scored, pairs, growth)
    first = drawn.get("scaling") or drawn.get("cactus")
    essence = first.pop(0) if first else None
    elsewhere = ("The figure of the first family is in the summary.",) if "scaling" in drawn else ()
    sections = [
        Section(
            id="ranking",
            title="Ranking",
            paragraphs=tuple(_ranking_words(table)),
            figures=drawn.get("cactus", ()),
            sheets=_rankings(table),
        ),
        Section(id="pairs", title="One against another", paragraphs=(), figures=drawn.get("scatter", ())),
        Section(
            id="growth",
            title="Growth with size",
            paragraphs=(*_GROWTH, *elsewhere),
            figures=drawn.get("scaling", ()),
            sheets=_growth(growth),
        ),
        Section(id="tests", title="Is it chance?", paragraphs=ASSUMPTIONS, figures=(), sheets=_pairs(table, pairs)),
        Section(
            id="correlations",
            title="What goes with time",
            paragraphs=_CORRELATED,
            figures=(),
            sheets=_correlations(table),
        ),
    ]
    kept = [section for section in sections if section.figures or section.sheets]
    return AnalysisSections(_sentences(results, table, scored, growth), kept, essence)


def _sentences(
    results: Results, table: Table, scored: Sequence[Score], growth: Sequence[Fit]
) -> tuple[SummaryItem, ...]:
    return tuple(map(_said, sentences(results, table, scored, growth)))


def _said(sentence: str) -> SummaryItem:
    if isinstance(sentence, BulletSentence):
        return SummaryItem(
            brief(sentence.lead, _MAX_SENTENCE_LENGTH),
            tuple(brief(clause, _MAX_SENTENCE_LENGTH) for clause in sentence.clauses),
        )
    return SummaryItem(brief(sentence, _MAX_SENTENCE_LENGTH))


def _ranking_words(table: Table) -> Iterator[str]:
    parts = _by_kind(table)
    for kind, part in parts:
        together = portfolio(part)
        if together is None:
            continue
        entrants = f"{together.entrants} of {format_count(together.contestants, 'contestant')}"
        among = f", of the {entrants} that were asked all these," if together.entrants < together.contestants else ""
        yield (
            "The virtual best solver takes, on each puzzle, the fastest contestant: on"
            f" {format_count(together.puzzles, f'{kind} puzzle' if len(parts) > 1 else 'puzzle')} it solves"
            f" {together.solved:,}, with a PAR-2 of {format_seconds(together.par2)}. The best single one{among} is"
            f" {brief(together.best)}, with {format_seconds(together.best_par2)}."
        )
    yield (
        f"PAR-2 is the mean {MEASURES[table.measure]}, where an unsolved puzzle counts"
        f" {format_seconds(2 * table.limit)}: twice the limit. It is over the puzzles that a contestant was asked, so"
        " compare it only between those who were asked the same; PAR-2 in common is over the puzzles that the virtual"
        " best solver is measured on, for those who were asked all of these. The 95% interval of the median is by"
        f" bootstrap over puzzles, from {MIN_VALUES} puzzles on; ∞: it did not solve more than half of them. Alone:"
        " puzzles that nobody else solved. Contribution: by how much the PAR-2 of the virtual best solver would be"
        " worse without it."
    )
    if len(table.ranked.contestants) < len(table.contestants):
        wrong = [brief(one.label) for one in table.contestants if one.disqualified]
        yield f"Not ranked, because of wrong answers: {', '.join(wrong)}."


def _by_kind(table: Table) -> list[tuple[str, Table]]:
    """The part of each kind of puzzle: those who take one kind alone are not compared with those of another."""
    kinds = dict.fromkeys(entry.kind for entry in table.entries)
    return [
        (kind, table.among(rows=[at for at, entry in enumerate(table.entries) if entry.kind == kind])) for kind in kinds
    ]


def _rankings(table: Table) -> list[Sheet]:
    parts = _by_kind(table)
    found = [_ranking(part, f" on {all_kinds()[kind].plural}" if len(parts) > 1 else "") for kind, part in parts]
    groups = _groups(table)
    return [*found, *([groups] if groups is not None else [])]


def _ranking(table: Table, where: str) -> Sheet:
    def order(score: Score) -> tuple[bool, float, int]:
        points = score.par2 if score.par2_common is None else score.par2_common
        return score.par2_common is None, float("inf") if points is None else points, -score.solved

    scored = [score for score in scores(table) if score.asked]
    common = int(comparable(table).sum())
    rows = [
        (
            brief(score.label),
            brief(score.group),
            f"{score.solved:,}",
            f"{score.asked:,}",
            format_seconds(score.par2),
            format_seconds(score.par2_common),
            format_seconds(score.median),
            _times(score.interval),
            f"{score.best:,}",
            f"{score.alone:,}",
            format_seconds(score.contribution),
        )
        for score in sorted(scored, key=order)
    ]
    columns = (
        *("contestant", "group", "solved", "of", "PAR-2", "PAR-2 in common", "median", "95% interval"),
        *("fastest on", "alone", "contribution"),
    )
    shared = f" on the {format_count(common, 'puzzle')} in common" if common else ""
    return Sheet(
        caption=f"Contestants{where} by {MEASURES[table.measure]}, best PAR-2{shared} first",
        columns=columns,
        rows=rows,
        words=frozenset({1}),
    )


def _groups(table: Table) -> Sheet | None:
    """Every group as if it were one solver, the best of its contestants on each puzzle."""
    import numpy as np

    ranked = table.ranked
    names = list(dict.fromkeys(one.group for one in ranked.contestants))
    if len(names) < 2:
        return None
    rows = []
    for name in names:
        columns = [at for at, one in enumerate(ranked.contestants) if one.group == name]
        best = virtual_best(ranked.seconds[:, columns])
        asked, solved = int((~np.isnan(best)).sum()), int(np.isfinite(best).sum())
        mean = float(par(best[:, None], ranked.limit)[0])
        rows.append((brief(name) or "(no group)", str(len(columns)), f"{solved:,}", f"{asked:,}", format_seconds(mean)))
    headings = ("group", "contestants", "solved by any", "of", "PAR-2 of its best")
    return Sheet(caption="Groups: the fastest of each on every puzzle", columns=headings, rows=rows)


def _times(interval: Interval | None) -> str:
    return "" if interval is None else f"{format_seconds(interval.low)} to {format_seconds(interval.high)}"


def _interval(interval: Interval | None) -> str:
    return "" if interval is None else f"{format_number(interval.low)} to {format_number(interval.high)}"


def _pairs(table: Table, pairs: Sequence[PairComparison]) -> list[Sheet]:
    if not pairs:
        return []
    names = [brief(one.label) for one in table.ranked.contestants]
    met = {frozenset((pair.a, pair.b)) for pair in pairs if pair.puzzles}
    labels = [one.label for one in table.ranked.contestants]
    beaten = [
        (name, *(f"{count:,}" if {label, other} in met else "" for other, count in zip(labels, row, strict=True)))
        for name, label, row in zip(names, labels, wins(table).tolist(), strict=True)
    ]
    matrix = Sheet(
        caption="Wins: on how many puzzles the contestant of the row beats that of the column",
        columns=("contestant", *names),
        rows=beaten,
        notes=("Empty: they were asked no common puzzle.",),
    )
    tested = sorted((pair for pair in pairs if pair.p is not None), key=lambda pair: (pair.p_adjusted or 0, pair.p))
    rows = [
        (
            f"{brief(pair.a, 40)} against {brief(pair.b, 40)}",
            f"{pair.puzzles:,}",
            f"{pair.wins_a:,}",
            f"{pair.wins_b:,}",
            f"{pair.ties:,}",
            format_number(pair.ratio),
            _interval(pair.interval),
            _p(pair.p_adjusted),
            _p(pair.p_sign_adjusted),
        )
        for pair in tested[:MAX_PAIRS]
    ]
    columns = (
        *("pair", "puzzles", "first wins", "second wins", "ties", "ratio of times", "95% interval"),
        *("p, signed rank", "p, sign test"),
    )
    more = len(tested) - len(rows)
    notes = (f"And {more:,} more pairs, with larger p-values.",) if more else ()
    tests = Sheet(caption="Paired tests, smallest p-value first", columns=columns, rows=rows, notes=notes)
    return [matrix, *([tests] if rows else [])]


def _p(value: float | None) -> str:
    if value is None:
        return ""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


_GROWTH = (
    "A curve is fitted to the logarithms of the times: constant, a power of the size, or exponential in it, whichever"
    " has the lowest AIC. Runs that hit the limit are censored: they count as taking longer than it, not as taking it."
    " Crashes, and runs that gave up, say nothing of time and are left out. n is the size."
    f" Of fewer than {MIN_PUZZLES} puzzles an exponential is not told from a power.",
)


def _growth(growth: Sequence[Fit]) -> list[Sheet]:
    rows = [
        (
            brief(fit.contestant),
            brief(fit.family),
            brief(fit.words(), 300),
            f"{fit.points:,}",
            f"{fit.censored:,}",
            format_number(fit.solved_to, 9),
        )
        for fit in growth[:_MAX_FITS]
    ]
    columns = ("contestant", "family", "its time", "puzzles", "not solved", "largest solved")
    return [Sheet(caption="Growth with size n", columns=columns, rows=rows, words=frozenset({1, 2}))] if rows else []


_CORRELATED = (
    "Spearman's rank correlation of time with what is known of a puzzle: 1, time grows with it throughout; 0, it tells"
    " nothing; -1, time falls with it. Unsolved puzzles have the highest rank. These facts go together (larger boards"
    " tend to be harder ones), and the puzzles are those that the campaign chose: a correlation is no cause.",
)


def _correlations(table: Table) -> list[Sheet]:
    found = correlations(table)
    sheets = []
    for kind in dict.fromkeys(one.kind for one in found):
        facts = [fact for fact in FACTS if any(one.fact == fact and one.kind == kind and one.puzzles for one in found)]
        cells = {(one.label, one.fact): one for one in found if one.kind == kind}
        rows = []
        for label in dict.fromkeys(one.label for one in found if one.kind == kind):
            own = [cells.get((label, fact)) for fact in facts]
            if any(one is not None and one.rho is not None for one in own):
                told = (
                    "" if one is None or one.rho is None else f"{one.rho:.2f} (p {_p(one.p).replace('0.', '= 0.', 1)})"
                    for one in own
                )
                rows.append((brief(label), *(text.replace("< = ", "< ") for text in told)))
        if rows:
            notes = (f"Empty: fewer than {MIN_RANKED} puzzles, or nothing that differs.",)
            sheets.append(
                Sheet(
                    caption=f"Rank correlation of {MEASURES[table.measure]} on {all_kinds()[kind].plural}",
                    columns=("contestant", *facts),
                    rows=rows,
                    notes=notes,
                )
            )
    return sheets


def _figures(
    table: Table, scored: Sequence[Score], pairs: Sequence[PairComparison], growth: Sequence[Fit]
) -> dict[str, list[ReportFigure]]:
    from crosslit.campaigns.figures import ONE_COLUMN, figures_of, svg_text

    found: dict[str, list[ReportFigure]] = {}
    for drawn in figures_of(table, growth, ONE_COLUMN):
        alt = _seen(drawn.kind, drawn.about, table, scored, pairs, growth)
        source = data_url(svg_text(drawn.figure).encode())
        found.setdefault(drawn.kind, []).append(
            ReportFigure(source=source, alt=alt, caption=drawn.caption, wide=drawn.figure.get_figwidth() > _NARROW)
        )
    return found


def _seen(
    kind: str,
    about: Sequence[str],
    table: Table,
    scored: Sequence[Score],
    pairs: Sequence[PairComparison],
    growth: Sequence[Fit],
) -> str:
    """What is to be seen in a figure, for those who do not see it."""
    if kind == "cactus":
        order = sorted(scored, key=lambda score: -score.solved)
        told = ", ".join(f"{brief(score.label, 40)} {score.solved} of {score.asked}" for score in order[:_MAX_NAMED])
        return f"Cactus plot: how many puzzles each contestant solves within a time. At the limit: {told}."
    if kind == "scatter":
        a, b = about
        pair = next(pair for pair in pairs if {pair.a, pair.b} == {a, b})
        told = f"{brief(pair.a, 40)} wins {pair.wins_a}, {brief(pair.b, 40)} wins {pair.wins_b}, {pair.ties} ties"
        return (
            f"Scatter plot: a point for each puzzle, the times of the two against each other, limits as lines. {told}."
        )
    own = [fit for fit in growth if fit.family == about[0]]
    told = "; ".join(f"{brief(fit.contestant, 40)} {fit.words()}" for fit in own[:_MAX_NAMED])
    return f"Time against size for {brief(about[0])}, with fitted curves and the limit. {told}."
