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

from crosslit.errors import InputError
from crosslit.formats import read
from crosslit.formats.files import read_bytes
from crosslit.kinds import Puzzle
from crosslit.kinds.clue_puzzle import CluePuzzle
from crosslit.questions.count import count
from crosslit.questions.solve import solutions
from crosslit_bench.exam.lines import chase, solved_by_lines
from crosslit_bench.exam.questions import MAX_READ, UNKNOWN, Answer, Item, broken, deduced_of, guess, json_line, records

_FIELD = re.compile(r"^(Question|Puzzle|Given): (.*)$", re.MULTILINE)
_COST = re.compile(rb"^COST: ([0-9]{1,12}(?:\.[0-9]{1,12})?)\s*$", re.MULTILINE)
_MAX_OUTPUT = 64 << 20  # bytes that a command may write
_MAX_FILE = 1 << 30


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
    ``cost``. Returned is the number of answers given now. An `InputError` says that the file has something else or
    cannot be written, or that the command does not start.
    """
    kept = _whole(path) if Path(path).exists() else b""
    done = {answer.id for answer in records(Answer, path, kept)}
    given = 0
    try:
        file = open(path, "ab")  # noqa: PTH123, SIM115
    except OSError as error:
        raise InputError(path, f"cannot be written: {error.strerror}") from None
    with file:
        file.truncate(len(kept))
        file.write(b"\n" if kept and not kept.endswith(b"\n") else b"")
        for item in items:
            if item.id in done:
                continue
            began, cost = time.monotonic(), None
            if callable(contestant):
                answer = contestant(item.prompt).encode(errors="replace").decode()  # lone surrogates are no UTF-8
            else:
                answer, cost = _ask(contestant, item.prompt, timeout)
            seconds = round(time.monotonic() - began, 3)
            file.write(json_line(Answer(item.id, answer[-MAX_READ:], seconds, cost)))
            file.flush()
            given += 1
            on_answer(given)
    return given


def read_answers(path: str) -> list[Answer]:
    """Return the answers in a file; a last line that was cut off is not one."""
    return records(Answer, path, _whole(path))


def _whole(path: str) -> bytes:
    """Return the content of a file of answers without what a killed run left of its last line."""
    data = read_bytes(path, _MAX_FILE)
    last = data.rfind(b"\n") + 1
    if data[last:].startswith(b'{"'):  # any other text is not ours, and is refused later
        try:
            json.loads(data[last:])
        except ValueError:
            return data[:last]
    return data


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


def guessing(prompt: str) -> str:
    """Answer at random, always in the right form."""
    return f"ANSWER: {guess(*_fields(prompt), random.Random(prompt))}"


def by_lines(prompt: str) -> str:
    """Answer only by line solving, or for a board by one chase without presses in the first row; else give up."""
    question, puzzle, given = _fields(prompt)
    return f"ANSWER: {_of_given(question, puzzle, given) or _by_lines(question, puzzle)}"


def by_solver(prompt: str) -> str:
    """Answer by the default backend of Crosslit, which for nonograms is `hybrid`."""
    question, puzzle, given = _fields(prompt)
    return f"ANSWER: {_of_given(question, puzzle, given) or _by_solver(question, puzzle)}"


CONTESTANTS: dict[str, Callable[[str], str]] = {"random": guessing, "line": by_lines, "hybrid": by_solver}
"""Contestants that need no model, by name."""


def _fields(prompt: str) -> tuple[str, Puzzle, str]:
    found = dict(_FIELD.findall(prompt))
    if not {"Question", "Puzzle"} <= set(found):
        raise InputError("exam", f"expected the prompt of an exam, found {prompt[:40]!r}")
    return found["Question"], read(found["Puzzle"]), found.get("Given", "")


def _of_given(question: str, puzzle: Puzzle, given: str) -> str:
    """Return the answer to a question about given lines; an empty text if it is another question."""
    if question == "step":
        return deduced_of(given)
    return next(iter(broken(puzzle, given)), UNKNOWN) if question == "wrong-line" else ""


def _by_lines(question: str, puzzle: Puzzle) -> str:
    if isinstance(puzzle, CluePuzzle):
        solver = solved_by_lines(puzzle)
        if solver is None:
            return {"solve": "unsolvable", "solvable": "no"}.get(question, "0")
        grid = None if solver.open_cells() else solver.solution()
        if question == "unique":  # a beginner's answer: no cell follows any more, so there are several solutions
            return "yes" if grid is not None else "no"
    else:  # a chase finds one solution, not their number
        grid = chase(puzzle, [0] * puzzle.columns) if question != "count" else None
    if grid is None:
        return UNKNOWN
    return {"solve": grid.text(), "solvable": "yes", "count": "1"}[question]


def _by_solver(question: str, puzzle: Puzzle) -> str:
    if question == "count":
        return str(count(puzzle).number)
    found = list(islice(solutions(puzzle), 2))
    if question == "solve":
        return found[0].text() if found else "unsolvable"
    return "yes" if (len(found) == 1 if question == "unique" else found) else "no"
