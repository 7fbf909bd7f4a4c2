"""Solvers under test that are commands: each failure, and that the next puzzle is answered all the same."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest
from crosslit_backends.programs.program import describe
from crosslit_backends.programs.protocol import SolverAnswer, SolverFailure
from crosslit_verify.commands import OneShotCommand, PersistentCommand
from crosslit_verify.process import PROCESSES
from crosslit_verify.solver import solver_of

from crosslit import InputError, LightsOut, Nonogram
from crosslit.base.grid import Grid

from .solvers import PUZZLE, alive, detail, each, gone, linux, number_in, problem, python


def persistent(command: list[str], timeout: float = 20, memory_mb: int = 2048) -> PersistentCommand:
    return PersistentCommand(command, timeout=timeout, memory_mb=memory_mb)


def ask(solver: PersistentCommand | OneShotCommand, times: int) -> list[SolverAnswer | SolverFailure]:
    with solver:
        return [solver.ask(PUZZLE) for _ in range(times)]


@pytest.mark.parametrize(
    ("fault", "name", "says"),
    [
        ("1 / 0", "crash", "exit status 1 without an answer: ZeroDivisionError: division by zero"),
        ("sys.stdout.write('{'); sys.exit(3)", "crash", "exit status 3 after writing '{'"),
        ("sys.exit()", "crash", "exit status 0 without an answer; a persistent solver answers until its input ends"),
        ("os.kill(os.getpid(), 9)", "crash", "killed by SIGKILL without an answer"),
        ("os.kill(os.getpid(), 40)", "crash", "killed by signal 40 without an answer"),
        ("answer('what?')", "malformed-output", "not a line of JSON: 'what?'"),
        (
            "print('why', file=sys.stderr, flush=True); answer('what?')",
            "malformed-output",
            "line of JSON: 'what?': why",
        ),
        ("answer('{}')", "malformed-output", "expected solution, solutions, unsolvable, unknown or unsupported: '{}'"),
        ("os.write(1, b'\\xff\\n')", "malformed-output", "not UTF-8: '\\xff'"),
        ("answer('Solving\\n[]')", "malformed-output", "more than one line for a puzzle: 'Solving\\n[]'"),
        ('answer(\'{"solution": "11/11", "id": 7}\')', "malformed-output", "expected the answer to puzzle 2, found an"),
        ("os.write(1, b'1' * 20_000_000)", "malformed-output", "bytes without an end: '1111"),
    ],
)
def test_a_failure_is_reported_and_the_solver_restarted(fault: str, name: str, says: str) -> None:
    answers = ask(persistent(each(f"if i == 1:\n    {fault}\n    continue\nanswer()")), 3)
    assert [problem(answer) for answer in answers] == ["right", name, "right"]
    assert says in detail(answers[1])
    assert "\n" not in detail(answers[1])


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("print('why', file=sys.stderr); time.sleep(60)", ": why; it was asked twice"),
        ("print('{', end='', flush=True); time.sleep(60)", ", only '{'; it was asked twice"),
        ("sys.stdout.close(); time.sleep(60)", " s; it was asked twice"),
        ("os.kill(os.getpid(), 19)", " s; it was asked twice"),
    ],
)
def test_a_hang_is_one_if_a_new_process_hangs_for_four_times_as_long(fault: str, says: str, tmp_path: Path) -> None:
    once = f"if not os.path.exists({str(tmp_path / 'hung')!r}):\n    open({str(tmp_path / 'hung')!r}, 'w')\n    {fault}"
    with persistent(each(fault), 0.25) as solver:
        solver._loading, solver._is_first = 0.5, False
        answer = solver.ask(PUZZLE)
    assert detail(answer).startswith("no answer within 1.5 s")
    assert detail(answer).endswith(says)
    assert {problem(found) for found in ask(persistent(each(f"{once}\nanswer()"), 0.25), 2)} == {"right"}


@linux
def test_memory_is_that_of_all_processes_together() -> None:
    grow = "if i == 1:\n    held = bytearray(b'x') * 150_000_000\n    time.sleep(60)\nanswer()"
    child = "if i == 1 and os.fork() == 0:\n    held = bytearray(b'x') * 150_000_000\n    time.sleep(60)\n"
    for body in (grow, child + "if i == 1:\n    time.sleep(60)\nanswer()"):
        answers = ask(persistent(each(body), timeout=20, memory_mb=100), 3)
        assert [problem(answer) for answer in answers] == ["right", "memory", "right"]
        assert detail(answers[1]) == "more than 100 MB"


_IN_MEMORY = """
files = [os.memfd_create("x") for _ in range(3)]
for file in files if i == 1 else ():
    os.write(file, bytes(50_000_000))
    if mapped:
        view = mmap.mmap(file, 50_000_000)
        held.append((view, sum(view[::4096])))
    time.sleep(seconds)
answer()
"""


@linux
def test_files_in_memory_are_memory() -> None:
    body = f"mapped, seconds = False, 1\n{_IN_MEMORY}"
    answers = ask(persistent(each(body), timeout=20, memory_mb=100), 3)
    assert [problem(answer) for answer in answers] == ["right", "memory", "right"]


@linux
def test_a_mapped_file_in_memory_counts_once() -> None:
    body = f"import mmap\nheld = []\nmapped, seconds = True, 0.1\n{_IN_MEMORY}"
    assert {problem(answer) for answer in ask(persistent(each(body), timeout=20, memory_mb=200), 3)} == {"right"}


def test_a_leak_is_found() -> None:
    grow = "held = globals().setdefault('held', [])\nheld.append(bytearray(b'x') * 2_000_000)\n"
    body = f"{grow}time.sleep(0.005)\nanswer()"
    assert "memory" in map(problem, ask(persistent(each(body), timeout=20, memory_mb=100), 120))


@linux
def test_processes_that_grow_in_number_are_found_while_it_runs() -> None:
    with persistent(each("leave()\ntime.sleep(0.002)\nanswer()"), timeout=20) as solver:
        answers = [solver.ask(PUZZLE) for _ in range(PROCESSES)]
        while len(answers) < 500 and isinstance(answers[-1], SolverAnswer):
            answers.append(solver.ask(PUZZLE))
    assert detail(answers[-1]) == f"more than {PROCESSES} processes at a time besides the first"


@linux
@pytest.mark.parametrize(("number", "expected"), [(PROCESSES, "right"), (PROCESSES + 1, "orphaned-process")])
def test_the_greatest_number_of_processes_is_allowed(number: int, expected: str) -> None:
    wait = 0.1 if expected == "right" else 60  # or until it is ended
    with persistent(each(f"for _ in range({number}): leave()\ntime.sleep({wait})\nanswer()"), timeout=60) as solver:
        assert problem(solver.ask(PUZZLE)) == expected


ZOMBIE = "if i == 0 and os.fork() == 0:\n    os.fork() or os._exit(0)\n    time.sleep(60)\nanswer()"
DAEMON = """
if i == 0 and os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    os.closerange(0, 100)
    open(sys.argv[1], "w").write(str(os.getpid()))
    time.sleep(60)
answer()
"""


@linux
@pytest.mark.parametrize("body", ["if i == 0:\n    leave()\nanswer()", DAEMON, ZOMBIE])
def test_what_outlives_a_persistent_solver_is_found_and_ended(body: str, tmp_path: Path) -> None:
    with persistent([*each(body), str(tmp_path / "pid")]) as solver:
        assert [problem(solver.ask(PUZZLE)) for _ in range(3)] == ["right"] * 3
        left = number_in(tmp_path / "pid") if body == DAEMON else 0
        end = solver.close()
    assert end is not None
    assert (end.problem, end.detail) == ("orphaned-process", "1 process outlived it")
    assert gone(left) or not left


def test_a_solver_that_does_not_end_with_its_input_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosslit_verify.process.FINISH", 0.3)
    with persistent(python("sys.stdin.readline(); answer(); time.sleep(60)")) as solver:
        assert problem(solver.ask(PUZZLE)) == "right"
        end = solver.close()
    assert end is not None
    assert "still running 0.3 s after its input ended" in end.detail


def test_words_at_the_end_of_its_input_are_no_answer() -> None:
    with persistent([*each("answer()")[:2], each("answer()")[2] + "print('42 puzzles solved')"], timeout=5) as solver:
        assert problem(solver.ask(PUZZLE)) == "right"
        assert solver.close() is None


def test_what_ends_with_its_solver_is_not_left_behind() -> None:
    with persistent(each("if i < 3:\n    leave(0.02)\nanswer()")) as solver:
        assert [problem(solver.ask(PUZZLE)) for _ in range(3)] == ["right"] * 3
        assert solver.close() is None
        assert solver.close() is None
        assert problem(solver.ask(PUZZLE)) == "right"


def test_blank_lines_and_an_answer_in_pieces_are_not_punished() -> None:
    body = r"""
os.write(1, b"\n \r\n\n")
for byte in b'{ "solution" : "11/11" }':
    os.write(1, bytes([byte]))
os.write(1, b"\r\n\n")
"""
    assert set(map(problem, ask(persistent(each(body), timeout=5), 20))) == {"right"}


def test_nothing_of_a_process_is_said_of_the_next_one(tmp_path: Path) -> None:
    ran = str(tmp_path / "ran")
    first = f"open({ran!r}, 'w')\nsys.stderr.write('Error: the first\\n')\nos.write(1, b'half')\nsys.exit(3)"
    body = "\n".join(f"    {line}" for line in first.split("\n"))
    answers = ask(persistent(each(f"if not os.path.exists({ran!r}):\n{body}\nsys.exit(4)")), 2)
    assert [detail(answer) for answer in answers] == [
        "exit status 3 after writing 'half': Error: the first",
        "exit status 4 without an answer",
    ]


def test_errors_without_end_do_not_block() -> None:
    answers = ask(persistent(each("sys.stderr.write('x' * 1_000_000)\nsys.stderr.flush()\nanswer()"), timeout=5), 5)
    assert set(map(problem, answers)) == {"right"}


def test_the_last_error_is_reported() -> None:
    said = r"'x\n' * 9999 + 'TypeError: \x1b[31mno\n    at main (solver.js:1)\n\nNode.js v18\n'"
    answers = ask(persistent(each(f"answer()\nif i == 1:\n    sys.stderr.write({said})\n    sys.exit(1)")), 3)
    assert detail(answers[2]).endswith("exit status 1 without an answer: TypeError: no")


def test_a_large_question_and_a_large_answer_pass() -> None:
    board = LightsOut(Grid.from_bits(1000, 1000, 0))
    lit = each("answer(json.dumps({'solution': json.loads(line)['lit']}))")
    with PersistentCommand(lit, timeout=20) as solver, OneShotCommand(["cat"], timeout=20) as cat:
        for answer in (solver.ask(board), cat.ask(board)):
            assert isinstance(answer, SolverAnswer)
            assert answer.solutions == (board.lit,)


@pytest.mark.parametrize(
    ("code", "name", "says"),
    [
        ("print('11\\n11')", "right", ""),
        ("print('11\\n11'); sys.exit(1)", "crash", "exit status 1 after writing '11\\n11\\n'"),
        ("1 / 0", "crash", "ZeroDivisionError"),
        ("os.kill(os.getpid(), 11)", "crash", "killed by SIGSEGV"),
        ("pass", "malformed-output", "it wrote nothing"),
        ("print('no', file=sys.stderr)", "malformed-output", "it wrote nothing: no"),
        ("time.sleep(60)", "hang", "no answer within 8 s; it was asked twice"),
        (
            "print('11\\n11', flush=True); time.sleep(60)",
            "hang",
            "no answer within 8 s, only '11\\n11\\n'; it was asked twice",
        ),
        pytest.param("print('11\\n11', flush=True); leave()", "orphaned-process", "1 process outlived it", marks=linux),
    ],
)
def test_one_shot(code: str, name: str, says: str) -> None:
    command = python(f"if sys.stdin.read() == '1|1\\n':\n    answer('1')\nelse:\n    {code}")
    with OneShotCommand(command, timeout=2 if name == "hang" else 20) as solver:
        small = Nonogram([[1]], [[1]])
        answers = [solver.ask(puzzle) for puzzle in (small, PUZZLE, small)]
    assert [problem(answer) for answer in answers] == ["wrong", name, "wrong"]
    assert not says or says in detail(answers[1])


def test_one_shot_output_and_memory_are_bounded() -> None:
    endless = OneShotCommand(python("while True: sys.stdout.write('1' * 1000)"), timeout=20)
    assert [problem(answer) for answer in ask(endless, 1)] == ["malformed-output"]
    held = OneShotCommand(python("held = bytearray(b'x') * 150_000_000; answer('11/11')"), timeout=20, memory_mb=100)
    assert [problem(answer) for answer in ask(held, 1)] == ["memory"]


def test_a_large_puzzle_that_is_not_read_is_no_mishap(tmp_path: Path) -> None:
    with OneShotCommand(python("sys.stdin.close(); time.sleep(0.05); answer('unsolvable')"), timeout=5) as solver:
        assert isinstance(solver.ask(LightsOut(Grid.from_bits(1000, 1000, 0))), SolverAnswer)


def script(path: Path, text: str, executable: bool = True) -> str:
    path.write_text(text, encoding="utf-8")
    path.chmod(stat.S_IRWXU if executable else stat.S_IRUSR)
    return str(path)


def test_what_cannot_be_executed_is_bad_input(tmp_path: Path) -> None:
    plain = script(tmp_path / "plain", "#!/bin/sh\n", executable=False)
    for words in ([], [""], ["no-such-command-here"], [str(tmp_path)], [plain], ["sh", "a\0b"]):
        for kind in (PersistentCommand, OneShotCommand):
            with pytest.raises(InputError):
                kind(words)
    for text in ("#!/no/such/interpreter\n", "no first line\n"):
        (answer,) = ask(persistent([script(tmp_path / "strange", text)]), 1)
        assert detail(answer).startswith("exit status 127 without an answer: it cannot be started: ")


@pytest.mark.parametrize("words", [["cat"], ["cat", "{file}"]])
def test_a_described_command_has_the_limits_and_the_puzzle_that_it_is_given(words: list[str]) -> None:
    with solver_of(describe(words, format="inline"), "lights-out", timeout=9, memory_mb=70) as solver:
        assert (solver.timeout, solver._memory) == (9, 70 << 20)
        replies = [solver.ask(LightsOut(Grid.from_text(text))) for text in ("10", "01")]
    assert [reply.solutions[0].text for reply in replies if isinstance(reply, SolverAnswer)] == ["10", "01"]


@pytest.mark.parametrize("reply", ['"solution": "11/11"', '"unknown": true', '"unsupported": true'])
def test_a_command_that_does_not_flush_gets_a_hint(reply: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosslit_verify.process.START_SECONDS", 2)
    buffered = "import os, sys\nos.environ.pop('PYTHONUNBUFFERED', None)\nos.execv(sys.executable, sys.argv[1:])"
    body = f"for line in sys.stdin: print('{{{reply}}}')"
    command = [sys.executable, "-c", buffered, sys.executable, *python(body)[1:]]
    with pytest.raises(InputError, match="flush its output after every line"):
        ask(PersistentCommand(command, timeout=0.2), 1)


@pytest.mark.parametrize(("words", "is_quoted"), [(["cat x"], True), (["no-such x"], False), (["cat x", "y"], False)])
def test_words_that_are_quoted_together_are_noticed(words: list[str], is_quoted: bool) -> None:
    hint = "; write its words without quotes around them all" * is_quoted
    with pytest.raises(InputError, match=f"no such command, or not executable{hint}$"):
        PersistentCommand(words)


@pytest.mark.parametrize("wrong", [{"claims": "some"}, {"timeout": 0}, {"timeout": float("nan")}, {"memory_mb": 0}])
def test_wrong_settings_are_bad_input(wrong: dict[str, object]) -> None:
    for kind in (PersistentCommand, OneShotCommand):
        with pytest.raises(InputError, match=r"expected|claims is one of"):
            kind(["cat"], **wrong)  # type: ignore[arg-type]


def test_a_command_that_vanishes_crashes(tmp_path: Path) -> None:
    command = script(tmp_path / "once", '#!/bin/sh\nread line\necho \'{"solution": "11/11"}\'\n')
    with persistent([command]) as solver:
        assert problem(solver.ask(PUZZLE)) == "right"
        assert problem(solver.ask(PUZZLE)) == "crash"
        Path(command).unlink()
        assert detail(solver.ask(PUZZLE)).endswith("it cannot be started: No such file or directory")


def test_an_error_of_the_asking_side_leaves_nothing_running(tmp_path: Path) -> None:
    command = [*each("open(sys.argv[1], 'w').write(str(os.getpid()))\nanswer()"), str(tmp_path / "pid")]
    with pytest.raises(RuntimeError), persistent(command) as solver:
        solver.ask(PUZZLE)
        pid = number_in(tmp_path / "pid")
        assert alive(pid)
        raise RuntimeError
    assert gone(pid)
    assert os.getpgid(0) != pid
