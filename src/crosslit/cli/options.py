"""Options that commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from crosslit.cli.types import PUZZLE, SECONDS, Number
from crosslit.grid import Grid
from crosslit.puzzles import KINDS, LightsOut, all_kinds
from crosslit.puzzles.lights_out import PATTERNS, WRAPS
from crosslit.registry.encodings import FORMS, TARGETS
from crosslit.runs.run import MAX_SECONDS


class FormatOption(click.Option):
    """An option whose help names all formats in the place of ``{}``, which are found only when it is shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option and its help."""
        from crosslit.formats import FORMATS

        self.help = (self.help or "").replace("{}", ", ".join(FORMATS))
        return super().get_help_record(ctx)


class KindName(click.Choice):  # type: ignore[type-arg]  # not generic before click 8.2
    """A kind of puzzle: the help names those that Crosslit brings, and every registered one is accepted."""

    def __init__(self) -> None:
        super().__init__(list(KINDS))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the kind of a name; fail with all names if there is none."""
        if value not in self.choices:
            self.choices = tuple(all_kinds())
        return super().convert(value, param, ctx)


puzzle_argument = click.argument("puzzle", type=PUZZLE)
puzzles_argument = click.argument("puzzles", type=PUZZLE, nargs=-1, required=True, metavar="PUZZLE...")
format_option = click.option(
    "--format",
    "format_name",
    metavar="NAME",
    cls=FormatOption,
    help="Read puzzles as this format: {}.  [default: guess]",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line instead of text.")


solver_option = click.option(
    "--solver",
    "solvers",
    multiple=True,
    metavar="NAME=COMMAND",
    help="Use your SAT solver as a backend: NAME='COMMAND {cnf}', with {out} if it writes its model to a file. "
    'Also in crosslit.toml, under [solvers]: NAME = "COMMAND {cnf}", unless Crosslit knows a command NAME.',
)


def encoding_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of an encoding: its ``name`` and its ``target``."""
    command = click.option(
        "--xor", "target", flag_value="cnf-xor", help="An encoding with parity constraints: --target cnf-xor."
    )(command)
    command = click.option(
        "--target",
        type=click.Choice([*TARGETS, *FORMS]),
        help="The kind of formula, or the form of a finite-domain model's file.  [default: the one of NAME, else cnf]",
    )(command)
    return click.option("--encoding", "name", metavar="NAME", help="As listed.  [default: the target's default]")(
        command
    )


def limits(seconds: float, memory_mb: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator for the limits of each run, with defaults: seconds of wall time, and memory in 2^20 bytes."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        command = click.option(
            "--memory",
            "memory_mb",
            type=Number(1),
            default=memory_mb,
            show_default=True,
            metavar="MB",
            help="Memory of each run.",
        )(command)
        return click.option(
            "--timeout",
            type=SECONDS,
            default=int(seconds) if seconds == int(seconds) else seconds,
            show_default="none" if seconds == MAX_SECONDS else True,
            metavar="SECONDS",
            help="Wall time of each run, from encoding to decoding.",
        )(command)

    return decorate


limit_options = limits(60.0, 4096)
small_limit_options = limits(10.0, 1024)  # of runs on small puzzles


def rules_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for the rules of boards that are given only by their size; `rules` reads them."""
    command = click.option(
        "--wrap", type=click.Choice(WRAPS), default="none", show_default=True, help="The edges that are joined."
    )(command)
    return click.option(
        "--press",
        default="plus",
        show_default=True,
        help=f"The cells that a press toggles: {', '.join(PATTERNS)}, or a picture.",
    )(command)


def rules(press: str, wrap: Any) -> LightsOut:
    """Return a board of one cell with these rules.

    Raises:
        InputError: if there is no such pattern.
    """
    from crosslit.formats.board import pattern

    return LightsOut(Grid.from_bits(1, 1, 0), pattern(press, "--press"), wrap)
