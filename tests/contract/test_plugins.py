"""Plugins that end the process, raise, print, or take a name: none ends a command that does not need it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from crosslit.base.errors import install_hint
from tests.conftest import Command

MODULES = {
    "script": "import sys\nprint('hello')\nsys.exit()",
    "raises": "raise KeyError('no such')",
    "intruder": """
from crosslit_backends.lights_out.gauss import Gauss
from crosslit.contract import COUNT
from crosslit.kinds import LightsOut

def backend(name):
    found = Gauss()
    found.name, found.groups = name, frozenset()
    return found

print('hello')
NUMBER = 5
NUMBERS = [5]
BACKENDS = [backend("sound"), backend("gauss")]
UNNAMED = [backend("Gau ss")]
""",
}
POINTS = {
    "backends": {
        "intruder": "intruder:BACKENDS",
        "unnamed": "intruder:UNNAMED",
        "number": "intruder:NUMBERS",
        "script": "script:BACKENDS",
        "line": "raises:BACKENDS",
    },
    "encoders": {
        "script": "script:ENCODINGS",
        "number": "intruder:NUMBER",
    },
    "kinds": {
        "script": "script:Kind",
        "raises": "raises:Kind",
        "number": "intruder:NUMBER",
        "twice": "intruder:LightsOut",
    },
    "questions": {"script": "script:Q", "number": "intruder:NUMBER", "count": "intruder:COUNT"},
    "commands": {"script": "script:command", "cnf": "intruder:NUMBER"},
}


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which a distribution with all these plugins is installed."""
    folder = tmp_path_factory.mktemp("intruder")
    for name, source in MODULES.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    metadata = folder / "intruder-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: intruder\nVersion: 1.0\n", encoding="utf-8")
    groups = (
        f"[crosslit.{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in POINTS.items()
    )
    (metadata / "entry_points.txt").write_text("".join(groups), encoding="utf-8")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}


SOLVER = [sys.executable, "-c", "print(input())"]  # which solves boards of one light


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", "10/01", "--backend", "gauss"),
        ("solve", "1|1", "--backend", "glucose4/order"),
        ("compare", "10/01", "--backends", "native,sound"),
        ("backends",),
        ("verify", "--kind", "lights-out", "--format", "inline", "--cases", "1", "--size", "1..1", "--", *SOLVER),
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_a_command_runs_next_to_plugins_that_it_does_not_need(
    crosslit: Command, environment: dict[str, str], tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    done = crosslit(arguments[0], "--json", *arguments[1:], env=environment, cwd=tmp_path)
    assert done.returncode == 0, done
    assert [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("backends", "number"), "a backend is a Backend with a name of lower case, digits and -, unlike 5"),
        (("backends", "script"), "script:BACKENDS of intruder cannot be loaded: SystemExit"),
        (("backends", "--json"), "raises:BACKENDS of intruder cannot be loaded: 'no such'"),  # its name is taken
        (
            ("backends", "intruder"),
            "intruder:BACKENDS of intruder cannot be loaded: there is a backend or a group gauss already",
        ),
        (("backends", "unnamed"), "a backend is a Backend with a name of lower case, digits and -, unlike 'Gau ss'"),
        (("solve", "script:1"), "kind 'script': script:Kind of intruder cannot be loaded: SystemExit"),
        (("solve", "raises:1"), "kind 'raises': raises:Kind of intruder cannot be loaded: 'no such'"),
        (("solve", "number:1"), "intruder:NUMBER of intruder cannot be loaded: 5 is not a kind"),
        (("solve", "twice:1"), "cannot be loaded: there is a kind lights-out already"),
        (("solve", "1|1", "--backend", "glucose4/x"), "; script:ENCODINGS of intruder cannot be loaded: SystemExit"),
        (("solve", "1|1", "--backend", "glucose4/x"), "intruder:NUMBER of intruder cannot be loaded: 'int' object is"),
    ],
)
def test_a_plugin_that_is_needed_is_named_with_its_fault(
    crosslit: Command, environment: dict[str, str], arguments: tuple[str, ...], message: str
) -> None:
    done = crosslit(*arguments, env=environment)
    assert message in " ".join((done.stdout + done.stderr).split())
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("more", "hint"), [(0, "it has no wheel for Python 3.{}"), (1, "pip install 'one>=1' two")])
def test_a_missing_extra_names_its_packages_if_this_python_has_them(
    more: int, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    minor = sys.version_info.minor
    needs = [f"one>=1; python_version < '3.{minor + more}' and extra == 'x'", "two ; extra == 'x'", "y; extra == 'xy'"]
    monkeypatch.setattr("importlib.metadata.requires", lambda _: needs)
    assert install_hint("x") == hint.format(minor)
    assert install_hint("z") == "pip install '.[z]'"
