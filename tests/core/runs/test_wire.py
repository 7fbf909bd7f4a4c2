"""Data that a run may write to its pipe, and the checks of it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from crosslit import Grid, Limits, load
from crosslit.base.errors import CertificateRejected, ContractError, GaveUp, InternalError, OneFound
from crosslit.contract import Clock, no_time
from crosslit.contract.run import MAX_SECONDS, Run, Timing
from crosslit.kinds import Puzzle
from crosslit.registry import select_one
from crosslit.runs import wire
from crosslit.runs.child import _cut
from crosslit.runs.job import Certify, Job, Request, Solve
from crosslit.runs.report import ClockState, Frames, RunReport
from crosslit.runs.wire import MAX_END, MAX_MOMENT, MAX_THREADS, MAX_WORDS, End, HandingOver, Pipe, failure, max_text
from tests.planted.forgeries import ENDS, FRAMES, end, frame

CELL = load("1")


def report(request: Request | None = None, puzzle: Puzzle = CELL, limits: Limits | None = None) -> RunReport:
    """Return one of a run of this request."""
    choice = select_one("gauss", CELL)
    job = Job(choice=choice, puzzle=puzzle, request=request or Solve())
    return RunReport(job, limits or Limits())


@pytest.fixture
def piped() -> Iterator[tuple[Pipe, int]]:
    reader, writer = os.pipe()
    yield Pipe(writer, Clock()), reader
    os.close(reader)
    os.close(writer)


def take(given: RunReport, data: bytes) -> str:
    """Return the error in data that a run wrote; empty if there is none."""
    given.take(data)
    return given.broken.removeprefix("it wrote ").removesuffix(" to the pipe of its run")


@pytest.mark.parametrize("name", [name for name in ENDS if name != "long"])
def test_an_end_that_no_run_writes_is_refused_in_a_few_words(name: str) -> None:
    with pytest.raises(ValueError, match=r"\A.{1,300}\Z"):
        End.unpack(ENDS[name], 0)


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_that_no_run_writes_is_refused(name: str) -> None:
    assert re.fullmatch(r".{1,300}", take(report(), frame(*FRAMES[name])))


def test_an_end_that_a_run_writes_is_read_as_it_was() -> None:
    phases = {**no_time(), "solve": 1.5}
    stats = {"nodes": 7, "share": 0.5, "engine": "x", "all": {"log2": 80}, "none": None}
    told = End("gave-up", "no more", 1 << 80, stats, MAX_THREADS, phases, 0.25, 100.0, 101.5)
    assert End.unpack(told.pack(80), 80) == told


def test_text_that_cannot_be_written_is_replaced() -> None:
    assert End.unpack(End("error", "no file \udcff", stats={"\udcff": "\udcff"}).pack(0), 0).reason == "no file ?"
    assert End.unpack(End("error", stats={"\udcff": "\udcff"}).pack(0), 0).stats == {"?": "?"}


def test_a_count_is_at_most_that_of_all_grids() -> None:
    assert End.unpack(end(counted=hex(2**9)), 9).counted == 2**9
    with pytest.raises(ValueError, match="the count '0x201' where a whole number from 0 to 2\\^9 is expected"):
        End.unpack(end(counted=hex(2**9 + 1)), 9)
    assert End("complete", counted=2**5_000_000).pack(5_000_000)  # more digits than an end has bytes otherwise


def test_a_pipe_that_takes_a_part_gets_the_rest(piped: tuple[Pipe, int], monkeypatch: pytest.MonkeyPatch) -> None:
    pipe, reader = piped
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:3]))
    pipe.end(b"0123456789")
    assert os.read(reader, 100) == wire.HEADER.pack(wire.END, 10) + b"0123456789"


def test_the_digest_of_a_run_does_not_depend_on_order_or_repetition() -> None:
    one, two = Grid.from_text("10"), Grid.from_text("01")
    lists = [[one, two], [two, one], [one, one, two]]
    assert len({Run(backend="x", grids=grids).digest for grids in lists}) == 1
    assert Run(backend="x", grids=[one]).digest != Run(backend="x", grids=[one, two]).digest


def test_a_long_frame_is_refused_before_it_has_come() -> None:
    long = take(report(), wire.HEADER.pack(wire.END, MAX_END + 1))
    assert long == "a frame of 1048577 bytes where at most 1048576 are expected"
    assert not take(report(), wire.HEADER.pack(wire.END, MAX_END))


def test_a_run_writes_one_text() -> None:
    given = report(Certify(()))
    text = frame(wire.TEXT, wire.PROGRESS_FORM.pack(0, 0.0, *no_time().values()) + b"{}")
    assert (take(given, text), take(given, text), given.text) == ("", "a second text", "{}")


def test_only_the_run_that_counts_may_write_a_long_end() -> None:
    board = load("/".join(["0" * 2000] * 2000))
    header = wire.HEADER.pack(wire.END, MAX_END + 10_000)
    assert not take(report(Solve(question="count"), board), header)
    assert "where at most 1048576 are expected" in take(report(puzzle=board), header)


def test_only_batches_come_in_frames_longer_than_a_solution() -> None:
    header = wire.HEADER.pack(wire.SOLUTIONS, wire.PROGRESS_FORM.size + CELL.layout.size + 1)
    assert "are expected" in take(report(), header)
    assert not take(report(Solve(batched=True)), header)


@pytest.mark.parametrize(("bound", "error"), [(wire.MAX_BOUND, ""), (wire.MAX_BOUND + 1, "the bound 92233720368")])
def test_a_bound_fits_a_file_of_results(bound: int, error: str) -> None:
    given, progress = report(), bytes(wire.PROGRESS_FORM.size)
    assert take(given, frame(wire.BOUND, progress + wire.BOUND_FORM.pack(bound)))[: len(error) or None] == error
    assert given.bound == (0 if error else bound)


def test_many_long_statistics_are_refused_before_they_are_sent() -> None:
    End("complete", stats={str(number): "x" * 10_000 for number in range(104)}).pack(0)
    with pytest.raises(ValueError, match="bytes of statistics where at most 1048576 fit"):
        End("complete", stats={str(number): "x" * 10_000 for number in range(105)}).pack(0)


def test_an_error_that_is_no_mistake_of_the_backend_says_what_was_found() -> None:
    errors = (OneFound("one"), GaveUp("too large"), CertificateRejected("no"), ContractError("bad"), MemoryError())
    assert [failure(error)[0] for error in errors] == ["one found", "gave-up", "gave-up", "error", "memory"]


def test_long_words_are_cut_to_what_an_end_may_hold() -> None:
    assert [len(_cut("x" * size)) for size in (9_999, 10_000, 10_001)] == [9_999, 10_000, 10_000]


def test_a_text_may_have_the_quarter_of_the_memory_that_is_meant_for_answers() -> None:
    limits = Limits(memory_mb=1)
    assert max_text(limits) == 1 << 18
    assert max_text(Limits(memory_mb=1 << 20)) == wire.MAX_TEXT
    header = wire.HEADER.pack(wire.TEXT, (1 << 18) + 1000)
    assert "are expected" in take(report(Certify(()), limits=limits), header)


def test_a_message_of_a_server_may_be_long() -> None:
    assert Frames().feed(wire.HEADER.pack(wire.ENDED, 1 << 24)) == []
    with pytest.raises(ValueError, match="a frame of"):
        Frames().feed(wire.HEADER.pack(wire.ENDED, (1 << 30) + 1))


def test_a_bound_beyond_64_bits_becomes_the_largest(piped: tuple[Pipe, int]) -> None:
    pipe, reader = piped
    pipe.bound(1 << 70)
    given = report()
    assert not take(given, os.read(reader, 1 << 20))
    assert given.bound == (1 << 63) - 1


def test_a_large_batch_comes_in_frames_that_may_come(piped: tuple[Pipe, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MAX_BATCH", 8)
    pipe, reader = piped
    batch = bytes(range(30))
    pipe.batch(batch, 3)
    given = report(Solve(batched=True), load("0" * 24))
    assert given.take(os.read(reader, 1 << 20)) == batch
    assert given.frames == 5


def test_the_clock_stands_still_while_a_frame_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("crosslit.contract.backend.time.perf_counter", lambda: now)

    def write(_descriptor: int, data: memoryview) -> int:
        nonlocal now
        now += 10.0  # its reader is busy
        return len(data)

    monkeypatch.setattr(wire.os, "write", write)
    clock = Clock()
    pipe = Pipe(-1, clock)
    clock.resume()
    now += 1.0
    pipe.bound(3)
    pipe.step(1, 2)
    pipe.progress()
    now += 1.0
    clock.pause()
    assert (clock.seconds["solve"], pipe.waited) == (2.0, 30.0)
    pipe.hold(5.0)
    assert pipe.waited == 35.0


@pytest.mark.parametrize(
    ("measured", "overhead", "unexplained"),
    [
        pytest.param({"waited": 2.0, "cpu": 1.0, "wall": 3.0}, 2.0, 0.0, id="waiting for the reader is overhead"),
        pytest.param({"waited": 2.0, "cpu": 0.5, "wall": 3.0}, 2.0, 0.0, id="also with little processor time"),
        pytest.param({"waited": 2.0, "cpu": 3.0, "wall": 3.0}, 0.0, 2.0, id="time on the processor was no waiting"),
        pytest.param({"waited": 4.0, "cpu": 3.0, "wall": 3.0}, 0.0, 2.0, id="nor does it help to claim more"),
        pytest.param({"waited": 2.0, "cpu": 2.0, "wall": 3.0}, 1.0, 1.0, id="a part of it was"),
        pytest.param({"waited": 2.0, "cpu": 9.0, "wall": 3.0}, 0.0, 2.0, id="nor was it with more than the wall time"),
        pytest.param({"waited": 2.0, "cpu": 3.0, "wall": 3.0, "threads": 3}, 2.0, 0.0, id="as that of three threads"),
        pytest.param({"waited": 2.0, "cpu": 3.0, "wall": 3.0, "threads": 2}, 1.0, 1.0, id="of two threads at most"),
        pytest.param(
            {"waited": 2.0, "cpu": 3.0, "wall": 5.0, "delayed": 2.0}, 0.0, 4.0, id="waiting for a processor is none"
        ),
    ],
)
def test_overhead(measured: dict[str, float], overhead: float, unexplained: float) -> None:
    """A run reports a second of solving."""
    made, wall = report(), measured["wall"]
    phases = {**no_time(), "solve": 1.0}
    times = {"waited": measured["waited"], "began": 100.0, "ended": 100.0 + wall}
    made.end = End("complete", threads=int(measured.get("threads", 1)), phases=phases, **times)
    record = {"delayed": 0.0, **measured, "forked": 100.0, "exited": 100.0 + wall}
    timing = made.timing(record)
    assert (timing.overhead, timing.wall - timing.overhead - timing.total) == (overhead, unexplained)


def test_handing_over_takes_some_processor_time() -> None:
    made = report()
    made.end = End("complete", phases={**no_time(), "solve": 1.0}, waited=0.5, began=0.0, ended=1.5)
    record = {"forked": 0.0, "exited": 1.5, "cpu": 1.5, "delayed": 0.0}
    for made.frames, made.size, overhead in ((10_000, 0, 0.5), (0, 50_000_000, 0.5), (2_500, 0, 0.25), (0, 0, 0.0)):
        assert made.timing(record).overhead == overhead


@pytest.mark.parametrize(
    ("began", "ended", "overhead"),
    [(100.0, 104.0, 0.0), (100.125, 103.875, 0.25), (100.25, 103.75, 0.5), (101.0, 104.0, 0.25), (100.0, 103.0, 0.25)],
)
def test_only_a_part_of_the_time_before_and_after_a_run_is_not_its_own(
    began: float, ended: float, overhead: float
) -> None:
    made = report()
    made.end = End("complete", phases={**no_time(), "solve": 1.0}, began=began, ended=ended)
    timing = made.timing({"forked": 100.0, "exited": 104.0, "cpu": 1.0, "delayed": 0.5})
    assert (timing.overhead, timing.handed, timing.delayed, timing.wall) == (overhead, 0.0, 0.5, 4.0)


@pytest.mark.parametrize(
    ("moment", "before", "handed", "solve", "overhead"),
    [
        (None, 0.0, 0.0, 4.0, 0.0),  # nothing arrived
        (101.0, 0.5, 0.0, 3.5, 0.5),
        (101.0, 0.5, 1.5, 2.5, 1.5),
        (101.0, 0.5, 9.0, 0.5, 3.5),  # it says so of more time than there was
        (105.0, 0.5, 0.0, 0.5, 3.5),  # or names a moment after its end
        (90.0, 0.0, 0.0, 4.0, 0.0),  # or before its start
    ],
)
def test_the_time_after_the_last_frame_of_a_killed_run(
    moment: float | None, before: float, handed: float, solve: float, overhead: float
) -> None:
    made = report()
    if moment is not None:
        made.progress = ClockState("solve", moment, {**no_time(), "solve": before})
    timing = made.timing({"forked": 100.0, "exited": 104.0, "cpu": 2.0, "delayed": 0.0, "handed": handed})
    assert (timing.phases, timing.overhead) == ({**no_time(), "solve": solve}, overhead)


def test_a_killed_run_is_charged_with_the_time_in_which_its_frames_did_not_wait() -> None:
    made = report()
    made.progress = ClockState("load", 101.0, {**no_time(), "encode": 0.5, "load": 0.5})
    record = {"forked": 100.0, "exited": 104.0, "cpu": 2.0, "delayed": 0.0}
    timing = made.timing({**record, "handed": 2.0})
    assert (timing.phases["load"], timing.total, timing.overhead, timing.handed) == (1.5, 2.0, 2.0, 2.0)
    assert made.timing({**record, "handed": 0.0}).total == 4.0


@pytest.mark.parametrize(
    ("timing", "note"),
    [
        (Timing(wall=10.0, overhead=1.0, handed=1.0), ""),
        (Timing(wall=10.0, overhead=1.2, handed=1.1), "handing over solutions took another 1.1 s"),
        (Timing(wall=1.0, overhead=0.5, handed=0.5), ""),  # as on a busy machine
        (Timing(wall=6.0, overhead=1.0), ""),  # as in a file of results: that can be the start and the end
        (Timing(wall=6.0, overhead=2.5), "handing over solutions took another 2 s"),
    ],
)
def test_a_run_says_that_more_than_a_tenth_of_its_time_was_for_handing_over(timing: Timing, note: str) -> None:
    assert timing.note == note


def test_time_of_handing_over_is_seen_while_it_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 10.0
    monkeypatch.setattr(wire.time, "monotonic", lambda: now)
    handing = HandingOver()
    handing.begin()
    now = 13.0
    handing.begin()
    assert handing.seconds == 3.0
    handing.end(4.0)
    now = 20.0
    assert handing.seconds == 4.0
    handing.begin()
    handing.end(1.5)
    assert handing.seconds == 5.5


LARGEST = 1 << 53


@pytest.mark.parametrize(
    ("field", "most", "beyond"),
    [
        ("stats", LARGEST, LARGEST + 1),
        ("stats", -LARGEST, -LARGEST - 1),
        ("stats", sys.float_info.max, float("inf")),
        ("stats", -sys.float_info.max, -float("inf")),
        ("stats", {"log2": LARGEST}, {"log2": LARGEST + 1}),
        ("stats", {"log2": 0}, {"log2": True}),
        ("stats", "x" * MAX_WORDS, "x" * (MAX_WORDS + 1)),
        ("reason", "x" * MAX_WORDS, "x" * (MAX_WORDS + 1)),
        ("threads", 1, 0),
        ("threads", MAX_THREADS, MAX_THREADS + 1),
        ("waited", MAX_SECONDS, MAX_SECONDS + 1),
        ("waited", 0, -1e-9),
        ("waited", 1, True),
        ("began", MAX_MOMENT, MAX_MOMENT * 2),
        ("ended", 0.0, -1.0),
        ("phases", {**no_time(), "load": MAX_SECONDS}, {**no_time(), "load": MAX_SECONDS + 1}),
        ("phases", no_time(), {**no_time(), "think": 0.0}),
        ("status", "unsupported", "timeout"),
        ("counted", None, "0x2"),
    ],
)
def test_each_field_of_an_end_has_a_largest_value(field: str, most: Any, beyond: Any) -> None:
    named = (lambda value: {field: {"x": value}}) if field == "stats" else (lambda value: {field: value})
    assert {field: getattr(End.unpack(end(**named(most)), 0), field)} == named(most)
    with pytest.raises(ValueError, match=" where "):
        End.unpack(end(**named(beyond)), 0)


def test_a_power_of_two_is_a_whole_number() -> None:
    assert repr(End.unpack(end(stats={"x": {"log2": 3.0}}), 0).stats) == "{'x': {'log2': 3}}"


@pytest.mark.parametrize("cells", [0, 3, 4, 4000])
def test_an_end_is_as_long_as_its_frame_may_be(cells: int) -> None:
    full = {str(number): "x" * MAX_WORDS for number in range(104)}
    room = MAX_END + cells // 4 - len(End("complete", stats={**full, "last": ""}).pack(0))
    assert len(End("complete", stats={**full, "last": "x" * room}).pack(cells)) == MAX_END + cells // 4
    with pytest.raises(ValueError, match="bytes of statistics where at most"):
        End("complete", stats={**full, "last": "x" * (room + 1)}).pack(cells)


def test_a_run_checks_its_end_as_its_reader_does() -> None:
    with pytest.raises(ValueError, match="threads 0 where a whole number from 1 to 1024 is expected"):
        End("complete", threads=0).pack(0)


def test_frames_are_the_same_wherever_their_stream_is_cut() -> None:
    frames = [(b"S", b"12"), (b"P", b""), (b"B", b"345")]
    data = b"".join(frame(*each) for each in frames)
    for cut in range(len(data) + 1):
        reader = Frames()
        first = reader.feed(data[:cut])
        assert first + reader.feed(data[cut:]) == frames
        assert first == frames[: len(first)]
        assert len(first) == sum(len(b"".join(frame(*each) for each in frames[:n])) <= cut for n in (1, 2, 3))


PROGRESS = wire.PROGRESS_FORM.pack(2, 100.0, *no_time().values())
LAMPS = load("0" * 24)  # solutions of three bytes


@pytest.mark.parametrize(
    ("moment", "seconds", "is_read"),
    [
        (0.0, 0.0, True),
        (MAX_MOMENT, MAX_SECONDS, True),
        (MAX_MOMENT * 2, 0.0, False),
        (0.0, MAX_SECONDS + 1, False),
        (-1.0, 0.0, False),
        (0.0, -1.0, False),
        (float("nan"), 0.0, False),
    ],
)
def test_a_clock_shows_a_time(moment: float, seconds: float, is_read: bool) -> None:
    given = report()
    told = take(given, frame(wire.PROGRESS, wire.PROGRESS_FORM.pack(1, moment, 0.0, 0.0, 0.0, seconds)))
    assert (given.progress is not None, told) == (is_read, "") if is_read else "where a number from 0 to" in told


def test_what_a_run_says_again_replaces_only_what_is_weaker() -> None:
    given = report(Solve(batched=True), LAMPS)
    for bound in (3, 5, 4):
        given.take(frame(wire.BOUND, PROGRESS + wire.BOUND_FORM.pack(bound)))
    for done in (1, 3, 2):
        given.take(frame(wire.STEP, PROGRESS + wire.STEP_FORM.pack(done, 9)))
    assert (given.bound, given.step) == (5, (2, 9))


@pytest.mark.parametrize("keeps", [True, False])
def test_each_solution_of_a_frame_takes_memory_if_it_is_kept(keeps: bool) -> None:
    given = RunReport(
        Job(choice=select_one("gauss", LAMPS), puzzle=LAMPS, request=Solve(batched=True)), Limits(), keeps
    )
    for batch in (b"123" * 3, b"456" * 2):
        assert given.take(frame(wire.SOLUTIONS, PROGRESS + batch)) == batch
    assert (len(given.grids), given.kept) == ((5, 5 * (2 * 3 + 160)) if keeps else (0, 0))
    for wrong in (b"", b"12", b"1234"):
        assert "bytes where solutions of 3 each are expected" in take(given, frame(wire.SOLUTIONS, PROGRESS + wrong))


def test_a_text_is_one_answer_that_takes_memory() -> None:
    given = report(Certify(()))
    given.take(frame(wire.TEXT, PROGRESS + b"{}"))
    assert given.kept == 2
    assert "not UTF-8" in take(report(Certify(())), frame(wire.TEXT, PROGRESS + b"\xff"))


@pytest.mark.parametrize("letter", [wire.SOLUTIONS, wire.PROGRESS, wire.END])
def test_nothing_follows_an_end(letter: bytes) -> None:
    given = report()
    given.take(frame(wire.END, end()))
    told = take(given, frame(letter, end() if letter == wire.END else PROGRESS + b"1" * (letter == wire.SOLUTIONS)))
    assert (told, given.grids) == ("more after its end", [])


def test_a_solution_larger_than_a_batch_comes_alone(piped: tuple[Pipe, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MAX_BATCH", 2)
    pipe, reader = piped
    pipe.batch(b"123456", 3)
    given = report(Solve(batched=True), LAMPS)
    assert (given.take(os.read(reader, 1 << 20)), given.frames) == (b"123456", 2)


def test_a_clock_that_stands_still_is_not_started_by_a_frame(
    piped: tuple[Pipe, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr("crosslit.contract.backend.time.perf_counter", lambda: now)
    pipe, _ = piped
    pipe.progress()
    now = 10.0
    pipe._clock.pause()
    assert not any(pipe._clock.seconds.values())


def test_an_error_is_told_with_the_place_where_it_was_raised() -> None:
    def outer() -> None:
        int("x")

    for error, status, reason in (
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
    assert failure(raised.value)[1].endswith(f" (test_wire.py:{line})")
