"""Certificates of Lights Out boards: true ones are accepted, by brute force; altered ones are rejected."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from crosslit_verify.contract_checks.specimens import Specimen, by_rules, samples
from hypothesis import given
from hypothesis import strategies as st

from crosslit import Grid, LightsOut, registry
from crosslit.base.errors import CertificateRejected
from crosslit.contract import Certificate, CheckResult, Task, UnreadableCertificate
from crosslit.judging.certificates import check
from crosslit.kinds.lights_out.rules import NEIGHBOURS, PLUS
from tests.conftest import random_rules

MAKERS = ("gauss", "polynomial")


def certified(specimen: Specimen, name: str) -> Certificate:
    """The certificate of a backend that has found all solutions of a puzzle."""
    found = sorted(specimen.solutions, key=lambda grid: grid.bits)
    made: Certificate = registry.all_backends()[name].certify(specimen.puzzle, Task(), found)  # type: ignore[attr-defined]
    return made


def accepted(specimen: Specimen, name: str) -> CheckResult:
    made = certified(specimen, name)
    read = Certificate.from_json(made.text)
    assert read == made
    return check(specimen.puzzle, read)


def test_boards_of_other_rules_are_certified_as_they_are() -> None:
    rng = random.Random(3)
    boards = [by_rules(random_rules(rng, rng.randint(1, 3), rng.randint(1, 3))) for _ in range(150)]
    counts = {len(specimen.solutions) for specimen in boards}
    assert {0, 1, 2, 4} <= counts
    for specimen in [*boards, *samples("lights-out")]:
        assert accepted(specimen, "gauss").count == len(specimen.solutions)


@pytest.mark.parametrize("pattern", [PLUS, NEIGHBOURS])
@pytest.mark.parametrize(("rows", "columns"), [(19, 19), (4, 9), (9, 4), (30, 17), (1, 40), (40, 1), (64, 64)])
def test_both_ways_certify_the_same_of_larger_boards(rows: int, columns: int, pattern: tuple[tuple[int, int]]) -> None:
    rng = random.Random(rows * columns)
    dark = LightsOut(Grid.from_bits(rows, columns, 0), pattern)
    pressed = Grid.from_bits(rows, columns, rng.getrandbits(rows * columns))
    solvable = Specimen(dark.pressed(pressed), frozenset([pressed]))
    counts = {accepted(solvable, name).count for name in MAKERS}
    assert len(counts) == 1
    if counts != {1}:
        board = next(
            board
            for bits in range(1000)
            if not unquiet(board := LightsOut(Grid.from_bits(rows, columns, bits), pattern))
        )
        assert [accepted(Specimen(board, frozenset()), name).count for name in MAKERS] == [0, 0]


def unquiet(board: LightsOut) -> bool:
    """Whether a board has a solution, by a solver that certifies nothing."""
    backend = registry.all_backends()["modular-chase"]
    return next(backend.solutions(board, Task()), None) is not None  # type: ignore[attr-defined]


UNSOLVABLE = by_rules(LightsOut(Grid.from_text("1000/0000/0000/0000")))
MANY = by_rules(LightsOut(Grid.from_text("1111/1111/1111/1111")))
UNIQUE = by_rules(LightsOut(Grid.from_text("101/000/010")))
TORUS = by_rules(LightsOut(Grid.from_bits(3, 3, 0), wrap="torus", missing=Grid.from_text("000/010/000")))
SEVERAL = [(UNSOLVABLE, "polynomial"), (MANY, "polynomial"), (MANY, "gauss"), (UNIQUE, "polynomial"), (TORUS, "gauss")]


def refused(specimen: Specimen, certificate: Certificate) -> bool:
    try:
        proved = check(specimen.puzzle, certificate)
    except CertificateRejected:
        return True
    # an accepted alteration must be true
    assert proved.count == len(specimen.solutions)
    return False


@pytest.mark.parametrize(("specimen", "name"), SEVERAL)
def test_a_claim_that_does_not_follow_is_refused(specimen: Specimen, name: str) -> None:
    made = certified(specimen, name)
    others = [replace(made, puzzle="0" * 64), replace(made, count=made.count + 1), replace(made, format="none")]
    others += [replace(made, claim=claim) for claim in ("unsolvable", "unique") if claim != made.claim]
    others += [replace(made, claim="complete", count=2 * made.count + 1), replace(made, count=2 * made.count + 2)]
    others += [replace(made, format=other) for other in ("nonogram-sums", "lights-out-parity") if other != made.format]
    for other in others:
        with pytest.raises(CertificateRejected):
            check(specimen.puzzle, other)


def test_every_flipped_cell_is_refused_or_proves_the_truth() -> None:
    """Each bit of each text of a certificate: only for the free cells and the quiet patterns others may do as well."""
    for specimen, name in SEVERAL:
        made = certified(specimen, name)
        for key, value in made.body.items():
            texts = value if isinstance(value, list) else [value]
            for number, text in enumerate(texts):
                for place, character in enumerate(text):
                    if character not in "01":
                        continue
                    flipped = text[:place] + "10"[int(character)] + text[place + 1 :]
                    changed = [*texts[:number], flipped, *texts[number + 1 :]]
                    body = {**made.body, key: changed if isinstance(value, list) else flipped}
                    assert refused(specimen, replace(made, body=body)) or key in ("free", "kernel")


def test_a_missing_repeated_or_dependent_quiet_pattern_is_refused() -> None:
    for specimen, name in ((MANY, "polynomial"), (MANY, "gauss"), (TORUS, "gauss")):
        made = certified(specimen, name)
        kernel = made.body["kernel"]
        assert len(kernel) > 1
        both = "".join(str(int(one != two)) if one in "01" else one for one, two in zip(*kernel[:2], strict=True))
        for other in (kernel[:-1], [*kernel[:-1], kernel[0]], [*kernel, kernel[0]], [*kernel, both]):
            for dimension in {len(kernel), len(other)}:
                body = {**made.body, "kernel": other}
                with pytest.raises(CertificateRejected):
                    check(specimen.puzzle, replace(made, body=body, count=1 << dimension))


@given(st.data())
def test_a_damaged_file_is_unreadable_or_refused_or_proves_the_truth(data: st.DataObject) -> None:
    specimen, name = data.draw(st.sampled_from(SEVERAL))
    text = bytearray(certified(specimen, name).text.encode())
    for _ in range(data.draw(st.integers(1, 3))):
        text[data.draw(st.integers(0, len(text) - 1))] ^= 1 << data.draw(st.integers(0, 6))
    del text[data.draw(st.sampled_from([len(text), len(text), len(text) // 2, 1])) :]
    try:
        damaged = Certificate.from_json(text.decode())
    except UnreadableCertificate:
        return
    refused(specimen, damaged)


@given(st.data())
def test_whatever_is_accepted_is_true(data: st.DataObject) -> None:
    specimen, name = data.draw(st.sampled_from(SEVERAL))
    made = certified(specimen, name)
    values = st.one_of(st.text("01/", max_size=24), st.text("0123456789abcdef", max_size=8), st.lists(st.text("01")))
    body = {key: data.draw(st.one_of(st.just(value), values)) for key, value in made.body.items()}
    count = data.draw(st.sampled_from([0, 1, 2, 4, 8, 16, made.count]))
    claim = data.draw(st.sampled_from(["unsolvable", "unique", "complete"]))
    refused(specimen, replace(made, body=body, count=count, claim=claim))


def test_offsets_beyond_the_board_toggle_nothing() -> None:
    for pattern in (((0, 90),), ((90, 0), (0, 0)), ((-90, 91), (0, 0))):
        specimen = by_rules(LightsOut(Grid.from_text("10/01"), pattern))
        assert accepted(specimen, "gauss").count == len(specimen.solutions)
