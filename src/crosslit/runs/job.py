"""The description of a run: a backend, a puzzle, and what is asked of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from crosslit.base.grid import Grid, Layout
from crosslit.contract import QUESTIONS, Backend, QuestionName, Task, answer_layout
from crosslit.contract.registered import ENCODERS, HOMES, Choice
from crosslit.contract.run import Limits, Run, RunStatus
from crosslit.kinds import Puzzle

ENCODER_MODULE = HOMES[ENCODERS]  # of servers for runs with an encoding, which load them all
CHECKER = ("crosslit.judging.certificates",)  # the modules of the server for checks, which loads no plugin


@dataclass(frozen=True, kw_only=True)
class Solve:
    """A request to a backend to answer a question; `crosslit.contract.Task` describes the other fields."""

    question: QuestionName = "solutions"
    hint: int | None = None  # number of solutions, which must not change the backend's claims; by default the limit
    candidates: Grid | None = None
    batched: bool = False  # answer with `batches` if the backend has them


@dataclass(frozen=True)
class Certify:
    """A request to a backend to write a certificate of these solutions."""

    solutions: Sequence[Grid]


@dataclass(frozen=True)
class CheckCertificate:
    """A request to check the text of a certificate, without a backend."""

    text: str


Request = Solve | Certify | CheckCertificate


@dataclass(frozen=True, kw_only=True)
class Job:
    """The description of one run."""

    choice: Choice | None  # None only for the check of a certificate
    puzzle: Puzzle
    request: Request = Solve()
    limits: Limits | None = None  # by default those of the runner
    repetition: int = 0  # from 0
    python: str = ""  # interpreter of another environment with the same Crosslit; empty for this one

    def __post_init__(self) -> None:
        if (self.choice is None) != isinstance(self.request, CheckCertificate):
            raise ValueError("a job has a backend, unless it checks a certificate")

    @property
    def spec(self) -> str:
        """Spec of the backend; ``check`` for the check of a certificate."""
        return self.choice.spec if self.choice else "check"

    @property
    def backend(self) -> Backend:
        """The backend of a job that has one."""
        assert self.choice is not None
        return self.choice.backend

    @property
    def question(self) -> QuestionName | None:
        """The question to answer, if there is one."""
        return self.request.question if isinstance(self.request, Solve) else None

    @property
    def refusal(self) -> str | None:
        """Why the backend does not support the puzzle."""
        return self.choice.refusal if self.choice else None

    def modules(self, once: bool = False) -> tuple[str, ...]:
        """Return the modules that its fork server loads; for only one run, without those that few puzzles need."""
        if self.choice is None:
            return CHECKER
        always = self.backend.preload + ((ENCODER_MODULE,) if self.choice.encoding else ())
        # They take half of the processor time of `solve` for a small nonogram.
        return always if once else always + self.backend.seldom

    def blank(self, status: RunStatus = "error", error: str = "") -> Run:
        """Return its run, without results."""
        run = Run(self.spec, status=status, error=error, repetition=self.repetition)
        if (choice := self.choice) is not None:
            run.encoding = choice.encoding.name if choice.encoding else ""
            run.version, run.trusted_base = choice.version, choice.trusted_base
        return run

    def task(self, limits: Limits, **reports: Any) -> Task:
        """Return the task for its backend, with the clock, the cores and the functions for reports."""
        request = self.request if isinstance(self.request, Solve) else Solve()
        return Task(
            question=request.question,
            max_solutions_hint=limits.solutions if request.hint is None else request.hint,
            encoding=self.choice.encoding if self.choice else None,
            options=self.choice.options if self.choice else {},
            candidates=request.candidates,
            memory_mb=limits.memory_mb,
            **reports,
        )

    @cached_property
    def layout(self) -> Layout | None:
        """The form of the grids that answer it; None if the answer is not grids."""
        question = self.question and QUESTIONS[self.question]
        return answer_layout(question.name, self.puzzle) if question and question.answer == "grids" else None
