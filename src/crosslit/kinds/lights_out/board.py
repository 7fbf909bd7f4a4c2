"""Lights Out boards of 2 to 16 states and their rules: press cells so that every light becomes 0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from crosslit.base.errors import wrong_type
from crosslit.base.grid import DIGITS, Grid, Layout
from crosslit.base.text import shorten
from crosslit.contract.puzzle import Puzzle, Symmetry, function_at
from crosslit.kinds.lights_out.rules import (
    MODULAR_PATTERNS,
    MODULAR_WRAPS,
    PATTERNS,
    PLUS,
    TWISTED,
    WRAPS,
    Effects,
    Offset,
    Wrap,
    checked_graph,
    checked_pattern,
    effects_of,
    moves,
    picture_of,
)

MAX_STATES = 16
_HOME = "crosslit.kinds.lights_out"
MAX_DATA_CELLS = 10_000  # the effects of more presses are left out of the data for programs
_MAX_SHOWN = 60  # characters of a setting in a title


@dataclass(frozen=True, slots=True, repr=False)
class LightsOut(Puzzle):
    """A Lights Out board: pressing a cell toggles the cells of a pattern around it; the goal is to put all lights out.

    A solution is the grid of cells to press, in the board's shape; the order of presses does not matter, and pressing
    twice undoes a press.

    Args:
        lit: the cells that are lit, shape (rows, columns): a `Grid`, or rows or an array, which it becomes.
        pattern: the cells that a press at (0, 0) toggles, as distinct (row, column) offsets, stored sorted. `PATTERNS`
            has ``plus`` (the pressed cell and its four neighbours), ``neighbours`` (those without the pressed cell),
            ``king`` (with the eight around it) and ``diagonal`` (with the four at its corners).
        wrap: which edges are joined: ``horizontal`` for left and right, ``vertical`` for top and bottom, ``torus`` for
            both. If a press hits a light twice around an edge, the light is unchanged.
        missing: cells that are not part of the board: they have no light and cannot be pressed. None for none.
        name: title of the puzzle; not part of its identity.
        graph: only for `ModularLightsOut`, also with two states.

    Raises:
        TypeError: if an argument has another type.
        ValueError: if an argument has a value that is not as described.

    Examples:
        >>> board = LightsOut(Grid.from_text("11/11"))
        >>> board.text, list(board.violations(Grid.from_text("11/11")))
        ('11/11', [])
        >>> next(board.violations(Grid.from_text("10/00")))
        'row 2, column 2 stays lit'
        >>> LightsOut(Grid.from_text("101"), PATTERNS["king"], "torus", Grid.from_text("010")).text
        'press=king/wrap=torus/1_1'
    """

    lit: Grid
    pattern: tuple[Offset, ...] = PLUS
    wrap: Wrap = "none"
    missing: Grid | None = None
    name: str = field(default="", compare=False)
    graph: str = ""
    rows: int = field(init=False, repr=False, compare=False)
    columns: int = field(init=False, repr=False, compare=False)

    kind: ClassVar[str] = "lights-out"
    label: ClassVar[str] = "Lights Out"
    plural: ClassVar[str] = "Lights Out boards"
    member: ClassVar[str] = "board"
    constraints: ClassVar[str] = "lights"
    uncovered: ClassVar[str] = "boards of other rules"
    is_linear: ClassVar[bool] = True
    has_presses: ClassVar[bool] = True
    file_format: ClassVar[str] = "board"
    data_keys: ClassVar[tuple[str, ...]] = ("lit",)
    certificates: ClassVar[Mapping[str, Any]] = {
        "lights-out-parity": function_at(f"{_HOME}.certificates:check_parity"),
        "lights-out-free": function_at(f"{_HOME}.certificates:check_free"),
    }
    samples = staticmethod(function_at(f"{_HOME}.families:samples"))
    larger_samples = staticmethod(function_at(f"{_HOME}.families:larger_samples"))
    population = staticmethod(function_at(f"{_HOME}.families:population"))
    like = function_at(f"{_HOME}.families:like")
    smaller = function_at(f"{_HOME}.reduction:smaller")
    parse = staticmethod(function_at(f"{_HOME}.text:parse"))
    read_data: ClassVar[Any] = classmethod(function_at(f"{_HOME}.text:read_data"))
    all_right = function_at(f"{_HOME}.check:all_right")
    all_solutions = function_at(f"{_HOME}.check:all_solutions")
    needed = function_at(f"{_HOME}.check:needed")
    scene = function_at(f"{_HOME}.picture:scene")
    contradiction = function_at(f"{_HOME}.picture:contradiction")
    nullity = function_at("crosslit.algebra.nullity:board_nullity")
    count_up_to = function_at("crosslit.algebra.nullity:count_up_to")
    # What boards of this name may have.
    is_modular: ClassVar[bool] = False  # whether they may have k states, graphs and matrices
    patterns: ClassVar[Mapping[str, tuple[Offset, ...]]] = PATTERNS
    wraps: ClassVar[tuple[Wrap, ...]] = WRAPS
    min_reach: ClassVar[int] = 0  # of a picture of a pattern, to each side

    def __post_init__(self) -> None:
        if isinstance(self.lit, str):
            raise wrong_type("lit cells, as [[1, 0], [0, 1]] or a Grid; crosslit.load reads text", self.lit)
        if not isinstance(self.lit, Grid):
            object.__setattr__(self, "lit", Grid.from_cells(self.lit))
        if self.states > (limit := MAX_STATES if self.is_modular else 2):
            raise ValueError(f"a light of a {self.kind} board has at most {limit} states, not {self.states}")
        if not isinstance(self.name, str):
            raise wrong_type("a title as text", self.name)
        object.__setattr__(self, "rows", self.lit.rows)
        object.__setattr__(self, "columns", self.lit.columns)
        self._set_rule()
        if self.missing is not None:
            self._set_missing(self.missing)

    def _set_rule(self) -> None:
        """Check and normalise what a press changes; a graph also sets the number of presses."""
        if not isinstance(self.graph, str):
            raise wrong_type("a graph as text, such as 'edges=1-2'", self.graph)
        if not self.graph:
            object.__setattr__(self, "pattern", checked_pattern(self.pattern, self.states))
        elif not self.is_modular:
            raise ValueError(f"only a ModularLightsOut has a graph, such as {self.graph!r:.40}")
        elif self.pattern not in ((), PLUS):
            raise ValueError("a board has a pattern or a graph, not both")
        else:
            graph, presses = checked_graph(self.graph, self.states, self.rows, self.columns)
            object.__setattr__(self, "graph", graph)
            object.__setattr__(self, "columns", presses)
            object.__setattr__(self, "pattern", ())
        if not isinstance(self.wrap, str) or self.wrap not in self.wraps or (self.graph and self.wrap != "none"):
            grids = ", for grids only" if self.is_modular else ""
            raise ValueError(f"wrap is one of {', '.join(self.wraps)}{grids}, not {self.wrap!r:.40}")

    def _set_missing(self, missing: Grid) -> None:
        """Check the missing cells; no such cells are None, so that equal boards compare equal."""
        if not isinstance(missing, Grid) or missing.states != 2:
            raise TypeError(f"the missing cells are a Grid of two states or None, not {missing!r:.40}")
        if missing.shape != self.shape:
            words = f"{missing.rows} x {missing.columns} missing cells"
            raise ValueError(f"{words} on a {self.rows} x {self.columns} board")
        if not missing.bits:
            object.__setattr__(self, "missing", None)
        elif missing.bits & self.lit.bits if self.states == 2 else any(map(min, self.values, self.gone)):
            raise ValueError("a missing cell cannot be lit")

    @property
    def states(self) -> int:
        """The number of states of a light."""
        return self.lit.states

    @property
    def values(self) -> list[int]:
        """The lights as numbers, in row-major order; 0 for a missing one."""
        return self.lit.values()

    @property
    def lights(self) -> Layout:
        """The form of the lights: that of a solution, unless a matrix has more or fewer lights than presses."""
        return self.layout if self.lit.columns == self.columns else Layout(1, self.lit.columns, self.states)

    @property
    def constraints_shape(self) -> tuple[int, int]:
        """The shape of the lights."""
        return self.lit.shape

    @property
    def gone(self) -> list[bool]:
        """For each cell, in row-major order, whether it is missing."""
        return [False] * (self.rows * self.columns) if self.missing is None else [*map(bool, self.missing.values())]

    @property
    def wraps_rows(self) -> bool:
        """True if the top and the bottom edge are joined, without a half-turn."""
        return self.wrap in ("vertical", "torus")

    @property
    def wraps_columns(self) -> bool:
        """True if the left and the right edge are joined, without a half-turn."""
        return self.wrap in ("horizontal", "torus")

    @property
    def rule(self) -> str:
        """The lights that a press changes, as in the one-line form: ``press=``, ``edges=`` or ``matrix=``."""
        if self.graph:
            return self.graph
        # Patterns are stored sorted, so names are found whatever the order of their offsets.
        named = (name for name, pattern in self.patterns.items() if pattern == self.pattern)
        return f"press={next(named, None) or picture_of(self.pattern, self.min_reach)}"

    @property
    def settings(self) -> tuple[str, ...]:
        """The deviations from the usual rules, as in the one-line form; empty if there are none."""
        rule = () if self.pattern == PLUS else (self.rule,)
        return rule if self.wrap == "none" else (*rule, f"wrap={self.wrap}")

    @property
    def head(self) -> tuple[str, ...]:
        """The beginning of the one-line form."""
        return ()

    @property
    def lines(self) -> Iterator[str]:
        """The rows as text: a digit for each light, and ``_`` for a missing one."""
        lines = self.lit.lines()
        if self.missing is None:
            return iter(lines)
        pairs = zip(lines, self.missing.lines(), strict=True)
        return ("".join("_" if gone == "1" else cell for cell, gone in zip(*pair, strict=True)) for pair in pairs)

    @property
    def text(self) -> str:
        """The canonical one-line form: settings, then rows of digits and ``_``, all separated by ``/``."""
        return "/".join([*self.head, *self.settings, *self.lines])

    @property
    def is_usual(self) -> bool:
        """True for grids without settings and missing cells."""
        return not self.settings and self.missing is None

    @property
    def layout(self) -> Layout:
        """The form of a solution: as many states for each cell as a light has."""
        return Layout(self.rows, self.columns, self.states, self.missing)

    @property
    def shown(self) -> Grid:
        """The lights."""
        return self.lit

    @property
    def facts(self) -> tuple[str, ...]:
        """The settings, shortened, and the number of missing cells."""
        shown = [shorten(setting, _MAX_SHOWN) for setting in self.settings]
        return (*shown, *([f"{self.missing.count()} missing"] if self.missing is not None else []))

    @property
    def data(self) -> Mapping[str, Any]:
        """The lights, and the deviations from the usual rules."""
        found: dict[str, Any] = {"lit": self.lit.lines()}
        if self.pattern != PLUS:
            found["press"] = self.pattern
        if self.wrap != "none":
            found["wrap"] = self.wrap
        if self.missing is not None:
            found["missing"] = self.missing.lines()
        return found

    @property
    def measure(self) -> tuple[int, ...]:
        """Numbers of cells, of unusual rules, of states, of lights that are not 0, and their sum; see `Puzzle.measure`.

        Each setting counts more than all amounts that a press adds.
        """
        missing = self.missing.count() if self.missing is not None else 0
        matrix = self.graph.removeprefix("matrix=") if self.graph.startswith("matrix=") else ""
        amounts = sum(amount for *_, amount in self.offsets) + len(self.graph)
        amounts += sum(DIGITS.index(digit) for digit in matrix.replace(",", ""))
        lights = self.lit.count() if self.states == 2 else sum(map(bool, self.values))
        unusual = 10_000 * len(self.settings) + missing + amounts
        return self.rows * self.columns, unusual, self.states, lights, self.lit.count()

    @property
    def offsets(self) -> list[tuple[int, int, int]]:
        """The press pattern of a grid: rows down, columns to the right, and the amount added there."""
        return [(down, right, amount[0] if amount else 1) for down, right, *amount in self.pattern]

    @property
    def effects(self) -> Effects:
        """For each press the lights that it changes, each with the amount; missing cells have no part in it."""
        return effects_of(self.rows, self.columns, tuple(self.offsets), self.wrap, self.graph, self.missing)

    @property
    def min_true_cells(self) -> int:
        """Lower bound on the number of presses: one press changes a limited number of lights."""
        changed = max(1, *map(len, self.effects)) if self.is_modular else len(self.pattern)
        return -(-(self.lit.count() if self.states == 2 else sum(map(bool, self.values))) // changed)

    def violations(self, grid: Grid) -> Iterator[str]:
        """Yield a line for each light that is not 0 after the presses, and each press of a missing cell."""
        left = self.after(grid)
        for row, column in self._absent(grid):
            yield f"row {row + 1}, column {column + 1} is missing and cannot be pressed"
        values = left.values() if left.bits and self.is_modular else []
        for row, column in left.cells() if left.bits else ():
            words = f"is left at {values[row * left.columns + column]}" if values else "stays lit"
            yield f"row {row + 1}, column {column + 1} {words}"

    def _absent(self, grid: Grid) -> Iterator[tuple[int, int]]:
        """Yield the missing cells that a grid presses."""
        missing = () if self.missing is None else self.missing.cells()
        return (cell for cell in missing if grid[cell])

    def pressed(self, grid: Grid) -> Self:
        """Return the board after pressing the cells of a grid of its shape; a ValueError refuses missing ones.

        Examples:
            >>> LightsOut(Grid.from_text("00/00")).pressed(Grid.from_text("10/00")).text
            '11/10'
        """
        left = self.after(grid)
        if any(self._absent(grid)):
            raise ValueError("a missing cell cannot be pressed")
        return replace(self, lit=left)

    @property
    def dark(self) -> Self:
        """The board with all lights 0."""
        return replace(self, lit=Grid.from_bits(*self.lit.shape, 0, self.states))

    def with_lights(self, values: Sequence[int]) -> Self:
        """Return the board with other lights; those of missing cells are ignored."""
        gone = [0] * len(values) if self.missing is None else self.missing.values()
        return replace(self, lit=self.lights.pack([0 if away else own for own, away in zip(values, gone, strict=True)]))

    def back(self, presses: Grid) -> Grid:
        """Return the presses that take presses back."""
        return presses if self.states == 2 else self.layout.pack([-times % self.states for times in presses.values()])

    @property
    def by_shifts(self) -> bool:
        """True if presses toggle lights at fixed distances, so that all of them are pressed at once as bits."""
        return self.states == 2 and not self.graph and self.wrap not in TWISTED

    def after(self, grid: Grid) -> Grid:
        """Return the lights after pressing a grid; a ValueError says that it has another shape."""
        self.layout.require_grid(grid, self.member)
        if not self.by_shifts:
            left = [*self.values]
            for times, effect in zip(grid.values(), self.effects, strict=True):
                for light, amount in effect if times else ():
                    left[light] += amount * times
            return self.lights.pack([light % self.states for light in left])
        presses, cells = grid.bits, self.rows * self.columns
        bits = self.lit.bits << cells
        # The masks drop presses whose light would lie off the board, and those that would enter a neighbouring row.
        for sources, by in moves(self.pattern, self.wrap, self.rows, self.columns):
            bits ^= (presses & sources) << by
        bits >>= cells
        return Grid.from_bits(self.rows, self.columns, bits if self.missing is None else bits & ~self.missing.bits)

    def image(self, symmetry: Symmetry) -> Self | None:
        """Return the board turned and mirrored, with its rules; None for a graph, or a half-turn that would turn."""
        if self.graph or (symmetry.turn and self.wrap in TWISTED):
            return None
        down, right = (-1 if symmetry.flip else 1), (-1 if symmetry.mirror else 1)
        # The same steps as for cells: exchange rows and columns, then flip, then mirror.
        offsets = ((*symmetry.axes(*offset[:2]), *offset[2:]) for offset in self.pattern)
        pattern = tuple((down * rows, right * columns, *amount) for rows, columns, *amount in offsets)
        wraps: dict[Wrap, Wrap] = {"horizontal": "vertical", "vertical": "horizontal"} if symmetry.turn else {}
        missing = None if self.missing is None else symmetry(self.missing)
        wrap = wraps.get(self.wrap, self.wrap)
        return replace(self, lit=symmetry(self.lit), pattern=pattern, wrap=wrap, missing=missing)


class ModularLightsOut(LightsOut):
    """A Lights Out board with k states: a press adds to the lights around it, modulo k; the goal is 0 everywhere.

    A solution says how often to press each cell, from 0 to k - 1 times. docs/reference/modular-lights-out.md describes
    the rules. Boards of this name say in their text how many states they have, also if there are two.

    Args:
        lit: the lights, from 0 to k - 1, with k from 2 to 16: a `Grid`.
        pattern: as in `LightsOut`, or with a third number, the amount that is added, if that is not 1.
        wrap: as in `LightsOut`, or ``moebius`` or ``klein``: left and right edge are joined with a half-turn.
        missing: cells that are not part of the board.
        name: title of the puzzle.
        graph: for one row of lights, in place of a pattern, ``edges=`` with the pairs of lights that change each other,
            or ``matrix=`` with a row for each press: the amount that it adds to each light. The number of presses, and
            so the shape of a solution, is that of the rows.

    Raises:
        ValueError: if a part of the board is not as described.

    Examples:
        >>> board = ModularLightsOut.parse("modular-lights-out:3/12/00")
        >>> list(board.violations(board.layout.parse("22/10"))), next(board.violations(board.layout.parse("00/00")))
        ([], 'row 1, column 1 is left at 1')
        >>> ModularLightsOut.parse("modular-lights-out:4/edges=3-4,2-1/0123").text
        'modular-lights-out:4/edges=1-2,3-4/0123'
    """

    __slots__ = ()

    kind: ClassVar[str] = "modular-lights-out"
    label: ClassVar[str] = "modular Lights Out"
    plural: ClassVar[str] = "modular Lights Out boards"
    uncovered: ClassVar[str] = "matrices with more or fewer presses than lights"
    is_linear: ClassVar[bool] = False
    file_format: ClassVar[str] = ""
    is_usual = True
    data_keys: ClassVar[tuple[str, ...]] = ("lights",)
    samples = staticmethod(function_at(f"{_HOME}.families:modular_samples"))
    larger_samples = staticmethod(function_at(f"{_HOME}.families:larger_modular_samples"))
    population = staticmethod(function_at(f"{_HOME}.families:modular_population"))
    parse = staticmethod(function_at(f"{_HOME}.text:parse_modular"))
    nullity = Puzzle.nullity
    count_up_to = function_at("crosslit.algebra.howell:count_up_to")
    is_modular: ClassVar[bool] = True
    patterns: ClassVar[Mapping[str, tuple[Offset, ...]]] = MODULAR_PATTERNS
    wraps: ClassVar[tuple[Wrap, ...]] = MODULAR_WRAPS
    min_reach: ClassVar[int] = 1

    @property
    def head(self) -> tuple[str, ...]:
        """The kind and the number of states."""
        return (f"{self.kind}:{self.states}",)

    @property
    def facts(self) -> tuple[str, ...]:
        """The number of states, the settings, shortened, and the number of missing cells."""
        return (f"modulo {self.states}", *super().facts)

    @property
    def data(self) -> Mapping[str, Any]:
        """The lights and rules; ``effects`` has for each press its lights, by number from 0, with the amounts."""
        settings = dict(setting.split("=") for setting in self.settings)
        found = {"states": self.states, "lights": list(self.lines), **settings}
        return {**found, "effects": self.effects} if self.rows * self.columns <= MAX_DATA_CELLS else found
