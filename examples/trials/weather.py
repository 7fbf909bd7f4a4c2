"""Verify the newest release of engines and write a table: ``python examples/trials/weather.py [ENGINE]...``.

Each package is installed into a separate environment. Each engine gets puzzles as they are, then variants of their
models, one technique at a time and all together, and hard ones, each for some seconds. The folder ``--output`` gets the
table, ``weather.md``, and for each wrong answer a script that shows it and needs only the engine.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from crosslit_verify.variants.engines import ENGINES
from crosslit_verify.variants.techniques import TECHNIQUES
from run import install, run, shell  # the script next to this one

DISTRIBUTIONS = {"pysat": "python-sat", "z3": "z3-solver"}
"""Packages whose name is not that of their module."""
PLAIN = ("lights-out", "nonogram")
COLUMNS = (*PLAIN, *TECHNIQUES, "all", "hard")


def command(engine: str, column: str, python: Path, seconds: float, script: Path) -> list[str]:
    """Return the command for a cell of the table."""
    words = [sys.executable, "-m", "crosslit", "verify", "--backend", engine, "--python", str(python), "--json"]
    words += ["--seconds", f"{seconds:g}", "-o", str(script)]
    if column in PLAIN:
        return [*words, "--kind", column]
    return [*words, "--variants", "all", "--hard"] if column == "hard" else [*words, "--variants", column]


def cell(status: int | None, output: str) -> tuple[str, int, str]:
    """Return the word, the number of judged cases, and the smallest failure, from what ``crosslit verify`` printed.

    Examples:
        >>> cell(0, '{"passed": true, "counts": {"judged": 7}, "failures": []}')
        ('right', 7, '')
        >>> failure = '{"problem": "wrong-grid", "puzzle": {"text": "10/00"}, "confirmed": "z3"}'
        >>> cell(1, '{"passed": false, "counts": {"judged": 7}, "failures": [' + failure + "]}")
        ('wrong', 7, 'wrong-grid 10/00')
        >>> cell(2, "")
        ('not asked', 0, '')
    """
    results = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    results = [result for result in results if "passed" in result]
    if not results or status not in (0, 1, 3):
        return "not asked", 0, ""
    result: dict[str, Any] = results[-1]
    counts = result.get("coverage", result["counts"])  # of puzzles as they are, and of variants
    judged = counts.get("judged", 0) - counts.get("undecided", 0)
    failures = [
        f"{failure['problem']} {failure['puzzle']['text']}{', cured by ' if failure.get('cures') else ''}"
        + " or ".join(failure.get("cures", ()))
        for failure in result["failures"]
        if failure.get("confirmed", True)
    ]
    if failures:
        return "wrong", judged, min(failures, key=len)
    return "undecided" if result["failures"] or judged <= 0 else "right", judged, ""  # also if nothing confirms it


def table(rows: dict[str, dict[str, tuple[str, int, str]]], seconds: float) -> str:
    """Return the page."""
    lines = [
        "# Engines today",
        "",
        f"Each cell had {seconds:g} s, and has the verdict and the number of decided cases; (0): it does not apply.",
        "",
    ]
    lines += [f"| | {' | '.join(COLUMNS)} |", f"|---|{'---|' * len(COLUMNS)}"]
    for name, row in rows.items():
        words = {"wrong": "**wrong** ", "not asked": ""}
        cells = (f"{words.get(word, f'{word} ')}({judged:,})" for word, judged, _ in row.values())
        lines.append(f"| {name} | {' | '.join(cells)} |")
    smallest = [(name, column, text) for name, row in rows.items() for column, (_, _, text) in row.items() if text]
    return "\n".join([*lines, "", *(f"* {name}, {column}: `{text}`" for name, column, text in smallest)]) + "\n"


def main() -> int:
    """Verify all engines, or those named, and write the table; return 1 if there is a failure that is not known."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engine", nargs="*", default=list(ENGINES), help=", ".join(ENGINES))
    parser.add_argument("--seconds", type=float, default=20, help="time for each cell (default: %(default)s)")
    parser.add_argument("--known", type=Path, help="file with lines such as 'scip form': failures that are expected")
    parser.add_argument("--scratch", type=Path, default=Path(tempfile.gettempdir()) / "crosslit-trials")
    parser.add_argument("--jobs", default="1", help="engines that are asked in parallel (default: %(default)s)")
    parser.add_argument("--dask", default="", help="address of a scheduler, whose workers ask them; see verify")
    parser.add_argument("-o", "--output", type=Path, default=Path("weather"))
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    known = set(arguments.known.read_text(encoding="utf-8").splitlines()) if arguments.known else set()
    rows, is_new = {}, False
    for engine in arguments.engine:
        module = ENGINES[engine].package
        lines = [f"pip install --quiet --upgrade numpy {DISTRIBUTIONS.get(module, module)}"]  # our encoders need numpy
        home = install("3.11", lines, arguments.scratch.resolve())
        _, version, _ = shell(
            [*lines, f"pip show {DISTRIBUTIONS.get(module, module)} | sed -n 's/^Version: //p'"], home, 900
        )
        row = {}
        for column in COLUMNS:
            script = arguments.output.resolve() / f"{engine}-{column}.py"
            words = command(engine, column, home / "env", arguments.seconds, script)
            words += ["--jobs", arguments.jobs, *(["--dask", arguments.dask] if arguments.dask else [])]
            status, output, _ = run(words, 3 * arguments.seconds + 300)
            row[column] = cell(status, output)
            print(engine, column, *row[column], flush=True)
            is_new |= row[column][0] == "wrong" and f"{engine} {column}" not in known
        rows[f"{engine} ({module} {version.strip()})"] = row
        (arguments.output / "weather.md").write_text(table(rows, arguments.seconds), encoding="utf-8")
    return int(is_new)


if __name__ == "__main__":
    sys.exit(main())
