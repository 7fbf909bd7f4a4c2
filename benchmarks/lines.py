"""The native line solvers on every clue and every partial line, compared with brute force; completeness of alignment.

Run it with ``python -m benchmarks.lines [LENGTH]``: all lengths up to 9 take less than a minute. It stops at a wrong
answer. The figures count cells over all partial lines with an arrangement: unknown cells on which all arrangements
agree ("forced"), and the number of these that extreme alignment finds.
"""

from __future__ import annotations

import platform
import sys
import time
from collections import defaultdict
from typing import Any

import numpy as np
from crosslit_backends import compiled
from crosslit_backends.nonogram import kernel
from crosslit_backends.nonogram.alignment import align
from crosslit_backends.nonogram.lines import solve_line

from crosslit import __version__
from crosslit.kinds.nonogram.puzzle import Clue


def arrangements(length: int) -> dict[Clue, list[int]]:
    """Every clue that fits a line, with all its arrangements as bits: by reading the blocks of every line."""
    found = defaultdict(list)
    for cells in range(1 << length):
        found[blocks(cells, length)].append(cells)
    return dict(found)


def blocks(cells: int, length: int) -> Clue:
    """The clue of a line."""
    return tuple(len(block) for block in f"{cells:0{length}b}"[::-1].split("0") if block)


def solve_by_kernel(clue: Clue, length: int, filled: Any, empty: Any) -> Any:
    """Solve many states of a line by the compiled kernel, in place.

    Args:
        clue: of the line; it fits.
        length: of the line, in cells.
        filled: of each state the filled cells, an array of shape (states, words) and type uint64; cell c is bit c + 1.
        empty: likewise the empty cells.

    Returns:
        Of each state whether the blocks fit.
    """
    fit, blocks = np.zeros(len(filled), bool), np.array(clue, np.int32)
    pointers = (array.ctypes.data for array in (filled, empty, fit))
    solve = kernel.library().crosslit_solve_lines
    assert solve(length, len(clue), blocks.ctypes.data, len(filled), *pointers)
    return fit


def survey_kernel(length: int) -> int:
    """Check the answers of the compiled kernel on every clue and partial line of a length; return how many they are.

    Raises:
        AssertionError: naming the clue, if an answer is wrong.
    """
    every = (1 << length) - 1
    pairs = np.array([(f, e) for f in range(1 << length) for e in range(1 << length) if not f & e], np.uint64)
    lines = arrangements(length)
    for clue, cells in lines.items():
        always, ever = np.full(len(pairs), every, np.uint64), np.zeros(len(pairs), np.uint64)
        possible = np.zeros(len(pairs), bool)
        for line in np.array(cells, np.uint64):
            fits = ((pairs[:, 0] & ~line) | (pairs[:, 1] & line)) == 0
            always[fits] &= line
            ever[fits] |= line
            possible |= fits
        sides = [np.ascontiguousarray(side << np.uint64(1)).reshape(-1, 1) for side in pairs.T]
        assert (solve_by_kernel(clue, length, *sides) == possible).all(), clue
        truth = (always[possible] << np.uint64(1), (every & ~ever[possible]) << np.uint64(1))
        assert all((side[possible, 0] == right).all() for side, right in zip(sides, truth, strict=True)), clue
    return len(pairs) * len(lines)


def survey(length: int, part: int = 0, parts: int = 1) -> tuple[int, int, int]:
    """Check the answers on every clue and partial line of a length.

    Args:
        length: of the lines.
        part: of the clues, from 0.
        parts: how many parts they are taken in.

    Returns:
        How many states (clue, partial line) there are; how many cells are forced in all of them, and how many of these
        extreme alignment settles.

    Raises:
        AssertionError: naming the state, if an answer is wrong: `solve_line` has to give what all arrangements agree
            on; `align` nothing else, and a contradiction only where there is one.
    """
    every = (1 << length) - 1
    pairs = np.array([(f, e) for f in range(1 << length) for e in range(1 << length) if not f & e], np.int64)
    states = forced = aligned = 0
    for clue, cells in list(arrangements(length).items())[part::parts]:
        lines = np.array(cells, np.int64)
        fits = ((pairs[:, :1] & ~lines) | (pairs[:, 1:] & lines)) == 0  # shape (states, arrangements)
        always = np.bitwise_and.reduce(np.where(fits, lines, every), axis=1)
        ever = np.bitwise_or.reduce(np.where(fits, lines, 0), axis=1)
        known = zip(pairs.tolist(), fits.any(axis=1).tolist(), always.tolist(), ever.tolist(), strict=True)
        for (filled, empty), possible, filled_in_all, filled_in_some in known:
            truth = (filled_in_all, every & ~filled_in_some) if possible else None
            assert solve_line(clue, length, filled, empty) == truth, f"line: {clue}, {filled:b}, {empty:b}"
            settled = align(clue, length, filled, empty)
            if truth is None:
                continue  # alignment may miss a contradiction
            assert settled is not None, f"alignment sees a contradiction: {clue}, {filled:b}, {empty:b}"
            wrong = settled[0] & ~truth[0] | settled[1] & ~truth[1] | filled & ~settled[0] | empty & ~settled[1]
            assert not wrong, f"alignment: {clue}, {filled:b}, {empty:b}"
            forced += (truth[0] ^ filled).bit_count() + (truth[1] ^ empty).bit_count()
            aligned += (settled[0] ^ filled).bit_count() + (settled[1] ^ empty).bit_count()
        states += len(pairs)
    return states, forced, aligned


def main() -> None:
    """Print a line a length."""
    print(f"crosslit {__version__}, Python {platform.python_version()}, {platform.machine()}, {sys.platform}")
    print("length    states    forced  by alignment            seconds")
    if problem := compiled.missing():
        print(f"no compiled kernel: {problem}")
    for length in range(1, int(sys.argv[1]) + 1 if len(sys.argv) > 1 else 10):
        if not problem:
            survey_kernel(length)
        began = time.perf_counter()
        states, forced, aligned = survey(length)
        share = f"{aligned / forced:.2%}" if forced else ""
        print(f"{length:>6} {states:>9} {forced:>9} {aligned:>13} {share:>9} {time.perf_counter() - began:>8.1f}")


if __name__ == "__main__":
    main()
