"""Nonograms in several colours to CNF, and as finite-domain models, line by line.

Puzzles of one colour have encodings of their own, by arrays: these lists take 10 to 40 times as long for them.
"""

from __future__ import annotations

from collections.abc import Sequence

from crosslit.contract import Encoding
from crosslit.kinds.nonogram.colours import Clue, ColouredNonogram
from crosslit_encoders.cp_model import cp_sat_of
from crosslit_encoders.finite_domain import LINEAGE
from crosslit_encoders.formula import Formula
from crosslit_encoders.nonogram import models
from crosslit_encoders.nonogram.coloured_order import TRUE, Cells, ColouredClauses, encode_lines, order
from crosslit_encoders.nonogram.models import gap


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


def _automaton(clauses: ColouredClauses, clue: Clue, cells: Cells, _: Sequence[Sequence[int]]) -> None:
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
        for colour in sorted({0, *(block.colour for block in clue)}):
            entered = dict.fromkeys(target for _, moved, target in moves if moved == colour)
            clauses.add(-clauses.value(cell, colour), *(after[target] for target in entered))


_LINES = "coloured-nonogram-lines"  # the gaps between blocks

ENCODINGS = [
    *(
        Encoding(name, "coloured-nonogram", "cnf", encode, trusted, summary, default=name == "order")
        for name, encode, trusted, summary in (
            (
                "order",
                order,
                frozenset({"coloured-nonogram-order-cnf", "coloured-nonogram-clauses"}),
                "order encoding of the blocks' starts, in colours",
            ),
            (
                "automaton",
                automaton,
                frozenset({"coloured-nonogram-automaton-cnf", "coloured-nonogram-clauses", _LINES}),
                "one automaton per line, a variable for each state at each position, in colours",
            ),
        )
    ),
    *(
        Encoding(
            name=name,
            kind="coloured-nonogram",
            target=target,
            encode=cp_sat_of(encode) if target == "cp-sat" else encode,
            trusted_base=frozenset({f"coloured-nonogram-{name}", _LINES, LINEAGE}),
            summary=summary,
            # `placements` shares no clauses with the encodings to CNF
            default=target == "linear" or name == "automaton",
        )
        for name, own, encode, summary in (
            ("automaton", "fd", models.automaton, "one automaton per line over the colours"),
            ("placements", "linear", models.placements, "a variable for each place of a block, in colours"),
        )
        for target in (own, "cp-sat")
    ),
]
