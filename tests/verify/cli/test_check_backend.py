"""``check-backend``: broken backends fail the checks meant for them, even if they harm their process."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from click.testing import CliRunner
from crosslit_verify.contract_checks import CHECKS, CheckOutcome

from crosslit.cli.group import root
from crosslit.cli.output import Progress
from tests.conftest import Command

NAMES = [name for name, _, _ in CHECKS]


def failures(crosslit: Command, environment: dict[str, str], name: str) -> dict[str, dict[str, Any]]:
    """The failed checks of a planted backend, on Lights Out, by their names."""
    seconds = "0.2" if name == "deaf-hang" else "10"
    arguments = ["--kind", "lights-out", "--level", "quick", "--timeout", seconds, "--json"]
    done = crosslit("check-backend", name, *arguments, env=environment)
    assert (done.returncode, done.stderr) == (1, "")
    (boards,) = map(json.loads, done.stdout.splitlines())
    assert (boards["kind"], boards["passed"]) == ("lights-out", False)
    assert [check["check"] for check in boards["checks"]] == NAMES
    return {check["check"]: check for check in boards["checks"] if check["status"] == "failed"}


@pytest.mark.parametrize(
    ("name", "check", "detail"),
    [
        ("crashes", "answers right", "error: killed by SIGSEGV"),
        ("yields-wrong-shape", "answers right", "error: it yielded a 2 x 3 grid where a 1 x 3 grid is expected"),
        ("cannot-import", "answers right", "unsupported: cannot be imported: libengine.so is missing"),
        ("deaf-hang", "answers right", "timeout"),
        pytest.param(
            *("prints-rubbish", "prints nothing", "printed 'c a comment of the engine'"), marks=pytest.mark.slow
        ),
        ("nan-time", "answers right", "error: it left in its task seconds ["),
        ("floods-descriptors", "answers right", "error: it wrote "),
        ("refuses-some", "answers right", "its unsupported_reason() raised KeyError: 'no such'"),
        pytest.param(*("leaves-a-child", "leaves nothing running", "it left a process behind"), marks=pytest.mark.slow),
    ],
)
def test_a_broken_backend_fails_the_check_that_is_meant_for_it(
    crosslit: Command, planted_environment: dict[str, str], name: str, check: str, detail: str
) -> None:
    found = failures(crosslit, planted_environment, name)[check]
    assert (found["detail"][: len(detail)], bool(found["puzzle"])) == (detail, True)


def test_a_backend_that_answers_no_puzzle_has_not_passed(
    crosslit: Command, planted_environment: dict[str, str]
) -> None:
    words = ["check-backend", "refuses-nearly-all", "--kind", "lights-out", "--level", "quick"]
    done = crosslit(*words, env=planted_environment)
    assert (done.returncode, done.stderr) == (3, "")
    assert re.search(r"skipped  answers right: it answers none of [0-9]+ puzzles: only one cell\n", done.stdout)
    (record,) = map(json.loads, crosslit(*words, "--json", env=planted_environment).stdout.splitlines())
    assert record["passed"] is False


def test_an_interrupt_ends_the_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(_configuration: Any, execute: Any, *_: Any) -> Iterator[CheckOutcome]:
        execute.__self__.interrupted = True
        yield CheckOutcome(NAMES[0], "passed")

    said: list[str] = []
    monkeypatch.setattr(Progress, "says", lambda _, text: said.append(text))
    monkeypatch.setattr("crosslit_verify.contract_checks.check", check)
    done = CliRunner().invoke(root, ["check-backend", "gauss", "--kind", "lights-out"])
    assert (done.exit_code, done.stdout, said[-1]) == (130, "", "0/9 done; now gauss: describes itself")


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("no-such", "no-such"),
        ("gauss --kind=nonogram", "crosslit: backend 'gauss': does not solve nonogram puzzles\n"),
        ("gauss:workers=2", "unknown option"),
        ("glucose4/no-such", "no encoding 'no-such'"),
        ("version-raises", "its version() raised ZeroDivisionError"),
        ("refuses-raises", "its unsupported_reason() raised KeyError: 'no such'"),
        ("broken-plugin", "cannot be loaded: No module named 'planted_nowhere'"),
    ],
)
def test_a_bad_spec_is_one_line(crosslit: Command, planted_environment: dict[str, str], spec: str, reason: str) -> None:
    done = crosslit("check-backend", *spec.split(), env=planted_environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1
