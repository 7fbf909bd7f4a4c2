"""File formats of puzzles: one module per format, and the rules that choose one.

`Format` is the interface of such a module. A file may hold many puzzles: ``FILE:7`` is the seventh. Must not draw, or
read a file without bounds on its size.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from crosslit.errors import InputError
from crosslit.formats import board, clues, sgt
from crosslit.formats._format import Content, Format, RegisteredFormats, only, parse_text
from crosslit.formats.files import read_bytes
from crosslit.numbers import shorten
from crosslit.puzzles import LightsOut, Nonogram, Puzzle, all_kinds, kind_of

FORMATS = RegisteredFormats()
_ONE_LINE = {module.NAME: Format(module) for module in (board, sgt, clues)}  # no plugin is loaded for these

MAX_BYTES = 1 << 30  # of a file: boards of 20,000 x 20,000 take 400 MB, a device has no end
_CANONICAL = {LightsOut.kind: "board", Nonogram.kind: "clues"}  # by kind, the format of its one-line form
_NUMBERED = re.compile(r"(.+):([0-9]{1,9})", re.DOTALL)


def read(source: str | os.PathLike[str], format: str | None = None) -> Puzzle:  # noqa: A002  (the field's word)
    """Read the puzzle of a file that holds one, or one from its one-line form.

    An existing file wins; then ``FILE:7`` is the seventh puzzle of an existing file; else a text with ``|`` is a
    nonogram, as is one that begins with ``WIDTHxHEIGHT:``, a text of only ``01.#_/``, or one that begins with a setting
    (``press=``, ``wrap=``), is a board, and anything else is a missing file. The format is that of the extension, else
    of the content.

    Args:
        source: a path, or the puzzle itself on one line. A path object is always a file.
        format: one of `FORMATS`, instead of guessing.

    Raises:
        InputError: naming the file, the line, and what was expected; also if the file holds several puzzles.

    Examples:
        >>> read("1 1,0|1,0,1").rows
        2
    """
    return only(read_all(source, format), str(source))


def read_all(source: str | os.PathLike[str], format: str | None = None) -> Iterator[Puzzle]:  # noqa: A002
    """Read every puzzle of a file, in order, each when it is its turn; or the one that `read` would read.

    A puzzle without a title is called after the file, with its place where there are several.

    Args and errors are those of `read`; a file that holds several puzzles is none.

    Examples:
        >>> [puzzle.text for puzzle in read_all("10/01")]
        ['10/01']
    """
    if isinstance(source, str) and not _is_file(source):
        named = _NUMBERED.fullmatch(source)
        if named and _is_file(named[1]):
            yield _numbered(named[1], int(named[2]), format)
            return
        if format is None and (kind := kind_of(source)) is not None:
            yield parse_text(kind, source, "puzzle")
            return
        inline = _inline(source)
        if inline is not None:
            chosen = require(format) if format else _ONE_LINE[inline]
            yield chosen.parse(source.encode(errors="replace") if chosen.binary else source, "puzzle")
            return
        if not os.path.isdir(source):
            expected = "neither a board (01.#_/) nor a nonogram (ROWS|COLUMNS)"
            raise InputError(shorten(source, 80), f"no such file, and {expected}")
    yield from parse_all(read_bytes(source, MAX_BYTES), str(source), format, Path(source))


def from_line(text: str, origin: str = "puzzle") -> Puzzle:
    """The puzzle of a one-line form, even where a file has that name.

    Raises:
        InputError: if it is none.

    Examples:
        >>> from_line("1,1|1,1").kind
        'nonogram'
    """
    if (kind := kind_of(text)) is not None:
        return parse_text(kind, text, origin)
    known = _inline(text)
    if known is None:
        raise InputError(origin, f"expected a board (01.#_/) or a nonogram (ROWS|COLUMNS), found {shorten(text, 80)!r}")
    return _ONE_LINE[known].parse(text, origin)


def parse_line(kind: str, text: str, origin: str) -> Puzzle:
    """Read a puzzle of a known kind from its canonical one-line form.

    Raises:
        InputError: if it is none, or there is no such kind.
    """
    if kind in _CANONICAL:
        return _ONE_LINE[_CANONICAL[kind]].parse(text, origin)
    if kind not in all_kinds():
        raise InputError(
            origin, f"expected a puzzle of the kinds {', '.join(all_kinds())}, found {shorten(kind, 80)!r}"
        )
    return parse_text(all_kinds()[kind], text, origin)


def parse_all(content: bytes, origin: str, format: str | None = None, path: Path | None = None) -> Iterator[Puzzle]:  # noqa: A002
    """Every puzzle of what a file holds, each read when it is its turn.

    Args:
        content: the bytes of the file.
        origin: what to call it in messages.
        format: one of `FORMATS`, instead of guessing.
        path: of the file: its extension tells the format, its name what to call puzzles without a title.

    Raises:
        InputError: naming the origin, the line, and what was expected.
    """
    chosen = require(format) if format else of_path(path)
    text = None if chosen is not None and chosen.binary else _text(content)  # once: it may be as large as memory
    chosen = chosen or _by_content(content, text)
    if text is None and (chosen is None or not chosen.binary):
        raise InputError(origin, "expected text in UTF-8")
    if chosen is None:
        raise InputError(origin, f"expected a puzzle in one of the formats {', '.join(FORMATS)}")
    puzzles = chosen.parse_all(content if text is None or chosen.binary else text, origin)
    stem = path.stem if path is not None else ""
    first = next(puzzles)
    second = next(puzzles, None) if chosen.several else None
    yield _called(first, stem if second is None else stem and f"{stem}:1")
    if second is not None:
        yield _called(second, stem and f"{stem}:2")
    for number, puzzle in enumerate(puzzles, 3):
        yield _called(puzzle, stem and f"{stem}:{number}")


def write_all(puzzles: Iterable[Puzzle], format: str) -> Iterator[bytes]:  # noqa: A002
    r"""The pieces of the file that holds puzzles in a format.

    Raises:
        InputError: if there is no such format, or it cannot hold these puzzles.

    Examples:
        >>> b"".join(write_all([read("1 1,0|1,0,1")], "sgt"))
        b'3x2:1//1/1.1/\n'
    """
    chosen = require(format)
    try:
        for piece in chosen.write_all(puzzles):
            yield piece.encode(errors="replace")  # a file's name, which may be no text, is a puzzle's
    except InputError:
        raise
    except ValueError as error:
        raise InputError("cannot be written", str(error)) from None


def of_path(path: str | os.PathLike[str] | None) -> Format | None:
    """The format that a path's extension tells; None if it tells none."""
    suffix = Path(path).suffix.lower() if path is not None else ""
    return next((known for known in FORMATS.values() if suffix in known.extensions), None)


def in_folder(folder: str | os.PathLike[str]) -> list[Path]:
    """The files in a folder that hold puzzles, sorted by name; not those below it.

    These are the files with the extension of a format, and of those with ``.txt`` or none whose content tells it.

    Raises:
        InputError: if the folder cannot be read.
    """
    try:
        files = sorted(path for path in Path(folder).iterdir() if path.is_file() and not path.name.startswith("."))
        texts = ("", ".txt")
        return [path for path in files if of_path(path) or (path.suffix.lower() in texts and _in_file(path))]
    except OSError as error:
        raise InputError(str(folder), error.strerror or "cannot be read") from None


def file_of(source: str) -> str:
    """The file that a PUZZLE is in: without the place of ``FILE:7``."""
    named = _NUMBERED.fullmatch(source)
    return named[1] if named and not _is_file(source) and _is_file(named[1]) else source


def require(name: str) -> Format:
    """The format of a name.

    Raises:
        InputError: if there is none.
    """
    if name not in FORMATS:
        expected = f"expected one of {', '.join(FORMATS)}"
        raise InputError(f"format {name!r}", FORMATS.broken.get(name, expected))
    return FORMATS[name]


def _numbered(source: str, number: int, format: str | None) -> Puzzle:  # noqa: A002
    puzzles = read_all(source, format)
    if number:
        skipped = sum(1 for _ in islice(puzzles, number - 1))
        puzzle = next(puzzles, None)
        if puzzle is not None:
            return puzzle
        raise InputError(f"{source}:{number}", f"expected the place of a puzzle, from 1 to {skipped}")
    raise InputError(f"{source}:{number}", "expected the place of a puzzle, counted from 1")


def _inline(source: str) -> str | None:
    """The format of a puzzle on one line; None if it is none."""
    if "|" in source:
        return "clues"
    return next((name for name in ("board", "sgt") if _ONE_LINE[name].sniff(source)), None)


def _is_file(source: str) -> bool:
    """Whether something can be read there; a folder cannot."""
    return os.path.exists(source) and not os.path.isdir(source)


def _text(content: bytes) -> str | None:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _in_file(path: Path) -> Format | None:
    content = read_bytes(path, MAX_BYTES)
    return _by_content(content, _text(content))


def _by_content(content: bytes, text: str | None) -> Format | None:
    for known in FORMATS.values():
        given: Content | None = content if known.binary else text
        with suppress(Exception):  # a plugin that fails here must not keep other files from being read
            if given is not None and known.sniff(given):
                return known
    return None


def _called(puzzle: Puzzle, name: str) -> Puzzle:
    return puzzle if puzzle.name or not name else puzzle.named(name)


load = read  # the public name
