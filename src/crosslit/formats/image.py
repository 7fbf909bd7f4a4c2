"""Pictures: PBM, PNG, or a plain grid of 0/1 or ./#. A picture becomes the nonogram that it solves.

A grid of 0 and 1 is a Lights Out board unless this format is named or the file has the extension of a picture.
"""

from __future__ import annotations

import io
import operator
import re
from typing import Any

from crosslit.base.errors import InputError, install_hint
from crosslit.base.grid import Grid
from crosslit.base.layout import DIGITS
from crosslit.formats.clues import picture_of_pixels, require_nonogram
from crosslit.kinds import Puzzle
from crosslit.kinds.lights_out.text import letter_cells
from crosslit.kinds.nonogram.colours import MAX_COLOURS, WHITE, Colour, ColouredNonogram
from crosslit.kinds.nonogram.puzzle import Nonogram

NAME = "picture"
PRIORITY = 95
EXTENSIONS = frozenset({".pbm", ".png"})
SUMMARY = "nonogram of a picture: PBM, rows of 0/1, ./# or O/X, or PNG of 2 to 32 colours (needs Pillow; also written)"
BINARY = True
HEAD = re.compile(rb"\x89PNG|P[14]")

_PNG = b"\x89PNG"
_MAX_PICTURE_CELLS = 10_000_000  # cells: a few seconds to read
_COUNTED = 256  # colours counted, for a message
_NUMBER = re.compile(rb"(?:\s|#[^\r\n]*[\r\n])*([0-9]{1,9})(?![0-9])")
_REMARK = re.compile(rb"#[^\r\n]*")


def parse(content: bytes, origin: str) -> Nonogram:
    """Return the nonogram that a picture solves: black cells are filled. It may have other solutions too.

    Of two colours of a PNG the darker is filled; a single colour is filled if it is darker than middle grey. Three to
    32 colours make a coloured nonogram. Pictures with more are rejected: reduce a scan, or a picture with smoothed
    edges, to few colours first.
    """
    several = colours(content, origin)
    if several is None:
        return Nonogram.of(cells(content, origin))
    picture, palette = several
    return ColouredNonogram.of(picture, palette=palette)


def draw(puzzle: Puzzle, solution: Grid) -> bytes:
    """Return a PNG with a pixel for each cell of a solution.

    Raises:
        ValueError: if it is no nonogram, or `parse` would read another puzzle.
    """
    nonogram = require_nonogram(puzzle, NAME, coloured=True)
    palette = nonogram.palette or (WHITE, Colour("black", "000000"))
    values = [bytes.fromhex(palette[DIGITS.index(digit)][1]) for line in solution.lines() for digit in line]
    file = io.BytesIO()
    _pillow(NAME).frombytes("RGB", (solution.columns, solution.rows), b"".join(values)).save(file, "PNG")
    if len({rgb for _, rgb in palette}) < len(palette) or _lengths(parse(file.getvalue(), NAME)) != _lengths(nonogram):
        raise ValueError("colours are lost in a picture in which they are equal, or the lightest is not the background")
    return file.getvalue()


def _lengths(puzzle: Nonogram) -> list[list[int]]:
    return [[length for length, _ in puzzle.pairs(clue)] for clue, _ in puzzle.lines()]


def colours(content: bytes, origin: str) -> tuple[Grid, list[Colour]] | None:
    """Return the picture and the palette of a PNG of 3 to 32 colours; None for any other picture."""
    if content[:4] != _PNG:
        return None
    paper = _paper(content, origin)
    if not 2 < len(paper.getcolors(_COUNTED) or ()) <= MAX_COLOURS + 1:
        return None
    pixels = paper.convert("RGB").tobytes()
    values = [pixels[first : first + 3].hex() for first in range(0, len(pixels), 3)]
    return picture_of_pixels([values[first : first + paper.width] for first in range(0, len(values), paper.width)])


def cells(content: bytes, origin: str) -> Grid:
    """Return the black cells of a picture; see `parse`."""
    if content[:4] == _PNG:
        return _png(content, origin)
    if content[:2] in (b"P1", b"P4"):
        return _pbm(content, origin)
    if b"\0" in content[:1000]:
        raise InputError(origin, "expected a picture as PBM, PNG or text: convert other formats first")
    return _plain(content, origin)


def _plain(content: bytes, origin: str) -> Grid:
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
    if content[:2] == b"P1":
        # P1 allows blanks and remarks anywhere between cells.
        cells = b"".join(_REMARK.sub(b"", content[position:]).split())[: width * height]
        if len(cells) < width * height or cells.strip(b"01"):
            raise InputError(origin, f"expected {width * height} cells 0 or 1, found {len(cells)} characters")
        return _grid([cells[row * width : row * width + width] for row in range(height)])
    # P4 pads every row to whole bytes, with the first cell in the highest bit.
    stride = -(-width // 8)
    data = content[position + 1 : position + 1 + stride * height]  # one blank precedes the cells
    if len(data) < stride * height:
        raise InputError(origin, f"expected {stride * height} bytes of cells, found {len(data)}")
    packed = (int.from_bytes(data[row * stride : row * stride + stride], "big") for row in range(height))
    return _grid([f"{row:0{stride * 8}b}"[:width].encode() for row in packed])


def _pillow(origin: str) -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise InputError(origin, f"a PNG picture needs Pillow: {install_hint('plot')}") from None
    return Image


def _paper(content: bytes, origin: str) -> Any:
    """Read a picture with Pillow; transparent cells are white."""
    import warnings

    Image = _pillow(origin)  # noqa: N806  (the name of the module)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about large pictures: the size is checked here, before any cell is read
            with Image.open(io.BytesIO(content), formats=["PNG"]) as image:
                width, height = image.size
                _limit(width, height, origin)
                if image.mode.startswith("I"):  # 16-bit greys, of which Pillow makes all above 255 white
                    layers = image.convert("I").point(lambda grey: grey * (1 / 256)).convert("L").convert("RGBA")
                else:
                    layers = image.convert("RGBA")
        # Transparent parts show white paper, as in a viewer.
        paper = Image.new("RGBA", layers.size, "white")
        paper.alpha_composite(layers)
    except InputError:
        raise
    except Exception as error:  # whatever a decoder raises on arbitrary bytes
        reason = str(error).partition("\n")[0].partition(" <_io.")[0] or type(error).__name__
        raise InputError(origin, f"expected a PNG picture: {reason}") from None
    return paper


def _png(content: bytes, origin: str) -> Grid:
    """Return the cells of the darker of two colours."""
    paper = _paper(content, origin)
    counted, (width, height) = paper.getcolors(_COUNTED), paper.size
    if counted is None or len(counted) > 2:
        found = f"more than {_COUNTED}" if counted is None else str(len(counted))
        expected = f"expected a picture of two colours (of up to {MAX_COLOURS + 1} for a coloured nonogram)"
        raise InputError(origin, f"{expected}, found {found}: {_third(paper.tobytes(), width)}")
    colours = [bytes(colour[:3]) for _, colour in counted]
    ink = _ink(colours, origin)
    # a channel that distinguishes the colours
    channel = next(index for index in range(3) if len({colour[index] for colour in colours}) == len(colours))
    digits = bytes(b"01"[ink is not None and value == ink[channel]] for value in range(256))
    cells = paper.getchannel(channel).tobytes().translate(digits)
    return _grid([cells[row * width : row * width + width] for row in range(height)])


def _ink(colours: list[bytes], origin: str) -> bytes | None:
    """Return the colour of filled cells: the darker of two, or a single one if it is darker than middle grey."""
    # no threshold, which would turn yellow on white into an empty puzzle
    # Weights of the channels for brightness as the eye sees it, in thousandths (ITU-R BT.601).
    lightness = {colour: sum(map(operator.mul, (299, 587, 114), colour)) for colour in colours}
    darkest = min(colours, key=lightness.__getitem__)
    if len(colours) == 1:
        return darkest if lightness[darkest] < 128_000 else None
    if len(set(lightness.values())) == 1:
        both = " and ".join(f"#{colour.hex()}" for colour in sorted(colours))
        raise InputError(origin, f"expected one colour darker than the other, found {both}")
    return darkest


def _third(pixels: bytes, width: int) -> str:
    """Return the position of the first cell of a third colour, in pixels of four bytes."""
    cells = memoryview(pixels).cast("I")
    seen = {cells[0], next(cell for cell in cells if cell != cells[0])}
    index = next(index for index, cell in enumerate(cells) if cell not in seen)
    colour = pixels[4 * index : 4 * index + 3].hex()
    return f"the third, #{colour}, is in row {index // width + 1}, column {index % width + 1}"


def _grid(rows: list[bytes]) -> Grid:
    return Grid.from_text(b"/".join(rows).decode())
