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


def test_only_solutions_are_on_standard_output(crosslit: Command) -> None:
    run = crosslit("enumerate", BOARD)
    lines = run.stdout.splitlines()
    assert lines == sorted(set(lines))
    assert len(lines) == 16
    assert not any(list(load(BOARD).violations(Grid.from_text(line))) for line in lines)
    assert run.stderr == "crosslit: 16 solutions, complete (evidence: claimed, by polynomial)\n"
    assert run.returncode == 0


def test_no_solution_is_a_complete_list(crosslit: Command) -> None:
    run = crosslit("enumerate", "2|1")
    assert (run.stdout, run.returncode) == ("", 0)
    assert run.stderr == "crosslit: no solution, complete (evidence: claimed, by hybrid:engine=cadical195)\n"


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


def test_a_file_that_exists_is_left_alone(crosslit: Command, tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text("hello\n", encoding="utf-8")
    for more, expected in (([], "it exists already"), (["--resume"], "something else at record 1")):
        run = crosslit("enumerate", BOARD, "-o", str(path), *more)
        assert run.returncode == 2
        assert run.stderr.startswith(f"crosslit: {path}: expected a")
        assert expected in run.stderr
        assert path.read_text(encoding="utf-8") == "hello\n"


def test_a_list_of_another_puzzle_is_left_alone(crosslit: Command, tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text("1000/0000/0000/0000\n", encoding="utf-8")
    run = crosslit("enumerate", BOARD, "-o", str(path), "--resume")
    assert run.returncode == 2
    assert "solution 1: row 1, column 1 stays lit" in run.stderr
    assert path.read_text(encoding="utf-8") == "1000/0000/0000/0000\n"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["-o", "{folder}/none/list"], "No such file or directory"),
        (["-o", "{folder}"], "Is a directory"),
        (["--resume"], "--resume needs --output"),
        (["--json", "--to", "text"], "--json prints solutions as jsonl"),
        (["--backend", "line"], "does not solve lights-out puzzles"),
    ],
)
def test_bad_usage_is_one_line_and_creates_nothing(
    crosslit: Command, tmp_path: Path, arguments: list[str], expected: str
) -> None:
    run = crosslit("enumerate", BOARD, *(argument.format(folder=tmp_path) for argument in arguments))
    assert run.returncode == 2
    assert expected in run.stderr
    assert "Traceback" not in run.stderr
    assert run.stdout == ""
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("lines", "more", "status", "said"),
    [
        (
            ["10/01", "01/10"],
            [],
            0,
            ["2 solutions: 2 in LIST, 0 missing; 0 wrong lines, 0 repeated, complete (evidence"],
        ),
        (
            ["10/01"],
            [],
            1,
            ["2 solutions: 1 in LIST, 1 missing; 0 wrong lines, 0 repeated, complete (evidence: agreed"],
        ),
        (
            ["01/10", "11/00", "01/10"],
            [],
            1,
            [
                "LIST:2: row 1 has blocks 2, its clue is 1",
                "LIST:3: repeats an earlier line",
                "2 solutions: 1 in LIST, 1 missing; 1 wrong line, 1 repeated, complete (evidence: agreed",
            ],
        ),
        (["10/01", "01/10"], ["--check-backend", "cpsat:seed=3"], 0, ["2 solutions: 2 in LIST, 0 missing;"]),
        (["10/01", "01/10"], ["--check-backend", "frontier:states=1"], 3, ["2 solutions: 2 in LIST"]),
        ([], ["--limit", "1"], 1, ["1 solution: 0 in LIST, 1 missing; 0 wrong lines, 0 repeated, incomplete"]),
    ],
)
def test_a_list_is_judged(
    crosslit: Command, tmp_path: Path, lines: list[str], more: list[str], status: int, said: list[str]
) -> None:
    path = tmp_path / "LIST"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    run = crosslit("enumerate", "1,1|1,1", "--check-list", str(path), *more)
    assert run.returncode == status
    told = run.stderr.replace(str(path), "LIST").splitlines()
    assert len(told) == len(said)
    for line, expected in zip(told, said, strict=True):
        assert line.startswith(f"crosslit: {expected}")
    missing = {"10/01", "01/10"}.difference(lines)
    assert set(run.stdout.split()) <= missing
    assert len(run.stdout.split()) == min(len(missing), 1 if more == ["--limit", "1"] else 9)


def test_a_check_that_is_not_independent_is_refused_before_the_run(crosslit: Command) -> None:
    run = crosslit("enumerate", "1,1|1,1", "--check-backend", "line")
    problem = "it cannot check hybrid:engine=cadical195: both rest on kernel, line solving"
    assert (run.returncode, run.stdout, run.stderr) == (2, "", f"crosslit: backend 'line': {problem}\n")
    run = crosslit("enumerate", "1,1|1,1", "--check-backend", "frontier")  # which counts and does not list
    assert (run.returncode, run.stderr) == (
        0,
        "crosslit: 2 solutions, complete (evidence: agreed, by hybrid:engine=cadical195, frontier)\n",
    )


def test_a_check_that_does_not_finish_ends_as_undecided(crosslit: Command) -> None:
    run = crosslit("enumerate", "1,1,1,1|1,1,1,1", "--check-backend", "frontier:states=2")
    assert run.returncode == 3
    assert (
        "complete (evidence: claimed, by hybrid:engine=cadical195); not cross-checked: frontier:states=2: m"
        in run.stderr
    )


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
