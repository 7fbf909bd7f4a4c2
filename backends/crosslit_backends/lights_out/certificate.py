"""Certificates that several solvers of boards make in the same way."""

from __future__ import annotations

from collections.abc import Iterable

from crosslit.base.grid import Grid
from crosslit.contract import Certificate, GaveUp
from crosslit.contract.certificate import claim_of
from crosslit.kinds.lights_out.board import LightsOut

MAX_CELLS = 100_000_000  # a certificate has one character for each cell
MAX_FREE = 200_000_000  # free cells times cells: minutes of Python


def parity(board: LightsOut, lights: Grid) -> Certificate:
    """Certify that a board has no solution, by lights whose parity no press changes."""
    return Certificate("lights-out-parity", board.id, "unsolvable", 0, {"lights": lights.text})


def complete(board: LightsOut, free: Grid, kernel: Iterable[int], solution: Grid) -> Certificate:
    """Certify all solutions, by presses that determine the others, a basis of the quiet patterns, and one solution."""
    quiet = [Grid.from_bits(board.rows, board.columns, bits).text for bits in kernel]
    count = 1 << len(quiet)
    body = {"free": free.text, "kernel": quiet, "solution": solution.text}
    return Certificate("lights-out-free", board.id, claim_of(count), count, body)


def within_reach(board: LightsOut, free: int = 0) -> None:
    """Raise GaveUp for a board whose certificate, by so many free cells, would be too long or too slow to check."""
    cells = board.rows * board.columns
    if cells > MAX_CELLS:
        raise GaveUp(f"a certificate of more than {MAX_CELLS:.0e} cells is not written")
    if free * cells > MAX_FREE:
        raise GaveUp(f"more than {MAX_FREE:.0e} free cells times cells would take minutes to check")
