"""The default backends of Lights Out boards."""

from __future__ import annotations

from crosslit.kinds.kind import Row
from crosslit.kinds.lights_out.puzzle import LightsOut

# elimination handles boards without a chase; if there is one, `polynomial` needs less time and less memory
_BOARD = ("polynomial", "gauss")
# XORs of a large press pattern must be cut: one of 25 presses takes 2^24 clauses
_SAT = "glucose4/full-cut4"
_LISTERS = ("gauss", "polynomial", _SAT, "cpsat", "default")

TABLE: dict[str, Row] = {
    "solutions": Row(_BOARD, _LISTERS),
    "list": Row(_BOARD, _LISTERS),
    "fewest": Row(("fewest",)),
    "count": Row(_BOARD, ("brute", "gauss", "polynomial", "*")),
    "backbone": Row(_BOARD, ("gauss", "polynomial")),
    "reveal": Row(_BOARD, ("gauss", "polynomial")),
    "mus": Row(("fewest",)),
    "audit": Row(("polynomial", "gauss", _SAT)),
}
# SAT checks only few solutions, because it excludes each by a clause; `polynomial` checks many.
_VERIFY = Row(("gauss",), ("minisat22/chased-cut4", "polynomial"), quick=400, quick_formula=400)
# Without a chase an 8 x 8 torus takes SAT 3 s, 10 x 10 almost a minute.
_VERIFY_UNCHASED = Row(("gauss",), ("minisat22/full-cut4",), quick=400, quick_formula=49)


def defaults(board: LightsOut, purpose: str) -> Row | None:
    """Return the default backends for a board and a purpose."""
    if purpose == "verify":
        from crosslit.kinds.lights_out.chase import why_no_chase

        return _VERIFY if why_no_chase(board) is None else _VERIFY_UNCHASED
    return TABLE.get(purpose)
