"""The command line: some commands in a module, which is imported when one of them is called.

A command parses its arguments, calls a question and presents the result; `output` is the only module that prints. This
package must not judge an answer, nor import an engine or numpy before it needs them. This module imports next to
nothing, so that Ctrl-C works from the first moment.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NoReturn

_INTERRUPTED = 130  # the exit status of `output`, which is imported later


def main() -> None:
    """Run the command line, and end the process with its exit status."""
    try:
        import signal

        # until a command begins there is nothing to clean up, and some imports would lose an exception
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, lambda *_: os._exit(_INTERRUPTED))
        _open_missing()
        from crosslit.cli.group import run

        status = run()
    except KeyboardInterrupt:
        status = _INTERRUPTED
    _end(status)


def _end(status: int) -> NoReturn:
    """End the process without freeing its modules, which takes longer than a small puzzle."""
    import atexit
    import signal
    from contextlib import suppress

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left to be interrupted
    # `os._exit` skips these functions, among them the one that frees engines of unfinished searches.
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # what has no reader or no room: the command has said so
            stream.flush()
    os._exit(status)


def _open_missing() -> None:
    """Open the standard streams that are closed; otherwise the next opened file would take the place of one."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            # results that nobody reads are an error, which a stream that is open for reading reports
            descriptor = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, os.fdopen(descriptor, mode, encoding="utf-8", closefd=False))  # as Python's own
