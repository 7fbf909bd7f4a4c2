"""``crosslit bench``: campaigns and their results."""

from __future__ import annotations

import dataclasses
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crosslit.base.errors import InputError, Unavailable, install_hint
from crosslit.base.records import csv_text
from crosslit.base.text import Table, exact, format_count, format_number
from crosslit.cli import output
from crosslit.cli.group import ExampleCommand, ExampleGroup
from crosslit.cli.options import jobs_option, json_option, output_option, timeout_option, to_option
from crosslit.cli.output import FINDING, INTERRUPTED, exit_status, one_line, write

if TYPE_CHECKING:
    from crosslit_bench.results import Results
    from crosslit_bench.run import CampaignRun

_MAX_SHOWN = 10  # wrong answers, errors and changes; reports and JSON have all

store_argument = click.argument("store", metavar="STORE")
measure_option = click.option(
    "--measure",
    type=click.Choice(["total", "cpu", "wall", "solve"]),
    help="The time to compare: all phases of a run, CPU time, wall time of its process, or only the search."
    "  [default: total; cpu for diff, and if the campaign limits CPU time]",
)


@click.group(
    cls=ExampleGroup,
    examples=["crosslit bench run examples/campaign.toml", "crosslit bench report campaign.sqlite -o report.html"],
)
def command() -> None:
    """Run campaigns: many backends on many puzzles under equal conditions, stored in one file and analysed in a report.

    A TOML file describes a campaign. Each result is stored in an SQLite file as soon as its run ends, so a campaign
    that was interrupted or killed continues where it stopped.

    Exit status: 0 all planned runs made and no answer wrong (a timeout is a result), 1 a wrong answer, or a run that
    failed or was lost, 2 bad usage or input, 130 interrupted.
    """


def subcommand(name: str, short_help: str, *examples: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Return a decorator that adds a command to the group; the function returns the exit status."""

    def add(function: Callable[..., int]) -> Callable[..., int]:
        command.command(name, cls=ExampleCommand, examples=examples, short_help=short_help)(function)
        return function

    return add


def _shard(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, int] | None:
    if value is None:
        return None
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", value, re.ASCII)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise click.BadParameter(f"expected I/N such as 2/8, from 1/N to N/N, found {value[:30]!r}.", ctx, param)
    return int(found[1]), int(found[2])


@subcommand(
    "run",
    "Make the runs of a campaign.",
    "crosslit bench run examples/campaign.toml",
    "crosslit bench run examples/campaign.toml --shard 1/2",
)
@click.argument("file", metavar="FILE.toml")
@output_option(help="Write the results to FILE.  [default: FILE.sqlite, in the working directory]")
@timeout_option(show_default="that of its file", help="Limit on the wall time of each run, from encoding to decoding.")
@jobs_option
@click.option("--dask", metavar="ADDRESS", help="Make the runs on the workers of a Dask cluster, tcp://HOST:PORT.")
@click.option(
    "--shard",
    callback=_shard,
    metavar="I/N",
    help="Make only the I-th of N parts, for example in a cluster job; `bench merge` joins their results.",
)
@json_option
def run(
    file: str,
    *,
    path: str | None,
    timeout: float | None,
    jobs: int,
    dask: str | None,
    shard: tuple[int, int] | None,
    as_json: bool,
) -> int:
    """Run the campaign in FILE.toml: make every run that its file of results does not contain yet.

    Each run is an isolated process under limits. Before anything is measured, each backend and encoding makes one run
    on a tiny puzzle, which is not stored. If the command is started again, it makes only the runs that are still
    missing, those added to FILE.toml, and those whose backend, plugin or solver has changed.
    """
    from crosslit.registry import kernel_note
    from crosslit_bench.results import load
    from crosslit_bench.run import local_runs, run_campaign
    from crosslit_bench.spec import CampaignSpec

    spec = CampaignSpec.read(Path(file))
    if timeout is not None:
        spec = dataclasses.replace(spec, limits=dataclasses.replace(spec.limits, timeout=timeout))
    part = f".{shard[0]}-of-{shard[1]}" if shard else ""
    target = Path(path or f"{spec.name}{part}.sqlite")
    make = partial(local_runs, jobs=jobs)
    if dask is not None:
        from crosslit_bench.cluster import remote_runs

        make = partial(remote_runs, address=dask)
    with output.Progress() as progress:

        def say(text: str) -> None:
            if progress.is_due:
                progress.says(text)

        made = run_campaign(spec, target, make, shard=shard, say=say)
        progress.says("comparing the answers")
        results = load(target)
    versions = {entrant.label: entrant.contestant.version for entrant in results.entrants}
    used = {label.partition("/")[0]: version for label, version in versions.items() if ":" not in label}
    if made.new and (note := kernel_note(used)):
        output.complain(note)
    if as_json:
        record = {"new": made.new, "lost": made.lost, "interrupted": made.interrupted}
        output.write_json({**results.json(), **record})
    else:
        _write_status(results)
        # all words: with another file of results, or without a limit, the runs would be made again
        write(_outcome(results, made, shlex.join(["crosslit", *map(one_line, sys.argv[1:])])))
    if made.interrupted:
        return INTERRUPTED
    return FINDING if made.lost else _status(results)


def _status(results: Results) -> int:
    return FINDING if results.wrong or results.errors else 0


def _outcome(results: Results, made: CampaignRun, again: str) -> str:
    """Return the summary of the runs, with the next command."""
    path, parts = shlex.quote(one_line(str(results.path))), [f"{made.new} new"]
    if made.lost:
        parts.append(f"{format_count(made.lost, 'run')} lost, which the same command makes again")
    parts.append(format_count(len(results.wrong), "wrong answer"))
    if made.interrupted:
        of = format_count(results.planned, "run")
        return f"interrupted: {results.made} of {of} made, {'; '.join(parts)}; `{again}` continues"
    if results.outside:
        parts.append(f"{format_count(results.outside, 'run')} of other software or an earlier plan, which do not count")
    report = shlex.quote(one_line(f"{results.path.stem}.html"))
    hint = f"`crosslit bench report {path} -o {report}` makes the report"
    return f"{format_count(results.made, 'run')}, {'; '.join(parts)}; results in {path}; {hint}"


@subcommand("status", "Show the progress of a campaign.", "crosslit bench status campaign.sqlite")
@store_argument
@json_option
def status(store: str, as_json: bool) -> int:
    """Print the number of runs made in STORE, how they ended, and the wrong answers."""
    results = _load(store)
    if as_json:
        output.write_json(results.json())
    else:
        _write_status(results)
        write(results.line())
    return _status(results)


@subcommand(
    "merge",
    "Put the results of several files into one.",
    "crosslit bench merge all.sqlite campaign.1-of-2.sqlite campaign.2-of-2.sqlite",
)
@click.argument("target", metavar="TARGET")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@json_option
def merge(target: str, sources: Sequence[str], as_json: bool) -> int:
    """Put the results of every SOURCE into TARGET, which is created if it does not exist: all of them, or none.

    They must belong to one campaign, as shards or earlier merges. Of duplicate runs, the first one counts.
    """
    from crosslit_bench.store import merge as merge_stores

    counts = merge_stores(Path(target), [Path(source) for source in sources])
    results = _load(target)
    if as_json:
        merged = [{"store": str(path), "new": new, "known": known} for path, new, known in counts]
        output.write_json({**results.json(), "merged": merged})
    else:
        for path, new, known in counts:
            words = f", {known} already there" if known else ""
            write(f"{one_line(str(path))}: {format_count(new, 'new run')}{words}")
        _warn_of_times(results)
        write(f"{one_line(target)}: {results.line()}")
    return _status(results)


def _load(store: str) -> Results:
    """Return the results in a store, whose code the help of the commands does not load."""
    from crosslit_bench.results import load
    from crosslit_bench.store import store_path

    return load(store_path(store))


def _write_status(results: Results) -> None:
    """Print the findings, the table of contestants, and warnings."""
    for label, found in (("wrong", results.wrong), ("error", results.errors)):
        lines = [
            f"{label}: {finding.culprit}: {finding.problem} on {result.name}: {finding.detail}"
            for result, finding in found
        ]
        _write_first(lines, f"{label}: ")
    _warn_of_times(results)
    output.write_table(results.table())
    for row in results.rows:
        # a program with `claims = "one"` solves nothing in these tasks, which the table alone does not explain
        if not row["solved"] and "one found" in row["statuses"]:
            needs = "unique needs two" if results.spec.task == "unique" else "all needs all"
            write(f"{row['backend']} gives one solution; the task {needs}, the task first one")


def _write_first(lines: Iterable[str], heading: str = "... and ") -> None:
    """Print the first lines, and after a heading the number of the others."""
    lines = list(lines)
    for line in lines[:_MAX_SHOWN]:
        write(one_line(line))
    if len(lines) > _MAX_SHOWN:
        write(f"{heading}{len(lines) - _MAX_SHOWN} more")


def _warn_of_times(results: Results) -> None:
    """Print warnings if different kinds of machines made the runs, or other load disturbed them."""
    if results.machines:
        machines = "; ".join(results.machines)
        write(f"warning: different kinds of machines made the runs, so their times are separated: {machines}")
    if results.disturbed:
        write(f"warning: {results.disturbance}")


@subcommand(
    "report",
    "Write the report of a campaign.",
    "crosslit bench report campaign.sqlite -o report.html --figures figures",
)
@store_argument
@output_option(help="Write the report to FILE, one self-contained page of HTML.")
@click.option("--figures", metavar="DIR", help="Write the figures there, as SVG and PDF.")
@click.option("--tables", metavar="DIR", help="Write the tables of the analysis there, as CSV and for LaTeX.")
@measure_option
@json_option
def report(
    store: str, *, path: str | None, figures: str | None, tables: str | None, measure: Any, as_json: bool
) -> int:
    """Analyse the results in STORE: solved puzzles, times and wrong answers, as a page, figures or tables.

    With --json, the analysis is printed too: ranking, virtual best solver, pairs, fits and all puzzles.
    """
    if not as_json and path is figures is tables is None:
        raise click.UsageError("Missing option '-o' / '--output', '--figures', '--tables' or '--json'.")
    if path:
        _require_no_store(path)
        output.check_page(path)
    try:
        from crosslit_bench import analysis
        from crosslit_bench import report as pages

        if path or figures:  # tables go without Matplotlib, which takes as long to import as all else
            from crosslit_bench.figures import figure_files
    except ImportError:
        raise Unavailable(f"a report needs pandas, SciPy, Matplotlib and Jinja: {install_hint('report')}") from None
    results = _load(store)
    times = results.times(measure)
    found = analysis.tables(times) if as_json or tables else {}
    # everything is computed before the first file is written, so that an error leaves no half
    page = pages.html(results, times.measure) if path else ""
    drawn = _in_folder(figures, figure_files(times, analysis.fits(times))) if figures else {}
    sheets = {f"{name}.csv": csv_text(rows).encode() for name, rows in found.items() if rows}
    written = _in_folder(tables, {**sheets, "tables.tex": pages.latex(results, measure).encode()}) if tables else {}
    for name, content in (drawn | written | ({path: page.encode()} if path else {})).items():
        output.write_file(name, [content])
    if as_json:
        analysed = {
            name: [{key: exact(value) for key, value in row.items()} for row in rows] for name, rows in found.items()
        }
        counts = {"runs": results.made, "planned": results.planned, "disturbed": results.disturbed}
        names = {"file": path, "figures": list(drawn), "tables": list(written)}
        output.write_json({"store": store, "measure": times.measure, **names, **counts, "analysis": analysed})
    else:
        parts = [path or ""]
        parts += [f"{len(drawn)} figures in {figures}"] if drawn else []
        parts += [f"{len(written)} files of tables in {tables}"] if written else []
        write(one_line(", and ".join(filter(None, parts))))
    return FINDING if results.wrong else 0


def _in_folder(folder: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(folder, str(error.strerror)) from None
    return {str(Path(folder, name)): content for name, content in files.items()}


def _require_no_store(path: str) -> None:
    """Refuse to write a page or a table over a file of results."""
    from crosslit_bench.store import is_store

    if Path(path).is_file() and is_store(Path(path)):
        raise InputError(path, "is a file of results, which is not overwritten")


@subcommand("diff", "Compare two files of results.", "crosslit bench diff old.sqlite new.sqlite")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@measure_option
@json_option
def diff(old: str, new: str, measure: Any, as_json: bool) -> int:
    """Compare the results in NEW with those in OLD: verdicts and wrong answers first, then backends and set-ups.

    A backend is slower if it solves fewer puzzles, or the 95% interval of its slowdown is beyond 10%, with
    p < 0.01 by the signed-rank test, adjusted for the number of backends. One that is faster but solves fewer puzzles
    is mixed.

    Exit status: 0 nothing is worse, 1 a contradicted verdict, a new wrong answer, or a backend that is slower or mixed,
    2 bad usage or input, 3 nothing is worse, but some backend has too few puzzles to tell.
    """
    try:
        from crosslit_bench.difference import difference
    except ImportError:
        raise Unavailable(f"`bench diff` needs pandas and SciPy: {install_hint('report')}") from None
    try:
        changes = difference(_load(old), _load(new), measure or "cpu")
    except InputError:
        raise
    except ValueError as error:
        raise InputError(new, f"cannot be compared: {error}") from None
    if as_json:
        output.write_json({"old": old, "new": new, "measure": measure or "cpu", **changes})
    else:
        _write_difference(changes, (old, new))
    return exit_status(wrong=changes["worse"], undecided=changes["undecided"])


def _write_difference(found: Mapping[str, Any], paths: Sequence[str]) -> None:
    from crosslit_bench.difference import min_puzzles

    contradicted = sum(change["contradicts"] for change in found["verdicts"])
    write(
        f"{format_count(found['puzzles'], 'puzzle')} in both: {format_count(contradicted, 'verdict')} contradicted,"
        f" {len(found['verdicts']) - contradicted} changed without a contradiction,"
        f" {format_count(len(found['wrong']), 'new wrong answer')}"
    )
    for word, contradicts in (("contradicted", True), ("changed", False)):
        some = [one for one in found["verdicts"] if one["contradicts"] == contradicts]
        _write_first(f"{word}: {change['puzzle']['name']}: {change['old']}, now {change['new']}" for change in some)
    _write_first(
        f"wrong: {row['backend']}: {row['finding']['problem']} on {row['puzzle']['name']}: {row['finding']['detail']}"
        for row in found["wrong"]
    )
    if found["changes"]:
        output.write_table(_table_of_changes(found["changes"]))
    if found["undecided"]:
        least, backends = min_puzzles(len(found["changes"])), format_count(len(found["changes"]), "backend")
        write(f"too few puzzles: for {backends}, each needs {least} that it solves in either file")
    for path, names in zip(paths, (found["only_old"], found["only_new"]), strict=True):
        if names:
            write(one_line(f"only in {path}: {', '.join(names)}"))
    for setup in found["setups"]:
        write(one_line(f"set-up: {setup['condition']}: {setup['old']}, now {setup['new']}"))


def _table_of_changes(changes: Sequence[Mapping[str, Any]]) -> Table:
    from crosslit_bench.analysis import format_p

    numbers = ["puzzles", "solved", "now", "slower on", "faster on", "new/old", "95%", "p"]
    table = Table("backend", *numbers, "trend", right=numbers)
    for change in changes:
        counts = [str(change[name]) for name in ("puzzles", "solved_old", "solved_new", "slower_on", "faster_on")]
        ends = [format_number(change[name]) for name in ("interval_low", "interval_high") if change[name] is not None]
        numbers = [*counts, format_number(change["ratio"]), " to ".join(ends), format_p(change["p_adjusted"])]
        table.add_row(change["backend"], *numbers, change["trend"], alarm=change["trend"] in ("slower", "mixed"))
    return table


@subcommand("export", "Write results as CSV or JSON lines.", "crosslit bench export campaign.sqlite -o runs.csv")
@store_argument
@output_option()
@to_option(
    type=click.Choice(["csv", "jsonl", "toml"]),
    help="Format of the output: the runs as csv or jsonl, or the campaign as toml.  [default: by extension, else csv]",
)
def export(store: str, path: str | None, write_as: str | None) -> int:
    """Write one line for each run in STORE, with its data, its puzzle and whether its answer is right.

    Times are in seconds, memory in MB of 2^20 bytes. In CSV, a ' precedes text that a spreadsheet would take for a
    formula. As TOML, the campaign itself is written, with all its puzzles, so that others can repeat it.
    """
    from crosslit_bench.results import exported

    suffix = Path(path or "").suffix.lower().removeprefix(".")
    pieces: Iterator[str] = exported(_load(store), write_as or (suffix if suffix in ("jsonl", "toml") else "csv"))
    if path is None:
        for piece in pieces:
            output.write_text(piece)
    else:
        _require_no_store(path)
        output.write_file(path, (piece.encode() for piece in pieces), announce=True)
    return 0
