"""Tables: how they are folded and cut, and the list of backends."""

from __future__ import annotations

import json
import re
from pathlib import Path

from crosslit.base.text import Table
from crosslit.registry import all_backends
from tests.inline import run_inline
from tests.stored import check

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
    parts = [f"{width}:{TABLE.render(width, rule='-', styled=width % 4 == 0)!a}" for width in widths]
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
