"""Refutations by unit propagation, accepted and rejected."""

from __future__ import annotations

import itertools
import random

import pytest

from crosslit.contract.clauses import NoRefutation, check_refutation, lemmas, prove

SQUARE = [[1, 2], [1, -2], [-1, 2], [-1, -2]]
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


@pytest.mark.parametrize("prover", PROVERS)
@pytest.mark.parametrize("checker", CHECKERS)
def test_every_prover_by_every_checker(prover: str, checker: str) -> None:
    clauses = pigeons(4)
    model, proof = prove(clauses, prover)
    assert model is None
    assert check_refutation(clauses, lemmas(proof), 20, checker) > 0


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
            with pytest.raises(NoRefutation):
                check_refutation(clauses, [*offered, []], 7)
    assert 30 < refuted < 170


def test_a_lemma_that_does_not_follow() -> None:
    with pytest.raises(NoRefutation, match="lemma 1 does not follow by propagation: 1 0"):
        check_refutation([[1, 2], [-1, 2]], [[1]], 2)


def test_a_proof_cut_off_before_its_contradiction() -> None:
    clauses = pigeons(4)
    _, proof = prove(clauses, "glucose4")
    given = list(lemmas(proof))
    check_refutation(clauses, given, 20)
    with pytest.raises(NoRefutation, match="no contradiction follows"):
        check_refutation(clauses, given[: len(given) // 2], 20)


def test_an_empty_proof_is_right_exactly_where_propagation_refutes() -> None:
    assert check_refutation([[1], [-1, 2], [-2]], [], 2) == 0
    assert check_refutation([[]], [], 1) == 0
    with pytest.raises(NoRefutation, match="its 0 lemmas hold"):
        check_refutation(SQUARE, [], 2)
    with pytest.raises(NoRefutation, match="lemma 1 does not follow"):
        check_refutation(SQUARE, [[]], 2)


def test_lemmas_after_the_contradiction_and_repeated_literals_do_no_harm() -> None:
    assert check_refutation(SQUARE, [[1, 1], [], [2]], 2) == 2
    assert check_refutation(SQUARE, [[1, -1], [1]], 2) == 2


def test_a_lemma_beyond_the_variables() -> None:
    with pytest.raises(NoRefutation, match="not in the formula: 1 3 0"):
        check_refutation(SQUARE, [[1, 3]], 2)
    with pytest.raises(NoRefutation, match="not in the formula: 1 -3 0"):
        check_refutation(SQUARE, [[1, -3]], 2)
    with pytest.raises(NoRefutation, match="not in the formula"):
        check_refutation(SQUARE, [[10**12]], 2)


@pytest.mark.parametrize("line", ["", "1 2", "1 0 2 0", "a 0", "1.5 0", "x1 2 0", "-", "0 0"])
def test_what_is_no_line_of_a_proof(line: str) -> None:
    with pytest.raises(NoRefutation, match="line 2 of the proof"):
        list(lemmas(["1 0", line]))


def test_a_proof_that_numbers_variables_one_too_high_is_refused() -> None:
    clauses = pigeons(4)
    shifted = [[x + 1 if x > 0 else x - 1 for x in lemma] for lemma in lemmas(prove(clauses, "glucose4")[1])]
    with pytest.raises(NoRefutation):
        check_refutation(clauses, shifted, 20)
