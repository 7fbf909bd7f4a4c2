"""Crosslit: compare, cross-check and verify solvers for Lights Out and nonograms.

Each public name is imported when it is first used, so that ``import crosslit`` costs next to nothing.
"""

from __future__ import annotations

from crosslit import presenter
from crosslit._version import __version__

TYPE_CHECKING = False  # `typing.TYPE_CHECKING` would take longer to import than everything else here

if TYPE_CHECKING:
    from crosslit_bench.campaign import Campaign as Campaign
    from crosslit_bench.campaign import CampaignResults as CampaignResults
    from crosslit_generate.audit import audit as audit
    from crosslit_generate.constrained import generate as generate
    from crosslit_generate.lights_out import gods_number as gods_number
    from crosslit_generate.lights_out import nullity as nullity
    from crosslit_play.document import page as page
    from crosslit_verify import Verification as Verification
    from crosslit_verify import verify as verify

    from crosslit.drawing.comparison import Report as Report
    from crosslit.drawing.picture import Picture as Picture
    from crosslit.drawing.picture import draw as draw
    from crosslit.errors import CrosslitError as CrosslitError
    from crosslit.errors import GaveUp as GaveUp
    from crosslit.errors import InputError as InputError
    from crosslit.errors import SpecError as SpecError
    from crosslit.errors import Unavailable as Unavailable
    from crosslit.errors import WrongSolution as WrongSolution
    from crosslit.formats import load as load
    from crosslit.formats import load_all as load_all
    from crosslit.formats import write as write
    from crosslit.grid import Grid as Grid
    from crosslit.judging.verdict import Comparison as Comparison
    from crosslit.kinds import LightsOut as LightsOut
    from crosslit.kinds import Nonogram as Nonogram
    from crosslit.kinds import Puzzle as Puzzle
    from crosslit.questions.ask import backbone as backbone
    from crosslit.questions.compare import compare as compare
    from crosslit.questions.count import count as count
    from crosslit.questions.enumerate import batches as batches
    from crosslit.questions.explain import explain as explain
    from crosslit.questions.minimal_subset import reveal as reveal
    from crosslit.questions.solve import fewest as fewest
    from crosslit.questions.solve import solutions as solutions
    from crosslit.questions.solve import solve as solve
    from crosslit.registry.commands import add_solver as add_solver
    from crosslit.registry.formulas import encode as encode
    from crosslit.registry.listing import backends as backends
    from crosslit.runs.run import Limits as Limits

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
    "backbone": "crosslit.questions.ask",
    "backends": "crosslit.registry.listing",
    "batches": "crosslit.questions.enumerate",
    "compare": "crosslit.questions.compare",
    "count": "crosslit.questions.count",
    "draw": "crosslit.drawing.picture",
    "encode": "crosslit.registry.formulas",
    "explain": "crosslit.questions.explain",
    "fewest": "crosslit.questions.solve",
    "generate": "crosslit_generate.constrained",
    "gods_number": "crosslit_generate.lights_out",
    "load": "crosslit.formats",
    "load_all": "crosslit.formats",
    "nullity": "crosslit_generate.lights_out",
    "page": "crosslit_play.document",
    "reveal": "crosslit.questions.minimal_subset",
    "solutions": "crosslit.questions.solve",
    "solve": "crosslit.questions.solve",
    "verify": "crosslit_verify",
    "write": "crosslit.formats",
}

# Commands that have another name in Python.
_RENAMED = {
    "bench": "Campaign",
    "convert": "write",
    "enumerate": "solutions",
    "show": "draw",
    "size": "nullity",
    "stats": "audit",
}

__all__ = ["__version__", *_HOMES]


def _picture(subject: Grid | Puzzle) -> Picture:
    from crosslit.drawing.picture import Picture

    return Picture(subject)


def _report(comparison: Comparison) -> Report:
    from crosslit.drawing.comparison import Report

    return Report(comparison)


presenter.picture, presenter.report = _picture, _report


if not TYPE_CHECKING:  # with it, a type checker would accept every name

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            hint = f"; in Python, the command `{name}` is crosslit.{_RENAMED[name]}" if name in _RENAMED else ""
            raise AttributeError(f"module 'crosslit' has no attribute {name!r}{hint}")
        from importlib import import_module

        value: object = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
