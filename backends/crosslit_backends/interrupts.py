"""Interrupts (Ctrl-C) deferred while an engine cannot handle them."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def defer_sigint() -> Iterator[None]:
    """Defer an interrupt until PySAT has returned; an isolated run is killed instead.

    In the main thread PySAT handles an interrupt by a long jump out of the engine. In the middle of an allocation that
    hangs the process for good; in a process with other threads, one of those may jump; and a solver interrupted while
    it is freed is freed twice. PySAT calls an internal function to see whether it is in the main thread; replacing it
    prevents the jump.
    """
    from pysat.solvers import MainThread

    # Python runs handlers in the main thread only. A handler that is not callable (the default, or ignored) is none of
    # Python's.
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    # The interrupt is only noted here; its handler runs after the engine has returned.
    heard: list[tuple[int, FrameType | None]] = []
    check = MainThread.check
    signal.signal(signal.SIGINT, lambda *interrupt: heard.append(interrupt))
    MainThread.check = staticmethod(lambda: False)
    try:
        yield
    finally:
        MainThread.check = staticmethod(check)
        signal.signal(signal.SIGINT, handler)
        # Last, when everything is restored, because the handler usually raises. Several interrupts count as one.
        if heard:
            handler(*heard[0])
