"""Lights Out in near-linear time: one congruence of polynomials over GF(2)."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence

from crosslit.certificates import Certificate
from crosslit.contract import Backend, GaveUp, Task, Trace
from crosslit.gf2.polynomials import euclid, fibonacci, remainder
from crosslit.grid import Grid
from crosslit.kinds import LightsOut, Puzzle
from crosslit.kinds.lights_out.chase import chase, why_no_chase
from crosslit_backends.lights_out import certificate
from crosslit_backends.lights_out import polynomials as poly
from crosslit_backends.lights_out.congruence import first_row_space, own_row, solve_polynomially
from crosslit_backends.lights_out.coset import distinguishing_cells
from crosslit_backends.lights_out.first_row_solutions import batches_from_first_rows, from_first_rows
from crosslit_backends.lights_out.packed_chase import is_used, packed_chase
from crosslit_backends.native import Native


class Polynomial(Native):
    """The first row by a congruence modulo the characteristic polynomial of a path.

    The method is that of `crosslit_backends.lights_out.congruence`.

    Two chases take most of the time. Solutions come in Gray-code order over the kernel, the first one immediately
    however many there are.

    Examples:
        >>> from crosslit.contract import Task
        >>> from crosslit.formats import read
        >>> len(list(Polynomial().solutions(read("1111/1111/1111/1111"), Task())))
        16
    """

    name = "polynomial"
    summary = "Lights Out: one congruence of polynomials over GF(2), near-linear"
    kinds = frozenset({"lights-out"})
    seldom = ("ctypes",)  # for the compiled kernel
    certifies_at_limit = True
    trusted_base = frozenset({"chase", "polynomial"})

    def unsupported_reason(self, puzzle: Puzzle, options: Mapping[str, int]) -> str | None:  # noqa: ARG002
        """Return a reason for boards on which the chase does not work."""
        return why_no_chase(puzzle) if isinstance(puzzle, LightsOut) else None

    def solutions(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions, in Gray-code order over the kernel."""
        presses, first, kernel = _first_rows(puzzle, task, task.trace)
        if first is not None:
            yield from from_first_rows(puzzle, presses, first, kernel)

    def backbone(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """Yield one solution, and its sum with each kernel vector: they differ in every cell outside the backbone."""
        presses, kernel = first_row_space(puzzle)
        task.stats["nullity"] = len(kernel)
        if presses is not None:
            for quiet in [0, *kernel]:
                yield Grid.from_bits(puzzle.rows, puzzle.columns, presses ^ quiet)

    def reveal(self, puzzle: LightsOut, task: Task) -> Generator[Grid, None, None]:
        """Yield as many cells as the kernel has dimensions, on which its vectors are independent; fewer never suffice.

        These cells distinguish all solutions, whichever of them is the target.
        """
        presses, kernel = first_row_space(puzzle)
        task.stats["nullity"] = len(kernel)
        among = -1 if task.candidates is None else task.candidates.bits
        if presses is not None and (cells := distinguishing_cells(kernel, among)) is not None:
            task.improve_bound(cells.bit_count())
            yield Grid.from_bits(puzzle.rows, puzzle.columns, cells)

    def count(self, puzzle: LightsOut, task: Task) -> int:
        """Return 2^nullity, or 0 if no first row clears the lights that the chase leaves."""
        _, first, kernel = _first_rows(puzzle, task)
        return 0 if first is None else 1 << len(kernel)

    def certify(self, puzzle: LightsOut, task: Task, solutions: Sequence[Grid]) -> Certificate:  # noqa: ARG002
        """Certify with a parity that no press changes, or with u, v, d, quiet first rows and a solution."""
        certificate.within_reach(puzzle)
        rows, columns, stay = puzzle.rows, puzzle.columns, (0, 0) in puzzle.pattern
        if not solutions:
            _, residue = chase(puzzle.lit.each_row(), 0, columns, stay)
            # g(B) is symmetric, so there is no solution exactly if some quiet first row meets the residue in an odd
            # number of cells.
            for first in solve_polynomially(rows, columns, residue, stay)[1]:
                if (first & residue).bit_count() & 1:
                    # a quiet pattern stays quiet upside down; it overlaps the lights that the chase cannot move out of
                    # the last row
                    quiet = chase([0] * rows, first, columns, stay)[0]
                    return certificate.parity(puzzle, Grid.from_rows(quiet[::-1], columns))
            raise GaveUp("the congruence does not agree that there is no solution")
        u, v, d = _bezout(rows, columns, stay)
        _, kernel = solve_polynomially(rows, columns, 0, stay)
        body = {
            **{key: f"{polynomial:x}" for key, polynomial in (("u", u), ("v", v), ("d", d))},
            "kernel": [f"{first:0{columns}b}"[::-1] for first in kernel],
            "solution": solutions[0].text(),
        }
        return certificate.complete(puzzle, "lights-out-polynomial", len(kernel), body)

    def batches(self, puzzle: LightsOut, task: Task) -> Generator[bytes, None, None]:
        """Yield all solutions, ascending and packed."""
        _, first, kernel = _first_rows(puzzle, task)
        if first is not None:
            yield from batches_from_first_rows(puzzle, first, kernel, task.skip)


def _first_rows(
    puzzle: LightsOut, task: Task, trace: Trace | None = None
) -> tuple[list[int] | None, int | None, list[int]]:
    """Return the presses from an empty first row, a first row that clears the board, and a basis of the quiet ones.

    The compiled kernel keeps no presses: None.
    """
    stay = (0, 0) in puzzle.pattern
    if is_used(puzzle.lit):
        presses, residue = None, packed_chase(puzzle.lit, 0, stay, keep=False)[1]
    else:
        presses, residue = chase(puzzle.lit.each_row(), 0, puzzle.columns, stay)
    first, kernel = solve_polynomially(puzzle.rows, puzzle.columns, residue, stay)
    task.stats["nullity"] = len(kernel)
    if trace:
        _tell(trace, puzzle, residue, first, kernel)
    return presses, first, kernel


def _tell(trace: Trace, puzzle: LightsOut, residue: int, first: int | None, kernel: list[int]) -> None:
    def cells(row: int) -> str:
        return Grid.from_rows([row], puzzle.columns).text()

    trace("residue", {"row": cells(residue)})
    trace("gcd", {"degree": len(kernel)})
    if first is None:
        trace("contradiction", {})
    else:
        trace("start", {"row": cells(first), "kernel": [cells(row) for row in kernel]})


def _bezout(rows: int, columns: int, stay: bool = True) -> tuple[int, int, int]:
    """Return u, v and d = u g + v f(columns), their greatest common divisor, whose degree is the nullity."""
    modulus, full = fibonacci(columns), fibonacci(rows, own_row(stay))
    common, factor, _ = euclid(remainder(full, modulus), modulus)
    # u g = d modulo f, so the difference is a multiple of f and the division is exact.
    return factor, poly.divide(poly.multiply(factor, full) ^ common, modulus)[0], common


BACKENDS: list[Backend] = [Polynomial()]
