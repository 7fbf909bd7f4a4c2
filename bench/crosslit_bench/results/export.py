"""The export of results as CSV or JSON lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

from crosslit_bench.results.judged import PuzzleResult, Results, judgement, load
from crosslit_bench.store.rows import COLUMNS, Row
from crosslit_bench.store.store import Store

Format = Literal["csv", "jsonl"]

ADDED: dict[str, Callable[[PuzzleResult, Row], Any]] = {
    "puzzle_name": lambda result, _: result.instance.puzzle.name,
    "family": lambda result, _: result.instance.family,
    "size": lambda result, _: result.instance.size,
    "kind": lambda result, _: result.instance.puzzle.kind,
    "rows": lambda result, _: result.instance.puzzle.rows,
    "columns": lambda result, _: result.instance.puzzle.columns,
    "nullity": lambda result, _: result.comparison.nullity,
    "difficulty": lambda result, _: result.difficulty,
    "density": lambda result, _: result.instance.puzzle.density,
    "verdict": lambda result, _: result.comparison.verdict.status,
    "evidence": lambda result, _: result.comparison.verdict.evidence,
    "expected": lambda result, _: result.instance.facts.get("expected"),
    "judgement": lambda result, row: judgement(row.run, result.comparison),
    "problems": lambda result, row: " ".join(dict.fromkeys(_problems(result, row))),
}
"""The columns after those of a run: its puzzle, the verdict of all runs on it, whether this run is ``right``, ``wrong``
or ``undecided`` (it makes no claim that could be judged), and its problems."""
NAMES = (*COLUMNS, *ADDED)

_NESTED = ("stats", "trusts")
_FORMULA = tuple("=+-@\t\r")


def records(store: Store, results: Results | None = None) -> Iterator[dict[str, Any]]:
    """Yield a record for each finished run of the plan, in the order of the plan; its keys are `NAMES`."""
    judged = {result.instance.puzzle.id: result for result in (results or load(store)).judged}
    rows = {row.key: row for result in judged.values() for row in result.rows}
    for values in store.values():
        if values["key"] in rows:  # skips runs that were stored after `load`
            result = judged[values["puzzle"]]
            yield {**values, **{name: value(result, rows[values["key"]]) for name, value in ADDED.items()}}


def _problems(result: PuzzleResult, row: Row) -> list[str]:
    return [finding.problem for finding in result.comparison.findings if finding.backend == row.run.backend]


def written(found: Iterable[Mapping[str, Any]], form: Format) -> Iterator[str]:
    """Yield the lines of a file of records.

    In CSV, a ``'`` precedes text that a spreadsheet would take for a formula, because names and errors come from
    untrusted files and programs; JSON lines are unchanged.
    """
    if form == "jsonl":
        for record in found:
            yield json.dumps(unpacked(record)) + "\n"
        return
    yield csv_line(NAMES)
    for record in found:
        yield csv_line([record[name] for name in NAMES])


def unpacked(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with its JSON columns decoded."""
    return {name: json.loads(value) if name in _NESTED else value for name, value in record.items()}


def csv_line(values: Iterable[Any]) -> str:
    """Return a line of a CSV file; None is empty, and a ``'`` precedes text that a spreadsheet would run."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(map(_safe, values))
    return buffer.getvalue()


def _safe(value: Any) -> Any:
    """Return a value that a spreadsheet does not run as a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
