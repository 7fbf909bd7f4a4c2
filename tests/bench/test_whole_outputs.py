"""The complete output of the commands that read results, for two synthetic campaigns, as stored in ``outputs.txt``."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from crosslit_bench import figures
from crosslit_bench.report import html
from crosslit_bench.report.text import brief
from crosslit_bench.results.frame import load
from crosslit_bench.store.store import Store

from crosslit.base.errors import CrosslitError
from crosslit.base.version import __version__
from crosslit.cli.group import root
from tests.bench import synthetic
from tests.bench.report.test_document import Page
from tests.stored import check

STORED = Path(__file__).with_name("outputs.txt")
_NUMBER = re.compile(r"-?\d+\.\d{5,}(?:e-?\d+)?")
MAX_LINES = 24  # of one output


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with two files of results: other times, another share of runs, and a backend that is wrong."""
    path = tmp_path_factory.mktemp("results")
    synthetic.fill(path / "old.sqlite", 420, repetitions=2)
    synthetic.fill(path / "new.sqlite", 420, repetitions=2, seed=1, wrong="first-row", done=0.9, errors=("=1+1", "b"))
    synthetic.fill(path / "small.sqlite", 21, repetitions=1)
    shutil.copy(path / "old.sqlite", path / "copy.sqlite")
    yield path


def scrubbed(text: str, folder: Path) -> str:
    """The text without what differs between machines: paths, the version, and digits behind the fifth."""
    text = text.replace(str(folder), "FOLDER").replace(__version__, "VERSION")
    return _NUMBER.sub(lambda found: f"{float(found[0]):.5g}", text)


def invoked(folder: Path, arguments: Sequence[str]) -> str:
    done = CliRunner().invoke(root, ["bench", *arguments])
    assert isinstance(done.exception, CrosslitError | SystemExit | None), done.exception
    error = f"{done.exception}\n" if isinstance(done.exception, CrosslitError) else ""
    lines = scrubbed(f"{done.output}{error}exit status {done.exit_code}", folder).split("\n")
    left_out = [f"... {len(lines) - MAX_LINES} lines ...", lines[-1]] if len(lines) > MAX_LINES else []
    return "\n".join([line[:700] for line in lines[:MAX_LINES]] + left_out)


@pytest.mark.parametrize(
    "line",
    [
        "status old.sqlite",
        "status new.sqlite --json",
        "diff old.sqlite new.sqlite",
        "diff new.sqlite old.sqlite --slower 0 --measure cpu",
        "diff old.sqlite old.sqlite --json",
        "diff old.sqlite small.sqlite",
        "diff small.sqlite old.sqlite --json",
        "check old.sqlite",
        "check new.sqlite",
        "check new.sqlite --json",
        "export small.sqlite",
        "export new.sqlite --to jsonl",
        "reproduce small.sqlite",
        "report old.sqlite",
        "report old.sqlite --latex table.tex --columns nothing",
        "report small.sqlite --tables tables.tex --latex table.tex --columns label,par2,borda",
        "merge one.sqlite old.sqlite copy.sqlite",
        "merge other.sqlite copy.sqlite old.sqlite --json",
        "merge new.sqlite small.sqlite",
    ],
)
def test_a_command_prints_all_that_is_stored(folder: Path, line: str) -> None:
    words = [str(folder / word) if word.endswith((".sqlite", ".tex")) else word for word in line.split()]
    check(STORED, line, invoked(folder, words))


def cell(value: Any) -> str:
    """A cell of a table, with numbers as short as they are equal on all machines."""
    try:
        return f"{float(value):.4g}"
    except (TypeError, ValueError):
        return str(value)


@pytest.mark.parametrize(("name", "measure"), [("old", "cpu"), ("new", "total")])
def test_the_whole_analysis_of_a_campaign(folder: Path, name: str, measure: str) -> None:
    given = ["--json", "--tables", str(folder / f"{name}-{measure}"), "--measure", measure]
    given += ["--latex", str(folder / f"{name}-{measure}.tex")]
    done = CliRunner().invoke(root, ["bench", "report", str(folder / f"{name}.sqlite"), *given])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    record = json.loads(done.stdout)
    lines = [f"{key}: {value}" for key, value in record.items() if key not in ("analysis", "store", "tables")]
    for title, rows in record["analysis"].items():
        lines += ["", f"{title}: {len(rows)} rows"]
        for row in rows[:8]:
            lines.append(
                " ".join(f"{key}={cell(value)}" for key, value in row.items() if value not in (None, ""))[:600]
            )
    for path in sorted(Path(folder / f"{name}-{measure}").iterdir()):
        with path.open(newline="", encoding="utf-8") as file:
            table = list(csv.reader(file))
        lines.append(f"{path.name}: {len(table)} x {len(table[0])}, {','.join(table[0])[:300]}")
    lines += ["", *(folder / f"{name}-{measure}.tex").read_text(encoding="utf-8").splitlines()]
    check(STORED, f"report {name} {measure}", scrubbed("\n".join(lines), folder))


@pytest.mark.parametrize("name", ["old", "new"])
def test_the_whole_text_of_a_page(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "figures_of", lambda *_: [])  # drawing takes longest
    with Store(folder / f"{name}.sqlite") as store:
        page = Page(html(load(store).by_machine()))
    lines = [" ".join(line.split()) for line in page.text.split("\n") if line.strip()]
    attributes = sorted({f"{tag} {key}={value}" for tag, given in page.elements for key, value in given.items()})
    kept = [line for line in attributes if not re.search("src=|style=| d=|href=data", line) and len(line) < 200]
    check(STORED, f"page of {name}", scrubbed("\n".join([*(line[:400] for line in lines), *kept]), folder))


def test_long_texts_are_shortened_as_stored() -> None:
    lengths = (0, 8, 9, 10, 35, 36, 37, 79, 80, 81, 320, 321)
    texts = [(("0123456789" * 40)[:length], ("a b " * 100)[:length]) for length in lengths]
    lines = [f"{len(digits)}: {brief(digits, 9)} {brief(words)}" for digits, words in texts]
    check(STORED, "brief", "\n".join(lines))
