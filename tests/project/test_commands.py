"""All commands together: an option has one meaning, and all JSON has one form."""

from __future__ import annotations

import functools
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

import crosslit
from benchmarks import json_schema
from crosslit.cli.group import root
from crosslit.cli.output import SCHEMA
from tests.commands.test_help import ALL
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
# the name of an option, its metavar, and the words that each help has: the cell up to a semicolon
MEANINGS = {
    name: (metavar, meaning)
    for name, metavar, meaning in re.findall(r"^\| `(--[a-z-]+) ?(\S*)`[^|]*\| ([^;|]+?)(?:;.*)? \|$", PAGE, re.M)
}
TWO_MEANINGS = {"--unique", "--unsolvable"}  # the page says so
JSON = """
backends gauss
bench diff c.sqlite c.sqlite
bench merge all.sqlite c.sqlite
bench report c.sqlite
bench run c.toml
bench status c.sqlite
check-backend gauss --level quick --kind lights-out
check-certificate 10/11 certificate
compare 10/11 1|1 --backends gauss,line
compare 10/11 --fewest --backends brute
compare 10/11 --backends gauss,line --certify
compare 11/11 --backends wrong-grid,drops-last,raises,gives-up,cannot-import --all
count 10/11
count 11/11 --check
decode 10/11 model
decode 11/11 solution
enumerate 10/11
enumerate 11/11 --backend drops-last
enumerate 1,1|1,1 -o other.txt
explain 1,1|1,1
explain 2|1
explain 100
generate coloured-nonogram --size 3
generate lights-out --size 3
generate modular-lights-out --size 3
generate nonogram --size 3
page 10/11
show 10/11 --solution
solve 10/11
solve 11/11 --backend wrong-grid
solve 10/11 --fewest
stats 10/11 1|1 --backends gauss,line
stats 11/11 2|1 --backends drops-last,line
verify --backend gauss --kind lights-out --cases 3
verify --kind lights-out --cases 9 -- cat
verify --kind nonogram --cases 2 -- cat {file}
""".strip().splitlines()


def options() -> Iterator[tuple[str, str, str, click.Option]]:
    """Yield the name of each option, its command, its metavar and itself."""
    for path, command in ALL.items():
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                chosen = option.is_flag or (isinstance(option.type, click.Choice) and option.metavar is None)
                metavar = "" if chosen else option.make_metavar(click.Context(command))
                yield from ((name, " ".join(path), metavar, option) for name in option.opts if name.startswith("--"))


@pytest.mark.parametrize("name", sorted({name for name, _, _, _ in options()} - TWO_MEANINGS))
def test_an_option_has_one_meaning(name: str) -> None:
    found = {
        (metavar, re.sub(r"\s*\[default:.*", "", option.help or ""))
        for known, _, metavar, option in options()
        if known == name
    }
    if len(found) > 1 or name in MEANINGS:
        metavar, meaning = MEANINGS[name]
        assert [(other, text) for other, text in found if other != metavar or meaning.lower() not in text.lower()] == []


def test_every_limit_of_time_is_documented() -> None:
    rows = re.findall(r"^\| (`[a-z`, -]+`) \| ([0-9]+|no limit|that of its file) \|$", PAGE, re.M)
    listed = {name: seconds for names, seconds in rows for name in re.findall("`(.*?)`", names)}
    defaults = {
        command.removesuffix(command.partition("generate")[2]): option.show_default
        if isinstance(option.show_default, str)
        else str(option.default)
        for name, command, _, option in options()
        if name == "--timeout"
    }
    assert listed == defaults
    names = {name: {"stats": "audit"}.get(name, name) for name in listed}
    assert {name for name in names.values() if hasattr(crosslit, name)} >= {"audit", "compare", "explain", "verify"}
    for command, name in names.items():
        parameters = inspect.signature(getattr(crosslit, name, lambda: None)).parameters
        if "timeout" in parameters:
            limit = None if name == "solve" else float(listed[command])  # it runs in the process of the caller
            assert parameters["timeout"].default == limit, name


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the commands read."""
    folder = tmp_path_factory.mktemp("json")
    (folder / "c.toml").write_text('backends = ["gauss"]\n[[puzzles]]\npuzzles = ["10/11"]\n', encoding="utf-8")
    (folder / "model").write_text("s UNSATISFIABLE\n", encoding="utf-8")
    (folder / "solution").write_text("s SATISFIABLE\nv 1 2 3 4 0\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for line in (
            "bench run c.toml",
            "compare 10/11 --backends gauss --certificate certificate",
        ):
            done = CliRunner().invoke(root, line.split())
            assert done.exit_code == 0, done.output
    return folder


@functools.cache
def validator(task: str) -> Draft202012Validator:
    """Return a validator of the objects of a command, which refuses keys that the schema does not name."""
    closed = json_schema.schema(is_closed=True)
    return Draft202012Validator({"$defs": closed["$defs"], "$ref": f"#/$defs/{task}"})


def test_the_schema_of_json_is_written() -> None:
    Draft202012Validator.check_schema(json_schema.schema())
    assert json_schema.FILE.read_text(encoding="utf-8") == json_schema.content(), (
        "python -m benchmarks.json_schema --write"
    )


@pytest.mark.parametrize(
    "line", [pytest.param(line, marks=[pytest.mark.slow] * line.startswith("check-backend")) for line in JSON]
)
@pytest.mark.usefixtures("planted")
def test_all_json_has_one_form(line: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    words, dashes, command = line.partition(" -- ")
    done = CliRunner().invoke(root, f"{words} --json{dashes}{command}".split(), prog_name="crosslit")
    assert done.exit_code in (0, 1, 3), done.output  # 3: `bench diff` has too few puzzles
    records = [json.loads(text) for text in done.stdout.splitlines()]
    if line.startswith("enumerate"):
        records = [record for record in records if [*record] != ["solution"]]  # data, not objects of the command
    assert records
    task = max(("-".join(path) for path in ALL if [*path] == line.split()[: len(path)]), key=len)
    for record in records:
        assert [*record.items()][:3] == [("schema", SCHEMA), ("crosslit", crosslit.__version__), ("task", task)]
        error = best_match(validator(task).iter_errors(record))
        assert error is None, f"{error.json_path}: {error.message}; benchmarks/json_schema.py"


def test_every_command_with_json_is_tried() -> None:
    tried = {path for path in ALL for line in JSON if [*path] == line.split()[: len(path)]}
    assert {command for name, command, _, _ in options() if name == "--json"} <= {" ".join(path) for path in tried}
