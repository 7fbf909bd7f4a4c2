"""Checkers for Lights Out: a board has no solution, or the given solutions are all.

Everything is computed here from the board's rules, on rows as integers (cell c is bit c), with code that is used
nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from crosslit.base.errors import CertificateRejected
from crosslit.base.grid import Grid
from crosslit.contract.certificate import Certificate, CheckResult, claim_of, entry, grid_entry
from crosslit.kinds.lights_out.board import LightsOut

_MIN_WIDTH = 500  # bits per cell in a check, however few cells are free
MAX_BITS = 2_000_000_000  # maximum bits that a check by free cells may store


def check_parity(board: LightsOut, certificate: Certificate) -> CheckResult:
    """Check ``lights``: cells of which an odd number is lit, while every press toggles an even number of them.

    No set of presses changes the parity of these lights, and it is even once all lights are out: there is no solution.
    The check takes a few operations on each row for each offset of the press pattern.
    """
    _require_pattern(board)
    if certificate.claim != "unsolvable":
        raise CertificateRejected("a parity only proves that there is no solution")
    lights = grid_entry(certificate, "lights", board).row_bits()
    missing = _missing(board)
    # A missing cell has no light, so its parity proves nothing.
    if any(row & gone for row, gone in zip(lights, missing, strict=True)):
        raise CertificateRejected("it counts missing cells as lights")
    odd = [met & ~gone for met, gone in zip(_met(board, lights, 1), missing, strict=True)]
    for row, column in Grid.from_rows(odd, board.columns).cells():
        place = f"row {row + 1}, column {column + 1}"
        raise CertificateRejected(f"the press in {place} toggles an odd number of its lights")
    if not sum((row & lit).bit_count() for row, lit in zip(lights, board.lit.row_bits(), strict=True)) & 1:
        raise CertificateRejected("an even number of its lights is lit")
    return CheckResult("unsolvable", 0, "parity of lights")


def check_free(board: LightsOut, certificate: Certificate) -> CheckResult:
    """Check ``free`` cells whose presses determine all others, quiet patterns (``kernel``), and one solution.

    If all but one of the presses that toggle a light of a quiet pattern are known, that one is known too. The check
    follows this from the free cells through the board, with known presses as sums of free ones. The lights not used for
    this give conditions on the sums. Their rank, by elimination over the free cells only, bounds the dimension of the
    space of quiet patterns.
    """
    _require_pattern(board)
    rows, columns, missing = board.rows, board.columns, _missing(board)
    free = list(grid_entry(certificate, "free", board).cells())
    if any(missing[row] >> column & 1 for row, column in free):
        raise CertificateRejected("a free cell is missing")
    # Before the check begins: each known press is a sum over all free cells, and they are stored together.
    if max(len(free), _MIN_WIDTH) * rows * columns > MAX_BITS:
        raise CertificateRejected(f"{rows * columns} cells, {len(free)} of them free, are too many for a check")
    kernel: list[int] = []
    for text in entry(certificate, "kernel", list):
        quiet = grid_entry(replace(certificate, body={"a quiet pattern": text}), "a quiet pattern", board)
        patterns = quiet.row_bits()
        if any(row & gone for row, gone in zip(patterns, missing, strict=True)):
            raise CertificateRejected("a quiet pattern presses a missing cell")
        if any(met & ~gone for met, gone in zip(_met(board, patterns, -1), missing, strict=True)):
            raise CertificateRejected(f"pattern {len(kernel) + 1} is not quiet")
        kernel.append(quiet.bits)
    # The kernel was checked to be quiet, so it bounds the dimension from below; this bounds it from above.
    if len(free) - _rank(_conditions(board, free)) > len(kernel):
        raise CertificateRejected("there are more quiet patterns than it gives")
    if _rank(kernel) < len(kernel):
        raise CertificateRejected("its quiet patterns depend on each other")
    # One solution and the quiet patterns give all others by addition, so only this one needs the rules.
    violation = next(board.violations(grid_entry(certificate, "solution", board)), None)
    if violation is not None:
        raise CertificateRejected(f"its solution is wrong: {violation}")
    if certificate.count != 1 << len(kernel):
        raise CertificateRejected(f"it proves 2^{len(kernel)} solutions, which is not its claim")
    return CheckResult(claim_of(certificate.count), certificate.count, "chase from free cells")


def _require_pattern(board: LightsOut) -> None:
    if not board.by_shifts:
        raise CertificateRejected("it is for boards of two states with a press pattern and no half-turn")


def _missing(board: LightsOut) -> list[int]:
    return [0] * board.rows if board.missing is None else board.missing.row_bits()


def _met(board: LightsOut, cells: Sequence[int], sign: int) -> list[int]:
    """Return parities: of the cells that each press toggles (sign 1), or the presses that toggle each light (-1)."""
    rows, columns = board.rows, board.columns
    inside = (1 << columns) - 1
    met = [0] * rows
    for down, right in board.pattern:
        down, right = sign * down, sign * right
        if board.wraps_columns:
            right %= columns
        else:
            right = max(-columns, min(columns, right))  # further away, too, is no cell
        for row in range(rows):
            other = (row + down) % rows if board.wraps_rows else row + down
            if not 0 <= other < rows:
                continue
            line = cells[other]
            met[row] ^= line << columns >> columns + right & inside  # to the right, or to the left if it is below 0
            if board.wraps_columns:
                met[row] ^= line << columns - right & inside
    return met


def _conditions(board: LightsOut, free: Sequence[tuple[int, int]]) -> list[int]:
    """Return the conditions of the unused lights on the free presses, as bits: each is a sum of them that is 0."""
    rows, columns, missing = board.rows, board.columns, _missing(board)
    present = [(row, column) for row in range(rows) for column in range(columns) if not missing[row] >> column & 1]
    togglers: dict[tuple[int, int], list[tuple[int, int]]] = {cell: [] for cell in present}
    reached: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for press in present:
        lights: set[tuple[int, int]] = set()
        for down, right in board.pattern:
            row, column = press[0] + down, press[1] + right
            row = row % rows if board.wraps_rows else row
            column = column % columns if board.wraps_columns else column
            if (row, column) in togglers:
                lights ^= {(row, column)}  # hit twice around an edge, it is unchanged
        reached[press] = list(lights)
        for light in lights:
            togglers[light].append(press)
    sums = {press: 1 << number for number, press in enumerate(free)}
    # For each light, the number of its presses that are not yet counted as known; at 1 the last one follows.
    undecided = {light: len(presses) for light, presses in togglers.items()}
    # A stack, so that each press is handled once and the whole pass is linear in the size of the board.
    decided = list(sums)
    while decided:
        for light in reached[decided.pop()]:
            undecided[light] -= 1
            if undecided[light] != 1:
                continue
            # the last one may already be known, though not counted yet
            last = [press for press in togglers[light] if press not in sums]
            if last:
                sums[last[0]] = _sum(sums, togglers[light])
                decided.append(last[0])
    if len(sums) < len(present):
        raise CertificateRejected(f"its free cells leave {len(present) - len(sums)} presses open")
    return [_sum(sums, presses) for presses in togglers.values()]  # 0 for lights that decided a press


def _sum(sums: dict[tuple[int, int], int], presses: Sequence[tuple[int, int]]) -> int:
    """Return the sum of the known presses in a set."""
    total = 0
    for press in presses:
        total ^= sums.get(press, 0)
    return total


def _rank(vectors: Sequence[int]) -> int:
    """Return the number of independent vectors."""
    by_top: dict[int, int] = {}
    for vector in vectors:
        # Reduce by the vectors kept so far, which all have different highest bits; a remainder is independent of them.
        while vector and (kept := by_top.get(vector.bit_length())):
            vector ^= kept
        if vector:
            by_top[vector.bit_length()] = vector
    return len(by_top)
