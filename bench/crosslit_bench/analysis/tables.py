"""The complete analysis of a campaign as data, and as tables for other programs: records, CSV and LaTeX."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, get_args

from crosslit.base.numbers import format_number
from crosslit.base.table import Table
from crosslit.kinds import all_kinds
from crosslit_bench.analysis.growth import Fit, Model, Wall, find_walls, fits
from crosslit_bench.analysis.scores import (
    HEADINGS,
    SECONDS,
    GroupScore,
    PairComparison,
    Portfolio,
    Score,
    explanations,
    group_scores,
    paired,
    portfolio,
    scores,
)
from crosslit_bench.results.frame import MEASURES, TimeTable


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """The contestants on one kind of puzzle, because backends for different kinds cannot be compared."""

    kind: str
    # of those that were asked any, best first: by PAR-2 in common, then the others by their own PAR-2
    scores: tuple[Score, ...]
    portfolio: Portfolio | None  # the virtual and the single best solver; None if there is nothing to compare


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """The analysis of the times of a campaign's ranked contestants."""

    rankings: tuple[Ranking, ...]  # by kind of puzzle
    groups: tuple[GroupScore, ...]  # scores of the groups, if there are several
    pairs: tuple[PairComparison, ...]  # all pairs of contestants, in their order
    fits: tuple[Fit, ...]  # growth by contestant and family
    walls: tuple[Wall, ...]  # exponential growth by family and group


def analyse(table: TimeTable) -> Analysis:
    """Return the analysis of a table of times."""
    grown, groups = fits(table), group_scores(table)
    return Analysis(
        rankings=tuple(_ranking(kind, table.of_kind(kind)) for kind in table.kinds),
        groups=tuple(groups) if len(groups) > 1 else (),
        pairs=tuple(paired(table)),
        fits=tuple(grown),
        walls=tuple(find_walls(table, grown)),
    )


def _ranking(kind: str, part: TimeTable) -> Ranking:
    def order(score: Score) -> tuple[bool, float, int]:
        points = score.par2 if score.par2_common is None else score.par2_common
        return score.par2_common is None, points or 0.0, -score.solved

    asked = (score for score in scores(part) if score.asked)
    return Ranking(kind=kind, scores=tuple(sorted(asked, key=order)), portfolio=portfolio(part))


Record = dict[str, Any]
_RANGES = ("interval", "doubling")  # fields with a pair of bounds, or None
_RANKING = ("label", "solved", "asked", "par2", "median", "contribution")  # its columns on paper
_UNITS = {name: f"{text} (s)" if name in SECONDS else text for name, text in HEADINGS.items()}
_MAX_COLUMNS, _MAX_ROWS = 6, 40  # of a table on paper
_ON_PAPER = {
    "groups": (
        "Groups of contestants, each with the time of its fastest one on every puzzle",
        {"group": "group", "contestants": "contestants"} | {name: _UNITS[name] for name in ("solved", "asked", "par2")},
    ),
    "pairs": (
        "Pairs of contestants",
        {"a": "A", "b": "B", "wins_a": "A wins", "wins_b": "B wins", "ratio": "time of A / B"}
        | {"p_adjusted": "p, signed rank"},
    ),
    "fits": (
        "Growth of time with size n",
        {"family": "family", "contestant": "contestant", "growth": "growth", "rate": "rate"}
        | {"interval_low": "from", "interval_high": "to"},
    ),
}
"""For each table on paper its caption, and the headings of its columns by name; the ranking comes first."""


def tables(table: TimeTable, columns: Sequence[str] = ()) -> dict[str, list[Record]]:
    """Return the tables of the analysis by name, each a list of records with the same keys.

    ``ranking``, ``portfolio`` (the virtual and the single best solver, by kind), ``groups``, ``pairs``, ``fits``,
    ``walls`` (by family), and ``puzzles``: one for each puzzle, with the columns
    ``seconds LABEL`` and ``status LABEL`` for each contestant, including disqualified ones. Times are in seconds, inf
    if unsolved; None means undefined. The classes of this package describe the fields. The ranking has all columns, or
    some, by the name of their field.
    """
    analysis = analyse(table)
    ranked = [_flat(score, kind=ranking.kind) for ranking in analysis.rankings for score in ranking.scores]
    chosen = ["kind", *_flat_names(columns or HEADINGS)]
    return {
        "ranking": [{name: record[name] for name in chosen} for record in ranked],
        "portfolio": [
            _flat(ranking.portfolio, kind=ranking.kind) for ranking in analysis.rankings if ranking.portfolio
        ],
        "groups": list(map(_flat, analysis.groups)),
        "pairs": list(map(_flat, analysis.pairs)),
        "fits": [_flat(fit) | {"growth": fit.growth} for fit in analysis.fits],
        "walls": list(map(_flat, analysis.walls)),
        "puzzles": _puzzles(table),
    }


def latex_text(
    table: TimeTable, found: Mapping[str, Sequence[Record]], columns: Sequence[str] = (), note: str = ""
) -> str:
    """Return tables that fit on paper, for LaTeX with booktabs and graphicx; the note ends the captions of rankings."""
    names = _flat_names(columns or _RANKING)
    headings = {name: _UNITS.get(name) or f"95% {name.replace('_', ' ')} (s)" for name in names}
    parts = ["% needs \\usepackage{booktabs,graphicx}\n"]
    for kind in table.kinds:
        caption = f"Contestants on {all_kinds()[kind].puzzle.plural} by {MEASURES[table.measure]}"
        ranked = [record for record in found["ranking"] if record["kind"] == kind]
        parts += _on_paper("; ".join(filter(None, (caption, note))), headings, ranked, table)
    for name, (caption, shown) in _ON_PAPER.items():
        records = found[name]
        if name == "fits":  # without a model there is nothing to say, and numbers only if the model is the conclusion
            rates = dict.fromkeys(("rate", "interval_low", "interval_high"))
            records = [fit if fit["growth"] == fit["model"] else fit | rates for fit in records if fit["model"]]
        parts += _on_paper(caption, shown, records, table)
    return "\n".join(parts)


def _on_paper(caption: str, headings: Mapping[str, str], records: Sequence[Record], table: TimeTable) -> Iterator[str]:
    """Yield tables for LaTeX that fit on a page, each with the first column and an explanation of the others."""
    words = {name for name in headings if any(isinstance(record[name], str) for record in records)}
    first, *others = headings
    for row, column in product(range(0, len(records), _MAX_ROWS), range(0, max(1, len(others)), _MAX_COLUMNS - 1)):
        names = {name: headings[name] for name in (first, *others[column : column + _MAX_COLUMNS - 1])}
        yield Table(
            *names.values(),
            rows=[[_text(record[name]) for name in names] for record in records[row : row + _MAX_ROWS]],
            right={text for name, text in names.items() if name not in words},
            caption=caption,
            notes=explanations(names.values(), table),
        ).latex()


def _text(value: Any) -> str:
    return "" if value is None else format_number(value) if isinstance(value, float) else str(value)


def _flat_names(columns: Iterable[str]) -> list[str]:
    """Return the names of fields in flat records."""
    return [flat for name in columns for flat in ((f"{name}_low", f"{name}_high") if name in _RANGES else (name,))]


def _flat(record: Any, **before: Any) -> Record:
    flat = dict(before)
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        if field.name in _RANGES:
            flat[f"{field.name}_low"], flat[f"{field.name}_high"] = (None, None) if value is None else value
        elif isinstance(value, Mapping):
            flat |= {f"{field.name}_{key}": value.get(key) for key in get_args(Model)}  # the AIC of each model
        else:
            flat[field.name] = ", ".join(value) if isinstance(value, tuple) else _plain(value)
    return flat


def _puzzles(table: TimeTable) -> list[Record]:
    records = []
    for index, entry in enumerate(table.entries):
        record = _flat(entry)
        for column, contestant in enumerate(table.contestants):
            record[f"seconds {contestant.label}"] = _plain(float(table.seconds[index, column]))
            record[f"status {contestant.label}"] = str(table.statuses[index, column])
        records.append(record)
    return records


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
