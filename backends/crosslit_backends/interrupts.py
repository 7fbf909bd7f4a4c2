"""Interrupts: Ctrl-C held back while an engine cannot bear it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def defer_sigint() -> Iterator[None]:
    """Hold an interrupt back until PySAT has returned; an isolated run is killed instead.

    PySAT itself answers one in the main thread by a long jump out of the engine, wherever it is: inside an allocation,
    that hangs the process for good, and where a process has other threads, one of those may jump. It asks a function of
    its own for the thread, so that is replaced. And a solver that is interrupted while it is freed is freed twice.
    """
    from pysat.solvers import MainThread

    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    heard: list[tuple[int, FrameType | None]] = []
    check = MainThread.check
    signal.signal(signal.SIGINT, lambda *interrupt: heard.append(interrupt))
    MainThread.check = staticmethod(lambda: False)
    try:
        yield
    finally:
        MainThread.check = staticmethod(check)
        signal.signal(signal.SIGINT, handler)
        if heard:
            handler(*heard[0])
