"""What encoders and backends promise, and what a run hands them.

A backend has one capability at its core: an iterator over solutions whose exhaustion claims that there are no more.
To solve is to take one, to ask for uniqueness is to take two, to enumerate is to take all, and a puzzle is unsolvable
when the iterator is exhausted at once. A backend that must stop without that claim raises `GaveUp`; a bare return *is*
the claim. Everything beside the answer flows through the `Task` that the caller made.

Questions are methods, present or absent: ``solutions``; for Lights Out ``fewest``, solutions of ever fewer presses,
whose exhaustion claims that the last one has the fewest; and ``count``, ``backbone``, ``reveal`` and ``mus``, which
`crosslit.questions` describes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, get_args

from crosslit.errors import ContractError, GaveUp, Unavailable
from crosslit.grid import Grid
from crosslit.puzzles import Puzzle

__all__ = [
    "NO_PRESSES",
    "PHASES",
    "QUESTIONS",
    "TARGETS",
    "AnswersFewest",
    "AnswersSolutions",
    "Backend",
    "Clock",
    "ContractError",
    "Encoded",
    "Encoding",
    "GaveUp",
    "MakesCommands",
    "Option",
    "Options",
    "Phase",
    "Question",
    "ReadsModels",
    "Task",
    "Trace",
    "Unavailable",
]

NO_PRESSES = "the encoding has no variable for every press, so that it cannot count them"
"""Why a backend that minimises gives up on an encoding of, say, the first row alone."""

Phase = Literal["encode", "load", "solve", "decode"]
PHASES: tuple[Phase, ...] = get_args(Phase)
Question = Literal["solutions", "fewest", "count", "backbone", "reveal", "mus"]
QUESTIONS: tuple[Question, ...] = get_args(Question)


TARGETS = ("cnf-xor", "cnf", "cp-sat")
"""What encodings make, the richest first: of the defaults that a backend takes, it is given the one for the first."""

Trace = Callable[[str, Mapping[str, Any]], None]
"""Takes a step, one of `crosslit.tracing.STEPS`, and what there is to say of it, in values that JSON has."""

Options = Mapping[str, Any]
"""What a spec set, parsed: whole numbers and words."""


@dataclass(frozen=True)
class Encoding:
    """A pure function from a puzzle to a formula, and what there is to know of it.

    Auxiliary variables must be determined by the cells, so that solutions and models are one to one.

    Args:
        name: as in a spec, for example ``order``; unique for a kind and a target.
        kind: of the puzzles it takes: ``lights-out`` or ``nonogram``.
        target: what it makes, as in `TARGETS`: ``cnf`` and ``cnf-xor`` (`crosslit_encoders.formula.Formula`) or
            ``cp-sat`` (`crosslit_encoders.cp_model.CpFormula`).
        encode: the function.
        trusts: what its correctness rests on; two runs that share a name here do not vouch for each other.
        summary: one line for people.
        default: whether a spec without an encoding means this one, for its kind and target.
        refuses: why a puzzle is beyond this encoding, found at next to no cost; None if it is not. ``encode`` raises
            `GaveUp` with the same reason.
        line: of nonograms: from a clue and the length of its line to the formula of that line alone, a grid of one row;
            for who reasons about some lines of a puzzle. None where that is not offered.
    """

    name: str
    kind: str
    target: str
    encode: Callable[[Any], Any]
    trusts: frozenset[str]
    summary: str
    default: bool = False
    refuses: Callable[[Any], str | None] = lambda _: None
    line: Callable[[tuple[int, ...], int], Any] | None = None


class Encoded(Protocol):
    """What an encoding makes, as far as it is written out; the backends that accept its target know more of it."""

    @property
    def sizes(self) -> Mapping[str, int]:
        """Its numbers of ``variables``, and of what else its target has: clauses, literals, xors, constraints."""

    def written(self, comments: Sequence[str], binary: bool) -> Iterator[bytes]:
        """The formula in the format of its target, in pieces, with what says which variables the cells are.

        Raises:
            ValueError: if it has no such form.
        """


class ReadsModels(Encoded, Protocol):
    """A formula that also reads what solvers write about it."""

    def answer(self, lines: Iterable[str]) -> tuple[str | None, Grid | None, str | None]:
        """What a solver's output says.

        Returns:
            Its status (``satisfiable``, ``unsatisfiable``, ``unknown``, None if it gives none); the solution of its
            model, unchecked, if it gives one; and the first constraint of the formula that this model breaks, if any.

        Raises:
            UnreadableModel: if it is no answer about this formula.
        """


@dataclass(frozen=True)
class Option:
    """An option of a backend, written ``KEY=VALUE`` in a spec: a whole number, or one of some words.

    Args:
        summary: one line for people.
        minimum: the smallest number allowed.
        maximum: the largest number allowed.
        choices: the words allowed; an option that has any takes no number.

    Examples:
        >>> Option("threads", 1, 8).parse("4")
        4
        >>> Option("who searches", choices=("glucose4", "cadical195")).parse("cadical195")
        'cadical195'
    """

    summary: str
    minimum: int = 0
    maximum: int = 0
    choices: tuple[str, ...] = ()

    def parse(self, text: str) -> int | str:
        """The value of ``text``.

        Raises:
            ValueError: if it is not a whole number within the bounds, or none of the words; says what is due.
        """
        if self.choices:
            if text not in self.choices:
                raise ValueError(f"one of {', '.join(self.choices)}")
            return text
        if not (text.isascii() and text.isdigit() and self.minimum <= int(text[:20]) <= self.maximum):
            raise ValueError(f"a whole number from {self.minimum} to {self.maximum}")
        return int(text)


def no_time() -> dict[Phase, float]:
    """No seconds in any phase."""
    return dict.fromkeys(PHASES, 0.0)


class Clock:
    """Laps of the phases of one run, in seconds; it stands still while the consumer holds a solution."""

    def __init__(self, on_switch: Callable[[], None] | None = None) -> None:
        self.seconds = no_time()
        self.phase: Phase = "solve"
        self._since: float | None = None
        self._on_switch = on_switch

    def switch(self, phase: Phase) -> None:
        """End the lap of the current phase, and begin one of ``phase``."""
        if phase not in self.seconds:
            raise ContractError(f"unknown phase {phase!r}")
        running = self.pause()
        changed = phase != self.phase
        self.phase = phase
        if changed and self._on_switch is not None:
            self._on_switch()
        if running:
            self.resume()

    def resume(self) -> None:
        """Go on timing the current phase; nothing if it is being timed."""
        if self._since is None:
            self._since = time.perf_counter()

    def pause(self) -> bool:
        """Stop timing until `resume`; returns whether the phase was being timed."""
        if self._since is None:
            return False
        self.seconds[self.phase] += time.perf_counter() - self._since
        self._since = None
        return True


@dataclass
class Task:
    """What a caller asks of a backend, and where the backend leaves what is not a solution.

    Args:
        question: what is asked: the method of the backend that answers it.
        want: how many solutions the caller will take at most: a hint; None means all.
        encoding: for a backend that takes one.
        options: what the spec set, parsed; the backend knows its own defaults.
        stats: numbers and words about the run, filled by the backend; see `crosslit.ends.End` for their bounds.
        threads: how many threads the backend computes on, up to 1024; set by a backend that uses more than one.
        trace: is told every step, by a backend that can; None, and nothing else is done, where nobody asks.
        clock: the laps of the phases.
        target: of ``reveal``, the solution that is to be the only one; None leaves the choice to the backend.
        among: of ``reveal``, the cells to choose from, of ``mus``, the constraints; None means all.
        bound: how many presses a solution needs at least, or cells or constraints an answer, as far as the backend has
            proved it; see `improve_bound`.
        on_bound: called with every better bound.
        memory_mb: that the run may take, in 2^20 bytes; None where nobody limits it.
        step: called now and then with how much is done of how much, in cells, by a backend that can tell.
        skip: how many solutions at the head of their order ``batches`` leave out.
    """

    question: Question = "solutions"
    want: int | None = None
    encoding: Encoding | None = None
    options: Options = field(default_factory=dict)
    stats: dict[str, int | float | str] = field(default_factory=dict)
    threads: int = 1
    trace: Trace | None = None
    clock: Clock = field(default_factory=Clock)
    target: Grid | None = None
    among: Grid | None = None
    bound: int = 0
    on_bound: Callable[[int], None] = lambda _: None
    memory_mb: int | None = None
    step: Callable[[int, int], None] = lambda _done, _of: None
    skip: int = 0

    def improve_bound(self, presses: int) -> None:
        """Say that every solution is proved to have at least so many presses; nothing if that was known.

        For the other questions that have a bound: so many cells or constraints.

        Raises:
            ContractError: if that is no whole number.
        """
        if not isinstance(presses, int):
            raise ContractError(f"a bound is a whole number, not {presses!r:.40}")
        if presses > self.bound:
            self.bound = presses
            self.on_bound(presses)

    def phase(self, name: Phase) -> None:
        """Say that what follows belongs to phase ``name``; a run begins in ``solve``."""
        self.clock.switch(name)

    def encode(self, puzzle: Puzzle) -> Any:
        """The formula of ``puzzle`` by the encoding of this task, made in phase ``encode``."""
        if self.encoding is None:
            raise ContractError("this backend needs an encoding, and the task has none")
        self.phase("encode")
        return self.encoding.encode(puzzle)


class Backend(Protocol):
    """A solver. Cheap to build; imports its engine inside methods; keeps no state between calls.

    It answers one question or more: `AnswersSolutions`, `AnswersFewest`, and those of `crosslit.questions`. A module
    registers a list of them under the entry point group ``crosslit.backends``.
    """

    @property
    def name(self) -> str:
        """As in a spec: letters, digits and ``-``."""

    @property
    def summary(self) -> str:
        """One line for people."""

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of puzzles it takes (with an encoding, if it accepts any)."""

    @property
    def accepts(self) -> frozenset[str]:
        """The encoding targets it takes; empty means that it reads the puzzle itself."""

    @property
    def groups(self) -> frozenset[str]:
        """The groups of specs it belongs to, beside ``all``."""

    @property
    def trusts(self) -> frozenset[str]:
        """What its correctness rests on, beside its encoding and the rule checker."""

    @property
    def options(self) -> Mapping[str, Option]:
        """The options a spec may set."""

    @property
    def modules(self) -> tuple[str, ...]:
        """What is imported before the clock starts: the engine, and what its encoders import."""

    def version(self) -> str:
        """The engine's version, found without importing it; see `crosslit.asking` for who asks, and for how long.

        Raises:
            Unavailable: if it cannot run here; says why.
        """

    def refuses(self, puzzle: Puzzle, options: Options) -> str | None:
        """Why this puzzle is beyond this backend, found at next to no cost; None if it is not.

        The time that it takes is added to that of the run.
        """


class MakesCommands(Protocol):
    """A function that makes a backend of a user's command; registered under ``crosslit.commands``.

    The backend is sent to the processes of its runs, so that pickle must be able to carry it.
    """

    def __call__(self, name: str, text: str, folder: str, groups: frozenset[str]) -> Backend:
        """The backend.

        Args:
            name: as in a spec.
            text: the command, as it is written in a shell.
            folder: where a command that is a relative path begins.
            groups: the groups of specs it belongs to, beside ``all``.

        Raises:
            SpecError: if the text is no command.
        """


class AnswersSolutions(Backend, Protocol):
    """A backend that finds all solutions."""

    def solutions(self, puzzle: Any, task: Task) -> Generator[Grid, None, None]:
        """All solutions of a puzzle of one of its kinds, none twice; a return claims that there are no more.

        Frees the engine in ``finally``.

        Raises:
            GaveUp: to stop without that claim.
        """


class AnswersFewest(Backend, Protocol):
    """A backend that finds the fewest presses that put out a Lights Out board."""

    def fewest(self, puzzle: Any, task: Task) -> Generator[Grid, None, None]:
        """Solutions of ever fewer presses; a return claims that the last one has the fewest, or that there is none.

        What is proved meanwhile goes to ``task.improve_bound``. Frees the engine in ``finally``.

        Raises:
            GaveUp: to stop without that claim.
        """
