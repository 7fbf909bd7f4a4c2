"""Pictures of puzzles and solutions, and what Python and notebooks show."""

from __future__ import annotations

import re
import sys
import types
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import crosslit
from crosslit import Grid, LightsOut, load
from crosslit.base.grid import ArrayLike
from crosslit.base.shapes import ASCII
from crosslit.base.text import Table
from crosslit.formats.drawing import draw_lines, scene, svg
from crosslit.kinds.lights_out.board import ModularLightsOut
from crosslit.kinds.lights_out.picture import draw_lights
from crosslit.kinds.nonogram.colours import ColouredNonogram
from crosslit.kinds.nonogram.picture import tint
from tests.stored import check

BOARD, NONOGRAM = "10/01", "1,1|1,1"
FUNCTIONS: dict[str, Callable[[Any], object]] = {
    "audit": lambda puzzle: crosslit.audit([puzzle]),
    "batches": lambda puzzle: next(crosslit.batches(puzzle)),
    "compare": lambda puzzle: crosslit.compare(puzzle, "native"),
    "count": crosslit.count,
    "draw": crosslit.draw,
    "encode": crosslit.encode,
    "explain": crosslit.explain,
    "fewest": crosslit.fewest,
    "page": crosslit.page,
    "solutions": lambda puzzle: next(crosslit.solutions(puzzle)),
    "solve": crosslit.solve,
}


def lines_of(text: object) -> list[str]:
    return str(text).replace("██", "##").replace("·", ".").split("\n")


def test_a_puzzle_prints_as_its_picture_and_a_small_one_has_a_complete_representation() -> None:
    board, nonogram = crosslit.load(BOARD), crosslit.load(NONOGRAM)
    assert lines_of(board) == ["##.", ". ##"]
    assert lines_of(nonogram) == ["   1 1", "1 . .", "1 . ."]
    namespace = {"LightsOut": crosslit.LightsOut, "Nonogram": crosslit.Nonogram, "Grid": crosslit.Grid}
    assert [eval(repr(puzzle), namespace) for puzzle in (board, nonogram)] == [board, nonogram]


def test_a_picture_that_is_too_large_is_not_drawn() -> None:
    assert [crosslit.Grid.from_bits(100, n, 0)._repr_svg_() is None for n in (100, 101)] == [False, True]
    assert [repr(crosslit.Grid.from_bits(1, n, 0))[0] for n in (64, 65)] == ["G", "<"]
    assert str(crosslit.Grid.from_bits(1000, 1000, 0)).count("\n") == 999
    assert str(crosslit.Grid.from_bits(1001, 1000, 0)) == "(grid, 1001 x 1000: too large to draw)"


def test_a_picture_is_saved_by_its_extension(tmp_path: Path) -> None:
    picture = crosslit.draw(BOARD, crosslit.solve(BOARD))
    picture.save(tmp_path / "board.svg")
    assert (tmp_path / "board.svg").read_text(encoding="utf-8") == picture.svg()
    with pytest.raises(crosslit.InputError, match=r"board\.gif: expected the extension \.svg"):
        picture.save(tmp_path / "board.gif")


def test_numpy_takes_a_grid() -> None:
    grid = crosslit.Grid.from_text("110/011")
    assert np.asarray(grid).dtype == np.bool_
    assert np.array(grid, dtype=int).tolist() == [[1, 1, 0], [0, 1, 1]]
    assert np.array([grid, grid]).shape == (2, 2, 3)
    with pytest.raises(ValueError, match="is a copy"):
        grid.__array__(copy=False)  # by np.array(grid, copy=False) of NumPy 2


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_takes_a_one_line_form_and_refuses_other_types_in_words(name: str) -> None:
    FUNCTIONS[name](BOARD)
    with pytest.raises(TypeError, match=r"^expected a puzzle, such as '10/01' or load\(path\), found int 3$"):
        FUNCTIONS[name](3)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: crosslit.solve(BOARD, 5), "expected a spec of a backend, such as 'gauss', found int 5"),  # type: ignore[arg-type]
        (lambda: crosslit.compare(BOARD, [5]), "expected a spec of a backend, such as 'gauss', found int 5"),  # type: ignore[list-item]
        (lambda: crosslit.compare(BOARD, timeout="5 s"), "expected a limit of time in seconds, found str '5 s'"),  # type: ignore[arg-type]
        (lambda: crosslit.load(5), "expected a path, or a puzzle on one line such as '10/01', found int 5"),  # type: ignore[arg-type]
        (lambda: crosslit.Nonogram([1, 1], [1, 1]), "expected the clue of row 1 as a list of blocks, .* found int 1"),  # type: ignore[list-item]
        (lambda: crosslit.Nonogram([[1]], "1"), "expected a clue for each column, such as .* found str '1'"),  # type: ignore[arg-type]
        (lambda: crosslit.verify(5, kind="nonogram"), "expected a solver as a function .* found int 5"),  # type: ignore[arg-type]
        (lambda: crosslit.LightsOut("10/01"), r".*crosslit\.load reads text"),  # type: ignore[arg-type]
        (lambda: crosslit.Grid.from_cells([["1", "0"]]), r"expected cells such as .* found list \[\['1', '0'\]\]"),
        (lambda: crosslit.Grid.from_cells(np.ones((2, 2, 2))), "expected cells such as .* found ndarray"),
        (lambda: crosslit.Grid.from_text("10")["0"], r"expected a row, or a cell \(row, column\); .* found str '0'"),  # type: ignore[call-overload]
        (lambda: crosslit.count(BOARD, memory_mb=1.5), "expected a limit of memory in whole MB, found float 1.5"),  # type: ignore[arg-type]
        (lambda: crosslit.nullity("5"), "'str' object cannot be interpreted as an integer"),  # type: ignore[arg-type]
        (lambda: crosslit.add_solver("mine", len), "expected a command such as .* found builtin_function"),  # type: ignore[arg-type]
        (lambda: crosslit.verify(len, kind="nonogram", cases="a"), "expected cases as a whole number, found str 'a'"),  # type: ignore[arg-type]
        (lambda: crosslit.verify(len, kind="nonogram", case=1), r"verify\(\) got an unexpected .* 'case'"),  # type: ignore[call-arg]
        (lambda: crosslit.solve([[1, 2]]), "expected a puzzle, such as .* found list"),
        (lambda: next(crosslit.load(BOARD).violations(5)), "expected a Grid, such as .* found int 5"),  # type: ignore[arg-type]
        (lambda: crosslit.draw(BOARD, 5), "expected cells as a Grid or as rows of text, found int 5"),  # type: ignore[arg-type]
    ],
)
def test_an_argument_of_a_wrong_type_is_refused_in_one_sentence(wrong: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError, match=f"^{message}") as caught:
        wrong()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", [np.array, pd.DataFrame, crosslit.Grid.from_cells])
def test_a_board_can_be_an_array(kind: Callable[[list[list[int]]], ArrayLike]) -> None:
    assert crosslit.solve(kind([[1, 0], [0, 1]])) == crosslit.Grid.from_text("10/01")


def test_a_result_is_a_table_in_print_in_a_notebook_and_as_data() -> None:
    comparison = crosslit.compare(BOARD, "gauss,line,glucose4")
    frame = comparison.to_dataframe()
    assert frame.columns[:2].tolist() == ["puzzle", "kind"]
    assert frame["status"].tolist() == ["complete", "unsupported", "complete"]
    assert [line.split()[0] for line in str(comparison).split("\n")[4:7]] == ["gauss", "line", "glucose4/chased-shared"]
    shown: list[str] = []
    comparison._repr_pretty_(types.SimpleNamespace(text=shown.append), False)  # as IPython calls it
    assert "".join(shown) == str(comparison)
    assert comparison._repr_html_().count("<tr>") == 4
    fewest = crosslit.compare(BOARD, "fewest", fewest=True).to_dataframe()
    assert fewest[["presses", "at_least"]].to_numpy().tolist() == [[2, 2]]
    comparison.runs.clear()  # as after an interrupt
    assert comparison.to_dataframe().empty


def test_tables_of_several_comparisons_name_the_puzzle_of_each_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosslit.contract.puzzle.TEXT_LIMIT", len(NONOGRAM))
    long = crosslit.load("0" * (len(NONOGRAM) + 1))
    puzzles = [crosslit.load(NONOGRAM), crosslit.load("10/01").named("a name"), long]
    frame = pd.concat(crosslit.compare(each, "line,gauss").to_dataframe() for each in puzzles)
    assert frame.iloc[::2, :2].to_numpy().tolist() == [
        [NONOGRAM, "nonogram"],
        ["a name", "lights-out"],
        [long.id, "lights-out"],
    ]


def test_what_is_shown_in_a_notebook_is_escaped() -> None:
    comparison = crosslit.compare(crosslit.load(BOARD).named("<script>"), "gauss")
    assert "<script>" not in comparison._repr_html_()
    assert "<b>" not in Table("<b>", rows=[["<b>"]])._repr_html_()


def test_without_pandas_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    found = crosslit.compare(BOARD, "gauss")
    with pytest.raises(crosslit.Unavailable, match=r"^a data frame needs pandas, which is not installed"):
        found.to_dataframe()


def test_what_is_missing_is_not_drawn() -> None:
    board, presses = load("1_0/___"), load("modular-lights-out:2/matrix=10,01,11/11")
    assert svg(scene(board)).count("<rect") == 1 + 2  # the paper, and two lights
    digits = re.findall('<text x="(.*?)" y="(.*?)".*?>(.)<', svg(scene(Grid.from_text("02", 3))))
    assert digits == [("16", "20.18", "0"), ("36", "20.18", "2")]
    lines = re.findall('stroke-width="(.*?)"', svg(scene(Grid.from_text("0" * 7))))
    assert " ".join(lines) == "1.6 1.6 1.6 0.5 0.5 0.5 0.5 1.2 0.5 1.6"  # two of the row, and every fifth is strong
    assert svg(scene(presses, ["1?0"])).count("<rect") == 1 + 3 + 1  # no lights, of which there are fewer than presses
    assert draw_lights(LightsOut(Grid.from_text("10"), missing=Grid.from_text("01")), Grid.from_text("10")) == "██"
    assert draw_lights(ModularLightsOut.parse("modular-lights-out:3/1_2"), Grid.from_text("100"), ASCII) == "1   ."


def test_a_hostile_name_stays_text() -> None:
    board = LightsOut(Grid.from_text("1"), name="</title><script>alert(1)</script>\x00\x1b\ud800&")
    picture = svg(scene(board))
    picture.encode()
    assert ET.fromstring(picture)[0].text == "</title><script>alert(1)</script>???&: Lights Out, 1 x 1"


def test_what_no_page_shows_is_refused() -> None:
    assert scene(Grid.from_bits(1000, 1000, 0))[0] == 20_012
    with pytest.raises(ValueError, match="at most 1,000,000 cells, found 1001 x 1000"):
        scene(LightsOut(Grid.from_bits(1001, 1000, 5)))


def test_lines_of_another_shape_are_refused() -> None:
    for lines in (["1"], ["11", "1"], []):
        with pytest.raises(ValueError, match="another shape"):
            crosslit.draw("10/01", lines)


STORED = Path(__file__).with_name("pictures.txt")

# Clues of one, of several and of no number, numbers of two digits, and every sign of a known cell.
PUZZLES = [
    ("100/0_1", ["10?", "01 "]),
    ("modular-lights-out:4/012/3_0", ["22?", "01 "]),
    ("1 2,0,3|1,2,1,2", ["1?0 ", "0101", "11?0"]),
    ("12 1,2|1 10,0,2", ["1?0", "011"]),
    ("coloured-nonogram:1b 12a,0,2a|2a 1b,0,1a 10b", ["2?0", "011", "122"]),
    ("coloured-nonogram:paper=ffe0c0,pale=fff0a0,dark=102030;1b 2a|0,1b,1a,1a", ["0221"]),
]


@pytest.mark.parametrize(("text", "lines"), PUZZLES)
def test_a_picture_has_each_cell_and_each_clue_at_its_place(text: str, lines: list[str]) -> None:
    puzzle = load(text)
    known = "\n".join(draw_lines(puzzle, lines, ASCII))
    parts = ["\n".join(draw_lines(puzzle, style=ASCII)), known, svg(scene(puzzle, lines))]
    if isinstance(puzzle, ColouredNonogram):
        parts.append(repr(tint(puzzle, known)))
    check(STORED, text, "\n\n".join(parts))


CONTRADICTIONS = [
    ("press=000,001,000/100/000", "100/000"),  # no press toggles a light of the first column
    ("press=000,001,000/100/000", "111/000"),
    ("10/01", "11/11"),
    ("01/__", "11/00"),
    ("11110", "11011"),
    ("11110", "11111"),
    ("11000", "11011"),
    ("modular-lights-out:4/press=000,002,000/010/00_", "010/000"),
    ("modular-lights-out:4/press=000,002,000/013/0_2", "111/101"),
    ("modular-lights-out:4/21", "11"),
    ("modular-lights-out:4/210/__0", "111/001"),
]


@pytest.mark.parametrize(("text", "lights"), CONTRADICTIONS)
def test_lights_that_contradict_each_other_are_drawn_and_named(text: str, lights: str) -> None:
    board = load(text)
    found = board.contradiction(Grid.from_text(lights), ASCII)
    assert found is not None
    check(STORED, f"{text} at {lights}", "\n".join(found))
