"""The compiled kernel: what is said where it is missing, and its build."""

from __future__ import annotations

import json
import os
import shutil
from array import array
from pathlib import Path

import pytest
from crosslit_backends import compiled

from crosslit import __version__
from crosslit.base.errors import SpecError
from crosslit.formats import read
from crosslit.registry import select_one
from tests.conftest import Command
from tests.driving import solve_inline
from tests.solvers.nonogram.puzzles import KERNEL


@pytest.mark.skipif(os.environ.get("CROSSLIT_KERNEL") == "0", reason="the kernel is switched off")
@pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler")
def test_there_is_a_kernel_where_there_is_a_compiler() -> None:
    assert compiled.missing() == ""


def test_a_puzzle_that_is_too_large_is_left_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "MAX_CELLS", 3)
    puzzle = read("1,1|1,1")
    assert len(solve_inline("line", puzzle)) == 2
    if not compiled.missing():
        with pytest.raises(SpecError, match="kernel=yes, but 4 cells are too many for the kernel"):
            select_one("line:kernel=yes", puzzle)


def test_switched_off_it_is_said(crosslit: Command) -> None:
    environment = {**os.environ, "CROSSLIT_KERNEL": "0"}
    listed = crosslit("backends", "--json", env=environment).stdout
    assert f'"{__version__}, kernel: none, pure Python runs (switched off by CROSSLIT_KERNEL=0)"' in listed
    table = " ".join(crosslit("backends", env=environment).stdout.split())
    assert "alignment, hybrid, line: pure Python runs, up to 130 times as slow" in table
    assert crosslit("solve", "1,1|2,0", "--backend", "line", env=environment).returncode == 0
    asked = crosslit("solve", "1,1|2,0", "--backend", "line:kernel=yes", env=environment)
    assert "kernel=yes, but switched off by CROSSLIT_KERNEL=0" in asked.stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("compare 1,1|1,1 1|1 --backends line,hybrid,gauss --json", "line, hybrid"),
        ("compare 1,1|1,1 --backends line:kernel=no,glucose4", ""),
        ("compare 10/11", ""),
        ("bench run campaign.toml --json", "line"),
    ],
)
def test_where_times_depend_on_the_kernel_one_line_says_that_there_is_none(
    crosslit: Command, tmp_path: Path, words: str, expected: str
) -> None:
    campaign = 'backends = ["line", "glucose4"]\n[[puzzles]]\npuzzles = ["1|1"]\n'
    (tmp_path / "campaign.toml").write_text(campaign, encoding="utf-8")
    environment = {**os.environ, "CROSSLIT_KERNEL": "0"}
    done = crosslit(*words.split(), cwd=tmp_path, env=environment)
    found = [line for line in done.stderr.splitlines() if "kernel" in line]
    slow = "pure Python runs, up to 130 times as slow as the compiled kernel (switched off by CROSSLIT_KERNEL=0)"
    assert found == ([f"crosslit: {expected}: {slow}"] if expected else [])
    assert "--json" not in words or all(map(json.loads, done.stdout.splitlines()))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the kernel's sources, from which it is loaded."""
    folder = tmp_path / "compiled"
    shutil.copytree(compiled._HOME, folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(compiled, "_HOME", folder)
    monkeypatch.setattr(compiled, "_LIBRARY", folder / "_kernel.so")
    monkeypatch.delenv("CROSSLIT_KERNEL", raising=False)
    return folder


def build(home: Path, folder: Path) -> str:
    """Compile the kernel as hatchling does."""
    return str(pytest.importorskip("hatch_build").build(home, folder))


def missing() -> str:
    """The reason why the kernel is missing, computed again."""
    return compiled.missing.__wrapped__()


@KERNEL
def test_a_library_that_is_not_that_of_its_sources_is_not_loaded(home: Path) -> None:
    assert missing() == ""
    stale = "the library is damaged or older than its sources: install Crosslit again"
    library = home / "_kernel.so"
    whole = library.read_bytes()
    library.write_bytes(whole[:8000])
    assert missing() == stale
    library.write_bytes(whole)
    source = home / "nonogram.c"
    source.write_text(source.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert missing() == stale
    library.unlink()
    assert "No such file" in missing()
    (home / "_kernel.txt").unlink()
    assert missing() == "not compiled: install Crosslit again"


@pytest.mark.parametrize(
    ("compiler", "reason"),
    [("/nonexistent/cc", "No such file"), ("false", "false ended with 1"), ("true", "cannot open shared object file")],
)
def test_without_a_compiler_that_works_it_is_said(
    home: Path, compiler: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", compiler)
    assert reason in build(home, home)
    assert reason in missing()


def test_without_any_compiler_it_is_said(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert build(home, home) == "no C compiler (cc, gcc, clang) when Crosslit was installed"
    assert missing() == "no C compiler (cc, gcc, clang) when Crosslit was installed"
    assert array("i").itemsize == 4  # which the clues are handed over as


def test_a_wheel_for_every_system_has_no_kernel(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSLIT_KERNEL", "0")
    assert build(home, home) == "this wheel is the one for every system"
    monkeypatch.delenv("CROSSLIT_KERNEL")
    assert missing() == "this wheel is the one for every system"
    assert not (home / "_kernel.so").exists()


@pytest.mark.parametrize(
    ("python", "processor", "flags", "expected"),
    [
        ("linux-x86_64", "x86_64", "", "linux-x86_64"),
        ("macosx-10.13-universal2", "x86_64", "", "macosx-10.13-x86_64"),
        ("macosx-10.13-universal2", "arm64", "", "macosx-11.0-arm64"),
        ("macosx-10.13-universal2", "arm64", "-arch arm64 -arch x86_64", "macosx-10.13-universal2"),
        ("macosx-11.0-arm64", "x86_64", "-arch arm64", "macosx-11.0-arm64"),
    ],
)
def test_a_wheel_is_for_the_processors_that_the_compiler_builds_for(
    python: str, processor: str, flags: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sysconfig.get_platform", lambda: python)
    monkeypatch.setattr("platform.machine", lambda: processor)
    monkeypatch.setenv("ARCHFLAGS", flags)
    assert pytest.importorskip("hatch_build")._platform() == expected
