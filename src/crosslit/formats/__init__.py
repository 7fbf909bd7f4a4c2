"""File formats of puzzles, with the rules that choose one, and puzzles as text and pictures.

`Format` is the interface of a format. A file may contain many puzzles: ``FILE:7`` is the seventh. This package must not
ask a solver, or read a file without a bound on its size.
"""

from __future__ import annotations

import os
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain, islice
from pathlib import Path

from crosslit.base.errors import InputError, wrong_type
from crosslit.base.files import file_and_number, is_file, read_bytes, show_path, write_bytes
from crosslit.base.grid import ArrayLike, Grid, as_lists
from crosslit.base.numbers import did_you_mean, one_line, shorten
from crosslit.formats._format import Format, only, parse_text
from crosslit.formats._format import parse_line as parse_line
from crosslit.kinds import Puzzle, kind_of_text

_MODULES = {
    "board": "board picture",
    "lines": "lines",
    "clue_lists": "clues typed nin mk cwd zero sgt taai",
    "lists": "lists json",
    "non": "non",
    "xml": "xml",
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}


class _Formats(Mapping[str, Format]):
    """The formats by name, each imported at its first use."""

    def __getitem__(self, name: str) -> Format:
        found: Format = pkgutil.resolve_name(f"crosslit.formats.{_HOMES[name]}:{name.upper()}")
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_HOMES)

    def __len__(self) -> int:
        return len(_HOMES)


FORMATS = _Formats()

PuzzleLike = Puzzle | str | Sequence[Sequence[int]] | ArrayLike
"""A puzzle, its one-line form, or the lights of a board as rows or an array of 0 and 1."""

MAX_BYTES = 1 << 30  # maximum size of a file: boards of 20,000 x 20,000 take 400 MB, a device has no end
_NOT_WINDOWS_1252 = re.compile(rb"[\0-\x08\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]")  # control or undefined characters


def load(source: str | os.PathLike[str], format: str | None = None) -> Puzzle:  # noqa: A002  (the field's word)
    """Read the puzzle of a file that contains one, or a puzzle in its one-line form.

    The source is taken as the first of these that applies: an existing file; ``FILE:7``, the seventh puzzle of an
    existing file; a puzzle as text. The extension determines the format of a file, or else the content; how it was
    read is said on standard error if it does not say whether rows or columns come first.

    Args:
        source: a path, or the puzzle itself on one line. A path object is always a file.
        format: one of `FORMATS`, instead of guessing.

    Raises:
        InputError: if the puzzle cannot be read, has two meanings, or the file contains several; the message names the
            file, the line and the expected form.

    Examples:
        >>> load("1 1,0|1,0,1").rows
        2
    """
    return only(read_all(source, format), str(source))


def load_all(source: str | os.PathLike[str], format: str | None = None) -> list[Puzzle]:  # noqa: A002
    """Return every puzzle of a file, in order; or the puzzle that `load` would read.

    A puzzle without a title is named after the file, with its number if there are several. The arguments and errors are
    those of `load`.

    Examples:
        >>> [puzzle.text for puzzle in load_all("10/01")]
        ['10/01']
    """
    return [*read_all(source, format)]


def read_all(source: str | os.PathLike[str], format: str | None = None) -> Iterator[Puzzle]:  # noqa: A002
    """Yield the puzzles of `load_all`, reading each when it is requested."""
    if not isinstance(source, str | os.PathLike):
        raise wrong_type("a path, or a puzzle on one line such as '10/01'", source)
    if not isinstance(source, str) or is_file(source):
        yield from parse_all(read_bytes(source, MAX_BYTES), str(source), format, Path(source))
    elif named := file_and_number(source):
        yield _numbered(*named, format)
    elif (kind := kind_of_text(source)) is not None and format is None:
        yield parse_text(kind, source, "puzzle")
    elif (inline := _inline(source)) is not None or kind is not None:
        chosen = require(format or inline or "")
        yield chosen.parse(source.encode(errors="replace") if chosen.binary else source, "puzzle")
    else:
        raise _not_found(source)


def from_line(text: str, origin: str = "puzzle") -> Puzzle:
    """Return the puzzle of a one-line form, even if a file has that name."""
    if (kind := kind_of_text(text)) is not None:
        return parse_text(kind, text, origin)
    known = _inline(text)
    if known in (None, "json", "lists"):
        raise InputError(origin, f"expected a board (01.#_/) or a nonogram (ROWS|COLUMNS), found {shorten(text, 80)!r}")
    return FORMATS[known].parse(text, origin)


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
        is_path = is_file(given) or re.search(r"\.[A-Za-z]\w*$", given)
        raise error.with_advice("(the puzzle of a path is crosslit.load(path))") if is_path else error from None


def as_puzzles(given: Iterable[PuzzleLike] | Puzzle | str) -> Iterator[Puzzle]:
    """Yield puzzles given one by one, each as for `as_puzzle`; a single puzzle is accepted too."""
    if isinstance(given, Puzzle | Grid | str) or not isinstance(given, Iterable):
        given = [given]  # anything else gets the error message of `as_puzzle`
    return map(as_puzzle, given)


def parse_all(content: bytes, origin: str, format: str | None = None, path: Path | None = None) -> Iterator[Puzzle]:  # noqa: A002
    """Yield every puzzle in the content of a file, as `load_all` does; ``origin`` is its name in messages."""
    named = require(format) if format else of_path(path)
    if not content or content.isspace():
        raise InputError(origin, "the file is empty")
    # only once, since it may fill the memory
    text, is_utf8 = (None, True) if named is not None and named.binary else _text(content)
    name = named.name if named is not None else _detect(content, text)
    chosen = FORMATS[name] if name is not None else None
    if text is None and (chosen is None or not chosen.binary):
        raise InputError(origin, "expected text in UTF-8 or Windows-1252")
    if chosen is None:
        raise InputError(origin, f"expected a puzzle: {_EXAMPLES}; `crosslit convert --help` lists all formats")
    if not is_utf8 and not chosen.binary:
        _note(origin, "not UTF-8, read as Windows-1252; only names may be wrong")
    given = content if text is None or chosen.binary else text
    note = (lambda order: _note(origin, f"read as {name}, {order}")) if named is None else None
    puzzles = chosen.parse_all(given, origin, note)
    try:
        # One is read ahead, because only a second one shows that names need numbers. Then each is read when needed.
        stem, first = path.stem if path is not None else "", next(puzzles)
        second = [*islice(puzzles, 1)] if chosen.several else []
        for number, puzzle in enumerate(chain([first], second, puzzles), 1):
            title = f"{stem}:{number}" if stem and second else stem
            yield puzzle if puzzle.name or not title else puzzle.named(title)
    except InputError as error:
        advice = f"(taken for the format {name}; `crosslit convert --from` names another)"
        raise error.with_advice(advice) if named is None else error from None


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
    """Return the files in a folder that contain puzzles, by extension or else by content, sorted; no subfolders."""
    try:
        files = sorted(path for path in Path(folder).iterdir() if path.is_file() and not path.name.startswith("."))
        texts = ("", ".txt")
        return [path for path in files if of_path(path) or (path.suffix.lower() in texts and _has_puzzle(path))]
    except OSError as error:
        raise InputError(str(folder), error.strerror or "cannot be read") from None


def _has_puzzle(path: Path) -> bool:
    with suppress(InputError):
        return next(read_all(path), None) is not None
    return False


def require(name: str) -> Format:
    """Return the format with this name."""
    if name not in FORMATS:
        expected = f"expected one of {', '.join(FORMATS)}"
        raise InputError(f"format {name!r}", expected)
    return FORMATS[name]


def _numbered(source: str, number: int, format: str | None) -> Puzzle:  # noqa: A002
    place = 0
    for place, puzzle in enumerate(read_all(source, format), 1):
        if place == number:
            return puzzle
    raise InputError(f"{source}:{number}", f"expected the place of a puzzle, from 1 to {place}")


def _inline(source: str) -> str | None:
    """Return the name of the format of a puzzle on one line, or None if it is not a puzzle."""
    if "[" in source or "{" in source:
        found = _detect(b"", source)
        return found if found in ("json", "lists") else None
    if "|" in source:  # even a wrong text gets a message about clues
        return "clues"
    if source.strip("./") == "" and os.path.isdir(source):
        return None  # a folder, and no board of dark lights
    from crosslit.formats.board import is_board

    if is_board(source):
        return "board"
    return "sgt" if re.match(r"\s*[0-9]+(x[0-9]+)?:[0-9./]*/", source) else None


def _not_found(source: str) -> InputError:
    """Return the error for a text that is neither a file nor a puzzle, with the nearest file that exists."""
    path, hint = Path(source), ""
    with suppress(OSError, ValueError, LookupError, StopIteration):
        if source.strip() and path.is_dir():
            inside = [f"name a file in it, such as {file}" for file in in_folder(path)[:1]]
            return InputError(shorten(source, 80), f"is a folder: {(*inside, 'it contains no puzzle files')[0]}")
        folder = next(parent for parent in path.parents if parent.exists())
        names = {str(folder / file.name): None for file in islice(folder.iterdir(), 1000)}
        hint = did_you_mean(str(folder / path.relative_to(folder).parts[0]), names)
    return InputError(shorten(source, 80), f"no such file; {hint or f'expected {_EXAMPLES}'}")


_EXAMPLES = (
    "a board such as 01/10, or a nonogram such as '2,1|1,2' (rows|columns), or a file with one clue per line and a "
    "blank line between rows and columns"
)


def _detect(content: bytes, text: str | None) -> str | None:
    from crosslit.formats.detection import detect  # loads what no file with a telling extension needs

    return detect(content, text)


def _text(content: bytes) -> tuple[str | None, bool]:
    """Return the text of a file, None if it is not text, and whether it is UTF-8."""
    try:
        # Some editors put a byte order mark in front, which this encoding drops.
        return content.decode("utf-8-sig"), True
    except UnicodeDecodeError:
        # Old files have other encodings. Clues and cells are ASCII, which is the same in all of them.
        return None if _NOT_WINDOWS_1252.search(content) else content.decode("windows-1252"), False


@cache  # one line for a file that is read twice
def _note(origin: str, message: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"crosslit: {one_line(origin)}: {message}\n")


read = load  # its name within Crosslit
