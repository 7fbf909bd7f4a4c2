"""The solver under test, from its description: a program, a registered backend, or two of these to compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from crosslit_backends.commands.program import ProgramBackend
from crosslit_backends.programs.program import OPTIONS
from crosslit_backends.programs.protocol import Abstention, Claims, Reply, SolverAnswer, SolverFailure

from crosslit import registry
from crosslit.base.posix import require_isolation
from crosslit.kinds import Puzzle
from crosslit_verify.backend_command import BackendCommand, interpreter
from crosslit_verify.cases import Settings
from crosslit_verify.commands import Command
from crosslit_verify.judge import broken, claim, format_reply
from crosslit_verify.process import Solver

_MAX_CHARACTERS = 120  # of each answer in a message


class Pair(Solver):
    """A solver and another one to compare it with: a difference is a failure, and equal replies are that of the first.

    Solutions may differ if both solvers promise only one. An abstention differs from nothing.
    """

    def __init__(self, first: Solver, second: Solver) -> None:
        self._first, self._second = first, second
        self.claims = first.claims
        known = [solver.description or solver.name for solver in (first, second)]
        self._names = known if len({*known, ""}) == 3 else ["the first", "the second"]
        self.description = ", against ".join(self._names)

    def ask(self, puzzle: Puzzle, seconds: float | None = None) -> Reply:
        """Return the difference of the two replies to a puzzle, or else the first one."""
        self._first.until = self._second.until = self.until
        replies = self._first.ask(puzzle, seconds), self._second.ask(puzzle, seconds)
        if any(isinstance(reply, Abstention) for reply in replies):
            return replies[0]
        if _aspect(self.claims, puzzle, replies[0]) == _aspect(self.claims, puzzle, replies[1]):
            return replies[0]
        shown = (format_reply(reply, _MAX_CHARACTERS) for reply in replies)
        words = "; ".join(f"{name}: {text}" for name, text in zip(self._names, shown, strict=True))
        return SolverFailure("disagreement", words)

    def close(self) -> SolverFailure | None:
        """End both, and return the first failure."""
        first, second = self._first.close(), self._second.close()
        return first or second


def _aspect(claims: Claims, puzzle: Puzzle, reply: Reply) -> object:
    """Return the part of a reply that must be equal: its failure, that it is wrong, or its claim."""
    if not isinstance(reply, SolverAnswer):
        return isinstance(reply, SolverFailure) and reply.problem
    return "wrong" if any(broken(puzzle, grid) for grid in reply.solutions) else (claim(claims, reply),)


def make_solver(
    words: str | Sequence[str],
    spec: str | None,
    settings: Settings,
    options: Mapping[str, Any],
    puzzles: Sequence[Puzzle] = (),
) -> Solver:
    """Return the solver under test: a backend, or else a command as the options describe it; or two to compare.

    A backend that is a program is asked as the program, so that a failure shows what it read and wrote.
    """
    require_isolation()
    if other := options.get("against"):
        options = {**options, "against": ""}
        first = make_solver(words, spec, settings, options, puzzles)
        if not Path(other).expanduser().exists():
            spec = other
        elif spec is None:
            words = [interpreter(other), *words[1:]]
        else:
            options |= {"python": other}
        return Pair(first, make_solver(words, spec, settings, options, puzzles))

    bounds = {name: options[name] for name in ("timeout", "memory_mb")}
    if spec is None:
        described = {name: options[name] for name in OPTIONS if options.get(name) not in (None, "", ())}
        return Command(words, settings.claims, kind=settings.kind, **described, **bounds)
    if not (python := options.get("python", "")):
        for named in registry.find_backends([spec]):
            if isinstance(named, ProgramBackend):
                return Command(replace(named.program, claims=settings.claims).for_kind(settings.kind), **bounds)
    return BackendCommand(spec, settings, python=python, puzzles=puzzles, **bounds)
