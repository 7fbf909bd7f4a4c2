"""The folder of a run belongs to its process, in whatever container that is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from crosslit_backends.commands.child_processes import run_folder

from tests.conftest import other_processes

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
    with run_folder() as own:
        own.rmdir()
    assert [*tmp_path.iterdir()] == []


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
