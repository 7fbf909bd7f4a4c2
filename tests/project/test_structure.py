"""The structure of the code, what starts with a command, and the examples."""

from __future__ import annotations

import importlib
import json
import re
import shlex
import subprocess
import sys
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

from tests.conftest import ROOT, Command, installed


def test_imports_go_one_way() -> None:
    command = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run([sys.executable, "-c", command, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_no_file_needs_itself_even_by_a_deferred_import_or_a_type() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    graph = grimp.build_graph(*settings["root_packages"], cache_dir=None)
    TopologicalSorter({name: graph.find_modules_directly_imported_by(name) for name in graph.modules}).prepare()


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks").glob("*.py")), ids=lambda path: path.stem)
def test_every_benchmark_can_be_imported(path: Path) -> None:
    importlib.import_module(f"benchmarks.{path.stem}")  # nothing else notices that a module of the project has moved


def test_no_module_has_the_name_of_a_public_function() -> None:
    import crosslit

    modules = {path.stem for path in (ROOT / "src" / "crosslit").iterdir()}
    assert not modules & set(crosslit.__all__)
    assert all(getattr(crosslit, name) for name in crosslit.__all__)


def test_a_pytest_session_loads_the_plugin_alone() -> None:
    script = (
        "import pytest, sys; before = {*sys.modules}; import crosslit.pytest_plugin; print(*{*sys.modules} - before)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    names = ("", ".base", ".base.version", ".pytest_plugin")
    assert sorted(done.stdout.split()) == [f"crosslit{name}" for name in names]
    points = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    assert points["pytest11"] == {"crosslit": "crosslit.pytest_plugin"}


def test_the_documents_name_every_word_of_the_json() -> None:
    from typing import get_args

    from crosslit.contract.run import RunStatus
    from crosslit.judging.verdict import VerdictStatus
    from crosslit.kinds import OWN

    page = (ROOT / "docs" / "reference" / "json.md").read_text(encoding="utf-8")
    words = (*get_args(RunStatus), *get_args(VerdictStatus), *OWN)  # the page of the site also has the problems
    assert [word for word in words if f"`{word}`" not in page] == []


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
