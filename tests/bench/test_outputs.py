"""The output of the commands that read results, for two synthetic campaigns, as stored in ``outputs.txt``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from crosslit.base.version import __version__
from crosslit.cli.group import root
from tests.bench.stores import fill
from tests.stored import check

STORED = Path(__file__).with_name("outputs.txt")
_NUMBER = re.compile(r"-?\d+\.\d{5,}(?:e-?\d+)?")
MAX_LINES = 27  # of one output


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two stores: other times, another share of runs, and a backend that is wrong."""
    path = tmp_path_factory.mktemp("results")
    fill(path / "old.sqlite", 210, repetitions=1)
    fill(path / "new.sqlite", 210, repetitions=1, seed=1, wrong="first-row", done=0.9)
    fill(path / "small.sqlite", 14, repetitions=1)
    return path


@pytest.mark.parametrize(
    "line",
    [
        "status new.sqlite",
        "status small.sqlite --json",
        "diff old.sqlite new.sqlite",
        "diff old.sqlite small.sqlite",
        "merge old.sqlite new.sqlite",
        "export small.sqlite",
        "export small.sqlite --to toml",
        "report small.sqlite --json",
        "report new.sqlite --tables tables",
    ],
)
def test_outputs_are_the_stored_ones(folder: Path, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(root, ["bench", *line.split()], standalone_mode=False)
    text = f"{done.output}status {done.return_value}\n"
    if line.endswith("--tables tables"):
        text += (folder / "tables" / "tables.tex").read_text(encoding="utf-8")
    text = _NUMBER.sub(lambda found: f"{float(found[0]):.5g}", text.replace(__version__, "VERSION"))
    lines = [line[:400] for line in text.splitlines()]
    left_out = [f"... {len(lines) - MAX_LINES} lines ..."] if len(lines) > MAX_LINES else []
    check(STORED, line, "\n".join(lines[:MAX_LINES] + left_out))
