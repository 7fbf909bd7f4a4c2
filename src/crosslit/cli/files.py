"""The commands that draw, write and list: show, convert and backends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from crosslit.base.numbers import format_count
from crosslit.cli import output
from crosslit.cli.exit_status import exit_status
from crosslit.cli.group import ExampleCommand, example_command
from crosslit.cli.options import (
    Query,
    advise_explain,
    json_option,
    puzzle_argument,
    query_options,
    solver_option,
    to_option,
    why_stopped,
)

if TYPE_CHECKING:
    from crosslit.kinds import Puzzle
    from crosslit.registry.listing import BackendInfo


@example_command("crosslit show '1,2|2,1' --solution", "crosslit show 10/01 --image board.svg")
@puzzle_argument
@click.option("--solution", is_flag=True, help="Also draw the first solution.")
@click.option(
    "--image",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write the picture to a file, .svg, instead.",
)
@query_options()
def show_command(query: Query, solution: bool, image: str | None) -> int:
    """Draw PUZZLE: a nonogram with its clues, a Lights Out board with its lit cells."""
    from crosslit.formats.picture import Picture
    from crosslit.judging.verdict import puzzle_json
    from crosslit.kinds import kind_of
    from crosslit.questions.solve import some_solutions

    # Checked before anything is solved.
    if image is not None and not image.lower().endswith(".svg"):
        raise click.BadParameter("the name of a picture ends in .svg.", param_hint="--image")
    puzzle, cells = query.read(), None
    if solution:
        with query.runs("a solution", in_process=True) as (runner, _):
            found, run = some_solutions(runner, puzzle, 1)
        if not found:
            if not runner.interrupted and run.status == "complete":
                output.complain(f"there is no solution to draw (claimed by {run.backend})")
                advise_explain(puzzle)
            elif not runner.interrupted:
                output.complain(f"no solution to draw was found: {why_stopped(run, runner.limits)}")
            return exit_status(interrupted=runner.interrupted, undecided=True)
        cells = found[0].lines()
    if image is not None:
        Picture(puzzle, cells).save(image)
        output.complain(f"{image}: written")
        if not query.as_json:
            return 0
    nullity = kind_of(puzzle).nullity(puzzle)
    if query.as_json:
        known = {"cells": "/".join(cells)} if cells else {}
        output.write_json({"puzzle": puzzle_json(puzzle, nullity), **known})
    else:
        output.write(puzzle.title(nullity))
        output.write_picture(puzzle, cells)
    return 0


class _ListsFormats(ExampleCommand):
    """A command whose help ends with all formats."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the formats, which are loaded only when they are shown."""
        from crosslit.formats import FORMATS

        lines = [
            f"{name:8} {', '.join(sorted(known.extensions)):15} {known.summary}" for name, known in FORMATS.items()
        ]
        self.epilog = "\n".join(["\b", "Formats, and their extensions:", *lines])
        super().format_epilog(ctx, formatter)


@example_command(
    "crosslit convert examples/heart.non heart.nin",
    "crosslit convert examples/arrow.pbm - --from picture --to clues",
    cls=_ListsFormats,
)
@click.argument("source", metavar="IN")
@click.argument("output_path", metavar="OUT")
@click.option("--from", "read_as", metavar="FORMAT", help="Format of the puzzles that are read.  [default: guess]")
@to_option(help="Format of the output.  [default: by the extension of OUT]")
def convert_command(source: str, output_path: str, read_as: str | None, write_as: str | None) -> None:
    """Read the puzzles of IN and write them to OUT, whole or not at all.

    IN is a PUZZLE; OUT a file, or - for standard output. A file may hold several puzzles: all of them are written, or
    only one with FILE:7. A grid of 0 and 1 is a Lights Out board; --from picture reads it as the picture of a nonogram.
    """
    from crosslit.base.errors import InputError
    from crosslit.formats import FORMATS, of_path, require, write_all

    chosen = require(write_as) if write_as else of_path(output_path)
    if chosen is None:
        why = "standard output has no extension" if output_path == "-" else "its extension matches none"
        names = ", ".join(name for name, known in FORMATS.items() if known.writes)
        raise InputError(output_path, f"expected --to with one of {names}: {why}")
    count = 0

    def counted() -> Iterator[Puzzle]:
        nonlocal count
        for puzzle in output.read_puzzles(source, read_as):
            count += 1
            yield puzzle

    pieces = write_all(counted(), chosen.name)
    output.write_file(output_path, [b"".join(pieces)] if output_path == "-" else pieces)
    if output_path != "-":
        output.write(output.one_line(f"{output_path}: {format_count(count, 'puzzle')}, {chosen.name}"))


@example_command("crosslit backends", "crosslit backends glucose4 'cadical*'")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@solver_option
@json_option
def backends_command(names: tuple[str, ...], as_json: bool) -> None:
    """List every backend; or show the version, encodings, groups and options of each NAME.

    A NAME may be a group or a wildcard: sat, 'cadical*'.

    With --solver, a SAT solver is NAME='COMMAND {cnf}', with {out} if it writes its model to a file; another one has
    {mzn}, {xcsp3}, {asp}, {smt2}, {opb} or {lp} for the file of the model, or {file} for one with the puzzle. Or define
    it in crosslit.toml, under [solvers]: NAME = "COMMAND {cnf}", or under [programs.NAME], unless NAME is a command
    that Crosslit knows.
    """
    from crosslit.registry import listing

    listed = listing.backends(names)
    if as_json:
        for backend in listed:
            output.write_json(backend.json())
    elif names:
        output.write("\n\n".join("\n".join(_details(backend)) for backend in listed))
    else:
        _write_backends(listed)


_WIDTH = 80  # columns of piped output, in which one cell has the names of 17 solvers


def _write_backends(listed: list[BackendInfo]) -> None:
    """Print the backends that can run here, grouped if they differ only in name, then the names of the others."""
    from crosslit.base.table import Table, wrapped
    from crosslit.registry import listing

    alike: dict[tuple[str, str, str], list[str]] = {}
    for backend in listed:
        if not backend.unavailable:
            default = "yes" if "default" in backend.groups else ""
            alike.setdefault((_kinds(backend), default, backend.summary), []).append(backend.name)
    table = Table("backend", "puzzles", "default", "about", prose={"backend", "puzzles", "about"})
    for cells, names in alike.items():
        table.add_row(", ".join(names), *cells)
    output.write_table(table, width=_WIDTH)
    if note := listing.kernel_note({backend.name: backend.version for backend in listed}):
        for line in wrapped(note, _WIDTH):
            output.write(line)
    missing = [backend.name for backend in listed if backend.unavailable]
    if missing:
        for line in wrapped(f"Cannot run here: {', '.join(missing)}.", _WIDTH):
            output.write(line)
    for line in wrapped("`crosslit backends NAME` shows version, encodings and options, or why it cannot run.", _WIDTH):
        output.write(line)


def _details(backend: BackendInfo) -> Iterator[str]:
    yield backend.name
    facts = {
        "about": backend.summary,
        "puzzles": _kinds(backend),
        "version": backend.version,
        "cannot run": backend.unavailable,
        "groups": ", ".join(backend.groups),
        "answers": ", ".join(backend.questions),
        "encodings": ", ".join(dict.fromkeys(name for _, name in backend.encodings)),
        "rests on": ", ".join([*backend.rests_on, *["its encoding"] * bool(backend.encodings)]),
        "abilities": ", ".join(backend.abilities or ()),
        **{f":{key}=": summary for key, summary in backend.options.items()},
    }
    width = max(12, *map(len, facts)) + 2
    for name, fact in facts.items():
        if fact:
            yield from output.wrapped(output.one_line(fact), f"  {name}".ljust(width + 2))


def _kinds(backend: BackendInfo) -> str:
    from crosslit.kinds.registry import all_kinds

    return "all" if {*backend.kinds} == {*all_kinds()} else ", ".join(backend.kinds)
