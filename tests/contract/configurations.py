"""Which backends are tested with which encodings, decided here alone, and what an encoding may give up on."""

from __future__ import annotations

import pytest

from crosslit import LightsOut
from crosslit.contract import Encoding, Question
from crosslit.errors import GaveUp, Unavailable
from crosslit.puzzles import Puzzle
from crosslit.puzzles.lights_out import NEIGHBOURS, PLUS
from crosslit.registry import all_backends, all_encodings, questions

_STAND_FOR_THEIR_CLASS = ("cadical195", "glucose4")
"""Of the engines of one class, these take every encoding in the tests, the others their defaults: what is wrong with an
encoding shows with any engine, what is wrong with an engine with any encoding."""


def available(name: str) -> bool:
    """Whether the engine of a backend is installed."""
    try:
        all_backends()[name].version()
    except Unavailable:
        return False
    return True


def every_configuration(question: Question = "solutions") -> list[tuple[str, str]]:
    """(spec, kind) for every backend that can answer a question here, with the encodings that it is tested with."""
    found = []
    alike = type(all_backends()[_STAND_FOR_THEIR_CLASS[0]])
    for name, backend in all_backends().items():
        if question not in questions(backend) or not available(name):
            continue
        sparing = type(backend) is alike and name not in _STAND_FOR_THEIR_CLASS
        for kind in sorted(backend.kinds):
            encodings = [
                encoding.name
                for encoding in all_encodings().values()
                if encoding.kind == kind and encoding.target in backend.accepts
                if encoding.default or not sparing
                if question == "solutions" or "chase" not in encoding.trusts
            ]
            found += [(f"{name}/{encoding}", kind) for encoding in encodings] or [(name, kind)]
    return found


def beyond(encoding: Encoding | None, puzzle: Puzzle) -> bool:
    """Whether an encoding gives up on a puzzle: one by the chase does, and must, where that does not reach."""
    if encoding is None or "chase" not in encoding.trusts or not isinstance(puzzle, LightsOut):
        return False
    if puzzle.pattern in (PLUS, NEIGHBOURS) and puzzle.wrap == "none" and puzzle.missing is None:
        return False
    with pytest.raises(GaveUp, match="the first row forces the others"):
        encoding.encode(puzzle)
    return True
