"""Boards with the same rules: all of a small shape, and random ones with the rules of a given board."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace

from crosslit.base.grid import DIGITS, Layout
from crosslit.contract.family import MAX_LISTED_CELLS, Chance, Maker, Member, Sort, between, pick
from crosslit.contract.puzzle import Population
from crosslit.kinds.lights_out.board import LightsOut
from crosslit.kinds.lights_out.families import modular_makers, of_all_lights, planted, random_graph, random_matrix
from crosslit.kinds.lights_out.modular import ModularLightsOut
from crosslit.kinds.lights_out.text import of_lights

MAX_MEMBERS = 4_096  # boards of a shape with the rules of one, to enumerate all of them
_FEW = 100  # boards of a shape and a number of states other than 2, for boards of all rules
_MAX_CELLS = 9  # of such a shape
_STATES = (2, 3, 4, 6)


def modular_population() -> Population:
    """Return random boards; and those of two states up to 9 cells, of 3, 4 and 6 where few, and of small graphs."""
    graphs = (like(of_lights(ModularLightsOut, 2, ["0"], rule)).sorts for rule in ("edges=", "matrix=0"))
    usual = Sort("{} board of few states", _size, _usual_boards, most_cells=_MAX_CELLS)
    return Population((usual, *itertools.chain(*graphs)), modular_makers())


def _dark_boards(rows: int, columns: int) -> list[ModularLightsOut]:
    chosen = [states for states in _STATES if states == 2 or states ** (rows * columns) <= _FEW]
    return [of_lights(ModularLightsOut, states, ["0" * columns] * rows) for states in chosen]


def _size(rows: int, columns: int) -> int:
    return sum(dark.states ** (rows * columns) for dark in _dark_boards(rows, columns))


def _usual_boards(rows: int, columns: int) -> Iterator[Member]:
    return itertools.chain.from_iterable(map(of_all_lights, _dark_boards(rows, columns)))


def like(board: LightsOut) -> Population:
    """Return the boards with the rules of one: its number of states, press pattern and joined edges.

    If cells of it are missing, any cells may be missing; if it has a graph or a matrix, they may have any. Some of the
    random boards have its shape and its graph, matrix or missing cells too.
    """
    states, form, has_gone = board.states, board.graph.partition("=")[0], board.missing is not None

    def size(rows: int, columns: int) -> int:
        if form and rows > 1:
            return MAX_MEMBERS + 1
        rules = {"edges": 2 ** (columns * (columns - 1) // 2), "matrix": states ** (columns * columns)}
        return int((states + has_gone) ** (rows * columns) * rules.get(form, 1))

    def dark_boards(rows: int, columns: int) -> Iterator[LightsOut]:
        dark = Layout(rows, columns, states).pack([0] * (rows * columns))
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
        cells = "".join("_" if gone and chance.rng.random() < gone else "0" for _ in range(rows * columns))
        lines = [cells[first : first + columns] for first in range(0, len(cells), columns)]
        return _lit(chance, of_lights(type(board), states, lines, board.rule, board.wrap))

    def same(chance: Chance) -> LightsOut | None:
        is_fitting = chance.allows(board.rows, board.columns) and not (chance.square and board.rows != board.columns)
        return _lit(chance, board) if is_fitting else None

    rules = [f"{states} states"] * (board.max_states > 2) + ([form] if form else [*board.settings])
    rules += ["missing cells"] * has_gone
    words = f"{{}} board{' with ' * bool(rules)}{', '.join(rules)}"
    makers = _makers("these rules", drawn)
    makers += _makers("this shape and rules", same) if form or has_gone else []
    sorts = (Sort(words, size, members, most_cells=MAX_LISTED_CELLS, most=MAX_MEMBERS),)
    return Population(sorts, makers, lambda other: _rules(other) == _rules(board) and has_gone >= bool(other.missing))


def _rules(board: LightsOut) -> tuple[object, ...]:
    return board.states, board.pattern, board.wrap, board.graph.partition("=")[0]


def _graphs(form: str, cells: int, states: int) -> Iterator[str]:
    """Yield all graphs of some cells, or all matrices."""
    if form == "edges":
        pairs = [f"{one}-{other}" for one, other in itertools.combinations(range(1, cells + 1), 2)]
        chosen = itertools.product((0, 1), repeat=len(pairs))
        return (f"edges={','.join(itertools.compress(pairs, each))}" for each in chosen)
    lines = [*map("".join, itertools.product(DIGITS[:states], repeat=cells))]
    return (f"matrix={','.join(each)}" for each in itertools.product(lines, repeat=cells))


def _lit(chance: Chance, board: LightsOut) -> LightsOut:
    """Return the board with random lights."""
    return board.with_lights([between(chance.rng, 0, board.states - 1) for _ in board.values])


def _makers(family: str, make: Callable[[Chance], LightsOut | None]) -> list[Maker]:
    """Return a family of random boards, and that of those with a solution."""

    def solvable(chance: Chance) -> LightsOut | None:
        made = make(chance)
        return made and planted(chance.rng, made)

    return [Maker(f"{family}, planted presses", solvable, True), Maker(family, make)]
