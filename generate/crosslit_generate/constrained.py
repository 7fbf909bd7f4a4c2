"""Puzzles with given properties; every request either ends, or is rejected with a reason."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from crosslit.base.errors import wrong_type
from crosslit.contract.family import seeded
from crosslit.kinds import LightsOut, Nonogram
from crosslit.kinds.lights_out.making import of_rules
from crosslit.kinds.lights_out.modular import ModularLightsOut
from crosslit.kinds.lights_out.rules import Wrap
from crosslit.kinds.lights_out.text import of_lights, rules
from crosslit.kinds.nonogram.colours import ColouredNonogram

if TYPE_CHECKING:
    from crosslit_generate.nonogram import Difficulty


OPTIONS = {
    LightsOut.kind: {"solvable", "nullity", "min_presses", "press", "wrap"},
    ModularLightsOut.kind: {"solvable", "states", "press", "wrap"},
    Nonogram.kind: {"density", "unique", "difficulty"},
    ColouredNonogram.kind: {"density", "unique", "colours"},
}
"""The arguments of `generate` that each kind takes, beside a size, a count and a seed."""
BY_OPTION = {ModularLightsOut.kind: "lights-out --states K", ColouredNonogram.kind: "nonogram --colours N"}
"""The arguments of `crosslit generate` for the kinds that an option of another kind's command makes."""


def generate(
    kind: Literal["lights-out", "modular-lights-out", "nonogram", "coloured-nonogram"],
    size: int | tuple[int, int] | str,
    *,
    count: int = 1,
    seed: int = 0,
    density: float | None = None,
    unique: bool = False,
    difficulty: Difficulty | None = None,
    colours: int | None = None,
    solvable: bool = True,
    nullity: int | None = None,
    min_presses: int = 0,
    states: int | None = None,
    press: str = "plus",
    wrap: Wrap = "none",
) -> list[LightsOut | Nonogram]:
    """Return random puzzles; equal arguments give equal puzzles, those of the command `crosslit generate`.

    Args:
        kind: ``lights-out``, ``modular-lights-out``, ``nonogram`` or ``coloured-nonogram``.
        size: rows and columns, ``(5, 7)`` or ``"5x7"``, or one number for a square.
        count: number of puzzles.
        seed: seed of the random numbers.
        density: nonograms: the fraction of filled cells, from 0 to 1; by default 0.5, 0.4 with a difficulty, 0.7 in
            colours.
        unique: nonograms: change cells of the picture until there is one solution.
        difficulty: nonograms: with one solution that needs only ``line`` solving, ``probe`` of cells, or ``search``.
        colours: coloured nonograms: the number of colours, by default 3.
        solvable: boards: whether it has a solution.
        nullity: boards of two states: that of the size and rules, which is checked; a solvable board has 2^nullity
            solutions.
        min_presses: boards of two states: no solution has fewer presses.
        states: modular boards: the number of states, by default 3.
        press: boards: the cells that a press toggles, ``plus``, ``neighbours``, ``king``, ``diagonal`` or a picture.
        wrap: boards: the edges that are joined, ``none``, ``horizontal``, ``vertical`` or ``torus``;
            modular boards also ``moebius`` and ``klein``.

    Returns:
        The puzzles, ``count`` of them.

    Raises:
        GaveUp: if no such puzzle was found.
        TypeError: if the size is neither a number nor a pair.
        ValueError: if there are no such puzzles, or an argument is out of range or of another kind.

    Examples:
        >>> generate("nonogram", 4, unique=True, seed=1)[0].text
        '1 1,1 1,1,1|2 1,1,0,2'
        >>> [board.text for board in generate("lights-out", (2, 3), count=2)]
        ['010/010', '101/000']
    """
    chosen = dict(locals())
    if isinstance(size, str) and (found := re.fullmatch("([0-9]{1,6})x([0-9]{1,6})", size, re.ASCII)):
        size = int(found[1]), int(found[2])
    rows, columns = size if isinstance(size, tuple) and len(size) == 2 else (size, size)
    if not isinstance(rows, int) or not isinstance(columns, int):
        raise wrong_type("a size such as 5 or (5, 7)", size)
    if min(rows, columns, count) < 1 or not 0 <= (density or 0) <= 1:
        raise ValueError("rows, columns and count are at least 1, and a density is from 0 to 1")
    if kind not in OPTIONS:
        raise ValueError(f"the kind is one of {', '.join(OPTIONS)}, not {kind!r:.40}")
    usual, taken = generate.__kwdefaults__ or {}, {"count", "seed", *OPTIONS[kind]}
    if others := [name for name in usual if name not in taken and chosen[name] != usual[name]]:
        raise ValueError(f"{others[0]} is no argument of a {kind}: it takes {', '.join(sorted(OPTIONS[kind]))}")
    colours, states = (3 if number is None else number for number in (colours, states))
    # Each number has a source of random numbers for itself, so puzzle 7 is the same whether 7 or 100 are made.
    sources = (seeded(kind, seed, number) for number in range(1, count + 1))
    if kind == Nonogram.kind:
        from crosslit_generate.nonogram import DIFFICULTIES, NonogramOrder, nonogram_to_order

        if difficulty not in (None, *DIFFICULTIES):
            raise ValueError(f"a difficulty is one of {', '.join(DIFFICULTIES)}, not {difficulty!r:.40}")
        picture = NonogramOrder(rows, columns, density, unique, difficulty)
        return [nonogram_to_order(picture, rng).puzzle for rng in sources]
    if kind == ColouredNonogram.kind:
        from crosslit_generate.nonogram import random_coloured

        share = 0.7 if density is None else density
        return [random_coloured(rng, rows, columns, colours, share, unique).puzzle for rng in sources]
    if kind == ModularLightsOut.kind:
        dark = of_lights(ModularLightsOut, states, ["0" * columns] * rows, f"press={press}", wrap)
        return [of_rules(rng, dark, solvable) for rng in sources]
    if min_presses and not solvable:
        raise ValueError("a board without a solution has no fewest presses")
    from crosslit_generate.lights_out import BoardSpec, board_to_order

    order = BoardSpec(rows, columns, rules(press, wrap), solvable, min_presses)
    if nullity not in (None, order.nullity()):
        raise ValueError(f"boards of {rows} x {columns} have nullity {order.nullity()}")
    return [board_to_order(order, rng) for rng in sources]
