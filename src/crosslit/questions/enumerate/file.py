"""The file of a list of solutions: whole records only, and one writer at a time."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from typing import Self

from crosslit.errors import InputError
from crosslit.questions.enumerate.listing_format import ListingFormat
from crosslit.sandbox.posix import fcntl, require_isolation

_CHUNK = 1 << 20


class SolutionFile:
    """A list of solutions on disk, new or continued; every fault is an `InputError`.

    A killed process always leaves a list of whole solutions, perhaps followed by a truncated record, which is removed
    when the list is continued. A file that is not a list of this layout is not modified. A special file
    (``/dev/null``, a named pipe) is only written to.
    """

    def __init__(self, path: str, layout: ListingFormat, resume: bool) -> None:
        require_isolation()
        self.path = path
        self.layout = layout
        self.count = 0
        try:
            # Devices and pipes have no records to count and no place to return to, so they are only written to.
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
        """Count the whole records, and check that the last bytes have this layout."""
        layout = self.layout
        self.count, torn = divmod(os.fstat(self._descriptor).st_size, layout.size)
        # A torn record is cut off later, so make sure first that it is one and not the text of another file.
        if not layout.begins(os.pread(self._descriptor, torn, self.count * layout.size)):
            raise self._foreign(self.count + 1)

    def _foreign(self, number: int) -> InputError:
        of = f"solutions of this puzzle as {self.layout.name}"
        return InputError(self.path, f"expected a list of {of}, found something else at record {number}")

    def records(self) -> Iterator[bytes]:
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
        """Remove a truncated record, and prepare to append."""
        if not self._plain:
            return
        os.ftruncate(self._descriptor, self.count * self.layout.size)
        os.lseek(self._descriptor, 0, os.SEEK_END)

    def append(self, packed: bytes) -> None:
        """Write some solutions; if there is no room for all, write those that fit and raise an error."""
        for piece in self.layout.pieces(packed):
            self._append(memoryview(piece))

    def _append(self, data: memoryview) -> None:
        records = len(data) // self.layout.size
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
            self.count += records
        # A reader such as `head` has enough: the command ends quietly, as others in a pipeline do.
        except BrokenPipeError:
            raise
        except OSError as error:
            # Rounded up: the record in which the write stopped is not whole.
            self.count += records - -(-len(data) // self.layout.size)
            if self._plain:
                with contextlib.suppress(OSError):
                    self.begin()  # without the torn record
            kept = f"; the {self.count} solutions in it are complete" if self._plain else ""
            raise InputError(self.path, f"{error.strerror or 'cannot be written'}{kept}") from None
