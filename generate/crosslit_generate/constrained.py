"""Puzzles with given properties; every request either ends, or is rejected with a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from crosslit.base.errors import wrong_type
from crosslit.contract.family import seeded
from crosslit.kinds import LightsOut, Nonogram
from crosslit.kinds.lights_out.rules import Wrap
from crosslit.kinds.lights_out.text import rules

if TYPE_CHECKING:
    from crosslit_generate.nonogram import Difficulty


def generate(
    kind: Literal["lights-out", "nonogram"],
    size: int | tuple[int, int],
    *,
    count: int = 1,
    seed: int = 0,
    density: float | None = None,
    unique: bool = False,
    difficulty: Difficulty | None = None,
    solvable: bool = True,
    min_presses: int = 0,
    press: str = "plus",
    wrap: Wrap = "none",
) -> list[LightsOut | Nonogram]:
    """Return random puzzles; equal arguments give equal puzzles, those of the command `crosslit generate`.

    Args:
        kind: ``lights-out`` or ``nonogram``.
        size: rows and columns, or one number for a square.
        count: number of puzzles.
        seed: seed of the random numbers.
        density: nonograms: the fraction of filled cells, from 0 to 1; by default 0.5, and 0.4 with a difficulty.
        unique: nonograms: change cells of the picture until there is one solution.
        difficulty: nonograms: with one solution that needs only ``line`` solving, ``probe`` of cells, or ``search``.
        solvable: boards: whether it has a solution.
        min_presses: boards: no solution has fewer presses.
        press: boards: the cells that a press toggles, ``plus``, ``neighbours``, ``king``, ``diagonal`` or a picture.
        wrap: boards: the edges that are joined, ``none``, ``horizontal``, ``vertical`` or ``torus``.

    Returns:
        The puzzles, ``count`` of them.

    Raises:
        GaveUp: if no such puzzle was found.
        TypeError: if the size is neither a number nor a pair.
        ValueError: if there are no such puzzles, or an argument is out of range.

    See Also:
        audit: checks the properties of puzzles.
        write: writes puzzles to a file.

    Examples:
        >>> generate("nonogram", 4, unique=True, seed=1)[0].text
        '1 1,1 1,1,1|2 1,1,0,2'
        >>> [board.text for board in generate("lights-out", (2, 3), count=2)]
        ['010/010', '101/000']
    """
    rows, columns = size if isinstance(size, tuple) and len(size) == 2 else (size, size)
    if not isinstance(rows, int) or not isinstance(columns, int):
        raise wrong_type("a size such as 5 or (5, 7)", size)
    if min(rows, columns, count) < 1 or not 0 <= (density or 0) <= 1:
        raise ValueError("rows, columns and count are at least 1, and a density is from 0 to 1")
    # Each number has a source of random numbers for itself, so puzzle 7 is the same whether 7 or 100 are made.
    sources = (seeded(kind, seed, number) for number in range(1, count + 1))
    if kind == Nonogram.kind:
        from crosslit_generate.nonogram import DIFFICULTIES, NonogramOrder, nonogram_to_order

        if difficulty not in (None, *DIFFICULTIES):
            raise ValueError(f"a difficulty is one of {', '.join(DIFFICULTIES)}, not {difficulty!r:.40}")
        picture = NonogramOrder(rows, columns, density, unique, difficulty)
        return [nonogram_to_order(picture, rng).puzzle for rng in sources]
    if kind != LightsOut.kind:
        raise ValueError(f"the kind is {LightsOut.kind} or {Nonogram.kind}, not {kind!r:.40}")
    if min_presses and not solvable:
        raise ValueError("a board without a solution has no fewest presses")
    from crosslit_generate.lights_out import BoardSpec, board_to_order

    order = BoardSpec(rows, columns, rules(press, wrap), solvable, min_presses)
    return [board_to_order(order, rng) for rng in sources]
