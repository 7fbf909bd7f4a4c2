"""The file of a campaign: its meaning, and one line with the place for every error."""

from __future__ import annotations

import json
import os
import shutil
from itertools import islice
from pathlib import Path

import pytest
from crosslit_bench.plan import file, sources, toml_tables
from crosslit_bench.plan.campaign import ASKED, CampaignSpec
from crosslit_bench.plan.plan import plan

from crosslit import InputError, SpecError, registry
from crosslit.runs.run import Limits
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
WRONG = [
    ("a = ", 1, "expected TOML"),
    ("a = 1\n\na = 2\n", 3, "expected TOML"),
    ('[backends]\na = ["gauss"]\na = ["chase"]\n', 3, "expected TOML"),
    (b'title = "\xff"\n', 1, "UTF-8"),
    (b'\n\ntitle = "\xed\xa0\x80"\n', 3, "UTF-8"),
    (f"backend = 1\n{LEAST}", 1, "did you mean backends?"),
    (f"{LEAST}[limits]\nsecs = 1\n", 5, "[limits] has no key 'secs'; did you mean seconds?"),
    (f"{LEAST}[limits]\nseconds = 0\n", 5, "10000000, found 0"),
    (f"{LEAST}[limits]\nseconds = nan\n", 5, "found nan"),
    (f"{LEAST}[limits]\nseconds = inf\n", 5, "found inf"),
    (f"{LEAST}[limits]\nseconds = true\n", 5, "found true"),
    (f'{LEAST}[limits]\nseconds = "5"\n', 5, "found '5'"),
    (f"{LEAST}[limits]\nmemory_mb = 1.5\n", 5, "found 1.5"),
    (f"{LEAST}[limits]\ncpu_seconds = 0\n", 5, "found 0"),
    (f"{LEAST}[limits]\ncores = 1.5\n", 5, "found 1.5"),
    (f"{LEAST}[scores]\npar = 0.5\n", 5, "expected par = k of PAR-k, a number from 1 to 1000, found 0.5"),
    (f"{LEAST}[limits]\nsolutions = 2\n", 5, "`task`"),
    (f"{LEAST}[limits]\nrepetitions = 2\n", 5, "above the first table"),
    (f"limits = 5\n{LEAST}", 1, "a table [limits]"),
    (f"title = 5\n{LEAST}", 1, "expected title = a text, found 5"),
    (f'title = " "\n{LEAST}', 1, "expected title"),
    (f'task = "uniq"\n{LEAST}', 1, "did you mean unique?"),
    (f"task = []\n{LEAST}", 1, "'first', 'unique', 'all' or 'fewest'"),
    (f"repetitions = 0\n{LEAST}", 1, "found 0"),
    (f"repetitions = true\n{LEAST}", 1, "found true"),
    (f"seeds = []\n{LEAST}", 1, "it is empty"),
    (f"seeds = [1,\n -1]\n{LEAST}", 2, "found -1"),
    (f"seed = -1\n{LEAST}", 1, "found -1"),
    (PUZZLES, None, "expected backends ="),
    (f"backends = []\n{PUZZLES}", 1, "it is empty"),
    (f'backends = "gauss"\n{PUZZLES}', 1, "a list of specs"),
    (f"backends = [\n  'gauss',\n  5,\n]\n{PUZZLES}", 3, "found 5"),
    (f"backends = [\n  'gauss',\n  'gaus',\n]\n{PUZZLES}", 3, "did you mean gauss"),
    (f"backends = ['glucose4/no']\n{PUZZLES}", 1, "glucose4/no"),
    (f"backends = ['cpsat:sed=1']\n{PUZZLES}", 1, "unknown option"),
    (f"backends = ['gauss,chase']\n{PUZZLES}", 1, "gauss,chase"),
    (f"[backends]\n{PUZZLES}", 1, "expected a group"),
    (f"[backends]\na = []\n{PUZZLES}", 2, "it is empty"),
    (f"[backends]\na = 'gauss'\n{PUZZLES}", 2, "a list of"),
    (f"[backends]\na = ['gauss']\n'a ' = ['chase']\n{PUZZLES}", 3, "'a' twice"),
    (f"[backends]\n' ' = ['gauss']\n{PUZZLES}", 2, "a printable name"),
    (f'[backends]\na = ["gauss"]\n"b\\nc" = ["chase"]\n{PUZZLES}', 1, "a printable name"),
    (f"{LEAST}[limits]\nseconds = 1{'0' * 400}\n", 5, "above 0"),
    (f"{LEAST}[limits]\nseconds = 1{'0' * 5000}\n", None, "expected TOML"),
    (f"{LEAST}[limits]\nseconds = 2024-01-01\n", 5, "above 0"),
    (f"[backends]\na = ['gauss']\nb = ['chase', 'glucose4/zz']\n{PUZZLES}", 3, "glucose4/zz"),
    (f"{LEAST}[solvers]\nmine = 5\n", 5, "COMMAND"),
    (f"{LEAST}[solvers]\nok = 'a {{cnf}}'\nMine = 'x {{cnf}}'\n", 6, "lower case"),
    (f"{LEAST}[solvers]\ngauss = 'x {{cnf}}'\n", 5, "there is a backend of that name"),
    (f"{LEAST}[solvers]\nmine = ''\n", 5, "mine"),
    ("backends = ['gauss']\n", None, "expected a table [[puzzles]]"),
    (f"[backend]\na = ['gauss']\n{PUZZLES}", 1, "did you mean backends?"),
    ("backends = ['gauss']\n[puzzles]\npuzzles = ['1']\n", 2, "two brackets"),
    (f"{MADE}family = 'x'\n", 2, "one of generate, files and puzzles, found none"),
    (f"{LEAST}generate = 'nonogram'\n", 2, "found generate and puzzles"),
    (f"{LEAST}sizes = [5]\n", 4, "has no key 'sizes'"),
    (f"{MADE}puzzles = ['10/01',\n'1|']\n", 4, "'1|'"),
    (f"{MADE}puzzles = ['hello']\n", 3, "found 'hello'"),
    (f"{MADE}puzzles = []\n", 3, "it is empty"),
    (f"{MADE}files = ['*.nothing']\n", 3, "no file matches '*.nothing'"),
    (f"{MADE}files = ['.']\n", 3, "contains no puzzle"),
    (f"{MADE}files = ['my.toml',\n 'no']\n", 4, "no file matches 'no'"),
    (f"{MADE}files = ['a\\u0000b']\n".replace("'", '"'), 3, "null byte"),
    (f"{MADE}files = ['my.toml']\nformat = 'no'\n", 4, "expected format ="),
    (f"{MADE}files = ['my.toml']\nformat = 'lins'\n", 4, "did you mean lines?"),
    (f"{MADE}generate = 'lightsout'\nsizes = [5]\n", 3, "did you mean lights-out?"),
    (f"{MADE}generate = 'lights-out'\n", 2, "expected sizes"),
    (f"{MADE}generate = 'lights-out'\nsizes = []\n", 4, "it is empty"),
    (f"{MADE}generate = 'lights-out'\nsizes = [0]\n", 4, "found 0"),
    (f"{MADE}generate = 'lights-out'\nsizes = [true]\n", 4, "found true"),
    (f"{MADE}generate = 'lights-out'\nsizes = ['5 x 5']\n", 4, "found '5 x 5'"),
    (f"{MADE}generate = 'lights-out'\nsizes = ['5x0']\n", 4, "found '5x0'"),
    (f"{MADE}generate = 'lights-out'\nsizes = [99999]\n", 4, "more than"),
    (f"{MADE}generate = 'lights-out'\nsizes = [5]\nsolvable = 'no'\n", 5, "found 'no'"),
    (f"{MADE}generate = 'lights-out'\nsizes = [5,\n7]\nsolvable = false\n", 4, "every board of 7 x 7 has a solution"),
    (f"{MADE}generate = 'lights-out'\nsizes = [5]\nsolvable = false\npresses = 2\n", 6, "no fewest presses"),
    (f"{MADE}generate = 'lights-out'\nsizes = [5]\npress = 'pls'\n", 5, "plus"),
    (f"{MADE}generate = 'lights-out'\nsizes = [5]\nwrap = 'round'\n", 5, "found 'round'"),
    (f"{MADE}generate = 'lights-out'\nsizes = [5]\ncount = 0\n", 5, "found 0"),
    (f"{MADE}generate = 'lights-out'\nsizes = [5, 6]\ncount = 20000\n", 2, "at most 20000"),
    (f"{MADE}generate = 'lights-out'\nsizes = [5]\nseed = 1.0\n", 5, "found 1.0"),
    (f"{MADE}generate = 'lights-out'\nsizes = [5]\ntimeout = 0\n", 5, "found 0"),
    (f"{MADE}generate = 'lights-out'\nsizes = [5]\ndensities = [0.5]\n", 5, "has no key 'densities'"),
    (f"{MADE}generate = 'nonogram'\nsizes = [5]\ndensities = [0.5,\n1.5]\n", 6, "found 1.5"),
    (f"{MADE}generate = 'nonogram'\nsizes = [5]\ndensities = [nan]\n", 5, "found nan"),
    (f"{MADE}generate = 'nonogram'\nsizes = [5]\ndensities = 0.5\n", 5, "a list of"),
    (f"{MADE}generate = 'nonogram'\nsizes = [5]\ndifficulty = 'hard'\n", 5, "found 'hard'"),
    (f"{MADE}generate = 'nonogram'\nsizes = [5]\ndifficulty = 'line'\nunique = false\n", 6, "only puzzles with one"),
    (f"{MADE}generate = 'pigeonhole'\nsizes = ['3x4']\n", 4, "found '3x4'"),
    (f"{MADE}generate = 'pigeonhole'\nsizes = [3]\ncount = 2\n", 5, "has no key 'count'"),
    (f"{LEAST}[[puzzles]]\nfamily = 5\npuzzles = ['1']\n", 5, "expected family"),
    (f'{LEAST}[[puzzles]]\nfamily = "a\\u0007b"\npuzzles = ["1"]\n', 5, "a printable family"),
    (f"{LEAST}[limits]\nseconds = 1e9\n", 5, "at most 10000000, found 1000000000.0"),
    ("backends = ['gauss']\r\n[[puzzles]]\r\npuzzles = ['x']\r\n", 3, "found 'x'"),
    ("a = " + "[" * 5000, None, "expected TOML"),
]


@pytest.mark.parametrize(("text", "line", "told"), WRONG, ids=[str(number) for number in range(len(WRONG))])
def test_an_error_is_reported_in_one_line_with_its_place(
    tmp_path: Path, text: str | bytes, line: int | None, told: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError) as error:
        file.read(path)
    message = str(error.value)
    assert told in message
    assert "\n" not in message
    assert len(message) < 400 + len(str(path))
    if "[[[[" not in str(text):
        assert message.startswith(f"{path}: " if line is None else f"{path}:{line}: "), message


@pytest.mark.parametrize("path", ["no-such.toml", ".", "a\0b"])
def test_a_file_that_cannot_be_read(tmp_path: Path, path: str) -> None:
    with pytest.raises(InputError):
        file.read(tmp_path / path)


def test_a_path_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xff.toml")
    path.write_text(LEAST, encoding="utf-8")
    assert file.read(path).name == "?"
    path.write_text("x = 1", encoding="utf-8")
    with pytest.raises(InputError) as error:
        file.read(path)
    assert str(error.value).encode()  # can be printed


MANY = ".".join(["a"] * 100_000)


@pytest.mark.parametrize(
    "text",
    [f"{MANY} = 1", f"[{MANY}]", f"[[{MANY}]]", f"x = {{{MANY} = 1}}", " . ".join(['"a"'] * 100_000) + " = 1"],
    ids=["key", "table", "tables", "inline", "quoted"],
)
def test_a_key_of_very_many_parts_is_refused_before_it_is_parsed(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"my\.toml:5: expected TOML: a key of at most 100 parts"):
        file.read(written(tmp_path, f'title = "a\\"" # "\nabout = """\n"\n"""\n{text}\n{LEAST}'))


def test_text_with_many_dots_is_no_key(tmp_path: Path) -> None:
    dots = ".".join(["a"] * 20)
    text = f"title = \"{dots}\" # {dots}\nabout = '''\n{dots}\n'''\n{LEAST}family = '{dots}' # \"\n"
    assert file.read(written(tmp_path, text)).title == dots


@pytest.mark.parametrize(
    "text",
    [
        '# \\"""\n' * 100_000,  # marks of texts that do not end
        f"seeds = [\n1,{' ' * 200_000}\n]\n",
        f"backends = [\n['gauss',{' ' * 200_000}],\n]\n",
    ],
    ids=["marks", "spaces", "spaces in a list"],
)
def test_lines_are_numbered_in_time_that_grows_with_the_file(text: str) -> None:
    assert toml_tables.LineIndex(f"last = 1\n{text}").of("", 0, "last") == 1


def test_a_file_that_nobody_wrote_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"my\.toml: expected at most 4194304 bytes"):
        file.read(written(tmp_path, "#" * ((1 << 22) + 1)))


def test_a_byte_order_mark_is_none_of_the_text(tmp_path: Path) -> None:
    assert file.read(written(tmp_path, b"\xef\xbb\xbf" + LEAST.encode())).contestants == {"": ("gauss",)}


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
    from crosslit.registry.commands import define

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


def test_an_engine_that_is_not_there_is_no_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from crosslit.errors import Unavailable

    def version(_: object) -> str:
        raise Unavailable("not installed")

    monkeypatch.setattr(type(registry.all_backends()["cryptominisat"]), "version", version)
    campaign = file.read(ROOT / "examples" / "campaigns" / "parity-wall.toml")
    instances = list(sources.all_instances(campaign))[:2]
    specs = {run.spec for run in plan(campaign, instances)}
    assert {"cryptominisat/full-xor", "polynomial"} <= specs


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


def test_there_are_ready_campaigns() -> None:
    names = {path.stem for path in READY}
    assert {"parity-wall", "nonogram-encodings", "native-against-sat", "random-nonograms", "pigeonhole"} <= names
    assert {"survey", "random-30x30"} <= names


def test_a_survey_without_its_puzzles_is_one_line(tmp_path: Path) -> None:
    path = Path(shutil.copy(ROOT / "examples" / "campaigns" / "survey.toml", tmp_path))
    with pytest.raises(InputError, match=r"survey\.toml:\d+: no file matches 'survey/webpbn-\*\.non' in "):
        file.read(path)


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
