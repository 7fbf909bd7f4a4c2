"""Puzzles as JSON: the objects that `crosslit verify` sends, or the clues of a nonogram as lists."""

from __future__ import annotations

import json
import re
from typing import Any

from crosslit.base.errors import InputError
from crosslit.formats._format import parse_text
from crosslit.kinds import Puzzle, all_kinds, find_kind, kind_of
from crosslit.kinds.registry import OWN

NAME = "json"
PRIORITY = 92
EXTENSIONS = frozenset({".json"})
HEAD = re.compile(r"\s*(?:\{|\[\s*[\[0-9])")
SUMMARY = 'puzzle of any kind: {"rows": [[2], [1]], "columns": [[1], [2]]} and the like, or [ROWS, COLUMNS]'
EXAMPLE = '{"rows": [[2], [1]], "columns": [[1], [2]]}\n'

_EXPECTED = f"expected an object with rows and columns or with lit, or [ROWS, COLUMNS], such as {EXAMPLE.strip()}"
_MAX_NESTED = 50  # maximum nesting of lists; clues take three


def parse(text: str, origin: str) -> Puzzle:
    """Return the puzzle in a text: an object, two lists in one, or two lists in sequence.

    Objects are those of ``docs/reference/verify-protocol.md``: ``rows`` and ``columns`` of a nonogram; ``lit`` of a
    board, with ``press``, ``wrap`` and ``missing`` for unusual rules; ``kind``, ``states``, ``lights`` and the rules of
    a board with k states. A puzzle of any kind has a ``kind`` and its ``text``.
    """
    record = _read(text, origin)
    if isinstance(record, list) and len(record) == 2:
        record = {"rows": record[0], "columns": record[1]}
    if not isinstance(record, dict):
        raise InputError(origin, _EXPECTED)
    kind, line = record.get("kind"), record.get("text")
    if kind is None:
        # The keys decide. Sizes as numbers are no clues.
        own = (name for name in OWN if all(type(record.get(key, 0)) is not int for key in find_kind(name).data_keys))
        kind = next(own, None)
        if kind is None:
            raise InputError(origin, _EXPECTED)
    if not isinstance(kind, str) or (kind not in OWN and kind not in all_kinds()):
        raise InputError(origin, f"unknown kind {json.dumps(kind)[:40]}: expected one of {', '.join(all_kinds())}")
    found = find_kind(kind)
    if found.read_data is not None and all(type(record.get(key, 0)) is not int for key in found.data_keys):
        puzzle = found.read_data(record, origin)
        if isinstance(line, str) and parse_text(found, line, origin) != puzzle:
            raise InputError(origin, f'expected "text" and {" and ".join(found.data_keys)} of one puzzle, found two')
        return puzzle
    if not isinstance(line, str):
        if found.data_keys and all(key in record for key in found.data_keys):
            raise InputError(origin, f"expected lists in {' and '.join(found.data_keys)}, not a number")
        raise InputError(origin, f'expected "text", the one-line form of a puzzle of the kind {kind}')
    return parse_text(found, line, origin)


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
    except InputError:
        raise
    except (ValueError, RecursionError):  # of a number with more digits than Python reads, or deep nesting
        raise InputError(origin, _EXPECTED) from None
    return [record, other]


def write(puzzle: Puzzle) -> str:
    """Return the object of a puzzle, on one line."""
    data = puzzle.data if kind_of(puzzle).read_data else {"text": puzzle.text}
    return json.dumps({"kind": puzzle.kind, **data}) + "\n"
