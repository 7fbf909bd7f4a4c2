"""Certificate checkers: one function for each format of evidence about all solutions of a puzzle.

A certificate is JSON text that a backend writes after its search; `check` accepts it or rejects it with a reason. This
package must not import a backend or `algebra`: checkers share no code with the backends that write certificates. The
formats of one kind of puzzle are in its folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from crosslit.base.errors import CertificateRejected
from crosslit.contract.certificate import (
    CLAIMS,
    ENCODER,
    Certificate,
    Certified,
    CheckResult,
    Claim,
    UnreadableCertificate,
    claim_of,
)
from crosslit.kinds import Puzzle, kind_of, later

__all__ = [
    "CLAIMS",
    "ENCODER",
    "FORMATS",
    "Certificate",
    "CertificateRejected",
    "Certified",
    "CheckResult",
    "Claim",
    "UnreadableCertificate",
    "check",
    "claim_of",
]

Checker = Callable[[Any, Certificate], CheckResult]
FORMATS: Mapping[str, Checker] = {"refutation": later("crosslit.certificates.refutation:check_certificate")}
"""The formats for puzzles of any kind: by name, the function (puzzle, certificate) that checks them.

It raises `CertificateRejected` with the reason if the certificate does not prove its claim. `Kind.certificates` has the
formats of a kind.
"""


def check(puzzle: Puzzle, certificate: Certificate) -> CheckResult:
    """Check a certificate, and return the claim that it proves about the puzzle.

    Raises:
        CertificateRejected: if it does not prove its claim; the message says why.
    """
    if certificate.puzzle != puzzle.id:
        raise CertificateRejected("it is about another puzzle")
    formats = {**kind_of(puzzle).certificates, **FORMATS}
    if certificate.format not in formats:
        raise CertificateRejected(f"there is no format {certificate.format[:40]!r}; there are {', '.join(formats)}")
    # The claim and the number must agree before the proof is read: otherwise a proof of no solution could be shown as
    # one of a single solution.
    if certificate.claim != claim_of(certificate.count):
        raise CertificateRejected(f"its number of solutions is not that of its claim, {certificate.claim}")
    checked = formats[certificate.format](puzzle, certificate)
    # The checker's result counts, not the words of the certificate.
    if (checked.claim, checked.count) != (certificate.claim, certificate.count):
        raise CertificateRejected("it proves another claim than it makes")
    return checked
