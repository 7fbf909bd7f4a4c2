"""Send variants to an engine, and reduce those on which it is wrong."""

from __future__ import annotations

import contextlib
import functools
import json
import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

from crosslit.errors import InputError
from crosslit_verify.backend_command import interpreter
from crosslit_verify.channel import NoAnswer
from crosslit_verify.commands import PersistentCommand
from crosslit_verify.variants.engines import CONFIRMING, ENGINES
from crosslit_verify.variants.judging import answer, check, judge
from crosslit_verify.variants.model import Model, Wrong
from crosslit_verify.variants.numeric import Unclear
from crosslit_verify.variants.reduction import refuting_model, smaller_cases
from crosslit_verify.variants.scripts import Engine
from crosslit_verify.variants.techniques import TECHNIQUES, Case, build, techniques_of

REDUCE_SECONDS = 30.0  # for leaving out parts of a failing model
HARD_EFFORT = 2000  # conflicts or simplex iterations
_START_SECONDS = 60.0  # the first import of an engine compiles its modules


class EngineProcess(PersistentCommand):
    """An engine in a guarded process of an interpreter, which may be that of another environment."""

    def __init__(self, engine: Engine, python: str = "", timeout: float = 10.0, memory_mb: int = 2048) -> None:
        runner = str(Path(__file__).with_name("run.py"))
        super().__init__([interpreter(python), "-P", runner], timeout=timeout, memory_mb=memory_mb)
        self.engine = engine
        found = self.execute(
            f"import {engine.package}\nfrom importlib.metadata import packages_distributions as of, version\n"
            f"name = of()[{engine.package!r}][0]\nanswers = [f'{{name}} {{version(name)}}']",
            _START_SECONDS,
        )
        if isinstance(found, str):
            self.close()
            raise InputError(engine.package, f"cannot be imported by {self.words[0]}: {found}")
        self.version = str(found[0])

    def execute(self, source: str, seconds: float | None = None) -> list[Any] | str:
        """Return the answers that a script leaves, or why there are none."""
        try:
            if not self._channel.running:
                self._channel.start()
            line = self._channel.line(json.dumps(source).encode() + b"\n", seconds or self.timeout)
        except NoAnswer as error:
            self._channel.kill()
            return f"{error.failure.problem}: {error.failure.detail}"
        answers: list[Any] | str = json.loads(line)
        return answers

    def solve(self, model: Model) -> list[Any] | str:
        """Return the raw answers to the steps of a model, or why there are none."""
        return self.execute(self.engine.source(model))


@dataclass(frozen=True)
class VariantFailure:
    """A wrong answer of an engine, on the smallest model found."""

    wrong: Wrong
    case: Case  # the reduced model
    number: int  # number of the case it was found in
    group: str  # what failures with the same cause probably share: the most specific option that cures them
    confirmed: str  # the engine that confirms it, besides exact arithmetic; empty if none does
    cures: tuple[str, ...]  # options of the engine that remove the failure, each by itself
    script: str  # shows it in Python, and needs only the engine
    export: str  # the model in the engine's own language; empty if the engine cannot write it

    @property
    def techniques(self) -> list[str]:
        """The techniques of which none can be left out."""
        return sorted(self.case.techniques)

    def text(self) -> str:
        """Return the failure as text."""
        model = self.case.model
        sizes = f"{len(model.variables)} variables, {len(model.all_constraints())} constraints"
        settings = "".join(f", {name}={value}" for name, value in model.options)
        return "\n".join(
            [
                f"{self.wrong.problem}: {self.wrong.detail}",
                f"  puzzle     {self.case.puzzle} (case {self.number:,})",
                f"  techniques {', '.join(self.techniques) or 'none'}; without any of them it does not fail",
                f"  model      {sizes}, step {self.wrong.step + 1} of {len(model.steps)}{settings}",
                f"  cured by   {', '.join(self.cures) or 'no option of the allow-list'}",
                f"  confirmed  by {self.confirmed} and exact arithmetic" if self.confirmed else "  not confirmed",
            ]
        )

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "problem": self.wrong.problem,
            "group": self.group,
            "detail": self.wrong.detail,
            "puzzle": {"text": self.case.puzzle},
            "case": self.number,
            "techniques": self.techniques,
            "options": dict(self.case.model.options),
            "cures": list(self.cures),
            "confirmed": self.confirmed,
        }


@dataclass
class VariantSession:
    """A verification of an engine with variants; a context manager."""

    name: str  # the engine, one of `ENGINES`
    python: str = ""  # interpreter, or folder of an environment, that has the engine
    techniques: Sequence[str] = tuple(TECHNIQUES)
    seed: int = 0
    kind: str | None = None  # only puzzles of this kind
    is_hard: bool = False  # large puzzles, of which one solution is known, instead of small ones
    timeout: float = 10.0  # seconds for all steps of a model
    memory_mb: int = 2048
    failures: list[VariantFailure] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if self.name not in ENGINES:
            raise InputError(self.name, f"no variants for this engine; choose from: {', '.join(ENGINES)}")
        self.engine = ENGINES[self.name]
        self._process = EngineProcess(self.engine, self.python, self.timeout, self.memory_mb)
        self._others: dict[str, EngineProcess] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in (self._process, *self._others.values()):
            process.close()

    @property
    def version(self) -> str:
        """The package of the engine and its version."""
        return self._process.version

    @property
    def passed(self) -> bool:
        """True if answers were judged, and none is wrong."""
        return not self.counts["wrong"] and self.counts["judged"] > 0

    def run(
        self,
        seconds: float = math.inf,
        cases: float = math.inf,
        keep_going: bool = False,
        show: Callable[[VariantSession], None] = lambda _: None,
    ) -> None:
        """Send cases until the time or their number is over, or the first confirmed failure."""
        began = time.monotonic()
        while self.counts["cases"] < cases and self.seconds < seconds and (keep_going or not self.counts["wrong"]):
            self.counts["cases"] += 1
            self.send(self.counts["cases"])
            self.seconds = time.monotonic() - began
            show(self)

    def send(self, number: int) -> None:
        """Send a case; store its failure if it is the first of its group."""
        try:
            case = self._build(number, techniques_of(self.seed, number, self.techniques))
        except Unclear:
            self.counts["unclear"] += 1
            return
        answers = self._process.solve(case.model)
        if isinstance(answers, str):
            self.counts[answers.partition(":")[0]] += 1
        else:
            self.counts["judged"] += 1
            self.counts["undecided"] += any(not answer(raw, case.model)[0] for raw in answers)
            self.counts["hard"] += any(raw[3] > HARD_EFFORT for raw in answers)
        if wrong := self._judged(case, answers):
            failure = self._failure(number, case, wrong)
            self.counts["wrong" if failure.confirmed else "not confirmed"] += 1
            if (failure.group, failure.confirmed) not in {(known.group, known.confirmed) for known in self.failures}:
                self.failures.append(failure)

    def _failure(self, number: int, case: Case, wrong: Wrong) -> VariantFailure:
        """Return the failure of a case, or the first one of the same group."""
        original, case = case, self._reduced(case, wrong, functools.partial(self._simpler, number))
        cures = self._cures(case, wrong)
        is_named = cures and wrong.problem != "crash"
        group = f"cured by {cures[-1]}" if is_named else f"{wrong.problem} with {' + '.join(sorted(case.techniques))}"
        for known in self.failures:
            if known.group == group and (known.confirmed or wrong.problem == "crash"):
                return known
        case = self._reduced(case, wrong, smaller_cases)
        found = self._judged(case, self._process.solve(case.model))
        if found is None or found.problem != wrong.problem:  # it does not recur
            case, found = original, wrong
        confirmed, source = self._confirm(case.model, found), self.engine.report(case.model, found)
        return VariantFailure(found, case, number, group, confirmed, cures, source, self._export(case.model))

    def _build(self, number: int, techniques: frozenset[str]) -> Case:
        engine = self.engine
        largest = engine.hard_size if self.is_hard else 0
        case = build(self.seed, number, techniques, engine.accepts, engine.options, self.kind, largest)
        check(case)
        return case

    def _judged(self, case: Case, answers: list[Any] | str) -> Wrong | None:
        if isinstance(answers, str):
            problem, _, detail = answers.partition(": ")
            return Wrong(problem, 0, detail) if problem == "crash" else None
        return judge(self.engine, case, answers)

    def _fails(self, case: Case, wrong: Wrong) -> bool:
        found = self._judged(case, self._process.solve(case.model))
        return found is not None and found.problem == wrong.problem

    def _reduced(self, case: Case, wrong: Wrong, smaller: Callable[[Case], Iterable[Case]]) -> Case:
        """Return a case that fails in the same way, of which no smaller one does, as far as the time allows."""
        until = time.monotonic() + REDUCE_SECONDS
        while time.monotonic() < until:
            failing = (one for one in smaller(case) if time.monotonic() < until and self._fails(one, wrong))
            if (found := next(failing, None)) is None:
                break
            case = found
        return case

    def _simpler(self, number: int, case: Case) -> Iterator[Case]:
        """Yield the case without one of its techniques."""
        for technique in sorted(case.techniques):
            with contextlib.suppress(Unclear):
                yield self._build(number, case.techniques - {technique})

    def _confirm(self, model: Model, wrong: Wrong) -> str:
        """Return the name and version of another engine that refutes the wrong answer; empty if none does."""
        for name in CONFIRMING if wrong.point else ():
            other = ENGINES[name]
            refuting = refuting_model(model, wrong, other.accepts)
            is_same = other.lineage == self.engine.lineage != "" or name == self.name
            if is_same or refuting is None or find_spec(other.package) is None:
                continue
            if name not in self._others:
                self._others[name] = EngineProcess(other)
            answers = self._others[name].solve(refuting)
            if isinstance(answers, str):
                continue
            claim, point, _ = answer(answers[0], refuting)
            is_feasible = point is not None and not refuting.broken(point, 0, other.tolerance)
            if is_feasible if wrong.problem != "broken-point" else claim == "infeasible":
                return self._others[name].version
        return ""

    def _cures(self, case: Case, wrong: Wrong) -> tuple[str, ...]:
        """Return the options that remove the failure, each by itself."""
        cures = []
        for name, values in self.engine.options.items():
            options = tuple(pair for pair in case.model.options if pair[0] != name)
            for value in values:
                cured = replace(case, model=replace(case.model, options=(*options, (name, value))))
                is_other = self.engine.source(cured.model) != self.engine.source(case.model)
                if is_other and not self._fails(cured, wrong):
                    cures.append(f"{name}={value}")
        return tuple(cures)

    def _export(self, model: Model) -> str:
        """Return the model in the engine's own language; empty if the engine cannot write it."""
        line, suffix = self.engine.export
        if not line:
            return ""
        path = f"import os, tempfile\npath = os.path.join(tempfile.mkdtemp(), 'model.{suffix}')"
        answers = self._process.execute(f"{path}\n{self.engine.source(model)}\n{line}\nanswers = [open(path).read()]")
        return answers[0] if isinstance(answers, list) else ""
