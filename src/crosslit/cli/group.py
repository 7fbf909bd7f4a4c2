"""The group of all commands, its help that begins with examples, and the exit status of each end."""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from types import FrameType
from typing import Any

import click

from crosslit.base.errors import CrosslitError, InternalError
from crosslit.base.text import shorten
from crosslit.base.version import __version__
from crosslit.cli.output import BAD_INPUT, BUG, INTERRUPTED, MAX_NAME, PIPE_CLOSED, PipeClosed, Progress, complain

_MAX_ERROR = 100  # characters of an error of click before a hint
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
        """Run the command, and exit with its status; its line of progress has its name until it says more."""
        with Progress() as progress:
            if not isinstance(self, click.Group):  # which would show it beside the help of a command
                progress.started(f"{ctx.command_path} ...")
            status = super().invoke(ctx)
        ctx.exit(status or 0)


class ExampleGroup(ExampleCommand, click.Group):
    """A group whose help begins with examples; see `ExampleCommand`."""


def example_command(*examples: str, **options: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a function a command with examples; options are those of `click.command`."""
    return click.command(**{"cls": ExampleCommand, **options}, examples=examples)


def correct(error: click.ClickException) -> click.ClickException:
    """Return an error about a puzzle in the place of a command, or a board's rules as options, with a hint."""
    hint, ctx = "", error.ctx if isinstance(error, click.UsageError) else None
    if isinstance(error, click.NoSuchOption) and error.option_name in ("--press", "--wrap"):
        hint = "a board's rules are written before its lights, as in 'wrap=torus/000/000'."
    elif isinstance(error, click.exceptions.NoSuchCommand) and ctx is not None and ctx.parent is None:
        name = error.command_name
        if os.path.exists(name) or _PUZZLE.fullmatch(name):
            hint = f"did you mean `crosslit show {shlex.quote(shorten(name, MAX_NAME))}`?"
    return click.UsageError(f"{shorten(error.message.removesuffix('.'), _MAX_ERROR)}; {hint}", ctx) if hint else error


# Titles of the help, and their commands: its place, imported when it is called, since the help of the group must not
# load them, and loading all would take longer than running a small one; and its line there.
_GROUPS = {
    "Solve and view": {
        "solve": ("crosslit.cli.ask", "Print one solution, checked by the rules."),
        "show": ("crosslit.cli.files", "Draw a puzzle."),
        "explain": ("crosslit.cli.ask", "Say why a puzzle has no solution, or more than one."),
        "page": ("crosslit_play.cli.page", "Make an HTML page to play puzzles on."),
    },
    "Enumerate and count": {
        "count": ("crosslit.cli.ask", "Print how many solutions puzzles have."),
        "enumerate": ("crosslit.cli.compare", "List all solutions, each once, and say whether the list is complete."),
    },
    "Compare and run campaigns": {
        "compare": ("crosslit.cli.compare", "Run backends on puzzles and cross-check them."),
        "bench": ("crosslit_bench.cli.bench", "Run campaigns of many backends on many puzzles, and report on them."),
        "stats": (
            "crosslit_generate.cli.stats",
            "Audit packs of puzzles: uniqueness, difficulty, duplicates.",
        ),
        "backends": ("crosslit.cli.files", "List every backend, or show some in detail."),
    },
    "Verify": {
        "verify": ("crosslit_verify.cli.verify", "Find the smallest puzzle on which your solver is wrong."),
        "check-backend": ("crosslit_verify.cli.check_backend", "Check that a backend keeps its contract."),
        "check-certificate": ("crosslit.cli.formula", "Check a certificate, and say what it proves."),
    },
    "Make and convert files": {
        "generate": ("crosslit_generate.cli.generate", "Make random puzzles, or a nonogram from a picture."),
        "convert": ("crosslit.cli.files", "Write puzzles in another file format."),
        "encode": ("crosslit.cli.formula", "Write the formula of a puzzle for other solvers."),
        "decode": ("crosslit.cli.formula", "Turn another solver's model into a solution, and check it."),
    },
}
_COMMANDS = {name: place for group in _GROUPS.values() for name, place in group.items()}


class _Lazy(ExampleGroup):
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        module, _ = _COMMANDS[cmd_name]
        # a part has a module for each command, the core one for several
        function = f"{cmd_name.replace('-', '_')}_command" if module.startswith("crosslit.") else "command"
        command: click.Command = getattr(import_module(module), function)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        width = max(map(len, _COMMANDS))
        for title, commands in _GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:{width}}", summary) for name, (_, summary) in commands.items()])


@click.group(
    cls=_Lazy,
    commands=dict.fromkeys(_COMMANDS),
    examples=["crosslit solve 10/11", "crosslit compare '1,2|2,1'"],
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="crosslit")
@click.pass_context
def root(ctx: click.Context) -> None:
    """Compare and cross-check solvers for Lights Out and nonograms.

    A PUZZLE is a file, - for standard input, or the puzzle itself: '10/01' is a Lights Out board, '1,2|2,1' a nonogram
    (rows|columns). FILE:7 is the seventh puzzle of a file with several.

    `crosslit COMMAND --help` begins with examples, and the documentation with "I want to ...": a command for each job.

    Exit status: 0 consistent and decided, 1 something is wrong, 2 bad usage or input, 3 undecided,
    70 a bug of Crosslit, 130 interrupted (143 by SIGTERM, 129 by SIGHUP), 141 output closed.
    """
    if ctx.obj is not None:
        ctx.obj.listen()


def run() -> int:
    """Run a command, and turn every possible end into one line and an exit status."""
    interruption = Interruption()
    warnings.showwarning = lambda message, *_, **__: complain(str(message))  # such as a limit without effect
    status: int
    try:
        status = root.main(prog_name="crosslit", standalone_mode=False, obj=interruption)
    except click.ClickException as error:
        correct(error).show()
        status = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        status = INTERRUPTED
    except (PipeClosed, BrokenPipeError):
        status = PIPE_CLOSED
    except (CrosslitError, OSError) as error:
        named = isinstance(error, OSError) and error.filename is not None and f"{error.filename}: {error.strerror}"
        complain(named or str(error))
        status = BAD_INPUT
    except InternalError as error:
        complain(f"a bug of Crosslit, not of a solver: {error}")
        status = BUG
    except MemoryError:
        complain("there is not enough memory for this")
        status = BAD_INPUT
    except SystemExit:
        status = PIPE_CLOSED  # click's exit when its output is closed
    except Exception:
        import traceback

        traceback.print_exc()
        status = BUG  # not 1, which blames a backend
    # The shell's convention: 128 plus the number of the signal.
    return interruption.status if status == INTERRUPTED else status


class Interruption:
    """Handlers that let SIGTERM and SIGHUP end a command as Ctrl-C does: no half-written files, no processes left."""

    def __init__(self) -> None:
        self.status = INTERRUPTED

    def listen(self) -> None:
        """Handle these signals and Ctrl-C from now on, unless they are ignored, as SIGHUP is under nohup."""
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):  # Windows has no SIGHUP
            # Only the default is replaced: `nohup` ignores SIGHUP, and a host program may have handlers.
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, self._hear)
        sys.unraisablehook = self._repeat

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if number != getattr(signal, "SIGALRM", None):
            self.status = 128 + number
        # through the handler of SIGINT: code that defers an interrupt or keeps finished work then does so here too
        handler = signal.getsignal(signal.SIGINT)
        if not callable(handler):
            raise KeyboardInterrupt
        handler(signal.SIGINT, frame)

    def _repeat(self, dropped: sys.UnraisableHookArgs) -> None:
        """Repeat an interrupt that Python dropped because it came in a destructor or in a callback of an import."""
        if isinstance(dropped.exc_value, KeyboardInterrupt) and hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, self._hear)
            # An alarm raises it again a moment later, when the destructor has returned and the exception can propagate.
            signal.setitimer(signal.ITIMER_REAL, 0.001)
        else:
            sys.__unraisablehook__(dropped)
