"""The defaults of each kind of puzzle: the backend that answers if none is named, and the backends that check it.

Two backends are independent if their trusted bases are disjoint (`crosslit.registry.Choice.trusted_base`). This module
must not run a backend.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from crosslit.base.errors import NoBackend, SpecError
from crosslit.contract import (
    COUNT,
    QUESTIONS,
    SOLUTIONS,
    Encoding,
    QuestionName,
    are_independent,
    dependence,
    registered,
)
from crosslit.contract.registered import Choice, all_encodings, find_form, form_names
from crosslit.kinds import Puzzle, Row, kind_of
from crosslit.registry import specs
from crosslit.registry.specs import select_one

TARGET = "cnf"
"""The default target of an encoding if no backend is named."""

MAX_BRUTE_CELLS = 12
"""Maximum cells for brute force as the default check of an answer: it takes a tenth of a second."""

_BRUTE = "brute"


# A purpose is a question, or one of these variants of `solutions`: `list` finds all, `few` counts them up to a limit,
# `audit` asks until two backends agree, `verify` finds the reference for a solver under test.
_PURPOSES = frozenset({"list", "few", "audit", "verify"})
ANY = Row(("default", "*"), ("default", "*"))
"""The defaults of a kind or a question without its own."""


def row(puzzle: Puzzle, purpose: str) -> Row:
    """Return the default backends of a puzzle's kind for a purpose."""
    return kind_of(puzzle).defaults(puzzle, purpose) or ANY


def default(puzzle: Puzzle, purpose: str = "solutions") -> str:
    """Return the spec of the backend that answers if none is named.

    Examples:
        >>> from crosslit.formats import read
        >>> default(read("10/01")), default(read("1|1"), "list"), default(read("1|1"), "count")
        ('polynomial', 'hybrid:engine=cadical195', 'frontier')
    """
    specs_of_row = answering(puzzle, purpose)
    # The usual case needs no question to any backend, which would import plugins and their engines.
    if len(specs_of_row) == 1 and specs_of_row != ANY.answers:
        return specs_of_row[0]
    found = next(_suitable(specs_of_row, puzzle, purpose), None)
    if found is not None:
        return found.spec
    if specs_of_row == ANY.answers:
        question = QUESTIONS[_question(purpose)]
        lacking = f"no backend of {puzzle.plural} can {question.words}: it would have `{question.name}`"
        raise NoBackend(specs.why_unsuited(question, puzzle) or lacking)
    return specs_of_row[-1]  # selecting it gives the reason why it does not support the puzzle


def answering(puzzle: Puzzle, purpose: str) -> tuple[str, ...]:
    """Return the specs of all backends that may answer, in the order in which they are tried."""
    return row(puzzle, purpose).answers


def independent_of(choice: Choice, puzzle: Puzzle, purpose: str = "solutions") -> Iterator[Choice]:
    """Yield the backends that are independent of a given one and may check its answer."""
    for other in _suitable(row(puzzle, purpose).checks, puzzle, purpose):
        if are_independent(other.trusted_base, choice.trusted_base):
            yield other


def least_like(choice: Choice, puzzle: Puzzle, purpose: str) -> Choice | None:
    """Return the backend that shares the least of its trusted base with a given one, for a weaker check."""
    checks = _suitable(row(puzzle, purpose).checks, puzzle, purpose)
    # The same backend would only repeat itself.
    others = [other for other in checks if other.backend.name != choice.backend.name]
    return min(others, key=lambda other: len(other.trusted_base & choice.trusted_base), default=None)


Checkers = Callable[[str], Iterator[Choice]]
"""A function from a purpose, ``list`` or ``count``, to the backends that may check an answer in this way, in order."""


def checkers(choice: Choice, puzzle: Puzzle, spec: str | None = None) -> Checkers:
    """Return the backends that may check all solutions of a given one, or their number; or only the named one.

    Raises:
        SpecError: if the named backend is not independent of the given one, or there is no independent one.
    """
    if spec is None:
        found: Checkers = partial(independent_of, choice, puzzle)
        if not any(next(found(purpose), None) for purpose in ("list", COUNT.name)):
            reason = dependence(choice.trusted_base, frozenset()) or "each that suits this puzzle shares code with it"
            raise NoBackend(f"no backend can check {choice.spec}: {reason}")
        return found
    named = {}
    for purpose in ("list", COUNT.name):
        with suppress(SpecError):
            named[purpose] = specs.select_one(spec, puzzle, _question(purpose))
    other = next(iter(named.values()), None) or specs.select_one(spec, puzzle)
    if reason := dependence(choice.trusted_base, other.trusted_base):
        raise SpecError(f"backend {spec!r}: it cannot check {choice.spec}: {reason}")
    return lambda purpose: iter([named[purpose]] if purpose in named else [])


def _question(purpose: str) -> QuestionName:
    return SOLUTIONS.name if purpose in _PURPOSES else purpose


def _suitable(texts: tuple[str, ...], puzzle: Puzzle, purpose: str) -> Iterator[Choice]:
    """Yield the choices of some specs lazily: most callers need only the first, and plugins take time to answer."""
    question = _question(purpose)
    large = puzzle.layout.bits > MAX_BRUTE_CELLS
    # Groups and wildcards overlap with the names before them.
    seen = set()
    for text in texts:
        for choice in specs.select(text, puzzle, question):
            known = choice.spec in seen or (large and choice.backend.name == _BRUTE)
            seen.add(choice.spec)
            if choice.refusal is None and not known:
                yield choice


_PREFERRED = ("cnf", "cnf-xor", "cp-sat", "fd", "linear-xor", "linear")
"""The targets in order of preference: an encoding name with several targets stands for the first of them."""


def choose_encoding(puzzle: Puzzle, name: str | None = None, target: str | None = None) -> Encoding:
    """Return the encoding of a puzzle by name and target.

    Without a name it is the target's default, or its only encoding. The target is one of `TARGETS`, or a file form,
    which support several; by default it is the first target of the name.

    Examples:
        >>> from crosslit.formats import read
        >>> choose_encoding(read("1|1")).name, choose_encoding(read("1|1"), "starts").target
        ('order', 'cp-sat')
    """
    of_kind = [encoding for encoding in all_encodings().values() if encoding.kind == puzzle.kind]
    named = [encoding for encoding in of_kind if name in (None, encoding.name)]
    usual: tuple[str, ...] = _PREFERRED if name is not None else (TARGET,)
    targets = usual if target is None else find_form(target).TARGETS if target in form_names() else (target,)
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


def faster_spec(choice: Choice, puzzle: Puzzle, question: QuestionName) -> str:
    """Return the spec of the same engine with its default encoding, if search by that takes seconds; or empty."""
    usual = select_one(choice.backend.name, puzzle, question).encoding
    if usual is None or usual == choice.encoding or not usual.hard_reason:
        return ""
    reply, (_, colon, options) = registered.hard_reason(usual, puzzle), choice.spec.partition(":")
    return "" if reply.text or reply.problem else f"{choice.backend.name}/{usual.name}{colon}{options}"
