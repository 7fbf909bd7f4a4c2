"""Nonograms of one colour or several as finite-domain models, and as CP-SAT models made from them.

They share no code with the CNF encodings of nonograms of one colour.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from crosslit.contract import Encoding
from crosslit.kinds.nonogram.puzzle import Clue, Nonogram, Pairs
from crosslit_encoders.cp_model import cp_sat_of
from crosslit_encoders.finite_domain import CONTRADICTION, LINEAGE, InRange, Linear, LinearRows, Model, Regular

Line = tuple[int, ...]


def automaton(puzzle: Nonogram) -> Model:
    """Model each line as one deterministic automaton over the states of its cells.

    The state counts the cells of the line's pattern read so far: the blocks, with one empty cell between two of one
    colour (regular constraint: Pesant, "A regular language membership constraint for finite sequences of variables", CP
    2004).

    Sizes: rows * columns Boolean variables; rows + columns constraints of at most 2 * (sum of blocks + blocks)
    transitions. With several colours, also an integer variable for each cell, and a constraint for each of its states.
    A clue that does not fit its line makes the model false.

    Examples:
        >>> from crosslit.formats import read
        >>> automaton(read("1,0|1")).sizes
        {'variables': 2, 'constraints': 3}
        >>> automaton(read("coloured-nonogram:1a 1b|1a,1b")).sizes
        {'variables': 8, 'constraints': 9}
    """
    model, numbers = colour_numbers(puzzle)
    # the automaton of a clue that does not fit could be too large to build
    for clue, line in lines_that_fit(puzzle, model):
        start, finals, transitions = line_automaton(puzzle.pairs(clue))
        model.add(Regular(tuple(numbers[cell] for cell in line), start, finals, transitions))
    return model


def colour_numbers(puzzle: Nonogram) -> tuple[Model, range]:
    """Return a model, and for each cell a variable for the number of its colour; with one colour, the cell's own."""
    model, cells = Model(puzzle.rows, puzzle.columns, states=puzzle.states), puzzle.rows * puzzle.columns
    if model.states == 2:
        return model, range(cells)
    for cell in range(cells):
        number = model.variable(0, model.states - 1)
        for state in range(model.states):
            model.add(InRange(cell * model.states + state, number, state, state))
    return model, range(model.cells, model.cells + cells)


def lines_that_fit(puzzle: Nonogram, model: Model) -> Iterator[tuple[Clue, Line]]:
    """Yield each clue that fits its line, with the line's cells; any other makes the model false."""
    for clue, line in puzzle.lines():
        if puzzle.space(clue) > len(line):
            model.add(CONTRADICTION)
        else:
            yield clue, tuple(line)


def gap(blocks: Pairs, place: int) -> int:
    """Return the number of empty cells that a block needs in front of it: 1 after a block of its colour."""
    return int(place > 0 and blocks[place - 1][1] == blocks[place][1])


def block_starts(puzzle: Nonogram, clue: Clue, length: int) -> list[range]:
    """Return the cells of a line where each block can start.

    Examples:
        >>> block_starts(Nonogram([[2, 1]], [[1]]), (2, 1), 5)
        [range(0, 2), range(3, 5)]
    """
    slack, found, first, blocks = length - puzzle.space(clue), [], 0, puzzle.pairs(clue)
    for place, (size, _) in enumerate(blocks):
        first += gap(blocks, place)
        found.append(range(first, first + slack + 1))
        first += size
    return found


def line_automaton(blocks: Pairs) -> tuple[int, tuple[int, ...], tuple[tuple[int, int, int], ...]]:
    """Return the automaton of blocks: its first state, final states, and transitions (state, colour, next state)."""
    transitions = []
    state = 0
    for index, (length, colour) in enumerate(blocks):
        if gap(blocks, index):  # at least one empty cell after the previous block
            transitions.append((state, 0, state + 1))
            state += 1
        # Further empty cells; within a block there is no such loop.
        transitions.append((state, 0, state))
        for _ in range(length):
            transitions.append((state, colour, state + 1))
            state += 1
    # The line may also end here: the last block needs no empty cell after it.
    transitions.append((state, 0, state))
    return 0, (state,), tuple(transitions)


def starts(puzzle: Nonogram) -> Model:
    """Model the start of each block as an integer variable.

    The blocks are the jobs of one machine in a fixed order (Baptiste, Le Pape and Nuijten, "Constraint-Based
    Scheduling", 2001): each starts after the previous one and an empty cell. A Boolean variable for each block and each
    cell that it can cover is true exactly if the start lies in the interval that covers the cell; the cell is the sum
    of these variables.

    Sizes: rows * columns Boolean variables, and for a line with k blocks, of b cells in all, and slack d (cells beyond
    the tightest packing) k integer variables and b + k * d Boolean ones with a constraint each; k - 1 linear
    constraints between blocks, and one for each cell. A clue that does not fit its line makes the model false.

    Examples:
        >>> from crosslit.formats import read
        >>> starts(read("1,0|1")).sizes
        {'variables': 7, 'constraints': 7}
    """
    model = Model(puzzle.rows, puzzle.columns)
    for clue, line in lines_that_fit(puzzle, model):
        covers: list[list[int]] = [[] for _ in line]
        before = None
        for index, (block, places) in enumerate(zip(clue, block_starts(puzzle, clue, len(line)), strict=True)):
            earliest, latest = places[0], places[-1]
            start = model.variable(earliest, latest)
            if before is not None:
                model.add(Linear(((1, start), (-1, before)), clue[index - 1] + 1))
            for cell in range(earliest, latest + block):
                covering = model.variable()
                # The block covers the cell if it starts there or up to block - 1 cells earlier.
                model.add(InRange(covering, start, max(earliest, cell - block + 1), min(latest, cell)))
                covers[cell].append(covering)
            before = start
        for variable, over in zip(line, covers, strict=True):
            # Blocks do not overlap, so at most one of the terms is true.
            model.add_sum(over, 0, 0, [variable])
    return model


def placements(puzzle: Nonogram) -> Model:
    """Model each placement of each block as a Boolean variable, with linear constraints only.

    Each block has one placement. If block j + 1 is placed at offset t or before (relative to its earliest start), so is
    block j. Stated with the sums over all placements up to t on both sides, this makes the linear relaxation of a line
    exact. A cell has a colour as often as placements of blocks of this colour cover it. After R. Bosch, "Painting by
    numbers", Optima 65 (2001), whose integer program has a constraint for each pair of placements instead.

    Sizes: rows * columns cells; for a line of n cells with k blocks of c colours and slack d (cells beyond the tightest
    packing) k * (d + 1) variables and c * n + k + (k - 1) * d constraints. With several colours, a variable for each
    state of a cell, and a constraint for each cell. A clue that does not fit its line makes the model false.

    Examples:
        >>> from crosslit.formats import read
        >>> placements(read("1,0|1")).sizes
        {'variables': 5, 'constraints': 6}
        >>> placements(read("coloured-nonogram:1a 1b|1a,1b")).sizes
        {'variables': 10, 'constraints': 14}
    """
    model = Model(puzzle.rows, puzzle.columns, states=puzzle.states)
    for first in range(0, model.cells if model.states > 2 else 0, model.states):
        model.add_sum(range(first, first + model.states), 1, 1)
    for clue, line in lines_that_fit(puzzle, model):
        covers: dict[tuple[int, int], list[int]] = defaultdict(list)
        before: list[int] = []
        for (length, colour), starts in zip(puzzle.pairs(clue), block_starts(puzzle, clue, len(line)), strict=True):
            places = [model.variable() for _ in starts]
            model.add_sum(places, 1, 1)
            # With all placements both sums are 1, so the comparison at slack + 1 would say nothing.
            for end in range(1, len(starts)) if before else ():
                model.add_sum(before[:end], 0, None, places[:end])
            for start, place in zip(starts, places, strict=True):
                for cell in line[start : start + length]:
                    covers[cell, colour].append(place)
            before = places
        for cell in line:
            for colour in range(1, model.states):
                variable = cell if model.states == 2 else cell * model.states + colour
                model.add_sum(covers[cell, colour], 0, 0, [variable])
    return model


def ladder(puzzle: Nonogram) -> Model:
    """Model "block b is at its placement t or before" as a Boolean variable, with linear constraints only.

    The variables are sums of those of ``placements``, so the linear relaxation is as strong, but each constraint has
    few terms: a variable implies the next of its block, and that of the previous block for the same t. Where a block
    covers a cell, one variable is true and another false, so the cell is a sum of differences.

    Sizes: rows * columns cells; for a line of n cells with k blocks and slack d (cells beyond the tightest packing)
    k * d variables and n + k * (d - 1) + (k - 1) * d constraints. A clue that does not fit its line makes the model
    false.

    Examples:
        >>> from crosslit.formats import read
        >>> ladder(read("1,0|1")).sizes
        {'variables': 3, 'constraints': 4}
    """
    model = Model(puzzle.rows, puzzle.columns)
    lines = [*lines_that_fit(puzzle, model)]
    lengths = np.array([len(line) for _, line in lines], np.int32)
    spaces = np.array([sum(clue) + len(clue) for clue, _ in lines], np.int32)
    # Of each block: line, length, slack, and earliest place. Places count the cells of all lines in sequence.
    line = np.repeat(np.arange(len(lines)), [len(clue) for clue, _ in lines])
    block = np.array([length for clue, _ in lines for length in clue], np.int64)
    slack = (lengths - spaces + 1)[line]
    earliest = np.cumsum(block + 1) - block - 1 + (np.cumsum(lengths - spaces) - (lengths - spaces))[line]
    # Of each step, the variable "at this place or before": its block, and the place.
    of = np.repeat(np.arange(len(block)), slack)
    number = np.arange(len(of), dtype=np.int32)
    offset = number - (np.cumsum(slack) - slack)[of]
    steps, place = model.cells + number, earliest[of] + offset
    model.domains += [(0, 1)] * len(of)

    # A step implies the next of its block, and the one at the same offset in the block before: all have the same slack.
    next_steps = steps[offset < slack[of] - 1]
    has_before = np.append(False, line[1:] == line[:-1])[of]
    implying = np.concatenate([next_steps, steps[has_before]])
    implied = np.concatenate([next_steps + 1, (steps - slack[of])[has_before]])

    # Of all blocks, those begun minus those ended: 1 within a block, 0 in a gap.
    cells = np.array([cell for _, line in lines for cell in line], np.int32)
    counted = np.concatenate([place, place + block[of], np.arange(len(cells))])  # the place whose sum has the term
    order = np.argsort(counted, kind="stable")
    # From its latest place on, a block has certainly begun (or ended): a constant instead of a variable.
    latest = earliest + slack
    changes = np.bincount(latest, minlength=len(cells) + 1) - np.bincount(latest + block, minlength=len(cells) + 1)
    signs = np.array([1, -1], np.int32)
    rows = LinearRows(
        np.concatenate([np.tile(signs, len(implied)), np.repeat(signs, [len(of), len(of) + len(cells)])[order]]),
        np.concatenate([np.stack([implied, implying], 1).ravel(), np.concatenate([steps, steps, cells])[order]]),
        np.cumsum(np.concatenate([np.full(len(implied), 2), np.bincount(counted, minlength=len(cells))])),
        np.concatenate([np.zeros(len(implied), np.int64), -np.cumsum(changes)[:-1]]),
        np.repeat([False, True], [len(implied), len(cells)]),
    )
    model.constraints = [*model.constraints, *rows] if model.constraints else rows
    return model


ENCODINGS = [
    Encoding(
        name=name,
        kind=kind,
        target=target,
        encode=cp_sat_of(encode) if target == "cp-sat" else encode,
        trusted_base=frozenset({f"{kind}-{name}", LINEAGE}),
        summary=summary,
        default=target == "linear" or name == "automaton",
    )
    for kind, name, targets, encode, summary in (
        ("nonogram", "automaton", ("fd", "cp-sat"), automaton, "one automaton per line"),
        ("nonogram", "starts", ("fd", "cp-sat"), starts, "an integer variable for the start of each block"),
        # The clauses of `order` would suit most linear engines better. But `ladder` shares no code with the encodings
        # to CNF, so its answers count as independent of theirs; so does `placements`.
        ("nonogram", "ladder", ("linear",), ladder, "a variable for each place and block: there or before"),
        ("coloured-nonogram", "automaton", ("fd", "cp-sat"), automaton, "one automaton per line over the colours"),
        (
            "coloured-nonogram",
            "placements",
            ("linear", "cp-sat"),
            placements,
            "a variable for each place of a block, in colours",
        ),
    )
    for target in targets
]
