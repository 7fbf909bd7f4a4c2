"""The plan of a campaign: its runs, their keys, and their order."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from crosslit_bench.plan import campaign as planning
from crosslit_bench.plan.campaign import CampaignSpec, Instance, PlannedRun, plan, share

from crosslit import SpecError, registry
from crosslit.contract.run import Limits
from crosslit.formats import from_line
from crosslit.registry.specs import OWN, define

BOARD, OTHER, CLUES = (
    Instance(puzzle=from_line(text), family="some", size=2.0) for text in ("10/01", "11/11", "1,1|1,1")
)
LIMITS = Limits(2, 5.0, 1024)


def campaign(groups: Mapping[str, tuple[str, ...]] | str, **changed: Any) -> CampaignSpec:
    contestants = {"": tuple(groups.split(","))} if isinstance(groups, str) else groups
    return dataclasses.replace(
        CampaignSpec(name="c", title="C", about="", asked="unique", limits=LIMITS, contestants=contestants, sources=()),
        **changed,
    )


def keys(runs: list[PlannedRun]) -> set[str]:
    assert len({run.key for run in runs}) == len(runs)
    return {run.key for run in runs}


def test_every_backend_runs_on_every_puzzle_as_often_as_asked() -> None:
    runs = plan(campaign("gauss,brute", repetitions=3), [BOARD, OTHER])
    expected = {(text, spec, n) for text in ("10/01", "11/11") for spec in ("gauss", "brute") for n in range(3)}
    assert {(run.puzzle.text, run.spec, run.repetition) for run in runs} == expected
    assert len(keys(runs)) == 12
    assert [run.place for run in runs] == list(range(12))


def test_seeds_are_for_those_who_take_one_and_have_none() -> None:
    runs = plan(campaign("gauss,cpsat/xor,cpsat/xor:seed=9", seeds=(1, 2)), [BOARD])
    assert {(run.spec, run.contestant, run.seed) for run in runs} == {
        ("gauss", "gauss", None),
        ("cpsat/xor:seed=1", "cpsat/xor", 1),
        ("cpsat/xor:seed=2", "cpsat/xor", 2),
        ("cpsat/xor:seed=9", "cpsat/xor:seed=9", None),
    }
    assert len(keys(runs)) == 4


@pytest.mark.parametrize(
    "changed",
    [
        {"asked": "fewest", "contestants": {"": ("fewest",)}},
        {"limits": Limits(1, 5.0, 1024)},
        {"limits": Limits(2, 6.0, 1024)},
        {"limits": Limits(2, 5.0, 2048)},
        {"contestants": {"": ("cpsat/xor",)}},
        {"contestants": {"": ("cpsat/chased:seed=4",)}},
        {"contestants": {"": ("cpsat/chased:workers=2",)}},
        {"contestants": {"": ("gauss",)}},
    ],
    ids=str,
)
def test_a_key_changes_with_all_that_could_change_a_result(changed: dict[str, Any]) -> None:
    before = keys(plan(campaign("cpsat/chased,fewest"), [BOARD]))
    assert not before & keys(plan(dataclasses.replace(campaign("cpsat/chased"), **changed), [BOARD]))


def test_a_key_changes_with_the_puzzle_and_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    before = keys(plan(campaign("gauss"), [BOARD]))
    assert before != keys(plan(campaign("gauss"), [OTHER]))
    monkeypatch.setattr(planning, "__version__", "999")
    assert before != keys(plan(campaign("gauss"), [BOARD]))


def test_a_key_stays_whatever_the_words_and_the_order() -> None:
    before = keys(plan(campaign("gauss,cpsat/chased"), [BOARD, OTHER]))
    renamed = [dataclasses.replace(OTHER, family="others", size=9.0, facts={"a": 1}), BOARD]
    renamed[1] = dataclasses.replace(BOARD, puzzle=dataclasses.replace(BOARD.puzzle, name="called so"))
    grouped = {"a": ("cpsat/*:seed=3", "cpsat/chased"), "b": ("gauss",)}
    after = plan(campaign(grouped, name="d", title="D", about="x", seed=5, folder=Path("/x"), text="y"), renamed)
    assert before <= keys(after)


def test_a_wildcard_and_an_exact_spec_of_one_backend_are_one_run() -> None:
    alone = keys(plan(campaign("cadical195/full-cut*"), [BOARD]))
    assert len(alone) == 1
    assert keys(plan(campaign("cadical195/full-cut*,cadical195/full-cut4,cadical19?/full-cut4"), [BOARD])) == alone


def test_a_default_encoding_and_its_name_are_one_run() -> None:
    (default,) = plan(campaign("cadical195"), [CLUES])
    assert default.contestant == "cadical195/order"
    assert {run.key for run in plan(campaign("cadical195,cadical195/order"), [CLUES])} == {default.key}


def test_a_contestant_of_two_groups_is_of_the_first() -> None:
    runs = plan(campaign({"a": ("gauss",), "b": ("gauss", "brute")}), [BOARD, OTHER])
    assert {(run.contestant, run.group) for run in runs} == {("gauss", "a"), ("brute", "b")}
    assert len(runs) == 4


def test_a_contestant_is_of_one_group_even_where_a_wildcard_left_it_out() -> None:
    runs = plan(campaign({"a": ("native",), "b": ("gauss",)}), [BOARD, CLUES])
    assert {run.group for run in runs if run.contestant == "gauss"} == {"a"}
    assert {run.puzzle.kind for run in runs if run.contestant == "gauss"} == {"lights-out", "nonogram"}


def test_exact_specs_that_do_not_suit_stay_apart_and_say_why() -> None:
    specs = ("cadical195/order", "cadical195/direct", "line")
    runs = plan(campaign(",".join(specs)), [BOARD])
    assert {run.spec for run in runs} == set(specs)
    assert len(keys(runs)) == 3
    for run in runs:
        assert planning.chosen(run.spec, run.puzzle, "solutions").refusal


@pytest.mark.parametrize(
    ("specs", "told"),
    [("no-such", "there is no"), ("brute:x=1", "unknown option"), ("extreme-alignment", "supports any")],
)
def test_what_means_nothing_is_refused(specs: str, told: str) -> None:
    with pytest.raises(SpecError, match=told):
        plan(campaign(specs), [BOARD])


def test_only_the_seed_shuffles() -> None:
    puzzles = [Instance(puzzle=from_line(f"{number:08b}"), family="some", size=8.0) for number in range(1, 40)]
    orders = [[run.key for run in plan(campaign("gauss,brute", seed=seed), puzzles)] for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    assert set(orders[0]) == set(orders[2])
    specs = "".join(run.spec[0] for run in plan(campaign("gauss,brute", seed=1), puzzles))
    assert "g" * 30 not in specs  # no contestant has a time limit of its own
    assert specs not in ("gb" * 39, "bg" * 39)


@pytest.mark.parametrize("of", [1, 2, 3, 7])
def test_shares_are_disjoint_and_complete(of: int) -> None:
    puzzles = [Instance(puzzle=from_line(f"{number:08b}"), family="some", size=8.0) for number in range(1, 60)]
    runs = plan(campaign("gauss,brute"), puzzles)
    shares = [share(runs, number, of) for number in range(1, of + 1)]
    assert sorted(run.place for part in shares for run in part) == list(range(len(runs)))
    assert all(part for part in shares)
    where = {run.puzzle.id: number for number, part in enumerate(shares) for run in part}
    assert all(where[run.puzzle.id] == number for number, part in enumerate(shares) for run in part)
    other = plan(campaign("brute,gauss", seed=8), puzzles[::-1])
    assert {run.key for run in share(other, 1, of)} == {run.key for run in shares[0]}


@pytest.fixture
def mine() -> Iterator[str]:
    define("mine", "true {cnf}", "test", groups=OWN)
    yield "mine"
    registry.forget("mine")


def test_a_key_changes_with_the_command_of_a_solver(mine: str) -> None:
    before = keys(plan(campaign(mine), [BOARD]))
    define(mine, "true --better {cnf}", "test", groups=OWN)
    assert before != keys(plan(campaign(mine), [BOARD]))


def test_all_means_the_campaigns_own_solvers_too(mine: str) -> None:
    assert mine in {run.spec for run in plan(campaign("all"), [BOARD])}
