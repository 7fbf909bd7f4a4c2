"""The formats of lists of solutions: records of equal size.

So a list needs no index and no end marker: wherever it is cut, its size gives the number of whole records.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from crosslit.answer import DIGITS, Layout
from crosslit.errors import InputError
from crosslit.kinds import Puzzle

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FRAMES = {"text": (b"", b"\n"), "jsonl": (b'{"solution": "', b'"}\n')}
"""The bytes before and after the cells of a record, by format."""

_OTHERS = {"json": "", **{ending: f"; `crosslit convert LIST OUT.{ending}` converts it" for ending in ("npy", "png")}}
"""Extensions by which programs would take the list for something else, and the way to that."""

_MAX_UNBATCHED = 8  # records: below, numpy is not worth its import
_MIRRORED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
_PIECE = 1 << 18  # bytes: the processor's cache holds them, and new memory costs more than the text


@dataclass(frozen=True)
class ListingFormat:
    r"""The format of a puzzle's solutions.

    ``text``: the one-line form, one per line. ``jsonl``: an object ``{"solution": ...}`` per line.

    Examples:
        >>> from crosslit.formats import read
        >>> lines = ListingFormat(read("1,1|1,1"), "text")
        >>> lines.render(bytes([9, 6]))
        b'10/01\n01/10\n'
        >>> lines.parse(b'10/01\n01/10\n')
        b'\t\x06'
    """

    puzzle: Puzzle
    name: str

    @property
    def size(self) -> int:
        """Bytes of a record."""
        before, after = FRAMES[self.name]
        return len(before) + self.puzzle.rows * (self.puzzle.columns + 1) - 1 + len(after)

    def render(self, packed: bytes) -> bytes:
        """Return the records of some solutions."""
        return b"".join(map(bytes, self.pieces(packed)))

    def pieces(self, packed: bytes) -> Iterator[bytes | memoryview]:
        """Yield the records of some solutions in pieces of whole records; the next piece overwrites the last."""
        layout, rows, columns = self.puzzle.layout, self.puzzle.rows, self.puzzle.columns
        if len(packed) <= _MAX_UNBATCHED * layout.size:
            yield self._rendered(packed)
            return
        import numpy as np

        grids = np.frombuffer(packed, np.uint8).reshape(-1, layout.size)
        step = min(len(grids), max(1, _PIECE // self.size))
        # Everything but the cells is the same in every record, so one buffer has it and only its cells are overwritten.
        output = bytearray(self._rendered(bytes(layout.size)) * step)
        # a line of cells is copied as one element: four times as fast as cell by cell
        line, strides = np.dtype(("V", columns)), (self.size, columns + 1)
        lines = np.ndarray((step, rows), line, output, offset=len(FRAMES[self.name][0]), strides=strides)
        for first in range(0, len(grids), step):
            cells = np.unpackbits(grids[first : first + step], axis=1, count=layout.bits, bitorder="little")
            if layout.states == 2:
                # The codes of the digits 0 and 1 are their values with the same further bits set.
                cells |= ord("0")
            else:
                values = cells.reshape(len(cells), -1, layout.width) @ (1 << np.arange(layout.width))
                cells = np.frombuffer(DIGITS.encode(), np.uint8)[values]
            lines[: len(cells)] = cells.view(line)
            yield memoryview(output)[: len(cells) * self.size]

    def _rendered(self, packed: bytes) -> bytes:
        before, after = FRAMES[self.name]
        grids = self.puzzle.layout.answers(packed)
        return b"".join(before + b"/".join(line.encode() for line in grid.each_line()) + after for grid in grids)

    def parse(self, data: bytes) -> bytes | None:
        """Return the solutions of whole records, packed; None if these are not records of this layout.

        The result is written again and compared, so that nothing else passes.
        """
        before, after = FRAMES[self.name]
        layout, length = self.puzzle.layout, self.size - len(before + after)
        try:
            if layout.states == 2 and len(data) > _MAX_UNBATCHED * self.size:
                import numpy as np

                cells = cells_of(data, self.name, layout.rows, layout.columns).reshape(-1, layout.bits)
                found = np.packbits(cells, axis=1, bitorder="little").tobytes()
            else:
                text, firsts = data.decode("latin-1"), range(len(before), len(data), self.size)
                found = b"".join(layout.parse(text[first : first + length]).packed for first in firsts)
            return found if self.render(found) == data else None
        except ValueError:
            return None

    def begins(self, data: bytes) -> bool:
        """Return whether these bytes, too few for a whole record, can be the beginning of a truncated one."""
        layout = self.puzzle.layout
        least, most = (
            self.render(layout.pack([value] * layout.rows * layout.columns).packed) for value in (0, layout.states - 1)
        )
        digits = DIGITS[: layout.states].encode()
        triples = zip(data, least, most, strict=False)
        return all(byte in digits if low != high else byte == low for byte, low, high in triples)


def cells_of(data: bytes, name: str, rows: int, columns: int) -> NDArray[np.uint8]:
    """Return the values of cells of whole records, of shape (solutions, rows, columns); the rest is not checked."""
    import numpy as np

    before, after = FRAMES[name]
    size = len(before) + rows * (columns + 1) - 1 + len(after)
    shape, strides = (len(data) // size, rows, columns), (size, columns + 1, 1)
    cells = np.ndarray(shape, np.uint8, data, offset=len(before), strides=strides) - ord("0")
    cells[cells > 9] -= ord("a") - ord("9") - 1  # the letters of `DIGITS` follow 9
    return cells


def format_of(path: str) -> str:
    """Return the format of a file's extension; text if it says none.

    Raises:
        InputError: if it says another format.
    """
    ending = Path(path).suffix.removeprefix(".").lower()
    if ending in _OTHERS:
        raise InputError(path, f"a list is text or .jsonl{_OTHERS[ending]}")
    return ending if ending in FRAMES else "text"


def not_ascending(last: bytes, packed: bytes, layout: Layout) -> int | None:
    """Return the index of the first packed solution whose one-line form is not above the previous one, or None."""
    records, size = last + packed, layout.size
    known = len(last) // size
    if layout.width > 1 and records:
        # The highest bit of a cell weighs most, so it becomes the first.
        import numpy as np

        bits = np.unpackbits(np.frombuffer(records, np.uint8).reshape(-1, size), 1, layout.bits, "little")
        turned = bits.reshape(len(bits), -1, layout.width)[:, :, ::-1].reshape(bits.shape)
        records = np.packbits(turned, 1, "little").tobytes()
    # A few solutions are not worth the import of numpy.
    if len(records) <= 8 * size:
        # the first cell of a byte in its highest bit, so that bytes compare like one-line forms
        mirrored = records.translate(_MIRRORED)
        each = [mirrored[start : start + size] for start in range(0, len(mirrored), size)]
        return next((number - known for number in range(1, len(each)) if each[number] <= each[number - 1]), None)
    import numpy as np

    # usually the first eight bytes decide, compared as numbers; if they are equal, whole solutions are compared
    cells = np.frombuffer(records, np.uint8).reshape(-1, size)
    head = min(8, size)
    # Padded to eight bytes, and read with the first byte as the highest, so that numbers compare like texts.
    heads = np.zeros((len(cells), 8), np.uint8)
    heads[:, :head] = np.frombuffer(cells[:, :head].tobytes().translate(_MIRRORED), np.uint8).reshape(-1, head)
    keys = heads.view(">u8")[:, 0]
    for number in np.flatnonzero(keys[1:] <= keys[:-1]).tolist():
        before, after = (cells[index].tobytes().translate(_MIRRORED) for index in (number, number + 1))
        if after <= before:
            return number + 1 - known
    return None
