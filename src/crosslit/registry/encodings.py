"""The choice of encodings when no backend is named, and the sizes of their formulas."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from crosslit.base.errors import GaveUp, SpecError
from crosslit.contract import Encoded, Encoding, QuestionName
from crosslit.kinds import Puzzle
from crosslit.registry import Choice, all_encodings, inquiry, select_one
from crosslit.registry.defaults import TARGET

TARGETS = ("cnf", "cnf-xor", "cp-sat", "fd", "linear-xor", "linear")
"""The targets in order of preference: an encoding name with several targets stands for the first of them."""

FORMS = {
    "mzn": ("fd", "linear"),
    "fzn": ("fd", "linear"),
    "xcsp3": ("fd", "linear"),
    "asp": ("linear-xor", "linear"),
    "smt2": ("linear-xor", "linear"),
    "opb": ("linear",),
    "lp": ("linear",),
}
"""File forms of finite-domain models, and the targets that each supports; also accepted as a target."""

_AGAIN = 2.0  # seconds; longer encodings are not timed twice


def choose(puzzle: Puzzle, name: str | None = None, target: str | None = None) -> Encoding:
    """Return the encoding of a puzzle by name and target.

    Without a name it is the target's default, or its only encoding. The target is one of `TARGETS`, or one of `FORMS`,
    which support several; by default it is the first target of the name.

    Examples:
        >>> from crosslit.formats import read
        >>> choose(read("1|1")).name, choose(read("1|1"), "starts").target
        ('order', 'cp-sat')
    """
    of_kind = [encoding for encoding in all_encodings().values() if encoding.kind == puzzle.kind]
    named = [encoding for encoding in of_kind if name in (None, encoding.name)]
    usual: tuple[str, ...] = TARGETS if name is not None else (TARGET,)
    targets = usual if target is None else FORMS.get(target, (target,))
    found: list[Encoding] = []
    for candidate in targets:
        found = [encoding for encoding in named if encoding.target == candidate]
        # Without a name only a default can be meant, unless there is just one encoding to choose from.
        if name is None and len(found if len(targets) == 1 else targets) > 1:
            found = [encoding for encoding in found if encoding.default]
        if len(found) == 1:
            return found[0]
    known = ", ".join(f"{encoding.name} ({encoding.target})" for encoding in of_kind)
    what = f"encoding {name!r}" if name is not None else "default encoding" if found else "encoding"
    raise SpecError(f"no {what} of {puzzle.kind} puzzles to {target or TARGET}; there are {known}")


def formula(puzzle: Puzzle, encoding: Encoding, target: str | None = None) -> Any:
    """Return the formula of a puzzle, in the file form that ``target`` names if it is one of `FORMS`."""
    encoded = encoding.encode(puzzle)
    return encoded.as_form(target) if target in FORMS else encoded


def faster_spec(choice: Choice, puzzle: Puzzle, question: QuestionName) -> str:
    """Return the spec of the same engine with its default encoding, if search by that takes seconds; or empty."""
    usual = select_one(choice.backend.name, puzzle, question).encoding
    if usual is None or usual == choice.encoding or not usual.hard_reason:
        return ""
    reply, (_, colon, options) = inquiry.hard_reason(usual, puzzle), choice.spec.partition(":")
    return "" if reply.text or reply.problem else f"{choice.backend.name}/{usual.name}{colon}{options}"


@dataclass(frozen=True)
class FormulaSize:
    """The size of a puzzle's formula in an encoding."""

    encoding: Encoding
    sizes: Mapping[str, int]  # its numbers; empty if the encoding gave up
    seconds: float  # time to make it
    reason: str = ""  # why the encoding gave up; otherwise empty

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "encoding": self.encoding.name,
            "target": self.encoding.target,
            **self.sizes,
            "seconds": round(self.seconds, 6),
            "error": self.reason or None,
        }


def sizes(puzzle: Puzzle) -> Iterator[FormulaSize]:
    """Yield the size of the puzzle's formula in every encoding.

    The first call of an encoding may import modules, so short ones are made twice, and the shorter time is reported.
    """
    for encoding in all_encodings().values():
        if encoding.kind == puzzle.kind:
            size = _size(puzzle, encoding)
            if size.seconds < _AGAIN:
                size = min(size, _size(puzzle, encoding), key=lambda size: size.seconds)
            yield size


def _size(puzzle: Puzzle, encoding: Encoding) -> FormulaSize:
    began = time.perf_counter()
    try:
        formula: Encoded = encoding.encode(puzzle)
    except (GaveUp, ImportError) as error:
        return FormulaSize(encoding, {}, time.perf_counter() - began, str(error))
    return FormulaSize(encoding, formula.sizes, time.perf_counter() - began)
