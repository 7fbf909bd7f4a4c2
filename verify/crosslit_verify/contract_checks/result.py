"""The result of one check of a backend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Status = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True)
class Result:
    """The result of one check.

    Args:
        status: how it ended.
        detail: the number of puzzles checked, the error, or why the check was skipped.
        puzzle: the first puzzle with an error, in its one-line form; None if there is none.
        gave: the backend's answer about that puzzle.
        right: the right answer.
    """

    check: str
    status: Status
    detail: str = ""
    puzzle: str | None = None
    gave: str | None = None
    right: str | None = None

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return dict(self.__dict__)
