"""Nonograms to CNF, with one automaton for each line and a variable for each state at each position."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crosslit.kinds import Nonogram
from crosslit_encoders.formula import Formula
from crosslit_encoders.nonogram.blocks import FALSE, TRUE, Clauses, Lines, encode_lines, line_encoding, ragged


def automaton(puzzle: Nonogram) -> Formula:
    """Encode each line as an automaton: variable q(s, i) says "after i cells, s cells of the pattern have been read".

    The pattern is the blocks, each followed by one empty cell; the line is extended by one empty cell, so that each
    state is entered by one kind of cell. Where more empty cells may come, the automaton may stay in its state. A state
    has a variable at each position where the start reaches it and it reaches the end. The clauses say: which kind of
    cell enters a state; a state has a predecessor and a successor; a filled cell enters some state that filled cells
    enter, and likewise for empty cells. The states are those of the regular constraint (Pesant, "A regular language
    membership constraint for finite sequences of variables", CP 2004), encoded as in Bacchus, "GAC via unit
    propagation", CP 2007. Transitions need no variables, because their two states determine them. Unit propagation
    finds every cell that its line determines.

    Sizes: rows * columns cells, and for a line with k blocks, of b cells in all, and slack d (cells beyond the tightest
    packing, at least 1) (b + k + 1) * (d + 1) - 2 auxiliary variables; three clauses for each of them and two for each
    cell, minus two at the line's ends. A line with a single arrangement has a clause for each cell; a clue that does
    not fit its line gives the clauses ``x`` and ``not x``.

    Examples:
        >>> from crosslit.formats import read
        >>> formula = automaton(read("1|1,0"))
        >>> formula.variables, len(formula)
        (6, 16)
    """
    return encode_lines(puzzle, _add_lines)


def _add_lines(clauses: Clauses, lines: Lines) -> None:
    count, length = lines.cells.shape
    slack = lines.slack
    # The cells of all blocks, and one empty cell for each block.
    pattern = length + 1 - slack
    block, offset = ragged(lines.lengths)
    by_filled = np.zeros((count, pattern + 1), bool)  # whether filled cells enter a state
    by_filled[lines.line[block], lines.earliest[block] + offset + 1] = True
    # state s, entered at position s + w, where w is the number of empty cells beyond the pattern's, from 0 to the slack
    states = np.full((count, pattern + 1, slack + 1), TRUE, np.int32)
    inner = np.ones(states.shape[1:], bool)
    inner[0, 0] = inner[-1, -1] = False  # the only states before and after the line
    # A state has variables only at the positions s to s + slack: earlier the start cannot have reached it, later it
    # cannot reach the end.
    states[:, inner] = clauses.variables(count, int(inner.sum()))

    position = np.arange(pattern + 1)[:, None] + np.arange(slack + 1)
    # The added cell is empty. In front of the first cell there is only the state (0, 0), which has no variable.
    outside = np.zeros((count, 1), np.int32) + FALSE
    entered = np.concatenate([outside, lines.cells, outside], axis=1)[:, position]  # the cell that enters each state
    # Positive if filled cells enter the state, negative if empty ones do: a state fixes the kind of its cell.
    clauses.add(-states[:, inner], np.where(by_filled[:, :, None], entered, -entered)[:, inner], part=lines.part)

    # the automaton may stay only in a state that empty cells enter
    loop = np.where(by_filled[:, :, None], FALSE, states)
    none = np.full((count, 1, slack + 1), FALSE, np.int32)
    never = np.full((count, pattern + 1, 1), FALSE, np.int32)
    # The position is s + w: a cell of the pattern advances s and keeps w, a further empty cell keeps s and advances w.
    before = np.concatenate([none, states[:, :-1]], axis=1), np.concatenate([never, loop[:, :, :-1]], axis=2)
    behind = np.concatenate([states[:, 1:], none], axis=1), np.concatenate([loop[:, :, 1:], never], axis=2)
    later, earlier = position > 0, position <= length
    clauses.add(-states[:, later], *(literals[:, later] for literals in before), part=lines.part)
    clauses.add(-states[:, earlier], *(literals[:, earlier] for literals in behind), part=lines.part)

    cells = lines.cells.ravel()
    # The cell that was added has no variable, so it needs no support.
    within = inner & (position <= length)
    places = (np.arange(count)[:, None, None] * length + position - 1)[:, within]
    filled = np.broadcast_to(by_filled[:, :, None], states.shape)[:, within]
    inside = states[:, within]
    clauses.add_supports(-cells, places[filled], inside[filled], part=lines.part)
    clauses.add_supports(cells, places[~filled], inside[~filled], part=lines.part)


ENCODINGS = [
    replace(
        line_encoding("automaton", automaton, "one automaton per line, a variable for each state at each position"),
        trusted_base=frozenset({"nonogram-automaton-cnf", "nonogram-blocks"}),  # the models have another automaton
    )
]
