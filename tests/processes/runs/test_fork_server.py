"""Runs that harm their surroundings, next to others: only the harmful run is blamed."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crosslit import Limits, load
from crosslit.base.errors import CrosslitError
from crosslit.contract import Backend, registered
from crosslit.contract.run import Run
from crosslit.judging.verdict import run_findings
from crosslit.questions.compare import jobs
from crosslit.registry import select_one
from crosslit.runs.job import Job
from crosslit.runs.runner import Runner
from crosslit.runs.server import ForkServer
from tests.conftest import executable

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are known by /proc")

BOARD = load("10/01")


@pytest.fixture(autouse=True)
def once(planted: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CROSSLIT_TEST_ONCE", str(tmp_path / "once"))


def made(names: str, limits: Limits | None = None, side_by_side: int = 2) -> dict[str, Run]:
    with Runner(limits or Limits(None, 20.0), side_by_side) as runner:
        return {run.backend: run for _, run in runner.runs(jobs(BOARD, names))}


def problems(run: Run) -> list[str]:
    return [finding.problem for finding in run_findings(run)]


@pytest.mark.parametrize(
    ("script", "reason"),
    [("echo one >&2; echo two >&2", "two"), ("exit", "no reason given"), ("", r".* No such file or directory: .*")],
)
def test_a_server_that_does_not_start_says_why(tmp_path: Path, script: str, reason: str) -> None:
    python = tmp_path / "python"
    if script:
        executable(python, script)
    with pytest.raises(CrosslitError, match=f"^the worker process did not start: {reason}$"):
        ForkServer((), python=str(python))


def test_the_interpreter_of_another_environment_makes_a_run() -> None:
    with Runner(Limits()) as runner:
        assert runner.run(replace(jobs(BOARD, "gauss")[0], python=sys.executable)).status == "complete"


def test_a_server_that_fails_itself_says_why() -> None:
    with Runner(Limits(), group_of=lambda _: "/no/group") as runner:
        run = runner.run(jobs(BOARD, "gauss")[0])
    assert (run.status, "No such file or directory: '/no/group'" in run.error) == ("lost", True)


class Failing(Backend):
    """A backend that cannot be loaded, and destroys standard error."""

    name = "failing"

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, ("import sys; sys.stderr = None; 1 / 0",)


def test_a_run_that_fails_before_its_backend_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registered.defined, "failing", Failing())
    choice = replace(select_one("gauss", BOARD), backend=Failing())
    with Runner(Limits()) as runner:
        run = runner.run(Job(choice=choice, puzzle=BOARD))
    assert (run.status, run.error) == ("error", "exit status 1: ZeroDivisionError: division by zero")


COMPLETE = ("complete", "")


@pytest.mark.parametrize(
    ("name", "found", "status", "error"),
    [
        ("crashes", ["error"], "error", "killed by SIGSEGV"),
        ("leaves", ["error"], "error", "exit status 0"),
        ("raises", ["error"], "error", "KeyError: 'no such clue' (planted_backends.py:"),
        ("yields-rubbish", ["error"], "error", "it yielded str where a Grid is expected"),
        ("prints-rubbish", ["stray-output"], *COMPLETE),
        ("floods-descriptors", ["error"], "error", "it wrote "),
        ("nan-time", ["error"], "error", "it left in its task seconds ["),
        pytest.param("hides-time", ["timing"], *COMPLETE, marks=pytest.mark.slow),
        ("invents-time", ["timing"], *COMPLETE),
        ("gives-up", [], "gave-up", "the budget is spent"),
        ("cannot-import", [], "unsupported", "cannot be imported: libengine.so is missing"),
        ("version-raises", [], "unsupported", "its version() raised ZeroDivisionError: "),
        ("refuses-exits", [], "unsupported", "its unsupported_reason() raised SystemExit: 3"),
        pytest.param("prints-without-end", ["error", "stray-output"], "error", "OSError: ", marks=pytest.mark.slow),
    ],
)
def test_the_fault_of_a_run_is_named_and_what_it_found_is_kept(
    name: str, found: list[str], status: str, error: str
) -> None:
    run = made(name)[name]
    assert (run.status, run.error[: len(error)], problems(run)) == (status, error, found)
    assert run.grids or name not in ("crashes", "leaves", "raises", "gives-up")


def test_statistics_are_kept_as_text_if_they_are_no_json() -> None:
    run = made("tells-strange-stats")["tells-strange-stats"]
    assert run.stats == {"many": "1" + "0" * 5000, "endless": "inf", "(1, 2)": "[3]"}


@pytest.mark.parametrize(
    ("name", "status", "limits"),
    [("deaf-hang", "timeout", Limits(None, 1.5)), ("fills-an-orphan", "memory", Limits(None, 60.0, 300))],
)
def test_a_run_beyond_its_limits_is_ended(name: str, status: str, limits: Limits) -> None:
    run = made(name, limits)[name]
    assert (run.status, problems(run)) == (status, [])
    assert run.timing.wall < 50  # without limits it takes a quarter of an hour
    if status == "timeout":
        assert 1 < run.timing.phases["solve"] <= run.timing.wall >= 1.5
    else:
        assert 300 <= run.memory_mb < 3000


@pytest.mark.parametrize("name", ["kills-its-server", "killed"])
def test_a_run_that_was_killed_from_outside_is_lost_and_nobody_is_blamed(name: str) -> None:
    runs = made(f"is-slow,{name}")
    assert (runs[name].status, problems(runs[name])) == ("lost", [])
    assert runs["is-slow"].status == "complete"


def test_processes_left_behind_are_attributed_to_their_run_and_end_while_others_run() -> None:
    alive = []
    with Runner(Limits(None, 20.0), 2) as runner:
        runs = {}
        for _, run in runner.runs(jobs(BOARD, "daemon-seen,outlasts-the-daemon")):
            runs[run.backend] = run
            alive.append(Path(f"/proc/{runs['daemon-seen'].stats['child']}").exists())
    assert list(runs) == ["daemon-seen", "outlasts-the-daemon"]
    assert {name: run.left for name, run in runs.items()} == {"daemon-seen": 1, "outlasts-the-daemon": 0}
    assert problems(runs["daemon-seen"]) == ["orphaned-process"]
    assert alive == [False, False]


def test_a_helper_that_ends_within_a_moment_was_not_left_behind() -> None:
    assert problems(made("helped-for-a-moment")["helped-for-a-moment"]) == []


def test_the_memory_of_a_run_is_the_most_that_all_its_processes_had_together() -> None:
    assert made("frees-memory")["frees-memory"].memory_mb > 300


@pytest.mark.slow
def test_the_limit_of_memory_is_kept_within_a_few_megabytes() -> None:
    own = made("is-slow")["is-slow"].memory_mb
    assert made("frees-memory", Limits(None, 20.0, int(own + 280)))["frees-memory"].status == "memory"
