"""The page of findings is what its script writes, and its commands and its reports work."""

from __future__ import annotations

import doctest
import importlib
import importlib.metadata
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from crosslit_verify.cli.verify import command as verify

from tests.conftest import ROOT

TRIALS = ROOT / "examples" / "trials"
PAGE = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")


sys.path.insert(0, str(TRIALS))  # the scripts import one another
RUN = importlib.import_module("run")
sys.path.remove(str(TRIALS))
SOLVERS, REPORTS, _ = RUN.load()
RESULTS: dict[str, Any] = json.loads(RUN.RESULTS.read_text(encoding="utf-8"))
FAILING = [solver for solver in SOLVERS if RESULTS.get(solver.name, {}).get("findings")]


def test_the_page_shows_the_results() -> None:
    assert RUN.page(RESULTS) == PAGE


def test_the_examples_of_the_script_are_right() -> None:
    assert doctest.testmod(RUN).failed == 0


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.name)
def test_the_verify_command_of_a_row_has_options_that_exist_and_files_that_exist(solver: Any) -> None:
    assert solver.verify in PAGE
    words = shlex.split(solver.verify)[2:]
    with verify.make_context("verify", words) as ctx:
        assert ctx.params["kind"] == solver.kind
    files = [word for word in words if word.startswith("examples/")]
    assert files
    assert [file for file in files if not (ROOT / file).exists()] == []


@pytest.mark.parametrize("solver", FAILING, ids=lambda solver: solver.name)
def test_every_counterexample_is_known_and_has_a_report(solver: Any) -> None:
    assert solver.reports
    for name in solver.reports:
        assert f"](reports/{name}.md)" in PAGE
        assert all(RUN.script(name))


def test_every_report_belongs_to_a_failing_row() -> None:
    used = {name for solver in FAILING for name in solver.reports}
    assert {path.stem for path in RUN.REPORTS.glob("*.md")} == used == set(REPORTS)


def test_a_report_whose_newest_release_is_right_is_out_of_date(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = tmp_path / "fault.md"
    page.write_text("```python\nprint('wrong')\n```\n\n```text\nwrong\n```\n")
    monkeypatch.setattr(RUN, "REPORTS", tmp_path)
    monkeypatch.setattr(RUN, "newest", lambda *_: "2.0")
    monkeypatch.setattr(RUN, "install", lambda _python, lines, _scratch: lines[0])
    printed = {"pip install one==1.0": "wrong\n", "pip install one==2.0": "right\n"}
    monkeypatch.setattr(RUN, "shell", lambda _lines, home, _seconds, _text: (0, printed[home], ""))

    def outdated() -> str:
        return str(RUN.outdated("fault", "3.11", ["pip install one==1.0"], tmp_path))

    assert "pip install one==2.0 prints 'right" in outdated()
    page.write_text(page.read_text() + "* Right: 2.0.\n")
    assert outdated() == ""
    printed["pip install one==2.0"] = "a banner\nwrong\n"
    page.write_text(page.read_text().partition("* Right")[0])
    assert outdated() == ""
    printed["pip install one==1.0"] = "right\n"
    with pytest.raises(RuntimeError, match="expected 'wrong"):
        outdated()


def test_the_newest_release_is_that_of_each_installer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A repository has its newest commit."""
    found = {("one", "=="): "2.0", ("two", "@"): "3.0"}
    monkeypatch.setattr(RUN, "newest", lambda *pin: found.get(pin, ""))
    lines = [
        "pip install one==1.0 other==1.1",
        "npm install -g two@1.2",
        "git clone https://host/a",
        "git -C a checkout 1f",
    ]
    assert RUN.with_newest(lines) == [
        "pip install one==2.0 other==1.1",
        "npm install -g two@3.0",
        "git clone https://host/a",
    ]


def test_every_report_of_variants_names_an_engine_that_pip_installs_and_is_on_the_page() -> None:
    for name, lines in RUN.variant_reports().items():
        assert "==" in lines[0]
        assert all(RUN.script(name))
        assert f"](reports/{name}.md)" in PAGE


def _is_installed(solver: Any) -> bool:
    """Return whether the packages of a row are installed here at their versions, and nothing else is needed."""
    requirements = [word.split("==") for line in solver.install for word in line.split()[2:]]
    try:
        return all(line.startswith("pip install") for line in solver.install) and all(
            importlib.metadata.version(name) == version for name, version in requirements
        )
    except importlib.metadata.PackageNotFoundError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("solver", list(filter(_is_installed, FAILING)), ids=lambda solver: solver.name)
def test_the_counterexamples_and_the_reports_of_installed_packages_are_reproduced(solver: Any, tmp_path: Path) -> None:
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}

    def output(command: str, folder: Path, text: str = "") -> str:
        words = ["bash", "-c", command]
        return subprocess.run(words, cwd=folder, env=environment, input=text, capture_output=True, text=True).stdout

    for finding in RESULTS[solver.name]["findings"]:
        assert output(solver.ask(finding["puzzle"]), ROOT).strip() == finding["seen"]
    for name in solver.reports if not solver.inherited else []:
        interpreter, text, expected = RUN.script(name)
        assert output(interpreter, tmp_path, text) == expected
