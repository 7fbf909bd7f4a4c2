"""Boards made by Crosslit: random ones, all of a small shape, and samples with all their solutions."""

from __future__ import annotations

import itertools
import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TypeVar

from crosslit.base.errors import GaveUp
from crosslit.base.grid import DIGITS, Grid, Layout
from crosslit.contract.family import (
    MAX_LISTED_CELLS,
    MAX_SIDE,
    Chance,
    CompleteFamily,
    Member,
    Population,
    RandomFamily,
    between,
    happens,
    pick,
    random_grid,
    shuffled,
)
from crosslit.kinds.lights_out.board import MAX_STATES, LightsOut, ModularLightsOut
from crosslit.kinds.lights_out.rules import MODULAR_PATTERNS, MODULAR_WRAPS, NEIGHBOURS, PATTERNS, PLUS, WRAPS, Offset
from crosslit.kinds.lights_out.text import of_lights

Board = TypeVar("Board", bound=LightsOut)
_TRIES = 100  # attempts to draw a board with a property that about every third has
_MAX_QUIET = 10  # dimensions of the kernel of a solvable board: 1024 solutions
_REACH = [(down, right) for down in range(-2, 3) for right in range(-3, 4)]
_LARGE_BOARD = 9  # sizes at which solvers may reach a first limit: rows in a byte, or 8 x 8 cells in a word


def random_board(
    rng: random.Random, rows: int, columns: int, density: float = 0.5, *, solvable: bool = False
) -> LightsOut:
    """Return a board whose cells are lit with a probability, or pressed if it must be solvable."""
    grid = random_grid(rng, rows, columns, density)
    return LightsOut(LightsOut(Grid.from_bits(rows, columns, 0)).after(grid) if solvable else grid)


def random_rules(rng: random.Random, rows: int, columns: int) -> LightsOut:
    """Return a board with a random press pattern, random edges and random missing cells."""
    patterns: list[tuple[Offset, ...]] = [*PATTERNS.values(), tuple(shuffled(rng, _REACH)[: between(rng, 1, 6)])]
    pattern = pick(rng, patterns)
    missing = random_grid(rng, rows, columns, pick(rng, [0.0, 0.1, 0.3]))
    lit = Grid.from_bits(rows, columns, random_grid(rng, rows, columns).bits & ~missing.bits)
    return LightsOut(lit, pattern, pick(rng, WRAPS), missing)


def _random(chance: Chance, densities: tuple[float, ...], solvable: bool) -> LightsOut:
    return random_board(chance.rng, *chance.shape(), pick(chance.rng, densities), solvable=solvable)


def _few_presses(chance: Chance) -> LightsOut:
    rows, columns = chance.shape()
    presses = 0
    for _ in range(between(chance.rng, 1, 4)):
        presses |= 1 << between(chance.rng, 0, rows * columns - 1)
    return _dark(rows, columns).pressed(Grid.from_bits(rows, columns, presses))


def _quiet_shape(chance: Chance) -> tuple[int, int] | None:
    """Return a shape with positive nullity, avoiding the smallest if possible."""
    from crosslit.algebra.nullity import nullity_by_factors

    for _ in range(_TRIES):
        rows, columns = chance.shape()
        if nullity_by_factors(rows, columns, PLUS, "none"):
            return rows, columns
    return None


def _quiet(chance: Chance, solvable: bool) -> LightsOut | None:
    shape = _quiet_shape(chance)
    return shape and (random_board(chance.rng, *shape, solvable=True) if solvable else _spoiled(chance, *shape))


def _spoiled(chance: Chance, rows: int, columns: int) -> LightsOut:
    """Return a solvable board with one light changed, which is unsolvable.

    A board is solvable if and only if it has an even number of lights in each quiet pattern (the system is symmetric).
    Changing one light of a quiet pattern makes that number odd.
    """
    from crosslit.algebra.chase import chase, euclid, fibonacci

    def moved(row: int) -> int:  # every press to both neighbours: too few moves to leave the row
        return row << 1 ^ row >> 1

    # The first rows of quiet patterns are the multiples of f / d: f the characteristic polynomial of a row, d its
    # common divisor with that of the chase. A power of t stands for as many moves of the first cell.
    common, _, quotient = euclid(fibonacci(rows, 0b11, fibonacci(columns)), fibonacci(columns))
    row = 0
    for bit in f"{quotient:b}":
        row = moved(row) ^ int(bit)
    for _ in range(pick(chance.rng, range(common.bit_length() - 1))):
        row = moved(row)
    quiet = Grid.from_rows(chase([0] * rows, row, columns)[0], columns)
    cell = pick(chance.rng, list(quiet.cells()))
    lit = random_board(chance.rng, rows, columns, solvable=True).lit.bits
    return LightsOut(Grid.from_bits(rows, columns, lit ^ 1 << cell[0] * columns + cell[1]))


def _strip(chance: Chance) -> LightsOut | None:
    if chance.square:
        return None
    rows, columns = chance.strip(pick(chance.rng, (1, 1, 2, 3)))
    return random_board(chance.rng, rows, columns, solvable=happens(chance.rng, 0.5))


# Whether a cell is lit, by row, column and shape.
_PATTERNS: tuple[Callable[[int, int, int, int], bool], ...] = (
    lambda _row, _column, _rows, _columns: True,
    lambda _row, _column, _rows, _columns: False,
    lambda row, column, _rows, _columns: (row + column) % 2 == 0,
    lambda row, _column, _rows, _columns: row % 2 == 0,
    lambda _row, column, _rows, _columns: column % 2 == 0,
    lambda row, column, rows, columns: row in (0, rows - 1) or column in (0, columns - 1),
    lambda row, column, rows, columns: row == rows // 2 or column == columns // 2,
    lambda row, column, _rows, _columns: row == column,
    lambda row, column, _rows, _columns: row == column == 0,
    lambda row, column, rows, columns: (row, column) == (rows // 2, columns // 2),
    lambda row, column, rows, columns: row in (0, rows - 1) and column in (0, columns - 1),
)


def _pattern(chance: Chance) -> LightsOut:
    rows, columns = chance.shape()
    lit = pick(chance.rng, _PATTERNS)
    cells = ((row, column) for row in range(rows) for column in range(columns) if lit(row, column, rows, columns))
    return LightsOut(Grid.from_bits(rows, columns, sum(1 << row * columns + column for row, column in cells)))


def _large(chance: Chance) -> LightsOut | None:
    """Return a board of at least 9 x 9, often square; half of them solvable, unless that gives too many solutions."""
    if chance.max_side < _LARGE_BOARD:
        return None
    from crosslit.algebra.nullity import nullity_by_factors

    rng = chance.rng
    rows = between(rng, _LARGE_BOARD, chance.max_side)
    columns = rows if chance.square or happens(rng, 0.6) else between(rng, _LARGE_BOARD, chance.max_side)
    quiet = nullity_by_factors(rows, columns, PLUS, "none")
    # Large solvable boards of high nullity have too many solutions to know all, so one is made unsolvable instead.
    if quiet > _MAX_QUIET or (quiet and happens(rng, 0.4)):
        return _spoiled(chance, rows, columns)
    return random_board(rng, rows, columns, solvable=happens(rng, 0.7))


def _dark(rows: int, columns: int) -> LightsOut:
    return LightsOut(Grid.from_bits(rows, columns, 0))


def population() -> Population:
    """Return random boards; and all boards of every shape up to 12 cells, and of 4 x 4, whose nullity is 4."""
    complete = CompleteFamily(
        "{} board", lambda rows, columns: 1 << rows * columns, _boards, MAX_SIDE, MAX_LISTED_CELLS
    )
    return Population((complete,), _FAMILIES)


_FAMILIES = (
    RandomFamily("planted presses", lambda chance: _random(chance, (0.3, 0.5, 0.7), True), True),
    RandomFamily("random lights", lambda chance: _random(chance, (0.1, 0.5, 0.5, 0.9), False)),
    RandomFamily("nullity above 0, solvable", lambda chance: _quiet(chance, True), True),
    RandomFamily("nullity above 0, one light off", lambda chance: _quiet(chance, False), False),
    RandomFamily("9 x 9 and larger", _large),
    RandomFamily("strip", _strip),
    RandomFamily("few presses", _few_presses, True),
    RandomFamily("pattern of lights", _pattern),
)


def _boards(rows: int, columns: int) -> Iterator[Member]:
    return of_all_lights(_dark(rows, columns))


def of_all_lights(dark: LightsOut) -> Iterator[Member]:
    """Yield all boards with the rules and the shape of a dark one.

    The presses that lead from it to some lights, taken back, solve these lights.
    """
    cells = [*dark.layout.every()]
    if dark.missing is not None:
        cells = [grid for grid in cells if not any(map(min, grid.values(), dark.gone))]
    if dark.by_shifts and dark.missing is None:  # by linearity, as 4 x 4 has 65,536 boards
        lights = [0]
        for cell in range(dark.rows * dark.columns):
            toggled = dark.after(Grid.from_bits(*dark.shape, 1 << cell)).bits
            lights += [lit ^ toggled for lit in lights]
    else:
        lights = [dark.after(grid).bits for grid in cells]
    found: dict[int, list[Grid]] = defaultdict(list)
    for grid, lit in zip(cells, lights, strict=True):
        found[lit].append(dark.back(grid))
    for grid in cells if dark.missing is not None else dark.lights.every():
        yield replace(dark, lit=grid), frozenset(found.get(grid.bits, ()))


# An unsolvable board with an asymmetric pattern; one whose solutions differ only in the last cell; and one that a
# single press makes from the dark board.
_LARGER = ((4, 4), (5, 3), (4, 4))
_SAMPLES = ("press=100,011,010/110/001/010", "press=000,000,001/00/01", "100/000", "press=king/wrap=torus/110/0_1/100")


def samples() -> tuple[LightsOut, ...]:
    """Return boards of several shapes and rules, from a fixed seed; the last has several solutions."""
    rng, boards = random.Random(5), list[LightsOut]()
    for shape in ((1, 1), (1, 5), (5, 1), (2, 5), (5, 2), (4, 3), (3, 4)):
        some = 1 if math.prod(shape) >= 12 else 3  # brute force takes longer than the backends
        boards += [random_board(rng, *shape) for _ in range(some)]
        boards += [random_rules(rng, *shape) for _ in range(some + 1)]
    for shape in ((2, 3), (3, 2), (3, 3), (3, 4)):
        boards.append(LightsOut(random_grid(rng, *shape), NEIGHBOURS))
        boards += [random_rules(rng, *shape) for _ in range(2)]
    return (*boards, *map(LightsOut.parse, _SAMPLES), _dark(2, 3))


def larger_samples() -> list[LightsOut]:
    """Return boards whose smallest solution is not found by luck."""
    rng = random.Random(11)
    boards = [_dark(*shape).pressed(random_grid(rng, *shape)) for shape in _LARGER]
    return [*boards, random_board(rng, *_LARGER[0])]


# Boards with k states

_LARGE_MODULAR = 7  # rows and columns, for solvers of k states
_COMPOSITE = (4, 6, 8, 9, 10, 12)
# More presses than lights, and fewer; without a solution though every light is even; with missing cells; with presses
# that meet themselves; with several solutions.
_MODULAR_SAMPLES = (
    "2/matrix=10,01,11/11",
    "4/matrix=1203,0021/1220",
    "4/edges=1-2/02",
    "6/press=hexagons/0_1/23_",
    "4/press=king/wrap=torus/31",
    "6/edges=1-2/33",
)
_SHAPES = ((2, 1, 9), (2, 4, 2), (3, 3, 2), (4, 2, 2), (4, 1, 4), (5, 1, 4), (6, 3, 1), (8, 1, 3))  # states and size
_LARGER_MODULAR = ((3, 3, 3), (2, 4, 4), (2, 3, 6), (4, 4, 2))  # size and states


def random_lights(
    rng: random.Random, rows: int, columns: int, states: int, *settings: str, gone: float = 0
) -> ModularLightsOut:
    """Return a board with random lights, each missing with a probability."""
    cells = ["_" if gone and happens(rng, gone) else pick(rng, DIGITS[:states]) for _ in range(rows * columns)]
    lines = ("".join(cells[first : first + columns]) for first in range(0, len(cells), columns))
    return of_lights(states, [*lines], *settings)


def planted(rng: random.Random, board: Board) -> Board:
    """Return a board of the same rules with a solution: the dark one after random presses."""
    presses = [0 if gone else between(rng, 0, board.states - 1) for gone in board.gone]
    return board.dark.pressed(board.layout.pack(presses))


def of_rules(rng: random.Random, board: ModularLightsOut, solvable: bool) -> ModularLightsOut:
    """Return a board of the same rules with a solution, or one without; GaveUp if no random lights lack one."""
    from crosslit.algebra.howell import howell_form  # loads NumPy, which the help does without

    if solvable:
        return planted(rng, board)
    for _ in range(_TRIES):
        drawn = random_lights(rng, board.rows, board.columns, board.states, *board.settings)
        if not howell_form(drawn).count:
            return drawn
    raise GaveUp("random boards of these rules have a solution")


def random_grid_rules(rng: random.Random, rows: int, columns: int, states: int) -> ModularLightsOut:
    """Return a board with a random press pattern, joined edges and missing cells; solvable half of the time."""
    picture = ",".join("".join(pick(rng, "00" + DIGITS[:states]) for _ in range(3)) for _ in range(3))
    patterns = [*MODULAR_PATTERNS, picture if set(picture) - {"0", ","} else "plus"]
    rules = f"press={pick(rng, patterns)}", f"wrap={pick(rng, MODULAR_WRAPS)}"
    return _either(rng, random_lights(rng, rows, columns, states, *rules, gone=pick(rng, (0, 0, 0.2))))


def random_graph(rng: random.Random, cells: int, states: int) -> ModularLightsOut:
    """Return a board on a random graph; solvable half of the time."""
    density = rng.random()
    pairs = [pair for pair in itertools.combinations(range(1, cells + 1), 2) if happens(rng, density)]
    rule = "edges=" + ",".join(f"{one}-{other}" for one, other in pairs)
    return _either(rng, random_lights(rng, 1, cells, states, rule))


def random_matrix(rng: random.Random, cells: int, states: int) -> ModularLightsOut:
    """Return a board given by random amounts; solvable half of the time."""
    lines = ("".join(pick(rng, "00" + DIGITS[:states]) for _ in range(cells)) for _ in range(cells))
    return _either(rng, random_lights(rng, 1, cells, states, f"matrix={','.join(lines)}"))


def _either(rng: random.Random, board: ModularLightsOut) -> ModularLightsOut:
    return planted(rng, board) if happens(rng, 0.5) else board


def _states(chance: Chance) -> int:
    """Return a number of states: often a composite one, on which solvers for prime numbers fail."""
    return pick(chance.rng, _COMPOSITE) if happens(chance.rng, 0.5) else between(chance.rng, 2, MAX_STATES)


def modular_families() -> tuple[RandomFamily, ...]:
    """Return the families of random boards with k states."""

    def usual(chance: Chance) -> ModularLightsOut:
        return random_lights(chance.rng, *chance.shape(), _states(chance))

    def unusual(chance: Chance) -> ModularLightsOut:
        return random_grid_rules(chance.rng, *chance.shape(), _states(chance))

    def row(make: Callable[[random.Random, int, int], ModularLightsOut], chance: Chance) -> ModularLightsOut | None:
        return None if chance.square else make(chance.rng, chance.side(), _states(chance))

    def large(chance: Chance) -> ModularLightsOut | None:
        if chance.max_side < _LARGE_MODULAR:
            return None
        rows = between(chance.rng, _LARGE_MODULAR, chance.max_side)
        columns = rows if chance.square else between(chance.rng, _LARGE_MODULAR, chance.max_side)
        return _either(chance.rng, random_lights(chance.rng, rows, columns, _states(chance)))

    return (
        RandomFamily("planted presses", lambda chance: planted(chance.rng, usual(chance)), True),
        RandomFamily("random lights", usual),
        RandomFamily("planted presses, unusual rules", lambda chance: planted(chance.rng, unusual(chance)), True),
        RandomFamily("unusual rules", unusual),
        RandomFamily("graph", partial(row, random_graph)),
        RandomFamily("matrix", partial(row, random_matrix)),
        RandomFamily("7 x 7 and larger", large),
    )


def modular_samples() -> tuple[ModularLightsOut, ...]:
    """Return boards of several shapes, rules and numbers of states, from a fixed seed; the last has 6 solutions."""
    *boards, last = (ModularLightsOut.parse(f"{ModularLightsOut.kind}:{rules}") for rules in _MODULAR_SAMPLES)
    rng = random.Random(8)
    for states, rows, columns in _SHAPES:
        usual = random_lights(rng, rows, columns, states)
        boards += [usual, planted(rng, usual), random_grid_rules(rng, rows, columns, states)]
        boards += [random_graph(rng, rows * columns, states), random_matrix(rng, rows * columns, states)]
    return (*boards, last)


def larger_modular_samples() -> list[ModularLightsOut]:
    """Return boards whose solution with the fewest presses is not found by luck."""
    rng = random.Random(2)
    return [planted(rng, random_lights(rng, *shape)) for shape in _LARGER_MODULAR]


# Boards with the rules of one, and of few states

MAX_MEMBERS = 4_096  # boards of a shape with the rules of one, to enumerate all of them
_FEW = 81  # boards of a shape and a number of states other than 2, as many as 2 x 2 with 3 states
_MAX_CELLS = 9  # of such a shape
_STATES = (2, 3, 4, 6)


def modular_population() -> Population:
    """Return random boards; and those of two states up to 9 cells, of 3, 4 and 6 where few, and of small graphs."""
    graphs = (like(of_lights(2, ["0"], rule)).complete for rule in ("edges=", "matrix=0"))
    usual = CompleteFamily("{} board of few states", _size, _boards_of_few_states, max_cells=_MAX_CELLS)
    return Population((usual, *itertools.chain(*graphs)), modular_families())


def _dark_boards(rows: int, columns: int) -> list[ModularLightsOut]:
    chosen = [states for states in _STATES if states == 2 or states ** (rows * columns) <= _FEW]
    return [of_lights(states, ["0" * columns] * rows) for states in chosen]


def _size(rows: int, columns: int) -> int:
    return sum(dark.states ** (rows * columns) for dark in _dark_boards(rows, columns))


def _boards_of_few_states(rows: int, columns: int) -> Iterator[Member]:
    return itertools.chain.from_iterable(map(of_all_lights, _dark_boards(rows, columns)))


def like(board: LightsOut) -> Population:
    """Return the boards with the rules of one: its number of states, press pattern and joined edges.

    If cells of it are missing, any cells may be missing; if it has a graph or a matrix, they may have any. Some of the
    random boards have its shape and its graph, matrix or missing cells too.
    """
    states, form, has_gone = board.states, board.graph.partition("=")[0], board.missing is not None

    def size(rows: int, columns: int) -> int:
        if form and rows != 1:
            return 0
        rules = {"edges": 2 ** (columns * (columns - 1) // 2), "matrix": states ** (columns * columns)}
        return int((states + has_gone) ** (rows * columns) * rules.get(form, 1))

    def dark_boards(rows: int, columns: int) -> Iterator[LightsOut]:
        dark = Grid.from_bits(rows, columns, 0, states)
        if form:
            yield from (replace(board, lit=dark, graph=graph) for graph in _graphs(form, columns, states))
        for gone in Layout(rows, columns).every() if has_gone else [None] * (not form):
            yield replace(board, lit=dark, missing=gone)

    def members(rows: int, columns: int) -> Iterator[Member]:
        return itertools.chain.from_iterable(map(of_all_lights, dark_boards(rows, columns)))

    def drawn(chance: Chance) -> LightsOut | None:
        if form:
            make = random_graph if form == "edges" else random_matrix
            return None if chance.square else make(chance.rng, chance.side(), states)
        (rows, columns), gone = chance.shape(), pick(chance.rng, (0.0, 0.1, 0.3)) if has_gone else 0.0
        absent = [bool(gone) and happens(chance.rng, gone) for _ in range(rows * columns)]
        dark = Grid.from_bits(rows, columns, 0, states)
        return _lit(chance, replace(board, lit=dark, missing=Layout(rows, columns).pack(absent), name=""))

    def same(chance: Chance) -> LightsOut | None:
        return _lit(chance, board) if chance.allows(board.rows, board.columns) else None

    rules = [f"{states} states"] * board.is_modular + ([form] if form else [*board.settings])
    rules += ["missing cells"] * has_gone
    words = f"{{}} board{' with ' * bool(rules)}{', '.join(rules)}"
    families = _random_families("these rules", drawn)
    families += _random_families("this shape and rules", same) if form or has_gone else []
    complete = (CompleteFamily(words, size, members, max_cells=MAX_LISTED_CELLS, max_members=MAX_MEMBERS),)
    return Population(
        complete, families, lambda other: _rules(other) == _rules(board) and has_gone >= bool(other.missing)
    )


def _rules(board: LightsOut) -> tuple[object, ...]:
    return board.states, board.pattern, board.wrap, board.graph.partition("=")[0]


def _graphs(form: str, cells: int, states: int) -> Iterator[str]:
    """Yield all graphs of some cells, or all matrices."""
    if form == "edges":
        pairs = [f"{one}-{other}" for one, other in itertools.combinations(range(1, cells + 1), 2)]
        chosen = itertools.product((False, True), repeat=len(pairs))
        return (f"edges={','.join(itertools.compress(pairs, each))}" for each in chosen)
    lines = [*map("".join, itertools.product(DIGITS[:states], repeat=cells))]
    return (f"matrix={','.join(each)}" for each in itertools.product(lines, repeat=cells))


def _lit(chance: Chance, board: LightsOut) -> LightsOut:
    """Return the board with random lights."""
    return board.with_lights([between(chance.rng, 0, board.states - 1) for _ in board.values])


def _random_families(family: str, make: Callable[[Chance], LightsOut | None]) -> list[RandomFamily]:
    """Return a family of random boards, and that of those with a solution."""

    def solvable(chance: Chance) -> LightsOut | None:
        drawn = make(chance)
        return drawn and planted(chance.rng, drawn)

    return [RandomFamily(f"{family}, planted presses", solvable, True), RandomFamily(family, make)]
