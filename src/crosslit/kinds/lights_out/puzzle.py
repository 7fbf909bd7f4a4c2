"""Lights Out boards and their rules: press cells so that every light goes out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, Literal, get_args

from crosslit.base.errors import wrong_type
from crosslit.base.grid import Grid
from crosslit.contract.puzzle import TRANSPOSED, Puzzle, Symmetry

Offset = tuple[int, int]
Wrap = Literal["none", "horizontal", "vertical", "torus"]
WRAPS: tuple[Wrap, ...] = get_args(Wrap)

PLUS: tuple[Offset, ...] = ((-1, 0), (0, -1), (0, 0), (0, 1), (1, 0))
NEIGHBOURS: tuple[Offset, ...] = ((-1, 0), (0, -1), (0, 1), (1, 0))
KING: tuple[Offset, ...] = tuple((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1))
DIAGONAL: tuple[Offset, ...] = ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1))
_MAX_KEPT = 1 << 20  # cells of a board whose moves are kept: they take longer to find than to make

PATTERNS = {"plus": PLUS, "neighbours": NEIGHBOURS, "king": KING, "diagonal": DIAGONAL}

# On wide boards the data for one row fits in the cache; on narrow ones all cells take as long as one row.
_BY_ROWS_FROM = 1500  # columns


@dataclass(frozen=True, slots=True, repr=False)
class LightsOut(Puzzle):
    """A Lights Out board: pressing a cell toggles the cells of a pattern around it; the goal is to put all lights out.

    A solution is the grid of cells to press, in the board's shape; the order of presses does not matter, and pressing
    twice undoes a press.

    Args:
        lit: the cells that are lit, shape (rows, columns).
        pattern: the cells that a press at (0, 0) toggles, as distinct (row, column) offsets, stored sorted: `PLUS` (the
            pressed cell and its four neighbours), `NEIGHBOURS` (those without the pressed cell), `KING` (with the eight
            around it), `DIAGONAL` (with the four at its corners), or any other.
        wrap: which edges are joined: ``horizontal`` for left and right, ``vertical`` for top and bottom, ``torus`` for
            both. If a press hits a light twice around an edge, the light is unchanged.
        missing: cells that are not part of the board: they have no light and cannot be pressed. None for none.
        name: title of the puzzle; not part of its identity.

    Raises:
        TypeError: if ``lit`` or ``missing`` is not a `Grid`, or an offset is not a pair of integers.
        ValueError: if the pattern is empty or repeats an offset, the wrap is not one of `WRAPS`, or a missing cell is
            lit or the missing cells have another shape.

    See Also:
        load: boards from files and one-line forms.
        nullity: the dimension of the kernel of a board's size.

    Examples:
        >>> board = LightsOut(Grid.from_text("11/11"))
        >>> board.rows, board.columns, board.text
        (2, 2, '11/11')
        >>> list(board.violations(Grid.from_text("11/11")))
        []
        >>> next(board.violations(Grid.from_text("10/00")))
        'row 2, column 2 stays lit'
        >>> LightsOut(Grid.from_text("101"), KING, "torus", Grid.from_text("010")).text
        'press=king/wrap=torus/1_1'
    """

    lit: Grid
    pattern: tuple[Offset, ...] = PLUS
    wrap: Wrap = "none"
    missing: Grid | None = None
    name: str = field(default="", compare=False)
    rows: int = field(init=False, repr=False, compare=False)
    columns: int = field(init=False, repr=False, compare=False)
    _id: str = field(default="", init=False, repr=False, compare=False)

    kind: ClassVar[str] = "lights-out"
    label: ClassVar[str] = "Lights Out"
    plural: ClassVar[str] = "Lights Out boards"
    member: ClassVar[str] = "board"
    constraints: ClassVar[str] = "lights"
    uncovered: ClassVar[str] = "boards of other rules"
    is_linear: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.lit, Grid):
            raise wrong_type("lit cells as Grid.from_text('10/01') or Grid.from_cells(array)", self.lit)
        object.__setattr__(self, "rows", self.lit.rows)
        object.__setattr__(self, "columns", self.lit.columns)
        object.__setattr__(self, "pattern", _checked_pattern(self.pattern))
        if self.wrap not in WRAPS:
            raise ValueError(f"wrap is one of {', '.join(WRAPS)}, not {self.wrap!r:.40}")
        if self.missing is None:
            return
        if not isinstance(self.missing, Grid):
            raise TypeError(f"the missing cells are a Grid or None, not {self.missing!r:.40}")
        if (self.missing.rows, self.missing.columns) != (self.rows, self.columns):
            raise ValueError(
                f"{self.missing.rows} x {self.missing.columns} missing cells on a {self.rows} x {self.columns} board"
            )
        missing = self.missing.bits
        if missing & self.lit.bits:
            raise ValueError("a missing cell cannot be lit")
        if not missing:
            object.__setattr__(self, "missing", None)  # so that equal boards compare equal

    @property
    def wraps_rows(self) -> bool:
        """True if the top and the bottom edge are joined."""
        return self.wrap in ("vertical", "torus")

    @property
    def wraps_columns(self) -> bool:
        """True if the left and the right edge are joined."""
        return self.wrap in ("horizontal", "torus")

    @property
    def settings(self) -> tuple[str, ...]:
        """The deviations from the usual rules, as in the one-line form; empty if there are none.

        Examples:
            >>> LightsOut(Grid.from_text("101"), ((0, 0), (1, 2)), "vertical").settings
            ('press=00000,00100,00001', 'wrap=vertical')
        """
        # Patterns are stored sorted, so names are found whatever the order of their offsets.
        settings = []
        if self.pattern != PLUS:
            named = (name for name, pattern in PATTERNS.items() if tuple(sorted(pattern)) == self.pattern)
            settings.append(f"press={next(named, None) or _picture(self.pattern)}")
        if self.wrap != "none":
            settings.append(f"wrap={self.wrap}")
        return tuple(settings)

    @property
    def lines(self) -> Iterator[str]:
        """The rows as text: 1 for a lit cell, 0 for a dark one, ``_`` for a missing one."""
        lines = self.lit.each_line()
        if self.missing is None:
            return lines
        pairs = zip(lines, self.missing.each_line(), strict=True)
        return ("".join("_" if gone == "1" else cell for cell, gone in zip(*pair, strict=True)) for pair in pairs)

    @property
    def text(self) -> str:
        """The canonical one-line form: settings, then rows of 0, 1 and ``_``, all separated by ``/``."""
        return "/".join([*self.settings, *self.lines])

    @property
    def id(self) -> str:
        """The SHA-256 of the canonical one-line form, in hexadecimal."""
        if not self._id:
            import hashlib  # loads OpenSSL, which many commands do not need

            settings = self.settings
            state = hashlib.sha256("/".join(settings).encode())
            for number, line in enumerate(self.lines):  # line by line: the whole text may be much longer than the board
                state.update(("/" if number or settings else "").encode() + line.encode())
            object.__setattr__(self, "_id", state.hexdigest())
        return self._id

    @property
    def min_text(self) -> int:
        """One character for each cell."""
        return self.rows * self.columns

    @property
    def shown(self) -> Grid:
        """The lights."""
        return self.lit

    def broken(self, grid: Grid) -> Grid:
        """Return the lights that stay on after pressing the cells of a grid."""
        return Grid.from_bits(self.rows, self.columns, self._left(grid))

    @property
    def facts(self) -> tuple[str, ...]:
        """The settings, shortened, and the number of missing cells."""
        shown = [setting if len(setting) <= 60 else f"{setting[:57]}..." for setting in self.settings]
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
        """Numbers of cells, of unusual rules, and of lights; see `Puzzle.measure`."""
        missing = self.missing.count() if self.missing is not None else 0
        unusual = 10_000 * len(self.settings) + missing + len(self.pattern) - len(PLUS)
        return self.rows * self.columns, unusual, self.lit.count()

    def contradicts(self, constraints: Grid) -> bool:
        """Return whether some of these lights contradict each other; see `contradicting`."""
        return self.contradicting(constraints) is not None

    def contradicting(self, lights: Grid) -> Grid | None:
        """Return those of some lights of which every press toggles an even number, an odd number of them lit, or None.

        The presses that toggle a light are found by reversal: on a board with a reversed pattern, pressing these lights
        must leave all lights dark.
        """
        reverse = tuple((-down, -right) for down, right in self.pattern)
        dark = LightsOut(Grid.from_bits(self.rows, self.columns, 0), reverse, self.wrap, self.missing)
        present = lights.bits if self.missing is None else lights.bits & ~self.missing.bits
        # All of them at once, or, if that is not it, by elimination: each light's presses, and the lights added up.
        if (present & self.lit.bits).bit_count() % 2 and not dark.broken(self._of(present)).bits:
            return self._of(present)
        pivots: dict[int, tuple[int, int]] = {}
        for row, column in self._of(present).cells():
            added = 1 << row * self.columns + column
            presses = dark.broken(self._of(added)).bits
            while presses and (lowest := presses & -presses) in pivots:
                presses, added = presses ^ pivots[lowest][0], added ^ pivots[lowest][1]
            if presses:
                pivots[presses & -presses] = presses, added
            elif (added & self.lit.bits).bit_count() % 2:
                return self._of(added)
        return None

    def needed(self, constraints: Grid) -> Grid:
        """Return those of some lights that suffice for a contradiction."""
        return self.contradicting(constraints) or constraints

    def _of(self, bits: int) -> Grid:
        return Grid.from_bits(self.rows, self.columns, bits)

    @property
    def min_true_cells(self) -> int:
        """Lower bound on the number of presses, because each toggles at most as many lights as its pattern has."""
        return -(-self.lit.count() // len(self.pattern))

    def transposed(self) -> LightsOut:
        """Return the board with rows and columns exchanged; its solutions are transposed likewise."""
        return self.image(TRANSPOSED)

    def image(self, symmetry: Symmetry) -> LightsOut:
        """Return the board turned and mirrored, with its rules: a pattern need not be symmetric."""
        down, right = (-1 if symmetry.flip else 1), (-1 if symmetry.mirror else 1)
        # The same steps as for cells: exchange rows and columns, then flip, then mirror.
        offsets = (symmetry.axes(*offset) for offset in self.pattern)
        wrap = self.wrap
        if symmetry.turn and wrap in ("horizontal", "vertical"):
            wrap = "vertical" if wrap == "horizontal" else "horizontal"
        missing = None if self.missing is None else symmetry(self.missing)
        pattern = tuple((down * rows, right * columns) for rows, columns in offsets)
        return LightsOut(symmetry(self.lit), pattern, wrap, missing, self.name)

    def pressed(self, grid: Grid) -> LightsOut:
        """Return the board after pressing the cells of ``grid``.

        Args:
            grid: the cells to press, in the board's shape.

        Returns:
            A board with the same rules and name, whose lights have changed.

        Raises:
            ValueError: if the grid has another shape than the board, or presses a missing cell.

        Examples:
            >>> LightsOut(Grid.from_text("00/00")).pressed(Grid.from_text("10/00")).text
            '11/10'
        """
        if self.missing is not None and self._fitting(grid).bits & self.missing.bits:
            raise ValueError("a missing cell cannot be pressed")
        lit = Grid.from_bits(self.rows, self.columns, self._left(grid))
        return LightsOut(lit, self.pattern, self.wrap, self.missing, self.name)

    def violations(self, grid: Grid) -> Iterator[str]:
        """Yield a line for each cell that stays lit after pressing ``grid``; nothing for a solution."""
        # Row by row, a solution of a 10,000 x 10,000 board is confirmed in 28 ms instead of 115. Violations are found
        # below, from all cells at once.
        if self.columns >= _BY_ROWS_FROM and self.missing is None and not any(self._rows_left(grid)):
            return
        left = self._left(grid)
        if self.missing is not None and (absent := grid.bits & self.missing.bits):
            for row, column in Grid.from_bits(self.rows, self.columns, absent).cells():
                yield f"row {row + 1}, column {column + 1} is missing and cannot be pressed"
        if left:
            for row, column in Grid.from_bits(self.rows, self.columns, left).cells():
                yield f"row {row + 1}, column {column + 1} stays lit"

    def _fitting(self, grid: Grid) -> Grid:
        if (grid.rows, grid.columns) != (self.rows, self.columns):
            raise ValueError(f"a {grid.rows} x {grid.columns} grid for a {self.rows} x {self.columns} board")
        return grid

    def _left(self, grid: Grid) -> int:
        """Return the cells that are lit after pressing a grid, as bits."""
        presses, left = self._fitting(grid).bits, self.lit.bits
        shape = self.pattern, self.wrap, self.rows, self.columns
        # The masks drop presses whose light would lie off the board, and those that would enter a neighbouring row.
        for sources, by in (moves if self.rows * self.columns <= _MAX_KEPT else moves.__wrapped__)(*shape):
            left ^= (presses & sources) << by if by >= 0 else (presses & sources) >> -by
        return left if self.missing is None else left & ~self.missing.bits

    def _rows_left(self, grid: Grid) -> Iterator[int]:
        """Yield the rows of lights after pressing a grid, where no cell is missing."""
        presses = self._fitting(grid).row_bits()
        rows, columns, around = self.rows, self.columns, self.wraps_columns
        inside = (1 << columns) - 1
        # Around joined edges an offset becomes a move to the right, of which the part that leaves the row comes back.
        offsets = [(down, right % columns if around else right) for down, right in self.pattern]
        offsets = [(down, right) for down, right in offsets if abs(right) < columns]
        for row, left in enumerate(self.lit.each_row()):
            for down, right in offsets:
                source = (row - down) % rows if self.wraps_rows else row - down
                if 0 <= source < rows:
                    pressed = presses[source]
                    left ^= pressed << right if right >= 0 else pressed >> -right
                    # For an offset of 0 this shifts everything out.
                    if around:
                        left ^= pressed >> columns - right
            yield left & inside


@lru_cache(maxsize=64)
def moves(pattern: tuple[Offset, ...], wrap: Wrap, rows: int, columns: int) -> list[tuple[int, int]]:
    """Return the presses whose lights are at equal distances in row-major order, as bits, and the distance."""
    found = []
    for down, right in pattern:
        for lines, by_rows in _ranges(rows, down, wrap in ("vertical", "torus")):
            for cells, by_columns in _ranges(columns, right, wrap in ("horizontal", "torus")):
                row = (1 << cells.stop) - (1 << cells.start)
                sources = Grid.from_rows([row if line in lines else 0 for line in range(rows)], columns).bits
                found.append((sources, by_rows * columns + by_columns))
    return found


def _ranges(length: int, step: int, wraps: bool) -> Iterator[tuple[range, int]]:
    """Yield the places on a line from which a step leads equally far, and how far; joined edges make a difference."""
    # Around joined edges a step goes forward, or backward from the places at which forward would leave the line.
    for by in (step % length, step % length - length) if wraps else (step,):
        if inside := range(max(0, -by), min(length, length - by)):
            yield inside, by


def _checked_pattern(pattern: Iterable[Offset]) -> tuple[Offset, ...]:
    """Return the offsets, sorted so that patterns with the same offsets are equal."""
    if pattern is PLUS:  # of most boards
        return PLUS
    offsets = []
    for offset in pattern:
        # `type` and not `isinstance`: True and False are integers for Python.
        if not (isinstance(offset, tuple) and len(offset) == 2 and all(type(step) is int for step in offset)):
            raise TypeError(f"an offset is a pair of whole numbers (row, column), not {offset!r:.40}")
        offsets.append(offset)
    if not offsets:
        raise ValueError("a press toggles at least one cell")
    if len(set(offsets)) < len(offsets):
        raise ValueError("a pattern must not repeat an offset")
    return tuple(sorted(offsets))


def _picture(pattern: tuple[Offset, ...]) -> str:
    """Return the smallest picture of a pattern centred on the pressed cell: rows separated by commas."""
    toggled = set(pattern)
    half_height = max(abs(down) for down, _ in pattern)
    half_width = max(abs(right) for _, right in pattern)
    return ",".join(
        "".join("01"[(down, right) in toggled] for right in range(-half_width, half_width + 1))
        for down in range(-half_height, half_height + 1)
    )
