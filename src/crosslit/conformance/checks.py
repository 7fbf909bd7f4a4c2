"""Checks whether a backend keeps its contract, on small puzzles whose solutions are known by the rules.

`check` is pure: the caller makes the runs, ``check-backend`` isolated under limits, and the tests in their own process.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Literal, get_args

from crosslit import registry
from crosslit.conformance.result import Result
from crosslit.conformance.samples import KINDS, Specimen, by_rules, floor, sample_puzzles
from crosslit.contract import COUNT, FEWEST, Question, all_questions, find_question
from crosslit.errors import SpecError
from crosslit.grid import Grid
from crosslit.judging.findings import about_running
from crosslit.puzzles import Puzzle, all_kinds
from crosslit.registry import Choice, inquiry
from crosslit.runs.job import Job, Solve
from crosslit.runs.run import Run

Size = Literal["quick", "usual", "full"]
SIZES: tuple[Size, ...] = get_args(Size)
Execute = Callable[[Sequence[Job], int | None], Generator[tuple[Job, Run], None, None]]
"""Makes runs that stop at so many solutions (None: all), and yields each as it ends; no more once it is closed."""

_PATIENCE = 2  # checks out of time before the others are skipped
_TRIES = 3  # runs of which one must tell its time right: a machine may be busy
_SMALL = 10  # cells
_SHOWN = 4  # solutions that are written out


@dataclass(frozen=True)
class Configuration:
    """A backend with its encoding and options, on puzzles of one kind."""

    choice: Choice
    kind: str
    questions: tuple[Question, ...]


def configurations(spec: str, kinds: Sequence[str] = KINDS) -> list[Configuration]:
    """What a spec means: each of its backends and encodings, for each kind of puzzle that it takes.

    Args:
        spec: as in ``--backends``.
        kinds: of puzzles; others are left out.

    Raises:
        SpecError: if it cannot be read, or means nothing that can run here.

    Examples:
        >>> [(found.choice.spec, found.kind) for found in configurations("glucose4")]
        [('glucose4', 'lights-out'), ('glucose4', 'nonogram')]
    """
    found: dict[tuple[str, str], Configuration] = {}
    reasons = [f"backend {spec!r}: it means nothing that can be checked"]
    for kind in kinds:
        for specimen in (*floor(kind, 1, 1), *floor(kind, 2, 2), *floor(kind, 3, 3)[:1], *_last(kind)):
            for question in all_questions():
                for choice in registry.select([spec], specimen.puzzle, question):
                    if choice.refusal is not None:
                        asked = question in registry.questions(choice.backend) and kind in choice.backend.kinds
                        reasons.insert(len(reasons) if asked else 1, f"backend {spec!r}: {choice.refusal}")
                        continue
                    key = (f"{choice.spec} {choice.encoding and choice.encoding.name}", kind)
                    known = found.get(key, Configuration(choice, kind, ()))
                    questions = tuple(dict.fromkeys([*known.questions, question]))
                    found[key] = replace(known, questions=questions)
    if not found:
        raise SpecError(reasons[-1])
    return list(found.values())


def specimens(kind: str, size: Size = "usual") -> list[Specimen]:
    """Every puzzle of some shapes, and samples of others; only ``full`` has every puzzle of 3 x 3.

    Examples:
        >>> [[len(specimens(kind, size)) for size in SIZES] for kind in KINDS]
        [[54, 268, 652], [46, 229, 562]]
    """
    shapes = [(1, 3), (2, 2)] if size == "quick" else [(1, 1), (1, 2), (2, 1), (1, 3), (2, 2), (2, 3)]
    found = [specimen for shape in shapes for specimen in floor(kind, *shape)]
    found += floor(kind, 3, 3)[:: {"quick": 32, "usual": 4, "full": 1}[size]]
    return [*found, *_some_samples(kind, size)]


def _some_samples(kind: str, size: Size) -> tuple[Specimen, ...]:
    return tuple(map(by_rules, sample_puzzles(kind)[:: 3 if size == "quick" else 1]))


def check(configuration: Configuration, execute: Execute, size: Size = "usual") -> Iterator[Result]:
    """Every check, one result each, in the order of `CHECKS`.

    Args:
        configuration: what to check.
        execute: makes the runs.
        size: on how many puzzles.
    """
    subject = _Subject(configuration, execute, size)
    late = 0
    for name, function, question in CHECKS:
        if question is not None and question not in configuration.questions:
            yield Result(name, "skipped", f"does not answer the question of {find_question(question).words}")
        elif late >= _PATIENCE:
            yield Result(name, "skipped", f"{late} checks have run out of time")
        else:
            subject.late = False
            yield replace(function(subject), check=name)
            late += subject.late


@dataclass
class _Subject:
    """What is checked, and the runs made of it so far."""

    configuration: Configuration
    execute: Execute
    size: Size
    late: bool = False
    told: list[tuple[Specimen, Run]] = field(default_factory=list)  # of the exhaustive part, up to the first that broke
    stray: tuple[Puzzle, Run] | None = None
    left: Puzzle | None = None
    unasked: tuple[Puzzle, str] | None = None  # a puzzle that it could not even be asked about
    _suited: dict[Puzzle, bool] = field(default_factory=dict)

    def suits(self, puzzle: Puzzle) -> bool:
        """Whether neither the backend nor its encoding refuses a puzzle."""
        if puzzle not in self._suited:
            choice = self.configuration.choice
            answers = [inquiry.refusal(choice.backend, puzzle, choice.options)]
            answers += [inquiry.refusal(choice.encoding, puzzle)] if choice.encoding else []
            self._suited[puzzle] = not any(answer.reason for answer in answers)
            problems = [(puzzle, answer.problem) for answer in answers if answer.problem]
            self.unasked = self.unasked or next(iter(problems), None)
        return self._suited[puzzle]

    def run(
        self,
        specimens: Iterable[Specimen],
        limit: int | None = None,
        question: Question = "solutions",
        hint: int | None = None,
        tries: int = 1,
    ) -> list[tuple[Specimen, Run]]:
        """Runs on the puzzles that the backend does not refuse, in their order, until one has not ended well."""
        choice, request = self.configuration.choice, Solve(question=question, hint=hint)
        suited = [specimen for specimen in specimens if self.suits(specimen.puzzle)]
        planned = [
            (specimen, Job(choice=choice, puzzle=specimen.puzzle, request=request, repetition=number))
            for specimen in suited
            for number in range(tries)
        ]
        ended: dict[int, Run] = {}
        with closing(self.execute([job for _, job in planned], limit)) as runs:
            for job, run in runs:
                ended[id(job)] = run
                if _broke(run):
                    self.late = self.late or run.status == "timeout"
                    break  # the next would hang too
        made = [(specimen, ended[id(job)]) for specimen, job in planned if id(job) in ended]
        for specimen, run in made:
            if run.stray and self.stray is None:
                self.stray = specimen.puzzle, run
            if run.left and self.left is None and not _broke(run):
                self.left = specimen.puzzle
        return made

    @property
    def most(self) -> list[Specimen]:
        """One puzzle with several solutions, that with the most of the smaller ones."""
        puzzles = list(filter(self.suits, sample_puzzles(self.configuration.kind)))
        for large in (False, True):
            some = (by_rules(puzzle) for puzzle in puzzles if (puzzle.rows * puzzle.columns > _SMALL) is large)
            if several := [specimen for specimen in some if len(specimen.solutions) > 2]:
                return [max(several, key=lambda specimen: len(specimen.solutions))]
        return []


def _last(kind: str) -> list[Specimen]:
    return [by_rules(sample_puzzles(kind)[-1])]


def _broke(run: Run) -> bool:
    return run.status not in ("complete", "limit", "gave-up")


def _failed(detail: str, puzzle: Puzzle, run: Run | None = None, right: Iterable[Grid] | None = None) -> Result:
    gave = None if run is None else _words(run.grids) + (" and no more" if run.status == "complete" else "")
    return Result("", "failed", detail, puzzle.text, gave, None if right is None else _words(_sorted(right)))


def _sorted(grids: Iterable[Grid]) -> list[Grid]:
    return sorted(grids, key=lambda grid: grid.bits)


def _words(grids: Iterable[Grid]) -> str:
    texts = [grid.text() for grid in grids]
    if not texts:
        return "no solution"
    more = ", ..." if len(texts) > _SHOWN else ""
    return f"{len(texts)} solution{'s'[: len(texts) > 1]}: {', '.join(texts[:_SHOWN])}{more}"


def _ended(run: Run) -> str:
    """How a run ended that did not end well."""
    return f"{run.status}: {run.error}" if run.error else run.status


def _passed(number: int, what: str = "puzzles") -> Result:
    return (
        Result("", "passed", f"{number} {what}")
        if number
        else Result("", "skipped", f"no {what.split()[0]} to look at")
    )


def _describes_itself(subject: _Subject) -> Result:
    choice = subject.configuration.choice
    backend = choice.backend
    lacks = [word for word in ("name", "summary", "kinds", "trusts") if not getattr(backend, word)]
    lacks += [] if choice.version else ["version()"]
    if lacks:
        return Result("", "failed", f"it says nothing as its {', '.join(lacks)}")
    if unknown := sorted(backend.kinds - set(all_kinds())):
        return Result("", "failed", f"it takes unknown kinds: {unknown}")
    return Result("", "passed", choice.version)


def _ends(subject: _Subject) -> Result:
    everything = specimens(subject.configuration.kind, subject.size)
    for specimen, run in subject.run(everything):
        if _broke(run):
            subject.told.append((specimen, replace(run, status="gave-up")))  # what it gave until then is judged
            return _failed(_ended(run), specimen.puzzle, run, specimen.solutions)
        subject.told.append((specimen, run))
    if subject.unasked is not None:
        return _failed(subject.unasked[1], subject.unasked[0])
    refused = len(everything) - len(subject.told)
    return _passed(len(subject.told), f"puzzles{f', {refused} refused' if refused else ''}")


def _obeys_the_rules(subject: _Subject) -> Result:
    for specimen, run in subject.told:
        wrong = next((grid for grid in run.grids if grid not in specimen.solutions), None)
        if wrong is not None:
            violation = next(specimen.puzzle.violations(wrong), "")
            return _failed(f"{wrong.text()} is no solution: {violation}", specimen.puzzle, run, specimen.solutions)
    return _passed(sum(len(run.grids) for _, run in subject.told), "solutions")


def _none_twice(subject: _Subject) -> Result:
    for specimen, run in subject.told:
        if len(set(run.grids)) < len(run.grids):
            return _failed("it gave a solution more than once", specimen.puzzle, run, specimen.solutions)
    return _passed(sum(len(run.grids) for _, run in subject.told), "solutions")


def _none_missing(subject: _Subject) -> Result:
    complete = [(specimen, run) for specimen, run in subject.told if run.status == "complete"]
    for specimen, run in complete:
        if lacking := specimen.solutions.difference(run.grids):
            first = _sorted(lacking)[0].text()
            detail = f"it claims all and lacks {len(lacking)} of {len(specimen.solutions)}, for example {first}"
            return _failed(detail, specimen.puzzle, run, specimen.solutions)
    claims = _passed(len(complete), "claims to have found all")
    return claims if complete else Result("", "skipped", "no run claimed to be complete")


def _repeats_itself(subject: _Subject) -> Result:
    count = 0
    suited = filter(subject.suits, sample_puzzles(subject.configuration.kind))
    several = list(islice((made for made in map(by_rules, suited) if len(made.solutions) > 1), 3))
    first: dict[Puzzle, Run] = {}
    for specimen, run in subject.run(several or specimens(subject.configuration.kind, "quick")[:3], tries=2):
        if _broke(run):
            return _failed(_ended(run), specimen.puzzle, run)
        before = first.setdefault(specimen.puzzle, run).grids
        if before != run.grids:
            again = f"the same task gave other solutions, or another order: before, {_words(before)}"
            return _failed(again, specimen.puzzle, run)
        count += 1
    return _passed(count, "runs, each puzzle twice")


def _stops_when_enough(subject: _Subject) -> Result:
    count = 0
    for limit in (1, 2):
        for specimen, run in subject.run(subject.most, limit):
            if _broke(run):
                return _failed(f"stopped after {limit}: {_ended(run)}", specimen.puzzle, run)
            if run.status == "complete":
                return _failed(f"it ended before it gave {limit}", specimen.puzzle, run, specimen.solutions)
            if len(set(run.grids)) < len(run.grids) or not specimen.solutions.issuperset(run.grids):
                return _failed("wrong or repeated solutions", specimen.puzzle, run, specimen.solutions)
            count += 1
    return _passed(count, "runs stopped early")


def _claims_only_what_it_knows(subject: _Subject) -> Result:
    count = 0
    for hint in (1, 2):
        for specimen, run in subject.run(subject.most, hint=hint):
            if _broke(run):
                return _failed(f"told that {hint} is wanted: {_ended(run)}", specimen.puzzle, run)
            if run.status == "complete" and set(run.grids) != specimen.solutions:
                detail = f"told that {hint} is wanted, it claims that there are no more than it gave"
                return _failed(detail, specimen.puzzle, run, specimen.solutions)
            count += 1
    return _passed(count, "runs with a hint")


def _tells_its_time(subject: _Subject) -> Result:
    tries = subject.run(subject.most or _last(subject.configuration.kind), tries=_TRIES)
    result = Result("", "skipped", "no puzzle to look at")
    for specimen, run in tries:
        seconds = run.timing.phases
        unexplained = [finding.detail for finding in about_running(run) if finding.problem == "timing"]
        if _broke(run):
            return _failed(_ended(run), specimen.puzzle, run)
        if min(seconds.values()) < 0 or run.timing.total <= 0:
            return _failed(f"impossible times: {seconds}", specimen.puzzle)
        if run.encoding and not seconds["encode"]:
            return _failed("it uses an encoding and spends no time in the phase encode", specimen.puzzle)
        if not unexplained:
            return _passed(1, "run")
        result = _failed(unexplained[0], specimen.puzzle)
    return result


def _finds_the_fewest(subject: _Subject) -> Result:
    count = 0
    for specimen, run in subject.run(_some_samples(subject.configuration.kind, subject.size), question=FEWEST.name):
        counts = [grid.count() for grid in run.grids]
        best = sorted(specimen.solutions, key=lambda grid: (grid.count(), grid.bits))[:1]
        wrong = ""
        if _broke(run):
            wrong = _ended(run)
        elif not specimen.solutions.issuperset(run.grids):
            wrong = "it gave what is no solution"
        elif counts != sorted(set(counts), reverse=True):
            wrong = "a solution has no fewer presses than the one before"
        elif run.status == "complete" and counts[-1:] != [grid.count() for grid in best]:
            wrong = "it claims the fewest presses, and is wrong"
        elif best and run.bound > best[0].count():
            wrong = f"it claims that every solution has {run.bound} presses at least"
        if wrong:
            return _failed(wrong, specimen.puzzle, run, best)
        count += 1
    return _passed(count, "boards")


def _counts(subject: _Subject) -> Result:
    made = subject.run(specimens(subject.configuration.kind, subject.size), question=COUNT.name)
    for specimen, run in made:
        if _broke(run):
            return _failed(_ended(run), specimen.puzzle)
        if run.counted not in (None, len(specimen.solutions)):
            detail = f"it counts {run.counted} where there are {len(specimen.solutions)} solutions"
            return _failed(detail, specimen.puzzle, right=specimen.solutions)
    return _passed(sum(run.counted is not None for _, run in made), "counts")


def _prints_nothing(subject: _Subject) -> Result:
    if subject.stray is not None:
        puzzle, run = subject.stray
        return _failed(f"it printed {run.stray.strip()[:60]!r} on standard output", puzzle)
    return Result("", "passed", "every run so far")


def _leaves_nothing_running(subject: _Subject) -> Result:
    # runs one at a time: what has left its session can be laid to nobody's charge while others run
    for limit in (None, 1):
        for specimen in subject.most or _last(subject.configuration.kind):
            subject.run([specimen], limit)
    if subject.left is not None:
        return _failed("it left a process behind that goes on", subject.left)
    return Result("", "passed", "every run so far, and runs one at a time")


CHECKS: tuple[tuple[str, Callable[[_Subject], Result], Question | None], ...] = (
    ("describes itself", _describes_itself, None),
    ("ends without an error", _ends, "solutions"),
    ("every solution obeys the rules", _obeys_the_rules, "solutions"),
    ("no solution twice", _none_twice, "solutions"),
    ("no solution missing", _none_missing, "solutions"),
    ("the same again", _repeats_itself, "solutions"),
    ("stops when enough", _stops_when_enough, "solutions"),
    ("claims only what it knows", _claims_only_what_it_knows, "solutions"),
    ("tells its time", _tells_its_time, "solutions"),
    ("finds the fewest presses", _finds_the_fewest, FEWEST.name),
    ("counts the solutions", _counts, COUNT.name),
    ("leaves nothing running", _leaves_nothing_running, "solutions"),
    ("prints nothing", _prints_nothing, None),
)
