"""Every command on other systems, each imitated by an interpreter that lacks the same parts of Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.commands.test_help import ALL
from tests.conftest import PLANTED
from tests.project.test_commands import JSON, folder

__all__ = ["folder"]

SIMULATED = Path(__file__).parents[1] / "simulated"
LINES = [
    *(f"{line} --json" if line.startswith("bench report") else line for line in JSON),
    "bench export c.sqlite -o runs.csv",
    "compare 10/11",
    "convert 10/11 board.json",
    "encode 10/11 -o board.cnf",
    "verify --kind nonogram --cases 3 -- cat",
]
PROMISED = ["backends", "convert", "decode", "encode", "generate", "page", "show", "solve"]
OTHERWISE = (
    "; without them, crosslit.solve and .solutions work in Python, and the commands solve, show, page, generate, "
    "convert, encode, decode and backends\n"
)
REFUSAL = (
    "crosslit: isolated runs need fcntl, resource and os.waitid, which this system lacks: Linux has them, macOS with "
    f"Python 3.13 or later, and Windows under WSL{OTHERWISE}"
)


def on(system: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python with these words on an imitated system."""
    environment = {**os.environ, "CROSSLIT_TEST_SYSTEM": system, "PYTHONPATH": str(SIMULATED)}
    return subprocess.run([sys.executable, *words], env=environment, capture_output=True, encoding="utf-8", timeout=120)


def test_every_command_is_tried() -> None:
    leaves = {path for path, command in ALL.items() if not isinstance(command, click.Group)}
    assert {path for path in leaves if not any(line.split()[: len(path)] == [*path] for line in LINES)} == set()


def run_all(system: str, lines: list[str], folder: Path, copies: Path) -> Iterator[tuple[str, int, str, str, set[str]]]:
    """Yield each command line, its exit status, its output and errors, and the names of the files in its own folder."""
    folders = [shutil.copytree(folder, copies / str(number)) for number in range(len(lines))]
    given = [(str(own), line.split()) for own, line in zip(folders, lines, strict=True)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (SIMULATED, PLANTED)))}
    command = [sys.executable, SIMULATED / "commands.py", system]
    done = subprocess.run(command, env=environment, input=json.dumps(given), stdout=subprocess.PIPE, text=True)
    for own, line, status in zip(folders, lines, json.loads(done.stdout), strict=True):
        output, errors = (own.with_suffix(f".{name}").read_text(encoding="utf-8") for name in ("out", "err"))
        yield line, status, output, errors, {path.name for path in own.iterdir()}


# the second system refuses in the same place, so a few commands will do
@pytest.mark.parametrize(("system", "step"), [pytest.param("windows", 1, marks=pytest.mark.slow), ("macos-3.12", 7)])
def test_without_isolated_runs_a_command_works_or_refuses_in_one_sentence(
    system: str, step: int, folder: Path, tmp_path: Path
) -> None:
    before = {path.name for path in folder.iterdir()}
    for line, status, output, errors, after in run_all(system, LINES[::step], folder, tmp_path):
        words = line.split()
        if status == 2 and words[0] not in PROMISED:
            assert (output, errors, after) == ("", REFUSAL, before), line
        else:
            # 3: `bench diff` has too few puzzles
            assert status == (1 if "wrong-grid" in words else 3 if "diff" in words else 0), (line, errors)
            assert output or "-o" in words or words[0] == "convert" or status, line
            assert "Traceback" not in errors, (line, errors)
            said = [text for text in errors.splitlines() if not text.endswith((": written", "`crosslit count` does"))]
            assert status or errors.count("no effect") == len(said) <= 1, (line, errors)


@pytest.mark.slow
def test_on_macos_with_python_3_13_every_command_works(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("psutil")
    for line, status, _, errors, _ in run_all("macos-3.13", LINES, folder, tmp_path):
        has_faults = "--backends" in line or "--backend " in line or " cat" in line
        assert status in ((0, 1) if has_faults else (0, 3)), (line, errors)
        assert "Traceback" not in errors and "no effect" not in errors, (line, errors)


@pytest.mark.parametrize("system", ["windows", "macos-3.12"])
def test_python_has_solvers_and_one_error_without_isolated_runs(system: str) -> None:
    code = """
import crosslit
print(crosslit.solve(crosslit.load('10/11')).text, crosslit.solve(crosslit.load('1,2|2,1')).text)
print(crosslit.solve(crosslit.load('1,2|2,1'), 'glucose4').text, crosslit.nullity(5, 5))
print(len(crosslit.backends()) > 30)
try:
    crosslit.compare(crosslit.load('10/11'))
except crosslit.CrosslitError as error:
    print("crosslit:", error)
"""
    done = on(system, "-c", code)
    assert (done.stdout, done.stderr) == (f"00/10 10/11\n10/11 2\nTrue\n{REFUSAL}", "")


@pytest.mark.slow
def test_a_page_made_in_this_process_equals_that_of_isolated_runs() -> None:
    code = "import crosslit, sys; sys.stdout.reconfigure(encoding='utf-8'); "
    code += "print(crosslit.page(['10/11', '1,1|1,1', '2|1', '111/111/111']))"
    isolated = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", timeout=120)
    done = on("windows", "-W", "ignore", "-c", code)
    assert (done.stdout, done.stderr, isolated.stderr) == (isolated.stdout, "", "")


PROGRAMS = {
    "memory": "import time; kept = bytearray(300 << 20); time.sleep(60)",
    "s of CPU time": "while True: pass",
    "orphaned-process": "import os, time; os.fork() or (os.close(1), os.close(2), time.sleep(60)); print('unsolvable')",
}
COMPARE = """
import shlex, sys
import crosslit
from crosslit.runs.runner import Runner
crosslit.add_solver("own", shlex.join([sys.executable, sys.argv[1]]) + " {file}")
with Runner(crosslit.Limits(timeout=60, memory_mb=200, cpu_timeout=1)) as runner:
    comparison = crosslit.compare("10/01", "own", runner=runner)
run = comparison.runs[0]
# Otherwise the kernel's own limit, which holds for each process and is higher, has ended it.
assert run.timing.cpu < 3, run.timing
print(run.status, run.error, *(finding.problem for finding in comparison.findings))
"""


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROGRAMS)
def test_limits_hold_on_macos_with_python_3_13(problem: str, tmp_path: Path) -> None:
    pytest.importorskip("psutil")
    (tmp_path / "own.py").write_text(PROGRAMS[problem], encoding="utf-8")
    done = on("macos-3.13", "-c", COMPARE, str(tmp_path / "own.py"))
    assert problem in done.stdout, done.stdout + done.stderr


def test_without_psutil_a_limit_without_effect_is_said_once() -> None:
    code = "import sys; sys.modules['psutil'] = None; from crosslit.cli import main; main()"
    done = on("macos-3.13", "-c", code, "compare", "10/01", "1|1", "--backends", "gauss,line")
    assert done.returncode == 0
    message = "limits of memory and CPU time have no effect without psutil: pip install psutil"
    assert done.stderr == f"crosslit: {message}\n"
