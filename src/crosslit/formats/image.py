"""Pictures: PBM, or a plain grid of 0/1 or ./#. A picture becomes the nonogram that it solves.

A grid of 0 and 1 is a Lights Out board unless this format is named or the file has the extension of a picture.
"""

from __future__ import annotations

import re

from crosslit.base.errors import InputError
from crosslit.base.grid import Grid
from crosslit.formats._format import Format
from crosslit.kinds.lights_out.text import letter_cells
from crosslit.kinds.nonogram.puzzle import Nonogram

_MAX_PICTURE_CELLS = 10_000_000  # cells: a few seconds to read
_NUMBER = re.compile(rb"(?:\s|#[^\r\n]*[\r\n])*([0-9]{1,9})(?![0-9])")
_REMARK = re.compile(rb"#[^\r\n]*")


def cells(content: bytes, origin: str) -> Grid:
    """Return the black cells of a picture, of which the nonogram may have other solutions too."""
    if content[:2] in (b"P1", b"P4"):
        return _pbm(content, origin)
    if b"\0" in content[:1000]:
        raise InputError(origin, "expected a picture as PBM or text: convert other formats first")
    # Before decoding: a text has at least one character for each cell.
    _limit(len(content), 1, origin)
    text = content.decode("latin-1").rstrip().strip("\r\n")
    lines = [line.rstrip() for line in re.split("[\n/]", text)]
    rows = text.translate(letter_cells(text) | str.maketrans(".#/", "01\n")).split("\n")
    if "0" in "".join(rows):  # blanks only separate cells
        rows = ["".join(row.split()) for row in rows]
    else:  # blanks are the empty cells
        width = max(map(len, lines))
        _limit(width, len(rows), origin)
        rows = [row.rstrip().ljust(width).replace(" ", "0") for row in rows]
    for number, (row, line) in enumerate(zip(rows, lines, strict=True), 1):
        if not row or set(row) - {"0", "1"}:
            raise InputError(origin, f"expected a row of 0/1, ./# or O/X, found {line[:20]!r}", number)
        if len(row) != len(rows[0]):
            raise InputError(origin, f"expected {len(rows[0])} cells as in the first row, found {len(row)}", number)
    return Grid.from_text("/".join(rows))


def _limit(width: int, height: int, origin: str) -> None:
    if width * height > _MAX_PICTURE_CELLS:
        raise InputError(origin, f"expected a picture of at most {_MAX_PICTURE_CELLS} cells, found {width} x {height}")


def _pbm(content: bytes, origin: str) -> Grid:
    """Read a Netpbm bitmap, in which 1 is black; only the first if there are several."""
    position, sizes = 2, []
    for what in ("width", "height"):
        number = _NUMBER.match(content, position)
        if number is None or not int(number[1]):
            raise InputError(origin, f"expected a positive number, the {what} of the picture")
        sizes.append(int(number[1]))
        position = number.end()
    width, height = sizes
    _limit(width, height, origin)
    if content[:2] == b"P1":  # blanks and remarks may be anywhere between cells
        data = b"".join(_REMARK.sub(b"", content[position:]).split())[: width * height]
        stride, is_whole = width, len(data) == width * height and not data.strip(b"01")
    else:  # every row fills whole bytes, with the first cell in the highest bit; one blank precedes the cells
        stride = -(-width // 8)
        data = content[position + 1 : position + 1 + stride * height]
        is_whole = len(data) == stride * height
    if not is_whole:
        raise InputError(origin, f"expected {height} rows of {width} cells, found {len(data)} bytes of cells")
    rows = [data[start : start + stride] for start in range(0, stride * height, stride)]
    if content[:2] == b"P4":
        rows = [f"{int.from_bytes(row, 'big'):0{stride * 8}b}"[:width].encode() for row in rows]
    return Grid.from_text(b"/".join(rows).decode())


PICTURE = Format(
    name="picture",
    summary="nonogram of a picture: PBM, or rows of 0/1, ./# or O/X",
    example="P1\n2 2\n11\n10\n",
    extensions=(".pbm",),
    binary=True,
    detect=lambda content: "" if content[:2] in (b"P1", b"P4") else None,
    reader=lambda content, origin: [Nonogram.of(cells(content, origin))],
)
