"""The import of SciPy, which the extra ``report`` installs."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from crosslit.errors import Unavailable, install_hint


def scipy_part(name: str) -> Any:
    """Return a subpackage of SciPy, such as ``stats``."""
    try:
        return import_module(f"scipy.{name}")
    except ImportError:
        raise Unavailable(f"the analysis of campaigns needs SciPy: {install_hint('report')}") from None
