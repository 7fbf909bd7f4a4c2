"""Crosslit: compare, cross-check and verify solvers for Lights Out and nonograms.

The public names; each is imported when it is first used, so that ``import crosslit`` costs next to nothing.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False  # that of `typing` would be the most that this import costs

if TYPE_CHECKING:
    from crosslit.api import add_solver, backends, compare, fewest, gods_number, load, solutions, solve
    from crosslit.auditing import audit
    from crosslit.counting import count
    from crosslit.enumeration import batches
    from crosslit.errors import CrosslitError, GaveUp, InputError, SpecError, WrongSolution
    from crosslit.explanation import explain
    from crosslit.gf2 import nullity
    from crosslit.grid import Grid
    from crosslit.pages import page
    from crosslit.puzzles import LightsOut, Nonogram
    from crosslit.reasoning import backbone, reveal
    from crosslit.records import Comparison, Limits
    from crosslit.verification import Verification, verify

_HOMES = {
    "Comparison": "crosslit.records",
    "CrosslitError": "crosslit.errors",
    "GaveUp": "crosslit.errors",
    "Grid": "crosslit.grid",
    "InputError": "crosslit.errors",
    "LightsOut": "crosslit.puzzles",
    "Limits": "crosslit.records",
    "Nonogram": "crosslit.puzzles",
    "SpecError": "crosslit.errors",
    "Verification": "crosslit.verification",
    "WrongSolution": "crosslit.errors",
    "add_solver": "crosslit.api",
    "audit": "crosslit.auditing",
    "backbone": "crosslit.reasoning",
    "backends": "crosslit.api",
    "batches": "crosslit.enumeration",
    "compare": "crosslit.api",
    "count": "crosslit.counting",
    "explain": "crosslit.explanation",
    "fewest": "crosslit.api",
    "gods_number": "crosslit.api",
    "load": "crosslit.api",
    "nullity": "crosslit.gf2",
    "page": "crosslit.pages",
    "reveal": "crosslit.reasoning",
    "solutions": "crosslit.api",
    "solve": "crosslit.api",
    "verify": "crosslit.verification",
}

__all__ = [
    "Comparison",
    "CrosslitError",
    "GaveUp",
    "Grid",
    "InputError",
    "LightsOut",
    "Limits",
    "Nonogram",
    "SpecError",
    "Verification",
    "WrongSolution",
    "add_solver",
    "audit",
    "backbone",
    "backends",
    "batches",
    "compare",
    "count",
    "explain",
    "fewest",
    "gods_number",
    "load",
    "nullity",
    "page",
    "reveal",
    "solutions",
    "solve",
    "verify",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'crosslit' has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
