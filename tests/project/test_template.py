"""The template of a backend, and the page about it: each command of that page is run."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.conftest import ROOT, Command, installed

TEMPLATE = ROOT / "examples" / "template-backend"
PAGE = (ROOT / "docs" / "how-to" / "add-a-backend.md").read_text(encoding="utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]


@pytest.fixture
def template(tmp_path: Path) -> dict[str, str]:
    return installed(tmp_path, TEMPLATE)


def test_the_page_starts_from_the_template() -> None:
    assert COMMANDS[:2] == [f"cp -r {TEMPLATE.relative_to(ROOT)} my-solver", "pip install --editable ./my-solver"]
    assert all((ROOT / "docs" / "how-to" / link).exists() for link in re.findall(r"\]\((\.\./[^)]+)\)", PAGE))


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(command, marks=[pytest.mark.slow] if "check-backend glucose4" in command else [])
        for command in COMMANDS[2:]
    ],
)
def test_a_command_of_the_page_works(crosslit: Command, template: dict[str, str], command: str) -> None:
    program, *arguments = shlex.split(command)
    assert program == "crosslit"
    few = ["--level", "quick"] if arguments[0] == "check-backend" else []  # the page has the usual size
    done = crosslit(*arguments, *few, "--json", env=template)
    assert (done.returncode, done.stderr) == (0, "")
    if arguments[0] == "check-backend":
        (record,) = map(json.loads, done.stdout.splitlines())
        skipped = {check["check"] for check in record["checks"] if check["status"] == "skipped"}
        questions = {"counts the solutions", "finds the fewest presses"}
        assert (record["passed"], skipped) == (True, questions)


@pytest.mark.slow
def test_a_solver_put_into_the_template_with_a_bug_is_caught(crosslit: Command, tmp_path: Path) -> None:
    """The steps of a newcomer: copy, replace the code between the lines, check."""
    copy = tmp_path / "my-solver"
    shutil.copytree(TEMPLATE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    module = copy / "template_backend.py"
    module.write_text(
        module.read_text(encoding="utf-8").replace("range(1 << puzzle.columns)", "range(puzzle.columns)"),
        encoding="utf-8",
    )
    done = crosslit("check-backend", "template", "--level", "quick", env=installed(tmp_path, copy))
    assert done.returncode == 1
    assert "failed   answers right: false-unsolvable: claims completeness" in done.stdout
