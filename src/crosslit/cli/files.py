"""The commands that draw, write and list: show, convert and backends."""

from __future__ import annotations

from typing import Any

import click

from crosslit.base.errors import InputError
from crosslit.base.text import format_count
from crosslit.cli import options, output
from crosslit.cli.group import ExampleCommand, example_command
from crosslit.cli.options import Query


@example_command("crosslit show '1,2|2,1' --solution", "crosslit show 10/01 -o board.svg")
@options.puzzle_argument
@click.option("--solution", is_flag=True, help="Also draw the first solution.")
@options.output_option(help="Write the picture to FILE, .svg, instead.")
@options.query_options()
def show_command(query: Query, solution: bool, path: str | None) -> int:
    """Draw PUZZLE: a nonogram with its clues, a Lights Out board with its lit cells.

    Exit status: 0 drawn, or no solution, 1 the backend is wrong, 2 bad usage or input, 3 undecided, 130 interrupted.
    """
    from crosslit.formats.drawing import Picture

    # Checked before anything is solved.
    if path is not None and not path.lower().endswith(".svg"):
        raise InputError(path, "the name of a picture ends in .svg")
    puzzle, cells = query.read(), None
    if solution:
        from crosslit.questions.solve import ask_in_turns  # with all that runs need

        with query.runs("a solution", in_process=True) as (runner, _):
            found = ask_in_turns(puzzle, runner, max_solutions=1)
        run = found.runs[-1]
        if status := options.conclude(runner, found.findings, bool(found.solutions) or run.status == "complete", [run]):
            return status
        cells = next((grid.lines() for grid in found.solutions), None)
        if cells is None:
            output.complain(f"there is no solution to draw (claimed by {run.backend})")
            options.advise_explain(puzzle)
    if path is not None:
        Picture(puzzle, cells).save(path)
        output.complain(f"{path}: written")
    nullity = puzzle.nullity()
    if query.as_json:
        output.write_json({"puzzle": puzzle.json(nullity), **({"cells": "/".join(cells)} if cells else {})})
    elif path is None:
        output.write(puzzle.title(nullity))
        output.write_picture(puzzle, cells)
    return 0


class _ListsFormats(ExampleCommand):
    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        from crosslit.formats import FORMATS  # loaded only when they are shown

        with formatter.section("Formats, and their extensions"):
            known = [(name, sorted(each.extensions), each.summary) for name, each in FORMATS.items()]
            formatter.write_dl([(f"{name:8} {', '.join(endings)}", summary) for name, endings, summary in known])


@example_command(
    "crosslit convert examples/heart.non heart.nin",
    "crosslit convert examples/arrow.pbm - --from picture --to clues",
    cls=_ListsFormats,
)
@click.argument("source", metavar="IN")
@click.argument("output_path", metavar="OUT")
@click.option("--from", "read_as", metavar="FORMAT", help="Format of the puzzles that are read.  [default: guess]")
@options.to_option(help="Format of the output.  [default: by the extension of OUT]")
def convert_command(source: str, output_path: str, read_as: str | None, write_as: str | None) -> None:
    """Read the puzzles of IN and write them to OUT, whole or not at all.

    IN is a PUZZLE; OUT a file, or - for standard output. A file may hold several puzzles: all of them are written, or
    only one with FILE:7. A grid of 0 and 1 is a Lights Out board; --from picture reads it as the picture of a nonogram.
    """
    from crosslit.formats import FORMATS, of_path, require, write_all

    chosen = require(write_as) if write_as else of_path(output_path)
    if chosen is None:
        names = ", ".join(name for name, known in FORMATS.items() if known.writes)
        raise InputError(output_path, f"expected --to with one of {names}")
    puzzles = list(output.read_puzzles(source, read_as))
    pieces = write_all(puzzles, chosen.name)
    output.write_file(output_path, [b"".join(pieces)] if output_path == "-" else pieces)
    if output_path != "-":
        output.write(output.one_line(f"{output_path}: {format_count(len(puzzles), 'puzzle')}, {chosen.name}"))


@example_command("crosslit backends", "crosslit backends glucose4 'cadical*'")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@options.solver_option
@options.json_option
def backends_command(names: tuple[str, ...], as_json: bool) -> None:
    """List every backend; or show the version, encodings, groups and options of each NAME.

    A NAME may be a group or a wildcard: sat, 'cadical*'.

    With --solver, a SAT solver is NAME='COMMAND {cnf}', with {out} if it writes its model to a file; another one has
    {mzn}, {xcsp3}, {asp}, {smt2}, {opb} or {lp} for the file of the model, or {file} for one with the puzzle. Or define
    it in crosslit.toml, under [solvers]: NAME = "COMMAND {cnf}", or in a table [solvers.NAME], unless NAME is a command
    that Crosslit knows.
    """
    from crosslit import registry

    listed = registry.backends(names)
    if as_json:
        for backend in listed:
            output.write_json(backend)
    elif names:
        for backend in listed:
            _write_details(backend, is_first=backend is listed[0])
    else:
        _write_backends(listed)


_WIDTH = 80  # columns of piped output, in which one cell has the names of 17 solvers


def _write_backends(listed: list[dict[str, Any]]) -> None:
    """Print the backends that can run here, grouped if they differ only in name, then the names of the others."""
    from crosslit import registry
    from crosslit.base.text import Table

    alike: dict[tuple[str, str, str], list[str]] = {}
    for backend in listed:
        if backend["available"]:
            default = "yes" if "default" in backend["groups"] else ""
            alike.setdefault((_kinds(backend), default, backend["summary"]), []).append(backend["name"])
    table = Table("backend", "puzzles", "default", "about", prose={"backend", "puzzles", "about"})
    for cells, names in alike.items():
        table.add_row(", ".join(names), *cells)
    output.write_table(table, width=_WIDTH)
    missing = ", ".join(backend["name"] for backend in listed if not backend["available"])
    more = "`crosslit backends NAME` shows version, encodings and options, or why it cannot run."
    note = registry.kernel_note({backend["name"]: backend["version"] or "" for backend in listed})
    for text in filter(None, (note, missing and f"Cannot run here: {missing}.", more)):
        output.write_paragraph(text, width=_WIDTH)


def _write_details(backend: dict[str, Any], is_first: bool) -> None:
    output.write(("" if is_first else "\n") + backend["name"])
    facts = {
        "about": backend["summary"],
        "puzzles": _kinds(backend),
        "version": backend["version"],
        "cannot run": backend["reason"],
        "groups": ", ".join(backend["groups"]),
        "answers": ", ".join(backend["questions"]),
        "encodings": ", ".join(dict.fromkeys(name for names in backend["encodings"].values() for name in names)),
        "rests on": ", ".join([*backend["rests_on"], *["its encoding"] * bool(backend["encodings"])]),
        **{f":{key}=": summary for key, summary in backend["options"].items()},
    }
    width = max(12, *map(len, facts)) + 2
    for name, fact in facts.items():
        if fact:
            output.write_paragraph(output.one_line(fact), f"  {name}".ljust(width + 2))


def _kinds(backend: dict[str, Any]) -> str:
    from crosslit.kinds import all_kinds

    return "all" if {*backend["kinds"]} == {*all_kinds()} else ", ".join(backend["kinds"])
