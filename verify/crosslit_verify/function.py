"""A Python function as a solver under test, in a process forked from this one, which never calls it; and backends.

Only puzzles are pickled, and no module is imported again, so the function may be a closure, or defined in a notebook.
A backend is such a function, or, as a program of another environment, answers in lines of JSON.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from crosslit_backends.programs import protocol
from crosslit_backends.programs.protocol import FEWEST, MAX_SOLUTIONS, Claims, Reply, SolverFailure

from crosslit import registry
from crosslit.base.errors import SpecError
from crosslit.base.grid import Grid
from crosslit.contract import GaveUp, QuestionName, Task
from crosslit.formats import parse_line
from crosslit.kinds import Puzzle
from crosslit.runs.job import closing_at_exit, drive
from crosslit.runs.sandbox import ProcessGroup
from crosslit_verify.process import Solver, close_ours

_RAISED = b"!"  # first byte of a line with an exception, instead of an answer
_LENGTH = 8  # bytes of the length before a question


class Function(Solver):
    """A Python function as a solver.

    It takes a puzzle, and returns a grid, None for unsolvable, or any number of grids. A grid is a `Grid`, text such as
    ``10/01``, rows of text, a two-dimensional array or nested sequence of 0 and 1. A mapping is read like an answer of
    the protocol: ``{"solution": ..., "unique": True}``. It may take ``memory_mb`` in addition to the memory of this
    process when it was forked, whose threads do not exist there: it must start and end its own pools when called.

    Examples:
        >>> from crosslit.formats import read
        >>> with Function(lambda puzzle: [[1] * puzzle.columns] * puzzle.rows) as solver:
        ...     solver.ask(read("2|1,1")).solutions[0].text
        '11'
    """

    shares_memory = True

    def __init__(self, function: Callable[[Any], Any], claims: Claims = "one", **limits: Any) -> None:
        super().__init__(str(getattr(function, "__name__", "function")), claims, **limits)
        self.function = function

    def _answer(self, puzzle: Puzzle, seconds: float) -> Reply:
        # Pickled, which is safe in this direction: the process is a fork of this one, with the same code.
        body = pickle.dumps(puzzle)
        line = self._exchange(len(body).to_bytes(_LENGTH, "little") + body, seconds)
        if line.startswith(_RAISED):
            return SolverFailure("crash", line[1:].decode(errors="replace"))
        return protocol.read_line(line, states=puzzle.layout.states)

    def _started(self, descriptors: Sequence[int]) -> ProcessGroup:
        return ProcessGroup(partial(self._serve, *descriptors))

    def _serve(self, questions: int, answers: int, errors: int) -> None:
        close_ours()
        for target in (1, 2):  # prints of the function are not answers
            os.dup2(errors, target)
        os.close(errors)
        sys.stdout = sys.stderr = os.fdopen(1, "w", buffering=1, errors="replace", closefd=False)
        with os.fdopen(questions, "rb") as reading, os.fdopen(answers, "wb") as writing:
            while head := reading.read(_LENGTH):
                puzzle = pickle.loads(reading.read(int.from_bytes(head, "little")))
                writing.write(_answer_line(self.function, puzzle) + b"\n")
                writing.flush()


def _answer_line(function: Callable[[Any], Any], puzzle: Puzzle) -> bytes:
    """Return the line that answers a puzzle."""
    try:
        return json.dumps(in_protocol(function(puzzle), puzzle.rows)).encode()
    except BaseException as error:  # `sys.exit` too, which would otherwise end it without a reason
        trace = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
        place = f" ({Path(trace[-1].filename).name}:{trace[-1].lineno})" if trace else ""
        words = " ".join((traceback.format_exception_only(error)[-1] + place).split())
        return _RAISED + words[:300].encode(errors="replace")


def in_protocol(value: Any, rows: int) -> dict[str, Any]:
    """Return the value of a function (see `Function`) for a puzzle of some rows as an answer of the protocol.

    Examples:
        >>> in_protocol([[1, 0], [0, True]], 2)
        {'solutions': [[[1, 0], [0, True]]]}
        >>> in_protocol(["10", "01"], 2), in_protocol(["10", "01"], 1)
        ({'solutions': [['10', '01']]}, {'solutions': ['10', '01']})
    """
    plain = json.loads(json.dumps(value, default=_plain), parse_float=_number)
    if plain is None or isinstance(plain, dict):
        return {"unsolvable": True} if plain is None else plain
    if not isinstance(plain, list):
        return {"solution": plain}
    # With one row, each text may be a solution; with several, they are the rows of one grid.
    is_text = rows != 1 and all(isinstance(row, str) and "/" not in row for row in plain)
    is_grid = all(isinstance(row, list) and not any(isinstance(cell, list | str) for cell in row) for row in plain)
    return {"solutions": [plain] if plain and (is_text or is_grid) else plain}


def _plain(value: Any) -> Any:
    """Return a grid as text, and an array or another iterable as a list; the name of its type if it is no answer."""
    if isinstance(value, Grid):
        return value.text
    if hasattr(value, "tolist"):  # an array or a number of numpy
        return value.tolist()
    return [*value] if isinstance(value, Iterable) else f"({type(value).__name__})"


def _number(text: str) -> float:
    """Return a number of an array, whose default type is float."""
    number = float(text)
    return int(number) if number in (0, 1) else number


def backend_reply(spec: str, puzzle: Puzzle, claims: Claims) -> dict[str, Any]:
    """Return the answer of a backend to a puzzle, in the protocol; one that gave up claims nothing but wrong grids."""
    question = _question(claims)
    (choice,) = registry.select([spec], puzzle, question)
    if choice.refusal is not None:
        return {"unsupported": True}
    wanted = {"one": 1, "unique": 2, "all": MAX_SOLUTIONS + 1, FEWEST: None}[claims]
    task, grids, has_given_up = Task(question, wanted, choice.encoding, choice.options), list[Grid](), False
    try:
        with closing_at_exit(drive(choice.backend, puzzle, task)) as search:
            grids.extend(islice(search, wanted))  # which keeps those before it gives up
    except GaveUp:
        has_given_up = True
        if not any(next(puzzle.violations(grid), None) for grid in grids):
            return {"unknown": True}
    if claims == "all" or not grids:
        return {"solutions": [grid.text for grid in grids]}
    answer: dict[str, Any] = {"solution": grids[-1 if claims == FEWEST else 0].text}
    return answer | ({"unique": len(grids) == 1} if claims == "unique" and not has_given_up else {})


def backend_version(spec: str, puzzles: Sequence[Puzzle], claims: Claims) -> str:
    """Return the version of a backend; a SpecError says why it answers about none of the puzzles."""
    choices = [registry.select([spec], puzzle, _question(claims)) for puzzle in puzzles]
    if (several := max(map(len, choices))) > 1:
        raise SpecError(f"backend {spec!r}: it selects {several} backends where one is expected")
    refusals = [choice.refusal for (choice,) in choices]
    if None not in refusals:
        raise SpecError(f"backend {spec!r}: {refusals[-1]}")
    return choices[0][0].version


def _question(claims: Claims) -> QuestionName:
    return FEWEST if claims == FEWEST else "solutions"


def main(spec: str) -> None:
    """Answer the questions on standard input with a backend, in lines of JSON."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # engines may print
    for line in sys.stdin:
        asked = json.loads(line)
        puzzle = parse_line(asked["kind"], asked["text"], "question")
        print(json.dumps(backend_reply(spec, puzzle, asked["claims"])), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
