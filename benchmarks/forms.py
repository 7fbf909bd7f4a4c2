"""Round trips through other programs: encode a puzzle, solve the file with a command, decode the answer.

    python -m benchmarks.forms [--puzzles N] [TARGET[=COMMAND] ...]

It uses N boards and N nonograms for each target (default 20), and the commands of `tests.test_forms` unless others are
given. In a command, ``{}`` stands for the file, and ``{}.out`` for its output file if it has one. For XCSP3, Debian and
PyPI have only Java programs: ``xcsp3='java -jar ACE-2.6.jar {}'``, with the jar from the wheel of pycsp3. The exit
status is 1 if any answer is neither a solution nor a true claim that there is none.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from crosslit.conformance.samples import by_rules
from tests.test_forms import SOLVERS, puzzles

CROSSLIT = (sys.executable, "-m", "crosslit")
_EXTENSIONS = {"xcsp3": "xml"}  # ACE rejects other extensions
_STATUS = {0: "solved", 1: "wrong", 2: "unreadable", 3: "undecided"}


def main() -> int:
    """Print a line for each target: the number of answers that were solutions, true claims of none, anything else."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--puzzles", type=int, default=20, metavar="N", help="of each kind (default 20)")
    parser.add_argument("commands", nargs="*", metavar="TARGET[=COMMAND]", default=[*SOLVERS])
    arguments = parser.parse_args()
    texts = [puzzle.text for puzzle in puzzles(arguments.puzzles)]
    status = 0
    for target, _, command in (word.partition("=") for word in arguments.commands):
        command = command or SOLVERS[target]
        with tempfile.TemporaryDirectory() as folder:
            found = Counter(
                _trip(target, command, text, Path(folder, f"{number}.{_EXTENSIONS.get(target, target)}"))
                for number, text in enumerate(texts)
            )
        counts = ", ".join(f"{count} {what}" for what, count in sorted(found.items()))
        print(f"{target}: {counts}; {command}", flush=True)
        status |= not {*found} <= {"solved", "unsolvable"}
    return status


def _trip(target: str, command: str, text: str, path: Path) -> str:
    from crosslit import load

    subprocess.run([*CROSSLIT, "encode", text, "--target", target, "-o", path], check=True, capture_output=True)
    done = subprocess.run(command.replace("{}", str(path)).split(), capture_output=True, text=True)
    answer = Path(f"{path}.out")
    if not answer.exists():
        answer.write_text(done.stdout)
    decoded = subprocess.run([*CROSSLIT, "decode", text, answer, "--target", target], capture_output=True, text=True)
    if "no solution" in decoded.stdout:
        return "falsely called unsolvable" if by_rules(load(text)).solutions else "unsolvable"
    return _STATUS[decoded.returncode]


if __name__ == "__main__":
    raise SystemExit(main())
