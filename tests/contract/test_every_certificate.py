"""Every registered backend that makes certificates or contradictions: they are accepted, true and minimal."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import combinations

import pytest
from crosslit_backends.sat.pysat import refute
from crosslit_verify.contract_checks import Specimen, by_rules, floor, sample_puzzles

from crosslit import registry
from crosslit.base.errors import CertificateRejected
from crosslit.contract import Certificate, CheckResult, Encoding, GaveUp, Task, answer_layout
from crosslit.contract.certificate import claim_of
from crosslit.contract.family import random_grid
from crosslit.judging.certificates import check
from crosslit.kinds import Puzzle, all_kinds
from crosslit.questions.compare import compare
from crosslit.registry import select_one
from crosslit.runs.job import Job, Solve
from tests.contract.configurations import every_configuration
from tests.contract.executor import execute, lacks
from tests.contract.satisfied import satisfied

PAIRS = [
    (name, kind)
    for name, backend in registry.all_backends().items()
    for kind in all_kinds()
    if backend.answers("certify")
    and kind in registry.kinds(backend)
    # clues of several colours have no short certificate
    and not (kind == "coloured-nonogram" and name in ("alignment", "line"))
]


def specimens(kind: str) -> Iterator[Specimen]:
    """Some of every sort, the unsolvable, unique and several-valued among them."""
    yield from floor(kind, 2, 2)[::3]
    yield from floor(kind, 2, 3)[::8]
    yield from map(by_rules, sample_puzzles(kind)[::4])


def certified(name: str, specimen: Specimen) -> tuple[Certificate, CheckResult] | str:
    """The certificate and its claim, or why there is none."""
    choices = registry.select([name], specimen.puzzle)
    if choices[0].refusal is not None:
        return choices[0].refusal
    task = Task(encoding=choices[0].encoding, options=choices[0].options)
    found = sorted(specimen.solutions, key=lambda grid: grid.bits)
    try:
        made = choices[0].backend.certify(specimen.puzzle, task, found)  # type: ignore[attr-defined]
    except GaveUp as error:
        return str(error)
    return made, check(specimen.puzzle, Certificate.from_json(made.text))


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_what_it_certifies_is_accepted_and_true(name: str, kind: str) -> None:
    reason, count = "", 0
    for specimen in specimens(kind):
        made = certified(name, specimen)
        if isinstance(made, str):
            reason = made
            continue
        certificate, proved = made
        assert certificate.puzzle == specimen.puzzle.id
        assert proved.count == certificate.count == len(specimen.solutions)
        count += 1
    # a SAT solver that writes no proof says so by its abilities; each of these is tried where PySAT is tested
    abilities = getattr(registry.all_backends()[name], "abilities", {"proof"})
    assert (count > 0) == ("proof" in abilities), reason


@pytest.mark.parametrize("kind", all_kinds())
def test_a_comparison_certifies_and_accuses_nobody(kind: str) -> None:
    classes = {min(len(specimen.solutions), 2): specimen for specimen in map(by_rules, sample_puzzles(kind))}
    assert {*classes} == {0, 1, 2}
    for specimen in classes.values():
        comparison = compare(specimen.puzzle, "glucose4", certify=True, limit=None)
        assert not comparison.findings
        assert comparison.verdict.certificate is not None
        assert comparison.verdict.certificate.checked.count == len(specimen.solutions)


ENCODINGS = [encoding for encoding in registry.all_encodings().values() if encoding.target == "cnf"]


def oblong(encoding: Encoding) -> list[Specimen]:
    """The largest samples that are wider than high or higher than wide, with no, one and several solutions."""
    found: dict[tuple[bool, int], Specimen] = {}
    for specimen in sorted(map(by_rules, sample_puzzles(encoding.kind)), key=lambda each: each.puzzle.layout.bits):
        puzzle = specimen.puzzle
        with suppress(GaveUp):
            if puzzle.rows != puzzle.columns:
                encoding.encode(puzzle)
                found[puzzle.rows < puzzle.columns, min(len(specimen.solutions), 2)] = specimen
    return [*found.values()]


@pytest.mark.parametrize("encoding", ENCODINGS, ids=lambda encoding: f"{encoding.kind}-{encoding.name}")
def test_a_proof_by_any_encoding_is_accepted_and_serves_no_smaller_list(encoding: Encoding) -> None:
    specimens = oblong(encoding)
    assert {min(len(specimen.solutions), 2) for specimen in specimens} == {0, 1, 2}
    for specimen in specimens:
        puzzle, solutions = specimen.puzzle, sorted(specimen.solutions, key=lambda grid: grid.bits)
        made = refute(puzzle, Task(encoding=encoding), solutions, "glucose4")
        checked = check(puzzle, Certificate.from_json(made.text))
        assert checked.count == len(solutions), puzzle.text
        assert checked.trusted_base[0] == f"encoder {encoding.name}"
        if count := len(solutions[1:]):
            body = {**made.body, "solutions": made.body["solutions"][1:]}
            with pytest.raises(CertificateRejected):
                check(puzzle, replace(made, claim=claim_of(count), count=count, body=body))


def puzzles(kind: str, step: int) -> list[Puzzle]:
    small = [*floor(kind, 2, 2)[:: 3 * step], *floor(kind, 2, 3)[:: 11 * step], *floor(kind, 3, 3)[:: 61 * step]]
    samples = sample_puzzles(kind)[::step]
    return [*(each.puzzle for each in small), *(each for each in samples if each.layout.bits < 10)]


@functools.cache
def kept(puzzle: Puzzle) -> frozenset[int]:
    """The constraints that each grid satisfies, as bits."""
    return frozenset(satisfied(puzzle, grid) for grid in puzzle.layout.every())


def contradict(puzzle: Puzzle, constraints: int) -> bool:
    return all(constraints & ~satisfied for satisfied in kept(puzzle))


def single_bits(number: int) -> list[int]:
    return [1 << place for place in range(number.bit_length()) if number >> place & 1]


@functools.cache
def smallest(puzzle: Puzzle, allowed: int) -> list[int]:
    """The size of the smallest contradiction; nothing if there is none."""
    sizes = range(allowed.bit_count() + 1) if contradict(puzzle, allowed) else range(0)
    sets = (sum(chosen) for size in sizes for chosen in combinations(single_bits(allowed), size))
    return [next(chosen for chosen in sets if contradict(puzzle, chosen)).bit_count()] if sizes else []


@pytest.mark.parametrize(("spec", "kind"), every_configuration("mus"))
def test_each_is_minimal_and_the_last_the_smallest(spec: str, kind: str) -> None:
    rng = random.Random(9)
    # engines that answer many questions differ little in this one
    for puzzle in puzzles(kind, 1 if spec.partition("/")[0] in ("fewest", "glucose4") else 3):
        layout = answer_layout("mus", puzzle)
        for candidates in (None, random_grid(rng, *layout[:2], 0.8)):
            allowed = (1 << layout.bits) - 1 if candidates is None else candidates.bits
            choice = select_one(spec, puzzle, "mus")
            ((_, run),) = execute(
                [Job(choice=choice, puzzle=puzzle, request=Solve(question="mus", candidates=candidates))]
            )
            sizes = [grid.count() for grid in run.grids]
            assert sizes == sorted(set(sizes), reverse=True)
            for grid in run.grids:
                assert not grid.bits & ~allowed
                assert contradict(puzzle, grid.bits)
                assert not any(contradict(puzzle, grid.bits ^ part) for part in single_bits(grid.bits))
            best = smallest(puzzle, allowed)
            if run.status == "complete":
                assert sizes[-1:] == best, (puzzle.text, candidates)
                assert run.bound <= sum(best)
            else:
                assert lacks(choice.encoding, "mus")
