"""What the command line loads: numpy takes longer to import than a small puzzle to solve."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.cli.test_help import ALL

HELP = "; ".join(
    [
        "import sys",
        "from click.testing import CliRunner",
        "from crosslit.cli.group import root",
        f"failed = [words for words in {list(ALL)!r} if CliRunner().invoke(root, [*words, '--help']).exit_code]",
        "print(failed, 'numpy' in sys.modules)",
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
size 10
solve 1,1|1,1
solve 10/01
solve 10/01 --backend gauss
""".strip().splitlines()


def test_no_help_imports_numpy() -> None:
    done = subprocess.run([sys.executable, "-c", HELP], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[] False\n", "")


@pytest.mark.parametrize("line", NATIVE)
def test_no_command_on_a_small_puzzle_by_a_native_solver_imports_numpy(line: str, tmp_path: Path) -> None:
    words = [sys.executable, "-X", "importtime", "-m", "crosslit", *line.split()]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
    modules = {
        entry.rpartition("|")[2].strip() for entry in done.stderr.splitlines() if entry.startswith("import time:")
    }
    assert "crosslit.cli.group" in modules
    assert "numpy" not in modules, done.stderr
