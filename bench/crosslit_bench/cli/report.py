"""``crosslit bench report``, ``diff``, ``export``, ``check`` and ``reproduce``: the commands that read results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crosslit.base.errors import InputError
from crosslit.base.numbers import exact, format_count, format_number
from crosslit.base.records import csv_text, to_json
from crosslit.base.table import Table
from crosslit.cli import output
from crosslit.cli.exit_status import FINDING, exit_status
from crosslit.cli.options import Number, json_option, output_option, to_option
from crosslit_bench.cli.run import check_output, measure_option, open_store, store_argument, subcommand, write_first

if TYPE_CHECKING:
    from crosslit_bench.analysis.difference import Difference, TimeChange
    from crosslit_bench.results.frame import Results


def _columns(_context: click.Context, _option: click.Parameter, text: str | None) -> tuple[str, ...]:
    """Return the names of columns, separated by commas, if the ranking has all of them."""
    from crosslit_bench.analysis.scores import HEADINGS

    names = tuple(text.split(",")) if text else ()
    if unknown := [name for name in names if name not in HEADINGS]:
        raise click.BadParameter(f"there is no {unknown[0]!r}; the columns are {', '.join(HEADINGS)}.")
    return names


@subcommand(
    "report",
    "Write the report of a campaign.",
    "crosslit bench report campaign.sqlite -o report.html --figures figures",
)
@store_argument
@output_option(help="Write the report to FILE, one self-contained page of HTML.")
@click.option("--figures", metavar="DIR", help="Write the figures there, as SVG and PDF.")
@click.option("--tables", "csv", metavar="DIR", help="Write the tables of the analysis there, as CSV.")
@click.option("--latex", metavar="FILE.tex", help="Write tables for LaTeX, of six columns each.")
@click.option(
    "--columns",
    callback=_columns,
    metavar="NAME,...",
    help="Columns of the ranking; an unknown name lists all.  [default: six in LaTeX; in the page, those that differ]",
)
@measure_option
@json_option
def report(
    store: str | Path,
    *,
    path: str | None = None,
    figures: str | None = None,
    csv: str | None = None,
    latex: str | None = None,
    columns: tuple[str, ...] = (),
    measure: Any = None,
    as_json: bool = False,
) -> int:
    """Analyse the results in STORE: solved puzzles, times and wrong answers, as a page, figures or tables.

    With --json, the analysis is printed too: ranking, virtual best solver, pairs, fits and all puzzles.
    """
    from crosslit_bench.analysis.tables import latex_text, tables
    from crosslit_bench.results.frame import WRONG, disturbed_words, usual_measure
    from crosslit_bench.store.schema import store_path

    if not as_json and path is figures is csv is latex is None:
        raise click.UsageError("Missing option '-o' / '--output', '--figures', '--tables', '--latex' or '--json'.")
    source = store_path(store)
    for file in filter(None, (path, latex)):
        check_output(file)
    output.check_page(path or "")
    progress = output.Progress(1)
    progress.started(f"reading {source}")
    results = _results(source)
    measure = measure or usual_measure(results.about.limits)
    progress.started("comparing the times")
    table = results.table(measure)
    found = tables(table, columns) if as_json or csv is not None or latex is not None else {}
    counts = {"runs": results.made, "planned": results.planned, "disturbed": results.disturbed}
    page = b""
    if path is not None:
        progress.started("the page")
        from crosslit_bench.report import html

        page = html(results, measure, columns).encode()
    drawn, written = {}, {}
    if figures is not None:
        progress.started("the figures")
        from crosslit_bench.analysis.growth import fits
        from crosslit_bench.figures import figure_files

        drawn = _in_folder(figures, figure_files(table, fits(table), progress.started))
    if csv is not None:
        sheets = {**found, "campaign": [counts]}
        written = _in_folder(csv, {f"{name}.csv": csv_text(rows).encode() for name, rows in sheets.items() if rows})
    words = disturbed_words(results.disturbed, results.made)
    paper = b"" if latex is None else latex_text(table, found, columns, words).encode()
    # Written after everything was computed, so that an error leaves no page without its figures.
    output.write_files({**drawn, **written})
    for name, content in ((path, page), (latex, paper)):
        if name is not None:  # not as above, because these may be pipes
            output.write_file(name, [content])
    csv_and_latex = [*written, *filter(None, [latex])]
    if as_json:
        output.write_json(
            {
                "store": str(source),
                "measure": measure,
                "file": path,
                "bytes": len(page),
                "figures": list(drawn),
                "tables": csv_and_latex,
                **counts,
                "disqualified": sum(bool(contestant.disqualified) for contestant in results.contestants),
                "analysis": {
                    name: [{key: exact(value) for key, value in row.items()} for row in rows]
                    for name, rows in found.items()
                },
            }
        )
    else:
        parts = [path or "", f"{len(drawn)} figures in {figures}" if drawn else ""]
        parts += [f"{format_count(len(written), 'file')} of tables in {csv}" if written else "", latex or ""]
        output.write(output.one_line(", and ".join(filter(None, parts))))
    return FINDING if any(finding.problem in WRONG for _, finding in results.findings) else 0


def _results(path: Path) -> Results:
    from crosslit_bench.results.frame import load
    from crosslit_bench.store.store import Store

    with Store(path) as store:
        return load(store).by_machine()


def _in_folder(folder: str, files: dict[str, bytes]) -> dict[str, bytes]:
    """Return files with their paths in a folder, which is created if it does not exist."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:  # a ValueError is a NUL in the name
        raise InputError(folder, getattr(error, "strerror", None) or str(error)) from None
    return {str(Path(folder, name)): content for name, content in files.items()}


@subcommand("diff", "Compare two files of results.", "crosslit bench diff old.sqlite new.sqlite")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@measure_option
@click.option(
    "--slower",
    type=Number(0, what="a number of percent", fraction=True),
    default=10,
    show_default=True,
    metavar="PERCENT",
    help="Tolerated slowdown of a backend, in percent.",
)
@json_option
def diff(old: str, new: str, measure: Any, slower: float, as_json: bool) -> int:
    """Compare the results in NEW with those in OLD: verdicts and wrong answers first, then times and set-ups.

    Puzzles are matched by content, backends by name. A backend counts as slower if the signed-rank test on the puzzles
    in both files gives p < 0.01, adjusted for the number of backends, and either the slowdown exceeds the tolerance or
    fewer puzzles are solved. Times that differ by less than 1 ms or 5% tie. The test cannot give such a p with fewer
    than eight puzzles, or more with several backends: then the trend is `too few puzzles`.

    Exit status: 0 nothing is worse, 1 a contradicted verdict, a new wrong answer or a slower backend, 2 bad usage or
    input, 3 nothing is worse, but some backend has too few puzzles to tell.
    """
    from crosslit_bench.analysis.difference import difference
    from crosslit_bench.results.frame import disturbed_words, usual_measure
    from crosslit_bench.store.schema import store_path

    paths = store_path(old), store_path(new)
    before, after = map(_results, paths)
    # The measure of the new campaign, because it is the one in question.
    measure = measure or usual_measure(after.about.limits)
    try:
        found = difference(before, after, measure, slower / 100)
    except ValueError as error:
        raise InputError(str(paths[1]), f"cannot be compared: {error}") from None
    if as_json:
        names = {"old": str(paths[0]), "new": str(paths[1])}
        disturbed = {"disturbed_old": before.disturbed, "disturbed_new": after.disturbed}
        output.write_json({**names, "measure": measure, **disturbed, **found.json()})
    else:
        for name, results in zip(paths, (before, after), strict=True):
            if words := disturbed_words(results.disturbed, results.made):
                output.write(f"{output.one_line(str(name))}: {words}")
        _write_difference(found, paths)
    return exit_status(wrong=found.is_worse, undecided=found.is_undecided)


def _write_difference(found: Difference, paths: Sequence[Path]) -> None:
    contradicted = sum(change.contradicts for change in found.verdicts)
    weaker = len(found.verdicts) - contradicted
    output.write(
        f"{format_count(found.puzzles, 'puzzle')} in both: {format_count(contradicted, 'verdict')} contradicted,"
        f" {weaker} changed without a contradiction, {format_count(len(found.wrong), 'new wrong answer')}"
    )
    words = [f"{output.one_line(change.puzzle)}: {change.old}, now {change.new}" for change in found.verdicts]
    labels = ("contradicted" if change.contradicts else "changed" for change in found.verdicts)
    write_first(list(map(": ".join, zip(labels, words, strict=True))), "... and ")
    words = [
        f"wrong: {answer.contestant}: {answer.finding.problem} on"
        f" {output.one_line(f'{answer.puzzle}: {answer.finding.detail}')}"
        for answer in found.wrong
    ]
    write_first(words, "... and ")
    if found.times:
        _write_times(found.times)
    else:
        output.write("times not compared: no backend with runs on one kind of machine is in both files")
    for path, names in zip(paths, (found.only_old, found.only_new), strict=True):
        if names:
            output.write(f"only in {output.one_line(str(path))}: {output.one_line(', '.join(names))}")
    for setup in found.setups:
        output.write(f"set-up: {setup.condition}: {output.one_line(setup.old)}, now {output.one_line(setup.new)}")


def _write_times(times: tuple[TimeChange, ...]) -> None:
    from crosslit_bench.analysis.difference import TOO_FEW, min_puzzles

    numbers = ["puzzles", "solved", "now", "slower on", "faster on", "new/old", "95%", "p"]
    table = Table("backend", *numbers, "trend", right=numbers, names=["backend"])
    for change in times:
        pair = change.pair
        interval = "" if pair.interval is None else " to ".join(map(format_number, pair.interval))
        counts = (pair.puzzles, change.solved_old, change.solved_new, pair.wins_b, pair.wins_a)
        ratio, p = format_number(pair.ratio), format_number(pair.p_adjusted, 2)
        alarm = change.trend == "slower"
        table.add_row(change.contestant, *map(str, counts), ratio, interval, p, change.trend, alarm=alarm)
    output.write_table(table)
    if short := [change.timed for change in times if change.trend == TOO_FEW]:
        need = f"for {format_count(len(times), 'backend')}, each needs {min_puzzles(len(times))}"
        output.write(f"{TOO_FEW}: {need} that it solves in either file; here at most {max(short)}")


@subcommand("export", "Write results as CSV or JSON lines.", "crosslit bench export campaign.sqlite -o runs.csv")
@store_argument
@output_option()
@to_option(
    type=click.Choice(["csv", "jsonl"]),
    help="Format of the output, csv or jsonl.  [default: by FILE's extension, else csv]",
)
def export(store: str | Path, path: str | None, write_as: str | None) -> int:
    """Write one line for each run in STORE, with its data, its puzzle and whether its answer is right.

    Times are in seconds, memory in MB of 2^20 bytes. In CSV, a ' precedes text that a spreadsheet would take for a
    formula.
    """
    from crosslit_bench.results.frame import load, written

    if write_as is None:
        write_as = "jsonl" if path is not None and Path(path).suffix.lower() in (".jsonl", ".ndjson") else "csv"
    with open_store(store) as opened:
        records = load(opened).records()
    _write_lines(path, written(records, write_as))
    return 0


@subcommand(
    "reproduce",
    "Print the shell commands that repeat a campaign.",
    "crosslit bench reproduce campaign.sqlite -o reproduce.sh",
)
@store_argument
@output_option()
def reproduce(store: str | Path, path: str | None) -> int:
    """Print shell commands that repeat the campaign in STORE when they are pasted into a shell in an empty folder.

    They install the same commit of Crosslit and the same versions of the engines, write the campaign with its puzzles
    and their verdicts in STORE, make all runs, and check these verdicts.
    """
    from crosslit_bench.report.methods import reproduction
    from crosslit_bench.results.frame import load

    with open_store(store) as opened, opened.understood():
        block = reproduction(load(opened))
    _write_lines(path, [block])
    return 0


def _write_lines(path: str | None, lines: Iterable[str]) -> None:
    if path is None:
        for line in lines:
            output.write_text(line)
        return
    check_output(path)
    output.write_file(path, (line.encode() for line in lines), announce=True)


@subcommand("check", "Judge all stored solutions again.", "crosslit bench check campaign.sqlite")
@store_argument
@json_option
def check(store: str | Path, as_json: bool) -> int:
    """Judge every solution in STORE by the rules of its puzzle, and every claim by the runs of others.

    Solutions of runs that are no longer in the plan are judged too.

    Exit status: 0 all is right, 1 a wrong or damaged solution or a wrong claim, 2 bad usage or input.
    """
    from crosslit_bench.results.audit import audit_solutions
    from crosslit_bench.results.frame import WRONG, load
    from crosslit_bench.store.schema import store_path

    with open_store(store) as opened:
        audit = audit_solutions(opened)
        # a damaged file cannot be loaded
        found = [] if audit.wrong else load(opened).findings
    claims = [(judged.name, finding) for judged, finding in found if finding.problem in WRONG]
    wrong = len(audit.wrong) + len(claims)
    if as_json:
        named = [{"puzzle": {"name": name}, **finding.json()} for name, finding in claims]
        counts = {"runs": audit.runs, "solutions": audit.solutions, "unjudged": audit.unjudged}
        solutions = [to_json(wrong) | {"puzzle": {"name": wrong.puzzle}} for wrong in audit.wrong]
        head = {"store": str(store_path(store)), **counts}
        output.write_json({**head, "wrong_solutions": solutions, "wrong_claims": named, "wrong": bool(wrong)})
        return FINDING if wrong else 0
    for solution in audit.wrong:
        where = f"{solution.contestant} on {solution.puzzle}, repetition {solution.repetition}"
        output.write(f"wrong: {output.one_line(where)}: {output.one_line(solution.problem)}")
    for name, finding in claims:
        output.write(
            f"wrong: {finding.backend} on {output.one_line(name)}: {finding.problem}: {output.one_line(finding.detail)}"
        )
    parts = [f"{format_count(audit.solutions, 'solution')} of {format_count(audit.runs, 'run')} judged by the rules"]
    parts += [f"{format_count(audit.unjudged, 'run')} of an earlier plan without its puzzles"] if audit.unjudged else []
    output.write("; ".join([*parts, f"{wrong} wrong"]))
    return FINDING if wrong else 0
