"""A distribution with its own question, which Crosslit asks and judges like any other."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Command, installed

PROJECT = Path(__file__).parents[2] / "planted_question"
ASK = """
import json, sys
from crosslit import load
from crosslit.questions.ask import ask
found = ask(load(sys.argv[1]), "parity", sys.argv[2] or None)
json.dump(found.json() | {"statuses": [run.status for run in found.runs]}, sys.stdout)
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return installed(tmp_path, PROJECT)


@pytest.mark.parametrize(
    ("puzzle", "backends", "parity", "problems"),
    [
        ("10000/11110/11111/11110/10000", "", 0, []),  # the default is the backend of the plugin
        ("111/111/111", "parity", 1, []),
        ("111/111/111", "parity,parity-odd", 1, []),
        ("1111/1111/1111/1111", "parity,parity-odd", None, []),
        ("111/111/111", "parity,parity-huge", 1, ["error"]),
    ],
)
def test_a_question_of_a_plugin_is_asked_and_judged(
    environment: dict[str, str], puzzle: str, backends: str, parity: int | None, problems: list[str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASK, puzzle, backends], env=environment, capture_output=True, text=True, timeout=60
    )
    assert not done.stderr
    found = json.loads(done.stdout)
    assert found["parity"] == parity
    assert [finding["problem"] for finding in found["findings"]] == problems


def test_no_backend_answers_a_question_of_another_kind(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASK, "1|1", "gauss"], env=environment, capture_output=True, text=True, timeout=60
    )
    assert "SpecError: no backend among gauss can find the parity" in done.stderr


def test_a_backend_that_answers_it_alone_is_listed_and_checked(crosslit: Command, environment: dict[str, str]) -> None:
    listed = [json.loads(line) for line in crosslit("backends", "--json", env=environment).stdout.splitlines()]
    assert "parity" in {backend["name"] for backend in listed}
    compared = crosslit("compare", "111/111/111", "--backends", "parity,gauss", env=environment)
    assert "cannot find all solutions" in compared.stdout + compared.stderr
    assert crosslit("check-backend", "parity", env=environment).returncode == 0
