"""Run every example of every help text beside a copy of examples/, with the installed package and its extra ``report``.

With the word ``first``, only the first example of each command, which may fail but not by a fault of Crosslit.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click

from crosslit.cli.group import root
from crosslit.cli.output import BUG

FIRST = sys.argv[1:] == ["first"]
EXAMPLES = Path(__file__).resolve().parent.parent / "examples"

# What users bring: a solver of nonograms, results of other campaigns.
PROGRAMS = {
    "my-solver": f"""#!{sys.executable}
import crosslit, sys
solution = crosslit.solve(crosslit.load(sys.argv[1]))
print(solution.text if solution else "unsolvable")
""",
}
COPIES = {
    "old.sqlite": "campaign.sqlite",
    "new.sqlite": "campaign.sqlite",
    "campaign.2-of-2.sqlite": "campaign.1-of-2.sqlite",
}
# Beside 0: too few puzzles for a comparison, or judged in ten seconds of a busy machine.
TOO_FEW = (
    "crosslit bench diff old.sqlite new.sqlite",
    "crosslit verify --kind nonogram --seconds 10 -- ./my-solver {file}",
)


def examples(command: click.Command) -> Iterator[str]:
    """Yield the examples of a command and of those below it."""
    yield from command.examples[: 1 if FIRST else None]  # type: ignore[attr-defined]
    if isinstance(command, click.Group):
        with click.Context(command) as ctx:
            for name in command.list_commands(ctx):
                below = command.get_command(ctx, name)
                assert below is not None
                yield from examples(below)


def failure(example: str) -> str:
    """Run an example, and return what went wrong, or nothing."""
    started = time.monotonic()
    done = subprocess.run(example, shell=True, capture_output=True, text=True)
    sound = done.returncode != BUG and "Traceback" not in done.stderr
    if done.returncode == 0 or (done.returncode == 3 and example in TOO_FEW) or (FIRST and sound):
        print(f"{time.monotonic() - started:5.1f} s  {example}", flush=True)
        return ""
    return f"{example}\nended with {done.returncode}:\n{done.stdout}{done.stderr}"


os.chdir(tempfile.mkdtemp())
shutil.copytree(EXAMPLES, "examples")
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
for name, text in PROGRAMS.items():
    Path(name).write_text(text, encoding="utf-8")
    Path(name).chmod(0o755)
left, before = [*dict.fromkeys(examples(root))], 0
while left and len(left) != before:  # some examples read what others write, so those that fail run again
    with ThreadPoolExecutor() as pool:
        before, failures = len(left), [*zip(left, pool.map(failure, left), strict=True)]
    left = [example for example, problem in failures if problem]
    for copy, original in COPIES.items():
        if Path(original).exists():
            shutil.copy(original, copy)
sys.exit("\n".join(problem for _, problem in failures if problem) or None)
