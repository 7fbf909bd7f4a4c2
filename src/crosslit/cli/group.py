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

from crosslit.base.errors import CrosslitError, InternalError, UnenforcedLimit
from crosslit.base.version import __version__
from crosslit.cli.exit_status import BAD_INPUT, BUG, INTERRUPTED, PIPE_CLOSED
from crosslit.cli.output import PipeClosed, Progress, complain

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
        """Run the command, and exit with its status; its line of progress has its name until it says more."""
        with Progress(1) as progress:
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
    """Return the error about an unknown command with the closest names, or one for a puzzle; or where rules belong."""
    from crosslit.base.numbers import did_you_mean, shorten

    unknown = _UNKNOWN.match(error.message)
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    if isinstance(error, click.NoSuchOption) and error.option_name in ("--press", "--wrap"):
        rules = "a board's rules are written before its lights, as in 'wrap=torus/000/000'"
        return click.UsageError(f"{error.message.removesuffix('.')}; {rules}.", ctx)
    if unknown is None or ctx is None or not isinstance(ctx.command, click.Group):
        return error
    name = unknown[1]
    hint = did_you_mean(name, ctx.command.list_commands(ctx))
    # Forgetting the command is a common mistake, so a puzzle in its place gets a complete suggestion.
    if ctx.parent is None and (os.path.exists(name) or _PUZZLE.fullmatch(name)):
        hint = f"did you mean `crosslit show {shlex.quote(shorten(name, 60))}`?"
    return click.UsageError(f"there is no command {shorten(name, 60)!r}{'; ' if hint else '.'}{hint}", ctx)


# each is imported when it is called: the help of the group must not load them
_GROUPS = {
    "Solve and view": {
        "solve": "Print one solution, checked by the rules.",
        "show": "Draw a puzzle.",
        "explain": "Say why a puzzle has no solution, or more than one.",
        "page": "Make an HTML page to play puzzles on.",
    },
    "Enumerate and count": {
        "count": "Print how many solutions puzzles have.",
        "enumerate": "List all solutions, each once, and say whether the list is complete.",
    },
    "Compare and run campaigns": {
        "compare": "Run backends on puzzles and cross-check them.",
        "bench": "Run campaigns of many backends on many puzzles, and report on them.",
        "stats": "Audit packs of puzzles: solutions, uniqueness, difficulty, duplicates.",
        "backends": "List every backend, or show some in detail.",
    },
    "Verify": {
        "verify": "Find the smallest puzzle on which your solver is wrong.",
        "check-backend": "Check that a backend keeps its contract.",
        "check-certificate": "Check a certificate, and say what it proves.",
    },
    "Make and convert files": {
        "generate": "Make random puzzles, or a nonogram from a picture.",
        "convert": "Write puzzles in another file format.",
        "encode": "Write the formula of a puzzle for other solvers.",
        "decode": "Turn another solver's model into a solution, and check it.",
    },
}
# The modules of commands: one in each file of a part, several in a file of the core.
_MODULES = {
    "crosslit.cli.ask": "count explain solve",
    "crosslit.cli.compare": "compare enumerate",
    "crosslit.cli.files": "backends convert show",
    "crosslit.cli.formula": "check-certificate decode encode",
    "crosslit_bench.cli.bench": "bench",
    "crosslit_generate.cli.generate": "generate",
    "crosslit_generate.cli.stats": "stats",
    "crosslit_play.cli.page": "page",
    "crosslit_verify.cli.check_backend": "check-backend",
    "crosslit_verify.cli.verify": "verify",
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}
_COMMANDS = {name: summary for group in _GROUPS.values() for name, summary in group.items()}


class _Lazy(ExampleGroup):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        # Imported by name, since loading all commands would take longer than running a small one.
        module = _HOMES[cmd_name]
        function = f"{cmd_name.replace('-', '_')}_command" if module.startswith("crosslit.") else "command"
        command: click.Command = getattr(import_module(module), function)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        width = max(map(len, _COMMANDS))
        for title, commands in _GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:{width}}", summary) for name, summary in commands.items()])


@click.group(
    cls=_Lazy,
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


def run() -> int | str | None:
    """Run a command, and turn every possible end into one line and an exit status."""
    interruption = _Interruption()
    show_warning = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: Any) -> None:
        if issubclass(category, UnenforcedLimit):
            complain(str(message))
        else:
            show_warning(message, category, *place)

    warnings.showwarning = show  # type: ignore[assignment]  # its last arguments are only passed on
    status: int | str | None
    try:
        status = root.main(prog_name="crosslit", standalone_mode=False, obj=interruption)
    except click.ClickException as error:
        correct(error).show()
        status = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        status = INTERRUPTED
    except PipeClosed:
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


class _Interruption:
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
        if callable(handler):
            handler(signal.SIGINT, frame)
        else:
            raise KeyboardInterrupt

    def _repeat(self, dropped: sys.UnraisableHookArgs) -> None:
        """Repeat an interrupt that Python dropped because it came in a destructor or in a callback of an import."""
        if isinstance(dropped.exc_value, KeyboardInterrupt) and hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, self._hear)
            # An alarm raises it again a moment later, when the destructor has returned and the exception can propagate.
            signal.setitimer(signal.ITIMER_REAL, 0.001)
        else:
            sys.__unraisablehook__(dropped)
