"""The interface of a file format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from crosslit.base.errors import InputError
from crosslit.kinds import Kind, Puzzle


@dataclass(frozen=True, kw_only=True, eq=False)
class Format:
    """A file format, whose content is text, or with ``binary`` bytes.

    Args:
        reader: returns the puzzles of a content, given with its origin for messages.
        columns_first: the same if the columns come first, for files that do not say the order.
        detect: returns None if a content is not of this format, otherwise how it is read, such as "rows first", or ""
            if the content leaves no doubt; for files without a telling extension.
        writer: returns the text of a puzzle, or with ``several`` yields that of puzzles; None if it is read-only.
    """

    name: str
    summary: str
    example: str = ""
    extensions: tuple[str, ...] = ()
    reader: Callable[[Any, str], Iterable[Puzzle]]
    columns_first: Callable[[Any, str], Iterable[Puzzle]] | None = None
    detect: Callable[[Any], str | None]
    writer: Callable[[Any], Any] | None = None
    several: bool = False
    binary: bool = False

    @property
    def writes(self) -> bool:
        """True if puzzles can be written in this format."""
        return self.writer is not None

    def parse_all(self, content: str | bytes, origin: str, how: str = "") -> Iterator[Puzzle]:
        """Yield every puzzle of a file, reading each when it is requested; ``how`` is what `detect` returned."""
        read = self.columns_first if self.columns_first and how.startswith("columns") else self.reader
        none = True  # an iterator without a puzzle would end silently, as if the file were fine
        try:
            for puzzle in read(content, origin):
                none = False
                yield puzzle
        except InputError:
            raise
        except (ValueError, OverflowError, RecursionError) as error:  # beyond a limit of Python or of a puzzle
            problem = "it is nested too deeply" if isinstance(error, RecursionError) else f"{error}"
            raise InputError(origin, f"expected a puzzle in the format {self.name}: {problem}") from None
        if none:
            raise InputError(origin, f"expected a puzzle in the format {self.name}, found none")

    def parse(self, content: str | bytes, origin: str) -> Puzzle:
        """Return the only puzzle of a file."""
        return only(self.parse_all(content, origin), origin)

    def write_all(self, puzzles: Iterable[Puzzle]) -> Iterator[str]:
        """Yield the text of the puzzles, in pieces."""
        if self.writer is None:
            raise ValueError(f"the format {self.name} is read-only")
        if self.several:
            yield from self.writer(puzzles)
            return
        for number, puzzle in enumerate(puzzles):
            if number:
                problem = "holds one puzzle per file, and there are several: name one as FILE:7"
                raise ValueError(f"the format {self.name} {problem}")
            yield self.writer(puzzle)

    def write(self, puzzle: Puzzle) -> str:
        """Return the text of one puzzle."""
        return "".join(self.write_all([puzzle]))


def parse_text(kind: Kind, text: str, origin: str) -> Puzzle:
    """Read a puzzle of a kind from its one-line form."""
    if kind.parse is not None:
        return kind.parse(text, origin)
    try:
        return kind.puzzle.parse(text.strip())
    except ValueError as error:
        raise InputError(origin, str(error)) from None


def only(puzzles: Iterator[Puzzle], origin: str) -> Puzzle:
    """Return the only one of some puzzles."""
    puzzle = next(puzzles)
    if others := sum(1 for _ in puzzles):
        advice = "" if origin == "-" else f": name one as {origin}:1 to {origin}:{others + 1}"
        raise InputError(origin, f"expected one puzzle, found {others + 1}{advice}")
    return puzzle
