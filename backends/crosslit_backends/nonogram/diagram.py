"""Nonogram lines as layered automata: the cells that they settle, and the smallest automata of the cells left open."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from crosslit.kinds.nonogram.puzzle import Clue

Table = tuple[tuple[int, int], ...]
"""For each state, the states after an empty and after a filled cell; -1 if the line cannot be completed."""

_KEPT = 1 << 16  # lines kept in memory, at one or two kilobytes each


@dataclass(frozen=True)
class Segment:
    """Open cells of a line that depend on each other, and on no other cell of the line."""

    cells: tuple[int, ...]  # their indices in the line, ascending
    tables: tuple[Table, ...]  # for each cell; the first is entered in state 0, the last leads only to it


class LineAutomaton:
    """The automaton that reads a clue's line cell by cell; integers represent sets of states.

    State 0 is the gap before the first block; then come the cells of the first block, the gap after it, and so on. A
    filled cell leads from a gap, or from within a block, to the next state; an empty cell leads from the last cell of a
    block to the next state, and stays in a gap.
    """

    def __init__(self, clue: Clue) -> None:
        self.gaps, self.lasts, state = 1, 0, 0
        for block in clue:
            state += block
            self.lasts |= 1 << state
            state += 1
            self.gaps |= 1 << state
        # The line may end in the last gap, or with the last cell of the last block.
        self.accepting = 1 << state | (1 << state >> 1 if clue else 0)
        self.fillable = ((1 << state) - 1) & ~self.lasts

    def empty(self, states: int) -> int:
        """Return the states after an empty cell."""
        return states & self.gaps | (states & self.lasts) << 1

    def filled(self, states: int) -> int:
        """Return the states after a filled cell."""
        return (states & self.fillable) << 1

    def before_empty(self, states: int) -> int:
        """Return the states from which an empty cell leads to one of the given states."""
        return states & self.gaps | states >> 1 & self.lasts

    def before_filled(self, states: int) -> int:
        """Return the states from which a filled cell leads to one of the given states."""
        return states >> 1 & self.fillable


def _fits(clue: Clue, length: int) -> bool:
    """Return whether the blocks fit; this also keeps absurdly long blocks away from the shifts."""
    return sum(clue) + max(0, len(clue) - 1) <= length


def _alive(automaton: LineAutomaton, length: int, filled: int, empty: int) -> list[int]:
    """Return the reachable states at each position of the line: before every cell, and after the last."""
    reached = [1]
    for cell in range(length):
        states = reached[-1]
        after = 0
        if not filled >> cell & 1:
            after |= automaton.empty(states)
        if not empty >> cell & 1:
            after |= automaton.filled(states)
        reached.append(after)
    # Forward sets, cut down from the end: a state stays exactly if it lies on a whole path.
    reached[-1] &= automaton.accepting
    for cell in reversed(range(length)):
        states = reached[cell + 1]
        before = 0
        if not filled >> cell & 1:
            before |= automaton.before_empty(states)
        if not empty >> cell & 1:
            before |= automaton.before_filled(states)
        reached[cell] &= before
    return reached


@functools.lru_cache(_KEPT)
def settle(clue: Clue, length: int, filled: int, empty: int) -> tuple[int, int] | None:
    """Settle exactly the cells on which all arrangements of a line agree; `line_solver.solve_line` does the same."""
    if not _fits(clue, length):
        return None
    automaton = LineAutomaton(clue)
    alive = _alive(automaton, length, filled, empty)
    if not alive[0]:
        return None
    for cell in range(length):
        if not (filled | empty) >> cell & 1:
            # A step between two states on whole paths is itself on a whole path, so this test is exact.
            if not automaton.filled(alive[cell]) & alive[cell + 1]:
                empty |= 1 << cell
            elif not automaton.empty(alive[cell]) & alive[cell + 1]:
                filled |= 1 << cell
    return filled, empty


@functools.lru_cache(_KEPT)
def segments(clue: Clue, length: int, filled: int, empty: int) -> tuple[Segment, ...]:
    """Return the open cells of a settled line as the smallest layered automata.

    States from which the same cells complete the line are merged, as in a reduced decision diagram. In front of a layer
    with a single state, cells on one side do not depend on the other: the line is cut into segments there.
    """
    automaton = LineAutomaton(clue)
    alive = _alive(automaton, length, filled, empty)
    known = filled | empty
    # All accepting states are one: nothing follows them.
    numbers = dict.fromkeys(_members(alive[length]), 0)
    layers: list[tuple[int, Table]] = []
    for cell in reversed(range(length)):
        can_be_empty, can_be_filled = not filled >> cell & 1, not empty >> cell & 1
        before: dict[int, int] = {}
        pairs: dict[tuple[int, int], int] = {}
        for state in _members(alive[cell]):
            # Where there is no such step the set is empty and `to` is -1, which no state is.
            to = automaton.empty(1 << state).bit_length() - 1
            if_empty = numbers.get(to, -1) if can_be_empty else -1
            to = automaton.filled(1 << state).bit_length() - 1
            if_filled = numbers.get(to, -1) if can_be_filled else -1
            if known >> cell & 1:
                # The excluded value of a known cell is -1, so the maximum is the other one.
                before[state] = max(if_empty, if_filled)
            else:
                # Equal pairs complete the line in the same ways: such states become one.
                before[state] = pairs.setdefault((if_empty, if_filled), len(pairs))
        numbers = before
        if pairs:
            layers.append((cell, tuple(pairs)))
    return tuple(_cut(layers[::-1]))


def _cut(layers: Sequence[tuple[int, Table]]) -> list[Segment]:
    """Cut the layers in front of each that has only one state."""
    found: list[Segment] = []
    first = 0
    for place in range(1, len(layers) + 1):
        if place == len(layers) or len(layers[place][1]) == 1:
            cells, tables = zip(*layers[first:place], strict=True)
            found.append(Segment(cells, tables))
            first = place
    return found


def _members(states: int) -> list[int]:
    found = []
    while states:
        low = states & -states
        found.append(low.bit_length() - 1)
        states ^= low
    return found
