"""Nonogram lines as layered automata: the colours that they leave, and the smallest automata of the cells left open."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

Blocks = tuple[tuple[int, int], ...]
"""The length and the colour of each block of a line."""
Masks = tuple[int, ...]
"""The possible colours of each cell of a line, as bits; bit 0 stands for an empty cell."""
Table = tuple[tuple[int, ...], ...]
"""For each state, the states after a cell of each colour, the background first; -1 if the line cannot be completed."""

_KEPT = 1 << 16  # lines kept in memory, at one or two kilobytes each


@dataclass(frozen=True)
class Segment:
    """Open cells of a line that depend on each other, and on no other cell of the line."""

    cells: tuple[int, ...]  # their indices in the line, ascending
    tables: tuple[Table, ...]  # for each cell; the first is entered in state 0, the last leads only to it


class LineAutomaton:
    """The automaton that reads a clue's line cell by cell; integers represent sets of states.

    State 0 is the gap before the first block; then come the cells of the first block, the gap after it, and so on. An
    empty cell stays in a gap, and leads from the last cell of a block to the gap behind it. A cell of the next block's
    colour leads from a gap, or from within a block, to the next state; and past the gap if the block before has another
    colour.
    """

    def __init__(self, clue: Blocks) -> None:
        gaps, lasts = 1, 0
        state = last = 0  # a line without blocks has one state
        # For each colour: the states that it leaves as they are, those that it leads one on, and those two on.
        into: dict[int, int] = {}
        past: dict[int, int] = {}
        before = None
        for length, colour in clue:
            into[colour] = into.get(colour, 0) | (1 << state + length) - (1 << state)
            if before not in (None, colour):
                past[colour] = past.get(colour, 0) | 1 << last
            last, before = state + length, colour
            lasts |= 1 << last
            state = last + 1
            gaps |= 1 << state
        moves = {0: (gaps, lasts, 0)} | {colour: (0, into[colour], past.get(colour, 0)) for colour in into}
        self._moves = defaultdict(lambda: (0, 0, 0), moves)
        # The line may end in the last gap, or with the last cell of the last block.
        self.accepting = 1 << state | 1 << last

    def after(self, states: int, colour: int) -> int:
        """Return the states after a cell of a colour."""
        stay, one, two = self._moves[colour]
        return states & stay | (states & one) << 1 | (states & two) << 2

    def before(self, states: int, colour: int) -> int:
        """Return the states from which a cell of a colour leads to one of the given states."""
        stay, one, two = self._moves[colour]
        return states & stay | states >> 1 & one | states >> 2 & two


def _alive(automaton: LineAutomaton, masks: Masks) -> list[int]:
    """Return the reachable states at each position of the line: before every cell, and after the last."""
    reached = [1]
    for mask in masks:
        after = 0
        for colour in members(mask):
            after |= automaton.after(reached[-1], colour)
        reached.append(after)
    # Forward sets, cut down from the end: a state stays exactly if it lies on a whole path.
    reached[-1] &= automaton.accepting
    for cell in reversed(range(len(masks))):
        before = 0
        for colour in members(masks[cell]):
            before |= automaton.before(reached[cell + 1], colour)
        reached[cell] &= before
    return reached


@functools.lru_cache(_KEPT)
def settle(clue: Blocks, masks: Masks) -> Masks | None:
    """Return exactly the colours that each cell has in some arrangement of a line; None if there is none."""
    if sum(length for length, _ in clue) > len(masks):  # absurdly long blocks would be shifts of as many bits
        return None
    automaton = LineAutomaton(clue)
    alive = _alive(automaton, masks)
    if not all(alive):
        return None
    # A step between two states on whole paths is itself on a whole path, so this test is exact.
    return tuple(
        sum(1 << colour for colour in members(mask) if automaton.after(alive[cell], colour) & alive[cell + 1])
        for cell, mask in enumerate(masks)
    )


@functools.lru_cache(_KEPT)
def segments(clue: Blocks, masks: Masks, states: int) -> tuple[Segment, ...]:
    """Return the open cells of a settled line as the smallest layered automata; a cell has this number of states.

    States from which the same cells complete the line are merged, as in a reduced decision diagram. In front of a layer
    with a single state, cells on one side do not depend on the other: the line is cut into segments there.
    """
    automaton = LineAutomaton(clue)
    alive = _alive(automaton, masks)
    # All accepting states are one: nothing follows them.
    numbers = dict.fromkeys(members(alive[-1]), 0)
    layers: list[tuple[int, Table]] = []
    for cell in reversed(range(len(masks))):
        before: dict[int, int] = {}
        rows: dict[tuple[int, ...], int] = {}
        for state in members(alive[cell]):
            # Where there is no such step the set is empty and its highest state is -1, which no state is. All steps
            # into a state have one colour, so a step into a live state has a possible one.
            steps = [automaton.after(1 << state, colour).bit_length() - 1 for colour in range(states)]
            row = [numbers.get(to, -1) for to in steps]
            if masks[cell] & masks[cell] - 1:
                # Equal rows complete the line in the same ways: such states become one.
                before[state] = rows.setdefault(tuple(row), len(rows))
            else:
                before[state] = max(row)  # all colours but one are excluded
        numbers = before
        if rows:
            layers.append((cell, tuple(rows)))
    return tuple(_cut(layers[::-1]))


def _cut(layers: Sequence[tuple[int, Table]]) -> list[Segment]:
    """Cut the layers in front of each that has only one state, as the first one has."""
    found: list[Segment] = []
    starts = [place for place, (_, table) in enumerate(layers) if len(table) == 1]
    for first, end in pairwise([*starts, len(layers)]):
        cells, tables = zip(*layers[first:end], strict=True)
        found.append(Segment(cells, tables))
    return found


def members(bits: int) -> Iterator[int]:
    """Yield the members of a set of bits, ascending."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
