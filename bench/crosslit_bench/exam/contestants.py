"""Contestants: commands and functions that answer items, and three that need no model."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from crosslit_backends.coloured_nonogram.line_search import Search
from crosslit_backends.nonogram.line_state import Counts

from crosslit.answer import DIGITS
from crosslit.errors import InputError
from crosslit.formats.files import read_bytes
from crosslit.grid import Grid
from crosslit.kinds.chance import pick
from crosslit.kinds.clue_puzzle import CluePuzzle
from crosslit.kinds.coloured_nonogram.puzzle import ColouredNonogram, usual_palette
from crosslit.questions.ask import isolated
from crosslit.questions.count import count
from crosslit.questions.solve import some_solutions
from crosslit.runs.run import ENDED, Limits
from crosslit.sandbox.supervisor import Session
from crosslit_bench.exam.questions import MAX_FILE, MAX_READ, Answer, Item, json_line, records

_COST = re.compile(r"^COST: ([0-9]{1,12}(?:\.[0-9]{1,12})?)\s*\Z", re.MULTILINE)


def run(items: Iterable[Item], contestant: Callable[[Item], str], path: str) -> Iterator[Answer]:
    """Ask a contestant, and yield each answer when it is appended to a file; those that it has already are left out.

    The contestant is a function from an item to an answer; a last line ``COST: 0.003`` is the cost of the answer. The
    file has lines of JSON with ``id``, ``answer``, ``seconds`` and ``cost``; anything else in it is an `InputError`.
    """
    with Path(path).open("a", encoding="utf-8") as file:
        whole = _whole(read_bytes(path, MAX_FILE))
        done = {answer.id for answer in records(Answer, path, whole)}
        file.truncate(len(whole))
        file.write("" if whole.endswith(b"\n") or not whole else "\n")
        for item in items:
            if item.id not in done:
                began = time.monotonic()
                text = contestant(item)[-MAX_READ:].encode(errors="replace").decode()  # lone surrogates are no UTF-8
                seconds, cost = round(time.monotonic() - began, 3), _COST.search(text)
                answer = Answer(item.id, text, seconds, float(cost[1]) if cost else None)
                file.write(json_line(answer))
                file.flush()
                yield answer


def read_answers(path: str) -> list[Answer]:
    """Return the answers in a file; a last line that was cut off by the end of a run is not one."""
    return records(Answer, path, _whole(read_bytes(path, MAX_FILE)))


def _whole(data: bytes) -> bytes:
    last = data[data.rfind(b"\n") + 1 :]
    if last.startswith(b'{"'):  # any other text is not ours, and is refused
        try:
            json.loads(last)
        except ValueError:
            return data.removesuffix(last)
    return data


def command(words: Sequence[str], timeout: float = 600.0) -> Callable[[Item], str]:
    """Return a contestant that is a command, from the prompt on its input to the answer on its output."""
    if not words or shutil.which(words[0]) is None:
        raise InputError(" ".join(words), "is not found, or not executable")

    def ask(item: Item) -> str:
        with tempfile.TemporaryFile() as prompt, tempfile.TemporaryFile() as output:
            prompt.write(item.prompt.encode())
            prompt.seek(0)

            def execute() -> None:
                os.dup2(prompt.fileno(), 0)
                os.dup2(output.fileno(), 1)
                os.execvp(words[0], list(words))

            # After the time limit it is ended with all its processes, and what it has written counts.
            session, until = Session(execute), time.monotonic() + timeout
            while not session.has_ended() and time.monotonic() < until:
                time.sleep(0.005)
            status, _ = session.reap()
            output.seek(max(0, output.seek(0, os.SEEK_END) - MAX_READ))
            answer = output.read().decode(errors="replace")
        if status > 0 and not answer:  # such as a model that cannot be reached
            raise InputError(words[0], f"ended with status {status} and no answer")
        return answer

    return ask


def _guess(item: Item) -> str:
    return f"ANSWER: {pick(random.Random(item.prompt), item.definition.choices(item))}"


def _by_lines(item: Item) -> str:
    """Answer by line solving, or for a board by one chase without presses in the first row; else give up."""
    puzzle = item.parsed
    number, solution = None, None
    if not isinstance(puzzle, CluePuzzle):  # a chase finds one solution, not their number
        solution = chase(puzzle, [0] * puzzle.columns)
    elif (solver := line_solved(puzzle)) is None:
        number = 0
    elif not solver.open_cells():
        number, solution = 1, solver.solution()
    return f"ANSWER: {(item.definition.right(item, number, solution) or ['unknown'])[0]}"


def _by_solver(item: Item) -> str:
    """Answer by the default backend, which for nonograms is `hybrid`."""
    with isolated(None, Limits()) as runner:
        found, run = some_solutions(runner, item.parsed, 2)
    if run.status not in ENDED:
        return "ANSWER: unknown"
    number = count(item.parsed).number if item.question == "count" else len(found)
    return f"ANSWER: {item.definition.right(item, number, found[0] if found else None)[0]}"


CONTESTANTS: dict[str, Callable[[Item], str]] = {"random": _guess, "line": _by_lines, "hybrid": _by_solver}
"""Contestants that need no model, by name."""


def line_solved(puzzle: CluePuzzle) -> Search | None:
    """Return what complete line solving finds in a nonogram of any kind; None if it refutes the puzzle."""
    if not isinstance(puzzle, ColouredNonogram):
        rows, columns = (list(map(puzzle.pairs, clues)) for clues in (puzzle.row_clues, puzzle.column_clues))
        puzzle = ColouredNonogram(rows, columns, usual_palette(1))
    solver = Search(puzzle, Counts())
    return solver if solver.propagate(range(len(solver.clues))) else None


def chase(board: Any, first_row: Sequence[int]) -> Grid | None:
    """Return the presses of which each row puts out the row above, if the last row is out too; for usual crosses."""
    presses: list[int] = []
    above, row = [0] * board.columns, list(first_row)
    for line in board.shown.text().split("/"):
        presses += row
        cells = zip(map(DIGITS.index, line), above, row, [0, *row[:-1]], [*row[1:], 0], strict=True)
        above, row = row, [-sum(values) % board.layout.states for values in cells]
    return None if any(row) else board.layout.pack(presses)
