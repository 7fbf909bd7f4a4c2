"""Records of an export for double-blind review: no names of hosts or users, and no paths."""

from __future__ import annotations

import getpass
import re
import socket
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

_HASHES = frozenset({"key", "puzzle", "answer"})  # columns of hashes, which contain no names
# an absolute path, or one that leaves the folder; not the part of a URL after ://
_PATH = re.compile(r"(?<![\w:/.}])(?:~[\w.-]*/|(?:\.\./)+|/)(?:[^\s/'\"|]+/)*([^\s/'\"|]+)/?")


def anonymous(records: Iterable[dict[str, Any]], folder: Path) -> Iterator[dict[str, Any]]:
    """Yield records without names of hosts and users, and with file names instead of paths, by the campaign's folder.

    Hosts are numbered, so that runs on the same host remain recognisable.
    """
    known = list(records)
    names = {name: f"host {number}" for number, name in enumerate(dict.fromkeys(item["host"] for item in known), 1)}
    names.setdefault(socket.gethostname(), "host")
    folders = [folder, *folder.parents, Path.home()]
    names |= {place.name: "user" for place in folders if place.parent.name in ("home", "Users")}
    with suppress(KeyError, OSError):  # the user id may have no name
        names[getpass.getuser()] = "user"
    # The longest first, so that a name that begins another one does not cut it in two.
    ordered = sorted(names.keys() - {"", "root"}, key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, ordered))})(?![\w-])")
    # Folders first, because their names may contain spaces, which end a match of `_PATH`.
    places = sorted({str(place) for place in folders if len(place.parts) > 2}, key=len, reverse=True)

    def clean(text: str) -> str:
        for place in places:
            text = text.replace(place, "/folder")
        return pattern.sub(lambda found: names[found[0]], _PATH.sub(r"\1", text))

    for record in known:
        yield {
            name: clean(value) if isinstance(value, str) and name not in _HASHES else value
            for name, value in record.items()
        }
