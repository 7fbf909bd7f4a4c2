"""Encodings, and the formulas that they make."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from crosslit.base.grid import Grid

TARGETS = ("cnf-xor", "cnf", "cp-sat", "fd", "linear-xor", "linear")
"""Targets of encodings, the richest first: a backend gets the default encoding of the first target that it accepts."""

Terms = Sequence[tuple[int, int]]
"""Amounts, each with the cell, from 0, that it multiplies: their sum modulo the number of states is meant."""


class Meaning(NamedTuple):
    """The meaning of a variable, which is true exactly if a sum has one of the values.

    A whole sum is not reduced modulo the number of states. Numbers after the cells are those of other variables.
    """

    terms: Terms
    values: frozenset[int] | range
    is_whole: bool = False


@dataclass(frozen=True)
class Encoding:
    """A pure function from a puzzle to a formula, and its description.

    The cells must determine the auxiliary variables, so that solutions and models correspond one to one.

    Args:
        name: the name in a spec, such as ``order``; unique for a kind and a target.
        kind: the kind of puzzles that it supports: ``lights-out`` or ``nonogram``.
        target: one of `TARGETS`: ``cnf`` and ``cnf-xor`` (`crosslit_encoders.formula.Formula`), ``cp-sat``
            (`crosslit_encoders.cp_model.CpFormula`), or a `crosslit_encoders.finite_domain.Model`: ``fd`` with any of
            its constraints, ``linear-xor`` with linear and parity constraints, ``linear`` with linear ones.
        encode: the function.
        trusted_base: everything on which its correctness rests; two runs that share an entry are not independent.
        summary: a line that describes it.
        default: whether a spec that names no encoding uses this one, for its kind and target.
        default_for: questions for which it is used instead of that one, such as ``solutions``: an encoding of some of
            the cells may be faster, but cannot answer questions about the others.
        unsupported_reason: returns why a puzzle is unsupported, or None; must be cheap. ``encode`` raises `GaveUp` with
            the same reason.
        hard_reason: returns why an engine may take minutes on a puzzle where other puzzles take seconds, or None; must
            be cheap. A group or a wildcard of backends then leaves it out; a spec that names the engine does not.
            None for an encoding of which that is not known for any puzzle.
    """

    name: str
    kind: str
    target: str
    encode: Callable[[Any], Any]
    trusted_base: frozenset[str]
    summary: str
    default: bool = False
    default_for: frozenset[str] = frozenset()
    unsupported_reason: Callable[[Any], str | None] = lambda _: None
    hard_reason: Callable[[Any], str | None] | None = None


class Encoded(Protocol):
    """The common interface of formulas; backends that accept a target know more about its formulas."""

    @property
    def sizes(self) -> Mapping[str, int]:
        """Its numbers of ``variables``, and of the other parts of its target: clauses, literals, xors, constraints."""

    def written(self, comments: Sequence[str], binary: bool) -> Iterator[bytes]:
        """Yield the formula in its target's file format, in pieces, with comments that name the variables of cells.

        Raises:
            ValueError: if the formula has no such format.
        """


class ReadsModels(Encoded, Protocol):
    """A formula that can also read a solver's answer."""

    def answer(self, lines: Iterable[str]) -> tuple[str | None, Grid | None, str | None]:
        """Return the answer in a solver's output.

        Returns:
            Its status (``satisfiable``, ``unsatisfiable``, ``unknown``, or None if there is none); the solution of its
                model, unchecked, if there is a model; and the first constraint of the formula that this model breaks,
                if any.

        Raises:
            UnreadableModel: if it is not an answer about this formula.
        """
