"""Help that begins with examples, and the correction of misspelt commands."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Sequence
from typing import Any

import click

_UNKNOWN = re.compile(r"No such command ['\"](.*?)['\"](?:[.,]|$)", re.DOTALL)  # click's message
_PUZZLE = re.compile(r"[01.#_/]+|[0-9 ,]+\|[0-9 ,]*")


class ExampleCommand(click.Command):
    """A command whose help begins with examples, and whose function returns the exit status, or None for 0."""

    def __init__(self, *arguments: Any, examples: Sequence[str] = (), **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.examples = tuple(examples)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, one per line, then the text."""
        if self.examples:
            with formatter.section("Examples" if len(self.examples) > 1 else "Example"):
                for example in self.examples:
                    formatter.write(f"{'':{formatter.current_indent}}{example}\n")
        super().format_help_text(ctx, formatter)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and exit with its status."""
        ctx.exit(super().invoke(ctx) or 0)


class ExampleGroup(ExampleCommand, click.Group):
    """A group whose help begins with examples; see `ExampleCommand`."""


def example_command(*examples: str, **options: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a function a command with examples; options are those of `click.command`."""
    return click.command(**{"cls": ExampleCommand, **options}, examples=examples)


def correct(error: click.ClickException) -> click.ClickException:
    """Return the error about an unknown command, with the closest names, or with a command for a puzzle."""
    from crosslit.base.numbers import did_you_mean, shorten

    unknown = _UNKNOWN.match(error.message)
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    if unknown is None or ctx is None or not isinstance(ctx.command, click.Group):
        return error
    name = unknown[1]
    hint = did_you_mean(name, ctx.command.list_commands(ctx))
    # Forgetting the command is a common mistake, so a puzzle in its place gets a complete suggestion.
    if ctx.parent is None and (os.path.exists(name) or _PUZZLE.fullmatch(name)):
        hint = f"did you mean `crosslit show {shlex.quote(shorten(name, 60))}`?"
    return click.UsageError(f"there is no command {shorten(name, 60)!r}{'; ' if hint else '.'}{hint}", ctx)
