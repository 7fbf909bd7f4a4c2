"""Every certificate of some forms about small boards is accepted exactly if it is a proof by the rules of the board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from crosslit import Grid, LightsOut
from crosslit.base.errors import CertificateRejected
from crosslit.contract import Certificate
from crosslit.judging.certificates import check
from crosslit.kinds.lights_out.rules import KING, PLUS, WRAPS, Offset

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
