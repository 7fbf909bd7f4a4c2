"""Commands that solve a batch of puzzles in one start."""

from __future__ import annotations

import shlex
import stat
from pathlib import Path

import pytest
from crosslit_backends.programs.program import describe
from crosslit_backends.programs.protocol import SolverAnswer, SolverFailure
from crosslit_generate import Case
from crosslit_verify import Settings, Verifier
from crosslit_verify.channel import NoAnswer
from crosslit_verify.commands import BATCH_SIZE, BatchCommand, in_batches
from crosslit_verify.solver import subject_of

from crosslit.formats import read
from tests.conftest import Command

ONE, TWO = read("1"), read("00")


def batch(script: str) -> BatchCommand:
    """A command that gets files as arguments of a shell script."""
    subject = subject_of(describe(["sh", "-c", script, "sh", "{files}"]), "lights-out")
    assert isinstance(subject, BatchCommand)
    return subject


def text(reply: object) -> str:
    """The only solution of an answer."""
    assert isinstance(reply, SolverAnswer), reply
    return reply.solutions[0].text()


def test_a_batch_is_one_start_with_a_line_for_each_file(tmp_path: Path) -> None:
    with batch(f'echo >> {shlex.quote(str(tmp_path))}/starts; for f in "$@"; do tr 1 1 < "$f"; done') as subject:
        subject.prepare([ONE, TWO])
        assert [text(subject.ask(puzzle)) for puzzle in (TWO, ONE)] == ["00", "1"]
    assert (tmp_path / "starts").read_text(encoding="utf-8").count("\n") == 1


def test_the_answers_of_the_largest_batch_are_in_the_order_of_its_puzzles() -> None:
    puzzles = [read(f"{number:06b}") for number in range(BATCH_SIZE)]
    with batch('for f in "$@"; do cat "$f"; done') as subject:
        subject.prepare(puzzles)
        assert (stat.S_IMODE(subject._folder.stat().st_mode), subject._channel.running) == (0o700, False)
        assert [text(subject.ask(puzzle)) for puzzle in puzzles] == [puzzle.text for puzzle in puzzles]


def test_a_batch_has_the_time_of_all_its_puzzles(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    def whole(_data: bytes, seconds: float) -> bytes:
        given.append(seconds)
        raise NoAnswer("hang", "x")

    with batch("cat") as subject:
        monkeypatch.setattr(subject._channel, "start", lambda: None)
        monkeypatch.setattr(subject._channel, "whole", whole)
        subject.timeout = 7
        subject.prepare([ONE, TWO, ONE])
        assert isinstance(subject.ask(ONE), SolverFailure)
    assert given == [21, 7]


def test_a_batch_without_all_answers_is_asked_one_by_one() -> None:
    with batch('test $# = 1 && cat "$1"') as subject:
        subject.prepare([ONE, TWO])
        assert text(subject.ask(ONE)) == "1"


def test_the_failure_on_one_puzzle_is_its_own() -> None:
    with batch('for f in "$@"; do grep -q 1 "$f" && exit 3; cat "$f"; done') as subject:
        subject.prepare([ONE, TWO])
        assert text(subject.ask(TWO)) == "00"
        failure = subject.ask(ONE)
    assert isinstance(failure, SolverFailure)
    assert failure.detail == "exit status 3 without an answer"


def test_too_many_lines_are_no_answer() -> None:
    with batch("echo 0; echo 0") as subject:
        failure = subject.ask(ONE)
    assert isinstance(failure, SolverFailure)
    assert failure.detail == "2 lines for 1 files"


def test_the_first_puzzle_is_sent_by_itself() -> None:
    sent = []

    class Noting(BatchCommand):
        def prepare(self, puzzles: object) -> None:
            sent.append(len(puzzles))  # type: ignore[arg-type]

    subject = Noting(describe(["cat", "{files}"]))
    cases = [(number, Case(ONE, "", False)) for number in range(BATCH_SIZE + 3)]
    assert list(in_batches(subject, cases)) == cases
    assert sent == [BATCH_SIZE, 2]


def test_a_verification_by_batches_finds_the_same_failure() -> None:
    with batch('for f in "$@"; do echo unsolvable; done') as subject:
        found = Verifier(Settings("lights-out", cases=20), subject).run()
    assert [failure.puzzle.text for failure in found.failures] == ["0"]


def test_a_described_program_with_files_is_a_backend(crosslit: Command, tmp_path: Path) -> None:
    (tmp_path / "crosslit.toml").write_text(
        "[programs.mine]\ncommand = \"sh -c 'echo 11/11' sh {files}\"\n", encoding="utf-8"
    )
    done = crosslit("solve", "11/11", "--backend", "mine", "--json", cwd=tmp_path)
    assert '"solution": "11/11"' in done.stdout
