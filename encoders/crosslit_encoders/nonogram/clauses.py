"""Nonograms of one colour or several to CNF, line by line: whole puzzles, and the open cells of coloured ones.

It shares no code with the models of nonograms, which CP-SAT and others take. The default of one colour is made by
arrays (`crosslit_encoders.nonogram.order`), which are 10 to 40 times as fast as these lists.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations, pairwise, product

import numpy as np

from crosslit.contract import Encoding
from crosslit.kinds.nonogram.colours import Block, Clue, ColouredNonogram
from crosslit.kinds.nonogram.puzzle import Nonogram
from crosslit_encoders.formula import Formula

Literal = int
TRUE = 1 << 31
"""The literal that holds, beyond all variables; its negation does not. No formula contains them."""
Cells = Sequence[int]
"""The cells of a line, in row-major order from 0."""


class Clauses:
    """A formula of cells under construction.

    A cell with two states has one variable: true for colour 1. With more, it has one for each state.

    Args:
        puzzle: the puzzle; clauses that leave each cell exactly one state are added at once. Only the states that both
            its row and its column have exclude each other: each line excludes the others (`encode_by_line`).
    """

    owner = -1  # the line to which the clauses belong that are added; none at first

    def __init__(self, puzzle: Nonogram) -> None:
        self.puzzle, self.states = puzzle, puzzle.states
        self._literals, self._ends, self._owners = array("i"), array("q"), array("q")  # lists take ten times the memory
        self.last = puzzle.layout.variables
        if self.states == 2:
            return
        own = [[_own(clue) for clue in clues] for clues in (puzzle.row_clues, puzzle.column_clues)]
        for cell in range(puzzle.rows * puzzle.columns):
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

    def add(self, *literals: Literal) -> None:
        """Add a clause of the current owner, without literals that do not hold, unless one holds."""
        if TRUE in literals:
            return
        self._literals.extend(literals if -TRUE not in literals else [each for each in literals if each != -TRUE])
        self._ends.append(len(self._literals))
        self._owners.append(self.owner)

    def starts(self, clue: Clue, cells: Cells) -> list[list[int]]:
        """Return the places where each block of a line starts in some arrangement; there is one."""
        places = range(len(cells))
        ahead = self._from_left(clue, cells)
        # without the block itself, the two sides of a line do not influence each other
        behind = reversed(self._from_left(clue[::-1], cells[::-1]))
        return [
            [place for place in places if one >> place & 1 and other >> len(cells) - length - place & 1]
            for one, other, (length, _) in zip(ahead, behind, clue, strict=True)
        ]

    def _from_left(self, clue: Clue, cells: Cells) -> list[int]:
        """Return, as bits, where each block can start, given its own cells and all cells on its left.

        Bit p is cell p, and also the boundary in front of it. Empty cells carry a boundary to the next one, by the
        carry of an addition.
        """
        can = {colour: self._can(cells, colour) for colour in _own(clue)}
        found, ends = [], 1
        for block, (length, colour) in enumerate(clue):
            ends = (ends & can[0]) << 1 if _gap(clue, block) else ends
            seeds = ends & can[0]
            fits, covered = can[colour], 1
            while covered < length:
                step = min(covered, length - covered)
                fits, covered = fits & fits >> step, covered + step
            found.append((ends | (((can[0] + seeds) ^ can[0] | seeds) & can[0]) << 1) & fits)
            ends = found[-1] << length
        return found

    def _can(self, cells: Cells, colour: int) -> int:  # noqa: ARG002  (all of them: nothing is known)
        """Return, as bits, the cells of a line that can have a colour."""
        return (1 << len(cells)) - 1

    def formula(self) -> Formula:
        """Return the formula of all clauses."""
        puzzle, owners = self.puzzle, np.array(self._owners, np.int64)
        literals, ends = np.array(self._literals, np.int32), np.array(self._ends, np.int64)
        return Formula(
            puzzle.rows, puzzle.columns, self.last, literals, ends, owners=lambda: owners, states=puzzle.states
        )


class OpenClauses(Clauses):
    """A formula of the cells that are still open: a variable for each colour that a cell can have, in row-major order.

    Args:
        puzzle: the puzzle.
        masks: the possible colours of each cell, as bits.
    """

    def __init__(self, puzzle: ColouredNonogram, masks: Sequence[int]) -> None:
        self.puzzle, self.states, self.masks = puzzle, puzzle.states, masks
        self._literals, self._ends, self._owners = array("i"), array("q"), array("q")
        self.last, self._numbers = 0, dict[tuple[int, int], Literal]()
        for cell, mask in enumerate(masks):
            if mask & mask - 1:
                own = {colour: self.variable() for colour in range(self.states) if mask >> colour & 1}
                self._numbers |= {(cell, colour): literal for colour, literal in own.items()}
                self.add(*own.values())
                for one, other in combinations(own.values(), 2):
                    self.add(-one, -other)
        self.cells = self.last

    def value(self, cell: int, colour: int) -> Literal:
        """Return the literal that says a cell has a colour."""
        return self._numbers.get((cell, colour)) or (TRUE if self.masks[cell] == 1 << colour else -TRUE)

    def _can(self, cells: Cells, colour: int) -> int:
        return sum(1 << place for place, cell in enumerate(cells) if self.masks[cell] >> colour & 1)


def residue(puzzle: ColouredNonogram, masks: Sequence[int]) -> Formula:
    """Encode the open cells of a puzzle by `order`, given the possible colours of all cells as bits.

    It is a grid of one row, with a cell of two states for each possible colour of each open cell, in row-major order.
    Every line can be completed with these colours.

    Examples:
        >>> from crosslit.formats import read
        >>> puzzle = read("coloured-nonogram:1a,1a|1a,1a")
        >>> list(residue(puzzle, [3] * 4).clauses())[:3], residue(puzzle, [1, 2, 2, 1]).sizes["clauses"]
        ([[1, 2], [-1, -2], [3, 4]], 0)
    """
    clauses = OpenClauses(puzzle, masks)
    for clue, cells in puzzle.lines():
        _order(clauses, clue, cells, clauses.starts(clue, cells))
    return replace(clauses.formula(), rows=1, columns=clauses.cells, owners=None, states=2)


def _gap(clue: Clue, block: int) -> int:
    return int(block > 0 and clue[block - 1].colour == clue[block].colour)


def _own(clue: Clue) -> set[int]:
    """Return the states of the cells of a line."""
    return {0, *(block.colour for block in clue)}


def encode_by_line(
    puzzle: Nonogram, encode: Callable[[Clauses, Clue, Cells, Sequence[Sequence[int]]], None]
) -> Formula:
    """Return the formula of all lines, each encoded with its clue, its cells and the starts that each block can have.

    ``encode`` gets the lines with several arrangements: each block has slack + 1 starts, one beside the other. A line
    with a single arrangement has a clause for each cell. A clue that does not fit its line gives the clauses
    ``x`` and ``not x``.
    """
    clauses = Clauses(puzzle)
    for clauses.owner, (pairs, cells) in enumerate(puzzle.lines()):
        clue = tuple(Block(*pair) for pair in puzzle.pairs(pairs))
        # not `Nonogram.space`, which the models for CP-SAT use: a mistake in it would look like agreement
        if sum(length + _gap(clue, block) for block, (length, _) in enumerate(clue)) > len(cells):
            clauses.add(clauses.value(cells[0], 0))
            clauses.add(-clauses.value(cells[0], 0))
        else:
            starts = clauses.starts(clue, cells)
            if any(len(places) > 1 for places in starts):
                encode(clauses, clue, cells, starts)
            else:  # one arrangement
                line = [0] * len(cells)
                for (place, *_), (length, colour) in zip(starts, clue, strict=True):
                    line[place : place + length] = [colour] * length
                for cell, colour in zip(cells, line, strict=True):
                    clauses.add(clauses.value(cell, colour))
            # with one colour, a line that lacks a state has one arrangement
            for cell, state in product(cells, {*range(clauses.states)} - _own(clue)) if clauses.states > 2 else ():
                clauses.add(-clauses.value(cell, state))
    return clauses.formula()


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
    return encode_by_line(puzzle, _order)


def _order(clauses: Clauses, clue: Clue, cells: Cells, starts: Sequence[Sequence[int]]) -> None:
    steps = [[clauses.variable() for _ in places[1:]] for places in starts]
    length = len(cells)
    # At each place: whether block j has started there or before, and whether the one before it has ended.
    started: list[list[Literal]] = [
        # places between two possible starts share a variable
        [
            *[-TRUE] * places[0],
            *(literal for literal, (one, other) in zip(own, pairwise(places), strict=True) for _ in range(one, other)),
            *[TRUE] * length,  # at least up to the end
        ]
        for places, own in zip(starts, steps, strict=True)
    ]
    ended: list[list[Literal]] = [
        [TRUE] * length,
        *([*[-TRUE] * size, *own] for (size, _), own in zip(clue, started, strict=True)),
    ]
    started.append([-TRUE] * length)
    for block, own in enumerate(steps):
        for one, other in pairwise(own):
            clauses.add(-one, other)
        for place in starts[block] if block else ():
            clauses.add(-started[block][place], ended[block][place - _gap(clue, block)])
    for place, cell in enumerate(cells):
        for block in range(len(clue)):
            if place < starts[block][0]:
                break
            clauses.add(-started[block][place], ended[block + 1][place], clauses.value(cell, clue[block].colour))
        for block in range(len(clue) + 1):
            if ended[block][place] == -TRUE:
                break
            clauses.add(-ended[block][place], started[block][place], clauses.value(cell, 0))


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
        begins = [state] if end is None or _gap(clue, place) else [state, end]
        transitions += [(begin, colour, state + 1) for begin in begins]
        transitions += [(state + cell, colour, state + cell + 1) for cell in range(1, length)]
        end, state = state + length, state + length + 1
        transitions += [(end, 0, state), (state, 0, state)]
    return 0, (state,) if end is None else (end, state), transitions


def automaton(puzzle: Nonogram) -> Formula:
    """Encode each line as an automaton: variable q(s, i) says "after i cells the automaton is in state s".

    A state has a variable at each position where the start reaches it and it reaches the end. The clauses say: the
    colour of the cell that enters a state; a state has a predecessor and a successor; a cell of a colour enters some
    state that this colour enters. Transitions need no variables, because their two states determine them. The states
    are those of the regular constraint (Pesant, "A regular language membership constraint for finite sequences of
    variables", CP 2004), encoded as in Bacchus, "GAC via unit propagation", CP 2007: unit propagation finds all that a
    line determines.

    Sizes: the variables of the cells as in `order`, and for a line with blocks of b cells in all, k blocks and slack d
    (at least 1) at most (b + k + 1) * (d + 1) - 2 variables; with one colour, exactly that many, with three clauses for
    each and two for each cell, minus three at the line's ends.

    Examples:
        >>> from crosslit.formats import read
        >>> automaton(read("coloured-nonogram:1a 1b|1a,1b")).sizes
        {'variables': 6, 'clauses': 10, 'literals': 16}
        >>> automaton(read("1|1,0")).sizes
        {'variables': 6, 'clauses': 15, 'literals': 28}
    """
    return encode_by_line(puzzle, _automaton)


def _automaton(clauses: Clauses, clue: Clue, cells: Cells, _: Sequence[Sequence[int]]) -> None:
    start, finals, transitions = line_automaton(clue)
    reached, needed = [{start}], [{*finals}]
    for _cell in cells:
        reached.append({target for state, _, target in transitions if state in reached[-1]})
        needed.append({state for state, _, target in transitions if target in needed[-1]})
    alive = [ahead & behind for ahead, behind in zip(reached, reversed(needed), strict=True)]
    names: list[dict[int, int]] = [{start: TRUE}]
    names += [{state: clauses.variable() for state in sorted(states)} for states in alive[1:]]
    for position, cell in enumerate(cells):
        before, after = names[position], names[position + 1]
        moves = [move for move in transitions if move[0] in before and move[2] in after]
        for state, name in before.items():
            clauses.add(-name, *(after[target] for source, _, target in moves if source == state))
        for state, name in after.items():
            entering = [(source, colour) for source, colour, target in moves if target == state]
            clauses.add(-name, *(before[source] for source, _ in entering))
            clauses.add(-name, clauses.value(cell, entering[0][1]))
        for colour in sorted(_own(clue)):
            entered = dict.fromkeys(target for _, moved, target in moves if moved == colour)
            clauses.add(-clauses.value(cell, colour), *(after[target] for target in entered))


def direct(puzzle: Nonogram) -> Formula:
    """Encode the starts of blocks directly: variable y(j, p) says "block j starts at p".

    This is the direct encoding of Walsh, "SAT v CSP", CP 2000: each block has a start; no block has two (pairwise);
    block j + 1 does not start before the end of block j (a conflict for each pair of starts). Each start fills the
    cells that it covers, and a filled cell is covered by some start.

    Sizes: rows * columns cells, and for a line with k blocks, of b cells in all, and slack d (cells beyond the tightest
    packing, at least 1) k * (d + 1) auxiliary variables. Clauses: k, one for each block; k * d * (d + 1) / 2 pairs of
    starts of a block; (k - 1) * d * (d + 1) / 2 conflicts of neighbours; b * (d + 1) from starts to cells; one for each
    cell.

    Examples:
        >>> from crosslit.formats import read
        >>> list(direct(read("1|1,0")).clauses())
        [[3, 4], [-3, -4], [-3, 1], [-4, 2], [-1, 3], [-2, 4], [1], [-2]]
    """
    return encode_by_line(puzzle, _direct)


def _direct(clauses: Clauses, clue: Clue, cells: Cells, starts: Sequence[Sequence[int]]) -> None:
    covers: dict[tuple[int, int], list[Literal]] = {(cell, colour): [] for cell in cells for colour in _own(clue) - {0}}
    before: list[tuple[int, Literal]] = []  # the end of the block before and its gap, for each start
    for block, (places, (length, colour)) in enumerate(zip(starts, clue, strict=True)):
        names = [clauses.variable() for _ in places]
        clauses.add(*names)
        for one, other in combinations(names, 2):
            clauses.add(-one, -other)
        for place, name in zip(places, names, strict=True):
            for end, earlier in before:
                if place < end + _gap(clue, block):
                    clauses.add(-earlier, -name)
            for cell in cells[place : place + length]:
                clauses.add(-name, clauses.value(cell, colour))
                covers[cell, colour].append(name)
        before = [(place + length, name) for place, name in zip(places, names, strict=True)]
    for (cell, colour), covering in covers.items():
        clauses.add(-clauses.value(cell, colour), *covering)


ENCODINGS = [
    Encoding(
        name=name,
        kind=kind,
        target="cnf",
        encode=encode,
        trusted_base=frozenset({f"{kind}-{name}-cnf", f"{kind}-clauses"}),
        summary=summary,
        default=name == "order",
    )
    for kind, name, encode, summary in (
        ("coloured-nonogram", "order", order, "order encoding of the blocks' starts, in colours"),
        (
            "coloured-nonogram",
            "automaton",
            automaton,
            "one automaton per line, a variable for each state at each position, in colours",
        ),
        ("nonogram", "automaton", automaton, "one automaton per line, a variable for each state at each position"),
        ("nonogram", "direct", direct, "one variable for each start of each block, with pairwise conflicts"),
    )
]
