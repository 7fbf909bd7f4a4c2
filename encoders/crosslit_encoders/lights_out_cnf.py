"""Lights Out to CNF: one variable a press, one XOR a light."""

from __future__ import annotations

from itertools import groupby

import numpy as np

from crosslit.contract import Encoding, GaveUp
from crosslit.puzzles import LightsOut
from crosslit_encoders.formula import Formula
from crosslit_encoders.lights_out_system import light_xors
from crosslit_encoders.xor import direct_signs

MOST_PRESSES = 16  # of one light: 32,768 clauses for each


def direct(board: LightsOut) -> Formula:
    """The full system, each XOR of k presses by 2^(k - 1) clauses of k literals, without auxiliary variables.

    Sizes: rows * columns variables; for the plus pattern at most 16 clauses of 5 literals for each light. An XOR
    without presses that cannot hold gives the clauses ``x`` and ``not x``.

    Raises:
        GaveUp: if a light is toggled by more than `MOST_PRESSES` presses.

    Examples:
        >>> from crosslit.formats import read
        >>> list(direct(read("10")).clauses())
        [[1, -2], [-1, 2], [1, 2], [-1, -2]]
    """

    def shape(xor: tuple[tuple[int, ...], int]) -> tuple[int, int]:
        return len(xor[0]), xor[1]

    parts = []
    for (size, value), group in groupby(sorted(light_xors(board), key=shape), key=shape):
        if size > MOST_PRESSES:
            raise GaveUp(f"a light toggled by {size} presses takes 2^{size - 1} clauses: at most 2^{MOST_PRESSES - 1}")
        if size == 0:
            if value:
                parts.append(np.array([[1], [-1]], np.int32))
            continue
        variables = np.array([cells for cells, _ in group], np.int32) + 1
        parts.append((variables[:, None, :] * direct_signs(size, value)).reshape(-1, size))
    literals = np.concatenate([np.empty(0, np.int32), *(part.ravel() for part in parts)])
    sizes = [np.full(len(part), part.shape[1], np.int64) for part in parts]
    ends = np.cumsum(np.concatenate([np.empty(0, np.int64), *sizes]))
    return Formula(board.rows, board.columns, board.rows * board.columns, literals, ends)


ENCODINGS = [
    Encoding(
        name="direct",
        kind="lights-out",
        target="cnf",
        encode=direct,
        trusts=frozenset({"light-xors", "xor-direct"}),
        summary="one XOR a light, each by 2^(k-1) clauses",
        default=True,
    )
]
