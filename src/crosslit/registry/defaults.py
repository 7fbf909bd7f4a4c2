"""The defaults of each kind of puzzle: the backend that answers if none is named, and the backends that check it.

This module must not run a backend.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from crosslit import registry
from crosslit.base.errors import NoBackend, SpecError
from crosslit.contract import COUNT, QUESTIONS, SOLUTIONS, TARGETS, Encoding, QuestionName, why_dependent
from crosslit.contract.registered import Choice, all_encodings, forms
from crosslit.kinds import Puzzle
from crosslit.registry.table import Row, find_row

_TARGET = "cnf"  # the default target of an encoding if no backend is named
MAX_BRUTE_CELLS = 12  # for brute force as a check: it takes a tenth of a second

# A purpose is a question, or one of these: `list` finds all solutions, `verify` the reference for a solver under test.
_PURPOSES = frozenset({"list", "verify"})
ANY = Row(("default", "*"), ("default", "*"))  # the defaults of a kind or a question without its own


class Turn(NamedTuple):
    """A backend, and the seconds of processor time of its turn; None for all the time that is left."""

    choice: Choice
    seconds: float | None = None


def row(puzzle: Puzzle, purpose: str) -> Row:
    """Return the default backends of a puzzle's kind for a purpose."""
    return find_row(puzzle, purpose) or ANY


def default(puzzle: Puzzle, purpose: str = "solutions") -> str:
    """Return the spec of the backend that is asked first if none is named."""
    answers = row(puzzle, purpose).answers
    # The usual case needs no question to any backend, which would import plugins and their engines.
    if len(answers) == 1:
        return answers[0]
    found = next(turns(answers, puzzle, purpose), None)
    if found is not None:
        return found.choice.spec
    if answers == ANY.answers:
        question = QUESTIONS.get(purpose, SOLUTIONS)
        lacking = f"no backend of {puzzle.plural} can {question.words}: it would have `{question.name}`"
        raise NoBackend(registry.why_unsuited(question, puzzle) or lacking)
    return answers[-1]  # selecting it gives the reason why it does not support the puzzle


def answers(puzzle: Puzzle, purpose: str, spec: str | None = None) -> Iterator[Turn]:
    """Return the turns of the backends that answer, or only that of the named one; lazily, as `turns` does.

    A SpecError says that the spec does not name exactly one backend that supports the puzzle, or that there is none.
    """
    found = iter(()) if spec else turns(row(puzzle, purpose).answers, puzzle, purpose)
    if (first := next(found, None)) is None:
        spec = spec or default(puzzle, purpose)
        first = Turn(registry.select_one(spec, puzzle, _question(spec, puzzle, purpose)))
    return chain([first], found)


def checks(puzzle: Puzzle, purpose: str) -> Iterator[Turn]:
    """Return the turns of the backends that may check an answer, if they are independent of it."""
    return turns(row(puzzle, purpose).checks, puzzle, purpose)


def least_like(choice: Choice, puzzle: Puzzle, purpose: str) -> Choice | None:
    """Return the backend that shares the least of its trusted base with a given one, for a weaker check."""
    # The same backend would only repeat itself.
    others = [other for other, _ in checks(puzzle, purpose) if other.backend.name != choice.backend.name]
    return min(others, key=lambda other: len(other.trusted_base & choice.trusted_base), default=None)


Checks = Callable[[str], Iterator[Turn]]
"""A function from a purpose, ``list`` or ``count``, to the turns of the backends that may check an answer so."""


def checks_of(choice: Choice, puzzle: Puzzle) -> Checks:
    """Return the backends that may check the solutions of a given one; a NoBackend says that none is independent."""
    found = chain.from_iterable(checks(puzzle, purpose) for purpose in ("list", COUNT.name))
    if all(why_dependent(other.trusted_base, choice.trusted_base) for other, _ in found):
        reason = why_dependent(choice.trusted_base, frozenset()) or "each that suits this puzzle shares code with it"
        raise NoBackend(f"no backend can check {choice.spec}: {reason}")
    return lambda purpose: checks(puzzle, purpose)


def _question(spec: str, puzzle: Puzzle, purpose: str) -> QuestionName:
    """Return the question of a backend for a purpose: one that does not count the solutions lists them."""
    if purpose == COUNT.name and all(choice.refusal for choice in registry.select(spec, puzzle, purpose)):
        return SOLUTIONS.name
    return SOLUTIONS.name if purpose in _PURPOSES else purpose


def turns(texts: Iterable[str], puzzle: Puzzle, purpose: str) -> Iterator[Turn]:
    """Yield the turns of a row for the backends that support a puzzle.

    They are yielded lazily: most callers need only the first, and plugins take time to answer.
    """
    is_large = puzzle.layout.bits > MAX_BRUTE_CELLS
    # Groups and wildcards overlap with the names before them.
    seen = set()
    for text in texts:
        spec, _, seconds = text.partition(" ")
        for choice in registry.select(spec, puzzle, _question(spec, puzzle, purpose)):
            known = (choice.spec, seconds) in seen or (is_large and choice.backend.name == "brute")
            seen.add((choice.spec, seconds))
            if choice.refusal is None and not known:
                yield Turn(choice, float(seconds) if seconds else None)


def choose_encoding(puzzle: Puzzle, name: str | None = None, target: str | None = None) -> Encoding:
    """Return the encoding of a puzzle by name and target.

    Without a name it is the target's default, or its only encoding. The target is one of `TARGETS`, or a file form,
    which support several; by default it is ``cnf``, or the first target of the name.
    """
    of_kind = [encoding for encoding in all_encodings().values() if encoding.kind == puzzle.kind]
    usual = (_TARGET, *TARGETS) if name is not None else (_TARGET,)
    targets = usual if target is None else forms()[target].load().TARGETS if target in forms() else (target,)
    for candidate in targets:
        found = [encoding for encoding in of_kind if encoding.target == candidate and name in (None, encoding.name)]
        # Without a name only a default can be meant, unless there is none.
        if name is None:
            found = [encoding for encoding in found if encoding.default] or found
        if len(found) == 1:
            return found[0]
    known = ", ".join(f"{encoding.name} ({encoding.target})" for encoding in of_kind)
    what = f"encoding {name!r}" if name is not None else "encoding"
    raise SpecError(f"no {what} of {puzzle.kind} puzzles to {target or _TARGET}; there are {known}")
