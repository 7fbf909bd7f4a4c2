"""Lists of solutions as files of NumPy, block by block."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import IO

import numpy as np
from numpy.typing import NDArray

from crosslit.base.errors import InputError
from crosslit.base.layout import DIGITS
from crosslit.questions.enumerate.lists import FRAMES

_MAX_LINE = 1 << 30  # bytes
_PIECE = 1 << 20  # bytes of a list that are converted together, in the processor's cache


class ListArray:
    """The solutions of a list of ``crosslit enumerate`` as an array of uint8.

    The first line decides the shape: every record has its length, and a separator where it has one.

    Args:
        file: the list, which is read in blocks; it can be positioned.
        origin: the name of the list in messages.
        is_packed: False for a byte for each cell, shape (solutions, rows, columns); True for the bits of each solution
            as in `Grid.packed`, shape (solutions, bytes).

    Raises:
        InputError: if the list is empty.
    """

    def __init__(self, file: IO[bytes], origin: str, is_packed: bool = False) -> None:
        first = file.readline(_MAX_LINE)
        if not first:
            raise InputError(origin, "expected a list of solutions, found an empty file")
        self._file, self._origin, self._is_packed = file, origin, is_packed
        before, self._after = FRAMES["jsonl" if first.startswith(b"{") else "text"]
        line = first.removeprefix(before).removesuffix(self._after)
        self._first = len(before)  # the place of the first cell
        self._rows, self._columns = line.count(b"/") + 1, len(line.partition(b"/")[0])
        record = before + b"/".join([b"0" * self._columns] * self._rows) + self._after
        self._length, self._record = len(record), np.frombuffer(record, np.uint8)
        self._frame = np.flatnonzero(self._record != ord("0"))
        self._count = -(-file.seek(0, os.SEEK_END) // self._length)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        cells = self._rows, self._columns
        return (self._count, (cells[0] * cells[1] + 7) // 8) if self._is_packed else (self._count, *cells)

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes of a file with the array; an `InputError` names the first line that is no such solution."""
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(header, {"descr": "|u1", "fortran_order": False, "shape": self.shape})
        yield header.getvalue()
        self._file.seek(0)
        step = max(1, _PIECE // self._length)
        for number in range(0, self._count, step):
            data = self._file.read(min(step, self._count - number) * self._length)
            cells = self._cells(data)
            if cells is None:
                raise self._error(data, number)
            if not self._is_packed:
                yield cells.tobytes()
            elif cells.max() > 1:
                raise InputError(self._origin, "expected cells of 0 and 1, whose bits can be packed")
            else:
                cells = cells.reshape(-1, self._rows * self._columns)
                yield np.packbits(cells, axis=1, bitorder="little").tobytes()

    def _cells(self, data: bytes) -> NDArray[np.uint8] | None:
        """Return the values of the cells of records, a row for each; None if these are not records of this shape."""
        if len(data) % self._length == self._length - 1 and self._after == b"\n":
            data += b"\n"  # which the last line of a text may lack
        if not self._columns or len(data) % self._length:
            return None
        records = np.frombuffer(data, np.uint8).reshape(-1, self._length)
        if (records[:, self._frame] != self._record[self._frame]).any():
            return None
        # a line of cells is copied as one element: four times as fast as cell by cell
        line, strides = np.dtype(("V", self._columns)), (self._length, self._columns + 1)
        lines = np.ndarray((len(records), self._rows), line, data, offset=self._first, strides=strides)
        cells = np.ascontiguousarray(lines).view(np.uint8) - np.uint8(ord("0"))
        if cells.max() > 9:
            letters = cells - np.uint8(ord("a") - ord("0"))  # they follow 9 in `DIGITS`
            if ((cells > 9) & (letters >= len(DIGITS) - 10)).any():
                return None
            cells = np.where(cells > 9, letters + 10, cells)
        return cells

    def _error(self, data: bytes, number: int) -> InputError:
        """Return the error about the first of some lines that is no record; ``number`` lines are before these."""
        places = range(0, len(data), self._length)
        place = next(place for place in places if self._cells(data[place : place + self._length]) is None)
        line = data[place:].splitlines()[0][:40].decode(errors="replace")
        message = f"expected a solution of {self._rows} x {self._columns} cells, found {line!r}"
        return InputError(self._origin, message, number + place // self._length + 1)
