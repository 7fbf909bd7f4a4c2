"""Puzzles as JSON: the objects that `crosslit verify` sends; other objects and lists are read as `lists`."""

from __future__ import annotations

import json
import re
from typing import Any

from crosslit.base.errors import InputError
from crosslit.formats import lists
from crosslit.formats._format import Format, parse_text
from crosslit.kinds import Puzzle, all_kinds, find_kind, kind_of
from crosslit.kinds.registry import OWN

_HEAD = re.compile(r'\s*(?:\{\s*"|\[\s*(?:[\[0-9]|[tT]rue|[fF]alse))')
_OWN = re.compile(r'"(?:kind|text|lit|rows"\s*:\s*\[)')
_MAX_NESTED = 50  # maximum nesting of lists; clues take three


def parse(text: str, origin: str) -> Puzzle:
    """Return the puzzle in a text.

    Objects are those of ``docs/reference/verify-protocol.md``: ``rows`` and ``columns`` of a nonogram; ``lit`` of a
    board, with ``press``, ``wrap`` and ``missing`` for unusual rules; ``kind``, ``states``, ``lights`` and the rules of
    a board with k states. A puzzle of any kind has a ``kind`` and its ``text``.
    """
    # Deep nesting is refused before parsing: whether the parser raises RecursionError depends on the caller's stack.
    if text.count("[") > _MAX_NESTED and re.search(r"(?:\[\s*){50}", text):
        raise InputError(origin, "expected lists of clues or of cells, found lists nested too deeply")
    record: Any = None
    try:
        record = json.loads(text)
    except json.JSONDecodeError as error:
        if lists.detect(text) is None:
            raise InputError(origin, f"expected JSON: {error.msg}, column {error.colno}", error.lineno) from None
    except (ValueError, RecursionError):  # of a number with more digits than Python reads, or deep nesting
        raise InputError(origin, "expected JSON with numbers of at most nine digits") from None
    if not isinstance(record, dict):
        return lists.parse(text, origin)
    kind, line = record.get("kind"), record.get("text")
    if kind is None:
        # The keys decide. Sizes as numbers are no clues.
        kind = next((name for name in OWN if _has_data(record, name)), None)
        if kind is None:
            return lists.parse(text, origin)
    if not isinstance(kind, str) or (kind not in OWN and kind not in all_kinds()):
        raise InputError(origin, f"unknown kind {json.dumps(kind)[:40]}: expected one of {', '.join(all_kinds())}")
    found = find_kind(kind)
    if found.read_data is not None and _has_data(record, kind):
        puzzle = found.read_data(record, origin)
        if isinstance(line, str) and parse_text(found, line, origin) != puzzle:
            raise InputError(origin, f'expected "text" and {" and ".join(found.data_keys)} of one puzzle, found two')
        return puzzle
    if not isinstance(line, str):
        raise InputError(origin, f'expected "text", the one-line form of a puzzle of the kind {kind}')
    return parse_text(found, line, origin)


def _has_data(record: dict[str, Any], kind: str) -> bool:
    return all(type(record.get(key, 0)) is not int for key in find_kind(kind).data_keys)


def write(puzzle: Puzzle) -> str:
    """Return the object of a puzzle, on one line."""
    data = puzzle.data if kind_of(puzzle).read_data else {"text": puzzle.text}
    return json.dumps({"kind": puzzle.kind, **data}) + "\n"


JSON = Format(
    name="json",
    summary='puzzle of any kind: {"rows": [[2], [1]], "columns": [[1], [2]]} and the like, or lists',
    example='{"rows": [[2], [1]], "columns": [[1], [2]]}\n',
    extensions=(".json",),
    detect=lambda text: (_OWN.search(text) is None and lists.detect(text)) or "" if _HEAD.match(text) else None,
    reader=lambda text, origin: [parse(text, origin)],
    writer=write,
)
