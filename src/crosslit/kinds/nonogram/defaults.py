"""The default backends of nonograms."""

from __future__ import annotations

from crosslit.contract.kind import Row
from crosslit.kinds.nonogram.puzzle import Nonogram

# fast enumerators of different families; then the rest of the group `default`
_LISTERS = ("line", "glucose4", "cpsat", "default")
_LINE_CELLS = 400  # larger puzzles may take `line` long

TABLE: dict[str, Row] = {
    "solutions": Row(("hybrid",), _LISTERS),
    # Clauses that exclude solutions slow Glucose down but hardly affect CaDiCaL: of 40,000 solutions the last thousand
    # took seven times as long as the first, and 1.1 times (`benchmarks/enumeration.py`). Descendants of MiniSat, which
    # continue without clauses after a thousand, are still slower than CaDiCaL.
    "list": Row(("hybrid:engine=cadical195",), _LISTERS),
    "few": Row(("line",), quick=144),
    # selected only for its message that this is not a question about nonograms
    "fewest": Row(("fewest",)),
    "count": Row(("frontier",), ("brute", "frontier", "*")),
    # only SAT solvers answer these, so another encoding is the most independent check
    "backbone": Row(("glucose4",), ("cadical195/automaton", "glucose4")),
    "reveal": Row(("glucose4",), ("cadical195/automaton", "glucose4")),
    "mus": Row(("glucose4",), ("cadical195/automaton", "glucose4")),
    # `line` gives the difficulty; `hybrid` decides by symmetric solutions some puzzles that the others cannot
    "audit": Row(("line", "glucose4", "hybrid")),
    # 100 cells are fast for each of them, whatever the clues
    "verify": Row(("line",), ("minisat22/order", "alignment"), quick=100, quick_formula=100),
}


def defaults(puzzle: Nonogram, purpose: str) -> Row | None:
    """Return the default backends for a nonogram and a purpose."""
    if purpose == "few" and puzzle.rows * puzzle.columns > _LINE_CELLS:
        purpose = "solutions"
    return TABLE.get(purpose)
