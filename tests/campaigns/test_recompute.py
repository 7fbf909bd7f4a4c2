"""A report's every number follows from the page and the exported runs, by a script that knows nothing of Crosslit."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from crosslit_bench.report import html
from crosslit_bench.results.export import written
from crosslit_bench.store.store import Store

from tests.campaigns.referee import problems
from tests.campaigns.refereed import refereed

pytestmark = pytest.mark.slow

_ROOT = Path(__file__).parents[2]
_ALONE = """
import json, sys
from pathlib import Path
sys.modules["crosslit"] = None  # importing it fails
sys.path.insert(0, sys.argv[1])
from tests.campaigns.referee import problems
print(json.dumps(problems(*(Path(name).read_text("utf-8") for name in sys.argv[2:]))))
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The page and the exported runs of a campaign of 30 puzzles and 6 contestants."""
    folder = tmp_path_factory.mktemp("refereed")
    page, runs = folder / "report.html", folder / "runs.csv"
    page.write_text(html(refereed(folder)), "utf-8")
    with Store(folder / "results.sqlite") as store:
        runs.write_text("".join(written(store, "csv")), "utf-8")
    return page, runs


@pytest.fixture(scope="module")
def texts(files: tuple[Path, Path]) -> tuple[str, str]:
    page, runs = (file.read_text("utf-8") for file in files)
    return page, runs


def test_every_number_of_a_report_follows_from_its_rules_and_the_runs(files: tuple[Path, Path]) -> None:
    command = [sys.executable, "-I", "-c", _ALONE, str(_ROOT), *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == []


def test_the_referee_imports_nothing_of_crosslit() -> None:
    imported = set()
    for file in Path(__file__).with_name("referee").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(node.module or "")
    own = {name for name in imported if name.startswith("tests.campaigns.referee")}
    assert {name.split(".")[0] for name in imported - own} <= {*sys.stdlib_module_names, "numpy", "scipy"}


def test_a_change_of_the_last_digit_in_any_cell_is_found(texts: tuple[str, str]) -> None:
    page, runs = texts
    changed: list[str] = []

    def change(cell: re.Match[str]) -> str:
        before, text = cell.groups()
        *_, last = re.finditer(r"\d", text)
        new = f"{text[: last.start()]}{(int(last[0]) + 1) % 10}{text[last.end() :]}"
        changed.append(new)
        return f"<td{before}>{new}</td>"

    head, rest = page.split('<section id="summary">')
    figures, methods = rest.split("<table><caption>Method</caption>".replace("><", ">\n<"))
    figures = re.sub(r"<td([^>]*)>([^<]*\d[^<]*)</td>", change, figures)
    found = "\n".join(
        problems(f'{head}<section id="summary">{figures}<table>\n<caption>Method</caption>{methods}', runs)
    )
    assert len(changed) > 400
    assert [text for text in changed if text.replace("&lt;", "<") not in found] == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("30 puzzles, 6 contestants", "31 puzzles, 6 contestants", "recomputed '30 puzzles"),
        ("on the 20 puzzles in common", "on the 21 puzzles in common", "recomputed 'Contestants on Lights Out boards"),
        (
            "<p>The ratio is",
            "<p>Half of all ratios are below 0.25. The ratio is",
            "not explained in #tests <p>: ['0.25']",
        ),
        ("Times within 5%", "Times within 40%", "#tests shows"),
        ("P(X &lt; k) &lt; 2.5%", "P(X &lt; k) &lt; 10.0%", "#ranking shows"),
        (
            "-(0.02/s)²/2, because each time has an error of 2%",
            "-(0.2/s)²/2, because each time has an error of 20%",
            "#growth shows",
        ),
        ("gauss 20 of 20", "gauss 20 of 21", "recomputed 'gauss 20 of 20'"),
        (" Fewer than 6 puzzles do not distinguish", " Few puzzles do not distinguish", "the page does not state"),
    ],
)
def test_a_planted_error_is_found(texts: tuple[str, str], old: str, new: str, message: str) -> None:
    page, runs = texts
    assert old in page
    assert message in "\n".join(problems(page.replace(old, new), runs))


def test_a_change_of_a_time_in_the_runs_is_found(texts: tuple[str, str]) -> None:
    page, runs = texts
    head, first, *rest = runs.splitlines()
    values = first.split(",")
    values[head.split(",").index("total")] = "1.5"
    assert any(
        text.startswith("#puzzle-by-puzzle shows")
        for text in problems(page, "\n".join([head, ",".join(values), *rest]))
    )
