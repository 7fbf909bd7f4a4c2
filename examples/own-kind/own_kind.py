"""Hitori as a kind of puzzle, with clauses for SAT solvers and a model for CP-SAT."""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations, pairwise, product

from crosslit import Grid
from crosslit.contract import Encoding
from crosslit.contract.family import Maker, pick, shuffled
from crosslit.kinds import Kind, Puzzle


@dataclass(frozen=True, slots=True)
class Hitori(Puzzle):
    """Shade cells, no two adjacent, so that the others are connected and have no number twice in a row or column."""

    numbers: tuple[str, ...]  # the rows, a character for each cell
    name: str = ""
    kind, label, plural = "hitori", "Hitori", "Hitori puzzles"
    rows = property(lambda self: len(self.numbers))
    columns = property(lambda self: len(self.numbers[0]))
    text = property(lambda self: f"hitori:{'/'.join(self.numbers)}")
    constraints_shape = property(lambda self: (1, self.rows + self.columns))

    @classmethod
    def parse(cls, text):
        rows = tuple(text.removeprefix("hitori:").split("/"))
        if len({*map(len, rows)}) > 1 or not all(row.isascii() and row.isalnum() for row in rows):
            raise ValueError(f"expected hitori: and rows of equal length, such as hitori:12/11, found {text!r:.40}")
        return cls(rows)

    def violations(self, grid):
        if (grid.rows, grid.columns) != (self.rows, self.columns):
            raise ValueError(f"expected a grid of {self.rows} x {self.columns}")
        shaded = {*grid.cells()}
        free = [cell for cell in product(range(self.rows), range(self.columns)) if cell not in shaded]
        for row, column in sorted(shaded):
            if {(row + 1, column), (row, column + 1)} & shaded:
                yield f"the shaded cell in row {row + 1}, column {column + 1} is adjacent to another"
        for axis, name in enumerate(("row", "column")):
            times = Counter((cell[axis], self.numbers[cell[0]][cell[1]]) for cell in free)
            yield from (f"{name} {line + 1} has {number} twice" for line, number in times if times[line, number] > 1)
        left, reached = {*free[1:]}, free[:1]
        for row, column in reached:  # it grows meanwhile
            near = {(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)} & left
            left -= near
            reached += near
        if left:
            yield "the unshaded cells are not connected"

    def constraint_words(self, number):
        return f"row {number + 1}" if number < self.rows else f"column {number - self.rows + 1}"


def frame(puzzle, lines):
    """Write the numbers into the unshaded cells, of those that are known."""
    return [
        "".join(
            f"{n} " if line[2 * i : 2 * i + 1] in {*"·."} else line[2 * i : 2 * i + 2] for i, n in enumerate(numbers)
        )
        for numbers, line in zip(puzzle.numbers, lines, strict=True)
    ]


def reach(puzzle):
    """Encode it in clauses: an unshaded cell is reached in t steps if it or a neighbour is reached in t - 1."""
    from crosslit_encoders.formula import Formula  # here, because it imports numpy, and most commands need neither

    size, numbers = puzzle.rows * puzzle.columns, "".join(puzzle.numbers)
    place, pairs = [divmod(cell, puzzle.columns) for cell in range(size)], list(combinations(range(size), 2))
    axes = [(axis, a, b) for axis in (0, 1) for a, b in pairs if place[a][axis] == place[b][axis]]
    equal = [(axis * puzzle.rows + place[a][axis], [a + 1, b + 1]) for axis, a, b in axes if numbers[a] == numbers[b]]
    adjacent = [(a, b) for axis, a, b in axes if place[b][1 - axis] == place[a][1 - axis] + 1]
    near = [[cell, *(sum(pair) - cell for pair in adjacent if cell in pair)] for cell in range(size)]
    clauses = [clause for _, clause in equal] + [[-a - 1, -b - 1] for a, b in adjacent]
    reached, last = {cell: -cell - 1 for cell in range(2)}, size  # adjacent, so they are connected or one is shaded
    for _ in range(size - 1):
        before = dict(reached)
        for cell in range(2, size):
            if sources := [before[other] for other in near[cell] if other in before]:
                reached[cell] = last = last + 1
                clauses += [[-last, -cell - 1], [-last, *sources], *([last, cell + 1, -source] for source in sources)]
    clauses += [[cell + 1, reached[cell]] for cell in range(2, size)]
    return Formula.of(puzzle.rows, puzzle.columns, clauses, [part for part, _ in equal])  # the others hold always


def distance(puzzle):
    """Model it for CP-SAT: an unshaded cell is a step further from the first cells than its nearest neighbour."""
    from crosslit_encoders.cp_model import CpFormula
    from ortools.sat.python.cp_model import CpModel

    model, far, numbers = CpModel(), puzzle.rows * puzzle.columns, "".join(puzzle.numbers)
    shaded = [model.new_bool_var("") for _ in range(far)]
    steps = [model.new_int_var(0, far, "") for _ in range(far)]
    lines = [range(start, start + puzzle.columns) for start in range(0, far, puzzle.columns)]
    lines += [range(start, far, puzzle.columns) for start in range(puzzle.columns)]
    pairs = [pair for line in lines for pair in pairwise(line)]
    for a, b in pairs:
        model.add_at_most_one(shaded[a], shaded[b])
    for line, number in product(lines, sorted({*numbers})):
        model.add_at_most_one(~shaded[cell] for cell in line if numbers[cell] == number)
    for cell in range(far):  # the first two cells are adjacent, so they are connected or one is shaded
        near = [steps[a + b - cell] for a, b in pairs if cell in (a, b)] if cell > 1 else [-1]
        model.add_min_equality(nearest := model.new_int_var(-1, far, ""), near)
        model.add(steps[cell] == far).only_enforce_if(shaded[cell])
        model.add(steps[cell] == nearest + 1).only_enforce_if(~shaded[cell])
    return CpFormula(puzzle.rows, puzzle.columns, model, shaded)


def planted(chance):
    """Make a puzzle with a known solution: in a Latin rectangle, each shaded cell repeats a number of its row."""
    rows, columns = (min(side, 35) for side in chance.shape())  # one symbol for each column
    numbers = "123456789abcdefghijklmnopqrstuvwxyz"[: max(rows, columns)]
    lines = [[*(2 * numbers)[row : row + columns]] for row in range(rows)]
    latin, bits = Hitori(tuple(map("".join, lines))), 0
    for cell in shuffled(chance.rng, range(rows * columns)):
        if not any(latin.violations(Grid.from_bits(rows, columns, bits | 1 << cell))):
            bits |= 1 << cell
            lines[cell // columns][cell % columns] = pick(chance.rng, lines[cell // columns])
    return Hitori(tuple(map("".join, lines)))


def smaller(puzzle, _solution, square):
    """Yield it without a row and a column, then without one of them."""
    rows, columns = range(puzzle.rows), range(puzzle.columns)
    for cut in [*product(rows, columns), *([] if square else [*product(rows, [-1]), *product([-1], columns)])]:
        kept = ["".join(line[column] for column in columns if column != cut[1]) for line in puzzle.numbers]
        if kept := tuple(line for row, line in enumerate(kept) if line and row != cut[0]):
            yield Hitori(kept)


ENCODINGS = [
    Encoding("reach", "hitori", "cnf", reach, frozenset({"hitori-reach"}), "cells reached in t steps", default=True),
    Encoding("distance", "hitori", "cp-sat", distance, frozenset({"hitori-distance"}), "distances", default=True),
]
SAMPLES = [Hitori.parse(text) for text in ("11/12", "111/111", "123/112", "1122/2213/3121", "12/21")]
MAKERS = [Maker("planted", planted, True)]
KIND = Kind(puzzle=Hitori, samples=lambda: SAMPLES, makers=lambda: MAKERS, smaller=smaller, frame=frame)
