"""Random puzzles with given properties; every request ends, or is rejected with a reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from operator import index
from typing import TYPE_CHECKING, Any, Literal

from crosslit.base.errors import GaveUp, wrong_type
from crosslit.base.grid import Grid
from crosslit.contract.family import random_grid, seeded
from crosslit.kinds import LightsOut, Nonogram
from crosslit.kinds.lights_out.board import ModularLightsOut
from crosslit.kinds.lights_out.families import of_rules
from crosslit.kinds.lights_out.rules import PLUS, Offset, Wrap
from crosslit.kinds.lights_out.text import of_lights
from crosslit.kinds.nonogram.colours import MAX_COLOURS, ColouredNonogram
from crosslit_generate.nonogram import Difficulty, NewPuzzle, NonogramMaker

if TYPE_CHECKING:
    import random

OPTIONS = {
    LightsOut.kind: {"solvable", "press", "wrap"},
    ModularLightsOut.kind: {"solvable", "states", "press", "wrap"},
    Nonogram.kind: {"density", "unique", "difficulty", "picture"},
    ColouredNonogram.kind: {"density", "unique", "colours"},
}
"""The arguments of `generate` that each kind takes, beside a size, a count and a seed."""
_TYPES: dict[str, tuple[Any, str]] = {
    **dict.fromkeys(("kind", "press", "wrap"), (str, "a text")),
    **dict.fromkeys(("count", "seed"), (int, "a whole number")),
    **dict.fromkeys(("colours", "states"), (int | None, "a whole number or None")),
    **dict.fromkeys(("unique", "solvable"), (bool, "True or False")),
    "density": (int | float | None, "a number or None"),
    "difficulty": (str | None, "a text or None"),
    "picture": (Grid | None, "a Grid or None"),
}
MAX_CELLS = 25_000_000  # of a puzzle: a few seconds
MAX_SIDE = 10_000_000  # of a board whose nullity is computed: an hour for a square
_MAX_WORK = 200_000_000  # row operations of an elimination: a few seconds
_TRIES = 200  # boards drawn to find an unsolvable one


def generate(
    kind: Literal["lights-out", "modular-lights-out", "nonogram", "coloured-nonogram"],
    size: int | tuple[int, int] | str,
    *,
    count: int = 1,
    seed: int = 0,
    density: float | None = None,
    unique: bool = False,
    difficulty: Difficulty | None = None,
    picture: Grid | None = None,
    colours: int | None = None,
    solvable: bool = True,
    states: int | None = None,
    press: str = "plus",
    wrap: Wrap = "none",
) -> list[LightsOut | Nonogram]:
    """Return random puzzles; equal arguments give equal puzzles, those of the command `crosslit generate`.

    Args:
        kind: the kind of puzzles.
        size: rows and columns, ``(5, 7)`` or ``"5x7"``, or one number for a square.
        count: number of puzzles.
        seed: seed of the random numbers.
        density: nonograms: the fraction of filled cells, from 0 to 1; by default 0.5, 0.4 with a difficulty, 0.7 in
            colours.
        unique: nonograms: change cells of the picture until there is one solution.
        difficulty: nonograms: with one solution that needs only ``line`` solving, ``probe`` of cells, or ``search``.
        picture: nonograms: the picture to use instead of a random one.
        colours: coloured nonograms: the number of colours, by default 3.
        solvable: boards: whether it has a solution.
        states: modular boards: the number of states, by default 3.
        press: boards: the cells that a press toggles, ``plus``, ``neighbours``, ``king``, ``diagonal`` or a picture.
        wrap: boards: the edges that are joined, ``none``, ``horizontal``, ``vertical`` or ``torus``;
            modular boards also ``moebius`` and ``klein``.

    Raises:
        GaveUp: if no such puzzle was found.
        TypeError: if an argument has another type, or the size is neither a number nor a pair.
        ValueError: if there are no such puzzles, or an argument is out of range or of another kind.

    Examples:
        >>> generate("nonogram", 4, unique=True, seed=1)[0].text
        '1 1,1 1,1,1|2 1,1,0,2'
        >>> [board.text for board in generate("lights-out", (2, 3), count=2)]
        ['010/010', '101/000']
    """
    options = {name: value for name, value in locals().items() if name not in ("kind", "size", "count", "seed")}
    if isinstance(size, str) and (found := re.fullmatch("([0-9]{1,6})x([0-9]{1,6})", size, re.ASCII)):
        size = int(found[1]), int(found[2])
    rows, columns = size if isinstance(size, tuple) and len(size) == 2 else (size, size)
    if not isinstance(rows, int) or not isinstance(columns, int):
        raise wrong_type("a size such as 5 or (5, 7)", size)
    return [generated.puzzle for generated in generate_each(kind, (rows, columns), count, seed, **options)]


def generate_each(
    kind: str, size: tuple[int, int], count: int, seed: int, run: Callable[..., NewPuzzle] | None = None, **options: Any
) -> Iterator[NewPuzzle]:
    """Yield the puzzles of `generate` with their facts; ``run`` calls the function that makes one, in its own way."""
    for name, value in {"kind": kind, "count": count, "seed": seed, **options}.items():
        if not isinstance(value, _TYPES[name][0]):
            raise wrong_type(f"{name} as {_TYPES[name][1]}", value)
    if kind not in OPTIONS:
        raise ValueError(f"the kind is one of {', '.join(OPTIONS)}, not {kind!r:.40}")
    if min(*size, count) < 1 or not 0 <= (options.get("density") or 0) <= 1:
        raise ValueError("rows, columns and count are at least 1, and a density is from 0 to 1")
    if options.get("colours") not in (None, *range(1, MAX_COLOURS + 1)):
        raise ValueError(f"the number of colours is 1 to {MAX_COLOURS}, not {options['colours']!r:.40}")
    usual = generate.__kwdefaults__ or {}
    chosen = {name: value for name, value in options.items() if value != usual[name]}
    if others := sorted(chosen.keys() - OPTIONS[kind]):
        takers = [other for other, names in OPTIONS.items() if others[0] in names]
        raise ValueError(f"{others[0]} is an argument of {' and '.join(takers)}, not of {kind}")
    if size[0] * size[1] > MAX_CELLS:
        raise ValueError(f"{size[0]} x {size[1]} are more than {MAX_CELLS:,} cells")
    usual = {"colours": 3} if kind == ColouredNonogram.kind else {}
    is_board = kind in (LightsOut.kind, ModularLightsOut.kind)
    make = _board(kind, *size, **chosen) if is_board else NonogramMaker(*size, **usual | chosen)
    for number in range(1, count + 1):
        # Each number has a source of random numbers for itself, so puzzle 7 is the same whether 7 or 100 are made.
        rng = seeded(kind, seed, number)
        yield make(rng) if run is None else run(make, rng)


def _board(
    kind: str, rows: int, columns: int, solvable: bool = True, states: int = 3, press: str = "plus", wrap: Wrap = "none"
) -> Callable[[random.Random], NewPuzzle]:
    """Return the function that makes boards; raise a `ValueError` if there are none."""
    if kind == ModularLightsOut.kind:
        modular = of_lights(states, ["0" * columns] * rows, f"press={press}", f"wrap={wrap}")
        return lambda rng: NewPuzzle(of_rules(rng, modular, solvable), {"solvable": solvable})
    rule = LightsOut.parse(f"press={press}/wrap={wrap}/0", "rules")

    if solvable:
        # Pressing a dark board makes it solvable without a solver, by the very presses.
        dark = LightsOut(Grid.from_bits(rows, columns, 0), rule.pattern, rule.wrap)
        return lambda rng: NewPuzzle(dark.pressed(random_grid(rng, rows, columns)), {"solvable": True})
    from crosslit.algebra.boards import BoardSystem, elimination_work
    from crosslit.algebra.chase import why_no_chase
    from crosslit.questions.solve import solve

    why = why_no_chase(rule)
    if why and elimination_work(rows, columns, rule) > _MAX_WORK:
        raise ValueError(f"{rows} x {columns} is too large for elimination, and {why}")
    if not nullity(rows, columns, rule.pattern, rule.wrap):
        raise ValueError(f"every board of {rows} x {columns} has a solution: its nullity is 0")

    def unsolvable(rng: random.Random) -> NewPuzzle:
        for _ in range(_TRIES):  # with a positive nullity, at least half of all boards are unsolvable
            drawn = LightsOut(random_grid(rng, rows, columns), rule.pattern, rule.wrap)
            if (BoardSystem(drawn).particular() if why else solve(drawn, "polynomial")) is None:
                return NewPuzzle(drawn, {"solvable": False})
        raise GaveUp(f"all of {_TRIES} boards had a solution")

    return unsolvable


def nullity(rows: int, columns: int | None = None, pattern: tuple[Offset, ...] = PLUS, wrap: Wrap = "none") -> int:
    """Return the nullity of boards of a size: a solvable board has exactly 2^nullity solutions.

    For the usual patterns it comes from polynomials, without a matrix as large as the board (see
    `crosslit.algebra.nullity`). The board is a square without ``columns``; the rules are those of `LightsOut`.

    References:
        For squares OEIS A159257; on a torus A165738.

    Examples:
        >>> [nullity(size) for size in range(1, 20)]
        [0, 0, 0, 4, 2, 0, 0, 0, 8, 0, 6, 0, 0, 4, 0, 8, 2, 0, 16]
        >>> [nullity(size, size, wrap="torus") for size in range(1, 11)]
        [0, 0, 4, 0, 8, 8, 0, 0, 4, 16]
    """
    from crosslit.algebra.boards import BoardSystem
    from crosslit.algebra.nullity import KNOWN, nullity_by_factors

    rows, columns = index(rows), index(rows if columns is None else columns)
    if not (1 <= rows <= MAX_SIDE and 1 <= columns <= MAX_SIDE):
        raise ValueError(f"a board has 1 to {MAX_SIDE:,} rows and columns, not {rows} x {columns}")
    rule = LightsOut(Grid.from_bits(1, 1, 0), pattern, wrap)
    if rule.pattern in KNOWN:
        return nullity_by_factors(rows, columns, rule.pattern, wrap)
    return BoardSystem(LightsOut(Grid.from_bits(rows, columns, 0), pattern, wrap)).nullity
