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

from crosslit.errors import InputError, wrong_type
from crosslit.formats import board, clues, json, sgt
from crosslit.formats._format import Content, Format, RegisteredFormats, only, parse_text
from crosslit.formats.files import read_bytes, show_path, write_bytes
from crosslit.numbers import did_you_mean, shorten
from crosslit.puzzles import LightsOut, Nonogram, Puzzle, all_kinds, kind_of

FORMATS = RegisteredFormats()
_ONE_LINE = {module.NAME: Format(module) for module in (board, sgt, clues, json)}  # no plugin is loaded for these

MAX_BYTES = 1 << 30  # of a file: boards of 20,000 x 20,000 take 400 MB, a device has no end
_CANONICAL = {LightsOut.kind: "board", Nonogram.kind: "clues"}  # by kind, the format of its one-line form
_NUMBERED = re.compile(r"(.+):([0-9]{1,9})", re.DOTALL)


def load(source: str | os.PathLike[str], format: str | None = None) -> Puzzle:  # noqa: A002  (the field's word)
    """Read the puzzle of a file that holds one, or one from its one-line form.

    An existing file wins; then ``FILE:7`` is the seventh puzzle of an existing file; else a text with ``|`` is a
    nonogram, as is one that begins with ``WIDTHxHEIGHT:``; a text in JSON is what `crosslit.formats.json` says; a text
    of only ``01.#_/``, or one that begins with a setting (``press=``, ``wrap=``), is a board, and anything else is a
    missing file. The format is that of the extension, else of the content.

    Args:
        source: a path, or the puzzle itself on one line. A path object is always a file.
        format: one of `FORMATS`, instead of guessing.

    Raises:
        InputError: naming the file, the line, and what was expected; also if the file holds several puzzles.
        TypeError: if the source is neither a path nor a text.

    Examples:
        >>> read("1 1,0|1,0,1").rows
        2
    """
    return only(read_all(source, format), str(source))


def load_all(source: str | os.PathLike[str], format: str | None = None) -> Iterator[Puzzle]:  # noqa: A002
    """Read every puzzle of a file, in order, each when it is its turn; or the one that `read` would read.

    A puzzle without a title is called after the file, with its place where there are several.

    Args and errors are those of `read`; a file that holds several puzzles is none.

    Examples:
        >>> [puzzle.text for puzzle in read_all("10/01")]
        ['10/01']
    """
    if not isinstance(source, str | os.PathLike):
        raise wrong_type("a path, or a puzzle on one line such as '10/01'", source)
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
        raise _not_found(source)
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
    if known is None or known == json.NAME:
        raise InputError(origin, f"expected a board (01.#_/) or a nonogram (ROWS|COLUMNS), found {shorten(text, 80)!r}")
    return _ONE_LINE[known].parse(text, origin)


def as_puzzle(given: Puzzle | str) -> Puzzle:
    """Return a puzzle that is given as such, or in its one-line form.

    Raises:
        InputError: if the text is no puzzle.
        TypeError: if it is neither a puzzle nor a text.

    Examples:
        >>> as_puzzle("1,1|1,1").kind
        'nonogram'
        >>> as_puzzle(3)
        Traceback (most recent call last):
        TypeError: expected a puzzle, such as '10/01', LightsOut(grid) or load(path), found int 3
    """
    if isinstance(given, Puzzle):
        return given
    if not isinstance(given, str):
        raise wrong_type("a puzzle, such as '10/01', LightsOut(grid) or load(path)", given)
    try:
        return from_line(given)
    except InputError as error:
        if _is_file(given):
            raise InputError("puzzle", f"{shorten(given, 80)!r} is a file, which crosslit.load reads") from None
        raise error


def as_puzzles(given: Iterable[Puzzle | str] | Puzzle | str) -> Iterator[Puzzle]:
    """Yield puzzles that are given one by one as `as_puzzle` takes them; a single one is welcome too."""
    if isinstance(given, Puzzle | str) or not isinstance(given, Iterable):
        given = [given]  # what is no puzzle either is refused in words
    return map(as_puzzle, given)


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
    named = require(format) if format else of_path(path)
    if not content or content.isspace():
        raise InputError(origin, "the file is empty")
    text = None if named is not None and named.binary else _text(content)  # once: it may be as large as memory
    chosen = named or _by_content(content, text)
    if text is None and (chosen is None or not chosen.binary):
        raise InputError(origin, "expected text in UTF-8")
    if chosen is None:
        raise InputError(origin, f"expected a puzzle: {_examples()}; `crosslit convert --help` lists all formats")
    puzzles = chosen.parse_all(content if text is None or chosen.binary else text, origin)
    if named is None:
        puzzles = _guessed(puzzles, chosen)
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


def write(
    puzzles: Iterable[Puzzle | str] | Puzzle | str,
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
) -> None:
    """Write one puzzle or several to a file, whole or not at all.

    Args:
        puzzles: to write, or their one-line forms.
        path: of the file, which is replaced if it exists.
        format: one of `FORMATS`; by default that of the extension: ``.non``, ``.nin``, ``.puzzles`` for several, ...

    Raises:
        InputError: if there is no such format, it cannot hold these puzzles, or the file cannot be written.
        TypeError: if something is no puzzle.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write(["10/01", "1,1|1,1"], f"{folder}/two.puzzles")
        ...     [puzzle.text for puzzle in read_all(f"{folder}/two.puzzles")]
        ['10/01', '1,1|1,1']
    """
    chosen = require(format) if format else of_path(path)
    if chosen is None:
        expected = f"expected a format, one of {', '.join(FORMATS)}: the extension is that of none"
        raise InputError(show_path(path), expected)
    write_bytes(path, write_all(as_puzzles(puzzles), chosen.name))


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
    return next((name for name in ("board", "sgt", "json") if _ONE_LINE[name].sniff(source)), None)


def _not_found(source: str) -> InputError:
    """Say what a text that is neither a file nor a puzzle may have been meant to be."""
    name = shorten(source, 80)
    if not source.strip():
        return InputError("puzzle", f"expected a file or a puzzle, found nothing: {_examples()}")
    if os.path.isdir(source):
        inside = next(iter(in_folder(source)), None)
        advice = f"name a file in it, such as {inside}" if inside else "it holds no file of puzzles"
        return InputError(name, f"is a folder: {advice}")
    if re.fullmatch(r"[0-9]+x[0-9]+", source):
        return InputError(
            name, f"no such file, but a size: `crosslit generate lights-out --size {source}` makes a board"
        )
    if re.fullmatch(r"[0-9][0-9, ]*", source):
        return InputError(name, f"no such file, and one list of clues where two are expected: {_examples()}")
    path = Path(source)
    with suppress(OSError, ValueError):
        hint = did_you_mean(path.name, (file.name for file in islice(path.parent.iterdir(), 1000)))
        if hint:
            return InputError(name, f"no such file; {hint}")
    return InputError(name, "no such file, and neither a board (01.#_/) nor a nonogram (ROWS|COLUMNS)")


def _examples() -> str:
    """The smallest examples of the forms that people type."""
    return (
        "a board such as 01/10, or a nonogram such as '2,1|1,2' (rows|columns), or a file with one clue a line and a "
        "blank line between rows and columns"
    )


def _guessed(puzzles: Iterator[Puzzle], chosen: Format) -> Iterator[Puzzle]:
    """The puzzles of a content whose format is a guess, which an error names."""
    try:
        yield from puzzles
    except InputError as error:
        lines = " ".join(f"'{line}'" for line in chosen.example.splitlines())
        such = (
            f", such as the lines {lines}" if "\n" in chosen.example.strip() else f", such as {lines}" if lines else ""
        )
        raise error.with_advice(f"(taken for the format {chosen.name}{such}; --format names another)") from None


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


read, read_all = load, load_all  # their names within Crosslit
