"""Lists of solutions: their text and order, and the file with its one writer.

The lines of a list have equal size, so its size gives the number of whole lines.
"""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass
from typing import Self

from crosslit.base.errors import InputError
from crosslit.base.grid import DIGITS
from crosslit.base.layout import Layout
from crosslit.kinds import Puzzle

_MAX_UNBATCHED = 8  # solutions: below, numpy is not worth its import
_MIRRORED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


@dataclass(frozen=True)
class ListingFormat:
    r"""The text of a puzzle's solutions: the one-line form of each on a line.

    Examples:
        >>> from crosslit.formats import read
        >>> lines = ListingFormat(read("1,1|1,1"))
        >>> lines.render(bytes([9, 6]))
        b'10/01\n01/10\n'
        >>> lines.parse(b'10/01\n01/10\n')
        b'\t\x06'
    """

    puzzle: Puzzle

    @property
    def size(self) -> int:
        """Bytes of a line."""
        return self.puzzle.rows * (self.puzzle.columns + 1)

    def render(self, packed: bytes) -> bytes:
        """Return the lines of some solutions."""
        layout = self.puzzle.layout
        if len(packed) <= _MAX_UNBATCHED * layout.size:
            return "".join(f"{grid.text}\n" for grid in layout.answers(packed)).encode()
        import numpy as np

        grids = np.frombuffer(packed, np.uint8).reshape(-1, layout.size)
        cells = np.unpackbits(grids, axis=1, count=layout.bits, bitorder="little")
        if layout.states == 2:
            # The codes of the digits 0 and 1 are their values with the same further bits set.
            cells |= ord("0")
        else:
            values = cells.reshape(len(cells), -1, layout.width) @ (1 << np.arange(layout.width))
            cells = np.frombuffer(DIGITS.encode(), np.uint8)[values]
        lines = np.full((len(cells), layout.rows, layout.columns + 1), ord("/"), np.uint8)
        lines[:, -1, -1] = ord("\n")
        # A row of cells is copied as one element: four times as fast as cell by cell.
        row = np.dtype(("V", layout.columns))
        rows = np.ndarray((len(cells), layout.rows), row, lines, 0, (self.size, layout.columns + 1))
        rows[:] = cells.view(row)
        return lines.tobytes()

    def parse(self, data: bytes) -> bytes | None:
        """Return the solutions of whole lines, packed; None if these are not lines of this layout.

        The result is written again and compared, so that nothing else passes.
        """
        layout = self.puzzle.layout
        try:
            if layout.states == 2 and len(data) > _MAX_UNBATCHED * self.size:
                import numpy as np

                lines = np.frombuffer(data, np.uint8).reshape(-1, layout.rows, layout.columns + 1)
                cells = (lines[:, :, :-1] - ord("0")).reshape(-1, layout.bits)
                found = np.packbits(cells, axis=1, bitorder="little").tobytes()
            else:
                lines_of_text = data.decode("latin-1").removesuffix("\n").split("\n")
                found = b"".join(layout.parse(line).packed for line in lines_of_text)
            return found if self.render(found) == data else None
        except ValueError:
            return None


def not_ascending(last: bytes, packed: bytes, layout: Layout) -> int | None:
    """Return the index of the first packed solution whose one-line form is not above the previous one, or None."""
    records, size = last + packed, layout.size
    if layout.width > 1 and records:
        # The highest bit of a cell weighs most, so it becomes the first.
        import numpy as np

        bits = np.unpackbits(np.frombuffer(records, np.uint8).reshape(-1, size), 1, layout.bits, "little")
        turned = bits.reshape(len(bits), -1, layout.width)[:, :, ::-1].reshape(bits.shape)
        records = np.packbits(turned, 1, "little").tobytes()
    # With the first cell of a byte in its highest bit, bytes compare like one-line forms.
    records = records.translate(_MIRRORED)
    if len(records) <= _MAX_UNBATCHED * size:
        words = layout.parts(records)
        falls = [number for number in range(1, len(words)) if words[number] <= words[number - 1]]
    else:
        import numpy as np

        array = np.frombuffer(records, f"S{size}")
        falls = [number + 1 for number in np.flatnonzero(array[1:] <= array[:-1])[:1].tolist()]
    return falls[0] - len(last) // size if falls else None


class SolutionFile:
    """A new list of solutions on disk, which has whole solutions however its writer ends.

    Every fault is an `InputError`. A special file (``/dev/null``, a named pipe) is written to as it is.
    """

    def __init__(self, path: str, layout: ListingFormat) -> None:
        self.path, self.layout = path, layout
        self._size = 0  # bytes of whole solutions
        # Devices and pipes have no place to return to.
        self._is_plain = not os.path.exists(path) or stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116
        # `O_EXCL` lets the system check and create in one step, so two commands cannot both begin the same file.
        flags = os.O_CREAT | os.O_EXCL if self._is_plain else 0
        try:
            self._descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC | flags, 0o666)
        except FileExistsError:
            reason = "expected a new file: it exists already (--check-list finds what a list lacks)"
            raise InputError(path, reason) from None
        except OSError as error:
            raise InputError(path, error.strerror or "cannot be written") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def append(self, packed: bytes) -> None:
        """Write some solutions; if there is no room for all, write those that fit and raise an error."""
        data = memoryview(self.layout.render(packed))
        written = 0
        try:
            while written < len(data):
                written += os.write(self._descriptor, data[written:])
            self._size += written
        # A reader such as `head` has enough: the command ends quietly, as others in a pipeline do.
        except BrokenPipeError:
            raise
        except OSError as error:
            number = (self._size + written) // self.layout.size
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, number * self.layout.size)  # without the torn line
            kept = f"; the {number} solutions in it are complete" if self._is_plain else ""
            raise InputError(self.path, f"{error.strerror or 'cannot be written'}{kept}") from None
