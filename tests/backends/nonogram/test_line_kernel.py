"""The compiled kernel: its line solver against brute force, its search against the one in Python, its build."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import re
import shlex
import shutil
from array import array
from collections import Counter, defaultdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from crosslit_backends import compiled
from crosslit_backends.nonogram import kernel
from crosslit_backends.nonogram.coloured_line import KernelColours
from crosslit_backends.nonogram.kernel import KernelSearch, Status
from crosslit_backends.nonogram.lines import Counts, solve_line
from crosslit_backends.nonogram.residue import encoded, excluded
from crosslit_encoders.nonogram import coloured_order
from crosslit_encoders.nonogram.order import residue

from benchmarks.lines import blocks, solve_by_kernel, survey_kernel
from crosslit import Grid, Nonogram, __version__
from crosslit.base.errors import SpecError
from crosslit.contract import Task
from crosslit.formats import read
from crosslit.kinds.nonogram.colours import MAX_COLOURS, ColouredNonogram
from crosslit.kinds.nonogram.making import random_picture
from crosslit.kinds.nonogram.puzzle import Clue
from crosslit.registry import select, select_one
from crosslit.registry.listing import kernel_note
from tests.conftest import ROOT, Command, random_grid, random_nonogram
from tests.driving import solve_inline

KERNEL = pytest.mark.skipif(bool(compiled.missing()), reason=f"no compiled kernel: {compiled.missing()}")


@pytest.mark.skipif(os.environ.get("CROSSLIT_KERNEL") == "0", reason="the kernel is switched off")
@pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler")
def test_there_is_a_kernel_where_there_is_a_compiler() -> None:
    assert compiled.missing() == ""


@KERNEL
@pytest.mark.parametrize("length", range(1, 10))
def test_every_partial_line_of_every_clue(length: int) -> None:
    clues = sum(1 for _ in {blocks(cells, length) for cells in range(1 << length)})
    assert survey_kernel(length) == 3**length * clues


@KERNEL
@pytest.mark.parametrize("words", [1, 2, 3, 4, 5, 7])
def test_longer_lines(words: int) -> None:
    """Lines that fill this number of words, the last one partly, except for a cell, or completely."""
    rng = random.Random(words)
    for length in [64 * words - 2, 64 * words - 3, *(64 * words - rng.randint(4, 60) for _ in range(60))]:
        cells = random_grid(rng, 1, length, rng.choice([0.3, 0.6, 0.9, 0.99])).bits
        clue = blocks(cells, length)
        known = rng.getrandbits(length) & rng.getrandbits(length)
        if rng.random() < 0.3:
            cells ^= 1 << rng.randrange(length)
        check_line(clue, length, known & cells, known & ~cells)
        # Without known cells, a gap grows over whole words at once.
        for sparse in ((), (1,), (rng.randint(1, length),), clue):
            check_line(sparse, length, 0, 0)


@pytest.mark.parametrize("backend", ["line", "hybrid"])
@pytest.mark.parametrize("shape", [(1, 200), (200, 1)])
def test_one_block_in_a_line_of_several_words(backend: str, shape: tuple[int, int]) -> None:
    picture = Grid.from_bits(*shape, 1 << 130)
    assert solve_inline(backend, Nonogram.of(picture)) == [picture]


def check_line(clue: Clue, length: int, filled: int, empty: int) -> None:
    size = 8 * ((length + 2 + 63) // 64)
    sides = [
        np.frombuffer((side << 1).to_bytes(size, "little"), np.uint64).reshape(1, -1).copy() for side in (filled, empty)
    ]
    fits = bool(solve_by_kernel(clue, length, *sides)[0])
    settled = tuple(int.from_bytes(side.tobytes(), "little") >> 1 for side in sides)
    assert (settled if fits else None) == solve_line(clue, length, filled, empty), (clue, length, filled, empty)


def by_kernel(puzzle: Nonogram) -> list[Grid]:
    """All solutions by the kernel, however small the steps."""
    with KernelSearch(puzzle, Counts()) as search:
        packed = b"".join(search.batches())
    found = puzzle.layout.answers(packed)
    assert len(set(found)) == len(found)
    return found


@KERNEL
def test_pairs_of_4_by_4_clues() -> None:
    """Every 211th pair that has a solution, every 20,000th of the others whose sums agree."""
    clues = sorted({blocks(cells, 4) for cells in range(16)})
    number = np.array([clues.index(blocks(cells, 4)) for cells in range(16)])
    grids = np.arange(1 << 16)
    rows = [grids >> 4 * row & 15 for row in range(4)]
    columns = [sum((cells >> column & 1) << row for row, cells in enumerate(rows)) for column in range(4)]
    codes = sum(number[line] << 3 * place for place, line in enumerate([*rows, *columns]))
    solutions: dict[int, list[int]] = defaultdict(list)
    for grid, code in enumerate(codes.tolist()):
        solutions[code].append(grid)
    others = 0
    for code in [*list(solutions)[::211], *range(0, 1 << 24, 19_999)]:
        lines = [clues[code >> 3 * place & 7] for place in range(8)]
        puzzle = Nonogram(lines[:4], lines[4:])
        if not puzzle.is_refuted:
            assert sorted(grid.bits for grid in by_kernel(puzzle)) == solutions.get(code, []), puzzle.text
            others += code not in solutions
    assert others > 50


def puzzles(seed: int, count: int) -> list[Nonogram]:
    """Random puzzles up to 8 x 8, every other one with its columns shuffled: few of these have a solution."""
    rng = random.Random(seed)
    found = []
    for number in range(count):
        puzzle = random_nonogram(rng, rng.randint(1, 8), rng.randint(1, 8))
        columns = list(puzzle.column_clues)
        if number % 2:
            columns.sort(key=lambda _: rng.random())
        found.append(Nonogram(puzzle.row_clues, columns))
    return found


@KERNEL
@pytest.mark.parametrize("step", [1, kernel.STEP])
@pytest.mark.parametrize("split_from", [0, 1])
def test_the_kernel_finds_what_python_finds(step: int, split_from: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped after every step or never, split into parts always or never."""
    monkeypatch.setattr(kernel, "STEP", step)
    monkeypatch.setattr(kernel, "MIN_SPLIT_CELLS", split_from)
    without = 0
    for puzzle in puzzles(5, 150):
        expected = solve_inline("line:kernel=no", puzzle)
        assert set(by_kernel(puzzle)) == set(expected), puzzle.text
        without += not expected
    assert 20 < without < 130


@KERNEL
def test_the_kernel_encodes_open_cells_as_python_does() -> None:
    rng, checked = random.Random(7), 0
    for rows, columns in [(9, 9)] * 60 + [(7, 12), (12, 7), (4, 70), (70, 4)] * 5:
        puzzle = Nonogram.of(random_grid(rng, rows, columns, 0.5))
        with KernelSearch(puzzle, Counts()) as search:
            while (status := search.run(guesses=False, splits=False)[0]) is Status.SPENT:
                pass
            if status is not Status.STILL:
                continue
            sides = search.root()
            assert sides is not None
            for part in search.parts():
                expected = residue(puzzle, *search.rows(sides), part.own)
                formula = encoded(part, sides)
                assert (formula.cells, formula.variables) == (expected.cells, expected.variables)
                assert sorted(formula.clauses()) == sorted(expected.clauses()), puzzle.text
                checked += 1
                part.close()
    assert checked > 20


@KERNEL
def test_the_kernel_encodes_open_colours_as_python_does() -> None:
    rng, checked = random.Random(8), 0
    shapes = [(1, 1), (1, 9), (5, 6), (8, 8), (12, 7)] * 30 + [(3, 63), (64, 3), (3, 65), (66, 66)]
    for rows, columns in shapes:
        colours = rng.choice([1, 2, 3, 5, MAX_COLOURS])
        puzzle = random_picture(rng, rows, columns, colours, rng.choice([0.3, 0.6, 1.0]))
        own = [
            [{0, *(block.colour for block in clue)} for clue in clues]
            for clues in (puzzle.row_clues, puzzle.column_clues)
        ]
        with KernelColours(puzzle, Counts()) as search:
            unsolved = [sum(1 << colour for colour in row & column) for row in own[0] for column in own[1]]
            list(search.until_a_guess())
            for masks in (unsolved, search.masks()):
                if masks is None or not any(mask & mask - 1 for mask in masks):
                    continue
                expected, formula = (
                    coloured_order.residue(puzzle, masks),
                    encoded(search, (array("I", masks).tobytes(),)),
                )
                assert (formula.cells, formula.variables) == (expected.cells, expected.variables)
                # the kernel leaves out what always holds
                clauses = [clause for clause in expected.clauses() if not {*clause} & {-literal for literal in clause}]
                assert sorted(map(sorted, formula.clauses())) == sorted(map(sorted, clauses)), puzzle.text
                checked += 1
    assert checked > 150


@KERNEL
def test_the_kernel_searches_as_little_as_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Agreed cells are settled in another order, so a few probes differ; a change of these numbers is one of speed."""
    monkeypatch.setattr(kernel, "MIN_SPLIT_CELLS", 1)
    rng = random.Random(1)
    by_python, by_kernel = Counter[str](), Counter[str]()
    for _ in range(40):
        puzzle = Nonogram.of(random_grid(rng, 12, 12, 0.5))
        task, counts = Task(options={"kernel": "no"}), Counts()
        list(select_one("line", puzzle).backend.solutions(puzzle, task))  # type: ignore[attr-defined]
        with KernelSearch(puzzle, counts) as search:
            list(search.batches())
        keys = ("nodes", "probes", "backtracks")
        by_python.update({key: int(task.stats[key]) for key in keys})
        by_kernel.update({key: vars(counts)[key] for key in (*keys, "lines")})
    assert by_python == {"nodes": 202, "probes": 2231, "backtracks": 61}
    assert by_kernel == {"nodes": 202, "probes": 2152, "backtracks": 58, "lines": 18106}


@KERNEL
@pytest.mark.parametrize("shape", [(3, 62), (70, 4), (66, 66)])
def test_lines_of_several_words(shape: tuple[int, int]) -> None:
    rng = random.Random(7)
    for _ in range(3):
        puzzle = Nonogram.of(random_grid(rng, *shape, 0.8))
        task = Task(options={"kernel": "no"})
        backend: Any = select_one("line", puzzle).backend
        searches = [backend.solutions(puzzle, task), backend.solutions(puzzle, Task())]
        found = [[grid for _, grid in zip(range(300), search, strict=False)] for search in searches]
        assert not any(violation for grid in found[1] for violation in puzzle.violations(grid))
        assert len(found[0]) == len(found[1]) == len(set(found[1]))
        if len(found[0]) < 300:
            assert set(found[0]) == set(found[1])
        for search in searches:
            search.close()


@KERNEL
@pytest.mark.parametrize("puzzle", ["1 2,2 1,1,1,1|1,2 1,1,1 1,2", "1,1 2,1,1,2 1,1|1 1,1,2,1,1 2,1"])
def test_parts_are_searched_apart(puzzle: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "MIN_SPLIT_CELLS", 1)
    seen: list[int] = []
    parts = KernelSearch.parts
    monkeypatch.setattr(KernelSearch, "parts", lambda self: (seen.append(1), parts(self))[1])
    found = by_kernel(read(puzzle))  # type: ignore[arg-type]
    assert seen
    assert len(found) == 9
    assert set(found) == set(solve_inline("alignment", read(puzzle)))


PERMUTATIONS = [
    (KernelSearch, Nonogram([[1]] * 5, [[1]] * 5), 120, 1),
    (KernelColours, ColouredNonogram(*[[[(1, 1)], [(1, 2)]] * 3] * 2), 36, 0),
]
"""A search, its puzzle, the number of solutions, and whether a decision is the opposite of what was searched."""


@KERNEL
@pytest.mark.parametrize(("search_of", "puzzle", "number", "_"), PERMUTATIONS)
def test_without_guesses_it_stands_still(search_of: type[KernelSearch], puzzle: Nonogram, number: int, _: int) -> None:
    with search_of(puzzle, Counts()) as search:
        assert search.run(guesses=False) == (Status.STILL, b"")
        assert search.decisions() == []
        assert sum(map(len, search.batches())) == number * puzzle.layout.size


@KERNEL
@pytest.mark.parametrize(("search_of", "puzzle", "number", "opposite"), PERMUTATIONS)
def test_the_decisions_exclude_what_was_found(
    search_of: type[KernelSearch], puzzle: Nonogram, number: int, opposite: int
) -> None:
    """Every solution found has a combination of values that was searched; the others have none."""
    for third in range(1, number // 3):
        with search_of(puzzle, Counts()) as search:
            found = [grid for _ in range(third) for grid in puzzle.layout.answers(search.run()[1])]
            searched = excluded(search.decisions(), opposite)
            left = puzzle.layout.answers(b"".join(search.batches()))
        assert (len(found), len(left)) == (third, number - third)
        assert all(any(has(grid, values) for values in searched) for grid in found)
        assert not any(has(grid, values) for values in searched for grid in left)


def has(grid: Grid, values: list[tuple[int, int]]) -> bool:
    cells = grid.text().replace("/", "")
    return all(int(cells[cell]) == value for cell, value in values)


@KERNEL
@pytest.mark.parametrize("columns", [6, 63, 64, 130])
def test_colours_that_were_searched_without_a_guess_are_excluded(columns: int) -> None:
    rows = [[(1, 1)], [(1, 2)]] * 3
    puzzle = ColouredNonogram(rows, [[]] * (columns - 6) + rows)
    with KernelColours(puzzle, Counts()) as search:
        found = 0
        while not search.decisions() or search.decisions()[0][2] or len(search.decisions()) < 3:
            found += len(puzzle.layout.answers(search.run()[1]))
        (searched, colour, _), *later = search.decisions()
        assert any(is_guess for *_, is_guess in later)
        expected = []
        for cell in range(6 * columns):
            row, column = cell // columns, cell % columns - (columns - 6)
            own = 1 << 1 + row % 2 if column >= 0 and (row - column) % 2 == 0 else 0
            expected.append((1 | own) & ~(1 << colour if cell == searched else 0))
        assert search.masks() == expected
        assert found + sum(len(puzzle.layout.answers(packed)) for packed in search.batches()) == 36


@KERNEL
@pytest.mark.parametrize("columns", [5, 63, 64, 130])
def test_what_was_concluded_before_the_first_guess_holds_and_the_search_goes_on(columns: int) -> None:
    """Also in the last words of a row: the permutations of 5 with empty columns before them."""
    empty = columns - 5
    puzzle = Nonogram([[1]] * 5, [[]] * empty + [[1]] * 5)
    with KernelSearch(puzzle, Counts()) as search:
        found = 0
        while not search.decisions() or search.decisions()[0][2] or len(search.decisions()) < 3:
            found += len(puzzle.layout.answers(search.run()[1]))
        (cell, value, _), *later = search.decisions()
        sides = search.root()
        assert sides is not None
        filled, blank = search.rows(sides)
        row, column = divmod(cell, columns)
        assert [side[row] >> column & 1 for side in (filled, blank)] == [value, 1 - value]
        assert any(is_guess for *_, is_guess in later)
        settled = {(r, c) for r in range(5) for c in range(columns) if (filled[r] | blank[r]) >> c & 1}
        assert settled == {(r, c) for r in range(5) for c in range(empty)} | {(row, column)}
        left = [puzzle.layout.answers(packed) for packed in search.batches()]
    assert found + sum(map(len, left)) == 120


@KERNEL
@pytest.mark.parametrize(("text", "answer"), [("1,1|1,1", True), ("1 1,0,1 1|2,0,2", False)])
def test_lines_are_solved_before_anything_is_told_of_them(text: str, answer: bool) -> None:
    with KernelSearch(read(text), Counts()) as search:
        assert (search.root() is not None) is answer
    with KernelColours(read("coloured-nonogram:" + re.sub("([1-9])", r"\1a", text)), Counts()) as colours:
        assert (colours.masks() is not None) is answer


@KERNEL
def test_a_part_may_lie_beyond_the_first_word_of_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "MIN_SPLIT_CELLS", 1)
    columns = [
        {0: (1,), 1: (1,), 70: (1,), 71: (1,)}.get(c, (2,) if 3 <= c < 8 or 72 < c < 76 else ()) for c in range(80)
    ]
    puzzle = Nonogram([[1, 3], [1, 3], [5, 1], [5, 1]], columns)
    seen: list[int] = []
    parts = KernelSearch.parts
    monkeypatch.setattr(KernelSearch, "parts", lambda self: (seen.append(1), parts(self))[1])
    found = by_kernel(puzzle)
    assert seen
    assert len(found) == 4
    assert set(found) == set(solve_inline("alignment", puzzle))


@KERNEL
def test_equal_runs_do_the_same() -> None:
    for puzzle in puzzles(6, 20):
        counts = [Counts(), Counts()]
        for one in counts:
            with KernelSearch(puzzle, one) as search:
                list(search.batches())
        assert vars(counts[0]) == vars(counts[1])


@KERNEL
def test_a_long_row_does_not_make_the_columns_as_long() -> None:
    """If they were, the kernel would ask for a quarter of a terabyte."""
    thin = SimpleNamespace(rows=1, columns=10**6, row_clues=[()], column_clues=[()] * 10**6)
    with KernelSearch(thin, Counts()) as search:  # type: ignore[arg-type]
        assert search.decisions() == []


@KERNEL
@pytest.mark.parametrize("method", ["run", "root", "settled", "decisions", "parts"])
def test_a_closed_search_is_refused(method: str) -> None:
    search = KernelSearch(Nonogram([[1]], [[1]]), Counts())
    search.close()
    with pytest.raises(ValueError, match="the search is closed"):
        getattr(search, method)()


@pytest.mark.parametrize("count", [1, 2, 4, 5])
def test_parts_of_several_batches_are_combined(count: int) -> None:
    """Each part has one bit, empty in its first batch and filled in its second."""
    parts = [iter([bytes([0]), bytes([1 << number])]) for number in range(count)]
    assert sorted(b"".join(kernel.combined(bytes([0]), parts, 1))) == list(range(1 << count))


@KERNEL
@pytest.mark.parametrize("puzzle", ["3|1,1", "999999 1,0|1,1", "1,2|2"])
def test_clues_that_do_not_fit_their_line(puzzle: str) -> None:
    assert solve_inline("line", read(puzzle)) == []


@pytest.mark.parametrize("spec", ["line", "line:kernel=no"])
@pytest.mark.parametrize(
    ("puzzle", "difficulty"),
    [("2,1|1,2", "line"), ("2,0|0,2", "line"), ("1 1,2,0,0|1,1,1,1", "probe"), ("1,1|1,1", "search")],
)
def test_both_implementations_judge_difficulty(spec: str, puzzle: str, difficulty: str) -> None:
    choice = select_one(spec, read(puzzle))
    task = Task(options=choice.options)
    backend: Any = choice.backend
    list(backend.solutions(read(puzzle), task))
    assert task.stats["difficulty"] == difficulty


def test_a_puzzle_that_is_too_large_is_left_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "MAX_CELLS", 3)
    puzzle = read("1,1|1,1")
    assert len(solve_inline("line", puzzle)) == 2
    if not compiled.missing():
        with pytest.raises(SpecError, match="kernel=yes, but 4 cells are too many for the kernel"):
            select_one("line:kernel=yes", puzzle)


def test_switched_off_it_is_said(crosslit: Command) -> None:
    environment = {**os.environ, "CROSSLIT_KERNEL": "0"}
    listed = crosslit("backends", "--json", env=environment).stdout
    assert f'"{__version__}, kernel: none, pure Python runs (switched off by CROSSLIT_KERNEL=0)"' in listed
    assert crosslit("solve", "1,1|2,0", "--backend", "line", env=environment).returncode == 0
    asked = crosslit("solve", "1,1|2,0", "--backend", "line:kernel=yes", env=environment)
    assert "kernel=yes, but switched off by CROSSLIT_KERNEL=0" in asked.stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("compare 1,1|1,1 1|1 --backends line,hybrid,gauss --json", "line, hybrid"),
        ("compare 1,1|1,1 --backends line:kernel=no,glucose4", ""),
        ("compare 10/11", ""),
        ("bench run campaign.toml --json", "line"),
    ],
)
def test_where_times_depend_on_the_kernel_one_line_says_that_there_is_none(
    crosslit: Command, tmp_path: Path, words: str, expected: str
) -> None:
    campaign = 'backends = ["line", "glucose4"]\n[[puzzles]]\npuzzles = ["1|1"]\n'
    (tmp_path / "campaign.toml").write_text(campaign, encoding="utf-8")
    environment = {**os.environ, "CROSSLIT_KERNEL": "0"}
    done = crosslit(*words.split(), cwd=tmp_path, env=environment)
    found = [line for line in done.stderr.splitlines() if "kernel" in line]
    slow = "pure Python runs, up to 130 times as slow as the compiled kernel (switched off by CROSSLIT_KERNEL=0)"
    assert found == ([f"crosslit: {expected}: {slow}"] if expected else [])
    assert "--json" not in words or all(map(json.loads, done.stdout.splitlines()))


def test_the_list_of_backends_says_that_there_is_no_kernel(crosslit: Command) -> None:
    listed = crosslit("backends", env={**os.environ, "CROSSLIT_KERNEL": "0"}).stdout
    assert (
        "alignment, coloured-hybrid, coloured-line, hybrid, line: pure Python runs, up to 130 times as slow"
        in " ".join(listed.split())
    )


@pytest.mark.parametrize(
    ("problem", "is_curable"),
    [
        ("no C compiler (cc, gcc, clang)", True),
        ("cc: " + "x" * 500, True),
        ("switched off by CROSSLIT_KERNEL=0", False),
    ],
)
def test_the_cure_is_named(problem: str, is_curable: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "missing", lambda: problem)
    (choice,) = select("line", read("1|1"))
    note = kernel_note({"line": choice.backend.version()[:200]})
    assert f"({problem[:100]}" in note
    assert ("pip install --force-reinstall --no-deps ." in note) == is_curable


# ---- the build ----


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the kernel's sources, from which it is loaded."""
    folder = tmp_path / "compiled"
    shutil.copytree(compiled._HOME, folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(compiled, "_HOME", folder)
    monkeypatch.setattr(compiled, "_LIBRARY", folder / "_kernel.so")
    monkeypatch.delenv("CROSSLIT_KERNEL", raising=False)
    return folder


def hook() -> Any:
    """The module that compiles the kernel when the project is built."""
    pytest.importorskip("hatchling")
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(home: Path, folder: Path) -> str:
    """Call the hook of the build as hatchling does."""
    return str(hook().build(home, folder))


def missing() -> str:
    """The reason why the kernel is missing, computed again."""
    return compiled.missing.__wrapped__()


@KERNEL
def test_a_library_that_is_not_that_of_its_sources_is_not_loaded(home: Path) -> None:
    assert missing() == ""
    stale = "the library is damaged or older than its sources: install Crosslit again"
    library = home / "_kernel.so"
    whole = library.read_bytes()
    library.write_bytes(whole[:8000])
    assert missing() == stale
    library.write_bytes(whole)
    source = home / "line_search.c"
    source.write_text(source.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert missing() == stale
    library.unlink()
    assert "No such file" in missing()
    (home / "_kernel.txt").unlink()
    assert missing() == "not compiled: install Crosslit again"


@pytest.mark.parametrize(
    ("compiler", "reason"),
    [("/nonexistent/cc", "No such file"), ("false", "false ended with 1"), ("true", "cannot open shared object file")],
)
def test_without_a_compiler_that_works_it_is_said(
    home: Path, compiler: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", compiler)
    assert reason in build(home, home)
    assert reason in missing()


def test_without_any_compiler_it_is_said(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert build(home, home) == "no C compiler (cc, gcc, clang) when Crosslit was installed"
    assert missing() == "no C compiler (cc, gcc, clang) when Crosslit was installed"
    assert array("i").itemsize == 4  # which the clues are handed over as


def test_a_wheel_for_every_system_has_no_kernel(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROSSLIT_KERNEL", "0")
    assert build(home, home) == "this wheel is the one for every system"
    monkeypatch.delenv("CROSSLIT_KERNEL")
    assert missing() == "this wheel is the one for every system"
    assert not (home / "_kernel.so").exists()


@pytest.mark.parametrize(
    ("python", "processor", "flags", "expected"),
    [
        ("linux-x86_64", "x86_64", "", "linux-x86_64"),
        ("macosx-10.13-universal2", "x86_64", "", "macosx-10.13-x86_64"),
        ("macosx-10.13-universal2", "arm64", "", "macosx-11.0-arm64"),
        ("macosx-10.13-universal2", "arm64", "-arch arm64 -arch x86_64", "macosx-10.13-universal2"),
        ("macosx-11.0-arm64", "x86_64", "-arch arm64", "macosx-11.0-arm64"),
    ],
)
def test_a_wheel_is_for_the_processors_that_the_compiler_builds_for(
    python: str, processor: str, flags: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sysconfig.get_platform", lambda: python)
    monkeypatch.setattr("platform.machine", lambda: processor)
    monkeypatch.setenv("ARCHFLAGS", flags)
    assert hook()._platform() == expected


def test_a_kernel_for_another_processor_is_not_tried_here(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "cross-compiler"
    compiler.write_text("#!/bin/sh\nwhile [ $1 != -o ]; do shift; done; echo foreign >$2\n", encoding="utf-8")
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", shlex.quote(str(compiler)))
    assert build(home, home).endswith("file too short")
    monkeypatch.setattr("sysconfig.get_platform", lambda: "linux-other")
    assert build(home, home) == ""
