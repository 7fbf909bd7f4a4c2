"""Formats that are lines of clues, and how the format of a text is recognised by its shape.

A reader of a text that does not say whether rows or columns come first returns both readings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from crosslit.base.errors import InputError
from crosslit.base.files import numbered_lines
from crosslit.formats.parts import Line, Readings, read_sizes, section
from crosslit.kinds import Nonogram, kind_of_text
from crosslit.kinds.lights_out.text import without_remark
from crosslit.kinds.nonogram.puzzle import Clue
from crosslit.kinds.nonogram.text import parse, read_clue

TITLE = "# one puzzle per line"
REMARK = re.compile(r"(?:^|\s+)#\s+")  # a lit cell has no blank after it, or none before it

_TAAI_SIZE = 25  # rows and columns in the tournaments
_HEADING = re.compile(r"\s*(row|col)(?:umn)?s?(?:[_ ][a-z]+)*\s*[:=]?([^0-9\[]*)([0-9\[].*)?", re.IGNORECASE)
_LETTERS = re.compile(r"[A-Z\s]*[A-Z][ \t\r]*\n\s*[A-Z][A-Z\s]*")  # of Rosetta Code: A is a block of one cell
_TAAI_HEAD = re.compile(r"\s*\$[0-9]+\$?\s*?(?:\n|\Z)")  # the files have one $, their descriptions two
_SGT_ID = re.compile(r"\s*([0-9]+)(?:x([0-9]+))?:([0-9./]*/.*)", re.ASCII)
_BETWEEN = re.compile(r"\s*[&:]")  # rows and columns, in the files of some programs
_REMARK = re.compile(r"\s*(?:c|#|%|;|//)[ \t]+\S.*|\s*\*.*")
_TAIL = re.compile(r"\s+[#%;][ \t].*")  # a remark behind a clue
_WORDS = re.compile(r"\s*[A-Za-z][\w-]*(?:[ \t]+[A-Za-z][\w-]*)*[ \t]+(?=[0-9])")  # before the sizes
_HEAD = 100_000  # characters that decide; a file may have 10^9
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?=<).{0,4000}?<puzzle", re.DOTALL)
_JSON = re.compile(r'\s*(?:\{\s*"|\[\s*(?:[\[0-9]|[tT]rue|[fF]alse))')
_NON = re.compile(r"\s*(?:[^\s0-9.#_]|#\s)")
_ROWS = re.compile(r"[\w.#][^\"'(\[{<*]*[|/]")  # of a puzzle on one line; no program begins so
_LISTS = re.compile(
    r"[\[({]\s*[\[({|]+\s*(?:[0-9\])}]|true|false)|param\s+\w+\s*:|array2d"
    r"|(?:row|col|hor|ver)\w*['\"]?\s*[=:]\s*[\[({]\s*[\"'0-9]",
    re.IGNORECASE,
)
_ZERO_ENDED = re.compile(r"[0-9]+[0-9\s]*\s0")
_CLUE = re.compile(r"[0-9][0-9,\s]*")
# A misspelt setting too; a value of a program's text has blanks or brackets around it.
_SETTING = re.compile(r"\s*(?:(?:press|wrap|edges|matrix)\s*=|[A-Za-z]+=[\w.#,-]+[/\r\n])")


def detect(content: bytes, text: str | None) -> str | None:
    """Return the name of the format of a file, given as bytes and if possible as text; None if it is none."""
    if content[:2] in (b"P1", b"P4"):
        return "picture"
    if _XML.match(content[:_HEAD]):
        return "xml"
    if text is None:
        return None
    is_non = _NON.match(text) and {"rows", "columns"}.issubset(map(str.strip, text.splitlines()))
    shapes = {
        "json": _JSON.match(text),
        "non": is_non,
        "lines": not is_non and _is_lines(text),
        "lists": _LISTS.search(text[:_HEAD]),
        "taai": _TAAI_HEAD.match(text),
        "sgt": _SGT_ID.match(text),
        "board": is_board(text),
    }
    return next((name for name, is_shape in shapes.items() if is_shape), None) or _clue_list(text)


def _is_lines(text: str) -> bool:
    """Return whether a text begins with a title, or the first of several lines, or the only one, is a puzzle."""
    if text.startswith(TITLE):
        return True
    if not set(text[:_HEAD].split()) - {*".#_"}:  # rows of one board, with blanks between cells
        return False
    lines = (line for _, line in numbered_lines(text[:_HEAD]) if line.strip() and not line.startswith("# "))
    first, second = next(lines, ""), next(lines, None)
    form, *title = REMARK.split(first.strip())
    if kind_of_text(first) is not None or (title and form and second is None):
        return True
    return bool(_ROWS.match(form)) and bool(title or second is not None)


def is_board(text: str) -> bool:
    """Return whether a text begins with a setting, or its head has only cells, slashes, remarks and line ends."""
    head = text[:_HEAD]
    if _SETTING.match(head):
        return True
    lines = [without_remark(line.strip()) for line in head.split("\n")]
    lengths = {len(line) for line in lines if line}
    # Lines of one cell with a blank line between them are clues.
    is_split = "\n\n" in "\n".join(lines).strip("\n") and (len(lengths) > 1 or lengths == {1})
    # Letters count as cells only in text that cannot be the name of a missing file.
    cells = "01.#_/xXoO" if set(head) & set("/\n.") else "01.#_/"
    return bool(lengths) and not is_split and not "".join(lines).strip(cells)


def _is_spaced_board(text: str) -> bool:
    """Return whether a text is cells with blanks or commas between them; the clues 1 1 have no 0."""
    rows = [re.split(r"[ \t,]+", line) for line in map(without_remark, map(str.strip, text.split("\n"))) if line]
    cells = {word for row in rows for word in row}
    is_rectangle = len({*map(len, rows)}) == 1 and len(rows[0]) > 1
    return is_rectangle and not cells - {*"01.#xXoO_"} and not cells.isdisjoint("0.oO")


def _clue_list(text: str) -> str | None:
    lines = [line.strip() for _, line in _written(text)]
    clues = [line for line in lines if line]
    if len(clues) == 1 and "|" in clues[0]:
        return "clues"
    if _LETTERS.fullmatch(text):  # two words in capitals may be anything
        sums = [sum(ord(letter) - 64 for letter in line if letter.strip()) for line in clues]
        return "clues" if sums[0] == sums[1] else None
    is_mostly_clues = len(clues) > 1 and sum(bool(_CLUE.fullmatch(line)) for line in clues) > len(clues) / 2
    numbers = map(_numbers_of, clues)
    sizes, second = next(numbers, []), next(numbers, [])
    ends_with_zeros = any(map(_ZERO_ENDED.fullmatch, clues[1:])) and clues[-1].split()[-1] == "0"
    heads = [sizes, second] if len(sizes) == 1 else [sizes]  # the number of puzzles may come first
    if ends_with_zeros and any(len(head) == 2 and (head != [1, 1] or "".join(clues).count("0") == 2) for head in heads):
        return "zero"
    if _is_spaced_board(text) and (len(clues) > 2 or "," not in text):
        return "board"
    blocks = _blocks_of(text)
    if len({heading for heading, _ in blocks if heading}) == 2:
        return "typed"
    if not is_mostly_clues:
        return None
    if len(clues) == 2:
        return "clues"
    if len(sizes) == 2 and "#" in lines:
        return "mk"
    sums = [sum(sum(_numbers_of(line)) for _, line in block) for _, block in blocks]
    is_typed = len(blocks) == 2 and sums[0] == sums[1]
    if len(sizes) == 2 and not is_typed and (_is_sized(sizes, lines, 1) or len(blocks) != 2):
        return "nin"
    if len(sizes) == 1 and len(second) == 1 and not is_typed and _is_sized(sizes + second, lines, 2):
        return "cwd"
    return "typed"


def _is_sized(sizes: list[int], lines: list[str], heads: int) -> bool:
    """Return whether there are as many clues as the sizes say, if each blank line is one or none is."""
    clues, total = sum(map(bool, lines)) - heads, sum(sizes)
    return clues == total or clues < total <= len(lines) - heads


def _written(text: str) -> list[Line]:
    """Return the lines of a text without remarks."""
    return [(number, _TAIL.sub("", line)) for number, line in numbered_lines(text) if not _REMARK.fullmatch(line)]


def _numbers_of(line: str) -> list[int]:
    """Return the numbers of a line, behind the words before them; none if there is anything else."""
    words = _WORDS.sub("", line).replace(",", " ").split()
    return [int(word) for word in words] if all(re.fullmatch("[0-9]{1,9}", word) for word in words) else []


def _blocks_of(text: str) -> list[tuple[str, list[Line]]]:
    """Return the blocks of clues, each with its heading, if any: ``row`` or ``col``, maybe with clues behind it.

    A blank line, a heading or a line that begins with ``&`` or ``:`` is between blocks.
    """
    blocks: list[tuple[str, list[Line]]] = []
    inside = False
    for number, line in _written(text):
        heading = _HEADING.fullmatch(line)
        if heading or _BETWEEN.match(line):
            if blocks and not any(re.search("[0-9]", clue) for _, clue in blocks[-1][1]):
                blocks.pop()  # a title above the first heading, or a line below the last clue
            clues = heading[3].split(",") if heading and heading[3] else []
            blocks.append((heading[1].lower() if heading else "", [(number, clue) for clue in clues]))
            inside = True
        elif not line.strip():
            inside = inside and not blocks[-1][1]  # a blank line may follow a heading
        else:
            if not inside:
                blocks.append(("", []))
            blocks[-1][1].append((number, line.strip(" \t\r[](){};,") or "0"))
            inside = True
    return blocks


def _nonogram(first: Sequence[Line], second: Sequence[Line], origin: str, columns_first: bool = False) -> Nonogram:
    """Return the nonogram of lines of clues, of which a blank one is an empty clue."""
    axes = ("column", "row") if columns_first else ("row", "column")
    clues = [
        [read_clue(line.strip() or "0", f"{axis} {i}", origin, number) for i, (number, line) in enumerate(lines, 1)]
        for axis, lines in zip(axes, (first, second), strict=True)
    ]
    rows, columns = reversed(clues) if columns_first else clues
    return Nonogram(rows, columns)


def _read_sized(what: str, mark: str, text: str, origin: str) -> Readings:
    """Read the sizes, on one line or two, and then clues of rows and columns; ``mark`` is the line between them.

    Blank lines are ignored; but if that leaves too few clues, each is one, except between the axes and at the end.
    """
    lines, count = _written(text), 2 if mark == "blank" else 1
    places = [place for place, (_, line) in enumerate(lines) if line.strip()][:count] or [-1]
    words = " ".join(_WORDS.sub("", line) for _, line in lines[places[0] : places[-1] + 1]).split()
    sizes = read_sizes(words, f"{what}, positive numbers", origin, lines[places[0]][0] if lines else 1)
    height, width = reversed(sizes) if what.startswith("width") else sizes
    rest, total = lines[places[-1] + 1 :], height + width
    found = sum(line.strip() not in ("", mark) for _, line in rest)
    marks = [index for index, (_, line) in enumerate(rest) if line.strip() == mark == "#"]
    if mark == "#" and len(marks) != 1:
        place = rest[marks[1]][0] if marks else lines[-1][0]
        raise InputError(origin, f"expected one line # between rows and columns, found {len(marks)}", place)

    def reading(size: int, columns_first: bool) -> Nonogram | None:  # the first lines are as many rows, or columns
        if marks:
            first, second = section(rest[: marks[0]], size), section(rest[marks[0] + 1 :], total - size)
        else:
            clues = rest
            if mark == "blank" and found != total:
                if [line.strip() for _, line in rest[size : size + 1]] != [""]:
                    return None
                clues = rest[:size] + rest[size + 1 :]
            clues = [*(section(clues, total) or [])]
            first, second = clues[:size], clues[size:]
        return _nonogram(first, second, origin, columns_first) if first and second else None

    readings = reading(height, False), reading(width, True)
    if readings == (None, None):
        raise InputError(origin, f"expected {height} row and {width} column clues, found {found}", lines[-1][0])
    return readings


read_nin = partial(_read_sized, "width and height", "")  # of Jakub Wilk's solver
read_mk = partial(_read_sized, "height and width", "#")  # of the solver of Mirek and Petr Olšák
read_cwd = partial(_read_sized, "the sizes on two lines, height and width", "blank")  # of QNonograms


def read_zero(text: str, origin: str) -> Iterator[Readings]:
    """Yield every nonogram of a text of numbers; line ends count as blanks."""
    lines = [_WORDS.sub("", line) for _, line in _written(text) if line.strip()]
    words = " ".join(lines).split()
    # A number by itself on the first line counts the puzzles. It is not needed, because each says its sizes.
    place = 1 if lines and lines[0].strip().isdigit() else 0
    while place < len(words):
        height, width = read_sizes(words[place : place + 2], "height and width", origin, None)
        clues, place = list[Clue](), place + 2
        while len(clues) < height + width:
            if "0" not in words[place:]:
                what = f"expected {height} row and {width} column clues that end with 0, found {len(clues)}"
                raise InputError(origin, what)
            end = words.index("0", place)
            clues.append(read_clue(" ".join(words[place:end]) or "0", f"clue {len(clues) + 1}", origin))
            place = end + 1
        yield Nonogram(clues[:height], clues[height:]), Nonogram(clues[width:], clues[:width])


def read_typed(text: str, origin: str) -> Readings | Nonogram:
    """Read two blocks of clues, of which headings may say the axis."""
    blocks = [block for block in _blocks_of(text) if block[1]]
    if len(blocks) != 2:
        found = f"found {len(blocks)} block(s) of lines"
        raise InputError(origin, f"expected the clues of rows, a blank line, and those of columns; {found}")
    (heading, first), (_, second) = blocks
    if heading:
        return _nonogram(first, second, origin, columns_first=heading == "col")
    return _nonogram(first, second, origin), _nonogram(first, second, origin, columns_first=True)


def read_clues(text: str, origin: str) -> Iterator[Readings | Nonogram]:
    """Read rows and columns on a line each, or with ``|`` between them; of letters, every two lines are a nonogram."""
    texts = [text]
    if _LETTERS.fullmatch(text):
        lines = [line.split() for line in text.split("\n") if line.strip()]
        clues = [",".join(" ".join(str(ord(letter) - 64) for letter in word) for word in words) for words in lines]
        texts = ["\n".join(clues[first : first + 2]) for first in range(0, len(clues), 2)]
    for both in texts:
        puzzle = parse(both, origin)
        yield puzzle if "|" in both else (puzzle, Nonogram(puzzle.column_clues, puzzle.row_clues))


def read_taai(text: str, origin: str) -> Iterator[Nonogram]:
    """Yield every nonogram; its number is ignored, because its position gives the same. An empty line is a clue."""
    blocks: list[tuple[int, list[Line]]] = []  # the lines below each number
    for number, line in numbered_lines(text):
        if _TAAI_HEAD.match(line):
            blocks.append((number, []))
        elif blocks:
            blocks[-1][1].append((number, line))
        elif line.strip():
            raise InputError(origin, f"expected a line such as $1, found {line.strip()[:20]!r}", number)
    size = 2 * _TAAI_SIZE
    for head, lines in blocks:
        clues, rest = lines[:size], lines[size:]  # blank lines separate puzzles
        if len(clues) != size or any(line.strip() for _, line in rest):
            expected = f"expected {_TAAI_SIZE} column and {_TAAI_SIZE} row clues below"
            raise InputError(origin, f"{expected}, found {len(lines)} (an empty line is one)", head)
        yield _nonogram(clues[:_TAAI_SIZE], clues[_TAAI_SIZE:], origin, columns_first=True)


def read_sgt(text: str, origin: str) -> Iterator[Nonogram]:
    """Yield the nonogram of every line that is not blank, an id such as ``3x2:1//1/1.1/``."""
    for number, line in numbered_lines(text):
        if not line.strip():
            continue
        place, parts = number if "\n" in text.strip() else None, _SGT_ID.fullmatch(line.strip())
        if parts is None or re.search("[^0-9./]", parts[3]):
            expected = "WIDTHxHEIGHT: and numbers separated by a full stop, without given cells"
            raise InputError(origin, f"expected {expected}, found {line.strip()[:20]!r}", place)
        # The game omits the height of a square.
        width, height = read_sizes([parts[1], parts[2] or parts[1]], "two positive sizes", origin, place)
        clues = [(number, clue.replace(".", ",")) for clue in parts[3].split("/")]
        if len(clues) != width + height:
            raise InputError(origin, f"expected {width} column and {height} row clues, found {len(clues)}", place)
        yield _nonogram(clues[:width], clues[width:], origin, columns_first=True)


def _writer(
    text: str,
    clue: str = "{}\n",
    numbers: str = " ",
    empty: str = "0",
    clues: str = "",
    change: Callable[[str, Nonogram], str] = lambda text, _: text,
) -> Callable[[Iterable[Nonogram]], Iterator[str]]:
    """Return a function that yields the text of each nonogram, by a template for the file and one for a clue.

    The {number} is that of the puzzle in its file. ``change`` returns a text that is not taken for another format.
    """

    def write(puzzles: Iterable[Nonogram]) -> Iterator[str]:
        for number, puzzle in enumerate(puzzles, 1):
            rows, columns = (
                clues.join(clue.format(numbers.join(map(str, line)) or empty) for line in lines)
                for lines in (puzzle.row_clues, puzzle.column_clues)
            )
            sizes = {"height": puzzle.rows, "width": puzzle.columns}
            yield change(text.format(rows=rows, columns=columns, number=number, **sizes), puzzle)

    return write


def _change_clues(text: str, _: Nonogram) -> str:
    # Two lines of 0 and 1 only would be read as the rows of a board.
    return text if set(text) - {"0", "1", "\n"} else text.replace("\n", "|", 1)


def _change_cwd(text: str, puzzle: Nonogram) -> str:
    # With sizes that fill the difference of the sums, this would be a file of `typed`, which has no third block.
    rows, columns = puzzle.sums
    sizes = f"{puzzle.rows}\n{puzzle.columns}\n"
    is_typed = rows + puzzle.rows + puzzle.columns == columns
    return f"{sizes}\n{text.removeprefix(sizes)}" if is_typed else text


def _change_zero(text: str, puzzle: Nonogram) -> str:
    if any(puzzle.row_clues + puzzle.column_clues):
        return text.replace("\n 0", "\n0")
    sizes, clues = text.split("\n", 1)  # on lines of their own, empty clues would be those of `nin`, width first
    return f"{sizes}\n{clues.replace(chr(10), '').strip()}\n"


def _change_taai(text: str, puzzle: Nonogram) -> str:
    if puzzle.shape != (_TAAI_SIZE, _TAAI_SIZE):
        problem = f"the format taai holds nonograms of 25 x 25, not of {puzzle.rows} x {puzzle.columns}"
        raise InputError("cannot be written", problem)
    return text


write_clues = _writer("{rows}\n{columns}\n", "{}", clues=",", change=_change_clues)
write_typed = _writer("Rows:\n{rows}\nColumns:\n{columns}")
write_nin = _writer("{width} {height}\n{rows}{columns}")
write_mk = _writer("{height} {width}\n{rows}#\n{columns}")
write_cwd = _writer("{height}\n{width}\n{rows}\n{columns}", change=_change_cwd)
write_zero = _writer("{height} {width}\n{rows}{columns}", "{} 0\n", empty="", change=_change_zero)
write_sgt = _writer("{width}x{height}:{columns}/{rows}\n", "{}", ".", empty="", clues="/")
write_taai = _writer("${number}\n{columns}{rows}", numbers="\t", empty="", change=_change_taai)
