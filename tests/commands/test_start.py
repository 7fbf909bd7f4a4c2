"""The imports of a start: an engine, or numpy, takes longer to import than a small puzzle to solve."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.test_help import ALL
from tests.conftest import ROOT

ENGINES = ("numpy", "ortools", "pysat", "sqlite3")
HEAVY = {*ENGINES, *["PIL", "dask", "jinja2", "matplotlib", "multiprocessing", "pandas", "scipy"]}
HEAVY |= {"crosslit_verify.session", "crosslit.runs.runner"}
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
compare 10/01 --backends gauss,polynomial --all
convert 10/01 board.json
count 10/01
enumerate 10/01
explain 10/00
generate nonogram --size 5x5
show 10/01 --solution
solve 1,1|1,1
solve 10/01
solve --fewest 10/01
stats 10/01 --backends gauss
""".strip().splitlines()
COMMANDS = """
import os, sys
from crosslit.cli import main
failed = []
for line in sys.argv.pop().splitlines():
    if not (pid := os.fork()):
        sys.argv[1:] = line.split()
        main()
    if os.waitpid(pid, 0)[1]:
        failed.append(line)
sys.exit("; ".join(failed) or 0)
"""
STUB = """
import os, sys
with open(os.environ["LOADED"], "a") as file:
    file.write(f"{__name__}: {' '.join(sys.argv)}\\n")
raise ImportError("a command that does not need it loads it")
"""


def test_no_help_imports_an_engine() -> None:
    done = subprocess.run([sys.executable, "-c", HELP], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[] set()\n", "")


@pytest.mark.slow
def test_no_command_on_a_small_puzzle_by_a_native_solver_imports_an_engine(tmp_path: Path) -> None:
    """In worker processes, too; the commands are forked, because an interpreter takes longer to start than they do."""
    for name in ENGINES:
        (tmp_path / f"{name}.py").write_text(STUB, encoding="utf-8")
    loaded = tmp_path / "loaded"
    loaded.touch()
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "LOADED": str(loaded)}
    command = [sys.executable, "-c", COMMANDS, "\n".join(NATIVE)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert (done.returncode, loaded.read_text(encoding="utf-8")) == (0, ""), done.stderr


def test_hybrid_imports_no_engine_where_it_needs_none() -> None:
    script = "import crosslit, sys; crosslit.solve(crosslit.load({!r}), 'hybrid:kernel=no'); print(*sys.modules)"
    engines = {"numpy", "pysat", "crosslit_encoders.formula"}
    for puzzle, needed in ((str(ROOT / "examples" / "article-50x50.txt"), set()), ("1,1|1,1", engines)):
        done = subprocess.run([sys.executable, "-c", script.format(puzzle)], capture_output=True, text=True, check=True)
        assert engines & set(done.stdout.split()) == needed
