"""Boolean grids, packed into bytes: boards, and solutions of puzzles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, overload

from crosslit.base import display
from crosslit.base.errors import wrong_type

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WITHOUT_CELLS = str.maketrans("", "", "01/")

# Wide grids keep their rows as integers; for narrow ones these would take more memory than the cells.
_KEEP_ROWS_FROM = 512  # columns

_MAX_SHOWN = 64  # maximum cells that a representation shows

_MAX_CUT = 1 << 12  # maximum cells for cutting lines from one text: faster, but takes memory for the text


class ArrayLike(Protocol):
    """An array of NumPy, a data frame of pandas, or a `Grid`."""

    def __array__(self) -> NDArray[Any]: ...


Cells = Iterable[Iterable[Any]] | ArrayLike
"""Numbers or truth values, row by row."""


class Drawable:
    """A grid or a puzzle: `print` draws it as text, and a notebook shows it as SVG."""

    __slots__ = ()

    def __str__(self) -> str:
        return str(display.picture(self))

    def _repr_svg_(self) -> str | None:
        svg: str | None = display.picture(self)._repr_svg_()
        return svg


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Grid(Drawable):
    """A boolean grid of shape (rows, columns), immutable and hashable by content.

    Cells are stored in row-major order, eight per byte, the first cell in the lowest bit, like ``numpy.packbits(...,
    bitorder="little")``. A bool array would be eight times as large and not hashable.

    A wide grid that is made from integer rows stores the rows, and packs them when ``packed`` is first read. Code that
    works on rows would otherwise spend more time on packing and unpacking than on solving a board of 20,000 x 20,000.

    Args:
        rows: number of rows, at least 1.
        columns: number of columns, at least 1.
        packed: the cells, ``ceil(rows * columns / 8)`` bytes; bits after the last cell are 0.

    Raises:
        ValueError: if a size is below 1, or ``packed`` does not match the shape.

    See Also:
        load: the puzzle of a file, whose solutions are grids.

    Examples:
        >>> grid = Grid.from_text("010/111")
        >>> grid.rows, grid.columns, grid[1, 0], grid.count()
        (2, 3, True, 4)
        >>> grid.text
        '010/111'
        >>> grid.array().tolist()
        [[False, True, False], [True, True, True]]
        >>> grid
        Grid.from_text('010/111')
        >>> print(grid)
        . ##.
        ######
    """

    rows: int
    columns: int
    packed: bytes
    _rows: tuple[int, ...] | None = field(default=None, init=False, repr=False, compare=False)

    # Not generated, because that one has its checks in another call, and verification makes 20 grids for each puzzle.
    def __init__(self, rows: int, columns: int, packed: bytes) -> None:
        size = rows * columns
        if rows < 1 or columns < 1:
            raise ValueError(f"a grid has at least one row and one column, not {rows} x {columns}")
        if len(packed) != (size + 7) // 8:
            raise ValueError(f"{rows} x {columns} cells take {(size + 7) // 8} bytes, not {len(packed)}")
        if size % 8 and packed[-1] >> size % 8:
            raise ValueError("the bits past the last cell must be 0")
        put = object.__setattr__
        put(self, "rows", rows)
        put(self, "columns", columns)
        put(self, "packed", packed)
        put(self, "_rows", None)

    if not TYPE_CHECKING:  # otherwise a type checker would accept any attribute

        def __getattr__(self, name: str) -> object:
            """Pack a grid that was made from rows when its bytes are first used."""
            if name != "packed":
                raise AttributeError(f"a Grid has no attribute {name!r}")
            object.__setattr__(self, "packed", _pack(self._rows, self.columns))
            return self.packed

    def __hash__(self) -> int:
        # Python keeps the hash of bytes, and a judged solution is looked up ten times.
        return hash(self.packed)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._rows is not None:  # rows remain rows in another process
            return Grid.from_rows, (self._rows, self.columns)
        return Grid, (self.rows, self.columns, self.packed)

    def __repr__(self) -> str:
        if self.rows * self.columns > _MAX_SHOWN:
            return f"<{type(self).__name__} of {self.rows} x {self.columns} cells, {self.count()} true>"
        return self._short_repr()

    def _short_repr(self) -> str:
        return f"Grid.from_text({self.text!r})"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("the cells of a Grid are packed: an array of them is a copy")
        return self.array() if dtype is None else self.array().astype(dtype)

    @classmethod
    def from_bits(cls, rows: int, columns: int, bits: int) -> Grid:
        """Return the grid whose cell (r, c) is bit ``r * columns + c`` of ``bits``."""
        return cls(rows, columns, bits.to_bytes((rows * columns + 7) // 8, "little"))

    @classmethod
    def from_rows(cls, rows: Sequence[int], columns: int) -> Grid:
        """Return the grid whose cell (r, c) is bit ``c`` of ``rows[r]``.

        Args:
            rows: the rows as integers, top to bottom; cell c is bit c.
            columns: number of columns.

        Returns:
            The grid.

        Raises:
            ValueError: if there are no rows, or a row has a bit outside its ``columns`` cells.
        """
        if rows and (min(rows) < 0 or max(rows).bit_length() > columns):
            raise ValueError(f"a row has cells outside its {columns} columns")
        if columns < _KEEP_ROWS_FROM or not rows:
            return cls(len(rows), columns, _pack(rows, columns))
        grid: Grid = object.__new__(cls)
        for name, value in (("rows", len(rows)), ("columns", columns), ("_rows", tuple(rows))):
            object.__setattr__(grid, name, value)
        return grid

    @classmethod
    def from_cells(cls, cells: Cells) -> Grid:
        """Return the grid of cells given row by row.

        Args:
            cells: a nested sequence, array or data frame of 0 and 1, or False and True, shape (rows, columns).

        Returns:
            The grid, a copy of the cells.

        Raises:
            TypeError: if the argument is not a sequence of rows of single values; `from_text` reads strings.
            ValueError: if there are no cells, the rows differ in length, or a cell is something else.

        Examples:
            >>> Grid.from_cells([[1, 0], [False, True]]).text
            '10/01'
        """
        rows, lines = as_lists(cells), []
        for row in rows if isinstance(rows, Iterable) else [rows]:
            line = list(row) if isinstance(row, Iterable) else [""]
            if any(issubclass(kind, Iterable) for kind in set(map(type, line))):
                raise wrong_type("rows of cells such as [[1, 0], [0, 1]]", cells)
            if strange := set(line) - {0, 1}:  # True and 1.0 are equal to 1
                text = "crosslit.load('modular-lights-out:4/12/30')"
                raise ValueError(
                    f"a cell is 0 or 1, not {min(strange, key=repr)!r:.40}; {text} reads boards of more states"
                )
            lines.append("".join("1" if cell else "0" for cell in line))
        return cls.from_text("/".join(lines))

    @classmethod
    def from_text(cls, text: str) -> Grid:
        """Return the grid of rows of ``0`` and ``1``, separated by ``/``.

        Args:
            text: rows of ``0`` and ``1``, such as ``10/01``.

        Returns:
            The grid.

        Raises:
            TypeError: if ``text`` is not a str.
            ValueError: if there is another character, or the rows differ in length.
        """
        if not isinstance(text, str):
            raise wrong_type("rows as text such as '10/01' (Grid.from_cells takes arrays)", text)
        lines = text.split("/")
        width = len(lines[0])
        if not width or {*map(len, lines)} != {width}:
            raise ValueError("the rows of a grid have the same number of cells, at least one")
        if text.translate(_WITHOUT_CELLS):  # six times as fast as a set of its characters
            raise ValueError("the cells of a grid are written 0 or 1")
        if len(text) <= _MAX_CUT and width < _KEEP_ROWS_FROM:
            return cls.from_bits(len(lines), width, int("".join(lines)[::-1], 2))  # a third of the time of rows
        return cls.from_rows([int(line[::-1], 2) for line in lines], width)

    @property
    def states(self) -> int:
        """The number of states of a cell: more than two in a `Answer`."""
        return 2

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        return self.rows, self.columns

    @property
    def bits(self) -> int:
        """All cells as one integer: cell (r, c) is bit ``r * columns + c``."""
        return int.from_bytes(self.packed, "little")

    def row(self, row: int) -> int:
        """Return row ``row`` as an integer whose bit c is cell c."""
        if not 0 <= row < self.rows:
            raise IndexError(f"row {row} of {self.rows}")
        if self._rows is not None:
            return self._rows[row]
        first = row * self.columns
        last = first + self.columns
        window = int.from_bytes(self.packed[first // 8 : (last + 7) // 8], "little")
        return window >> first % 8 & (1 << self.columns) - 1

    def each_row(self) -> Iterator[int]:
        """Yield every row as an integer, top to bottom; see `row`."""
        if self._rows is not None:
            return iter(self._rows)
        columns, packed = self.columns, self.packed
        if columns % 8 == 0:
            width = columns // 8
            return (int.from_bytes(packed[start : start + width], "little") for start in range(0, len(packed), width))
        inside = (1 << columns) - 1
        return (
            int.from_bytes(packed[first // 8 : (first + columns + 7) // 8], "little") >> first % 8 & inside
            for first in range(0, self.rows * columns, columns)
        )

    def row_bits(self) -> list[int]:
        """Return every row as an integer, top to bottom; see `row`."""
        return list(self.each_row())

    def __iter__(self) -> Iterator[list[int]]:
        return iter(self.tolist())

    def __len__(self) -> int:
        return self.rows

    @overload
    def __getitem__(self, cell: int) -> list[int]: ...

    @overload
    def __getitem__(self, cell: tuple[int, int]) -> int: ...

    def __getitem__(self, cell: int | tuple[int, int]) -> int | list[int]:
        if isinstance(cell, int):
            return self.tolist()[cell]
        if not isinstance(cell, tuple):
            raise wrong_type("a row, or a cell (row, column); array() has slices", cell)
        return self._at(*cell)

    def _at(self, row: int, column: int) -> int:
        self._require_inside(row, column)
        index = row * self.columns + column
        return bool(self.packed[index // 8] >> index % 8 & 1)

    def _require_inside(self, row: int, column: int) -> None:
        if not (0 <= row < self.rows and 0 <= column < self.columns):
            raise IndexError(f"cell {(row, column)} of a {self.rows} x {self.columns} grid")

    def count(self) -> int:
        """Return the number of true cells."""
        return self.bits.bit_count()

    def cells(self) -> Iterator[tuple[int, int]]:
        """Yield the true cells (row, column) in row-major order."""
        for index, row in enumerate(self.row_bits()):
            while row:
                low = row & -row
                yield index, low.bit_length() - 1
                row ^= low

    def each_line(self) -> Iterator[str]:
        """Yield the rows as strings of ``0`` and ``1``."""
        if self.rows * self.columns <= _MAX_CUT:
            return iter(self.lines())
        return (f"{row:0{self.columns}b}"[::-1] for row in self.each_row())

    def lines(self) -> list[str]:
        """Return the rows as strings of ``0`` and ``1``."""
        size, columns = self.rows * self.columns, self.columns
        if size > _MAX_CUT:
            return list(self.each_line())
        cells = f"{self.bits:0{size}b}"[::-1]
        return [cells[first : first + columns] for first in range(0, size, columns)]

    def values(self) -> list[int]:
        """Return the cells as 0 or 1, in row-major order."""
        return [*map(int, "".join(self.lines()))]

    def tolist(self) -> list[list[int]]:
        """Return the rows as lists of numbers."""
        values = self.values()
        return [values[first : first + self.columns] for first in range(0, len(values), self.columns)]

    @property
    def text(self) -> str:
        """The rows as ``0`` and ``1``, separated by ``/``."""
        return "/".join(self.lines())

    def transposed(self) -> Grid:
        """Return the grid with rows and columns exchanged.

        Returns:
            A grid of shape (columns, rows).

        Examples:
            >>> Grid.from_text("110/010").transposed().text
            '10/11/00'
        """
        columns = ("".join(column)[::-1] for column in zip(*self.lines(), strict=True))
        return Grid.from_rows([int(column, 2) for column in columns], self.rows)

    def array(self) -> NDArray[np.bool_]:
        """Return a new bool array of shape (rows, columns)."""
        import numpy as np

        flat = np.unpackbits(np.frombuffer(self.packed, np.uint8), count=self.rows * self.columns, bitorder="little")
        return flat.view(np.bool_).reshape(self.rows, self.columns)


def as_lists(cells: Any) -> Any:
    """Return an array as nested lists, and anything else unchanged."""
    return cells.__array__().tolist() if hasattr(cells, "__array__") else cells


def _pack(rows: Sequence[int], columns: int) -> bytes:
    """Pack the cells of rows into bytes, in row-major order."""
    if columns % 8 == 0:
        return b"".join([row.to_bytes(columns // 8, "little") for row in rows])
    chunks = []
    for first in range(0, len(rows), 8):  # eight rows fill whole bytes, whatever their length
        chunk = 0
        eight = rows[first : first + 8]
        for row in reversed(eight):
            chunk = chunk << columns | row
        chunks.append(chunk.to_bytes((len(eight) * columns + 7) // 8, "little"))
    return b"".join(chunks)
