"""Processes of runs: their limits, groups and ends."""

from __future__ import annotations

import json
import os
import re
import resource
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crosslit import Limits, load
from crosslit.base.errors import Unavailable
from crosslit.contract.run import Run
from crosslit.questions.compare import jobs
from crosslit.registry import define
from crosslit.runs import processes
from crosslit.runs.processes import ForkedProgram, ProcessGroup, ProgramGroup, cpu_of, end_watched, start_watched
from crosslit.runs.resources import CorePool, free_cores
from crosslit.runs.runner import Runner
from tests.processes.runs.test_runner import Started, alive, marked, wait_for

# CPU time and cores are read from /proc, which only Linux has.
pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="processes are known by /proc, and orphans have an heir"
)


def made(script: str, limits: Limits, runs: int = 1) -> list[Run]:
    define("mine", f"sh -c '{script}'", "test")
    puzzles = [load("/".join(["1" * side] * side)) for side in range(1, runs + 1)]
    with Runner(limits, side_by_side=runs) as runner:
        return [run for _, run in runner.runs([job for puzzle in puzzles for job in jobs(puzzle, "mine")])]


def test_cpu_time_of_all_processes_of_a_run_counts_together() -> None:
    # none of these processes takes long: only their sum does
    loop = 'while true; do sh -c "i=0; while [ \\$i -lt 5000 ]; do i=\\$((i+1)); done"; done'
    (run,) = made(loop, Limits(timeout=60, cpu_timeout=0.2))
    assert (run.status, run.error) == ("timeout", "stopped after 0.2 s of CPU time")
    assert 0.2 <= run.timing.cpu < 5


def test_waiting_takes_no_cpu_time() -> None:
    (run,) = made("sleep 0.6; exit 3", Limits(timeout=60, cpu_timeout=0.5))
    assert run.status == "error"
    assert "exit status 3" in run.error


@pytest.mark.parametrize(("limits", "words"), [((50, 60), "49 50"), ((-1, -1), "3071 3072")])
def test_a_limit_of_the_system_that_is_lower_stays(limits: tuple[int, int], words: str) -> None:
    script = "echo $(ulimit -St) $(ulimit -Ht) $(grep core /proc/self/limits) >&2; exit 3"
    command = ["--solver", f"x=sh -c '{script}' {{cnf}}", "--backend", "x"]
    done = subprocess.run(
        [sys.executable, "-m", "crosslit", "solve", "1", *command, "--timeout", "3"],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, limits),
    )
    assert done.stderr.endswith(f"exit status 3: {words} Max core file size 0 0 bytes\n")


def test_runs_at_the_same_time_have_different_cores(tmp_path: Path) -> None:
    usable = len(os.sched_getaffinity(0))
    if usable < 2:
        pytest.skip("two runs need two cores")  # on one core, the second run is refused, which another test shows
    here = shlex.quote(str(tmp_path)).replace("'", '"')  # the script is in single quotes
    both = f"cd {here}; touch $$; while [ $(ls | wc -l) -lt 2 ]; do sleep 0.05; done"  # each waits for the other
    script = f"{both}; grep Cpus_allowed_list /proc/self/status >&2; exit 3"
    cores = [int(re.findall("[0-9]+", run.error)[-1]) for run in made(script, Limits(cores=1), runs=2)]
    assert len(set(cores)) == 2


def test_more_runs_than_cores_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    Runner(Limits(cores=1), side_by_side=2)
    for cores, runs, need in ((2, 2, "2 parallel runs of 2 need 4"), (3, 1, "a run needs 3")):
        with pytest.raises(Unavailable, match=f"^cores = {cores}: {need} processor cores, found 2$"):
            Runner(Limits(cores=cores), side_by_side=runs)


def test_cores_that_share_a_physical_one_come_last(monkeypatch: pytest.MonkeyPatch) -> None:
    def siblings(path: Path, _encoding: str) -> str:
        core = int(path.parts[5].removeprefix("cpu"))
        if core == 4:
            raise FileNotFoundError(path)  # where the system hides them, each core is a physical one
        return f"{core // 2 * 2}-{core // 2 * 2 + 1}"

    monkeypatch.setattr(Path, "read_text", siblings)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3, 4})
    pool = CorePool(2, 2)
    assert [pool.take(), pool.take()] == [(0, 2), (4, 1)]
    pool.give_back((4, 1))
    assert pool.take() == (4, 1)


def test_cpu_time_of_an_ended_child_stays_with_its_parent() -> None:
    session = ProcessGroup(lambda: sum(range(10_000_000)))
    while not session.has_ended():
        time.sleep(0.01)
    session.reap()
    assert cpu_of([os.getpid()]) == pytest.approx(sum(os.times()[:4]), abs=0.08)


@pytest.mark.parametrize(
    ("running", "usable", "free"),
    [("1/90", 4, 4), ("3/90", 4, 2), ("4/90", 4, 1), ("9/90", 4, 1), (None, 4, 1), ("1/90", None, 1)],
)
def test_the_free_cores(running: str | None, usable: int | None, free: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """This process runs too; a system that does not tell has one."""

    def loads(_: Path, encoding: str) -> str:
        if running is None:
            raise FileNotFoundError(encoding)
        return f"0.10 0.20 0.30 {running} 4711"

    monkeypatch.setattr(Path, "read_text", loads)
    if usable is None:
        monkeypatch.delattr(os, "sched_getaffinity")
    else:
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(usable)))
    assert free_cores() == free


def test_a_server_keeps_no_file_of_a_run() -> None:
    script = 'ls /proc/$(cut -d" " -f4 /proc/$PPID/stat)/fd | wc -l >&2; exit 3'
    define("mine", f"sh -c '{script}'", "test")
    with Runner(Limits()) as runner:
        _, *later = [runner.run(*jobs(load("1"), "mine")).error for _ in range(3)]
    assert later[0] == later[1] and "exit status 3: " in later[0]


@pytest.fixture
def path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return the path of a group: the kernel makes its files with its folder, and removes it once it is empty."""
    attempts, mkdir = iter([OSError("busy"), None]), Path.mkdir

    def create(self: Path, *options: Any, **more: Any) -> None:
        mkdir(self, *options, **more)
        if self == tmp_path / "run":
            for name in ("memory.max", "memory.oom.group", "cpu.stat", "memory.events", "cgroup.procs"):
                (self / name).touch()

    def remove(self: Path) -> None:
        assert (self / "cgroup.kill").read_text() == "1"
        if error := next(attempts):
            raise error
        shutil.rmtree(self)

    monkeypatch.setattr(Path, "mkdir", create)
    monkeypatch.setattr(Path, "rmdir", remove)
    return tmp_path / "run"


def test_the_group_of_a_run_has_its_limit_and_says_what_it_used_and_why_it_was_ended(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ForkedProgram, "is_possible", lambda: True)  # so that its server has the same kernel
    script = f"cd {path}; cat cgroup.procs memory.max memory.oom.group >../had; echo usage_usec 2500000 >cpu.stat"
    define("mine", f"sh -c '{script}; echo oom_kill 1 >memory.events; kill -9 $PPID'", "test")
    # a limit that the run itself cannot reach: forked from the tests, it has their memory
    with Runner(Limits(memory_mb=100_000), fork_first=True, group_of=lambda _: str(path)) as runner:
        run = runner.run(*jobs(load("1"), "mine"))
    assert (run.status, run.timing.cpu, path.exists()) == ("memory", 2.5, False)
    assert path.with_name("had").read_text() == f"0{100_000 << 20}1"


# a process with a watcher, which starts another in a new session, and then hangs
HANGS = """
import os, subprocess, sys, time
from crosslit.runs import processes
processes._IDLE = 0.05
processes.fork_watcher(int(sys.argv[1]))
child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
os.write(int(sys.argv[1]), f"{os.getpid()} {child.pid}".encode())
time.sleep(1000)
"""


class Watched:
    """The process above, and its descendants."""

    def __init__(self) -> None:
        self.control, theirs = socket.socketpair()
        with theirs:
            self.watcher, self.mark = start_watched(["-c", HANGS, theirs.fileno()], theirs.fileno())
        self.pid, self.child = map(int, self.control.recv(100).split())
        assert os.getsid(self.pid) == self.watcher.pid  # an interrupt at the terminal does not reach it


@pytest.fixture
def watched() -> Iterator[Watched]:
    watched = Watched()
    with watched.control:
        yield watched
    end_watched(watched.watcher, watched.mark)


def test_what_a_killed_process_started_has_ended_when_its_socket_says_so(watched: Watched) -> None:
    os.kill(watched.pid, signal.SIGKILL)
    assert watched.control.recv(1) == b""
    assert not alive(watched.child)
    assert watched.watcher.wait() == 0


def test_a_process_that_hangs_is_ended_when_its_other_end_is_gone(watched: Watched) -> None:
    watched.control.close()
    assert watched.watcher.wait(20) == 0
    assert not alive(watched.pid)
    assert not alive(watched.child)


def test_a_program_leads_a_session_of_its_own_and_its_children_end_with_it() -> None:
    script = "sleep 60 & echo $! $(cut -d' ' -f6 /proc/$$/stat)"
    read, write = os.pipe()
    program = ProgramGroup(["sh", "-c", script], (0, write, write))
    child, session = map(int, os.read(read, 100).split())
    assert (session, wait_for(program.has_ended, 30)) == (program.pid, True)
    assert program.reap()[0] == 0
    assert wait_for(lambda: not alive(child), 30)
    os.close(read)
    os.close(write)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGKILL, -9), (signal.SIGSTOP, -9), (0, 0)])
def test_nothing_stays_where_the_watcher_itself_is_hit(watched: Watched, number: int, code: int) -> None:
    os.kill(watched.watcher.pid, number)
    if number == signal.SIGKILL:
        assert watched.control.recv(1) == b""  # the process ends with its watcher
    end_watched(watched.watcher, watched.mark, grace_seconds=2)  # of which a busy machine may need much
    assert watched.watcher.returncode == code
    assert not alive(watched.child)
    assert not alive(watched.pid)


def test_a_process_is_found_when_proc_shows_its_environment_late(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`/proc` shows none while a process changes to another program."""
    seen, late = processes._environment, iter([b""] * 3)
    monkeypatch.setattr(
        processes, "_environment", lambda pid: next(late, seen(pid)) if pid == watched.child else seen(pid)
    )
    os.kill(watched.watcher.pid, signal.SIGKILL)
    end_watched(watched.watcher, watched.mark, grace_seconds=2)
    assert not alive(watched.child)
    assert not alive(watched.pid)


@pytest.fixture(autouse=True)
def heir() -> Iterator[None]:
    """This process inherits no orphans after a test."""
    yield
    processes._libc().prctl(processes._PR_SET_CHILD_SUBREAPER, 0)


def seen(look: Callable[[], object]) -> tuple[object, str, int]:
    """Return the view, the standard error and the exit code of a forked program."""
    ours, theirs = socket.socketpair()
    with tempfile.TemporaryFile() as errors, ours:
        with theirs:
            program = ForkedProgram(
                lambda: theirs.sendall(json.dumps(look()).encode()), theirs.fileno(), errors.fileno()
            )
        data = b"".join(iter(lambda: ours.recv(1 << 16), b""))
        while (code := program.poll()) is None:
            time.sleep(0.01)
        errors.seek(0)
        return json.loads(data or "null"), errors.read().decode(), code


def open_files() -> list[str]:
    """The files of the descriptors of this process, in their order."""
    del sys.stdin, sys.stdout  # whose descriptors stay open
    numbers = sorted(int(path.name) for path in Path("/proc/self/fd").iterdir())
    links = [Path(f"/proc/self/fd/{number}") for number in numbers]
    return [str(link.readlink()) for link in links if link.is_symlink()]  # not that of the listing


def test_it_has_three_streams_and_one_file() -> None:
    read, write = os.pipe()
    os.set_inheritable(write, True)
    names, _, _ = seen(open_files)
    os.close(read)
    os.close(write)
    assert isinstance(names, list)
    assert names[:2] == [os.devnull, os.devnull]
    assert names[2].endswith("(deleted)")
    assert [name.partition(":")[0] for name in names[3:]] == ["socket"]


def test_what_waits_in_a_buffer_is_written_once() -> None:
    script = """
import sys, tempfile, socket
from crosslit.runs import processes
from crosslit.runs.processes import ForkedProgram
sys.stdout.write("once")
with tempfile.TemporaryFile() as errors, socket.socket() as kept:
    program = ForkedProgram(lambda: (print("nowhere"), sys.stdout.flush()), kept.fileno(), errors.fileno())
    while program.poll() is None:
        pass
    print(errors.seek(0, 2))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("once0\n", "")


@pytest.mark.parametrize(
    "look",
    [
        pytest.param(lambda: os.getsid(0) == os.getpid(), id="leads a session"),
        pytest.param(lambda: signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL, id="has no handler of this process"),
        pytest.param(lambda: not signal.pthread_sigmask(signal.SIG_BLOCK, ()), id="blocks no signal"),
        pytest.param(lambda: "folder of the script" not in sys.path, id="imports nothing from there"),
    ],
)
def test_a_forked_program_inherits_no_session_handler_mask_or_folder(
    look: Callable[[], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", ["folder of the script", *sys.path])
    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        assert seen(look) == (True, "", 0)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_an_error_is_printed_on_standard_error() -> None:
    told, errors, code = seen(lambda: 1 // 0)
    assert (told, code) == (None, 1)
    assert errors.splitlines()[-1].startswith("ZeroDivisionError")


def test_no_process_with_threads_is_forked() -> None:
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    try:
        assert not ForkedProgram.is_possible()
    finally:
        ended.set()
        thread.join()


def test_the_wait_for_a_processor_is_the_second_number_of_its_file() -> None:
    numbers = [processes.delayed(os.getpid())]
    numbers += [int(Path("/proc/self/schedstat").read_bytes().split()[1]) / 1e9, processes.delayed(os.getpid())]
    assert numbers == sorted(numbers)


def test_nothing_is_known_of_a_process_that_does_not_exist() -> None:
    unknown = 2**22 + 1
    known = (processes.own_resident(unknown), processes.cpu_of([unknown]), processes.delayed(unknown))
    assert (*known, processes.state(unknown), processes.children(unknown)) == (0, 0, 0, "Z", [])


def test_psutil_says_the_same_of_processes_as_the_system() -> None:
    tables = pytest.importorskip("crosslit.runs.psutil_tables")
    lasting = subprocess.Popen(["sleep", "60"], env={"MARK": "x"})
    leaving = subprocess.Popen(["sh", "-c", "sleep 60 & echo $!"], stdout=subprocess.PIPE, start_new_session=True)
    assert leaving.stdout is not None
    left = int(leaving.stdout.readline())
    while processes.state(leaving.pid) != "Z":
        time.sleep(0.01)
    own, unknown = os.getpid(), 2**22 + 1
    assert {*tables.children(own)} == {*processes.children(own), left}
    assert tables.children(unknown) == []
    assert [tables.state(pid) for pid in (own, lasting.pid, leaving.pid, unknown)] == ["R", "R", "Z", "Z"]
    assert tables.own_resident(lasting.pid) > 0 == tables.own_resident(unknown)
    assert tables.cpu_of([own, own, unknown]) == pytest.approx(2 * sum(os.times()[:2]), abs=0.05)
    assert (tables.environment(lasting.pid), tables.environment(unknown)) == (b"MARK=x", b"")
    for pid in (lasting.pid, left):
        os.kill(pid, signal.SIGKILL)
    lasting.wait()
    leaving.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_a_command_that_has_forked_its_server(
    planted_environment: dict[str, str], number: signal.Signals
) -> None:
    started = Started(planted_environment, "solve", "10/01", "--backend", "deaf-hang", "--timeout", "20")
    started.wait_until_hanging(4)  # the command, the server and its watcher, and a run
    commands = {Path(f"/proc/{pid}/cmdline").read_bytes() for pid in marked(started.mark)}
    assert len(commands) == 1, "all are forks of the command"
    started.process.send_signal(number)
    started.process.communicate(timeout=10)
    assert started.nothing_left()
