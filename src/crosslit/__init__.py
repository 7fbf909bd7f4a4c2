"""Crosslit: compare, cross-check and verify solvers for Lights Out and nonograms.

Each public name is imported when it is first used, so that ``import crosslit`` costs next to nothing.
"""

from __future__ import annotations

from crosslit.base import display
from crosslit.base.version import __version__

TYPE_CHECKING = False  # `typing.TYPE_CHECKING` would take longer to import than everything else here

if TYPE_CHECKING:
    from crosslit_bench.campaign import Campaign as Campaign
    from crosslit_bench.campaign import CampaignResults as CampaignResults
    from crosslit_generate.audit import audit as audit
    from crosslit_generate.constrained import generate as generate
    from crosslit_generate.lights_out import nullity as nullity
    from crosslit_play.document import page as page
    from crosslit_verify import Verification as Verification
    from crosslit_verify import verify as verify

    from crosslit.base.errors import CrosslitError as CrosslitError
    from crosslit.base.errors import GaveUp as GaveUp
    from crosslit.base.errors import InputError as InputError
    from crosslit.base.errors import SpecError as SpecError
    from crosslit.base.errors import Unavailable as Unavailable
    from crosslit.base.errors import WrongSolution as WrongSolution
    from crosslit.base.grid import Grid as Grid
    from crosslit.contract.run import Limits as Limits
    from crosslit.formats import load as load
    from crosslit.formats import load_all as load_all
    from crosslit.formats import write as write
    from crosslit.formats.picture import Picture as Picture
    from crosslit.formats.picture import draw as draw
    from crosslit.judging.verdict import Comparison as Comparison
    from crosslit.kinds import LightsOut as LightsOut
    from crosslit.kinds import Nonogram as Nonogram
    from crosslit.kinds import Puzzle as Puzzle
    from crosslit.kinds.lights_out.modular import ModularLightsOut as ModularLightsOut
    from crosslit.kinds.nonogram.colours import ColouredNonogram as ColouredNonogram
    from crosslit.questions.compare import compare as compare
    from crosslit.questions.compare import compare_all as compare_all
    from crosslit.questions.count import count as count
    from crosslit.questions.enumerate import batches as batches
    from crosslit.questions.enumerate import check_list as check_list
    from crosslit.questions.explain import explain as explain
    from crosslit.questions.formula import encode as encode
    from crosslit.questions.report import Report as Report
    from crosslit.questions.solve import fewest as fewest
    from crosslit.questions.solve import solutions as solutions
    from crosslit.questions.solve import solve as solve
    from crosslit.registry.listing import backends as backends
    from crosslit.registry.specs import add_solver as add_solver

_NAMES = {
    "crosslit.formats.picture": "Picture draw",
    "crosslit.base.errors": "CrosslitError GaveUp InputError SpecError Unavailable WrongSolution",
    "crosslit.formats": "load load_all write",
    "crosslit.base.grid": "Grid",
    "crosslit.judging.verdict": "Comparison",
    "crosslit.kinds": "LightsOut Nonogram",
    "crosslit.kinds.lights_out.modular": "ModularLightsOut",
    "crosslit.kinds.nonogram.colours": "ColouredNonogram",
    "crosslit.questions.compare": "compare compare_all",
    "crosslit.questions.count": "count",
    "crosslit.questions.enumerate": "batches check_list",
    "crosslit.questions.explain": "explain",
    "crosslit.questions.solve": "fewest solutions solve",
    "crosslit.registry.specs": "add_solver",
    "crosslit.questions.formula": "encode",
    "crosslit.registry.listing": "backends",
    "crosslit.contract.run": "Limits",
    "crosslit_bench.campaign": "Campaign CampaignResults",
    "crosslit_generate.audit": "audit",
    "crosslit_generate.constrained": "generate",
    "crosslit_generate.lights_out": "nullity",
    "crosslit_play.document": "page",
    "crosslit_verify": "Verification verify",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}

# Commands that have another name in Python.
_RENAMED = {
    "bench": "crosslit.Campaign",
    "check_backend": "check, of the module crosslit_verify.contract_checks.checks",
    "check_certificate": "check, of the module crosslit.judging.certificates",
    "convert": "crosslit.write",
    "decode": "the method answer of crosslit.encode(...)",
    "enumerate": "crosslit.solutions",
    "show": "crosslit.draw",
    "stats": "crosslit.audit",
}

__all__ = ["__version__", *sorted(_HOMES)]


def _picture(subject: Grid | Puzzle) -> Picture:
    from crosslit.formats.picture import Picture

    return Picture(subject)


def _report(comparison: Comparison) -> Report:
    from crosslit.questions.report import Report

    return Report(comparison)


display.picture, display.report = _picture, _report


if not TYPE_CHECKING:  # with it, a type checker would accept every name

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            command = name.replace("_", "-")
            hint = f"; in Python, the command `{command}` is {_RENAMED[name]}" if name in _RENAMED else ""
            raise AttributeError(f"module 'crosslit' has no attribute {name!r}{hint}")
        from importlib import import_module

        value: object = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
