"""The solver under test, from its description: a program, a registered backend, or two of these to compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from crosslit_backends.commands.program import ProgramBackend
from crosslit_backends.programs.program import OPTIONS, Program, describe

from crosslit import registry
from crosslit.errors import InputError
from crosslit.kinds import Puzzle
from crosslit.sandbox.posix import require_isolation
from crosslit_verify.backend_command import BackendCommand, interpreter
from crosslit_verify.commands import BatchCommand, Command, OneShotCommand, PersistentCommand
from crosslit_verify.pair import Pair
from crosslit_verify.settings import Settings
from crosslit_verify.subject import MEMORY_MB, TIMEOUT, Subject


def subject_of(program: Program, kind: str, *, timeout: float = TIMEOUT, memory_mb: int = MEMORY_MB) -> Command:
    """Return the subject that asks a program in its mode about puzzles of a kind."""
    used = PersistentCommand if program.mode != "one-shot" else BatchCommand if program.is_batch else OneShotCommand
    return used(program.for_kind(kind), timeout=timeout, memory_mb=memory_mb)


def make_subject(
    words: str | Sequence[str],
    spec: str | None,
    settings: Settings,
    options: Mapping[str, Any],
    puzzles: Sequence[Puzzle] = (),
) -> Subject:
    """Return the solver under test: a backend, or else a command as the options describe it; or two to compare.

    A backend that is a program is asked as the program, so that a failure shows what it read and wrote.
    """
    require_isolation()
    if other := options.get("against"):
        options = {**options, "against": ""}
        first = make_subject(words, spec, settings, options, puzzles)
        if not Path(other).expanduser().exists():
            spec = other
        elif spec is None:
            words = [interpreter(other), *words[1:]]
        else:
            options |= {"python": other}
        return Pair(first, make_subject(words, spec, settings, options, puzzles))

    bounds = {name: options[name] for name in ("timeout", "memory_mb")}
    if spec is None:
        described = {name: options[name] for name in OPTIONS if options.get(name)}
        try:
            program = describe(words, settings.claims, **described)
        except ValueError as error:
            raise InputError("solver", str(error)) from None
        return subject_of(program, settings.kind, **bounds)
    if not (python := options.get("python", "")):
        for named in registry.find_backends([spec]):
            if isinstance(named, ProgramBackend):
                return subject_of(replace(named.program, claims=settings.claims), settings.kind, **bounds)
    return BackendCommand(spec, settings, python=python, puzzles=puzzles, **bounds)
