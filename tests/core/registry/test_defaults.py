"""The table of defaults: the backends that answer and check if none is named."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import pytest
from crosslit_verify.contract_checks.specimens import samples

from crosslit import load, registry
from crosslit.base.errors import SpecError
from crosslit.contract import QUESTIONS, UNKNOWN
from crosslit.kinds import all_kinds
from crosslit.kinds.lights_out import view as lights_out
from crosslit.kinds.nonogram import view as nonogram
from crosslit.registry.defaults import checkers, default, independent_of, least_like

CHASED, KING, SMALL_NONOGRAM = "10/01", "press=king/10000/01000/00100", "1,1|1,1"
LARGE_NONOGRAM = "1,1,1,1|1,1,1,1"
PURPOSES = ("solutions", "list", "count", "mus", "verify")


def test_who_answers() -> None:
    table = {text: [default(load(text), purpose) for purpose in PURPOSES] for text in (CHASED, KING, SMALL_NONOGRAM)}
    assert table == {
        CHASED: ["polynomial", "polynomial", "polynomial", "fewest", "gauss"],
        KING: ["gauss", "gauss", "gauss", "fewest", "gauss"],
        SMALL_NONOGRAM: ["hybrid", "hybrid:engine=cadical195", "frontier", "glucose4", "line"],
    }
    assert {default(load(text), "fewest") for text in (CHASED, KING)} == {"fewest"}


@pytest.mark.parametrize(
    ("text", "purpose", "checks"),
    [
        (CHASED, "solutions", ["gauss", "glucose4/full-cut4"]),
        (CHASED, "count", ["brute", "gauss"]),
        (KING, "count", ["modular-chase"]),
        (KING, "solutions", ["modular-chase", "glucose4", "cpsat"]),
        ("0000/0000/0000", "count", ["brute", "gauss"]),  # twelve cells, the most for brute force
        ("0000000000000", "count", ["gauss"]),
        (SMALL_NONOGRAM, "count", ["brute"]),
        (LARGE_NONOGRAM, "count", []),
        (SMALL_NONOGRAM, "verify", ["minisat22/order", "alignment"]),
        (CHASED, "verify", ["minisat22/full-cut4", "polynomial"]),
        (KING, "verify", ["minisat22/full-cut4", "modular-chase"]),
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
    for kind, table in (("lights-out", lights_out._TABLE), ("nonogram", nonogram.TABLE)):
        for purpose, row in table.items():
            question = purpose if purpose in QUESTIONS else "solutions"
            assert registry.select([*row.answers, *row.checks], puzzles[kind], question)


def test_a_sat_solver_with_another_encoding_checks_a_sat_solver() -> None:
    nonogram = load(SMALL_NONOGRAM)
    first = registry.select_one("glucose4", nonogram, "mus")
    assert next(independent_of(first, nonogram, "mus"), None) is None
    second = least_like(first, nonogram, "mus")
    assert second is not None
    assert second.spec == "cadical195/automaton"


@pytest.mark.parametrize(
    ("checks", "expected"),
    [
        (("glucose4", "glucose4/direct"), None),  # the same engine, with another encoding too
        (("glucose4/direct", "glucose42/order"), "glucose42/order"),
        (("glucose42/order", "glucose42/direct"), "glucose42/direct"),  # it shares less than the first
        ((), None),
    ],
)
def test_the_backend_that_is_least_like_another_is_never_the_same_engine(
    monkeypatch: pytest.MonkeyPatch, checks: tuple[str, ...], expected: str | None
) -> None:
    puzzle = load(SMALL_NONOGRAM)
    monkeypatch.setitem(nonogram.TABLE, "mus", replace(nonogram.TABLE["mus"], checks=checks))
    found = least_like(registry.select_one("glucose4/order", puzzle, "mus"), puzzle, "mus")
    assert (found and found.spec) == expected


def test_a_backend_that_nothing_can_check_is_refused_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    board = load(CHASED)
    gauss = registry.select_one("gauss", board)
    for purpose in ("list", "count"):
        assert checkers(gauss, board)  # by the other of them
        monkeypatch.setitem(lights_out._TABLE, purpose, lights_out._TABLE["fewest"])
    with pytest.raises(SpecError, match="no backend can check gauss: each that suits this puzzle shares code with it"):
        checkers(gauss, board)
    monkeypatch.setattr(type(gauss.backend), "trusted_base", frozenset({UNKNOWN}))
    with pytest.raises(SpecError, match="no backend can check gauss: the method of a program is unknown"):
        checkers(registry.select_one("gauss", board), board)


@pytest.mark.parametrize("kind", list(all_kinds()))
def test_a_named_check_is_taken_exactly_if_it_is_independent(kind: str) -> None:
    puzzle = samples(kind)[0].puzzle
    choices = [choice for choice in registry.select("native,default", puzzle) if choice.refusal is None]
    pairs = 0
    for first, other in itertools.permutations(choices, 2):
        shared = first.trusted_base & other.trusted_base
        if not shared:
            (checker,) = checkers(first, puzzle, other.spec)("list")
            assert checker.spec == other.spec
            pairs += 1
            continue
        words = f"it cannot check {first.spec}: both rest on {', '.join(sorted(shared))}"
        with pytest.raises(SpecError, match=re.escape(words)):
            checkers(first, puzzle, other.spec)
    assert pairs
    with pytest.raises(SpecError, match="both rest on"):
        checkers(choices[0], puzzle, choices[0].spec)
