"""Lists of solutions: the text, the file with its one writer, and sets of them.

The lines of a list have equal size, so a list needs no index and no end marker: wherever it is cut, its size gives
the number of whole lines.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from crosslit.base.errors import InputError, InternalError
from crosslit.base.layout import DIGITS, Layout
from crosslit.base.posix import fcntl, require_isolation
from crosslit.kinds import Puzzle

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MAX_UNBATCHED = 8  # solutions: below, numpy is not worth its import
_MIRRORED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
_PIECE = 1 << 18  # bytes: the processor's cache holds them, and new memory costs more than the text


@dataclass(frozen=True)
class ListingFormat:
    r"""The text of a puzzle's solutions: the one-line form of each on a line.

    With ``as_json``, a line is an object ``{"solution": ...}``; such lines are written, and never read.

    Examples:
        >>> from crosslit.formats import read
        >>> lines = ListingFormat(read("1,1|1,1"))
        >>> lines.render(bytes([9, 6]))
        b'10/01\n01/10\n'
        >>> lines.parse(b'10/01\n01/10\n')
        b'\t\x06'
    """

    puzzle: Puzzle
    as_json: bool = False

    @property
    def frame(self) -> tuple[bytes, bytes]:
        """The bytes before and after the cells of a line."""
        return (b'{"solution": "', b'"}\n') if self.as_json else (b"", b"\n")

    @property
    def size(self) -> int:
        """Bytes of a line."""
        before, after = self.frame
        return len(before) + self.puzzle.rows * (self.puzzle.columns + 1) - 1 + len(after)

    def render(self, packed: bytes) -> bytes:
        """Return the lines of some solutions."""
        return b"".join(map(bytes, self.pieces(packed)))

    def pieces(self, packed: bytes) -> Iterator[bytes | memoryview]:
        """Yield the lines of some solutions in pieces of whole lines; the next piece overwrites the last."""
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
        lines = np.ndarray((step, rows), line, output, offset=len(self.frame[0]), strides=strides)
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
        before, after = self.frame
        grids = self.puzzle.layout.answers(packed)
        return b"".join(before + b"/".join(line.encode() for line in grid.each_line()) + after for grid in grids)

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
                self._measure()
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

    def _measure(self) -> None:
        """Count the whole lines, and check that the last bytes have this layout."""
        layout = self.layout
        self.count, torn = divmod(os.fstat(self._descriptor).st_size, layout.size)
        # A torn line is cut off later, so make sure first that it is one and not the text of another file.
        if not layout.begins(os.pread(self._descriptor, torn, self.count * layout.size)):
            raise self._foreign(self.count + 1)

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
        for piece in self.layout.pieces(packed):
            self._append(memoryview(piece))

    def _append(self, data: memoryview) -> None:
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
            if self._plain:
                with contextlib.suppress(OSError):
                    self.begin()  # without the torn line
            kept = f"; the {self.count} solutions in it are complete" if self._plain else ""
            raise InputError(self.path, f"{error.strerror or 'cannot be written'}{kept}") from None


_MAX_RECENT = 1 << 16  # solutions


class SolutionSet:
    """A set of packed solutions of one layout.

    Whole solutions are stored, not digests, so that a difference has a witness. The most recent are in a dictionary.
    When these are many, they move to sorted arrays, which take no more memory than the solutions. Each array is longer
    than the next, so that a million solutions are in four.

    Examples:
        >>> layout = Layout(1, 8)
        >>> solutions = SolutionSet(layout)
        >>> solutions.add(b"ab"), solutions.add(b"bcc"), len(solutions)
        ([], [0, 2], 3)
        >>> solutions.holds(b"cd"), solutions.lacking(SolutionSet(layout))
        ([True, False], (3, b'a'))
    """

    def __init__(self, layout: Layout) -> None:
        self._size, self._parts = layout.size, layout.parts
        self._recent: dict[bytes, None] = {}  # in the order in which they came
        self._sorted: list[NDArray[np.bytes_]] = []

    def __len__(self) -> int:
        return len(self._recent) + sum(map(len, self._sorted))

    def add(self, packed: bytes) -> list[int]:
        """Add some solutions, and return the indices of those that are repetitions."""
        repeated = []
        for index, (solution, is_old) in enumerate(zip(self._parts(packed), self._is_sorted(packed), strict=True)):
            if is_old or solution in self._recent:
                repeated.append(index)
            else:
                self._recent[solution] = None
        if len(self._recent) > _MAX_RECENT:
            self._sort()
        return repeated

    def holds(self, packed: bytes) -> list[bool]:
        """Return for each of some solutions whether it is in this set."""
        pairs = zip(self._parts(packed), self._is_sorted(packed), strict=True)
        return [is_old or solution in self._recent for solution, is_old in pairs]

    def lacking(self, other: SolutionSet) -> tuple[int, bytes]:
        """Return the number of solutions in this set that another lacks, and the first of them."""
        count, first = 0, b""
        for packed in self._batches():
            places = [place for place, is_held in enumerate(other.holds(packed)) if not is_held]
            if places and not count:
                first = packed[places[0] * self._size :][: self._size]
            count += len(places)
        # A scan, not the index of the other list: an error in the index would accuse a right backend.
        if count and any(first in other._parts(packed) for packed in other._batches()):
            raise InternalError("a set lacks a solution that is in it")
        return count, first

    def _batches(self) -> Iterator[bytes]:
        yield b"".join(self._recent)
        for words in self._sorted:
            for first in range(0, len(words), _MAX_RECENT):
                yield words[first : first + _MAX_RECENT].tobytes()

    def _is_sorted(self, packed: bytes) -> Sequence[bool]:
        """Return for each of some solutions whether it is in one of the arrays."""
        if not self._sorted:
            return [False] * (len(packed) // self._size)
        import numpy as np

        words = np.frombuffer(packed, f"S{self._size}")
        found = np.zeros(len(words), bool)
        for part in self._sorted:
            found |= part.take(np.searchsorted(part, words), mode="clip") == words
        return found.tolist()

    def _sort(self) -> None:
        """Move the recent solutions to an array, and merge it with those that are not longer."""
        import numpy as np

        part = np.sort(np.frombuffer(b"".join(self._recent), f"S{self._size}"))
        self._recent = {}
        while self._sorted and len(self._sorted[-1]) <= len(part):
            part = np.concatenate([self._sorted.pop(), part])
            part.sort(kind="stable")  # which merges sorted parts, in place
        self._sorted.append(part)
