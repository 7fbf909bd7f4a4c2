"""The families of puzzles: determinism, completeness, restrictions, and bounds on solutions."""

from __future__ import annotations

import hashlib
import itertools
import random
from collections import Counter
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from crosslit_generate import solution_count
from crosslit_generate.cases import Case, Family, families, population, random_cases
from crosslit_generate.solution_count import ONLY, admitted, count_up_to

from crosslit import Grid, LightsOut, Nonogram, load
from crosslit.base.errors import InternalError, NoBackend
from crosslit.contract.family import Chance
from crosslit.contract.run import Limits, Run, RunStatus
from crosslit.judging.solutions import judge
from crosslit.judging.verdict import Comparison
from crosslit.kinds import Puzzle, all_kinds

KINDS = ("lights-out", "nonogram")


def some(kind: str, number: int, **options: object) -> list[Case]:
    return list(itertools.islice(random_cases(kind, **options), number))  # type: ignore[arg-type]


def digest(found: list[Case]) -> str:
    text = "\n".join(f"{case.family} {case.puzzle.text}" for case in found)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


OLD = ("nonogram", "")
DIGESTS = {
    ("nonogram", ""): "eadae9b77abcc7db",
    ("coloured-nonogram", ""): "142220ee2c9787cf",
    ("nonogram", "small squares"): "2f84352b837c9b56",
    ("modular-lights-out", "small squares"): "e259973ccf77cdb2",
    ("coloured-nonogram", "small squares"): "12dd26991b329875",
}


@pytest.mark.parametrize(("kind", "options"), DIGESTS)
def test_a_seed_means_the_same_puzzles_for_ever(kind: str, options: str) -> None:
    chosen: dict[str, object] = {"square": True, "max_size": 5} if options else {}
    assert digest(some(kind, 200 if (kind, options) == OLD else 60, **chosen)) == DIGESTS[kind, options]


def family(kind: str, rows: int, columns: int) -> Family:
    return next(each for each in families(kind) if (each.rows, each.columns) == (rows, columns))


@pytest.mark.parametrize("kind", KINDS)
def test_small_families_are_enumerated_completely(kind: str) -> None:
    whole = [case for family in families(kind, max_size=2) for case in family.cases()]
    assert all(case.exhaustive for case in whole)
    assert [case.family for case in whole if case.last] == [family.name for family in families(kind, max_size=2)]
    assert len(whole) == {"lights-out": 2 + 4 + 4 + 16, "nonogram": 4 + 12 + 12 + 81}[kind]


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("press=king/wrap=torus/11", ["11", "press=king/11", "press=king/wrap=torus/1_"]),
        ("1_", ["wrap=torus/1_"]),
        ("modular-lights-out:3/wrap=klein/12", ["modular-lights-out:4/wrap=klein/12", "modular-lights-out:3/12"]),
        ("modular-lights-out:2/edges=1-2,2-3/010", ["modular-lights-out:2/matrix=1/0", "modular-lights-out:2/010"]),
        ("modular-lights-out:2/matrix=100,010,110/110", ["modular-lights-out:2/edges=1-2/00"]),
        ("coloured-nonogram:white=ffffff,ink=000000;1a|1a", ["coloured-nonogram:1a|1a"]),
    ],
)
def test_random_puzzles_have_the_rules_of_one(text: str, others: list[str]) -> None:
    puzzle = load(text)
    has = population(puzzle.kind, puzzle).has
    found = [*itertools.islice(random_cases(puzzle.kind, like=puzzle), 60)]
    assert has(puzzle)
    assert all(has(case.puzzle) for case in found)
    assert len({case.puzzle for case in found}) > 20
    chosen = [*population(puzzle.kind, puzzle).random, *population(puzzle.kind).random]
    assert all(family.solvable for family in chosen if "planted" in family.name)
    complete = [each for each in population(puzzle.kind, puzzle).complete if not each.solvable]
    assert all(len({*each.members(1, 2)}) == each.size(1, 2) for each in complete)
    has_one_row = "edges=" in text or "matrix=" in text
    assert all(each.has(2, 1) is not has_one_row for each in complete)
    assert not any(has(load(other)) for other in others)
    assert any(case.family.endswith("planted presses") for case in found) != puzzle.kind.endswith("nonogram")


@pytest.mark.parametrize(
    ("text", "family", "bounds", "made"),
    [
        ("1", "9 x 9 and larger", [(8, False), (9, False)], [None, (9, 9)]),
        ("modular-lights-out:3/1", "7 x 7 and larger", [(6, False), (7, False)], [None, (7, 7)]),
        ("1_", "this shape and rules", [(1,), (2, True), (2, False, ((2, 2),)), (2,)], [None, None, None, (1, 2)]),
    ],
)
def test_a_family_makes_no_puzzle_beyond_the_bounds(
    text: str, family: str, bounds: list[Any], made: list[tuple[int, int] | None]
) -> None:
    chosen = [*population(load(text).kind).random, *load(text).like().random]
    (make,) = [each.make for each in chosen if each.name == family]
    found = [make(Chance(random.Random(1), *given)) for given in bounds]
    assert [each and each.shape for each in found] == made


@pytest.mark.slow
def test_the_published_counts_of_4x4() -> None:
    (family,) = (found for found in families("nonogram", square=True, only="unique") if found.rows == 4)
    unique = list(family.cases("unique"))
    assert len(unique) == 52_362
    assert [case.last for case in unique[-2:]] == [False, True]
    assert len(list(family.cases())) == 58_196


def test_every_puzzle_that_is_looked_at_can_end_the_sequence() -> None:
    ticks = list[int]()
    assert not [*family("lights-out", 2, 2).cases("unsolvable", lambda: ticks.append(1))]
    assert len(ticks) == 16
    some("lights-out", 3, tick=lambda: ticks.append(1))
    assert len(ticks) >= 19


@pytest.mark.parametrize("kind", all_kinds())
def test_a_family_is_small_enough_to_be_listed(kind: str) -> None:
    assert max((family.size for family in families(kind)), default=0) <= 1 << 16


@pytest.mark.parametrize("kind", KINDS)
def test_no_family_of_pictures_is_searched_for_what_no_picture_solves(kind: str) -> None:
    assert not any(family.complete.solvable for family in families(kind, only="unsolvable"))


@pytest.mark.parametrize("kind", KINDS)
def test_only_rejections_in_a_row_end_a_sequence(kind: str) -> None:
    found = random_cases(kind, most_solutions=10**9, max_idle=60)
    assert len([*itertools.islice(found, 200)]) == 200


def exactly(case: Case, only: str) -> bool:
    found = len(case.solutions) if case.solutions is not None else count_up_to(case.puzzle, 2)
    return {"solvable": found > 0, "unique": found == 1, "unsolvable": found == 0}[only]


@pytest.mark.parametrize("only", ["solvable", "unique", "unsolvable"])
@pytest.mark.parametrize("kind", KINDS)
def test_only_and_square_hold(kind: str, only: str) -> None:
    small = families(kind, square=True, only=only)  # type: ignore[arg-type]
    whole = itertools.chain.from_iterable(family.cases(only) for family in small)  # type: ignore[arg-type]
    for case in (*itertools.islice(whole, 200), *some(kind, 100, only=only, square=True, max_size=8)):
        assert exactly(case, only), case
        assert case.puzzle.rows == case.puzzle.columns
    assert all(exactly(case, only) for case in some(kind, 100, only=only, max_size=7))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("max_size", [1, 2, 3, 5, 20])
def test_no_puzzle_is_larger_than_allowed(kind: str, max_size: int) -> None:
    found = some(kind, 60, max_size=max_size)
    assert all(max(case.puzzle.rows, case.puzzle.columns) <= max_size for case in found)
    assert max_size == 20 or max(max(case.puzzle.rows, case.puzzle.columns) for case in found) == max_size


@pytest.mark.parametrize(("kind", "least"), [("lights-out", 8), ("nonogram", 15)])
def test_every_family_is_met_early(kind: str, least: int) -> None:
    found = some(kind, 150)
    assert len({case.family for case in found}) == least
    assert max(Counter(case.family for case in found).values()) <= 1 + 150 // (least - 1)


def test_what_families_promise() -> None:
    by_family: dict[str, list[LightsOut]] = {}
    for case in some("lights-out", 320):
        by_family.setdefault(case.family, []).append(case.puzzle)  # type: ignore[arg-type]
    for board in by_family["nullity above 0, solvable"]:
        assert count_up_to(board, 2) == 2
    for board in by_family["nullity above 0, one light off"]:
        assert count_up_to(board, 1) == 0
        cells = range(board.rows * board.columns)
        flipped = (Grid.from_bits(board.rows, board.columns, board.lit.bits ^ 1 << cell) for cell in cells)
        assert any(count_up_to(LightsOut(lit), 1) for lit in flipped)
    assert all(min(board.rows, board.columns) >= 9 for board in by_family["9 x 9 and larger"])
    assert (9, 9) in {(board.rows, board.columns) for board in by_family["9 x 9 and larger"]}
    for case in some("nonogram", 320):
        puzzle = case.puzzle
        assert isinstance(puzzle, Nonogram)
        sums = sum(map(sum, puzzle.row_clues)) - sum(map(sum, puzzle.column_clues))
        if case.family in ("sums differ", "pigeonhole"):
            assert sums
        elif case.family != "clue too long":
            assert not sums, case


def test_a_run_counts_solutions_of_a_kind_without_its_own_count(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: object) -> str:
        raise NoBackend("no backend")

    monkeypatch.setattr(Nonogram, "most_solutions", None)
    monkeypatch.setattr(solution_count, "find_row", lambda *_: None)
    ones = Nonogram([[1]] * 4, [[1]] * 4)
    assert (count_up_to(ones, 100), count_up_to(ones, 2)) == (24, 2)
    monkeypatch.setattr(solution_count, "ask_in_turns", none)
    assert not admitted(ones, True, None, 100)
    wrong = Run("x", status="complete", grids=[Grid.from_bits(4, 4, 0)])
    monkeypatch.setattr(solution_count, "ask_in_turns", lambda *_, **__: judge(ones, [wrong], Limits()))
    with pytest.raises(InternalError, match="x: wrong-solution: row 1 has blocks 0"):
        count_up_to(ones, 2)


@pytest.fixture
def isolated(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Counts are those of this run, with a single solution; what waits for it may interrupt it."""
    run = Run("x", status="complete", grids=[Grid.from_bits(4, 4, 1)])
    runner = SimpleNamespace(interrupted=False)

    def ask_in_turns(puzzle: Puzzle, runner: SimpleNamespace, **_: int) -> Comparison:
        runner.interrupted = runner.interrupted or runner.on_idle() == "interrupt"
        return judge(puzzle, [run], Limits())

    monkeypatch.setattr(solution_count, "_runner", lambda: runner)
    monkeypatch.setattr(solution_count, "ask_in_turns", ask_in_turns)
    monkeypatch.setattr(Nonogram, "most_solutions", None)
    monkeypatch.setattr(solution_count, "find_row", lambda *_: None)
    return run


CORNER = Nonogram.of(Grid.from_bits(4, 4, 1))


def test_a_count_after_an_interrupted_one_is_not_interrupted(isolated: Run) -> None:
    with pytest.raises(KeyboardInterrupt):
        count_up_to(CORNER, 2, lambda: "interrupt")
    assert count_up_to(CORNER, 2) == len(isolated.grids)


@pytest.mark.parametrize(("status", "counted"), [("complete", 1), ("limit", 1), ("timeout", None), ("error", None)])
def test_only_runs_that_ended_by_themselves_count(isolated: Run, status: RunStatus, counted: int | None) -> None:
    isolated.status = status
    with nullcontext() if counted else pytest.raises(NoBackend, match=f"x: {status}"):
        assert count_up_to(CORNER, 2) == counted
    wanted = ["solvable", "unique"] if counted else []
    assert [only for only in ONLY if admitted(CORNER, None, only, 1)] == [*wanted, *["valid"] * bool(counted)]


def test_the_smallest_boards_that_can_be_unsolvable_are_found() -> None:
    for size, square, word in ((2, False, ""), (4, True, "square ")):
        found = families("lights-out", only="unsolvable", max_size=size, square=square)
        case = next(itertools.chain.from_iterable(family.cases("unsolvable") for family in found))
        assert max(case.puzzle.rows, case.puzzle.columns) == size
        assert case.solutions == frozenset()
        assert some("lights-out", 1, only="unsolvable", max_size=size, square=square)
        with pytest.raises(ValueError, match=f"every {word}board of fewer than {size} rows and columns is solvable"):
            random_cases("lights-out", only="unsolvable", max_size=size - 1, square=square)
