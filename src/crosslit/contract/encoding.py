"""Encodings: what an encoder promises, and the formula it makes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from crosslit.grid import Grid

TARGETS = ("cnf-xor", "cnf", "cp-sat", "fd", "linear-xor", "linear")
"""What encodings make, the richest first: of the defaults that a backend takes, it is given the one for the first."""


@dataclass(frozen=True)
class Encoding:
    """A pure function from a puzzle to a formula, and what there is to know of it.

    Auxiliary variables must be determined by the cells, so that solutions and models are one to one.

    Args:
        name: as in a spec, for example ``order``; unique for a kind and a target.
        kind: of the puzzles it takes: ``lights-out`` or ``nonogram``.
        target: what it makes, as in `TARGETS`: ``cnf`` and ``cnf-xor`` (`crosslit_encoders.formula.Formula`),
            ``cp-sat`` (`crosslit_encoders.cp_model.CpFormula`), or a `crosslit_encoders.finite_domain.Model`: ``fd``
            has any of its constraints, ``linear-xor`` linear and parity constraints, ``linear`` linear ones.
        encode: the function.
        trusted_base: everything on which its correctness rests; two runs that share an entry are not independent.
        summary: one line for people.
        default: whether a spec without an encoding means this one, for its kind and target.
        unsupported_reason: why this encoding does not support a puzzle, found at almost no cost; or None. ``encode``
            raises `GaveUp` with the same reason.
        line: of nonograms: from a clue and the length of its line to the formula of that line alone, a grid of one row;
            for who reasons about some lines of a puzzle. None where that is not offered.
    """

    name: str
    kind: str
    target: str
    encode: Callable[[Any], Any]
    trusted_base: frozenset[str]
    summary: str
    default: bool = False
    unsupported_reason: Callable[[Any], str | None] = lambda _: None
    line: Callable[[tuple[int, ...], int], Any] | None = None


class Encoded(Protocol):
    """What an encoding makes, as far as it is written out; the backends that accept its target know more of it."""

    @property
    def sizes(self) -> Mapping[str, int]:
        """Its numbers of ``variables``, and of what else its target has: clauses, literals, xors, constraints."""

    def written(self, comments: Sequence[str], binary: bool) -> Iterator[bytes]:
        """The formula in the format of its target, in pieces, with what says which variables the cells are.

        Raises:
            ValueError: if it has no such form.
        """


class ReadsModels(Encoded, Protocol):
    """A formula that also reads what solvers write about it."""

    def answer(self, lines: Iterable[str]) -> tuple[str | None, Grid | None, str | None]:
        """What a solver's output says.

        Returns:
            Its status (``satisfiable``, ``unsatisfiable``, ``unknown``, None if it gives none); the solution of its
            model, unchecked, if it gives one; and the first constraint of the formula that this model breaks, if any.

        Raises:
            UnreadableModel: if it is no answer about this formula.
        """
