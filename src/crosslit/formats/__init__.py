"""Reading and writing puzzles: one module a format, and the rules that choose one.

A format is a module with ``NAME``, ``EXTENSIONS`` (with the dot), ``SUMMARY``, ``sniff(text)`` (whether a text without
a telling extension is of this format), ``parse(text, origin)`` and ``write(puzzle)``.
"""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from types import ModuleType

from crosslit.errors import InputError
from crosslit.formats import board, clues, nin, non
from crosslit.puzzles import Puzzle

# in the order in which they are tried on a text without a telling extension: what `board` takes, no other would
FORMATS: dict[str, ModuleType] = {module.NAME: module for module in (board, clues, non, nin)}


def read(source: str | os.PathLike[str], format: str | None = None) -> Puzzle:  # noqa: A002  (the field's word)
    """Read a puzzle from a file, or from its one-line form.

    An existing file wins; else a text with ``|`` is a nonogram, a text of only ``01.#_/``, or one that begins with a
    setting (``press=``, ``wrap=``), a board, and anything else is a missing file. The format is that of the extension,
    else of the content.

    Args:
        source: a path, or the puzzle itself on one line. A path object is always a file.
        format: one of `FORMATS`, instead of guessing.

    Raises:
        InputError: naming the file, the line, and what was expected.

    Examples:
        >>> read("1 1,0|1,0,1").rows
        2
    """
    if format is not None and format not in FORMATS:
        raise InputError(f"format {format!r}", f"expected one of {', '.join(FORMATS)}")
    if isinstance(source, str) and not _is_file(source):
        inline = "clues" if "|" in source else "board" if board.sniff(source) else None
        if inline is not None:
            return _parse(FORMATS[format or inline], source, "puzzle")
        if not os.path.isdir(source):
            raise InputError(_shown(source), "no such file, and neither a board (01.#_/) nor a nonogram (ROWS|COLUMNS)")
    return _read_file(Path(source), format)


def _is_file(source: str) -> bool:
    """Whether something can be read there; a folder cannot."""
    return os.path.exists(source) and not os.path.isdir(source)


def _read_file(path: Path, format: str | None) -> Puzzle:  # noqa: A002
    origin = str(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(origin, "expected text in UTF-8") from None
    except OSError as error:
        raise InputError(origin, error.strerror or "cannot be read") from None
    puzzle = _parse(FORMATS[format] if format else _guess(path, text, origin), text, origin)
    return puzzle if puzzle.name else dataclasses.replace(puzzle, name=path.stem)


def _guess(path: Path, text: str, origin: str) -> ModuleType:
    for module in FORMATS.values():
        if path.suffix.lower() in module.EXTENSIONS:
            return module
    for module in FORMATS.values():
        if module.sniff(text):
            return module
    raise InputError(origin, f"expected a puzzle in one of the formats {', '.join(FORMATS)}")


def _parse(module: ModuleType, text: str, origin: str) -> Puzzle:
    puzzle: Puzzle = module.parse(text, origin)
    return puzzle


def _shown(source: str) -> str:
    return source if len(source) <= 80 else f"{source[:77]}..."
