"""``crosslit enumerate`` as a user runs it: streams, files, and every way to end."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crosslit import Grid, load
from crosslit.questions.enumerate import ListingFormat
from tests.conftest import Command
from tests.core.questions.test_enumerate import switches
from tests.sessions import play, sessions

BOARD = "0000/0000/0000/0000"
MANY = "/".join(["0" * 23] * 23)  # 2^14 solutions
ENDLESS = "/".join(["0" * 39] * 39)  # 2^32 solutions


def started(*arguments: str, **options: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "crosslit", "enumerate", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "start_new_session": True}
    return subprocess.Popen(command, **{**pipes, **options})  # type: ignore[call-overload, no-any-return]


def wait_until_longer(path: Path, length: int, process: subprocess.Popen[bytes]) -> None:
    """Until a file has more bytes than that, or its writer has ended."""
    while process.poll() is None and not (path.exists() and path.stat().st_size > length):
        time.sleep(0.0005)


@sessions(
    r"""
## a check may count, and one that does not finish ends as undecided
$ crosslit enumerate '1,1|1,1' --check-backend frontier
.../...
.../...
! crosslit: 2 solutions, complete (evidence: agreed, by hybrid:engine=cadical195, frontier)
$ crosslit enumerate '1,1,1,1|1,1,1,1' --check-backend frontier:states=2
...
! crosslit: 24 solutions, complete (...claimed, by hybrid...); not cross-checked: frontier:states=2: more than 2 ...
? 3
"""
)
def test_session(session: str, tmp_path: Path, crosslit: Command) -> None:
    play(session, tmp_path, crosslit)


def test_only_solutions_are_on_standard_output(crosslit: Command) -> None:
    run = crosslit("enumerate", BOARD)
    lines = run.stdout.splitlines()
    assert lines == sorted(set(lines))
    assert len(lines) == 16
    assert not any(list(load(BOARD).violations(Grid.from_text(line))) for line in lines)
    assert run.stderr == "crosslit: 16 solutions, complete (evidence: claimed, by polynomial)\n"
    assert run.returncode == 0


def test_the_output_may_be_closed() -> None:
    process = started(ENDLESS)
    assert process.stdout is not None
    assert process.stderr is not None
    first = process.stdout.readline().decode().strip()  # long before the end, which is never reached
    assert not any(load(ENDLESS).violations(Grid.from_text(first)))
    process.stdout.close()
    with process.stderr as errors:
        told = errors.read().decode()
    assert process.wait(20) == 141
    assert "incomplete (the output was closed)" in told
    assert told.count("\n") == 1


@pytest.mark.slow
def test_nothing_listed_is_not_no_solution() -> None:
    for more in ([], ["--json"], ["-o", "/dev/stdout"]):
        process = started(BOARD, *more)
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        with process.stderr as errors:
            assert errors.read() == b"crosslit: none listed, incomplete (the output was closed)\n"
        assert process.wait(20) == 141


def test_an_interrupt_keeps_whole_lines() -> None:
    process = started(ENDLESS, bufsize=0)  # or lines that were read ahead are lost to `communicate`
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(100)]
    os.killpg(process.pid, signal.SIGINT)
    rest, told = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"incomplete (polynomial: interrupted)" in told
    output = b"".join(lines) + rest
    assert output.endswith(b"\n")
    assert {len(line) for line in output.splitlines()} == {39 * 40 - 1}


def test_too_much_memory_is_reported(crosslit: Command, tmp_path: Path) -> None:
    run = crosslit("enumerate", ENDLESS, "-o", str(tmp_path / "list"), "--memory", "1")
    assert "incomplete (polynomial: stopped at 1 MB of memory)" in run.stderr
    assert run.returncode == 3


def test_a_timeout_is_reported_and_the_file_has_whole_solutions(crosslit: Command, tmp_path: Path) -> None:
    path = tmp_path / "list"
    run = crosslit("enumerate", ENDLESS, "-o", str(path), "--timeout", "0.5")
    assert run.returncode == 3
    assert run.stdout == ""
    assert "incomplete (polynomial: stopped after 0.5 s)" in run.stderr
    size = 39 * 40
    assert path.stat().st_size % size == 0
    path.unlink()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("puzzle", "backend", "name", "kills"), [(MANY, "polynomial", "text", 6), (switches(10).text, "line", "jsonl", 3)]
)
def test_a_list_that_is_killed_again_and_again_is_completed(
    tmp_path: Path, puzzle: str, backend: str, name: str, kills: int
) -> None:
    path = tmp_path / "list"
    layout = ListingFormat(load(puzzle), name)
    count = 2**14 if puzzle == MANY else 2**10
    whole = count * layout.size
    rng = random.Random(1)
    killed = 0
    for number in range(kills):
        process = started(puzzle, "--backend", backend, "-o", str(path), "--to", name, "--resume")
        before = path.stat().st_size if path.exists() else 0
        wait_until_longer(path, max(before, whole * number // kills), process)
        time.sleep(rng.choice([0, 0, 0.001, 0.003]))
        process.kill()  # nothing to one that has ended
        process.communicate(timeout=20)
        killed += process.returncode == -signal.SIGKILL
    # on a busy machine, some may have finished before the signal
    assert killed >= kills // 3
    process = started(puzzle, "--backend", backend, "-o", str(path), "--to", name, "--resume")
    _, told = process.communicate(timeout=60)
    assert process.returncode == 0, told
    assert f"{count} solutions".encode() in told
    data = path.read_bytes()
    assert len(data) == whole
    packed = layout.parse(data)
    assert packed is not None
    size = len(packed) // count
    assert len({packed[at : at + size] for at in range(0, len(packed), size)}) == count


def test_json_has_the_solutions_and_what_is_known(crosslit: Command) -> None:
    run = crosslit("enumerate", BOARD, "--json", "--check")
    *solutions, summary = map(json.loads, run.stdout.splitlines())
    assert len({solution["solution"] for solution in solutions}) == 16
    assert summary["solutions"] == 16
    assert (summary["complete"], summary["evidence"], summary["by"]) == (True, "agreed", ["polynomial", "gauss"])
    assert [(one["backend"], one["status"], one["solutions"]) for one in summary["runs"]] == [
        ("polynomial", "complete", 16),
        ("gauss", "complete", 16),
    ]
    assert run.stderr == ""


@pytest.mark.parametrize(
    ("backend", "check", "problem", "guilty"),
    [
        ("drops-last", "gauss", "missing-solution", "drops-last"),
        ("gauss", "drops-last", "missing-solution", "drops-last"),
        ("repeats", "gauss", "duplicate-solution", "repeats"),
        ("gauss", "repeats", "duplicate-solution", "repeats"),
        ("wrong-grid", "gauss", "wrong-solution", "wrong-grid"),
        ("gauss", "wrong-grid", "wrong-solution", "wrong-grid"),
        ("batches-drop", "gauss", "missing-solution", "batches-drop"),
        ("batches-repeat", "gauss", "duplicate-solution", "batches-repeat"),
        ("batches-swap", "gauss", "error", "batches-swap"),
        ("batches-lie", "gauss", "wrong-solution", "batches-lie"),
    ],
)
def test_the_guilty_is_named_by_a_witness(
    crosslit: Command, planted_environment: dict[str, str], backend: str, check: str, problem: str, guilty: str
) -> None:
    arguments = (BOARD, "--backend", backend, "--check-backend", check, "--json")
    run = crosslit("enumerate", *arguments, env=planted_environment)
    assert run.returncode == 1
    *solutions, summary = map(json.loads, run.stdout.splitlines())
    findings = [finding for finding in summary["findings"] if finding["problem"] == problem]
    assert [finding["backend"] for finding in findings] == [guilty]
    assert findings[0]["witness"] is not None
    # for any backend, no wrong solution is listed, and none twice
    texts = [solution["solution"] for solution in solutions]
    assert len(set(texts)) == len(texts) == summary["solutions"]
    assert not any(list(load(BOARD).violations(Grid.from_text(text))) for text in texts)
    assert summary["complete"] is (guilty == check)
