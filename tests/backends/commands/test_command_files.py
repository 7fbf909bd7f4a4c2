"""The commands of a ``crosslit.toml``: they may be another person's, so nothing starts them but their name."""

from __future__ import annotations

from pathlib import Path

import pytest

from crosslit.base.errors import InputError
from crosslit.registry.specs import listed
from tests.conftest import Command


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A folder that may be another person's; its programs create the file ``ran`` when they start."""
    folder = tmp_path / "own"
    folder.mkdir()
    # The names count: Crosslit asks programs called `kissat` for their version, and `minizinc` for its solvers.
    for name in ("kissat", "minizinc"):
        path = folder / name
        path.write_text(f"#!/bin/sh\ntouch '{folder}/ran'\necho s UNKNOWN\n", encoding="utf-8")
        path.chmod(0o755)
    commands = '[solvers]\nmine = "./kissat {cnf}"\nzinc = "./minizinc --solver gecode {mzn}"\n'
    (folder / "crosslit.toml").write_text(commands, encoding="utf-8")
    (folder / "board.txt").write_text("11\n11\n", encoding="utf-8")
    (folder / "campaign.toml").write_text('backends = ["mine"]\n[[puzzles]]\npuzzles = ["1"]\n', encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("words", "folder"),
    [
        ("backends", "own"),
        ("backends --json", "own"),
        ("compare 11/11 --backends all --timeout 0.01", "own"),
        ("compare 11/11 --backends gauss,mi*,[m-z]i*/full-* --timeout 0.01", "own"),
        ("compare 11/11 --backends command --solver mine=true --solver zinc=true", "own"),
        ("compare own/board.txt --backends gauss,all --timeout 0.01", ""),
        ("compare own/board.txt --backends gauss,command", ""),
        ("compare own/board.txt --backends gauss,mine", ""),  # only the working directory is looked at
    ],
)
def test_groups_and_wildcards_start_no_command_of_a_file(crosslit: Command, own: Path, words: str, folder: str) -> None:
    done = crosslit(*words.split(), cwd=own.parent / folder)
    assert not (own / "ran").exists()
    assert "runs its" not in done.stderr


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("backends mine", "command mine"),
        ("compare 11/11 --backends command --json", "commands mine, zinc"),
        ("compare 11/11 --backends gauss,mine/full-direct", "command mine"),
        ("check-backend mine --level quick --kind lights-out --timeout 0.2", "command mine"),
        ("verify --kind lights-out --backend gauss --against mine --cases 1", "command mine"),
    ],
)
def test_standard_error_names_the_file_whose_command_is_started(
    crosslit: Command, own: Path, words: str, names: str
) -> None:
    done = crosslit(*words.split(), cwd=own)
    assert (own / "ran").exists(), done.stderr
    assert done.stderr.splitlines()[0] == f"crosslit: crosslit.toml: runs its {names}"
    assert done.stderr.count("runs its") == 1


def test_python_names_the_file_too(own: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:  # type: ignore[type-arg]
    from crosslit import load, registry

    monkeypatch.chdir(own)
    board = load("11/11")
    try:
        assert [choice.spec for _ in range(2) for choice in registry.select("mine", board)] == ["mine", "mine"]
    finally:
        registry.forget("mine")
    assert capsys.readouterr().err == "crosslit: crosslit.toml: runs its command mine\n"


def test_a_campaign_ignores_every_such_file(crosslit: Command, own: Path) -> None:
    done = crosslit("bench", "run", "campaign.toml", cwd=own)
    assert (done.returncode, "there is no 'mine'" in done.stderr) == (2, True)
    assert not (own / "ran").exists()


def test_a_name_is_defined_once_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "crosslit.toml"
    path.write_text('[solvers]\na = "x {cnf}"\n[programs.a]\ncommand = "y"\n', encoding="utf-8")
    with pytest.raises(InputError, match="expected one definition of a, found a solver and a program"):
        listed(path)
