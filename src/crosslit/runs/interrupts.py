"""Interrupts (Ctrl-C) that are noted, so that what was found until then is kept."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


class Interruptible:
    """Something long that an interrupt ends in good order; ``interrupted`` is true from then on."""

    interrupted = False

    @contextlib.contextmanager
    def guard(self) -> Iterator[None]:
        """Note an interrupt instead of being torn apart by it; a second one is the usual exception.

        It may be nested. Where interrupts are ignored (a command in the background), they stay so.
        """

        def note(_number: int, _frame: FrameType | None) -> None:
            if self.interrupted:
                raise KeyboardInterrupt
            self.interrupted = True

        if (
            threading.current_thread() is not threading.main_thread()
            or signal.getsignal(signal.SIGINT) == signal.SIG_IGN
        ):
            yield
            return
        before = signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
