"""Python functions as solvers under test: what they may return; `test_hostile` has failures."""

from __future__ import annotations

import gc
import os
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from crosslit_backends.programs.protocol import SolverAnswer, SolverFailure
from crosslit_verify.solver import Command, Function

from crosslit import Grid, Nonogram, load
from crosslit.runs.processes import descendants

from .solvers import PUZZLE, detail, gone, linux, number_in, problem


def replies(values: list[Any]) -> list[SolverAnswer | SolverFailure]:
    """The replies of a function that returns one value after another."""
    left = iter(values)
    with Function(lambda _: next(left), timeout=20) as solver:
        return [solver.ask(PUZZLE) for _ in values]


def test_a_function_may_return_none_or_whatever_is_a_grid_or_several() -> None:
    ones, row = Grid.from_text("11/11"), "1|1,0"
    cases: list[tuple[Any, str, str]] = [
        (None, "1|1,1", ""),
        ([], "1,1|1", ""),
        ({"solution": None}, "1|1", ""),
        *((value, "2,2|2,2", "11/11") for value in (ones, "11/11", ["11", "11"], [[1, 1], [True, 1.0]], [ones])),
        *((value, "2,2|2,2", "11/11") for value in (((1, 1), [1, 1]), np.ones((1, 2, 2)), [["11", "11"]])),
        ([np.ones(2, dtype=bool), [np.True_, np.int64(1)]], "2,2|2,2", "11/11"),
        ({"solutions": [np.ones((2, 2), dtype=int)], "unique": True}, "2,2|2,2", "11/11"),
        (["11", "00"], "2|1,1", "11 00"),  # two solutions of one row
        (["11", "00"], "2,0|1,1", "11/00"),
        (["11/00", "00/11"], "2,0|1,1", "11/00 00/11"),
        ([["10", "01"], ["01", "10"]], "1,1|1,1", "10/01 01/10"),
        ([[[1, 0]], [[0, 1]]], row, "10 01"),
        (np.array([[1.0, 0.0]]), row, "10"),
    ]
    values = iter([value for value, _, _ in cases])
    with Function(lambda _: next(values), timeout=20) as solver:
        for value, shape, solutions in cases:
            answer = solver.ask(load(shape))
            assert isinstance(answer, SolverAnswer), (value, answer)
            assert " ".join(grid.text for grid in answer.solutions) == solutions, value
            assert answer.unsolvable == (not solutions), value


@pytest.mark.parametrize(
    "value",
    [
        *(0, True, object(), [object()], 1.5, {"solution": object()}, lambda: None),
        *([[1, 2], [1, 1]], [["a", 1]], "solved", [[1, 1], [1]], [[0.5]], [[float("nan")]], [None], np.zeros(2), {}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_answer_is_malformed(value: object) -> None:
    (reply,) = replies([value])
    assert problem(reply) == "malformed-output"
    if type(value) is object:
        assert "(object)" in detail(reply)


def test_an_exception_is_a_crash_with_its_place() -> None:
    def solve(_: Nonogram) -> Any:
        yield "11/11"
        raise TypeError("no\nway")

    functions: list[Callable[..., Any]] = [solve, lambda: None]
    for function, words in zip(functions, ("TypeError: no way (test_function.py:", "TypeError: test_an"), strict=True):
        with Function(function) as solver:
            assert detail(solver.ask(PUZZLE)).startswith(words)


@linux
def test_memory_is_counted_in_addition_to_ours() -> None:
    ours = bytearray(b"x") * 150_000_000
    with Function(lambda _: bytearray(b"x") * 150_000_000 and "11/11", timeout=20, memory_mb=100) as solver:
        assert detail(solver.ask(PUZZLE)) == "more than 100 MB"
    with Function(lambda _: ["11", "11"], memory_mb=100) as solver:
        assert problem(solver.ask(PUZZLE)) == "right"
        time.sleep(0.1)
        assert problem(solver.ask(PUZZLE)) == "right"
    assert len(ours) == 150_000_000


def test_it_runs_where_there_are_threads_and_in_one() -> None:
    with warnings.catch_warnings(), ThreadPoolExecutor(1) as pool:
        warnings.simplefilter("error")
        found = [*pool.submit(replies, ["11/11"]).result(), *replies(["11/11"])]
    assert [*map(problem, found)] == ["right", "right"]


@linux
def test_no_descriptor_and_no_process_is_lost(tmp_path: Path) -> None:
    def solve(_: Nonogram) -> None:
        (tmp_path / "pid").write_text(str(os.getpid()), encoding="utf-8")
        os._exit(1)

    def count(*others: int) -> int:
        gc.collect()
        pids = [*others, *descendants(os.getpid())]
        return sum(1 + len([*Path(f"/proc/{pid}/fd").iterdir()]) for pid in pids)

    before = count(os.getpid())
    for _ in range(2):
        with Function(solve) as solver:
            solver.ask(PUZZLE)
            solver.ask(PUZZLE)
        with Command(["sh", "-c", "echo x >&2; echo 11; echo 11"], format="inline") as once:
            counts = [(problem(once.ask(PUZZLE)), count()) for _ in range(3)]
        assert counts == [("right", counts[0][1])] * 3
        with Function(lambda _: "11/11") as idle:
            assert problem(idle.ask(PUZZLE)) == "right"
        assert gone(number_in(tmp_path / "pid"))
    assert count(os.getpid()) == before
