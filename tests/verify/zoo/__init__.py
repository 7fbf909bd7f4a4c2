"""Solvers with one planted bug each, which `crosslit verify` must catch within a number of cases."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crosslit_verify.cases import Settings
from crosslit_verify.report import Verification
from crosslit_verify.session import Verifier
from crosslit_verify.solver import Command, Function

from crosslit.formats import read
from tests.verify.zoo import boards, nonograms

_COMMAND = str(Path(__file__).parent / "command.py")


@dataclass(frozen=True)
class Member:
    """A solver, and the failures that a verification must find."""

    kind: str
    solver: Any  # a function of a puzzle, a class whose instances are such, or the fault of ``command.py``
    claims: Any
    groups: str  # one of which must be the first found; empty for a correct solver
    within: int  # maximum number of cases until it is caught; for a correct one, the cases that it passes
    settings: dict[str, Any] = field(default_factory=dict)  # further `Settings`
    limits: dict[str, Any] = field(default_factory=dict)  # of a command
    own: tuple[str, ...] = ()  # puzzles to send instead of those of the verification

    @property
    def name(self) -> str:
        """The name of its function, or the fault of its command."""
        return getattr(self.solver, "__name__", f"command that {self.solver}")

    def verify(self) -> Verification:
        """Verify it within its budget."""
        if isinstance(self.solver, str):
            words = [sys.executable, "-S", _COMMAND, self.solver]
            solver: Any = Command(words, self.claims, **self.limits)
        else:
            solver = Function(self.solver() if isinstance(self.solver, type) else self.solver, self.claims)
        settings = Settings(self.kind, self.claims, cases=self.within, **self.settings)
        return Verifier(settings, solver, shrinking=5.0, own=[read(text) for text in self.own]).run()


_SMALL = {"size": "1..6"}
_TORUS = tuple(f"wrap=torus/{number:03b}/000/110/001" for number in range(8))

BROKEN = [
    Member("lights-out", boards.contiguous_first_rows, "one", "false-unsolvable", 30),
    Member("lights-out", boards.above_8x8, "one", "wrong-solution", 10_000),
    Member("lights-out", boards.Flaky, "one", "contradicts-itself", 50),
    Member("lights-out", boards.nullity_above_4, "all", "missing-solution", 10_000),
    Member("lights-out", boards.StaleKernel, "all", "missing-solution wrong-solution", 1000),
    Member("lights-out", boards.greedy_presses, "fewest", "not-fewest", 10_000),
    Member("lights-out", boards.ignores_wrap, "one", "wrong-solution false-unsolvable", 100, own=_TORUS),
    Member("nonogram", nonograms.blocks_may_touch, "one", "wrong-solution", 500),
    Member("nonogram", nonograms.cap_on_rounds, "one", "false-unsolvable", 10_000),
    Member("nonogram", nonograms.unique_if_one_guess, "unique", "false-unique", 500),
    Member("nonogram", nonograms.large_transposed, "one", "wrong-solution", 200, {"only": "unique"}),
    Member("lights-out", "is slow", "one", "hang", 2000, _SMALL, {"timeout": 0.5}),
    Member("lights-out", "aborts", "one", "crash", 50, _SMALL),
]

RIGHT = [
    Member("lights-out", boards.elimination, "one", "", 400),
    Member("lights-out", boards.all_of, "all", "", 400),
    Member("nonogram", nonograms.search, "all", "", 400),
    Member("nonogram", nonograms.whether_unique, "unique", "", 400),
    Member("lights-out", "is right", "one", "", 400, _SMALL),
]
