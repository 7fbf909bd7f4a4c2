"""The check of certificates about all solutions of a puzzle, and the format for puzzles of any kind, a refutation.

A refutation is a formula of the puzzle, clauses that forbid the solutions found, and a proof that nothing satisfies
both. The formats of one kind of puzzle are in its folder. Checkers share no code with the backends that write
certificates, so this module must not import a backend or `algebra`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from crosslit.base.errors import CertificateRejected, GaveUp
from crosslit.base.grid import Grid, Layout
from crosslit.base.text import shorten
from crosslit.contract.certificate import ENCODER, Certificate, CheckResult, claim_of, entry
from crosslit.contract.registered import find_encoding
from crosslit.kinds import Puzzle

FORMAT = "refutation"
MAX_SOLUTIONS = 10_000  # each is a clause over all cells, and the formula must be bounded
CHECKER = "minisat22"  # of lemmas, by unit propagation; PySAT's name. It writes no proofs, and so never checks its own

Clause = Sequence[int]


def refutation(
    puzzle: Puzzle, encoding: str, prover: str, solutions: Sequence[Grid], proof: Iterable[str]
) -> Certificate:
    """Return the certificate of a proof: DRAT lines that refute the formula plus a clause for each solution."""
    kept = (line.strip() for line in proof)
    body = {
        "encoding": encoding,
        "prover": prover,
        "solutions": [grid.text for grid in solutions],
        "proof": "\n".join(line for line in kept if line and not line.startswith("d")),
    }
    return Certificate(FORMAT, puzzle.id, claim_of(len(solutions)), len(solutions), body)


def check_proof(puzzle: Puzzle, certificate: Certificate) -> CheckResult:
    """Check the solutions by the rules, and every lemma by unit propagation, on the formula of the puzzle.

    The encoding remains trusted: it may forbid a solution.
    """
    clauses, variables, proof, _ = _remade(puzzle, certificate)
    check_refutation(clauses, proof, variables)
    trusted_base = f"{ENCODER}{entry(certificate, 'encoding', str)}", f"unit propagation of {CHECKER}"
    return CheckResult(certificate.claim, certificate.count, f"RUP by {CHECKER}", trusted_base)


def _remade(puzzle: Puzzle, certificate: Certificate) -> tuple[list[Clause], int, list[list[int]], Sequence[str]]:
    """Return the formula that a certificate refutes, and its proof.

    These are the clauses, of which the last ones exclude the solutions; the number of variables; the lemmas of the
    proof; and comments that name the variables of the cells.
    """
    solutions = _solutions(puzzle, certificate)
    name = entry(certificate, "encoding", str)
    encoding = find_encoding(puzzle.kind, name)
    if encoding is None:
        raise CertificateRejected(f"there is no encoding {name[:40]!r} of {puzzle.kind} puzzles to CNF")
    try:
        formula = encoding.encode(puzzle)
        proof = list(lemmas(entry(certificate, "proof", str).splitlines()))
    except (GaveUp, ImportError) as error:
        raise CertificateRejected(str(error)) from None
    extended = formula.extend is not None
    layout = Layout(formula.rows, formula.columns, formula.states)
    if layout.states != puzzle.layout.states or not (extended or layout[:2] == puzzle.layout[:2]):
        raise CertificateRejected(f"the cells of {name} are neither all cells nor chosen ones")
    excluding: list[Clause] = []
    for solution in solutions:
        # Otherwise excluding the chosen cells of a solution would also exclude another grid with the same cells.
        if extended and formula.extend(formula.chosen(solution)) != solution:
            raise CertificateRejected(f"{name} makes another solution of the chosen cells of {solution.text:.60}")
        excluding.append([-literal for literal in formula.values(solution)])
    # A formula need not mention its last cells, but the clauses that exclude solutions do.
    variables = max(formula.variables, layout.variables)
    return [*formula.clauses(), *excluding], variables, proof, formula.comments


def _solutions(puzzle: Puzzle, certificate: Certificate) -> list[Grid]:
    """Return the solutions of a certificate, checked by the rules."""
    texts = entry(certificate, "solutions", list)
    if len(texts) != certificate.count:
        raise CertificateRejected(f"it knows {len(texts)} solutions and claims {certificate.count}")
    if texts[MAX_SOLUTIONS:]:
        raise CertificateRejected(f"it knows {len(texts)} solutions; at most {MAX_SOLUTIONS}")
    solutions = []
    for number, text in enumerate(texts, 1):
        try:
            solutions.append(puzzle.layout.parse(text))
            violation = next(puzzle.violations(solutions[-1]), None)
        except (TypeError, AttributeError, ValueError) as error:
            raise CertificateRejected(f"solution {number} is not a grid of the puzzle: {error}") from None
        if violation is not None:
            raise CertificateRejected(f"solution {number} breaks the rules: {violation}")
    # The same grid twice would make the number of solutions too large.
    if len(set(solutions)) < len(solutions):
        raise CertificateRejected("it knows a solution twice")
    return solutions


@contextmanager
def without_jumps() -> Iterator[None]:
    """Defer an interrupt until an engine has returned.

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
            raise CertificateRejected(f"line {number} of the proof is not a lemma, ending with 0: {line.strip()[:60]}")
        yield literals


def check_refutation(clauses: Iterable[Clause], proof: Iterable[Clause], variables: int) -> int:
    """Check that lemmas, over variables up to a number, refute a formula by unit propagation.

    A lemma holds if the formula, the earlier lemmas and its negation contradict each other by unit propagation. In the
    end, propagation without assumptions must reach a contradiction. Returned is the number of lemmas checked. E.
    Goldberg and Y. Novikov, "Verification of proofs of unsatisfiability for CNF formulas", DATE 2003.

    Raises:
        CertificateRejected: if a lemma does not follow, or all of them together are consistent.
    """
    from pysat.solvers import Solver

    count = 0
    with without_jumps(), Solver(name=CHECKER, bootstrap_with=clauses) as checker:
        for lemma in proof:
            # New variables do not help, and a huge number would make the engine allocate memory up to it.
            problem = ""
            if any(not 0 < abs(literal) <= variables for literal in lemma):
                problem = "has a variable that is not in the formula"
            # PySAT returns True if propagation finds no contradiction.
            elif checker.propagate([-literal for literal in lemma])[0]:
                problem = "does not follow by propagation"
            if problem:
                raise CertificateRejected(f"lemma {count + 1} {problem}: {shorten(_line(lemma), 60)}")
            count += 1
            if not lemma:
                break  # it follows, so the earlier clauses contradict themselves
            checker.add_clause(lemma)
        if checker.propagate([])[0]:
            raise CertificateRejected(f"its {count} lemmas hold, but no contradiction follows from them by propagation")
    return count


def proof_files(puzzle: Puzzle, certificate: Certificate) -> tuple[str, str]:
    r"""Return a certificate's formula in DIMACS and its refutation in DRAT, for external checkers.

    Examples:
        >>> from crosslit.formats import read
        >>> puzzle = read("1|1,0")
        >>> certificate = refutation(puzzle, "order", "glucose4", [Grid.from_text("10")], ["0"])
        >>> formula, proof = proof_files(puzzle, certificate)
        >>> formula.splitlines()[3:5], proof
        (['p cnf 3 7', '-3 1 0'], '0\n')
    """
    clauses, variables, proof, comments = _remade(puzzle, certificate)
    encoding = entry(certificate, "encoding", str)
    head = [
        f"c {puzzle.kind}, {puzzle.rows} x {puzzle.columns}, encoding {encoding}: {certificate.claim}",
        *(f"c {comment}" for comment in comments),
        f"c the last clauses, {certificate.count} of them, exclude the solutions",
        f"p cnf {variables} {len(clauses)}",
    ]
    # The empty lemma at the end states the contradiction; a proof may leave it out if propagation finds it.
    proof = proof if proof and not proof[-1] else [*proof, []]
    return "\n".join([*head, *map(_line, clauses), ""]), "\n".join([*map(_line, proof), ""])


def _line(clause: Clause) -> str:
    return " ".join(map(str, [*clause, 0]))


def check(puzzle: Puzzle, certificate: Certificate) -> CheckResult:
    """Check a certificate, and return the claim that it proves about the puzzle.

    Raises:
        CertificateRejected: if it does not prove its claim; the message says why.
    """
    if certificate.puzzle != puzzle.id:
        raise CertificateRejected("it is about another puzzle")
    formats = {**puzzle.certificates, FORMAT: check_proof}
    if certificate.format not in formats:
        raise CertificateRejected(f"there is no format {certificate.format[:40]!r}; there are {', '.join(formats)}")
    # The claim and the number must agree before the proof is read: otherwise a proof of no solution could be shown as
    # one of a single solution.
    if certificate.claim != claim_of(certificate.count):
        raise CertificateRejected(f"its number of solutions is not that of its claim, {certificate.claim}")
    checked = formats[certificate.format](puzzle, certificate)
    # The checker's result counts, not the words of the certificate.
    if (checked.claim, checked.count) != (certificate.claim, certificate.count):
        raise CertificateRejected("it proves another claim than it makes")
    return checked
