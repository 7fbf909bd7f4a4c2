"""The format of a file whose extension does not tell it, by the shape of its text: no file is read to find out.

Only numbers distinguish the lists of clues. Two blocks of lines whose sums are equal are the rows and the columns;
otherwise the numbers of the first line or two may be the sizes.
"""

from __future__ import annotations

import re

from crosslit.base.files import numbered_lines
from crosslit.formats.board import is_board
from crosslit.formats.clue_lists import LETTERS, SGT_ID, TAAI_HEAD, blocks_of, letter_clues, numbers_of, written
from crosslit.kinds import kind_of_text
from crosslit.kinds.lights_out.text import without_remark

TITLE = "# one puzzle per line"
REMARK = re.compile(r"(?:^|\s+)#\s+")  # a lit cell has no blank after it, or none before it

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


def detect(content: bytes, text: str | None) -> str | None:
    """Return the name of the format of a file, given as bytes and if possible as text; None if it is none."""
    if content[:2] in (b"P1", b"P4"):
        return "picture"
    if _XML.match(content, 0, _HEAD):
        return "xml"
    if text is None:
        return None
    is_non = _NON.match(text) and {"rows", "columns"} <= {line.strip() for line in text.splitlines()}
    shapes = {
        "json": _JSON.match(text),
        "non": is_non,
        "lines": not is_non and _is_lines(text),
        "lists": _LISTS.search(text, 0, _HEAD),
        "taai": TAAI_HEAD.match(text),
        "sgt": SGT_ID.match(text),
        "board": is_board(text),
    }
    return next((name for name, is_shape in shapes.items() if is_shape), None) or _clue_list(text)


def _is_lines(text: str) -> bool:
    """Return whether a text begins with a title, or the first of several lines, or the only one, is a puzzle.

    Lines that contain only cells are the rows of one board, unless a title before them says otherwise.
    """
    if text.startswith(TITLE):
        return True
    if set(text[:1000].split()) <= {".", "#", "_"}:  # rows of a board, with blanks between cells
        return False
    lines = (line for _, line in numbered_lines(text[:_HEAD]) if line.strip() and not line.startswith("# "))
    first, second = next(lines, ""), next(lines, None)
    form, *title = REMARK.split(first.strip(), maxsplit=1)
    if kind_of_text(first) is not None or (title and form and second is None):
        return True
    return bool(_ROWS.match(form)) and bool(title or second is not None)


def _is_spaced_board(text: str) -> bool:
    """Return whether a text is cells with blanks or commas between them; the clues 1 1 have no 0."""
    rows = [re.split(r"[ \t,]+", line) for line in map(without_remark, map(str.strip, text.split("\n"))) if line]
    cells = {word for row in rows for word in row}
    is_board = cells <= set("01.#xXoO_") and bool(cells & set("0.oO")) and len({*map(len, rows)}) == 1
    return is_board and len(rows[0]) > 1


def _clue_list(text: str) -> str | None:
    """Return the format of a text that is mostly lines of clues, whose reader says what is wrong with it."""
    lines = [line.strip() for _, line in written(text[: 100 * _HEAD])]
    clues = [line for line in lines if line]
    if len(clues) == 1 and "|" in clues[0]:
        return "clues"
    if LETTERS.fullmatch(text):  # two words in capitals may be anything
        sums = [sum(map(sum, letter_clues(line))) for line in clues[:2]]
        return "clues" if sums[0] == sums[1] else None
    is_mostly_clues = len(clues) > 1 and sum(bool(_CLUE.fullmatch(line)) for line in clues) > len(clues) / 2
    sizes, *rest = [numbers_of(line) for line in clues[:2]] or [[]]
    ends_with_zeros = any(map(_ZERO_ENDED.fullmatch, clues[1:])) and clues[-1].split()[-1] == "0"
    heads = [sizes, *(rest if len(sizes) == 1 else [])]  # the number of puzzles may come first
    if ends_with_zeros and any(len(head) == 2 and (head != [1, 1] or "".join(clues).count("0") == 2) for head in heads):
        return "zero"
    if _is_spaced_board(text) and (len(clues) > 2 or "," not in text):
        return "board"
    blocks = blocks_of(text)
    if len({heading for heading, _ in blocks if heading}) == 2:
        return "typed"
    if not is_mostly_clues:
        return None
    if len(clues) == 2:
        return "clues"
    if len(sizes) == 2 and "#" in lines:
        return "mk"
    sums = [sum(sum(numbers_of(line)) for _, line in block) for _, block in blocks]
    is_typed = len(blocks) == 2 and sums[0] == sums[1]
    if len(sizes) == 2 and not is_typed and (_is_sized(sizes, lines, 1) or len(blocks) != 2):
        return "nin"
    if len(sizes) == 1 and len(rest[0]) == 1 and not is_typed and _is_sized([*sizes, *rest[0]], lines, 2):
        return "cwd"
    return "typed" if len(clues) > 2 else None


def _is_sized(sizes: list[int], lines: list[str], heads: int) -> bool:
    """Return whether there are as many clues as the sizes say, if each blank line is one or none is."""
    clues, total = sum(map(bool, lines)) - heads, sum(sizes)
    return clues == total or clues < total <= len(lines) - heads
