"""Runs as rows of a table, for the store and for exports."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from operator import attrgetter, itemgetter
from typing import Any, get_args

from crosslit._version import __version__
from crosslit.contract import PHASES, QuestionName
from crosslit.grid import Grid
from crosslit.numbers import exact
from crosslit.runs.run import Limits, Run, RunStatus, Timing
from crosslit_bench.plan.campaign import ASKED, CampaignSpec, question_of
from crosslit_bench.plan.plan import PlannedRun
from crosslit_bench.store.outcome import Circumstances, Outcome
from crosslit_bench.store.validation import MAX_NUMBER, Columns, from_json, mapping, number, one_of, statistic, text

_FIELDS: dict[str, tuple[str, str]] = {
    "key": ("TEXT PRIMARY KEY", "key"),
    "puzzle": ("TEXT NOT NULL", "puzzle"),
    "contestant": ("TEXT NOT NULL", "contestant"),
    "spec": ("TEXT NOT NULL", "run.backend"),
    "encoding": ("TEXT NOT NULL", "run.encoding"),
    "question": ("TEXT NOT NULL", "question"),
    "limit_solutions": ("INTEGER", "limits.solutions"),
    "limit_seconds": ("REAL NOT NULL", "limits.seconds"),
    "limit_memory_mb": ("INTEGER NOT NULL", "limits.memory_mb"),
    "seed": ("INTEGER", "seed"),
    "repetition": ("INTEGER NOT NULL", "run.repetition"),
    "version": ("TEXT NOT NULL", "run.version"),
    "crosslit": ("TEXT NOT NULL", "crosslit"),
    "status": ("TEXT NOT NULL", "run.status"),
    "error": ("TEXT NOT NULL", "run.error"),
    "solutions": ("INTEGER NOT NULL", ""),
    "answer": ("TEXT NOT NULL", ""),
    "bound": ("INTEGER NOT NULL", "run.bound"),
    **dict.fromkeys(PHASES, ("REAL NOT NULL", "")),
    "total": ("REAL NOT NULL", ""),
    "cpu": ("REAL NOT NULL", "run.timing.cpu"),
    "wall": ("REAL NOT NULL", "run.timing.wall"),
    "overhead": ("REAL NOT NULL", "run.timing.overhead"),
    "delayed": ("REAL NOT NULL", "run.timing.delayed"),
    "threads": ("INTEGER NOT NULL", "run.threads"),
    "memory_mb": ("REAL NOT NULL", "run.memory_mb"),
    "stats": ("TEXT NOT NULL", ""),
    "trusts": ("TEXT NOT NULL", ""),
    "stray": ("TEXT NOT NULL", "run.stray"),
    "left_behind": ("INTEGER NOT NULL", "run.left"),
    "attempts": ("INTEGER NOT NULL", "attempts"),
    "lost": ("TEXT NOT NULL", "lost"),
    "started": ("TEXT NOT NULL", "circumstances.started"),
    "machine_load": ("REAL NOT NULL", "circumstances.load"),
    "side_by_side": ("INTEGER NOT NULL", "circumstances.side_by_side"),
    "carrier": ("TEXT NOT NULL", "circumstances.carrier"),
    "host": ("TEXT NOT NULL", "circumstances.host"),
    "processor": ("TEXT NOT NULL", "circumstances.processor"),
    "processors": ("INTEGER NOT NULL", "circumstances.processors"),
    "system": ("TEXT NOT NULL", "circumstances.system"),
    "python": ("TEXT NOT NULL", "circumstances.python"),
    "clock_mhz": ("REAL NOT NULL DEFAULT 0", "circumstances.clock_mhz"),
    "governor": ("TEXT NOT NULL DEFAULT ''", "circumstances.governor"),
    "machine_memory_mb": ("REAL NOT NULL DEFAULT 0", "circumstances.machine_memory_mb"),
    "container": ("TEXT NOT NULL DEFAULT ''", "circumstances.container"),
    "limit_cpu_seconds": ("REAL DEFAULT NULL", "limits.cpu_seconds"),
    "limit_cores": ("INTEGER DEFAULT NULL", "limits.cores"),
    "limits_by": ("TEXT NOT NULL DEFAULT ''", "circumstances.limits_by"),
}
"""The SQL type of each column, and the attribute of `Row` for it; empty if it is computed."""
COLUMNS = {name: kind for name, (kind, _) in _FIELDS.items()}
"""The columns of a run with their SQL types. Times are in seconds, memory in 2^20 bytes; ``stats`` and ``trusts`` are
JSON; ``answer`` is a sha256 of the solutions in their order, or empty if there are none. Columns with a DEFAULT are at
the end, because files of schema 2 lack them."""

LIMITS = tuple(name for name, (_, path) in _FIELDS.items() if path.startswith("limits."))
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
_JUDGED = ("spec", "status", "error", "bound", "trusts", "stray", "left_behind", "answer", "solutions")
JUDGED = Columns({name: COLUMNS[name] for name in ("puzzle", "contestant", *_JUDGED, "repetition", "key")}, **_CHECKS)
"""The columns on which verdicts depend; unexplained times are not among them."""
_UNREAD = Circumstances(
    started="", load=0.0, side_by_side=1, carrier="", host="", processor="", processors=1, system="", python=""
)
# by owner: its attributes, and a function that picks their values; split once, because the report builds every row
_PARTS = {
    owner: (
        [path.rpartition(".")[2] for _, path in _FIELDS.values() if path.rpartition(".")[0] == owner and path],
        itemgetter(*(name for name, (_, path) in _FIELDS.items() if path.rpartition(".")[0] == owner and path)),
    )
    for owner in ("", "run", "run.timing", "limits", "circumstances")
}
_phases = itemgetter(*PHASES)
_limits = lru_cache(Limits)  # those of a campaign are the same for all runs
_trusted_base = lru_cache(1000)(lambda names: frozenset(json.loads(names)))
_WAITED = 0.1


@dataclass(frozen=True, kw_only=True)
class Row(Outcome):
    """The outcome of a run with its puzzle, contestant and limits, as it is stored."""

    puzzle: str  # its id
    contestant: str  # its label
    seed: int | None  # the campaign's seed; None if it set none
    question: QuestionName
    limits: Limits
    crosslit: str  # version of Crosslit that made it

    @property
    def loaded(self) -> bool:
        """True if the machine's load at the start exceeded its number of processors: times may be too long."""
        return self.circumstances.load > self.circumstances.processors

    @property
    def waited(self) -> bool:
        """True if it waited for a processor for over a tenth of its wall time: times may be too long."""
        return self.run.timing.delayed > _WAITED * self.run.timing.wall


def values_of(planned: PlannedRun, outcome: Outcome, answer: str, about: CampaignSpec) -> dict[str, Any]:
    """Return the values of the columns for a finished run whose solutions are stored under an id, checked."""
    # The names of the plan: a worker could report others, and rows are matched by them.
    run = replace(outcome.run, backend=planned.spec, repetition=planned.repetition)
    row = Row(
        **{**vars(outcome), "key": planned.key, "run": run},
        puzzle=planned.puzzle.id,
        contestant=planned.contestant,
        seed=planned.seed,
        question=about.question,
        limits=about.limits,
        crosslit=__version__,
    )
    values: dict[str, Any] = {
        "solutions": len(run.grids),
        "answer": answer,
        **{str(phase): seconds for phase, seconds in run.timing.phases.items()},
        "total": run.timing.total,
        "stats": plain(json.dumps({key: exact(value) for key, value in run.stats.items()}, ensure_ascii=False)),
        "trusts": json.dumps(sorted(run.trusted_base)),
    }
    found = [plain(attrgetter(path)(row)) if path else values[name] for name, (_, path) in _FIELDS.items()]
    return check_values([found])[0]


def check_values(rows: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    """Return the values of rows by column, checked."""
    found = _RUNS.check(rows)
    for limits in set(map(itemgetter(*LIMITS), found)):
        _limits(*limits)
    return found


def row_of(values: dict[str, Any], grids: list[Grid]) -> Row:
    """Return the row with these checked values and these solutions."""
    parts = {owner: dict(zip(names, pick(values), strict=True)) for owner, (names, pick) in _PARTS.items()}
    run = Run(
        **parts["run"],
        trusted_base=_trusted_base(values["trusts"]),
        grids=grids,
        timing=Timing(dict(zip(PHASES, _phases(values), strict=True)), **parts["run.timing"]),
        stats=json.loads(values["stats"]),
    )
    where = Circumstances(**parts["circumstances"])
    return Row(**parts[""], limits=_limits(*parts["limits"].values()), run=run, circumstances=where)


def judged_row(values: dict[str, Any], grids: list[Grid], about: CampaignSpec) -> Row:
    """Return the row with the checked values of `JUDGED`, for judges; what they do not read is empty."""
    run = Run(
        backend=values["spec"],
        trusted_base=_trusted_base(values["trusts"]),
        status=values["status"],
        grids=grids,
        error=values["error"],
        stray=values["stray"],
        repetition=values["repetition"],
        bound=values["bound"],
        left=values["left_behind"],
    )
    return Row(
        **{name: values[name] for name in ("key", "puzzle", "contestant")},
        seed=None,
        question=about.question,
        limits=about.limits,
        crosslit="",
        run=run,
        circumstances=_UNREAD,
    )


def plain(value: Any) -> Any:
    """Return a string that UTF-8 can encode, as error messages may contain file names; other values are unchanged."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else value
