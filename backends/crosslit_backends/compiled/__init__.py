"""The compiled kernel: its sources in C, the library that the installation compiled, and the base of its backends.

`hatch_build.py` compiles them. Nothing in Python here may search: backends that check each other share it.
`crosslit_backends.nonogram.kernel` and `crosslit_backends.nonogram.alignment` call the library.
"""

from __future__ import annotations

import functools
import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from crosslit.base.grid import Grid
from crosslit.contract import Certificate, GaveUp, Option, Options, Task
from crosslit.kinds import Nonogram, Puzzle
from crosslit_backends.base import Native

if TYPE_CHECKING:
    import ctypes

MAX_CELLS = 1 << 24
"""Cells of the largest puzzle: the kernel allocates about 64 bytes for each before it starts."""

STEP = 20_000_000
"""Work of one call, about 20 ms; interrupts are handled between calls.

It counts operations and not time, so that a run can be repeated exactly.
"""

MAX_BATCH, MAX_BATCH_BYTES = 1 << 12, 1 << 19
"""Number of solutions in the largest batch, and their bytes."""

OPTION = Option("whether the compiled kernel searches; default yes if there is one", choices=("yes", "no"))

_HOME = Path(__file__).parent
_LIBRARY = _HOME / "_kernel.so"


@functools.cache
def missing() -> str:
    """Return why the library cannot be used, such as ``CROSSLIT_KERNEL=0`` in the environment; empty if it can."""
    if os.environ.get("CROSSLIT_KERNEL") == "0":
        return "switched off by CROSSLIT_KERNEL=0"
    try:
        state = (_HOME / "_kernel.txt").read_text(encoding="utf-8").strip()
    except OSError:
        return "not compiled: install Crosslit again"
    if not state.startswith("built "):
        return state
    sources = b"".join(source.read_bytes() for source in sorted(_HOME.glob("*.[ch]")))
    try:  # loading a truncated library would crash the process
        library = zlib.crc32(_LIBRARY.read_bytes())
    except OSError as error:
        return f"{_LIBRARY}: {error.strerror}"
    if state != f"built {zlib.crc32(sources):08x} {library:08x}":
        return "the library is damaged or older than its sources: install Crosslit again"
    return ""


def load(prefix: str, *functions: tuple[Any, ...]) -> ctypes.CDLL:
    """Load the library, and declare its functions with a prefix: each by its name, its result and its arguments."""
    import ctypes

    library = ctypes.CDLL(str(_LIBRARY))
    for name, result, *arguments in functions:
        function = getattr(library, f"{prefix}{name}")
        function.restype, function.argtypes = result, arguments
    return library


def implementation() -> str:
    """Return a phrase for the version of a backend: whether the kernel is compiled, and if not, why."""
    problem = missing()
    return f"kernel: none, pure Python runs ({problem})" if problem else "kernel: compiled"


def is_used(puzzle: Puzzle, options: Options) -> bool:
    """Return whether the kernel searches: always if it can, unless the option ``kernel`` is ``no``."""
    return options.get("kernel") != "no" and not _unusable(puzzle)


class KernelBackend(Native):
    """A solver of nonograms that the compiled kernel runs, unless the option ``kernel`` is ``no``."""

    options: ClassVar[Mapping[str, Option]] = {"kernel": OPTION}
    unordered = True
    seldom: tuple[str, ...] = ("crosslit_backends.nonogram.loaded_kernel",)

    def version(self) -> str:
        """Return the version of Crosslit, and which implementation runs."""
        return f"{super().version()}, {implementation()}"

    def unsupported_reason(self, puzzle: Puzzle, options: Options) -> str | None:
        """Return why the kernel cannot search this puzzle although the options demand it, or None."""
        if options.get("kernel") == "yes" and (problem := _unusable(puzzle)):
            return f"kernel=yes, but {problem}"
        return None

    def certify(self, puzzle: Nonogram, task: Task, solutions: Sequence[Grid]) -> Certificate:  # noqa: ARG002
        """Return a certificate with the two sums, or with the clue that does not fit; of one colour only."""
        body = None if solutions or puzzle.palette else _contradiction(puzzle)
        if body is None:
            raise GaveUp("the end of its search is not evidence in itself")
        return Certificate("nonogram-sums", puzzle.id, "unsolvable", 0, body)


def _contradiction(puzzle: Nonogram) -> dict[str, str] | None:
    for axis, clues, has in (("row", puzzle.row_clues, puzzle.columns), ("column", puzzle.column_clues, puzzle.rows)):
        for line, clue in enumerate(clues, 1):
            needs = sum(clue) + len(clue) - 1
            if needs > has:
                return {"axis": axis, "line": str(line), "needs": f"{needs:d}", "has": str(has)}
    rows, columns = puzzle.sums
    return {"rows": str(rows), "columns": str(columns)} if rows != columns else None


def _unusable(puzzle: Puzzle) -> str:
    cells = puzzle.rows * puzzle.columns
    return f"{cells} cells are too many for the kernel" if cells > MAX_CELLS else missing()
