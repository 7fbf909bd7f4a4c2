"""Lights Out boards as text and as JSON: settings and rows of cells, one per line, or separated by / on one line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from crosslit.base.errors import InputError
from crosslit.base.grid import DIGITS, Grid, text_of
from crosslit.kinds.lights_out.board import MAX_STATES, LightsOut, ModularLightsOut
from crosslit.kinds.lights_out.rules import PLUS, Offset, Wrap

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
            if "=" in row:
                if lines:
                    raise InputError(origin, f"expected settings before all rows, found {row:.40}", place)
                _set(settings, row, origin, place)
                continue
            cells = _cells(row, text, origin, place)
            if lines and len(cells) != len(lines[0]):
                where = "" if several else f" in row {len(lines) + 1}"
                expected = f"expected {len(lines[0])} cells as in the first row"
                raise InputError(origin, f"{expected}, found {len(cells)}{where}", place)
            lines.append(cells)
    if not lines:
        raise InputError(origin, "expected a board of 0 and 1, found nothing")
    lit, missing = _grids("/".join(lines), 2)
    made = ModularLightsOut if "graph" in settings else LightsOut
    try:
        return made(lit, missing=missing, **settings)
    except ValueError as error:
        raise InputError(origin, str(error)) from None


def _cells(row: str, text: str, origin: str, place: int | None) -> str:
    """Return a row of a text, perhaps with letters, or with blanks and commas between its cells, as 0, 1 and ``_``."""
    cells = row.translate(_CELLS)
    if cells and not cells.strip("01_"):
        return cells
    # Letters are looked for only where the usual characters fail, because an O depends on the whole text.
    cells = re.sub(r"[\s,]+", "", row).translate(letter_cells(text)).translate(_CELLS)
    if strange := re.sub("[01_]", "", cells):
        what = f"expected cells 0 or 1 (or . and #, O and X; _ missing), found {min(strange)!r}"
        raise InputError(origin, what, place)
    if not cells:
        raise InputError(origin, "expected a row of cells, found an empty one", place)
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


def _set(settings: dict[str, Any], text: str, origin: str, place: int | None) -> None:
    """Read one setting into the arguments of `LightsOut`."""
    key, _, value = text.partition("=")
    if key not in _SETTINGS:
        raise InputError(origin, f"expected the setting press=, wrap=, edges= or matrix=, found {text:.40}", place)
    name = _SETTINGS[key]
    if name in settings:
        raise InputError(origin, f"expected {key}= once, found it twice", place)
    if {name, *settings} >= {"pattern", "graph"}:
        raise InputError(origin, f"expected one of press=, edges= and matrix=, found also {text:.40}", place)
    if name == "graph":
        settings[name] = text
    elif key == "wrap":
        if value not in LightsOut.wraps:
            raise InputError(origin, f"expected wrap= with {', '.join(LightsOut.wraps)}, found {value[:40]!r}", place)
        settings[name] = value
    else:
        settings[name] = pattern(value, origin, place)


def pattern(text: str, origin: str, place: int | None = None) -> tuple[Offset, ...]:
    """Return the press pattern that a name or a picture stands for; see `parse`."""
    try:
        return _pattern(text.translate(_CELLS), LightsOut)
    except ValueError as error:
        raise InputError(origin, str(error), place) from None


def _pattern(text: str, board: type[LightsOut], states: int = 2) -> tuple[Offset, ...]:
    if text in board.patterns:
        return board.patterns[text]
    rows, digits = text.split(","), DIGITS[:states]
    height, width = len(rows), len(rows[0])
    if not height % 2 or not width % 2 or any(len(row) != width for row in rows) or set(text) - {*digits, ","}:
        example = "010,121,010" if states > 2 else "010,111,010"
        names = f"{', '.join(board.patterns)}, or a picture of odd height and width such as {example}"
        raise ValueError(f"expected press= with {names}, found {text[:40]!r}")
    amounts = ((row, at, digits.index(digit)) for row, line in enumerate(rows) for at, digit in enumerate(line))
    offsets = tuple((row - height // 2, at - width // 2, amount) for row, at, amount in amounts if amount)
    if not offsets:
        raise ValueError("expected press= with at least one cell that is toggled")
    return offsets


def rules(press: str, wrap: Wrap, origin: str = "press") -> LightsOut:
    """Return a board of one cell with these rules; `pattern` reads the press pattern."""
    return LightsOut(Grid.from_text("0"), pattern(press, origin), wrap)


def parse_modular(text: str, origin: str = "text") -> ModularLightsOut:  # noqa: ARG001
    """Read a board from its one-line form: ``modular-lights-out:``, k, settings, and rows, separated by ``/``."""
    head, _, rest = text.partition(":")
    states, *parts = rest.split("/")
    wraps: list[Any] = [part.removeprefix("wrap=") for part in parts if part.startswith("wrap=")]
    rules = [part for part in parts if "=" in part and not part.startswith("wrap=")]
    lights = parts[len(rules + wraps) :]
    known = head == ModularLightsOut.kind and re.fullmatch("[0-9]{1,2}", states)
    if not known or "=" in "".join(lights) or max(len(rules), len(wraps)) > 1:
        form = "the number of states, settings and rows, as modular-lights-out:6/wrap=torus/012/345"
        raise ValueError(f"expected {ModularLightsOut.kind}: and {form}")
    return of_lights(int(states), lights, (*rules, "press=plus")[0], (*wraps, "none")[0])


def of_lights(states: int, lines: list[str], rule: str = "press=plus", wrap: Any = "none") -> ModularLightsOut:
    """Return the board of lines of digits, with ``_`` for a missing cell, and of a rule as in the one-line form."""
    if type(states) is not int or not 2 <= states <= MAX_STATES:
        raise ValueError(f"the number of states is 2 to {MAX_STATES}, not {states!r:.40}")
    if not lines or not lines[0] or len({*map(len, lines)}) > 1:
        raise ValueError("expected rows of lights of equal length")
    cells, digits = "/".join(lines), DIGITS[:states]
    if strange := set(cells) - {*digits, "_", "/"}:
        raise ValueError(f"a light is {digits[0]} to {digits[-1]}, or _ if it is missing, not {min(strange)!r}")
    lit, missing = _grids(cells, states)
    key, _, value = rule.partition("=")
    if key == "press":
        return ModularLightsOut(lit, _pattern(value, ModularLightsOut, states), wrap, missing)
    return ModularLightsOut(lit, PLUS, wrap, missing, graph=rule)


def read_data(record: Mapping[str, Any], origin: str) -> LightsOut:
    """Read a board from its data, as `LightsOut.data` gives them."""
    lit, missing = _grid(record["lit"], "lit", origin), None
    if "missing" in record:
        missing = _grid(record["missing"], "missing", origin)
    wrap, press = record.get("wrap", "none"), record.get("press", "plus")
    try:
        is_list = isinstance(press, list) and all(isinstance(at, list) and len(at) == 2 for at in press)
        if not isinstance(press, str) and not is_list:
            raise ValueError("press is the name of a pattern, its picture, or a list of pairs [row, column]")
        offsets = pattern(press, origin) if isinstance(press, str) else tuple(map(tuple, press))
        return LightsOut(lit, offsets, wrap, missing=missing)
    except (TypeError, ValueError) as error:
        raise error if isinstance(error, InputError) else InputError(origin, str(error)) from None


def read_modular_data(record: Mapping[str, Any], origin: str) -> ModularLightsOut:
    """Read a board from its `data`, given with their origin for messages; effects must be those of its rules."""
    rules = [f"{key}={record[key]}" for key in ("press", "edges", "matrix") if key in record]
    try:
        if not isinstance(record["lights"], list):
            raise ValueError("the lights are a list of rows")
        rule, wrap = (*rules, "press=plus")[0], record.get("wrap", "none")
        board = of_lights(record.get("states", 0), record["lights"], rule, wrap)
    except (TypeError, ValueError) as error:
        raise InputError(origin, f"expected states, lights and the rules: {error}") from None
    effects = record.get("effects")
    if effects is not None and effects != [[list(change) for change in effect] for effect in board.effects]:
        raise InputError(origin, "its effects are not those of its rules")
    return board


def _grid(lines: Any, key: str, origin: str) -> Grid:
    try:
        return Grid.from_text(text_of(lines))
    except (TypeError, ValueError):
        raise InputError(origin, f'expected "{key}": ["10", "01"], rows of 0 and 1, found {str(lines)[:20]}') from None
