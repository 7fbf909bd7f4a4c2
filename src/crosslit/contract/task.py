"""The task given to a backend: the question, its options, its clock, and the callbacks for its reports."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from crosslit.base.errors import ContractError
from crosslit.base.grid import Grid
from crosslit.contract.encoding import Encoding
from crosslit.contract.puzzle import Puzzle

Phase = Literal["encode", "load", "solve", "decode"]
PHASES: tuple[Phase, ...] = get_args(Phase)

QuestionName = str
"""The name of a question; `crosslit.contract.question` describes each."""

Trace = Callable[[str, Mapping[str, Any]], None]
"""A function that receives a step, one of `crosslit_play.trace.STEPS`, and its details as JSON values."""

Options = Mapping[str, Any]
"""The parsed options of a spec: whole numbers and words."""


@dataclass(frozen=True)
class Option:
    """An option of a backend, written ``KEY=VALUE`` in a spec: a whole number, or one of several words.

    Args:
        summary: a line that describes it.
        minimum: the smallest number allowed.
        maximum: the largest number allowed.
        choices: the words allowed; an option with words accepts no number.
        is_text: whether any text is allowed.

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
    is_text: bool = False

    def parse(self, text: str) -> int | str:
        """Return the value of ``text``.

        Raises:
            ValueError: if ``text`` is not a whole number within the bounds, or not one of the words; the message says
                what was expected.
        """
        if self.is_text:
            return text
        if self.choices:
            if text not in self.choices:
                raise ValueError(f"one of {', '.join(self.choices)}")
            return text
        if not (text.isascii() and text.isdigit() and self.minimum <= int(text[:20]) <= self.maximum):
            raise ValueError(f"a whole number from {self.minimum} to {self.maximum}")
        return int(text)


PARAMETER = "param."
"""The key of an option that stands for all parameters of an engine: in a spec, the name of one follows it."""


def no_time() -> dict[Phase, float]:
    """Return zero seconds for each phase."""
    return dict.fromkeys(PHASES, 0.0)


class Clock:
    """The time spent in each phase of a run, in seconds; paused while the consumer holds a solution."""

    def __init__(self, on_switch: Callable[[], None] | None = None) -> None:
        self.seconds: dict[Phase, float] = no_time()
        self.phase: Phase = "solve"
        self.paused_at = 0.0  # the last call of `pause`, by `time.perf_counter`
        self._since: float | None = None
        self._on_switch = on_switch

    def switch(self, phase: Phase) -> None:
        """End the current phase, and start ``phase``."""
        if phase not in self.seconds:
            raise ContractError(f"unknown phase {phase!r}")
        running = self.pause()
        changed = phase != self.phase
        self.phase = phase
        if changed and self._on_switch is not None:
            self._on_switch()
        if running:
            self.resume()

    def resume(self, since: float | None = None) -> None:
        """Continue timing the current phase, by default from now on, unless it is being timed."""
        if self._since is None:
            self._since = time.perf_counter() if since is None else since

    def pause(self) -> bool:
        """Stop timing until `resume`; return whether the phase was being timed."""
        self.paused_at = time.perf_counter()
        if self._since is None:
            return False
        self.seconds[self.phase] += self.paused_at - self._since
        self._since = None
        return True


@dataclass
class Task:
    """A caller's request to a backend, and the place for results that are not solutions.

    Args:
        question: the question: the name of the backend's method that answers it.
        max_solutions_hint: the maximum number of solutions that the caller will take, as a hint; None means all.
        encoding: the encoding, for a backend that takes one.
        options: the parsed options of the spec; the backend knows its own defaults.
        stats: numbers and words about the run, set by the backend; see `crosslit.runs.wire.End` for their bounds.
        threads: number of threads that the backend computes on, up to 1024; set by a backend that uses several.
        trace: receives every step of a backend that supports it; with None, nothing else is done.
        clock: the time in each phase.
        target: for ``reveal``, the solution to make unique; None leaves the choice to the backend.
        candidates: for ``reveal`` the cells to choose from, for ``mus`` the constraints; None means all.
        bound: a proved lower bound on the presses of a solution, or the cells or constraints of an answer; see
            `improve_bound`.
        on_bound: called with every improved bound.
        memory_mb: memory limit of the run in 2^20 bytes; None if there is none.
        cores: number of processor cores that the run may use at once.
        on_progress: called now and then with the number of cells done and in total, by a backend that supports it.
        skip: number of solutions that ``batches`` omits at the start of their order.
        on_output: called with the output of a command as it arrives, by a backend that starts one: the stream,
            ``stdout`` or ``stderr``, and bytes.
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
    cores: int = 1
    on_progress: Callable[[int, int], None] = lambda _done, _of: None
    skip: int = 0
    on_output: Callable[[str, bytes], None] = lambda _stream, _data: None

    def improve_bound(self, presses: int) -> None:
        """Report a proved lower bound on the presses of every solution; ignored if it is no improvement.

        For other questions with a bound, it counts cells or constraints.

        Raises:
            ContractError: if the bound is not a whole number.
        """
        if not isinstance(presses, int):
            raise ContractError(f"a bound is a whole number, not {presses!r:.40}")
        if presses > self.bound:
            self.bound = presses
            self.on_bound(presses)

    @property
    def parameters(self) -> dict[str, str]:
        """The engine's own parameters among the options, for a backend with the option ``param.``."""
        return {key.removeprefix(PARAMETER): value for key, value in self.options.items() if key.startswith(PARAMETER)}

    def phase(self, name: Phase) -> None:
        """Start a phase of the run; a run begins in ``solve``."""
        self.clock.switch(name)

    def encode(self, puzzle: Puzzle) -> Any:
        """Return the formula of ``puzzle`` by the encoding of this task, made in phase ``encode``."""
        if self.encoding is None:
            raise ContractError("this backend needs an encoding, and the task has none")
        self.phase("encode")
        return self.encoding.encode(puzzle)
