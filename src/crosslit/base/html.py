"""Inline parts of an HTML file: its style, data escaped for a script element, and the content policy."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from typing import Any

_ESCAPED = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&"})


def data(value: Any) -> str:
    r"""Return JSON for a script element: ASCII, without characters that could end the element.

    Examples:
        >>> data("</script>&")
        '"\\u003c/script\\u003e\\u0026"'
    """
    # NaN is not JSON; a page with it would fail in the browser, so it fails here.
    return json.dumps(value, allow_nan=False, separators=(",", ":")).translate(_ESCAPED)


def style(*own: str) -> str:
    """Return the common style of all pages, and a page's own."""
    return "\n".join([files("crosslit.base").joinpath("html.css").read_text(encoding="utf-8"), *own])


def policy(script: str, style: str, *, pictures: bool = False) -> str:
    """Return a Content-Security-Policy that allows one inline script and one inline style, and loads nothing."""
    # Scripts and styles are allowed by their hashes, so text that slips into the page cannot run.
    allowed = ["default-src 'none'", *(["img-src data:"] if pictures else [])]
    for name, text in (("script", script), ("style", style)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        allowed.append(f"{name}-src 'sha256-{digest}'")
    return "; ".join([*allowed, "base-uri 'none'", "form-action 'none'"])
