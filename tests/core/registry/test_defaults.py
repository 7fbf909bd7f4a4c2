"""The table of defaults: the backends that answer and check if none is named."""

from __future__ import annotations

import pytest

from crosslit import load, registry
from crosslit.contract import all_questions
from crosslit.errors import SpecError
from crosslit.kinds.lights_out import defaults as lights_out
from crosslit.kinds.nonogram import defaults as nonogram
from crosslit.registry.defaults import default, independent_backend, independent_of, least_like

CHASED, KING, SMALL_NONOGRAM = "10/01", "press=king/10000/01000/00100", "1,1|1,1"
LARGE_NONOGRAM = "1,1,1,1|1,1,1,1"
PURPOSES = ("solutions", "list", "fewest", "count", "backbone", "reveal", "mus", "verify")


def test_who_answers() -> None:
    table = {text: [default(load(text), purpose) for purpose in PURPOSES] for text in (CHASED, KING, SMALL_NONOGRAM)}
    polynomial, gauss = ["polynomial"] * 2, ["gauss"] * 2
    assert table == {
        CHASED: [*polynomial, "fewest", *polynomial, "polynomial", "fewest", "gauss"],
        KING: [*gauss, "fewest", *gauss, "gauss", "fewest", "gauss"],
        SMALL_NONOGRAM: [
            *("hybrid", "hybrid:engine=cadical195", "fewest", "frontier"),
            *("glucose4", "glucose4", "glucose4", "line"),
        ],
    }


@pytest.mark.parametrize(
    ("text", "purpose", "checks"),
    [
        (CHASED, "solutions", ["gauss", "glucose4/full-cut4", "cpsat"]),
        (CHASED, "count", ["brute", "gauss"]),
        (KING, "count", []),
        (CHASED, "recount", ["gauss", "glucose4/full-cut4"]),
        (SMALL_NONOGRAM, "count", ["brute"]),
        (LARGE_NONOGRAM, "count", []),
        (SMALL_NONOGRAM, "verify", ["minisat22/order", "alignment"]),
        (CHASED, "verify", ["minisat22/chased-cut4", "polynomial"]),
        (KING, "verify", ["minisat22/full-cut4"]),
    ],
)
def test_who_checks(text: str, purpose: str, checks: list[str]) -> None:
    puzzle = load(text)
    question = "count" if purpose == "count" else "solutions"
    first = registry.select_one(default(puzzle, purpose), puzzle, question)
    found = list(independent_of(first, puzzle, purpose))
    assert [choice.spec for choice in found if choice.backend.name != "ganak"][: len(checks) or 1] == checks
    assert all(choice.trusted_base.isdisjoint(first.trusted_base) for choice in found)


def test_every_entry_names_backends_that_exist() -> None:
    puzzles = {puzzle.kind: puzzle for puzzle in map(load, (CHASED, SMALL_NONOGRAM))}
    for kind, table in (("lights-out", lights_out.TABLE), ("nonogram", nonogram.TABLE)):
        for purpose, row in table.items():
            question = purpose if purpose in all_questions() else "solutions"
            assert registry.select([*row.answers, *row.checks], puzzles[kind], question)


def test_a_sat_solver_with_another_encoding_checks_a_sat_solver() -> None:
    nonogram = load(SMALL_NONOGRAM)
    first = registry.select_one("glucose4", nonogram, "reveal")
    assert next(independent_of(first, nonogram, "reveal"), None) is None
    second = least_like(first, nonogram, "reveal")
    assert second is not None
    assert second.spec == "cadical195/automaton"


def test_nothing_is_independent_of_a_backend_that_trusts_all(monkeypatch: pytest.MonkeyPatch) -> None:
    board = load(CHASED)
    monkeypatch.setitem(lights_out.TABLE, "list", lights_out.TABLE["fewest"])
    with pytest.raises(SpecError, match="no backend of another family than gauss"):
        independent_backend(registry.select_one("gauss", board), board)
