"""What a run leaves behind for its parent process: answers, a clock, and its end."""

from __future__ import annotations

import json
import mmap
import os
import socket
from collections.abc import Iterator
from unittest.mock import patch

import pytest

from crosslit import Limits, load
from crosslit.base.errors import CertificateRejected, ContractError, GaveUp, InternalError, OneFound
from crosslit.registry import define, select_one
from crosslit.runs import messages
from crosslit.runs.child import Outbox, failure
from crosslit.runs.job import Job
from crosslit.runs.messages import MAX_BOUND, MAX_END, MAX_THREADS, MAX_WORDS, End, Page
from crosslit.runs.runner import Runner
from tests.inline import InlineServer


@pytest.fixture
def piped() -> Iterator[tuple[Outbox, Page, int]]:
    reader, writer = os.pipe()
    page = Page()
    yield Outbox(page, writer), page, reader
    os.close(reader)
    os.close(writer)


BOARD = load("1")
GOOD = json.loads(End("complete").pack())


@pytest.mark.parametrize(
    "payload",
    [
        *(b"", b"[]", b"{}", b"{", b"\xff\xfe\xff", b"[" * 200_000),
        *(
            json.dumps({**GOOD, **change}).encode()
            for change in (
                {"more": 1},
                {"status": "timeout"},
                {"status": ["x"]},
                {"reason": 1},
                {"counted": "g"},
                {"stats": [1]},
                {"threads": 0},
                {"threads": MAX_THREADS + 1},
                {"threads": 1.5},
                {"began": float("nan")},
                {"ended": "x"},
            )
        ),
    ],
)
def test_an_end_that_no_run_writes_is_refused_in_a_few_words(payload: bytes) -> None:
    with pytest.raises(ValueError, match=r"\A.{1,300}\Z"):
        End.unpack(payload)


def test_a_run_checks_its_end_as_its_reader_does() -> None:
    room = MAX_END - len(End("complete").pack())
    assert len(End("complete", "x" * room).pack()) == MAX_END
    for end in (
        End("complete", "x" * (room + 1)),
        End("complete", threads=0),
        End("complete", stats={"x": float("nan")}),
    ):
        with pytest.raises(ValueError, match=f"at most {MAX_END} fit|threads 0 where|not JSON compliant"):
            end.pack()


@pytest.mark.parametrize(
    ("words", "reason"),
    [("x" * 10_000, "x" * 10_000), ("x" * 10_001, "x" * (MAX_WORDS - 3) + "..."), ("no file \udcff", "no file ?")],
)
def test_words_are_cut_and_changed_to_what_an_end_can_hold(
    words: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crosslit.runs.child.failure", lambda _: ("gave-up", words))
    monkeypatch.setattr("crosslit.runs.child.drive", None)  # not to be called
    with patch("crosslit.runs.runner.ForkServer", InlineServer), Runner(Limits()) as runner:
        run = runner.run(Job(choice=select_one("gauss", BOARD), puzzle=BOARD))
    assert (run.status, run.error) == ("gave-up", reason)


@pytest.mark.parametrize(("spec", "threads"), [("gauss", "1"), ("own", None)])
def test_numpy_has_no_threads_beside_the_clock_of_a_run_unless_a_program_has_them(
    spec: str, threads: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "environ", dict[str, str]())
    define("own", "true {cnf}", "add_solver")
    with patch("crosslit.runs.runner.ForkServer", InlineServer), Runner(Limits()) as runner:
        runner.run(Job(choice=select_one(spec, BOARD), puzzle=BOARD))
    assert os.environ.get("OPENBLAS_NUM_THREADS") == threads


def test_a_pipe_that_takes_a_part_gets_the_rest(
    piped: tuple[Outbox, Page, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    outbox, page, reader = piped
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:3]))
    outbox.send(b"0123456789")
    assert (os.read(reader, 100), page.sent) == (b"0123456789", 10)


def test_a_message_comes_whole_with_its_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    send = socket.send_fds  # of which a call may send a part
    monkeypatch.setattr(socket, "send_fds", lambda to, parts, files: send(to, [parts[0][:3]], files))
    monkeypatch.setattr(messages, "_PART", 7)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        messages.send(ours, b"x" * 1000, (0, 1))
        messages.send(ours, b"")
        body, descriptors = messages.receive(theirs)
        assert (body, len(descriptors)) == (b"x" * 1000, 2)
        assert messages.receive(theirs) == (b"", [])
        for descriptor in descriptors:
            os.close(descriptor)
        ours.close()
        with pytest.raises(EOFError):
            messages.receive(theirs)


def test_the_page_of_a_file_is_shared_and_cannot_be_cut() -> None:
    file = messages.new_file()
    page, same = Page.of_file(file), Page.of_file(file)
    page.bound = 5
    assert same.bound == 5
    os.write(file, b"rubbish")  # a backend that writes to every descriptor
    assert (page.stop, os.pread(file, 100, mmap.PAGESIZE)) == (0, b"rubbish")
    with pytest.raises(OSError):
        os.ftruncate(file, 0)
    os.close(file)


def test_a_weaker_bound_takes_nothing_back_and_a_huge_one_fits_a_file_of_results(
    piped: tuple[Outbox, Page, int],
) -> None:
    outbox, page, _ = piped
    for bound in (3, 5, 4):
        outbox.note_bound(bound)
    assert page.bound == 5
    outbox.note_bound(1 << 70)
    assert page.bound == MAX_BOUND


def test_time_of_handing_over_is_seen_while_it_passes(
    piped: tuple[Outbox, Page, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    outbox, page, _ = piped
    now = 10.0
    monkeypatch.setattr(messages.time, "monotonic", lambda: now)
    outbox.send(b"1")
    now = 13.0
    outbox.send(b"1")
    assert page.handing == 3.0
    outbox.hold(4.0)
    now = 20.0
    assert page.handing == 4.0
    outbox.send(b"1")
    outbox.hold(1.5)
    assert page.handing == 5.5


def test_an_error_is_told_with_the_place_where_it_was_raised() -> None:
    def outer() -> None:
        int("x")

    for error, status, reason in (
        (OneFound("one"), "one found", "one"),
        (GaveUp("too large"), "gave-up", "too large"),
        (CertificateRejected("no"), "gave-up", "no"),
        (ImportError("no engine"), "unsupported", "cannot be imported: no engine"),
        (InternalError("it is wrong"), "gave-up", "it is wrong"),
        (ContractError("bad"), "error", "bad"),
        (KeyError("x"), "error", "KeyError: 'x'"),
        (MemoryError(), "memory", "the allocation failed"),
    ):
        assert failure(error) == (status, reason)
    line = outer.__code__.co_firstlineno + 1
    with pytest.raises(ValueError, match="invalid literal") as raised:
        outer()
    assert failure(raised.value)[1].endswith(f" (test_messages.py:{line})")
