"""Pictures as PNG, with Pillow (the extra ``plot``)."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from crosslit.contract.shapes import LETTER, Box, Disc, Shape, Stroke
from crosslit.drawing.scene import scene
from crosslit.errors import Unavailable, install_hint
from crosslit.grid import Grid
from crosslit.kinds import Puzzle

if TYPE_CHECKING:
    from PIL import ImageDraw

_SCALE = 2.0  # pixels per unit
_MAX_PIXELS = 80_000_000  # Pillow rejects larger pictures as attacks


def png(subject: Puzzle | Grid, lines: Sequence[str] | None = None) -> bytes:
    """Return the picture of a puzzle or a grid as a PNG file: 40 pixels per cell, fewer if that would be too large."""
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise Unavailable(f"pictures in PNG need Pillow: {install_hint('plot')}") from None
    picture = scene(subject, lines)
    # The number of pixels grows with the square of the scale.
    scale = min(_SCALE, (_MAX_PIXELS / (picture.width * picture.height)) ** 0.5)
    image = Image.new("RGB", (round(picture.width * scale), round(picture.height * scale)), "white")
    canvas, font = ImageDraw.Draw(image), ImageFont.load_default(LETTER * scale)
    for shape in picture.shapes:
        _paint(canvas, shape, scale, font)
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


def _paint(canvas: ImageDraw.ImageDraw, shape: Shape, scale: float, font: Any) -> None:
    if isinstance(shape, Box):
        ends = [shape.x * scale, shape.y * scale, (shape.x + shape.width) * scale, (shape.y + shape.height) * scale]
        fill = None if shape.fill == "none" else shape.fill
        canvas.rounded_rectangle(ends, shape.radius * scale, fill, shape.outline or None, max(1, round(scale)))
    elif isinstance(shape, Stroke):
        ends = [shape.x1 * scale, shape.y1 * scale, shape.x2 * scale, shape.y2 * scale]
        canvas.line(ends, shape.colour, max(1, round(shape.width * scale)))
    elif isinstance(shape, Disc):
        canvas.circle((shape.x * scale, shape.y * scale), shape.radius * scale, shape.fill)
    else:
        # Pillow's names for points on the baseline: left and middle.
        anchor = {"start": "ls", "middle": "ms"}[shape.anchor]
        # The built-in font has no bold variant, so an outline thickens the letters.
        stroke = 0.5 if shape.bold else 0
        canvas.text((shape.x * scale, shape.y * scale), shape.text, shape.colour, font, anchor, stroke_width=stroke)
