"""Nonograms in several colours to CNF, and as finite-domain models, line by line.

Puzzles of one colour have encodings of their own, by arrays: these lists take 10 to 40 times as long for them.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise, product

import numpy as np

from crosslit.contract import Encoding, GaveUp
from crosslit.kinds.nonogram.colours import Clue, ColouredNonogram
from crosslit_encoders.cp_model import cp_sat_of
from crosslit_encoders.finite_domain import LINEAGE, AllowedRows, Model
from crosslit_encoders.formula import Formula
from crosslit_encoders.nonogram import models
from crosslit_encoders.nonogram.models import block_starts, colour_numbers, gap, lines_that_fit

Literal = int
Cells = Sequence[int]
"""The cells of a line, in row-major order from 0."""
MAX_TABLE_CELLS = 1 << 20
"""Maximum number of cells in the tables of a puzzle: allowed lines times their length."""


class ColouredClauses:
    """A formula of coloured cells under construction.

    A cell with two states has one variable: true for colour 1. With more, it has one for each state.

    Args:
        puzzle: the puzzle; clauses that leave each cell exactly one state are added at once. Only the states that both
            its row and its column have exclude each other: each line excludes the others (`encode_lines`).
    """

    def __init__(self, puzzle: ColouredNonogram) -> None:
        self.puzzle, self.states = puzzle, puzzle.colours + 1
        self.part = -1
        self._literals, self._ends, self._parts = array("i"), array("q"), array("q")  # lists take ten times the memory
        cells = puzzle.rows * puzzle.columns
        self.last = cells if self.states == 2 else cells * self.states
        own = [[_own(clue) for clue in clues] for clues in (puzzle.row_clues, puzzle.column_clues)]
        for cell in range(cells) if self.states > 2 else ():
            self.add(*(self.value(cell, state) for state in range(self.states)))
            row, column = divmod(cell, puzzle.columns)
            for one, other in combinations(sorted(own[0][row] & own[1][column]), 2):
                self.add(-self.value(cell, one), -self.value(cell, other))

    def value(self, cell: int, colour: int) -> Literal:
        """Return the literal that says a cell has a colour, or 0 for an empty cell."""
        if self.states == 2:
            return cell + 1 if colour else -cell - 1
        return 1 + cell * self.states + colour

    def variable(self) -> Literal:
        """Return a new variable."""
        self.last += 1
        return self.last

    def add(self, *literals: Literal | bool) -> None:
        """Add a clause of the current part; True satisfies it, and False is left out of it."""
        # `is`, because 1 == True; loops, because generators take twice as long
        for literal in literals:
            if literal is True:
                return
        for literal in literals:
            if literal is not False:
                self._literals.append(literal)
        self._ends.append(len(self._literals))
        self._parts.append(self.part)

    def formula(self) -> Formula:
        """Return the formula of all clauses."""
        puzzle, parts = self.puzzle, np.array(self._parts, np.int64)
        literals, ends = np.array(self._literals, np.int32), np.array(self._ends, np.int64)
        return Formula(puzzle.rows, puzzle.columns, self.last, literals, ends, part=lambda: parts, states=puzzle.states)


def _own(clue: Clue) -> set[int]:
    """Return the states of the cells of a line."""
    return {0, *(block.colour for block in clue)}


def encode_lines(
    puzzle: ColouredNonogram, encode: Callable[[ColouredClauses, Clue, Cells, list[range]], None]
) -> Formula:
    """Return the formula of all lines, each encoded with its clue, its cells and the starts that each block can have.

    A clue that does not fit its line gives the clauses ``x`` and ``not x``.
    """
    clauses = ColouredClauses(puzzle)
    for clauses.part, (clue, cells) in enumerate(puzzle.lines()):
        if ColouredNonogram.space(clue) > len(cells):
            clauses.add(clauses.value(cells[0], 0))
            clauses.add(-clauses.value(cells[0], 0))
        else:
            encode(clauses, clue, cells, block_starts(puzzle, clue, len(cells)))
            for cell, state in product(cells, {*range(clauses.states)} - _own(clue)):
                clauses.add(-clauses.value(cell, state))
    return clauses.formula()


def line_automaton(clue: Clue) -> tuple[int, tuple[int, ...], list[tuple[int, int, int]]]:
    """Return the automaton of a clue: its first state, final states, and transitions (state, colour, next state).

    State s has read s cells of the blocks, or, before the next block, an empty cell after them: there is a state for
    each cell of a block, and one for each gap.

    Examples:
        >>> from crosslit.kinds.nonogram.colours import read_clue
        >>> line_automaton(read_clue("1a 1b"))
        (0, (3, 4), [(0, 0, 0), (0, 1, 1), (1, 0, 2), (2, 0, 2), (2, 2, 3), (1, 2, 3), (3, 0, 4), (4, 0, 4)])
    """
    transitions, state = [(0, 0, 0)], 0
    end = None  # the last cell of the block before
    for place, (length, colour) in enumerate(clue):
        begins = [state] if end is None or gap(clue, place) else [state, end]
        transitions += [(begin, colour, state + 1) for begin in begins]
        transitions += [(state + cell, colour, state + cell + 1) for cell in range(1, length)]
        end, state = state + length, state + length + 1
        transitions += [(end, 0, state), (state, 0, state)]
    return 0, (state,) if end is None else (end, state), transitions


def order(puzzle: ColouredNonogram) -> Formula:
    """Encode the starts of blocks by order: variable s(j, p) says "block j starts at p or before".

    The clauses say: s(j, p) implies s(j, p + 1); s(j + 1, p) implies that block j has ended in time; a cell where block
    j has started and not ended has its colour; a cell where block j has ended and block j + 1 has not started is empty.
    This is the order encoding of nonograms (`crosslit_encoders.nonogram.order`) with a gap only between blocks of one
    colour.

    Sizes: with K colours K + 1 variables for each cell, one if K is 1, and for a line of n cells with k blocks and
    slack d (cells beyond the tightest packing) k * d variables and at most k * (2 d + n) + (k + 1) * n clauses.

    Examples:
        >>> from crosslit.formats import read
        >>> order(read("coloured-nonogram:1a 1b|1a,1b")).sizes
        {'variables': 6, 'clauses': 10, 'literals': 16}
    """
    return encode_lines(puzzle, _order)


def _order(clauses: ColouredClauses, clue: Clue, cells: Cells, starts: list[range]) -> None:
    steps = [[clauses.variable() for _ in places[1:]] for places in starts]
    length, last = len(cells), [places[-1] for places in starts]
    # At each place: whether block j has started there or before, and whether the one before it has ended.
    started: list[list[Literal | bool]] = [
        [*[False] * places[0], *own, *[True] * (length - places[-1])] for places, own in zip(starts, steps, strict=True)
    ]
    ended: list[list[Literal | bool]] = [
        [True] * length,
        *([*[False] * size, *own] for (size, _), own in zip(clue, started, strict=True)),
    ]
    started.append([False] * length)
    for block, own in enumerate(steps):
        for one, other in pairwise(own):
            clauses.add(-one, other)
        for place in starts[block] if block else ():
            clauses.add(_not(started[block][place]), ended[block][place - gap(clue, block)])
    covering = following = 0  # the first block that has not surely ended, and the first that has not surely started
    for place, cell in enumerate(cells):
        while covering < len(clue) and place >= last[covering] + clue[covering].length:
            covering += 1
        while following < len(clue) and place >= last[following]:
            following += 1
        for block in range(covering, len(clue)):
            if place < starts[block][0]:
                break
            clauses.add(_not(started[block][place]), ended[block + 1][place], clauses.value(cell, clue[block].colour))
        for block in range(following, len(clue) + 1):
            if ended[block][place] is False:
                break
            clauses.add(_not(ended[block][place]), started[block][place], clauses.value(cell, 0))


def _not(literal: int | bool) -> int | bool:
    return not literal if isinstance(literal, bool) else -literal


def direct(puzzle: ColouredNonogram) -> Formula:
    """Encode the starts of blocks directly: variable y(j, p) says "block j starts at p".

    Each block has exactly one start; a block does not start before the end of the previous one, and the gap between two
    of one colour; a start gives its cells the colour; a cell of a colour is covered by a start of a block of it.

    Sizes: the variables of the cells as in `order`, and k * (d + 1) for a line with k blocks and slack d.

    Examples:
        >>> from crosslit.formats import read
        >>> direct(read("coloured-nonogram:1a 1b|1a,1b")).sizes
        {'variables': 10, 'clauses': 20, 'literals': 34}
    """
    return encode_lines(puzzle, _direct)


def _direct(clauses: ColouredClauses, clue: Clue, cells: Cells, starts: list[range]) -> None:
    covered: dict[tuple[int, int], list[int]] = defaultdict(list)
    before: dict[int, int] = {}
    for block, (length, colour) in enumerate(clue):
        own = {start: clauses.variable() for start in starts[block]}
        clauses.add(*own.values())
        for one, other in combinations(own.values(), 2):
            clauses.add(-one, -other)
        for start, literal in own.items():
            for cell in cells[start : start + length]:
                clauses.add(-literal, clauses.value(cell, colour))
                covered[cell, colour].append(literal)
            for earlier, other in before.items():
                if start < earlier + clue[block - 1].length + gap(clue, block):
                    clauses.add(-literal, -other)
        before = own
    for cell in cells:
        for colour in sorted({block.colour for block in clue}):
            clauses.add(-clauses.value(cell, colour), *covered[cell, colour])


def automaton(puzzle: ColouredNonogram) -> Formula:
    """Encode each line as an automaton: variable q(s, i) says "after i cells the automaton is in state s".

    A state has a variable at each position where the start reaches it and it reaches the end. The clauses say: the
    colour of the cell that enters a state; a state has a predecessor and a successor; a cell of a colour enters some
    state that this colour enters. So unit propagation finds all that a line determines; see
    `crosslit_encoders.nonogram.cnf` for the sources.

    Sizes: the variables of the cells as in `order`, and for a line with blocks of b cells in all, k blocks and slack d
    at most (b + k + 1) * (d + 1) variables.

    Examples:
        >>> from crosslit.formats import read
        >>> automaton(read("coloured-nonogram:1a 1b|1a,1b")).sizes
        {'variables': 10, 'clauses': 25, 'literals': 41}
    """
    return encode_lines(puzzle, _automaton)


def _automaton(clauses: ColouredClauses, clue: Clue, cells: Cells, _: list[range]) -> None:
    start, finals, transitions = line_automaton(clue)
    reached, needed = [{start}], [{*finals}]
    for _cell in cells:
        reached.append({target for state, _, target in transitions if state in reached[-1]})
        needed.append({state for state, _, target in transitions if target in needed[-1]})
    alive = [ahead & behind for ahead, behind in zip(reached, reversed(needed), strict=True)]
    names: list[dict[int, int | bool]] = [{start: True}]
    names += [{state: clauses.variable() for state in sorted(states)} for states in alive[1:]]
    for position, cell in enumerate(cells):
        before, after = names[position], names[position + 1]
        moves = [move for move in transitions if move[0] in before and move[2] in after]
        for state, name in before.items():
            clauses.add(_not(name), *(after[target] for source, _, target in moves if source == state))
        for state, name in after.items():
            entering = [(source, colour) for source, colour, target in moves if target == state]
            clauses.add(_not(name), *(before[source] for source, _ in entering))
            clauses.add(_not(name), clauses.value(cell, entering[0][1]))
        for colour in sorted({0, *(block.colour for block in clue)}):
            entered = dict.fromkeys(target for _, moved, target in moves if moved == colour)
            clauses.add(-clauses.value(cell, colour), *(after[target] for target in entered))


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
    Encoding(
        name=name,
        kind="coloured-nonogram",
        target="cnf",
        encode=encode,
        trusted_base=frozenset({f"coloured-nonogram-{name}-cnf", "coloured-nonogram-lines"}),
        summary=summary,
        default=name == "order",
    )
    for name, encode, summary in (
        ("order", order, "order encoding of the blocks' starts, in colours"),
        ("direct", direct, "one variable for each start of each block, with pairwise conflicts, in colours"),
        ("automaton", automaton, "one automaton per line, a variable for each state at each position, in colours"),
    )
]
ENCODINGS += [
    *_encodings("automaton", "fd", models.automaton, "one automaton per line over the colours"),
    *_encodings("table", "fd", table, f"the allowed lines; up to {MAX_TABLE_CELLS:,} cells in all"),
    *_encodings("placements", "linear", models.placements, "a variable for each place of a block, in colours"),
]
