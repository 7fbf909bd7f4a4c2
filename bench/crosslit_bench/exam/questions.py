"""The questions of an exam: one table says how each is definition, answered, read and guessed."""

from __future__ import annotations

import functools
import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeVar, get_args

from crosslit_backends.coloured_nonogram.line_solver import solve_line

from crosslit.answer import DIGITS
from crosslit.drawing import ASCII, draw
from crosslit.errors import InputError
from crosslit.formats import from_line
from crosslit.formats.files import read_bytes
from crosslit.grid import Grid
from crosslit.kinds import Puzzle
from crosslit.kinds.chance import pick
from crosslit.kinds.clue_puzzle import CluePuzzle, Pairs
from crosslit.kinds.coloured_nonogram.puzzle import Block
from crosslit.records import from_json, to_json

T = TypeVar("T")
KindName = Literal["nonogram", "lights-out", "coloured-nonogram", "modular-lights-out"]
QuestionName = Literal["solve", "solvable", "unique", "count", "wrong-line", "step"]
Grade = Literal["line", "probe", "search"]
GRADES: tuple[Grade, ...] = get_args(Grade)
"""The work that a puzzle needs: only lines (for a board: the chase from no presses in the first row), guesses of one
cell that are refuted by lines (one press in the first row), or search."""
Slot = tuple[Grade, Literal["one", "several", "none"]]
"""A grade, and the number of solutions; "one" is one or more for a board."""

MAX_READ = 100_000  # characters at the end of an answer
MAX_FILE = 1 << 30  # bytes

_CODES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07]*(?:\x07|$)|[\x00-\x08\x0b-\x1f\x7f]")

_CLUES: tuple[Slot, ...] = tuple((grade, truth) for grade in GRADES for truth in ("one", "one", "none"))
_SEARCH: tuple[Slot, ...] = (("search", "one"), ("search", "one"), ("search", "none"))
# A board without a solution always needs search, so half of those that need it have one.
_BOARDS: tuple[Slot, ...] = (("line", "one"), ("probe", "one"), *(("search", truth) for truth in ("one", "none") * 2))


@dataclass(frozen=True)
class Item:
    """A question about a puzzle, as contestants see it."""

    id: str
    kind: KindName
    size: int
    grade: Grade
    question: QuestionName
    puzzle: str  # the one-line form
    given: str  # the filled grid of `wrong-line`; the row of `step` and its known cells
    drawing: str
    prompt: str

    def __post_init__(self) -> None:
        if self.parsed.kind != self.kind:
            raise ValueError(f"puzzle: expected one of the kind {self.kind}")
        self.definition.right(self, 0, None)  # raises a ValueError if `given` is not as the question needs it

    @functools.cached_property
    def parsed(self) -> Puzzle:
        """The puzzle."""
        return from_line(self.puzzle, self.id)

    @property
    def definition(self) -> Question:
        """The properties of its question."""
        return QUESTIONS[self.question]

    def reading(self, answer: str) -> str | None:
        """Return an answer in a form for comparison, "solution" for any solution; None if it is malformed."""
        _, *texts = re.split(r"answer\W*?:", _CODES.sub("", answer[-MAX_READ:]).lower())  # the last one counts
        lines = (re.sub("[ \t,|]", "", line).strip("*`.$") for line in texts[-1].splitlines()) if texts else ()
        pattern = self.definition.pattern(self) if self.definition.pattern else "|".join(self.definition.choices(self))
        found = re.match(f"({pattern})(?=/|$)", "/".join(filter(None, lines)))
        if not found or self.question != "solve" or found[1] == "unsolvable":
            return found[1] if found else None
        try:
            return "wrong" if _violations(self, found[1]) else "solution"
        except ValueError:  # too few rows, or too many
            return None


@dataclass(frozen=True)
class Answer:
    """An answer of a contestant, and the time and the cost of it."""

    id: str
    answer: str
    seconds: float = 0.0
    cost: float | None = None


class Question(NamedTuple):
    """A question: its text, what holds for an item of it, and the grades and numbers of solutions of its puzzles."""

    task: str
    form: str
    # the right answers, from the number of solutions and one of them; none if these are needed and not known
    right: Callable[[Item, int | None, Grid | None], list[str]]
    choices: Callable[[Item], Sequence[str]]  # the answers of a contestant that guesses, each equally probable
    of_clues: tuple[Slot, ...]
    of_boards: tuple[Slot, ...] = ()
    pattern: Callable[[Item], str] | None = None  # of well-formed answers, if not only the choices
    given: Callable[[CluePuzzle, Grid, random.Random], str] | None = None


def _violations(item: Item, grid: str) -> list[str]:
    """Return the first two words of each violation, such as ``row2``."""
    return ["".join(line.split()[:2]) for line in item.parsed.violations(item.parsed.layout.parse(grid))]


def _cell(item: Item, also: str = "") -> str:
    return f"[{also}{DIGITS[: item.parsed.layout.states]}]"


def _spoilt(_: CluePuzzle, solution: Grid, rng: random.Random) -> str:
    """Return a solution in which one cell has another value."""
    text = solution.text()
    cell = pick(rng, [index for index, value in enumerate(text) if value != "/"])
    return text[:cell] + pick(rng, DIGITS[: solution.states].replace(text[cell], "")) + text[cell + 1 :]


def _step(puzzle: CluePuzzle, solution: Grid, rng: random.Random) -> str:
    """Return a row with unknown cells."""
    for _ in range(50):  # tries to find a row of which something follows
        number = pick(rng, range(puzzle.rows))
        line = "".join(cell if rng.random() < 0.3 else "?" for cell in solution.text().split("/")[number])
        if deduced(puzzle.pairs(puzzle.row_clues[number]), line) != line:
            break
    return f"row {number + 1}: {line}"


def _completed(item: Item) -> str:
    found = re.fullmatch("row ([1-9][0-9]?): ([?0-9a-z]{1,99})", item.given)
    if not found or not isinstance(item.parsed, CluePuzzle) or int(found[1]) > item.parsed.rows:
        raise ValueError("given: expected the number of a row, and its cells")
    return deduced(item.parsed.pairs(item.parsed.row_clues[int(found[1]) - 1]), found[2])


def deduced(pairs: Pairs, line: str) -> str:
    """Return a line with all cells that its blocks and its known cells decide; ``?`` is an unknown cell."""
    can = tuple(sum((cell in ("?", digit)) << index for index, cell in enumerate(line)) for digit in DIGITS)
    possible = solve_line(tuple(Block(*pair) for pair in pairs), len(line), can) or ()
    digits = dict(zip(DIGITS, possible, strict=False))
    values = ([digit for digit, cells in digits.items() if cells >> place & 1] for place in range(len(line)))
    return "".join(found[0] if len(found) == 1 else "?" for found in values)


QUESTIONS: dict[QuestionName, Question] = {
    "solve": Question(
        "Find a solution, or say that there is none.",
        "GRID, or unsolvable",
        lambda _, number, grid: [grid.text()] if grid else ["unsolvable"] * (number == 0),
        lambda item: ["unsolvable", *("/".join([cell * item.parsed.columns] * item.parsed.rows) for cell in "01")],
        _CLUES,
        _BOARDS,
        lambda item: "unsolvable|{0}(?:/+{0})*".format(f"{_cell(item)}{{{item.parsed.columns}}}"),
    ),
    "solvable": Question(
        "Has the puzzle a solution?",
        "yes or no",
        lambda _, number, grid: ["yes"] if grid or number else ["no"] * (number == 0),
        lambda _: ("yes", "no"),
        _CLUES,
        _SEARCH,
    ),
    "unique": Question(
        "The puzzle has a solution. Has it only one?",
        "yes or no",
        lambda _, number, __: ["yes" if number == 1 else "no"],
        lambda _: ("yes", "no"),
        (("line", "one"), ("line", "several"), ("search", "one"), ("search", "several")),
    ),
    "count": Question(
        "How many solutions has the puzzle?",
        "a number",
        lambda _, number, __: [] if number is None else [str(number)],
        lambda _: DIGITS[:10],
        (("search", "several"),),
        _SEARCH,
        lambda _: "0|[1-9][0-9]*",
    ),
    "wrong-line": Question(
        "In this grid exactly one row and one column break their clues. Name one of the two, counted from 1.",
        "row N or column N",
        lambda item, *_: _violations(item, item.given),
        lambda item: [
            *(f"row{number}" for number in range(1, item.parsed.rows + 1)),
            *(f"column{number}" for number in range(1, item.parsed.columns + 1)),
        ],
        (("line", "one"),),
        given=_spoilt,
    ),
    "step": Question(
        "In this row, ? is an unknown cell. Replace each ? whose value follows from the clue and the other cells of "
        "this row; leave every other ? as it is.",
        "the row, one character for each cell",
        lambda item, *_: [_completed(item)],
        lambda item: [item.given.partition(": ")[2].replace("?", cell) for cell in "?01"],
        (("line", "one"),),
        pattern=lambda item: f"{_cell(item, '?')}{{{len(_completed(item))}}}",
        given=_step,
    ),
}
"""The questions by name."""


def item_of(
    name: str, question: Any, size: int, grade: Grade, puzzle: Any, solution: Grid | None, rng: random.Random
) -> Item:
    """Return a question about a puzzle."""
    definition, drawing = QUESTIONS[question], draw(puzzle, style=ASCII)
    given = definition.given(puzzle, solution, rng) if definition.given and solution else ""
    lines = [
        _rules(puzzle),
        f"Puzzle: {puzzle.text}",
        f"Given: {given}\n" if given else "",
        f"{drawing}\n",
        definition.task,
    ]
    prompt = "\n".join([*lines, f"End with one line: ANSWER: {definition.form}"])
    return Item(name, puzzle.kind, size, grade, question, puzzle.text, given, drawing, prompt)


def _rules(puzzle: Puzzle) -> str:
    states = puzzle.layout.states
    if isinstance(puzzle, CluePuzzle):
        gap = "" if states == 2 else " of the same colour"
        colours = ", ".join(f"{DIGITS[n]} for colour {chr(96 + n)}" for n in range(1, states))
        return (
            "A nonogram. The clue of a row or column is the lengths of its blocks of filled cells, in order, with at "
            f"least one empty cell between two blocks{gap}; 0 is a line without blocks. In one line, the clues of the "
            "rows come before |, then those of the columns. A GRID is written row by row, separated by /: an empty "
            f"cell is 0, {colours if states > 2 else 'a filled cell is 1'}."
        )
    return (
        f"A Lights Out board of lights with {states} states. A press adds 1, modulo {states}, to the light of its cell "
        "and to those above, below, left and right of it. After the presses of a solution every light is 0. In one "
        "line, lights are written row by row, separated by /. A GRID is written likewise: for each cell how often it "
        f"is pressed, 0 to {states - 1}."
    )


def records(kind: type[T], path: str, data: bytes | None = None) -> list[T]:
    """Return the content of a file with a record in JSON on each line; an `InputError` names the line that is none."""
    found = []
    for number, line in enumerate((read_bytes(path, MAX_FILE) if data is None else data).splitlines(), 1):
        try:
            found.append(from_json(kind, json.loads(line)))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}:{number}", str(error)) from None
    return found


def json_line(record: Any) -> str:
    """Return a record as a line of JSON."""
    return json.dumps(to_json(record), sort_keys=True) + "\n"
