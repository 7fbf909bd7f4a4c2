"""Round trips through other programs: encode a puzzle, solve the file with a command, decode the answer.

    python -m benchmarks.forms [--puzzles N] [TARGET[=COMMAND] ...]

It uses N boards and N nonograms for each target (default 20) and some small extremes, takes the encodings of the target
in turn, and the commands of `tests.contract.test_forms` unless others are given. In a command, ``{}`` stands for the
file, and ``{}.out`` for its output file if it has one. For XCSP3, Debian and PyPI have only Java programs:
``xcsp3='java -jar ACE-2.6.jar {}'``, with the jar from the wheel of pycsp3. The exit status is 1 if any answer is
neither a solution nor a true claim that there is none.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

from crosslit_verify.contract_checks import by_rules

from crosslit import load
from crosslit.base.errors import GaveUp, UnreadableModel
from crosslit.contract import Encoding
from crosslit.contract.registered import forms
from crosslit.kinds import Puzzle
from crosslit.questions.formula import formula_of
from crosslit.registry import all_encodings
from tests.contract.test_forms import SOLVERS, outside, puzzles

# Formulas with variables in no constraint, without constraints, without solutions, and with one cell.
EXTREMES = (
    *("0", "1", "_", "1_/00", "press=010,000,000/10/00", "press=1/10", "1111/1111/1111/1111", "wrap=torus/1"),
    *("0|0", "1|1", "0|1", "2|1", "0,0|0,0,0", "0,3,0|1,1,1", "1,1|1,1", "1 1|1,0,1"),
)
_EXTENSIONS = {"xcsp3": "xml"}  # ACE rejects other extensions


def main() -> int:
    """Print a line for each target: the number of answers that were solutions, true claims of none, anything else."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--puzzles", type=int, default=20, metavar="N", help="of each kind (default 20)")
    parser.add_argument("commands", nargs="*", metavar="TARGET[=COMMAND]", default=[*SOLVERS])
    arguments = parser.parse_args()
    commands = {
        target: command or SOLVERS[target] for target, _, command in (w.partition("=") for w in arguments.commands)
    }
    for program in (command.split()[0] for command in commands.values()):
        if shutil.which(program) is None:
            parser.error(f"{program} is not installed")
    tried = [*map(load, EXTREMES), *puzzles(arguments.puzzles)]
    status = 0
    for target, command in commands.items():
        with tempfile.TemporaryDirectory() as folder:
            found = Counter(
                _trip(target, command, puzzle, encoding, Path(folder, f"puzzle.{_EXTENSIONS.get(target, target)}"))
                for number, puzzle in enumerate(tried)
                for encoding in _encodings(puzzle, target, number)
            )
        counts = ", ".join(f"{count} {what}" for what, count in sorted(found.items()))
        print(f"{target}: {counts}; {command}", flush=True)
        status |= not {*found} <= {"solved", "unsolvable", "not encodable"}
    return status


def _encodings(puzzle: Puzzle, target: str, number: int) -> list[Encoding]:
    """Return all encodings for an extreme, and one in turn for another puzzle."""
    found = [
        encoding
        for encoding in all_encodings().values()
        if encoding.kind == puzzle.kind and encoding.target in forms()[target].load().TARGETS
    ]
    return found if number < len(EXTREMES) else [found[number % len(found)]]


def _trip(target: str, command: str, puzzle: Puzzle, encoding: Encoding, path: Path) -> str:
    try:
        formula = formula_of(puzzle, encoding, target)
    except GaveUp:
        return "not encodable"
    path.write_bytes(b"".join(formula.written([puzzle.text], False)))
    lines = outside(command, path)
    try:
        status, grid, _ = formula.answer(lines)
    except UnreadableModel as error:
        status, grid = f"unreadable ({error})", None
    if grid is not None:
        result = "wrong" if any(puzzle.violations(grid)) else "solved"
    elif status == "unsatisfiable":
        result = "falsely called unsolvable" if by_rules(puzzle).solutions else "unsolvable"
    else:
        result = status or "unreadable"
    if result not in ("solved", "unsolvable"):
        print(f"{target} {encoding.name} {puzzle.text}: {result}", *lines[:20], sep="\n  ", file=sys.stderr)
    return result


if __name__ == "__main__":
    raise SystemExit(main())
