"""The set of solutions seen and the run of each: any number of them, in bounded memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

CACHE_KB = 1 << 16
"""Memory of the cache; the rest is in a temporary file, which the system removes."""

ENTRY_BYTES = 150
"""Python's memory for one solution in a dictionary, without its cells."""


class Seen:
    """A set of packed solutions, each with the number of the last run that gave it.

    Whole solutions are stored, not digests, so that a difference has a witness. As long as they fit in memory they are
    in a dictionary, ten times as fast as the database that takes over.

    Examples:
        >>> seen = Seen()
        >>> seen.meet([b"a", b"b"], 1), seen.meet([b"b", b"c", b"b"], 2)
        (['new', 'new'], ['known', 'new', 'twice'])
        >>> seen.missing_from(2), len(seen)
        ((1, b'a'), 3)
        >>> seen.close()
    """

    def __init__(self) -> None:
        self._few: dict[bytes, int] | None = {}
        # the empty name is a temporary database, which SQLite keeps in its cache until that is full
        self._database = sqlite3.connect("", isolation_level=None)
        for setting in (f"cache_size = -{CACHE_KB}", "journal_mode = OFF", "synchronous = OFF", "temp_store = FILE"):
            self._database.execute(f"PRAGMA {setting}").close()
        self._database.execute("CREATE TABLE seen (solution BLOB PRIMARY KEY, run INTEGER) WITHOUT ROWID")

    def __len__(self) -> int:
        if self._few is not None:
            return len(self._few)
        return int(self._database.execute("SELECT count(*) FROM seen").fetchone()[0])

    def meet(self, solutions: Sequence[bytes], run: int) -> list[str]:
        """Record that a run gave these, and return for each ``new``, ``known`` from other runs, or ``twice``."""
        try:
            return self._meet_few(self._few, solutions, run) if self._few is not None else self._meet(solutions, run)
        except sqlite3.Error as error:
            raise OSError(f"the solutions seen so far cannot be kept in a temporary file: {error}") from None

    def _meet_few(self, few: dict[bytes, int], solutions: Sequence[bytes], run: int) -> list[str]:
        statuses = ["new"] * len(solutions)
        fresh = dict.fromkeys(solutions, run)
        # Nearly always all are new: then no loop of Python looks at each.
        if len(fresh) < len(solutions) or not few.keys().isdisjoint(fresh):
            for number, solution in enumerate(solutions):
                if (before := few.get(solution)) is not None:
                    statuses[number] = "twice" if before == run else "known"
                few[solution] = run
        few.update(fresh)
        # All solutions have one length, so the first shows the memory of all.
        if few and len(few) * (len(next(iter(few))) + ENTRY_BYTES) > CACHE_KB << 10:
            self._few = None
            self._database.execute("BEGIN")
            self._database.executemany("INSERT INTO seen VALUES (?, ?)", few.items())
            self._database.execute("COMMIT")
        return statuses

    def _meet(self, solutions: Sequence[bytes], run: int) -> list[str]:
        statuses = []
        execute = self._database.execute
        execute("BEGIN")
        for solution in solutions:
            # Two statements that use the key's index, instead of a query first: new solutions are by far the most
            # frequent.
            if execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", (solution, run)).rowcount == 1:
                statuses.append("new")
            elif execute("UPDATE seen SET run = ? WHERE solution = ? AND run <> ?", (run, solution, run)).rowcount:
                statuses.append("known")
            else:
                statuses.append("twice")
        execute("COMMIT")
        return statuses

    def missing_from(self, run: int) -> tuple[int, bytes | None]:
        """Return the number of solutions given only by other runs, and one of them."""
        if self._few is not None:
            others = [solution for solution, last in self._few.items() if last != run]
            return len(others), others[0] if others else None
        count = self._database.execute("SELECT count(*) FROM seen WHERE run <> ?", (run,)).fetchone()[0]
        found = self._database.execute("SELECT solution FROM seen WHERE run <> ? LIMIT 1", (run,)).fetchone()
        return int(count), found[0] if found else None

    def close(self) -> None:
        """Discard everything."""
        self._few = {}
        self._database.close()
