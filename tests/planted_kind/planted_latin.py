"""A kind of puzzles that Crosslit does not know, with its solvers, as another distribution would bring them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from crosslit.contract import Backend
from crosslit.grid import Grid
from crosslit.kinds import Kind, Puzzle
from crosslit.kinds.chance import Maker


@dataclass(frozen=True, slots=True)
class Latin(Puzzle):
    """A square in which every row and every column has one true cell; some cells are given.

    Args:
        given: the rows: 1, 0, or ? for a cell to find.
        name: the title.
    """

    given: tuple[str, ...]
    name: str = ""

    kind = "latin"
    label = "Latin square"
    plural = "Latin squares"
    member = "square"

    @property
    def rows(self):
        return len(self.given)

    @property
    def columns(self):
        return len(self.given)

    @property
    def text(self):
        return f"latin:{'/'.join(self.given)}"

    @classmethod
    def parse(cls, text):
        rows = tuple(text.removeprefix("latin:").split("/"))
        if any(len(row) != len(rows) or set(row) - set("01?") for row in rows):
            raise ValueError(f"expected latin: and a square of 0, 1 and ?, found {text!r}")
        return cls(rows)

    @property
    def measure(self):
        return self.rows, sum(cell != "?" for row in self.given for cell in row)

    def violations(self, grid):
        if (grid.rows, grid.columns) != (self.rows, self.columns):
            raise ValueError("another shape")
        lines = grid.lines()
        for axis, found in (("row", lines), ("column", zip(*lines, strict=True))):
            for number, line in enumerate(found, 1):
                if "".join(line).count("1") != 1:
                    yield f"{axis} {number} has not one true cell"
        for number, (given, line) in enumerate(zip(self.given, lines, strict=True), 1):
            if any(cell not in ("?", value) for cell, value in zip(given, line, strict=True)):
                yield f"row {number} is {line}, given is {given}"

    def image(self, symmetry):
        rows = ["".join(column) for column in zip(*self.given, strict=True)] if symmetry.turn else list(self.given)
        rows = rows[::-1] if symmetry.flip else rows
        return Latin(tuple(row[::-1] if symmetry.mirror else row for row in rows), self.name)


def samples():
    return list(map(Latin.parse, ("latin:1", "latin:0", "latin:?1/??", "latin:11/??", "latin:??/0?", "latin:??/??")))


def random_square(chance):
    rows, columns = chance.shape()
    if rows != columns:
        return None
    return Latin(tuple("".join("01????"[int(6 * chance.rng.random())] for _ in range(rows)) for _ in range(rows)))


def smaller(puzzle, _picture, _square):
    kept = range(puzzle.rows)
    for gone in kept if puzzle.rows > 1 else ():
        yield Latin(tuple("".join(puzzle.given[r][c] for c in kept if c != gone) for r in kept if r != gone))
    for number, row in enumerate(puzzle.given):
        for place, cell in enumerate(row):
            if cell != "?":
                blank = f"{row[:place]}?{row[place + 1 :]}"
                yield Latin((*puzzle.given[:number], blank, *puzzle.given[number + 1 :]))


KIND = Kind(puzzle=Latin, samples=samples, makers=lambda: [Maker("random square", random_square)], smaller=smaller)


class Solver(Backend):
    kinds = frozenset({"latin"})

    def __init__(self, name, find, groups=()):
        self.name = name
        self.summary = find.__doc__
        self.groups = frozenset(groups)
        self.trusted_base = frozenset({name})
        self._find = find

    def version(self):
        return "1"

    def solutions(self, puzzle, task):
        yield from self._find(puzzle)


def by_permutations(puzzle):
    """Every way to have one true cell in each row."""
    size = puzzle.rows
    for places in itertools.permutations(range(size)):
        lines = ["".join("01"[column == place] for column in range(size)) for place in places]
        cells = zip("".join(puzzle.given), "".join(lines), strict=True)
        if all(cell in ("?", value) for cell, value in cells):
            yield Grid.from_text("/".join(lines))


def by_rules(puzzle):
    """Every grid."""
    for bits in range(1 << puzzle.rows * puzzle.columns):
        grid = Grid.from_bits(puzzle.rows, puzzle.columns, bits)
        if not any(puzzle.violations(grid)):
            yield grid


def forgetful(puzzle):
    """All solutions except the last, if there are several."""
    found = list(by_rules(puzzle))
    yield from found[: len(found) - 1] if len(found) > 1 else found


BACKENDS = [
    Solver("permutations", by_permutations, ["default"]),
    Solver("every-grid", by_rules, ["default"]),
    Solver("forgetful", forgetful),
]
