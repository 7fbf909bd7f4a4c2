"""Inline parts of an HTML file: its style, data escaped for a script element, and the content policy."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from typing import Any

_ESCAPED = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&"})


def data(value: Any) -> str:
    """Return JSON for a script element: ASCII, without characters that could end the element."""
    return json.dumps(value, separators=(",", ":")).translate(_ESCAPED)


def style(*own: str) -> str:
    """Return the common style of all pages, and a page's own."""
    return "\n".join([files("crosslit.base").joinpath("html.css").read_text(encoding="utf-8"), *own])


def policy(script: str, style: str, *, pictures: bool = False) -> str:
    """Return a Content-Security-Policy that allows one script and one style, by their hashes, and loads nothing."""
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (script, style)]
    allowed = f"default-src 'none'; {'img-src data:; ' * pictures}script-src 'sha256-{digests[0]}'; style-src"
    return f"{allowed} 'sha256-{digests[1]}'; base-uri 'none'; form-action 'none'"
