"""SciPy, which comes with the extra ``report``."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from crosslit.errors import Unavailable, install_hint


def scipy_part(name: str) -> Any:
    """A part of SciPy, such as ``stats``."""
    try:
        return import_module(f"scipy.{name}")
    except ImportError:
        raise Unavailable(f"the analysis of campaigns needs SciPy: {install_hint('report')}") from None
