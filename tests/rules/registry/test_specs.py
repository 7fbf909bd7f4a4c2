"""Specs, groups and wildcards: their meaning, and invalid ones."""

from __future__ import annotations

import itertools
import pickle
from contextlib import nullcontext
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crosslit import Grid, LightsOut, load
from crosslit import registry as specs_module
from crosslit.base.errors import InputError, SpecError, Unavailable
from crosslit.contract import QUESTIONS, Backend, registered, why_dependent
from crosslit.formats import FORMATS
from crosslit.kinds import all_kinds, find_kind
from crosslit.registry import LISTED, OWN, all_backends, all_encodings, define, kinds, select, select_one

BOARD = load("10/01")
NONOGRAM = load("1,1|1,1")
NATIVE = ["first-row", "gauss", "modular-chase", "polynomial"]
FULL = "glucose4/full-cut4"  # the defaults of small boards have it next to the chased encoding


def specs(text: str, puzzle: object = BOARD) -> list[str]:
    return [choice.spec for choice in select(text, puzzle)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gauss", ["gauss"]),
        ("gauss,first-row,gauss", ["gauss", "first-row"]),
        ("native", NATIVE),
        ("default", [*NATIVE, "cadical195", "cpsat", "glucose4", FULL]),
        ("cpsat", ["cpsat"]),
        ("glucose4,glucose4/chased-shared", ["glucose4"]),
        ("glucose4/full-direct", ["glucose4/full-direct"]),
        ("glucose4,glucose4/order", ["glucose4", "glucose4/order"]),
        ("glucose?", ["glucose3", "glucose4"]),
        ("cpsat/xor:workers=2:seed=3", ["cpsat/xor:seed=3:workers=2"]),
        ("cpsat:workers=2,cpsat:workers=1", ["cpsat:workers=2", "cpsat:workers=1"]),
        ("cadical1*/full-d*", ["cadical103/full-direct", "cadical153/full-direct", "cadical195/full-direct"]),
        ("default:seed=1", ["cpsat:seed=1"]),
        (" gauss , first-row ", ["gauss", "first-row"]),
    ],
)
def test_what_a_spec_means(text: str, expected: list[str]) -> None:
    assert specs(text) == expected


def test_a_method_is_found_by_its_whole_name() -> None:
    assert select_one("extreme-alignment", NONOGRAM).spec == "alignment"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a spec is written ENGINE"),
        ("gauss,", "a spec is written ENGINE"),
        ("gaus", "there is no 'gaus'; did you mean gauss?"),
        ("zzz", "there is no 'zzz'; `crosslit backends` lists them"),
        ("zzz*", "there is no 'zzz*'"),
        ("glucose4/nope", "no encoding 'nope'; glucose4 takes automaton, chased-cut4,"),
        ("gauss/full-direct", "takes no encoding"),
        (
            "cpsat/full-direct",
            "no encoding 'full-direct'; cpsat takes automaton, chased, chased-direct, "
            "chased-paths, chased-shared, order, placements, quotient",
        ),
        ("glucose4/", "a spec is written ENGINE"),
        ("cpsat:workers", "an option is written KEY=VALUE"),
        ("cpsat:workers=", "an option is written KEY=VALUE"),
        ("cpsat:workers=1:workers=2", "once each"),
        ("cpsat:workers=x", "expected a whole number from 1 to 256"),
        ("cpsat:workers=0", "expected a whole number from 1 to 256"),
        ("cpsat:speed=1", "unknown option; cpsat has param., seed, workers"),
        ("cpsat:workers=1:speed=1", "unknown option; cpsat has param., seed, workers"),
        ("sat:workers=1", "unknown option; sat has gauss"),
        ("hybrid:engine=cadical", "expected one of cadical103, cadical153, cadical195"),
        ("hybrid:engine=1", "expected one of cadical103, cadical153, cadical195"),
    ],
)
def test_what_a_spec_must_not_be(text: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        select(text, BOARD)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_exact_spec_that_does_not_suit_is_kept_with_the_reason() -> None:
    wide = LightsOut(Grid.from_bits(2, 40, 0))
    refused = {choice.spec: choice.refusal for choice in select("first-row,alignment,glucose4/order,gauss", wide)}
    assert refused == {
        "first-row": "2^40 first rows: more than 2^32",
        "alignment": "does not solve lights-out puzzles",
        "glucose4/order": "no encoding of lights-out puzzles: order is for coloured-nonogram and nonogram",
        "gauss": None,
    }
    assert specs("native", wide) == ["gauss", "modular-chase", "polynomial"]


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


def test_a_backend_that_is_missing_is_not_asked_about_a_puzzle(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> str:
        raise Unavailable("")

    for name in ("gauss", "alignment"):  # the latter would not support it either
        monkeypatch.setattr(all_backends()[name], "version", missing, raising=False)
        monkeypatch.setattr(all_backends()[name], "unsupported_reason", lambda *_: 1 / 0, raising=False)
    assert "gauss" not in specs("default")
    assert [choice.refusal for choice in select("gauss,alignment", BOARD)] == ["it is not available"] * 2


def test_an_encoding_that_is_the_default_for_a_question_is_used_for_it() -> None:
    used = set()
    for encoding in all_encodings().values():
        for question in encoding.default_for:
            for choice in select("all", find_kind(encoding.kind).samples()[-1], question):
                if choice.encoding and choice.encoding.target == encoding.target:
                    assert question in choice.encoding.default_for, choice.spec
                    used.add(encoding)
    assert used


@pytest.mark.parametrize(("groups", "from_file"), [(LISTED, True), (OWN, False)])
def test_a_solver_of_a_file_is_one_that_no_option_defines(groups: frozenset[str], from_file: bool) -> None:
    define("mine", "./nowhere {cnf}", "here", groups=groups)
    try:
        assert ("mine" in specs("mi*")) is not from_file  # with the reason why it cannot run
        assert registered.from_a_file(all_backends()["mine"]) == from_file
        assert not registered.from_a_file(all_backends()["gauss"])
    finally:
        registered.forget("mine")


def test_one_backend_where_one_is_expected() -> None:
    with pytest.raises(SpecError, match="it selects 4 backends"):
        select_one("native", BOARD)
    with pytest.raises(SpecError, match="it selects 0 backends"):
        select_one("brute*", load("/".join(["0" * 5] * 5)))


def test_a_run_rests_on_its_engine_and_its_encoding_and_what_each_declares() -> None:
    board = {choice.spec: choice.trusted_base for choice in select("cadical195, cpsat,gauss ", BOARD)}
    assert board["cadical195"] & board["cpsat"] == {"chase", "modular-sums", "xor-shared"}
    assert not board["cadical195"] & board["gauss"]
    for choice in itertools.chain(*(select("all", kind.samples()[-1]) for kind in all_kinds().values())):
        parts = [part for part in (choice.backend, choice.encoding) if part is not None]
        assert choice.trusted_base.issuperset({choice.backend.name}.union(*(part.trusted_base for part in parts)))


def test_a_backend_that_declares_nothing_confirms_no_other() -> None:
    assert why_dependent(Backend.trusted_base, frozenset({"gauss"})) == "the method of a backend is unknown"


def test_none_of_the_projects_own_plugins_is_left_out() -> None:
    loaded = [all_backends(), all_encodings(), QUESTIONS, all_kinds(), FORMATS]
    assert all(loaded)
    assert not [point for failures in registered.FAILURES.values() for point in failures if point.dist is None]


def test_every_backend_with_an_engine_has_an_encoding_for_each_of_its_kinds() -> None:
    for backend in all_backends().values():
        for kind in kinds(backend) if backend.targets else ():
            assert any(e.kind == kind and e.target in backend.targets and e.default for e in all_encodings().values())
    own = type("Own", (Backend,), {"targets": frozenset({"cnf-xor"})})
    assert kinds(own()) == {"lights-out", "modular-lights-out"}


def test_a_backend_that_fails_to_answer_is_listed_wherever_it_comes_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_backends()["gauss"], "unsupported_reason", lambda *_: 1 / 0, raising=False)
    found = {choice.spec: choice.refusal for choice in select("native", BOARD)}
    assert found.pop("gauss") == "its unsupported_reason() raised ZeroDivisionError: division by zero"
    assert set(found.values()) == {None}


def test_a_wildcard_leaves_out_what_takes_no_encoding_and_what_has_not_this_one() -> None:
    found = specs("*/full-cut4")
    assert "glucose4/full-cut4" in found
    assert all(spec.endswith("/full-cut4") for spec in found)
    assert not [spec for spec in found if spec.startswith(("gauss", "cpsat"))]


def test_the_default_group_of_a_kind_is_one_of_solutions() -> None:
    assert [choice.spec for choice in select("default", BOARD, "count") if choice.refusal is None] != specs("default")
    assert {choice.backend.name for choice in select("default", BOARD, "fewest")} >= {"fewest"}


@pytest.mark.parametrize("name", ["all", "sat", "native"])
def test_no_solver_has_the_name_of_a_group(name: str) -> None:
    with pytest.raises(SpecError, match=f"here: solver {name}: that is the name of a group"):
        define(name, "true {cnf}", "here")


def test_a_definition_replaces_an_earlier_one_and_a_known_command_and_no_engine(tmp_path: Path) -> None:
    define("mine", "first {cnf}", "here")
    (tmp_path / "second").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "second").chmod(0o755)
    define("mine", "./second {cnf}", "here", str(tmp_path), OWN)
    assert select_one("mine", BOARD).refusal is None
    assert registered.from_a_file(all_backends()["mine"]) is False
    define("kissat", "./kissat {cnf}", "here")
    assert registered.defined["kissat"] is all_backends()["kissat"]
    with pytest.raises(SpecError, match="here: solver gauss: there is a backend of that name"):
        define("gauss", "true {cnf}", "here")
    for name in ("Mine", "mine_", "-mine", "mine-", ""):
        with pytest.raises(SpecError, match="a name is lower case, digits and - only"):
            define(name, "true {cnf}", "here")


@pytest.mark.parametrize(
    ("options", "specs_", "is_refused"),
    [
        (["mine=x"], "all", False),
        (["mine=x"], "default", False),
        (["mine=x"], "command", False),
        (["mine=x"], "gauss, mine:option=1", False),
        (["mine=x"], "mine/order", False),
        (["mine=x"], "mi*", False),
        (["mine=x"], "gauss", True),
        (["mine=x", "other=y"], "mine", True),
        (["mine=x"], "native", True),
        ([], "gauss", False),
    ],
)
def test_a_solver_that_nothing_would_run_is_refused(options: list[str], specs_: str, is_refused: bool) -> None:
    words = f"--solver {options[-1].partition('=')[0] if options else ''}: nothing would run it"
    with pytest.raises(SpecError, match=words) if is_refused else nullcontext():
        specs_module.define_options(options, specs_)


def test_commands_that_run_are_named_once_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("crosslit.toml").write_text("[solvers]\nc = 'x'\na = 'x'\nb = 'x'", encoding="utf-8")
    for engine in ("d", "all", "*", "a", "a", "command", "b"):
        specs_module.define_listed(engine)
    assert capsys.readouterr() == (
        "",
        "crosslit: crosslit.toml: runs its command a\ncrosslit: crosslit.toml: runs its commands b, c\n",
    )
    for name in "abc":
        registered.forget(name)
    assert {backend["name"] for backend in specs_module.backends()} >= {*"abc"}
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[solver]\na = 'x'", r"expected only the table \[solvers\], found solver"),
        ("[solvers]\na = 1", r"expected NAME = .* under \[solvers\]"),
        ("solvers = 1", r"expected NAME = .* under \[solvers\]"),
    ],
)
def test_a_mistake_in_a_file_of_solvers(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "crosslit.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        specs_module.listed(path)


def test_a_mistake_in_a_file_of_solvers_stops_only_those_who_need_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("crosslit.toml").write_text("[", encoding="utf-8")
    for text in ("gauss", "default", "native", "glucose4/full-direct"):
        assert select(text, BOARD)
    for text in ("mine", "command", "kissat"):
        with pytest.raises(InputError, match=r"crosslit\.toml: expected TOML"):
            select(text, BOARD)


def test_a_file_of_solvers_defines_no_command_that_is_known(tmp_path: Path) -> None:
    path = tmp_path / "crosslit.toml"
    assert specs_module.listed(path) == {}
    path.write_text("[solvers]\nmine = 'x'\nkissat = 'y'\n[solvers.other]\nfile = 'z'\n", encoding="utf-8")
    assert specs_module.listed(path, "mine") == {"mine": "x", "other": {"file": "z"}}
    with pytest.raises(SpecError, match="solver kissat: a file cannot define a command that Crosslit knows"):
        specs_module.listed(path, "kissat")
    define("kissat", "./kissat {cnf}", "here")  # now the user's own
    assert set(specs_module.listed(path, "kissat")) == {"mine", "other", "kissat"}


def plugin(name: str, value: str = "nowhere:BACKENDS") -> registered.Point:
    return registered.Point(name, value)


@pytest.mark.parametrize(
    ("error", "reason"),
    [(ImportError("no engine"), "no engine"), (ValueError(), "ValueError"), (KeyboardInterrupt(), None)],
)
def test_a_plugin_that_fails_is_left_out_and_an_interrupt_is_raised(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, reason: str | None
) -> None:
    def load(point: registered.Point) -> Any:
        if point.name == "bad":
            raise error
        return point.name

    monkeypatch.setattr(registered.Point, "load", load)
    monkeypatch.setattr(registered, "FAILURES", {})
    monkeypatch.setattr(registered, "plugin_points", lambda _: [plugin("good"), plugin("bad"), plugin("also good")])
    with nullcontext() if reason else pytest.raises(KeyboardInterrupt):
        for _ in range(2):  # a reason is kept once
            assert [loaded for _, loaded in registered.load("a group")] == ["also good", "good"]
        assert registered.reasons("a group") == f"; nowhere:BACKENDS of crosslit cannot be loaded: {reason}"


def test_a_choice_is_the_same_in_another_process() -> None:
    (choice,) = select("cpsat/order:seed=3", NONOGRAM)
    for each in (choice, replace(choice, refusal="too large")):
        copied = pickle.loads(pickle.dumps(each))
        assert (copied.spec, copied.options, copied.refusal) == (each.spec, {"seed": 3}, each.refusal)
        assert copied.trusted_base == choice.trusted_base
    assert {"cpsat", "order (cp-sat)"} <= choice.trusted_base
    own = copy(all_backends()["gauss"])
    own.summary = "my own"  # type: ignore[misc]
    registered.add(own)
    assert pickle.loads(pickle.dumps(select_one("gauss", BOARD))).backend.summary == "my own"
    assert all_backends()["gauss"].summary == "my own"
