"""Send variants to an engine, and reduce those on which it is wrong."""

from __future__ import annotations

import contextlib
import json
import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

from crosslit.errors import InputError
from crosslit_verify.backend_command import interpreter
from crosslit_verify.channel import NoAnswer
from crosslit_verify.commands import PersistentCommand
from crosslit_verify.variants.engines import CONFIRMING, ENGINES, Engine, answer
from crosslit_verify.variants.judging import Wrong, check, judge
from crosslit_verify.variants.model import Model
from crosslit_verify.variants.numeric import Unclear
from crosslit_verify.variants.reduction import refuting_model, script, smaller_cases
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
        package = engine.package
        self.version = self._version(
            f"import {package}\nfrom importlib.metadata import packages_distributions as of, version\n"
            f"name = of()[{package!r}][0]\nanswers = [f'{{name}} {{version(name)}}']"
        )

    def _version(self, source: str) -> str:
        found = self.execute(source, _START_SECONDS)
        if isinstance(found, str):
            self.close()
            raise InputError(self.engine.package, f"cannot be imported by {self.words[0]}: {found}")
        return str(found[0])

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
    """A wrong answer of an engine, on the smallest model found.

    Args:
        wrong: what is wrong.
        case: the reduced model.
        number: number of the case it was found in.
        confirmed: the engine that confirms it, besides exact arithmetic; empty if none does.
        script: a Python script that shows it and needs only the engine.
        export: the model in the engine's own language; empty if the engine cannot write it.
    """

    wrong: Wrong
    case: Case
    number: int
    confirmed: str
    script: str
    export: str

    @property
    def techniques(self) -> list[str]:
        """The techniques of which none can be left out."""
        return sorted(self.case.techniques)

    @property
    def group(self) -> str:
        """A name that failures with the same cause probably share."""
        return f"{self.wrong.problem} with {' + '.join(self.techniques) or 'the plain model'}"

    def text(self) -> str:
        """Return the failure as text."""
        model = self.case.model
        sizes = f"{len(model.variables)} variables, {len([*model.all_constraints()])} constraints"
        settings = "".join(f", {name}={value}" for name, value in model.options)
        return "\n".join(
            [
                f"{self.wrong.problem}: {self.wrong.detail}",
                f"  puzzle     {self.case.puzzle} (case {self.number:,})",
                f"  techniques {', '.join(self.techniques) or 'none'}; without any of them it does not fail",
                f"  model      {sizes}, step {self.wrong.step + 1} of {len(model.steps)}{settings}",
                f"  confirmed  by {self.confirmed} and exact arithmetic" if self.confirmed else "  not confirmed",
            ]
        )

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "problem": self.wrong.problem,
            "detail": self.wrong.detail,
            "puzzle": self.case.puzzle,
            "case": self.number,
            "techniques": self.techniques,
            "options": dict(self.case.model.options),
            "confirmed": self.confirmed,
        }


@dataclass
class VariantSession:
    """A verification of an engine with variants; a context manager.

    Args:
        name: the engine, one of `ENGINES`.
        python: interpreter, or folder of an environment, that has the engine; empty for this interpreter.
        techniques: the techniques that may be drawn.
        seed: seed of the cases.
        kind: only puzzles of this kind.
        is_hard: whether to send large puzzles, of which one solution is known, instead of small ones.
        timeout: seconds for all steps of a model.
        memory_mb: resident memory of the engine, in 2^20 bytes.
    """

    name: str
    python: str = ""
    techniques: Sequence[str] = tuple(TECHNIQUES)
    seed: int = 0
    kind: str | None = None
    is_hard: bool = False
    timeout: float = 10.0
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
        """Send a case, and store its failure if it is the first of its group."""
        try:
            case = self._build(number, techniques_of(self.seed, number, self.techniques))
        except Unclear:
            self.counts["unclear"] += 1
            return
        wrong = self._wrong(case)
        self.counts["judged"] += 1
        if wrong is None:
            return
        simpler = self._without_techniques(number, case, wrong)
        reduced = self._reduced(simpler, wrong)
        found = self._wrong(reduced)
        if found is None or found.problem != wrong.problem:  # it does not recur
            reduced, found = case, wrong
        confirmed = self._confirm(reduced.model, found)
        self.counts["wrong" if confirmed else "not confirmed"] += 1
        source = script(self.engine, reduced.model, found)
        failure = VariantFailure(found, reduced, number, confirmed, source, self._export(reduced.model))
        if (failure.group, bool(confirmed)) not in {(other.group, bool(other.confirmed)) for other in self.failures}:
            self.failures.append(failure)

    def _build(self, number: int, techniques: frozenset[str]) -> Case:
        engine = self.engine
        case = build(self.seed, number, techniques, engine.accepts, engine.options, self.kind, self.is_hard)
        check(case)
        return case

    def _wrong(self, case: Case) -> Wrong | None:
        answers = self._process.solve(case.model)
        if isinstance(answers, str):
            problem = answers.partition(":")[0]
            self.counts[problem] += 1
            return Wrong(problem, 0, answers) if problem == "crash" else None
        self.counts["undecided"] += any(not answer(raw, case.model)[0] for raw in answers)
        self.counts["hard"] += any(raw[3] > HARD_EFFORT for raw in answers)
        return judge(self.engine, case, answers)

    def _fails(self, case: Case, wrong: Wrong) -> bool:
        found = self._wrong(case)
        return found is not None and found.problem == wrong.problem

    def _without_techniques(self, number: int, case: Case, wrong: Wrong) -> Case:
        """Return the case with as few techniques as possible that fails in the same way."""
        for technique in sorted(case.techniques):
            with contextlib.suppress(Unclear):
                simpler = self._build(number, case.techniques - {technique})
                if self._fails(simpler, wrong):
                    case = simpler
        return case

    def _reduced(self, case: Case, wrong: Wrong) -> Case:
        """Return a case with as few steps, options, constraints and variables as possible that fails in this way."""
        until = time.monotonic() + REDUCE_SECONDS
        while time.monotonic() < until:
            for smaller in smaller_cases(case):
                if self._fails(smaller, wrong):
                    case = smaller
                    break
                if time.monotonic() > until:
                    return case
            else:
                break
        return case

    def _confirm(self, model: Model, wrong: Wrong) -> str:
        """Return the name and version of another engine that refutes the wrong answer; empty if none does."""
        for name in CONFIRMING if wrong.point else ():
            other = ENGINES[name]
            refuting = refuting_model(model, wrong, other.accepts)
            if other.lineage == self.engine.lineage != "" or name == self.name or refuting is None:
                continue
            if find_spec(other.package) is None:
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

    def _export(self, model: Model) -> str:
        """Return the model in the engine's own language; empty if the engine cannot write it."""
        line, suffix = self.engine.export
        if not line:
            return ""
        source = self.engine.source(model).replace("\n", "\n", 1)
        with_path = (
            f"import tempfile, os\npath = os.path.join(tempfile.mkdtemp(), 'model.{suffix}')\n{source}\n{line}\n"
        )
        answers = self._process.execute(f"{with_path}answers = [open(path).read()]")
        return answers[0] if isinstance(answers, list) else ""
