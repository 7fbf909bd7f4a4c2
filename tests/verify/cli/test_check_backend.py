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


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("crashes", "error: killed by SIGSEGV"),
        ("refuses-some", "its unsupported_reason() raised KeyError: 'no such'"),
    ],
)
def test_a_broken_backend_fails_the_check_that_is_meant_for_it(
    crosslit: Command, planted_environment: dict[str, str], name: str, detail: str
) -> None:
    words = ["check-backend", name, "--kind", "lights-out", "--level", "quick", "--json"]
    done = crosslit(*words, env=planted_environment)
    assert (done.returncode, done.stderr) == (1, "")
    (boards,) = map(json.loads, done.stdout.splitlines())
    assert (boards["kind"], boards["passed"]) == ("lights-out", False)
    assert [check["check"] for check in boards["checks"]] == NAMES
    (found,) = (check for check in boards["checks"] if check["check"] == "answers right")
    assert (found["status"], found["detail"][: len(detail)], bool(found["puzzle"])) == ("failed", detail, True)


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
        yield CheckOutcome(NAMES[0], "passed")
        execute.__self__.interrupted = True
        yield CheckOutcome(NAMES[1], "passed")

    said: list[str] = []
    monkeypatch.setattr(Progress, "says", lambda _, text: said.append(text))
    monkeypatch.setattr("crosslit_verify.contract_checks.check", check)
    done = CliRunner().invoke(root, ["check-backend", "gauss", "--kind", "lights-out"])
    assert (done.exit_code, done.stdout, said[-1]) == (130, "", f"1/9 done; now gauss: {NAMES[1]}")


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("gauss --kind=nonogram", "crosslit: backend 'gauss': does not solve nonogram puzzles\n"),
        ("version-raises", "its version() raised ZeroDivisionError"),
        ("broken-plugin", "cannot be loaded: No module named 'planted_nowhere'"),
    ],
)
def test_a_bad_spec_is_one_line(crosslit: Command, planted_environment: dict[str, str], spec: str, reason: str) -> None:
    done = crosslit("check-backend", *spec.split(), env=planted_environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1
