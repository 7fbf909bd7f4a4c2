"""The XML of webpbn.com: ``<puzzleset>`` with ``<puzzle>``s, their colours, clues and solutions.

Nothing that a document names is opened, and no entity that it defines is expanded: a document that defines any is
refused. The document type that webpbn's own files name is let be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from crosslit.errors import InputError
from crosslit.formats._clues import Line, check_goal, read_clue, require_nonogram
from crosslit.grid import Grid
from crosslit.puzzles import Nonogram, Puzzle
from crosslit.puzzles.nonogram import Clue

NAME = "xml"
PRIORITY = 100
EXTENSIONS = frozenset({".xml"})
SUMMARY = "nonograms: the XML of webpbn.com, in one colour"
BINARY = True
HEAD = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?=<).{0,4000}?<puzzle", re.DOTALL)

CREDITS = frozenset({"by", "copyright"})

_ELEMENTS = {"author": "by", "copyright": "copyright"}
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_CHUNK = 1 << 16
_MAX_DEPTH = 50  # elements within elements; the format takes six


def parse_all(content: bytes, origin: str) -> Iterator[Nonogram]:
    r"""Every nonogram of a document. A puzzle without clues is the one that its goal solves.

    Raises:
        InputError: if it is no such document, defines entities, or a puzzle has several colours, is no grid, or has
            clues that its goal does not solve.

    Examples:
        >>> text = b'<puzzleset><puzzle><clues type="columns"><line><count>1</count></line></clues>'
        >>> text += b'<clues type="rows"><line/><line><count>1</count></line></clues></puzzle></puzzleset>'
        >>> [puzzle.text for puzzle in parse_all(text, "here")]
        ['0,1|1']
    """
    from xml.etree.ElementTree import ParseError

    try:
        from defusedxml.common import DefusedXmlException
        from defusedxml.ElementTree import DefusedXMLParser
    except ImportError:
        raise InputError(origin, "an XML document needs defusedxml: pip install defusedxml") from None

    reader = _Reader(origin)
    parser = DefusedXMLParser(target=reader)
    reader.place = lambda: int(parser.parser.CurrentLineNumber)
    try:
        for start in range(0, len(content), _CHUNK):
            parser.feed(content[start : start + _CHUNK])
            yield from reader.taken()
        parser.close()
    except ParseError as error:
        line, _ = error.position
        raise InputError(origin, f"expected XML: {str(error).partition(':')[0]}", line) from None
    except DefusedXmlException:
        problem = "expected a document without entities of its own and without references to other files"
        raise InputError(origin, problem, reader.place()) from None
    except (LookupError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(origin, f"expected XML: {error}", reader.place()) from None
    yield from reader.taken()


@dataclass
class _Draft:
    """What has been read of one puzzle."""

    start: int
    foreground: str
    background: str
    title: str = ""
    credits: list[tuple[str, str]] = field(default_factory=list)
    characters: dict[str, str] = field(default_factory=dict)  # of an image: what colour each stands for
    clues: dict[str, list[Clue]] = field(default_factory=dict)
    colours: dict[str, int] = field(default_factory=dict)  # of blocks, and where each was first seen
    goal: list[Line] = field(default_factory=list)


class _Reader:
    """What a parser tells as it reads: the target of `xml.etree.ElementTree.XMLParser`."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.place: Any = lambda: None
        self._path: list[str] = []
        self._text: list[str] = []
        self._attributes: list[Mapping[str, str]] = []
        self._draft: _Draft | None = None
        self._axis = ""
        self._line: list[int] = []
        self._ready: list[Nonogram] = []

    def taken(self) -> list[Nonogram]:
        """The puzzles that are complete, each once."""
        ready, self._ready = self._ready, []
        return ready

    def close(self) -> None:
        """The end of the document."""

    def data(self, text: str) -> None:
        """Some text of the element that was begun last."""
        if self._path and self._path[-1] in ("title", "color", "count", "image", *_ELEMENTS):
            self._text.append(text)

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """The beginning of an element."""
        if not self._path and tag not in ("puzzleset", "puzzle"):
            raise self._error(f"expected an element puzzleset, found {tag[:20]}")
        self._path.append(tag)
        self._attributes.append(attributes)
        self._text.clear()
        if len(self._path) > _MAX_DEPTH:
            raise self._error(f"expected at most {_MAX_DEPTH} elements within each other")
        if tag == "puzzle":
            if self._draft is not None:
                raise self._error("expected no puzzle within a puzzle")
            if (kind := attributes.get("type", "grid")) != "grid":
                raise self._error(f"expected a puzzle of type grid, found {kind[:20]!r}, which is not supported")
            foreground, background = attributes.get("defaultcolor", "black"), attributes.get("backgroundcolor", "white")
            self._draft = _Draft(self.place(), foreground, background)
        elif tag == "clues" and self._draft is not None:
            self._axis = attributes.get("type", "")
            if self._axis not in ("rows", "columns") or self._axis in self._draft.clues:
                raise self._error(f"expected clues of type rows and columns, once each, found {self._axis[:20]!r}")
            self._draft.clues[self._axis] = []
        elif tag == "line":
            if self._path[-2] != "clues":
                raise self._error("expected a line within clues")
            self._line = []
        elif "line" in self._path and tag != "count":
            raise self._error(f"expected counts in a line of clues, found {tag[:20]}, which is not supported")

    def end(self, tag: str) -> None:
        """The end of an element."""
        self._path.pop()
        attributes, text = self._attributes.pop(), "".join(self._text)
        self._text.clear()
        if self._draft is None:
            return
        parent = self._path[-1] if self._path else ""
        if tag == "puzzle":
            self._ready.append(self._finished(self._draft))
            self._draft = None
        elif tag == "title" and parent == "puzzle":
            self._draft.title = " ".join(text.split())
        elif tag in _ELEMENTS and parent == "puzzle" and text.strip():
            self._draft.credits.append((_ELEMENTS[tag], " ".join(text.split())))
        elif tag == "color" and parent == "puzzle":
            self._draft.characters[attributes.get("char", "")] = attributes.get("name", "")
        elif tag == "count" and parent == "line":
            self._count(text, attributes.get("color") or self._draft.foreground)
        elif tag == "line" and parent == "clues":
            self._draft.clues[self._axis].append(tuple(self._line))
        elif tag == "image" and self._attributes[-1].get("type", "goal") == "goal" and not self._draft.goal:
            self._draft.goal = [(self.place(), line.strip()) for line in text.splitlines() if line.strip()]

    def _count(self, text: str, colour: str) -> None:
        assert self._draft is not None
        what = f"{self._axis.removesuffix('s')} {len(self._draft.clues[self._axis]) + 1}"
        blocks = read_clue(text, what, self.origin, self.place())
        if len(blocks) > 1:
            raise self._error(f"{what}: expected one number in a count, found {text.strip()[:20]!r}")
        if blocks:
            self._draft.colours.setdefault(colour, self.place())
            if len(self._draft.colours) > 1:
                raise self._error(f"expected blocks of one colour, found {_some(self._draft.colours)}")
        self._line += blocks

    def _finished(self, draft: _Draft) -> Nonogram:
        if not draft.clues and draft.goal:
            of_goal = Nonogram.of(self._image(draft), draft.title)
            return Nonogram(of_goal.row_clues, of_goal.column_clues, draft.title, draft.credits)
        for axis in ("rows", "columns"):
            if not draft.clues.get(axis):
                raise InputError(self.origin, f"expected clues of type {axis} in this puzzle", draft.start)
        puzzle = Nonogram(draft.clues["rows"], draft.clues["columns"], draft.title, draft.credits)
        if draft.goal:
            check_goal(puzzle, self._image(draft), self.origin, draft.goal[0][0])
        return puzzle

    def _image(self, draft: _Draft) -> Grid:
        """The goal: rows between bars, a character a cell."""
        line = draft.goal[0][0]
        rows = [row.strip("|") for _, row in draft.goal]
        colours = draft.characters or {".": draft.background, "X": "black"}
        for cell in (cell for row in rows for cell in row):
            if cell not in colours:
                raise InputError(self.origin, f"expected a goal of the characters of colours, found {cell!r}", line)
        used = {colours[cell] for row in rows for cell in row} - {draft.background}
        if len(used) > 1:
            raise InputError(self.origin, f"expected a goal in one colour, found {_some(used)}", line)
        if not rows[0] or any(len(row) != len(rows[0]) for row in rows):
            raise InputError(self.origin, "expected a goal of rows of equal length, at least one cell each", line)
        return Grid.from_cells([[colours[cell] != draft.background for cell in row] for row in rows])

    def _error(self, problem: str) -> InputError:
        return InputError(self.origin, problem, self.place())


def _some(colours: Iterable[str]) -> str:
    return " and ".join(repr(colour[:20]) for colour in sorted(colours)[:3])


def _plain(text: str) -> str:
    """A text without characters that XML does not hold."""
    return " ".join("".join(c for c in text if c.isprintable() or c.isspace()).split()).translate(_ESCAPES)


def write_all(puzzles: Iterable[Puzzle]) -> Iterator[str]:
    """The document of nonograms, with their names as titles, and their authors and copyright.

    Raises:
        ValueError: if one is no nonogram.
    """
    yield '<?xml version="1.0"?>\n<!DOCTYPE pbn SYSTEM "https://webpbn.com/pbn-0.3.dtd">\n<puzzleset>\n'
    for puzzle in puzzles:
        nonogram = require_nonogram(puzzle, NAME)
        yield '<puzzle type="grid" defaultcolor="black">\n'
        if title := _plain(nonogram.name):
            yield f"<title>{title}</title>\n"
        for element, word in _ELEMENTS.items():
            told = (_plain(told) for kind, told in nonogram.credits if kind == word)
            yield "".join(f"<{element}>{text}</{element}>\n" for text in told if text)
        yield '<color name="white" char=".">fff</color>\n<color name="black" char="X">000</color>\n'
        for axis, clues in (("columns", nonogram.column_clues), ("rows", nonogram.row_clues)):
            lines = ("".join(f"<count>{block}</count>" for block in clue) for clue in clues)
            yield f'<clues type="{axis}">\n' + "".join(f"<line>{line}</line>\n" for line in lines) + "</clues>\n"
        yield "</puzzle>\n"
    yield "</puzzleset>\n"
