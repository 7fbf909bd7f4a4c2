"""File formats of puzzles, with the rules that choose one, and puzzles as text and pictures.

`Format` is the interface of a format. A file may contain many puzzles: ``FILE:7`` is the seventh. This package must not
ask a solver, or read a file without a bound on its size.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path

from crosslit.base.errors import InputError, wrong_type
from crosslit.base.files import file_and_number, is_file, read_bytes, show_path, write_bytes
from crosslit.base.grid import ArrayLike, Grid, as_lists
from crosslit.base.numbers import did_you_mean, shorten
from crosslit.base.numbers import one_line as printable
from crosslit.formats import json
from crosslit.formats._format import Content, Format, RegisteredFormats, only, parse_text
from crosslit.kinds import Puzzle, all_kinds, find_kind, kind_of_text
from crosslit.kinds.registry import OWN

REGISTERED = {
    "crosslit.formats": {
        "board": "crosslit.formats.board",
        "clues": "crosslit.formats.clue_lists:CLUES",
        "cwd": "crosslit.formats.clue_lists:CWD",
        "houston": "crosslit.formats.clue_lists:HOUSTON",
        "json": "crosslit.formats.json",
        "lines": "crosslit.formats.lines",
        "mk": "crosslit.formats.clue_lists:MK",
        "nin": "crosslit.formats.clue_lists:NIN",
        "non": "crosslit.formats.non",
        "olsak": "crosslit.formats.clue_lists:OLSAK",
        "picross": "crosslit.formats.clue_lists:PICROSS",
        "picture": "crosslit.formats.image",
        "pynogram": "crosslit.formats.pynogram",
        "sgt": "crosslit.formats.clue_lists:SGT",
        "taai": "crosslit.formats.clue_lists:TAAI",
        "typed": "crosslit.formats.clue_lists:TYPED",
        "xml": "crosslit.formats.xml",
        "zero": "crosslit.formats.clue_lists:ZERO",
    },
}
"""The modules of formats; other distributions register theirs under the entry point group ``crosslit.formats``."""

FORMATS = RegisteredFormats()


PuzzleLike = Puzzle | str | Sequence[Sequence[int]] | ArrayLike
"""A puzzle, its one-line form, or the lights of a board as rows or an array of 0 and 1."""

MAX_BYTES = 1 << 30  # maximum size of a file: boards of 20,000 x 20,000 take 400 MB, a device has no end
_NOT_WINDOWS_1252 = re.compile(
    rb"[\0-\x08\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]"
)  # control characters, and undefined bytes


@cache
def one_line() -> dict[str, Format]:
    """Return the formats of puzzles on one line, for which no plugin is loaded."""
    from crosslit.formats import board
    from crosslit.formats.clue_lists import CLUES, SGT

    return {known.NAME: Format(known) for known in (board, SGT, CLUES, json)}


def load(source: str | os.PathLike[str], format: str | None = None) -> Puzzle:  # noqa: A002  (the field's word)
    """Read the puzzle of a file that contains one, or a puzzle in its one-line form.

    The source is taken as the first of these that applies: an existing file; ``FILE:7``, the seventh puzzle of an
    existing file; a nonogram, if it contains ``|`` or begins with ``WIDTHxHEIGHT:``; JSON as in
    `crosslit.formats.json`; a board, if it has only the characters ``01.#_/`` or begins with a setting (``press=``,
    ``wrap=``); a missing file. The extension determines the format, or else the content.

    Args:
        source: a path, or the puzzle itself on one line. A path object is always a file.
        format: one of `FORMATS`, instead of guessing.

    Returns:
        A puzzle of one of the kinds of Crosslit, or of a registered kind. Without a title it is named after the file.

    Raises:
        InputError: if the puzzle cannot be read, or the file contains several; the message names the file, the line and
            the expected form.

    Examples:
        >>> load("1 1,0|1,0,1").rows
        2
    """
    return only(read_all(source, format), str(source))


def load_all(source: str | os.PathLike[str], format: str | None = None) -> list[Puzzle]:  # noqa: A002
    """Return every puzzle of a file, in order; or the puzzle that `load` would read.

    A puzzle without a title is named after the file, with its number if there are several.

    Args:
        source: a path, or the puzzle itself on one line, as for `load`.
        format: one of `FORMATS`, instead of guessing.

    Raises:
        InputError: if the file or one of its puzzles cannot be read; the message names the file, the line and the
            expected form.

    Examples:
        >>> [puzzle.text for puzzle in load_all("10/01")]
        ['10/01']
    """
    return [*read_all(source, format)]


def read_all(source: str | os.PathLike[str], format: str | None = None) -> Iterator[Puzzle]:  # noqa: A002
    """Yield the puzzles of `load_all`, reading each when it is requested."""
    if not isinstance(source, str | os.PathLike):
        raise wrong_type("a path, or a puzzle on one line such as '10/01'", source)
    if isinstance(source, str) and not is_file(source):
        if named := file_and_number(source):
            yield _numbered(*named, format)
            return
        kind, inline = kind_of_text(source), _inline(source)
        if kind is not None and format is None:
            yield parse_text(kind, source, "puzzle")
            return
        if kind is not None or inline is not None:
            chosen = require(format) if format else one_line()[inline or ""]
            yield chosen.parse(source.encode(errors="replace") if chosen.binary else source, "puzzle")
            return
        raise _not_found(source)
    yield from parse_all(read_bytes(source, MAX_BYTES), str(source), format, Path(source))


def from_line(text: str, origin: str = "puzzle") -> Puzzle:
    """Return the puzzle of a one-line form, even if a file has that name."""
    if (kind := kind_of_text(text)) is not None:
        return parse_text(kind, text, origin)
    known = _inline(text)
    if known is None or known == json.NAME:
        raise InputError(origin, f"expected a board (01.#_/) or a nonogram (ROWS|COLUMNS), found {shorten(text, 80)!r}")
    return one_line()[known].parse(text, origin)


def as_puzzle(given: PuzzleLike) -> Puzzle:
    """Return the puzzle, given as such, in its one-line form, or as rows of a board.

    Examples:
        >>> as_puzzle([[1, 0], [0, 1]]).text
        '10/01'
    """
    if isinstance(given, Puzzle):
        return given
    if not isinstance(given, str):
        rows = as_lists(given)
        rows = rows if isinstance(rows, Sequence) and rows else [rows]
        # Only 0 and 1, so that lists of clues are not taken for lit cells.
        if not all(isinstance(row, Sequence) and all(cell in (0, 1) for cell in row) for row in rows):
            raise wrong_type("a puzzle, such as '10/01' or load(path)", given)
        given = Grid.from_cells(rows).text
    try:
        return from_line(given)
    except InputError as error:
        if is_file(given):
            raise InputError("puzzle", f"{shorten(given, 80)!r} is a file, which crosslit.load reads") from None
        if re.search(r"\.[A-Za-z]\w*$", given):
            raise error.with_advice("(the puzzle of a path is crosslit.load(path))") from None
        raise error


def as_puzzles(given: Iterable[PuzzleLike] | Puzzle | str) -> Iterator[Puzzle]:
    """Yield puzzles given one by one, each as for `as_puzzle`; a single puzzle is accepted too."""
    if isinstance(given, Puzzle | Grid | str) or not isinstance(given, Iterable):
        given = [given]  # anything else gets the error message of `as_puzzle`
    return map(as_puzzle, given)


def parse_line(kind: str, text: str, origin: str) -> Puzzle:
    """Read a puzzle of a known kind from its canonical one-line form."""
    if kind not in OWN and kind not in all_kinds():
        raise InputError(
            origin, f"expected a puzzle of the kinds {', '.join(all_kinds())}, found {shorten(kind, 80)!r}"
        )
    return parse_text(find_kind(kind), text, origin)


def parse_all(content: bytes, origin: str, format: str | None = None, path: Path | None = None) -> Iterator[Puzzle]:  # noqa: A002
    """Yield every puzzle in the content of a file, reading each when it is requested.

    Args:
        content: the bytes of the file.
        origin: its name in messages.
        format: one of `FORMATS`, instead of guessing.
        path: path of the file: its extension suggests the format, its name the title of puzzles without one.
    """
    named = require(format) if format else of_path(path)
    suffix = path.suffix.lower() if path is not None else ""
    claiming = [known for known in FORMATS.values() if not format and suffix in known.claims]
    if not content or content.isspace():
        raise InputError(origin, "the file is empty")
    is_binary = named is not None and named.binary and len(claiming) < 2
    text, is_utf8 = (None, True) if is_binary else _text(content)  # only once, since it may fill the memory
    # Plugins come last in `FORMATS`, and first among those that claim an extension: theirs are special cases.
    named = (_by_content(content, text, claiming[::-1]) if len(claiming) > 1 else None) or named
    chosen = named or _by_content(content, text, FORMATS.values())
    if chosen is None and text is not None:
        chosen, text = _by_likeness(text)
    if text is None and (chosen is None or not chosen.binary):
        raise InputError(origin, "expected text in UTF-8 or Windows-1252")
    if chosen is None:
        raise InputError(origin, f"expected a puzzle: {_examples()}; `crosslit convert --help` lists all formats")
    if not is_utf8 and not chosen.binary:
        _note_encoding(origin)
    puzzles = chosen.parse_all(content if text is None or chosen.binary else text, origin)
    if named is None:
        puzzles = _guessed(puzzles, chosen)
    # One puzzle is read ahead, because only a second one shows that names need numbers. Then each is read when needed.
    stem = path.stem if path is not None else ""
    first = next(puzzles)
    second = next(puzzles, None) if chosen.several else None
    yield _called(first, stem if second is None else stem and f"{stem}:1")
    if second is not None:
        yield _called(second, stem and f"{stem}:2")
    for number, puzzle in enumerate(puzzles, 3):
        yield _called(puzzle, stem and f"{stem}:{number}")


def write_all(puzzles: Iterable[Puzzle], format: str) -> Iterator[bytes]:  # noqa: A002
    """Yield the content, in pieces, of a file with the puzzles in a format."""
    chosen = require(format)
    try:
        for piece in chosen.write_all(puzzles):
            yield piece.encode(errors="replace")  # a title may come from a file name that is not valid text
    except InputError:
        raise
    except ValueError as error:
        raise InputError("cannot be written", str(error)) from None


def write(
    puzzles: Iterable[PuzzleLike] | Puzzle | str,
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
) -> None:
    """Write one puzzle or several to a file, completely or not at all.

    Args:
        puzzles: the puzzles, or their one-line forms.
        path: path of the file, which is replaced if it exists.
        format: one of `FORMATS`; by default that of the extension: ``.non``, ``.nin``, ``.puzzles`` for several, ...

    Raises:
        InputError: if the format does not exist or cannot express these puzzles, or the file cannot be written.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write(["10/01", "1,1|1,1"], f"{folder}/two.puzzles")
        ...     [puzzle.text for puzzle in load_all(f"{folder}/two.puzzles")]
        ['10/01', '1,1|1,1']
    """
    chosen = require(format) if format else of_path(path)
    if chosen is None:
        expected = f"expected a format, one of {', '.join(FORMATS)}: the extension matches none"
        raise InputError(show_path(path), expected)
    write_bytes(path, write_all(as_puzzles(puzzles), chosen.name))


def of_path(path: str | os.PathLike[str] | None) -> Format | None:
    """Return the format that a path's extension suggests, or None."""
    suffix = Path(path).suffix.lower() if path is not None else ""
    return next((known for known in FORMATS.values() if suffix in known.extensions), None)


def in_folder(folder: str | os.PathLike[str]) -> list[Path]:
    """Return the files in a folder that contain puzzles, sorted by name; subfolders are ignored.

    These are the files with the extension of a format, and files with ``.txt`` or no extension whose content is
    recognized.
    """
    try:
        files = sorted(path for path in Path(folder).iterdir() if path.is_file() and not path.name.startswith("."))
        texts = ("", ".txt")
        return [path for path in files if of_path(path) or (path.suffix.lower() in texts and _in_file(path))]
    except OSError as error:
        raise InputError(str(folder), error.strerror or "cannot be read") from None


def require(name: str) -> Format:
    """Return the format with this name."""
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
    """Return the name of the format of a puzzle on one line, or None if it is not a puzzle."""
    # This character stands for a nonogram, so even a wrong text gets a message about clues.
    if "|" in source:
        return "clues"
    return next((name for name in ("board", "sgt", "json") if one_line()[name].sniff(source)), None)


def _not_found(source: str) -> InputError:
    """Return the error for a text that is neither a file nor a puzzle, with a guess at the intention."""
    name = shorten(source, 80)
    if not source.strip():
        return InputError("puzzle", f"expected a file or a puzzle, found nothing: {_examples()}")
    if os.path.isdir(source):
        inside = next(iter(in_folder(source)), None)
        advice = f"name a file in it, such as {inside}" if inside else "it contains no puzzle files"
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
    """Return small examples of the forms that people type."""
    return (
        "a board such as 01/10, or a nonogram such as '2,1|1,2' (rows|columns), or a file with one clue per line and a "
        "blank line between rows and columns"
    )


def _guessed(puzzles: Iterator[Puzzle], chosen: Format) -> Iterator[Puzzle]:
    """Yield the puzzles of a file whose format was guessed; errors name that format."""
    try:
        yield from puzzles
    except InputError as error:
        lines = " ".join(f"'{line}'" for line in chosen.example.splitlines())
        such = (
            f", such as the lines {lines}" if "\n" in chosen.example.strip() else f", such as {lines}" if lines else ""
        )
        raise error.with_advice(
            f"(taken for the format {chosen.name}{such}; `crosslit convert --from` names another)"
        ) from None


def _text(content: bytes) -> tuple[str | None, bool]:
    """Return the text of a file, None if it is not text, and whether it is UTF-8."""
    try:
        # Some editors put a byte order mark in front, which this encoding drops.
        return content.decode("utf-8-sig"), True
    except UnicodeDecodeError:
        # Old files have other encodings. Clues and cells are ASCII, which is the same in all of them.
        return None if _NOT_WINDOWS_1252.search(content) else content.decode("windows-1252"), False


@cache  # one line for a file that is read twice
def _note_encoding(origin: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"crosslit: {printable(origin)}: not UTF-8, read as Windows-1252; only names may be wrong\n")


def _in_file(path: Path) -> Format | None:
    content = read_bytes(path, MAX_BYTES)
    return _by_content(content, _text(content)[0], FORMATS.values())


def _by_content(content: bytes, text: str | None, among: Iterable[Format]) -> Format | None:
    for known in among:
        given: Content | None = content if known.binary else text
        with suppress(Exception):  # a plugin that fails here must not prevent other files from being read
            if given is not None and known.sniff(given):
                return known
    return None


def _by_likeness(text: str) -> tuple[Format | None, str]:
    """Return the format of cells with blanks between them, and of clues with a mistake, which its message names."""
    words = set(re.split(r"[\s,]+", text.strip()))
    if words <= set("01.#xXoO_") and words & set("0."):  # clues of several numbers have no 0
        return one_line()["board"], re.sub(r"[^\S\n]|,", "", text)
    lines = [bool(re.fullmatch(r"[0-9][0-9,\s]*", line)) for line in text.split("\n") if line.strip()]
    return FORMATS["typed"] if len(lines) > 2 and sum(lines) > len(lines) / 2 else None, text


def _called(puzzle: Puzzle, name: str) -> Puzzle:
    return puzzle if puzzle.name or not name else puzzle.named(name)


read = load  # its name within Crosslit
