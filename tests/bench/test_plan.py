"""The plan of a campaign: its runs, their keys, and their contestants."""

from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from crosslit_bench import plan as planning
from crosslit_bench.plan import Plan, plan, share
from crosslit_bench.spec import CampaignLimits, Instance

from crosslit import InputError, SpecError, registry
from crosslit.formats import from_line
from tests.bench.stores import a_spec
from tests.conftest import installed

BOARD, OTHER, CLUES = (Instance(from_line(text), "some") for text in ("10/01", "11/11", "1,1|1,1"))
ROOT = Path(__file__).parents[2]


def keys(found: Plan) -> set[str]:
    assert len({run.key for run in found.runs}) == len(found.runs)
    return {run.key for run in found.runs}


def test_every_backend_runs_on_every_puzzle_as_often_as_asked() -> None:
    found = plan(a_spec("gauss,brute", repetitions=3), [BOARD, OTHER])
    expected = {(text, spec, n) for text in ("10/01", "11/11") for spec in ("gauss", "brute") for n in range(3)}
    assert {(run.puzzle.text, run.spec, run.repetition) for run in found.runs} == expected
    assert len(keys(found)) == 12
    assert [one.label for one in found.contestants] == ["brute", "gauss"]


def test_seeds_are_for_those_who_take_one_and_have_none() -> None:
    found = plan(a_spec("gauss,cpsat/xor,cpsat/xor:seed=9", seeds=(1, 2)), [BOARD])
    seeded = {(f"cpsat/xor:seed={seed}", "cpsat/xor", seed) for seed in (1, 2)}
    own = {("gauss", "gauss", None), ("cpsat/xor:seed=9", "cpsat/xor:seed=9", None)}
    assert {(run.spec, run.contestant, run.seed) for run in found.runs} == seeded | own
    assert len(keys(found)) == 4


@pytest.mark.parametrize(
    "changed",
    [
        {"task": "fewest", "backends": {"": ("fewest",)}},
        {"task": "first"},
        {"limits": CampaignLimits(timeout=6.0, memory_mb=512)},
        {"limits": CampaignLimits(timeout=5.0, memory_mb=2048)},
        {"backends": {"": ("cpsat/xor", "cpsat/chased:seed=4", "gauss")}},
    ],
    ids=str,
)
def test_a_key_changes_with_all_that_could_change_a_result(changed: dict[str, Any]) -> None:
    before = keys(plan(a_spec("cpsat/chased,fewest"), [BOARD]))
    assert not before & keys(plan(dataclasses.replace(a_spec("cpsat/chased"), **changed), [BOARD]))


def test_a_key_changes_with_the_puzzle_and_the_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    before = keys(plan(a_spec("gauss"), [BOARD]))
    assert before != keys(plan(a_spec("gauss"), [OTHER]))
    monkeypatch.setattr(type(registry.all_backends()["gauss"]), "version", lambda _: "99")
    later = keys(plan(a_spec("gauss"), [BOARD]))
    monkeypatch.setattr(planning, "__version__", "999")
    assert len({*before, *later, *keys(plan(a_spec("gauss"), [BOARD]))}) == 3


def test_a_key_stays_whatever_the_words_and_the_order() -> None:
    before = keys(plan(a_spec("gauss,cpsat/chased"), [BOARD, OTHER]))
    renamed = [OTHER._replace(family="others", expected="unique"), BOARD._replace(puzzle=BOARD.puzzle.named("so"))]
    grouped = {"a": ("cpsat/*:seed=3", "cpsat/chased"), "b": ("gauss",)}
    after = plan(a_spec(grouped, name="d", about="x", seed=5, folder=Path("/x")), renamed)
    assert before <= keys(after)


def test_ways_to_write_one_configuration_are_one_run() -> None:
    (default,) = plan(a_spec("cadical195"), [CLUES]).runs
    assert default.contestant == "cadical195/order"
    assert keys(plan(a_spec("cadical195,cadical195/order,cadical19[5]/order"), [CLUES])) == {default.key}


def test_a_contestant_belongs_to_the_first_of_its_groups_on_all_puzzles() -> None:
    found = plan(a_spec({"a": ("native",), "b": ("gauss", "brute")}), [CLUES, BOARD])
    groups = {one.label: one.group for one in found.contestants}
    assert (groups["gauss"], groups["brute"], groups["line"]) == ("a", "b", "a")
    assert {run.puzzle.kind for run in found.runs if run.contestant == "gauss"} == {"lights-out", "nonogram"}


def test_an_exact_spec_that_does_not_suit_stays_and_says_why() -> None:
    spec = a_spec("cadical195/order,cadical195/direct,line")
    found = plan(spec, [BOARD])
    assert len(keys(found)) == 3
    assert all(planning.job_of(run, spec).refusal for run in found.runs)
    with pytest.raises(SpecError, match="supports any of its puzzles"):
        plan(a_spec("native"), [])


MANY = [Instance(from_line(f"{number:08b}"), "some") for number in range(1, 40)]


def test_only_the_seed_shuffles() -> None:
    one, same, other = (plan(a_spec("gauss,brute", seed=seed), MANY).runs for seed in (1, 1, 2))
    assert one == same != other
    assert {run.key for run in one} == {run.key for run in other}
    specs = "".join(run.spec[0] for run in one)
    assert "g" * 30 not in specs  # no contestant has a time of its own
    assert specs not in ("gb" * 39, "bg" * 39)


@pytest.mark.parametrize("count", [1, 2, 7])
def test_shares_are_disjoint_complete_and_by_puzzle(count: int) -> None:
    runs, other = (plan(a_spec(*some), MANY).runs for some in (("gauss,brute",), ("brute,gauss",)))
    shares = [share(runs, (number, count)) for number in range(1, count + 1)]
    assert sorted(run.key for part in shares for run in part) == sorted(run.key for run in runs)
    assert sum(len({run.puzzle_id for run in part}) for part in shares) == len(MANY)
    assert {run.key for run in share(other, (1, count))} == {run.key for run in shares[0]}


def test_a_program_is_stored_and_its_edit_changes_the_key(tmp_path: Path) -> None:
    here, elsewhere = tmp_path / "here" / "mine", tmp_path / "elsewhere" / "mine"

    def planned(program: Path, content: bytes, option: str = "--fast") -> Plan:
        program.parent.mkdir(exist_ok=True)
        program.write_bytes(content)
        program.chmod(0o755)
        spec = a_spec("mine", solvers={"mine": f"./mine {option} {{cnf}}"}, folder=program.parent)
        spec.define_solvers()
        return plan(spec, [BOARD])

    text = b"#!/bin/sh\necho s UNSATISFIABLE\n"
    before, moved = planned(here, text), planned(elsewhere, text)
    assert keys(before) == keys(moved)  # wherever it lies
    assert json.loads(before.contestants[0].programs) == {str(here): text.decode()}
    edited, other = planned(here, text + b"exit 1\n"), planned(here, text, "--slow")
    assert len(keys(before) | keys(edited) | keys(other)) == 3
    assert edited.contestants[0].sources != before.contestants[0].sources
    binary = planned(here, bytes(range(256)) * 300).contestants[0]
    assert json.loads(binary.programs)[str(here)].startswith("sha256 ")


def test_a_plugin_is_named_and_its_edit_changes_the_key(tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(ROOT / "examples" / "template-backend", project)
    environment = installed(tmp_path, project)
    code = """
from crosslit import load
from crosslit.contract import registered
from crosslit_bench.plan import plan
from crosslit_bench.spec import CampaignSpec, Instance
(name,) = [name for name, one in registered.all_backends().items() if type(one).__module__ == "%s"]
found = plan(CampaignSpec(title="", backends={"": (name,)}, puzzles=({},)), [Instance(load("10/01"), "f")])
print(found.contestants[0].plugin, found.runs[0].key, sep="\\n")
"""
    (module,) = [path.stem for path in project.glob("*.py") if "test" not in path.stem]

    def run() -> list[str]:
        words = [sys.executable, "-c", code % module]
        return subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()

    plugin, before = run()
    with (project / f"{module}.py").open("a", encoding="utf-8") as file:
        file.write("# an edit\n")
    again, after = run()
    assert plugin == again == "template-backend 1.0"
    assert before != after


def test_another_environment_is_another_contestant_of_the_same_crosslit(tmp_path: Path) -> None:
    spec = a_spec("cpsat/xor,older", solvers={"older": {"python": sys.executable, "backend": "cpsat/xor"}}, seeds=(3,))
    found = plan(spec, [BOARD])
    own = {(run.contestant, run.spec, planning.job_of(run, spec).python) for run in found.runs}
    assert own == {("cpsat/xor", "cpsat/xor:seed=3", ""), ("older", "older:seed=3", sys.executable)}
    assert {planning.job_of(run, spec).spec for run in found.runs} == {"cpsat/xor:seed=3"}
    (version,) = {one.version for one in found.contestants}
    assert version
    missing = dataclasses.replace(spec, solvers={"older": {"python": str(tmp_path / "no"), "backend": "cpsat/xor"}})
    with pytest.raises(InputError, match="no: expected a Python with Crosslit: "):
        plan(missing, [BOARD])


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no checkout")
def test_the_version_names_the_commit_of_a_checkout() -> None:
    assert planning.crosslit_version().startswith(f"{planning.__version__} (")
