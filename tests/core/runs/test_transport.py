"""Mistakes planted in Crosslit's own transport: each is a bug of Crosslit, and nobody else is blamed."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import crosslit
from crosslit import Limits, load
from crosslit.base.errors import InternalError
from crosslit.base.grid import Grid
from crosslit.cli import group
from crosslit.cli.exit_status import BUG
from crosslit.contract import Clock
from crosslit.contract.run import Run
from crosslit.registry import select_one
from crosslit.runs import child
from crosslit.runs.job import Job, Solve
from crosslit.runs.report import Frames, RunReport
from crosslit.runs.runner import Runner
from crosslit.runs.server import ForkServer
from crosslit.runs.wire import SOLUTIONS, End, Order, Pipe

DARK = load("0000/0000/0000/0000")  # of nullity 4, with solutions of two bytes
PERMUTATIONS = load("1,1,1,1|1,1,1,1")


def run(backend: str, request: Solve, puzzle: Any = PERMUTATIONS) -> Run:
    with Runner(Limits(None)) as runner:
        return runner.run(Job(choice=select_one(backend, puzzle, request.question), puzzle=puzzle, request=request))


@pytest.mark.parametrize(
    ("letter", "batched", "change"),
    [
        (SOLUTIONS, False, lambda _payload: None),
        (SOLUTIONS, True, lambda _payload: None),
        (SOLUTIONS, True, lambda payload: payload[:-2]),
        (SOLUTIONS, True, lambda payload: payload[:-2] + payload[-4:-2]),
    ],
    ids=["lost-solution", "lost-batch", "lost-in-a-batch", "changed"],
)
def test_a_lost_or_changed_solution_is_a_bug_of_crosslit(
    monkeypatch: pytest.MonkeyPatch, letter: bytes, batched: bool, change: Callable[[bytes], bytes | None]
) -> None:
    feed = Frames.feed

    def planted(kind: bytes, payload: bytes) -> list[tuple[bytes, bytes]]:
        changed = change(payload) if kind == letter else payload
        return [] if changed is None else [(kind, changed)]

    assert len(run("gauss", Solve(batched=batched), DARK).grids) == 16
    monkeypatch.setattr(
        Frames, "feed", lambda self, data: [one for given in feed(self, data) for one in planted(*given)]
    )
    with pytest.raises(InternalError, match=r"^a run sent 16 answers \(CRC-32 \w+\), but \d+ answers .* arrived$"):
        run("gauss", Solve(batched=batched), DARK)


@pytest.mark.parametrize("batched", [False, True])
@pytest.mark.parametrize("limit", [None, 16, 5])
def test_a_solution_that_the_run_loses_before_its_pipe_is_a_bug_of_crosslit(
    monkeypatch: pytest.MonkeyPatch, batched: bool, limit: int | None
) -> None:
    solutions = [grid.packed for grid in crosslit.solutions(DARK)]
    job = Job(choice=select_one("gauss", DARK), puzzle=DARK, request=Solve(batched=batched))

    def carried() -> RunReport:
        reader, writer = os.pipe()
        pipe, report = Pipe(writer, Clock()), RunReport(job, Limits(limit))
        if batched:
            child._batches((b"".join(solutions[at : at + 4]) for at in range(0, 16, 4)), 2, Limits(limit), pipe)
        else:
            child._solutions((Grid(4, 4, packed) for packed in solutions), Limits(limit), pipe)
        pipe.end(End("complete", tally=pipe.tally.words(None)).pack(0))
        report.take(os.read(reader, 1 << 16))
        os.close(reader)
        os.close(writer)
        return report

    carried().require_tally()
    answer, batch, sent = Pipe.answer, Pipe.batch, itertools.count()
    monkeypatch.setattr(Pipe, "batch", lambda self, packed, size: batch(self, packed[:-size], size))
    if not batched:
        monkeypatch.setattr(Pipe, "answer", lambda self, *given: answer(self, *given) if next(sent) != 2 else None)
    report = carried()
    with pytest.raises(InternalError, match=rf"^a run sent {limit or 16} answers .*, but {len(report.grids)} answers"):
        report.require_tally()
    assert len(report.grids) < (limit or 16)


def test_a_number_that_is_cut_off_is_a_bug_of_crosslit(monkeypatch: pytest.MonkeyPatch) -> None:
    unpack = End.unpack

    def planted(payload: bytes, cells: int) -> End:
        end = unpack(payload, cells)
        return replace(end, counted=end.counted % 16 if end.counted else end.counted)

    assert run("frontier", Solve(question="count")).counted == 24
    monkeypatch.setattr(End, "unpack", planted)
    with pytest.raises(InternalError, match=r"^a run sent a number \(CRC-32 \w+\), but a number .* arrived$"):
        run("frontier", Solve(question="count"))


def test_a_job_that_changes_on_the_way_is_a_bug_of_crosslit(monkeypatch: pytest.MonkeyPatch) -> None:
    start = ForkServer.start

    def planted(self: ForkServer, order: Order, descriptor: int) -> None:
        other = Job(choice=select_one("line", PERMUTATIONS), puzzle=load("4,0,0,0|1,1,1,1")).packed()
        start(self, replace(order, job=other), descriptor)

    monkeypatch.setattr(ForkServer, "start", planted)
    with pytest.raises(InternalError, match=r"^a run sent 1 answer "):
        run("line", Solve())


def test_a_puzzle_that_is_another_one_in_another_process_is_a_bug_of_crosslit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Grid, "__reduce__", lambda _self: (Grid.from_text, ("1/1",)))
    with pytest.raises(InternalError, match=r"^the puzzle 0/0 becomes 1/1 in another process$"):
        run("gauss", Solve(), load("0/0"))


def test_a_bug_of_crosslit_has_its_own_exit_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(**_: object) -> None:
        raise InternalError("a run sent 2 answers, but 1 answers arrived")

    monkeypatch.setattr(group.root, "main", fails)
    assert group.run() == BUG
    assert "a bug of Crosslit, not of a solver: a run sent 2 answers" in capsys.readouterr().err
