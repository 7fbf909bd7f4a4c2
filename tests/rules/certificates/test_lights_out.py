"""The short certificates: what they prove, what is refused, and their text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from crosslit_verify.contract_checks import Specimen, by_rules
from hypothesis import given
from hypothesis import strategies as st

from crosslit import Grid, LightsOut, Nonogram, registry
from crosslit.base.errors import CertificateRejected
from crosslit.contract import Certificate, CheckResult, Task, UnreadableCertificate
from crosslit.judging.certificates import check
from crosslit.kinds import Puzzle
from crosslit.kinds.lights_out.rules import KING, PLUS, WRAPS, Offset
from crosslit.kinds.nonogram.puzzle import LENGTHS


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


def test_offsets_beyond_the_board_toggle_nothing() -> None:
    for pattern in (((0, 90),), ((90, 0), (0, 0)), ((-90, 91), (0, 0))):
        specimen = by_rules(LightsOut(Grid.from_text("10/01"), pattern))
        assert accepted(specimen, "gauss").count == len(specimen.solutions)


BENT: tuple[Offset, ...] = ((-1, 0), (0, 0), (0, 2))  # it looks different from each side
KNIGHT: tuple[Offset, ...] = ((0, 0), (1, -2))


def is_accepted(board: LightsOut, form: str, count: int, body: Mapping[str, object]) -> bool:
    claim = ("unsolvable", "unique", "complete")[min(count, 2)]
    try:
        check(board, Certificate(form, board.id, claim, count, body))  # type: ignore[arg-type]
    except CertificateRejected:
        return False
    return True


def of_presses(board: LightsOut) -> list[list[int]]:
    """The lights after each press of the dark board; a missing cell cannot be pressed."""
    cells = range(board.rows * board.columns)
    grids = (board.layout.pack([int(cell == press) for cell in cells]) for press in cells if not board.gone[press])
    return [board.dark.pressed(grid).values for grid in grids]


def scalar(one: Sequence[int], other: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("pattern", [PLUS, KING, BENT, KNIGHT])
@pytest.mark.parametrize(
    ("lit", "missing"), [("101/000", "010/000"), ("110/010", "000/000"), ("1/0/0/0/1", "0/1/0/0/0")]
)
def test_lights_prove_that_there_is_no_solution_if_no_press_changes_their_parity(
    lit: str, missing: str, pattern: tuple[Offset, ...], wrap: str
) -> None:
    board = LightsOut(Grid.from_text(lit), pattern, wrap, Grid.from_text(missing))  # type: ignore[arg-type]
    presses = of_presses(board)
    for lights in board.layout.every():
        odd = [lights_of_press for lights_of_press in presses if scalar(lights_of_press, lights.values()) % 2]
        is_lit = scalar(lights.values(), board.values) % 2 > 0
        is_proof = is_lit and not odd and not scalar(lights.values(), board.gone)
        assert is_accepted(board, "lights-out-parity", 0, {"lights": lights.text}) == is_proof, lights.text


def basis(quiet: Sequence[Grid]) -> list[Grid]:
    """Independent ones of all presses that change no light."""
    found, span = list[Grid](), {0}
    for grid in quiet:
        if grid.bits not in span:
            found.append(grid)
            span |= {bits ^ grid.bits for bits in span}
    return found


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("pattern", [PLUS, BENT, KNIGHT])
@pytest.mark.parametrize("missing", ["010/000", "000/000", "00/00/01"])
def test_cells_prove_how_many_solutions_there_are_if_all_others_follow_from_them(
    missing: str, pattern: tuple[Offset, ...], wrap: str
) -> None:
    gone = Grid.from_text(missing)
    dark = LightsOut(Grid.from_bits(gone.rows, gone.columns, 0), pattern, wrap, gone)  # type: ignore[arg-type]
    solution = Grid.from_bits(gone.rows, gone.columns, 0b100001 & ~gone.bits)
    board, present = dark.pressed(solution), [cell for cell, missing in enumerate(dark.gone) if not missing]
    togglers = {
        light: {press for press, lights in zip(present, of_presses(dark), strict=True) if lights[light]}
        for light in present
    }
    quiet = basis([grid for grid in board.layout.every() if not any(dark.violations(grid))])
    body = {"kernel": [grid.text for grid in quiet], "solution": solution.text}
    for free in board.layout.every():
        known = {cell for cell, value in enumerate(free.values()) if value}
        is_proof = not free.bits & gone.bits
        # the check begins with the lights that a free cell toggles
        while follows := [some - known for some in togglers.values() if some & known and len(some - known) == 1]:
            known |= follows[0]
        is_proof = is_proof and known >= {*present}
        count = 1 << len(quiet)
        assert is_accepted(board, "lights-out-free", count, {**body, "free": free.text}) == is_proof, free.text
        for fewer in (body["kernel"][1:], body["kernel"][:-1]) if quiet else ():
            assert not is_accepted(board, "lights-out-free", count >> 1, {**body, "free": free.text, "kernel": fewer})


def certified_sums(puzzle: Puzzle, name: str = "line") -> Certificate:
    made: Certificate = registry.all_backends()[name].certify(puzzle, Task(), [])  # type: ignore[attr-defined]
    return Certificate.from_json(made.text)


def test_the_largest_numbers_are_compared() -> None:
    puzzle = Nonogram([[LENGTHS[-1]] * 1000], [[1]])
    assert check(puzzle, certified_sums(puzzle)).claim == "unsolvable"


SUMS = Nonogram([[1], [1]], [[1], []])
LENGTH = Nonogram([[1, 1]], [[1], [1]])


@pytest.mark.parametrize("puzzle", [SUMS, LENGTH], ids=["sums", "length"])
def test_every_other_word_is_refused(puzzle: Nonogram) -> None:
    made = certified_sums(puzzle)
    assert check(puzzle, made).claim == "unsolvable"
    bodies: list[dict[str, object]] = [{}, {**made.body, "more": "1"}]
    for key, text in made.body.items():
        bodies += [{at: value for at, value in made.body.items() if at != key}]
        bodies += [{**made.body, key: value} for value in (None, 1, "", "-1", "x", "9" * 5000, "٣", ["1"], text + "1")]
    for body in bodies:
        with pytest.raises(CertificateRejected):
            check(puzzle, replace(made, body=body))
    with pytest.raises(CertificateRejected):
        check(puzzle, replace(made, claim="unique", count=1))


GOOD = Certificate("nonogram-sums", "5e1f", "unsolvable", 0, {"rows": "2", "columns": "1"})


@pytest.mark.parametrize("count", [0, 1, 2, 2**53, 2**54, 2**100_000], ids=int.bit_length)
def test_counts_are_read_back(count: int) -> None:
    made = Certificate("rup", "5e1f", "complete", count, {})
    assert len(made.text) < 200
    assert Certificate.from_json(made.text).count == count
    assert CheckResult.from_json(json.dumps(CheckResult("complete", count, "x", ("y",)).json())).count == count
    log2 = GOOD.text.replace('"count": 0', f'"count": {{"log2": {count.bit_length()}}}')
    assert Certificate.from_json(log2).count == 1 << count.bit_length()


HOSTILE = {
    "nothing": "",
    "no JSON": "c a proof",
    "deep": "[" * 100_000,
    "deep body": GOOD.text.replace('"2"', "[" * 100_000 + "]" * 100_000),
    "a long number": GOOD.text.replace('"2"', "9" * 1_000_000),
    "a long count": GOOD.text.replace('"count": 0', '"count": ' + "9" * 1_000_000),
    "a large power": GOOD.text.replace('"count": 0', '"count": {"log2": 1000000000}'),
    "a count that not every reader keeps": GOOD.text.replace('"count": 0', f'"count": {2**53 + 1}'),
    "a negative power": GOOD.text.replace('"count": 0', '"count": {"log2": -1}'),
    "another key": GOOD.text.replace('"count": 0', '"count": 0, "more": 1'),
    "another claim": GOOD.text.replace("unsolvable", "solvable"),
    "a truth value as version": GOOD.text.replace('"certificate": 1', '"certificate": true'),
    "another version": GOOD.text.replace('"certificate": 1', '"certificate": 2'),
    "a number as format": GOOD.text.replace('"nonogram-sums"', "1"),
    "a list as body": GOOD.text.replace('{"rows": "2", "columns": "1"}', "[]"),
    "cut off": GOOD.text[:-1],
    "followed": GOOD.text + "{}",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_is_no_certificate_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableCertificate) as error:
        Certificate.from_json(text)
    assert len(str(error.value)) < 200
    assert "\n" not in str(error.value)
