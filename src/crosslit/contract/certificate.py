"""Certificates as data: a claim about all solutions of a puzzle, and the result of checking it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from crosslit.base.errors import CertificateRejected, CrosslitError
from crosslit.base.grid import Grid, Layout
from crosslit.base.records import Result, Short, from_json
from crosslit.base.text import exact
from crosslit.contract.puzzle import Puzzle

_VERSION = {"certificate": 1}
Claim = Literal["unsolvable", "unique", "complete"]
ENCODER = "encoder "  # prefix of an encoder among the entries of a trusted base
MAX_CHARACTERS = 1 << 28  # maximum characters of a certificate: the process that has it checked holds several copies
_MAX_DIMENSIONS = 1_000_000  # maximum k in a number of solutions 2^k


def claim_of(count: int) -> Claim:
    """Return the claim of a certificate about all solutions, by their number."""
    return "unsolvable" if count == 0 else "unique" if count == 1 else "complete"


class UnreadableCertificate(CrosslitError, ValueError):
    """Text that is not a certificate; the message says why."""


class _Counted(Short):
    """A dataclass with a number of solutions, which another process may write."""

    count: int

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**_VERSION, **vars(self), "count": exact(self.count)}

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the JSON form, or any text given as such; an UnreadableCertificate says that it is something else."""
        try:
            if len(text) > MAX_CHARACTERS:
                raise ValueError(f"it has more than {MAX_CHARACTERS} characters")
            record = json.loads(text)
            # compared as text, since True and 1.0 are equal to 1
            if not isinstance(record, dict) or repr({"certificate": record.pop("certificate", None)}) != repr(_VERSION):
                raise ValueError('expected a JSON object with "certificate": 1')
            count = _count(record.get("count"))  # which may be longer than the whole numbers of other records
            return cls(**vars(from_json(cls, {**record, "count": 0})) | {"count": count})
        except (RecursionError, ValueError) as error:
            raise UnreadableCertificate(f"it is not a certificate: {error}") from None


def _count(value: Any) -> int:
    """Return the number of solutions from its JSON form."""
    if type(value) is int and 0 <= value <= 2**53:
        return value
    power = value.get("log2") if isinstance(value, dict) else None
    if type(power) is int and 0 <= power <= _MAX_DIMENSIONS:
        return 1 << power
    raise ValueError(f'its count is a whole number up to 2^53, or {{"log2": k}} for 2^k up to 2^{_MAX_DIMENSIONS}')


@dataclass(frozen=True, repr=False)
class Certificate(_Counted):
    """Evidence for a claim about all solutions of a puzzle: there are exactly ``count``.

    Examples:
        >>> Certificate("nonogram-sums", "5e1f", "complete", 2**80).json()["count"]
        {'log2': 80}
    """

    format: str  # ``refutation``, or one of the `certificates` of the puzzle's kind
    puzzle: str  # the id of the puzzle
    claim: Claim
    count: int  # 0 for `unsolvable`, 1 for `unique`, at least 2 for `complete`
    body: Mapping[str, Any] = field(default_factory=dict)  # of the format: JSON values with whole numbers only

    @property
    def text(self) -> str:
        """The JSON form as one line."""
        return json.dumps(self.json(), allow_nan=False)


@dataclass(frozen=True, repr=False)
class CheckResult(_Counted):
    """The claim proved by a checked certificate."""

    claim: Claim
    count: int
    by: str  # the checker, in a word or two
    trusted_base: tuple[str, ...] = ()  # all that the check takes for granted, except itself, the rules and Python

    @property
    def trusts_encoder(self) -> bool:
        """True if it rests on an encoder, whose formula may forbid a solution."""
        return any(word.startswith(ENCODER) for word in self.trusted_base)


@dataclass(frozen=True, repr=False)
class Certified(Result):
    """A certificate that was checked and accepted, and the backend that made it."""

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


def entry(certificate: Certificate, key: str, kind: type) -> Any:
    """Return the value of a type (not ``bool`` for ``int``) under a key of a certificate's body, for the checkers."""
    value = certificate.body.get(key)
    # The text comes from a backend, so its types are as little known as its values.
    if type(value) is not kind:
        words = {str: "text", int: "a whole number", list: "a list"}.get(kind, kind.__name__)
        raise CertificateRejected(f"its body needs {words} as {key!r}")
    return value


def grid_entry(certificate: Certificate, key: str, puzzle: Puzzle) -> Grid:
    """Return the grid of the puzzle's shape under a key of a certificate's body, given in its one-line form."""
    try:
        return Layout(*puzzle.shape).parse(entry(certificate, key, str))
    except ValueError as error:
        raise CertificateRejected(f"{key!r} is not a grid of the puzzle: {error}") from None
