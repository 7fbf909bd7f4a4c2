"""``crosslit bench report``, ``diff``, ``export``, ``check`` and ``reproduce``: the commands that read results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosslit.cli.exit_status import FINDING
from crosslit.cli.output import one_line, write, write_file, write_files, write_json, write_table, write_text
from crosslit.drawing.table import Table
from crosslit.errors import InputError
from crosslit.numbers import format_count, format_number
from crosslit.records import to_json
from crosslit_bench.cli.bench_run import check_output
from crosslit_bench.store.store import Store

if TYPE_CHECKING:
    from crosslit_bench.analysis.difference import Difference, TimeChange


@dataclass(frozen=True, kw_only=True)
class ReportFiles:
    """The files of a page and of the tables for LaTeX, and folders for figures and tables; None if not requested."""

    page: str | None
    figures: str | None
    csv: str | None
    latex: str | None


_MAX_SHOWN = 10  # printed verdicts and wrong answers; --json prints all


def report(path: Path, files: ReportFiles, measure: Any, as_json: bool) -> int:
    """Write the requested page, figures and tables of a campaign; return the exit status."""
    from crosslit_bench.analysis.tables import csv_text, json_tables, latex_text, tables
    from crosslit_bench.results.judged import WRONG, load
    from crosslit_bench.results.table import usual_measure

    for output in filter(None, (files.page, files.latex)):
        check_output(output)
    with Store(path) as store:
        results = load(store).by_machine()
    measure = measure or usual_measure(results.about.limits)
    found = {}
    if as_json or files.csv is not None or files.latex is not None:
        found = tables(results.table(measure))
    page = b""
    if files.page is not None:
        from crosslit_bench.report import html

        page = html(results, measure).encode()
    drawn: dict[str, bytes] = {}
    if files.figures is not None:
        from crosslit_bench.analysis.growth import fits
        from crosslit_bench.figures import figure_files

        table = results.table(measure)
        drawn = _in_folder(files.figures, figure_files(table, fits(table)))
    written: dict[str, bytes] = {}
    if files.csv is not None:
        csv_files = {f"{name}.csv": csv_text(records).encode() for name, records in found.items() if records}
        written = _in_folder(files.csv, csv_files)
    latex = b"" if files.latex is None else latex_text(found).encode()
    # Written after everything was computed, so that an error leaves no page without its figures.
    write_files({**drawn, **written})
    for name, content in ((files.page, page), (files.latex, latex)):
        if name is not None:  # not as above, because these may be pipes
            write_file(name, [content])
    csv_and_latex = [*written, *filter(None, [files.latex])]
    if as_json:
        write_json(
            {
                "task": "bench-report",
                "store": str(path),
                "measure": measure,
                "file": files.page,
                "bytes": len(page),
                "figures": list(drawn),
                "tables": csv_and_latex,
                "runs": len(results.rows),
                "planned": results.planned,
                "disqualified": sum(bool(contestant.disqualified) for contestant in results.contestants),
                "analysis": json_tables(found),
            }
        )
    else:
        parts = [files.page or "", f"{len(drawn)} figures in {files.figures}" if drawn else ""]
        parts += [f"{len(csv_and_latex)} files of tables"] if csv_and_latex else []
        write(one_line(", and ".join(filter(None, parts))))
    return FINDING if any(finding.problem in WRONG for _, finding in results.findings) else 0


def _in_folder(folder: str, files: dict[str, bytes]) -> dict[str, bytes]:
    """Return files with their paths in a folder, which is created if it does not exist."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:  # a ValueError is a NUL in the name
        raise InputError(folder, getattr(error, "strerror", None) or str(error)) from None
    return {str(Path(folder, name)): content for name, content in files.items()}


def diff(old: Path, new: Path, measure: Any, tolerance: float, as_json: bool) -> int:
    """Print the differences between two files of results; return the exit status."""
    from crosslit_bench.analysis.difference import difference
    from crosslit_bench.results.judged import load
    from crosslit_bench.results.table import usual_measure

    with Store(old) as first, Store(new) as second:
        results = load(first).by_machine(), load(second).by_machine()
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
    for answer in found.wrong[:_MAX_SHOWN]:
        detail = one_line(f"{answer.puzzle}: {answer.finding.detail}")
        write(f"wrong: {answer.contestant}: {answer.finding.problem} on {detail}")
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
        alarm = change.trend == "slower"
        table.add_row(change.contestant, *map(str, counts), ratio, interval, p, change.trend, alarm=alarm)
    write_table(table)


def export(path: Path, output: str | None, form: str | None, as_anonymous: bool) -> int:
    """Export all results, in the format that the name of the file suggests; return the exit status."""
    from crosslit_bench.results.anonymity import anonymous
    from crosslit_bench.results.export import records, written

    if form is None:
        form = "jsonl" if output is not None and Path(output).suffix.lower() in (".jsonl", ".ndjson") else "csv"
    with Store(path) as store:
        found = anonymous(records(store), store.about.folder) if as_anonymous else records(store)
        _write_lines(output, written(found, "jsonl" if form == "jsonl" else "csv"))
    return 0


def reproduce(path: Path, output: str | None) -> int:
    """Print the commands that repeat a campaign, or write them to a file; return the exit status."""
    from crosslit_bench.results.judged import load
    from crosslit_bench.results.reproduction import reproduction

    with Store(path) as store, store.understood():
        block = reproduction(load(store))
    _write_lines(output, [block])
    return 0


def _write_lines(output: str | None, lines: Iterable[str]) -> None:
    if output is None:
        for line in lines:
            write_text(line)
        return
    check_output(output)
    write_file(output, (line.encode() for line in lines))


def check(path: Path, as_json: bool) -> int:
    """Judge the solutions and the claims in a file of results; return the exit status."""
    from crosslit_bench.results.audit import audit_solutions
    from crosslit_bench.results.judged import WRONG, load

    with Store(path) as store:
        audit = audit_solutions(store)
        # a damaged file cannot be loaded
        found = [] if audit.wrong else load(store).findings
    claims = [(judged.name, finding) for judged, finding in found if finding.problem in WRONG]
    wrong = len(audit.wrong) + len(claims)
    if as_json:
        named = [{"puzzle": name, **finding.json()} for name, finding in claims]
        counts = {"runs": audit.runs, "solutions": audit.solutions, "unjudged": audit.unjudged}
        solutions = to_json(audit.wrong)
        head = {"task": "bench-check", "store": str(path), **counts}
        write_json({**head, "wrong_solutions": solutions, "wrong_claims": named, "wrong": bool(wrong)})
        return FINDING if wrong else 0
    for solution in audit.wrong:
        where = f"{solution.contestant} on {solution.puzzle}, repetition {solution.repetition}"
        write(f"wrong: {one_line(where)}: {one_line(solution.problem)}")
    for name, finding in claims:
        write(f"wrong: {finding.backend} on {one_line(name)}: {finding.problem}: {one_line(finding.detail)}")
    parts = [f"{format_count(audit.solutions, 'solution')} of {format_count(audit.runs, 'run')} judged by the rules"]
    parts += [f"{format_count(audit.unjudged, 'run')} of an earlier plan without its puzzles"] if audit.unjudged else []
    write("; ".join([*parts, f"{wrong} wrong"]))
    return FINDING if wrong else 0
