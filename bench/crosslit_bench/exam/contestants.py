"""Contestants: commands and functions that answer prompts, and three that need no model."""

from __future__ import annotations

import json
import os
import random
import re
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from crosslit.errors import InputError
from crosslit.formats import read
from crosslit.kinds import Puzzle
from crosslit_bench.exam.lines import Contradiction, LineSolver, chase, deduced, has_clues
from crosslit_bench.exam.questions import MAX_READ, Item, guess, is_broken, read_clue

UNKNOWN = "unknown"
"""The answer of a contestant that gives up."""

_FIELD = re.compile(r"^(Question|Puzzle|Given): (.*)$", re.MULTILINE)
_COST = re.compile(rb"^COST: ([0-9.]{1,20})\s*$", re.MULTILINE)
_MAX_OUTPUT = 64 << 20  # bytes that a command may write


def run(
    items: Iterable[Item],
    contestant: Callable[[str], str] | Sequence[str],
    path: str,
    timeout: float = 600.0,
    on_answer: Callable[[int], None] = lambda _: None,
) -> int:
    """Ask a contestant, and append each answer to a file at once; items whose answer it has already are left out.

    The contestant is a function from a prompt to an answer, or the words of a command that does this from its input to
    its output, within a time limit in seconds. The file has lines of JSON with ``id``, ``answer``, ``seconds`` and
    ``cost``. Returned is the number of answers given now. An `InputError` says that the file is none, or that the
    command does not start.
    """
    done = {answer["id"] for answer in answers_in(path, repair=True)}
    given = 0
    with open(path, "ab") as file:  # noqa: PTH123
        for item in items:
            if item.id in done:
                continue
            began, cost = time.monotonic(), None
            if callable(contestant):
                answer = contestant(item.prompt)
            else:
                answer, cost = _ask(contestant, item.prompt, timeout)
            record = {"id": item.id, "answer": answer[-MAX_READ:], "seconds": round(time.monotonic() - began, 3)}
            file.write(json.dumps(record | {"cost": cost}).encode() + b"\n")
            file.flush()
            given += 1
            on_answer(given)
    return given


def answers_in(path: str, repair: bool = False) -> list[dict[str, Any]]:
    """Return the answers in a file; none if it does not exist. A last line that was cut off is not one."""
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from None
    whole = data.rfind(b"\n") + 1
    if repair and whole < len(data):
        os.truncate(path, whole)
    found = []
    for number, line in enumerate(data[:whole].splitlines(), 1):
        record: Any = None
        with suppress(ValueError):
            record = json.loads(line)
        if not isinstance(record, dict) or not isinstance(record.get("id"), str):
            raise InputError(f"{path}:{number}", "expected a JSON object with the keys id and answer")
        found.append(record | {"answer": str(record.get("answer", ""))})
    return found


def _ask(words: Sequence[str], prompt: str, timeout: float) -> tuple[str, float | None]:
    """Return the end of what a command writes for a prompt, and its cost; nothing that it started is left."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                list(words),
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=errors,
                start_new_session=True,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (_MAX_OUTPUT, _MAX_OUTPUT)),
            )
        except OSError as error:
            raise InputError(words[0], f"does not start: {error.strerror}") from None
        try:
            with suppress(subprocess.TimeoutExpired):
                process.communicate(prompt.encode(), timeout)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        texts = []
        for file in (output, errors):
            file.seek(max(0, file.seek(0, os.SEEK_END) - MAX_READ))
            texts.append(file.read())
    cost = _COST.findall(texts[1])
    return texts[0].decode(errors="replace"), sum(map(float, cost)) if cost else None


def _fields(prompt: str) -> tuple[str, Puzzle, str]:
    found = dict(_FIELD.findall(prompt))
    return found["Question"], read(found["Puzzle"]), found.get("Given", "")


def guessing(prompt: str) -> str:
    """Answer at random, always in the right form."""
    return f"ANSWER: {guess(*_fields(prompt), random.Random(prompt))}"


def by_lines(prompt: str) -> str:
    """Answer only by line solving, or for a board by one chase without presses in the first row; else give up."""
    question, puzzle, given = _fields(prompt)
    return f"ANSWER: {_of_line(puzzle, question, given) or _by_lines(question, puzzle)}"


def _of_line(puzzle: Any, question: str, given: str) -> str:
    if question == "step":
        clue, _, cells = given.rpartition(" : ")
        return deduced(read_clue(clue), cells)
    if question == "wrong-line":
        return next(f"row {row}" for row in range(1, puzzle.rows + 1) if is_broken(puzzle, given, "row", row))
    return ""


def _by_lines(question: str, puzzle: Puzzle) -> str:
    if has_clues(puzzle):
        solver = LineSolver(puzzle)
        try:
            solver.narrow()
        except Contradiction:
            return {"solve": "unsolvable", "solvable": "no"}.get(question, "0")
        found, is_only = solver.text() if not solver.open() else "", True
        if question == "unique":  # a beginner's answer: no cell follows any more, so there are several solutions
            return "yes" if found else "no"
    else:
        grid, is_only = chase(puzzle, [0] * puzzle.columns), False
        found = grid.text() if grid is not None else ""
    if not found or (question == "count" and not is_only):
        return UNKNOWN
    return {"solve": found, "solvable": "yes", "count": "1"}[question]


def by_solver(prompt: str) -> str:
    """Answer by the default backend of Crosslit, which for nonograms is `hybrid`."""
    from crosslit.questions.count import count
    from crosslit.questions.solve import solutions

    question, puzzle, given = _fields(prompt)
    if question == "count":
        return f"ANSWER: {count(puzzle).number}"
    if of_line := _of_line(puzzle, question, given):
        return f"ANSWER: {of_line}"
    found = list(islice(solutions(puzzle), 2))
    words = {
        "solve": found[0].text() if found else "unsolvable",
        "solvable": "yes" if found else "no",
        "unique": "yes" if len(found) == 1 else "no",
    }
    return f"ANSWER: {words[question]}"


CONTESTANTS: dict[str, Callable[[str], str]] = {"random": guessing, "line": by_lines, "hybrid": by_solver}
"""Contestants that need no model, by name."""
