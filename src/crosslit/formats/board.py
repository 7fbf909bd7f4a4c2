"""Rows of cells: a Lights Out board, or the picture that a nonogram solves, also as PBM."""

from __future__ import annotations

import re

from crosslit.base.errors import InputError
from crosslit.base.grid import Grid
from crosslit.formats._format import Format
from crosslit.kinds import LightsOut, Nonogram, Puzzle
from crosslit.kinds.lights_out.modular import ModularLightsOut
from crosslit.kinds.lights_out.text import parse, without_remark

_MAX_PICTURE_CELLS = 10_000_000  # cells: a few seconds to read
_NUMBER = re.compile(rb"(?:\s|#[^\r\n]*[\r\n])*([0-9]{1,9})(?![0-9])")
_REMARK = re.compile(rb"#[^\r\n]*")
# A misspelt setting too; a value of a program's text has blanks or brackets around it.
_SETTING = re.compile(r"\s*(?:(?:press|wrap|edges|matrix)\s*=|[A-Za-z]+=[\w.#,-]+[/\r\n])")
_CELLS, _TYPED_CELLS = (f"{cells}/ \t\r\n".encode() for cells in ("01.#_", "01.#_xXoO"))
_BETWEEN = re.compile(r"\S[^\S\n]+\S")  # blanks between words on a line
_HEAD = 100_000  # characters that decide; a board may have 10^9


def is_board(text: str) -> bool:
    """Return whether a text begins with a setting, or has only cells, slashes, remarks and line ends."""
    if _SETTING.match(text[:1000]):
        return True
    if "# " in text[:_HEAD]:
        text = "\n".join(map(without_remark, text.split("\n"))).strip()
    # Lines of one cell with a blank line between them are clues.
    if any(blank in text[:_HEAD] for blank in ("\n\n", "\n\r\n")):
        lengths = {len(line.strip()) for line in text.split("\n") if line.strip()}
        if len(lengths) > 1 or lengths == {1}:
            return False
    if not text or (any(blank in text for blank in " \t\v\f") and _BETWEEN.search(text)):
        return False
    # Letters count as cells only in text that cannot be the name of a missing file.
    is_typed = any(mark in text[:_HEAD] for mark in "/\n.")
    return _has_only(text, _CELLS) or (is_typed and _has_only(text, _TYPED_CELLS))


def _has_only(text: str, characters: bytes) -> bool:
    # In pieces, since a board may have 10^8 cells: a copy would leave too much memory to fork from this process.
    pieces = (text[at : at + _HEAD].encode(errors="replace") for at in range(0, len(text), _HEAD))
    return not any(piece.translate(None, characters) for piece in pieces)


def write(puzzle: Puzzle) -> str:
    """Return the text of a board, one setting or row per line."""
    if puzzle.kind != LightsOut.kind or not isinstance(puzzle, LightsOut):
        raise ValueError(f"the format {BOARD.name} holds Lights Out boards, not a {puzzle.kind}")
    return "\n".join([*puzzle.settings, *puzzle.lines]) + "\n"


def cells(content: bytes, origin: str) -> Grid:
    """Return the black cells of a picture, of which the nonogram may have other solutions too."""
    if content[:2] in (b"P1", b"P4"):
        return _pbm(content, origin)
    if b"\0" in content[:1000]:
        raise InputError(origin, "expected a picture as PBM or text: convert other formats first")
    _limit(len(content), 1, origin)
    text = content.decode("latin-1")
    if not set(text) & set("0.oO"):  # blanks are the empty cells
        rows = text.replace("/", "\n").strip("\r\n").splitlines()
        width = max(map(len, rows), default=0)
        _limit(width, len(rows), origin)
        text = "\n".join(row.rstrip().ljust(width).replace(" ", ".") for row in rows)
    board = parse(text, origin, ModularLightsOut)
    if board.settings or board.missing is not None:
        raise InputError(origin, "expected a picture of 0/1, ./# or O/X, without settings and missing cells")
    return board.lit


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


BOARD = Format(
    name="board",
    summary="Lights Out: rows of 0/1, ./# or O/X (_ missing), one per line or separated by /; settings first",
    extensions=(".board", ".lights"),
    reader=lambda text, origin: [parse(text, origin, ModularLightsOut)],
    writer=write,
)
PICTURE = Format(
    name="picture",
    summary="nonogram of a picture: PBM, or rows of 0/1, ./# or O/X",
    extensions=(".pbm",),
    binary=True,
    reader=lambda content, origin: [Nonogram.of(cells(content, origin))],
)
