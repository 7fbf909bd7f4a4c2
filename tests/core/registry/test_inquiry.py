"""Questions about a backend itself: even a broken one gets an answer in time, as a line of text."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

from crosslit import load, registry
from crosslit.errors import Unavailable
from crosslit.registry import inquiry
from crosslit.registry.inquiry import Reply

BOARD = load("1")


class Stub:
    """A backend whose questions a function answers."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def version(self) -> Any:
        return self.answer()

    def unsupported_reason(self, puzzle: object, options: object) -> Any:
        return self.answer()


def fail(error: BaseException) -> None:
    raise error


@pytest.mark.parametrize(
    ("answer", "text", "problem"),
    [
        (lambda: "7.1", "7.1", ""),
        (lambda: None, "", ""),
        (lambda: 7, "7", ""),
        (lambda: "a\ud800\n\tb\x00", "a? b\x00", ""),
        (lambda: fail(ZeroDivisionError("by zero")), "", "its version() raised ZeroDivisionError: by zero"),
        (lambda: fail(Unavailable("not\ninstalled")), "", "not installed"),
        (lambda: fail(Unavailable()), "", "it is not available"),
        (lambda: fail(SystemExit(3)), "", "its version() ended the process that called it"),
        (lambda: os._exit(3), "", "its version() ended the process that called it"),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "", "its version() ended the process that called it"),
    ],
)
def test_every_version_is_a_line_of_text(answer: Any, text: str, problem: str) -> None:
    told = inquiry.version(Stub(answer))  # type: ignore[arg-type]
    assert told.text == text
    assert told.problem.startswith(problem)
    assert bool(told.problem) == bool(problem)


@pytest.mark.parametrize("line", [b"rubbish\n", b"", b"1\t2\n", b"x\t\t\n", b"0.1\t\xff\t\n", b"1\t1\t1\t1\n"])
def test_rubbish_is_no_answer(line: bytes) -> None:
    assert inquiry._read_answer(line) is None


def test_an_answer_takes_no_more_than_its_limit() -> None:
    assert inquiry._read_answer(b"nan\tx\t\n") == Reply("x", "", 0.0)
    assert inquiry._read_answer(b"1e400\tx\t\n") == Reply("x", "", inquiry.MAX_SECONDS)


def test_long_answers_are_cut() -> None:
    stub = Stub(lambda: "\U0001f600" * 1_000_000)
    assert len(inquiry.version(stub).text) == inquiry.MAX_VERSION  # type: ignore[arg-type]
    assert len(str(inquiry.refusal(stub, BOARD, {}).text)) == inquiry.MAX_CHARACTERS  # type: ignore[arg-type]


def test_a_backend_that_does_not_answer_in_time_is_asked_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inquiry, "MAX_SECONDS", 0.3)
    stub = Stub(lambda: time.sleep(100))
    expected = Reply(problem="its unsupported_reason() did not return within 0.3 s")
    assert inquiry.refusal(stub, BOARD, {}) == expected  # type: ignore[arg-type]
    monkeypatch.setattr(inquiry, "_ask_apart", None)
    assert inquiry.refusal(stub, BOARD, {}) == expected  # type: ignore[arg-type]


def test_what_it_started_ends_with_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inquiry, "MAX_SECONDS", 2.0)
    reader, writer = os.pipe()
    stub = Stub(lambda: subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"], pass_fds=[writer]).pid)
    inquiry.version(stub)  # type: ignore[arg-type]
    os.close(writer)
    assert os.read(reader, 1) == b""  # nobody holds its other end
    os.close(reader)


def test_the_seconds_of_an_answer_are_counted() -> None:
    assert inquiry.refusal(Stub(lambda: time.sleep(0.2)), BOARD, {}).seconds >= 0.2  # type: ignore[arg-type]


def test_a_version_is_asked_once() -> None:
    stub = Stub(lambda: str(time.perf_counter()))
    assert inquiry.version(stub) == inquiry.version(stub)  # type: ignore[arg-type]


def test_backends_of_crosslit_are_asked_without_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inquiry, "_ask_apart", None)
    for backend in registry.all_backends().values():
        answer = inquiry.version(backend)
        assert bool(answer.text) != bool(answer.problem)
        inquiry.refusal(backend, BOARD, {})
    for encoding in registry.all_encodings().values():
        inquiry.refusal(encoding, load("1") if encoding.kind == "lights-out" else load("1|1"))


def test_work_that_a_backend_does_when_it_is_asked_is_counted_with_its_run(monkeypatch: pytest.MonkeyPatch) -> None:
    gauss = registry.all_backends()["gauss"]
    monkeypatch.setattr(type(gauss), "unsupported_reason", lambda *_: time.sleep(0.2))
    (choice,) = registry.select("gauss", BOARD)
    assert (choice.refusal, choice.asked >= 0.2) == (None, True)


def test_a_wildcard_keeps_a_backend_that_cannot_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    gauss = registry.all_backends()["gauss"]
    monkeypatch.setattr(type(gauss), "unsupported_reason", lambda *_: fail(KeyError("x")))
    refused = {choice.spec: choice.refusal for choice in registry.select("gaus*", BOARD)}
    assert refused == {"gauss": "its unsupported_reason() raised KeyError: 'x'"}
