"""Lists of solutions as text: their order, the file with its one writer, and a reader of what other programs write."""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
from collections.abc import Iterable, Iterator
from typing import Any, Self

from crosslit.base.errors import InputError
from crosslit.base.grid import DIGITS, Grid, Layout, text_of
from crosslit.base.text import shorten

_MAX_UNBATCHED = 8  # solutions: below, numpy is not worth its import
_MAX_SHOWN = 40  # characters of a line in a message
_MIRRORED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
_CELLS = str.maketrans(".#", "01")


def lines_of(packed: bytes, layout: Layout) -> bytes:
    r"""Return the text of some solutions: the one-line form of each on a line.

    Examples:
        >>> lines_of(bytes([9, 6]), Layout(2, 2))
        b'10/01\n01/10\n'
    """
    if _are_few(packed, layout) or layout.states > DIGITS.index("a"):
        return "".join(f"{grid.text}\n" for grid in layout.grids(packed)).encode()
    import numpy as np

    cells = layout.unpack(packed) + np.uint8(ord("0"))
    lines = np.full((len(cells), layout.rows, layout.columns + 1), ord("/"), np.uint8)
    lines[:, -1, -1] = ord("\n")
    # A row of cells is copied as one element: four times as fast as cell by cell.
    row = np.dtype(("V", layout.columns))
    rows = np.ndarray((len(cells), layout.rows), row, lines, 0, lines.strides[:2])
    rows[:] = cells.view(row)
    return lines.tobytes()


def _are_few(packed: bytes, layout: Layout) -> bool:
    return len(packed) <= _MAX_UNBATCHED * layout.size


def not_ascending(last: bytes, packed: bytes, layout: Layout) -> int | None:
    """Return the index of the first packed solution whose one-line form is not above the previous one, or None."""
    records, size = last + packed, layout.size
    if layout.width != 1:
        # The highest bit of a cell weighs most, so it becomes the first.
        import numpy as np

        bits = np.unpackbits(np.frombuffer(records, (np.uint8, (size,))), 1, layout.bits, "little")
        cells = bits.reshape(len(bits), layout.rows * layout.columns, layout.width)
        turned = np.flip(cells, 2).reshape(bits.shape)
        records = np.packbits(turned, 1, "little").tobytes()
    # With the first cell of a byte in its highest bit, bytes compare like one-line forms.
    records = records.translate(_MIRRORED)
    if _are_few(records, layout):
        words = layout.parts(records)
        falls = [number for number in range(1, len(words)) if words[number] <= words[number - 1]]
    else:
        import numpy as np

        array = np.frombuffer(records, f"S{size}")
        falls = (np.flatnonzero(array[1:] <= array[:-1]) + 1).tolist()
    return falls[0] - len(last) // size if falls else None


class SolutionFile:
    """A new list of solutions on disk, which has whole lines however its writer ends.

    Every fault is an `InputError`. A special file (``/dev/null``, a named pipe) is written to as it is.
    """

    def __init__(self, path: str, layout: Layout) -> None:
        self.path, self.layout = path, layout
        is_new = not os.path.exists(path) or stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116
        try:
            self._file = open(path, "xb" if is_new else "wb", buffering=0)  # noqa: PTH123, SIM115
        except FileExistsError:
            reason = "expected a new file: it exists already (--check-list finds what a list lacks)"
            raise InputError(path, reason) from None
        except OSError as error:
            raise InputError(path, error.strerror or "cannot be written") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def append(self, packed: bytes) -> None:
        """Write some solutions; if there is no room for all, write those that fit and raise an error."""
        data = memoryview(lines_of(packed, self.layout))
        try:
            while data:
                data = data[self._file.write(data) :]
        # A reader such as `head` has enough: the command ends quietly, as others in a pipeline do.
        except BrokenPipeError:
            raise
        except OSError as error:
            line, kept = self.layout.rows * (self.layout.columns + 1), ""
            with contextlib.suppress(OSError):  # of a device, which has no size
                number = self._file.tell() // line
                self._file.truncate(number * line)
                kept = f"; the {number} solutions in it are complete"
            raise InputError(self.path, f"{error.strerror or 'cannot be written'}{kept}") from None


class SolutionReader:
    """A reader of lines, which may begin a solution in one line and end it in another.

    Examples:
        >>> reader = SolutionReader(Layout(2, 2))
        >>> lines = ['{"solution": ["10", "01"]}', "v 1 -2", "v -3 4 0", "[[1, 0], [0, 1]]", "1 -2 -3 4", "#.", ".#"]
        >>> {found.text for _, found in reader.read(lines)}
        {'10/01'}
        >>> for number, found in reader.read(["#.", "", "1"]):
        ...     print(number, found)
        1 expected 2 rows of 2 cells, found '#.'
        3 expected 2 rows of 2 cells, found '1'
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._rows: list[str] = []  # of a picture whose end has not been read
        self._literals: list[int] = []  # of a model whose end has not been read
        self._first, self._text = 0, ""  # the first of these lines

    def read(self, lines: Iterable[str]) -> Iterator[tuple[int, Grid | ValueError]]:
        """Yield the solutions, or the reasons why there is none, with the number of the first line of each, from 1."""
        for number, line in enumerate(lines, 1):
            text = line.strip()
            # Tested first: the letters before the lines of a SAT solver are digits where cells have many states.
            is_row = self._is_row(text)
            if self._rows and not is_row:
                yield from self._end()
            if not text or (re.match(r"[cs](\s|$)", text) and not is_row):  # remarks, and the verdict of a SAT solver
                continue
            if not (self._rows or self._literals):
                self._first, self._text = number, text
            try:
                grid = self._of_row(text) if is_row else self._of(text)
            except (ValueError, TypeError, RecursionError) as error:
                self._literals.clear()
                yield self._wrong(error)
            else:
                if grid is not None:
                    yield self._first, grid
        yield from self._end()

    def _end(self) -> Iterator[tuple[int, ValueError]]:
        """Yield the problem of a solution that has begun and does not go on, if there is one."""
        if self._rows or self._literals:
            yield self._wrong(f"expected {self._layout.rows} rows of {self._layout.columns} cells")
        self._rows.clear()
        self._literals.clear()

    def _wrong(self, reason: object) -> tuple[int, ValueError]:
        return self._first, ValueError(f"{reason}, found {shorten(self._text, _MAX_SHOWN)!r}")

    def _of_row(self, text: str) -> Grid | None:
        """Return the solution that a row of a picture ends; None if it ends none."""
        self._rows.append(text)
        if len(self._rows) < self._layout.rows:
            return None
        rows, self._rows = self._rows, []
        return self._grid(rows)

    def _of(self, text: str) -> Grid | None:
        """Return the solution that another line ends; None if it ends none."""
        if text[0] in '{["':
            value = json.loads(text)
            if isinstance(value, dict):
                if "solution" not in value and "task" in value:  # the end of a list by `crosslit enumerate --json`
                    return None
                if "solution" not in value:
                    raise ValueError('expected an object such as {"solution": "10/01"}')
                value = value["solution"]
            return self._grid(value)
        if re.fullmatch(r"v(\s+-?\d+)*", text):
            self._literals += map(int, text.split()[1:])
            if self._literals[-1:] != [0]:
                return None
            literals, self._literals = self._literals, []
            return self._model(literals)
        if re.fullmatch(r"-?\d+(\s+-?\d+)+", text) and self._is_model(numbers := [*map(int, text.split())]):
            return self._model(numbers)
        return self._grid(text)

    def _is_row(self, text: str) -> bool:
        cells = _cells(text)
        return len(cells) == self._layout.columns and set(cells) <= {*DIGITS[: self._layout.states]}

    def _is_model(self, numbers: list[Any]) -> bool:
        """Return whether numbers are literals rather than cells: no cell has a sign, or a value of its states."""
        return any(number < 0 or number >= self._layout.states for number in numbers)

    def _grid(self, value: Any) -> Grid:
        if isinstance(value, list) and all(type(number) is int for number in value) and self._is_model(value):
            return self._model(value)
        if isinstance(value, list) and self._layout.rows == 1 and not any(isinstance(row, list | str) for row in value):
            value = [value]
        return self._layout.parse(_cells(text_of(value).replace("\n", "/")))

    def _model(self, literals: list[int]) -> Grid:
        """Return the solution of a model, whose first variables are those of the cells."""
        given, states = {*literals}, self._layout.states
        variables = range(1, self._layout.variables + 1)
        if any((variable in given) == (-variable in given) for variable in variables):
            raise ValueError(f"expected a literal for each of the {len(variables)} variables of the cells")
        chosen = "".join("1" if variable in given else "0" for variable in variables)
        if states > 2 and any(cell.count("1") != 1 for cell in re.findall(f".{{{states}}}", chosen)):
            raise ValueError("expected one value for each cell")
        return self._layout.decode(chosen)


def _cells(text: str) -> str:
    return "".join(text.replace(",", " ").split()).translate(_CELLS)
