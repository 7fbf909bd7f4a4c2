"""Specs, groups and wildcards: what they mean, and what they refuse."""

from __future__ import annotations

import tomllib

import pytest

from crosslit import Grid, LightsOut, load
from crosslit.errors import SpecError, Unavailable
from crosslit.registry import BACKENDS, ENCODERS, all_backends, all_encodings, select, select_one
from tests.conftest import ROOT

BOARD = load("10/01")
NONOGRAM = load("1,1|1,1")


def specs(text: str, puzzle: object = BOARD) -> list[str]:
    return [choice.spec for choice in select(text, puzzle)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gauss", ["gauss"]),
        ("gauss,first-row,gauss", ["gauss", "first-row"]),
        ("native", ["chase", "first-row", "gauss", "polynomial"]),
        ("default", ["chase", "first-row", "gauss", "polynomial", "cadical195", "cpsat", "glucose4"]),
        ("cpsat", ["cpsat"]),
        ("glucose4,glucose4/direct", ["glucose4"]),
        ("glucose4/direct", ["glucose4/direct"]),
        ("glucose4,glucose4/order", ["glucose4", "glucose4/order"]),
        ("glucose?", ["glucose3", "glucose4"]),
        ("cpsat/xor:workers=2:seed=3", ["cpsat/xor:seed=3:workers=2"]),
        ("cpsat:workers=2,cpsat:workers=1", ["cpsat:workers=2", "cpsat:workers=1"]),
        ("cadical1*/d*", ["cadical103/direct", "cadical153/direct", "cadical195/direct"]),
        ("native:force=1", ["chase:force=1", "first-row:force=1", "gauss:force=1"]),
        (" gauss , first-row ", ["gauss", "first-row"]),
    ],
)
def test_what_a_spec_means(text: str, expected: list[str]) -> None:
    assert specs(text) == expected


def test_all_is_everything_that_suits() -> None:
    assert set(specs("all")) == {name for name, b in all_backends().items() if "lights-out" in b.kinds}
    assert len(specs("sat")) == 20
    assert "brute" not in specs("all", load("/".join(["0" * 5] * 5)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a spec is written ENGINE"),
        ("gauss,", "a spec is written ENGINE"),
        ("gaus", "there is no 'gaus'; did you mean gauss?"),
        ("zzz", "there is no 'zzz'; `crosslit backends` lists them"),
        ("zzz*", "there is no 'zzz*'"),
        ("glucose4/nope", "no encoding 'nope'; glucose4 takes direct, order"),
        ("gauss/direct", "takes no encoding"),
        ("cpsat/direct", "no encoding 'direct'; cpsat takes automaton, xor"),
        ("glucose4/", "a spec is written ENGINE"),
        ("cpsat:workers", "an option is written KEY=VALUE"),
        ("cpsat:workers=", "an option is written KEY=VALUE"),
        ("cpsat:workers=1:workers=2", "once each"),
        ("cpsat:workers=x", "expected a whole number from 1 to 256"),
        ("cpsat:workers=0", "expected a whole number from 1 to 256"),
        ("cpsat:speed=1", "unknown option; cpsat has presolve, seed, workers"),
        ("sat:workers=1", "unknown option; sat has none"),
    ],
)
def test_what_a_spec_must_not_be(text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        select(text, BOARD)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_exact_spec_that_does_not_suit_is_kept_with_the_reason() -> None:
    wide = LightsOut(Grid.from_bits(2, 30, 0))
    refused = {choice.spec: choice.refusal for choice in select("first-row,alignment,glucose4/order,gauss", wide)}
    assert refused == {
        "first-row": "2^30 first rows: more than 24 columns need the option force=1",
        "alignment": "does not solve lights-out puzzles",
        "glucose4/order": "no encoding of lights-out puzzles: order is for nonogram",
        "gauss": None,
    }
    assert select("first-row:force=1", wide)[0].refusal is None
    assert specs("native", wide) == ["chase", "gauss", "polynomial"]


def test_a_backend_whose_engine_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> str:
        raise Unavailable("ortools is not installed: pip install ortools")

    monkeypatch.setattr(all_backends()["cpsat"], "version", missing, raising=False)
    (choice,) = select("cpsat", BOARD)
    assert choice.refusal == "ortools is not installed: pip install ortools"
    assert choice.version == ""
    assert "cpsat" not in specs("default")
    with pytest.raises(SpecError, match="pip install ortools"):
        select_one("cpsat", BOARD)


def test_one_backend_where_one_is_due() -> None:
    with pytest.raises(SpecError, match="it means 4 backends"):
        select_one("native", BOARD)
    with pytest.raises(SpecError, match="it means 0 backends"):
        select_one("brute*", load("/".join(["0" * 5] * 5)))


def test_repetitions_of_a_backend_without_lineage_do_not_vouch_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(all_backends()["gauss"]), "trusts", frozenset())
    assert select_one("gauss", BOARD).trusts == {"gauss"}


def test_what_is_installed_is_what_the_project_registers() -> None:
    """An editable install keeps the entry points it was made with: this tells when it is to be made again."""
    from importlib.metadata import entry_points

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    for group in (BACKENDS, ENCODERS):
        installed = {p.name: p.value for p in entry_points(group=group) if p.dist and p.dist.name == "crosslit"}
        assert installed == project[group]


def test_every_backend_with_an_engine_has_an_encoding_for_each_of_its_kinds() -> None:
    for backend in all_backends().values():
        for kind in backend.kinds if backend.accepts else ():
            assert any(e.kind == kind and e.target in backend.accepts and e.default for e in all_encodings().values())


def test_nonograms_have_their_own_default() -> None:
    assert specs("default", NONOGRAM) == ["alignment", "cadical195", "cpsat", "glucose4"]
