"""What a page embeds, and the steps that it tells."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from crosslit_play import story as module
from crosslit_play.document import MAX_CELLS, SCRIPTS, gather, html, rules_of
from crosslit_play.story import story, titles

from crosslit import Grid, InputError, LightsOut, Nonogram, load, page, solutions
from crosslit.base.errors import UnenforcedLimit
from crosslit.base.html import data
from crosslit.cli.group import root
from crosslit.contract.family import random_grid
from crosslit.contract.run import Limits
from crosslit.kinds import Puzzle
from crosslit.runs.runner import Runner
from tests.conftest import Command, random_board, random_nonogram
from tests.driving import Given, ended
from tests.inline import run_inline
from tests.stored import check

HOSTILE = (
    "</script><script>alert(1)</script>\"><img src=x onerror='alert(1)'>{{script}}{{data}}<!--\u2028\u2029\ud800&amp;"
)


def embedded(text: str) -> Any:
    found = re.findall(r'<script type="application/json" id="puzzles">(.*?)</script>', text, re.DOTALL)
    assert len(found) == 1
    return json.loads(found[0])


def named(name: str) -> str:
    puzzle = load("1|1")
    return page([Nonogram(puzzle.row_clues, puzzle.column_clues, name)])  # type: ignore[union-attr]


def test_the_policy_names_only_this_script_and_this_style() -> None:
    made = named("x")
    policy = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', made)
    inline = [
        *re.findall(r"<script>(.*?)</script>", made, re.DOTALL),
        *re.findall(r"<style>(.*?)</style>", made, re.DOTALL),
    ]
    sources = [f"'sha256-{base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()}'" for part in inline]
    assert len(sources) == 2
    script, style = sources
    assert policy == [
        f"default-src 'none'; script-src {script}; style-src {style}; base-uri 'none'; form-action 'none'"
    ]
    assert made.index("Content-Security-Policy") < made.index("<title>")


def test_nothing_outside_the_policy_is_in_the_file() -> None:
    made = named("x")
    outside = re.sub(r"<(script|style)\b.*?</\1>", "", made, flags=re.DOTALL)
    assert not re.search(r"\b(on\w+|style|src|href)\s*=", outside)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", made)
    script = "".join(files("crosslit_play").joinpath(name).read_text("utf-8") for name in SCRIPTS)
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|Function\(|fetch\(|import\(", script
    )


def test_a_hostile_name_stays_data() -> None:
    made, plain = named(HOSTILE), named("x")
    assert embedded(made)[0]["title"] == f"{HOSTILE}, 1 × 1"
    assert made.count("<script") == plain.count("<script")
    assert "<img" not in made
    made.encode()  # a lone surrogate is escaped
    assert not set(data([HOSTILE])) & set("<>&\u2028\u2029")


def test_what_is_gathered() -> None:
    with Runner(Limits(None, 20)) as runner:
        five = gather(runner, load("10000/11110/11111/11110/10000"))
        none = gather(runner, load("1000/0000/0000/0000"))
        many = gather(runner, load("1,1,1,1,1|1,1,1,1,1"))
        empty = gather(runner, load("_"))
    for found, number, complete, known in (
        (five, 4, True, "4 solutions (claimed by polynomial)."),
        (none, 0, True, "No solution (claimed by polynomial)."),
        (many, 16, False, "More than 16 solutions."),
        (empty, 1, True, "One solution, and no other (claimed by"),
    ):
        assert (len(found.record["solutions"]), found.record["complete"]) == (number, complete)
        assert found.record["known"].startswith(known)
        assert (found.stopped, found.findings) == (None, [])
    assert empty.record["solutions"] == ["0"]


@pytest.mark.parametrize(
    ("text", "why", "marked"),
    [
        ("1 1,1 1,1,1|1 1,1 1,2,1", "the rows need 6 cells, the columns 7.", []),
        ("3,1|1,1", "this cannot be: row 1: 3 (needs 3 cells, the line has 2).", [0]),
        ("0,2|2,0", "these contradict each other: row 1: 0; column 1: 2.", [0, 2]),
        ("100/000/_00", None, None),
    ],
)
def test_why_there_is_no_solution(text: str, why: str | None, marked: list[int] | None) -> None:
    with Runner(Limits(None, 20)) as runner:
        found = gather(runner, load(text)).record["why"]
    assert found == (None if why is None else {"words": f"No solution: {why}", "marked": marked})


def test_a_page_of_a_puzzle_of_25_x_25_is_small() -> None:
    grid = random_grid(random.Random(3), 25, 25)
    for puzzle in (Nonogram.of(grid), LightsOut(grid), load(f"modular-lights-out:4/{grid.text}")):
        assert len(page([puzzle], timeout=2).encode()) < 150_000, puzzle.kind


def test_a_search_that_runs_out_of_time_still_makes_a_page(crosslit: Command, tmp_path: Path) -> None:
    goal = tmp_path / "p.html"
    hard = Nonogram.of(random_grid(random.Random("hard"), 40, 40))  # nobody solves it in a hundredth of a second
    done = crosslit("page", hard.text, "-o", str(goal), "--timeout", "0.01")
    assert (done.returncode, done.stdout) == (3, f"{goal}: 1 puzzle\n")
    # A slow start may use up the slice of the first backend, so that the next one is the last that ran.
    message = r"crosslit: nonogram: (hybrid|glucose4): stopped after 0\.01 s \(--timeout\); the page says so\n"
    assert re.fullmatch(message, done.stderr)
    [record] = embedded(goal.read_text(encoding="utf-8"))
    assert (record["complete"], record["solutions"]) == (False, [])
    assert record["known"] == "The search ended early (timeout), after 0 solutions."


def test_a_page_is_named_after_its_first_puzzle_and_replaces_none(tmp_path: Path) -> None:
    (tmp_path / "two.puzzles").write_text("10/01\n1|1\n", encoding="utf-8")
    for words, name in ((["two.puzzles:1", "1|1"], "two"), (["1|1", "two.puzzles"], "puzzle")):
        assert run_inline("page", *words, cwd=tmp_path).stdout.startswith(f"{name}.html: ")
        done = run_inline("page", *words, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (2, f"crosslit: {name}.html: exists: name the page with -o FILE\n")


def test_a_wrong_solution_is_a_finding_and_no_solution_of_the_page() -> None:
    runner: Any = Given(ended("complete", Grid.from_text("10/01"), Grid.from_text("00/00")))
    found = gather(runner, load("1,1|1,1"))
    assert ("wrong-solution" in {each.problem for each in found.findings}, found.stopped is None) == (True, False)
    assert (found.record["solutions"], found.record["complete"]) == (["10/01"], False)
    assert runner.asked[0].limits.solutions == 17


def test_without_isolated_runs_there_is_a_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("crosslit.runs.runner.isolation_problem", lambda: "no forks here")
    with pytest.warns(UnenforcedLimit):
        assert "(claimed by polynomial)" in page("10/01")
    with pytest.warns(UnenforcedLimit):
        assert CliRunner().invoke(root, ["page", "10/01"], standalone_mode=False).return_value == 0


def test_too_many_cells_are_refused_before_anything_is_searched() -> None:
    assert MAX_CELLS == 10_000
    with pytest.raises(InputError, match="expected at most 10000 cells for a page, found 10001"):
        page([load("1|1"), LightsOut(Grid.from_bits(1, 10_001, 0))])


def test_no_puzzles_make_no_page_that_fails() -> None:
    with pytest.raises(ValueError, match="at least one puzzle"):
        html([])


def test_a_page_has_the_rules_of_a_board() -> None:
    found = rules_of(load("modular-lights-out:4/press=000,021,000/wrap=moebius/3_/00"))
    assert (found["lights"], found["states"]) == ("3_/00", 4)
    assert found["presses"] == [[0, 0], [], [2, 2, 3], [3, 3, 0]]
    rules = "press=000,021,000, wrap=moebius"
    assert found["goal"] == f"Bring all lights to 0: a press adds by these rules: {rules}, modulo 4."
    goal = rules_of(load("modular-lights-out:3/20"))["goal"]
    assert goal == "Bring all lights to 0: a press adds 1 to a cell and its four neighbours, modulo 3."


TELLING = {
    "nonogram": ["alignment:kernel=no"],
    "lights-out": ["first-row", "gauss", "polynomial"],
    "modular-lights-out": ["howell"],
    "coloured-nonogram": ["alignment:kernel=no"],
}
EVERY = [(spec, kind) for kind, specs in TELLING.items() for spec in specs]


def samples(kind: str) -> list[Puzzle]:
    rng = random.Random(4)
    shapes = [(1, 1), (1, 4), (3, 2), (4, 4), (5, 4)]
    if kind == "lights-out":
        return [random_board(rng, *shape) for shape in shapes]
    if kind == "nonogram":
        one = random_nonogram(rng, 4, 4)
        return [*(random_nonogram(rng, *shape) for shape in shapes), Nonogram(one.row_clues, one.column_clues[::-1])]
    texts = {
        "modular-lights-out": ["4/2232", "3/000/000/000", "6/wrap=klein/_02/123"],
        "coloured-nonogram": ["1a|1b", "1a 1b,1b 1a|1a 1b,1b 1a", "1b 1a,1b 1a|1b,1b,1a,1a"],
    }
    return [load(f"{kind}:{text}") for text in texts[kind]]


def pictures(puzzle: Puzzle, steps: list[dict[str, object]]) -> list[list[int]]:
    """Return the values of all cells after each step."""
    cells = [0 if puzzle.shown is not None else -1] * (puzzle.rows * puzzle.columns)
    found = []
    for step in json.loads(json.dumps(steps)):
        for number, value in step.get("cells", {}).items():
            assert cells[int(number)] != value
            cells[int(number)] = value
        found.append([*cells])
    return found


def values(text: str) -> list[int]:
    return [int(digit, 36) for digit in text.replace("/", "")]


@pytest.mark.parametrize(("spec", "kind"), EVERY)
def test_the_steps_lead_to_all_solutions(spec: str, kind: str) -> None:
    for puzzle in samples(kind):
        told = story(puzzle, spec)
        shown = pictures(puzzle, told["steps"])
        at = [number for number, step in enumerate(told["steps"]) if step["words"].startswith("Solution ")]
        assert [shown[number] for number in at] == [values(grid.text) for grid in solutions(puzzle, spec)]
        assert told["steps"][-1] == {"words": f"No more solutions; {len(at)} in all"}
        assert (told["title"], told["whole"]) == (spec, True)


def test_a_line_step_changes_only_its_line_and_only_unknown_cells() -> None:
    for puzzle in samples("nonogram"):
        before = [-1] * (puzzle.rows * puzzle.columns)
        steps = story(puzzle, "alignment")["steps"]
        for step, after in zip(steps, pictures(puzzle, steps), strict=True):
            if (line := step.get("line")) is not None:
                changed = [cell for cell, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
                columns = puzzle.columns
                lines = {cell // columns if line < puzzle.rows else puzzle.rows + cell % columns for cell in changed}
                assert lines <= {line}
                assert all(before[cell] == -1 for cell in changed)
            before = after


def test_the_presses_of_a_chase_are_told_row_by_row() -> None:
    steps = story(load("10/01"), "polynomial")["steps"]
    assert steps[:3] == [
        {"words": "Chase: press 00 in row 1, to begin with", "line": 0},
        {"words": "Chase: press 10 in row 2, below the lights left in row 1", "cells": {2: 1}, "line": 1},
        {"words": "Chased from an empty first row, the board leaves 10 lit in its last row"},
    ]
    assert steps[4]["words"] == "The first row is 10, and no other"
    unsolvable = story(load("1000/0000/0000/0000"), "polynomial")["steps"]
    assert unsolvable[-2] == {"words": "The congruence has no solution", "bad": True}


def shape(rows: int, columns: int, states: int = 2) -> Puzzle:
    text = Grid.from_bits(rows, columns, 0).text
    return load(text if states == 2 else f"modular-lights-out:{states}/{text}")


@pytest.mark.parametrize(
    ("puzzle", "number"),
    [
        *((shape(11, 10), 2), (shape(12, 10), 1), (shape(1, 11), 1), (shape(750, 5), 2), (shape(751, 5), 1)),
        *((shape(1, 900, 3), 1), (shape(1, 901, 3), 0), (load("wrap=torus/110/110/110"), 1), (load("1|1"), 1)),
    ],
)
def test_stories_of_large_boards_are_left_out(puzzle: Puzzle, number: int) -> None:
    assert len([*titles(puzzle)]) == number


def test_a_story_ends_before_it_has_too_many_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = story(load("10/01"), "polynomial")
    size = sum(len(json.dumps(step)) for step in whole["steps"])
    monkeypatch.setattr(module, "MAX_CHARACTERS", size)
    assert story(load("10/01"), "polynomial") == whole
    monkeypatch.setattr(module, "MAX_CHARACTERS", size - 1)
    assert story(load("10/01"), "polynomial") == {**whole, "steps": whole["steps"][:-1], "whole": False}


def test_what_is_gathered_is_what_is_stored() -> None:
    texts = ("110/010", "press=king/_1/11/11", "modular-lights-out:4/01/10/00", "coloured-nonogram:1a 1b,1b|1a,1b,1b")
    lines = []
    with Runner(Limits(None, 60)) as runner:
        for text in texts:
            record = gather(runner, load(text)).record
            for told in record.pop("stories"):
                digest = hashlib.sha256(json.dumps(told).encode()).hexdigest()[:8]
                lines.append(f"{told['title']}, {len(told['steps'])} steps, whole: {told['whole']}, {digest}")
            lines += [f"{key}: {value}" for key, value in record.items()]
    check(Path(__file__).with_name("pages.txt"), "pages", "\n".join(lines))
