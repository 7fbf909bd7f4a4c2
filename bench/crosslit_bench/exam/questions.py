"""The questions of an exam: how they are asked, and how an answer is read and judged."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from crosslit.answer import DIGITS
from crosslit.drawing.picture import draw
from crosslit.errors import InputError
from crosslit.formats import read
from crosslit.grid import Grid
from crosslit.kinds import Puzzle
from crosslit.kinds.chance import pick
from crosslit.kinds.clue_puzzle import CluePuzzle, words
from crosslit.records import from_json, to_json
from crosslit_bench.exam.lines import GRADES, Grade, deduced
from crosslit_bench.exam.puzzles import Drawn, Truth

T = TypeVar("T")
Slot = tuple[Grade, Truth]

_CLUES: tuple[Slot, ...] = tuple((grade, truth) for grade in GRADES for truth in ("one", "one", "none"))
# A board without a solution always needs search, so half of those that need it have one.
_BOARDS: tuple[Slot, ...] = (("line", "one"), ("probe", "one"), *(("search", truth) for truth in ("one", "none") * 2))
_SEARCH: tuple[Slot, ...] = (("search", "one"), ("search", "one"), ("search", "none"))
_PAIRS: tuple[Slot, ...] = tuple((grade, truth) for grade in GRADES for truth in ("one", "several"))
_EASY: tuple[Slot, ...] = (("line", "one"),)

MAX_READ = 100_000
"""Maximum characters at the end of an answer that are read."""

UNKNOWN = "unknown"
"""The answer of a contestant that gives up."""

_FINAL = re.compile(r"ANSWER\W*?:", re.IGNORECASE)
_CODES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07]*(?:\x07|$)|[\x00-\x08\x0b-\x1f\x7f]")


class Question(NamedTuple):
    """A question: its task, the form of its answer, and the grades and numbers of solutions of its puzzles."""

    task: str
    form: str
    of_clues: tuple[Slot, ...] = ()
    of_boards: tuple[Slot, ...] = ()


QUESTIONS: dict[str, Question] = {
    "solve": Question("Find a solution, or say that there is none.", "GRID, or unsolvable", _CLUES, _BOARDS),
    "solvable": Question("Has the puzzle a solution?", "yes or no", _CLUES, _SEARCH),
    "unique": Question("The puzzle has a solution. Has it only one?", "yes or no", _PAIRS),
    "count": Question("How many solutions has the puzzle?", "a number", (("search", "several"),), _SEARCH),
    "wrong-line": Question(
        "In this grid exactly one row and one column break their clues. Name one of the two, counted from 1.",
        "row N or column N",
        _EASY,
    ),
    "step": Question(
        "In this line, ? is an unknown cell. Replace each ? whose value follows from the clue and the other cells of "
        "this line; leave every other ? as it is.",
        "the line, one character for each cell",
        _EASY,
    ),
}
"""The questions by name."""


@dataclass(frozen=True)
class Item:
    """A question about a puzzle, as contestants see it."""

    id: str
    kind: str
    size: int
    grade: str
    question: str
    puzzle: str  # the one-line form
    given: str  # the filled grid of `wrong-line`; the clue and the cells of `step`
    drawing: str
    prompt: str

    def __post_init__(self) -> None:
        if self.question not in QUESTIONS:
            raise ValueError(f"expected a question of an exam, found {self.question[:40]!r}")


@dataclass(frozen=True)
class Answer:
    """An answer of a contestant, and the time and the cost of it."""

    id: str
    answer: str
    seconds: float = 0.0
    cost: float | None = None


def records(kind: type[T], path: str, data: bytes) -> list[T]:
    """Return the content of a file with a record in JSON on each line; an `InputError` names the line that is none."""
    found = []
    for number, line in enumerate(data.splitlines(), 1):
        try:
            found.append(from_json(kind, json.loads(line)))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}:{number}", str(error)) from None
    return found


def json_line(record: Any) -> bytes:
    """Return a record as a line of JSON."""
    return json.dumps(to_json(record), sort_keys=True).encode() + b"\n"


def item_of(name: str, drawn: Drawn, rng: random.Random) -> tuple[Item, str]:
    """Return a question about a puzzle, and the right answer if it depends on more than the number of solutions."""
    kind, size, question, grade, _, puzzle, solution = drawn
    given, right = "", ""
    if question in ("wrong-line", "step"):
        assert solution is not None and isinstance(puzzle, CluePuzzle)
        given, right = (_step if question == "step" else _spoilt)(puzzle, solution, rng)
    drawing = str(draw(puzzle))
    lines = [
        _rules(puzzle),
        f"Kind: {kind}",
        f"Question: {question}",
        f"Puzzle: {puzzle.text}",
        *([f"Given: {given}"] if given else []),
        "",
        drawing,
        "",
        QUESTIONS[question].task,
        f"End with one line: ANSWER: {QUESTIONS[question].form}",
    ]
    return Item(name, kind, size, grade, question, puzzle.text, given, drawing, "\n".join(lines)), right


def _rules(puzzle: Puzzle) -> str:
    states = puzzle.layout.states
    if isinstance(puzzle, CluePuzzle):
        gap = "at least one empty cell" if states == 2 else "at least one empty cell if they have the same colour"
        colours = ", ".join(f"{DIGITS[n]} for colour {chr(96 + n)}" for n in range(1, states))
        filled = "a filled cell is 1" if states == 2 else colours
        return (
            "A nonogram: each row and each column of the grid has a clue, the lengths of its blocks of filled cells "
            f"from left to right or top to bottom, with {gap} between two blocks. In the one-line form the clues of "
            f"the rows come first, then | and those of the columns; 0 is a line without blocks. "
            f"A GRID is written row by row, separated by /; an empty cell is 0, {filled}."
        )
    count = "A press changes" if states == 2 else f"Lights have {states} states, 0 to {states - 1}. A press adds 1 to"
    after = "toggled: on becomes off, off becomes on" if states == 2 else f"counted modulo {states}"
    return (
        f"A Lights Out board. {count} the light of its cell and those of the cells above, below, left and right; "
        f"lights are {after}. A solution is a set of presses after which every light is 0. "
        "The one-line form shows the lights, row by row, separated by /. "
        f"A GRID is written in the same form: for each cell how often it is pressed, 0 to {states - 1}."
    )


def _spoilt(_: CluePuzzle, solution: Grid, rng: random.Random) -> tuple[str, str]:
    """Return a solution in which one cell has another value, and the row and the column of the cell."""
    lines = solution.text().split("/")
    row, column = pick(rng, range(solution.rows)), pick(rng, range(solution.columns))
    digits = DIGITS[: solution.states].replace(lines[row][column], "")
    lines[row] = lines[row][:column] + pick(rng, digits) + lines[row][column + 1 :]
    return "/".join(lines), f"row {row + 1}, column {column + 1}"


def _step(puzzle: CluePuzzle, solution: Grid, rng: random.Random) -> tuple[str, str]:
    """Return a clue with a partly filled line, and the line with all cells that follow."""
    lines = list(zip(puzzle.row_clues, solution.text().split("/"), strict=True))
    for _ in range(50):  # tries to find a line of which something follows
        clue, line = pick(rng, lines)
        known = "".join(digit if rng.random() < 0.3 else "?" for digit in line)
        follows = deduced(words(clue), known)
        if follows != known:
            break
    return f"{words(clue)} : {known}", follows


def final(answer: str) -> list[str]:
    r"""Return the lines after the last ``ANSWER:``, without the marks of Markdown and terminals.

    >>> final("Let me see. ANSWER: no? No:\n**ANSWER:** `yes`")
    ['yes']
    """
    text = _CODES.sub("", answer[-MAX_READ:])
    marks = list(_FINAL.finditer(text))
    if not marks:
        return []
    return [line for line in (line.strip(" \t*`.$") for line in text[marks[-1].end() :].splitlines()) if line]


def judged(item: Item, answer: str) -> str | bool | None:
    """Judge an answer: None if it is malformed; whether it is right, by the rules; or a text to compare with the key.

    A grid is judged only by the rules, so any solution is right.
    """
    lines = final(answer)
    if not lines:
        return None
    first = lines[0].lower()
    puzzle = read(item.puzzle)
    match item.question:
        case "solve":
            return "none" if first.startswith(("unsolvable", "no solution")) else _is_solution(puzzle, lines)
        case "solvable" | "unique":
            return first if first in ("yes", "no") else None
        case "count":
            return str(int(first.replace(",", ""))) if re.fullmatch(r"[0-9][0-9,]{0,4000}", first) else None
        case "wrong-line":
            found = re.fullmatch(r"(row|column) ([0-9]{1,4})", first)
            return f"{found[1]} {int(found[2])}" in broken(puzzle, item.given) if found else None
        case _:
            right, line = deduced_of(item.given), first.replace(" ", "")
            shape = f"[?{DIGITS[: puzzle.layout.states]}]{{{len(right)}}}"
            return line == right if re.fullmatch(shape, line) else None


def _is_solution(puzzle: Puzzle, lines: list[str]) -> bool | None:
    rows: list[str] = []
    for line in lines:  # a grid may be written on several lines
        if not re.fullmatch(r"[0-9a-z/ ,|]+", line) or len(rows) >= puzzle.rows:
            break
        rows += [row for row in re.sub("[ ,|]", "", line).split("/") if row]
    try:
        grid = puzzle.layout.parse("/".join(rows))
    except ValueError:
        return None
    return not any(puzzle.violations(grid)) if puzzle.layout.admits(grid) else None


def broken(puzzle: Puzzle, grid: str) -> list[str]:
    """Return the rows, then the columns of a grid that break their clues, as ``row 2``."""
    return [" ".join(line.split()[:2]) for line in puzzle.violations(puzzle.layout.parse(grid))]


def deduced_of(given: str) -> str:
    """Return the line of the question `step` with all cells that follow."""
    clue, _, cells = given.rpartition(" : ")
    return deduced(clue, cells)


def chance(item: Item, right: str) -> float:
    """Return the probability that `guess` is right."""
    layout = read(item.puzzle).layout
    match item.question:
        case "solve":
            return 1 / 3 if right == "none" else 0.0  # a random grid: below 10^-5 for every size
        case "solvable" | "unique":
            return 1 / 2
        case "count":
            return 1 / 10 if len(right) == 1 else 0.0
        case "wrong-line":
            return 2 / (layout.rows + layout.columns)
        case _:
            return float((layout.states + 1) ** -item.given.count("?"))


def guess(question: str, puzzle: Puzzle, given: str, rng: random.Random) -> str:
    """Return a random answer of the right form."""
    layout = puzzle.layout
    match question:
        case "solve":
            if rng.random() < 1 / 3:
                return "unsolvable"
            return layout.pack([pick(rng, range(layout.states)) for _ in range(layout.rows * layout.columns)]).text()
        case "solvable" | "unique":
            return pick(rng, ("yes", "no"))
        case "count":
            return pick(rng, DIGITS[:10])
        case "wrong-line":
            number = pick(rng, range(layout.rows + layout.columns)) + 1
            return f"row {number}" if number <= layout.rows else f"column {number - layout.rows}"
        case _:
            digits = "?" + DIGITS[: layout.states]
            return "".join(pick(rng, digits) if cell == "?" else cell for cell in given.rpartition(" : ")[2])
