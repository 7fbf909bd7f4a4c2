"""``crosslit decode``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crosslit.cli import output
from crosslit.cli.exit_status import exit_status
from crosslit.cli.help import example_command
from crosslit.cli.options import encoding_options, format_option, json_option, puzzle_argument

if TYPE_CHECKING:
    from crosslit.contract import ReadsModels

_MAX_MODEL = 1 << 27  # bytes: a literal takes at most eleven, and formulas have some million variables


@example_command(
    "crosslit decode 10/01 answer.txt", "echo 'v 1 -2 -3 4 0' >answer.txt; crosslit decode 10/01 answer.txt"
)
@puzzle_argument
@click.argument("model")
@encoding_options
@json_option
@format_option
def command(
    puzzle: str, model: str, name: str | None, target: str | None, as_json: bool, format_name: str | None
) -> int:
    """Turn MODEL, the output of a solver for PUZZLE's formula, into a solution, and check it by the rules.

    MODEL is a file, or - for standard input. From a SAT solver: `s SATISFIABLE` and `v` lines that end with 0, as in
    the SAT Competition, or the format of MiniSat. With --target mzn, fzn, xcsp3, asp, smt2, opb or lp: the output of a
    solver of that form, for lp its solution file. Use the same encoding and target as for `crosslit encode`. Exit
    status: 0 a solution or the claim that there is none, 1 the model breaks the rules, 2 bad usage or input, 3
    undecided.
    """
    from crosslit.base.errors import InputError, UnreadableModel
    from crosslit.contract.backend import FORMS
    from crosslit.formats import read
    from crosslit.judging.verdict import puzzle_json
    from crosslit.questions.formula import formula_of
    from crosslit.registry.defaults import choose_encoding

    problem = read(puzzle, format_name)
    encoding = choose_encoding(problem, name, target)
    if encoding.target == "cp-sat":
        raise click.UsageError(f"answers of CP-SAT cannot be read, and {encoding.name} makes {encoding.target}")
    origin = "standard input" if model == "-" else model
    lines = output.read_input(model, _MAX_MODEL).decode(errors="replace").splitlines()
    formula: ReadsModels = formula_of(problem, encoding, target)
    try:
        claim, grid, broken = formula.answer(lines)
    except UnreadableModel as error:
        raise InputError(origin, str(error)) from None
    if grid is None and claim in (None, "satisfiable"):
        expected = "lines that begin with v, or MiniSat's SAT and a line of literals"
        if target in FORMS:
            expected = f"the values that a solver of {target} prints"
        raise InputError(origin, f"no model: expected {expected}")
    violations = list(problem.violations(grid)) if grid is not None else []
    status = {"unsatisfiable": "unsolvable", "unknown": "undecided"}.get(claim or "", "undecided")
    if grid is not None:
        status = "wrong" if violations else "solved"
    if as_json:
        record = {
            "puzzle": puzzle_json(problem, None),
            "encoding": encoding.name,
            "status": status,
            "solution": grid.text() if grid is not None else None,
            # A wrong grid may break thousands of constraints.
            "violations": violations[:100],
            "broken_constraint": broken,
        }
        output.write_json(record)
    elif status == "unsolvable":
        output.write("no solution (claimed by the solver)")
    elif status == "undecided":
        output.write("undecided (the solver does not know)")
    elif grid is not None and status == "solved":
        output.write_solution(problem, grid)
    if violations:
        more = f", and {len(violations) - 1} more" if len(violations) > 1 else ""
        what = "clause" if encoding.target.startswith("cnf") else "constraint"
        # A model that satisfies the formula but breaks the rules accuses the encoding, and not the solver.
        blame = (
            f"the model breaks the {what} {broken}" if broken else f"the model satisfies the formula of {encoding.name}"
        )
        output.complain(f"{origin}: not a solution: {violations[0]}{more}; {blame}")
    return exit_status(wrong=status == "wrong", undecided=status == "undecided")
