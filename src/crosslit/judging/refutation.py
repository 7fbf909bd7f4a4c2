"""Refutations of clauses by reverse unit propagation: an engine that did not find the proof checks every lemma."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from crosslit.base.errors import GaveUp
from crosslit.base.numbers import shorten

CHECKER = "minisat22"
"""The solver whose unit propagation checks lemmas, by its PySAT name.

It writes no proofs, and so never checks its own.
"""

Clause = Sequence[int]


class NoRefutation(ValueError):
    """A proof that refutes nothing; the message is a sentence about the proof."""


@contextmanager
def without_jumps() -> Iterator[None]:
    """Defer an interrupt until an engine has returned; also a decorator.

    PySAT itself would leave the engine by a ``longjmp``, which can hang the process forever. It calls an internal
    function to check whether it may, so that function is replaced. The calls here are short.
    """
    from pysat.solvers import MainThread

    check = MainThread.check
    MainThread.check = staticmethod(lambda: False)
    try:
        yield
    finally:
        MainThread.check = staticmethod(check)


def lemmas(lines: Iterable[str]) -> Iterator[list[int]]:
    """Yield the lemmas of a DRAT proof in text, without deletions: extra clauses cannot invalidate a refutation."""
    for number, line in enumerate(lines, 1):
        words = line.split()
        if words[:1] == ["d"]:
            continue
        try:
            literals = [int(word) for word in words]
        except ValueError:
            literals = []
        if not literals or literals.pop() != 0 or 0 in literals:
            raise NoRefutation(f"line {number} of the proof is not a lemma, which ends with 0: {line.strip()[:60]}")
        yield literals


@without_jumps()
def check_refutation(clauses: Iterable[Clause], proof: Iterable[Clause], variables: int, engine: str = CHECKER) -> int:
    """Check that lemmas, over variables up to a number, refute a formula by unit propagation.

    A lemma holds if the formula, the earlier lemmas and its negation contradict each other by unit propagation. Valid
    lemmas are not yet a refutation: in the end, propagation without assumptions must reach a contradiction. So an empty
    proof is correct exactly if propagation refutes the formula, and a proof cut off before its contradiction is not. E.
    Goldberg and Y. Novikov, "Verification of proofs of unsatisfiability for CNF formulas", DATE 2003.

    Returns:
        The number of lemmas checked, up to the contradiction.

    Raises:
        NoRefutation: if a lemma does not follow, or all of them together are consistent.
    """
    from pysat.solvers import Solver

    count = 0
    with Solver(name=engine, bootstrap_with=clauses) as checker:
        for lemma in proof:
            # A new variable helps no proof by propagation, and a huge number would make the engine allocate memory up
            # to it.
            if any(not 0 < abs(literal) <= variables for literal in lemma):
                raise NoRefutation(f"lemma {count + 1} has a variable that is not in the formula: {_shown(lemma)}")
            # PySAT returns True if propagation finds no contradiction, so the lemma does not follow.
            if checker.propagate([-literal for literal in lemma])[0]:
                raise NoRefutation(f"lemma {count + 1} does not follow by propagation: {_shown(lemma)}")
            count += 1
            if not lemma:
                break  # it follows, so the earlier clauses contradict themselves
            checker.add_clause(lemma)
        if checker.propagate([])[0]:
            raise NoRefutation(f"its {count} lemmas hold, but no contradiction follows from them by propagation")
    return count


@without_jumps()
def prove(clauses: Iterable[Clause], engine: str, conflicts: int | None = None) -> tuple[list[int] | None, list[str]]:
    """Refute a formula with a fresh solver.

    The solver must be fresh, because one that has already solved writes proofs that a check can reject.

    Returns:
        A model, if there is one; and the lines of a DRAT proof, if there is none.

    Raises:
        GaveUp: if the limit on conflicts is reached.
    """
    from pysat.solvers import Solver

    with Solver(name=engine, bootstrap_with=clauses, with_proof=True) as prover:
        if conflicts is not None:
            prover.conf_budget(conflicts)
        found = prover.solve() if conflicts is None else prover.solve_limited()
        if found is None:
            raise GaveUp(f"{engine} has neither a model nor a proof after {conflicts} conflicts")
        if found:
            model: list[int] = prover.get_model()
            return model, []
        proof: list[str] | None = prover.get_proof()
        return None, proof or []


_MAX_CONFLICTS = 100_000  # of a formula all of whose cells are known


@without_jumps()
def has_model(clauses: Iterable[Clause], literals: Iterable[int], engine: str) -> bool | None:
    """Return whether a formula has a model with some literals; None after many conflicts.

    >>> has_model([[1, 2], [-1, 2]], [1], CHECKER), has_model([[1, 2], [-1, 2]], [-2], CHECKER)
    (True, False)
    """
    from pysat.solvers import Solver

    with Solver(name=engine, bootstrap_with=clauses) as solver:
        solver.conf_budget(_MAX_CONFLICTS)
        found: bool | None = solver.solve_limited(assumptions=[*literals])
        return found


def _shown(lemma: Clause) -> str:
    text = " ".join(map(str, [*lemma, 0]))
    return shorten(text, 60)
