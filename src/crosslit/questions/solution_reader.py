"""Solutions as other programs write them: on a line, as JSON, as literals of a model, or as rows of a picture."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from crosslit.base.grid import DIGITS, Grid, text_of
from crosslit.base.layout import Layout

_CELLS = str.maketrans(".#", "01")


class SolutionReader:
    r"""A reader of lines, which may begin a solution in one line and end it in another.

    Examples:
        >>> reader = SolutionReader(Layout(2, 2))
        >>> lines = ['{"solution": ["10", "01"]}', "v 1 -2", "v -3 4 0", "[[1, 0], [0, 1]]", "1 -2 -3 4", "#.", ".#"]
        >>> {found.text for _, found in reader.read(enumerate(lines))}
        {'10/01'}
        >>> [(number, str(found)) for number, found in reader.read([(1, "#."), (2, ""), (3, "10/0")])]
        [(1, 'expected 2 rows of 2 cells'), (3, 'the rows of a grid have the same number of cells, at least one')]
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._rows: list[str] = []  # of a picture whose end has not been read
        self._literals: list[int] = []  # of a model whose end has not been read
        self._first = 0  # the number of the first of these lines

    @property
    def is_within(self) -> bool:
        """True if the last line ends no solution."""
        return bool(self._rows or self._literals)

    def read(self, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Grid | ValueError]]:
        """Yield the solutions, or the reasons why there is none, with the number of the first line of each."""
        for number, line in lines:
            text = line.strip()
            if self._rows and not self._is_row(text):
                yield from self.end()
            if not text or re.match(r"[cs](\s|$)", text):  # remarks, and the verdict of a SAT solver
                continue
            self._first = self._first if self.is_within else number
            try:
                grid = self._of(text)
            except (ValueError, TypeError, RecursionError) as error:
                self._literals.clear()
                yield self._first, ValueError(str(error))
            else:
                if grid is not None:
                    yield self._first, grid

    def end(self) -> Iterator[tuple[int, ValueError]]:
        """Yield the problem of a solution that has begun and does not go on, if there is one."""
        if self.is_within:
            yield self._first, ValueError(f"expected {self._layout.rows} rows of {self._layout.columns} cells")
        self._rows.clear()
        self._literals.clear()

    def _of(self, text: str) -> Grid | None:
        """Return the solution that a line ends; None if it ends none."""
        if text[0] in '{["':
            value = _DECODER.decode(text)
            if isinstance(value, dict):
                if "solution" not in value and "task" in value:  # the end of a list by `crosslit enumerate --json`
                    return None
                if "solution" not in value:
                    raise ValueError('expected an object such as {"solution": "10/01"}')
                value = value["solution"]
            return self._grid(value)
        if text[0] == "v" and re.fullmatch(r"v(\s+-?\d+)*", text):
            self._literals += map(int, text[1:].split())
            if self._literals[-1:] != [0]:
                return None
            literals, self._literals = self._literals[:-1], []
            return self._model(literals)
        if re.fullmatch(r"-?\d+(\s+-?\d+)+", text) and self._is_model(numbers := [*map(int, text.split())]):
            return self._model(numbers if numbers[-1] else numbers[:-1])
        if not self._is_row(text):
            return self._grid(text)
        self._rows.append(text)
        if len(self._rows) < self._layout.rows:
            return None
        rows, self._rows = self._rows, []
        return self._grid(rows)

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
        text = "/".join(map(_cells, re.split(r"[/\n]", text_of(value))))
        return self._layout.parse(text)

    def _model(self, literals: list[int]) -> Grid:
        """Return the solution of a model, whose first variables are those of the cells."""
        variables, true = self._layout.variables, {literal for literal in literals if literal > 0}
        known = {abs(literal) for literal in literals if 0 < abs(literal) <= variables}
        if len(known) < variables or len({*literals}) < len({*map(abs, literals)}):
            raise ValueError(f"expected a literal for each of the {variables} variables of the cells")
        chosen = "".join("1" if variable in true else "0" for variable in range(1, variables + 1))
        if self._layout.states > 2 and chosen.count("1") != self._layout.rows * self._layout.columns:
            raise ValueError("expected one value for each cell")
        return self._layout.decode(chosen)


def _cells(text: str) -> str:
    return "".join(text.replace(",", " ").split()).translate(_CELLS)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # JSON allows a key twice, and parsers differ in which one counts
    if len(record := dict(pairs)) < len(pairs):
        raise ValueError("a key is given twice")
    return record


_DECODER = json.JSONDecoder(object_pairs_hook=_object)
