"""Try the solvers of ``trials.toml`` and write ``docs/findings.md``: ``python examples/trials/run.py``.

Each solver is installed at its exact version into a separate environment under a scratch folder, verified by
``crosslit verify`` for a few seconds, and asked each counterexample again by its own interface. The truth about a
counterexample comes from `truth` below, which tries every grid and shares no code with Crosslit.
"""

import argparse
import hashlib
import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KEYS = {"name", "kind", "install", "python", "claims", "command", "verify", "shown", "does", "promise", "note"}
REQUIRED = {"name", "kind", "command", "does", "promise"}
KINDS = {
    "nonogram": "Nonogram",
    "coloured-nonogram": "Coloured nonogram",
    "lights-out": "Lights Out",
    "modular-lights-out": "Modular Lights Out",
}
ABSTENTIONS = ("unknown", "unsupported")
MAX_CELLS = 20
"""Cells of two states of the largest puzzle that `truth` takes: a million grids."""
PROBE_SECONDS = 20
"""Time for an answer when a counterexample is asked again."""


def load(path: Path) -> list[dict[str, Any]]:
    """Return the solvers that a file describes.

    Raises:
        ValueError: if a solver has an unknown or lacks a required key.
    """
    with path.open("rb") as file:
        solvers = tomllib.load(file)["solver"]
    for solver in solvers:
        if not (REQUIRED <= set(solver) <= KEYS and solver["kind"] in KINDS):
            raise ValueError(f"{solver.get('name', '?')}: required {sorted(REQUIRED)}, allowed {sorted(KEYS)}")
    return solvers


# --- the truth ---


def _blocks(line: tuple[int, ...]) -> list[tuple[int, int]]:
    return [(len(list(run)), colour) for colour, run in itertools.groupby(line) if colour]


def _read_clue(clue: str) -> list[tuple[int, int]]:
    return [(int(n), " abcdefgh".index(letter or "a")) for n, letter in re.findall(r"([1-9]\d*)([a-h]?)", clue)]


def truth(kind: str, puzzle: str) -> set[str] | None:
    """Return all solutions of a puzzle by trying every grid, of a board every first row; None if these are too many.

    Examples:
        >>> sorted(truth("nonogram", "1,1|1,1"))
        ['01/10', '10/01']
        >>> truth("lights-out", "10"), truth("modular-lights-out", "modular-lights-out:3/20/10")
        (set(), {'01/02', '12/10', '20/21'})
    """
    if "nonogram" in kind:
        clues = re.sub("^coloured-nonogram:(.*;)?", "", puzzle)
        rows, columns = ([_read_clue(clue) for clue in side.split(",")] for side in clues.split("|"))
        states = 1 + max((colour for clue in rows + columns for _, colour in clue), default=1)
        found = None if states ** (len(rows) * len(columns)) > 2**MAX_CELLS else _pictures(rows, columns, states)
    else:
        head, *lines = puzzle.partition(":")[2].split("/") if kind == "modular-lights-out" else f"2/{puzzle}".split("/")
        states, board = int(head), [[int(light, 16) for light in line] for line in lines]
        found = None if states ** len(board[0]) > 2**MAX_CELLS else _presses(board, states)
    return (
        None if found is None else {"/".join("".join(f"{value:x}" for value in row) for row in grid) for grid in found}
    )


def _pictures(rows: list[Any], columns: list[Any], states: int) -> Iterator[Any]:
    lines = list(itertools.product(range(states), repeat=len(columns)))
    for grid in itertools.product(*([line for line in lines if _blocks(line) == clue] for clue in rows)):
        if [_blocks(column) for column in zip(*grid, strict=True)] == columns:
            yield grid


def _presses(board: list[list[int]], states: int) -> Iterator[Any]:
    for first in itertools.product(range(states), repeat=len(board[0])):
        grid = [first]
        for lights in board:  # the presses below a light are what it still needs
            above, here = (grid[-2] if len(grid) > 1 else [0] * len(first)), [0, *grid[-1], 0]
            near = (sum(values) for values in zip(lights, above, here, here[1:], here[2:], strict=False))
            grid.append(tuple(-value % states for value in near))
        if not any(grid[-1]):
            yield grid[:-1]


def is_wrong(problem: str, answer: str, solutions: set[str]) -> bool:
    """Return whether an answer with these solutions of the puzzle is the failure that was reported.

    Examples:
        >>> is_wrong("wrong-grid", "10/10", {"10/01"}), is_wrong("wrong-unsolvable", "unsolvable", set())
        (True, False)
    """
    grids = [word for word in answer.replace(",", " ").split() if set(word) <= set("0123456789abcdef/")]
    wrong = [grid for grid in grids if grid not in solutions]
    presses = min((grid.count("1") for grid in solutions), default=0)
    return {
        "wrong-grid": bool(solutions and wrong),
        "wrong-solvable": bool(not solutions and "unsolvable" not in answer),
        "wrong-unsolvable": bool(solutions and "unsolvable" in answer),
        "missing-solutions": bool(solutions - set(grids)),
        "repeated-solutions": len(set(grids)) < len(grids),
        "wrong-unique": len(solutions) > 1,
        "wrong-multiple": len(solutions) == 1,
        "not-fewest": any(grid.count("1") > presses for grid in grids),
    }.get(problem, False)


# --- running ---


def run(command: list[str], environment: dict[str, str], seconds: float) -> tuple[int | None, str, str]:
    """Return the exit status, None if it did not end in time, and both outputs of a command."""
    # a separate process group, so that a program that hangs ends with all that it started
    pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, cwd=ROOT, start_new_session=True, **pipes) as process:
        try:
            output, errors = process.communicate(timeout=seconds)
            status: int | None = process.returncode
        except BaseException as error:
            os.killpg(process.pid, 9)
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            output, errors = process.communicate()
            status = None
    return status, output.decode(errors="replace"), errors.decode(errors="replace")


def _step(command: list[str], home: Path, scratch: Path) -> list[str]:
    """Return the command for a line of ``install``; nothing for an export."""
    manager, *words = command
    if manager == "git":  # a repository is to be built by hand, as its own page says, so it is only looked for
        return (
            ["test", "-d", str(scratch / words[1].split("/")[-1])]
            if words[0] == "clone"
            else ["git", "-C", str(scratch), *words, "--quiet"]
        )
    return {
        "pip": [sys.executable, "-m", "pip", "--python", str(home / "bin" / "python"), *words, "-q"],
        "npm": ["npm", *words, "--silent"],
        "export": [],
    }.get(manager, ["dpkg", "-s", words[-1].partition("=")[0]])  # so is a package of the system


def install(solver: dict[str, Any], scratch: Path) -> dict[str, str]:
    """Install a solver and return the environment variables with which its programs are found.

    Raises:
        RuntimeError: if it cannot be installed here.
    """
    commands = [shlex.split(command) for command in solver.get("install", [])]
    python = f"python{solver['python']}" if "python" in solver else sys.executable
    key = hashlib.sha256(json.dumps([python, commands]).encode()).hexdigest()[:12]
    home = scratch / key
    path = f"{home / 'bin'}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = dict(os.environ, PATH=path, MPLBACKEND="Agg", PYTHONWARNINGS="ignore", npm_config_prefix=str(home))
    environment["NODE_PATH"] = str(home / "lib" / "node_modules")
    for manager, *words in commands:
        if manager == "export":
            name, _, value = words[0].replace("$PWD", str(scratch)).partition("=")
            environment[name] = value.replace(f"${name}", environment.get(name, ""))
    if commands and not (home / "installed").exists():
        steps = [[python, "-m", "venv", "--without-pip", str(home)]]
        steps += [step for command in commands if (step := _step(command, home, scratch))]
        for step in steps:
            try:
                status, output, errors = run(step, environment, 400)
            except OSError as error:
                raise RuntimeError(str(error)) from None
            if status:
                lines = (errors or output).strip().splitlines() or [f"exit status {status}"]
                said = [line for line in lines if "error" in line.lower() or "not found" in line]
                raise RuntimeError((said or lines[-1:])[0][:200])
        (home / "installed").touch()
    return environment


def verify(solver: dict[str, Any], environment: dict[str, str], seconds: float) -> dict[str, Any]:
    """Return the result of ``crosslit verify``, as it prints it with ``--json``."""
    with tempfile.TemporaryDirectory() as folder:
        first, *words = verify_words(solver)  # of two --seconds the last counts
        command = [sys.executable, "-m", "crosslit", first, "--seconds", f"{seconds:g}", "--keep-going", *words]
        command += ["--json", "-o", f"{folder}/replay.txt", "--", *shlex.split(solver["command"])]
        status, output, errors = run(command, environment, 2 * seconds + 400)
    for line in reversed(output.splitlines()):
        if line.startswith('{"passed"'):
            result: dict[str, Any] = json.loads(line)
            return result
    return {"error": f"crosslit verify, exit status {status}: {(errors or output).strip()[-300:]}"}


def verify_words(solver: dict[str, Any]) -> list[str]:
    """Return the words of ``crosslit verify`` that describe a solver."""
    claims = solver.get("claims", "one")
    return ["verify", "--kind", solver["kind"], "--claims", claims, *shlex.split(solver.get("verify", "--lines"))]


def own_command(solver: dict[str, Any], puzzle: str) -> str:
    """Return one line of shell that asks a puzzle by the solver's own interface.

    Examples:
        >>> own_command({"shown": "solve {rows} {columns}", "kind": "nonogram"}, "1 1,0|1,0,1")
        'solve [[1,1],[0]] [[1],[0],[1]]'
    """
    template = solver.get("shown", f"echo {{puzzle}} | {solver.get('command', '')}")
    values = {"puzzle": shlex.quote(puzzle)}
    if solver["kind"] == "nonogram":
        rows, columns = ([[int(n) for n in clue.split()] for clue in side.split(",")] for side in puzzle.split("|"))
        dots = "/".join(".".join(map(str, clue)) for clue in columns + rows)
        values |= {"height": str(len(rows)), "width": str(len(columns)), "sgt": f"{len(columns)}x{len(rows)}:{dots}"}
        for name, clues in (("rows", rows), ("columns", columns)):
            values[name] = json.dumps(clues, separators=(",", ":"))
            values[f"{name}_"] = values[name].replace("[0]", "[]")
    for name, value in values.items():
        template = template.replace("{" + name + "}", value)
    return template


def confirm(solver: dict[str, Any], environment: dict[str, str], failure: dict[str, Any]) -> dict[str, Any]:
    """Ask a counterexample again by the solver's own interface, and judge it by the truth of every grid."""
    command = own_command(solver, failure["puzzle"])
    status, output, errors = run(["bash", "-c", command], environment, PROBE_SECONDS)
    solutions = truth(solver["kind"], failure["puzzle"])
    problem = failure["problem"]
    if problem == "crash":
        is_confirmed = bool(status) or "Traceback" in errors
    elif problem == "hang":
        is_confirmed = status is None
    elif "shown" in solver or solutions is None:  # its output is a drawing, so Crosslit's reading of it is judged
        is_confirmed = solutions is not None and is_wrong(problem, failure["answer"], solutions)
    else:
        is_confirmed = is_wrong(problem, output, solutions)
    causes = [line for line in errors.splitlines() if "Error" in line] or errors.strip().splitlines() or [""]
    seen = output.strip() or causes[-1]
    if status is None:
        seen = f"no answer after {PROBE_SECONDS} s"
    elif status:
        seen = f"{causes[-1]} (exit status {status})"
    return {"command": command, "seen": seen[:400], "confirmed": is_confirmed, "solutions": solutions}


def try_solver(solver: dict[str, Any], scratch: Path, seconds: float, lock: threading.Lock) -> dict[str, Any]:
    """Install (one at a time), verify and confirm: return the row of a solver."""
    row: dict[str, Any] = {"solver": solver, "findings": []}
    try:
        with lock:  # several solvers may share an environment
            environment = install(solver, scratch)
    except RuntimeError as error:
        return row | {"verdict": "not installed", "error": str(error)}
    result = verify(solver, environment, seconds)
    if "error" in result:
        return row | {"verdict": "not judged", "error": result["error"]}
    row["result"] = result
    for failure in result["failures"]:
        row["findings"].append(failure | confirm(solver, environment, failure))
    row["verdict"] = ", ".join(f"**{name}** x {count:,}" for name, count in result["counts"].items()) or "no failure"
    return row


# --- the page ---

HEAD = """# Findings in published solvers

We verified these solvers and packages with `crosslit verify`. `python examples/trials/run.py` writes this page, and
[trials.toml](../examples/trials/trials.toml) describes the solvers. Each was verified for {seconds:g} s, or for the
time in its command, with seed 0, at the version named, {jobs} at a time on a machine with {cores} processors. The
machine did other work too, so the number of cases says little about speed.

* **No failure** means no failure in [these cases](reference/verify.md#the-puzzles-and-their-order).
* **Confirmed** means that the failure recurs without Crosslit: the command next to the counterexample was run, and its
  answer contradicts the truth found by trying every grid, or every first row of presses (`truth` in `run.py`, which
  shares no code with Crosslit). If a program draws its solution, Crosslit's reading of the drawing is judged, and the
  page shows the drawing. A crash is confirmed by the exit status, and a hang by the lack of an answer within {probe} s.
* The *promise* quotes the documentation on such input. If it does not mention puzzles without a solution, a failure on
  these is a gap rather than a bug: the number of solutions is next to each counterexample.
* **Abstained** counts the answers `unknown` and `unsupported`, which never count as failures.

"""


def page(rows: list[dict[str, Any]], seconds: float, jobs: int) -> str:
    """Return the page of findings."""
    lines = [HEAD.format(seconds=seconds, jobs=jobs, cores=os.cpu_count(), probe=PROBE_SECONDS)]
    confirmed = sum(any(f["confirmed"] for f in row["findings"]) for row in rows)
    tried = sum("result" in row for row in rows)
    lines += [f"{len(rows)} solvers described, {tried} tried, {confirmed} with a confirmed failure.\n"]
    lines += ["| | solver | kind | claims | cases | abstained | verdict | smallest counterexample |"]
    lines += ["|---:|---|---|---|---:|---:|---|---|"]
    for number, row in enumerate(rows, 1):
        solver, result = row["solver"], row.get("result", {})
        smallest = min(row["findings"], key=lambda f: (not f["confirmed"], len(f["puzzle"])), default=None)
        puzzle = f"`{smallest['puzzle']}`".replace("|", "\\|") if smallest else ""
        cases = f"{result['coverage']['cases']:,}" if result else ""
        abstained = (
            sum(result["coverage"].get(word, {"puzzles": 0})["puzzles"] for word in ABSTENTIONS) if result else 0
        )
        words = [solver["name"], KINDS[solver["kind"]], solver.get("claims", "one"), cases, f"{abstained or ''}"]
        lines.append(f"| {number} | {' | '.join(words)} | {row['verdict']} | {puzzle} |")
    for number, row in enumerate(rows, 1):
        lines += ["", *_section(number, row)]
    return "\n".join(lines) + "\n"


def _section(number: int, row: dict[str, Any]) -> list[str]:
    solver = row["solver"]
    lines = [f"## {number}. {solver['name']}", "", f"{solver['does']} *Promise:* {solver['promise']}"]
    lines += [solver["note"]] if "note" in solver else []
    lines += ["", "```sh", *solver.get("install", [])]
    words = " ".join(shlex.quote(word) for word in verify_words(solver))
    lines += [f"crosslit {words} -- {solver['command']}", "```"]
    if "error" in row:
        lines += ["", f"{row['verdict']}: `{row['error']}`"]
    for finding in row["findings"]:
        solutions, puzzle, is_confirmed = finding["solutions"], finding["puzzle"], finding["confirmed"]
        count = "not counted" if solutions is None else f"{len(solutions)}"
        status = "confirmed" if is_confirmed else "not confirmed"
        example = f", such as `{min(solutions)}`" if solutions else ""
        lines += [
            "",
            f"**{finding['problem']}**, {status}, on `{puzzle}`. Solutions: {count}"
            f"{example}. It answered `{_short(finding['answer'])}` (case {finding['case']:,}).",
            "",
            "```console",
            f"$ {finding['command']}",
            *finding["seen"].splitlines(),
            "```",
        ]
    return lines


def _short(text: str | None) -> str:
    flat = " ".join((text or "nothing").split())
    return flat if len(flat) <= 120 else f"{flat[:117]}..."


def main() -> None:
    """Try all solvers, or those whose name contains a word, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("word", nargs="*", help="only solvers whose name contains this word")
    parser.add_argument("--seconds", type=float, default=25, help="time for each solver (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="solvers at a time (default: %(default)s)")
    parser.add_argument("--scratch", type=Path, default=Path(tempfile.gettempdir()) / "crosslit-trials")
    parser.add_argument("--solvers", type=Path, default=HERE / "trials.toml")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "docs" / "findings.md")
    arguments = parser.parse_args()
    arguments.scratch.mkdir(parents=True, exist_ok=True)
    solvers = load(arguments.solvers)
    chosen = [s for s in solvers if not arguments.word or any(word in s["name"] for word in arguments.word)]
    lock = threading.Lock()

    def tried(solver: dict[str, Any]) -> dict[str, Any]:
        row = try_solver(solver, arguments.scratch.resolve(), arguments.seconds, lock)
        print(f"{solver['name']}: {row['verdict']} {row.get('error', '')}", flush=True)
        return row

    with ThreadPoolExecutor(arguments.jobs) as pool:
        rows = list(pool.map(tried, chosen))
    temporary = arguments.output.with_suffix(".partial")
    temporary.write_text(page(rows, arguments.seconds, arguments.jobs), encoding="utf-8")
    shutil.move(temporary, arguments.output)


if __name__ == "__main__":
    main()
