"""A formula in conjunctive normal form, possibly with parity constraints, over the cells of a grid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from crosslit.base.errors import UnreadableModel
from crosslit.base.grid import Grid, Layout
from crosslit.base.records import Result
from crosslit_encoders.cells import Extension, cell_comments

Literals = NDArray[np.int32]
Xor = tuple[tuple[int, ...], int]
"""Variables, and the parity of the number of true ones."""

_CHUNK = 512
"""Number of clauses made into lists at a time.

Few enough for the cache, and too few to start Python's garbage collector.
"""


@dataclass(frozen=True, repr=False)
class Formula(Result):
    """Clauses over the variables 1..variables; the first ones are the cells of a grid.

    Cell (r, c) is variable ``1 + r * columns + c``, so no map is needed. A cell with more than two states has a
    variable for each: "cell i has value v" is ``1 + i * states + v``. The auxiliary variables follow; the cells
    determine all of them. The grid is the solution itself, or a part that determines it, such as its first row: then
    ``extend`` says which cells these are, and returns the solution.

    ``owners`` returns the constraint of the puzzle to which each clause belongs, by its place in
    `Puzzle.constraints_shape`, or -1 for none: such a clause always holds. It is a function because few questions need
    it, and None if clauses do not belong to single constraints.
    """

    rows: int
    columns: int
    variables: int  # including auxiliary ones
    literals: Literals  # of all clauses in sequence: int32, as in DIMACS
    ends: NDArray[np.int64]  # for each clause, the index after its last literal, ascending
    xors: tuple[Xor, ...] = ()  # parity constraints, which only the target `cnf-xor` has
    extend: Extension | None = None
    owners: Callable[[], NDArray[np.int64]] | None = None
    states: int = 2  # of a cell

    @classmethod
    def of(
        cls,
        rows: int,
        columns: int,
        clauses: Sequence[Sequence[int]],
        owners: Sequence[int] | None = None,
        states: int = 2,
    ) -> Formula:
        """Return the formula of clauses, lists of literals; those after the given ``owners`` have none."""
        literals = np.array([literal for clause in clauses for literal in clause], np.int32)
        ends = np.cumsum([len(clause) for clause in clauses], dtype=np.int64)
        every = None if owners is None else lambda: np.array([*owners, *[-1] * (len(clauses) - len(owners))], np.int64)
        variables = int(np.abs(literals).max(initial=Layout(rows, columns, states).variables))
        return cls(rows, columns, variables, literals, ends, owners=every, states=states)

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def cells(self) -> int:
        """Number of cell variables."""
        return self.layout.variables

    @property
    def layout(self) -> Layout:
        """The form of the grid of cells that have variables."""
        return Layout(self.rows, self.columns, self.states)

    def clauses(self) -> Iterator[list[int]]:
        """Yield each clause as a list of literals; a list of all clauses would keep Python's garbage collector busy."""
        first = 0
        for chunk in range(0, len(self.ends), _CHUNK):
            ends = self.ends[chunk : chunk + _CHUNK]
            literals, start = self.literals[first : ends[-1]].tolist(), 0
            for end in (ends - first).tolist():
                yield literals[start:end]
                start = end
            first = ends[-1]

    def grid(self, model: list[int]) -> Grid:
        """Return the solution of a model, a list of literals in the order of their variables.

        A model may be longer or shorter than the cells: a missing variable is free, and taken as false.
        """
        true = "".join("1" if literal > 0 else "0" for literal in model[: self.cells])
        grid = self.layout.decode(true)
        return grid if self.extend is None else self.extend(grid)

    def chosen(self, solution: Grid) -> Grid:
        """Return the cells of a solution that have variables."""
        if self.extend is None:
            return solution
        if not self.extend.sums:
            lines = solution.lines()
            return self.layout.parse("".join(lines[row][column] for row, column in self.extend.chosen))
        values = solution.values()
        sums = (sum(amount * values[cell] for amount, cell in terms) for terms in self.extend.sums)
        return self.layout.pack([total % self.states for total in sums])

    def blocking(self, model: list[int]) -> list[int]:
        """Return the clause that excludes a model and its solution; cells suffice, since they determine the rest."""
        cells = range(1, self.cells + 1)
        # A cell that the model omits was taken as false, so the clause asks for it as true.
        return [-literal for literal in model[: self.cells]] + [*cells[len(model) :]]

    def values(self, solution: Grid) -> list[int]:
        """Return the literals that say the values of a solution's cells, one for each cell that has variables."""
        values, states = enumerate(self.chosen(solution).values()), self.states
        if states == 2:
            return [cell + 1 if value else -cell - 1 for cell, value in values]
        return [1 + cell * states + value for cell, value in values]

    @property
    def comments(self) -> Iterator[str]:
        """Lines that name the variables of the cells."""
        return cell_comments(self.layout, self.extend, 1)

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of variables, clauses and literals, and of parity constraints if there are any."""
        literals = len(self.literals) + sum(len(variables) for variables, _ in self.xors)
        sizes = {"variables": self.variables, "clauses": len(self), "literals": literals}
        return {**sizes, "xors": len(self.xors)} if self.xors else sizes

    def written(self, comments: Sequence[str], binary: bool) -> Iterator[bytes]:
        """Return the formula in DIMACS, in pieces; DIMACS has no binary form."""
        if binary:
            raise ValueError("DIMACS has no binary form")
        return write_dimacs(self, [*comments, *self.comments])

    def answer(self, lines: Iterable[str]) -> tuple[str | None, Grid | None, str | None]:
        """Return a solver's answer; see `crosslit.contract.Encoded`."""
        try:
            answer = read_answer(lines.splitlines() if isinstance(lines, str) else lines)
            if answer.literals is None:
                return answer.status, None, None
            model = ordered_model(self, answer.literals)
        except ValueError as error:
            raise UnreadableModel(str(error)) from None
        return answer.status, self.grid(model), broken_constraint(self, model)


_MAX_CLAUSES_AT_ONCE = 1 << 15  # converted to text at a time
Status = Literal["satisfiable", "unsatisfiable", "unknown"]

# the first words of the SAT Competition, and those that MiniSat prints on a line by themselves
_SAID: dict[str, Status] = {
    "SATISFIABLE": "satisfiable",
    "SAT": "satisfiable",
    "UNSATISFIABLE": "unsatisfiable",
    "UNSAT": "unsatisfiable",
    "UNKNOWN": "unknown",
    "INDETERMINATE": "unknown",
    "INDET": "unknown",
}


def write_dimacs(formula: Formula, comments: Iterable[str] = ()) -> Iterator[bytes]:
    """Return a formula in DIMACS, in pieces, with parity constraints as the ``x`` lines of CryptoMiniSat.

    An ``x`` line requires an odd number of true literals; negating one makes it even. The header counts these lines as
    clauses.
    """
    yield from (f"c {comment}\n".encode() for comment in comments)
    # The header states the number of lines, so these are made before it.
    xors = [line for variables, value in formula.xors for line in _xor_lines(variables, value)]
    yield header_line(formula.variables, len(formula) + len(xors))
    yield from clause_lines(formula)
    yield "".join(xors).encode()


def header_line(variables: int, clauses: int) -> bytes:
    """Return the problem line."""
    return f"p cnf {variables} {clauses}\n".encode()


def clause_line(literals: Iterable[int]) -> bytes:
    """Return one clause as a line."""
    return f"{' '.join(map(str, literals))} 0\n".encode()


def clause_lines(formula: Formula) -> Iterator[bytes]:
    """Yield the clauses as lines, many in a piece: operations on whole arrays make them."""
    start = 0
    for first in range(0, len(formula), _MAX_CLAUSES_AT_ONCE):
        ends = formula.ends[first : first + _MAX_CLAUSES_AT_ONCE]
        # Numbers padded to equal width become text by operations on arrays: 7 to 11 million clauses a second, where
        # joining the texts of Python's integers makes 1.3 to 1.9. The padding is removed at the end.
        closed = np.insert(formula.literals[start : ends[-1]], ends - start, 0)
        start = int(ends[-1])
        yield _texts(closed).tobytes().translate(None, b"\0")


def _texts(literals: Literals) -> NDArray[np.uint8]:
    """Return each literal followed by a blank (0 by a line end), padded with zero bytes."""
    digits = len(str(np.abs(literals).max()))
    texts = np.zeros((len(literals), digits + 2), np.uint8)
    texts[:, 0] = np.where(literals < 0, ord("-"), 0)
    rest = np.abs(literals)
    texts[:, -1] = np.where(rest == 0, ord("\n"), ord(" "))
    # The last digit is always written, higher ones only while something remains: leading zeros stay padding.
    texts[:, -2] = rest % 10 + ord("0")
    for place in range(digits - 1, 0, -1):
        rest = rest // 10
        texts[:, place] = np.where(rest, rest % 10 + ord("0"), 0)
    return texts


def _xor_lines(variables: Sequence[int], value: int) -> list[str]:
    if not variables:  # solvers reject an empty x line: write nothing if it holds, a contradiction if not
        return ["1 0\n", "-1 0\n"] if value else []
    first, *others = variables
    return [f"x{' '.join(map(str, [first if value else -first, *others]))} 0\n"]


@dataclass(frozen=True)
class DecodedAnswer:
    """A solver's status and the literals of its model; None for each that is missing."""

    status: Status | None
    literals: list[int] | None


def read_answer(lines: Iterable[str]) -> DecodedAnswer:
    """Return the answer in a solver's output, by the conventions of the SAT Competition or of MiniSat.

    The former is ``s SATISFIABLE`` and ``v`` lines with literals in any order, ended by 0; the latter is a line ``SAT``
    and a line of literals. All other lines are ignored, because solvers print much else.

    Raises:
        ValueError: if the output cannot be an answer; the message says why.
    """
    status: Status | None = None
    literals: list[int] | None = None
    ended = bare = False
    for line in lines:
        letter, *words = line.split(None, 1) or [""]
        rest = words[0].strip() if words else ""
        verdict = _verdict(letter, rest)
        if verdict is not None:
            if status not in (None, verdict):
                raise ValueError(f"it says {status} and {verdict}")
            status, bare = verdict, letter != "s"
        # A line of numbers is a model only after the bare status of MiniSat; elsewhere it may be anything.
        elif letter == "v" or (bare and _is_number(letter)):
            if ended:
                raise ValueError("it gives more than one model")
            literals = literals or []
            literals += _literals(rest if letter == "v" else line)
            ended = literals[-1:] == [0]
            # A 0 before the end closes one model and begins another.
            if literals.count(0) > ended:
                raise ValueError("it gives more than one model")
    if literals is not None and not ended:
        raise ValueError("its model does not end with 0")
    if literals is not None and status == "unsatisfiable":
        raise ValueError("it says unsatisfiable and gives a model")
    return DecodedAnswer(status, literals[:-1] if literals is not None else None)


def _verdict(letter: str, rest: str) -> Status | None:
    if letter == "s":
        if rest not in _SAID:
            raise ValueError(f"an unknown status: s {rest[:40]}")
        return _SAID[rest]
    return _SAID.get(letter) if not rest else None


def _is_number(word: str) -> bool:
    return word.removeprefix("-").isdigit()


def _literals(text: str) -> list[int]:
    try:
        return [int(word) for word in text.split()]
    except ValueError:
        raise ValueError(f"no literals in a line of its model: {text.strip()[:40]}") from None


def ordered_model(formula: Formula, literals: Sequence[int]) -> list[int]:
    """Return the literals of a model in the order of their variables, one for each.

    A missing variable that no constraint contains is taken as false: MiniSat and others do not know such variables.

    Raises:
        ValueError: if the model belongs to another formula, contradicts itself, or is partial.
    """
    # checked before numpy: a solver may print numbers that do not fit in a machine word
    if unknown := [literal for literal in literals if abs(literal) > formula.variables]:
        largest = str(max(map(abs, unknown)))
        raise ValueError(f"its model has variable {largest[:20]}, and the formula {formula.variables} variables")
    given = np.array(literals, np.int64)
    variables = np.abs(given)
    values = np.zeros(formula.variables + 1, np.int8)
    values[variables] = np.sign(given)
    # Of repeated indices numpy keeps the last value, so a variable with both signs differs from one of them.
    if (torn := variables[values[variables] != np.sign(given)]).size:
        raise ValueError(f"its model has variable {torn[0]} both true and false")
    # A solver may omit variables without a constraint. A missing variable of a clause leaves the model unchecked.
    needed = np.zeros(formula.variables + 1, np.bool_)
    needed[np.abs(formula.literals)] = True
    for held, _ in formula.xors:
        needed[list(held)] = True
    if (lacking := np.flatnonzero(needed & (values == 0))).size:
        raise ValueError(f"its model is partial: no value for {lacking.size} variables, the first is {lacking[0]}")
    numbers = np.arange(1, formula.variables + 1)
    ordered: list[int] = np.where(values[1:] > 0, numbers, -numbers).tolist()
    return ordered


def broken_constraint(formula: Formula, ordered: Sequence[int]) -> str | None:
    """Return the first constraint that a model breaks, as a line of DIMACS; None if it breaks none.

    Examples:
        >>> formula = Formula(1, 2, 2, np.array([1, -2, 2], np.int32), np.array([2, 3]))
        >>> broken_constraint(formula, [-1, 2]), broken_constraint(formula, [1, 2])
        ('1 -2 0', None)
    """
    if len(formula):
        holds = np.array(ordered)[np.abs(formula.literals) - 1] == formula.literals
        # The running number of true literals at the ends of the clauses: it does not grow over a broken clause.
        count = np.concatenate([[0], np.cumsum(holds)])[np.concatenate([[0], formula.ends])]
        if (bad := np.flatnonzero(count[1:] == count[:-1])).size:
            start, end = [0, *formula.ends[: bad[0] + 1].tolist()][-2:]
            return clause_line(formula.literals[start:end].tolist()).decode().rstrip()
    for variables, value in formula.xors:
        if sum(ordered[variable - 1] == variable for variable in variables) % 2 != value:
            return _xor_lines(variables, value)[0].rstrip()
    return None
