"""CP-SAT for servers of runs, without pandas: it took two thirds of the time to import, and no run uses it.

Only the processes of Crosslit import this module, never that of a user, whose own models may need pandas.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType


class _Absent(ModuleType):
    """A module whose names are classes without any object: for annotations, and for tests of types."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


if "pandas" not in sys.modules:
    sys.modules["pandas"] = _Absent("pandas")
    try:
        importlib.import_module("ortools.sat.python.cp_model")
    finally:
        del sys.modules["pandas"]
