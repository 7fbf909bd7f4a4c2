"""Lights Out whose lights have three states: a kind whose answers are not Boolean, with its encodings."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from crosslit_encoders.cp_model import cp_sat_of
from crosslit_encoders.finite_domain import Linear, Model
from crosslit_encoders.formula import Formula

from crosslit.base.grid import Layout
from crosslit.contract import Encoding
from crosslit.kinds import Puzzle

STATES = 3


@dataclass(frozen=True, slots=True)
class Modular(Puzzle):
    """A board of lights 0, 1 and 2; a press adds 1, modulo 3, to its cell and the four beside it. Find presses to 0."""

    lights: tuple[str, ...]
    name: str = ""

    kind = "modular"
    label = "Lights Out modulo 3"
    plural = "boards modulo 3"

    @property
    def rows(self):
        return len(self.lights)

    @property
    def columns(self):
        return len(self.lights[0])

    @classmethod
    def samples(cls):
        return list(map(cls.parse, ("modular:1", "modular:12", "modular:012/210", "modular:000", "modular:01/20")))

    @property
    def layout(self):
        return Layout(self.rows, self.columns, STATES)

    @property
    def text(self):
        return f"modular:{'/'.join(self.lights)}"

    @classmethod
    def parse(cls, text, _origin="text"):
        rows = tuple(text.removeprefix("modular:").split("/"))
        if any(len(row) != len(rows[0]) or set(row) - set("012") for row in rows) or not rows[0]:
            raise ValueError(f"expected modular: and rows of 0, 1 and 2, found {text!r}")
        return cls(rows)

    def presses(self, row, column):
        beside = ((row, column), (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        return [(r, c) for r, c in beside if 0 <= r < self.rows and 0 <= c < self.columns]

    def violations(self, grid):
        if not self.layout.admits(grid):
            raise ValueError("another shape")
        for row, column in itertools.product(range(self.rows), range(self.columns)):
            if (int(self.lights[row][column]) + sum(grid[cell] for cell in self.presses(row, column))) % STATES:
                yield f"row {row + 1}, column {column + 1} is not 0"

    def lines(self):
        """Yield the presses of each light, as indices of cells, and the sum that they must have modulo 3."""
        for row, column in itertools.product(range(self.rows), range(self.columns)):
            presses = [r * self.columns + c for r, c in self.presses(row, column)]
            yield presses, -int(self.lights[row][column]) % STATES


def satisfied(board, grid):
    sums = (sum(grid.values()[cell] for cell in cells) % STATES == value for cells, value in board.lines())
    return sum(holds << number for number, holds in enumerate(sums))


def direct(board):
    """Return clauses that say: each cell has one value, and each light's presses have no combination of a wrong sum."""
    clauses = []
    cells = np.arange(1, board.rows * board.columns * STATES + 1).reshape(-1, STATES).tolist()
    for own in cells:
        clauses += [(own, -1), *(([-one, -other], -1) for one, other in itertools.combinations(own, 2))]
    for light, (presses, value) in enumerate(board.lines()):
        for values in itertools.product(range(STATES), repeat=len(presses)):
            if sum(values) % STATES != value:
                clauses.append(([-cells[cell][v] for cell, v in zip(presses, values, strict=True)], light))
    literals = np.array([literal for clause, _ in clauses for literal in clause], np.int32)
    ends, part = np.cumsum([len(clause) for clause, _ in clauses]), np.array([part for _, part in clauses])
    return Formula(board.rows, board.columns, cells[-1][-1], literals, ends, part=lambda: part, states=STATES)


def quotients(board):
    """Return a model that says: the sum of a light's presses is its value, plus 3 times an integer."""
    model = Model(board.rows, board.columns, states=STATES)
    for first in range(0, model.cells, STATES):
        model.add(Linear(tuple((1, first + value) for value in range(STATES)), 1, 1))
    for presses, due in board.lines():
        terms = [(value, cell * STATES + value) for cell in presses for value in range(1, STATES)]
        quotient = model.variable(0, len(presses))
        model.add(Linear((*terms, (-STATES, quotient)), due, due))
    return model


ENCODINGS = [
    Encoding(name, "modular", target, encode, frozenset({f"modular-{name}"}), "three states", default=True)
    for name, target, encode in (
        ("direct", "cnf", direct),
        ("quotients", "fd", quotients),
        ("quotients", "linear", quotients),
        ("quotients", "cp-sat", cp_sat_of(quotients)),
    )
]
