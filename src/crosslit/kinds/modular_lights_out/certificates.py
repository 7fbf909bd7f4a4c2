"""Checkers for Lights Out with k states: a board has no solution, or the given solutions are all.

They use nothing but the effects of single presses, as the rules define them, and arithmetic on small integers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from crosslit.base.errors import CertificateRejected
from crosslit.base.layout import DIGITS
from crosslit.contract.certificate import Certificate, CheckResult, claim_of, entry
from crosslit.kinds.modular_lights_out.puzzle import ModularLightsOut


def check_lights(board: ModularLightsOut, certificate: Certificate) -> CheckResult:
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


def check_form(board: ModularLightsOut, certificate: Certificate) -> CheckResult:
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


def _values(board: ModularLightsOut, text: object) -> list[int]:
    """Return the number for each cell."""
    cells = board.rows * board.columns
    if not isinstance(text, str) or len(text) != cells or set(text) - {*DIGITS[: board.states]}:
        raise CertificateRejected(f"expected {cells} digits below {board.states}")
    return [DIGITS.index(digit) for digit in text]


def _changes(board: ModularLightsOut, multiples: Sequence[int]) -> list[int]:
    """Return by how much each press changes the sum of multiples of the lights, modulo k."""
    return [sum(multiples[light] * amount for light, amount in effect) % board.states for effect in board.effects]
