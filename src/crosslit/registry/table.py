"""The default backends of each question about Crosslit's kinds of puzzles, with the reasons.

A text is a spec, or a spec and the seconds of processor time of its turn, as in ``line 0.1``; without seconds, a
backend gets all the time that is left. `crosslit.questions.solve` asks them in this order. The schedules for nonograms
were chosen on half of 51 random puzzles, pictures and permutations, and measured on the other half.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from crosslit.kinds import Puzzle


@dataclass(frozen=True)
class Row:
    """The default backends of one purpose; one that was too slow is asked again after the last, four times as long."""

    answers: tuple[str, ...]  # the backends that are asked until one has answered
    checks: tuple[str, ...] = ()  # those that are asked until one has confirmed it; only if they are independent of it
    quick: int = 0  # maximum cells of a puzzle on which all are fast, so that they need no process with limits
    quick_formula: int = 0  # the same for those with an encoding


# Up to so many states, a frontier takes .2 to .9 s and 40 MB; of 14 sweeps that passed 30,000, none ended in 20 s.
_NARROW = "frontier:states=100000"
# 400 MB, for the exception: the clues of permutations, whose frontiers are wide and finish.
_WIDE = "frontier:states=1000000"

NONOGRAM = {
    # `hybrid` took 1.0 to 2.6 times as long as the best. On 50 x 50 to 60 x 60, only SAT solved one of three puzzles.
    "solutions": Row(("hybrid 10", "glucose4 10", "hybrid 20", "glucose4 20")),
    # Any switch would find solutions again that are printed already, and no other backend listed what `line` did not.
    # `alignment` confirms most of its lists soonest, and SAT nearly all others; no list waited for CP-SAT.
    # A generator lists small ones in its own process: no other starts as quickly.
    "list": Row(("line",), ("line 1", "alignment 0.5", "cadical195 4"), quick=144),
    # `line` lists most random puzzles in .03 s, and all that anything counts but permutations. The two in turns took
    # 2.1 times as long as the best of both, and 3.2 at worst; with 2 s for the sweep at once, 3.3 times.
    "count": Row(
        (
            *("line 0.1", f"{_NARROW} 0.1", "line 0.4", f"{_NARROW} 0.4", "line 1.6", f"{_NARROW} 1.6"),
            *("line 6.4", f"{_WIDE} 20", "line"),
        ),
        # On random 30 x 30 to 40 x 40, a sweep confirmed no number before these did; on pictures and 45 x 45 it does.
        # With 2 s for SAT and .8 for the sweep, some took a second round, at 3 to 6 times the soonest pair.
        ("line 0.5", "alignment 0.5", "cadical195 4", f"{_NARROW} 4", "ganak 2"),
    ),
    # Only SAT solvers answer these, so another encoding is the most independent check.
    "mus": Row(("glucose4",), ("cadical195/automaton", "glucose4")),
    # 100 cells are fast for each of them, whatever the clues. SAT takes longer to encode a small puzzle than to search.
    "verify": Row(("line",), ("alignment", "minisat22/order"), quick=100, quick_formula=100),
}

# `polynomial` is near-linear, and `gauss` solves the boards without a chase.
_BOARD, _CHECKS = ("polynomial", "gauss"), ("polynomial", "gauss", "modular-chase", "glucose4", "cpsat")
LIGHTS_OUT = {
    "solutions": Row(_BOARD),
    "list": Row(_BOARD, _CHECKS),
    "count": Row(_BOARD, (*_CHECKS[:3], "ganak")),
    "fewest": Row(("fewest",)),
    "mus": Row(("fewest",)),
}
# The full system as clauses takes SAT seconds on 14 x 14, and without a chase on 8 x 8. XORs are cut because those of a
# press pattern with 25 cells would take 2^24 clauses.
_FULL = "glucose4/full-cut4"
_MAX_FULL, _MAX_FULL_UNCHASED = 144, 49  # cells
# With native XOR, SAT solves 300 x 300 in 2.8 s; clauses end between 48 x 48 and 60 x 60. A wildcard, because nobody
# asked for it: where it is not installed, it is left out.
_NATIVE_XOR, _MIN_NATIVE_XOR = "cryptominisa[t]/chased-xor", 49  # rows or columns, whichever are fewer

# The chase is never 3 ms behind, and 160 times as fast on 50 x 50 modulo 3.
_MODULAR_BOARD, _MODULAR_CHECKS = ("modular-chase", "howell"), ("modular-chase", "howell", "glucose4", "cpsat")
MODULAR = {
    "solutions": Row(_MODULAR_BOARD),
    "list": Row(_MODULAR_BOARD, _MODULAR_CHECKS),
    "count": Row(_MODULAR_BOARD, (*_MODULAR_CHECKS[:2], "ganak")),
    "mus": Row(("glucose4/direct",)),
    "verify": Row(("howell",), ("modular-chase",), quick=400),
}
_MAX_LISTED = 400  # cells: up to here the form takes .01 s, and it lists many solutions 4 to 8 times as fast
_MAX_TRIED = 1 << 22  # solutions of which the best is chosen


def _board_row(board: Any, purpose: str) -> Row | None:
    from crosslit.algebra.chase import why_no_chase

    cells, is_chased = board.rows * board.columns, why_no_chase(board) is None
    if purpose == "default":
        if cells <= (_MAX_FULL if is_chased else _MAX_FULL_UNCHASED):
            return Row(("default", _FULL))
        return Row(("default", _NATIVE_XOR)) if min(board.rows, board.columns) >= _MIN_NATIVE_XOR else None
    if purpose == "verify":
        # The full system of a small board is made in a quarter of the time; a large press pattern leaves most presses
        # of 10 x 10 open to search.
        sat = "minisat22/full-cut4" if cells <= 25 else "minisat22/chased-shared"
        checks = ("polynomial" if is_chased else "modular-chase", sat)  # SAT excludes each solution by a clause
        return Row(("gauss",), checks, quick=400, quick_formula=400 if is_chased else 49)
    return LIGHTS_OUT.get(purpose)


def _modular_row(board: Any, purpose: str) -> Row | None:
    cells = board.rows * board.columns
    if purpose == "list" and cells <= _MAX_LISTED:
        return Row(("howell", "modular-chase"), _MODULAR_CHECKS)
    if purpose != "fewest":
        return MODULAR.get(purpose)
    from crosslit.algebra.howell import howell_form

    few = cells <= 2500 and howell_form(board).count <= _MAX_TRIED
    return Row(("howell",) if few else ("cpsat",))


def find_row(puzzle: Puzzle, purpose: str) -> Row | None:
    """Return the default backends of a puzzle for a purpose; None for other kinds, and for a row that is not there."""
    if puzzle.kind == "lights-out":
        return _board_row(puzzle, purpose)
    if puzzle.kind == "modular-lights-out":
        return _modular_row(puzzle, purpose)
    return NONOGRAM.get(purpose) if puzzle.kind in ("nonogram", "coloured-nonogram") else None
