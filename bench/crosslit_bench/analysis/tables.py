"""The analysis of a campaign as tables for other programs: records, CSV and LaTeX."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crosslit.numbers import exact, format_number
from crosslit_bench.analysis.analysis import analyse
from crosslit_bench.results.export import csv_line
from crosslit_bench.results.table import Table

Record = dict[str, Any]
_RANGES = ("interval", "doubling")  # fields with a pair of bounds, or None
_WIDE = ("puzzles",)  # tables with a column for each contestant, too wide for paper


def tables(table: Table) -> dict[str, list[Record]]:
    """Return the tables of the analysis by name, each a list of records with the same keys.

    ``ranking``, ``portfolio`` (the virtual and the single best solver, by kind), ``groups``, ``pairs``, ``fits``,
    ``walls`` (by family), and ``puzzles``: one for each puzzle, with the columns
    ``seconds LABEL`` and ``status LABEL`` for each contestant, including disqualified ones. Times are in seconds, inf
    if unsolved; None means undefined. The classes of this package describe the fields.
    """
    analysis = analyse(table)
    return {
        "ranking": [_flat(score, kind=ranking.kind) for ranking in analysis.rankings for score in ranking.scores],
        "portfolio": [
            _flat(ranking.portfolio, kind=ranking.kind)
            for ranking in analysis.rankings
            if ranking.portfolio is not None
        ],
        "groups": list(map(_flat, analysis.groups)),
        "pairs": list(map(_flat, analysis.pairs)),
        "fits": _same_keys(map(_flat, analysis.fits)),
        "walls": [_flat(wall, family=growth.family) for growth in analysis.families for wall in growth.walls],
        "puzzles": _puzzles(table),
    }


def json_tables(found: Mapping[str, Sequence[Record]]) -> dict[str, list[Record]]:
    """Return tables with JSON values only: an infinite number becomes ``"inf"``."""
    return {
        name: [{key: _json(value) for key, value in record.items()} for record in records]
        for name, records in found.items()
    }


def csv_text(records: Sequence[Record]) -> str:
    """Return a table as CSV with a header; None is empty, and a ``'`` precedes text that looks like a formula."""
    if not records:
        return ""
    names = list(records[0])
    return csv_line(names) + "".join(csv_line([record[name] for name in names]) for record in records)


def latex_text(found: Mapping[str, Sequence[Record]], digits: int = 4) -> str:
    """Return tables in LaTeX for the package booktabs, with significant digits; the table of puzzles is left out."""
    parts = [_latex(name, records, digits) for name, records in found.items() if records and name not in _WIDE]
    return "% needs \\usepackage{booktabs}\n" + "\n".join(parts)


def _flat(record: Any, **before: Any) -> Record:
    flat = dict(before)
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        if field.name in _RANGES:
            flat[f"{field.name}_low"], flat[f"{field.name}_high"] = (None, None) if value is None else value
        elif isinstance(value, Mapping):
            flat |= {f"{field.name}_{key}": item for key, item in value.items()}
        else:
            flat[field.name] = ", ".join(value) if isinstance(value, tuple) else _plain(value)
    return flat


def _same_keys(records: Iterable[Record]) -> list[Record]:
    made = list(records)
    # A fit has a field for each model that could be fitted, and CSV needs equal columns.
    names = dict.fromkeys(name for record in made for name in record)
    return [{name: record.get(name) for name in names} for record in made]


def _puzzles(table: Table) -> list[Record]:
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


def _json(value: Any) -> Any:
    return value if isinstance(value, bool) else exact(value)


def _latex(name: str, records: Sequence[Record], digits: int) -> str:
    names = list(records[0])
    columns = "".join("l" if any(isinstance(record[key], str) for record in records) else "r" for key in names)
    lines = [" & ".join(_escaped(key.replace("_", " ")) for key in names)]
    lines += [" & ".join(_cell(record[key], digits) for key in names) for record in records]
    head, *body = (f"{line} \\\\" for line in lines)
    rows = "\n".join(["\\toprule", head, "\\midrule", *body, "\\bottomrule"])
    return f"% {name}\n\\begin{{tabular}}{{{columns}}}\n{rows}\n\\end{{tabular}}\n"


def _cell(value: Any, digits: int) -> str:
    if value is None:
        return "--"
    if isinstance(value, float):
        return "$\\infty$" if math.isinf(value) else format_number(value, digits)
    return _escaped(str(value))


_ESCAPES = {
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def _escaped(text: str) -> str:
    return "".join(_ESCAPES.get(character, character if character.isprintable() else " ") for character in text)
