"""The Python interface: what `crosslit` exports."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing

from crosslit import registry
from crosslit.comparison import compare_jobs, jobs
from crosslit.contract import Task
from crosslit.driving import drive
from crosslit.errors import Unavailable, WrongSolution
from crosslit.formats import read
from crosslit.grid import Grid
from crosslit.isolation import Runner
from crosslit.puzzles import LightsOut, Puzzle
from crosslit.records import BackendInfo, Comparison, Limits


def load(source: str | os.PathLike[str], format: str | None = None) -> Puzzle:  # noqa: A002  (the field's word)
    """Read a puzzle from a file, or from its one-line form; see `crosslit.formats.read`.

    Raises:
        InputError: naming the file, the line, and what was expected.

    Examples:
        >>> load("10/01").rows
        2
    """
    return read(source, format)


def default_backend(puzzle: Puzzle) -> str:
    """The backend that solves a puzzle where none is named."""
    return "polynomial" if isinstance(puzzle, LightsOut) else "line"


def solutions(puzzle: Puzzle, backend: str | None = None) -> Iterator[Grid]:
    """All solutions, as they are found, each checked by the rules; exhaustion claims that there are no more.

    It runs in this process, without limits of time or memory, and a SAT solver hears Ctrl-C only when it has found a
    solution or proved that there is none: `compare` has limits.

    Args:
        puzzle: what to solve.
        backend: one spec; by default a native solver.

    Raises:
        SpecError: if the spec does not name one backend that suits the puzzle.
        GaveUp: if the backend stops without the claim that there are no more.
        WrongSolution: if the backend gives a grid that breaks the rules.

    Examples:
        >>> [grid.text() for grid in solutions(load("1,1|1,1"))]
        ['10/01', '01/10']
    """
    return _drive(puzzle, backend, None)


def solve(puzzle: Puzzle, backend: str | None = None) -> Grid | None:
    """One solution, checked by the rules; None if the backend claims that there is none.

    Args and errors are those of `solutions`.

    Examples:
        >>> solve(load("11/11")).text()
        '11/11'
        >>> solve(load("2|1")) is None
        True
    """
    # Closed here, not when it is collected: Python drops an interrupt that is raised while it collects a generator.
    with closing(_drive(puzzle, backend, 1)) as found:
        return next(found, None)


def _drive(puzzle: Puzzle, spec: str | None, want: int | None) -> Generator[Grid, None, None]:
    choice = registry.select_one(spec or default_backend(puzzle), puzzle)
    return _checked(choice, puzzle, Task(want=want, encoding=choice.encoding, options=choice.options))


def _checked(choice: registry.Choice, puzzle: Puzzle, task: Task) -> Generator[Grid, None, None]:
    with closing(drive(choice.backend, puzzle, task)) as found:
        for grid in found:
            violation = next(puzzle.violations(grid), None)
            if violation is not None:
                raise WrongSolution(f"{choice.spec} gave {grid.text()}: {violation}")
            yield grid


def compare(
    puzzle: Puzzle,
    backends: str | Iterable[str] = "default",
    *,
    limit: int | None = 2,
    timeout: float = Limits.seconds,
    memory_mb: int = Limits.memory_mb,
    repeat: int = 1,
    side_by_side: int = 1,
) -> Comparison:
    """Run backends on a puzzle, each in a process of its own, and cross-check what they say.

    Args:
        puzzle: what to solve.
        backends: specs, groups and wildcards.
        limit: how many solutions a run stops at; None for all.
        timeout: of each run, in seconds of wall time.
        memory_mb: of each run, in 2^20 bytes.
        repeat: how many runs of each backend.
        side_by_side: how many runs at a time.

    Raises:
        SpecError: if a spec cannot be read, or nothing suits the puzzle.
        ValueError: if a limit or a number is not positive.
        KeyboardInterrupt: after an interrupt, when all processes have ended.

    Examples:
        >>> comparison = compare(load("1111/1111/1111/1111"), "native,glucose4", limit=None)
        >>> comparison.consistent, comparison.verdict.solutions, comparison.verdict.evidence
        (True, 16, 'agreed')
    """
    planned = jobs(puzzle, backends, repeat)
    with Runner(Limits(limit, timeout, memory_mb), side_by_side) as runner:
        comparison = compare_jobs(puzzle, planned, runner)
    if runner.interrupted:
        raise KeyboardInterrupt
    return comparison


def backends() -> list[BackendInfo]:
    """Every registered backend, and why it is unavailable if it is.

    Examples:
        >>> [backend.name for backend in backends() if "native" in backend.groups]
        ['alignment', 'chase', 'first-row', 'gauss', 'line', 'polynomial']
    """
    listed = []
    for backend in registry.all_backends().values():
        version, unavailable = "", ""
        try:
            version = backend.version()
        except Unavailable as error:
            unavailable = str(error)
        usable = [encoding for encoding in registry.all_encodings().values() if encoding.target in backend.accepts]
        listed.append(
            BackendInfo(
                name=backend.name,
                version=version,
                unavailable=unavailable,
                summary=backend.summary,
                kinds=tuple(sorted(backend.kinds)),
                questions=registry.questions(backend),
                encodings=tuple((encoding.kind, encoding.name) for encoding in usable),
                groups=tuple(sorted(backend.groups)),
                options={key: option.summary for key, option in backend.options.items()},
            )
        )
    return listed
