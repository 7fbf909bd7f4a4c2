"""A comparison of other nonogram solvers with `hybrid` and `line`: CPU time per puzzle, in process and of commands.

Run it with ``python -m benchmarks.nonograms --peers [--peer NAME='cmd {file}']``. The command of a peer must look for a
second solution, as Crosslit's does. ``{file}`` stands for the puzzle in the format .nin, ``{file.non}`` in .non, and
``{file.houston}`` in that of HoustonWeHaveABug's solver: --peer houston="sh -c 'nonogram 0 2 < {file.houston}'". Known
peers are used if they are on the PATH. Every figure is the median of several runs, and runs to compare alternate. "In
process" is from the puzzle to its second solution, or the proof that there is none, in a process that has solved a
puzzle of one cell; for a peer it is its whole time minus its time for a puzzle of one cell. Crosslit's whole command is
``crosslit compare --backends hybrid``. Coloured nonograms, random ones and ``coloured/*.xml`` of the folder of real
puzzles, are for glucose4, `hybrid`, pbnsolve, nonogrid, and commands with ``{file.xml}`` or ``{file.toml}``.
"""

from __future__ import annotations

import itertools
import math
import os
import random
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.commands import compiled
from crosslit import Nonogram, load
from crosslit.formats import FORMATS
from crosslit.kinds import Puzzle
from crosslit.kinds.nonogram.colours import LETTERS, ColouredNonogram
from crosslit.kinds.nonogram.families import random_nonogram, random_picture

ROOT = Path(__file__).parents[1]
ROUNDS = 3
SECONDS = 60  # limit of a peer's CPU time, after which it counts as undecided
KNOWN = {
    "pbnsolve": "pbnsolve -u -b -fnin {file}",
    "picross": "picross_solver_cli --validation {file.non}",
    "nonogrid": "nonogrid --max-solutions 2 {file}",
}
COLOURED = {"pbnsolve": "pbnsolve -u -b {file.xml}", "nonogrid": "nonogrid --max-solutions 2 {file.toml}"}
SPECS = {"nonogram": ("line", "hybrid"), "coloured-nonogram": ("glucose4/order", "hybrid")}
MAX_RATIO = 1.3  # of hybrid to glucose4, above which a puzzle is named
GENERATED = ((100, 0.7), (200, 0.75))  # sides and densities: line solving decides these
PICTURES = ((20, 3), (30, 4), (40, 5), (50, 6))  # sides and numbers of colours
DENSITIES = (0.65, 0.8, 0.95)
WORDS = "{:20}" + " {:>9}" * 2


def compare_with_peers(data: Path, given: list[str], run: Callable[[str, Puzzle], float]) -> None:
    """Print a table: milliseconds of Crosslit, and how many times as long each peer takes.

    Args:
        data: the folder of real puzzles, if there is one.
        given: further peers, each ``NAME=CMD``.
        run: takes a spec and a puzzle, and gives the CPU seconds of a run in a new process.
    """
    peers = {name: command for name, command in KNOWN.items() if shutil.which(command.split()[0])}
    coloured = {name: COLOURED[name] for name in peers if name in COLOURED}
    for name, command in (peer.split("=", 1) for peer in given):
        (coloured if "{file.xml}" in command or "{file.toml}" in command else peers)[name] = command
    if not (names := list(peers | coloured)):
        print("no peer: none of", *KNOWN, "is on the PATH, and --peer names none")
        return
    print("CPU ms of Crosslit; then how many times as long a peer takes, in process (beside the faster of line and")
    print("hybrid) and as a whole command: over 1, Crosslit is ahead")
    titles = [f"{'command':>9}", *(f"{name:>10} {'whole':>6}" for name in names)]
    print(WORDS.format("", "line", "hybrid"), *titles)
    ahead: list[bool] = []
    slow: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, puzzle in _puzzles(data):
            is_coloured = puzzle.kind == "coloured-nonogram"
            if is_coloured and not ahead:
                print(WORDS.format("", "glucose4", "c.-hybrid"), *titles)
            nothing = _files(
                ColouredNonogram([[(1, 1)]], [[(1, 1)]]) if is_coloured else Nonogram([[1]], [[1]]), folder
            )
            files, specs = _files(puzzle, folder), SPECS[puzzle.kind]
            commands = coloured if is_coloured else peers
            tasks: dict[str, Callable[[], float]] = {spec: partial(run, spec, puzzle) for spec in specs}
            tasks["command"] = _command(f"{sys.executable} -m crosslit compare {{file}} --backends {specs[-1]}", files)
            for peer, command in commands.items():
                tasks[peer] = _command(command, files)
                tasks[f"{peer} on nothing"] = _command(command, nothing)
            times = _medians(tasks)
            own = times[specs[-1]] if is_coloured else min(times[spec] for spec in specs)
            shown = [f"{times[task] * 1000:9.2f}" for task in (specs[0], specs[-1], "command")]
            ratios = []
            for peer in names:
                # nan for a peer without such puzzles: max keeps it only as its first argument
                inside = max(times.get(peer, math.nan) - times.get(f"{peer} on nothing", math.nan), 0.0)
                ratios.append(inside / own)
                shown.append(f"{ratios[-1]:10.2f} {times.get(peer, math.nan) / times['command']:6.3f}")
            print(f"{name:20}", *shown, flush=True)
            if is_coloured:
                ahead.append(all(ratio > 1 for ratio in ratios if ratio == ratio))
                slow += [name] if own > MAX_RATIO * times[specs[0]] else []
    print(f"ahead of every peer in process on {sum(ahead)} of {len(ahead)} coloured nonograms")
    print(f"hybrid takes more than {MAX_RATIO} times as long as glucose4 on", ", ".join(slow) or "none")


def _puzzles(data: Path) -> Iterator[tuple[str, Puzzle]]:
    yield "article 50x50", load(ROOT / "examples" / "article-50x50.txt")
    for side, density in GENERATED:
        yield f"random {side}x{side}", random_nonogram(random.Random(1), side, side, density)
    survey = sorted((data / "survey-redistributable").glob("webpbn-*.non"))
    if not survey:
        print(f"skipped: the survey, for there is no {data / 'survey-redistributable'}")
    for file in survey:
        yield file.stem, load(file)

    for (side, colours), density in itertools.product(PICTURES, DENSITIES):
        picture = random_picture(random.Random(side), side, side, colours, density)
        yield f"{side}x{side}, {colours} col., {density:.0%}", picture
    for file in sorted((data / "coloured").glob("*.xml")):
        yield file.stem, load(file)


def _files(puzzle: Puzzle, folder: str) -> dict[str, str]:
    """Write a puzzle; return what stands for its files in commands."""
    stem = Path(folder) / f"{puzzle.rows}x{puzzle.columns}"
    if isinstance(puzzle, ColouredNonogram):
        texts = {"xml": FORMATS["xml"].write(puzzle), "toml": _toml(puzzle)}
    else:
        assert isinstance(puzzle, Nonogram)
        texts = {"nin": FORMATS["nin"].write(puzzle), "non": FORMATS["non"].write(puzzle), "houston": _houston(puzzle)}
    for name, text in texts.items():
        stem.with_suffix(f".{name}").write_text(text, encoding="utf-8")
    return {"{file}": f"{stem}.{next(iter(texts))}", **{f"{{file.{name}}}": f"{stem}.{name}" for name in texts}}


def _houston(puzzle: Nonogram) -> str:
    """Return the text of a nonogram: width, height, and the clues of columns and rows in quotation marks."""
    axes = (puzzle.column_clues, puzzle.row_clues)
    lines = (",".join(f'"{",".join(map(str, clue)) or 0}"' for clue in clues) for clues in axes)
    return "\n".join([str(puzzle.columns), str(puzzle.rows), *lines]) + "\n"


def _toml(puzzle: ColouredNonogram) -> str:
    """Return the puzzle in nonogrid's format, which has no empty lines."""
    defs = ", ".join(f"'{letter} = (red) {letter}'" for letter in LETTERS[: puzzle.colours])
    rows, columns = (
        ",".join(" ".join(map(str, clue)) for clue in side) for side in (puzzle.row_clues, puzzle.column_clues)
    )
    return f"[colors]\ndefs = [{defs}]\n[clues]\nrows = '{rows}'\ncolumns = '{columns}'\n"


def _command(command: str, files: dict[str, str]) -> Callable[[], float]:
    """A command as a process, and its CPU seconds with those of what it starts; infinite if it takes too long."""
    for word, file in files.items():
        command = command.replace(word, file)
    words, environment = shlex.split(command), compiled(str(Path(files["{file}"]).parent / "compiled"))

    def measure() -> float:
        nowhere = subprocess.DEVNULL
        process = subprocess.Popen(words, stdin=nowhere, stdout=nowhere, stderr=nowhere, env=environment)
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (SECONDS, SECONDS))
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return used.ru_utime + used.ru_stime if process.returncode >= 0 else math.inf

    return measure


def _medians(tasks: dict[str, Callable[[], float]]) -> dict[str, float]:
    """Median seconds of tasks that run in turn."""
    seconds: dict[str, list[float]] = {task: [] for task in tasks}
    for _ in range(ROUNDS):
        for task, measure in tasks.items():
            if math.inf not in seconds[task]:  # once is enough
                seconds[task].append(measure())
    return {task: math.inf if math.inf in times else statistics.median(times) for task, times in seconds.items()}
