"""``crosslit stats``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from crosslit.base.errors import InputError
from crosslit.base.records import csv_text
from crosslit.base.text import Table, format_count
from crosslit.cli import output
from crosslit.cli.group import example_command
from crosslit.cli.options import Query, backends_option, limit_option, query_options, solver_option
from crosslit.cli.output import exit_status

if TYPE_CHECKING:
    from crosslit_generate.audit import Audit

_TOTALS = {"unsolvable": "unsolvable", "unique": "unique", "multiple": "with several solutions"}
_TOTALS |= {"undecided": "undecided", "same": "equal to an earlier one", "wrong": "on which a backend is wrong"}


@example_command("crosslit stats examples", "crosslit stats pack.puzzles --csv audit.csv")
@click.argument("puzzles", nargs=-1, required=True, metavar="FILE...")
@backends_option(
    help="Backends to ask in turn until two independent ones agree.  [default: natives, then a SAT solver]"
)
@solver_option
@limit_option(type=click.IntRange(2), default=1000, show_default=True, help="Find at most N solutions of a nonogram.")
@click.option("--csv", "csv_file", metavar="FILE", help="Also write the table to FILE, as CSV.")
@query_options(20)
def command(query: Query, specs: str | None, limit: int, csv_file: str | None) -> int:
    """Audit the puzzles of each FILE as a pack: solutions, uniqueness, difficulty, duplicates.

    A FILE may hold many puzzles, or be a folder, which stands for all puzzle files in it. For each puzzle the table has
    the number of solutions, the evidence for it, and an earlier equal puzzle. Of a Lights Out board it has the nullity
    k: there are 2^k solutions or none. Of a nonogram it has the difficulty: `line` if single lines decide all cells,
    `probe` if a cell must be tried too, and one value contradicts the lines, `search` if guesses must be built on
    guesses.

    Exit status: 0 all decided, 1 a backend is wrong, 2 bad usage or input, 3 some undecided, 130 interrupted.
    """
    from crosslit_generate.audit import audit_all, totals

    puzzles = [puzzle for source in query.sources for path in _files(source) for puzzle in output.read_puzzles(path)]
    audits: list[Audit] = []
    with query.runs(total=len(puzzles), solutions=limit) as (runner, progress):
        for audit in progress.each(audit_all(puzzles, runner, specs)):
            audits.append(audit)
            if query.as_json:
                output.write_json(audit.json())
    rows, counts = [audit.row() for audit in audits], totals(audits)
    if csv_file:
        ids = [{"kind": audit.puzzle.kind, "id": audit.puzzle.id} for audit in audits]
        records = [row | about for row, about in zip(rows, ids, strict=True)]
        output.write_file(csv_file, [csv_text(records).encode(errors="replace")], announce=True)
    if query.as_json:
        output.write_json({"totals": counts})
    else:
        if rows:
            output.write_table(_table(rows))
        parts = [f"{counts[key]} {words}" for key, words in _TOTALS.items() if counts[key]]
        parts += [f"{len(puzzles) - len(rows)} not audited"] * runner.interrupted
        output.write(f"{format_count(len(puzzles), 'puzzle')}: {', '.join(parts)}")
    return exit_status(interrupted=runner.interrupted, wrong=counts["wrong"] > 0, undecided=counts["undecided"] > 0)


def _files(source: str) -> list[str]:
    """Return the files of puzzles in a folder, or a source that is none."""
    from crosslit.formats import in_folder

    files = [*map(str, in_folder(source))] if os.path.isdir(source) else [source]
    if not files:
        raise InputError(source, "expected files of puzzles in the folder, found none")
    return files


def _table(rows: list[dict[str, str]]) -> Table:
    columns = [column for column in rows[0] if any(row[column] for row in rows)]
    right, minor = {"size", "solutions", "nullity"}, ("nullity", "evidence")
    table = Table(*columns, right=right, prose={"note"}, names={"puzzle"}, minor=minor)
    for row in rows:
        cells = (output.one_line(row[column]) for column in columns)
        table.add_row(*cells, alarm=row["status"] in ("unsolvable", "undecided"))
    return table
