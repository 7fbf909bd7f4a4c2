"""Solvers with one planted bug each, which `crosslit verify` must catch within a number of cases."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from crosslit_verify.cases import Settings
from crosslit_verify.process import Solver
from crosslit_verify.report import Verification
from crosslit_verify.session import Verifier
from crosslit_verify.solver import Command, Function

from crosslit.formats import read
from tests.verify.zoo import boards, nonograms

_COMMAND = str(Path(__file__).parent / "command.py")


@dataclass(frozen=True)
class Member:
    """A solver, and the failures that a verification must find."""

    name: str
    what: str
    solver: Callable[[], Any]  # returns a new solver: a function of a puzzle, or the words of a command
    kind: str
    claims: Any
    groups: tuple[str, ...]  # one of which must be the first found; empty for a correct solver
    within: int  # maximum number of cases until it is caught; for a correct one, the cases that it passes
    settings: dict[str, Any] = field(default_factory=dict)  # further `Settings`
    limits: dict[str, Any] = field(default_factory=dict)  # of a command
    own: tuple[str, ...] = ()  # puzzles to send instead of those of the verification

    def verify(self, **settings: Any) -> Verification:
        """Verify it within its budget."""
        made = self.solver()
        solver: Solver
        if callable(made):
            solver = Function(made, self.claims, **self.limits)
        else:
            solver = Command(made, self.claims, **self.limits)
        chosen = {"cases": self.within, **self.settings, **settings}
        settings = Settings(self.kind, self.claims, **chosen)
        return Verifier(settings, solver, shrinking=5.0, own=[read(text) for text in self.own]).run()


def _member(kind: str, solver: Any, claims: str, groups: str, within: int, **settings: Any) -> Member:
    name = getattr(solver, "__name__", "")
    make = solver if isinstance(solver, type) else lambda: solver
    what = (solver.__doc__ or "").strip().splitlines()[0].removeprefix("Right: ")
    return Member(f"{kind}: {name}", what, make, kind, claims, tuple(groups.split()), within, settings)


def _command(fault: str, what: str, groups: str, within: int, **limits: Any) -> Member:
    words = (sys.executable, "-S", _COMMAND, fault)
    settings = {"size": "1..6"}
    names = tuple(groups.split())
    return Member(f"command: {fault}", what, lambda: words, "lights-out", "one", names, within, settings, limits)


_lights_out, _nonogram = partial(_member, "lights-out"), partial(_member, "nonogram")

BROKEN = [
    _lights_out(boards.contiguous_first_rows, "one", "false-unsolvable", 30),
    _lights_out(boards.no_consistency_check, "one", "wrong-solution", 10),
    _lights_out(boards.lit_for_presses, "one", "wrong-solution", 50),
    _lights_out(boards.above_8x8, "one", "wrong-solution", 10_000),
    _lights_out(boards.Flaky, "one", "contradicts-itself", 50),
    _lights_out(boards.drops_last, "all", "missing-solution", 20),
    _lights_out(boards.repeats_one, "all", "duplicate-solution", 20),
    _lights_out(boards.first_quiet_pattern, "all", "missing-solution", 500),
    _lights_out(boards.only_squares, "all", "missing-solution", 50),
    _lights_out(boards.nullity_above_4, "all", "missing-solution", 10_000),
    _lights_out(boards.StaleKernel, "all", "missing-solution wrong-solution", 1000),
    _lights_out(boards.any_solution, "fewest", "not-fewest", 3000),
    _lights_out(boards.greedy_presses, "fewest", "not-fewest", 10_000),
    _nonogram(nonograms.columns_unchecked, "one", "wrong-solution", 10),
    _nonogram(nonograms.blocks_may_touch, "one", "wrong-solution", 500),
    _nonogram(nonograms.last_block_short, "one", "false-unsolvable", 2000),
    _nonogram(nonograms.two_blocks_at_most, "one", "wrong-solution false-unsolvable", 2000),
    _nonogram(nonograms.only_line_solving, "one", "false-unsolvable", 500),
    _nonogram(nonograms.cap_on_rounds, "one", "false-unsolvable", 10_000),
    _nonogram(nonograms.unique_if_one_guess, "unique", "false-unique", 500),
    _nonogram(nonograms.multiple_if_guess, "unique", "false-multiple", 30_000, size="1..6"),
    _nonogram(nonograms.at_most_five, "all", "missing-solution", 10_000),
    _nonogram(nonograms.large_transposed, "one", "wrong-solution", 200, only="unique"),
    replace(
        _lights_out(boards.ignores_wrap, "one", "wrong-solution false-unsolvable", 100),
        own=tuple(f"wrap=torus/{number:03b}/000/110/001" for number in range(8)),
    ),
    _command("slow", "Takes a minute from nine cells on.", "hang", 2000, timeout=0.5),
    _command("leaks", "Keeps 4 MB of every puzzle.", "memory", 100, memory_mb=100),
    _command("forks", "Starts a process and leaves it.", "orphaned-process", 50),
    _command("debugs", "Prints a line more where all is lit.", "malformed-output", 50),
    _command("aborts", "Aborts where there is no solution.", "crash", 50),
    _command("ends", "Ends after fifty puzzles.", "crash", 100),
]

RIGHT = [
    _lights_out(boards.every_first_row, "all", "", 400),
    _lights_out(boards.elimination, "one", "", 400),
    _lights_out(boards.all_of, "all", "", 400),
    _nonogram(nonograms.search, "all", "", 400),
    _nonogram(nonograms.whether_unique, "unique", "", 400),
    _command("none", "", "", 400),
]
