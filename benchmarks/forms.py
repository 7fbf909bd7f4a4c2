"""Round trips through other programs: encode a puzzle, solve the file by a command, decode the answer.

    python -m benchmarks.forms [TARGET[=COMMAND] ...]

Twenty boards and twenty nonograms for each target, by the commands of `tests.test_forms` unless others are given. A
command has ``{}`` for the file, and ``{}.out`` where it writes its answer to one. For XCSP3 there is no command in
Debian or PyPI but Java programs: ``xcsp3='java -jar ACE-2.6.jar {}'``, with the jar that the wheel of pycsp3 holds.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from crosslit.conformance.samples import by_rules
from tests.test_forms import SOLVERS, puzzles

CROSSLIT = (sys.executable, "-m", "crosslit")
_EXTENSIONS = {"xcsp3": "xml"}  # ACE reads no other
_PUZZLES = 20  # of each kind
_STATUS = {0: "solved", 1: "wrong", 2: "unreadable", 3: "undecided"}


def main() -> None:
    """Print a line a target: how many answers were solutions, true claims that there is none, or anything else."""
    named = [word.partition("=") for word in sys.argv[1:]]
    commands = {target: command or SOLVERS[target] for target, _, command in named} or SOLVERS
    for target, command in commands.items():
        with tempfile.TemporaryDirectory() as folder:
            found = Counter(
                _trip(target, command, text, Path(folder, f"{number}.{_EXTENSIONS.get(target, target)}"))
                for number, text in _texts()
            )
        print(
            f"{target}: {', '.join(f'{count} {what}' for what, count in sorted(found.items()))}; {command}", flush=True
        )


def _texts() -> list[tuple[int, str]]:
    return [(number, puzzle.text) for number, puzzle in enumerate(puzzles(_PUZZLES))]


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
    main()
