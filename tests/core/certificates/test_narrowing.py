"""Whether a formula forbids a solution: by brute force, and with encodings that are wrong."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import pytest
from crosslit_verify.contract_checks import subject

from crosslit import load
from crosslit.base.errors import GaveUp
from crosslit.contract.clauses import Clause, Statement, WrongFormula
from crosslit.judging import certificates
from crosslit.kinds import Nonogram, Puzzle, all_kinds
from crosslit.kinds.nonogram import placements
from crosslit.kinds.nonogram.colours import ColouredNonogram
from crosslit.kinds.nonogram.placements import LacksArrangement, Line, check_line
from crosslit.registry import all_encodings

ALL = {kind: [e for e in all_encodings().values() if (e.kind, e.target) == (kind, "cnf")] for kind in all_kinds()}
LINES = [(kind, encoding.name) for kind in ("nonogram", "coloured-nonogram") for encoding in ALL[kind]]
Pairs = tuple[tuple[int, int], ...]


def check_formula(puzzle: Puzzle, clauses: Iterable[Clause]) -> str | None:
    return certificates.check_formula(puzzle, Statement([*clauses]))


def formula_of(puzzle: Puzzle, name: str) -> list[list[int]]:
    made = all_encodings()[puzzle.kind, "cnf", name].encode(puzzle)
    assert made.extend is None
    return list(made.clauses())


def line_of(clue: Sequence[int], length: int) -> Line:
    return Line(tuple((block, 1) for block in clue), length)


def line_formula(line: Line, name: str) -> list[tuple[int, ...]]:
    """The clauses of the row, and those of no line, of a puzzle with this row."""
    if line.states == 2:
        puzzle: Nonogram = Nonogram([[length for length, _ in line.clue]], [[1]] * line.length)
    else:  # every column has all colours, so that the formula says of each cell that it has one value
        column = [(1, colour) for colour in range(1, line.states)]
        puzzle = ColouredNonogram([line.clue], [column] * line.length)
    made = all_encodings()[puzzle.kind, "cnf", name].encode(puzzle)
    return [tuple(clause) for clause, part in zip(made.clauses(), made.part().tolist(), strict=True) if part < 1]


def allowed(line: Line) -> set[str]:
    """The arrangements by the rule checker."""
    kind: type[Nonogram] = Nonogram if line.states == 2 else ColouredNonogram
    return {grid.text() for grid in line.layout.every() if tuple(kind.pairs(kind.clues_of(grid)[0][0])) == line.clue}


def given(line: Line, text: str) -> list[int]:
    """The literals that say all values of a line's cells."""
    true = {*line.layout.literals(line.layout.parse(text))}
    return [literal if literal in true else -literal for literal in range(1, line.layout.variables + 1)]


CLUES = [(), (1,), (2,), (1, 1), (3, 1), (1, 2, 1), (2, 2), (1, 1, 1, 1), (4,)]
COLOURED: list[Pairs] = [((1, 1), (1, 2)), ((2, 2), (1, 2), (1, 1)), ((1, 1), (1, 2), (1, 1)), ((2, 1),), ()]
SMALL = [line_of(clue, length) for clue in CLUES for length in (1, 4, 7, 9)]
SMALL += [Line(clue, length, 3) for clue in COLOURED for length in (1, 3, 6)]


@pytest.mark.parametrize("line", SMALL, ids=str)
def test_arrangements_are_those_of_the_rules(line: Line) -> None:
    found = [line.text(shifts) for shifts in line.every()]
    assert len(found) == len(set(found)) == line.count
    assert set(found) == allowed(line)
    extremes = {line.text(shifts) for shifts in line.extremes()}
    assert extremes <= set(found)
    assert [*map(set, zip(*extremes, strict=True))] == [*map(set, zip(*found, strict=True))]


@pytest.mark.parametrize("line", [line for line in SMALL if line.slack >= 0], ids=str)
def test_the_reference_has_the_models_that_the_rules_have(line: Line) -> None:
    from pysat.solvers import Minisat22

    with Minisat22(bootstrap_with=placements._Reference(line, line.layout.variables + 1).clauses) as solver:
        texts = [grid.text() for grid in line.layout.every()]
        found = {text for text in texts if solver.solve(assumptions=given(line, text))}
        if line.states > 2:  # a cell has one value
            assert not solver.solve(assumptions=[1, 2])
            assert not solver.solve(assumptions=[-1, -2, -3])
    assert found == allowed(line)


@pytest.fixture(params=["tried", "proved"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Small lines by either way that there is for lines."""
    if request.param == "proved":
        monkeypatch.setattr(placements, "MIN_ARRANGEMENTS", 0)
        monkeypatch.setattr(placements, "MAX_ARRANGEMENTS", 0)
    check_line.cache_clear()
    return str(request.param)


@pytest.mark.parametrize(("kind", "name"), LINES)
def test_one_more_clause_is_found_out_exactly_where_it_forbids_an_arrangement(kind: str, name: str, way: str) -> None:
    rng = random.Random(8)
    caught = 0
    lines = [line_of(clue, length) for clue, length in [((2,), 5), ((1, 1), 5), ((1, 2), 6)]]
    if kind == "coloured-nonogram":
        lines = [Line(((1, 1), (1, 2)), 5, 3), Line(((2, 2), (1, 2)), 6, 3), Line(((1, 2), (2, 1), (1, 2)), 6, 3)]
    for line in lines:
        made, arrangements = line_formula(line, name), allowed(line)
        for _ in range(10):
            variables = rng.sample(range(1, line.layout.variables + 1), rng.randint(1, 3))
            more = tuple(rng.choice([-1, 1]) * variable for variable in variables)
            forbids = {text for text in arrangements if not {*more} & {*given(line, text)}}
            if forbids:
                caught += 1
                with pytest.raises(LacksArrangement) as said:
                    check_line(line, (*made, more))
                assert any(f"forbids {text} " in str(said.value) for text in forbids)
            else:
                assert check_line(line, (*made, more)) is None
    assert 5 < caught < 28


@pytest.mark.parametrize("kind", all_kinds())
def test_every_encoding_on_all_small_puzzles(kind: str) -> None:
    checked = 0
    for specimen in [*subject.floor(kind, 2, 3), *subject.samples(kind)]:
        for encoding in ALL[kind]:
            if encoding.unsupported_reason(specimen.puzzle):
                continue
            try:
                made = encoding.encode(specimen.puzzle)
            except GaveUp:
                continue
            if made.extend is None:
                assert check_formula(specimen.puzzle, made.clauses()) is None
                checked += 1
    assert checked > 100


def test_large_lines_are_proved_not_tried() -> None:
    coloured = Line(((3, 1), (1, 2), (4, 2), (1, 1), (5, 3)), 40, 4)
    for line, more in (line_of((3, 1, 4, 1, 5), 40), (-20, 21)), (coloured, (-78, 82)):
        assert line.count > placements.MAX_ARRANGEMENTS
        for kind, name in LINES:
            if kind == ("nonogram" if line.states == 2 else "coloured-nonogram") and name != "table":
                assert check_line(line, tuple(line_formula(line, name))) is None
        with pytest.raises(LacksArrangement):
            check_line(line, (*line_formula(line, "order"), more))


def test_what_auxiliary_variables_mean_may_be_beyond_any_guess() -> None:
    clue, length = (1,) * 8, 30
    # a new variable for the XOR of two far cells: no bounds on the shifts say that
    made = [(-31, 1, 30), (-31, -1, -30), (31, -1, 30), (31, 1, -30)]
    assert check_line(line_of(clue, length), tuple(made)) is not None
    made.append((31,))
    with pytest.raises(LacksArrangement):
        check_line(line_of(clue, length), tuple(made))


def test_a_formula_about_cells_of_several_lines_is_not_shown_to_be_right() -> None:
    why_not = check_formula(load("1,1|1,1"), [[1, 5], [-5, 4]])
    assert why_not == "a part of the formula is about cells of several lines"


def test_clauses_chained_through_several_variables_are_checked_together() -> None:
    # No two of these clauses forbid anything; all together forbid that no cell is pressed.
    with pytest.raises(WrongFormula, match="it forbids 1/1 = 0 and 1/2 = 0, which the lights allow"):
        check_formula(load("00"), [[3, 4], [5, -4], [1, -3], [2, -5]])


def test_a_clause_or_a_part_about_too_many_presses_is_not_shown_to_be_right() -> None:
    board = load("0000/0000/0000/0000")
    with pytest.raises(WrongFormula, match=r"it forbids 1/1 = 0 and 1/2 = 0 and .* and 4/4 = 0, which"):
        check_formula(board, [[*range(1, 17)]])
    why_not = check_formula(board, [[*range(1, 10), 17], [-17, *range(10, 16)]])
    assert why_not == "a part of the formula is about 15 presses or sums: more than 8192 values"
    clause = [2 + 3 * press for press in range(14)]
    why_not = check_formula(load(f"modular-lights-out:3/{'0' * 14}"), [clause])
    assert why_not == "a part of the formula is about 14 presses or sums: more than 8192 values"


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
    line, formula = line_of((1, 1), 6), ((-2, -5),)  # forbids one arrangement, which is none of the first samples
    monkeypatch.setattr(placements, "MIN_ARRANGEMENTS", 0)
    monkeypatch.setattr(placements, "prove", lambda *_: (None, []))
    with pytest.raises(LacksArrangement, match="it forbids 010010"):  # found when all ten arrangements are tried
        check_line(line, formula)
    monkeypatch.setattr(placements, "MAX_ARRANGEMENTS", 0)
    placements.check_line.cache_clear()
    assert "no proof was found" in str(check_line(line, formula))


@pytest.mark.parametrize(("amount", "shown"), [(1, True), (2, False)])
def test_chosen_presses_must_determine_the_others(amount: int, shown: bool) -> None:
    board, twice = (
        load("modular-lights-out:4/press=2/0"),
        Statement([], [[(amount, 0)]]),
    )  # solved by 0 and by 2 presses
    if shown:
        assert certificates.check_formula(board, twice) is None
    else:
        with pytest.raises(WrongFormula, match="different solutions can have the same chosen presses"):
            certificates.check_formula(board, twice)
