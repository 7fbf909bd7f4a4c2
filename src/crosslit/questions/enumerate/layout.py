"""The formats of lists of solutions: a header, then records of equal size.

So a list needs no index and no end marker: wherever it is cut, its size gives the number of whole records.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from crosslit.grid import Grid
from crosslit.kinds import Nonogram, Puzzle
from crosslit.kinds.batch import record_bytes
from crosslit.kinds.nonogram.formats import non

FORMATS = ("text", "jsonl", "npy", "non")
_MAX_UNBATCHED = 8  # records: below, numpy is not worth its import
_CELLS = 1 << 17  # rendered at a time: what the processor's cache holds, ten times as fast as megabytes
_COUNT = re.compile(rb"\((\d+)")
_HEAD_BYTES = 128  # of .npy: enough for any count


@dataclass(frozen=True)
class Layout:
    r"""The format of a puzzle's solutions.

    ``text``: the one-line form, one per line. ``jsonl``: an object ``{"solution": ...}`` per line. ``non``: the puzzle
    with the solution as its goal, one after another. ``npy``: an array of shape (solutions, bytes) and type uint8, the
    cells packed as in `crosslit.Grid`.

    Examples:
        >>> from crosslit.formats import read
        >>> lines = Layout(read("1,1|1,1"), "text")
        >>> lines.render(bytes([9, 6]))
        b'10/01\n01/10\n'
        >>> lines.parse(b'10/01\n01/10\n')
        b'\t\x06'
    """

    puzzle: Puzzle
    name: str

    def __post_init__(self) -> None:
        if self.name == "non" and not isinstance(self.puzzle, Nonogram):
            raise ValueError("the format non is for nonograms")

    @property
    def seekable(self) -> bool:
        """True if the header contains the number of records, and so changes."""
        return self.name == "npy"

    @property
    def frame(self) -> tuple[bytes, bytes, bytes]:
        """The bytes before the cells of a record, between its rows, and after them."""
        if self.name == "non":
            return f'{non.block(self.puzzle)}\ngoal "'.encode(errors="replace"), b"", b'"\n\n====\n\n'
        if self.name == "jsonl":
            return b'{"solution": "', b"/", b'"}\n'
        return b"", b"/", b"\n"

    @property
    def size(self) -> int:
        """Bytes of a record."""
        if self.name == "npy":
            return record_bytes(self.puzzle)
        before, between, after = self.frame
        rows, columns = self.puzzle.rows, self.puzzle.columns
        return len(before) + rows * columns + (rows - 1) * len(between) + len(after)

    def head(self, count: int) -> bytes:
        """Return the bytes before the first of ``count`` records."""
        if self.name != "npy":
            return b""
        shape = f"({count}, {self.size})"
        # NumPy's format 1.0. The padding is fixed, so the head can be rewritten in place when the number grows.
        fields = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}"
        return b"\x93NUMPY\x01\x00" + (_HEAD_BYTES - 10).to_bytes(2, "little") + f"{fields:<117}\n".encode()

    def is_head(self, data: bytes) -> bool:
        """Return whether these bytes are a header for any number of records, or the beginning of a truncated one."""
        count = _COUNT.search(data)
        # Rebuilt for the number found and compared as a whole; no file has a number of more than 19 digits.
        return self.head(int(count[1][:19]) if count else 0).startswith(data)

    def render(self, packed: bytes) -> bytes | bytearray:
        """Return the records of some solutions."""
        if self.name == "npy":
            return packed
        size = record_bytes(self.puzzle)
        return self._rendered(packed) if len(packed) <= _MAX_UNBATCHED * size else self._rendered_at_once(packed)

    def _rendered(self, packed: bytes) -> bytes:
        size = record_bytes(self.puzzle)
        before, between, after = self.frame
        rows, columns = self.puzzle.rows, self.puzzle.columns
        grids = (Grid(rows, columns, packed[at : at + size]) for at in range(0, len(packed), size))
        return b"".join(before + between.join(line.encode() for line in grid.each_line()) + after for grid in grids)

    def _rendered_at_once(self, packed: bytes) -> bytearray:
        import numpy as np

        before, between, _ = self.frame
        rows, columns, size = self.puzzle.rows, self.puzzle.columns, record_bytes(self.puzzle)
        grids = np.frombuffer(packed, np.uint8).reshape(-1, size)
        made = bytearray(len(grids) * self.size)
        records = np.frombuffer(made, np.uint8).reshape(-1, self.size)
        # Everything but the cells is the same in every record, so one record is copied and the cells are overwritten.
        template = np.frombuffer(self._rendered(bytes(size)), np.uint8)
        # a line of cells is copied as one element: four times as fast as cell by cell
        line, strides = np.dtype(("V", columns)), (self.size, columns + len(between))
        lines = np.ndarray((len(grids), rows), line, made, offset=len(before), strides=strides)
        step = max(1, _CELLS // (rows * columns))
        for first in range(0, len(grids), step):
            part = slice(first, first + step)
            bits = np.unpackbits(grids[part], axis=1, count=rows * columns, bitorder="little")
            # The codes of the digits 0 and 1 are their values with the same further bits set.
            bits |= ord("0")
            records[part] = template
            lines[part] = bits.view(line)
        return made

    def parse(self, data: bytes) -> bytes | None:
        """Return the solutions of whole records, packed; None if these are not records of this layout.

        The result is written again and compared, so that nothing else passes.
        """
        if self.name == "npy":
            return data
        before, between, after = self.frame
        rows, width = self.puzzle.rows, self.puzzle.columns + len(between)
        packed = []
        for at in range(0, len(data), self.size):
            cells = data[at + len(before) : at + self.size - len(after)]
            lines = [cells[first : first + self.puzzle.columns] for first in range(0, rows * width, width)]
            # `int` reads the highest bit first, and the first cell is the lowest.
            digits = b"".join(lines)[::-1]
            # `int` also accepts underscores, signs and spaces.
            if digits.translate(None, b"01"):
                return None
            packed.append(int(digits, 2).to_bytes(record_bytes(self.puzzle), "little"))
        found = b"".join(packed)
        return found if self.render(found) == data else None

    def begins(self, data: bytes) -> bool:
        """Return whether these bytes, too few for a whole record, can be the beginning of a truncated one."""
        if self.name == "npy":
            return True
        zeros = self.render(bytes(record_bytes(self.puzzle)))[: len(data)]
        rows, columns = self.puzzle.rows, self.puzzle.columns
        ones = self.render(Grid.from_bits(rows, columns, (1 << rows * columns) - 1).packed)
        return all(byte in pair for byte, *pair in zip(data, zeros, ones, strict=False))


def format_of(path: str) -> str:
    """Return the format of a file's extension; text if there is none."""
    ending = Path(path).suffix.removeprefix(".")
    return ending if ending in FORMATS else "text"
