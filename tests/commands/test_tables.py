"""Tables in terminals of every usual width: nothing of a number is lost, nor its unit."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from crosslit_bench.cli import bench
from crosslit_generate.cli import stats

from crosslit.base.text import Table
from crosslit.cli import compare, files, formula
from crosslit.registry import all_backends
from tests.conftest import ROOT
from tests.inline import run_inline
from tests.stored import check

WIDTHS = (40, 60, 80, 120, 200)
HEART = str(ROOT / "examples" / "heart.non")
NAMES = "cpsat/automaton:workers=1:seed=123456,alignment,hybrid,line"
CAMPAIGN = 'backends = ["gauss", "glucose4/full-direct"]\n[[puzzles]]\npuzzles = ["111/111/111", "10/01"]\n'
_NUMBER = re.compile(r"\S*\d\S*")


TEXT = Table.render


def lost(table: Table, text: str) -> list[str]:
    """The numbers of a table that its text does not have in full, with their units."""
    note = re.search(r"\(not shown in \d+ columns: (.*)\)", text)
    hidden = re.split(", | and ", note[1]) if note else []
    assert set(hidden) <= set(table.minor)
    return [
        found
        for cells, _ in table.rows
        for column, cell in zip(table.columns, cells, strict=True)
        if column not in hidden
        for found in (_NUMBER.findall(cell) if column in table.prose else [cell] if _NUMBER.search(cell) else [])
        if not re.search(rf"(?<![^\s(]){re.escape(found)}(?![^\s);,])", text)
    ]


def too_wide(table: Table, text: str, width: int) -> list[str]:
    words = {word for cells, _ in table.rows for cell in cells for word in cell.split() if len(word) > width - 20}
    is_vertical = "─" not in text  # a line for each cell
    return [
        line for line in text.split("\n") if len(line) > width and not (is_vertical or words.intersection(line.split()))
    ]


COMMANDS: dict[str, tuple[click.Command, list[str]]] = {
    "backends": (files.backends_command, []),
    "stats": (stats.command, [str(ROOT / "examples"), "1,1,1,1,1,1,1,1|1,1,1,1,1,1,1,1", "--timeout", "60"]),
    "compare": (compare.compare_command, [HEART, "--backends", NAMES, "--repeat", "5"]),
    "compare the fewest": (compare.compare_command, ["0" * 40, "--fewest", "--backends", "fewest,brute"]),
    "encodings": (formula.encode_command, ["--list"]),
    "status": (bench.command, ["status"]),
    "diff": (bench.command, ["diff"]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_every_table_keeps_its_numbers(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command, arguments = COMMANDS[name]
    if command is bench.command:
        (tmp_path / "campaign.toml").write_text(CAMPAIGN, encoding="utf-8")
        assert run_inline("bench", "run", str(tmp_path / "campaign.toml"), cwd=tmp_path).returncode == 0
        arguments = [*arguments, *[str(next(tmp_path.glob("*.sqlite")))] * (2 if name == "diff" else 1)]
    tables: list[Table] = []
    monkeypatch.setattr(Table, "render", lambda table, *_, **__: tables.append(table) or "")
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code in (0, 3), done.output  # 3: `diff` has too few puzzles
    (table,) = tables
    for width in WIDTHS:
        text = TEXT(table, width)
        assert lost(table, text) == [], text
        assert too_wide(table, text, width) == [], text


TABLE = Table(
    *("puzzle", "size", "nullity", "evidence", "solutions", "empty", "note"),
    rows=[("a-very-long-name-of-a-pack.puzzles:1234", "10 x 11", "12", "agreed", "4,096", "", "")],
    right={"nullity", "solutions"},
    prose={"puzzle", "note"},
    minor=("nullity", "evidence", "empty"),
)
TABLE.add_row("10/01 & <b>", "2 x 2", "0", "claimed", "1", "", "it counts 12,345 of them all", alarm=True)


def test_a_table_is_folded_and_cut_as_stored() -> None:
    widths = (20, 55, 74, 88, *range(101, 118, 4))
    parts = [f"{width}:{TEXT(TABLE, width, rule='-', styled=width % 4 == 0)!a}" for width in widths]
    text = "\n".join(part.replace("\\n", "\n") for part in parts)
    check(Path(__file__).with_name("tables.txt"), "tables", f"{text}\n{TABLE._repr_html_()}\n{Table('a', 'b')}")


def test_the_list_of_backends_fits_80_columns_in_a_pipe_and_has_every_one() -> None:
    table = run_inline("backends").stdout
    assert max(map(len, table.splitlines())) <= 80
    assert {*all_backends()} <= {*re.findall(r"[\w-]+", table)}
    listed = map(json.loads, run_inline("backends", "--json").stdout.splitlines())
    missing = ", ".join(each["name"] for each in listed if not each["available"])
    assert (f"Cannot run here: {missing}." in " ".join(table.split())) == bool(missing)
    assert re.search(r"^ gauss .* yes ", table, re.MULTILINE) and not re.search(r"^ brute .* yes ", table, re.MULTILINE)
