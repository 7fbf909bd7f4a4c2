"""Processes of commands that end with the process that started them."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1  # of <linux/prctl.h>


def dies_with_this_process() -> Callable[[], None] | None:
    """What a child does before it becomes the command: asks the kernel to end it when this process ends.

    A run is killed with its whole group; this is for the case that its server was killed. Not where other threads run:
    between fork and exec, nothing of Python is safe there, and the wish would be bound to this thread.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return None
    import ctypes

    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()

    def ask() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it has ended before
            os._exit(1)

    return ask
