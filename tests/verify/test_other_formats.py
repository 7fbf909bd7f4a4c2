"""A right solver that reads another format than the one that it is asked in."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import crosslit
from crosslit import InputError

_READS = """
import sys, crosslit
found = crosslit.solve(crosslit.load(sys.argv[2], sys.argv[1]))
print(found.text.replace("/", "\\n") if found{} else "unsolvable")
"""


def reads(path: Path, form: str, but: str = "") -> list[str]:
    path.write_text(_READS.format(but), encoding="utf-8")
    return [sys.executable, str(path), form, "{file}"]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["mk", "json"])
def test_the_format_in_which_it_is_right_is_named(form: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"it answers right in --format {form}, and wrong in --format inline"):
        crosslit.verify(reads(tmp_path / "solver.py", form), "nonogram", format="inline", cases=20)
