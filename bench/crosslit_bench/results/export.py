"""The export of results as CSV or JSON lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

from crosslit.records import csv_line
from crosslit_bench.results.judged import PuzzleResult, Results, judgement, load
from crosslit_bench.store.rows import COLUMNS
from crosslit_bench.store.store import Store

Format = Literal["csv", "jsonl"]

_OF_PUZZLE: dict[str, Callable[[PuzzleResult], Any]] = {
    "puzzle_name": lambda result: result.instance.puzzle.name,
    "family": lambda result: result.instance.family,
    "size": lambda result: result.instance.size,
    "kind": lambda result: result.instance.puzzle.kind,
    "rows": lambda result: result.instance.puzzle.rows,
    "columns": lambda result: result.instance.puzzle.columns,
    "nullity": lambda result: result.comparison.nullity,
    "difficulty": lambda result: result.difficulty,
    "density": lambda result: result.instance.puzzle.density,
    "verdict": lambda result: result.comparison.verdict.status,
    "evidence": lambda result: result.comparison.verdict.evidence,
    "expected": lambda result: result.instance.facts.get("expected"),
}
ADDED = (*_OF_PUZZLE, "judgement", "problems")
"""The columns after those of a run: its puzzle, the verdict of all runs on it, whether this run is ``right``, ``wrong``
or ``undecided`` (it makes no claim that could be judged), and its problems."""
NAMES = (*COLUMNS, *ADDED)

_NESTED = ("stats", "trusts")
_KEY = list(COLUMNS).index("key")


def records(store: Store, results: Results | None = None) -> Iterator[dict[str, Any]]:
    """Yield a record for each finished run of the plan, in the order of the plan; its keys are `NAMES`."""
    stored = store.stored()  # read once, for the judges and for the records
    added: dict[str, dict[str, Any]] = {}
    for result in (results or load(store, (store.instances(), store.rows(store.checked(stored))))).judged:
        shared = {name: value(result) for name, value in _OF_PUZZLE.items()}
        for row in result.rows:
            found = (item.problem for item in result.comparison.findings if item.backend == row.run.backend)
            problems = " ".join(dict.fromkeys(found))
            added[row.key] = {**shared, "judgement": judgement(row.run, result.comparison), "problems": problems}
    for values in stored:
        if values[_KEY] in added:  # others were stored after `load`
            yield {**dict(zip(COLUMNS, values, strict=False)), **added[values[_KEY]]}


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
