"""Runs as rows of a table, for the store and for exports, with checks of all values of a file of results.

Every value is checked when it is written and when it is read; a check raises ValueError for a value that is not valid.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from operator import attrgetter, itemgetter
from types import SimpleNamespace
from typing import Any, NamedTuple, get_args

from crosslit.base.grid import Grid
from crosslit.base.numbers import exact, shorten
from crosslit.base.version import __version__
from crosslit.contract import PHASES
from crosslit.contract.run import Limits, Run, RunStatus, Timing
from crosslit_bench.plan.campaign import ASKED, CampaignSpec, PlannedRun, question_of
from crosslit_bench.store.outcome import Outcome

MAX_WHOLE = 2**63 - 1  # the range of SQLite's INTEGER
MAX_NUMBER = 1e15  # seconds, MB or processes: far beyond any measurement, and sums stay finite
_MAX_SHOWN = 40  # shown characters of a wrong value


def text(value: Any) -> str:
    """Return a string that can be encoded as UTF-8."""
    if not isinstance(value, str):
        raise _expected("a text", value)
    if not value.isascii():
        value.encode()  # a lone surrogate, which JSON allows, raises UnicodeEncodeError, a ValueError
    return value


def whole(value: Any, minimum: int = 0, maximum: int = MAX_WHOLE) -> int:
    """Return a whole number within bounds."""
    # `type`, because True is an int for `isinstance`, and SQLite would store 1.
    if type(value) is not int or not minimum <= value <= maximum:
        raise _expected(f"a whole number from {minimum} to {maximum}", value)
    return value


def number(value: Any, minimum: float = 0.0, maximum: float = MAX_NUMBER) -> float:
    """Return a finite number within bounds.

    Examples:
        >>> number(2), number(-0.5, minimum=-1)
        (2.0, -0.5)
        >>> number(float("nan"))
        Traceback (most recent call last):
        ...
        ValueError: expected a number from 0 to 1e+15, found nan
    """
    if type(value) not in (int, float) or not minimum <= value <= maximum:
        raise _expected(f"a number from {minimum:g} to {maximum:g}", value)
    return float(value)


def one_of(words: frozenset[str]) -> Callable[[Any], str]:
    """Return a check for one of some words."""

    def read(value: Any) -> str:
        if text(value) not in words:
            raise ValueError(f"expected one of {', '.join(sorted(words))}, found {value[:40]!r}")
        return str(value)

    return read


def mapping(value: Any, read: Callable[[Any], Any] = lambda item: item) -> dict[str, Any]:
    """Return a JSON object with every value checked by a function."""
    if not isinstance(value, Mapping):
        raise _expected("an object", value)
    return {text(key): read(item) for key, item in value.items()}


def statistic(value: Any) -> Any:
    """Return a number or word in the form of `crosslit.base.numbers.exact`."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, dict) and value.keys() == {"log2"}:
        whole(value["log2"])
        return value
    if value is None or type(value) is int or (type(value) is float and math.isfinite(value)):
        return value
    raise _expected("a number or a word", value)


def from_json(content: Any) -> Any:
    """Return the value of a JSON text without NaN and infinities."""
    try:
        return _DECODER.decode(text(content))
    except RecursionError:
        raise ValueError("its JSON is nested too deeply") from None


def _no_number(word: str) -> float:
    raise ValueError(f"expected a number, found {word}")


_DECODER = json.JSONDecoder(parse_constant=_no_number)  # `json.loads` would make one for each call


def _expected(what: str, value: Any) -> ValueError:
    # Python refuses to convert huge integers to decimal, and a string or list may be long
    shown = "a huge number" if type(value) is int and abs(value) > MAX_WHOLE else repr(value)[: _MAX_SHOWN + 1]
    return ValueError(f"expected {what}, found {shorten(shown, _MAX_SHOWN)}")


class Columns:
    """The columns of a table with their SQL types, and the checks of their values.

    Args:
        kinds: the SQL type of each column, by name.
        checks: checks of columns whose values are not determined by that type.
    """

    def __init__(self, kinds: Mapping[str, str], **checks: Callable[[Any], Any]) -> None:
        self.kinds = kinds
        reading: dict[str, Callable[[Any], Any]] = {"TEXT": text, "INTEGER": whole, "REAL": number}
        self._checks = [
            (name, checks.get(name) or reading[kind.split()[0]], kind.split()[1:] in ([], ["DEFAULT", "NULL"]))
            for name, kind in kinds.items()
        ]

    def check(self, rows: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
        """Return the values of rows by column; the ValueError for an invalid one names its column."""
        for (name, read, optional), column in zip(self._checks, zip(*rows, strict=True), strict=False):
            values: Iterable[Any] = column
            if len(rows) > 1:
                # Only the extremes of numbers, as all checks of them are ranges, and each distinct text; but 1 == 1.0.
                types = set(map(type, column))
                values = set(column) if len(types - {type(None)}) == 1 else column
                values = (min(column), max(column)) if types in ({int}, {float}) else values
            for value in values:
                if value is not None or not optional:
                    try:
                        read(value)
                    except ValueError as error:
                        raise ValueError(f"{name}: {error}") from None
        return [dict(zip(self.kinds, row, strict=True)) for row in rows]


_FIELDS: dict[str, tuple[str, str]] = {
    "key": ("TEXT PRIMARY KEY", "planned.key"),
    "puzzle": ("TEXT NOT NULL", "planned.puzzle.id"),
    "contestant": ("TEXT NOT NULL", "planned.contestant"),
    "spec": ("TEXT NOT NULL", "planned.spec"),
    "encoding": ("TEXT NOT NULL", "outcome.run.encoding"),
    "question": ("TEXT NOT NULL", "about.question"),
    "limit_solutions": ("INTEGER", "about.limits.solutions"),
    "limit_seconds": ("REAL NOT NULL", "about.limits.seconds"),
    "limit_memory_mb": ("INTEGER NOT NULL", "about.limits.memory_mb"),
    "seed": ("INTEGER", "planned.seed"),
    "repetition": ("INTEGER NOT NULL", "planned.repetition"),
    "version": ("TEXT NOT NULL", "outcome.run.version"),
    "crosslit": ("TEXT NOT NULL", ""),
    "status": ("TEXT NOT NULL", "outcome.run.status"),
    "error": ("TEXT NOT NULL", "outcome.run.error"),
    "solutions": ("INTEGER NOT NULL", ""),
    "answer": ("TEXT NOT NULL", ""),
    "bound": ("INTEGER NOT NULL", "outcome.run.bound"),
    **dict.fromkeys(PHASES, ("REAL NOT NULL", "")),
    "total": ("REAL NOT NULL", "outcome.run.timing.total"),
    "cpu": ("REAL NOT NULL", "outcome.run.timing.cpu"),
    "wall": ("REAL NOT NULL", "outcome.run.timing.wall"),
    "overhead": ("REAL NOT NULL", "outcome.run.timing.overhead"),
    "delayed": ("REAL NOT NULL", "outcome.run.timing.delayed"),
    "threads": ("INTEGER NOT NULL", "outcome.run.threads"),
    "memory_mb": ("REAL NOT NULL", "outcome.run.memory_mb"),
    "stats": ("TEXT NOT NULL", ""),
    "trusts": ("TEXT NOT NULL", ""),
    "stray": ("TEXT NOT NULL", "outcome.run.stray"),
    "left_behind": ("INTEGER NOT NULL", "outcome.run.left"),
    "attempts": ("INTEGER NOT NULL", "outcome.attempts"),
    "lost": ("TEXT NOT NULL", "outcome.lost"),
    "started": ("TEXT NOT NULL", "outcome.circumstances.started"),
    "machine_load": ("REAL NOT NULL", "outcome.circumstances.load"),
    "side_by_side": ("INTEGER NOT NULL", "outcome.circumstances.side_by_side"),
    "carrier": ("TEXT NOT NULL", "outcome.circumstances.carrier"),
    "host": ("TEXT NOT NULL", "outcome.circumstances.host"),
    "processor": ("TEXT NOT NULL", "outcome.circumstances.processor"),
    "processors": ("INTEGER NOT NULL", "outcome.circumstances.processors"),
    "system": ("TEXT NOT NULL", "outcome.circumstances.system"),
    "python": ("TEXT NOT NULL", "outcome.circumstances.python"),
    "clock_mhz": ("REAL NOT NULL DEFAULT 0", "outcome.circumstances.clock_mhz"),
    "governor": ("TEXT NOT NULL DEFAULT ''", "outcome.circumstances.governor"),
    "machine_memory_mb": ("REAL NOT NULL DEFAULT 0", "outcome.circumstances.machine_memory_mb"),
    "container": ("TEXT NOT NULL DEFAULT ''", "outcome.circumstances.container"),
    "limit_cpu_seconds": ("REAL DEFAULT NULL", "about.limits.cpu_seconds"),
    "limit_cores": ("INTEGER DEFAULT NULL", "about.limits.cores"),
    "limits_by": ("TEXT NOT NULL DEFAULT ''", "outcome.circumstances.limits_by"),
}
"""The SQL type of each column, and the attribute for it in `values_of`; empty if it is computed."""
COLUMNS = {name: kind for name, (kind, _) in _FIELDS.items()}
"""The columns of a run with their SQL types. Times are in seconds, memory in 2^20 bytes; ``stats`` and ``trusts`` are
JSON; ``answer`` is a sha256 of the solutions in their order, or empty if there are none. Columns with a DEFAULT are at
the end, as files of schema 2 lacked them."""

LIMITS = tuple(name for name, (_, path) in _FIELDS.items() if path.startswith("about.limits."))
"""The columns of the limits, in the order of the fields of `Limits`."""

STATUSES = frozenset(get_args(RunStatus)) - {"interrupted", "lost"}
"""The statuses of runs that are stored; others are repeated."""

_signed = partial(number, minimum=-MAX_NUMBER)  # such as the difference between two clocks
_CHECKS: dict[str, Callable[[Any], Any]] = {
    "question": one_of(frozenset(map(question_of, ASKED))),
    "status": one_of(STATUSES),
    "overhead": _signed,
    "delayed": _signed,
    "stats": lambda value: mapping(from_json(value), statistic),
    "trusts": lambda value: [text(name) for name in from_json(value)],
}
_RUNS = Columns(COLUMNS, **_CHECKS)
_phases = itemgetter(*PHASES)
_limits = lru_cache(Limits)  # those of a campaign are the same for all runs
_trusted_base = lru_cache(1000)(lambda names: frozenset(json.loads(names)))


class StoredRun(NamedTuple):
    """A stored run of the plan."""

    values: dict[str, Any]  # the values of its `COLUMNS`, checked
    run: Run
    place: int  # its place in the plan among the finished ones
    label: str  # the contestant, as it is compared

    @property
    def machine(self) -> tuple[str, int, int, str]:
        """The kind of its machine, with the memory rounded, because it differs by some MB between kernels."""
        values = self.values
        memory = round(values["machine_memory_mb"] / 1024)
        return values["processor"], values["processors"], memory, values["governor"]


def values_of(planned: PlannedRun, outcome: Outcome, answer: str, about: CampaignSpec) -> dict[str, Any]:
    """Return the values of the columns for a finished run whose solutions are stored under an id, checked.

    The names are those of the plan: a worker could report others, and rows are matched by them.
    """
    run = outcome.run
    source = SimpleNamespace(planned=planned, outcome=outcome, about=about)
    values = {
        "crosslit": __version__,
        "solutions": len(run.grids),
        "answer": answer,
        **{str(phase): seconds for phase, seconds in run.timing.phases.items()},
        "stats": plain(json.dumps({key: exact(value) for key, value in run.stats.items()}, ensure_ascii=False)),
        "trusts": json.dumps(sorted(run.trusted_base)),
    }
    found = [plain(attrgetter(path)(source)) if path else values[name] for name, (_, path) in _FIELDS.items()]
    return check_values([found])[0]


def check_values(rows: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    """Return the values of rows by column, checked."""
    found = _RUNS.check(rows)
    for limits in set(map(itemgetter(*LIMITS), found)):
        _limits(*limits)
    return found


def run_of(values: dict[str, Any], grids: Sequence[Grid]) -> Run:
    """Return the run with these checked values and these solutions."""
    phases = dict(zip(PHASES, _phases(values), strict=True))
    return Run(
        values["spec"],
        values["encoding"],
        values["version"],
        _trusted_base(values["trusts"]),
        values["status"],
        grids,
        Timing(phases, values["cpu"], values["wall"], values["overhead"], values["delayed"]),
        values["threads"],
        values["memory_mb"],
        json.loads(values["stats"]),
        values["error"],
        values["stray"],
        values["repetition"],
        values["bound"],
        values["left_behind"],
    )


def plain(value: Any) -> Any:
    """Return a string that UTF-8 can encode, as error messages may contain file names; other values are unchanged."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else value
