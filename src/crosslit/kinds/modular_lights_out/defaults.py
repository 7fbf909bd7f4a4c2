"""The default backends of boards with k states."""

from __future__ import annotations

from crosslit.contract.kind import Row
from crosslit.kinds.modular_lights_out.puzzle import ModularLightsOut

# `smith` and `howell` both solve the equations of all lights, so another method comes first.
_LISTERS = ("modular-chase", "howell", "glucose4", "smith", "cpsat", "default")
_MAX_TRIED = 1 << 22  # solutions of which the best is chosen

_TABLE = {
    "solutions": Row(("howell", "modular-chase"), _LISTERS),
    "list": Row(("howell", "modular-chase"), _LISTERS),
    "count": Row(("howell", "modular-chase"), ("brute", "modular-chase", "smith", "*")),
    "backbone": Row(("howell", "glucose4/direct"), ("howell", "glucose4/direct")),
    "reveal": Row(("howell", "glucose4/direct"), ("howell", "glucose4/direct")),
    "mus": Row(("glucose4/direct",)),
    "audit": Row(("howell", "modular-chase", "glucose4")),
    "verify": Row(("howell",), ("modular-chase",), quick=400),
}


def defaults(board: ModularLightsOut, purpose: str) -> Row | None:
    """Return the default backends for a board and a purpose."""
    if purpose == "fewest":
        from crosslit.kinds.modular_lights_out.howell import count_up_to

        few = board.rows * board.columns <= 2500 and count_up_to(board, _MAX_TRIED + 1) <= _MAX_TRIED
        return Row(("howell",) if few else ("cpsat",))
    return _TABLE.get(purpose)
