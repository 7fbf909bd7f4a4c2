"""The file of a campaign, and the plan of its runs."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
import tomllib
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from crosslit_bench import plan as planning
from crosslit_bench.plan import Plan, plan, share
from crosslit_bench.spec import CampaignLimits, CampaignSpec, Instance

from crosslit import Campaign, InputError, SpecError, generate, load, registry
from crosslit.contract.run import Limits
from crosslit.formats import from_line
from tests.bench.stores import a_spec

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


@pytest.mark.parametrize(("spec", "file"), [("line", "compiled/order.c"), ("glucose4/full-cut4", "cnf.py")])
def test_a_key_changes_with_every_file_of_the_packages(monkeypatch: pytest.MonkeyPatch, spec: str, file: str) -> None:
    before, hash_of = keys(plan(a_spec(spec), [BOARD])), planning._file_hash
    monkeypatch.setattr(planning, "_file_hash", lambda path: hash_of(path) + "edited" * path.endswith(file))
    assert before == keys(plan(a_spec(spec), [BOARD]))  # within a process it is computed once
    monkeypatch.setattr(planning, "_package_hash", planning._package_hash.__wrapped__)
    assert not before & keys(plan(a_spec(spec), [BOARD]))


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
    board = Instance(generate("lights-out", 20, wrap="torus")[0], "many")  # 2^32 solutions
    assert plan(a_spec("gauss"), [board])
    with pytest.raises(InputError, match="too many to list"):
        plan(a_spec("gauss", task="all"), [board])


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
    for content, is_kept in ((b"#" * 65_536, True), (b"#" * 65_537, False), (b"\xff", False)):
        kept = json.loads(planned(here, content).contestants[0].programs)[str(here)]
        assert kept == content.decode() if is_kept else kept.startswith("sha256 ")


def test_a_contestant_names_the_distribution_of_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    point = SimpleNamespace(value="crosslit_backends.mine:BACKENDS", dist=SimpleNamespace(name="mine", version="1.0"))
    monkeypatch.setattr(planning, "_distributions", planning._distributions.__wrapped__)
    monkeypatch.setattr(planning.registered, "load", lambda _: [(point, None)])
    assert plan(a_spec("gauss"), [BOARD]).contestants[0].plugin == "mine 1.0"


def test_the_hash_of_a_module_that_is_no_package_is_that_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mine", SimpleNamespace(__file__=str(tmp_path / "mine.py")))
    found = set()
    for text in ("", "# an edit"):
        (tmp_path / "mine.py").write_text(text, encoding="utf-8")
        found.add(planning._package_hash.__wrapped__("mine"))
    assert len(found) == 2


def test_another_environment_is_another_contestant_of_the_same_crosslit(tmp_path: Path) -> None:
    spec = a_spec("cpsat/xor,older", solvers={"older": {"python": sys.executable, "backend": "cpsat/xor"}}, seeds=(3,))
    found = plan(spec, [BOARD])
    own = {(run.contestant, run.spec, planning.job_of(run, spec).python) for run in found.runs}
    assert own == {("cpsat/xor", "cpsat/xor:seed=3", ""), ("older", "older:seed=3", sys.executable)}
    assert {planning.job_of(run, spec).spec for run in found.runs} == {"cpsat/xor:seed=3"}
    (version,) = {one.version for one in found.contestants}
    assert version
    for name, script, problem in (
        ("bad", "echo oh >&2; echo no >&2; exit 1", "bad: expected a Python with Crosslit: no$"),
        ("other", """echo '["9", "1", ""]'""", "other: has Crosslit 9, and this is "),
        ("broken", """echo '["9", "", "it is broken"]'""", "broken: it is broken$"),
        ("none", "", "none: expected a Python with Crosslit: .*Permission denied"),
    ):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755 if script else 0o644)
        solvers = {"older": {"python": str(tmp_path / name), "backend": "line"}}
        with pytest.raises(InputError, match=problem):
            plan(dataclasses.replace(spec, solvers=solvers), [BOARD])


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no checkout")
def test_the_version_names_the_commit_of_a_checkout() -> None:
    assert planning.crosslit_version().startswith(f"{planning.__version__} (")


def test_the_version_of_an_installation_in_a_checkout_names_no_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "_version_file", str(ROOT / "src" / "untracked.py"))
    assert planning.crosslit_version.__wrapped__() == planning.__version__


ONE = '[[puzzles]]\npuzzles = ["10/01"]\n'


def read(folder: Path, text: str) -> CampaignSpec:
    path = folder / "my.toml"
    path.write_text(text, encoding="utf-8")
    return CampaignSpec.read(path)


def with_puzzles(folder: Path, table: str) -> CampaignSpec:
    return read(folder, f'backends = ["gauss", "line"]\n[[puzzles]]\n{table}\n')


def test_all_keys_arrive_and_are_written_back(tmp_path: Path) -> None:
    spec = read(
        tmp_path,
        """title = "T"
        about = "A"
        task = "all"
        repetitions = 3
        seeds = [1, 2, 1]
        seed = 4
        backends = {native = ["gauss", "line"], SAT = "glucose4/*,cadical195"}
        limits = {timeout = 7, cpu_timeout = 6, memory_mb = 99, cores = 1}
        [[puzzles]]
        family = "f"
        growth = false
        puzzles = ["10/01 # first", "1,1|1,1"]
        expected = "multiple"
        source = "a paper"
        """,
    )
    assert (spec.name, spec.folder, spec.title, spec.about, spec.task) == ("my", tmp_path, "T", "A", "all")
    assert (spec.repetitions, spec.seeds, spec.seed) == (3, (1, 2), 4)
    assert spec.backends == {"native": ("gauss", "line"), "SAT": ("glucose4/*", "cadical195")}
    assert spec.run_limits == Limits(None, 7.0, 99, 6.0, 1)
    assert spec.without_growth == {"f"}
    first, second = spec.instances()
    assert (first.puzzle.name, first.puzzle.text, first.family) == ("first", "10/01", "f")
    assert (second.puzzle.name, second.expected, second.source) == ("1,1|1,1", "multiple", "a paper")
    again = CampaignSpec.of(tomllib.loads(spec.toml), spec.name, spec.folder)
    assert again == spec


def test_defaults(tmp_path: Path) -> None:
    spec = read(tmp_path, f'backends = ["gauss"]\n{ONE}')
    assert (spec.title, spec.task, spec.backends) == ("my", "unique", {"": ("gauss",)})
    assert spec.run_limits == Limits(2)
    others = {"limits": {"timeout": 60.0, "memory_mb": 4096}, "puzzles": ({"puzzles": ["10/01"]},)}
    assert spec.keys == {"title": "my", "backends": ("gauss",), **others}


@pytest.mark.parametrize(
    ("key", "least", "most"), [("repetitions", 1, 10_000), ("seed", 0, 2**63 - 1), ("seeds", 0, 2**31 - 1)]
)
def test_numbers_have_bounds(key: str, least: int, most: int) -> None:
    for value in (least - 1, least, most, most + 1):
        given: Any = {key: [value] if key == "seeds" else value}
        with nullcontext() if least <= value <= most else pytest.raises(ValueError, match=f"{key}: expected a number"):
            a_spec("gauss", **given)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("backends = [", "my.toml: expected TOML: "),
        ('backends = ["gauss"]', "puzzles is missing"),
        ("[[puzzles]]\ngrowth = false", "[[puzzles]] 1: expected one of files, puzzles and generate, found none"),
        (f"repetition = 2\n{ONE}", "there is no 'repetition'; did you mean repetitions?"),
        (f"backends = []\n{ONE}", "backends: expected at least one spec"),
        (f'backends = ["gaus"]\n{ONE}', "backends: backend 'gaus': there is no 'gaus'; did you mean gauss?"),
        (f"[limits]\ntimeout = 0\n{ONE}", "limits: a limit of time in seconds is above 0"),
        (f"solvers.mine = 3\n{ONE}", "solvers.mine: expected 'COMMAND {cnf}' or a table"),
        (f'solvers.gauss = "true"\n{ONE}', "solvers.gauss: campaign my: solver gauss: there"),
        (f'solvers.a = {{python = "x"}}\n{ONE}', "solvers.a: expected python = 'ENVIRONMENT', backend"),
        (f'solvers.line = {{python = "x", backend = "line"}}\n{ONE}', "solvers.line: there is a backend of that name"),
    ],
)
def test_a_wrong_key_is_one_line_with_its_name(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(InputError, match=re.escape(problem)) as caught:
        read(tmp_path, text if text.startswith("backends") else f'backends = ["gauss"]\n{text}')
    assert str(caught.value).startswith(str(tmp_path / "my.toml"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ('puzzles = ["1|1"]\nfiles = ["a"]', "expected one of files, puzzles and generate, found files and puzzles"),
        ('generate = "nonogram"\nsizes = [5]', "[[puzzles]] 1: there is no 'sizes'; did you mean size"),
        ('generate = "nonogram"', "[[puzzles]] 1: size is missing"),
        ('puzzles = ["1|1"]\nexpected = "two"', "expected: expected 'unique' | 'multiple' | 'unsolvable', found 'two'"),
        # these are found with the puzzles
        ('puzzles = ["1|1", "1|0|1"]', "puzzles:2"),
        ('generate = "nonogram"\nsize = [0]', "[[puzzles]] 1: rows, columns and count are at least 1"),
        ('generate = "nonogram"\nsize = 5\nsolvable = false', "solvable is an argument of lights-out and modular"),
        ('files = ["*.non"]', "[[puzzles]] 1: files: '*.non' matches no file of puzzles in "),
        ('files = ["empty"]', "files: 'empty' matches no file of puzzles"),
    ],
)
def test_wrong_puzzles_are_refused_with_their_table(tmp_path: Path, table: str, problem: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=re.escape(problem)):
        list(with_puzzles(tmp_path, table).instances())


def test_a_list_stands_for_each_of_its_values(tmp_path: Path) -> None:
    spec = with_puzzles(tmp_path, 'generate = "nonogram"\nsize = [3, "4x5"]\ndensity = [0.3, 0.6]\ncount = 2\nseed = 7')
    found = list(spec.instances())
    names = [f"3x3 density={density} seed=7 #{number}" for density in (0.3, 0.6) for number in (1, 2)]
    assert [one.puzzle.name for one in found][:4] == names
    pairs = [(size, density) for size in (3, "4x5") for density in (0.3, 0.6)]
    own = [one for size, density in pairs for one in generate("nonogram", size, density=density, count=2, seed=7)]
    assert [one.puzzle.id for one in found] == [puzzle.id for puzzle in own]
    assert {one.family for one in found} == {"nonogram"}


def test_files_by_pattern_folder_number_and_odd_name(tmp_path: Path) -> None:
    (tmp_path / "inside" / "deep").mkdir(parents=True)
    texts = {"pack.puzzles": "10/01\n11/11\n01/11\n", "inside/b.puzzles": "1/0\n", "inside/deep/c.puzzles": "0/1\n"}
    for name, text in {**texts, "a[1].non": "width 1\nheight 1\nrows\n1\ncolumns\n1\n"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for files, expected in (
        ('"pack.puzzles:2"', "11/11"),
        ('"p*.puzzles"', "10/01 11/11 01/11"),
        ('"a[1].non"', "1|1"),
        ('"inside"', "1/0"),
        ('"**/*.puzzles"', "1/0 0/1 10/01 11/11 01/11"),
        ('"pack.puzzles:1", "pack.puzzles"', "10/01 11/11 01/11"),  # each puzzle counts once
    ):
        found = [(one.family, one.puzzle.text) for one in with_puzzles(tmp_path, f"files = [{files}]").instances()]
        assert found == [("files", text) for text in expected.split()], files


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["1|1 # x", "0|0 # x", "1,1|1,1 # x"], ["x", "x (2)", "x (3)"]),
        (["0" * 40, "0" * 41, f"{'1' * 41} # y"], ["0" * 40, "puzzle 2", "y"]),
    ],
)
def test_a_puzzle_has_a_name_of_its_own_or_its_text_or_its_number(
    tmp_path: Path, texts: list[str], names: list[str]
) -> None:
    found = list(with_puzzles(tmp_path, f"puzzles = {texts}").instances())
    assert [(one.family, one.puzzle.name) for one in found] == [("puzzles", name) for name in names]


def test_a_campaign_reads_no_file_of_solvers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("crosslit.toml").write_text("[", encoding="utf-8")
    spec = with_puzzles(tmp_path, 'puzzles = ["10/01"]')
    assert all(planning.job_of(run, spec).choice for run in plan(spec, spec.instances()).runs)


def test_solvers_are_commands_programs_and_other_environments(tmp_path: Path) -> None:
    solvers = """mine = "./mine {cnf}"
        other = {command = "./other {file}", cells = ".X"}
        older = {python = "env", backend = "cpsat/xor"}"""
    spec = read(tmp_path, f'backends = ["mine", "other", "older"]\n[solvers]\n{solvers}\n{ONE}')
    assert {name for name in ("mine", "other", "older") if name in registry.defined} == {"mine", "other"}
    assert spec.resolve("mine")[1:] == ("", "")
    assert spec.resolve("older") == ("cpsat/xor", str(tmp_path / "env"), "older")
    (tmp_path / "env").mkdir()
    assert spec.resolve("older").python == str(tmp_path / "env" / "bin" / "python")


def test_the_arguments_of_a_campaign_in_python_are_the_keys_of_its_file(tmp_path: Path) -> None:
    puzzles = ["10/01", load("1,1|1,1").named("two"), {"generate": "nonogram", "size": 3}]
    keys = {"task": "all", "repetitions": 2, "seeds": [1, 2], "title": "T", "limits": {"timeout": 5.0, "memory_mb": 99}}
    campaign = Campaign(puzzles, {"native": "gauss,line", "SAT": ["glucose4"]}, **keys)  # type: ignore[arg-type]
    assert tomllib.loads(campaign.toml) == {
        **keys,
        "backends": {"native": ["gauss", "line"], "SAT": ["glucose4"]},
        "puzzles": [{"generate": "nonogram", "size": 3}, {"puzzles": ["10/01", "1,1|1,1 # two"]}],
    }
    path = tmp_path / "campaign.toml"
    path.write_text(campaign.toml, encoding="utf-8")
    assert CampaignSpec.read(path).keys == campaign._spec.keys
    assert repr(Campaign.read(path)) == "<Campaign T: all; gauss, line, glucose4>"
