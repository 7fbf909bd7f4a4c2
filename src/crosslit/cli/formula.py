"""The commands for other solvers and their proofs: encode, decode and check-certificate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from crosslit.base.errors import InputError
from crosslit.base.text import shorten
from crosslit.cli import options, output
from crosslit.cli.group import example_command
from crosslit.cli.options import Query
from crosslit.cli.output import exit_status

if TYPE_CHECKING:
    from crosslit.contract import Encoded, Encoding
    from crosslit.kinds import Puzzle

_MAX_CHARACTERS = 1000  # maximum characters of a comment line: some readers have a buffer for it
_MAX_VIOLATIONS = 100  # in JSON: a wrong grid may break thousands of constraints
_BINARY = (".pb", ".bin")
_CP_SAT = (*_BINARY, ".pbtxt", ".textproto")


@example_command("crosslit encode '1,2|2,1' -o puzzle.cnf", "crosslit encode --list")
@click.argument("puzzle", required=False)
@options.encoding_options
@options.output_option(
    help="Write to FILE instead of standard output; .pb and .pbtxt choose the CP-SAT model, binary and text."
)
@click.option("--list", "listing", is_flag=True, help="List all encodings, or those of PUZZLE's kind.")
def encode_command(
    puzzle: str | None,
    name: str | None,
    target: str | None,
    path: str | None,
    listing: bool,
) -> None:
    """Write the formula of PUZZLE for another solver; comments say which variables its cells are.

    The forms are DIMACS (--target cnf), also with parity constraints as lines that begin with x, as CryptoMiniSat reads
    them (cnf-xor), MiniZinc (mzn), XCSP3 (xcsp3), answer set program (asp), SMT-LIB (smt2), pseudo-Boolean (opb) and
    integer program (lp), and by FILE's extension the protobuf of a CP-SAT model. `crosslit decode` reads the answers of
    solvers, except for CP-SAT models.
    """
    from crosslit.questions.formula import formula_of
    from crosslit.registry.defaults import choose_encoding

    if listing and path is not None:
        raise click.UsageError("one of -o and --list at a time")
    problem = output.read_puzzle(puzzle) if puzzle is not None else None
    if listing:
        _list_encodings(problem)
        return
    if problem is None:
        raise click.UsageError("Missing argument 'PUZZLE'.")
    extension = Path(path).suffix.lower() if path is not None else ""
    protobuf = extension in _CP_SAT
    encoding = choose_encoding(problem, name, target or ("cp-sat" if protobuf else None))
    if protobuf and encoding.target != "cp-sat":
        raise click.UsageError(f"a protobuf holds a CP-SAT model, and {encoding.name} makes {encoding.target}")
    formula: Encoded = formula_of(problem, encoding, target)
    output.write_file(path or "-", formula.written(_comments(problem, encoding), extension in _BINARY))
    if path not in (None, "-"):
        numbers = ", ".join(f"{value} {key}" for key, value in formula.sizes.items())
        output.write(f"{output.one_line(str(path))}: {encoding.target} by {encoding.name}, {numbers}")


def _comments(problem: Puzzle, encoding: Encoding) -> list[str]:
    from crosslit.base.version import __version__

    text = shorten(problem.text, _MAX_CHARACTERS)
    name = f" {problem.name}" if problem.name else ""
    lines = [f"crosslit {__version__}: {problem.kind}{name}, {problem.rows} x {problem.columns}"]
    lines += [f"encoding {encoding.name} to {encoding.target}", f"puzzle {text}"]
    # DIMACS readers expect ASCII, and a line end in a name would end the comment.
    return [output.one_line(line).encode("ascii", "replace").decode() for line in lines]


def _list_encodings(problem: Puzzle | None) -> None:
    from crosslit.base.text import Table
    from crosslit.registry import all_encodings

    table = Table("encoding", "puzzles", "target", "default", "about", prose={"about"})
    for encoding in all_encodings().values():
        if problem is not None and encoding.kind != problem.kind:
            continue
        default = "default" if encoding.default else ", ".join(sorted(encoding.default_for))
        table.add_row(encoding.name, encoding.kind, encoding.target, default, encoding.summary)
    output.write_table(table)


_MAX_MODEL = 1 << 27  # bytes: a literal takes at most eleven, and formulas have some million variables


@example_command(
    "crosslit decode 10/01 answer.txt", "echo 'v 1 -2 -3 4 0' >answer.txt; crosslit decode 10/01 answer.txt"
)
@options.puzzle_argument
@click.argument("model")
@options.encoding_options
@options.json_option
def decode_command(puzzle: str, model: str, name: str | None, target: str | None, as_json: bool) -> int:
    """Turn MODEL, the output of a solver for PUZZLE's formula, into a solution, and check it by the rules.

    MODEL is a file, or - for standard input. From a SAT solver: `s SATISFIABLE` and `v` lines that end with 0, as in
    the SAT Competition, or the format of MiniSat. With --target mzn, xcsp3, asp, smt2, opb or lp: the output of a
    solver of that form, for lp its solution file. Use the same encoding and target as for `crosslit encode`. Exit
    status: 0 a solution or the claim that there is none, 1 the model breaks the rules, 2 bad usage or input, 3
    undecided.
    """
    from crosslit.base.errors import UnreadableModel
    from crosslit.contract.registered import forms
    from crosslit.questions.formula import formula_of
    from crosslit.registry.defaults import choose_encoding

    problem = output.read_puzzle(puzzle)
    encoding = choose_encoding(problem, name, target)
    if encoding.target == "cp-sat":
        raise click.UsageError(f"answers of CP-SAT cannot be read, and {encoding.name} makes {encoding.target}")
    origin = "standard input" if model == "-" else model
    lines = output.read_input(model, _MAX_MODEL).decode(errors="replace").splitlines()
    formula: Encoded = formula_of(problem, encoding, target)
    try:
        claim, grid, broken = formula.answer(lines)
    except UnreadableModel as error:
        raise InputError(origin, str(error)) from None
    if grid is None and claim in (None, "satisfiable"):
        dimacs = "lines that begin with v, or MiniSat's SAT and a line of literals"
        form = f"the values that a solver of {target} prints" if target in forms() else dimacs
        raise InputError(origin, f"no model: expected {form}")
    violations = list(problem.violations(grid)) if grid is not None else []
    status = "unsolvable" if claim == "unsatisfiable" else "undecided"
    if grid is not None:
        status = "wrong" if violations else "solved"
    if as_json:
        about = {"puzzle": problem.json(), "encoding": encoding.name, "status": status}
        found = {"solution": grid.text if grid is not None else None, "violations": violations[:_MAX_VIOLATIONS]}
        output.write_json({**about, **found, "broken_constraint": broken})
    elif status == "unsolvable":
        output.write("no solution (claimed by the solver)")
    elif status == "undecided":
        output.write("undecided (the solver does not know)")
    elif status == "solved":
        output.write_picture(problem, grid)
    if violations:
        more = f", and {len(violations) - 1} more" if len(violations) > 1 else ""
        what = "clause" if encoding.target.startswith("cnf") else "constraint"
        # A model that satisfies the formula but breaks the rules accuses the encoding, and not the solver.
        blame = f"breaks the {what} {broken}" if broken else f"satisfies the formula of {encoding.name}"
        output.complain(f"{origin}: not a solution: {violations[0]}{more}; the model {blame}")
    return exit_status(wrong=status == "wrong", undecided=status == "undecided")


@example_command("crosslit check-certificate 10/11 certificate.json")
@options.puzzle_argument
@click.argument("certificate")
@options.query_options()
def check_certificate_command(query: Query, certificate: str) -> int:
    """Check CERTIFICATE, a file that `crosslit compare --certificate` or another program wrote about PUZZLE.

    The output says what the certificate proves and what remains trusted. The check runs in an isolated process under
    limits and does not solve the puzzle again. Exit status: 0 accepted, 1 rejected, 2 bad usage, or no certificate,
    3 the check did not finish, 130 interrupted.
    """
    from crosslit.base.text import exact, number_words
    from crosslit.contract import Certificate, CheckResult, UnreadableCertificate
    from crosslit.contract.certificate import MAX_CHARACTERS
    from crosslit.questions.compare import check_apart
    from crosslit.runs.runner import Runner

    puzzle, origin = query.read(), "standard input" if certificate == "-" else certificate
    try:
        text = output.read_input(certificate, MAX_CHARACTERS).decode()
    except UnicodeDecodeError:
        raise InputError(origin, "expected a certificate, JSON in UTF-8") from None
    with Runner(query.limits()) as runner:
        run = check_apart(puzzle, text, runner)
    if run.status == "interrupted":
        return exit_status(interrupted=True)
    ended = run.status in ("complete", "gave-up")
    # a text that the check has read within its limits can be read here too, and only that
    try:
        given = Certificate.from_json(text) if ended else None
    except UnreadableCertificate as error:
        raise InputError(origin, str(error)) from None
    checked = CheckResult.from_json(run.text) if run.status == "complete" else None
    reason = run.ending(query.limits())
    if query.as_json:
        record = {
            **{name: getattr(given, name) if given else None for name in ("format", "claim")},
            "count": exact(given.count) if given else None,
            "accepted": checked is not None if ended else None,
            "reason": reason if checked is None else None,
            "checked_by": checked.by if checked else None,
            "trusts": list(checked.trusted_base) if checked else None,
        }
        output.write_json({"puzzle": puzzle.json(), **record})
    elif checked is not None:
        trusted_base = ["the rules of the puzzle, the checker and Python", *checked.trusted_base]
        number = {0: "is no solution", 1: "is exactly one solution"}.get(
            checked.count, f"are exactly {number_words(checked.count)} solutions"
        )
        output.write(f"accepted: there {number} (checked by {checked.by})")
        output.write(f"still trusted: {'; '.join(trusted_base)}")
    else:
        output.write(f"{'refused' if ended else 'the check did not finish'}: {output.one_line(reason)}")
    return exit_status(wrong=ended and checked is None, undecided=not ended)
