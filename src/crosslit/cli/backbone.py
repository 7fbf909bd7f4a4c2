"""``crosslit backbone``."""

from __future__ import annotations

from crosslit.cli import output
from crosslit.cli.help import example_command
from crosslit.cli.options import backends_option, puzzle_argument, solver_option
from crosslit.cli.query import Query, conclude, query_options


@example_command("crosslit backbone '1,1,2|1,2,1'")
@puzzle_argument
@backends_option(help="Backends to cross-check.  [default: one that suits the puzzle]")
@solver_option
@query_options()
def command(query: Query, specs: str | None) -> int:
    """Show the cells of PUZZLE that are equal in all solutions, and those that vary (?), without finding all solutions.

    Exit status: 0 proved, or no solution, 1 something is wrong, 2 bad usage or input, 3 undecided, 130 interrupted.
    """
    from crosslit.judging.verdict import evidence_words
    from crosslit.questions.compare import backbone

    puzzle = query.read()
    with query.runs("the backbone") as (runner, _):
        found = backbone(puzzle, specs, runner=runner)
    if query.as_json:
        output.write_json(found.json())
    else:
        if found.solutions and found.proved:
            output.write_picture(puzzle, found.lines)
        varying = found.varying.count()
        if found.proved and not found.solutions:
            words = "no solution"
        elif found.proved:
            equal = "1 cell is" if found.fixed == 1 else f"{found.fixed} cells are"
            words = f"{equal} equal in all solutions, {varying} vary"
        else:
            words = f"undecided ({varying} cells vary, {found.fixed} may)" if found.solutions else "undecided"
        output.write(f"{words} {evidence_words(found)}" if found.proved else words)
    return conclude(runner, found.findings, found.proved, found.runs)
