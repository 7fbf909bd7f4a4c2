"""Clauses: the parts of a formula, and refutations by reverse unit propagation.

An engine that did not find the proof checks every lemma.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from crosslit.base.errors import GaveUp
from crosslit.base.numbers import shorten
from crosslit.contract.backend import Meaning, Terms

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


def _shown(lemma: Clause) -> str:
    text = " ".join(map(str, [*lemma, 0]))
    return shorten(text, 60)


class WrongFormula(ValueError):
    """A formula that forbids something that the rules allow; the message says where."""


@dataclass(frozen=True)
class Statement:
    """A formula, and what an encoder says of its variables: a check takes that as definitions, and trusts nothing.

    Args:
        clauses: the clauses.
        sums: for each cell of the formula, the sum of cells of the solution that it stands for; None if it has all
            cells.
        meanings: what auxiliary variables stand for; not of all of them.
    """

    clauses: Iterable[Clause]
    sums: Sequence[Terms] | None = None
    meanings: Mapping[int, Meaning] = field(default_factory=dict)


@dataclass
class Part:
    """Clauses that share auxiliary variables with each other, and only cells with all others."""

    clauses: list[Clause] = field(default_factory=list)
    cells: set[int] = field(default_factory=set)


def parts(clauses: Iterable[Clause], cells: Container[int]) -> list[Part]:
    """Split a formula into parts; a clause without other variables than cells is a part."""
    # A union-find structure over auxiliary variables.
    leader: dict[int, int] = {}

    def find(variable: int) -> int:
        root = variable
        while (above := leader.setdefault(root, root)) != root:
            root = above
        # Path compression keeps the look-ups of long chains of auxiliary variables nearly constant.
        while leader[variable] != root:
            leader[variable], variable = root, leader[variable]
        return root

    kept = [(clause, [abs(literal) for literal in clause if abs(literal) not in cells]) for clause in clauses]
    for _, auxiliary in kept:
        for other in auxiliary[1:]:
            leader[find(other)] = find(auxiliary[0])
    found: dict[int, Part] = defaultdict(Part)
    for number, (clause, auxiliary) in enumerate(kept):
        part = found[find(auxiliary[0]) if auxiliary else -number - 1]
        part.clauses.append(clause)
        part.cells.update(abs(literal) for literal in clause if abs(literal) in cells)
    return list(found.values())


def renumbered(clauses: Sequence[Clause], places: Sequence[int]) -> tuple[Clause, ...]:
    """Renumber the variables of clauses: these cells first, then the auxiliary ones in order of appearance."""
    numbers = {variable: number for number, variable in enumerate(places, 1)}
    return tuple(
        tuple((1 if literal > 0 else -1) * numbers.setdefault(abs(literal), len(numbers) + 1) for literal in clause)
        for clause in clauses
    )
