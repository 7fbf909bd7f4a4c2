"""The imports of a start: an engine, or numpy, takes longer to import than a small puzzle to solve."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.test_help import ALL
from tests.conftest import ROOT

HEAVY = {"numpy", "ortools", "pysat", "sqlite3"}
HELP = "; ".join(
    [
        "import sys",
        "from click.testing import CliRunner",
        "from crosslit.cli.group import root",
        f"failed = [words for words in {list(ALL)!r} if CliRunner().invoke(root, [*words, '--help']).exit_code]",
        f"print(failed, {HEAVY!r} & set(sys.modules))",
    ]
)
NATIVE = """
compare 10/01 --backends gauss,line
compare 1,1|1,1 --backends line,alignment --all
convert 10/01 board.json
count 10/01
enumerate 10/01
enumerate 1,1|1,1
explain 10/00
generate lights-out 3x3
generate nonogram 5x5
show 10/01
solve 1,1|1,1
solve 10/01
solve 10/01 --backend gauss
""".strip().splitlines()


def imported(folder: Path, *words: str) -> set[str]:
    """Return the modules that a command imports, its worker processes included."""
    environment = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1"}
    command = [sys.executable, "-X", "importtime", "-m", "crosslit", *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)
    lines = (line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:"))
    return {*lines}


def test_no_help_imports_an_engine() -> None:
    done = subprocess.run([sys.executable, "-c", HELP], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[] set()\n", "")


@pytest.mark.parametrize("line", NATIVE)
def test_no_command_on_a_small_puzzle_by_a_native_solver_imports_an_engine(line: str, tmp_path: Path) -> None:
    modules = imported(tmp_path, *line.split())
    assert "crosslit.cli.group" in modules
    assert HEAVY & modules == set()


def test_hybrid_imports_no_engine_where_it_needs_none() -> None:
    script = "import crosslit, sys; crosslit.solve(crosslit.load({!r}), 'hybrid:kernel=no'); print(*sys.modules)"
    engines = {"numpy", "pysat", "crosslit_encoders.formula"}
    for puzzle, needed in ((str(ROOT / "examples" / "article-50x50.txt"), set()), ("1,1|1,1", engines)):
        done = subprocess.run([sys.executable, "-c", script.format(puzzle)], capture_output=True, text=True, check=True)
        assert engines & set(done.stdout.split()) == needed
