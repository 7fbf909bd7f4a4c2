"""The file of a campaign: its meaning, and one line with the place for every error."""

from __future__ import annotations

import json
import os
import shutil
from itertools import islice
from pathlib import Path

import pytest
from crosslit_bench.plan import file, sources
from crosslit_bench.plan.campaign import ASKED, CampaignSpec, plan
from crosslit_generate.constrained import BY_OPTION

from crosslit import InputError, SpecError, registry
from crosslit.contract.run import Limits
from tests.conftest import ROOT

READY = sorted((ROOT / "examples" / "campaigns").glob("*.toml"))
PUZZLES = '[[puzzles]]\npuzzles = ["10/01"]\n'
LEAST = f'backends = ["gauss"]\n{PUZZLES}'


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "my.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_the_least_that_is_a_campaign(tmp_path: Path) -> None:
    campaign = file.read(written(tmp_path, LEAST))
    assert (campaign.name, campaign.title, campaign.about, campaign.asked) == ("my", "my", "", "unique")
    assert campaign.limits == Limits()
    assert campaign.contestants == {"": ("gauss",)}
    assert (campaign.repetitions, campaign.seeds, campaign.seed, campaign.solvers) == (1, (), 0, {})
    assert (campaign.folder, campaign.text) == (tmp_path, LEAST)
    assert [one.puzzle.text for one in sources.all_instances(campaign)] == ["10/01"]


def test_all_that_can_be_said(tmp_path: Path) -> None:
    text = f"""title = "T"
about = '''
[puzzles]
'''
task = "all"
repetitions = 3
seeds = [1, 2, 1]
seed = 4
[limits]
seconds = 0.5
memory_mb = 99
[backends]
"a b" = ["gauss", "mine"]
c = ["glucose4/*"]
[solvers]
mine = "./solver {{cnf}}"
{PUZZLES}family = "some"
"""
    campaign = file.read(written(tmp_path, text))
    assert (campaign.title, campaign.about.strip(), campaign.asked) == ("T", "[puzzles]", "all")
    assert campaign.limits == Limits(None, 0.5, 99)
    assert campaign.contestants == {"a b": ("gauss", "mine"), "c": ("glucose4/*",)}
    assert (campaign.repetitions, campaign.seeds, campaign.seed) == (3, (1, 2), 4)
    assert campaign.solvers == {"mine": "./solver {cnf}"}
    assert [one.family for one in sources.all_instances(campaign)] == ["some"]


@pytest.mark.parametrize(("task", "solutions"), [("first", 1), ("unique", 2), ("all", None), ("fewest", None)])
def test_a_task_says_how_many_solutions_end_a_run(tmp_path: Path, task: str, solutions: int | None) -> None:
    campaign = file.read(written(tmp_path, f'task = "{task}"\n{LEAST}'))
    assert (campaign.asked, campaign.limits.solutions) == (task, solutions)
    assert campaign.question == ("fewest" if task == "fewest" else "solutions")
    assert task in ASKED


MADE = 'backends = ["gauss"]\n[[puzzles]]\n'
TOP = [
    ("backend = 1", "there is no 'backend'; did you mean backends?"),
    ("limits = 5", "limits: expected a table, found 5"),
    ('title = " "', "title: expected a text, found ' '"),
    ('task = "uniq"', "task: expected 'first' | 'unique' | 'all' | 'fewest', found 'uniq';"),
    ("repetitions = 0", "repetitions: expected a number from 1 to 10000, found 0"),
    ("seeds = []", "seeds: expected seeds, found an empty list"),
    ("seeds = [1,\n -1]", "seeds: expected a number from 0 to 2147483647, found -1"),
    ("seed = -1", "seed: expected a number from 0 to 9.223372037e+18, found -1"),
]
OF_LIMITS = [
    ("secs = 1", "there is no 'secs'; did you mean seconds?"),
    ("seconds = 0", "a limit of time is above 0 and at most 1e+07 seconds, not 0.0"),
    ("memory_mb = 1.5", "memory_mb: expected a whole number, found 1.5"),
    ("cpu_seconds = 0", "a limit of CPU time is above 0 and at most 1e+07 seconds, not 0.0"),
    ("solutions = 2", "`task`, above all tables, determines the number of solutions"),
]
BACKENDS = [
    ("", "backends is missing"),
    ('backends = "gauss"', "backends: expected a list of specs, or a table of such lists, found"),
    ("backends = [\n  'gauss',\n  'gaus',\n]", "backend 'gaus': there is no 'gaus'; did you mean gauss?"),
    ("backends = ['glucose4/no']", "backend 'glucose4/no': no encoding 'no'; glucose4 takes automaton,"),
    ("backends = ['cpsat:sed=1']", "backend 'cpsat:sed=1': unknown option; cpsat has param., seed,"),
    ("backends = ['gauss,brute']", "backend 'gauss,brute': there is no 'gauss,brute'; did you mean gauss"),
    ("[backends]", "backends: expected at least one spec, and one in each group"),
    ("[backends]\na = []", "backends: expected at least one spec, and one in each group"),
    ("[backends]\na = 'gauss'", "backends: a: expected a list, found 'gauss'"),
    ("[backends]\na = ['gauss']\n'a ' = ['brute']", "backends: expected printable names of groups, each once,"),
    ('[backends]\na = ["gauss"]\n"b\\nc" = ["brute"]', "backends: expected printable names of groups, each once,"),
]
TABLES = [
    ("family = 'x'", "expected one of generate, files and puzzles, found none"),
    ("puzzles = [\"10/01\"]\ngenerate = 'nonogram'", "expected one of generate, files and puzzles, found generate"),
    ('puzzles = ["10/01"]\nsizes = [5]', "there is no 'sizes'; it has family, growth, expected,"),
    ("puzzles = ['10/01',\n'1|']", "puzzles: found '1|': puzzle: column 1: expected a clue,"),
    ("puzzles = ['hello']", "puzzles: found 'hello': puzzle: expected a board (01.#_/) or"),
    ("puzzles = []", "puzzles: expected a puzzle such as '10/01' or '1,1|1,1',"),
    ("files = ['*.nothing']", "files: no file matches '*.nothing' in "),
    ('files = ["a\\u0000b"]', "files: a path cannot contain a null byte"),
    ("files = ['my.toml']\nformat = 'no'", "format: expected one of xml, picture, json, non, picross,"),
    ("generate = 'lightsout'\nsizes = [5]", "generate: found 'lightsout'; did you mean lights-out?"),
    *(
        (
            f"generate = '{kind}'\nsizes = [5]",
            f"generate: {kind} puzzles are made by `crosslit generate {option} -o pack",
        )
        for kind, option in BY_OPTION.items()
    ),
    ("generate = 'lights-out'\nsizes = []", "sizes: expected sizes, found ''"),
    ("generate = 'lights-out'\nsizes = [0]", "sizes: expected 5 or '11x16', 11 rows of 16, found 0"),
    ("generate = 'lights-out'\nsizes = [true]", "sizes: expected 5 or '11x16', 11 rows of 16, found True"),
    ("generate = 'lights-out'\nsizes = ['5x0']", "sizes: expected 5 or '11x16', 11 rows of 16, found '5x0'"),
    ("generate = 'lights-out'\nsizes = [99999]", "sizes: 99999 x 99999 are more than 25,000,000 cells"),
    ("generate = 'lights-out'\nsizes = [5,\n7]\nsolvable = false", "sizes: every board of 7 x 7 has a solution:"),
    ("generate = 'lights-out'\nsizes = [5]\nsolvable = false\npresses = 2", "presses: a board without a solution"),
    ("generate = 'lights-out'\nsizes = [5]\npress = 'pls'", "press: expected press= with plus, neighbours, king,"),
    ("generate = 'lights-out'\nsizes = [5]\ncount = 0", "count: expected a number from 1 to 20000, found 0"),
    ("generate = 'lights-out'\nsizes = [5, 6]\ncount = 20000", "expected at most 20000 puzzles of one table,"),
    ("generate = 'lights-out'\nsizes = [5]\ntimeout = 0", "timeout: expected a number above 0 to 10000000, found 0.0"),
    ("generate = 'lights-out'\nsizes = [5]\ndensities = [0.5]", "there is no 'densities'; it has family, growth,"),
    ("generate = 'nonogram'\nsizes = [5]\ndensities = [0.5,\n1.5]", "densities: expected a number from 0 to 1,"),
    ("generate = 'nonogram'\nsizes = [5]\ndifficulty = 'line'\nunique = false", "unique: only puzzles with one"),
]
OTHERS: list[tuple[str | bytes, str]] = [
    ("a = ", ":1: expected TOML: Invalid value (at end of document)"),
    (f"{LEAST}[scores]\npar = 0.5\n", ": scores: par: expected a number from 1 to 1000, found 0.5"),
    (f"{LEAST}[solvers]\nok = 'a {{cnf}}'\nMine = 'x {{cnf}}'\n", ": [solvers]: solver 'Mine': a name is lower"),
    (f"{LEAST}[solvers]\ngauss = 'x {{cnf}}'\n", ": [solvers]: solver gauss: there is a backend of that name"),
    (f"{LEAST}[solvers]\nmine = ''\n", ": solvers.mine: expected 'COMMAND {cnf}', found ''"),
    (f'{LEAST}[[puzzles]]\nfamily = "a\\u0007b"\npuzzles = ["1"]\n', ": [[puzzles]] 2: family: expected a"),
    ("backends = ['gauss']\r\n[[puzzles]]\r\npuzzles = ['x']\r\n", ": [[puzzles]] 1: puzzles: found 'x': puzzle:"),
]
WRONG = [
    *((f"{text}\n{LEAST}", f": {told}") for text, told in TOP),
    *((f"{LEAST}[limits]\n{text}\n", f": limits: {told}") for text, told in OF_LIMITS),
    *((f"{text}\n{PUZZLES}", f": {told}") for text, told in BACKENDS),
    *((f"{MADE}{text}\n", f": [[puzzles]] 1: {told}") for text, told in TABLES),
    *OTHERS,
]


@pytest.mark.parametrize(("text", "told"), WRONG, ids=[str(number) for number in range(len(WRONG))])
def test_an_error_is_reported_in_one_line_with_file_and_key(tmp_path: Path, text: str | bytes, told: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError) as error:
        file.read(path)
    message = str(error.value)
    assert message.startswith(f"{path}{told}")
    assert "\n" not in message
    assert len(message) < 400 + len(str(path))


def test_a_path_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xff.toml")
    path.write_text(LEAST, encoding="utf-8")
    assert file.read(path).name == "?"
    path.write_text("x = 1", encoding="utf-8")
    with pytest.raises(InputError) as error:
        file.read(path)
    assert str(error.value).encode()  # can be printed


def test_reading_defines_no_solver_and_defining_does(tmp_path: Path) -> None:
    text = f"backends = ['mine']\n{PUZZLES}[solvers]\nmine = 'true {{cnf}}'\n"
    campaign = file.read(written(tmp_path, text))
    with pytest.raises(SpecError, match="there is no 'mine'"):
        plan(campaign, sources.all_instances(campaign))
    file.define_solvers(campaign)
    try:
        (run,) = plan(campaign, sources.all_instances(campaign))
        assert run.spec == "mine"
    finally:
        registry.forget("mine")


def test_reading_keeps_what_was_defined_before(tmp_path: Path) -> None:
    from crosslit.registry.specs import define

    define("mine", "true --before {cnf}", "test")
    try:
        before = registry.defined("mine")
        file.read(written(tmp_path, f"backends = ['mine']\n{PUZZLES}[solvers]\nmine = 'true {{cnf}}'\n"))
        assert registry.defined("mine") is before
    finally:
        registry.forget("mine")


def test_solvers_next_to_the_file_count_where_they_are_named(tmp_path: Path) -> None:
    (tmp_path / "crosslit.toml").write_text("[solvers]\nmine = 'true {cnf}'\nother = 'false {cnf}'\n", encoding="utf-8")
    assert file.read(written(tmp_path, f"backends = ['mine']\n{PUZZLES}")).solvers == {"mine": "true {cnf}"}
    assert file.read(written(tmp_path, f"backends = ['all']\n{PUZZLES}")).solvers == {}
    own = file.read(written(tmp_path, f"backends = ['mine']\n{PUZZLES}[solvers]\nmine = 'own {{cnf}}'\n"))
    assert own.solvers == {"mine": "own {cnf}"}


@pytest.mark.slow
@pytest.mark.parametrize("path", READY, ids=lambda path: path.stem)
def test_a_ready_campaign_is_read_and_planned(path: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if path.stem == "survey":  # its puzzles are not part of the project
        (tmp_path / "survey").symlink_to(request.getfixturevalue("real_puzzles") / "survey-redistributable")
        path = Path(shutil.copy(path, tmp_path))
    campaign = file.read(path)
    assert campaign.about
    assert len(campaign.title) < 60
    instances = list(islice(sources.all_instances(campaign), 150))  # of one campaign there are thousands, all alike
    runs = plan(campaign, instances)
    assert {run.puzzle.id for run in runs} == {one.puzzle.id for one in instances}
    assert {run.group for run in runs} == set(campaign.contestants)
    for family in {one.family for one in instances}:
        names = [one.puzzle.name for one in instances if one.family == family]
        assert len(set(names)) == len(names)


def test_growth_is_switched_off_by_family_and_its_floor_is_set(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(
        'backends = ["line"]\n[growth]\nfloor = 0.02\n'
        '[[puzzles]]\nfamily = "by hand"\npuzzles = ["1|1"]\ngrowth = false\n'
        '[[puzzles]]\ngenerate = "nonogram"\nsizes = [4]\ngrowth = false\n'
        '[[puzzles]]\nfamily = "series"\npuzzles = ["1,1|1,1"]\n',
        encoding="utf-8",
    )
    campaign = file.read(path)
    assert (campaign.floor, campaign.without_growth) == (0.02, ("by hand", "nonogram"))
    stored = json.loads(json.dumps(campaign.json()))
    assert CampaignSpec.from_json(stored).without_growth == ("by hand", "nonogram")
    older = {name: value for name, value in stored.items() if name not in ("floor", "without_growth")}
    assert CampaignSpec.from_json(older).without_growth == ()
