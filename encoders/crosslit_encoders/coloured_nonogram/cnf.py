"""Coloured nonograms to CNF: the order, direct and automaton encodings of their lines."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations, pairwise

from crosslit.contract import Encoding
from crosslit.kinds.nonogram.colours import Clue, ColouredNonogram
from crosslit_encoders.coloured_nonogram.lines import Cells, Clauses, encode_lines, line_automaton
from crosslit_encoders.formula import Formula
from crosslit_encoders.nonogram.models import gap


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


def _order(clauses: Clauses, clue: Clue, cells: Cells, starts: list[range]) -> None:
    steps = [[clauses.variable() for _ in places[1:]] for places in starts]

    def started(block: int, cell: int) -> int | bool:
        """Return the literal that says a block has started at a cell or before."""
        if not 0 <= block < len(clue):
            return block < 0
        offset = cell - starts[block][0]
        return False if offset < 0 else True if offset >= len(steps[block]) else steps[block][offset]

    def ended(block: int, cell: int) -> int | bool:
        return started(block, cell - clue[block].length) if 0 <= block < len(clue) else block < 0

    for block, own in enumerate(steps):
        for one, other in pairwise(own):
            clauses.add(-one, other)
        for cell in starts[block]:
            if block:
                clauses.add(_not(started(block, cell)), ended(block - 1, cell - gap(clue, block)))
    for place, cell in enumerate(cells):
        for block, (_, colour) in enumerate(clue):
            clauses.add(_not(started(block, place)), ended(block, place), clauses.value(cell, colour))
        for block in range(-1, len(clue)):
            clauses.add(_not(ended(block, place)), started(block + 1, place), clauses.value(cell, 0))


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


def _direct(clauses: Clauses, clue: Clue, cells: Cells, starts: list[range]) -> None:
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
    `crosslit_encoders.nonogram.automaton` for the sources.

    Sizes: the variables of the cells as in `order`, and for a line with blocks of b cells in all, k blocks and slack d
    at most (b + k + 1) * (d + 1) variables.

    Examples:
        >>> from crosslit.formats import read
        >>> automaton(read("coloured-nonogram:1a 1b|1a,1b")).sizes
        {'variables': 10, 'clauses': 25, 'literals': 41}
    """
    return encode_lines(puzzle, _automaton)


def _automaton(clauses: Clauses, clue: Clue, cells: Cells, _: list[range]) -> None:
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
