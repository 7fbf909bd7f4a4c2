"""Puzzle generation in a separate process, because a SAT solver obeys no time limit and no interrupt.

It is forked, so that the function that makes a puzzle need not be pickled.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Generic, Self, TypeVar

from crosslit.base.errors import CrosslitError, GaveUp, UnenforcedLimit
from crosslit.base.posix import isolation_problem
from crosslit.runs.sandbox import ProcessGroup

T = TypeVar("T")
_MAX_WAIT_SECONDS = 3600.0  # maximum timeout of one wait: the system does not accept every number
_ERRORS = {"gave up": GaveUp, "refused": ValueError, "bug": RuntimeError}
Make = Callable[[int, Callable[[str], None]], T]


class ForkedWorker(Generic[T]):
    """A forked process that makes objects one after another; an interrupt ends it without losing any.

    On a system without forks this process makes them, and no limit of time holds.

    Args:
        make: called with the number of the object, from 1, and a function to report steps that may take long.
        count: number of objects.
        timeout: time limit for each in seconds.
        option: the option that set the limit, for messages.
    """

    def __init__(self, make: Make[T], count: int, timeout: float, option: str = "--timeout") -> None:
        self.interrupted = False
        self._option = option
        self._make, self._count, self._timeout = make, count, timeout
        self._process: ProcessGroup | None = None
        self._before: Any = None

    def __enter__(self) -> Self:
        if isolation_problem():
            warnings.warn(f"{self._option} has no effect on this system", UnenforcedLimit, stacklevel=2)
            return self
        from multiprocessing.connection import Connection

        # Only the main thread may set handlers, and a command in the background ignores SIGINT, which must stay so.
        # None means a handler that Python did not install, which could not be restored.
        heard = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) not in (
            signal.SIG_IGN,
            None,
        )
        if heard:
            self._before = signal.signal(signal.SIGINT, self._interrupt)
        reader, writer = os.pipe()

        def make_all() -> None:
            # The fork has a copy of the reading end: while that is open, it would never notice that its reader is gone.
            os.close(reader)
            sender = Connection(writer, readable=False)
            for number in range(1, self._count + 1):
                sender.send(self._make_one(number, lambda what: sender.send(("step", what))))

        self._process = ProcessGroup(make_all)
        # Without this, the end of the process would not be an end of file here.
        os.close(writer)
        if self.interrupted:  # interrupted before there was anything to end
            self._end()
        self._reader = Connection(reader, writable=False)
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        if self._process:
            # A library of the caller may have waited for all children of this process.
            with suppress(ChildProcessError):
                self._process.reap()
            self._process = None
            self._reader.close()
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def results(self, on_step: Callable[[str], None]) -> Iterator[T]:
        """Yield the objects in order; after an interrupt, those made until then.

        Raises:
            GaveUp: if the next one was not found, or not in time.
            ValueError: if there is none.
        """
        for number in range(1, self._count + 1):
            until = time.monotonic() + self._timeout
            if self._process is None:
                kind, content = self._make_one(number, on_step)
            else:
                while (message := self._message(until)) is not None and message[0] == "step":
                    on_step(message[1])
                if message is None:
                    return
                kind, content = message
            if kind != "made":
                raise _ERRORS[kind](content)
            yield content

    def _message(self, until: float) -> tuple[str, Any] | None:
        try:
            while not self._reader.poll(min(max(0.0, until - time.monotonic()), _MAX_WAIT_SECONDS)):
                # The wait was cut to `_MAX_WAIT_SECONDS`, and the limit is longer.
                if time.monotonic() < until:
                    continue
                self._end()
                raise GaveUp(f"stopped after {self._timeout:g} s ({self._option})")
            # Unpickling is safe here: the sender is a fork of this process and runs Crosslit's code, not a user's
            # solver. A message can be torn if the process was killed while it wrote, hence the three errors.
            message: tuple[str, Any] = self._reader.recv()
        except (EOFError, OSError, pickle.UnpicklingError):
            if self.interrupted:
                return None
            # Neither a limit nor an interrupt: the kernel, short of memory, or the user killed it.
            raise GaveUp("the process that makes them was ended") from None
        return message

    def _interrupt(self, *_: object) -> None:
        if self.interrupted:  # the second interrupt ends everything
            raise KeyboardInterrupt
        # The pipe is not closed, so objects that were finished before the interrupt can still be read from it.
        self.interrupted = True
        self._end()

    def _end(self) -> None:
        if self._process:
            self._process.kill()

    def _make_one(self, number: int, on_step: Callable[[str], None]) -> tuple[str, Any]:
        try:
            return "made", self._make(number, on_step)
        except GaveUp as error:
            return "gave up", str(error)
        except (CrosslitError, ValueError) as error:
            return "refused", str(error)
        except Exception:
            # Sent as text, because an exception of another package may not survive pickling.
            return "bug", traceback.format_exc()
