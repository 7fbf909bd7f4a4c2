"""``crosslit generate``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from crosslit.base.errors import GaveUp, InputError
from crosslit.cli import output
from crosslit.cli.group import example_command
from crosslit.cli.options import (
    COUNT,
    FloatRange,
    json_option,
    output_option,
    seed_option,
    timeout_option,
    to_option,
)
from crosslit.cli.output import exit_status
from crosslit.kinds.lights_out.rules import MODULAR_PATTERNS, MODULAR_WRAPS

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from crosslit.kinds import Puzzle
    from crosslit_generate.nonogram import NewPuzzle

_KINDS = ("lights-out", "modular-lights-out", "nonogram", "coloured-nonogram")
_DEFAULT_SIZE = {kind: (10, 10) if "nonogram" in kind else (5, 5) for kind in _KINDS}
_MAX_PICTURE = 1 << 27  # bytes
_MAX_SECONDS = 1e6  # a system does not accept every number
_INTERRUPTED = "interrupted"


def _size(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[int, int] | None:  # noqa: ARG001
    """Return rows and columns: 5x7, or 5 for 5x5; six digits at most, since `int` accepts thousands."""
    if value is None:
        return None
    found = re.fullmatch(r"([1-9][0-9]{0,5})(?:x([1-9][0-9]{0,5}))?", value.strip())
    if found is None:
        raise click.BadParameter(f"expected ROWSxCOLUMNS such as 5x7, or 5 for 5x5, found {value[:20]!r}.")
    return int(found[1]), int(found[2] or found[1])


@example_command(
    "crosslit generate nonogram --size 10x15 --unique",
    "crosslit generate lights-out --size 5x7 --count 3 -o pack.puzzles",
    "crosslit generate modular-lights-out --states 6 --press hexagons --wrap torus",
)
@click.argument("kind", type=click.Choice(_KINDS), metavar="KIND")
@click.option(
    "--size", callback=_size, metavar="RxC", help="Rows and columns.  [default: 5x5 for boards, 10x10 for nonograms]"
)
@click.option("--count", type=COUNT, default=1, show_default=True, metavar="N", help="Number of puzzles.")
@seed_option(type=click.IntRange(0), default=0)
@click.option(
    "--density",
    type=FloatRange(0, 1),
    metavar="P",
    help="Nonograms: fraction of filled cells.  [default: 0.5; 0.4 for hard ones, 0.7 in colours]",
)
@click.option("--unique", is_flag=True, help="Nonograms: change a few cells until there is one solution.")
@click.option(
    "--difficulty",
    type=click.Choice(["line", "probe", "search"]),
    help="Nonograms in black: one solution, found by line solving only, by probing cells, or by guesses.",
)
@click.option(
    "--from-picture", "picture_file", metavar="FILE", help="Nonograms in black: use this picture: rows of 0/1 or PBM."
)
@click.option(
    "--colours", type=click.IntRange(1, 31), metavar="N", help="Coloured nonograms: number of colours.  [default: 3]"
)
@click.option(
    "--solvable/--unsolvable", default=True, help="Boards: whether they have a solution.  [default: solvable]"
)
@click.option(
    "--states", type=click.IntRange(2, 16), metavar="K", help="Modular boards: number of states.  [default: 3]"
)
@click.option(
    "--press",
    default="plus",
    show_default=True,
    help=f"Boards: the cells that a press toggles: {', '.join(MODULAR_PATTERNS)} (modular boards), or a picture.",
)
@click.option(
    "--wrap",
    type=click.Choice(MODULAR_WRAPS),
    default="none",
    show_default=True,
    help="Boards: the edges that are joined; moebius and klein are for modular boards.",
)
@timeout_option(default=60, help="Limit on the wall time of each puzzle, with --unique or --difficulty.")
@to_option(
    help="Format of the output; `crosslit convert --help` lists all.  "
    "[default: by FILE's extension, else lines: one puzzle per line]",
)
@output_option()
@json_option
def command(
    kind: str,
    size: tuple[int, int] | None,
    picture_file: str | None,
    count: int,
    seed: int,
    timeout: float,
    write_as: str | None,
    path: str | None,
    as_json: bool,
    **options: Any,
) -> int:
    """Make random puzzles, or a nonogram from a picture; equal seeds give equal puzzles.

    KIND is lights-out, modular-lights-out, nonogram or coloured-nonogram.

    With --unique, cells in which solutions differ are changed until the backend `hybrid`, or `line` in colours, finds
    only one solution; --json shows the number of changed cells, which need not be the minimum. The backend `line`
    decides the difficulty; hard puzzles are rare among small ones.

    Impossible requests are refused (exit status 2). The exit status is 3 if a puzzle was not found in time, and 130
    after an interrupt; earlier puzzles are kept in both cases.
    """
    from crosslit.base.files import read_bytes
    from crosslit.base.posix import isolation_problem
    from crosslit.formats.picture import cells
    from crosslit_generate.generate import generate_each

    if picture_file is not None:
        if (size, options["density"], count) != (None, None, 1):
            raise InputError("--from-picture", "goes without --size, --density and --count")
        options["picture"] = given = cells(read_bytes(picture_file, _MAX_PICTURE), picture_file)
        size = given.rows, given.columns
    # Before the first puzzle, which may take a minute.
    chosen = _format(write_as, path, count)
    has_limit = options["unique"] or options["difficulty"]
    if has_limit and isolation_problem():
        output.complain("--timeout has no effect on this system")
        has_limit = False

    def run(make: Callable[[random.Random], NewPuzzle], rng: random.Random) -> NewPuzzle:
        return in_time(lambda: make(rng), timeout) if has_limit else make(rng)

    outcome = _Outcome(count)
    generated = generate_each(kind, size or _DEFAULT_SIZE[kind], count, seed, run, **options)
    try:
        _write(_reported(generated, outcome, seed, as_json, picture_file is not None), path, chosen, as_json)
    except ValueError as error:
        raise InputError(kind, str(error)) from None
    return exit_status(interrupted=outcome.reason == _INTERRUPTED, undecided=outcome.made < count)


@dataclass
class _Outcome:
    count: int
    made: int = 0
    reason: str = ""  # why fewer were made


def _reported(
    generated: Iterator[NewPuzzle], outcome: _Outcome, seed: int, as_json: bool, says_changes: bool
) -> Iterator[Puzzle]:
    """Yield the puzzles, and report each; an interrupt, or a puzzle that is not found, is reported and ends them."""
    try:
        for new in generated:
            puzzle, facts = new.puzzle, new.facts
            yield puzzle  # before it is reported, so that an interrupt of the report does not lose it
            outcome.made += 1
            if as_json:
                about = puzzle.json(puzzle.nullity())
                output.write_json({"puzzle": about, "seed": seed, "number": outcome.made, **facts})
            if says_changes and facts["unique"]:
                output.complain(f"{facts['changed']} of {puzzle.rows * puzzle.columns} cells changed")
    except KeyboardInterrupt:
        outcome.reason = _INTERRUPTED
    except GaveUp as error:
        outcome.reason = str(error)
    if outcome.reason:  # fewer puzzles than requested are written, and the status says so
        output.complain(f"{outcome.made} of {outcome.count} puzzles made: {outcome.reason}")


def _write(puzzles: Iterator[Puzzle], path: str | None, write_as: str, as_json: bool) -> None:
    """Write each puzzle as soon as it is made, or a file at the end, unless there is none."""
    from crosslit.formats import write_all

    if path is not None or as_json:
        pack = list(puzzles)
        if pack and path is not None:
            output.write_file(path, write_all(pack, write_as), announce=not as_json)
    elif (first := next(puzzles, None)) is not None:
        for piece in write_all(chain([first], puzzles), write_as):
            output.write_text(piece.decode())


def _format(name: str | None, path: str | None, count: int) -> str:
    """Return the format to write, after checking that it exists, can be written, and allows that many puzzles."""
    from crosslit.formats import of_path, require

    chosen = require(name) if name else of_path(path) or require("lines")
    if not chosen.writes or (count > 1 and not chosen.several):
        problem = "it allows one puzzle per file; lines allows several" if chosen.writes else "it is read-only"
        raise InputError(f"format {chosen.name}", problem)
    return chosen.name


def in_time(make: Callable[[], NewPuzzle], seconds: float) -> NewPuzzle:
    """Make a puzzle in a forked process, as SAT solvers obey no limit and no interrupt; `GaveUp` if it takes longer."""
    from multiprocessing import Pipe

    from crosslit.runs.processes import ProcessGroup

    reader, writer = Pipe()

    def send() -> None:
        try:
            outcome: NewPuzzle | GaveUp = make()
        except GaveUp as error:  # of another mistake the process prints the traceback, and ends
            outcome = error
        writer.send(outcome)

    with reader:
        process = ProcessGroup(send)
        writer.close()  # with a copy of it here, the end of the process would be no end of file
        try:
            if not reader.poll(min(seconds, _MAX_SECONDS)):
                raise GaveUp(f"stopped after {seconds:g} s (--timeout)")
            outcome: NewPuzzle | GaveUp = reader.recv()  # from a fork of this process, which runs Crosslit's code
        except EOFError:  # the kernel, short of memory, or the user killed it
            raise GaveUp("the process that makes them was ended") from None
        finally:
            process.kill()
            process.reap()
    if isinstance(outcome, GaveUp):
        raise outcome
    return outcome
