"""Checkers for Lights Out: a board has no solution, or the given solutions are all.

Everything is computed here from the board's rules, with arithmetic that is used nowhere else: for two states on rows as
integers (cell c is bit c), for k states from the effects of single presses, on small integers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from crosslit.base.errors import CertificateRejected
from crosslit.base.layout import DIGITS
from crosslit.contract.certificate import Certificate, CheckResult, claim_of, entry, grid_entry
from crosslit.kinds.lights_out.board import LightsOut
from crosslit.kinds.lights_out.rules import NEIGHBOURS, PLUS

THEOREM = "the theorem nullity <= deg d"
_MIN_WIDTH = 500  # bits per cell in a check, however few cells are free
MAX_BITS = 2_000_000_000  # maximum bits that a check by free cells may store


def check_parity(board: LightsOut, certificate: Certificate) -> CheckResult:
    """Check ``lights``: cells of which an odd number is lit, while every press toggles an even number of them.

    No set of presses changes the parity of these lights, and it is even once all lights are out: there is no solution.
    The check takes a few operations on each row for each offset of the press pattern.
    """
    if certificate.claim != "unsolvable":
        raise CertificateRejected("a parity only proves that there is no solution")
    lights = grid_entry(certificate, "lights", board).row_bits()
    missing = _missing(board)
    # A missing cell has no light, so its parity proves nothing.
    if any(row & gone for row, gone in zip(lights, missing, strict=True)):
        raise CertificateRejected("it counts missing cells as lights")
    for number, (met, gone) in enumerate(zip(_met(board, lights, 1), missing, strict=True), 1):
        if met & ~gone:
            odd = met & ~gone
            column = (odd & -odd).bit_length()
            raise CertificateRejected(f"the press in row {number}, column {column} toggles an odd number of its lights")
    if not sum((row & lit).bit_count() for row, lit in zip(lights, board.lit.row_bits(), strict=True)) & 1:
        raise CertificateRejected("an even number of its lights is lit")
    return CheckResult("unsolvable", 0, "parity of lights")


def check_polynomial(board: LightsOut, certificate: Certificate) -> CheckResult:
    """Check ``u``, ``v`` and ``d`` with u g + v f = d, deg d quiet patterns, and one solution.

    f is the characteristic polynomial of the path of the board's columns, f(n) of the recurrence f(k + 1) = t f(k) +
    f(k - 1), and g is f(rows) of t + 1 (of t if a press does not toggle its own cell). With B the adjacency matrix of
    that path, a first row x of presses that changes nothing satisfies g(B) x = 0, and every x satisfies f(B) x = 0. So
    d(B) x = 0, whose solutions have at most deg d dimensions (the unit vectors are 1, B, B^2... applied to the first,
    up to a triangular change of basis). The quiet patterns are given by their first rows, ``kernel``, and chased here.
    """
    if board.pattern not in (PLUS, NEIGHBOURS) or board.wrap != "none" or board.missing is not None:
        raise CertificateRejected("these polynomials are for press=plus and press=neighbours on plain boards")
    stay = board.pattern == PLUS
    # A bound on the text before any arithmetic: a certificate of a gigabyte must not cost an hour.
    most = board.rows + board.columns + 1
    u, v, d = (_polynomial(certificate, key, most) for key in ("u", "v", "d"))
    # With d = 0 every first row would satisfy d(B) x = 0, and the degree would bound nothing.
    if not d:
        raise CertificateRejected("d is 0")
    if _times(u, _recurrence(board.rows, stay)) ^ _times(v, _recurrence(board.columns, False)) != d:
        raise CertificateRejected("u g + v f is not d")
    kernel = [_row(text, board.columns) for text in entry(certificate, "kernel", list)]
    dimension = d.bit_length() - 1
    # Exactly deg d independent patterns: then the upper bound is reached, and there can be no others.
    if len(kernel) != dimension:
        raise CertificateRejected(f"{len(kernel)} quiet patterns, and d has the degree {dimension}")
    inside = (1 << board.columns) - 1
    for number, first in enumerate(kernel, 1):
        # The chase of the first row: each further row of presses puts out the lights above it.
        above, row = 0, first
        for _ in range(board.rows):
            above, row = row, (above ^ row << 1 ^ row >> 1 ^ (row if stay else 0)) & inside
        if row:
            raise CertificateRejected(f"the pattern {number} is not quiet: it leaves lights in the last row")
    return _all(board, certificate, kernel, "polynomial identity", (THEOREM,))


def check_free(board: LightsOut, certificate: Certificate) -> CheckResult:
    """Check ``free`` cells whose presses determine all others, quiet patterns (``kernel``), and one solution.

    If all but one of the presses that toggle a light of a quiet pattern are known, that one is known too. The check
    follows this from the free cells through the board, with known presses as sums of free ones. The lights not used for
    this give conditions on the sums. Their rank, by elimination over the free cells only, bounds the dimension of the
    space of quiet patterns.
    """
    rows, columns, missing = board.rows, board.columns, _missing(board)
    free = list(grid_entry(certificate, "free", board).cells())
    if any(missing[row] >> column & 1 for row, column in free):
        raise CertificateRejected("a free cell is missing")
    # Before the check begins: each known press is a sum over all free cells, and they are stored together.
    if max(len(free), _MIN_WIDTH) * rows * columns > MAX_BITS:
        raise CertificateRejected(f"{rows * columns} cells, {len(free)} of them free, are too many for a check")
    kernel: list[int] = []
    for text in entry(certificate, "kernel", list):
        quiet = grid_entry(Certificate("", "", "complete", 0, {"a quiet pattern": text}), "a quiet pattern", board)
        patterns = quiet.row_bits()
        if any(row & gone for row, gone in zip(patterns, missing, strict=True)):
            raise CertificateRejected("a quiet pattern presses a missing cell")
        if any(met & ~gone for met, gone in zip(_met(board, patterns, -1), missing, strict=True)):
            raise CertificateRejected(f"pattern {len(kernel) + 1} is not quiet")
        kernel.append(quiet.bits)
    # The kernel was checked to be quiet, so it bounds the dimension from below; this bounds it from above.
    if len(free) - _rank(_conditions(board, free)) > len(kernel):
        raise CertificateRejected("there are more quiet patterns than it gives")
    return _all(board, certificate, kernel, "chase from free cells", ())


def _all(
    board: LightsOut, certificate: Certificate, kernel: Sequence[int], by: str, trusted_base: tuple[str, ...]
) -> CheckResult:
    """Check that k quiet patterns, as many as possible, and one solution give 2^k different solutions."""
    if _rank(kernel) < len(kernel):
        raise CertificateRejected("its quiet patterns depend on each other")
    # One solution and the quiet patterns give all others by addition, so only this one needs the rules.
    violation = next(board.violations(grid_entry(certificate, "solution", board)), None)
    if violation is not None:
        raise CertificateRejected(f"its solution is wrong: {violation}")
    if certificate.count.bit_length() - 1 != len(kernel) or certificate.count.bit_count() != 1:
        raise CertificateRejected(f"it proves 2^{len(kernel)} solutions, which is not its claim")
    return CheckResult(claim_of(certificate.count), certificate.count, by, trusted_base)


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
        elif abs(right) >= columns:
            continue
        for row in range(rows):
            other = (row + down) % rows if board.wraps_rows else row + down
            if not 0 <= other < rows:
                continue
            line = cells[other]
            met[row] ^= line >> right if right >= 0 else line << -right & inside
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
    used = set()
    while decided:
        for light in reached[decided.pop()]:
            undecided[light] -= 1
            if undecided[light] != 1:
                continue
            # the last one may already be known, though not counted yet
            last = [press for press in togglers[light] if press not in sums]
            if last:
                sums[last[0]] = _sum(sums, togglers[light])
                used.add(light)
                decided.append(last[0])
    if len(sums) < len(present):
        raise CertificateRejected(f"its free cells leave {len(present) - len(sums)} presses open")
    return [_sum(sums, presses) for light, presses in togglers.items() if light not in used]


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


def _polynomial(certificate: Certificate, key: str, most: int) -> int:
    """Return a polynomial over GF(2) of at most ``most`` terms from hexadecimal: bit i is the coefficient of t^i."""
    text = entry(certificate, key, str)
    if len(text) > most // 4 + 1 or not re.fullmatch("[0-9a-f]+", text):
        raise CertificateRejected(f"{key!r} is not a polynomial in hexadecimal of at most {most} terms")
    return int(text, 16)


def _row(text: object, columns: int) -> int:
    if not isinstance(text, str) or len(text) != columns or text.strip("01"):
        raise CertificateRejected(f"the first row of a quiet pattern is {columns} cells, written 0 or 1")
    return int(text[::-1], 2)


def _recurrence(index: int, stay: bool) -> int:
    """Return f(index) of t or of t + 1, directly by its recurrence."""
    before, current = 0, 1
    for _ in range(index):
        before, current = current, current << 1 ^ before ^ (current if stay else 0)
    return current


def _times(one: int, other: int) -> int:
    """Return the product of polynomials, by shifting one for every term of the other."""
    product = 0
    for place, digit in enumerate(reversed(f"{one:b}")):
        if digit == "1":
            product ^= other << place
    return product


def check_lights(board: LightsOut, certificate: Certificate) -> CheckResult:
    """Check ``multiples``, one of each light, whose sum no press changes modulo k, and which is not 0."""
    if certificate.claim != "unsolvable":
        raise CertificateRejected("multiples of lights only prove that there is no solution")
    multiples = _values(board, entry(certificate, "multiples", str))
    if any(changes := _changes(board, multiples)):
        press = next(press for press, change in enumerate(changes) if change)
        raise CertificateRejected(f"press {press + 1} changes the sum of these multiples")
    if not sum(a * b for a, b in zip(multiples, board.values, strict=True)) % board.states:
        raise CertificateRejected("the sum of these multiples is 0")
    return CheckResult("unsolvable", 0, "multiples of lights")


def check_form(board: LightsOut, certificate: Certificate) -> CheckResult:
    """Check ``rows``, multiples of lights, that bound the number of solutions, ``kernel`` vectors, and one solution.

    If a row is about the presses up to the one with the coefficient c, these leave it at most gcd(c, k) values. Presses
    without a row have k. The product is an upper bound. Every kernel vector changes no light, and the first presses of
    any two differ; with the value c there it gives k / gcd(c, k) different multiples, and all their sums differ. The
    product is a lower bound. The certificate is accepted if both bounds are its number.
    """
    k, gone, effects = board.states, board.gone, board.effects
    upper = [1 if missing else k for missing in gone]
    for text in entry(certificate, "rows", list):
        changes = _changes(board, _values(board, text))
        last = max((press for press, change in enumerate(changes) if change), default=None)
        if last is not None:
            upper[last] = min(upper[last], math.gcd(changes[last], k))
    lower: dict[int, int] = {}
    for number, text in enumerate(entry(certificate, "kernel", list), 1):
        vector = _values(board, text)
        left = [0] * len(vector)
        for press, times in enumerate(vector):
            if times and gone[press]:
                raise CertificateRejected(f"kernel vector {number} presses a missing cell")
            for light, amount in effects[press]:
                left[light] += times * amount
        if any(light % k for light in left):
            raise CertificateRejected(f"kernel vector {number} changes a light")
        first = next((press for press, times in enumerate(vector) if times), None)
        if first is None or first in lower:
            raise CertificateRejected(f"kernel vector {number} is 0, or begins with the press of another")
        lower[first] = k // math.gcd(vector[first], k)
    try:
        violation = next(board.violations(board.layout.parse(entry(certificate, "solution", str))), None)
    except ValueError as error:
        raise CertificateRejected(f"its solution is no grid of the board: {error}") from None
    if violation is not None:
        raise CertificateRejected(f"its solution is wrong: {violation}")
    bounds = math.prod(lower.values()), math.prod(upper)
    if bounds != (certificate.count, certificate.count):
        raise CertificateRejected(f"it proves at least {bounds[0]} and at most {bounds[1]} solutions")
    return CheckResult(claim_of(certificate.count), certificate.count, "bounds over Z/k")


def _values(board: LightsOut, text: object) -> list[int]:
    """Return the number for each cell."""
    cells = board.rows * board.columns
    if not isinstance(text, str) or len(text) != cells or set(text) - {*DIGITS[: board.states]}:
        raise CertificateRejected(f"expected {cells} digits below {board.states}")
    return [DIGITS.index(digit) for digit in text]


def _changes(board: LightsOut, multiples: Sequence[int]) -> list[int]:
    """Return by how much each press changes the sum of multiples of the lights, modulo k."""
    return [sum(multiples[light] * amount for light, amount in effect) % board.states for effect in board.effects]
