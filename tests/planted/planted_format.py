"""A format of another distribution: nonograms as JSON, read and written."""

from __future__ import annotations

import json

from crosslit import InputError, Nonogram

NAME = "planted-json"
EXTENSIONS = frozenset({".planted", ".non"})  # the second is Crosslit's own
SUMMARY = "nonogram: a JSON object with the clues of rows and columns"


def sniff(text):
    """Whether it begins with the first key."""
    if text.startswith("Dear Sir"):
        raise KeyError("no letters, please")
    return text.lstrip().startswith('{"rows"')


def parse(text, origin):
    """The nonogram of a text."""
    try:
        found = json.loads(text)
        return Nonogram(found["rows"], found["columns"])
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise InputError(origin, f"expected JSON with rows and columns, found {type(error).__name__}") from None


def write(puzzle):
    """The text of a nonogram."""
    if not isinstance(puzzle, Nonogram):
        raise ValueError(f"the format {NAME} holds nonograms, not a {puzzle.kind}")
    return json.dumps({"rows": puzzle.row_clues, "columns": puzzle.column_clues}) + "\n"
