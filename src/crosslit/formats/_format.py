"""The interface of a file format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from crosslit.base.errors import InputError
from crosslit.base.numbers import shorten
from crosslit.kinds import Kind, Nonogram, Puzzle, all_kinds, find_kind
from crosslit.kinds.registry import OWN

Readings = tuple[Nonogram | None, Nonogram | None]
"""A puzzle read with the rows first, and with the columns first; None where the file cannot be read so."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Format:
    """A file format, whose content is text, or with ``binary`` bytes.

    Args:
        reader: returns the puzzles of a content, given with its origin for messages; or both `Readings` of each, if the
            file does not say whether rows or columns come first.
        writer: returns the text of a puzzle, or with ``several`` yields that of puzzles; None if it is read-only.
    """

    name: str
    summary: str
    extensions: tuple[str, ...] = ()
    reader: Callable[[Any, str], Iterable[Puzzle | Readings]]
    writer: Callable[[Any], Any] | None = None
    several: bool = False
    binary: bool = False

    @property
    def writes(self) -> bool:
        """True if puzzles can be written in this format."""
        return self.writer is not None

    def parse_all(
        self, content: str | bytes, origin: str, note: Callable[[str], None] | None = None
    ) -> Iterator[Puzzle]:
        """Yield every puzzle of a file, reading each when it is requested.

        The rows come first; but if ``note`` is given, the order is the one that fits, and ``note`` is called with it.
        """
        try:
            found = iter(self.reader(content, origin))
            first = next(found, None)
            if first is None:  # an iterator without a puzzle would end silently, as if the file were fine
                raise InputError(origin, f"expected a puzzle in the format {self.name}, found none")
            if isinstance(first, tuple):
                yield from _in_order([first, *found], origin, note)  # type: ignore[list-item]  # all are
            else:
                yield first
                yield from found  # type: ignore[misc]
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


def _in_order(pairs: list[Readings], origin: str, note: Callable[[str], None] | None) -> list[Nonogram]:
    """Return the puzzles with the rows first, unless they fit only with the columns first."""
    rows_first, columns_first = ([puzzle for puzzle in order if puzzle] for order in zip(*pairs, strict=True))
    if note is None or rows_first == columns_first:
        chosen = rows_first
    else:
        fits = [
            len(puzzles) == len(pairs) and not any(any(puzzle.contradictions()) for puzzle in puzzles)
            for puzzles in (rows_first, columns_first)
        ]
        is_turned = fits == [False, True] or len(rows_first) < len(pairs)
        why = "the columns may come first too" if all(fits) else "the clues fit only so"
        why = why if any(fits) else "the clues fit in neither order"
        note(f"{'columns' if is_turned else 'rows'} first ({why})")
        chosen = columns_first if is_turned else rows_first
    if len(chosen) < len(pairs):
        raise InputError(origin, "expected the clues of the rows before those of the columns")
    return chosen


def parse_text(kind: Kind, text: str, origin: str) -> Puzzle:
    """Read a puzzle of a kind from its one-line form."""
    try:
        return kind.parse(text if kind.kind in OWN else text.strip(), origin)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(origin, str(error)) from None


def parse_line(kind: str, text: str, origin: str) -> Puzzle:
    """Read a puzzle of a known kind from its canonical one-line form."""
    return parse_text(require_kind(kind, origin), text, origin)


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
