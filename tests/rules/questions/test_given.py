"""Lists of solutions from other programs: what is wrong with them, and what they lack."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from crosslit import Grid, InputError, check_list, load, solutions
from crosslit.base.errors import WrongSolution
from crosslit.contract import Task
from crosslit.kinds import Puzzle, all_kinds, find_kind
from crosslit.questions import list_check, solve
from crosslit.questions.list_check import ListCheck
from tests.driving import Script, Scripted

PERMUTATIONS = load("1,1,1,1|1,1,1,1")  # 24 solutions
ALL = [grid.text for grid in solutions(PERMUTATIONS, "line")]


def several(kind: str) -> Puzzle:
    """A sample with the most solutions."""
    return max(find_kind(kind).samples(), key=lambda puzzle: sum(1 for _ in solutions(puzzle)))


@pytest.mark.parametrize(
    ("kind", "name"), [*((kind, "text") for kind in all_kinds()), ("lights-out", "CRLF"), ("lights-out", "no end")]
)
def test_faults_of_a_list_are_found_in_every_kind_and_format(kind: str, name: str, tmp_path: Path) -> None:
    puzzle = several(kind)
    texts = sorted(grid.text for grid in solutions(puzzle))
    assert len(texts) > 1
    wrong = next(grid.text for grid in puzzle.layout.every() if any(puzzle.violations(grid)))
    lines = [*texts[1:], wrong, texts[-1]]
    random.Random(kind).shuffle(lines)
    path = tmp_path / "list"
    ends = "\r\n" if name == "CRLF" else "\n"
    path.write_bytes((ends.join(lines) + ends * (name != "no end")).encode())
    found = check_list(puzzle, path)
    assert (found.wrong, found.repeated, found.missing, found.known) == (1, 1, 1, len(texts) - 1)
    again = len(lines) - lines[::-1].index(texts[-1])
    violation = next(puzzle.violations(puzzle.layout.parse(wrong)))
    assert sorted(found.faults) == sorted([(lines.index(wrong) + 1, violation), (again, "repeats an earlier line")])
    assert found.evidence == "agreed"
    assert not found.is_right
    assert check_list(puzzle, texts).is_right


def test_a_long_list_is_read_in_parts_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [*ALL, *ALL[:3], "1000/1000/0000/0000"]
    for together in (7, 25):
        monkeypatch.setattr(list_check, "_TOGETHER", together)
        found = check_list(PERMUTATIONS, lines)
        assert (found.wrong, found.repeated, found.missing) == (1, 3, 0)
        assert [line for line, _ in sorted(found.faults)] == [25, 26, 27, 28]


def test_only_the_first_faults_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_check, "_TOGETHER", 15)
    found = check_list("1,1|1,1", ["11/00"] * 99)
    assert (found.wrong, len(found.faults), found.missing) == (99, list_check.MAX_FAULTS, 2)
    found = check_list("0000/0000/0000/0000/0000", [])
    assert (found.missing, len(found.examples)) == (1, 1)
    found = check_list(PERMUTATIONS, ALL[:2])
    assert (found.missing, len(found.examples)) == (22, list_check.MAX_FAULTS)
    assert not {grid.text for grid in found.examples} & {*ALL[:2]}
    for _ in range(2):
        found.lack(b"".join(grid.packed for grid in solutions(PERMUTATIONS, "line")))
    assert len(found.examples) == list_check.MAX_FAULTS


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("10", "expected 2 rows of 2 cells"),
        ("10/0", "the rows of a grid have the same number of cells, at least one"),
        ("hello", "the cells of a grid are written 0 or 1"),
        ('{"result": "10/01"}', 'expected an object such as {"solution": "10/01"}'),
        ('{"task": 1, "solution": "11/00"}', "row 1 has blocks 2, its clue is 1"),
        ("v 1 -2 0", "expected a literal for each of the 4 variables of the cells, found 'v 1 -2 0'"),
        ("v 1 -2\nv -3 0", "expected a literal for each of the 4 variables of the cells, found 'v 1 -2'"),
        ("1 -1 -2 -3 4", "expected a literal for each of the 4 variables of the cells"),
        ("v 1\nhello", "the cells of a grid are written 0 or 1"),
        ("v 1\n#.", "expected 2 rows of 2 cells, found 'v 1'"),
        ("#.", "expected 2 rows of 2 cells"),
        ("1" * 10_000, "the cells"),
    ],
)
def test_a_line_that_is_no_solution_is_wrong(line: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_text(f"{line}\n\n10/01\n", encoding="utf-8")
    found = check_list("1,1|1,1", path)
    assert (found.wrong, found.known, found.faults[0][0]) == (1, 1, 1)
    assert found.faults[0][1].startswith(problem) or len(line) > 4096


@pytest.mark.parametrize(
    "content",
    [
        "\ufeff10/01\n01/10\n",
        '{"task":1,"solution":"10/01"}\n{"task":1,"solution":"01/10"}\n{"task":"enumerate","solutions":2}\n',
        '{"solution": ["10","01"]}\n{"solution": [[0,1],[1,0]]}\n',
        "[[1,0],[0,1]]\n[[false,true],[true,false]]\n",
        "[1,-2,-3,4]\n-1 2 3 -4 0\n",
        "c by a SAT solver\ns SATISFIABLE\nv 1 -2 -3 4 -5 0\nv -1 2\nv 3 -4 5 0\n",
        "#.\n.#\n\n.#\n#.\n",
        "1 0\n0 1\n0,1\n1,0",
    ],
    ids=["byte order mark", "task", "object", "rows", "literals", "DIMACS", "pictures", "digits"],
)
def test_a_list_is_read_as_other_programs_write_it(content: str, tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_text(content, encoding="utf-8")
    found = check_list("1,1|1,1", path)
    assert (found.faults, found.known, found.is_right) == ([], 2, True)


def test_the_values_of_cells_are_read_from_models(tmp_path: Path) -> None:
    puzzle, path = load("modular-lights-out:3/12/00"), tmp_path / "list"
    true = [{1 + 3 * cell + value for cell, value in enumerate(grid.values())} for grid in solutions(puzzle)]
    models = [[variable if variable in each else -variable for variable in range(1, 13)] for each in true]
    models.append([1, 2, -3, -4, -5, -6, *models[0][6:]])  # two values of a cell, and none of the next
    path.write_text("".join(f"v {' '.join(map(str, model))} 0\n" for model in models), encoding="utf-8")
    found = check_list(puzzle, path)
    assert (found.known, [line for line, _ in found.faults]) == (3, [4])
    assert found.faults[0][1].startswith("expected one value for each cell, found 'v 1 2 -3")


@pytest.mark.parametrize(
    ("text", "lines"), [("1|1,0", '[1, 0]\n["10"]\n[[1, 0]]\n1 -2\n'), ("2|1,1", '[1, 1]\n["11"]\n[[1, 1]]\n1 2\n')]
)
def test_a_grid_of_one_row_needs_no_list_of_rows(text: str, lines: str, tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_text(lines, encoding="utf-8")
    found = check_list(text, path)
    assert (found.known, found.repeated, found.wrong) == (1, 3, 0)


def test_a_list_of_something_else_is_refused_with_its_first_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "list"
    path.write_text("\nSolution 1:\n101/010/101\n", encoding="utf-8")
    said = "no line is a solution of this puzzle; line 2: .*, found 'Solution 1:'$"
    for given, name in ((path, str(path)), ((" ", "Solution 1:"), "the list")):
        with pytest.raises(InputError, match=f"^{name}: {said}"):
            check_list("1,1|1,1", given)
    monkeypatch.setattr(list_check, "_MAX_LINE", 11)
    with pytest.raises(InputError, match=r"a line has over 11 characters$"):
        check_list("1,1|1,1", path)


def forms(grid: Grid) -> list[Any]:
    """A solution in every form that a function for `verify` may return."""
    cells = grid.array()
    return [grid, grid.text, grid.lines(), grid.tolist(), cells, cells.astype(int), (*map(tuple, cells.astype(float)),)]


@pytest.mark.parametrize("kind", all_kinds())
def test_solutions_have_any_form_of_a_grid_in_every_kind(kind: str) -> None:
    grids = [*solutions(puzzle := several(kind))]
    wrong = next(grid for grid in puzzle.layout.every() if any(puzzle.violations(grid)))
    lines = [form for grid in (*grids, wrong) for form in forms(grid)]
    found, number = check_list(puzzle, lines), len(forms(wrong))
    assert (found.wrong, found.repeated, found.missing) == (number, (number - 1) * len(grids), 0)


NO_SOLUTIONS = (None, 3, b"10/01", [1, 0], [], [[]], [[0.5, 0]], [[-1, 0]], [[36, 0]], {"10": 1})


@pytest.mark.parametrize("given", [5, *(["10/01", value] for value in NO_SOLUTIONS)])
def test_another_object_is_no_list_or_solution(given: Any) -> None:
    expected = r"the path of a file, or solutions|cells such as \[\[1, 0\], \[0, 1\]\] or '10/01'"
    with pytest.raises(TypeError, match=f"^expected ({expected}), found "):
        check_list("1,1|1,1", given)


BOARD = load("0000/0000/0000/0000")  # 16 solutions, which its default backend lists in order
ORDERED = sorted(solutions(BOARD, "gauss"), key=lambda grid: grid.text)
TWO = [Grid.from_text(text) for text in ("01/10", "10/01")]


def checked(lines: Iterable[Grid | str], *runs: Script, puzzle: str = "1,1|1,1", by: str = "glucose4") -> ListCheck:
    """Return the check of a list by given runs: one that lists, and one that checks."""
    runner = Scripted(*runs)
    found = check_list(puzzle, lines, by, runner=cast(Any, runner))
    assert (runner.asked[0].spec, list(runner.left)) == (by, [])
    return found


@pytest.mark.parametrize(
    ("lines", "wrong", "repeated", "missing"),
    [
        (["10/01", "01/10"], 0, 0, 0),
        (["10/01", "01/10", "11/00"], 1, 0, 0),
        (["10/01", "01/10", "10/01"], 0, 1, 0),
        (["10/01"], 0, 0, 1),
        (["11/00", "11/00", "01/10", "01/10", "01/10"], 2, 2, 1),
    ],
)
def test_a_list_is_right_without_wrong_repeated_and_missing_ones(
    lines: list[str], wrong: int, repeated: int, missing: int
) -> None:
    found = checked(lines, ("complete", TWO), ("complete", TWO))
    assert (found.wrong, found.repeated, found.missing) == (wrong, repeated, missing)
    assert found.is_right == (wrong == repeated == missing == 0)
    assert found.json() == {
        "right": 2 - missing,
        "wrong": wrong,
        "repeated": repeated,
        "missing": missing,
        "complete": True,
        "evidence": "agreed",
        "faults": [{"line": line, "problem": problem} for line, problem in found.faults],
    }
    assert [grid.text for grid in found.examples] == ["10/01" if "01/10" in lines else "01/10"] * missing


def test_a_list_is_right_only_if_the_search_was_complete() -> None:
    found = checked(["10/01", "01/10"], ("timeout", TWO))
    assert (found.faults, found.missing, found.is_right, found.has_faults) == ([], 0, False, False)
    assert found.json()["complete"] is False


def test_a_wrong_solution_in_an_array_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    right, wrong = ORDERED[1].packed, Grid.from_text("1000/0000/0000/0000").packed
    monkeypatch.setattr(solve, "drive_batches", lambda *_: (each for each in (right * 3, right * 3 + wrong + right)))
    found = solve.batches(BOARD, "gauss")
    assert next(found).tolist() == [[*right]] * 3
    with pytest.raises(WrongSolution, match=r"^gauss gave 1000/0000/0000/0000: row 1, column 1 stays lit$"):
        next(found)


@pytest.mark.parametrize(
    ("content", "right"),
    [(b" " * (1 << 21) + b"10/01\n01/10\n", 2), (b"x" * (1 << 21) + b"10/01\n01/10\n", 1), (b"\xff\n01/10\n", 1)],
    ids=["long", "long and wrong", "no text"],
)
def test_a_line_that_cannot_be_read_is_wrong_and_the_next_one_is_read(
    tmp_path: Path, content: bytes, right: int
) -> None:
    path, runner = tmp_path / "list", cast(Any, Scripted(("complete", TWO), ("complete", TWO)))
    path.write_bytes(content)
    found = check_list("1,1|1,1", path, "glucose4", runner=runner)
    assert (found.known, found.wrong, found.missing) == (right, 2 - right, 2 - right)
    assert [line for line, _ in found.faults] == [1] * (2 - right)


def test_arrays_are_made_by_the_encoding_and_the_options_of_a_spec(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks: list[Task] = []

    def drive(_: object, __: object, task: Task) -> Iterator[Grid]:
        tasks.append(task)
        yield from TWO

    monkeypatch.setattr(solve, "drive", drive)
    for spec in ("glucose4/direct", "cpsat:seed=3"):
        assert [array.tolist() for array in solve.batches("1,1|1,1", spec)] == [[[*grid.packed]] for grid in TWO]
    direct, seeded = tasks
    assert (direct.encoding and direct.encoding.name, seeded.options["seed"]) == ("direct", 3)
