"""Typical calls of a user's script: they work, and type-check strictly."""

from __future__ import annotations

import dataclasses
import pkgutil
import tomllib
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import assert_type

import pytest
from crosslit_encoders.formula import Formula

import crosslit

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
PACKAGES = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["tool"]["importlinter"]["root_packages"]


def test_typical_calls_work() -> None:
    board = crosslit.load("111/111/111")
    puzzle = crosslit.Nonogram.of(crosslit.Grid.from_text("10/01"))
    assert_type(crosslit.solve(board), crosslit.Grid | None)
    assert_type(crosslit.solve([[1, 1], [1, 0]], "glucose4"), crosslit.Grid | None)
    assert_type(crosslit.solutions("1,1|1,1", limit=1), Iterator[crosslit.Grid])
    assert len(list(crosslit.solutions(puzzle, limit=1))) == 1
    assert sum(len(array) for array in crosslit.batches(puzzle)) == 2
    presses = crosslit.fewest("11/10")
    assert presses is not None
    assert presses.count() == 1
    assert_type(crosslit.count(puzzle, check=True).number, int | None)
    assert crosslit.explain("9,1|1,1").status == "unsolvable"
    assert crosslit.audit([puzzle, "10/01"])[1].solutions == 1
    assert crosslit.nullity(5) == crosslit.nullity(5, 5) == 2
    made = crosslit.generate("nonogram", (4, 5), unique=True, difficulty="line")
    assert_type(made, list[crosslit.LightsOut | crosslit.Nonogram])
    assert_type(crosslit.encode(puzzle), Formula)
    assert list(crosslit.encode(board, "full-direct", target="cnf").clauses())
    assert crosslit.encode(puzzle, target="opb").sizes["variables"]
    comparison = crosslit.compare(puzzle, "native,glucose4", limit=None, timeout=30)
    assert_type(comparison, crosslit.Comparison)
    assert not comparison.to_dataframe().empty
    assert crosslit.draw(puzzle, ["10", "0 "]).svg().startswith("<svg")
    assert crosslit.page([board, puzzle]).startswith("<!doctype html>")
    assert crosslit.verify(crosslit.solve, kind="lights-out", cases=10, size="2..3").passed


def public_modules() -> Iterator[ModuleType]:
    """Yield the modules of all packages that list public names."""
    for name in PACKAGES:
        package = import_module(name)
        below = (found.name for found in pkgutil.walk_packages(package.__path__, f"{name}."))
        yield from (import_module(path) for path in [name, *below] if has_public_names(path))


def has_public_names(name: str) -> bool:
    origin = str(getattr(find_spec(name), "origin", ""))
    return origin.endswith(".py") and "\n__all__ = " in Path(origin).read_text(encoding="utf-8")


@pytest.mark.slow
def test_typical_calls_and_every_public_name_type_check_strictly(tmp_path: Path) -> None:
    api = pytest.importorskip("mypy.api", reason="needs the extra dev")
    names = [f"{module.__name__}.{name}" for module in public_modules() for name in module.__all__]
    imports = dict.fromkeys(f"import {name.rpartition('.')[0]}" for name in names)
    script = tmp_path / "names.py"
    script.write_text("\n".join([*imports, *(f"reveal_type({name})" for name in names), ""]), encoding="utf-8")
    output, errors, status = api.run(["--strict", __file__, str(script)])
    assert (status, errors) == (0, ""), output
    assert output.count("note: Revealed type is") == len(names)
    assert 'Revealed type is "Any"' not in output


def test_dir_has_the_public_names_only() -> None:
    assert dir(crosslit) == sorted(crosslit.__all__)


def test_a_count_is_a_number_and_an_unknown_one_or_attribute_is_an_error() -> None:
    two, none = crosslit.count("1,1|1,1"), crosslit.count("1|0")
    assert two == 2 and two != 3 and two < 99 and not none and two >= none and two >= 2
    with pytest.raises(AttributeError, match="no 'count'; it has at_least, "):
        getattr(two, "count")  # noqa: B009
    unknown = dataclasses.replace(two, number=None, at_least=0)
    uses: list[Callable[[], object]] = [lambda: unknown == 4, lambda: unknown < 4, lambda: bool(unknown)]
    uses.append(lambda: int(unknown))
    for use in uses:
        with pytest.raises(TypeError, match="the number of solutions is not known"):
            use()


def test_a_judged_result_is_no_truth_value() -> None:
    for result in (crosslit.check_list("1,1|1,1", []), crosslit.compare("10/01", "gauss")):
        with pytest.raises(TypeError, match="is neither true nor false; see its "):
            bool(result)
