"""Verification of a user's solver: send it puzzles, compare its answers with a reference, shrink failing puzzles.

`session` reads from top to bottom: it asks the solver (`solver`, `function`, both on `process`) about `cases`, judges
its answers (`judge`) by a `reference`, and makes failures smaller (`shrink`); `report` has the result, and `interface`
the function. This package must not print, or trust the solver. Its public names are imported when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crosslit_verify.cases import Settings as Settings
    from crosslit_verify.function import Function as Function
    from crosslit_verify.interface import verify as verify
    from crosslit_verify.process import Solver as Solver
    from crosslit_verify.reference import ReferencesDiffer as ReferencesDiffer
    from crosslit_verify.report import Verification as Verification
    from crosslit_verify.session import Verifier as Verifier
    from crosslit_verify.solver import Command as Command

_NAMES = "cases.Settings function.Function interface.verify process.Solver reference.ReferencesDiffer"
_NAMES += " report.Verification session.Verifier solver.Command"
_HOMES = {name: f"crosslit_verify.{home}" for home, name in (each.split(".") for each in _NAMES.split())}
__all__ = sorted(_HOMES)

if not TYPE_CHECKING:  # with it, a type checker would accept every name

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return globals().setdefault(name, getattr(import_module(_HOMES[name]), name))
