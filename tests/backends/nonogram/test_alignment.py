"""Extreme alignment: the search around it in C and in Python, against each other and against brute force."""

from __future__ import annotations

import random
import re
import signal
import threading
from math import factorial

import pytest
from crosslit_backends import compiled
from crosslit_backends.nonogram import alignment

from crosslit import Nonogram
from crosslit.formats import read
from crosslit.kinds.nonogram.colours import ColouredNonogram
from crosslit.kinds.nonogram.samples import solutions
from tests.backends.nonogram.puzzles import KERNEL, random_puzzle, search, shuffled, small_puzzles

BY_PYTHON = "alignment:kernel=no"


@KERNEL
@pytest.mark.parametrize("step", [1, compiled.STEP])
def test_the_kernel_finds_what_python_finds(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often it pauses, also where the search ends at the first solution or the second."""
    monkeypatch.setattr(compiled, "STEP", step)
    guesses = contradictions = 0
    for number, puzzle in enumerate(small_puzzles(step, 300, 7)):
        limit = (None, 1, 2)[number % 3]
        known, counts = search(BY_PYTHON, puzzle)
        found, _ = search("alignment", puzzle, limit)
        assert len(found) == len(known[:limit]), puzzle.text
        assert set(found) <= set(known), puzzle.text
        guesses += counts["nodes"] > 1
        contradictions += not known
    assert guesses > 20
    assert contradictions > 50


@KERNEL
def test_probes_exclude_what_guesses_would() -> None:
    """Whatever is aligned in vain, or not probed again after a change, changes these counts."""
    rng = random.Random(2)
    guesses, lines = {BY_PYTHON: 0, "alignment": 0}, 0
    for number in range(300):
        puzzle = random_puzzle(rng, 8, 8, number % 3, 0.5)
        for spec in guesses:
            found, counts = search(spec, puzzle, 2)
            guesses[spec] += counts["nodes"] - 1 if len(found) == 1 else 0
            lines += counts["lines"]
    assert guesses == {BY_PYTHON: 30, "alignment": 0}
    assert lines == 41_594


@pytest.mark.parametrize("spec", ["alignment", BY_PYTHON])
def test_small_puzzles_by_brute_force(spec: str) -> None:
    for puzzle in small_puzzles(4, 200, 4):
        if puzzle.rows * puzzle.columns <= 12:
            assert sorted(search(spec, puzzle)[0]) == sorted(grid.text for grid in solutions(puzzle)), puzzle.text


@KERNEL
@pytest.mark.parametrize("length", [1, 2, 7, 8, 9, 63, 64, 65, 127, 128, 129, 200])
@pytest.mark.parametrize("colours", [0, 2])
def test_lines_of_any_length(length: int, colours: int) -> None:
    rng = random.Random(length)
    for rows, columns in ((1, length), (length, 1), (3, length), (length, 3)):
        for density in (0.0, 0.5, 0.9, 1.0):
            puzzle = random_puzzle(rng, rows, columns, colours, density)
            found, known = (search(spec, puzzle, 2)[0] for spec in ("alignment", BY_PYTHON))
            assert len(found) == len(known), puzzle.text
            assert len(known) == 2 or found == known, puzzle.text


@KERNEL
@pytest.mark.parametrize("rest", [1, 5])
def test_filled_cells_move_blocks_that_others_have_left_behind(rest: int) -> None:
    """The columns fix every cell of the row, and its blocks begin far to the left of their places."""
    row = ([False] * 40 + [True, False] * 12 + [False] * rest + [True] * 3) * 2
    blocks = [len(run) for run in re.findall("1+", "".join("01"[cell] for cell in row))]
    puzzle = Nonogram([blocks], [[1] if cell else [] for cell in row])
    found, stats = search("alignment", puzzle)
    assert (found, stats) == search(BY_PYTHON, puzzle)
    assert found == ["".join("01"[cell] for cell in row)]


@KERNEL
@pytest.mark.parametrize(
    "puzzle",
    [
        *("3|1,2", "1,1|3,0", "999999999 999999999 999999999|1,1", "1 1,1|1,1 1", "1,1|1,0"),
        *("coloured-nonogram:1a 1a|1a,1a", "coloured-nonogram:1a|1b", "coloured-nonogram:2a 1b|1a,1a,0"),
    ],
)
def test_clues_that_no_line_has_room_for_and_unequal_sums(puzzle: str) -> None:
    found, stats = search("alignment", read(puzzle))  # type: ignore[arg-type]
    assert (found, stats.get("refuted_by")) == ([], search(BY_PYTHON, read(puzzle))[1].get("refuted_by"))  # type: ignore[arg-type]


@KERNEL
def test_permutations_are_found_without_probes() -> None:
    for puzzle, number in (
        (Nonogram([[1]] * 7, [[1]] * 7), factorial(7)),
        (ColouredNonogram(*[[[(1, 1)], [(1, 2)]] * 3] * 2), factorial(3) ** 2),
    ):
        found, stats = search("alignment", puzzle)
        assert len(found) == number
        assert stats["lines"] < 30 * number


@KERNEL
def test_an_interrupt_ends_a_search_that_finds_nothing() -> None:
    endless = shuffled(random.Random(1), random_puzzle(random.Random(1), 100, 100, 0, 0.5))
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        search("alignment", endless)
    timer.join()


@KERNEL
def test_it_pauses_also_while_lines_are_aligned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else nobody could interrupt it on a large puzzle that needs no guess."""
    monkeypatch.setattr(compiled, "STEP", 1)
    library, calls = alignment._library(), 0
    run = library.crosslit_alignment_run

    def counted(*given: object) -> int:
        nonlocal calls
        calls += 1
        return int(run(*given))

    monkeypatch.setattr(library, "crosslit_alignment_run", counted)
    _, counts = search("alignment", Nonogram([[8]] * 8, [[8]] * 8))
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
