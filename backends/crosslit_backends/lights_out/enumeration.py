"""All solutions of a board from its first row of presses, which forces all others (the "chase"), in any order.

Grids are ordered by their one-line form: the first cell in which two differ, in row-major order, decides, so the lowest
bit of a vector weighs most. Put the basis of the kernel into reduced echelon form by lowest bits, and take the solution
that has none of these bits. Solution number i is that solution XOR the basis vectors at the set bits of i. The same
order results from every basis and every first solution: it depends on the board and not on the solver.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from crosslit.algebra.chase import chase
from crosslit.base.grid import Grid
from crosslit.kinds import LightsOut

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def stays(board: LightsOut) -> bool:
    """Return whether a press toggles its own cell."""
    return (0, 0) in board.pattern


def row_text(row: int, columns: int) -> str:
    """Return the text of one row of cells."""
    return Grid.from_rows([row], columns).text


def chased(board: LightsOut, lights: Iterable[int], first: int) -> tuple[list[int], int]:
    """Return `crosslit.algebra.chase.chase` by the rules of a board, from these lights and this first row."""
    return chase(lights, first, board.columns, stays(board))


def coset(start: int, basis: Iterable[int]) -> Iterator[int]:
    """Yield ``start`` plus every combination of the basis, in Gray-code order: one XOR each.

    A vector is taken from ``basis`` when it is first needed: the first 2^j elements need j of them.
    """
    yield start
    known: list[int] = []
    for vector in basis:
        known.append(vector)
        # Reflected Gray code: step n adds the vector of its lowest bit. A new vector is first needed when its bit
        # appears.
        for step in range(1 << len(known) - 1, 1 << len(known)):
            start ^= known[(step & -step).bit_length() - 1]
            yield start


_INNER = 13  # dimensions of the largest batch, unless it would take too many bytes
_BATCH_BYTES = 1 << 19
_MAX_UNBATCHED = 8  # dimensions of the largest batch without numpy, which makers and readers of batches then import


def reduced(start: int, basis: Sequence[int]) -> tuple[int, list[int]]:
    """Return the first element of a coset, and an independent basis of it so that its elements ascend.

    Element number i is the first element XOR the basis vectors at the set bits of i.
    """
    echelon: dict[int, int] = {}  # by lowest bit
    for given in basis:
        vector = _cleared(given, echelon)
        if not vector:
            raise ValueError("the basis is not independent")
        low = vector & -vector
        # A vector that has the new bit has it above its own lowest bit, which therefore stays its lowest.
        for other, held in echelon.items():
            if held & low:
                echelon[other] = held ^ vector
        echelon[low] = vector
    # The lowest cell weighs most, so its vector belongs to the highest bit of the number.
    return _cleared(start, echelon), [echelon[low] for low in sorted(echelon, reverse=True)]


def _cleared(vector: int, echelon: dict[int, int]) -> int:
    for low, held in echelon.items():
        if vector & low:
            vector ^= held
    return vector


def packed_batches(first: int, dimension: int, vector: Callable[[int], int], size: int) -> Iterator[bytes]:
    """Yield the elements of a coset, ascending, packed in ``size`` bytes each.

    ``vector`` returns a basis vector of `reduced` by its index; it is called when that vector is first needed. The
    first batch is one element; each further batch has as many elements as all before it and is their XOR with a
    constant, which makes millions of elements in a second.
    """
    known: list[int] = []  # the vectors requested so far

    def element(number: int) -> int:
        # Made when needed: a vector may take a chase of the whole board, and a reader may stop after a few batches.
        while number >> len(known):
            known.append(vector(len(known)))
        found = 0
        for bit, held in enumerate(known):
            if number >> bit & 1:
                found ^= held
        return found

    # Whole powers of 2: a batch that starts at a multiple of its size is the block XOR one element.
    inner = min(_INNER, dimension, max(0, (_BATCH_BYTES // size).bit_length() - 1))
    start = 0
    while start >> min(inner, _MAX_UNBATCHED) == 0:
        end = 1 << start.bit_length()
        yield b"".join((first ^ element(number)).to_bytes(size, "little") for number in range(start, end))
        start = end
    if start >> dimension:
        return
    import numpy as np

    def array(element: int) -> NDArray[np.uint8]:
        return np.frombuffer(element.to_bytes(size, "little"), np.uint8)

    block = array(0)[None, :]  # the combinations of the first vectors
    while start >> dimension == 0:
        # The block doubles until it has its full size, so the first batches come early.
        while len(block) <= start and len(block) < 1 << inner:
            block = np.concatenate([block, block ^ array(element(len(block)))])
        # A growing block also has the elements before `start`, which have been yielded.
        base = start - start % len(block)
        yield (block[start - base :] ^ array(first ^ element(base))).tobytes()
        start = base + len(block)


def from_first_rows(puzzle: LightsOut, first: int, kernel: list[int]) -> Generator[Grid, None, None]:
    """Yield the solution of a first row, then every other one in Gray-code order: one XOR of all cells.

    ``kernel`` is a basis of the first rows of quiet patterns.
    """
    solution = Grid.from_rows(chased(puzzle, puzzle.lit.row_bits(), first)[0], puzzle.columns)
    yield solution
    dark = [0] * puzzle.rows
    quiet = (Grid.from_rows(chased(puzzle, dark, row)[0], puzzle.columns).bits for row in kernel)
    for element in itertools.islice(coset(solution.bits, quiet), 1, None):
        yield Grid.from_bits(puzzle.rows, puzzle.columns, element)


def batches_from_first_rows(puzzle: LightsOut, first: int, kernel: list[int]) -> Generator[bytes, None, None]:
    """Yield the solutions, ascending and packed; the first row decides the order, and other rows are chased lazily."""
    least, rows = reduced(first, kernel)
    dark = [0] * puzzle.rows

    def presses(lights: Iterable[int], row: int) -> int:
        return Grid.from_rows(chased(puzzle, lights, row)[0], puzzle.columns).bits

    start = presses(puzzle.lit.row_bits(), least)
    yield from packed_batches(start, len(rows), lambda number: presses(dark, rows[number]), puzzle.layout.size)
