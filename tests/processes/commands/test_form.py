"""Commands that read a file form, and those that crosslit.toml defines."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from crosslit_encoders.finite_domain import Written

from crosslit import registry
from crosslit.contract import ContractError, Task
from crosslit.contract.registered import forms
from crosslit.formats import read
from crosslit.registry import define
from tests.conftest import Command, executable

if TYPE_CHECKING:
    from crosslit.contract import Encoding

BOARD = read("11")  # two solutions
IN_FILES = [form for form in forms() if form != "mzn"]  # the commands of MiniZinc models are a module of their own
Solve = Callable[..., list[str]]


def solutions(command: str) -> list[str]:
    """The solutions of the board by a command."""
    define("mine", command, "test")
    # the default encoding of the richest forms has few cells, of others all
    spec = "mine/xor" if any(form in command for form in ("{smt2}", "{asp}")) else "mine"
    choice = registry.select_one(spec, BOARD)
    found = choice.backend.solutions(BOARD, Task(encoding=choice.encoding))
    return [grid.text for grid in found]


@pytest.fixture
def solve(tmp_path: Path) -> Solve:
    """Solve the board by a command that gives one of some answers after another."""

    def by_answers(*answers: str, place: str = "{smt2}") -> list[str]:
        for number, answer in enumerate(answers):
            (tmp_path / f"answer{number}").write_text(answer, encoding="utf-8")
        folder = shlex.quote(str(tmp_path))
        words = f'cd {folder}\ncp "$1" model\necho "$*" > words\nset -- answer*\ncat "$1"\nrm "$1"'
        script = executable(tmp_path / "solver.sh", words)
        return solutions(f"{shlex.quote(str(script))} {place}")

    return by_answers


def test_each_solution_is_excluded_before_the_next_start(solve: Solve, tmp_path: Path) -> None:
    assert solve("sat\n((x1 true) (x2 false))", "sat\n((x1 false) (x2 true))", "unsat") == ["10", "01"]
    assert (tmp_path / "model").read_text(encoding="utf-8").count("(assert (or ") == 2


@pytest.mark.parametrize("form", IN_FILES)
def test_the_answer_is_read_in_the_form_of_the_file(solve: Solve, tmp_path: Path, form: str) -> None:
    answers = {"asp": "UNSATISFIABLE", "smt2": "unsat", "lp": "infeasible"}
    assert solve(answers.get(form, "s UNSATISFIABLE"), place=f"{{{form}}} -x --again={{{form}}}") == []
    path, option, again = (tmp_path / "words").read_text(encoding="utf-8").split()
    assert (option, again) == ("-x", f"--again={path}")
    # solvers recognize a form by the name of its file
    assert Path(path).name == {"asp": "model.lp", "xcsp3": "model.xml"}.get(form, f"model.{form}")
    assert registry.all_backends()["mine"].targets == {*forms()[form].load().TARGETS}


def test_a_run_has_phases_and_sizes_and_leaves_its_model_as_it_was(
    solve: Solve, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ContractError):  # defines the backend
        solve("", place="{lp}")
    choice = registry.select_one("mine", BOARD)
    assert choice.encoding is not None
    model, phases = choice.encoding.encode(BOARD), list[str]()
    monkeypatch.setattr(Task, "phase", lambda _, phase: phases.append(phase))
    task = Task(encoding=cast("Encoding", SimpleNamespace(encode=lambda _: model)))
    answers = iter([("", [1, 0, 0, 0]), ("", [0, 1, 1, 1]), ("unsatisfiable", None)])
    before = len(model.constraints)
    monkeypatch.setattr("crosslit_backends.commands.child_processes.output_of", lambda *_: (b"", b"", 0))
    monkeypatch.setattr(Written, "read", lambda *_: next(answers))
    assert [grid.text for grid in choice.backend.solutions(BOARD, task)] == ["10", "01"]
    assert phases == ["encode", *["load", "solve", "decode"] * 3]
    assert task.stats == model.sizes
    assert len(model.constraints) == before
    # the cells are excluded, whatever the other variables are
    answers = iter([("", [1, 0, 0, 0]), ("", [1, 0, 1, 1])])
    with pytest.raises(ContractError, match="repeats a model"):
        list(choice.backend.solutions(BOARD, task))


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ("echo unsat > $2; echo sat", ""),
        (": > $2; echo unsat", ""),
        ("echo unsat", ""),
        ("echo sat > $2; echo unsat", "no model and no verdict"),
        ("echo > $2; echo unsat", "no model and no verdict"),
        ("echo unsat > $2; kill -TERM $$", "^the solver was killed by SIGTERM$"),
        ("echo unsat > $2; kill -HUP $$", "^the solver was killed by SIGHUP$"),
        ("echo unsat > $2; exit 1", ""),
    ],
)
def test_the_file_of_the_answer_has_priority_unless_it_is_empty_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str, message: str
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # others may run on this machine
    script = executable(tmp_path / "solver.sh", end)
    with pytest.raises(ContractError, match=message) if message else nullcontext():
        assert solutions(f"{shlex.quote(str(script))} {{smt2}} {{out}}") == []
    assert not list(Path(tempfile.gettempdir()).glob("crosslit-program-*"))


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A folder that may be another person's; its programs create the file ``ran`` when they start."""
    folder = tmp_path / "own"
    folder.mkdir()
    # The names count: Crosslit asks programs called `kissat` for their version, and `minizinc` for its solvers.
    for name in ("kissat", "minizinc"):
        executable(folder / name, f"touch '{folder}/ran'\necho s UNKNOWN")
    commands = '[solvers]\nmine = "./kissat {cnf}"\nzinc = "./minizinc --solver gecode {mzn}"\n'
    (folder / "crosslit.toml").write_text(commands, encoding="utf-8")
    (folder / "board.txt").write_text("11\n11\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("words", "folder"),
    [
        ("backends --json", "own"),
        ("compare 11/11 --backends gauss,mi*,[m-z]i*/full-* --timeout 0.01", "own"),
        ("compare 11/11 --backends command --solver mine=true --solver zinc=true", "own"),
        ("compare own/board.txt --backends gauss,all --timeout 0.01", ""),
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
