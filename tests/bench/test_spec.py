"""The description of a campaign: keys of the file, its puzzles, and errors that name the key."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from crosslit_bench.spec import CampaignSpec

from crosslit import Campaign, InputError, generate, load, registry
from crosslit.contract.run import Limits

ROOT = Path(__file__).parents[2]
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
    assert spec.keys == {
        "title": "my",
        "backends": ["gauss"],
        "limits": {"timeout": 60.0, "memory_mb": 4096},
        "puzzles": [{"puzzles": ["10/01"]}],
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("backends = [", "my.toml:1: expected TOML: "),
        ('backends = ["gauss"]', "puzzles is missing"),
        (f"repetition = 2\n{ONE}", "there is no 'repetition'; did you mean repetitions?"),
        (f"repetitions = 0\n{ONE}", "repetitions: expected a number from 1 to 10000, found 0"),
        (f"seeds = [-1]\n{ONE}", "seeds: expected a number from 0 to 2.14748e+09, found -1"),
        (f'name = "x"\n{ONE}', "there is no 'name'"),
        (f"backends = []\n{ONE}", "backends: expected at least one spec"),
        (f'backends = ["gaus"]\n{ONE}', "backends: backend 'gaus': there is no 'gaus'; did you mean gauss?"),
        (f"[limits]\ntimeout = 0\n{ONE}", "limits: a limit of time is above 0"),
        (f"[limits]\nseconds = 1\n{ONE}", "limits: there is no 'seconds'"),
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
        ("growth = false", "[[puzzles]] 1: expected one of files, puzzles and generate, found none"),
        ('puzzles = ["1|1"]\nfiles = ["a"]', "expected one of files, puzzles and generate, found files and puzzles"),
        ('puzzles = ["1|1"]\nsize = 5', "[[puzzles]] 1: there is no 'size'"),
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
        found = with_puzzles(tmp_path, f"files = [{files}]").instances()
        assert [instance.puzzle.text for instance in found] == expected.split(), files


def test_names_are_unique_within_a_family(tmp_path: Path) -> None:
    spec = with_puzzles(tmp_path, 'puzzles = ["1|1 # x", "0|0 # x", "1,1|1,1 # x"]')
    assert [instance.puzzle.name for instance in spec.instances()] == ["x", "x (2)", "x (3)"]


def test_solvers_are_commands_programs_and_other_environments(tmp_path: Path) -> None:
    solvers = """mine = "./mine {cnf}"
        other = {command = "./other {file}", cells = ".X"}
        older = {python = "env", backend = "cpsat/xor"}"""
    spec = read(tmp_path, f'backends = ["mine", "other", "older"]\n[solvers]\n{solvers}\n{ONE}')
    assert {name for name in ("mine", "other", "older") if registry.defined(name)} == {"mine", "other"}
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


@pytest.mark.parametrize("path", sorted([*ROOT.glob("examples/campaigns/*.toml"), ROOT / "examples/campaign.toml"]))
def test_the_examples_are_campaigns(path: Path) -> None:
    spec: Any = CampaignSpec.read(path)
    assert spec.about
