"""A verification with variants whose engine is simulated in this process: counts, failures, versions, workers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from crosslit_verify.cli.verify import command
from crosslit_verify.variants import session as module
from crosslit_verify.variants.engines import CONFIRMING, ENGINES
from crosslit_verify.variants.judging import VariantVerification
from crosslit_verify.variants.model import Constraint, Step, Variable, Variant, VariantModel, Wrong
from crosslit_verify.variants.parameters import LISTINGS
from crosslit_verify.variants.session import VariantSession, VariantSettings, part

from crosslit.base.errors import InputError
from crosslit.runs.workers import TaskResult

UNDECIDED = "undecided"
SCRIPTS = [script for script, _ in LISTINGS.values()]


class Process:
    """A process of an engine that gives one answer to every model, and perhaps another one after it was closed."""

    answers: dict[str, tuple[str, ...]]
    made: list[Process]
    listed: Any = ()

    def __init__(self, engine: Any, python: str = "", timeout: float = 0.0, memory_mb: int = 0) -> None:
        self.engine, self.limits, self.closed, self.solved = engine, (timeout, memory_mb), 0, 0
        self.version = f"engine {python or 'here'}"
        self._answers = self.answers[python]
        self.made.append(self)

    def solve(self, model: Any) -> Any:
        self.solved += 1
        answer = self._answers[min(self.closed, len(self._answers) - 1)]
        return [("unknown", [], None, 0)] * len(model.steps) if answer == UNDECIDED else answer

    def execute(self, source: str, _seconds: float | None = None) -> Any:
        return self.listed if source in SCRIPTS else ["p cnf"]

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Process]]:
    monkeypatch.setattr(Process, "made", [], raising=False)
    monkeypatch.setattr(module, "EngineProcess", Process)
    yield Process.made
    assert all(process.closed for process in Process.made)


def session(monkeypatch: pytest.MonkeyPatch, *answers: str, other: str = "", **settings: Any) -> VariantSession:
    """A session of an engine with these answers, and another version of it."""
    monkeypatch.setattr(Process, "answers", {"": answers, "other": (other,)}, raising=False)
    against = {"against": "other"} if other else {}
    return VariantSession(VariantSettings("minisat22", **{"cases": 3, **against, **settings}))


@pytest.mark.parametrize(
    ("answer", "counts", "error"),
    [
        (UNDECIDED, {"cases": 3, "judged": 3, "undecided": 3}, ""),
        ("hang: late", {"cases": 3, "hang": 3}, ""),
        ("TypeError: no argument x", {"cases": 3, "TypeError": 3}, "TypeError: no argument x"),
        ("SomeException: y", {"cases": 3, "SomeException": 3}, "SomeException: y"),
    ],
)
def test_every_case_is_counted_by_its_end(
    monkeypatch: pytest.MonkeyPatch, processes: list[Process], answer: str, counts: dict[str, int], error: str
) -> None:
    heard: list[int] = []
    with session(monkeypatch, answer, timeout=7.0, memory_mb=99) as given:
        given._on_case = lambda each: heard.append(each.counts["cases"])
        found = given.run()
    assert (+found.counts, found.error, found.failures, found.unconfirmed) == (counts, error, (), ())
    assert found.summary().partition("; first ")[2] == error
    assert (heard, processes[0].limits, found.interrupted) == ([1, 2, 3], (7.0, 99), False)
    assert processes[0].solved == 3 + bool(error)  # asked once more for the words


@pytest.mark.parametrize(("keep_going", "cases"), [(False, 1), (True, 3)])
def test_a_crash_that_a_new_process_confirms_ends_a_session_unless_it_is_to_go_on(
    monkeypatch: pytest.MonkeyPatch, processes: list[Process], keep_going: bool, cases: int
) -> None:
    with session(monkeypatch, "crash: boom", keep_going=keep_going) as given:
        found = given.run()
    assert +found.counts == {"cases": cases, "crash": cases, "wrong": cases}
    (failure,) = found.failures  # one of each group
    assert (failure.wrong.problem, failure.wrong.detail, failure.confirmed) == ("crash", "boom", "a new process")
    assert (failure.number, failure.techniques, failure.case.model.constraints) == (1, [], ())
    assert failure.group == "crash with no technique, cured by no option"
    assert (failure.doubt, failure.cures) == ("", ())


@pytest.mark.parametrize(
    ("cures", "cure"), [((), "no option"), (("seed=1",), "no option"), (("a=2", "b=3", "seed=1"), "b=3")]
)
def test_a_group_is_named_by_the_last_cure_that_is_no_seed(
    monkeypatch: pytest.MonkeyPatch, processes: list[Process], cures: tuple[str, ...], cure: str
) -> None:
    with session(monkeypatch, "crash: boom", cases=1) as given:
        monkeypatch.setattr(given, "_cures", lambda *_: cures)
        (failure,) = given.run().failures
    assert (failure.group, failure.cures) == (f"crash with no technique, cured by {cure}", cures)


def test_a_crash_that_does_not_recur_in_a_new_process_is_not_confirmed(
    monkeypatch: pytest.MonkeyPatch, processes: list[Process]
) -> None:
    with session(monkeypatch, "crash: boom", UNDECIDED, cases=1) as given:
        found = given.run()
    assert +found.counts == {"cases": 1, "crash": 1, "not confirmed": 1}
    doubts = [(failure.confirmed, failure.doubt, failure.is_open) for failure in found.unconfirmed]
    assert (found.failures, doubts) == ((), [("", "a new process is right", False)])


def test_junit_has_new_groups_of_failures_only_with_a_baseline(
    monkeypatch: pytest.MonkeyPatch, processes: list[Process], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Process, "answers", {"": ("crash: boom",)}, raising=False)
    monkeypatch.chdir(tmp_path)
    words = ["--backend", "minisat22", "--variants", "flip", "--cases", "2", "--baseline", "b.txt", "--junit", "x.xml"]
    for status, word, mark in ((1, "failed", '<failure message="boom"'), (0, "known", '<skipped message="known: in b')):
        assert command.main(words, standalone_mode=False) == status
        junit = (tmp_path / "x.xml").read_text(encoding="utf-8")
        assert f'name="crash">{mark}' in junit
        assert f"<system-out>{word}: engine here" in junit
        assert f"\n{word}: engine here" in capsys.readouterr().out
        assert f'failures="{status}"' in junit


SAYS_UNSAT: Any = [("unsat", [], None, 0)]  # to a model of one step
KNOWN = {
    "nobody": "no second engine here decides it (pip install z3-solver or ortools or exact or highspy or pyscipopt)",
    "undecided": "no second engine here decides it",
    "unsat": f"denied by {'engine here, ' * 5}HIGHS of engine here, SCIP of engine here",
}


@pytest.mark.parametrize("second", KNOWN)
def test_a_failure_that_no_second_engine_decides_is_neither_passed_nor_failed(
    monkeypatch: pytest.MonkeyPatch,
    processes: list[Process],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    second: str,
) -> None:
    monkeypatch.setattr(module, "find_spec", lambda package: None if second == "nobody" else package)
    monkeypatch.setattr(Process, "answers", {"": (SAYS_UNSAT,)}, raising=False)
    if second == "undecided":
        monkeypatch.setattr(
            Process, "solve", lambda process, _: SAYS_UNSAT if process is processes[0] else "hang: late"
        )
    monkeypatch.chdir(tmp_path)
    words = ["--backend", "minisat22", "--variants", "flip", "--kind", "lights-out", "--cases", "3", "--junit", "x.xml"]
    status = command.main(words, standalone_mode=False)
    shown, junit = capsys.readouterr().out, (tmp_path / "x.xml").read_text(encoding="utf-8")
    is_open = second != "unsat"
    assert (status, f"\n{'undecided' if is_open else 'passed'}: engine here, 3 cases" in shown) == (3 * is_open, True)
    assert f"\n  not confirmed: {KNOWN[second]}\n" in shown
    assert "\n  written to crosslit-variant.py\n" in shown
    assert (f'name="wrong-infeasible"><skipped message="not confirmed: {KNOWN[second]}"' in junit) == is_open
    script = (tmp_path / "crosslit-variant.py").read_text(encoding="utf-8")
    assert f"a point satisfies all constraints; not confirmed: {KNOWN[second]}.')" in script.splitlines()[-1]
    assert "Perhaps wrong in engine here" in script


RELATED = {
    "highs": ["highs", "ortools-highs"],
    "scip": ["scip", "ortools-scip"],
    "ortools-scip": ["scip", "ortools-scip"],
}


@pytest.mark.parametrize("name", sorted(ENGINES))
def test_every_engine_of_another_origin_may_confirm_a_failure(
    monkeypatch: pytest.MonkeyPatch, processes: list[Process], name: str
) -> None:
    monkeypatch.setattr(module, "find_spec", lambda package: package)
    monkeypatch.setattr(Process, "answers", {"": ("hang: late",)}, raising=False)
    with VariantSession(VariantSettings(name)) as given:
        model = given._build(1, frozenset()).model
        assert given._confirm(model, Wrong("wrong-infeasible", 0, "")) == ("", KNOWN["undecided"])
        assert [*given._others] == [other for other in CONFIRMING if other not in RELATED.get(name, [name])]


@pytest.mark.parametrize(
    ("reply", "confirmed"),
    [
        (("sat", [1], None, 0), "engine here"),
        (("sat", [0], None, 0), ""),  # a point that breaks the model refutes nobody
        (("unknown", [], None, 0), ""),
        (("unsat", [], None, 0), ""),
    ],
)
def test_only_a_point_of_the_model_confirms_that_it_is_feasible(
    monkeypatch: pytest.MonkeyPatch, processes: list[Process], reply: Any, confirmed: str
) -> None:
    monkeypatch.setattr(module, "find_spec", lambda package: package)
    monkeypatch.setattr(Process, "solve", lambda *_: [reply])
    model = VariantModel((Variable(),), (Constraint("clause", (1,)),))
    with session(monkeypatch, UNDECIDED) as given:
        found = given._confirm(model, Wrong("wrong-infeasible", 0, ""))
    assert found == (confirmed, "" if confirmed else KNOWN["unsat" if reply[0] == "unsat" else "undecided"])


@pytest.mark.parametrize(
    ("here", "other", "detail", "version"),
    [
        ("crash: a", UNDECIDED, "a; only in engine here, no wrong answer of engine other", "engine here"),
        (UNDECIDED, "crash: b", "b; only in engine other, no wrong answer of engine here", "engine other"),
        ("crash: a", "crash: b", "a; wrong in both versions", ""),
        (UNDECIDED, UNDECIDED, "", ""),
        ("hang: late", "crash: b", "b; only in engine other, no wrong answer of engine here", "engine other"),
    ],
)
def test_the_version_that_is_wrong_is_named(
    monkeypatch: pytest.MonkeyPatch, processes: list[Process], here: str, other: str, detail: str, version: str
) -> None:
    with session(monkeypatch, here, other=other, cases=1) as given:
        found = given.run()
    failures = [*found.failures, *found.unconfirmed]
    assert [(failure.wrong.detail, failure.wrong.version) for failure in failures] == [(detail, version)] * bool(detail)
    assert found.engine == "engine here, against engine other"
    closed = {process.version: process.closed for process in processes}
    if version:  # only that one is closed for a new process, and all at the end
        assert closed == {"engine here": 1, "engine other": 1, version: 2}


def test_a_failure_of_one_version_is_shown_besides_one_of_both(
    monkeypatch: pytest.MonkeyPatch, processes: list[Process]
) -> None:
    with session(monkeypatch, "crash: a", other="crash: b", cases=2, keep_going=True) as given:
        given._on_case = lambda _: setattr(given._processes[1], "_answers", (UNDECIDED,))
        found = given.run()
    assert [failure.wrong.version for failure in found.failures] == ["", "engine here"]


def test_a_session_ends_with_its_time(monkeypatch: pytest.MonkeyPatch, processes: list[Process]) -> None:
    with session(monkeypatch, UNDECIDED, cases=None, seconds=1e-6) as given:
        assert given.run().counts["cases"] == 1
    with session(monkeypatch, UNDECIDED, cases=2, seconds=None) as given:
        assert not given.is_over
        assert given.run().counts["cases"] == 2


def test_an_interrupt_keeps_the_counts(monkeypatch: pytest.MonkeyPatch, processes: list[Process]) -> None:
    def interrupt(given: VariantSession) -> None:
        if given.counts["cases"] == 2:
            raise KeyboardInterrupt

    with session(monkeypatch, UNDECIDED) as given:
        given._on_case = interrupt
        found = given.run()
    assert (found.interrupted, found.counts["cases"]) == (True, 2)


@pytest.mark.parametrize(
    ("is_hard", "cases", "blocks"), [(False, 19, [8, 8, 3]), (False, 16, [8, 8]), (True, 3, [1] * 3)]
)
def test_workers_are_asked_about_blocks_of_cases_and_lost_ones_are_counted(
    monkeypatch: pytest.MonkeyPatch, processes: list[Process], is_hard: bool, cases: int, blocks: list[int]
) -> None:
    sizes: list[int] = []
    numbers: list[int] = []

    def results(tasks: Any) -> Iterator[TaskResult]:
        with part(given.settings, 1) as perform:
            for task in tasks:
                sizes.append(len(task[1]))
                numbers.extend(task[1])
                is_lost = task[0] == 1
                yield TaskResult(task, None if is_lost else perform(task), ("one", "two") if is_lost else ())

    with session(monkeypatch, UNDECIDED, cases=cases, is_hard=is_hard) as given:
        given.executor = SimpleNamespace(results=results)  # type: ignore[assignment]
        found = given.run()
    assert (sizes, numbers) == (blocks, [*range(1, cases + 1)])
    assert +found.counts == {
        "cases": cases,
        "judged": cases - blocks[1],
        "undecided": cases - blocks[1],
        "lost": blocks[1],
    }


@pytest.mark.parametrize("failed", [False, True])
def test_a_scheduler_that_is_gone_is_an_error_unless_there_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, processes: list[Process], failed: bool
) -> None:
    def results(_tasks: Any) -> Iterator[TaskResult]:
        yield TaskResult((0, [1]), [given.ask(1)])
        raise InputError("--dask", "gone")

    with session(monkeypatch, "crash: x" if failed else UNDECIDED, keep_going=True) as given:
        given.executor = SimpleNamespace(results=results)  # type: ignore[assignment]
        if failed:
            assert len(given.run().failures) == 1
            return
        with pytest.raises(InputError, match="gone"):
            given.run()


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(InputError, match="nobody: no variants for this engine; choose from: "):
        VariantSession(VariantSettings("nobody"))


@pytest.mark.parametrize(
    ("raws", "undecided", "hard"),
    [
        ([("sat", [0, 0], None, 2000), ("unsat", [], None, 0)], 0, 0),
        ([("sat", [0, 0], None, 2001), ("unsat", [], None, 0)], 0, 1),
        ([("sat", [0, 0], None, 0), ("unknown", [], None, 2001)], 1, 1),
        ([("unknown", [], None, 0), ("unsat", [], None, 0)], 1, 0),
    ],
)
def test_one_step_makes_a_case_undecided_or_hard(
    monkeypatch: pytest.MonkeyPatch, processes: list[Process], raws: Any, undecided: int, hard: int
) -> None:
    case = Variant("1", frozenset(), VariantModel((Variable(), Variable()), (), steps=(Step(), Step())), (None, None))
    with session(monkeypatch, raws) as given:
        monkeypatch.setattr(given, "_build", lambda *_: case)
        number, counts, wrong = given.ask(5)
    assert (number, wrong, +counts) == (5, None, +Counter(cases=1, judged=1, undecided=undecided, hard=hard))


@pytest.mark.parametrize("is_hard", [False, True])
def test_only_hard_cases_have_the_largest_size(
    monkeypatch: pytest.MonkeyPatch, processes: list[Process], is_hard: bool
) -> None:
    built: list[Any] = []
    monkeypatch.setattr(module, "build", lambda *given: built.append(given) or Variant("", frozenset(), MODEL, (None,)))
    engine = ENGINES["minisat22"]
    with session(monkeypatch, UNDECIDED, seed=7, kind="nonogram", is_hard=is_hard) as given:
        given._build(3, frozenset({"flip"}))
    largest = engine.hard_size if is_hard else 0
    assert built == [(7, 3, frozenset({"flip"}), engine.accepts, engine.options, "nonogram", largest, {})]


@pytest.mark.parametrize("name", ["cpsat", "minisat22"])
def test_the_options_that_an_engine_lists_are_those_of_its_models(
    monkeypatch: pytest.MonkeyPatch, processes: list[Process], name: str
) -> None:
    monkeypatch.setattr(Process, "answers", {"": (UNDECIDED,)}, raising=False)
    monkeypatch.setattr(Process, "listed", [("use_rest", [True]), ("log_all", [True])])
    with VariantSession(VariantSettings(name)) as given:
        assert ("parameters" in given.techniques) == (name in LISTINGS)
        options = given._build(1, frozenset({"parameters"})).model.options
        assert given._build(1, frozenset({"parameters", "cumulative"})).model.options == options
        assert given._build(1, frozenset({"flip"})).model.options == ()
    assert options == ((("use_rest", True),) if name in LISTINGS else ())


def test_whether_a_fault_persists_is_asked_of_a_new_process_with_the_point_the_objective_and_the_options(
    monkeypatch: pytest.MonkeyPatch, processes: list[Process]
) -> None:
    def solve(process: Process, model: VariantModel) -> Any:
        is_one = not model.broken((1,), 0) and bool(model.broken((0,), 0))
        asked.append((process.closed, model.objective, model.options, is_one))
        return replies[process.closed - 1]

    asked: list[Any] = []
    replies = [SAYS_UNSAT, [("sat", [1], 3, 0)], "hang: late", SAYS_UNSAT]
    monkeypatch.setattr(Process, "solve", solve)
    model = replace(MODEL, objective=((0, 3),))
    with session(monkeypatch, UNDECIDED) as given:
        wrong = Wrong("wrong-infeasible", 0, "", (1,))
        assert [given._persists(model, wrong) for _ in range(3)] == [True, False, False]
        assert not given._persists(model, wrong._replace(problem="broken-point"))  # no point refutes it
    assert asked == [(number, ((0, 3),), MODEL.options, True) for number in range(1, 5)]


MODEL = VariantModel((Variable(),), (), options=(("c", 1), ("a", 1)))


@pytest.mark.parametrize(
    ("right", "cures"),
    [
        ({}, ("a=2", "c=2", "b=3")),
        ({"a": 2}, ("a=2",)),
        ({"a": 1}, ("c=2", "b=3")),  # the others keep it
        ({"c": 1, "b": 3}, ("b=3",)),
        ({"d": 1}, ()),
    ],
)
def test_the_options_that_cure_are_tried_one_by_one_in_addition_to_those_of_the_case(
    monkeypatch: pytest.MonkeyPatch, processes: list[Process], right: dict[str, int], cures: tuple[str, ...]
) -> None:
    def solve(_process: Process, model: VariantModel) -> Any:
        decided = dict(model.options).items() >= right.items()
        return [("sat", [1], None, 0), ("sat" if decided else "unknown", [1], None, 0)]

    own = {"options": {"a": (1, 2), "c": (2,)}, "switches": (("b", 3), ("a", 2)), "option": lambda *given: f"# {given}"}
    monkeypatch.setitem(ENGINES, "minisat22", replace(ENGINES["minisat22"], **own))
    monkeypatch.setattr(Process, "solve", solve)
    with session(monkeypatch, UNDECIDED) as given:
        case = Variant("1", frozenset(), replace(MODEL, steps=(Step(), Step())), (None, None))
        assert given._cures(case, Wrong("wrong-infeasible", 0, "")) == cures


def test_an_engine_is_named_by_its_distribution_and_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.EngineProcess, "exchange", lambda *_: ["python-sat 1.9"])
    with module.EngineProcess(ENGINES["minisat22"]) as process:
        assert (process.version, process.engine) == ("python-sat 1.9", ENGINES["minisat22"])


@pytest.mark.parametrize(("jobs", "dask", "shared"), [(1, None, False), (2, None, True), (1, "address", True)])
def test_several_workers_or_a_cluster_share_the_cases(
    monkeypatch: pytest.MonkeyPatch, processes: list[Process], jobs: int, dask: str | None, shared: bool
) -> None:
    opened: list[Any] = []
    monkeypatch.setattr(Process, "answers", {"": (UNDECIDED,)}, raising=False)
    monkeypatch.setattr(module, "open_executor", lambda *given: (opened.append(given[1:3]), nullcontext("workers"))[1])
    with module.open_variants(VariantSettings("minisat22"), jobs=jobs, dask=dask) as given:
        assert (given.executor, opened) == (("workers", [(jobs, dask)]) if shared else (None, []))


@pytest.mark.parametrize(
    ("failed", "open_", "judged", "word"),
    [
        (0, 0, 1, "passed"),
        (0, 0, 0, "nothing judged"),
        (1, 0, 1, "failed"),
        (0, 1, 1, "undecided"),
        (1, 1, 1, "failed"),
    ],
)
def test_the_verdict_is_that_of_the_gravest_failure(failed: int, open_: int, judged: int, word: str) -> None:
    denied, undecided = SimpleNamespace(is_open=False), SimpleNamespace(is_open=True)
    failures: Any = ((denied,) * failed, (denied, *[undecided] * open_))
    found = VariantVerification(*failures, Counter(cases=1, judged=judged), 1.0, "engine", False, "suite", 0, ())
    assert (found.passed, found.summary().partition(":")[0]) == (word == "passed", word)
    assert len(found.undecided) == open_


def test_a_missing_package_is_named_with_its_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.EngineProcess, "exchange", lambda *_: "ModuleNotFoundError: no z3")
    with pytest.raises(
        InputError, match=r"z3: cannot be imported by (\S+): .*; variants use it: \1 -m pip install z3-sol"
    ):
        module.EngineProcess(ENGINES["z3"])


def test_a_summary_has_the_seed_and_the_techniques(monkeypatch: pytest.MonkeyPatch, processes: list[Process]) -> None:
    with session(monkeypatch, UNDECIDED, seed=7, techniques=("flip", "form")) as given:
        found = given.run()
    assert ", 3 cases of seed 7 with flip, form, " in found.summary()
    assert (found.json()["seed"], found.json()["techniques"]) == (7, ["flip", "form"])
