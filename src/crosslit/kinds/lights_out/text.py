"""Lights Out boards as text and as JSON: settings and rows of cells, one per line, or separated by / on one line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from crosslit.base.errors import InputError
from crosslit.base.grid import DIGITS, Grid
from crosslit.kinds.lights_out.board import MAX_STATES, LightsOut, ModularLightsOut
from crosslit.kinds.lights_out.rules import Offset

_CELLS = str.maketrans(".#", "01")
_REMARK = re.compile(r"(?:^|\s)#\s")
_NO_REMARK = str.maketrans("", "", "01.#_xXoO/, \t\r")


def parse(text: str, origin: str = "text") -> LightsOut:
    r"""Return the board in a text; remarks, blank lines around it and blanks at line ends are ignored.

    Settings may come before the rows: ``press=`` with the name of a pattern (``plus``, ``neighbours``, ``king``,
    ``diagonal``) or its picture, rows of 0 and 1 separated by commas, both sizes odd, centred on the pressed cell;
    ``wrap=`` with one of ``none``, ``horizontal``, ``vertical``, ``torus``. With ``edges=`` or ``matrix=`` and one row
    of lights it is a `ModularLightsOut`.

    Examples:
        >>> parse("#.\n.#\n", "here").text
        '10/01'
        >>> parse("press=111,111,111/wrap=torus/1_/00", "here").text
        'press=king/wrap=torus/1_/00'
    """
    lines: list[str] = []
    settings: dict[str, Any] = {}
    blank = None  # the first blank line after a row
    several = "\n" in text[:-1]
    for number, line in enumerate(text.split("\n"), 1):
        place = number if several else None
        written = line.strip()
        if "# " in written and written != (written := without_remark(written)) and not written:
            continue
        if not written:
            if (lines or settings) and blank is None:
                blank = place
            continue
        if blank is not None:
            raise InputError(origin, "expected a row of cells, found an empty one", blank)
        for row in written.split("/"):
            try:
                if "=" not in row:
                    lines.append(_cells(row, text, lines))
                elif lines:
                    raise ValueError(f"expected settings before all rows, found {row:.40}")
                else:
                    _set(settings, row, LightsOut)
            except ValueError as error:
                raise InputError(origin, str(error), place) from None
    if not lines:
        raise InputError(origin, "expected a board of 0 and 1, found nothing")
    lit, missing = _grids("/".join(lines), 2)
    board = ModularLightsOut if "graph" in settings else LightsOut
    try:
        return board(lit, missing=missing, **settings)
    except ValueError as error:
        raise InputError(origin, str(error)) from None


def _cells(row: str, text: str, before: list[str]) -> str:
    """Return a row of a text, perhaps with letters, or with blanks and commas between its cells, as 0, 1 and ``_``."""
    cells = row.translate(_CELLS)
    if not cells or cells.strip("01_"):
        # Letters are looked for only where the usual characters fail, because an O depends on the whole text.
        cells = re.sub(r"[\s,]+", "", row).translate(letter_cells(text)).translate(_CELLS)
        if strange := re.sub("[01_]", "", cells):
            raise ValueError(f"expected cells 0 or 1 (or . and #, O and X; _ missing), found {min(strange)!r}")
        if not cells:
            raise ValueError("expected a row of cells, found an empty one")
    if before and len(cells) != len(before[0]):
        where = "" if "\n" in text[:-1] else f" in row {len(before) + 1}"
        raise ValueError(f"expected {len(before[0])} cells as in the first row, found {len(cells)}{where}")
    return cells


def _grids(cells: str, states: int) -> tuple[Grid, Grid | None]:
    """Return the lights and the missing cells of rows of digits and ``_``."""
    lit = Grid.from_text(cells.replace("_", "0"), states)
    return lit, Grid.from_text(re.sub("[^_/]", "0", cells).replace("_", "1")) if "_" in cells else None


def without_remark(line: str) -> str:
    """Return a line of cells without a remark: a sign ``#`` and a blank, if not only cells follow."""
    sign = _REMARK.search(line)
    return line[: sign.start()].rstrip() if sign and line[sign.end() :].translate(_NO_REMARK) else line


@lru_cache(maxsize=1)  # asked for each row
def letter_cells(text: str) -> dict[int, int]:
    """Return the meaning of letters as cells: X is 1, and no cell where there is a 1; O is 0 if there is another 1."""
    rows = (row for line in text.split("\n") for row in without_remark(line).split("/") if "=" not in row)
    signs = set[str]().union(*rows)
    if "1" in signs:  # an X would be a slip, or a letter of something else
        return str.maketrans("oO", "00")
    return str.maketrans("xXoO", "1100" if signs & set("xX#") else "1111")


_SETTINGS = {"press": "pattern", "wrap": "wrap", "edges": "graph", "matrix": "graph"}
"""The arguments of `LightsOut` that settings stand for."""


def _set(settings: dict[str, Any], text: str, board: type[LightsOut], states: int = 2) -> None:
    """Read one setting into the arguments of a board; a ValueError says what was expected."""
    key, _, value = text.partition("=")
    if key not in _SETTINGS:
        raise ValueError(f"expected the setting press=, wrap=, edges= or matrix=, found {text:.40}")
    name = _SETTINGS[key]
    if name != "wrap" and settings.keys() & {"pattern", "graph"}:
        raise ValueError(f"expected one of press=, edges= and matrix=, found also {text:.40}")
    if name in settings:
        raise ValueError("expected wrap= once, found it twice")
    if name == "wrap" and value not in board.wraps:
        raise ValueError(f"expected wrap= with {', '.join(board.wraps)}, found {value[:40]!r}")
    if name == "pattern":
        settings[name] = _pattern(value, board, states)
    else:
        settings[name] = text if name == "graph" else value


def _pattern(text: str, board: type[LightsOut], states: int) -> tuple[Offset, ...]:
    """Return the press pattern that a name or a picture stands for; see `parse`."""
    if text in board.patterns:
        return board.patterns[text]
    rows, digits = text.translate(_CELLS).split(","), DIGITS[:states]
    height, width = len(rows), len(rows[0])
    if not height % 2 or not width % 2 or any(len(row) != width for row in rows) or {*"".join(rows)} - {*digits}:
        example = "010,121,010" if states > 2 else "010,111,010"
        names = f"{', '.join(board.patterns)}, or a picture of odd height and width such as {example}"
        raise ValueError(f"expected press= with {names}, found {text[:40]!r}")
    places = ((row, column) for row in range(height) for column in range(width))
    amounts = ((row - height // 2, column - width // 2, digits.index(rows[row][column])) for row, column in places)
    offsets = tuple(offset for offset in amounts if offset[2])
    if not offsets:
        raise ValueError("expected press= with at least one cell that is toggled")
    return offsets


def parse_modular(text: str, origin: str = "text") -> ModularLightsOut:  # noqa: ARG001
    """Read a board from its one-line form: ``modular-lights-out:``, k, settings, and rows, separated by ``/``."""
    head, _, rest = text.partition(":")
    states, *parts = rest.split("/")
    settings = [part for part in parts if "=" in part]
    lines = parts[len(settings) :]
    if head != ModularLightsOut.kind or not re.fullmatch("[0-9]{1,2}", states) or parts != settings + lines:
        form = "the number of states, settings and rows, as modular-lights-out:6/wrap=torus/012/345"
        raise ValueError(f"expected {ModularLightsOut.kind}: and {form}")
    return of_lights(int(states), lines, *settings)


def of_lights(states: int, lines: list[str], *settings: str) -> ModularLightsOut:
    """Return the board of lines of digits, with ``_`` for a missing cell, and of settings as in the one-line form."""
    lit, missing = _lights(states, lines)
    arguments: dict[str, Any] = {}
    for setting in settings:
        _set(arguments, setting, ModularLightsOut, states)
    return ModularLightsOut(lit, missing=missing, **arguments)


def _lights(states: Any, lines: Any) -> tuple[Grid, Grid | None]:
    """Return the lights and the missing cells of lines of digits and ``_``, checked."""
    if type(states) is not int or not 2 <= states <= MAX_STATES:
        raise ValueError(f"the number of states is 2 to {MAX_STATES}, not {states!r:.40}")
    is_text = isinstance(lines, list) and all(isinstance(line, str) for line in lines)
    if not is_text or not lines or not lines[0] or len({*map(len, lines)}) > 1:
        raise ValueError("expected rows of lights of equal length")
    cells, digits = "/".join(lines), DIGITS[:states]
    if strange := set(cells) - {*digits, "_", "/"}:
        raise ValueError(f"a light is {digits[0]} to {digits[-1]}, or _ if it is missing, not {min(strange)!r}")
    return _grids(cells, states)


_KEYS = {"id", "kind", "name", "text", "claims", "rows", "columns", "nullity"}  # of a puzzle of any kind in JSON


def read_data(board: type[LightsOut], record: Mapping[str, Any], origin: str) -> LightsOut:
    """Read a board from its `data`, given with their origin for messages; effects must be those of its rules."""
    press, settings = record.get("press"), dict[str, Any]()
    if isinstance(press, list):  # of offsets
        settings["pattern"] = tuple(tuple(offset) if isinstance(offset, list) else offset for offset in press)
    own = ("states", "lights", "effects", *_SETTINGS) if board.is_modular else ("lit", "missing", "press", "wrap")
    try:
        if strange := sorted(record.keys() - _KEYS - {*own}):  # ignored, a slip would make another board
            raise ValueError(f"expected the keys {', '.join(own)}, found {strange[0][:40]!r}")
        if board.is_modular:
            lit, missing = _lights(record.get("states", 0), record["lights"])
        else:
            lit = Grid.from_cells(record["lit"])
            missing = Grid.from_cells(record["missing"]) if "missing" in record else None
        for key in [key for key in _SETTINGS if key in record and not (key == "press" and settings)]:
            _set(settings, f"{key}={record[key]}", board, lit.states)
        found = board(lit, missing=missing, **settings)
    except (TypeError, ValueError) as error:
        raise InputError(origin, str(error)) from None
    effects = record.get("effects")
    if effects is not None and effects != [[list(change) for change in effect] for effect in found.effects]:
        raise InputError(origin, "its effects are not those of its rules")
    return found
