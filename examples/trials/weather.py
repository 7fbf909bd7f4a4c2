"""Verify the newest release of engines and write a table: ``python examples/trials/weather.py [ENGINE]...``.

Each package is installed into a separate environment. Each engine gets puzzles as they are, then variants of their
models, one technique at a time and all together, and hard ones, each for some seconds. The seed is the date, so that
every night has other cases. ``baselines/ENGINE.txt`` has the groups of failures that are known; the exit status is 1 if
there is a new one, or an engine decided nothing. The folder ``--output`` gets the table, ``weather.md``, with what is
new; for each wrong answer a script that shows it and needs only the engine; and the baselines with the new groups, to
be committed.
"""

import argparse
import json
import shutil
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from crosslit_verify.failure import numbered
from crosslit_verify.variants.engines import ENGINES
from crosslit_verify.variants.techniques import TECHNIQUES
from run import install, run, shell  # the script next to this one

DISTRIBUTIONS = {"pysat": "python-sat", "z3": "z3-solver"}
"""Packages whose name is not that of their module."""
MORE = {"cpmpy": "pychoco exact z3-solver 'python-sat[pb]'"}
"""Packages that a module needs for its solvers."""
BASELINES = Path(__file__).with_name("baselines")
PLAIN = ("lights-out", "nonogram")
COLUMNS = (*PLAIN, *TECHNIQUES, "all", "hard")


def command(engine: str, column: str, python: Path, script: Path, baseline: Path, rest: list[str]) -> list[str]:
    """Return the command for a cell of the table."""
    words = [sys.executable, "-m", "crosslit", "verify", "--backend", engine, "--python", str(python), "--json"]
    words += ["-o", str(script), "--baseline", str(baseline), *rest]
    if column in PLAIN:
        return [*words, "--kind", column]
    return [*words, "--variants", column]


Cell = tuple[str, int, int, list[str]]
"""The word, the numbers of judged cases and of groups of failures, and a line for each new group."""


def cell(status: int | None, output: str, script: str = "") -> Cell:
    """Return the cell from what ``crosslit verify`` printed, which wrote a script for each failure.

    Examples:
        >>> cell(0, '{"passed": true, "counts": {"judged": 7}, "failures": []}')
        ('right', 7, 0, [])
        >>> failure = '{"puzzle": {"text": "10/00"}, "group": "crash with form", "confirmed": "z3"}'
        >>> end = '"failures": [' + failure + '], "new_groups": ["scip crash with form"]}'
        >>> cell(1, '{"passed": false, "counts": {"judged": 7},' + end, "a.py")
        ('wrong', 7, 1, ['scip crash with form: a.py'])
        >>> cell(2, "")
        ('not asked', 0, 0, [])
    """
    results = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    results = [result for result in results if "passed" in result]
    if not results or status not in (0, 1, 3):
        return "not asked", 0, 0, []
    result: dict[str, Any] = results[-1]
    counts = result.get("coverage", result["counts"])  # of puzzles as they are, and of variants
    judged = counts.get("judged", 0) - counts.get("undecided", 0)
    failures = [failure for failure in result["failures"] if failure.get("confirmed", True)]
    # a group of puzzles as they are is that of their replay files
    paths = {failure.get("group", ""): numbered(script, number) for number, failure in enumerate(failures, 1)}
    new = [f"{group}: {paths.get(group.partition(' ')[2], script)}" for group in result.get("new_groups", [])]
    if failures:
        return "wrong", judged, len(failures), new
    return "undecided" if result["failures"] or judged <= 0 else "right", judged, 0, new  # also if nothing confirms it


def table(rows: dict[str, dict[str, Cell]], seconds: float, seed: int) -> str:
    """Return the page."""
    cells = [(f"{name}, {column}", cell) for name, row in rows.items() for column, cell in row.items()]
    new = [f"* **{name}**: {line}" for name, cell in cells for line in cell[3]]
    lines = ["# Engines today", "", "## New tonight", "", *(new or ["Nothing."]), "", "## All engines", ""]
    lines += [
        f"Seed {seed}. Each cell had {seconds:g} s, and has the verdict, the number of decided cases, and that of the "
        "groups of failures, of which those above are new; (0): it does not apply.",
        "",
    ]
    lines += [f"| | {' | '.join(COLUMNS)} |", f"|---|{'---|' * len(COLUMNS)}"]
    for name, row in rows.items():
        words = {"wrong": "**wrong** ", "not asked": ""}
        texts = (
            f"{words.get(word, f'{word} ')}({judged:,}{f'; groups: {groups}' if groups else ''})"
            for word, judged, groups, _ in row.values()
        )
        lines.append(f"| {name} | {' | '.join(texts)} |")
    return "\n".join(lines) + "\n"


def is_red(rows: dict[str, dict[str, Cell]]) -> bool:
    """Return whether there is a new group, or an engine without a decided case.

    Examples:
        >>> is_red({"a 1.0": {"form": ("right", 7, 0, []), "hard": ("undecided", 0, 0, [])}})
        False
        >>> is_red({"a 1.0": {"form": ("undecided", 0, 0, [])}})
        True
    """
    return any(
        not any(cell[1] for cell in row.values()) or any(cell[3] for cell in row.values()) for row in rows.values()
    )


def main() -> int:
    """Verify all engines, or those named, and write the table; return 1 if the night is red."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engine", nargs="*", default=list(ENGINES), help=", ".join(ENGINES))
    parser.add_argument("--seconds", type=float, default=20, help="time for each cell (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=int(datetime.now(UTC).strftime("%Y%m%d")), help="default: today")
    parser.add_argument(
        "--baselines", type=Path, default=BASELINES, help="folder of known groups (default: %(default)s)"
    )
    parser.add_argument("--scratch", type=Path, default=Path(tempfile.gettempdir()) / "crosslit-trials")
    parser.add_argument("--jobs", default="1", help="engines that are asked in parallel (default: %(default)s)")
    parser.add_argument("--dask", default="", help="address of a scheduler, whose workers ask them; see verify")
    parser.add_argument("-o", "--output", type=Path, default=Path("weather"))
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    shutil.copytree(arguments.baselines, arguments.output / "baselines", dirs_exist_ok=True)
    rows: dict[str, dict[str, Cell]] = {}
    rest = ["--seconds", f"{arguments.seconds:g}", "--seed", str(arguments.seed), "--jobs", arguments.jobs]
    rest += ["--dask", arguments.dask] if arguments.dask else []
    for engine in arguments.engine:
        module = ENGINES[engine].package
        packages = f"numpy {DISTRIBUTIONS.get(module, module)} {MORE.get(module, '')}"  # our encoders need numpy
        lines = [f"pip install --quiet --upgrade {packages.strip()}"]
        home = install("3.11", lines, arguments.scratch.resolve())
        show = f"pip show {DISTRIBUTIONS.get(module, module)} | sed -n 's/^Version: //p'"
        _, version, _ = shell([*lines, show], home, 900)
        row = rows[f"{engine} ({module} {version.strip()})"] = {}
        for column in COLUMNS:
            script = arguments.output.resolve() / f"{engine}-{column}.py"
            baseline = arguments.output.resolve() / "baselines" / f"{engine}.txt"
            words = command(engine, column, home / "env", script, baseline, rest)
            # after the time of a cell, a failure is reduced and its cures are looked for
            status, output, _ = run(words, 3 * arguments.seconds + 600)
            row[column] = cell(status, output, script.name)
            print(engine, column, *row[column], flush=True)
        (arguments.output / "weather.md").write_text(table(rows, arguments.seconds, arguments.seed), encoding="utf-8")
    return int(is_red(rows))


if __name__ == "__main__":
    sys.exit(main())
