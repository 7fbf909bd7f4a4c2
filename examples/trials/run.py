"""Try the solvers of ``trials.toml`` and write ``docs/findings.md``: ``python examples/trials/run.py [WORD]...``.

Each solver is installed into a separate environment, and the commands of its section of the page run there as they
are printed. A failure is confirmed by `is_confirmed`, which knows the rules of the puzzles and shares no code with
Crosslit; only confirmed failures reach the page. The results of the solvers not tried again stay in ``results.json``.
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
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
RESULTS = HERE / "results.json"
REPORTS = ROOT / "docs" / "reports"
INTERPRETERS = {"python": "python -", "js": "node -", "sh": "bash -s"}
MAX_CELLS = 20
"""Cells of two states of the largest puzzle that `truth` takes: a million grids."""
MIN_JUDGED = 200
"""Judged cases below which a verdict without failures says nothing."""
PROBE_SECONDS = 20
"""Time for an answer when a counterexample is asked again."""


@dataclass(frozen=True)
class Solver:
    """A solver of ``trials.toml``, which explains the fields."""

    name: str
    kind: str
    command: str
    does: str
    promise: str
    note: str = ""
    install: list[str] = field(default_factory=list)
    python: str = "3.11"
    claims: str = "one"
    cases: int = 500
    options: str = ""
    corpus: str = ""
    reports: list[str] = field(default_factory=list)
    inherited: bool = False

    @property
    def verify(self) -> str:
        """The command that verifies it."""
        corpus = HERE / "known" / (self.corpus or self.kind)
        known = f"--corpus examples/trials/known/{corpus.name} " if corpus.exists() else ""
        options = f"--kind {self.kind} --claims {self.claims} --lines --keep-going --cases {self.cases} {known}"
        return f"crosslit verify {options}{self.options}".rstrip() + f" -- {self.command}"

    @property
    def package(self) -> str:
        """The repository, or else the first package that is installed."""
        words = min(self.install, key=lambda line: not line.startswith("git clone")).split()
        return next(word for word in words[2:] if not word.startswith("-"))

    def ask(self, puzzle: str) -> str:
        """Return the command that asks one puzzle."""
        return f"echo {shlex.quote(puzzle)} | {self.command}"


def load() -> tuple[list[Solver], dict[str, dict[str, str]], dict[str, str]]:
    """Return the solvers, the reports, and the prose of the page."""
    with (HERE / "trials.toml").open("rb") as file:
        trials = tomllib.load(file)
    return [Solver(**entry) for entry in trials["solver"]], trials["report"], trials["page"]


# --- the truth ---


def _blocks(line: Any) -> list[tuple[int, str]]:
    return [(len(list(run)), cell) for cell, run in itertools.groupby(line) if cell != "0"]


def _clues(puzzle: str) -> list[list[list[tuple[int, str]]]]:
    """Return the blocks of the rows and of the columns of a nonogram: the length and the character of the colour."""
    sides = re.sub("^coloured-nonogram:(.*;)?", "", puzzle).split("|")
    blocks = [[re.findall(r"([1-9]\d*)([a-h]?)", clue) for clue in side.split(",")] for side in sides]
    return [[[(int(n), str("_abcdefgh".index(x or "a"))) for n, x in clue] for clue in side] for side in blocks]


def _board(kind: str, puzzle: str) -> tuple[int, list[list[int]]]:
    """Return the number of states and the lights of a board."""
    head, *rows = (puzzle.partition(":")[2] if kind == "modular-lights-out" else f"2/{puzzle}").split("/")
    return int(head), [[int(light, 16) for light in row] for row in rows]


def is_solution(kind: str, puzzle: str, grid: str) -> bool:
    """Return whether a grid solves a puzzle, by the rules.

    Examples:
        >>> is_solution("nonogram", "1,1|1,1", "01/10"), is_solution("lights-out", "10/00", "11/01")
        (True, False)
    """
    rows = grid.split("/")
    if "nonogram" in kind:
        across, down = _clues(puzzle)
        same_shape = len(rows) == len(across) and {len(row) for row in rows} == {len(down)}
        return same_shape and list(map(_blocks, rows)) == across and list(map(_blocks, zip(*rows, strict=True))) == down
    states, board = _board(kind, puzzle)
    if [len(row) for row in rows] != [len(row) for row in board]:
        return False
    presses = {(r, c): int(n, 16) for r, row in enumerate(rows) for c, n in enumerate(row)}
    plus = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)]
    lights = (board[r][c] + sum(presses.get((r + i, c + j), 0) for i, j in plus) for r, c in presses)
    return all(light % states == 0 for light in lights)


def truth(kind: str, puzzle: str) -> set[str] | None:
    """Return all solutions of a puzzle by trying every grid, of a board every first row; None if these are too many.

    Examples:
        >>> sorted(truth("nonogram", "1,1|1,1"))
        ['01/10', '10/01']
        >>> truth("lights-out", "10"), sorted(truth("modular-lights-out", "modular-lights-out:3/20/10"))
        (set(), ['01/02', '12/10', '20/21'])
    """
    if "nonogram" in kind:
        rows, columns = _clues(puzzle)
        states = 1 + max((int(colour) for clue in rows + columns for _, colour in clue), default=1)
        tried = states ** (len(rows) * len(columns))
    else:
        states, board = _board(kind, puzzle)
        tried = states ** len(board[0])
    if tried > 2**MAX_CELLS:
        return None
    grids = _pictures(rows, len(columns), states) if "nonogram" in kind else _presses(board, states)
    return {grid for grid in grids if is_solution(kind, puzzle, grid)}


def _pictures(rows: list[Any], width: int, states: int) -> Iterator[str]:
    lines = ["".join(map(str, line)) for line in itertools.product(range(states), repeat=width)]
    return map("/".join, itertools.product(*([line for line in lines if _blocks(line) == clue] for clue in rows)))


def _presses(board: list[list[int]], states: int) -> Iterator[str]:
    for first in itertools.product(range(states), repeat=len(board[0])):
        grid = [first]
        for lights in board[:-1]:  # the presses below a light are what it still needs
            above, here = (grid[-2] if len(grid) > 1 else [0] * len(first)), [0, *grid[-1], 0]
            near = (sum(values) for values in zip(lights, above, here, here[1:], here[2:], strict=False))
            grid.append(tuple(-value % states for value in near))
        yield "/".join("".join(f"{n:x}" for n in row) for row in grid)


def _grids(answer: str | None) -> list[str]:
    return [word for word in (answer or "").split() if re.fullmatch("[0-9a-f/]+", word)]


def is_confirmed(kind: str, failure: dict[str, Any], status: int | None, answer: str) -> bool:
    """Return whether the answer to a counterexample is the failure that was reported.

    A wrong grid breaks the rules of a puzzle that has a solution: the right one that came with the failure, if there
    are too many grids to try. Other claims need all solutions.

    Examples:
        >>> failure = {"problem": "wrong-grid", "puzzle": "10/00", "right": "11/10"}
        >>> is_confirmed("lights-out", failure, 0, "11/01"), is_confirmed("lights-out", failure, 0, "11/10")
        (True, False)
    """
    puzzle, solutions = failure["puzzle"], truth(kind, failure["puzzle"])
    grids, right = _grids(answer), _grids(failure["right"])
    is_solvable = bool(solutions or (right and is_solution(kind, puzzle, right[0])))
    return {
        "crash": bool(status),
        "wrong-grid": is_solvable and not all(is_solution(kind, puzzle, grid) for grid in grids),
        "wrong-unsolvable": is_solvable and "unsolvable" in answer,
        "wrong-solvable": solutions == set() and bool(grids),
        "missing-solutions": bool(solutions and grids and solutions - set(grids)),
        "wrong-unique": bool(solutions and len(solutions) > 1 and grids and "not unique" not in answer),
    }.get(failure["problem"], False)


# --- running ---


def run(command: list[str], seconds: float, text: str = "", **where: Any) -> tuple[int | None, str, str]:
    """Return the exit status of a command, None if it did not end in time, and both outputs."""
    # a separate process group, so that a program that hangs ends with all that it started
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, start_new_session=True, **pipes, **where) as process:
        try:
            output, errors = process.communicate(text.encode(), timeout=seconds)
            status: int | None = process.returncode
        except BaseException as error:
            os.killpg(process.pid, 9)
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            output, errors = process.communicate()
            status = None
    return status, output.decode(errors="replace"), errors.decode(errors="replace")


def shell(lines: list[str], home: Path, seconds: float, text: str = "") -> tuple[int | None, str, str]:
    """Run printed commands as a reader would: in the environment of a folder, with no variables of ours."""
    needed = re.compile("HOME|LANG|PATH|.*(CERT|PROXY).*", re.IGNORECASE)  # the last two to reach the network
    environment = {name: value for name, value in os.environ.items() if needed.fullmatch(name)}
    first = ["set -e", ". env/bin/activate", 'export npm_config_prefix="$VIRTUAL_ENV"']
    first += [f"export PATH=$PATH:{shlex.quote(str(Path(sys.executable).parent))}"]  # crosslit, after its python
    return run(["bash", "-c", "\n".join([*first, *lines])], seconds, text, env=environment, cwd=home)


def install(python: str, lines: list[str], scratch: Path) -> Path:
    """Return the folder with the environment in which these lines were run, with a copy of the examples.

    Raises:
        RuntimeError: if a line fails.
    """
    home = scratch / hashlib.sha256(json.dumps([python, lines]).encode()).hexdigest()[:12]
    if not (home / "installed").exists():
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        subprocess.run([f"python{python}", "-m", "venv", home / "env"], check=True)
        status, output, errors = shell(lines, home, 900)
        if status != 0:
            raise RuntimeError(f"not installed: {(errors or output).strip()[-300:]}")
        (home / "installed").touch()
    shutil.rmtree(home / "examples", ignore_errors=True)  # with the replays of earlier runs
    shutil.copytree(HERE, home / "examples" / "trials")
    return home


def script(name: str) -> tuple[str, str, str]:
    """Return the interpreter, the text and the output of the script of a report."""
    page = (REPORTS / f"{name}.md").read_text(encoding="utf-8")
    (language, text), (_, output) = re.findall(r"^```(python|js|sh|text)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    return INTERPRETERS[language], text, output


def try_solver(solver: Solver, scratch: Path) -> dict[str, Any]:
    """Run all printed commands of a solver and return its result.

    Raises:
        RuntimeError: if one of them does not do what the page says.
    """
    home = install(solver.python, solver.install, scratch)
    exports = [line for line in solver.install if line.startswith("export ")]
    status, output, errors = shell([*exports, solver.verify.replace(" --kind", " --json --kind", 1)], home, 1800)
    lines = [line for line in output.splitlines() if line.startswith('{"schema"')]
    if not lines:
        raise RuntimeError(f"crosslit verify, exit status {status}: {(errors or output).strip()[-300:]}")
    result = json.loads(lines[-1])
    coverage, findings = result["coverage"], []
    for failure in result["failures"]:
        failure["puzzle"] = failure["puzzle"]["text"]
        status, output, errors = shell([*exports, solver.ask(failure["puzzle"])], home, PROBE_SECONDS)
        if not is_confirmed(solver.kind, failure, status, output):
            print(f"  not confirmed: {failure['problem']} {failure['puzzle']}: {output or errors}")
            continue
        cause = next((line for line in errors.splitlines() if "Error" in line), errors.strip())
        solutions = truth(solver.kind, failure["puzzle"])
        finding = {name: failure[name] for name in ("problem", "puzzle", "case")} | {
            "seen": f"{cause} (exit status {status})" if status else output.strip(),
            "solutions": None if solutions is None else len(solutions),
            "right": min(solutions or _grids(failure["right"]), default=""),
        }
        findings.append(finding)
    for name in solver.reports if findings and not solver.inherited else []:
        interpreter, text, expected = script(name)
        status, output, errors = shell([*exports, interpreter], home, PROBE_SECONDS, text)
        if output != expected:
            raise RuntimeError(f"docs/reports/{name}.md: expected {expected!r}, got {output + errors!r}")
    confirmed = {finding["problem"] for finding in findings}
    return {
        "judged": coverage["judged"],
        "abstained": sum(coverage.get(word, {"puzzles": 0})["puzzles"] for word in ("unknown", "unsupported")),
        "counts": {problem: count for problem, count in result["counts"].items() if problem in confirmed},
        "findings": findings,
    }


# --- newer releases ---


_PIN = re.compile(r"([\w.-]+)(==|@)([\w.]+)")  # of pip and of npm


def newest(package: str, sign: str = "==") -> str:
    """Return the newest release that pip, or npm for the sign ``@``, knows of a package; empty if none."""
    if sign == "@":
        return run(["npm", "view", package, "version"], 60)[1].strip()
    _, output, _ = run([sys.executable, "-m", "pip", "index", "versions", package], 60)
    return output.partition("(")[2].partition(")")[0]


def with_newest(lines: list[str]) -> list[str]:
    """Return the commands of an installation with the newest release of each package that has a version.

    A repository stays at its newest commit.
    """
    return [
        _PIN.sub(lambda pin: f"{pin[1]}{pin[2]}{newest(*pin.group(1, 2)) or pin[3]}", line)
        for line in lines
        if not re.match(r"git -C \S+ checkout ", line)
    ]


def outdated(name: str, python: str, lines: list[str], scratch: Path) -> str:
    """Return why a report is out of date: the newest releases print something else; empty if it is not.

    Its page may say which release is right, as in ``* Right: 1.16.0``.

    Raises:
        RuntimeError: if the releases of the report do not print what it says.
    """
    interpreter, text, expected = script(name)
    right = re.findall(r"^\* Right: .*$", (REPORTS / f"{name}.md").read_text(encoding="utf-8"), re.MULTILINE)
    fresh = with_newest(lines)
    for tried in dict.fromkeys((tuple(lines), tuple(fresh))):
        home = install(python, [*tried], scratch)
        exports = [line for line in tried if line.startswith("export ")]
        _, output, errors = shell([*exports, interpreter], home, PROBE_SECONDS, text)
        if output.endswith(expected):  # HiGHS 1.16.0 prints its name first
            continue
        pins = [pin[2] for pin in _PIN.findall(" ".join(tried))]
        if tried == tuple(lines):
            raise RuntimeError(f"docs/reports/{name}.md: expected {expected!r}, got {output + errors!r}")
        if not any(pin in line for pin in pins for line in right):
            return f"docs/reports/{name}.md is out of date: {'; '.join(tried)} prints {output + errors!r}"
    return ""


def variant_reports() -> dict[str, list[str]]:
    """Return the reports of faults that variants of models found, with the commands that install the engines."""
    pages = {f"variants/{path.stem}": path.read_text(encoding="utf-8") for path in (REPORTS / "variants").glob("*.md")}
    return {name: re.findall(r"^\$ (pip install .*)$", text, re.MULTILINE) for name, text in sorted(pages.items())}


# --- the page ---


def summary(results: dict[str, Any]) -> str:
    """Return the sentence with the numbers of packages, faulty programs and faults."""
    solvers, reports, _ = load()
    tried = [solver for solver in solvers if solver.name in results]
    failed = {name for solver in tried if results[solver.name]["findings"] for name in solver.reports}
    programs = {reports[name]["program"] for name in failed}
    packages = {solver.package for solver in tried}
    return (
        f"{len(packages)} published solvers and packages; {len(programs)} programs have {len(failed)} confirmed faults"
    )


def page(results: dict[str, Any]) -> str:
    """Return the page of findings."""
    solvers, reports, prose = load()
    lines = [prose["head"].format(judged=MIN_JUDGED), f"We verified {summary(results)}.\n"]
    lines += ["| solver | kind, claims | judged | verdict | smallest counterexample | reported upstream |"]
    lines += ["|---|---|---:|---|---|---|"]
    sections, passed = [], ["", "## Without a failure", ""]
    for number, solver in enumerate((solver for solver in solvers if solver.name in results), 1):
        result = results[solver.name]
        verdict = ", ".join(f"**{name}** x {count:,}" for name, count in result["counts"].items())
        if solver.inherited and verdict:
            verdict += f", inherited from {reports[solver.reports[0]]['program'].split()[0]}"
        verdict = verdict or ("no failure" if result["judged"] >= MIN_JUDGED else "too few cases")
        puzzle = min((finding["puzzle"] for finding in result["findings"]), key=len, default="").replace("|", "\\|")
        told = ", ".join(reports[name]["reported"] for name in solver.reports if puzzle)
        judged = f"{result['judged']:,} of {result['judged'] + result['abstained']:,}"
        first = [f"{number}. {solver.name}", f"{solver.kind.replace('-', ' ')}, {solver.claims}", judged]
        lines.append(f"| {' | '.join([*first, verdict, puzzle and f'`{puzzle}`', told])} |")
        if result["findings"]:
            sections += ["", *_section(number, solver, result, reports)]
        else:
            about = filter(None, [solver.does, f"*Promise:* {solver.promise}", solver.note, _needs(solver)])
            commands = "; ".join(f"`{line}`" for line in (*solver.install, solver.verify))
            passed.append(f"* **{number}. {solver.name}.** {' '.join(about)} {commands}")
    return "\n".join([*lines, *sections, *passed, "", prose["tail"].strip()]) + "\n"


def _needs(solver: Solver) -> str:
    return "" if solver.python == "3.11" else f"It needs Python {solver.python}."


def _section(number: int, solver: Solver, result: dict[str, Any], reports: dict[str, Any]) -> Iterator[str]:
    yield f"## {number}. {solver.name}\n\n{solver.does} *Promise:* {solver.promise}"
    yield from filter(None, (solver.note, _needs(solver)))
    yield from ("", "```sh", *solver.install, solver.verify, "```")
    for finding in result["findings"]:
        count = "not counted" if finding["solutions"] is None else str(finding["solutions"])
        example = f", such as `{finding['right']}`" if finding["right"] else ""
        found = f"case {finding['case']:,}" if finding["case"] else "a known counterexample"
        yield f"\n**{finding['problem']}** on `{finding['puzzle']}` ({found}). Solutions: {count}{example}.\n"
        yield from ("```console", f"$ {solver.ask(finding['puzzle'])}", *finding["seen"].splitlines(), "```")
    for name in solver.reports:
        report = reports[name]
        yield f"\n[Report for {report['program']}](reports/{name}.md): {report['versions']}"
        yield f"Reported: {report['reported']}."


def main() -> int:
    """Try the solvers and reports whose names contain a word, by default all, and write the page.

    Return 1 if a command does not do what the page says, or if the newest release makes a report out of date.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("word", nargs="*", help="only solvers whose name contains this word")
    parser.add_argument("--page", action="store_true", help="try none, only write the page")
    parser.add_argument("--scratch", type=Path, default=Path(tempfile.gettempdir()) / "crosslit-trials")
    arguments = parser.parse_args()
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    solvers, _, _ = load()
    stale: list[str] = []

    def is_meant(name: str) -> bool:
        return not arguments.page and (not arguments.word or any(word in name for word in arguments.word))

    for solver in filter(lambda solver: is_meant(solver.name), solvers):
        try:
            results[solver.name] = try_solver(solver, arguments.scratch.resolve())
            print(f"{solver.name}: {results[solver.name]['counts']}, {results[solver.name]['judged']:,} judged")
            for name in solver.reports if not solver.inherited else []:
                stale += filter(None, [outdated(name, solver.python, solver.install, arguments.scratch.resolve())])
        except (RuntimeError, subprocess.CalledProcessError) as error:
            stale.append(f"{solver.name}: {error}")
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    for name, lines in variant_reports().items():
        try:
            stale += filter(None, [is_meant(name) and outdated(name, "3.11", lines, arguments.scratch.resolve())])
        except RuntimeError as error:
            stale.append(str(error))
    (ROOT / "docs" / "findings.md").write_text(page(results), encoding="utf-8")
    print("\n".join(stale), file=sys.stderr)
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main())
