"""Certificates as data: a claim about all solutions of a puzzle, and the result of checking it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from crosslit.base.errors import CertificateRejected, CrosslitError
from crosslit.base.grid import Grid
from crosslit.base.numbers import exact
from crosslit.base.records import Result, Short
from crosslit.contract.puzzle import Puzzle

VERSION = 1
Claim = Literal["unsolvable", "unique", "complete"]
CLAIMS: tuple[Claim, ...] = get_args(Claim)
ENCODER = "encoder "  # prefix of an encoder among the entries of a trusted base
MAX_CHARACTERS = 1 << 28  # maximum characters of a certificate: the process that has it checked holds several copies
_MAX_DIMENSIONS = 1_000_000  # maximum k in a number of solutions 2^k


def claim_of(count: int) -> Claim:
    """Return the claim of a certificate about all solutions, by their number."""
    return "unsolvable" if count == 0 else "unique" if count == 1 else "complete"


class UnreadableCertificate(CrosslitError, ValueError):
    """Text that is not a certificate; the message says why."""


@dataclass(frozen=True, repr=False)
class Certificate(Short):
    """Evidence for a claim about all solutions of a puzzle.

    Args:
        format: ``refutation``, or one of the `certificates` of the puzzle's kind.
        puzzle: the id of the puzzle.
        claim: ``unsolvable``, ``unique``, or ``complete`` (there are exactly ``count`` solutions).
        count: the number of solutions: 0 for ``unsolvable``, 1 for ``unique``, at least 2 for ``complete``.
        body: the data of the format: plain JSON values with whole numbers only.

    Examples:
        >>> certificate = Certificate("nonogram-sums", "5e1f", "unsolvable", 0, {"rows": "2", "columns": "1"})
        >>> certificate.json()["count"], Certificate.from_json(certificate.text) == certificate
        (0, True)
        >>> Certificate("rup", "5e1f", "complete", 2**80).json()["count"]
        {'log2': 80}
    """

    format: str
    puzzle: str
    claim: Claim
    count: int
    body: Mapping[str, Any] = field(default_factory=dict)

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "certificate": VERSION,
            "format": self.format,
            "puzzle": self.puzzle,
            "claim": self.claim,
            "count": exact(self.count),
            "body": dict(self.body),
        }

    @property
    def text(self) -> str:
        """The JSON form as one line."""
        return json.dumps(self.json(), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """Read the output of `text`, or any text given as a certificate.

        Raises:
            UnreadableCertificate: if it is not a certificate.
        """
        record = _loaded(text, {"certificate", "format", "puzzle", "claim", "count", "body"})
        words = record["format"], record["puzzle"]
        if record["certificate"] != VERSION or not all(isinstance(word, str) for word in words):
            raise UnreadableCertificate(f"expected a certificate of version {VERSION}, its format and puzzle as text")
        if not isinstance(record["body"], dict):
            raise UnreadableCertificate("the body of a certificate is a JSON object")
        return cls(*words, record["claim"], _count(record["count"]), record["body"])


@dataclass(frozen=True, repr=False)
class CheckResult(Short):
    """The claim proved by a checked certificate.

    Args:
        claim: the claim, as in `Certificate`.
        count: the number of solutions.
        by: the checker, in a word or two.
        trusted_base: everything that the check takes for granted, except itself, the rules and Python.
    """

    claim: Claim
    count: int
    by: str
    trusted_base: tuple[str, ...] = ()

    @property
    def trusts_encoder(self) -> bool:
        """True if it rests on an encoder, whose formula may forbid a solution."""
        return any(word.startswith(ENCODER) for word in self.trusted_base)

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"claim": self.claim, "count": exact(self.count), "by": self.by, "trusts": list(self.trusted_base)}

    @classmethod
    def from_json(cls, text: str) -> CheckResult:
        """Read the output of `json` as text.

        Raises:
            UnreadableCertificate: if the text is something else.
        """
        record = _loaded(text, {"claim", "count", "by", "trusts"})
        by, trusted_base = record["by"], record["trusts"]
        if not isinstance(trusted_base, list) or not all(isinstance(word, str) for word in (by, *trusted_base)):
            raise UnreadableCertificate("this is not the result of a check")
        return cls(record["claim"], _count(record["count"]), by, tuple(trusted_base))


@dataclass(frozen=True, repr=False)
class Certified(Result):
    """A certificate that was made, checked, and accepted.

    Args:
        certificate: the certificate as it was made.
        by: the backend that made it.
        checked: the result of the check.
    """

    certificate: Certificate
    by: str
    checked: CheckResult

    def json(self) -> dict[str, Any]:
        """Return the JSON form, without the certificate itself."""
        return {
            "format": self.certificate.format,
            "claim": self.checked.claim,
            "count": exact(self.checked.count),
            "by": self.by,
            "checked_by": self.checked.by,
            "trusts": list(self.checked.trusted_base),
        }


def _loaded(text: str, keys: set[str]) -> dict[str, Any]:
    """Parse a JSON object with these keys and a claim, which may come from anyone."""
    if len(text) > MAX_CHARACTERS:
        raise UnreadableCertificate(f"a certificate has at most {MAX_CHARACTERS} characters")
    try:
        record = json.loads(text)
    except RecursionError:
        raise UnreadableCertificate("it is nested too deeply") from None
    except ValueError as error:
        raise UnreadableCertificate(f"it is not JSON: {error}") from None
    if not isinstance(record, dict) or record.keys() != keys:
        raise UnreadableCertificate(f"expected a JSON object with the keys {', '.join(sorted(keys))}")
    if record["claim"] not in CLAIMS:
        raise UnreadableCertificate(f"the claim of a certificate is one of {', '.join(CLAIMS)}")
    return record


def _count(value: Any) -> int:
    """Return the number of solutions from its JSON form."""
    if type(value) is int and 0 <= value <= 2**53:
        return value
    if isinstance(value, dict) and value.keys() == {"log2"} and type(value["log2"]) is int:
        if 0 <= value["log2"] <= _MAX_DIMENSIONS:
            return 1 << int(value["log2"])
        raise UnreadableCertificate(f"at most 2^{_MAX_DIMENSIONS} solutions")
    raise UnreadableCertificate('the count of a certificate is a whole number up to 2^53, or {"log2": k} for 2^k')


def entry(certificate: Certificate, key: str, kind: type) -> Any:
    """Return the value under a key of a certificate's body, for the checkers.

    Raises:
        CertificateRejected: if there is none, or it has another type (``bool`` does not count as ``int``).
    """
    value = certificate.body.get(key)
    # The text comes from a backend, so its types are as little known as its values.
    if type(value) is not kind:
        words = {str: "text", int: "a whole number", list: "a list"}.get(kind, kind.__name__)
        raise CertificateRejected(f"its body needs {words} as {key!r}")
    return value


def grid_entry(certificate: Certificate, key: str, puzzle: Puzzle) -> Grid:
    """Return the grid of the puzzle's shape under a key of a certificate's body, given in its one-line form."""
    try:
        grid = Grid.from_text(entry(certificate, key, str))
    except ValueError as error:
        raise CertificateRejected(f"{key!r} is not a grid: {error}") from None
    if (grid.rows, grid.columns) != (puzzle.rows, puzzle.columns):
        raise CertificateRejected(
            f"{key!r} is a grid of {grid.rows} x {grid.columns}, the puzzle is {puzzle.rows} x {puzzle.columns}"
        )
    return grid
