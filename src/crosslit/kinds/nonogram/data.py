"""Nonograms as JSON values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from crosslit.base.errors import InputError
from crosslit.kinds.clue_puzzle import LENGTHS
from crosslit.kinds.nonogram.puzzle import Nonogram


def read_data(record: Mapping[str, Any], origin: str) -> Nonogram:
    """Read a nonogram from its data, as `Nonogram.data` gives them."""
    return Nonogram(_clues(record["rows"], "row", origin), _clues(record["columns"], "column", origin))


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
        if not isinstance(blocks, list) or not all(type(block) is int and block in LENGTHS for block in blocks):
            what = f"{axis} {number}: expected positive whole numbers, found {json.dumps(clue)[:20]}"
            raise InputError(origin, what)
        read.append(blocks)
    return read
