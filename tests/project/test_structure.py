"""The structure of the project: allowed imports, cost of imports, size of files."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib

import pytest

from tests.conftest import ROOT, Command

SOURCES = sorted(
    path
    for root in ("src", "encoders", "backends", "verify", "bench", "generate", "play")
    for path in (ROOT / root).rglob("*.py")
)


def test_imports_go_one_way() -> None:
    command = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run([sys.executable, "-c", command, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_no_file_is_too_long_to_read() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    assert {path: length for path, length in lengths.items() if length > 450} == {}


def test_tests_and_benchmarks_name_the_encoding_of_their_files() -> None:
    # ruff's PLW1514 has the same rule where it knows that a value is a path; it does not know most paths of tests
    calls = [
        (path.relative_to(ROOT), node)
        for folder in ("tests", "benchmarks", "docs", ".ci")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
    ]
    positional = {"read_text": 0, "write_text": 1}  # arguments before the encoding
    without = [
        f"{path}:{node.lineno}"
        for path, node in calls
        if len(node.args) <= positional.get(getattr(node.func, "attr", ""), -1)
        and not any(keyword.arg == "encoding" for keyword in node.keywords)
    ]
    assert without == []


def test_no_module_has_the_name_of_a_public_function() -> None:
    import crosslit

    modules = {path.stem for path in (ROOT / "src" / "crosslit").iterdir()}
    assert not modules & set(crosslit.__all__)
    assert all(getattr(crosslit, name) for name in crosslit.__all__)


_ACCESSORS = """
import contextlib, dataclasses, functools, importlib, operator, pkgutil, sys

@dataclasses.dataclass
class Planted:
    __slots__ = ()
    cached = property(functools.lru_cache(lambda self: 0))
    read = property(operator.attrgetter("cached"))

classes = {Planted}
for package in map(importlib.import_module, sys.argv[1:]):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        with contextlib.suppress(ImportError):  # an engine that is not installed, or a library that is not Python's
            members = vars(importlib.import_module(module.name)).values()
            classes.update(found for found in members if isinstance(found, type))
slotted = [found for found in classes if dataclasses.is_dataclass(found) and "__slots__" in vars(found)]
for found in slotted:
    for name, member in vars(found).items():
        accessors = (member.fget, member.fset, member.fdel) if isinstance(member, property) else ()
        if any(accessor and not hasattr(accessor, "__code__") for accessor in accessors):
            print(f"{found.__name__}.{name}")
"""


def test_properties_of_dataclasses_with_slots_are_plain_functions() -> None:
    # Python 3.14 reads the code of each when it makes such a class, and fails on that of a cached one.
    command = [sys.executable, "-c", _ACCESSORS, *sorted({path.relative_to(ROOT).parts[1] for path in SOURCES})]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["Planted.cached", "Planted.read"]


def imported(arguments: list[str]) -> set[str]:
    """The top-level modules that a command imports, its worker processes included."""
    environment = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1"}
    command = [sys.executable, "-X", "importtime", "-m", "crosslit", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    lines = (line.split("|")[-1].strip() for line in done.stderr.splitlines() if line.startswith("import time:"))
    return {line.split(".")[0] for line in lines}


def test_help_is_light() -> None:
    modules = imported(["--help"])
    assert "click" in modules
    assert not modules & {"numpy", "ortools", "pysat", "crosslit_backends", "crosslit_encoders"}


@pytest.mark.parametrize("arguments", [["10/01"], ["1,1|1,1", "--backend", "line"]])
def test_a_native_solve_imports_no_engine(arguments: list[str]) -> None:
    modules = imported(["solve", *arguments])
    assert "crosslit_backends" in modules
    assert not modules & {"numpy", "ortools", "pysat", "crosslit_encoders"}


def test_hybrid_imports_no_engine_where_it_needs_none() -> None:
    script = "import crosslit, sys; crosslit.solve(crosslit.load({!r}), 'hybrid:kernel=no'); print(*sys.modules)"
    engines = {"numpy", "pysat", "crosslit_encoders"}
    for puzzle, needed in ((str(ROOT / "examples" / "article-50x50.txt"), set()), ("1,1|1,1", engines)):
        done = subprocess.run([sys.executable, "-c", script.format(puzzle)], capture_output=True, text=True, check=True)
        assert engines & set(done.stdout.split()) == needed


def test_a_pytest_session_loads_the_plugin_alone() -> None:
    script = (
        "import pytest, sys; before = {*sys.modules}; import crosslit.pytest_plugin; print(*{*sys.modules} - before)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    names = ("", ".base", ".base.display", ".base.version", ".pytest_plugin")
    assert sorted(done.stdout.split()) == [f"crosslit{name}" for name in names]
    points = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    assert points["pytest11"] == {"crosslit": "crosslit.pytest_plugin"}


def test_a_worker_imports_only_its_own_engine() -> None:
    assert "ortools" not in imported(["solve", "10/01", "--backend", "glucose4"])


def test_the_module_is_the_command(crosslit: Command) -> None:
    assert crosslit("--version").stdout.startswith("crosslit, version 0.")


def test_the_page_on_architecture_is_generated_from_the_code() -> None:
    from benchmarks import architecture

    assert architecture.PAGE.read_text(encoding="utf-8") == architecture.page(), (
        "python -m benchmarks.architecture --write"
    )


def test_the_documents_name_every_word_of_the_json() -> None:
    from typing import get_args

    from crosslit.contract.run import RunStatus
    from crosslit.judging.verdict import PROBLEMS, VerdictStatus
    from crosslit.kinds.registry import OWN

    page = (ROOT / "docs" / "reference" / "json.md").read_text(encoding="utf-8")
    words = (*PROBLEMS, *get_args(RunStatus), *get_args(VerdictStatus), *OWN)
    assert [word for word in words if f"`{word}`" not in page] == []


def test_every_listed_mutation_applies_once_and_has_its_tests() -> None:
    from benchmarks.mutations import LIST, listed

    rotten = [
        mutation.label()
        for mutation in listed(LIST)
        if (ROOT / mutation.file).read_text(encoding="utf-8").count(mutation.old) != 1
        or not all((ROOT / test.partition("::")[0]).exists() for test in mutation.tests)
    ]
    assert rotten == []
