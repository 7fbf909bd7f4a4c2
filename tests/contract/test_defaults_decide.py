"""The default backends decide puzzles of a middle size, of every kind and family, and boards of up to 50 x 50."""

from __future__ import annotations

import pytest

from crosslit import Comparison, compare
from crosslit.contract.family import Chance, random_grid, seeded
from crosslit.kinds import LightsOut, Puzzle, all_kinds, find_kind
from crosslit.kinds.lights_out.rules import PATTERNS, WRAPS
from crosslit.registry import select

pytestmark = pytest.mark.usefixtures("isolated_runs")

SIDE = 16  # beyond what search finds in the full systems of boards
MAX_CONFLICTS = 100_000  # of a solver that learns: a second or two
_SHAPES: tuple[tuple[tuple[int, int], ...], ...] = (
    (),
    ((1, SIDE),),
    ((SIDE, SIDE),),
)  # the last that a family has counts


def drawn() -> dict[str, Puzzle]:
    """A puzzle of each family of each kind: a square if it has one, or a line, or any shape that it has."""
    found = {}
    for kind in all_kinds():
        for family in find_kind(kind).population().random:
            made = (family.make(Chance(seeded(kind, 1, 1), SIDE, shapes=shapes)) for shapes in _SHAPES)
            found |= {f"{kind}, {family.name}": puzzle for puzzle in made if puzzle is not None}
    assert {puzzle.kind for puzzle in found.values()} == {*all_kinds()}
    return found


def boards() -> dict[str, Puzzle]:
    """A Lights Out board of each press pattern and wrap: random ones have the usual rules."""
    names = [(name, wrap) for name in PATTERNS for wrap in WRAPS]
    lights = (random_grid(seeded("lights-out", 2, number), SIDE, SIDE) for number in range(len(names)))
    return {f"{n}, {wrap}": LightsOut(lit, PATTERNS[n], wrap) for (n, wrap), lit in zip(names, lights, strict=True)}


def require_agreement(comparison: Comparison) -> None:
    """Require that no backend gave up or searched long, and that independent ones agree."""
    # a backend that is left out is so before its run, with the reason
    assert {run.status for run in comparison.runs} <= {"complete", "limit", "unsupported"}
    assert all(run.error for run in comparison.runs if run.status == "unsupported")
    assert max(run.stats.get("conflicts", 0) for run in comparison.runs) <= MAX_CONFLICTS
    assert comparison.verdict.evidence == ("witnessed" if comparison.verdict.status == "multiple" else "agreed")


@pytest.mark.slow
@pytest.mark.parametrize("puzzle", [pytest.param(each, id=name) for name, each in {**drawn(), **boards()}.items()])
def test_independent_defaults_agree_and_none_gives_up(puzzle: Puzzle) -> None:
    require_agreement(compare(puzzle))


def large(size: int, pattern: str = "plus", wrap: str = "none") -> LightsOut:
    return LightsOut(random_grid(seeded("lights-out", size, 1), size, size), PATTERNS[pattern], wrap)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("side", "pattern", "wrap", "is_searched"),
    [
        (20, "plus", "none", True),
        (30, "plus", "none", True),
        (50, "plus", "none", True),
        (20, "plus", "torus", True),
        (50, "plus", "torus", True),
        (30, "king", "none", False),
        (100, "plus", "none", False),
        (100, "plus", "torus", False),
    ],
)
def test_an_engine_agrees_where_search_can_and_else_two_native_backends(
    side: int, pattern: str, wrap: str, is_searched: bool
) -> None:
    comparison = compare(large(side, pattern, wrap))
    require_agreement(comparison)
    agreeing = [run for run in comparison.runs if run.backend in comparison.verdict.by]
    # CryptoMiniSat's own XORs decide boards that are too large for clauses
    assert any(run.encoding and not run.backend.startswith("cryptominisat") for run in agreeing) == is_searched


@pytest.mark.parametrize(
    ("side", "wrap", "full"), [(12, "none", True), (13, "none", False), (7, "torus", True), (8, "torus", False)]
)
def test_a_formula_of_all_presses_is_a_default_up_to_the_size_that_search_decides(
    side: int, wrap: str, full: bool
) -> None:
    chosen = {choice.spec for choice in select("default", large(side, wrap=wrap)) if choice.encoding}
    assert chosen == {"cadical195", "cpsat", "glucose4", *(["glucose4/full-cut4"] if full else [])}


def test_a_backend_that_is_named_runs_where_a_group_leaves_it_out() -> None:
    board = large(100)
    assert {choice.spec for choice in select("default", board) if choice.refusal} == {"cadical195", "cpsat", "glucose4"}
    assert not [choice for choice in select("glucose4,cpsat/chased,glucose4/*", board) if choice.refusal]
