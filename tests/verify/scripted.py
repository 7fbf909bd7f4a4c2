"""A solver under test in this process, whose faults are a function of the question."""

from __future__ import annotations

from typing import Any

from crosslit_verify import Settings, Solver, SolverAnswer, SolverFailure, Verifier

import crosslit


class Scripted(Solver):
    """A solver in this process that answers correctly, except where a function of (number, puzzle) returns a reply."""

    claims = "one"

    def __init__(self, change: Any = lambda number, puzzle: None) -> None:
        self.asked: list[Any] = []
        self.closed = 0
        self._change = change

    def ask(self, puzzle: Any, seconds: float | None = None) -> Any:
        self.asked.append(puzzle)
        changed = self._change(len(self.asked), puzzle)
        if changed is not None:
            return changed
        found = crosslit.solve(puzzle)
        return SolverAnswer(() if found is None else (found,), found is None)

    def close(self) -> SolverFailure | None:
        self.closed += 1
        return None


def verified(change: Any = lambda number, puzzle: None, **settings: Any) -> tuple[Any, Scripted]:
    subject = Scripted(change)
    given = {"kind": "lights-out", "cases": 100, **settings}
    return Verifier(Settings(**given), subject).run(), subject
