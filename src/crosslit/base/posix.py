"""The POSIX modules that isolated processes need, and one clear error on systems without them, such as Windows."""

from __future__ import annotations

import os

from crosslit.base.errors import Unavailable

__all__ = ["fcntl", "isolation_problem", "require_isolation", "resource"]

try:
    import fcntl
    import resource
except ImportError:
    fcntl = resource = None  # type: ignore[assignment]


def isolation_problem() -> str:
    """Return why isolated runs are impossible on this system; empty if they are possible."""
    if fcntl is not None and hasattr(os, "waitid"):
        return ""
    return (
        "isolated runs need fcntl, resource and os.waitid, which this system lacks: Linux has them, macOS with Python "
        "3.13 or later, and Windows under WSL; without them, crosslit.solve and .solutions work in Python, and the "
        "commands solve, show, page, generate, convert, encode, decode and backends"
    )


def require_isolation() -> None:
    """Raise `Unavailable` if isolated runs are impossible on this system."""
    if problem := isolation_problem():
        raise Unavailable(problem)
