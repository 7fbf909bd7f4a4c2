"""The Python interface: what `crosslit` exports."""

from __future__ import annotations

import atexit
import os
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from crosslit import asking, registry
from crosslit.comparison import compare_jobs, jobs
from crosslit.contract import Question, Task
from crosslit.driving import drive
from crosslit.errors import GaveUp, WrongSolution
from crosslit.formats import read
from crosslit.gf2 import why_no_chase
from crosslit.grid import Grid
from crosslit.isolation import Runner
from crosslit.puzzles import LightsOut, Puzzle
from crosslit.puzzles.lights_out import PLUS, Offset, Wrap
from crosslit.records import Comparison, Limits

T = TypeVar("T")

_open: set[Generator[Any, None, None]] = set()  # searches that a caller has begun and not ended

_MOST_WORK = 50_000_000  # row operations: some ten seconds
_MOST_QUIET = 64  # dimensions: beyond, even codes that fall into parts take too long


def load(source: str | os.PathLike[str], format: str | None = None) -> Puzzle:  # noqa: A002  (the field's word)
    """Read a puzzle from a file, or from its one-line form; see `crosslit.formats.read`.

    Raises:
        InputError: naming the file, the line, and what was expected.

    Examples:
        >>> load("10/01").rows
        2
    """
    return read(source, format)


def add_solver(name: str, command: str) -> None:
    """Let a command that reads DIMACS be a backend of this process, in the groups ``command`` and ``default``.

    Args:
        name: as in a spec.
        command: as in a shell, which is not involved: ``{cnf}`` stands for the file that it reads (without it, it reads
            standard input), ``{out}`` for one that it writes its answer to, where that is not standard output.

    Raises:
        SpecError: if the name cannot be, or is another backend's; or if the command is none.

    Examples:
        >>> add_solver("mine", "./my-solver --quiet {cnf}")
        >>> [backend.groups for backend in backends() if backend.name == "mine"]
        [('command', 'default')]
        >>> from crosslit import registry
        >>> registry.forget("mine")
    """
    from crosslit.solvers import OWN, define

    define(name, command, "add_solver", groups=OWN)


def default_backend(puzzle: Puzzle, question: Question = "solutions") -> str:
    """The backend that answers a question about a puzzle where none is named."""
    if question == "fewest":
        return "fewest"
    if not isinstance(puzzle, LightsOut):
        return "frontier" if question == "count" else "hybrid"
    return "polynomial" if why_no_chase(puzzle) is None else "gauss"


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
        ['01/10', '10/01']
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


def fewest(puzzle: LightsOut, backend: str | None = None) -> Grid | None:
    """A solution with the fewest presses, checked by the rules; None if the backend claims that there is none.

    That it has the fewest is the claim of one backend: `compare` cross-checks it.

    Args and errors are those of `solutions`.

    Examples:
        >>> fewest(load("10000/11110/11111/11110/10000")).count()
        6
    """
    best = None
    with closing(_drive(puzzle, backend, None, "fewest")) as found:
        for grid in found:
            best = grid if best is None or grid.count() < best.count() else best
    return best


def _drive(
    puzzle: Puzzle, spec: str | None, want: int | None, question: Question = "solutions"
) -> Generator[Grid, None, None]:
    choice = registry.select_one(spec or default_backend(puzzle, question), puzzle, question)
    return _checked(choice, puzzle, Task(question, want, choice.encoding, choice.options))


def _checked(choice: registry.Choice, puzzle: Puzzle, task: Task) -> Generator[Grid, None, None]:
    with closing_at_exit(drive(choice.backend, puzzle, task)) as found:
        for grid in found:
            violation = next(puzzle.violations(grid), None)
            if violation is not None:
                raise WrongSolution(f"{choice.spec} gave {grid.text()}: {violation}")
            yield grid


@contextmanager
def closing_at_exit(search: Generator[T, None, None]) -> Iterator[Generator[T, None, None]]:
    """Close a search at the end of a block, or when Python ends: once modules are gone, no engine can be freed.

    Raises:
        GaveUp: if it was closed because Python ends, and is asked for more: that is not exhaustion.
    """
    _open.add(search)
    try:
        yield search
        if search not in _open:
            raise GaveUp("the search was closed, for Python ends")
    finally:
        _open.discard(search)
        search.close()


@atexit.register
def _close_open() -> None:
    while _open:
        with suppress(ValueError):  # a thread is at work in it
            _open.pop().close()


def compare(
    puzzle: Puzzle,
    backends: str | Iterable[str] = "default",
    *,
    fewest: bool = False,
    limit: int | None = 2,
    timeout: float = Limits.seconds,
    memory_mb: int = Limits.memory_mb,
    repeat: int = 1,
    side_by_side: int = 1,
    certify: bool = False,
) -> Comparison:
    """Run backends on a puzzle, each in a process of its own, and cross-check what they say.

    Args:
        puzzle: what to solve.
        backends: specs, groups and wildcards.
        fewest: compare the fewest presses that they find, instead of solutions.
        limit: how many solutions a run stops at; None for all. Not for the fewest presses.
        timeout: of each run, in seconds of wall time.
        memory_mb: of each run, in 2^20 bytes.
        repeat: how many runs of each backend.
        side_by_side: how many runs at a time.
        certify: also seek a certificate that can be checked; see `crosslit.certificates`. Not for the fewest presses.

    Raises:
        SpecError: if a spec cannot be read, or nothing suits the puzzle.
        ValueError: if a limit or a number is not positive.
        KeyboardInterrupt: after an interrupt, when all processes have ended.

    Examples:
        >>> comparison = compare(load("1111/1111/1111/1111"), "native,glucose4", limit=None)
        >>> comparison.consistent, comparison.verdict.solutions, comparison.verdict.evidence
        (True, 16, 'agreed')
        >>> compare(load("1111/1111/1111/1111"), "fewest,rc2", fewest=True).presses.best
        4
    """
    planned = jobs(puzzle, backends, repeat, "fewest" if fewest else "solutions")
    with Runner(Limits(None if fewest else limit, timeout, memory_mb), side_by_side) as runner:
        comparison = compare_jobs(puzzle, planned, runner, certify=certify)
    if runner.interrupted:
        raise KeyboardInterrupt
    return comparison


def gods_number(
    rows: int, columns: int, pattern: tuple[Offset, ...] = PLUS, wrap: Wrap = "none"
) -> tuple[int, LightsOut]:
    """The most presses that any solvable board of a size needs, each board solved by its fewest; and such a board.

    Exact, by the covering radius of the code of quiet patterns: see `crosslit.gf2.covering`. Where the nullity is 0,
    every board has one solution, and the worst takes all presses.

    Args:
        rows: of the boards.
        columns: of the boards.
        pattern: the cells that a press toggles, as in `LightsOut`.
        wrap: which edges are joined, as in `LightsOut`.

    Raises:
        ValueError: if there are no such boards, or the search would take more than about a minute.

    Examples:
        >>> [gods_number(size, size)[0] for size in (3, 4, 5)]
        [9, 7, 15]
        >>> _, board = gods_number(4, 4)
        >>> fewest(board).count()
        7
    """
    from crosslit.gf2 import covering_radius, elimination_work, nullity, solution_space

    rules = LightsOut(Grid.from_bits(1, 1, 0), pattern, wrap)
    if why_no_chase(rules) and elimination_work(rows, columns, rules) > _MOST_WORK:
        raise ValueError(f"boards of {rows} x {columns} are too large for elimination, and {why_no_chase(rules)}")
    dimension = nullity(rows, columns, pattern, wrap)
    if dimension > _MOST_QUIET:
        raise ValueError(f"the worst of 2^{dimension} solutions each is out of reach: at most 2^{_MOST_QUIET}")
    dark = LightsOut(Grid.from_bits(rows, columns, 0), pattern, wrap)
    _, kernel = solution_space(dark)
    number, presses = covering_radius(kernel, rows * columns)
    return number, dark.pressed(Grid.from_bits(rows, columns, presses))


@dataclass(frozen=True)
class BackendInfo:
    """What there is to know of a registered backend.

    Args:
        name: as in a spec.
        version: of its engine; empty if it is unavailable.
        unavailable: why it cannot run here; empty if it can.
        summary: one line.
        kinds: of puzzles.
        questions: that it answers.
        encodings: (kind, name) of those that it takes; empty if it reads the puzzle itself.
        groups: beside ``all``.
        options: what each does.
        abilities: what its engine can do beside solving; None where a backend does not say.
    """

    name: str
    version: str
    unavailable: str
    summary: str
    kinds: tuple[str, ...]
    questions: tuple[str, ...]
    encodings: tuple[tuple[str, str], ...]
    groups: tuple[str, ...]
    options: Mapping[str, str]
    abilities: tuple[str, ...] | None = None

    def json(self) -> dict[str, Any]:
        """The JSON form."""
        encodings = {kind: [name for of, name in self.encodings if of == kind] for kind in self.kinds}
        return {
            "name": self.name,
            "version": self.version or None,
            "available": not self.unavailable,
            "reason": self.unavailable or None,
            "summary": self.summary,
            "kinds": list(self.kinds),
            "questions": list(self.questions),
            "encodings": encodings if self.encodings else {},
            "groups": list(self.groups),
            "options": dict(self.options),
            **({"abilities": list(self.abilities)} if self.abilities is not None else {}),
        }


def backends() -> list[BackendInfo]:
    """Every registered backend, and why it is unavailable if it is.

    Examples:
        >>> [backend.name for backend in backends() if "native" in backend.groups]
        ['alignment', 'chase', 'fewest', 'first-row', 'frontier', 'gauss', 'hybrid', 'line', 'polynomial']
    """
    listed = []
    for backend in registry.all_backends().values():
        answer = asking.version(backend)
        usable = [encoding for encoding in registry.all_encodings().values() if encoding.target in backend.accepts]
        listed.append(
            BackendInfo(
                name=backend.name,
                version=answer.text,
                unavailable=answer.problem,
                summary=backend.summary,
                kinds=tuple(sorted(backend.kinds)),
                questions=registry.questions(backend),
                encodings=tuple((encoding.kind, encoding.name) for encoding in usable),
                groups=tuple(sorted(backend.groups)),
                options={key: option.summary for key, option in backend.options.items()},
                abilities=tuple(sorted(backend.abilities)) if hasattr(backend, "abilities") else None,
            )
        )
    return listed
