"""Crosslit: compare, cross-check and verify solvers for Lights Out and nonograms.

Each public name is imported when it is first used, so that ``import crosslit`` costs next to nothing.
"""

from __future__ import annotations

from crosslit import presenter
from crosslit._version import __version__

TYPE_CHECKING = False  # `typing.TYPE_CHECKING` would take longer to import than everything else here

if TYPE_CHECKING:
    from crosslit_bench.campaign import Campaign, CampaignResults
    from crosslit_generate.audit import audit
    from crosslit_generate.constrained import generate
    from crosslit_generate.gods_number import gods_number
    from crosslit_play import page
    from crosslit_verify import Verification, verify

    from crosslit.drawing.comparison import Report
    from crosslit.drawing.picture import Picture, draw
    from crosslit.errors import CrosslitError, GaveUp, InputError, SpecError, Unavailable, WrongSolution
    from crosslit.formats import load, load_all, write
    from crosslit.grid import Grid
    from crosslit.judging.verdict import Comparison
    from crosslit.kinds import LightsOut, Nonogram, Puzzle
    from crosslit.kinds.lights_out.nullity import nullity
    from crosslit.questions.backbone import backbone
    from crosslit.questions.compare import compare
    from crosslit.questions.count import count
    from crosslit.questions.enumerate import batches
    from crosslit.questions.explain import explain
    from crosslit.questions.minimal_subset import reveal
    from crosslit.questions.solve import fewest, solutions, solve
    from crosslit.registry.commands import add_solver
    from crosslit.registry.formulas import encode
    from crosslit.registry.listing import backends
    from crosslit.runs.run import Limits

_HOMES = {
    "Campaign": "crosslit_bench.campaign",
    "CampaignResults": "crosslit_bench.campaign",
    "Comparison": "crosslit.judging.verdict",
    "CrosslitError": "crosslit.errors",
    "GaveUp": "crosslit.errors",
    "Grid": "crosslit.grid",
    "InputError": "crosslit.errors",
    "LightsOut": "crosslit.kinds",
    "Limits": "crosslit.runs.run",
    "Nonogram": "crosslit.kinds",
    "Picture": "crosslit.drawing.picture",
    "SpecError": "crosslit.errors",
    "Unavailable": "crosslit.errors",
    "Verification": "crosslit_verify",
    "WrongSolution": "crosslit.errors",
    "add_solver": "crosslit.registry.commands",
    "audit": "crosslit_generate.audit",
    "backbone": "crosslit.questions.backbone",
    "backends": "crosslit.registry.listing",
    "batches": "crosslit.questions.enumerate",
    "compare": "crosslit.questions.compare",
    "count": "crosslit.questions.count",
    "draw": "crosslit.drawing.picture",
    "encode": "crosslit.registry.formulas",
    "explain": "crosslit.questions.explain",
    "fewest": "crosslit.questions.solve",
    "generate": "crosslit_generate.constrained",
    "gods_number": "crosslit_generate.gods_number",
    "load": "crosslit.formats",
    "load_all": "crosslit.formats",
    "nullity": "crosslit.kinds.lights_out.nullity",
    "page": "crosslit_play",
    "reveal": "crosslit.questions.minimal_subset",
    "solutions": "crosslit.questions.solve",
    "solve": "crosslit.questions.solve",
    "verify": "crosslit_verify",
    "write": "crosslit.formats",
}

__all__ = [
    "Campaign",
    "CampaignResults",
    "Comparison",
    "CrosslitError",
    "GaveUp",
    "Grid",
    "InputError",
    "LightsOut",
    "Limits",
    "Nonogram",
    "Picture",
    "SpecError",
    "Unavailable",
    "Verification",
    "WrongSolution",
    "__version__",
    "add_solver",
    "audit",
    "backbone",
    "backends",
    "batches",
    "compare",
    "count",
    "draw",
    "encode",
    "explain",
    "fewest",
    "generate",
    "gods_number",
    "load",
    "load_all",
    "nullity",
    "page",
    "reveal",
    "solutions",
    "solve",
    "verify",
    "write",
]


def _picture(subject: Grid | Puzzle) -> Picture:
    from crosslit.drawing.picture import Picture

    return Picture(subject)


def _report(comparison: Comparison) -> Report:
    from crosslit.drawing.comparison import Report

    return Report(comparison)


presenter.picture, presenter.report = _picture, _report


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'crosslit' has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
