"""Certificates that several solvers of boards make in the same way."""

from __future__ import annotations

from collections.abc import Mapping

from crosslit.base.grid import Grid
from crosslit.contract import Certificate, GaveUp
from crosslit.contract.certificate import claim_of
from crosslit.kinds.lights_out.board import LightsOut

MAX_CELLS = 100_000_000  # a certificate has one character for each cell


def parity(board: LightsOut, lights: Grid) -> Certificate:
    """Certify that a board has no solution, by lights whose parity no press changes."""
    return Certificate("lights-out-parity", board.id, "unsolvable", 0, {"lights": lights.text()})


def complete(board: LightsOut, form: str, dimension: int, body: Mapping[str, object]) -> Certificate:
    """Certify that a board has 2^dimension solutions."""
    return Certificate(form, board.id, claim_of(1 << dimension), 1 << dimension, body)


def within_reach(board: LightsOut) -> None:
    """Raise GaveUp for a board whose certificate would be too long."""
    if board.rows * board.columns > MAX_CELLS:
        raise GaveUp(f"a certificate of more than {MAX_CELLS:.0e} cells is not written")
