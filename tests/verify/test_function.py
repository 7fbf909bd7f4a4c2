"""Python functions as solvers under test: their return values, and each failure."""

from __future__ import annotations

import gc
import os
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from crosslit_backends.programs.protocol import SolverAnswer, SolverFailure
from crosslit_verify.function import Function, NoGrids, in_protocol

from crosslit import Grid, InputError, LightsOut, Nonogram

from .solvers import PUZZLE, RIGHT, detail, gone, linux, number_in, problem

LINE = Nonogram([[1]], [[], [1]])


def said(function: Callable[[Any], Any], puzzle: Any = PUZZLE, timeout: float = 20.0) -> SolverAnswer | SolverFailure:
    with Function(function, timeout=timeout) as solver:
        answer = solver.ask(puzzle)
        assert solver.close() is None
    return answer


@pytest.mark.parametrize(
    "value",
    [
        Grid.from_text("11/11"),
        "11/11",
        ["11", "11"],
        [[1, 1], [True, 1.0]],
        ((1, 1), [1, 1]),
        np.ones((2, 2)),
        np.ones((2, 2), dtype=bool),
        [np.ones(2, dtype=np.uint8), [np.True_, np.int64(1)]],
        [Grid.from_text("11/11")],
        ["11/11"],
        np.ones((1, 2, 2)),
        [[[1, 1], [1, 1]]],
        {"solution": Grid.from_text("11/11")},
        {"solutions": [np.ones((2, 2), dtype=int)], "unique": True},
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_function_may_return_whatever_is_a_grid(value: object) -> None:
    answer = said(lambda _: value)
    assert isinstance(answer, SolverAnswer), answer
    assert [grid.text for grid in answer.solutions] == RIGHT


@pytest.mark.parametrize(
    ("value", "rows", "answer"),
    [
        (None, 1, {"unsolvable": True}),
        ([], 2, {"solutions": []}),
        (["11", "00"], 1, {"solutions": ["11", "00"]}),
        (["11", "00"], 2, {"solutions": [["11", "00"]]}),
        (["11/00", "00/11"], 2, {"solutions": ["11/00", "00/11"]}),
        ([Grid.from_text("11")], 1, {"solutions": ["11"]}),
        ([Grid.from_text("1/1")], 2, {"solutions": ["1/1"]}),
        ([[1, 0.0], [True, 0]], 2, {"solutions": [[[1, 0], [True, 0]]]}),
        ([[[1, 0]], [[0, 1]]], 1, {"solutions": [[[1, 0]], [[0, 1]]]}),
        ([[1, 0.5]], 1, {"solutions": [[[1, 0.5]]]}),
        ([["10", "01"]], 2, {"solutions": [["10", "01"]]}),
        ([["10", "01"], ["01", "10"]], 2, {"solutions": [["10", "01"], ["01", "10"]]}),
        ({"solution": None, "unique": 1.0}, 1, {"solution": None, "unique": 1}),
    ],
)
def test_what_it_returns_is_an_answer_of_the_protocol(value: Any, rows: int, answer: dict[str, Any]) -> None:
    assert in_protocol(value, rows) == answer


@pytest.mark.parametrize(
    "value",
    [
        *(0, True, object(), [object()], 1.5, {"solution": object()}, lambda: None),
        *([[1, 2], [1, 1]], [["a", 1]], "solved", [[1, 1], [1]], [[0.5]], [[float("nan")]], [None], np.zeros(2), {}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_answer_is_rubbish(value: object) -> None:
    assert problem(said(lambda _: value)) == "malformed-output"


def test_what_is_expected_is_said() -> None:
    with pytest.raises(NoGrids, match="expected a grid, None, or several grids, found object"):
        in_protocol(object(), 1)


def test_it_restarts_in_its_first_state_after_a_failure() -> None:
    calls: list[int] = []

    def solve(_: Nonogram) -> str:
        calls.append(1)
        return "11/11" if len(calls) < 3 else "?"

    with Function(solve) as solver:
        found = [problem(solver.ask(PUZZLE)) for _ in range(7)]
    assert found == ["right", "right", "malformed-output"] * 2 + ["right"]
    assert calls == []


def test_an_exception_is_a_crash_with_its_place() -> None:
    def solve(_: Nonogram) -> Any:
        yield "11/11"
        raise TypeError("no\nway")

    assert detail(said(solve)).startswith("TypeError: no way (test_function.py:")
    assert "takes 0 positional arguments" in detail(said(lambda: None))


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


def test_it_takes_puzzles_as_they_are() -> None:
    board = LightsOut(Grid.from_text("101"), missing=Grid.from_text("010"), wrap="torus")
    seen = said(lambda puzzle: f"{int(puzzle == board)}0/00", board)
    assert isinstance(seen, SolverAnswer)
    assert seen.solutions[0][0, 0]


def test_it_runs_where_there_are_threads_and_in_one() -> None:
    found: list[str] = []
    wait = threading.Event()
    other = threading.Thread(target=wait.wait)
    other.start()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        thread = threading.Thread(target=lambda: found.append(problem(said(lambda _: "11/11"))))
        thread.start()
        thread.join()
        found.append(problem(said(lambda _: "11/11")))
    wait.set()
    other.join()
    assert found == ["right", "right"]


def test_two_functions_do_not_hold_each_other_open() -> None:
    with Function(lambda _: "11/11") as one, Function(lambda _: None) as other:
        assert problem(one.ask(PUZZLE)) == "right"
        assert problem(other.ask(PUZZLE)) == "wrong"
        assert one.close() is None
        assert problem(other.ask(PUZZLE)) == "wrong"
        assert problem(one.ask(PUZZLE)) == "right"
        assert other.close() is None


@pytest.mark.slow
def test_no_descriptor_is_lost(tmp_path: Path) -> None:
    def solve(_: Nonogram) -> None:
        (tmp_path / "pid").write_text(str(os.getpid()), encoding="utf-8")
        os._exit(1)

    def count() -> int:
        gc.collect()
        return len(list(Path("/dev/fd").iterdir()))

    before = count()
    for _ in range(3):
        with Function(solve) as solver:
            solver.ask(PUZZLE)
            solver.ask(PUZZLE)
        assert gone(number_in(tmp_path / "pid"))
    assert count() == before


def test_what_is_no_function_is_bad_input() -> None:
    with pytest.raises(InputError, match="expected a function"):
        Function("solver")  # type: ignore[arg-type]
