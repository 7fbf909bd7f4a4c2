"""Backends that leave values in their task that no end can hold, or answer strangely when asked about themselves."""

from __future__ import annotations

import sys

from planted_backends import Planted, functions


def nan_time(puzzle, task, solutions):
    """All solutions, in a time that is no number."""
    yield from solutions
    task.clock.seconds["solve"] = float("nan")


def same_again(puzzle, task, solutions):
    """One solution forty times."""
    grid = next(solutions)
    for _ in range(40):
        yield grid


class Asked(Planted):
    """A backend that is right, and answers by functions when it is asked about itself."""

    def __init__(self, name, version=lambda: "1", unsupported_reason=lambda puzzle: None):
        super().__init__(name, lambda puzzle, task, solutions: solutions)
        self.summary = "Right, and strange when it is asked about itself."
        self.groups = frozenset({"asked"})
        self._version, self._reason = version, unsupported_reason

    def version(self):
        return self._version()

    def unsupported_reason(self, puzzle, options):
        return self._reason(puzzle)


ASKED = [
    Asked("version-raises", lambda: 1 // 0),
    Asked("refuses-raises", unsupported_reason=lambda puzzle: {}["no such"]),
    Asked("refuses-some", unsupported_reason=lambda puzzle: {}["no such"] if puzzle.columns == 3 else None),
    Asked("refuses-nearly-all", unsupported_reason=lambda puzzle: None if puzzle.text == "1" else "only one cell"),
    Asked("refuses-exits", unsupported_reason=lambda puzzle: sys.exit(3)),
]


BACKENDS = [
    *(Planted(*named) for named in functions(globals(), "puzzle", "task", "solutions").items()),
    *ASKED,
]
