"""Send variants to an engine, and reduce those on which it is wrong."""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import secrets
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from typing import Any, Self

from crosslit_backends.programs.protocol import SolverFailure

from crosslit.base.errors import InputError
from crosslit.contract.family import seeded
from crosslit.runs import open_executor
from crosslit.runs.workers import Executor, in_order
from crosslit_verify.backend_command import interpreter
from crosslit_verify.channel import NoAnswer
from crosslit_verify.commands import PersistentCommand
from crosslit_verify.variants.engines import CONFIRMING, DISTRIBUTIONS, ENGINES
from crosslit_verify.variants.files import FileEngine
from crosslit_verify.variants.forms import Unclear
from crosslit_verify.variants.judging import (
    NO_ENGINE,
    VariantFailure,
    VariantVerification,
    answer,
    check,
    improved,
    judge,
)
from crosslit_verify.variants.model import Variant, VariantModel, Wrong
from crosslit_verify.variants.pairs import paired
from crosslit_verify.variants.parameters import LISTINGS, common_parameters
from crosslit_verify.variants.scripted import ScriptedEngine
from crosslit_verify.variants.techniques import (
    TECHNIQUES,
    build,
    refuting_model,
    smaller_cases,
    techniques_of,
    usable,
)

_OF_MODEL = {"broken-point", "wrong-infeasible"}  # that another model than ours would explain
REDUCE_SECONDS = 30.0  # for leaving out parts of a failing model
HARD_EFFORT = 2000  # conflicts or simplex iterations
_BLOCK = 8  # cases of a task of a worker, if they are not hard
_START_SECONDS = 60.0  # the first import of an engine compiles its modules


class EngineProcess(PersistentCommand):
    """An engine in a guarded process of an interpreter, which may be that of another environment."""

    def __init__(self, engine: ScriptedEngine, python: str = "", timeout: float = 10.0, memory_mb: int = 2048) -> None:
        runner = str(Path(__file__).with_name("run.py"))
        self._folder = Path(tempfile.gettempdir(), f"crosslit-{secrets.token_hex(8)}")
        super().__init__([interpreter(python), "-P", runner, str(self._folder)], timeout=timeout, memory_mb=memory_mb)
        self.engine = engine
        found = self.execute(engine.identity, _START_SECONDS)
        if isinstance(found, str):
            self.close()
            needed = (
                f"variants use it: {self.words[0]} -m pip install {DISTRIBUTIONS.get(engine.package, engine.package)}"
            )
            raise InputError(engine.package, f"cannot be imported by {self.words[0]}: {found}; {needed}")
        self.version = str(found[0])

    def close(self) -> SolverFailure | None:
        """End the process, and remove the files of scripts that were killed."""
        try:
            return super().close()
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def execute(self, source: str, seconds: float | None = None) -> list[Any] | str:
        """Return the answers that a script leaves, or why there are none."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        try:
            answers: list[Any] | str = self.exchange(source, seconds or self.timeout)
        except NoAnswer as error:
            return f"{error.failure.problem}: {error.failure.detail}"
        return answers

    def solve(self, model: VariantModel) -> list[Any] | str:
        """Return the raw answers to the steps of a model, or why there are none."""
        return self.engine.answers(model, self.execute(self.engine.source(model)))


@dataclass(frozen=True)
class VariantSettings:
    """The settings of a verification with variants."""

    engine: str  # one of `ENGINES`, or the name of a command
    command: tuple[str, ...] = ()  # its words
    python: str = ""  # interpreter, or folder of an environment, that has the engine
    against: str = ""  # that of another version, to compare it with
    techniques: Sequence[str] = tuple(TECHNIQUES)
    seed: int = 0
    kind: str | None = None  # only puzzles of this kind
    is_hard: bool = False  # large puzzles, of which one solution is known, instead of small ones
    timeout: float = 10.0  # seconds for all steps of a model
    memory_mb: int = 2048
    cases: int | None = None  # maximum number of cases
    seconds: float | None = None  # maximum wall time
    keep_going: bool = False  # continue after a confirmed failure


class VariantSession:
    """A verification of an engine, or of two versions of it; a context manager."""

    executor: Executor | None = None  # whose workers ask about the cases

    def __init__(self, settings: VariantSettings, on_case: Callable[[VariantSession], None] = lambda _: None) -> None:
        if settings.command and (settings.python or settings.against):
            raise InputError("--variants", "a command has no --python or --against")
        if settings.engine not in ENGINES and not settings.command:
            known = f"choose from: {', '.join(ENGINES)}, or a solver command"
            raise InputError(settings.engine, f"no variants for this engine; {known}")
        own = FileEngine.of(settings.engine, settings.command) if settings.command else ENGINES[settings.engine]
        self.settings, self.engine = settings, own
        tables = {"options": own.options, "parameters": None if settings.command else LISTINGS.get(settings.engine)}
        self.techniques = usable(settings.techniques, own.accepts, tables)
        if not self.techniques:
            raise InputError("--variants", f"no model of {settings.engine} has {', '.join(settings.techniques)}")
        environments = [settings.python, *filter(None, [settings.against])]
        self._processes = [
            EngineProcess(self.engine, python, settings.timeout, settings.memory_mb) for python in environments
        ]
        self._parameters: dict[str, list[Any]] = {}
        if "parameters" in self.techniques:
            executes = [process.execute for process in self._processes]
            self._parameters = common_parameters(settings.engine, own.options, executes)
        self._others: dict[str, EngineProcess] = {}  # those that confirm failures
        self.failures: list[VariantFailure] = []
        self.counts: Counter[str] = Counter()
        self.error = ""  # the first exception, such as of a version with another interface
        self._on_case, self._began = on_case, time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in (*self._processes, *self._others.values()):
            process.close()

    @property
    def seconds(self) -> float:
        """Elapsed wall time."""
        return time.monotonic() - self._began

    @property
    def is_over(self) -> bool:
        """True if the time is over."""
        return self.seconds >= (self.settings.seconds or math.inf)

    def run(self) -> VariantVerification:
        """Ask about cases until the time or their number is over, or the first confirmed failure, or an interrupt."""
        self._began, interrupted = time.monotonic(), False
        try:
            with contextlib.closing(self._asked()) as asked:
                for number, counts, wrong in asked:
                    self.counts.update(counts)
                    if not self.error and any(name.endswith(("Error", "Exception", "unreadable")) for name in counts):
                        self.error = self._error(number)
                    if wrong is not None:
                        self._settle(number, wrong)
                    self._on_case(self)
                    if self.is_over or (self.counts["wrong"] and not self.settings.keep_going):
                        break
        except InputError:  # such as a scheduler that is gone
            if not self.failures:
                raise
        except KeyboardInterrupt:
            interrupted = True
        confirmed = tuple(failure for failure in self.failures if failure.confirmed)
        others = tuple(failure for failure in self.failures if not failure.confirmed)
        versions = ", against ".join(process.version for process in self._processes)
        suite = f"variants.{self.settings.engine}"
        own = (self.settings.seed, self.techniques)
        return VariantVerification(
            confirmed, others, self.counts, self.seconds, versions, interrupted, suite, *own, self.error
        )

    def _asked(self) -> Generator[tuple[int, Counter[str], Wrong | None], None, None]:
        """Yield the number of each case in order, with what `ask` returns."""
        last = self.settings.cases
        numbers = iter(itertools.count(1) if last is None else range(1, last + 1))
        if self.executor is None:
            yield from map(self.ask, numbers)
            return
        size = 1 if self.settings.is_hard else _BLOCK
        blocks = enumerate(iter(lambda: [*itertools.islice(numbers, size)], []))
        with contextlib.closing(self.executor.results(blocks)) as results:
            for (_, block), found, _lost in in_order(results, {}):
                yield from found or ((number, Counter(cases=1, lost=1), None) for number in block)

    def ask(self, number: int) -> tuple[int, Counter[str], Wrong | None]:
        """Ask about a case; return its number, the counts that it adds to, and what is wrong with the answers."""
        try:
            case = self._build(number, techniques_of(self.settings.seed, number, self.settings.techniques))
        except Unclear:
            return number, Counter(cases=1, unclear=1), None
        answers = self._processes[0].solve(case.model)
        if isinstance(answers, str):
            counts = Counter({"cases": 1, answers.partition(":")[0]: 1})
        else:
            undecided = any(not answer(raw, case.model)[0] for raw in answers)
            hard = any(raw[3] > HARD_EFFORT for raw in answers)
            counts = Counter(cases=1, judged=1, undecided=int(undecided), hard=int(hard))
        return number, counts, self._judged(case, answers)

    def _build(self, number: int, techniques: frozenset[str]) -> Variant:
        settings, engine = self.settings, self.engine
        largest = engine.hard_size if settings.is_hard else 0
        own = settings.seed, number
        rest: Any = engine.accepts, engine.options, settings.kind, largest, self._parameters
        case = build(*own, techniques, *rest)
        if case.is_planted and "pair" in techniques:
            other = build(*own, techniques - {"pair"}, *rest)
            other = improved(other, self._processes[0].solve(other.model))
            case = replace(case, witnesses=paired(seeded("pair", *own), other, engine.accepts).witnesses)
        check(case)
        return case

    def _error(self, number: int) -> str:
        """Return the text of the exception of a case, which the worker that asked about it has not sent."""
        case = self._build(number, techniques_of(self.settings.seed, number, self.settings.techniques))
        answers = self._processes[0].solve(case.model)
        return answers if isinstance(answers, str) else ""

    def _judged(self, case: Variant, answers: list[Any] | str | None = None) -> Wrong | None:
        """Return what is wrong with the answers of the engine; or, if they are right, with those of the other one."""
        first = self._wrong(case, self._processes[0].solve(case.model) if answers is None else answers)
        if not self.settings.against:
            return first
        second = self._wrong(case, self._processes[1].solve(case.model))
        found = first or second
        if found is None or (first and second):
            return found and found._replace(detail=f"{found.detail}; wrong in both versions")
        wrong, right = self._processes if first else reversed(self._processes)
        detail = f"{found.detail}; only in {wrong.version}, no wrong answer of {right.version}"
        return found._replace(detail=detail, version=wrong.version)

    def _wrong(self, case: Variant, answers: list[Any] | str) -> Wrong | None:
        if isinstance(answers, str):
            problem, _, detail = answers.partition(": ")
            return Wrong(problem, 0, detail) if problem == "crash" else None
        return judge(self.engine, case, answers)

    def _settle(self, number: int, wrong: Wrong) -> None:
        """Reduce a failing case; store its failure if it is the first of its group."""
        case = self._build(number, techniques_of(self.settings.seed, number, self.settings.techniques))
        failure = self._failure(number, case, wrong)
        self.counts["wrong" if failure.confirmed else "not confirmed"] += 1
        key = attrgetter("group", "confirmed", "is_open", "wrong.version")
        if key(failure) not in map(key, self.failures):
            self.failures.append(failure)

    def _failure(self, number: int, case: Variant, wrong: Wrong) -> VariantFailure:
        """Return the failure of a case, or the first one of the same group."""
        original, case = case, self._fewest_techniques(number, case, wrong)
        cures = self._cures(case, wrong)
        # a seed cures by luck, and so says nothing about the cause
        cure = next((name for name in reversed(cures) if "seed" not in name), "no option")
        techniques = " + ".join(sorted(case.techniques)) or "no technique"
        group = f"{wrong.problem} with {techniques}, cured by {cure}"
        for known in self.failures:
            is_same = (known.group, known.wrong.version) == (group, wrong.version)
            if is_same and (known.confirmed or wrong.problem == "crash"):
                return known
        case = self._reduced(case, wrong, smaller_cases)
        found = self._judged(case)
        if found is None or found.problem != wrong.problem:  # it does not recur
            case, found = original, wrong
        confirmed, doubt = self._confirm(case.model, found)
        # each constraint of `constraints` is stated by one line, which a test compares with its meaning
        if confirmed and case.puzzle and found.problem in _OF_MODEL and self._persists(case.model, found):
            confirmed, doubt = "", "engine or translation"
        source = self.engine.report(case.model, found, self._process(found).version, doubt)
        export, suffix = self._export(case.model), f".{self.engine.export[1]}"
        return VariantFailure(found, case, number, group, confirmed, doubt, cures, source, export, suffix)

    def _fails(self, case: Variant, wrong: Wrong) -> bool:
        found = self._judged(case)
        return found is not None and (found.problem, found.version) == (wrong.problem, wrong.version)

    def _reduced(self, case: Variant, wrong: Wrong, smaller: Callable[[Variant], Iterable[Variant]]) -> Variant:
        """Return a case that fails in the same way, of which no smaller one does, as far as the time allows."""
        until = time.monotonic() + REDUCE_SECONDS
        while time.monotonic() < until:
            failing = (one for one in smaller(case) if time.monotonic() < until and self._fails(one, wrong))
            if (found := next(failing, None)) is None:
                break
            case = found
        return case

    def _simpler(self, number: int, case: Variant) -> Iterator[Variant]:
        """Yield the case without one of its techniques."""
        for technique in sorted(case.techniques):
            with contextlib.suppress(Unclear):
                yield self._build(number, case.techniques - {technique})

    def _fewest_techniques(self, number: int, case: Variant, wrong: Wrong) -> Variant:
        """Return the case with the fewest techniques with which it fails in the same way, as far as the time allows."""
        smaller = self._reduced(case, wrong, functools.partial(self._simpler, number))
        until = time.monotonic() + REDUCE_SECONDS
        for size in range(len(smaller.techniques)):
            for names in itertools.combinations(sorted(case.techniques), size):
                with contextlib.suppress(Unclear):
                    found = self._build(number, frozenset(names))
                    if time.monotonic() < until and self._fails(found, wrong):
                        return found
        return smaller

    def _confirm(self, model: VariantModel, wrong: Wrong) -> tuple[str, str]:
        """Return another engine with its version that refutes the wrong answer, or why none does; one is empty."""
        if wrong.problem in ("crash", "wrong-core", "wrong-proof"):
            known = [wrong.point] if wrong.point else []
            case = Variant("", frozenset(), model, (None,) * len(model.steps), known)
            again = self._wrong(case, self._solved_anew(model, wrong))
            repeats = again is not None and again.problem == wrong.problem
            return ("a new process", "") if repeats else ("", "a new process is right")
        missing, denying = [], []
        for name, other in CONFIRMING.items():
            refuting = refuting_model(model, wrong, other.accepts)
            is_same = other.lineage == self.engine.lineage != "" or name == self.settings.engine
            if is_same or refuting is None:
                continue
            if find_spec(other.package) is None:
                missing.append(DISTRIBUTIONS.get(other.package, other.package))
                continue
            if name not in self._others:
                self._others[name] = EngineProcess(other)
            answers = self._others[name].solve(refuting)
            if isinstance(answers, str):
                continue
            claim, point, _ = answer(answers[0], refuting)
            if point is not None and refuting.broken(point, 0, other.tolerance):
                continue
            version = f"{other.name}{other.name and ' of '}{self._others[name].version}"
            if claim == ("infeasible" if wrong.problem == "broken-point" else "feasible"):
                return version, ""
            if claim:
                denying.append(version)
        if denying:
            return "", f"denied by {', '.join(denying)}"
        return "", NO_ENGINE + (f" (pip install {' or '.join(dict.fromkeys(missing))})" if missing else "")

    def _solved_anew(self, model: VariantModel, wrong: Wrong) -> list[Any] | str:
        """Return the answers of a new process of the version that was wrong."""
        process = self._process(wrong)
        process.close()
        return process.solve(model)

    def _process(self, wrong: Wrong) -> EngineProcess:
        """Return the process of the version that was wrong."""
        return next((one for one in self._processes if one.version == wrong.version), self._processes[0])

    def _persists(self, model: VariantModel, wrong: Wrong) -> bool:
        """Return whether the engine is as wrong if the point is given: perhaps its script states another model."""
        given = refuting_model(model, wrong._replace(problem="broken-point"), self.engine.accepts)
        assert given is not None  # it accepts its own variables
        given = replace(given, objective=model.objective_at(wrong.step), options=model.options)
        answers = self._solved_anew(given, wrong)
        witness = None if wrong.problem == "broken-point" else wrong.point
        return (
            isinstance(answers, list)
            and judge(self.engine, Variant("", frozenset(), given, (witness,)), answers) is not None
        )

    def _cures(self, case: Variant, wrong: Wrong) -> tuple[str, ...]:
        """Return the options that remove the failure, each by itself, and the most special ones last."""
        pairs = [(name, value) for name, values in self.engine.options.items() for value in values]
        cures = []
        for name, value in dict.fromkeys((*pairs, *self.engine.switches)):
            options = tuple(pair for pair in case.model.options if pair[0] != name)
            model = replace(case.model, options=(*options, (name, value)))
            is_other = self.engine.source(model) != self.engine.source(case.model)
            if is_other and self._is_right(replace(case, model=model), wrong):
                cures.append(f"{name}={value}")
        return tuple(cures)

    def _is_right(self, case: Variant, wrong: Wrong) -> bool:
        """Return whether the version that was wrong decides all steps, and nothing is wrong with its answers."""
        answers = self._process(wrong).solve(case.model)
        is_decided = isinstance(answers, list) and all(answer(raw, case.model)[0] for raw in answers)
        return is_decided and self._wrong(case, answers) is None

    def _export(self, model: VariantModel) -> str:
        """Return the model in the engine's own language; empty if the engine cannot write it."""
        line, suffix = self.engine.export
        if not line:
            return ""
        path = f"import os, tempfile\npath = os.path.join(tempfile.mkdtemp(), 'model.{suffix}')"
        script = f"{path}\n{self.engine.source(model)}\n{line}\nanswers = [open(path).read()]"
        answers = self._processes[0].execute(script)
        return answers[0] if isinstance(answers, list) else ""


@contextlib.contextmanager
def part(settings: VariantSettings, _side_by_side: int) -> Iterator[Callable[[Any], Any]]:
    """Open a worker that is asked about blocks of case numbers, as a service of `crosslit.runs.workers`."""
    with VariantSession(settings) as session:
        yield lambda block: [session.ask(number) for number in block[1]]


@contextlib.contextmanager
def open_variants(
    settings: VariantSettings,
    on_case: Callable[[VariantSession], None] = lambda _: None,
    jobs: int = 1,
    dask: str | None = None,
) -> Iterator[VariantSession]:
    """Open a verification in this process, or with several workers; failures are reduced in this process."""
    with contextlib.ExitStack() as stack:
        session = stack.enter_context(VariantSession(settings, on_case))
        if jobs > 1 or dask is not None:
            executor = open_executor(functools.partial(part, settings), jobs, dask, lambda: session.is_over)
            session.executor = stack.enter_context(executor)
        yield session
