"""Which solutions have been seen, and by which run: any number of them, in bounded memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

CACHE_KB = 1 << 16
"""What is held in memory; the rest lies in a temporary file, which is the system's to remove."""


class Seen:
    """A set of packed solutions, each with the number of the last run that gave it.

    Whole solutions are kept, not digests, so that a difference has a witness.

    Examples:
        >>> seen = Seen()
        >>> seen.meet([b"a", b"b"], 1), seen.meet([b"b", b"c", b"b"], 2)
        (['new', 'new'], ['known', 'new', 'twice'])
        >>> seen.missing_from(2), len(seen)
        ((1, b'a'), 3)
        >>> seen.close()
    """

    def __init__(self) -> None:
        # the empty name is a temporary database: SQLite keeps it in its cache until that is full
        self._database = sqlite3.connect("", isolation_level=None)
        for setting in (f"cache_size = -{CACHE_KB}", "journal_mode = OFF", "synchronous = OFF", "temp_store = FILE"):
            self._database.execute(f"PRAGMA {setting}").close()
        self._database.execute("CREATE TABLE seen (solution BLOB PRIMARY KEY, run INTEGER) WITHOUT ROWID")

    def __len__(self) -> int:
        return int(self._database.execute("SELECT count(*) FROM seen").fetchone()[0])

    def meet(self, solutions: Iterable[bytes], run: int) -> list[str]:
        """Take note that a run gave these, and tell of each whether it is ``new``, ``known`` from others, or ``twice``.

        Raises:
            OSError: if there is no room for them.
        """
        told = []
        execute = self._database.execute
        try:
            execute("BEGIN")
            for solution in solutions:
                if execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", (solution, run)).rowcount == 1:
                    told.append("new")
                elif execute("UPDATE seen SET run = ? WHERE solution = ? AND run <> ?", (run, solution, run)).rowcount:
                    told.append("known")
                else:
                    told.append("twice")
            execute("COMMIT")
        except sqlite3.Error as error:
            raise OSError(f"the solutions seen so far cannot be kept in a temporary file: {error}") from None
        return told

    def missing_from(self, run: int) -> tuple[int, bytes | None]:
        """How many were given by others, but not by this run; and one of them."""
        count = self._database.execute("SELECT count(*) FROM seen WHERE run <> ?", (run,)).fetchone()[0]
        found = self._database.execute("SELECT solution FROM seen WHERE run <> ? LIMIT 1", (run,)).fetchone()
        return int(count), found[0] if found else None

    def close(self) -> None:
        """Forget everything."""
        self._database.close()
