"""The task that a backend is given: the question, its options, its clock, and where its reports go."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from crosslit.contract.encoding import Encoding
from crosslit.errors import ContractError
from crosslit.grid import Grid
from crosslit.puzzles import Puzzle

Phase = Literal["encode", "load", "solve", "decode"]


PHASES: tuple[Phase, ...] = get_args(Phase)


QuestionName = str
"""The name of a question; `crosslit.contract.question` describes each."""


Trace = Callable[[str, Mapping[str, Any]], None]
"""Takes a step, one of `crosslit.questions.trace.STEPS`, and what there is to say of it, in values that JSON has."""


Options = Mapping[str, Any]
"""What a spec set, parsed: whole numbers and words."""


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
        max_solutions_hint: how many solutions the caller will take at most: a hint; None means all.
        encoding: for a backend that takes one.
        options: what the spec set, parsed; the backend knows its own defaults.
        stats: numbers and words about the run, filled by the backend; see `crosslit.runs.end.End` for their bounds.
        threads: how many threads the backend computes on, up to 1024; set by a backend that uses more than one.
        trace: is told every step, by a backend that can; None, and nothing else is done, where nobody asks.
        clock: the laps of the phases.
        target: of ``reveal``, the solution that is to be the only one; None leaves the choice to the backend.
        candidates: of ``reveal``, the cells to choose from, of ``mus``, the constraints; None means all.
        bound: how many presses a solution needs at least, or cells or constraints an answer, as far as the backend has
            proved it; see `improve_bound`.
        on_bound: called with every better bound.
        memory_mb: that the run may take, in 2^20 bytes; None where nobody limits it.
        on_progress: called now and then with how much is done of how much, in cells, by a backend that can tell.
        skip: how many solutions at the head of their order ``batches`` leave out.
    """

    question: QuestionName = "solutions"
    max_solutions_hint: int | None = None
    encoding: Encoding | None = None
    options: Options = field(default_factory=dict)
    stats: dict[str, int | float | str] = field(default_factory=dict)
    threads: int = 1
    trace: Trace | None = None
    clock: Clock = field(default_factory=Clock)
    target: Grid | None = None
    candidates: Grid | None = None
    bound: int = 0
    on_bound: Callable[[int], None] = lambda _: None
    memory_mb: int | None = None
    on_progress: Callable[[int, int], None] = lambda _done, _of: None
    skip: int = 0

    def improve_bound(self, presses: int) -> None:
        """Say that every solution is proved to have at least so many presses; nothing if that was known.

        For the other questions that have a bound: so many cells or constraints.

        Raises:
            ContractError: if that is not a whole number.
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
