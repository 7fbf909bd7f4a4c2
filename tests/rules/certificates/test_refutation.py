"""Proofs of clauses, made by solvers and checked by unit propagation."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from crosslit_backends.sat.pysat import refute_by
from pysat.solvers import Solver

from crosslit import load, registry
from crosslit.base.errors import CertificateRejected
from crosslit.base.grid import Grid
from crosslit.contract import Certificate, GaveUp, Task
from crosslit.judging.certificates import check, check_refutation, lemmas, proof_files, refutation
from crosslit.kinds import Puzzle

BOTH = [Grid.from_text("10/01"), Grid.from_text("01/10")]
HARD = load("1 1,1 1,1 1,1 1,1 1|1 1,1 1,1 1,1 1,1 1")  # propagation by itself decides nothing


def solved(puzzle: Puzzle, spec: str = "cadical195") -> list[Grid]:
    from crosslit import solutions

    return list(solutions(puzzle, spec))


def certified(puzzle: Puzzle, encoding: str, prover: str = "glucose4") -> Certificate:
    return refute_by(puzzle, Task(), solved(puzzle), prover, encoding)


SQUARE = load("1,1|1,1")


def test_a_certificate_has_no_deletions_and_no_blank_lines() -> None:
    made = refutation(load("1|1,0"), "order", "x", [Grid.from_text("10")], ["1 0\n", "d 1 0", "  ", "0"])
    assert made.body["proof"] == "1 0\n0"


def test_nothing_is_proved_where_a_solution_is_left_out() -> None:
    with pytest.raises(GaveUp, match="glucose4 finds another solution: 01/10"):
        refute_by(SQUARE, Task(), BOTH[:1], "glucose4", "order")


def test_more_solutions_than_a_certificate_may_know() -> None:
    with pytest.raises(GaveUp, match="at most 10,000"):
        refute_by(SQUARE, Task(), BOTH * 6000, "glucose4", "order")


@pytest.mark.parametrize(("engine", "prover"), [("cadical195", "cadical195"), ("minisat22", "glucose4")])
def test_hybrid_certifies_by_its_engine_or_by_one_that_can(engine: str, prover: str) -> None:
    hybrid: Any = registry.all_backends()["hybrid"]
    made = hybrid.certify(HARD, Task(options={"engine": engine}), solved(HARD))
    assert (made.format, made.body["prover"]) == ("refutation", prover)
    assert check(HARD, made).claim == "complete"
    unequal = load("1,1|1,0")
    assert hybrid.certify(unequal, Task(), []).format == "nonogram-sums"


def test_the_files_for_checkers_from_elsewhere_hold_the_whole_claim() -> None:
    board = load("10100/01100/00100")
    for puzzle, encoding, cells in (
        (HARD, "order", "row 1, left to right: variables 1 to 5"),
        (board, "full-cut4", "row 3, left to right: variables 11 to 15"),
        (board, "chased-cut4", "row 2, columns 1 to 1: variables 2 to 2"),
        (load("modular-lights-out:3/001/120"), "chased-direct", "row 2, columns 1 to 1: variables 4 to 6"),
    ):
        given = certified(puzzle, encoding, "cadical195")
        formula, proof = proof_files(puzzle, given)
        comments = [line for line in formula.splitlines() if line.startswith("c ")]
        assert f"c cells of {cells}" in comments
        assert any("exclude the solutions" in line and f", {given.count} of them" in line for line in comments)
        header, *lines = [line for line in formula.splitlines() if not line.startswith("c ")]
        clauses = [[int(word) for word in line.split()[:-1]] for line in lines]
        assert header.split()[:2] == ["p", "cnf"]
        assert int(header.split()[3]) == len(clauses)
        assert int(header.split()[2]) >= max(abs(literal) for clause in clauses for literal in clause)
        check_refutation(clauses, lemmas(proof.splitlines()), int(header.split()[2]))
        if given.count:
            with pytest.raises(CertificateRejected):
                check_refutation(clauses[: -given.count], lemmas(proof.splitlines()), int(header.split()[2]))


@pytest.mark.parametrize(("proof", "text"), [([], "0\n"), (["1 0"], "1 0\n0\n"), (["1 0", "0"], "1 0\n0\n")])
def test_a_proof_is_written_with_the_contradiction_that_it_may_leave_out(proof: list[str], text: str) -> None:
    puzzle = load("2|1,0")
    assert proof_files(puzzle, refutation(puzzle, "order", "nobody", [], proof))[1] == text


SMALL_SQUARE = [[1, 2], [1, -2], [-1, 2], [-1, -2]]
PROVERS = ("glucose4", "cadical195", "lingeling", "maplechrono")
CHECKERS = ("minisat22", "cadical153", "mergesat3")


def pigeons(holes: int) -> list[list[int]]:
    """One pigeon more than there are holes."""
    sits = [[pigeon * holes + hole + 1 for hole in range(holes)] for pigeon in range(holes + 1)]
    pairs = itertools.combinations(sits, 2)
    return sits + [[-one, -other] for pair in pairs for one, other in zip(*pair, strict=True)]


def satisfiable(clauses: list[list[int]], variables: int) -> bool:
    """By trying all assignments."""
    assignments = itertools.product((False, True), repeat=variables)
    return any(all(any(bits[abs(x) - 1] == (x > 0) for x in clause) for clause in clauses) for bits in assignments)


def prove(clauses: list[list[int]], engine: str) -> tuple[list[int] | None, list[str]]:
    """A model, or the lines of a proof that there is none."""
    with Solver(name=engine, bootstrap_with=clauses, with_proof=True) as solver:
        return solver.get_model() if solver.solve() else None, solver.get_proof() or []


@pytest.mark.parametrize("prover", PROVERS)
@pytest.mark.parametrize("checker", CHECKERS)
def test_every_prover_by_every_checker(prover: str, checker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosslit.judging.certificates.CHECKER", checker)
    clauses = pigeons(4)
    model, proof = prove(clauses, prover)
    assert model is None
    assert check_refutation(clauses, lemmas(proof), 20) > 0


def test_random_formulas_by_brute_force() -> None:
    rng = random.Random(4)
    refuted = 0
    for _ in range(200):
        clauses = [[rng.choice([-1, 1]) * v for v in rng.sample(range(1, 8), 3)] for _ in range(rng.randint(20, 50))]
        model, proof = prove(clauses, rng.choice(PROVERS))
        assert (model is not None) == satisfiable(clauses, 7)
        if model is None:
            check_refutation(clauses, lemmas(proof), 7)
            refuted += 1
        else:  # no proof is accepted, random or not
            offered = [[rng.choice([-1, 1]) * rng.randint(1, 7) for _ in range(2)] for _ in range(3)]
            with pytest.raises(CertificateRejected):
                check_refutation(clauses, [*offered, []], 7)
    assert 30 < refuted < 170


def test_an_empty_proof_is_right_exactly_where_propagation_refutes() -> None:
    assert check_refutation([[1], [-1, 2], [-2]], [], 2) == 0
    assert check_refutation([[]], [], 1) == 0
    with pytest.raises(CertificateRejected, match="its 0 lemmas hold"):
        check_refutation(SMALL_SQUARE, [], 2)
    with pytest.raises(CertificateRejected, match="lemma 1 does not follow"):
        check_refutation(SMALL_SQUARE, [[]], 2)


def test_lemmas_after_the_contradiction_and_repeated_literals_do_no_harm() -> None:
    assert check_refutation(SMALL_SQUARE, [[1, 1], [], [2]], 2) == 2
    assert check_refutation(SMALL_SQUARE, [[1, -1], [1]], 2) == 2


@pytest.mark.parametrize("line", ["", "1 2", "1 0 2 0", "a 0", "1.5 0", "x1 2 0", "-", "0 0"])
def test_what_is_no_line_of_a_proof(line: str) -> None:
    with pytest.raises(CertificateRejected, match="line 2 of the proof"):
        list(lemmas(["1 0", line]))
