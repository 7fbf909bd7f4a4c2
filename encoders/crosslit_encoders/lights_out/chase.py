"""The equations of few presses that determine the others, shared by all chased encodings.

The chase is that of boards with k states, for k = 2. It shares no code with `crosslit.algebra`, but it uses the same
method as native solvers. Two runs that use the same method are not independent, so encodings built on this module have
``chase`` in their trusted base.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from crosslit.kinds import LightsOut
from crosslit_encoders.cells import Extension
from crosslit_encoders.modular_lights_out import system

if TYPE_CHECKING:
    from crosslit_encoders.formula import Xor

GROUP = 5
"""Number of successive variables whose parities are shared: at most 26 new variables for a group."""

MAX_BITS = 26  # of the open presses, for search over shared parities: 25 took up to a second, and 30 took ten
TRUSTED_CHASE = frozenset({"chase", "modular-sums"})
"""The trusted base of the encodings built on this module, without that of XORs."""


def chased_xors(board: LightsOut) -> tuple[list[Xor], Extension]:
    """Return XORs of the presses that no other determines (from 0), and the extension of these to a solution.

    On a usual board these are the presses of the first row, or the first column if that is shorter, and there are as
    many XORs.
    """
    # with shared parities, differences do not help on usual boards
    found = system.chased(system.modular(board), halved=False)
    assert found.extend is not None
    return [(tuple(press for _, press in terms), total) for terms, total in found.sums], found.extend


def shared(xors: Sequence[tuple[Sequence[int], int]], first: int) -> list[Xor]:
    """Return XORs over the parities of the variables in groups of `GROUP`, and the XORs that define these parities.

    A parity is a new variable, from ``first`` on. Equations of a chase, with about half of the variables each, share
    them: search for 50 variables took a quarter to a half of the time of separate cuts.
    """
    parities: dict[tuple[int, ...], int] = {}

    def parity(variables: tuple[int, ...]) -> int:
        if len(variables) > 1 and variables not in parities:
            parity(variables[1:])
            parities[variables] = first + len(parities)
        return parities.get(variables, variables[0])

    found = []
    for variables, value in xors:
        groups = itertools.groupby(sorted(variables), lambda variable: variable // GROUP)
        found.append((tuple(parity(tuple(group)) for _, group in groups), value))
    definitions = (((cells[0], parity(cells[1:]), new), 0) for cells, new in parities.items())
    return [*definitions, *found]


def hard_reason(board: LightsOut) -> str | None:
    """Return why search may take minutes on these XORs, or None."""
    return system.hard_reason(system.modular(board), False, MAX_BITS)
