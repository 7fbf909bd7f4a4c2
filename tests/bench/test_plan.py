"""The plan of a campaign: its runs, their keys, and their contestants."""

from __future__ import annotations

import dataclasses
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from crosslit_bench import plan as planning
from crosslit_bench.plan import Plan, plan, share
from crosslit_bench.spec import CampaignLimits, CampaignSpec, Instance

from crosslit import InputError, SpecError, registry
from crosslit.formats import from_line
from tests.conftest import installed

BOARD, OTHER, CLUES = (Instance(from_line(text), "some") for text in ("10/01", "11/11", "1,1|1,1"))
LIMITS = CampaignLimits(timeout=5.0, memory_mb=1024)


def a_spec(backends: Any, **keys: Any) -> CampaignSpec:
    groups = {"": tuple(backends.split(","))} if isinstance(backends, str) else backends
    return CampaignSpec(title="C", puzzles=({},), backends=groups, **{"limits": LIMITS, **keys})


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
    assert {(run.spec, run.contestant, run.seed) for run in found.runs} == {
        ("gauss", "gauss", None),
        ("cpsat/xor:seed=1", "cpsat/xor", 1),
        ("cpsat/xor:seed=2", "cpsat/xor", 2),
        ("cpsat/xor:seed=9", "cpsat/xor:seed=9", None),
    }
    assert len(keys(found)) == 4


@pytest.mark.parametrize(
    "changed",
    [
        {"task": "fewest", "backends": {"": ("fewest",)}},
        {"task": "first"},
        {"limits": CampaignLimits(timeout=6.0, memory_mb=1024)},
        {"limits": CampaignLimits(timeout=5.0, memory_mb=2048)},
        {"backends": {"": ("cpsat/xor",)}},
        {"backends": {"": ("cpsat/chased:seed=4",)}},
        {"backends": {"": ("gauss",)}},
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
    after = plan(a_spec(grouped, name="d", about="x", seed=5, folder=Path("/x"), par=3.0), renamed)
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
        plan(a_spec("native"), [Instance(from_line("1,1|1,1"), "f")][:0])


def test_only_the_seed_shuffles() -> None:
    puzzles = [Instance(from_line(f"{number:08b}"), "some") for number in range(1, 40)]
    orders = [[run.key for run in plan(a_spec("gauss,brute", seed=seed), puzzles).runs] for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    assert set(orders[0]) == set(orders[2])
    specs = "".join(run.spec[0] for run in plan(a_spec("gauss,brute", seed=1), puzzles).runs)
    assert "g" * 30 not in specs  # no contestant has a time of its own
    assert specs not in ("gb" * 39, "bg" * 39)


@pytest.mark.parametrize("count", [1, 2, 7])
def test_shares_are_disjoint_complete_and_by_puzzle(count: int) -> None:
    puzzles = [Instance(from_line(f"{number:08b}"), "some") for number in range(1, 40)]
    runs = plan(a_spec("gauss,brute"), puzzles).runs
    shares = [share(runs, (number, count)) for number in range(1, count + 1)]
    assert sorted(run.key for part in shares for run in part) == sorted(run.key for run in runs)
    where = {run.puzzle_id: number for number, part in enumerate(shares) for run in part}
    assert all(where[run.puzzle_id] == number for number, part in enumerate(shares) for run in part)
    other = plan(a_spec("brute,gauss", seed=8), puzzles[::-1]).runs
    assert {run.key for run in share(other, (1, count))} == {run.key for run in shares[0]}


def test_a_program_is_stored_and_its_edit_changes_the_key(tmp_path: Path) -> None:
    program = tmp_path / "mine"
    program.write_text("#!/bin/sh\necho s UNSATISFIABLE\n", encoding="utf-8")
    program.chmod(0o755)
    spec = a_spec("mine", solvers={"mine": "./mine --fast {cnf}"}, folder=tmp_path)

    def planned() -> Plan:
        spec.define_solvers()
        return plan(spec, [BOARD])

    before = planned()
    (contestant,) = before.contestants
    assert json.loads(contestant.programs) == {str(program): program.read_text(encoding="utf-8")}
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(program, elsewhere)
    moved = dataclasses.replace(spec, folder=elsewhere)
    moved.define_solvers()
    assert keys(plan(moved, [BOARD])) == keys(before)  # wherever it lies
    program.write_text("#!/bin/sh\necho s SATISFIABLE\n", encoding="utf-8")
    edited = planned()
    assert keys(edited) != keys(before)
    assert edited.contestants[0].sources != contestant.sources
    spec = dataclasses.replace(spec, solvers={"mine": "./mine --slow {cnf}"})
    assert keys(planned()) != keys(edited)
    program.write_bytes(bytes(range(256)) * 300)
    assert json.loads(planned().contestants[0].programs)[str(program)].startswith("sha256 ")


def test_a_plugin_is_named_and_its_edit_changes_the_key(tmp_path: Path, crosslit_started: Any) -> None:
    project = tmp_path / "project"
    shutil.copytree(Path(__file__).parents[2] / "examples" / "template-backend", project)
    environment = installed(tmp_path, project)
    code = """
import sys
from crosslit import load
from crosslit_bench.plan import plan
from crosslit_bench.spec import CampaignSpec, Instance
from crosslit.contract import registered
name = next(name for name, one in registered.all_backends().items() if type(one).__module__ == sys.argv[1])
found = plan(CampaignSpec(title="", backends={"": (name,)}, puzzles=({},)), [Instance(load(sys.argv[2]), "f")])
print(found.contestants[0].plugin, found.runs[0].key, sep="\\n")
"""
    import subprocess

    module = next(path.stem for path in project.glob("*.py") if "test" not in path.stem and path.stem != "conftest")

    def run() -> tuple[str, str]:
        words = [sys.executable, "-c", code, module, "10/01"]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
        plugin, key = done.stdout.splitlines()
        return plugin, key

    plugin, before = run()
    assert plugin == "template-backend 1.0"
    with (project / f"{module}.py").open("a", encoding="utf-8") as file:
        file.write("# an edit\n")
    assert run()[0] == plugin
    assert run()[1] != before


def test_another_environment_is_another_contestant_of_the_same_crosslit(tmp_path: Path) -> None:
    solvers = {"older": {"python": sys.executable, "backend": "cpsat/xor"}}
    spec = a_spec("cpsat/xor,older", solvers=solvers, seeds=(3,))
    found = plan(spec, [BOARD])
    assert {(run.contestant, run.spec) for run in found.runs} == {
        ("cpsat/xor", "cpsat/xor:seed=3"),
        ("older", "older:seed=3"),
    }
    versions = {one.label: one.version for one in found.contestants}
    assert versions["older"] == versions["cpsat/xor"] != ""
    jobs = {run.contestant: planning.job_of(run, spec) for run in found.runs}
    assert [jobs[label].python for label in ("cpsat/xor", "older")] == ["", sys.executable]
    assert {job.spec for job in jobs.values()} == {"cpsat/xor:seed=3"}
    missing = dataclasses.replace(spec, solvers={"older": {"python": str(tmp_path / "no"), "backend": "cpsat/xor"}})
    with pytest.raises(InputError, match="no: expected a Python with Crosslit: "):
        plan(missing, [BOARD])


def test_the_version_names_the_commit_of_a_checkout() -> None:
    found = planning.crosslit_version()
    assert found.startswith(planning.__version__)
    if (Path(__file__).parents[2] / ".git").exists():
        assert found.removeprefix(planning.__version__).startswith(" (")
