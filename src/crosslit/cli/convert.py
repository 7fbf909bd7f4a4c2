"""``crosslit convert``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from crosslit.cli import output
from crosslit.cli.help import ExampleCommand, example_command
from crosslit.cli.options import json_option, to_option

if TYPE_CHECKING:
    from crosslit.formats._format import Format
    from crosslit.kinds import Puzzle

_MAX_LIST = 1 << 34  # bytes; lists are longer than files of puzzles


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
@click.option(
    "--from", "--format", "read_as", metavar="FORMAT", help="Format of the puzzles that are read.  [default: guess]"
)
@to_option(help="Format of the output.  [default: by the extension of OUT]")
@json_option
def command(source: str, output_path: str, read_as: str | None, write_as: str | None, as_json: bool) -> None:
    """Read the puzzles of IN and write them to OUT, whole or not at all.

    IN is a PUZZLE; OUT a file, or - for standard output. A file may hold several puzzles: all of them are written, or
    only one with FILE:7. A grid of 0 and 1 is a Lights Out board; --from picture reads it as the picture of a nonogram.
    A list of solutions from `crosslit enumerate` becomes an array of NumPy, of shape (solutions, rows, columns), if OUT
    ends in .npy. If it ends in .png, a solution is drawn, with a pixel for each cell: the picture has the clues of the
    puzzle.
    """
    from crosslit.base.errors import InputError
    from crosslit.formats import FORMATS, of_path, require, write_all

    if as_json and output_path == "-":
        raise click.UsageError("the puzzles go to standard output: --json needs a file as OUT")
    if output_path.endswith(".npy") and not write_as:
        _write_array(source, output_path, as_json)
        return
    chosen = require(write_as) if write_as else of_path(output_path)
    if chosen is None:
        why = "standard output has no extension" if output_path == "-" else "its extension matches none"
        raise InputError(output_path, f"expected --to with one of {', '.join(FORMATS)}: {why}")
    count = 0
    lost: set[str] = set()

    def counted() -> Iterator[Puzzle]:
        nonlocal count
        for puzzle in output.read_puzzles(source, read_as):
            count += 1
            # Collected while writing, since puzzles are streamed; reported at the end, once for the whole file.
            lost.update({word for word, _ in getattr(puzzle, "credits", ())} - chosen.credits)
            yield puzzle

    draws = chosen.draw is not None and output_path.lower().endswith(".png")
    pieces = _draw(counted(), chosen, source) if draws else write_all(counted(), chosen.name)
    if output_path == "-":
        output.write_text(b"".join(pieces).decode())
    else:
        output.write_file(output_path, pieces)
    if lost:
        output.complain(f"the format {chosen.name} cannot store these entries of IN: {', '.join(sorted(lost))}")
    if output_path == "-":
        return
    if as_json:
        output.write_json({"file": output_path, "format": chosen.name, "puzzles": count})
    else:
        output.write(output.one_line(f"{output_path}: {count} {'puzzle' if count == 1 else 'puzzles'}, {chosen.name}"))


def _draw(puzzles: Iterator[Puzzle], chosen: Format, source: str) -> Iterator[bytes]:
    """Yield the picture of a solution of the only puzzle."""
    from crosslit.base.errors import InputError
    from crosslit.contract.run import Limits
    from crosslit.formats._format import only
    from crosslit.questions.solve import some_solutions
    from crosslit.runs.runner import isolated

    puzzle = only(puzzles, source)
    with isolated(None, Limits(), in_process=True) as runner:
        found, run = some_solutions(runner, puzzle, 1)
    if not found:
        why = "the puzzle has no solution" if run.status == "complete" else f"{run.backend} finds no solution in time"
        raise InputError("cannot be written", f"{why}, which the picture would be")
    assert chosen.draw is not None
    try:
        content = chosen.draw(puzzle, found[0])
    except ValueError as error:
        raise InputError("cannot be written", str(error)) from None
    yield content


def _write_array(source: str, path: str, as_json: bool) -> None:
    """Write the solutions of a list as an array of NumPy."""
    import io

    import numpy as np

    from crosslit.questions.enumerate.given import read_list

    solutions = read_list(output.read_input(source, _MAX_LIST), source)
    file = io.BytesIO()
    np.save(file, solutions)
    output.write_file(path, [file.getvalue()])
    if as_json:
        output.write_json({"file": path, "format": "npy", "solutions": len(solutions)})
    else:
        output.write(output.one_line(f"{path}: {len(solutions)} solutions, an array of shape {solutions.shape}"))
