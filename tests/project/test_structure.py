"""The structure of the project: allowed imports, and what importing costs."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

from tests.conftest import ROOT


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
    names = ("", ".base", ".base.display", ".base.version", ".pytest_plugin")
    assert sorted(done.stdout.split()) == [f"crosslit{name}" for name in names]
    points = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    assert points["pytest11"] == {"crosslit": "crosslit.pytest_plugin"}


def test_the_documents_name_every_word_of_the_json() -> None:
    from typing import get_args

    from crosslit.contract.run import RunStatus
    from crosslit.judging.verdict import VerdictStatus
    from crosslit.kinds.registry import OWN

    page = (ROOT / "docs" / "reference" / "json.md").read_text(encoding="utf-8")
    words = (*get_args(RunStatus), *get_args(VerdictStatus), *OWN)  # the page of the site also has the problems
    assert [word for word in words if f"`{word}`" not in page] == []
