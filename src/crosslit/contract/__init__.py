"""The contract between Crosslit and its plugins: a backend and its encodings, the questions, and the task of a run.

`puzzle` has the interface of a kind of puzzles. This package must not know any backend, encoding or question's answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, get_args

from crosslit.base.errors import ContractError as ContractError
from crosslit.base.errors import GaveUp as GaveUp
from crosslit.base.errors import Unavailable as Unavailable
from crosslit.base.grid import Grid, Layout
from crosslit.contract.certificate import Certificate as Certificate
from crosslit.contract.certificate import Certified as Certified
from crosslit.contract.certificate import CheckResult as CheckResult
from crosslit.contract.certificate import Claim as Claim
from crosslit.contract.certificate import UnreadableCertificate as UnreadableCertificate
from crosslit.contract.puzzle import Puzzle

FAULTY = "faulty"  # the group of engines that are known to give wrong answers: the group `all` leaves them out
UNKNOWN = "unknown"  # in the trusted base of a backend whose method is unknown: it is independent of no other
PARAMETER = "param."  # an option for all parameters of an engine: in a spec, the name of one follows it
# Targets of encodings, the richest first: a backend gets the default encoding of the first that it accepts.
TARGETS = ("cnf-xor", "cnf", "cp-sat", "fd", "linear-xor", "linear")
NO_PRESSES = "the encoding lacks variables for some presses, so it cannot count them"  # for which `fewest` gives up

QuestionName = str
Phase = Literal["encode", "load", "solve", "decode"]
PHASES: tuple[Phase, ...] = get_args(Phase)
Options = Mapping[str, Any]
"""The parsed options of a spec: whole numbers and words."""
Trace = Callable[..., None]
"""A function that receives the steps of a solver: a sentence, and by keyword what a page shows with it.

``cells`` is all that is known then, a grid with ``?``; ``line`` (rows first), ``cell``, ``light`` and ``press`` are the
numbers of those at hand; ``bad`` says that it is a contradiction.
"""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question that can be asked about a puzzle; a backend answers it by a method of its name."""

    name: QuestionName
    words: str  # the phrase that follows "a backend can"
    answer: Literal["grids", "number"] = "grids"  # what a backend yields one by one, or what it returns
    about_presses: bool = False  # whether only puzzles whose solutions are presses have it


SOLUTIONS = Question(name="solutions", words="find all solutions")
FEWEST = Question(name="fewest", words="find the fewest presses", about_presses=True)
COUNT = Question(name="count", words="count solutions", answer="number")
_MUS = Question(name="mus", words="find minimal unsatisfiable subsets")
QUESTIONS: Mapping[QuestionName, Question] = {question.name: question for question in (SOLUTIONS, FEWEST, COUNT, _MUS)}


def answer_layout(question: QuestionName, puzzle: Puzzle) -> Layout:
    """Return the form of the grids that answer a question: a solution, or for ``mus`` a bit for each constraint."""
    return Layout(*puzzle.constraints_shape) if question == _MUS.name else puzzle.layout


class Backend:
    """A solver: cheap to construct, importing its engine inside methods, without state between calls.

    A backend answers the questions whose methods it overrides, one or more. A method that yields frees its engine in
    ``finally``; by returning, it claims that it has finished, and it raises `GaveUp` to stop without that claim. A
    module registers a list of backends under the entry point group ``crosslit.backends``.
    """

    # Who it is.
    name: str  # in a spec: letters, digits and -
    summary: str  # a line for `crosslit backends`
    groups: frozenset[str] = frozenset()  # groups of specs that it belongs to, in addition to `all`
    # All that it relies on, except its encoding and the rule checker. By default it confirms no other backend: a set
    # that its author forgot must not make it independent.
    trusted_base: frozenset[str] = frozenset({UNKNOWN})

    # What it takes.
    kinds: frozenset[str] = frozenset()  # kinds of puzzles; empty for all, or with targets, all that have an encoding
    targets: frozenset[str] = frozenset()  # encoding targets; empty if it reads the puzzle itself
    options: ClassVar[Mapping[str, Option]] = {}  # options that a spec may set
    preload: tuple[str, ...] = ()  # modules to import before the clock starts: the engine, and those of its encoders
    seldom: tuple[str, ...] = ()  # those that few puzzles need, likewise, but not for `solve` and `enumerate`

    # How it answers.
    unordered: bool = False  # `batches` yields in any order
    certifies_at_limit: bool = False  # `certify` needs only some solutions, so a run that stopped at a limit suffices

    def version(self) -> str:
        """Return the engine's version without importing it, or raise `Unavailable` with the reason."""
        return ""

    def unsupported_reason(self, puzzle: Puzzle, options: Options) -> str | None:  # noqa: ARG002
        """Return why the puzzle is unsupported, or None; the time that this takes counts as time of the run."""
        return None

    def solutions(self, puzzle: Any, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions of a puzzle, each once."""
        raise NotImplementedError

    def batches(self, puzzle: Any, task: Task) -> Generator[bytes, None, None]:
        """Yield all solutions in ascending order of their one-line form, packed and concatenated, few at first."""
        raise NotImplementedError

    def count(self, puzzle: Any, task: Task) -> int:
        """Return the number of solutions."""
        raise NotImplementedError

    def fewest(self, puzzle: Any, task: Task) -> Generator[Grid, None, None]:
        """Yield solutions of ever fewer presses: the last has the fewest. Bounds go to ``task.improve_bound``."""
        raise NotImplementedError

    def mus(self, puzzle: Any, task: Task) -> Generator[Grid, None, None]:
        """Yield ever fewer contradicting constraints of ``task.candidates``, each necessary; see `answer_layout`.

        No answer means that they do not contradict each other. Lower bounds go to ``task.improve_bound``.
        """
        raise NotImplementedError

    def certify(self, puzzle: Any, task: Task, solutions: Sequence[Grid]) -> Certificate:
        """Return a certificate for the claim of a complete run of this backend, or raise `GaveUp`.

        It is called in a separate process after that run, with its task and all solutions that it found, each accepted
        by the rules. The certificate is a claim like any other until `crosslit.judging.certificates` accepts it.
        """
        raise NotImplementedError

    def answers(self, method: str) -> bool:
        """Return whether it has this method for a question, ``batches`` or ``certify`` itself."""
        own = getattr(type(self), method, None)
        return callable(own) and own is not getattr(Backend, method, None)


def why_dependent(one: Set[str], other: Set[str]) -> str:
    """Return why two backends with these trusted bases are not independent; an empty text if they are."""
    if UNKNOWN in one | other:
        return "the method of a backend is unknown"
    shared = sorted(one & other)
    return f"both rest on {', '.join(shared)}" if shared else ""


@dataclass(frozen=True)
class Option:
    """An option of a backend, written ``KEY=VALUE`` in a spec: a whole number, one of several words, or any text."""

    summary: str  # a line that describes it
    minimum: int = 0
    maximum: int = 0
    choices: tuple[str, ...] = ()
    is_text: bool = False

    def parse(self, text: str) -> int | str:
        """Return the value of ``text``; a ValueError says what was expected."""
        if self.is_text or text in self.choices:
            return text
        if self.choices:
            raise ValueError(f"one of {', '.join(self.choices)}")
        if not (text.isascii() and text.isdigit() and self.minimum <= float(text) <= self.maximum):
            raise ValueError(f"a whole number from {self.minimum} to {self.maximum}")
        return int(text)


def no_time() -> dict[Phase, float]:
    """Return zero seconds for each phase."""
    return dict.fromkeys(PHASES, 0.0)


class Clock:
    """The time spent in each phase of a run, in seconds; paused while the consumer holds a solution."""

    def __init__(self, on_switch: Callable[[], None] = lambda: None) -> None:
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
        if changed:
            self._on_switch()
        if running:
            self.resume(self.paused_at)  # the note costs microseconds, which a run of many phases would miss

    def resume(self, since: float | None = None) -> None:
        """Continue timing the current phase, by default from now on, unless it is being timed."""
        if self._since is None:
            self._since = time.perf_counter() if since is None else since

    def pause(self) -> bool:
        """Stop timing until `resume`; return whether the phase was being timed."""
        self.paused_at = time.perf_counter()
        since, self._since = self._since, None
        if since is not None:
            self.seconds[self.phase] += self.paused_at - since
        return since is not None


@dataclass
class Task:
    """A caller's request to a backend, and the place for results that are not solutions."""

    question: QuestionName = "solutions"  # the name of the backend's method that answers it
    max_solutions_hint: int | None = None  # the maximum number of solutions that the caller will take; None for all
    encoding: Encoding | None = None  # for a backend that takes one
    options: Options = field(default_factory=dict)  # those of the spec; the backend knows its own defaults
    stats: dict[str, int | float | str] = field(default_factory=dict)  # numbers and words about the run, by the backend
    threads: int = 1  # that the backend computes on, up to 1024; set by a backend that uses several
    trace: Trace | None = None  # receives every step of a backend that supports it
    clock: Clock = field(default_factory=Clock)  # the time in each phase
    candidates: Grid | None = None  # for ``mus``, the constraints to choose from; None for all
    bound: int = 0  # a proved lower bound on the presses of a solution, or the constraints of an answer
    on_bound: Callable[[int], None] = lambda _: None  # called with every improved bound
    memory_mb: int | None = None  # memory limit of the run in 2^20 bytes; None if there is none
    cores: int = 1  # number of processor cores that the run may use at once
    on_progress: Callable[[int, int], None] = lambda _done, _of: None  # called with the cells done and in total

    def improve_bound(self, presses: int) -> None:
        """Report a proved lower bound on the presses (for ``mus``, constraints) of every solution."""
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


@dataclass(frozen=True)
class Encoding:
    """A pure function from a puzzle to a formula, whose cells determine all its variables; and its description."""

    name: str  # in a spec, such as ``order``; unique for a kind and a target
    kind: str  # the kind of puzzles that it encodes, such as ``nonogram``
    # ``cnf`` or ``cnf-xor`` (`crosslit_encoders.formula.Formula`), ``cp-sat`` (`crosslit_encoders.cp_model.CpFormula`),
    # or a `crosslit_encoders.finite_domain.Model`: ``fd``, with linear and parity constraints only ``linear-xor``, with
    # linear ones only ``linear``
    target: str
    encode: Callable[[Any], Any]
    trusted_base: frozenset[str]  # all on which its correctness rests; runs that share an entry are not independent
    summary: str  # a line that describes it
    default: bool = False  # whether a spec that names no encoding uses this one, for its kind and target
    # Questions for which it is used instead of that one, such as ``solutions``: an encoding of some of the cells may be
    # faster, but cannot answer questions about the others.
    default_for: frozenset[str] = frozenset()
    # Returns why an engine may take minutes on a puzzle where other puzzles take seconds, or None; cheap. A group or a
    # wildcard of backends then leaves it out; a spec that names the engine does not.
    hard_reason: Callable[[Any], str | None] | None = None


class Encoded(Protocol):
    """The common interface of formulas; backends that accept a target know more about its formulas."""

    @property
    def sizes(self) -> Mapping[str, int]:
        """Its numbers of ``variables``, and of the other parts of its target: clauses, literals, xors, constraints."""

    def written(self, comments: Sequence[str], binary: bool) -> Iterator[bytes]:
        """Yield the formula in its target's file format, with comments; a ValueError says that it has none."""

    def answer(self, lines: Iterable[str]) -> tuple[str | None, Grid | None, str | None]:
        """Return the status, solution and first broken constraint in a solver's output; `UnreadableModel` if none.

        The output is a text or its lines. The status is ``satisfiable``, ``unsatisfiable``, ``unknown`` or None. CP-SAT
        models have no such method.
        """
