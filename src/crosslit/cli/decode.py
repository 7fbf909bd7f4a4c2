"""``crosslit decode``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crosslit.cli.options import encoding_options, format_option, json_option, puzzle_argument

if TYPE_CHECKING:
    from crosslit.contract import ReadsModels

_MAX_MODEL = 1 << 27  # bytes: a literal takes eleven at most, and what can be encoded has some million variables


@click.command(short_help="Turn another solver's model into a solution, and check it.")
@puzzle_argument
@click.argument("model")
@encoding_options
@json_option
@format_option
@click.pass_context
def command(
    ctx: click.Context,
    puzzle: str,
    model: str,
    name: str | None,
    target: str | None,
    as_json: bool,
    format_name: str | None,
) -> None:
    """Turn MODEL, the output of a SAT solver for PUZZLE's formula, into a solution, and check it by the rules.

    MODEL is a file, or - for standard input: `s SATISFIABLE` and `v` lines that end with 0, as in the SAT Competition,
    or the format of MiniSat. Use the same encoding as for `crosslit encode`. Exit status: 0 a solution or the
    claim that there is none, 1 the model breaks the rules, 2 bad usage or input, 3 undecided.
    """
    from crosslit.cli import output
    from crosslit.cli.exit_status import FINDING, UNDECIDED
    from crosslit.drawing import draw_lines
    from crosslit.errors import InputError, UnreadableModel
    from crosslit.formats import read
    from crosslit.judging.verdict import puzzle_json
    from crosslit.registry import encodings

    problem = read(puzzle, format_name)
    encoding = encodings.choose(problem, name, target)
    if encoding.target == "cp-sat":
        raise click.UsageError(f"a model in DIMACS is due, and {encoding.name} makes {encoding.target}")
    origin = "standard input" if model == "-" else model
    lines = output.read_input(model, _MAX_MODEL).decode(errors="replace").splitlines()
    formula: ReadsModels = encoding.encode(problem)
    try:
        said, grid, broken = formula.answer(lines)
    except UnreadableModel as error:
        raise InputError(origin, str(error)) from None
    if grid is None and said in (None, "satisfiable"):
        raise InputError(origin, "no model: expected lines that begin with v, or MiniSat's SAT and a line of literals")
    violations = list(problem.violations(grid)) if grid is not None else []
    status = {"unsatisfiable": "unsolvable", "unknown": "undecided"}.get(said or "", "undecided")
    if grid is not None:
        status = "wrong" if violations else "solved"
    if as_json:
        record = {
            "puzzle": puzzle_json(problem, None),
            "encoding": encoding.name,
            "status": status,
            "solution": grid.text() if grid is not None else None,
            "violations": violations[:100],
            "broken_constraint": broken,
        }
        output.write_json(record)
    elif status == "unsolvable":
        output.write("no solution (claimed by the solver)")
    elif status == "undecided":
        output.write("undecided (the solver does not know)")
    elif grid is not None and status == "solved":
        output.write_lines(draw_lines(problem, grid, output.picture_style()))
    if violations:
        more = f", and {len(violations) - 1} more" if len(violations) > 1 else ""
        blame = (
            f"the model breaks the clause {broken}" if broken else f"the model satisfies the formula of {encoding.name}"
        )
        output.complain(f"{origin}: not a solution: {violations[0]}{more}; {blame}")
    ctx.exit({"wrong": FINDING, "undecided": UNDECIDED}.get(status, 0))
