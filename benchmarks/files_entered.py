"""Count the files of Crosslit that a command enters, and its calls from one file to another.

It counts calls of Crosslit's functions in all processes of the command, without imports, class bodies, lambdas and
generator expressions. `python -m benchmarks.files_entered` prints a line for each of three commands.
"""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).parent.parent
_FOLDER = "FILES_ENTERED"
_COMMANDS = {
    "compare": ["compare", "examples/board-5x5.txt", "--backends", "gauss,glucose4", "--all"],
    "enumerate": ["enumerate", "1,1,1|1,1,1", "--check", "--output", "{folder}/list"],
    "bench run": ["bench", "run", "{folder}/campaign.toml", "--store", "{folder}/results.sqlite"],
}
_CAMPAIGN = 'backends = ["gauss", "glucose4"]\n[[puzzles]]\npuzzles = ["111/111/111"]\n'


def trace() -> None:
    """Write every file that this process and its forks enter to a file of the folder: a line for each switch."""
    folder = Path(os.environ[_FOLDER])
    roots = tuple(
        str(ROOT / name) + os.sep for name in ("src", "encoders", "backends", "verify", "bench", "generate", "play")
    )
    last: dict[int, str] = {}
    importing: list[FrameType] = []

    def entered(frame: FrameType, event: str, _: object) -> None:
        if event == "return" and importing and importing[-1] is frame:
            importing.pop()
        if event != "call":
            return
        code = frame.f_code
        if not code.co_flags & inspect.CO_OPTIMIZED:  # a module or class body, not a function
            if frame.f_globals.get("__name__") != "__main__":
                importing.append(frame)
        elif (
            not importing
            and code.co_name[0] != "<"
            and code.co_filename.startswith(roots)
            and last.get(os.getpid()) != code.co_filename
        ):
            last[os.getpid()] = code.co_filename
            with (folder / f"{os.getpid()}.trace").open("a") as file:
                file.write(code.co_filename + "\n")

    sys.setprofile(entered)


def count(arguments: list[str]) -> tuple[int, int, int, list[int]]:
    """Run a command. Return its files in all processes and in the first, its switches, and those of other processes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sitecustomize.py").write_text(
            "from benchmarks.files_entered import trace\ntrace()\n", encoding="utf-8"
        )
        (folder / "campaign.toml").write_text(_CAMPAIGN, encoding="utf-8")
        paths = os.pathsep.join([name, str(ROOT), os.environ.get("PYTHONPATH", "")])
        process = subprocess.Popen(
            [sys.executable, "-m", "crosslit", *(argument.format(folder=name) for argument in arguments)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": paths, _FOLDER: name},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if process.wait():
            raise RuntimeError(f"{arguments[0]} ended with exit status {process.returncode}")
        switches = defaultdict(
            list, {path.stem: path.read_text(encoding="utf-8").split() for path in folder.glob("*.trace")}
        )
    first = switches.pop(str(process.pid))
    everywhere = set(first).union(*switches.values())
    return len(everywhere), len(set(first)), len(first), sorted(map(len, switches.values()))


if __name__ == "__main__":
    for title, command in _COMMANDS.items():
        files, own, switches, others = count(command)
        print(f"{title}: {files} files ({own} in its own process), {switches} switches; in other processes {others}")
