"""Nonograms in several colours to CNF, and as finite-domain models, line by line.

Puzzles of one colour have encodings of their own, by arrays: these lists take 10 to 40 times as long for them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from crosslit.contract import Encoding, GaveUp
from crosslit.kinds.nonogram.colours import Clue, ColouredNonogram
from crosslit_encoders.cp_model import cp_sat_of
from crosslit_encoders.finite_domain import LINEAGE, AllowedRows, Model
from crosslit_encoders.formula import Formula
from crosslit_encoders.nonogram import models
from crosslit_encoders.nonogram.coloured_order import TRUE, Cells, ColouredClauses, encode_lines, order
from crosslit_encoders.nonogram.models import colour_numbers, gap, lines_that_fit

MAX_TABLE_CELLS = 1 << 20
"""Maximum number of cells in the tables of a puzzle: allowed lines times their length."""


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


def _direct(clauses: ColouredClauses, clue: Clue, cells: Cells, starts: Sequence[Sequence[int]]) -> None:
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


LINES = "coloured-nonogram-lines"


def _encodings(name: str, target: str, encode: Callable[[ColouredNonogram], Model], summary: str) -> Iterator[Encoding]:
    for form in (target, "cp-sat"):
        yield Encoding(
            name=name,
            kind="coloured-nonogram",
            target=form,
            encode=cp_sat_of(encode) if form == "cp-sat" else encode,
            trusted_base=frozenset({f"coloured-nonogram-{name}", LINES, LINEAGE}),
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
        trusted_base=frozenset({f"coloured-nonogram-{name}-cnf", "coloured-nonogram-clauses", *shared}),
        summary=summary,
        default=name == "order",
    )
    for name, encode, summary, *shared in (
        ("order", order, "order encoding of the blocks' starts, in colours"),
        ("direct", direct, "one variable for each start of each block, with pairwise conflicts, in colours", LINES),
        (
            "automaton",
            automaton,
            "one automaton per line, a variable for each state at each position, in colours",
            LINES,
        ),
    )
]
ENCODINGS += [
    *_encodings("automaton", "fd", models.automaton, "one automaton per line over the colours"),
    *_encodings("table", "fd", table, f"the allowed lines; up to {MAX_TABLE_CELLS:,} cells in all"),
    *_encodings("placements", "linear", models.placements, "a variable for each place of a block, in colours"),
]
