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

    In the main thread PySAT handles an interrupt by a ``longjmp`` out of the engine. If the engine is allocating
    memory, the process then hangs forever. In a process with other threads, the wrong thread may jump. A solver that is
    interrupted while it is being freed is freed twice. PySAT calls an internal function to check whether it is in the
    main thread; replacing that function prevents the jump.
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
