"""Pictures, as PBM or text, of which the nonogram is read."""

from __future__ import annotations

import re

from crosslit.base.errors import InputError
from crosslit.base.grid import Grid
from crosslit.formats import read_board
from crosslit.kinds import Nonogram

_MAX_CELLS = 10_000_000  # cells: a few seconds to read
_NUMBER = re.compile(rb"(?:\s|#[^\r\n]*[\r\n])*([0-9]{1,9})(?![0-9])")
_REMARK = re.compile(rb"#[^\r\n]*")


def read_picture(content: bytes, origin: str) -> Nonogram:
    """Read the nonogram of a picture."""
    return Nonogram.of(cells(content, origin))


def cells(content: bytes, origin: str) -> Grid:
    """Return the black cells of a picture, of which the nonogram may have other solutions too."""
    if content[:2] in (b"P1", b"P4"):
        return _pbm(content, origin)
    if b"\0" in content:
        raise InputError(origin, "expected a picture as PBM or text: convert other formats first")
    _limit(len(content), 1, origin)
    text = content.decode("latin-1")
    if not set(text) & set("0.oO"):  # blanks are the empty cells
        rows = text.replace("/", "\n").strip("\r\n").splitlines() or [""]
        width = max(map(len, rows))
        _limit(width, len(rows), origin)
        text = "\n".join(row.rstrip().ljust(width).replace(" ", ".") for row in rows)
    board = read_board(text, origin)
    if board.settings or board.missing is not None:
        raise InputError(origin, "expected a picture of 0/1, ./# or O/X, without settings and missing cells")
    return board.lit


def _limit(width: int, height: int, origin: str) -> None:
    if width * height > _MAX_CELLS:
        raise InputError(origin, f"expected a picture of at most {_MAX_CELLS} cells, found {width} x {height}")


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
        data = content[position + 1 :][: stride * height]
        is_whole = len(data) == stride * height
    if not is_whole:
        raise InputError(origin, f"expected {height} rows of {width} cells, found {len(data)} bytes of cells")
    rows = [data[start : start + stride] for start in range(0, stride * height, stride)]
    if content[:2] == b"P4":
        rows = [f"{int.from_bytes(row, 'big'):0{stride * 8}b}"[:width].encode() for row in rows]
    return Grid.from_text(b"/".join(rows).decode())
