"""Coloured nonograms as finite-domain models, and as CP-SAT models made from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from crosslit.contract import Encoding, GaveUp
from crosslit.kinds.nonogram.colours import Clue, ColouredNonogram
from crosslit_encoders.cp_model import cp_sat_of
from crosslit_encoders.finite_domain import LINEAGE, AllowedRows, Model
from crosslit_encoders.nonogram.models import automaton, colour_numbers, gap, lines_that_fit, placements

MAX_TABLE_CELLS = 1 << 20
"""Maximum number of cells in the tables of a puzzle: allowed lines times their length."""


def table(puzzle: ColouredNonogram) -> Model:
    """Model each line as a table of the lines that its clue allows.

    Raises:
        GaveUp: if the tables would have more than `MAX_TABLE_CELLS` cells.

    Examples:
        >>> from crosslit.formats import read
        >>> table(read("coloured-nonogram:1a 1b|1a,1b")).sizes
        {'variables': 8, 'constraints': 9}
    """
    if reason := too_large(puzzle):
        raise GaveUp(reason)
    model, numbers = colour_numbers(puzzle)
    for clue, cells in lines_that_fit(puzzle, model):
        model.add(AllowedRows(tuple(numbers[cell] for cell in cells), tuple(_allowed(clue, len(cells)))))
    return model


def _allowed(blocks: Clue, length: int) -> Iterator[tuple[int, ...]]:
    """Yield every arrangement of blocks on a line of a length.

    Examples:
        >>> from crosslit.kinds.nonogram.colours import Block
        >>> list(_allowed((Block(1, 1), Block(1, 2)), 3))
        [(1, 2, 0), (1, 0, 2), (0, 1, 2)]
    """
    if not blocks:
        yield (0,) * length
        return
    (size, colour), rest = blocks[0], blocks[1:]
    for start in range(length - ColouredNonogram.space(blocks) + 1):
        head = (*(0,) * start, *(colour,) * size, *(0,) * (gap(blocks, 1) if rest else 0))
        yield from ((*head, *tail) for tail in _allowed(rest, length - len(head)))


def too_large(puzzle: ColouredNonogram) -> str | None:
    """Return why the tables of a puzzle are too large, or None."""
    from math import comb

    lines = [(len(clue), len(cells) - puzzle.space(clue), len(cells)) for clue, cells in puzzle.lines()]
    size = sum(length * comb(slack + blocks, blocks) for blocks, slack, length in lines if slack >= 0)
    if size <= MAX_TABLE_CELLS:
        return None
    found = f"{size:,}" if size < 10**15 else "over 10^15"
    return f"its tables of allowed lines would have {found} cells, more than {MAX_TABLE_CELLS:,}"


def _encodings(name: str, target: str, encode: Callable[[ColouredNonogram], Model], summary: str) -> Iterator[Encoding]:
    for form in (target, "cp-sat"):
        yield Encoding(
            name=name,
            kind="coloured-nonogram",
            target=form,
            encode=cp_sat_of(encode) if form == "cp-sat" else encode,
            trusted_base=frozenset({f"coloured-nonogram-{name}", "coloured-nonogram-lines", LINEAGE}),
            summary=summary,
            # `placements` shares no clauses with the encodings to CNF
            default=name == ("placements" if form == "linear" else "automaton"),
            unsupported_reason=too_large if name == "table" else lambda _: None,
        )


ENCODINGS = [
    *_encodings("automaton", "fd", automaton, "one automaton per line over the colours"),
    *_encodings("table", "fd", table, f"the allowed lines; up to {MAX_TABLE_CELLS:,} cells in all"),
    *_encodings("placements", "linear", placements, "a variable for each place of a block, in colours"),
]
