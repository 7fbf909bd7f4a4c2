"""Coloured nonograms as finite-domain models, and as CP-SAT models made from them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

from crosslit.contract import Encoding, GaveUp
from crosslit.kinds.coloured_nonogram.puzzle import Clue, ColouredNonogram
from crosslit_encoders.coloured_nonogram.lines import gap, line_automaton, lines_of, starts
from crosslit_encoders.cp_model import cp_sat_of
from crosslit_encoders.finite_domain import CONTRADICTION, LINEAGE, InRange, Model, Regular, Table

MAX_TABLE_CELLS = 1 << 20
"""Maximum number of cells in the tables of a puzzle: allowed lines times their length."""


def automaton(puzzle: ColouredNonogram) -> Model:
    """Model each line as one deterministic automaton over the colours of its cells.

    With more than one colour, each cell has an integer variable in addition to one for each state.

    Sizes: for each line, an automaton of at most 3 transitions for each cell of its blocks and each block.

    Examples:
        >>> from crosslit.formats import read
        >>> automaton(read("coloured-nonogram:1a 1b|1a,1b")).sizes
        {'variables': 8, 'constraints': 9}
    """
    model, numbers = _model(puzzle)
    for clue, cells in _fitting(puzzle, model):
        start, finals, transitions = line_automaton(clue)
        model.add(Regular(tuple(numbers[cell] for cell in cells), start, finals, tuple(transitions)))
    return model


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
    model, numbers = _model(puzzle)
    for clue, cells in _fitting(puzzle, model):
        model.add(Table(tuple(numbers[cell] for cell in cells), tuple(_allowed(clue, len(cells)))))
    return model


def placements(puzzle: ColouredNonogram) -> Model:
    """Model each placement of each block as a Boolean variable, with linear constraints only.

    Each block has one placement. If block j + 1 is at offset t or before (relative to its earliest start), so is block
    j, because all offsets of a line have the same range. A cell has a colour as often as placements of blocks of this
    colour cover it.

    Sizes: for a line of n cells with k blocks of c colours and slack d (cells beyond the tightest packing) k * (d + 1)
    variables, and k + (k - 1) * d + c * n constraints.

    Examples:
        >>> from crosslit.formats import read
        >>> placements(read("coloured-nonogram:1a 1b|1a,1b")).sizes
        {'variables': 10, 'constraints': 14}
    """
    model = Model(puzzle.rows, puzzle.columns, states=puzzle.colours + 1)
    _one_state_each(model)
    for clue, cells in _fitting(puzzle, model):
        covers: dict[tuple[int, int], list[int]] = defaultdict(list)
        before: list[int] = []
        for block, places in zip(clue, starts(clue, len(cells)), strict=True):
            own = [model.variable() for _ in places]
            model.add_sum(own, 1, 1)
            for end in range(1, len(own)) if before else ():
                model.add_sum(before[:end], 0, None, own[:end])
            for start, variable in zip(places, own, strict=True):
                for cell in cells[start : start + block.length]:
                    covers[cell, block.colour].append(variable)
            before = own
        for cell in cells:
            for colour in range(1, model.states):
                model.add_sum(covers[cell, colour], 0, 0, [_variable(model, cell, colour)])
    return model


def _variable(model: Model, cell: int, state: int) -> int:
    """Return the variable that says a cell has a state; with two states, the cell's own."""
    return cell if model.states == 2 else cell * model.states + state


def _model(puzzle: ColouredNonogram) -> tuple[Model, range]:
    """Return a model, and for each cell a variable for the number of its colour."""
    model, cells = Model(puzzle.rows, puzzle.columns, states=puzzle.colours + 1), puzzle.rows * puzzle.columns
    if model.states == 2:
        return model, range(cells)
    for cell in range(cells):
        number = model.variable(0, puzzle.colours)
        for state in range(model.states):
            model.add(InRange(_variable(model, cell, state), number, state, state))
    return model, range(model.cells, model.cells + cells)


def _one_state_each(model: Model) -> None:
    for first in range(0, model.cells if model.states > 2 else 0, model.states):
        model.add_sum(range(first, first + model.states), 1, 1)


def _fitting(puzzle: ColouredNonogram, model: Model) -> Iterator[tuple[Clue, list[int]]]:
    """Yield each clue that fits its line, with the line's cells; any other makes the model false."""
    for clue, cells in lines_of(puzzle):
        if ColouredNonogram.space(clue) > len(cells):
            model.add(CONTRADICTION)
        else:
            yield clue, [*cells]


def _allowed(clue: Clue, length: int) -> Iterator[tuple[int, ...]]:
    """Yield every arrangement of a clue on a line of a length.

    Examples:
        >>> from crosslit.kinds.coloured_nonogram.puzzle import read_clue
        >>> list(_allowed(read_clue("1a 1b"), 3))
        [(1, 2, 0), (1, 0, 2), (0, 1, 2)]
    """
    if not clue:
        yield (0,) * length
        return
    (size, colour), rest = clue[0], clue[1:]
    for start in range(length - ColouredNonogram.space(clue) + 1):
        head = (*(0,) * start, *(colour,) * size, *(0,) * (gap(clue, 1) if rest else 0))
        yield from ((*head, *tail) for tail in _allowed(rest, length - len(head)))


def too_large(puzzle: ColouredNonogram) -> str | None:
    """Return why the tables of a puzzle are too large, or None."""
    from math import comb

    fitting = [
        (len(clue), length - ColouredNonogram.space(clue), length)
        for clue, length in puzzle.lines()
        if ColouredNonogram.space(clue) <= length
    ]
    size = sum(length * comb(slack + blocks, blocks) for blocks, slack, length in fitting)
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
