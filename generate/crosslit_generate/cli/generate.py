"""``crosslit generate``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from crosslit.base.errors import GaveUp, InputError
from crosslit.base.numbers import join_names
from crosslit.cli import output
from crosslit.cli.exit_status import exit_status
from crosslit.cli.group import ExampleCommand, ExampleGroup
from crosslit.cli.options import (
    Number,
    combined,
    json_option,
    output_option,
    seed_option,
    size_option,
    timeout_option,
    to_option,
)
from crosslit.kinds import all_kinds, kind_of
from crosslit.kinds.lights_out.rules import MODULAR_PATTERNS, MODULAR_WRAPS, PATTERNS, WRAPS

if TYPE_CHECKING:
    import random

    from crosslit.kinds import Puzzle

    Make = Callable[[random.Random, Callable[[str], None]], tuple[Puzzle, dict[str, Any]]]


_MAX_PICTURE = 1 << 27  # bytes

_shared = combined(
    click.option("--count", type=Number(1), default=1, show_default=True, help="Number of puzzles."),
    seed_option(type=Number(0), default=0),
    timeout_option(default=60, help="Limit on the wall time of each puzzle."),
    to_option(
        help="Format of the output; `crosslit convert --help` lists all.  "
        "[default: by FILE's extension, else lines: one puzzle per line]",
    ),
    output_option(),
    json_option,
)


class _Kinds(ExampleGroup):
    """A group with a command for each family of puzzles that can be generated; other kinds get a message."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of a family; for another kind, fail with a message."""
        from crosslit_generate.constrained import BY_OPTION

        if option := BY_OPTION.get(args[0]):
            raise click.UsageError(f"{args[0]} puzzles are made by `crosslit generate {option}`.", ctx)
        if args[0] not in self.commands and args[0] in (known := all_kinds()):
            supported = join_names([known[kind].puzzle.plural for kind in self.commands])
            others = known[args[0]].puzzle.plural
            raise click.UsageError(f"it makes {supported}; {others} come from their own distribution.", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=_Kinds,
    examples=[
        "crosslit generate nonogram --size 10 --unique",
        "crosslit generate lights-out --size 5x7 --count 3 -o pack.puzzles",
    ],
)
def command() -> None:
    """Make random puzzles, or a nonogram from a picture; equal seeds give equal puzzles.

    Impossible requests are refused (exit status 2). The exit status is 3 if a puzzle was not found in time, and 130
    after an interrupt; earlier puzzles are kept in both cases.
    """


@command.command(
    "lights-out",
    cls=ExampleCommand,
    examples=[
        "crosslit generate lights-out --size 5",
        "crosslit generate lights-out --size 9 --nullity 8 --min-presses 20",
        "crosslit generate lights-out --size 5 --states 6 --press hexagons --wrap torus",
    ],
    short_help="Lights Out boards.",
)
@size_option(help="Rows and columns.  [default: 5x5, or the smallest of the nullity]")
@click.option(
    "--solvable/--unsolvable", default=True, show_default="solvable", help="Whether the boards have a solution."
)
@click.option(
    "--states",
    type=Number(2, 16),
    metavar="K",
    help="Lights with K states, as in modular-lights-out.  [default: on, off]",
)
@click.option("--nullity", type=Number(0), metavar="K", help="A solvable board has 2^K solutions.")
@click.option("--min-presses", type=Number(0), default=0, metavar="K", help="Only boards that need K presses or more.")
@click.option(
    "--press",
    default="plus",
    show_default=True,
    help=f"The cells that a press toggles: {', '.join(MODULAR_PATTERNS)}, or a picture.",
)
@click.option(
    "--wrap", type=click.Choice(MODULAR_WRAPS), default="none", show_default=True, help="The edges that are joined."
)
@_shared
def lights_out(
    size: tuple[int, int] | None,
    solvable: bool,
    states: int | None,
    nullity: int | None,
    min_presses: int,
    press: str,
    wrap: Any,
    **shared: Any,
) -> int:
    """Make Lights Out boards: by random presses, or by random lights that no presses put out.

    The nullity depends only on the size and the rules: without --size, the smallest square with that nullity is used,
    or else the smallest rectangle. The backend `fewest` proves --min-presses. With --states, these two do not apply,
    and there are more patterns and edges.
    """
    if states is not None:
        if nullity is not None or min_presses:
            raise InputError("--states", "goes without --nullity and --min-presses")
        return _modular(size or (5, 5), states, press, wrap, solvable, **shared)
    from crosslit.kinds.lights_out.text import rules
    from crosslit_generate.lights_out import BoardSpec, board_to_order, size_of_nullity

    for option, value, usual in (("--press", press, PATTERNS), ("--wrap", wrap, WRAPS)):
        if value not in usual and value in (*MODULAR_PATTERNS, *MODULAR_WRAPS):
            raise InputError(option, f"{value} is for boards of --states K")
    board = rules(press, wrap, "--press")
    if min_presses and not solvable:
        raise InputError("--unsolvable", "a board without a solution has no fewest presses")
    try:
        if size is None:
            size = (5, 5) if nullity is None else size_of_nullity(nullity, board)
        order = BoardSpec(*size, board, solvable, min_presses)
        quiet = order.nullity() if nullity is not None or not solvable else None
    except ValueError as error:
        raise InputError("lights-out", str(error)) from None
    if nullity not in (None, quiet):
        raise InputError(f"--nullity {nullity}", f"boards of {size[0]} x {size[1]} have nullity {quiet}")

    def make(rng: random.Random, _: Callable[[str], None]) -> tuple[Puzzle, dict[str, Any]]:
        return board_to_order(order, rng), {"solvable": solvable, "min_presses": min_presses or None}

    return _run("lights-out", make, **shared)


def _modular(size: tuple[int, int], states: int, press: str, wrap: str, solvable: bool, **shared: Any) -> int:
    from crosslit.kinds.lights_out.making import of_rules
    from crosslit.kinds.lights_out.modular import ModularLightsOut

    rows = ["0" * size[1]] * size[0]
    try:
        settings = f"{ModularLightsOut.kind}:{states}", f"press={press}", f"wrap={wrap}"
        dark = ModularLightsOut.parse("/".join([*settings, *rows]))
    except ValueError as error:
        raise InputError("--press", str(error)) from None

    def make(rng: random.Random, _: Callable[[str], None]) -> tuple[Puzzle, dict[str, Any]]:
        return of_rules(rng, dark, solvable), {"solvable": solvable, "min_presses": None}

    return _run("modular-lights-out", make, **shared)


@command.command(
    "nonogram",
    cls=ExampleCommand,
    examples=[
        "crosslit generate nonogram --size 10x15 --unique",
        "crosslit generate nonogram --from-picture examples/arrow.pbm --difficulty line --max-changes 5",
        "crosslit generate nonogram --size 10x15 --colours 4 --unique",
    ],
    short_help="Nonograms.",
)
@size_option(help="Rows and columns.  [default: 10x10]")
@click.option(
    "--colours",
    type=Number(1, 31),
    metavar="N",
    help="Filled cells of N colours, as in coloured-nonogram.  [default: black]",
)
@click.option(
    "--density",
    type=Number(0, 1, what="a number", fraction=True),
    help="Fraction of filled cells.  [default: 0.5; 0.4 for hard ones, 0.7 in colours]",
)
@click.option("--unique", is_flag=True, help="Change a few cells of the picture so that there is one solution.")
@click.option(
    "--difficulty",
    type=click.Choice(["line", "probe", "search"]),
    help="Make puzzles with one solution, found by line solving only, by probing cells, or by guesses.",
)
@click.option("--from-picture", "picture", metavar="FILE", help="Use this picture: rows of 0/1 or ./#, or PBM.")
@click.option(
    "--max-changes",
    type=Number(0),
    metavar="N",
    help="Change at most N cells of the given picture.  [default: for a difficulty, a tenth of its cells]",
)
@_shared
def nonogram(
    size: tuple[int, int] | None,
    colours: int | None,
    density: float | None,
    unique: bool,
    difficulty: str | None,
    picture: str | None,
    max_changes: int | None,
    **shared: Any,
) -> int:
    """Make nonograms from random pictures, or from a given one.

    With --unique, cells in which solutions differ are changed until the backend `hybrid` finds only one solution;
    --json shows the number of changed cells, which need not be the minimum. The backend `line` decides the difficulty;
    hard puzzles are rare among small ones. With --colours, the backend is `line`, and --from-picture,
    --difficulty and --max-changes do not apply.
    """
    if picture is not None and (size, density, shared["count"]) != (None, None, 1):
        raise InputError("--from-picture", "goes without --size, --density and --count")
    if colours is not None:
        if difficulty or picture is not None or max_changes is not None:
            raise InputError("--colours", "goes without --from-picture, --difficulty and --max-changes")
        return _coloured(size or (10, 10), colours, 0.7 if density is None else density, unique, **shared)
    from crosslit.base.files import read_bytes
    from crosslit.formats.image import cells
    from crosslit_generate.nonogram import NonogramOrder, nonogram_to_order

    if max_changes is not None and (picture is None or not (unique or difficulty)):
        raise InputError("--max-changes", "goes with --from-picture, and with --unique or --difficulty")
    given = None if picture is None else cells(read_bytes(picture, _MAX_PICTURE), picture)
    rows, columns = (given.rows, given.columns) if given is not None else size or (10, 10)
    order = NonogramOrder(rows, columns, density, unique, difficulty, given, max_changes)

    def make(rng: random.Random, on_step: Callable[[str], None]) -> tuple[Puzzle, dict[str, Any]]:
        generated = nonogram_to_order(order, rng, on_step)
        facts = {"unique": generated.unique, "difficulty": generated.difficulty, "changed": generated.changed}
        return generated.puzzle, {**facts, "picture": generated.picture.text}

    def report(facts: dict[str, Any]) -> None:
        if given is not None and (unique or difficulty):
            changed = f"{facts['changed']} of {given.rows * given.columns} cells"
            goal = f"the difficulty {difficulty}" if difficulty else "one solution"
            more = " (fewer are not ruled out)" if facts["changed"] else ""
            output.complain(f"{changed} changed for {goal}{more}")

    return _run("nonogram", make, **shared, report=report)


def _coloured(size: tuple[int, int], colours: int, density: float, unique: bool, **shared: Any) -> int:
    from crosslit_generate.nonogram import random_coloured

    def make(rng: random.Random, _: Callable[[str], None]) -> tuple[Puzzle, dict[str, Any]]:
        generated = random_coloured(rng, *size, colours, density, unique)
        facts = {"unique": unique or None, "difficulty": None, "changed": generated.changed}
        return generated.puzzle, {**facts, "picture": generated.picture.text}

    return _run("coloured-nonogram", make, **shared)


def _format(name: str | None, path: str | None, count: int) -> str:
    """Return the format to write, after checking that it exists, can be written, and allows that many puzzles."""
    from crosslit.formats import FORMATS, of_path, require

    chosen = require(name) if name else (of_path(path) if path is not None else None) or require("lines")
    if not chosen.writes:
        raise InputError(f"format {chosen.name}", "it is read-only")
    if count > 1 and not chosen.several:
        several = ", ".join(known.name for known in FORMATS.values() if known.several and known.writes)
        raise InputError(f"format {chosen.name}", f"it allows one puzzle per file; {several} allow several")
    return chosen.name


def _run(
    kind: str,
    make: Make,
    *,
    count: int,
    seed: int,
    timeout: float,
    write_as: str | None,
    path: str | None,
    as_json: bool,
    report: Callable[[dict[str, Any]], None] = lambda _: None,
) -> int:
    """Write each puzzle as soon as it is made, or a file at the end, with all puzzles made; return the exit status."""
    from crosslit.contract.family import seeded
    from crosslit.formats import write_all
    from crosslit.judging.verdict import puzzle_json
    from crosslit_generate.forked import ForkedWorker

    def numbered(number: int, on_step: Callable[[str], None]) -> tuple[Puzzle, dict[str, Any]]:
        return make(seeded(kind, seed, number), on_step)

    # Before the first puzzle, which may take a minute.
    chosen = _format(write_as, path, count)
    made = 0
    with output.Progress(count) as progress, ForkedWorker(numbered, count, timeout) as making:

        def puzzles() -> Iterator[Puzzle]:
            nonlocal made
            reason = "interrupted"
            try:
                for made, (puzzle, facts) in enumerate(making.results(progress.started), 1):
                    progress.ended()
                    if as_json:
                        about = puzzle_json(puzzle, kind_of(puzzle).nullity(puzzle))
                        output.write_json({"puzzle": about, "seed": seed, "number": made, **facts})
                    report(facts)
                    yield puzzle
            except GaveUp as error:
                reason = str(error)
            except ValueError as error:
                raise InputError(kind, str(error)) from None
            # Fewer puzzles than requested are a partial success: they are written, and the status says so.
            if made < count:
                output.complain(f"{made} of {count} puzzles made: {reason}")

        generated = puzzles()
        # The first one is made before a file is opened: if there is none, nothing is written.
        first = next(generated, None)
        if first is not None:
            pieces = write_all(chain([first], generated), chosen)
            if path is not None:
                output.write_file(path, pieces, announce=not as_json)
            else:
                for piece in pieces:
                    if not as_json:
                        output.write_text(piece.decode())
    return exit_status(interrupted=making.interrupted and made < count, undecided=made < count)
