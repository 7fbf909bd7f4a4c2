"""Pictures as SVG, without a dependency."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from html import escape

from crosslit.contract.shapes import LETTER, Box, Disc, Shape, Stroke
from crosslit.drawing.scene import Scene, scene
from crosslit.grid import Grid
from crosslit.kinds import Puzzle

_FONT = "font-family=\"'DejaVu Sans', Verdana, Arial, sans-serif\""
# XML cannot express these characters, not even escaped
_FORBIDDEN = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(55296, 57344), 65534, 65535), "?")


def svg(subject: Puzzle | Grid, lines: Sequence[str] | None = None, marked: Grid | None = None) -> str:
    """Return the picture of a puzzle or a grid as a complete SVG document, which can also be embedded in a page."""
    return svg_of_scene(scene(subject, lines, marked))


def svg_of_scene(picture: Scene) -> str:
    """Return a picture as an SVG document."""
    width, height = _number(picture.width), _number(picture.height)
    box = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    title = escape(picture.title.translate(_FORBIDDEN), quote=False)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" {_FONT} font-size="{LETTER:g}">'
    return "\n".join([head, f"<title>{title}</title>", *map(_element, picture.shapes), "</svg>\n"])


def _element(shape: Shape) -> str:
    if isinstance(shape, Box):
        corner = f' rx="{_number(shape.radius)}"' if shape.radius else ""
        outline = f' stroke="{shape.outline}"' if shape.outline else ""
        place = f'x="{_number(shape.x)}" y="{_number(shape.y)}"'
        size = f'width="{_number(shape.width)}" height="{_number(shape.height)}"'
        return f'<rect {place} {size}{corner} fill="{shape.fill}"{outline}/>'
    if isinstance(shape, Stroke):
        ends = " ".join(f'{name}="{_number(getattr(shape, name))}"' for name in ("x1", "y1", "x2", "y2"))
        return f'<line {ends} stroke="{shape.colour}" stroke-width="{shape.width:g}"/>'
    if isinstance(shape, Disc):
        place = f'cx="{_number(shape.x)}" cy="{_number(shape.y)}" r="{_number(shape.radius)}"'
        return f'<circle {place} fill="{shape.fill}"/>'
    weight = ' font-weight="bold"' if shape.bold else ""
    place = f'x="{_number(shape.x)}" y="{_number(shape.y)}" text-anchor="{shape.anchor}"'
    return f'<text {place} fill="{shape.colour}"{weight}>{escape(shape.text, quote=False)}</text>'


# Coordinates of a grid repeat: a picture has far fewer different numbers than shapes.
@functools.lru_cache(4096)
def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
