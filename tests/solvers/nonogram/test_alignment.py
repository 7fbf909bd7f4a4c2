"""Solving by alignment, and by a SAT solver with hints in turns with lines."""

from __future__ import annotations

import random
import re
import signal
import threading
from array import array
from collections.abc import Generator
from functools import partial
from itertools import combinations, cycle, islice
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from crosslit_backends import compiled
from crosslit_backends.nonogram import hybrid
from crosslit_backends.nonogram.hints import EMPTY, FILLED, OPEN, Lines, likely_literals
from crosslit_backends.nonogram.hybrid import Engines, Residue
from crosslit_backends.nonogram.kernel import Counts, KernelSearch
from crosslit_backends.nonogram.line import Search
from crosslit_encoders.formula import Formula

from crosslit import Nonogram
from crosslit.contract import Task
from crosslit.formats import read
from crosslit.kinds.nonogram.puzzle import lines_by_clue
from crosslit.registry import all_backends
from tests.solvers.nonogram.puzzles import KERNEL, PERMUTATIONS, random_puzzle, search, shuffled, small_puzzles

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
    ("puzzle", "unequal"),
    [
        *(("3|1,2", ""), ("1,1|3,0", "row and column clues"), ("1 1,1|1,1 1", ""), ("1,1|1,0", "row and column clues")),
        *(("999999999 999999999 999999999|1,1", "row and column clues"), ("coloured-nonogram:1a 1a|1a,1a", "")),
        *(("coloured-nonogram:1a|1b", "colour a"), ("coloured-nonogram:2a 1b|1a,1a,0", "colour b")),
    ],
)
@pytest.mark.parametrize("spec", ["alignment", BY_PYTHON])
def test_clues_that_no_line_has_room_for_and_unequal_sums(spec: str, puzzle: str, unequal: str) -> None:
    found, stats = search(spec, read(puzzle))  # type: ignore[arg-type]
    assert (found, stats.get("refuted_by")) == ([], f"the sums of {unequal} differ" if unequal else None)
    assert not unequal or (stats["lines"], stats["nodes"], stats["backtracks"]) == (0, 0, 0)


def test_unequal_sums_are_a_step() -> None:
    told = list[object]()
    backend: Any = all_backends()["alignment"]
    assert not [*backend.solutions(read("1,1|1,0"), Task(trace=lambda *step, **where: told.append((step, where))))]
    assert told == [(("the rows need 2 filled cells, the columns 1: contradiction",), {"bad": True})]


@KERNEL
def test_an_interrupt_ends_a_search_that_finds_nothing() -> None:
    endless = shuffled(random.Random(1), random_puzzle(random.Random(1), 100, 100, 0, 0.5))
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        search("alignment", endless)
    timer.join()


def test_it_shares_no_code_with_the_line_solver_in_c() -> None:
    """Else what `line` and `alignment` agree on could be one mistake."""
    home = compiled._HOME
    own = (home / "alignment.c").read_text(encoding="utf-8")
    assert set(re.findall(r"#include (.)", own)) == {"<"}
    assert not re.search(r"\bextern\b", own)
    others = [file.read_text(encoding="utf-8") for file in home.glob("*.[ch]") if file.name != "alignment.c"]
    assert not any("alignment_" in text for text in others)


def test_marginals_are_those_of_all_arrangements() -> None:
    rng, clues, known, odds, expected = np.random.default_rng(1), [], [], [], []
    for clue, lines in [*lines_by_clue(Nonogram, 7).items()][1:] * 2:  # a line without a block has no open cell
        cells = np.array([[*map(int, line)] for line in lines])
        masks = np.where(rng.random(7) < 0.2, np.where(rng.choice(cells), FILLED, EMPTY), OPEN)
        odd = np.where(masks == OPEN, rng.normal(0, 2, 7), 0.0)
        weights = np.exp(cells @ odd) * (masks >> cells & 1).all(axis=1)
        clues.append(clue)
        known.append(masks)
        odds.append(odd)
        expected.append(weights @ cells / weights.sum())
    found = Lines(clues, np.array(known, np.uint32)).solve(np.array(odds))
    assert np.allclose(found, expected, atol=1e-4)  # a filled cell counts by its odds, e^15


@pytest.mark.parametrize(("seed", "turn"), [(2, 5), (18, 0)])
def test_hints_are_a_model_where_beliefs_converge(seed: int, turn: int) -> None:
    puzzle = random_puzzle(random.Random(seed), 9, 9, 0, 0.45)
    lines = Search(puzzle, Counts())
    assert lines.propagate(range(18))
    masks = array("I", [sum(1 << colour for colour in lines.colours(cell)) for cell in range(81)])
    formula, hints = Residue(puzzle, masks).formula(), likely_literals(puzzle, masks, turn)
    assert list(map(abs, hints)) == list(range(1, formula.variables + 1))
    assert all(set(clause) & set(hints) for clause in formula.clauses())


@KERNEL
@pytest.mark.parametrize("max_seen", [0, 1 << 16])
@pytest.mark.parametrize("work", [1, 300, 10**9])
def test_turns_lose_and_repeat_no_solution(work: int, max_seen: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """SAT ends in its first turn, the kernel in its second, or SAT with what neither has searched."""
    for name, value in (("FEW", 0), ("WORK", 0), ("MAX_SEEN", max_seen), ("BLOCKED", 3)):
        monkeypatch.setattr(hybrid, name, value)
    ends, kernel_turns, turn, solve = set[str](), list[int](), hybrid.searched, Engines.solve
    pauses = cycle([True, True, False])  # turns end without an answer, or after one or two

    def searched(kernel: KernelSearch, _: int, known: set[bytes] | None = None) -> Generator[bytes, None, bool]:
        kernel_turns.append(work)
        done = yield from turn(kernel, work, known or frozenset())
        ends.update({"kernel"} if done else ())
        return done

    def solve_or_pause(self: Engines) -> bool | None:
        if self._budget in (hybrid.TURN, hybrid.FIRST_BUDGET) and next(pauses):
            self._take_turn()
            return None
        found = solve(self)
        ends.update({"sat"} if found is False else ())
        return found

    monkeypatch.setattr(hybrid, "searched", searched)
    monkeypatch.setattr(Engines, "solve", solve_or_pause)
    rng = random.Random(15)
    some = [random_puzzle(rng, size, size, colours, 0.5) for size in (5, 6, 7) for colours in (0, 1, 2, 3)]
    for puzzle in (*some, *(shuffled(rng, puzzle) for puzzle in some), *dict(PERMUTATIONS)):
        assert sorted(search("hybrid", puzzle)[0]) == sorted(search("line", puzzle)[0]), puzzle.text
        assert len(kernel_turns) <= 1
        kernel_turns.clear()
    assert ("kernel" in ends, "sat" in ends) == (work > 1, work < 10**9 or not max_seen)


def test_an_engine_that_finds_a_solution_in_a_long_turn_goes_on_without_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hybrid, "TURN", 1)
    turns = [*islice(hybrid.turns(None), 5)]
    assert turns == [
        ("glucose4", 1),
        ("glucose4", 20_000),
        ("cadical195", 30_000),
        ("glucose4", 40_000),
        ("cadical195", 60_000),
    ]
    assert [*hybrid.turns("cadical195")] == [("cadical195", 1), ("cadical195", 0)]
    assert [*hybrid.turns("lingeling")] == [("lingeling", 0)]
    engines, calls = Engines(Formula.of(1, 1, [[1]]), None, lambda _: []), list[int]()
    for found in (True, None, True, True):
        solve, limited = partial(calls.append, 0), partial([found].pop)
        engines.solver = SimpleNamespace(conf_budget=calls.append, solve_limited=limited, solve=solve)
        engines.solve()
    assert engines.close() == 0
    assert calls == [1, 1, 20_000, 0]


def test_an_engine_that_joins_late_knows_the_clauses_that_were_added_before() -> None:
    pigeons = [[3 * pigeon + hole for hole in (1, 2, 3)] for pigeon in range(4)]
    shared = [[-one, -other] for holes in zip(*pigeons, strict=True) for one, other in combinations(holes, 2)]
    hinted = list[int]()
    engines = Engines(Formula.of(1, 12, pigeons), None, lambda turn: [*hinted, hinted.append(turn)][:-1])
    assert engines.solve()
    engines.add(shared)
    for known in ([], [0]):  # turns of the first engine that end without a result
        engines.solver = SimpleNamespace(conf_budget=lambda _: None, solve_limited=lambda: None)
        assert (engines.solve(), hinted) == (None, known)
    assert (engines.solve(), engines.close() > 0) == (False, True)


@pytest.mark.parametrize(
    ("colour", "middle", "clauses"), [(1, 1, [[-1]]), (1, 0, [[1]]), (0, 1, [])], ids=["right", "empty", "wrong"]
)
def test_what_was_searched_under_a_known_colour_is_excluded_if_that_is_right(
    colour: int, middle: int, clauses: list[list[int]]
) -> None:
    """The search has excluded the middle cell together with a colour of the first one, which is known to be filled."""
    searched: Any = SimpleNamespace(decisions=lambda: [(0, colour, True), (4, middle, False)])
    masks = array("I", [2, 1, 1, 1, 3, 3, 1, 3, 3])
    assert [*Residue(Nonogram([[1]] * 3, [[1]] * 3), masks, searched).searched()] == clauses
