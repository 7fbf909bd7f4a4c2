"""Whether a formula forbids a solution: by brute force, and with encodings that are wrong."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence

import pytest
from crosslit_verify.contract_checks import subject

from crosslit import load
from crosslit.certificates.refutation import check_formula
from crosslit.contract.clauses import WrongFormula
from crosslit.errors import GaveUp
from crosslit.grid import Grid
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.nonogram import placements
from crosslit.kinds.nonogram.placements import LacksArrangement, Line, check_line
from crosslit.kinds.registry import OWN
from crosslit.registry import all_encodings

LINES = {kind: [e for e in all_encodings().values() if (e.kind, e.target) == (kind, "cnf")] for kind in OWN}


def formula_of(puzzle: Puzzle, name: str) -> list[list[int]]:
    made = all_encodings()[puzzle.kind, "cnf", name].encode(puzzle)
    assert made.extend is None
    return list(made.clauses())


def line_formula(clue: Sequence[int], length: int, name: str) -> list[tuple[int, ...]]:
    """The clauses of a puzzle of one row whose columns are free: all that mention an auxiliary variable, or follow."""
    free = Nonogram([clue], [[]] * length)
    columns = {(-cell,) for cell in range(1, length + 1)}
    made = list(map(tuple, formula_of(free, name)))
    for unit in columns:  # those of the columns, each once, because the row may have the same
        made.remove(unit)
    return made


def allowed(clue: Sequence[int], length: int) -> set[str]:
    """The arrangements by the rule checker."""
    grids = [Grid.from_bits(1, length, bits) for bits in range(1 << length)]
    wanted = tuple(clue)
    return {grid.text() for grid in grids if Nonogram.of(grid).row_clues[0] == wanted}


CLUES = [(), (1,), (2,), (1, 1), (3, 1), (1, 2, 1), (2, 2), (1, 1, 1, 1), (4,)]


@pytest.mark.parametrize("clue", CLUES, ids=str)
def test_arrangements_are_those_of_the_rules(clue: tuple[int, ...]) -> None:
    for length in (1, 4, 7, 9):
        line = Line(clue, length)
        found = [line.text(shifts) for shifts in line.every()]
        assert len(found) == len(set(found)) == line.count
        assert set(found) == allowed(clue, length)
        assert {line.text(shifts) for shifts in line.extremes()} <= set(found)


@pytest.mark.parametrize("clue", CLUES, ids=str)
def test_the_reference_has_the_models_that_the_rules_have(clue: tuple[int, ...]) -> None:
    from pysat.solvers import Minisat22

    line = Line(clue, 8)
    with Minisat22(bootstrap_with=placements._Reference(line, 9).clauses) as solver:
        found = set()
        for bits in itertools.product("01", repeat=8):
            if solver.solve(assumptions=[-n if bit == "0" else n for n, bit in enumerate(bits, 1)]):
                found.add("".join(bits))
    assert found == allowed(clue, 8)


@pytest.fixture(params=["tried", "proved"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Small lines by either way that there is for lines."""
    if request.param == "proved":
        monkeypatch.setattr(placements, "MIN_ARRANGEMENTS", 0)
        monkeypatch.setattr(placements, "MAX_ARRANGEMENTS", 0)
    check_line.cache_clear()
    return str(request.param)


@pytest.mark.parametrize("name", [e.name for e in LINES["nonogram"]])
def test_every_encoding_allows_every_arrangement(name: str, way: str) -> None:
    # a table has a selector for each arrangement, of which each round of guessing tests one
    lengths = (3, 5) if (name, way) == ("table", "proved") else (3, 6, 9)
    for clue in CLUES[1:]:
        for length in lengths:
            assert check_line(Line(clue, length), tuple(line_formula(clue, length, name))) is None


@pytest.mark.parametrize("name", [e.name for e in LINES["nonogram"]])
def test_one_more_clause_is_found_out_exactly_where_it_forbids_an_arrangement(name: str, way: str) -> None:
    rng = random.Random(8)
    caught = 0
    for clue, length in [((2,), 5), ((1, 1), 5), ((1, 2), 6)]:
        made, arrangements = line_formula(clue, length, name), allowed(clue, length)
        for _ in range(10):
            cells = rng.sample(range(1, length + 1), rng.randint(1, 3))
            more = tuple(rng.choice([-1, 1]) * cell for cell in cells)
            forbids = {text for text in arrangements if not any((text[abs(x) - 1] == "1") == (x > 0) for x in more)}
            if forbids:
                caught += 1
                with pytest.raises(LacksArrangement) as said:
                    check_line(Line(clue, length), (*made, more))
                assert any(f"forbids {text} " in str(said.value) for text in forbids)
            else:
                assert check_line(Line(clue, length), (*made, more)) is None
    assert 5 < caught < 28


@pytest.mark.parametrize("kind", OWN)
def test_every_encoding_on_all_small_puzzles(kind: str) -> None:
    checked = 0
    for specimen in [*subject.floor(kind, 2, 3), *subject.samples(kind)]:
        for encoding in LINES[kind]:
            if encoding.unsupported_reason(specimen.puzzle):
                continue
            try:
                made = encoding.encode(specimen.puzzle)
            except GaveUp:
                continue
            if made.extend is None:
                assert check_formula(specimen.puzzle, made.clauses()) is None
                checked += 1
    assert checked > 200


@pytest.mark.parametrize("kind", OWN)
def test_a_formula_that_lacks_a_solution_is_found_out(kind: str) -> None:
    """Each short clause that excludes a solution, by itself: every unsound formula is rejected."""
    rng = random.Random(1)
    caught = 0
    for specimen in subject.floor(kind, 2, 3):
        for solution in specimen.solutions:
            cells = rng.sample(range(6), rng.randint(1, 3))
            clause = [-cell - 1 if solution.bits >> cell & 1 else cell + 1 for cell in cells]
            try:
                why_not = check_formula(specimen.puzzle, [clause])
            except WrongFormula:
                why_not = "wrong"
            assert why_not is not None
            caught += why_not == "wrong"
    assert caught > 10


def test_large_lines_are_proved_not_tried() -> None:
    clue = (3, 1, 4, 1, 5)
    line = Line(clue, 40)
    assert line.count > placements.MAX_ARRANGEMENTS
    for name in ("order", "order-cover", "direct", "automaton"):
        made = tuple(line_formula(clue, 40, name))
        assert check_line(line, made) is None
    with pytest.raises(LacksArrangement):
        check_line(line, (*line_formula(clue, 40, "order"), (-20, 21)))


def test_what_auxiliary_variables_mean_may_be_beyond_any_guess() -> None:
    clue, length = (1,) * 8, 30
    # a new variable for the XOR of two far cells: no bounds on the shifts say that
    made = [(-31, 1, 30), (-31, -1, -30), (31, -1, 30), (31, 1, -30)]
    assert check_line(Line(clue, length), tuple(made)) is not None
    made.append((31,))
    with pytest.raises(LacksArrangement):
        check_line(Line(clue, length), tuple(made))


def test_a_formula_about_cells_of_several_lines_is_not_shown_to_be_right() -> None:
    why_not = check_formula(load("1,1|1,1"), [[1, 5], [-5, 4]])
    assert why_not == "a part of the formula is about cells of several lines"


def test_clauses_chained_through_several_variables_are_checked_together() -> None:
    # No two of these clauses forbid anything; all together forbid that no cell is pressed.
    with pytest.raises(WrongFormula, match="it forbids none"):
        check_formula(load("00"), [[3, 4], [5, -4], [1, -3], [2, -5]])


def test_a_light_with_too_many_presses_is_not_shown_to_be_right() -> None:
    board = load("0000/0000/0000/0000")
    assert "16 presses" in str(check_formula(board, [list(range(1, 17))]))


def test_one_flipped_literal_of_a_board_is_found_out() -> None:
    board = load("10100/01100/00100")
    for name in ("full-direct", "full-cut3", "full-cut4"):
        made = formula_of(board, name)
        for number in range(0, len(made), 7):
            wrong = [list(clause) for clause in made]
            wrong[number][0] = -wrong[number][0]
            with pytest.raises(WrongFormula, match="it forbids"):
                check_formula(board, wrong)


def clauses_without(clauses: Iterable[list[int]], number: int) -> list[list[int]]:
    return [clause for index, clause in enumerate(clauses) if index != number]


def test_a_formula_that_allows_too_much_is_no_fault() -> None:
    puzzle = load("1 1,1|1,0,2")
    made = formula_of(puzzle, "order")
    for number in range(len(made)):
        assert check_formula(puzzle, clauses_without(made, number)) is None


@pytest.mark.parametrize(("clause", "shown"), [([5], True), ([5, -6], True), ([], False)])
def test_a_clause_about_no_cell_is_looked_at_too(clause: list[int], shown: bool) -> None:
    puzzle = load("1,1|1,1")
    if shown:
        assert check_formula(puzzle, [[1, 2], clause]) is None
    else:
        with pytest.raises(WrongFormula):
            check_formula(puzzle, [[1, 2], clause])


def test_a_formula_may_forbid_everything_where_a_light_is_lit_that_nothing_puts_out() -> None:
    assert check_formula(load("press=neighbours/1"), [[]]) is None
    with pytest.raises(WrongFormula, match="it forbids"):
        check_formula(load("press=neighbours/0"), [[]])


def test_the_empty_proof_of_a_lying_prover_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    line, formula = Line((1, 1), 6), ((-2, -5),)  # forbids one arrangement, which is none of the first samples
    monkeypatch.setattr(placements, "MIN_ARRANGEMENTS", 0)
    monkeypatch.setattr(placements, "prove", lambda *_: (None, []))
    with pytest.raises(LacksArrangement, match="it forbids 010010"):  # found when all ten arrangements are tried
        check_line(line, formula)
    monkeypatch.setattr(placements, "MAX_ARRANGEMENTS", 0)
    placements.check_line.cache_clear()
    assert "no proof was found" in str(check_line(line, formula))
