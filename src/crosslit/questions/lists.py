"""Lists of solutions: their text and order, and the file with its one writer.

The lines of a list have equal size, so a list needs no index and no end marker: wherever it is cut, its size gives
the number of whole lines.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from crosslit.base.errors import InputError
from crosslit.base.layout import DIGITS, Layout
from crosslit.base.posix import fcntl, require_isolation
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

    def begins(self, data: bytes) -> bool:
        """Return whether these bytes, too few for a whole line, can be the beginning of a truncated one."""
        digits = DIGITS[: self.puzzle.layout.states].encode()
        pairs = zip(data, self.render(bytes(self.puzzle.layout.size)), strict=False)  # with a line of cells of 0
        return all(byte in digits if cell == ord("0") else byte == cell for byte, cell in pairs)


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


_CHUNK = 1 << 20


class SolutionFile:
    """A list of solutions on disk, new or continued; every fault is an `InputError`.

    A killed process always leaves a list of whole solutions, perhaps followed by a truncated line, which is removed
    when the list is continued. A file that is not a list of this layout is not modified. A special file
    (``/dev/null``, a named pipe) is only written to.
    """

    def __init__(self, path: str, layout: ListingFormat, resume: bool) -> None:
        require_isolation()
        self.path = path
        self.layout = layout
        self.count = 0
        try:
            # Devices and pipes have no lines to count and no place to return to, so they are only written to.
            plain = not os.path.exists(path) or stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116
            # `O_EXCL` lets the system check and create in one step, so two commands cannot both begin the same file.
            flags = os.O_RDWR | os.O_CREAT | (0 if resume else os.O_EXCL) if plain else os.O_WRONLY
            self._descriptor = os.open(path, flags | os.O_CLOEXEC, 0o666)
        except FileExistsError:
            raise InputError(path, "expected a new file: it exists already (--resume continues a list)") from None
        except OSError as error:
            raise InputError(path, error.strerror or "cannot be written") from None
        try:
            self._plain = plain
            if plain:
                self._lock()
                self.count, torn = divmod(os.fstat(self._descriptor).st_size, layout.size)
                # A torn line is cut off later, so make sure first that it is one and not the text of another file.
                if not layout.begins(os.pread(self._descriptor, torn, self.count * layout.size)):
                    raise self._foreign(self.count + 1)
            elif resume:
                raise InputError(path, "expected a plain file")
        except BaseException:
            os.close(self._descriptor)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    def _lock(self) -> None:
        try:
            # The system releases it with the process, however that ends; a lock file would survive a kill.
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(self.path, "another process is writing to it") from None
        except OSError:
            pass  # a file system without locks

    def _foreign(self, number: int) -> InputError:
        return InputError(
            self.path, f"expected a list of solutions of this puzzle, found something else at line {number}"
        )

    def solutions(self) -> Iterator[bytes]:
        """Yield the solutions in the file, packed, in batches; any other content is an `InputError`."""
        size = self.layout.size
        step = max(1, _CHUNK // size)
        for number in range(0, self.count, step):
            data = os.pread(self._descriptor, min(step, self.count - number) * size, number * size)
            packed = self.layout.parse(data)
            if packed is None:
                raise self._foreign(number + 1)
            yield packed

    def begin(self) -> None:
        """Remove a truncated line, and prepare to append."""
        if not self._plain:
            return
        os.ftruncate(self._descriptor, self.count * self.layout.size)
        os.lseek(self._descriptor, 0, os.SEEK_END)

    def append(self, packed: bytes) -> None:
        """Write some solutions; if there is no room for all, write those that fit and raise an error."""
        data = memoryview(self.layout.render(packed))
        lines = len(data) // self.layout.size
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
            self.count += lines
        # A reader such as `head` has enough: the command ends quietly, as others in a pipeline do.
        except BrokenPipeError:
            raise
        except OSError as error:
            # Rounded up: the line in which the write stopped is not whole.
            self.count += lines - -(-len(data) // self.layout.size)
            with contextlib.suppress(OSError):
                self.begin()  # without the torn line
            kept = f"; the {self.count} solutions in it are complete" if self._plain else ""
            raise InputError(self.path, f"{error.strerror or 'cannot be written'}{kept}") from None
