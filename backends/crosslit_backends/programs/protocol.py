"""The protocol: questions to programs, and their answers in JSON or plain text: answers, abstentions and failures.

``docs/reference/verify-protocol.md`` documents it for the author of a program. Reading is liberal in blank space and
strict in meaning. It never raises: an unreadable answer is a `SolverFailure`. A grid of another shape than the puzzle
is an answer, which is judged elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NoReturn, get_args

from crosslit.base.errors import InputError
from crosslit.base.grid import DIGITS, Grid
from crosslit.formats import require
from crosslit.kinds import Puzzle

Claims = Literal["one", "all", "unique", "fewest"]
FEWEST: Literal["fewest"] = "fewest"
CLAIMS: tuple[Claims, ...] = get_args(Claims)
"""The promises of a solver: one solution; all; one, and whether it is unique; one with the fewest presses."""

MAX_SOLUTIONS = 10_000
"""Maximum solutions of a reference. One more grid of an answer is read: it is wrong, or a repetition."""

Problem = Literal["crash", "hang", "memory", "malformed-output", "orphaned-process", "disagreement"]
PROBLEMS: tuple[Problem, ...] = get_args(Problem)

Abstained = Literal["unknown", "unsupported"]
ABSTENTIONS: tuple[Abstained, ...] = get_args(Abstained)
"""Replies without a claim: the solver gave up, or does not support such a puzzle."""


@dataclass(frozen=True)
class SolverAnswer:
    """An answer to one puzzle as the solver gave it, not yet compared with the puzzle.

    A grid may have another shape than the puzzle; `Puzzle.violations` raises ValueError then.
    """

    solutions: tuple[Grid, ...]  # in the order given, with repetitions
    unsolvable: bool  # it claims that there is no solution; true exactly if `solutions` is empty
    unique: bool | None = None  # it claims that the solution is unique, or not; None if it does not say
    more: int = 0  # number of further grids that were not read, beyond `MAX_SOLUTIONS` + 1


@dataclass(frozen=True)
class SolverFailure:
    """A reply that cannot be judged.

    The solver ended without an answer (``crash``), gave none in time (``hang``), exceeded its limit of ``memory``,
    wrote something else (``malformed-output``), left processes running (``orphaned-process``), or another version of it
    gives another answer (``disagreement``).
    """

    problem: Problem
    detail: str  # one line: exit status or signal, the output (shortened), the last line of standard error


@dataclass(frozen=True)
class Abstention:
    """A reply without a claim: ``unknown`` (the solver gave up) or ``unsupported`` (it does not take such a puzzle)."""

    word: Abstained


Reply = SolverAnswer | Abstention | SolverFailure


_MAX_SHOWN = 60  # bytes of output shown in a message
_CELLS = str.maketrans(".#", "01")
_KEYS = ("solution", "solutions", "unsolvable")


def question(puzzle: Puzzle, number: int, claims: Claims) -> bytes:
    """Return the line that asks a persistent solver."""
    record = {"id": number, "kind": puzzle.kind, **puzzle.data, "claims": claims, "text": puzzle.text}
    return json.dumps(record).encode() + b"\n"


def text(puzzle: Puzzle, input_format: str) -> bytes:
    """Return the standard input of a process started for one puzzle."""
    if input_format == "inline":
        return puzzle.text.encode() + b"\n"
    try:
        return require(input_format).write(puzzle).encode()
    except ValueError as error:
        raise InputError(f"format {input_format}", str(error)) from None


def read_line(
    line: bytes, number: int | None = None, states: int = 2, change: Callable[[Any], Any] = lambda record: record
) -> Reply:
    """Return the answer in a line of JSON; an ``id`` in it must equal the number of the question, if that is given.

    ``change`` brings other answers into the form of the protocol.
    """
    try:
        return _answer(change(_decoded(line)), number, states)
    except ValueError as error:
        return SolverFailure("malformed-output", f"{error}: {shown(line)}")


def read_text(output: bytes, states: int = 2) -> Reply:
    r"""Read an answer in plain text: rows of cells with a blank line between solutions, or a word.

    The words are ``unsolvable``, ``unknown`` and ``unsupported``, and ``unique`` (or not) after a solution.
    """
    try:
        written = decode(output).strip()
        return _plain_answer(written, states) if written else SolverFailure("malformed-output", "it wrote nothing")
    except ValueError as error:
        return SolverFailure("malformed-output", f"{error}: {shown(output)}")


def shown(data: bytes | bytearray, length: int = _MAX_SHOWN) -> str:
    """Return output on one line, shortened, in quotes."""
    return repr(bytes(data[:length]))[1:] + (f"... ({len(data)} bytes)" if len(data) > length else "")


def decode(output: bytes) -> str:
    """Return output as text; raise a ValueError if it is not UTF-8."""
    try:
        return output.decode().removeprefix("\ufeff")  # programs on Windows may begin with a byte order mark
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None


def _decoded(line: bytes) -> Any:
    text = decode(line)
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError:
        raise ValueError("not a line of JSON") from None
    except ValueError as error:
        # Python's own message names a function that the author of a solver need not know.
        raise ValueError("a number with too many digits" if "digits" in str(error) else str(error)) from None
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # JSON allows a key twice, and parsers differ in which one counts: such an answer has no clear meaning.
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError("a key given twice")
    return record


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant)


def _answer(record: Any, number: int | None, states: int) -> SolverAnswer | Abstention:
    # The shortest ways to say "no solution" in a program that prints its result as JSON.
    if record is None or record == []:
        return SolverAnswer((), True, None)
    if type(record) is not dict:
        raise ValueError('expected an object such as {"solutions": [...]}')
    # The number is optional in an answer, but a wrong one shows that question and answer are out of step.
    if record.get("id", number) != number and number is not None:
        raise ValueError(f"expected the answer to puzzle {number}, found another id")
    if "solution" in record and "solutions" in record:
        raise ValueError("both solution and solutions")
    unsolvable, unique = _flag(record, "unsolvable"), _flag(record, "unique")
    abstained = [word for word in ABSTENTIONS if _flag(record, word)]
    if not abstained and not any(key in record for key in _KEYS):
        raise ValueError("expected solution, solutions, unsolvable, unknown or unsupported")
    listed = _listed(record) or []
    if abstained:
        if listed or unsolvable or unique or len(abstained) > 1:
            raise ValueError(f"both {abstained[0]} and another answer")
        return Abstention(abstained[0])
    return _consistent(listed, partial(_grid, states=states), not listed if unsolvable is None else unsolvable, unique)


def _consistent(listed: list[Any], read: Callable[[Any], Grid], unsolvable: bool, unique: bool | None) -> SolverAnswer:
    # Only one grid more than allowed is parsed, which is enough to see that there are too many.
    grids = tuple([read(value) for value in listed[: MAX_SOLUTIONS + 1]])
    if unsolvable == bool(grids):
        raise ValueError("both solutions and unsolvable" if grids else "neither a solution nor unsolvable")
    if unsolvable and unique:
        raise ValueError("both unique and unsolvable")
    return SolverAnswer(grids, unsolvable, unique, len(listed) - len(grids))


def _listed(record: dict[str, Any]) -> list[Any] | None:
    if "solution" in record:
        value = record["solution"]
        return None if value is None or value == [] else [value]
    values = record.get("solutions")
    if values is not None and type(values) is not list:
        raise ValueError("solutions must be a list of grids")
    return values


def _flag(record: dict[str, Any], key: str) -> bool | None:
    value = record.get(key)
    if value is not None and type(value) is not bool:
        raise ValueError(f"{key} must be true or false")
    return value


def _grid(value: Any, states: int) -> Grid:
    """Return the grid of a text with rows separated by / or line ends, a list of such rows, or lists of cells."""
    if type(value) is str:
        try:
            return Grid.from_text(value, states)
        except ValueError:
            return _grid_of_rows(re.split(r"[/\n]", value.strip()), states)
    if type(value) is not list or not value:
        raise ValueError("a solution must be text such as 10/01, or a list of rows")
    return _grid_of_rows([row if type(row) is str else _row(row, states) for row in value], states)


def _row(cells: Any, states: int) -> str:
    if type(cells) is not list:
        raise ValueError("a row must be text such as 101, or a list of 0 and 1")
    # `type` first, since 1.0 equals 1 too.
    if any(type(cell) not in (bool, int) or not 0 <= cell < states for cell in cells):
        raise ValueError("a cell must be 0 or 1, true or false" if states == 2 else f"a cell is below {states}")
    return "".join([DIGITS[cell] for cell in cells])


def _grid_of_rows(rows: list[str], states: int) -> Grid:
    try:  # as most are written; the rest takes twice as long
        grid = Grid.from_text("/".join(rows), states)
        if grid.rows == len(rows):
            return grid
    except ValueError:
        pass
    rows = ["".join(row.split()).translate(_CELLS) for row in rows]
    # A row with a slash would be split, and the grid would get more rows than were listed.
    if any("/" in row for row in rows):
        raise ValueError("a row must be text such as 101")
    return Grid.from_text("/".join(rows), states)


def _plain_answer(written: str, states: int) -> SolverAnswer | Abstention:
    if (word := written.lower()) in ABSTENTIONS:
        return Abstention(word)
    unique, unsolvable = None, False
    listed: list[list[str]] = [[]]  # the rows of each grid
    for line in written.splitlines():
        words = line.split()
        word = " ".join(words).lower()
        if words and "/" not in word and word not in ("unique", "not unique", "unsolvable"):
            listed[-1].append("".join(words))
            continue
        if listed[-1]:
            listed.append([])
        if word in ("unique", "not unique"):
            if unique is not None:
                raise ValueError("uniqueness is stated twice")
            unique = word == "unique"
        elif word == "unsolvable":
            unsolvable = True
        elif words:  # a whole solution on one line
            listed[-1:] = ["".join(words).split("/"), []]
    return _consistent([rows for rows in listed if rows], partial(_grid_of_rows, states=states), unsolvable, unique)
