"""A writer of TOML for campaign files; `tomllib` reads its output back unchanged."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any


def toml_text(record: Mapping[str, Any]) -> str:
    """Return the TOML of values, tables of values, and lists of such tables.

    Args:
        record: strings, numbers, booleans and lists of these; mappings of them; lists of mappings.

    Examples:
        >>> print(toml_text({"seed": 3, "puzzles": [{"family": "a"}], "limits": {"seconds": 2.5}}))
        seed = 3
        <BLANKLINE>
        [limits]
        seconds = 2.5
        <BLANKLINE>
        [[puzzles]]
        family = "a"
        <BLANKLINE>
    """
    plain = {key: value for key, value in record.items() if not _tables(value)}
    tables = sorted(record.keys() - plain.keys(), key=lambda key: (isinstance(record[key], list), key))
    parts = [*_lines(plain)]
    for key in tables:
        opening, closing = ("[[", "]]") if isinstance(record[key], list) else ("[", "]")
        for table in _tables(record[key]):
            parts += ["", f"{opening}{_key(key)}{closing}", *_lines(table)]
    return "\n".join([*parts, ""])


def _tables(value: Any) -> list[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        return [value]
    is_list = isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value)
    return value if is_list else []


def _lines(values: Mapping[str, Any]) -> Iterator[str]:
    for key, value in values.items():
        if isinstance(value, list | tuple) and len(value) > 1 and all(isinstance(item, str) for item in value):
            yield f"{_key(key)} = [\n{''.join(f'  {_word(item)},{chr(10)}' for item in value)}]"
        else:
            yield f"{_key(key)} = {_word(value)}"


def _key(key: str) -> str:
    return key if key.isascii() and key.replace("_", "").replace("-", "").isalnum() else _word(key)


def _word(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_key(key)} = {_word(item)}' for key, item in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_word, value))}]"
    # a JSON string, number or boolean is valid TOML, except for this character
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
