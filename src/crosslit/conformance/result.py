"""What came out of one check of a backend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Status = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True)
class Result:
    """What came out of one check.

    Args:
        status: how it ended.
        detail: how much was looked at, what is wrong, or why the check was skipped.
        puzzle: the first on which something is wrong, in its one-line form; None where nothing is.
        gave: what the backend says of that puzzle.
        right: what is true of it.
    """

    check: str
    status: Status
    detail: str = ""
    puzzle: str | None = None
    gave: str | None = None
    right: str | None = None

    def json(self) -> dict[str, Any]:
        """The JSON form."""
        return dict(self.__dict__)
