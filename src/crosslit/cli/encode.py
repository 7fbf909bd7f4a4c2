"""``crosslit encode``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crosslit.base.numbers import format_seconds, shorten
from crosslit.cli import output
from crosslit.cli.help import example_command
from crosslit.cli.options import encoding_options, format_option, json_option, output_option

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crosslit.contract import Encoded, Encoding
    from crosslit.kinds import Puzzle

_MAX_CHARACTERS = 1000  # maximum characters of a comment line: some readers have a buffer for it
_BINARY = (".pb", ".bin")
_CP_SAT = (*_BINARY, ".pbtxt", ".textproto")


@example_command("crosslit encode '1,2|2,1' -o puzzle.cnf", "crosslit encode '1,2|2,1' --formula-sizes")
@click.argument("puzzle", required=False)
@encoding_options
@output_option(
    help="Write to FILE instead of standard output; .pb and .pbtxt choose the CP-SAT model, binary and text."
)
@click.option("--list", "listing", is_flag=True, help="List all encodings, or those of PUZZLE's kind.")
@click.option(
    "--formula-sizes",
    "measuring",
    is_flag=True,
    help="Print the size of PUZZLE's formula by each encoding.",
)
@json_option
@format_option
def command(
    puzzle: str | None,
    name: str | None,
    target: str | None,
    path: str | None,
    listing: bool,
    measuring: bool,
    as_json: bool,
    format_name: str | None,
) -> None:
    """Write the formula of PUZZLE for another solver; comments say which variables its cells are.

    The forms are DIMACS (--target cnf), also with parity constraints as lines that begin with x, as CryptoMiniSat reads
    them (cnf-xor), MiniZinc (mzn), FlatZinc (fzn, by minizinc), XCSP3 (xcsp3), answer set program (asp), SMT-LIB
    (smt2), pseudo-Boolean (opb) and integer program (lp), and by FILE's extension the protobuf of a CP-SAT model.
    `crosslit decode` reads the answers of solvers, except for CP-SAT models.
    """
    from crosslit.questions.formula import formula_of
    from crosslit.registry.defaults import choose_encoding

    if (listing and measuring) or (path is not None and (listing or measuring)):
        raise click.UsageError("one of -o, --list and --formula-sizes at a time")
    problem = output.read_puzzle(puzzle, format_name) if puzzle is not None else None
    if listing:
        _list(problem, as_json)
        return
    if problem is None:
        raise click.UsageError("Missing argument 'PUZZLE'.")
    if measuring:
        _write_sizes(problem, as_json)
        return
    extension = Path(path).suffix.lower() if path is not None else ""
    protobuf = extension in _CP_SAT
    encoding = choose_encoding(problem, name, target or ("cp-sat" if protobuf else None))
    if protobuf and encoding.target != "cp-sat":
        raise click.UsageError(f"a protobuf holds a CP-SAT model, and {encoding.name} makes {encoding.target}")
    formula: Encoded = formula_of(problem, encoding, target)
    _write(problem, encoding, formula, path or "-", extension in _BINARY, as_json)


def _write(problem: Puzzle, encoding: Encoding, formula: Encoded, path: str, binary: bool, as_json: bool) -> None:
    if path == "-" and as_json:
        raise click.UsageError("the formula goes to standard output: --json needs -o, --list or --formula-sizes")
    pieces = formula.written(_comments(problem, encoding), binary)
    if path == "-":
        for piece in pieces:
            output.write_text(piece.decode())
        return
    output.write_file(path, pieces)
    if as_json:
        from crosslit.judging.verdict import puzzle_json

        record = {"puzzle": puzzle_json(problem, None), "encoding": encoding.name, "target": encoding.target}
        output.write_json({**record, **formula.sizes, "file": path})
    else:
        numbers = ", ".join(f"{value} {key}" for key, value in formula.sizes.items())
        output.write(f"{output.one_line(path)}: {encoding.target} by {encoding.name}, {numbers}")


def _comments(problem: Puzzle, encoding: Encoding) -> list[str]:
    from crosslit.base.version import __version__

    text = shorten(problem.text, _MAX_CHARACTERS)
    name = f" {problem.name}" if problem.name else ""
    lines = [f"crosslit {__version__}: {problem.kind}{name}, {problem.rows} x {problem.columns}"]
    lines += [f"encoding {encoding.name} to {encoding.target}", f"puzzle {text}"]
    # DIMACS readers expect ASCII, and a line end in a name would end the comment.
    return [output.one_line(line).encode("ascii", "replace").decode() for line in lines]


def _list(problem: Puzzle | None, as_json: bool) -> None:
    from crosslit.base.table import Table
    from crosslit.registry import all_encodings

    table = Table("encoding", "puzzles", "target", "default", "about", prose={"about"})
    for encoding in all_encodings().values():
        if problem is not None and encoding.kind != problem.kind:
            continue
        if as_json:
            about = ("kind", "target", "name", "default", "summary")
            output.write_json({name: getattr(encoding, name) for name in about})
        else:
            table.add_row(
                encoding.name,
                encoding.kind,
                encoding.target,
                "default" if encoding.default else ", ".join(sorted(encoding.default_for)),
                encoding.summary,
            )
    if not as_json:
        output.write_table(table)


def _write_sizes(problem: Puzzle, as_json: bool) -> None:
    from crosslit.base.table import Table
    from crosslit.questions.formula import sizes

    found = []
    for size in sizes(problem):
        if as_json:
            output.write_json(size.json())
        found.append(size)
    if as_json:
        return
    numbers = _columns(size.sizes for size in found)
    table = Table("encoding", "target", *numbers, "time", "note", right={*numbers, "time"}, prose={"note"})
    for size in found:
        cells: list[Any] = [size.sizes.get(number, "") for number in numbers]
        time = "" if size.reason else format_seconds(size.seconds, column=True)
        table.add_row(size.encoding.name, size.encoding.target, *map(str, cells), time, size.reason)
    output.write(problem.title())
    output.write_table(table)


def _columns(found: Iterable[Any]) -> list[str]:
    return list(dict.fromkeys(number for sizes in found for number in sizes))
