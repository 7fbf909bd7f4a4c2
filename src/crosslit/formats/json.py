"""Puzzles as JSON: the objects that `crosslit verify` sends, or the clues of a nonogram as lists."""

from __future__ import annotations

import json
import re
from typing import Any

from crosslit.errors import InputError
from crosslit.formats import board, clues
from crosslit.formats._format import parse_text
from crosslit.grid import Grid
from crosslit.kinds import LightsOut, Nonogram, Puzzle, all_kinds

NAME = "json"
PRIORITY = 92
EXTENSIONS = frozenset({".json"})
HEAD = re.compile(r"\s*(?:\{|\[\s*[\[0-9])")
SUMMARY = 'puzzle of any kind: {"rows": [[2], [1]], "columns": [[1], [2]]} and the like, or [ROWS, COLUMNS]'
EXAMPLE = '{"rows": [[2], [1]], "columns": [[1], [2]]}\n'

_EXPECTED = f"expected an object with rows and columns or with lit, or [ROWS, COLUMNS], such as {EXAMPLE.strip()}"
_MAX_NESTED = 50  # maximum nesting of lists; clues take three


def parse(text: str, origin: str) -> Puzzle:
    r"""Return the puzzle in a text: an object, two lists in one, or two lists in sequence.

    Objects are those of ``docs/reference/verify-protocol.md``: ``rows`` and ``columns`` of a nonogram; ``lit`` of a
    board, with ``press``, ``wrap`` and ``missing`` for unusual rules. A puzzle of any kind has a ``kind`` and its
    ``text``.

    Examples:
        >>> parse('{"rows": [[2], [1]], "columns": [[1], [2]]}', "here").text
        '2,1|1,2'
        >>> parse("[[2, 1], [1, 2]]", "here").text, parse("[[2], [1]]\n[[1], [2]]", "here").text
        ('2,1|1,2', '2,1|1,2')
        >>> parse('{"kind": "lights-out", "lit": ["10", "01"]}', "here").text
        '10/01'
    """
    record = _read(text, origin)
    if isinstance(record, list) and len(record) == 2:
        return _nonogram(record[0], record[1], origin)
    if not isinstance(record, dict):
        raise InputError(origin, _EXPECTED)
    kind, line = record.get("kind"), record.get("text")
    # Without a kind, the keys decide. Sizes as numbers are no clues.
    if kind in (None, Nonogram.kind) and {"rows", "columns"} <= record.keys() and not isinstance(record["rows"], int):
        return _nonogram(record["rows"], record["columns"], origin)
    if kind in (None, LightsOut.kind) and "lit" in record:
        return _board(record, origin)
    if kind is None:
        raise InputError(origin, _EXPECTED)
    if not isinstance(kind, str) or kind not in all_kinds():
        raise InputError(origin, f"unknown kind {json.dumps(kind)[:40]}: expected one of {', '.join(all_kinds())}")
    if not isinstance(line, str):
        raise InputError(origin, f'expected "text", the one-line form of a puzzle of the kind {kind}')
    own = {LightsOut.kind: board, Nonogram.kind: clues}.get(kind)
    return own.parse(line, origin) if own else parse_text(all_kinds()[kind].puzzle, line, origin)


def _read(text: str, origin: str) -> Any:
    # Deep nesting is refused before parsing: whether the parser raises RecursionError depends on the caller's stack.
    if text.count("[") > _MAX_NESTED and re.search(r"(?:\[\s*){50}", text):
        raise InputError(origin, _EXPECTED)
    decoder = json.JSONDecoder()
    text = text.strip()
    try:
        record, end = decoder.raw_decode(text)
        # Two lists may follow each other with a comma, a line end or nothing between them.
        rest = text[end:].strip().removeprefix(",").strip()
        if not rest:
            return record
        other, end = decoder.raw_decode(rest)
        if rest[end:].strip() or not (isinstance(record, list) and isinstance(other, list)):
            raise InputError(origin, "expected one puzzle in JSON, found more after it")
    except json.JSONDecodeError as error:
        raise InputError(origin, f"expected JSON: {error.msg}, column {error.colno}", error.lineno) from None
    except RecursionError:
        raise InputError(origin, _EXPECTED) from None
    return [record, other]


def _nonogram(rows: Any, columns: Any, origin: str) -> Nonogram:
    return Nonogram(_clues(rows, "row", origin), _clues(columns, "column", origin))


def _clues(clues: Any, axis: str, origin: str) -> list[list[int]]:
    if not isinstance(clues, list) or not clues:
        raise InputError(origin, f"expected a list of {axis} clues such as [[2], [1, 1]], found {str(clues)[:20]}")
    read = []
    for number, clue in enumerate(clues, 1):
        # A clue of one block may be a number by itself.
        blocks = [clue] if isinstance(clue, int) else clue
        if blocks == [0]:
            blocks = []
        # `type` and not `isinstance`: true and false are integers for Python.
        if not isinstance(blocks, list) or not all(type(block) is int and 0 < block < 10**9 for block in blocks):
            what = f"{axis} {number}: expected positive whole numbers, found {json.dumps(clue)[:20]}"
            raise InputError(origin, what)
        read.append(blocks)
    return read


def _board(record: dict[str, Any], origin: str) -> LightsOut:
    lit, missing = _grid(record["lit"], "lit", origin), None
    if "missing" in record:
        missing = _grid(record["missing"], "missing", origin)
    wrap, press = record.get("wrap", "none"), record.get("press", "plus")
    try:
        pattern = board.pattern(press, origin) if isinstance(press, str) else tuple((row, at) for row, at in press)
        return LightsOut(lit, pattern, wrap, missing=missing)
    except (TypeError, ValueError) as error:
        raise error if isinstance(error, InputError) else InputError(origin, str(error)) from None


def _grid(lines: Any, key: str, origin: str) -> Grid:
    text = "/".join(lines) if isinstance(lines, list) and all(isinstance(line, str) for line in lines) else lines
    try:
        return Grid.from_text(text)
    except (TypeError, ValueError, AttributeError):
        raise InputError(origin, f'expected "{key}": ["10", "01"], rows of 0 and 1, found {str(lines)[:20]}') from None


def write(puzzle: Puzzle) -> str:
    """Return the object of a puzzle, on one line."""
    # The keys of other kinds mean nothing to `parse`.
    own = isinstance(puzzle, (LightsOut, Nonogram))
    return json.dumps({"kind": puzzle.kind, **(puzzle.data if own else {"text": puzzle.text})}) + "\n"
