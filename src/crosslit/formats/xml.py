"""The XML of webpbn.com: ``<puzzleset>`` with ``<puzzle>``s, their colours, clues and solutions.

A document that defines an entity or refers to other files is rejected, but for the DOCTYPE of webpbn's own files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from string import ascii_letters
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from crosslit.base.errors import InputError
from crosslit.formats.parts import Named, blocks_of_lines, check_goal, of_named
from crosslit.kinds import Nonogram
from crosslit.kinds.nonogram.text import read_clue

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
_LINE = " line"  # the line on which an element begins, as an attribute that no document can have


def read_xml(content: bytes, origin: str) -> Iterator[Nonogram]:
    """Yield every nonogram of a document; a puzzle without clues is the one that its goal solves."""
    try:
        from defusedxml.common import DefusedXmlException
        from defusedxml.ElementTree import DefusedXMLParser
    except ImportError:
        raise InputError(origin, "an XML document needs defusedxml: pip install defusedxml") from None

    try:  # defusedxml refuses entities, which could expand a small file to gigabytes, and external references
        parser = DefusedXMLParser(target=TreeBuilder())
        expat: Any = parser.parser
        start = expat.StartElementHandler
        expat.StartElementHandler = lambda tag, found: start(tag, [*found, _LINE, str(expat.CurrentLineNumber)])
        parser.feed(content)
        root = parser.close()
    except ParseError as error:
        # The parser's message ends with the position, which the error names separately.
        raise InputError(origin, f"expected XML: {str(error).partition(':')[0]}", error.position[0]) from None
    except DefusedXmlException:
        raise InputError(origin, "expected a document that defines no entities and refers to no other files") from None
    except (LookupError, ValueError) as error:
        raise InputError(origin, f"expected XML: {error}") from None
    if root.tag not in ("puzzleset", "puzzle"):
        raise InputError(origin, f"expected an element puzzleset, found {root.tag[:20]}", int(root.attrib[_LINE]))
    return (_puzzle(found, origin) for found in root.iter("puzzle"))


def _puzzle(puzzle: Element, origin: str) -> Nonogram:
    line = int(puzzle.attrib[_LINE])
    if (kind := puzzle.get("type", "grid")) != "grid":
        raise InputError(origin, f"expected a puzzle of type grid, found {kind[:20]!r}, which is not supported", line)
    background, title = puzzle.get("backgroundcolor", "white"), " ".join(map(_words, puzzle.findall("title")))
    clues = _clues(puzzle, origin)
    goals = [solution for solution in puzzle.iter("solution") if solution.get("type", "goal") == "goal"]
    image = next((image for goal in goals for image in goal.iter("image") if _words(image)), None)
    goal = _goal(puzzle, image, background, origin) if image is not None else []
    if not clues and goal:
        clues = {"rows": blocks_of_lines(goal, background)}
        clues["columns"] = blocks_of_lines(zip(*goal, strict=True), background)
    if missing := [axis for axis in ("rows", "columns") if not clues.get(axis)]:
        raise InputError(origin, f"expected clues of type {missing[0]} in this puzzle", line)
    rows, columns = clues["rows"], clues["columns"]
    is_coloured = len({colour for clue in rows + columns for _, colour in clue}) > 1
    if not is_coloured:  # colours are counted by name, whatever the name: one besides the background is a nonogram
        rows, columns = ([[(size, "") for size, _ in clue] for clue in axis] for axis in (rows, columns))
        goal = [[colour if colour == background else "" for colour in row] for row in goal]
    if image is not None:
        check_goal(goal, background, (rows, columns), origin, int(image.attrib[_LINE]))
    colours = {e.get("name", ""): (e.get("name", ""), _words(e)) for e in puzzle.findall("color")}
    ground = colours.pop(background, (background, background))
    return of_named(rows, columns, colours if is_coloured else None, ground, title)


def _clues(puzzle: Element, origin: str) -> dict[str, list[Named]]:
    """Return the clues of rows and of columns, with the names of colours."""
    found: dict[str, list[Named]] = {}
    usual = puzzle.get("defaultcolor") or "black"
    for clues in puzzle.iter("clues"):
        axis, line = clues.get("type", ""), int(clues.attrib[_LINE])
        if axis not in ("rows", "columns") or axis in found:
            raise InputError(origin, f"expected clues of type rows and columns, once each, found {axis[:20]!r}", line)
        found[axis] = []
        for number, element in enumerate(clues.findall("line"), 1):
            found[axis].append([])
            for count in list(element.iter())[1:]:
                what, words = f"{axis.removesuffix('s')} {number}", _words(count)
                if count.tag != "count" or len(words.split()) > 1:
                    problem = f"{what}: expected one number in a count, found {count.tag[:20]} {words[:20]!r}"
                    raise InputError(origin, problem, int(count.attrib[_LINE]))
                size = read_clue(words, what, origin, int(count.attrib[_LINE]))
                found[axis][-1] += [(*size, count.get("color") or usual)] if size else []
    return found


def _goal(puzzle: Element, image: Element, background: str, origin: str) -> list[list[str]]:
    """Return the names of the colours of a picture that solves a puzzle, whose rows are between bars."""
    line = int(image.attrib[_LINE])
    rows = [row.strip().strip("|") for row in "".join(image.itertext()).splitlines() if row.strip()]
    named = {colour.get("char", ""): colour.get("name", "") for colour in puzzle.findall("color")}
    colours = named or {".": background, "X": "black"}
    if strange := set("".join(rows)) - colours.keys():
        raise InputError(origin, f"expected a goal of the characters of colours, found {min(strange)!r}", line)
    if not rows[0] or len({*map(len, rows)}) > 1:
        raise InputError(origin, "expected a goal of rows of equal length, at least one cell each", line)
    return [[colours[cell] for cell in row] for row in rows]


def _words(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _plain(text: str) -> str:
    """Return a text without characters that XML cannot contain."""
    return " ".join("".join(c for c in text if c.isprintable() or c.isspace()).split()).translate(_ESCAPES)


def write_xml(puzzles: Iterable[Nonogram]) -> Iterator[str]:
    """Yield the document of nonograms, with their names as titles."""
    yield '<?xml version="1.0"?>\n<!DOCTYPE pbn SYSTEM "https://webpbn.com/pbn-0.3.dtd">\n<puzzleset>\n'
    for puzzle in puzzles:
        coloured = bool(puzzle.palette)
        palette = puzzle.palette or (("white", "fff"), ("black", "000"))
        names = [_plain(name) for name, _ in palette]
        if len({name.lower() for name in names}) < len(names):  # some programs ignore the case
            names = [f"c{number}" for number in range(len(names))]
        ground = f' backgroundcolor="{names[0]}"' if coloured else ""
        yield f'<puzzle type="grid" defaultcolor="{names[1]}"{ground}>\n'
        yield f"<title>{_plain(puzzle.name)}</title>\n" if puzzle.name else ""
        for sign, name, (_, rgb) in zip(f".{ascii_letters}" if coloured else ".X", names, palette, strict=False):
            yield f'<color name="{name}" char="{sign}">{rgb}</color>\n'
        counts = [f'<count color="{name}">' if coloured else "<count>" for name in names]
        for axis, clues in (("columns", puzzle.column_clues), ("rows", puzzle.row_clues)):
            blocks = map(puzzle.pairs, clues)
            lines = ("".join(f"{counts[colour]}{length}</count>" for length, colour in clue) for clue in blocks)
            yield f'<clues type="{axis}">\n' + "".join(f"<line>{line}</line>\n" for line in lines) + "</clues>\n"
        yield "</puzzle>\n"
    yield "</puzzleset>\n"
