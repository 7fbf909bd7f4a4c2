"""Certificates as data: a claim about all solutions of a puzzle, and the result of checking it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn, get_args

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
_MAX_DIGITS = 18  # maximum digits of a number in a certificate; larger ones are written as text
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

        Examples:
            >>> Certificate.from_json("[1]")
            Traceback (most recent call last):
            crosslit.contract.certificate.UnreadableCertificate: a certificate is a JSON object, not list
        """
        record = _loaded(text)
        if not isinstance(record, dict):
            raise UnreadableCertificate(f"a certificate is a JSON object, not {type(record).__name__}")
        expected = {"certificate", "format", "puzzle", "claim", "count", "body"}
        if record.keys() != expected:
            raise UnreadableCertificate(f"a certificate has the keys {', '.join(sorted(expected))}")
        if type(record["certificate"]) is not int or record["certificate"] != VERSION:
            raise UnreadableCertificate(f"expected a certificate of version {VERSION}")
        if not isinstance(record["format"], str) or not isinstance(record["puzzle"], str):
            raise UnreadableCertificate("the format and the puzzle of a certificate are text")
        if record["claim"] not in CLAIMS:
            raise UnreadableCertificate(f"the claim of a certificate is one of {', '.join(CLAIMS)}")
        if not isinstance(record["body"], dict):
            raise UnreadableCertificate("the body of a certificate is a JSON object")
        return cls(record["format"], record["puzzle"], record["claim"], _count(record["count"]), record["body"])


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
        record = _loaded(text)
        if not isinstance(record, dict) or record.keys() != {"claim", "count", "by", "trusts"}:
            raise UnreadableCertificate("this is not the result of a check")
        claim, by, trusted_base = record["claim"], record["by"], record["trusts"]
        words = isinstance(trusted_base, list) and all(isinstance(word, str) for word in trusted_base)
        if claim not in CLAIMS or not isinstance(by, str) or not words:
            raise UnreadableCertificate("this is not the result of a check")
        return cls(claim, _count(record["count"]), by, tuple(trusted_base))


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


def _loaded(text: str) -> Any:
    """Parse JSON that may be hostile: short whole numbers only, no repeated key, limited nesting."""
    if len(text) > MAX_CHARACTERS:
        raise UnreadableCertificate(f"a certificate has at most {MAX_CHARACTERS} characters")
    try:
        return json.loads(
            text,
            parse_int=_whole,
            parse_float=_no_number,
            parse_constant=_no_number,
            object_pairs_hook=_without_repeats,
        )
    except UnreadableCertificate:
        raise
    except RecursionError:
        raise UnreadableCertificate("it is nested too deeply") from None
    except ValueError as error:
        raise UnreadableCertificate(f"it is not JSON: {error}") from None


def _whole(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise UnreadableCertificate(f"a number of {len(digits)} digits; at most {_MAX_DIGITS}")
    return int(digits)


def _no_number(text: str) -> NoReturn:
    raise UnreadableCertificate(f"the numbers of a certificate are whole, not {text[:40]}")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise UnreadableCertificate("a key is repeated")
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
