"""Lights Out with k states on grids, joined grids and graphs: press cells so that every light is 0 modulo k."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, ClassVar, Literal, get_args

from crosslit.base.grid import Grid
from crosslit.base.layout import DIGITS, Layout
from crosslit.contract.puzzle import Puzzle, Symmetry

MAX_STATES = 16
MAX_DATA_CELLS = 10_000  # the effects of more presses are left out of the data for programs

Wrap = Literal["none", "horizontal", "vertical", "torus", "moebius", "klein"]
WRAPS: tuple[Wrap, ...] = get_args(Wrap)
TWISTED: tuple[Wrap, ...] = ("moebius", "klein")
PATTERNS = {
    "plus": "010,111,010",
    "neighbours": "010,101,010",
    "king": "111,111,111",
    "diagonal": "101,010,101",
    "hexagons": "011,111,110",
}
"""The names of pictures of press patterns; a row of hexagons lies half a cell further right than the one above it."""

_NAMES = {picture: name for name, picture in PATTERNS.items()}
Effects = tuple[tuple[tuple[int, int], ...], ...]
"""For each press the lights that it changes, each with the amount; a light may occur twice around an edge."""


@dataclass(frozen=True, slots=True, repr=False)
class ModularLightsOut(Puzzle):
    """A Lights Out board with k states: a press adds to the lights around it, modulo k; the goal is 0 everywhere.

    A solution says how often to press each cell, from 0 to k - 1 times. docs/reference/modular-lights-out.md describes
    the rules; a ValueError says which part of a board is not as described there.

    Args:
        states: the number k, from 2 to 16.
        lights: the rows, each light a digit below k (``a`` is 10), ``_`` for a missing cell.
        rule: the lights that a press changes, as ``press=`` and a name or a picture, ``edges=`` or ``matrix=``.
        wrap: the joined edges of a grid.
        name: title of the puzzle; not part of its identity.

    Examples:
        >>> board = ModularLightsOut.parse("modular-lights-out:3/12/00")
        >>> list(board.violations(board.layout.parse("22/10"))), next(board.violations(board.layout.parse("00/00")))
        ([], 'row 1, column 1 is left at 1')
        >>> ModularLightsOut(4, ("0123",), "edges=3-4,2-1").text
        'modular-lights-out:4/edges=1-2,3-4/0123'
    """

    states: int
    lights: tuple[str, ...]
    rule: str = "press=plus"
    wrap: Wrap = "none"
    name: str = field(default="", compare=False)

    kind: ClassVar[str] = "modular-lights-out"
    label: ClassVar[str] = "modular Lights Out"
    plural: ClassVar[str] = "modular Lights Out boards"
    member: ClassVar[str] = "board"
    constraints: ClassVar[str] = "lights"

    def __post_init__(self) -> None:
        if type(self.states) is not int or not 2 <= self.states <= MAX_STATES:
            raise ValueError(f"the number of states is 2 to {MAX_STATES}, not {self.states!r:.40}")
        object.__setattr__(self, "lights", tuple(self.lights))
        digits = DIGITS[: self.states]
        if not self.lights or not self.lights[0] or len({*map(len, self.lights)}) > 1:
            raise ValueError("expected rows of lights of equal length")
        if strange := set("".join(self.lights)) - {*digits, "_"}:
            raise ValueError(f"a light is {digits[0]} to {digits[-1]}, or _ if it is missing, not {min(strange)!r}")
        object.__setattr__(self, "rule", _checked_rule(self.rule, digits, self.rows, self.columns))
        if self.wrap not in WRAPS or (self.wrap != "none" and not self.is_grid):
            raise ValueError(f"wrap is one of {', '.join(WRAPS)}, for grids only, not {self.wrap!r:.40}")

    @classmethod
    def parse(cls, text: str) -> ModularLightsOut:
        """Read a board from its one-line form: ``modular-lights-out:``, k, settings, and rows, separated by ``/``.

        Raises:
            ValueError: if it is not one.
        """
        head, _, rest = text.partition(":")
        states, *parts = rest.split("/")
        wraps: list[Any] = [part.removeprefix("wrap=") for part in parts if part.startswith("wrap=")]
        rules = [part for part in parts if "=" in part and not part.startswith("wrap=")]
        lights = parts[len(rules + wraps) :]
        known = head == cls.kind and re.fullmatch("[0-9]{1,2}", states)
        if not known or "=" in "".join(lights) or max(len(rules), len(wraps)) > 1:
            raise ValueError(
                f"expected {cls.kind}: and the number of states, settings and rows, as {cls.kind}:6/wrap=torus/012/345"
            )
        return cls(int(states), tuple(lights), (*rules, "press=plus")[0], (*wraps, "none")[0])

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.lights)

    @property
    def columns(self) -> int:
        """Number of columns."""
        return len(self.lights[0])

    @property
    def is_grid(self) -> bool:
        """True if a press pattern states the rules, and not edges or a matrix."""
        return self.rule.startswith("press=")

    @property
    def settings(self) -> tuple[str, ...]:
        """The deviations from the usual rules, as in the one-line form."""
        rule = () if self.rule == "press=plus" else (self.rule,)
        return rule if self.wrap == "none" else (*rule, f"wrap={self.wrap}")

    @property
    def text(self) -> str:
        """The canonical one-line form."""
        return f"{self.kind}:{'/'.join([str(self.states), *self.settings, *self.lights])}"

    @property
    def min_text(self) -> int:
        """One character for each cell."""
        return self.rows * self.columns

    @property
    def missing(self) -> Grid | None:
        """The cells that have no light and cannot be pressed; None for none."""
        bits = sum(1 << cell for cell, missing in enumerate(self.gone) if missing)
        return Grid.from_bits(self.rows, self.columns, bits) if bits else None

    @property
    def layout(self) -> Layout:
        """The form of a solution: k states for each cell."""
        return Layout(self.rows, self.columns, self.states, self.missing)

    @property
    def shown(self) -> Grid:
        """The lights."""
        return self.layout.parse("/".join(self.lights).replace("_", "0"))

    @property
    def facts(self) -> tuple[str, ...]:
        """The number of states, and the settings, shortened."""
        shown = [setting if len(setting) <= 60 else f"{setting[:57]}..." for setting in self.settings]
        return (f"modulo {self.states}", *shown, *([f"{sum(self.gone)} missing"] if any(self.gone) else []))

    @property
    def data(self) -> Mapping[str, Any]:
        """The lights and rules; ``effects`` has for each press its lights, by number from 0, with the amounts."""
        settings = dict(setting.split("=", 1) for setting in self.settings)
        found = {"states": self.states, "lights": list(self.lights), **settings}
        return {**found, "effects": self.effects} if self.rows * self.columns <= MAX_DATA_CELLS else found

    @property
    def measure(self) -> tuple[int, ...]:
        """Numbers of cells, unusual rules, states and lights that are not 0; see `Puzzle.measure`."""
        unusual = 10_000 * len(self.settings) + len(self.rule) + sum(self.gone)
        return self.rows * self.columns, unusual, self.states, sum(map(bool, self.values)), sum(self.values)

    @property
    def values(self) -> list[int]:
        """The lights as numbers, in row-major order; 0 for a missing one."""
        return [max(0, DIGITS.find(light)) for light in "".join(self.lights)]

    @property
    def gone(self) -> list[bool]:
        """For each cell, in row-major order, whether it is missing."""
        return [light == "_" for light in "".join(self.lights)]

    @property
    def offsets(self) -> list[tuple[int, int, int]]:
        """The press pattern of a grid: rows down, columns to the right, and the amount added there."""
        value = self.rule.removeprefix("press=")
        lines = PATTERNS.get(value, value).split(",")
        height, width = len(lines) // 2, len(lines[0]) // 2
        cells = ((row, column, digit) for row, line in enumerate(lines) for column, digit in enumerate(line))
        return [(row - height, column - width, DIGITS.index(digit)) for row, column, digit in cells if digit != "0"]

    @property
    def edges(self) -> list[tuple[int, int]]:
        """The edges of a graph, with vertices from 0."""
        return _edges(self.rule)

    @property
    def effects(self) -> Effects:
        """For each press the lights that it changes, each with the amount; missing cells have no part in it."""
        return self._computed_effects()

    # Not the property itself: from Python 3.14 on, a dataclass with slots needs properties of plain functions.
    @lru_cache(maxsize=256)  # noqa: B019 (so few boards take little memory)
    def _computed_effects(self) -> Effects:
        rows, columns, gone = self.rows, self.columns, self.gone
        found: list[list[tuple[int, int]]] = [[] for _ in gone]
        if self.rule.startswith("matrix="):
            found = [[*enumerate(map(DIGITS.index, row))] for row in self.rule.removeprefix("matrix=").split(",")]
        elif not self.is_grid:
            found = [[(cell, 1)] for cell in range(columns)]
            for one, other in self.edges:
                found[one].append((other, 1))
                found[other].append((one, 1))
        for press, (down, right, amount) in itertools.product(range(len(gone)), self.offsets if self.is_grid else ()):
            row, column = press // columns + down, press % columns + right
            if self.wrap in ("vertical", "torus", "klein"):
                row %= rows
            if self.wrap not in ("none", "vertical"):
                crossed, column = divmod(column, columns)
                if crossed % 2 and self.wrap in TWISTED:
                    row = rows - 1 - row
            if 0 <= row < rows and 0 <= column < columns:
                found[press].append((row * columns + column, amount))
        return tuple(
            tuple((light, amount) for light, amount in effect if amount and not (gone[press] or gone[light]))
            for press, effect in enumerate(found)
        )

    def equations(self, lights: Iterable[int]) -> list[list[int]]:
        """Return equations modulo k of some lights: a coefficient for each press, and the sum that is needed.

        The equation of a missing cell says that it is not pressed. They explain contradictions; no solver uses them,
        since each has its own: a mistake here would be confirmed by solvers that are called independent.
        """
        values, gone, size = self.values, self.gone, self.rows * self.columns
        rows = {light: [0] * size + [-values[light] % self.states] for light in lights}
        for press, effect in enumerate(self.effects):
            for light, amount in effect:
                if light in rows:
                    rows[light][press] = (rows[light][press] + amount) % self.states
        for light in rows:
            rows[light][light] += gone[light]
        return [*rows.values()]

    @property
    def min_true_cells(self) -> int:
        """Lower bound on the number of presses: one press changes a limited number of lights."""
        return -(-sum(map(bool, self.values)) // max(1, *map(len, self.effects)))

    def violations(self, grid: Grid) -> Iterator[str]:
        """Yield a line for each light that is not 0 after the presses, and each press of a missing cell."""
        for cell, (left, presses, gone) in enumerate(zip(self._left(grid), grid.values(), self.gone, strict=True)):
            row, column = divmod(cell, self.columns)
            if gone and presses:
                yield f"row {row + 1}, column {column + 1} is missing and cannot be pressed"
            elif left:
                yield f"row {row + 1}, column {column + 1} is left at {left}"

    def broken(self, grid: Grid) -> Grid:
        """Return the lights that are not 0 after the presses."""
        bits = sum(1 << cell for cell, left in enumerate(self._left(grid)) if left)
        return Grid.from_bits(self.rows, self.columns, bits)

    def lit(self, values: Sequence[int]) -> ModularLightsOut:
        """Return the board with other lights; those of missing cells are ignored."""
        lights = "".join("_" if gone else DIGITS[value] for gone, value in zip(self.gone, values, strict=True))
        return replace(self, lights=tuple(lights[row * self.columns :][: self.columns] for row in range(self.rows)))

    def pressed(self, grid: Grid) -> ModularLightsOut:
        """Return the board after presses, with the same rules and name."""
        return self.lit(self._left(grid))

    @property
    def dark(self) -> ModularLightsOut:
        """The board with all lights 0."""
        return self.lit([0] * len(self.gone))

    def back(self, presses: Grid) -> Grid:
        """Return the presses that take presses back."""
        return self.layout.pack([-times % self.states for times in presses.values()])

    def _left(self, grid: Grid) -> list[int]:
        if (grid.rows, grid.columns, grid.states) != (self.rows, self.columns, self.states):
            raise ValueError(f"expected {self.rows} x {self.columns} cells of {self.states} states")
        left = self.values
        for times, effect in zip(grid.values(), self.effects, strict=True):
            for light, amount in effect if times else ():
                left[light] += amount * times
        return [light % self.states for light in left]

    def contradicts(self, constraints: Grid) -> bool:
        """Return whether multiples of these lights add up to one that no press changes, and that is not 0."""
        return self.multiples(constraints) is not None

    def needed(self, constraints: Grid) -> Grid:
        """Return those of some lights that suffice for a contradiction."""
        bits = sum(1 << cell for cell in self.multiples(constraints) or ())
        return Grid.from_bits(self.rows, self.columns, bits) if bits else constraints

    @lru_cache(maxsize=8)  # noqa: B019 (one explanation asks three times)
    def multiples(self, lights: Grid) -> dict[int, int] | None:
        """Return the cells of some lights with multiples whose sum no press changes, and that is not 0; None if none.

        Multiples of 0 are left out.
        """
        cells = [row * self.columns + column for row, column in lights.cells()]
        own = [[int(other == cell) for other in cells] for cell in cells]
        rows = [equation + tags for equation, tags in zip(self.equations(cells), own, strict=True)]
        presses = len(self.gone)
        eliminated(rows, presses, self.states)
        found = [dict(zip(cells, row[presses + 1 :], strict=True)) for row in rows if row[presses]]
        used = [{cell: times for cell, times in each.items() if times} for each in found]
        return min(used, key=len, default=None)

    def image(self, symmetry: Symmetry) -> ModularLightsOut | None:
        """Return the grid turned and mirrored, with its rules; None for a graph, or a half-turn that would turn."""
        if not self.is_grid or (symmetry.turn and self.wrap in TWISTED):
            return None
        wraps: dict[Wrap, Wrap] = {"horizontal": "vertical", "vertical": "horizontal"} if symmetry.turn else {}
        value = self.rule.removeprefix("press=")
        picture = ",".join(symmetry.lines(PATTERNS.get(value, value).split(",")))
        lights = tuple(symmetry.lines(self.lights))
        return replace(self, lights=lights, rule=f"press={picture}", wrap=wraps.get(self.wrap, self.wrap))


def eliminated(rows: list[list[int]], columns: int, k: int) -> list[int]:
    """Eliminate the first columns of equations modulo k in place, and return the pivot of each column, 0 for none.

    The remaining equations imply all that the given ones say of the other columns.

    Examples:
        >>> rows = [[2, 1, 0], [2, 0, 1]]
        >>> eliminated(rows, 1, 4), rows
        ([2], [[0, 2, 0], [0, 3, 1]])
    """
    pivots = []
    for column in range(columns):
        # Euclid's algorithm on rows
        while len(live := [row for row in rows if row[column]]) > 1:
            pivot = min(live, key=lambda row: row[column])
            for row in live:
                if row is not pivot:
                    times = row[column] // pivot[column]
                    row[:] = [(a - times * b) % k for a, b in zip(row, pivot, strict=True)]
        pivots.append(live[0][column] if live else 0)
        for pivot in live:
            # A zero divisor times this row says something about the later columns.
            factor = k // math.gcd(pivot[column], k)
            pivot[:] = [value * factor % k for value in pivot]
    return pivots


def _edges(rule: str) -> list[tuple[int, int]]:
    pairs = (edge.split("-") for edge in rule.removeprefix("edges=").split(",") if edge)
    return [(int(one) - 1, int(other) - 1) for one, other in pairs]


def _checked_rule(rule: str, digits: str, rows: int, columns: int) -> str:
    """Return a rule in its canonical form: a name for a picture that has one, edges in ascending order."""
    key, _, value = rule.partition("=")
    if key == "press":
        lines = PATTERNS.get(value, value).split(",")
        odd = len(lines) % 2 and len(lines[0]) % 2 and len({*map(len, lines)}) == 1
        signs = set("".join(lines))
        if not odd or signs - {*digits} or not signs - {"0"}:
            names = ", ".join(PATTERNS)
            raise ValueError(f"expected press= with {names}, or a picture such as 010,121,010, found {value:.40}")
        picture = ",".join(_trimmed(lines))
        return f"press={_NAMES.get(picture, picture)}"
    if key not in ("edges", "matrix") or rows > 1:
        raise ValueError(f"expected press=, or edges= or matrix= and one row of lights, found {rule:.40}")
    if key == "edges":
        edge = "[1-9][0-9]{0,6}-[1-9][0-9]{0,6}"
        if not re.fullmatch(f"({edge}(,{edge})*)?", value):
            raise ValueError(f"expected edges= with pairs such as 1-2,2-3, found {value:.40}")
        pairs = sorted((min(pair) + 1, max(pair) + 1) for pair in _edges(value))
        if any(one == other or other > columns for one, other in pairs):
            raise ValueError(f"an edge joins two of the vertices 1 to {columns}")
        return f"edges={','.join(f'{one}-{other}' for one, other in pairs)}"
    lines = value.split(",")
    if len(lines) != columns or any(len(line) != columns for line in lines) or set(value) - {*digits, ","}:
        raise ValueError(
            f"expected matrix= with {columns} rows of {columns} digits below {len(digits)}, found {value:.40}"
        )
    return rule


def _trimmed(lines: Sequence[str]) -> list[str]:
    """Return the picture of a pattern without empty border lines, at the same centre; at least 3 x 3."""
    for _ in range(2):  # rows, then columns
        empty = "0" * len(lines[0])
        lines = [empty, *lines, empty] if len(lines) == 1 else lines
        while len(lines) > 3 and lines[0] == lines[-1] == empty:
            lines = lines[1:-1]
        lines = ["".join(column) for column in zip(*lines, strict=True)]
    return [*lines]
