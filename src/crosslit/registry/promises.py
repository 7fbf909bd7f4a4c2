"""Checks that a registered backend keeps the contract, and a substitute for one that does not.

Without them a wrong signature would show as a `TypeError` in every run, and a misspelt method not at all.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Mapping, Set
from typing import Any

from crosslit.contract import Backend, Options, all_questions
from crosslit.errors import Unavailable
from crosslit.kinds import Puzzle

# a list in place of a tuple would fail far from here
_TYPES: Mapping[str, Any] = {
    "name": str,
    "summary": str,
    "kinds": Set,
    "targets": Set,
    "groups": Set,
    "trusted_base": Set,
    "options": Mapping,
    "preload": tuple,
    "seldom": tuple,
}


def find_problem(backend: Any) -> tuple[str, str]:
    """Return the name of a backend, and how it breaks the contract; empty if it does not."""
    name = getattr(backend, "name", "")
    try:
        breach = _find_breach(backend)
    except Exception as error:  # from an attribute that is a property
        breach = f"cannot be checked: {type(error).__name__}: {error}"
    return name if isinstance(name, str) else "", f": this backend {breach}" if breach else ""


def _find_breach(backend: object) -> str:
    """Return what is wrong with a backend, to follow the words "this backend"; empty if nothing is."""
    if not isinstance(backend, Backend):
        return "does not derive from crosslit.contract.Backend"
    for name, kind in _TYPES.items():
        value = getattr(backend, name, None)
        words = isinstance(value, Set | tuple) and not all(isinstance(word, str) for word in value)
        if words or not isinstance(value, kind):
            return f"has {name} = {value!r:.40} where {kind.__name__}{' of str' * words} is expected"
    for name in ("version", "unsupported_reason", "batches", "certify", *all_questions()):
        if backend.answers(name) and (expected := _mismatch(backend, name)):
            return expected
    if not any(backend.answers(name) for name in all_questions()):
        return f"answers no question; {_suggest_question(backend)}"
    return ""


def _mismatch(backend: Backend, name: str) -> str:
    """Return how a method refuses the arguments that Crosslit passes, by position; empty if it takes them."""
    promised = inspect.signature(getattr(Backend, name, Backend.solutions)).parameters
    try:
        own = inspect.signature(getattr(type(backend), name))
    except (TypeError, ValueError):  # unknown for some compiled functions
        return ""
    try:
        own.bind(*promised)
    except TypeError:
        return f"has {name}{own} where {name}({', '.join(promised)}) is expected"
    return ""


def _suggest_question(backend: object) -> str:
    own = [name for name in dir(backend) if not name.startswith("_") and not hasattr(Backend, name)]
    questions = list(all_questions())
    close = dict.fromkeys(found for name in own for found in difflib.get_close_matches(name.lower(), questions, 1))
    if close:
        return f"did you mean {' or '.join(f'`{name}`' for name in close)}?"
    return f"its method would be one of {', '.join(questions)}"


class Broken(Backend):
    """A substitute for an entry point that could not be loaded, listed with the reason."""

    summary = "could not be loaded"

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason

    def version(self) -> str:
        """Raise `Unavailable` with the reason."""
        raise Unavailable(self.reason)

    def unsupported_reason(self, puzzle: Puzzle, options: Options) -> str | None:  # noqa: ARG002
        """Return the reason."""
        return self.reason
