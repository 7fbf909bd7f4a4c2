"""Whole results in text files next to the tests: a change of any part of them is a change of the file.

``CROSSLIT_WRITE_TRANSCRIPTS=1 pytest ...`` writes the files again, and ``git diff`` shows what has changed: read that.
A text says what the program did, not that it is right; other tests check the answers by independent means.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from pathlib import Path

REWRITE = "CROSSLIT_WRITE_TRANSCRIPTS=1 pytest FILE rewrites it"
IS_WRITING = bool(os.environ.get("CROSSLIT_WRITE_TRANSCRIPTS"))
_TITLE = re.compile(r"^== (.*)\n", re.MULTILINE)
_OF_CLICK = re.compile(r"^Try '.*' for help\.\n", re.MULTILINE)  # its words differ from release to release


def stored(path: Path) -> dict[str, str]:
    """The texts of a file by title."""
    if not path.exists():
        return {}
    _, *parts = _TITLE.split(path.read_text(encoding="utf-8"))
    return {title: text.removesuffix("\n\n") for title, text in zip(parts[::2], parts[1::2], strict=True)}


def check(path: Path, title: str, text: str) -> None:
    """Require that a text is the one of this title in a file, but for blanks at the ends of lines."""
    text = "\n".join(line.rstrip() for line in _OF_CLICK.sub("", text).strip("\n").split("\n"))
    if IS_WRITING:
        texts: Mapping[str, str] = {**stored(path), title: text}
        path.write_text("".join(f"== {title}\n{text}\n\n" for title, text in texts.items()), encoding="utf-8")
    lines = difflib.unified_diff(stored(path).get(title, "").splitlines(), text.splitlines(), lineterm="", n=0)
    difference = "\n".join(lines)
    assert not difference, f"{title} in {path.name} differs; if that is right, {REWRITE}\n{difference}"
