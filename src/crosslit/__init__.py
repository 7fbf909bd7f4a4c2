"""Crosslit: compare, cross-check and verify solvers for Lights Out and nonograms.

Each public name is imported when it is first used, so that ``import crosslit`` costs next to nothing.
"""

from __future__ import annotations

from crosslit.base.version import __version__

_NAMES = {
    "crosslit.formats.drawing": "Picture draw",
    "crosslit.base.errors": "CrosslitError GaveUp InputError SpecError Unavailable WrongSolution",
    "crosslit.formats": "load load_all write",
    "crosslit.base.grid": "Grid",
    "crosslit.judging.verdict": "Comparison",
    "crosslit.kinds": "LightsOut Nonogram",
    "crosslit.kinds.lights_out.board": "ModularLightsOut",
    "crosslit.kinds.nonogram.colours": "ColouredNonogram",
    "crosslit.questions.compare": "compare",
    "crosslit.questions.enumerate": "count",
    "crosslit.questions.list_check": "check_list",
    "crosslit.questions.explain": "explain",
    "crosslit.questions.solve": "batches fewest solutions solve",
    "crosslit.registry": "add_solver backends",
    "crosslit.questions.formula": "encode",
    "crosslit.contract.run": "Limits",
    "crosslit_bench.campaign": "Campaign CampaignResults",
    "crosslit_generate.audit": "audit",
    "crosslit_generate.generate": "generate nullity",
    "crosslit_play.document": "page",
    "crosslit_verify.session": "verify",
    "crosslit_verify.report": "Verification",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}

# Commands that have another name in Python.
_RENAMED = {
    "bench": "crosslit.Campaign",
    "check_backend": "check, of the module crosslit_verify.contract_checks",
    "check_certificate": "check, of the module crosslit.judging.certificates",
    "convert": "crosslit.write",
    "decode": "the method answer of crosslit.encode(...)",
    "enumerate": "crosslit.solutions",
    "show": "crosslit.draw",
    "stats": "crosslit.audit",
}

__all__ = ["__version__", *sorted(_HOMES)]


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
