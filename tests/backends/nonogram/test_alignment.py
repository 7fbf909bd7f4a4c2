"""Extreme alignment in C: the same solutions as in Python and by brute force."""

from __future__ import annotations

import random
import re
import signal
import threading
from itertools import islice, permutations
from typing import Any

import pytest
from crosslit_backends import compiled
from crosslit_backends.nonogram import alignment
from crosslit_backends.nonogram.alignment import Alignment

from crosslit import Nonogram
from crosslit.contract import Task
from crosslit.formats import read
from tests.conftest import random_grid, random_nonogram
from tests.driving import solve_inline

KERNEL = pytest.mark.skipif(bool(compiled.missing()), reason=f"no compiled kernel: {compiled.missing()}")


def search(puzzle: Any, kernel: str, limit: int | None = None) -> tuple[list[str], dict[str, Any]]:
    """The first solutions, in their order, and the counts of the search for them."""
    task = Task(options={"kernel": kernel})
    found = Alignment().solutions(puzzle, task)
    grids = list(islice(found, limit))
    found.close()
    assert not any(violation for grid in grids for violation in puzzle.violations(grid))
    return [grid.text() for grid in grids], task.stats


def shuffled(rng: random.Random, puzzle: Nonogram) -> Nonogram:
    """A puzzle with its columns in another order: few of these have a solution."""
    return Nonogram(puzzle.row_clues, rng.sample(puzzle.column_clues, puzzle.columns))


@KERNEL
@pytest.mark.parametrize("step", [1, compiled.STEP])
def test_it_finds_the_solutions_of_python(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often it pauses, also where the search ends at the first solution or the second."""
    monkeypatch.setattr(compiled, "STEP", step)
    rng = random.Random(step)
    guesses = contradictions = 0
    for number in range(300):
        puzzle = random_nonogram(rng, rng.randint(1, 8), rng.randint(1, 8))
        puzzle = shuffled(rng, puzzle) if number % 2 else puzzle
        limit = (None, 1, 2)[number % 3]
        known, counts = search(puzzle, "no")
        found, _ = search(puzzle, "yes", limit)
        assert len(set(found)) == len(found) == len(known[:limit]), puzzle.text
        assert sorted(found) == sorted(set(known) & set(found)), puzzle.text
        guesses += counts["nodes"] > 1
        contradictions += not known
    assert guesses > 30
    assert contradictions > 50


@KERNEL
def test_probes_settle_what_guesses_would() -> None:
    """Whatever is aligned in vain, or not probed again after a change, changes these counts."""
    rng = random.Random(2)
    guesses, lines = {"no": 0, "yes": 0}, 0
    for _ in range(300):
        puzzle = random_nonogram(rng, 8, 8)
        for kernel in guesses:
            found, counts = search(puzzle, kernel, 2)
            guesses[kernel] += counts["nodes"] - 1 if len(found) == 1 else 0
            lines += counts["lines"]
    assert guesses == {"no": 42, "yes": 8}
    assert lines == 89_303


@KERNEL
def test_small_puzzles_by_brute_force() -> None:
    rng = random.Random(4)
    for number in range(200):
        puzzle = random_nonogram(rng, rng.randint(1, 3), rng.randint(1, 4))
        puzzle = shuffled(rng, puzzle) if number % 2 else puzzle
        found, _ = search(puzzle, "yes")
        assert sorted(found) == sorted(grid.text() for grid in solve_inline("brute", puzzle)), puzzle.text


@KERNEL
@pytest.mark.parametrize("length", [1, 2, 7, 8, 9, 63, 64, 65, 127, 128, 200])
def test_lines_of_any_length(length: int) -> None:
    rng = random.Random(length)
    for rows, columns in ((1, length), (length, 1), (3, length), (length, 3)):
        for density in (0.0, 0.5, 0.9, 1.0):
            puzzle = Nonogram.of(random_grid(rng, rows, columns, density))
            found, known = search(puzzle, "yes", 2)[0], search(puzzle, "no", 2)[0]
            assert len(set(found)) == len(known), puzzle.text
            assert len(known) == 2 or found == known, puzzle.text


@KERNEL
@pytest.mark.parametrize("rest", [1, 5])
def test_filled_cells_move_blocks_that_others_have_left_behind(rest: int) -> None:
    """The columns fix every cell of the row, and its blocks begin far to the left of their places."""
    row = ([False] * 40 + [True, False] * 12 + [False] * rest + [True] * 3) * 2
    blocks = [len(run) for run in re.findall("1+", "".join("01"[cell] for cell in row))]
    puzzle = Nonogram([blocks], [[1] if cell else [] for cell in row])
    found, stats = search(puzzle, "yes")
    assert (found, stats) == search(puzzle, "no")
    assert found == ["".join("01"[cell] for cell in row)]


@KERNEL
@pytest.mark.parametrize("puzzle", ["3|1,2", "1,1|3,0", "999999999 999999999 999999999|1,1", "1 1,1|1,1 1", "1,1|1,0"])
def test_clues_that_no_line_has_room_for_and_unequal_sums(puzzle: str) -> None:
    assert search(read(puzzle), "yes") == search(read(puzzle), "no")
    assert search(read(puzzle), "yes")[0] == []


@KERNEL
def test_batches_grow_and_lack_nothing() -> None:
    puzzle = Nonogram([[1]] * 7, [[1]] * 7)
    batches = [*Alignment().batches(puzzle, Task())]
    assert [len(batch) // 7 for batch in batches[:4]] == [1, 1, 2, 4]
    assert max(map(len, batches)) <= 7 * compiled.MAX_BATCH
    found = [tuple(grid.each_row()) for grid in puzzle.layout.answers(b"".join(batches))]
    assert sorted(found) == sorted(permutations([1 << column for column in range(7)]))


@KERNEL
def test_an_interrupt_ends_a_search_that_finds_nothing() -> None:
    endless = random_nonogram(random.Random(1), 100, 100)
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        search(endless, "yes")
    timer.join()


@KERNEL
def test_it_pauses_also_while_lines_settle_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else nobody could interrupt it on a large puzzle that needs no guess."""
    monkeypatch.setattr(compiled, "STEP", 1)
    library, calls = alignment._library(), 0
    run = library.crosslit_alignment_run

    def counted(*given: object) -> int:
        nonlocal calls
        calls += 1
        return int(run(*given))

    monkeypatch.setattr(library, "crosslit_alignment_run", counted)
    _, counts = search(Nonogram([[8]] * 8, [[8]] * 8), "yes")
    assert counts["nodes"] == 1
    assert calls > 8


def test_it_shares_no_code_with_the_line_solver_in_c() -> None:
    """Else what `line` and `alignment` agree on could be one mistake."""
    home = compiled._HOME
    own = (home / "alignment.c").read_text(encoding="utf-8")
    assert set(re.findall(r"#include (.)", own)) == {"<"}
    assert not re.search(r"\bextern\b", own)
    others = [file.read_text(encoding="utf-8") for file in home.glob("*.[ch]") if file.name != "alignment.c"]
    assert not any("alignment_" in text for text in others)
