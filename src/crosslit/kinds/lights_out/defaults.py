"""The default backends of Lights Out boards."""

from __future__ import annotations

from crosslit.contract.kind import Row
from crosslit.kinds.lights_out.chase import why_no_chase
from crosslit.kinds.lights_out.puzzle import LightsOut

# Elimination handles boards without a chase; if there is one, `polynomial` needs less time and less memory.
_BOARD = ("polynomial", "gauss")
_LISTERS = ("gauss", "polynomial", "modular-chase", "glucose4", "cpsat", "default")
# The full system as clauses takes SAT seconds on 14 x 14, and without a chase on 8 x 8. XORs are cut because those of a
# press pattern with 25 cells would take 2^24 clauses.
_FULL = "glucose4/full-cut4"
_MAX_FULL, _MAX_FULL_UNCHASED = 144, 49  # cells

TABLE: dict[str, Row] = {
    "solutions": Row(_BOARD, _LISTERS),
    "list": Row(_BOARD, _LISTERS),
    "fewest": Row(("fewest",)),
    "count": Row(_BOARD, ("brute", "gauss", "polynomial", "modular-chase", "*")),
    "backbone": Row(_BOARD, ("gauss", "polynomial")),
    "reveal": Row(_BOARD, ("gauss", "polynomial")),
    "mus": Row(("fewest",)),
    "audit": Row(("polynomial", "gauss", "modular-chase", "glucose4")),
}


def defaults(board: LightsOut, purpose: str) -> Row | None:
    """Return the default backends for a board and a purpose."""
    cells, is_chased = board.rows * board.columns, why_no_chase(board) is None
    if purpose == "default":
        return Row(("default", _FULL)) if cells <= (_MAX_FULL if is_chased else _MAX_FULL_UNCHASED) else None
    if purpose == "verify":
        # The full system of a small board is made in a quarter of the time; a large press pattern leaves most presses
        # of 10 x 10 open to search.
        sat = "minisat22/full-cut4" if cells <= 25 else "minisat22/chased-shared"
        checks = (sat, "polynomial" if is_chased else "modular-chase")  # SAT excludes each solution by a clause
        return Row(("gauss",), checks, quick=400, quick_formula=400 if is_chased else 49)
    return TABLE.get(purpose)
