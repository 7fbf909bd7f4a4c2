"""``crosslit stats``."""

from __future__ import annotations

import os

import click

from crosslit.base.text import Table, format_count
from crosslit.cli import output
from crosslit.cli.group import example_command
from crosslit.cli.options import Query, backends_option, limit_option, query_options, solver_option

_COLUMNS = ("puzzle", "size", "status", "solutions", "difficulty", "nullity", "evidence", "note")
_TOTALS = {"unsolvable": "unsolvable", "unique": "unique", "multiple": "with several solutions"}
_TOTALS |= {"undecided": "undecided", "same": "equal to an earlier one", "wrong": "on which a backend is wrong"}


@example_command("crosslit stats examples")
@click.argument("puzzles", nargs=-1, required=True, metavar="FILE...")
@backends_option(help="Backends to ask until two independent ones agree.  [default: natives, then a SAT solver]")
@solver_option
@limit_option(type=click.IntRange(2), default=1000, show_default=True, help="Find at most N solutions.")
@query_options(20)
def command(query: Query, specs: str | None, limit: int) -> int:
    """Audit the puzzles of each FILE as a pack: solutions, uniqueness, difficulty, duplicates.

    A FILE may hold many puzzles, or be a folder, which stands for all puzzle files in it. The table has the number of
    solutions, the evidence for it, and an earlier equal puzzle; of a Lights Out board the nullity k: there are 2^k
    solutions or none; of a nonogram the difficulty: `line` if single lines decide all cells, `probe` if a cell must be
    tried too, and one value contradicts the lines, `search` if guesses must be built on guesses.

    Exit status: 0 all decided, 1 a backend is wrong, 2 bad usage or input, 3 some undecided, 130 interrupted.
    """
    from crosslit.formats import in_folder
    from crosslit_generate.audit import Audit, audit_all, totals

    # An empty folder is not replaced: reading it says that it has no puzzle files.
    folders = {source: [*map(str, in_folder(source))] for source in query.sources if os.path.isdir(source)}
    files = [file for source in query.sources for file in folders.get(source) or [source]]
    puzzles = [puzzle for file in files for puzzle in output.read_puzzles(file)]
    audits = list[Audit]()
    with query.runs(total=len(puzzles), solutions=limit) as (runner, progress):
        for audit in progress.each(audit_all(puzzles, runner, specs)):
            audits.append(audit)
            if query.as_json:
                output.write_json(audit.json())
    counts = totals(audits)
    if query.as_json:
        output.write_json({"totals": counts})
    else:
        if audits:
            output.write_table(_table([audit.row() for audit in audits]))
        parts = [f"{counts[key]} {words}" for key, words in _TOTALS.items() if counts[key]]
        parts += [f"{len(puzzles) - len(audits)} not audited"] * runner.interrupted
        output.write(f"{format_count(len(puzzles), 'puzzle')}: {', '.join(parts)}")
    wrong, undecided = bool(counts["wrong"]), bool(counts["undecided"])
    return output.exit_status(interrupted=runner.interrupted, wrong=wrong, undecided=undecided)


def _table(rows: list[dict[str, str]]) -> Table:
    columns = [column for column in _COLUMNS if any(row[column] for row in rows)]
    right, minor = {"size", "solutions", "nullity"}, ("nullity", "evidence")
    table = Table(*columns, right=right, prose={"puzzle", "note"}, minor=minor)
    for row in rows:
        table.add_row(*[row[column] for column in columns], alarm=row["status"] in ("unsolvable", "undecided"))
    return table
