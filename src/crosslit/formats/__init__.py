"""File formats of puzzles, with the rules that choose one, and puzzles as text and pictures.

`Format` is the interface of a format. A file may contain many puzzles: ``FILE:7`` is the seventh. This package must not
ask a solver, or read a file without a bound on its size.
"""

from __future__ import annotations

import os
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

from crosslit.base.errors import InputError, wrong_type
from crosslit.base.files import file_and_number, is_file, read_bytes, show_path, write_bytes
from crosslit.base.grid import ArrayLike, Grid, as_lists
from crosslit.base.text import did_you_mean, one_line, shorten
from crosslit.kinds import OWN, Kind, LightsOut, Nonogram, Puzzle, all_kinds, find_kind, kind_of_text

Note = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Format:
    """A file format, whose content is text, or with ``binary`` bytes.

    Its module is imported when needed. There ``read_NAME`` returns the puzzle of a content, given with its origin for
    messages, or an iterator over several; or both `parts.Readings` of each, if the file does not say whether rows or
    columns come first. ``write_NAME`` yields the text of puzzles, of only one if the format does not hold ``several``.
    Without ``kinds`` it holds every kind.
    """

    name: str
    module: str
    summary: str
    kinds: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    several: bool = False
    binary: bool = False
    writes: bool = True

    def _function(self, verb: str) -> Any:
        return pkgutil.resolve_name(f"crosslit.formats{self.module}:{verb}_{self.name}")

    def parse_all(self, content: str | bytes, origin: str, note: Note | None = None) -> Iterator[Puzzle]:
        """Yield every puzzle of a file, reading each when it is requested.

        The rows come first; but if ``note`` is given, the order is the one that fits, and ``note`` is called with it.
        """
        if self.binary and isinstance(content, str):
            content = content.encode(errors="replace")
        try:
            read = self._function("read")(content, origin)
            found: Iterator[Any] = iter([read] if isinstance(read, Puzzle | tuple) else read)
            first = next(found, None)
            if first is None:  # an iterator without a puzzle would end silently, as if the file were fine
                raise InputError(origin, f"expected a puzzle in the format {self.name}, found none")
            if isinstance(first, tuple):
                yield from _in_order([first, *found], origin, note)
            else:
                yield first
                yield from found
        except InputError:
            raise
        except (ValueError, OverflowError, RecursionError) as error:  # beyond a limit of Python or of a puzzle
            problem = "it is nested too deeply" if isinstance(error, RecursionError) else f"{error}"
            raise InputError(origin, f"expected a puzzle in the format {self.name}: {problem}") from None

    def parse(self, content: str | bytes, origin: str) -> Puzzle:
        """Return the only puzzle of a file."""
        return only(self.parse_all(content, origin), origin)

    def write_all(self, puzzles: Iterable[Puzzle]) -> Iterator[str]:
        """Yield the text of the puzzles, in pieces."""
        if not self.writes:
            raise InputError("cannot be written", f"the format {self.name} is read-only")
        yield from self._function("write")(self._checked(puzzles))

    def _checked(self, puzzles: Iterable[Puzzle]) -> Iterator[Puzzle]:
        """Yield the puzzles; an `InputError` says that the format cannot hold them."""
        for number, puzzle in enumerate(puzzles):
            problem = ""
            if self.kinds and puzzle.kind not in self.kinds:
                problem = f"holds {find_kind(self.kinds[0]).plural}, not a {puzzle.kind} puzzle"
            elif number and not self.several:
                problem = "holds one puzzle per file, and there are several: name one as FILE:7"
            if problem:
                raise InputError("cannot be written", f"the format {self.name} {problem}")
            yield puzzle

    def write(self, puzzle: Puzzle) -> str:
        """Return the text of one puzzle."""
        return "".join(self.write_all([puzzle]))


_BOARDS, _BLACK, _COLOURED = ("lights-out",), ("nonogram",), ("nonogram", "coloured-nonogram")
_TABLE = (
    Format("board", "", "Lights Out: rows of 0/1, ./# or O/X, _ missing", _BOARDS, (".board", ".lights")),
    Format("picture", ".picture", "nonogram of a picture: PBM or rows", (), (".pbm",), binary=True, writes=False),
    Format("lines", ".lists", "any kinds, one per line; ' # TITLE' may follow", (), (".puzzles",), several=True),
    Format("clues", ".texts", "nonogram: ROWS|COLUMNS, or on two lines; or letters", _BLACK, (".clues",)),
    Format("typed", ".texts", "nonogram: a clue per line, a blank line or headings between axes", _BLACK),
    Format("nin", ".texts", "nonogram: 'WIDTH HEIGHT', a clue per line, rows first", _BLACK, (".nin",)),
    Format("mk", ".texts", "nonogram: 'HEIGHT WIDTH', a clue per line, '#' between axes", _BLACK, (".mk",)),
    Format("cwd", ".texts", "nonogram: lines HEIGHT, WIDTH, rows, a blank line, columns", _BLACK, (".cwd",)),
    Format("zero", ".texts", "nonograms: HEIGHT WIDTH, clues that end with 0", _BLACK, several=True),
    Format("sgt", ".texts", "nonograms: ids of Simon Tatham's Pattern", _BLACK, (".sgt",), several=True),
    Format("taai", ".texts", "nonograms 25 x 25: '$1', columns, rows", _BLACK, (".taai",), several=True),
    Format("lists", ".lists", "lists of clues or cells, as in Python or MiniZinc", (), (".dzn",), writes=False),
    Format("json", ".lists", 'puzzle of any kind: {"rows": [[1]], "columns": [[1]]}, or lists', (), (".json",)),
    Format("non", ".non", "nonograms of any colours: .non", _COLOURED, (".non", ".nonpack"), several=True),
    Format("xml", ".xml", "nonograms of any colours: webpbn's", _COLOURED, (".xml",), several=True, binary=True),
)
FORMATS = {known.name: known for known in _TABLE}


def read_board(text: str, origin: str) -> LightsOut:
    """Read one board."""
    board: LightsOut = LightsOut.parse(text, origin)
    return board


def write_board(puzzles: Iterable[LightsOut]) -> Iterator[str]:
    """Yield the text of each board, one setting or row per line."""
    return ("\n".join([*board.settings, *board.lines]) + "\n" for board in puzzles)


def _in_order(pairs: list[tuple[Nonogram | None, ...]], origin: str, note: Note | None) -> list[Nonogram]:
    """Return the puzzles with the rows first, unless they fit only with the columns first."""
    rows_first, columns_first = ([puzzle for puzzle in order if puzzle] for order in zip(*pairs, strict=True))
    chosen, order = rows_first, "rows"
    if note is not None and rows_first != columns_first:
        fits = [
            len(puzzles) == len(pairs) and not any(any(puzzle.contradictions()) for puzzle in puzzles)
            for puzzles in (rows_first, columns_first)
        ]
        if fits == [False, True] or len(rows_first) < len(pairs):
            chosen, order = columns_first, "columns"
        why = "the columns may come first too" if all(fits) else "the clues fit only so"
        note(f"{order} first ({why if any(fits) else 'the clues fit in neither order'})")
    if len(chosen) < len(pairs):
        raise InputError(origin, "expected the clues of the rows before those of the columns")
    return chosen


PuzzleLike = Puzzle | str | Sequence[Sequence[int]] | ArrayLike
"""A puzzle, its one-line form, or the lights of a board as rows or an array of 0 and 1."""

MAX_BYTES = 1 << 30  # maximum size of a file: boards of 20,000 x 20,000 take 400 MB, a device has no end
_MAX_SHOWN = 80  # characters of a text that is no puzzle
_MAX_LISTED = 1000  # files of a folder, to suggest one of them
_NOT_WINDOWS_1252 = re.compile(rb"[\0-\x08\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]")  # control or undefined characters


def load(source: str | os.PathLike[str], format: str | None = None) -> Puzzle:  # noqa: A002  (the field's word)
    """Read the puzzle of a file that contains one, or a puzzle in its one-line form.

    The source is taken as the first of these that applies: an existing file, as a path object always is; ``FILE:7``,
    the seventh puzzle of an existing file; a puzzle as text. The format is one of `FORMATS`, by default that of the
    extension, or else of the content; how a file was read is said on standard error if it does not say whether rows
    or columns come first.

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
    """
    return [*read_all(source, format)]


def read_all(source: str | os.PathLike[str], format: str | None = None) -> Iterator[Puzzle]:  # noqa: A002
    """Yield the puzzles of `load_all`, reading each when it is requested."""
    if not isinstance(source, str | os.PathLike):
        raise wrong_type("a path, or a puzzle on one line such as '10/01'", source)
    if not isinstance(source, str) or is_file(source):
        yield from parse_all(read_bytes(source, MAX_BYTES), str(source), format, Path(source))
    elif named := file_and_number(source):
        file, number = named
        for place, puzzle in enumerate(read_all(file, format), 1):
            if place == number:
                yield puzzle
                return
        raise InputError(source, f"expected the place of a puzzle, from 1 to {place}")
    elif name := _inline(source):
        yield require(format or name).parse(source, "puzzle")
    else:
        raise _not_found(source)


def from_line(text: str, origin: str = "puzzle") -> Puzzle:
    """Return the puzzle of a one-line form, even if a file has that name."""
    if (kind := kind_of_text(text)) is not None:
        return parse_line(kind.kind, text, origin)
    name = _inline(text)
    if name in (None, "json", "lists"):
        raise InputError(origin, f"expected a board (01.#_/) or a nonogram (ROWS|COLUMNS), found {shorten(text, 80)!r}")
    return FORMATS[name].parse(text, origin)


def as_puzzle(given: PuzzleLike) -> Puzzle:
    """Return the puzzle, given as such, in its one-line form, or as rows of a board such as ``[[1, 0], [0, 1]]``."""
    if isinstance(given, Puzzle):
        return given
    if not isinstance(given, str):
        rows = as_lists(given)
        rows = rows if isinstance(rows, Sequence) and rows else [rows]
        # Only 0 and 1, so that lists of clues are not taken for lit cells.
        if not all(isinstance(row, Sequence) and all(cell in (0, 1) for cell in row) for row in rows):
            raise wrong_type("a puzzle, such as '10/01' or load(path)", given)
        return LightsOut(Grid.from_cells(rows))
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
    from crosslit.formats.texts import detect  # loads what no file with a telling extension needs

    named = require(format) if format else of_path(path)
    if not content or content.isspace():
        raise InputError(origin, "the file is empty")
    text = None if named is not None and named.binary else _text(content)  # only once, since it may fill the memory
    chosen = named or FORMATS.get(detect(content, text) or "")
    if text is None and (chosen is None or not chosen.binary):
        raise InputError(origin, "expected text in UTF-8 or Windows-1252")
    if chosen is None:
        raise InputError(origin, f"expected a puzzle: {_EXAMPLES}; `crosslit convert --help` lists all formats")
    note = (lambda order: _note(origin, f"read as {chosen.name}, {order}")) if named is None else None
    puzzles = chosen.parse_all(content if chosen.binary else text or "", origin, note)
    try:
        # One is read ahead, because only a second one shows that names need numbers. Then each is read when needed.
        stem, first = path.stem if path is not None else "", next(puzzles)
        second = next(puzzles, None) if chosen.several else None
        for number, puzzle in enumerate(chain(filter(None, [first, second]), puzzles), 1):
            title = f"{stem}:{number}" if stem and second else stem
            yield puzzle if puzzle.name or not title else puzzle.named(title)
    except InputError as error:
        advice = f"(taken for the format {chosen.name}; `crosslit convert --from` names another)"
        raise error.with_advice(advice) if named is None else error from None


def write_all(puzzles: Iterable[Puzzle], format: str) -> Iterator[bytes]:  # noqa: A002
    """Yield the content, in pieces, of a file with the puzzles in a format."""
    # A title may come from a file name that is not valid text.
    return (piece.encode(errors="replace") for piece in require(format).write_all(puzzles))


def write(
    puzzles: Iterable[PuzzleLike] | Puzzle | str,
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
) -> None:
    """Write one puzzle or several, or their one-line forms, to a file, which is replaced, completely or not at all.

    The format is one of `FORMATS`, by default that of the extension, such as ``.puzzles`` for several.

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
        return [path for path in files if of_path(path) or (path.suffix.lower() in ("", ".txt") and _has_puzzle(path))]
    except OSError as error:
        raise InputError(str(folder), f"{error.strerror}") from None


def _has_puzzle(path: Path) -> bool:
    with suppress(InputError):
        return any(True for _ in read_all(path))
    return False


def require(name: str) -> Format:
    """Return the format with this name."""
    if name not in FORMATS:
        raise InputError(f"format {name!r}", f"expected one of {', '.join(FORMATS)}")
    return FORMATS[name]


def _inline(source: str) -> str | None:
    """Return the name of the format of a puzzle that is given as text, or None if it is not a puzzle."""
    if source.strip("./") == "" and os.path.isdir(source):
        return None  # a folder, and no board of dark lights
    if source and not source.strip("01.#_/"):
        return "board"  # known without the other formats, which take 15 ms to load
    from crosslit.formats.texts import detect

    return detect(b"", source)


def _not_found(source: str) -> InputError:
    """Return the error for a text that is neither a file nor a puzzle, with the nearest file that exists."""
    path, hint = Path(source), ""
    with suppress(OSError, ValueError, LookupError, StopIteration):
        if source.strip() and path.is_dir():
            ways = (f"name a file in it, such as {file}" for file in in_folder(path))
            return InputError(shorten(source, _MAX_SHOWN), f"is a folder: {next(ways, 'it contains no puzzle files')}")
        folder = next(parent for parent in path.parents if parent.exists())
        names = (str(folder / file.name) for file in islice(folder.iterdir(), _MAX_LISTED))
        hint = did_you_mean(str(folder / path.relative_to(folder).parts[0]), names)
    return InputError(shorten(source, _MAX_SHOWN), f"no such file; {hint or f'expected {_EXAMPLES}'}")


_EXAMPLES = (
    "a board such as 01/10, or a nonogram such as '2,1|1,2' (rows|columns), or a file with one clue per line and a "
    "blank line between rows and columns"
)


def _text(content: bytes) -> str | None:
    """Return the text of a file, None if it is not text."""
    try:
        return content.decode("utf-8-sig")  # some editors put a byte order mark in front
    except UnicodeDecodeError:
        # Old files have other encodings, in which names may be wrong. Clues and cells are ASCII in all of them.
        return None if _NOT_WINDOWS_1252.search(content) else content.decode("windows-1252")


@cache  # one line for a file that is read twice
def _note(origin: str, message: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(f"crosslit: {one_line(origin)}: {message}\n")


def parse_line(kind: str, text: str, origin: str) -> Puzzle:
    """Read a puzzle of a known kind from its one-line form."""
    found = require_kind(kind, origin)
    try:
        return found.parse(text.strip(), origin)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(origin, str(error)) from None


def require_kind(name: object, origin: str) -> Kind:
    """Return the kind with this name."""
    if not isinstance(name, str) or (name not in OWN and name not in all_kinds()):
        raise InputError(origin, f"unknown kind {shorten(repr(name), 80)}: expected one of {', '.join(all_kinds())}")
    return find_kind(name)


def only(puzzles: Iterator[Puzzle], origin: str) -> Puzzle:
    """Return the only one of some puzzles."""
    puzzle = next(puzzles)
    if others := sum(1 for _ in puzzles):
        advice = "" if origin == "-" else f": name one as {origin}:1 to {origin}:{others + 1}"
        raise InputError(origin, f"expected one puzzle, found {others + 1}{advice}")
    return puzzle


read = load  # its name within Crosslit
