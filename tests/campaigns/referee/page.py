"""A report as its reader sees it: texts and tables, and the numbers in them that are explained so far."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

NUMBER = re.compile(r"∞|\d+(?:,\d{3})*(?:\.\d+)?")
_INLINE = {"span", "bdi", "strong", "code", "wbr", "a", "b", "em"}
_PICTURE = "data:image/svg+xml;base64,"


@dataclass
class Item:
    """A text of the page: a cell of a table, or a paragraph, a title, a label, the description of a picture.

    Args:
        section: the id of its section.
        kind: the tag, ``alt`` or ``svg``.
        text: as shown.
        css: the class of a cell.
        explained: the parts of the text whose numbers are explained, from and to.
    """

    section: str
    kind: str
    text: str
    css: str = ""
    explained: list[tuple[int, int]] = field(default_factory=list)

    def explain_all(self) -> None:
        """Mark every number as explained."""
        self.explained.append((0, len(self.text)))

    def unexplained(self) -> list[str]:
        """Return the numbers that are not explained."""
        return [
            found[0]
            for found in NUMBER.finditer(self.text)
            if not any(start <= found.start() and found.end() <= end for start, end in self.explained)
        ]


@dataclass
class Sheet:
    """A table of the page; the first cell of a row names it."""

    section: str
    caption: Item
    head: list[Item] = field(default_factory=list)
    rows: list[list[Item]] = field(default_factory=list)

    def column(self, heading: str) -> list[Item]:
        """Return the cells below a heading."""
        at = [item.text for item in self.head].index(heading)
        return [row[at] for row in self.rows]


class Page(HTMLParser):
    """The items, tables and data of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.items: list[Item] = []
        self.sheets: list[Sheet] = []
        self.data: Any = None
        self.source = ""  # of the campaign, which the page quotes
        self._section, self._tag, self._css, self._text, self._quoted = "", "", "", "", ""
        self.feed(text)
        self._flush("")

    def sheet(self, caption: str) -> Sheet | None:
        """Return the table whose caption begins so, if there is one."""
        return next((sheet for sheet in self.sheets if sheet.caption.text.startswith(caption)), None)

    def rule(self, pattern: str) -> re.Match[str]:
        """Return what the page says; its numbers are explained as a rule.

        Raises:
            ValueError: if the page does not say it, or says different things.
        """
        places = [(item, found) for item in self.items if (found := re.search(pattern, item.text))]
        for item, found in places:
            item.explained.append(found.span())
        if len({found.groups() for _, found in places}) != 1:
            raise ValueError(f"the page does not state: {pattern}")
        return places[0][1]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag not in _INLINE:
            self._flush(tag)
            self._css = values.get("class", "")
        if tag in ("style", "script", "pre"):
            self._quoted = values.get("id", "") or tag
        if tag == "section":
            self._section = values["id"]
        if tag == "table":
            self.sheets.append(Sheet(self._section, Item(self._section, "caption", "")))
        if tag == "tr" and self.sheets:
            self.sheets[-1].rows.append([])
        if tag == "img":
            self.items.append(Item(self._section, "alt", values["alt"]))
            if values["src"].startswith(_PICTURE):
                drawn = base64.b64decode(values["src"][len(_PICTURE) :]).decode()
                texts = re.findall(r"<text[^>]*>([^<]*)</text>", drawn)
                self.items += [Item(self._section, "svg", text) for text in texts]

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._cell(tag)
        elif tag not in _INLINE:
            self._flush("")

    def handle_data(self, data: str) -> None:
        self._text += data

    def _cell(self, tag: str) -> None:
        item = Item(self._section, tag, self._text, self._css)
        self.items.append(item)
        sheet = self.sheets[-1]
        if len(sheet.rows) == 1 and not sheet.rows[0] and not sheet.head:
            sheet.rows.clear()  # the row of headings
        (sheet.rows[-1] if sheet.rows else sheet.head).append(item)
        self._text = ""

    def _flush(self, tag: str) -> None:
        text, self._text = " ".join(self._text.split()), ""
        if self._quoted == "facts":
            self.data = json.loads(text)
        elif self._quoted == "file":
            self.source = text
        elif text and not self._quoted:
            item = Item(self._section, self._tag, text, self._css)
            self.items.append(item)
            if self._tag == "caption":
                self.sheets[-1].caption = item
        self._quoted = "" if tag == "" else self._quoted
        self._tag = tag
