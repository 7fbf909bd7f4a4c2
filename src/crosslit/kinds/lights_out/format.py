"""Lights Out boards: settings and rows of cells, one per line, or separated by / on one line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crosslit.base.errors import InputError
from crosslit.base.grid import Grid
from crosslit.kinds import LightsOut
from crosslit.kinds.lights_out.puzzle import PATTERNS, WRAPS, Offset, Wrap

_CELLS = str.maketrans(".#", "01")
# a character that is not a cell becomes no digit, which `int` rejects: searching first would double the reading time
_LIT = str.maketrans({**dict.fromkeys(map(chr, range(128)), "x"), **dict(zip("01.#_", "01010", strict=True))})
_MISSING = str.maketrans("01.#_", "00001")
_ANY_CELL = str.maketrans("", "", "01.#_")


def parse(text: str, origin: str) -> LightsOut:
    r"""Return the board in a text; blank lines around it and blanks at line ends are ignored.

    Settings may come before the rows: ``press=`` with the name of a pattern (``plus``, ``neighbours``, ``king``,
    ``diagonal``) or its picture, rows of 0 and 1 separated by commas, both sizes odd, centred on the pressed cell;
    ``wrap=`` with one of ``none``, ``horizontal``, ``vertical``, ``torus``.

    Examples:
        >>> parse("#.\n.#\n", "here").text
        '10/01'
        >>> parse("press=111,111,111/wrap=torus/1_/00", "here").text
        'press=king/wrap=torus/1_/00'
    """
    # Rows become integers at once, a bit for each cell: the text of a board of 10^8 cells should not be held twice.
    lit: list[int] = []
    missing: list[int] = []
    settings: dict[str, Any] = {}
    columns, blank = 0, None  # cells of the first row; the first blank line after a row
    letters: dict[int, int] = {}  # letters as cells: an O depends on the whole text
    several = text.find("\n", 0, len(text) - 1) >= 0
    for number, line in enumerate(_lines(text), 1):
        place = number if several else None
        written = line.strip()
        if not written:
            if (lit or settings) and blank is None:
                blank = place
            continue
        if blank is not None:
            raise InputError(origin, "expected a row of cells, found an empty one", blank)
        for row in written.split("/"):
            if "=" in row:
                if lit:
                    raise InputError(origin, f"expected settings before all rows, found {row:.40}", place)
                _set(settings, row, origin, place)
                continue
            try:
                cells = _cells(row)
            # Letters are looked for only where the usual characters fail, because that needs the whole text.
            except ValueError:
                letters = letters or letter_cells(text)
                row = row.translate(letters)
                _check_row(row, origin, place)
                cells = _cells(row)
            columns = columns or len(row)
            if len(row) != columns:
                where = "" if several else f" in row {len(lit) + 1}"
                raise InputError(
                    origin, f"expected {columns} cells as in the first row, found {len(row)}{where}", place
                )
            lit.append(cells)
            missing.append(int(row.translate(_MISSING)[::-1], 2) if "_" in row else 0)
    if not lit:
        raise InputError(origin, "expected a board of 0 and 1, found nothing")
    gone = Grid.from_rows(missing, columns) if any(missing) else None
    return LightsOut(Grid.from_rows(lit, columns), missing=gone, **settings)


def _cells(row: str) -> int:
    """Return the bits of the lit cells of a row, the first cell in the lowest."""
    if not row.isascii():
        raise ValueError("`int` reads the digits of other scripts too")
    # The first cell is the lowest bit, and `int` reads the highest first.
    return int(row.translate(_LIT)[::-1], 2)


def _check_row(row: str, origin: str, place: int | None) -> None:
    if strange := row.translate(_ANY_CELL):
        what = f"expected cells 0 or 1 (or . and #, O and X; _ missing), found {min(strange)!r}"
        raise InputError(origin, what, place)
    if not row:
        raise InputError(origin, "expected a row of cells, found an empty one", place)


def letter_cells(text: str) -> dict[int, int]:
    """Return the meaning of letters as cells: X is 1; O is 0 if there is another 1, else 1."""
    rows = (row for line in _lines(text) for row in line.split("/") if "=" not in row)
    return str.maketrans("xXoO", "1100" if any(set("xX1#") & set(row) for row in rows) else "1111")


def _lines(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        # Line by line without `split`, which would copy the whole text.
        end = text.find("\n", start) % (len(text) + 1)  # the last line may lack its line end
        yield text[start:end]
        start = end + 1


def _set(settings: dict[str, Any], text: str, origin: str, place: int | None) -> None:
    """Read one setting into the arguments of `LightsOut`."""
    key, _, value = text.partition("=")
    if key not in ("press", "wrap"):
        raise InputError(origin, f"expected the setting press= or wrap=, found {text:.40}", place)
    name = "pattern" if key == "press" else key
    if name in settings:
        raise InputError(origin, f"expected {key}= once, found it twice", place)
    if key == "wrap":
        if value not in WRAPS:
            raise InputError(origin, f"expected wrap= with {', '.join(WRAPS)}, found {value[:40]!r}", place)
        settings[name] = value
    else:
        settings[name] = pattern(value, origin, place)


def pattern(text: str, origin: str, place: int | None = None) -> tuple[Offset, ...]:
    """Return the press pattern that a name or a picture stands for; see `parse`."""
    if text in PATTERNS:
        return PATTERNS[text]
    rows = text.translate(_CELLS).split(",")
    height, width = len(rows), len(rows[0])
    if not height % 2 or not width % 2 or any(len(row) != width for row in rows) or not set(text) <= set("01.#,"):
        what = f"{', '.join(PATTERNS)}, or a picture of odd height and width such as 010,111,010"
        raise InputError(origin, f"expected press= with {what}, found {text[:40]!r}", place)
    marked = ((row, column) for row in range(height) for column in range(width) if rows[row][column] == "1")
    offsets = tuple((row - height // 2, column - width // 2) for row, column in marked)
    if not offsets:
        raise InputError(origin, "expected press= with at least one cell that is toggled", place)
    return offsets


def rules(press: str, wrap: Wrap, origin: str = "press") -> LightsOut:
    """Return a board of one cell with these rules; `pattern` reads the press pattern."""
    return LightsOut(Grid.from_bits(1, 1, 0), pattern(press, origin), wrap)
