"""The table of defaults: the backends that answer and check if none is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from crosslit_backends.lights_out import gauss

from crosslit import load, registry
from crosslit.base.errors import SpecError
from crosslit.contract import UNKNOWN, why_dependent
from crosslit.registry.defaults import checks, checks_of, default, least_like, row, turns
from crosslit.registry.table import LIGHTS_OUT, MODULAR, NONOGRAM, Row
from tests.stored import check

CHASED, KING, SMALL_NONOGRAM = "10/01", "press=king/10000/01000/00100", "1,1|1,1"
LARGE_NONOGRAM = "1,1,1,1|1,1,1,1"
PURPOSES = ("solutions", "list", "count", "mus", "verify")


def test_who_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    table = {text: [default(load(text), purpose) for purpose in PURPOSES] for text in (CHASED, KING, SMALL_NONOGRAM)}
    assert table == {
        CHASED: ["polynomial", "polynomial", "polynomial", "fewest", "gauss"],
        KING: ["gauss", "gauss", "gauss", "fewest", "gauss"],
        SMALL_NONOGRAM: ["hybrid", "line", "line", "glucose4", "line"],
    }
    assert {default(load(text), "fewest") for text in (CHASED, KING)} == {"fewest"}
    monkeypatch.setattr(gauss, "MAX_WORK", 1)
    assert default(load(KING)) == "gauss"  # which says why it cannot


@pytest.mark.parametrize(
    ("rules", "rows", "columns", "purpose", "first"),
    [
        ("3", 20, 20, "list", "howell"),
        ("3", 2, 201, "list", "modular-chase"),
        ("3", 1, 2500, "fewest", "howell"),
        ("3", 1, 2501, "fewest", "cpsat"),
        ("4/press=000,020,000", 2, 11, "fewest", "howell"),  # 2^22 solutions
        ("4/press=000,020,000", 1, 23, "fewest", "cpsat"),
    ],
)
def test_who_answers_about_boards_modulo_k(rules: str, rows: int, columns: int, purpose: str, first: str) -> None:
    board = load(f"modular-lights-out:{rules}/" + "/".join(["0" * columns] * rows))
    assert row(board, purpose).answers[0] == first


@pytest.mark.parametrize(
    ("text", "purpose", "expected"),
    [
        (CHASED, "list", ["gauss"]),
        (CHASED, "count", ["gauss"]),
        (KING, "count", ["modular-chase"]),
        (KING, "list", ["modular-chase", "glucose4", "cpsat"]),
        (SMALL_NONOGRAM, "list", ["alignment", "cadical195"]),
        (SMALL_NONOGRAM, "count", ["alignment", "cadical195", "frontier:states=100000"]),
        (LARGE_NONOGRAM, "count", ["alignment", "cadical195", "frontier:states=100000"]),
        (SMALL_NONOGRAM, "verify", ["alignment", "minisat22/order"]),
        (CHASED, "verify", ["polynomial", "minisat22/full-cut4"]),
        (KING, "verify", ["modular-chase", "minisat22/full-cut4"]),
    ],
)
def test_who_checks(text: str, purpose: str, expected: list[str]) -> None:
    puzzle = load(text)
    first = registry.select_one(default(puzzle, purpose), puzzle)
    others = (choice for choice, _ in checks(puzzle, purpose) if choice.backend.name != "ganak")
    found = [choice.spec for choice in others if not why_dependent(choice.trusted_base, first.trusted_base)]
    assert found[: len(expected) or 1] == expected


SIZES = [(1, 1), (5, 5), (2, 13), (7, 7), (5, 10), (12, 12), (5, 29), (48, 60), (49, 49), (50, 50), (3, 834)]


@pytest.mark.parametrize("rules", ["", "press=king/"])
def test_the_defaults_change_with_the_size_as_stored(rules: str) -> None:
    boards = [load(rules + "/".join(["0" * columns] * rows)) for rows, columns in SIZES]
    lines = [f"{b.rows} x {b.columns}: {row(b, purpose)}" for purpose in ("default", "verify") for b in boards]
    check(Path(__file__).with_name("defaults.txt"), f"defaults of {rules}", "\n".join(lines))


@pytest.mark.parametrize(
    ("table", "text"), [(LIGHTS_OUT, CHASED), (MODULAR, "modular-lights-out:3/12/00"), (NONOGRAM, SMALL_NONOGRAM)]
)
def test_every_entry_names_a_backend_that_exists_and_supports_the_kind(table: dict[str, Row], text: str) -> None:
    puzzle = load(text)
    for purpose, found in table.items():
        for each in (*found.answers, *found.checks):
            if each.partition(" ")[0] not in ("ganak", "polynomial"):  # one is not always installed, one needs a chase
                assert list(turns([each], puzzle, purpose)), (purpose, each)


def test_a_turn_has_a_backend_and_seconds_of_processor_time() -> None:
    found = turns(["gauss 0.5", "frontier", "gauss 2", "gauss 2", "polynomial"], load(CHASED), "count")
    assert [(choice.spec, seconds) for choice, seconds in found] == [("gauss", 0.5), ("gauss", 2), ("polynomial", None)]
    assert [len([*turns(["brute"], load("0" * cells), "count")]) for cells in (12, 13)] == [1, 0]


def test_a_sat_solver_with_another_encoding_checks_a_sat_solver() -> None:
    nonogram = load(SMALL_NONOGRAM)
    first = registry.select_one("glucose4", nonogram, "mus")
    assert all(why_dependent(first.trusted_base, other.trusted_base) for other, _ in checks(nonogram, "mus"))
    second = least_like(first, nonogram, "mus")
    assert second is not None
    assert second.spec == "cadical195/automaton"


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        (("glucose4", "glucose4/direct"), None),  # the same engine, with another encoding too
        (("glucose4/direct", "glucose42/order"), "glucose42/order"),
        (("glucose42/order", "glucose42/direct"), "glucose42/direct"),  # it shares less than the first
        ((), None),
    ],
)
def test_the_backend_that_is_least_like_another_is_never_the_same_engine(
    monkeypatch: pytest.MonkeyPatch, others: tuple[str, ...], expected: str | None
) -> None:
    puzzle = load(SMALL_NONOGRAM)
    monkeypatch.setitem(NONOGRAM, "mus", replace(NONOGRAM["mus"], checks=others))
    found = least_like(registry.select_one("glucose4/order", puzzle, "mus"), puzzle, "mus")
    assert (found and found.spec) == expected


def test_a_backend_that_nothing_can_check_is_refused_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    board = load(CHASED)
    gauss = registry.select_one("gauss", board)
    for purpose in ("list", "count"):
        assert checks_of(gauss, board)  # by the other of them
        monkeypatch.setitem(LIGHTS_OUT, purpose, LIGHTS_OUT["fewest"])
    with pytest.raises(SpecError, match="no backend can check gauss: each that suits this puzzle shares code with it"):
        checks_of(gauss, board)
    monkeypatch.setattr(type(gauss.backend), "trusted_base", frozenset({UNKNOWN}))
    with pytest.raises(SpecError, match="no backend can check gauss: the method of a backend is unknown"):
        checks_of(registry.select_one("gauss", board), board)
