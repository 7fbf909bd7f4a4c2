"""The contract of every registered backend; registering a new one adds it here."""

from __future__ import annotations

import random
from contextlib import suppress
from itertools import islice
from typing import Any

import pytest
from crosslit_verify.contract_checks import CHECKS, Size, check, configurations

from crosslit import Grid, LightsOut, Nonogram, load, registry
from crosslit.base.errors import GaveUp, SpecError
from crosslit.contract import SOLUTIONS, Task
from crosslit.contract.family import random_grid
from crosslit.formats import read
from crosslit.kinds import Puzzle
from crosslit.kinds.lights_out.families import planted, random_board, random_lights
from crosslit.kinds.nonogram.families import random_picture
from crosslit.registry import all_backends, kinds, select_one
from crosslit.runs.drive import drive
from tests.contract.configurations import every_configuration
from tests.contract.executor import execute, lacks
from tests.solvers.nonogram.puzzles import KERNEL


def sizes(spec: str) -> tuple[Size, ...]:
    """Return how many puzzles to try a backend on, in one test each; see `is_slow` for those left out by default.

    A wrong encoding shows with any engine, and a wrong engine with few formulas: one engine for each target is tested
    at length with every encoding, the others briefly. Brute force is slow.
    """
    name = spec.partition("/")[0]
    if name in ("cryptominisat", "cpsat", "glucose4", "rc2"):
        return "quick", "usual"
    return ("quick" if all_backends()[name].targets or name == "brute" else "full",)


WITH_EVERY_KIND = {"cadical195", "choco", "clingo", "cpsat", "glucose4"}  # of the engines


def is_slow(spec: str, kind: str, size: Size) -> bool:
    """Return whether a test is left out by default: other engines show their mistakes on the first two kinds."""
    name = spec.partition("/")[0]
    is_native = not all_backends()[name].targets and name != "brute"
    is_tested = name in WITH_EVERY_KIND or kind in ("lights-out", "nonogram") or is_native
    return size == "usual" or not is_tested or spec == "cpsat/quotient"


CASES = [
    pytest.param(spec, kind, size, marks=[pytest.mark.slow] if is_slow(spec, kind, size) else [])
    for spec, kind in every_configuration()
    for size in sizes(spec)
]


@pytest.mark.parametrize(("spec", "kind", "size"), CASES)
def test_it_keeps_the_contract(spec: str, kind: str, size: Size) -> None:
    (configuration,) = configurations(spec, [kind])
    questions = {name: question for name, _, question in CHECKS}
    for result in check(configuration, execute, size):
        question = questions[result.check]
        encoding = configuration.choice.encoding
        may_skip = question is not None and (question not in configuration.questions or lacks(encoding, question))
        assert result.status == "passed" or (result.status == "skipped" and may_skip), result


def test_who_refuses_rules() -> None:
    """Two light chasers refuse all rules but the usual ones; all other backends accept them."""
    refusing = {"first-row", "polynomial"}
    for rules in ("press=king", "press=010,010,000", "wrap=torus", "wrap=horizontal", "_00"):
        board = read(f"{rules}/111/111" if "=" in rules else f"{rules}/111")
        for name, backend in all_backends().items():
            if board.kind in kinds(backend) and backend.answers("solutions"):
                assert bool(backend.unsupported_reason(board, {})) == (name in refusing), (name, rules)


@pytest.mark.parametrize("spec", ["cpsat/chased", "rc2/chased-cut4"])
def test_the_fewest_presses_need_a_variable_for_each(spec: str) -> None:
    board = LightsOut(Grid.from_text("10/01"))
    choice = select_one(spec, board, "fewest")
    with pytest.raises(GaveUp, match="lacks variables for some presses"):
        list(drive(choice.backend, board, Task("fewest", None, choice.encoding)))


SIZES = (63, 64, 65, 127, 128, 129)
MANY = 64
"""Solutions from which on a list is cut, so that two lists need not be equal."""


def puzzles(size: int) -> list[Puzzle]:
    """Puzzles with a solution: with nearly empty and with full lines, wide and high."""
    rng = random.Random(size)
    made: list[Puzzle] = []
    for rows, columns in ((1, size), (size, 1), (2, size), (size, 3)):
        made += [Nonogram.of(random_grid(rng, rows, columns, density)) for density in (0.02, 0.9)]
        made += [random_picture(rng, rows, columns, 2, density) for density in (0.02, 0.9)]
        made += [random_board(rng, rows, columns, solvable=True)]
        made += [planted(rng, random_lights(rng, rows, columns, states)) for states in (2, 6)]
    return made


@pytest.mark.parametrize("size", [*SIZES[:3], *(pytest.param(size, marks=pytest.mark.slow) for size in SIZES[3:])])
def test_all_native_backends_list_the_same_solutions(size: int) -> None:
    for puzzle in puzzles(size):
        lists = {}
        for choice in registry.select(["native"], puzzle, SOLUTIONS.name):
            if choice.refusal is None:
                task = Task(encoding=choice.encoding, options=choice.options)
                try:
                    grids = [*islice(choice.backend.solutions(puzzle, task), MANY + 1)]
                except GaveUp:
                    continue
                assert not any(next(iter(puzzle.violations(grid)), None) for grid in grids), (choice.spec, puzzle.text)
                lists[choice.spec] = sorted(grid.text for grid in grids)
        counts = {len(texts) for texts in lists.values()}
        assert len(counts) == 1, (puzzle.text, counts)
        for texts in lists.values():
            assert 0 < len(texts) == len(set(texts))
            assert texts == next(iter(lists.values())) or len(texts) > MANY


LIMITS = [
    ("brute.MAX_CELLS", "brute", "00/00", "solutions", 4),
    ("lights_out.first_row.MAX_COLUMNS", "first-row", "0000", "solutions", 4),
    ("lights_out.gauss.MAX_WORK", "gauss", "matrix=110,011/111", "solutions", 6),
    ("lights_out.fewest.MAX_WORK", "fewest", "wrap=torus/00/00", "fewest", 200),
    ("lights_out.howell.MAX_CELLS", "howell", "modular-lights-out:3/00/00", "solutions", 4),
    ("lights_out.howell.MAX_TRIED", "howell", "modular-lights-out:3/102/210", "fewest", 3),
    ("lights_out.modular_chase.MAX_CELLS", "modular-chase", "press=king/00/00", "solutions", 4),
    ("lights_out.certificate.MAX_CELLS", "polynomial", "00/00", "certify", 4),
    ("lights_out.certificate.MAX_FREE", "polynomial", "00/00", "certify", 8),
    ("lights_out.certificate.MAX_FREE", "gauss", "000/000/000", "certify", 27),
    ("sat.pysat.MAX_SOLUTIONS", "glucose4", "1,1|1,1", "certify", 2),
    pytest.param("compiled.MAX_CELLS", "line:kernel=yes", "1,1|1,1", "solutions", 4, marks=KERNEL),
]


@pytest.mark.parametrize(("bound", "spec", "text", "method", "least"), LIMITS)
def test_a_bound_is_the_last_that_is_accepted(
    bound: str, spec: str, text: str, method: str, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle, accepted = load(text), []
    for value in range(least - 2, least + 2):
        monkeypatch.setattr(f"crosslit_backends.{bound}", value)
        with suppress(SpecError, GaveUp):
            choice: Any = select_one(spec, puzzle, "fewest" if method == "fewest" else "solutions")
            task = Task(encoding=choice.encoding, options=choice.options)
            if method == "certify":
                choice.backend.certify(puzzle, task, [*choice.backend.solutions(puzzle, task)])
            else:
                list(getattr(choice.backend, method)(puzzle, task))
            accepted.append(value)
    assert accepted == [least, least + 1]
