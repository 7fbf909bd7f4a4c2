"""The POSIX modules that isolated processes need, and one clear error on systems without them, such as Windows."""

from __future__ import annotations

import os
import sys

from crosslit.base.errors import Unavailable

__all__ = ["fcntl", "isolation_problem", "require_isolation", "resource"]

try:
    import fcntl
    import resource
except ImportError:
    fcntl = resource = None  # type: ignore[assignment]

_OTHERWISE = (
    "without them, crosslit.solve and .solutions work in Python, and the commands solve, show, page, generate, "
    "convert, encode, decode and backends"
)


def isolation_problem() -> str:
    """Return why isolated runs are impossible on this system; empty if they are possible."""
    if fcntl is None:
        return (
            "isolated runs need fcntl and resource, which this system lacks: they work on Linux and macOS, and on "
            f"Windows under WSL; {_OTHERWISE}"
        )
    if not hasattr(os, "waitid"):  # CPython has it on macOS since 3.13
        version = sys.version.split()[0]
        return (
            f"isolated runs on this system need Python 3.13 or later, and this is {version}: an earlier one lacks "
            f"os.waitid; {_OTHERWISE}"
        )
    return ""


def require_isolation() -> None:
    """Raise `Unavailable` if isolated runs are impossible on this system."""
    if problem := isolation_problem():
        raise Unavailable(problem)
