"""Solvers under test that are commands: limits, files, and what cannot be a solver; `test_hostile` has failures."""

from __future__ import annotations

import stat
import time
from contextlib import nullcontext
from math import inf
from pathlib import Path
from typing import Any

import pytest
from crosslit_backends.programs.protocol import Reply, SolverAnswer, SolverFailure
from crosslit_verify.process import START_SECONDS, Solver
from crosslit_verify.solver import Command, require_own_format

import crosslit
from crosslit import InputError, LightsOut
from crosslit.base.grid import Grid

from .solvers import PUZZLE, detail, each, number_in, problem, python


def script(path: Path, text: str, executable: bool = True) -> str:
    path.write_text(text, encoding="utf-8")
    path.chmod(stat.S_IRWXU if executable else stat.S_IRUSR)
    return str(path)


class Late(Solver):
    """A solver without a process, which notes how long it may take for its replies."""

    def __init__(self, *replies: Reply) -> None:
        super().__init__("late", "one", timeout=20.0)
        self.replies, self.seconds = [*replies], list[float]()

    def _answer(self, _: Any, seconds: float) -> Reply:
        self.seconds.append(seconds)
        return self.replies.pop(0)


HANG, CRASH, NO = SolverFailure("hang", "x"), SolverFailure("crash", "x"), SolverAnswer((), True)


@pytest.mark.parametrize(
    ("replies", "left", "loading", "asked", "found"),
    [
        ([HANG, HANG], inf, 0, [20, 80], SolverFailure("hang", "x; it was asked twice")),
        ([HANG, HANG], 50, 10, [20, 30], SolverFailure("hang", "x; it was asked twice")),
        ([HANG, HANG], 36, 10, [20], HANG),
        ([HANG, CRASH], inf, 0, [20, 80], CRASH),
        ([HANG, NO], inf, 0, [20, 80], NO),
        ([CRASH, HANG], inf, 0, [20], CRASH),
    ],
)
def test_a_hang_is_asked_again_as_long_as_the_time_allows(
    replies: list[Reply], left: float, loading: float, asked: list[float], found: Reply
) -> None:
    solver = Late(*replies)
    solver.until, solver.loading = time.monotonic() + left, loading
    assert solver.ask(PUZZLE) == found
    assert solver.seconds == pytest.approx(asked, abs=1)


def test_nothing_of_a_process_is_said_of_the_next_one(tmp_path: Path) -> None:
    ran = str(tmp_path / "ran")
    first = f"    open({ran!r}, 'w')\n    sys.stderr.write('Error: 1\\n')\n    os.write(1, b'half')\n    sys.exit(3)"
    with Command(each(f"if not os.path.exists({ran!r}):\n{first}\nsys.exit(4)")) as solver:
        assert [detail(solver.ask(PUZZLE)) for _ in range(2)] == [
            "exit status 3 after writing 'half': Error: 1",
            "exit status 4 without an answer",
        ]


def test_each_question_has_its_number_no_core_is_written_and_the_first_shows_how_long_loading_takes() -> None:
    core = "import resource\nnumber = sum(resource.getrlimit(resource.RLIMIT_CORE)) + json.loads(line)['id']"
    with Command(each(f"{core}\nanswer(json.dumps({{'solution': str(number)}}))"), timeout=20) as solver:
        assert solver.ask(crosslit.load("1")) == SolverAnswer((Grid.from_text("1"),), False)
        assert 0.5 <= solver.loading < START_SECONDS
        assert detail(solver.ask(crosslit.load("1"))).startswith("the cells of a grid are written 0 or 1: ")


def test_output_between_two_questions_answers_neither(tmp_path: Path) -> None:
    go, done = tmp_path / "go", tmp_path / "done"
    later = f"while not os.path.exists({str(go)!r}): pass\n    answer()\n    open({str(done)!r}, 'w').write('1')"
    with Command(each(f"answer()\nif i == 0:\n    {later}"), timeout=20) as solver:
        assert problem(solver.ask(PUZZLE)) == "right"
        go.touch()
        assert number_in(done)
        assert detail(solver.ask(PUZZLE)).startswith("output that answers no puzzle: ")


def test_two_solvers_do_not_keep_each_other_alive() -> None:
    with Command(each("answer()")) as one, Command(each("answer()")) as other:
        assert [problem(solver.ask(PUZZLE)) for solver in (one, other)] == ["right", "right"]
        assert (one.close(), other.close()) == (None, None)


def test_a_large_question_and_a_large_answer_pass() -> None:
    board = LightsOut(Grid.from_bits(1000, 1000, 0))
    lit = each("answer(json.dumps({'solution': json.loads(line)['lit']}))")
    idle = python("os.close(0); time.sleep(0.05); answer('\\n'.join(['0' * 1000] * 1000))")
    for command in Command(lit, timeout=20), *(Command(words, format="inline") for words in (["cat"], idle)):
        with command as solver:
            answer = solver.ask(board)
        assert isinstance(answer, SolverAnswer), answer
        assert answer.solutions == (board.lit,)


def test_what_cannot_be_executed_is_bad_input(tmp_path: Path) -> None:
    plain = script(tmp_path / "plain", "#!/bin/sh\n", executable=False)
    for words in ([], [""], ["no-such-command-here"], [str(tmp_path)], [plain]):
        with pytest.raises(InputError):
            Command(words)
    for text in ("#!/no/such/interpreter\n", "no first line\n"):
        with Command([script(tmp_path / "strange", text)]) as solver:
            assert detail(solver.ask(PUZZLE)).startswith("exit status 127 without an answer: it cannot be started: ")


@pytest.mark.parametrize("wrong", [{"claims": "some"}, {"timeout": 0}, {"timeout": float("nan")}, {"memory_mb": "1"}])
def test_wrong_settings_are_bad_input(wrong: dict[str, Any]) -> None:
    with pytest.raises((InputError, TypeError), match=r"^solver: |expected a number of MB"):
        Command(["cat"], **wrong)


def test_the_format_in_which_it_is_right_is_named() -> None:
    script = "read line; case $line in *lit*1*) echo 1;; *) echo 0;; esac"
    with pytest.raises(InputError, match=r"sh: it answers right in --format json, and wrong in --format inline$"):
        crosslit.verify(["sh", "-c", script], "lights-out", cells="01", size="1", cases=5)


@pytest.mark.parametrize(("texts", "is_named"), [("1 1", True), ("1", False), ("1 0", False)])
def test_a_format_is_named_for_two_solutions(texts: str, is_named: bool) -> None:
    script = "read line; case $line in *lit*1*) echo 1;; *lit*) echo unsolvable;; *) echo 0;; esac"
    wrong = lambda puzzle, reply: puzzle.lit.count() and reply != SolverAnswer((puzzle.lit,), False)  # noqa: E731
    refusal = pytest.raises(InputError, match=r"right in --format json")
    with Command(["sh", "-c", script], cells="01", kind="lights-out") as solver, refusal if is_named else nullcontext():
        require_own_format(solver, [crosslit.load(text) for text in texts.split()], wrong)


def test_the_file_of_a_puzzle_goes_with_its_solver() -> None:
    solver = Command(["cat", "{file}"])
    folder = Path(solver.words[-1]).parent
    assert folder.is_dir()
    del solver
    assert not folder.exists()
