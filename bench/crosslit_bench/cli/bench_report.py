"""``crosslit bench report`` and ``crosslit bench diff``: the report of a campaign, and the comparison of two."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosslit.cli.exit_status import FINDING
from crosslit.cli.output import Table, one_line, write, write_file, write_json
from crosslit.errors import InputError
from crosslit.numbers import format_count, format_number
from crosslit_bench.cli.benching import check_output
from crosslit_bench.results.anonymity import AnonymousStore
from crosslit_bench.store.store import Store

if TYPE_CHECKING:
    from crosslit_bench.analysis.difference import Difference, TimeChange


@dataclass(frozen=True, kw_only=True)
class ReportFiles:
    """The output files of a report; None for those that are not requested.

    Args:
        page: HTML file for the page.
        figures: folder for the figures.
        csv: folder for the tables, one file each.
        latex: file for all tables except the one of the puzzles.
    """

    page: str | None
    figures: str | None
    csv: str | None
    latex: str | None


_MAX_SHOWN = 10  # printed verdicts and wrong answers; --json prints all


def report(path: Path, goals: ReportFiles, measure: Any, as_json: bool, anonymous: bool = False) -> int:
    """Write the requested page, figures and tables of a campaign; return the exit status.

    Args:
        path: path of the store.
        goals: the output files.
        measure: time to compare, one of `crosslit_bench.results.table.MEASURES`; None for the default.
        as_json: print the files and the analysis as JSON.
        anonymous: omit paths and the names of hosts and users.
    """
    from crosslit_bench.results.judged import WRONG, load
    from crosslit_bench.results.table import usual_measure

    for goal in filter(None, (goals.page, goals.latex)):
        check_output(goal)
    with (AnonymousStore if anonymous else Store)(path) as store:
        results = load(store)
    measure = measure or usual_measure(results.about.limits)
    found = {}
    if as_json or goals.csv is not None or goals.latex is not None:
        from crosslit_bench.analysis.tables import tables

        found = tables(results.table(measure))
    page = b""
    if goals.page is not None:
        from crosslit_bench.report import html

        page = html(results, measure).encode()
    drawn: list[str] = []
    if goals.figures is not None:
        from crosslit_bench.analysis.growth import fits
        from crosslit_bench.figures import save

        table = results.table(measure)
        drawn = [str(file) for file in save(table, fits(table), Path(goals.figures))]
    if goals.page is not None:
        # Written after everything was computed, so that an error in a figure leaves no page without its figures.
        write_file(goals.page, [page])
    files = _write_tables(goals, found)
    if as_json:
        from crosslit_bench.analysis.tables import json_tables

        write_json(
            {
                "task": "bench-report",
                "store": path.name if anonymous else str(path),
                "measure": measure,
                "file": goals.page,
                "bytes": len(page),
                "figures": drawn,
                "tables": files,
                "runs": len(results.rows),
                "planned": results.planned,
                "disqualified": sum(bool(one.disqualified) for one in results.contestants),
                "analysis": json_tables(found),
            }
        )
    else:
        parts = [goals.page or "", f"{len(drawn)} figures in {goals.figures}" if drawn else ""]
        parts += [f"{len(files)} files of tables"] if files else []
        write(one_line(", and ".join(filter(None, parts))))
    return FINDING if any(finding.problem in WRONG for _, finding in results.findings) else 0


def _write_tables(goals: ReportFiles, found: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Write the requested tables; return the names of the files."""
    from crosslit_bench.analysis.tables import csv_text, latex_text

    texts = {}
    if goals.csv is not None:
        try:
            Path(goals.csv).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(goals.csv, error.strerror or "cannot be made") from None
        texts = {str(Path(goals.csv, f"{name}.csv")): csv_text(records) for name, records in found.items() if records}
    if goals.latex is not None:
        texts[goals.latex] = latex_text(found)
    for goal, text in texts.items():
        write_file(goal, [text.encode()])
    return list(texts)


def diff(old: Path, new: Path, measure: Any, tolerance: float, as_json: bool) -> int:
    """Print the differences between two files of results; return the exit status.

    Args:
        old: path of the baseline.
        new: path of the store to compare with it.
        measure: time to compare, one of `crosslit_bench.results.table.MEASURES`; None for the default.
        tolerance: relative slowdown that is tolerated.
        as_json: print the differences as JSON.
    """
    from crosslit_bench.analysis.difference import difference
    from crosslit_bench.results.judged import load
    from crosslit_bench.results.table import usual_measure

    with Store(old) as first, Store(new) as second:
        results = load(first), load(second)
    # The measure of the new campaign, because it is the one in question.
    measure = measure or usual_measure(results[1].about.limits)
    try:
        found = difference(*results, measure, tolerance)
    except ValueError as error:
        raise InputError(str(new), f"cannot be compared: {error}") from None
    if as_json:
        write_json({"task": "bench-diff", "old": str(old), "new": str(new), "measure": measure, **found.json()})
    else:
        _write_difference(found)
    return FINDING if found.is_worse else 0


def _write_difference(found: Difference) -> None:
    contradicted = sum(change.contradicts for change in found.verdicts)
    weaker = len(found.verdicts) - contradicted
    write(
        f"{format_count(found.puzzles, 'puzzle')} in both: {format_count(contradicted, 'verdict')} contradicted,"
        f" {weaker} changed without a contradiction, {format_count(len(found.wrong), 'new wrong answer')}"
    )
    for change in found.verdicts[:_MAX_SHOWN]:
        word = "contradicted" if change.contradicts else "changed"
        write(f"{word}: {one_line(change.puzzle)}: {change.old}, now {change.new}")
    _write_rest(len(found.verdicts))
    for one in found.wrong[:_MAX_SHOWN]:
        detail = one_line(f"{one.puzzle}: {one.finding.detail}")
        write(f"wrong: {one.contestant}: {one.finding.problem} on {detail}")
    _write_rest(len(found.wrong))
    if found.times:
        _write_times(found.times)
    else:
        write("times not compared: no backend with runs on one kind of machine is in both files")
    for setup in found.setups:
        write(f"set-up: {setup.condition}: {one_line(setup.old)}, now {one_line(setup.new)}")


def _write_rest(count: int) -> None:
    if count > _MAX_SHOWN:
        write(f"... and {count - _MAX_SHOWN} more")


def _write_times(times: tuple[TimeChange, ...]) -> None:
    numbers = ["puzzles", "solved", "now", "slower on", "faster on", "new/old", "95%", "p"]
    table = Table("backend", *numbers, "trend", right=numbers, names=["backend"])
    for change in times:
        pair = change.pair
        interval = "" if pair.interval is None else " to ".join(map(format_number, pair.interval))
        counts = (pair.puzzles, change.solved_old, change.solved_new, pair.wins_b, pair.wins_a)
        ratio, p = format_number(pair.ratio), format_number(pair.p_adjusted, 2)
        style = "red" if change.trend == "slower" else ""
        table.add_row(change.contestant, *map(str, counts), ratio, interval, p, change.trend, style=style)
    table.write()
