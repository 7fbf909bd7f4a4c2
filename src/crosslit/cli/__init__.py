"""The command line: one light module a command, imported when it is asked for."""

from __future__ import annotations

import sys
import traceback
from importlib import import_module

import click

from crosslit import __version__

_COMMANDS = (
    "backbone",
    "backends",
    "bench",
    "check-backend",
    "check-certificate",
    "compare",
    "convert",
    "count",
    "decode",
    "encode",
    "enumerate",
    "explain",
    "generate",
    "gods-number",
    "nullity",
    "page",
    "reveal",
    "show",
    "solve",
    "stats",
    "trace",
    "verify",
)

FINDING = 1
BAD_INPUT = 2
UNDECIDED = 3
BUG = 70
INTERRUPTED = 130
PIPE_CLOSED = 141


class _Lazy(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"crosslit.cli.{cmd_name.replace('-', '_')}").command
        return command


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="crosslit")
def root() -> None:
    """Compare and cross-check solvers for Lights Out and nonograms.

    A PUZZLE is a file, or the puzzle itself: '10/01' is a Lights Out board, '1,2|2,1' a nonogram (rows|columns).
    Of a file that holds several, FILE:7 is the seventh.

    Exit status: 0 consistent and decided, 1 something is wrong, 2 bad usage or input, 3 undecided,
    70 a bug of Crosslit, 130 interrupted, 141 output closed.
    """


def main() -> None:
    """Run a command, and turn every way it can end into one line and an exit status."""
    try:
        from crosslit.cli.output import PipeClosed, complain
        from crosslit.errors import CrosslitError
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)

    status: int | str | None
    try:
        status = root.main(prog_name="crosslit", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        status = INTERRUPTED
    except PipeClosed:
        status = PIPE_CLOSED
    except (CrosslitError, OSError) as error:
        complain(str(error))
        status = BAD_INPUT
    except SystemExit:
        status = PIPE_CLOSED  # click's own end when its output is closed
    except Exception:
        traceback.print_exc()
        status = BUG  # not 1, which blames a backend
    sys.exit(status)
