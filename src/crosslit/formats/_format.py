"""The file formats by their entry points, with one interface over the different functions of their modules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from crosslit.base.errors import InputError
from crosslit.contract import registered
from crosslit.kinds import Kind, Puzzle

GROUP = "crosslit.formats"
_HEAD = 100_000  # maximum number of characters that ``HEAD`` sees: a board may have 10^8 cells

Content = str | bytes


class Format:
    """The interface of a file format, made from its module.

    A module, or an object like one, registered under the entry point group ``crosslit.formats``, defines ``NAME``,
    ``EXTENSIONS`` (with the dot) and ``SUMMARY``. A file whose extension says nothing about its format has this one if
    the pattern ``HEAD`` matches its beginning and ``sniff(content)`` is true; one of the two is enough. Formats are
    tried by descending ``PRIORITY``; a format without one comes after Crosslit's.

    A format of one puzzle defines ``parse(content, origin)`` and ``write(puzzle)``, which returns text; a format of
    many defines ``parse_all(content, origin)`` and ``write_all(puzzles)``, iterators over puzzles and pieces of text. A
    read-only format has no function that writes. ``EXAMPLE`` is a smallest file, for messages. The content is text, or
    with ``BINARY = True`` the bytes of the file.

    Args:
        module: the module that defines it.

    Raises:
        AttributeError: if the module lacks a part.
    """

    def __init__(self, module: Any) -> None:
        self.name: str = module.NAME
        self.extensions: frozenset[str] = module.EXTENSIONS
        self.claims = self.extensions
        self.summary: str = module.SUMMARY
        self.binary: bool = getattr(module, "BINARY", False)
        self.several = hasattr(module, "parse_all")
        self.writes = hasattr(module, "write") or hasattr(module, "write_all")
        self.example: str = getattr(module, "EXAMPLE", "")
        self.priority: int = getattr(module, "PRIORITY", 0)
        self._module = module
        self._head = getattr(module, "HEAD", None)
        self._sniff = getattr(module, "sniff", None) if self._head else module.sniff
        if not (self.several or callable(module.parse)) or not (self._sniff is None or callable(self._sniff)):
            raise AttributeError("its sniff, parse or parse_all is not a function")

    def sniff(self, content: Content) -> bool:
        """Return whether content is of this format, if the extension of its file says nothing about it."""
        # The pattern comes first: it is cheap and rejects most contents, whose whole text `sniff` may read.
        # Patterns as text are compiled here, because a command needs few of them.
        if self._head is not None and not re.compile(self._head).match(content, 0, _HEAD):
            return False
        return self._sniff is None or bool(self._sniff(content))

    def parse_all(self, content: Content, origin: str) -> Iterator[Puzzle]:
        """Yield every puzzle of a file in order, reading each when it is requested."""
        # An iterator without a puzzle would end silently, as if the file were fine.
        none = True
        try:
            for puzzle in self._module.parse_all(content, origin) if self.several else self._only(content, origin):
                none = False
                yield puzzle
        except InputError:
            raise
        except (ValueError, OverflowError, RecursionError) as error:
            # A file may come from anyone, and a reader, also that of a plugin, may have overlooked a limit.
            problem = "it is nested too deeply" if isinstance(error, RecursionError) else f"{error}"
            raise InputError(origin, f"expected a puzzle in the format {self.name}: {problem}") from None
        if none:
            raise InputError(origin, f"expected a puzzle in the format {self.name}, found none")

    def parse(self, content: Content, origin: str) -> Puzzle:
        """Return the only puzzle of a file."""
        return only(self.parse_all(content, origin), origin)

    def _only(self, content: Content, origin: str) -> Iterator[Puzzle]:
        yield self._module.parse(content, origin)

    def write_all(self, puzzles: Iterable[Puzzle]) -> Iterator[str]:
        """Yield the text of the puzzles, in pieces."""
        if not self.writes:
            raise ValueError(f"the format {self.name} is read-only")
        if self.several:
            yield from self._module.write_all(puzzles)
            return
        for number, puzzle in enumerate(puzzles):
            if number:
                raise ValueError(
                    f"the format {self.name} holds one puzzle per file, and there are several: name one as FILE:7"
                )
            yield self._module.write(puzzle)

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
    others = sum(1 for _ in puzzles)
    if others:
        advice = "" if origin == "-" else f": name one as {origin}:1 to {origin}:{others + 1}"
        raise InputError(origin, f"expected one puzzle, found {others + 1}{advice}")
    return puzzle


class RegisteredFormats(Mapping[str, Format]):
    """The formats by name, in the order in which they are tried on a file; loaded at the first use.

    A format that cannot be loaded does not affect the others: `broken` has the reasons. Plugins cannot take over
    Crosslit's names and extensions.
    """

    def __init__(self) -> None:
        self.broken: dict[str, str] = {}

    @cached_property
    def _found(self) -> Mapping[str, Format]:
        found: dict[str, Format] = {}
        extensions: set[str] = set()

        def register(module: Any) -> None:
            known = Format(module)
            if known.name in found:
                raise ValueError(f"there is another format {known.name}")
            # Files with an extension of Crosslit's are written in its format, and read by a plugin that claims them.
            known.extensions -= extensions
            extensions.update(known.extensions)
            found[known.name] = known

        list(registered.load(GROUP, register))
        self.broken.update(registered.FAILURES.get(GROUP, ()))
        return dict(sorted(found.items(), key=lambda item: (-item[1].priority, item[0])))

    def __getitem__(self, name: str) -> Format:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)
