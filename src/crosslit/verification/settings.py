"""The settings of a verification."""

from __future__ import annotations

from dataclasses import dataclass

from crosslit.programs.answers import CLAIMS, FEWEST, Claims
from crosslit.puzzles import all_kinds

MAX_SIZE = 40
"""Rows and columns of puzzles that the command line asks for."""

ONLY = ("solvable", "unique", "unsolvable")
"""To what puzzles may be narrowed."""


@dataclass(frozen=True)
class Settings:
    """What is verified, and on which puzzles.

    Args:
        kind: of the puzzles, such as ``lights-out``.
        claims: what the solver promises.
        seed: of everything random.
        square: only puzzles of as many rows as columns.
        only: ``solvable``, ``unique`` or ``unsolvable`` ones alone; None for all.
        max_size: rows and columns at most; None for the source's own.
        cases: how many puzzles at most; None for no such end.
        seconds: of wall time at most; None for no such end.
        keep_going: whether to go on after a failure, for one example of each group.
    """

    kind: str
    claims: Claims = "one"
    seed: int = 0
    square: bool = False
    only: str | None = None
    max_size: int | None = None
    cases: int | None = None
    seconds: float | None = None
    keep_going: bool = False

    def __post_init__(self) -> None:
        kinds = all_kinds()
        if self.kind not in kinds:
            raise ValueError(f"kind is one of {', '.join(kinds)}, not {self.kind!r:.40}")
        if self.claims not in CLAIMS:
            raise ValueError(f"claims is one of {', '.join(CLAIMS)}, not {self.claims!r:.40}")
        if self.claims == FEWEST and FEWEST not in kinds[self.kind].questions:
            raise ValueError("the fewest presses are asked of lights-out boards alone")
        if self.only not in (None, *ONLY):
            raise ValueError(f"only is one of {', '.join(ONLY)}, not {self.only!r:.40}")
        for name, value in (("cases", self.cases), ("seconds", self.seconds), ("max_size", self.max_size)):
            if value is not None and not value > 0:
                raise ValueError(f"{name} is a positive number, not {value}")

    @property
    def members(self) -> str:
        """The puzzles of the kind in words."""
        return f"{all_kinds()[self.kind].member}s"

    @property
    def puzzles(self) -> str:
        """The puzzles in words."""
        parts = [self.only or "", "square" if self.square else "", self.members]
        return " ".join(filter(None, parts))
