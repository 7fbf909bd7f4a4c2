""".non, the format of Steven Simpson's nonogram solver: one property a line, then the clues of rows and columns."""

from __future__ import annotations

from crosslit.errors import InputError
from crosslit.formats._clues import read_clue, require_nonogram, write_clue
from crosslit.puzzles import Nonogram, Puzzle
from crosslit.puzzles.nonogram import Clue

NAME = "non"
EXTENSIONS = frozenset({".non"})
SUMMARY = "nonogram: .non of Steven Simpson's solver; width, height, title, rows, columns"

_WORDS = frozenset(
    {"catalogue", "title", "by", "copyright", "license", "goal", "color", "width", "height", "rows", "columns"}
)


def sniff(text: str) -> bool:
    """Whether there is a line ``rows`` and a line ``columns``."""
    return {"rows", "columns"} <= {line.strip() for line in text.splitlines()}


def parse(text: str, origin: str) -> Nonogram:
    r"""The nonogram of a text. Blank lines are ignored; an empty clue is written 0.

    Raises:
        InputError: if a section is missing or comes twice, a clue cannot be read, or there are more or fewer clues than
            ``height`` and ``width`` say.

    Examples:
        >>> puzzle = parse('title "Two"\nwidth 2\nheight 1\nrows\n2\ncolumns\n1\n1\n', "here")
        >>> puzzle.text, puzzle.name
        ('2|1,1', 'Two')
    """
    clues: dict[str, list[Clue]] = {}
    starts: dict[str, int] = {}
    sizes: dict[str, tuple[int, int]] = {}
    title, section = "", None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        word, rest = (*line.split(None, 1), "")[:2]
        rest = rest.strip()
        if word in ("rows", "columns") and not rest:
            if word in clues:
                raise InputError(origin, f"a second section {word}: expected one puzzle in the file", number)
            section, clues[word], starts[word] = word, [], number
        elif word in ("width", "height"):
            if not (rest.isascii() and rest.isdigit() and 0 < len(rest) <= 9 and int(rest)):
                raise InputError(origin, f"expected a positive number after {word}, found {rest[:20]!r}", number)
            sizes[word] = int(rest), number
        elif word in _WORDS:
            title = _unquote(rest) if word == "title" else title
        elif section is not None:
            what = f"{section.removesuffix('s')} {len(clues[section]) + 1}"
            clues[section].append(read_clue(line, what, origin, number))
        else:
            raise InputError(origin, f"expected a property such as width, or rows, found {line.strip()[:20]!r}", number)
    for word, size in (("rows", "height"), ("columns", "width")):
        if not clues.get(word):
            raise InputError(origin, f"expected a section {word} with one clue a line")
        if size in sizes and sizes[size][0] != len(clues[word]):
            given, _ = sizes[size]
            problem = f"expected {given} {word} as {size} says, found {len(clues[word])} (an empty line is written 0)"
            raise InputError(origin, problem, starts[word])
    return Nonogram(clues["rows"], clues["columns"], title)


def write(puzzle: Puzzle) -> str:
    """The text of a nonogram, with its name as the title.

    Raises:
        ValueError: if the puzzle is no nonogram, or its name holds a quotation mark or a line end.
    """
    nonogram = require_nonogram(puzzle, NAME)
    if any(character in nonogram.name for character in '"\r\n'):
        raise ValueError(f"a title in .non holds no quotation mark and no line end: {nonogram.name!r}")
    head = [f'title "{nonogram.name}"'] if nonogram.name else []
    rows = (write_clue(clue, ",") for clue in nonogram.row_clues)
    columns = (write_clue(clue, ",") for clue in nonogram.column_clues)
    sizes = [f"width {nonogram.columns}", f"height {nonogram.rows}"]
    return "\n".join([*head, *sizes, "", "rows", *rows, "", "columns", *columns]) + "\n"


def _unquote(text: str) -> str:
    return text[1:-1] if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'" else text
