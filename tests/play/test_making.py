"""Nonograms made on the page: typed clues, random ones, and links."""

from __future__ import annotations

from typing import Any

import pytest

from crosslit import Grid, Nonogram, load
from crosslit.contract import Task
from crosslit.registry import select_one
from tests.play.conftest import FIVE, HEART, MANY, SMALL, UNSOLVABLE, Open, Opened, record
from tests.play.test_arithmetic import run

pytestmark = pytest.mark.slow  # a browser

TYPED = "1 1\n5\n5\n3\n1\n\n2\n4\n4\n4\n2"


def type_clues(page: Opened, text: str, button: str = "check-clues") -> str:
    page.press("tab-new")
    page.script("document.getElementById('clues').value = arguments[0]", text)
    return page.press(button)


def test_clues_as_people_type_them(chromium: Any) -> None:
    texts = [
        TYPED,
        HEART,
        "Rows:\n1 1\n5\n5\n3\n1\nColumns:\n2\n4\n4\n4\n2\n",
        "1 1, 5, 5, 3, 1\r\n2, 4, 4, 4, 2",
        "1,1\n5\n5\n3\n1\n\n\n2\n4\n4\n4\n2",
        '{"rows": [[1, 1], [5], [5], [3], [1]], "columns": [[2], [4], [4], [4], [2]]}',
        "[[[1, 1], [5], [5], [3], [1]], [[2], [4], [4], [4], [2]]]",
    ]
    read = run(chromium, "return arguments[0].map((text) => oneLine(...readClues(text)))", texts)
    assert read == [HEART] * len(texts)


SHAPE = "xpected the clues of the rows, an empty line, and the clues of the columns; or ROWS|COLUMNS on one line."
REFUSED = "This puzzle cannot be solved: "


def test_typed_clues_are_checked(opened: Open) -> None:
    said = {
        "": f"No clues: e{SHAPE}",
        "1 1\n2\n3": f"E{SHAPE}",
        "1\nx\n\n1\n1": 'Line 2: expected numbers such as 2 1, found "x".',
        "1,1|1,-1": 'Line 1: expected numbers such as 2 1, found "-1".',
        '{"rows": 1}': f"E{SHAPE}",
        "[1": 'Expected JSON such as {"rows": [[1], [2]], "columns": [[2], [1]]}.',
        ",".join(["1"] * 101) + "|1": "Expected at most 100 rows and columns, found 101.",
        "9,1|1,1": f"2 × 2. {REFUSED}this clue cannot be: row 1: 9 (needs 9 cells, the line has 2).",
        "1 1,1 1,1,1|1 1,1 1,2,1": f"4 × 4. {REFUSED}its rows need 6 filled cells, its columns 7.",
        "0,2|2,0": f"2 × 2. {REFUSED}these clues contradict each other: row 1: 0; column 1: 2.",
        HEART: "5 × 5. Unique: there is one solution, and lines settle every cell.",
        SMALL: "4 × 4. Unique: there is one solution, but lines do not settle every cell by themselves.",
        "1,1|1,1": "2 × 2. Not unique: there are 2 solutions.",
        MANY: "5 × 5. Not unique: there are more than 16 solutions.",
    }
    page = opened(record(FIVE))
    assert {text: type_clues(page, text) for text in said} == said


def test_what_could_not_be_decided_is_said(opened: Open) -> None:
    """The clock of the page jumps by an hour at every look."""
    page = opened(record(FIVE))
    page.script("let hours = 0; performance.now = () => 3600000 * hours++")
    said = type_clues(page, MANY)
    assert said.startswith("5 × 5. Not decided: the search of this page took too long. No solution was found.")
    page.press("random-nonogram")
    assert page.status == "No nonogram that lines settle was found in two seconds. Smaller ones are easier to find."


@pytest.mark.parametrize("size", [(5, 5), (10, 11), (30, 25)])
def test_a_random_nonogram_is_settled_by_lines(chromium: Any, size: tuple[int, int]) -> None:
    """The numbers of a small generator stand in for random ones."""
    seeded = """
        let state = 7;
        Math.random = () => (state = (state * 48271) % 2147483647) / 2147483647;
        return Array.from({ length: 3 }, () => oneLine(...randomClues(...arguments[0], 60000)));
    """
    made = run(chromium, seeded, size)
    assert len(set(made)) == 3
    for text in made:
        puzzle = load(text)
        assert isinstance(puzzle, Nonogram)
        assert (puzzle.rows, puzzle.columns) == size
        task = Task()
        assert len(list(select_one("line", puzzle).backend.solutions(puzzle, task))) == 1  # type: ignore[attr-defined]
        assert task.stats["difficulty"] == "line"


def test_a_new_nonogram_is_played_and_comes_back_after_a_reload(opened: Open) -> None:
    page = opened(record(HEART))
    page.press("new-nonogram")
    assert page.text("#heading") == "Random nonogram, 5 × 5"
    page.cell(2, 2).click()
    page.driver.refresh()
    assert page.text("#heading") == "Linked nonogram, 5 × 5"
    assert page.cells("filled") == "00000/00000/00100/00000/00000"
    assert "settles it" in page.press("hint") or "mistake" in page.status


def test_typed_clues_are_played(opened: Open) -> None:
    page = opened(record(FIVE))
    type_clues(page, TYPED, "play-clues")
    assert page.text("#heading") == "Typed nonogram, 5 × 5"
    assert "settles it" in page.press("hint")
    type_clues(page, "0,2|2,0", "play-clues")
    assert page.text(".notice").endswith("these clues contradict each other: row 1: 0; column 1: 2.")
    assert page.script("return [...document.querySelectorAll('.clash')].map(clue => clue.textContent)") == [
        "2",
        "0",
    ]  # column 1 and row 1
    assert page.press("hint").startswith("No hint")


def link(page: Opened) -> str:
    """Return the text that "Copy link" puts on the clipboard."""
    page.script(
        "window.said = null; navigator.clipboard.writeText = async (text) => { window.said = text }; "
        "document.getElementById('share').click()"
    )
    return str(page.script("return window.said"))


def test_a_link_opens_its_puzzle(opened: Open) -> None:
    page = opened(record(HEART))
    assert link(page).endswith("/page.html#1+1,5,5,3,1%7C2,4,4,4,2")
    nonogram = link(page)
    page = opened(record(FIVE))
    page.follow(nonogram.split("#")[1])
    assert page.text("#heading") == "Linked nonogram, 5 × 5"
    assert page.text("#facts").endswith("One solution, and no other.")
    page.choose("chooser", 0)
    page.press("dark")
    page.press("edit")
    page.cell(2, 2).click()
    board = link(page)
    assert board.endswith("#00000/00000/00100/00000/00000")
    page.driver.get(board)  # another fragment: the page goes on
    page.until(lambda: page.text("#heading") == "Linked board, 5 × 5")
    assert page.text("#facts").endswith("4 solutions.")


@pytest.mark.parametrize("text", [UNSOLVABLE, "press=king/wrap=torus/1_1/000/010", FIVE])
def test_a_linked_board_has_the_solutions_that_a_page_knows(chromium: Any, text: str) -> None:
    known = record(text)
    script = """
        const [text, known] = arguments;
        const found = linkedRecord(text.replace("+", " "), [{ ...known, text: "" }]);
        return { ...found, lights: Boolean(found.why) };
    """
    found = run(chromium, script, text, known)
    for key in ("kind", "text", "rows", "columns", "complete", "more", "missing", "nullity", "lit", "settings"):
        assert found[key] == known[key], key
    board = load(text)
    assert not any(list(board.violations(Grid.from_text(solution))) for solution in found["solutions"])
    assert len(found["solutions"]) == len(known["solutions"])
    assert found["lights"] == (not known["solutions"])


@pytest.mark.parametrize(
    ("fragment", "said"),
    [
        ("9,x|1", 'line 1: expected numbers such as 2 1, found "x"'),
        ("102", "expected a nonogram ROWS|COLUMNS, or a board"),
        ("wrap=torus/10/01", "this page has no board with the rules wrap=torus"),
        ("%", "4 solutions (claimed by polynomial)."),
        ("1/<img>", "expected a nonogram"),
    ],
)
def test_a_link_that_names_no_puzzle_says_so(opened: Open, fragment: str, said: str) -> None:
    page = opened(record(FIVE))
    page.follow(fragment)
    assert page.text("#heading") == "Lights Out, 5 × 5"
    assert said in page.text("#facts")
