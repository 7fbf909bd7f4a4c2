"""Backends that leave values in their task that no end can hold, or answer strangely when asked about themselves."""

from __future__ import annotations

import resource
import sys
import time

from planted_backends import Planted, functions


def nan_time(puzzle, task, solutions):
    """All solutions, in a time that is no number."""
    yield from solutions
    task.clock.seconds["solve"] = float("nan")


def worse_bound(puzzle, task, solutions):
    """All solutions, and a bound of 5 that becomes one of 3."""
    task.on_bound(5)
    task.on_bound(3)
    yield from solutions


def tells_want(puzzle, task, solutions):
    """All solutions, and in its stats the number of solutions requested."""
    task.stats["want"] = task.max_solutions_hint
    yield from solutions


def many_phases(puzzle, task, solutions):
    """All solutions, and a change of phase 50,000 times before."""
    for _ in range(25_000):
        task.phase("load")
        task.phase("solve")
    yield from solutions


def large(puzzle, task, solutions):
    """All solutions, and 256 MiB; in its stats the KiB that the system reports."""
    kept = bytearray(256 << 20)
    task.stats["kib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield from solutions
    del kept


def same_again(puzzle, task, solutions):
    """One solution forty times."""
    grid = next(solutions)
    for _ in range(40):
        yield grid


def _work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def claims_it_waited(puzzle, task, solutions):
    """Works while it has stopped the clock, and says in all ways it can reach that a solution was held meanwhile."""
    task.clock.pause()
    _work(0.5)
    task.clock.held = getattr(task.clock, "held", 0.0) + 0.5
    for function in (task.on_bound, task.on_progress):
        pipe = getattr(function, "__self__", None)
        if pipe is not None:
            pipe.waited = getattr(pipe, "waited", 0.0) + 0.25
    task.clock.resume()
    yield from solutions


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
