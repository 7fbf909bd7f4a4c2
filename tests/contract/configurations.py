"""The tested pairs of backend and encoding, and the puzzles on which an encoding may give up."""

from __future__ import annotations

import os

import pytest

from crosslit.base.errors import Unavailable
from crosslit.contract import FAULTY, QuestionName
from crosslit.registry import all_backends, all_encodings, kinds

_WITH_EVERY_ENCODING = {
    "cnf": ("cadical195", "glucose4"),
    "cnf-xor": ("cryptominisat",),
    "cp-sat": ("cpsat",),
    "fd": ("choco",),
}
"""The engines tested with every encoding for a target. All others are tested with the defaults: a wrong encoding
shows with any engine, and a wrong engine with any encoding."""


CHASES = {"chase"}
"""Parts of encodings that have variables for only some of the presses."""

_ON_REQUEST = "CROSSLIT_TEST_COMMANDS"
"""The environment variable that adds backends whose runs start a program, which doubles the time."""


def _is_asked_for(name: str) -> bool:
    starts_programs = name in ("gecode", "chuffed") or "command" in all_backends()[name].groups
    is_right = FAULTY not in all_backends()[name].groups
    return is_right and (not starts_programs or bool(os.environ.get(_ON_REQUEST)))


def available(name: str) -> bool:
    """Whether the engine of a backend is installed."""
    try:
        all_backends()[name].version()
    except Unavailable:
        return False
    return True


def needs(name: str) -> None:
    """Skip a test if the engine of a backend is not installed; CI fails if one is missing."""
    if not available(name):
        pytest.skip(f"{name} is not installed")


def every_configuration(question: QuestionName | None = None) -> list[tuple[str, str]]:
    """List (spec, kind) for every backend that runs here and answers a question, with the encodings to test it with."""
    found = []
    for name, backend in all_backends().items():
        asked = (question is None or backend.answers(question)) and _is_asked_for(name)
        for kind in sorted(kinds(backend)) if asked and available(name) else ():
            encodings = [
                encoding.name
                for encoding in all_encodings().values()
                if encoding.kind == kind and encoding.target in backend.targets
                if encoding.default or name in _WITH_EVERY_ENCODING.get(encoding.target, ())
                if question in (None, "solutions") or not CHASES & encoding.trusted_base
            ]
            found += [(f"{name}/{encoding}", kind) for encoding in encodings] or [(name, kind)]
    return found
