"""Commands as child processes, and the folders of their runs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import IO, Any

import pytest
from crosslit_backends.commands.child_processes import (
    CommandBackend,
    command_words,
    exit_words,
    file_version,
    output_of,
    run_folder,
    start,
    with_path,
)
from crosslit_backends.engines import minizinc
from crosslit_encoders.finite_domain import Model

from crosslit.base.errors import GaveUp, SpecError, Unavailable
from crosslit.contract import Task
from tests.conftest import executable, other_processes


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two files, one of them a program; the working directory and the home are others."""
    for name in ("elsewhere", "home", "own"):
        (tmp_path / name).mkdir()
    own = tmp_path / "own"
    executable(own / "solver", "")
    (own / "a.conf").touch()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return own


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["solver", "solver"], ["solver", "OWN/solver"]),  # a program without a slash is one of the PATH
        (["./solver"], ["OWN/solver"]),
        (["../own/solver", "-x", "a.conf", "--c=a.conf"], ["OWN/solver", "-x", "OWN/a.conf", "--c=a.conf"]),
        (["~/solver", "~/a.conf", ".."], ["HOME/solver", "~/a.conf", ".."]),
        (["/bin/sh", "a.conf", "x", "a.conf"], ["/bin/sh", "OWN/a.conf", "x", "OWN/a.conf"]),
    ],
)
def test_paths_in_a_command_are_those_of_its_folder(folder: Path, words: list[str], found: list[str]) -> None:
    home = str(folder.parent / "home")
    expected = tuple(word.replace("OWN", str(folder)).replace("HOME", home) for word in found)
    assert with_path(words, str(folder)) == expected


@pytest.mark.parametrize(
    ("words", "files"),
    [
        ("OWN/solver", "OWN/solver"),
        ("OWN/solver -x OWN/a.conf OWN OWN/b.conf OWN/a.conf", "OWN/solver OWN/a.conf OWN/a.conf"),
        ("OWN/solver --model=OWN/a.conf --seed=3", "OWN/solver OWN/a.conf"),
        ("OWN/solver -D=model=OWN/a.conf =OWN/a.conf", "OWN/solver OWN/a.conf"),
        ("OWN/a.conf --model=OWN/solver", "OWN/solver"),  # not executable
        ("OWN/missing", ""),
    ],
)
def test_the_files_of_a_command_are_its_program_and_every_word_or_value_that_is_a_file(
    folder: Path, words: str, files: str
) -> None:
    backend = CommandBackend("mine", tuple(words.replace("OWN", str(folder)).split()))
    assert backend.files() == tuple(files.replace("OWN", str(folder)).split())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a {z} {cnf} {b_2}", "solver mine: expected {cnf} or {out}, or only {file} for the puzzle, found {b_2}"),
        ("a{cnf}{cnf2}", "solver mine: expected {cnf} or {out}, or only {file} for the puzzle, found {cnf2}"),
        ("a 'b", 'solver mine: no closing quotation in the command "a \'b"'),
    ],
)
def test_a_command_of_unknown_places_is_refused(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=f"^{re.escape(message)}$"):
        command_words("mine", text, "{cnf}", "{out}")


def test_a_command_is_split_and_keeps_the_braces_of_a_shell() -> None:
    words = ["a", "b c", "${home}", "{}", "{A}", "{1}", "{cnf}--out={out}"]
    assert command_words("mine", "a  'b c' ${home} {} {A} {1} {cnf}--out={out}", "{cnf}", "{out}") == words


def test_a_program_that_was_rebuilt_has_another_version(tmp_path: Path) -> None:
    path, found = tmp_path / "mine", []
    for number in range(2):
        path.write_text(f"#!{number}", encoding="utf-8")
        os.utime(path, ns=(number, number))
        found.append(file_version(str(path)))
    assert found[0] != found[1]
    path.unlink()
    with pytest.raises(Unavailable, match=f"^{path}: No such file or directory$"):
        file_version(str(path))


def test_a_command_reads_its_input_while_it_writes() -> None:
    data = b"x" * (1 << 20)
    assert output_of(["sh", "-c", "cat; echo no >&2; exit 3"], Task(), data) == (data, b"no\n", 3)
    assert output_of(["sh", "-c", "cat; kill -TERM $$"], Task()) == (b"", b"", -15)


def test_a_command_is_killed_when_its_output_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    started = list[Popen[bytes]]()

    def communicate(process: Popen[bytes], _: bytes) -> None:
        started.append(process)
        raise KeyboardInterrupt

    monkeypatch.setattr(Popen, "communicate", communicate)
    with pytest.raises(KeyboardInterrupt):
        output_of(["sleep", "20"], Task())
    with started[0] as process:
        assert process.wait() == -9


def test_a_command_of_minizinc_is_killed_when_no_more_solutions_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    started = list[Popen[bytes]]()

    def noted(words: Sequence[str], *files: IO[bytes]) -> Popen[bytes]:
        started.append(start(words, *files))
        return started[-1]

    monkeypatch.setattr(minizinc, "start", noted)
    backend: Any = minizinc.command("mine", """sh -c 'echo "x = [0];"; exec sleep 20' {mzn}""", "", frozenset())
    solutions = backend.search(Model(1, 1), Task(), False)
    assert next(solutions) == [0]
    solutions.close()
    assert started[0].returncode == -9


def test_a_command_that_does_not_start_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.write_text("echo s UNSATISFIABLE", encoding="utf-8")
    path.chmod(0o755)
    for command, reason in (("/no/such/command", "No such file or directory"), (str(path), "Exec format error")):
        with pytest.raises(GaveUp, match=f"^the command {command} does not start: {reason}$"):
            start([command], DEVNULL)


def test_a_signal_without_a_name_has_its_number() -> None:
    assert [exit_words(code) for code in (-9, -40)] == ["killed by SIGKILL", "killed by signal 40"]


HOLD = """
import time
from crosslit_backends.commands.child_processes import run_folder
with run_folder() as folder:
    print(folder, flush=True)
    time.sleep(60)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Temporary files are in the folder of the test."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_a_folder_that_a_killed_process_left_is_removed_by_the_next_run(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        left = Path(process.stdout.readline().strip())
        with run_folder() as own:
            assert own != left and left.is_dir()
        process.send_signal(signal.SIGKILL)
    assert [*tmp_path.iterdir()] == [left]
    with run_folder() as own:
        assert [*tmp_path.iterdir()] == [own]
    assert [*tmp_path.iterdir()] == []


def test_a_run_in_another_namespace_of_processes_keeps_the_folders_of_live_runs(tmp_path: Path) -> None:
    code = "from crosslit_backends.commands.child_processes import run_folder\nwith run_folder():\n    pass"
    with run_folder() as own:
        other_processes(sys.executable, "-c", code)
        assert own.is_dir()
        assert [*tmp_path.iterdir()] == [own]


def test_a_command_may_remove_its_folder(tmp_path: Path) -> None:
    before = len([*Path("/dev/fd").iterdir()])
    with run_folder() as own:
        own.rmdir()
    assert [*tmp_path.iterdir()] == []
    assert len([*Path("/dev/fd").iterdir()]) == before  # the lock is closed


def test_nothing_but_a_folder_is_opened_in_the_place_of_one(tmp_path: Path) -> None:
    pipe, link, victim = (tmp_path / name for name in (*map("crosslit-program-run-".__add__, "pl"), "victim"))
    os.mkfifo(pipe)  # opening it would wait for a writer
    victim.mkdir()
    link.symlink_to(victim)
    with run_folder():
        pass
    assert {*tmp_path.iterdir()} == {pipe, link, victim}


def test_without_locks_no_folder_of_another_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosslit_backends.commands.child_processes.fcntl", None)
    left = tmp_path / "crosslit-program-run-left"
    left.mkdir()
    with run_folder() as own:
        assert {*tmp_path.iterdir()} == {left, own}
    assert [*tmp_path.iterdir()] == [left]
