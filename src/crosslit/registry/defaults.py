"""The one table of defaults: which backend answers when none is named, and which backends are asked to check it.

Two backends are independent of each other where nothing that one trusts is trusted by the other
(`crosslit.registry.Choice.trusted_base`). Must not run a backend.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from crosslit.contract import SOLUTIONS, QuestionName, are_independent, find_question
from crosslit.errors import SpecError
from crosslit.puzzles import Puzzle
from crosslit.registry import specs
from crosslit.registry.specs import Choice

TARGET = "cnf"
"""The target of an encoding where neither a target nor a backend is named."""

MAX_BRUTE_CELLS = 12
"""Cells up to which brute force checks an answer where no backend is named: it takes a tenth of a second."""

_BRUTE = "brute"


@dataclass(frozen=True)
class Row:
    """The defaults of one purpose, for one kind of puzzle.

    Args:
        answers: specs; the first that suits the puzzle answers.
        checks: specs in the order of preference; one that is independent of what answered checks it.
    """

    answers: tuple[str, ...]
    checks: tuple[str, ...] = ()


# elimination takes boards that have no chase; where there is one, `polynomial` needs less time and less memory
_BOARD = ("polynomial", "gauss")
# backends that list quickly, of different families; then the rest of the group `default`
_LISTERS = ("line", "glucose4", "cpsat", "default")
# an XOR of a large press pattern must be cut: one of 25 presses takes 2^24 clauses
_SAT = "glucose4/full-cut4"
_BOARD_LISTERS = ("gauss", "polynomial", _SAT, "cpsat", "default")

# By kind of puzzle and purpose. A purpose is a question, or one of these, which ask for `solutions`:
# `list` finds all of them, `recount` finds all of them to check a count, `trace` shows each step of a solver,
# `audit` asks until two backends agree, `verify` finds the truth that a solver under test is compared with, and
# `verify-unchased` that of a board whose first row of presses does not force the others.
TABLE: dict[tuple[str, str], Row] = {
    ("lights-out", "solutions"): Row(_BOARD, _BOARD_LISTERS),
    ("lights-out", "list"): Row(_BOARD, _BOARD_LISTERS),
    ("lights-out", "trace"): Row(_BOARD),
    ("lights-out", "fewest"): Row(("fewest",)),
    ("lights-out", "count"): Row(_BOARD, (_BRUTE, "*")),
    ("lights-out", "recount"): Row(_BOARD, ("gauss", "first-row", _SAT)),
    ("lights-out", "backbone"): Row(_BOARD, ("gauss", "polynomial")),
    ("lights-out", "reveal"): Row(_BOARD, ("gauss", "polynomial")),
    ("lights-out", "mus"): Row(("fewest",)),
    ("lights-out", "audit"): Row(("polynomial", "gauss", _SAT)),
    # SAT checks few solutions only, for it excludes each by a clause; `polynomial` checks many
    ("lights-out", "verify"): Row(("gauss",), ("minisat22/chased-cut4", "polynomial")),
    ("lights-out", "verify-unchased"): Row(("gauss",), ("minisat22/full-cut4",)),
    ("nonogram", "solutions"): Row(("hybrid",), _LISTERS),
    # As clauses that exclude solutions add up, Glucose slows down and CaDiCaL next to nothing: of 40,000 solutions the
    # last thousand took seven times as long as the first, and 1.1 times (`benchmarks/enumeration.py`); without
    # clauses, as the offspring of MiniSat go on after a thousand, they are still behind CaDiCaL.
    ("nonogram", "list"): Row(("hybrid:engine=cadical195",), _LISTERS),
    ("nonogram", "trace"): Row(("alignment",)),  # its steps are those of a person
    ("nonogram", "fewest"): Row(("fewest",)),  # it says that this is no question of nonograms
    ("nonogram", "count"): Row(("frontier",), (_BRUTE, "*")),
    ("nonogram", "recount"): Row(("hybrid",), ("line", "glucose4")),
    # all that answer these are SAT solvers, so that another encoding shares least with the first
    ("nonogram", "backbone"): Row(("glucose4",), ("cadical195/automaton", "glucose4")),
    ("nonogram", "reveal"): Row(("glucose4",), ("cadical195/automaton", "glucose4")),
    ("nonogram", "mus"): Row(("glucose4",), ("cadical195/automaton", "glucose4")),
    # `line` says how hard a puzzle is; `hybrid` decides what neither of the others does, by symmetric solutions
    ("nonogram", "audit"): Row(("line", "glucose4", "hybrid")),
    ("nonogram", "verify"): Row(("line",), ("minisat22/order", "alignment")),
}

_PURPOSES = frozenset({"list", "recount", "trace", "audit", "verify", "verify-unchased"})  # that are no question
_ANY = Row(("default", "*"), ("default", "*"))  # of a kind or a question that a plugin brings


def default(puzzle: Puzzle, purpose: str = "solutions") -> str:
    """Return the spec of the backend that answers where none is named.

    Args:
        puzzle: that it is asked about.
        purpose: a question, or another purpose of `TABLE`.

    Raises:
        SpecError: if the table names none, and none is registered.

    Examples:
        >>> from crosslit.formats import read
        >>> default(read("10/01")), default(read("1|1"), "list"), default(read("1|1"), "count")
        ('polynomial', 'hybrid:engine=cadical195', 'frontier')
    """
    specs_of_row = answering(puzzle, purpose)
    if len(specs_of_row) == 1 and specs_of_row != _ANY.answers:
        return specs_of_row[0]
    found = next(_suitable(specs_of_row, puzzle, purpose), None)
    if found is not None:
        return found.spec
    if specs_of_row == _ANY.answers:
        asked = find_question(_question(purpose))
        lacking = f"no backend of {puzzle.plural} answers the question of {asked.words}: it would have `{asked.name}`"
        raise SpecError(asked.unsuited(puzzle) or lacking)
    return specs_of_row[-1]  # whoever selects it learns why it does not suit


def answering(puzzle: Puzzle, purpose: str) -> tuple[str, ...]:
    """Return the specs of all backends that may answer, in the order in which they are asked."""
    return TABLE.get((puzzle.kind, purpose), _ANY).answers


def independent_of(choice: Choice, puzzle: Puzzle, purpose: str = "solutions") -> Iterator[Choice]:
    """Yield the backends that may check another one's answer, for they trust nothing that it trusts.

    Examples:
        >>> from crosslit.formats import read
        >>> board = read("10/01")
        >>> next(independent_of(specs.select_one("polynomial", board), board)).spec
        'gauss'
    """
    for other in _suitable(TABLE.get((puzzle.kind, purpose), _ANY).checks, puzzle, purpose):
        if are_independent(other.trusted_base, choice.trusted_base):
            yield other


def least_like(choice: Choice, puzzle: Puzzle, purpose: str) -> Choice | None:
    """Return the backend that trusts least of what another one trusts, for a check that may share some of it."""
    checks = _suitable(TABLE.get((puzzle.kind, purpose), _ANY).checks, puzzle, purpose)
    others = [other for other in checks if other.backend.name != choice.backend.name]
    return min(others, key=lambda other: len(other.trusted_base & choice.trusted_base), default=None)


def independent_backend(choice: Choice, puzzle: Puzzle) -> Choice:
    """Return the first backend that is independent of one that lists all solutions.

    Raises:
        SpecError: if there is none for this puzzle.
    """
    for other in independent_of(choice, puzzle, "list"):
        return other
    raise SpecError(f"no backend of another family than {choice.spec} suits this puzzle: name one by --check-backend")


def _question(purpose: str) -> QuestionName:
    return SOLUTIONS.name if purpose in _PURPOSES else purpose


def _suitable(texts: tuple[str, ...], puzzle: Puzzle, purpose: str) -> Iterator[Choice]:
    """Yield what some specs mean, one spec at a time: most callers need the first, and to ask a plugin takes time."""
    question = _question(purpose)
    large = puzzle.rows * puzzle.columns > MAX_BRUTE_CELLS
    seen = set()
    for text in texts:
        for choice in specs.select(text, puzzle, question):
            known = choice.spec in seen or (large and choice.backend.name == _BRUTE)
            seen.add(choice.spec)
            if choice.refusal is None and not known:
                yield choice
