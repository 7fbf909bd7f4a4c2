"""A run as a row of a table: one value a column, as a store keeps it and as it is exported."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, get_args

from crosslit._version import __version__
from crosslit.campaigns.results.outcome import Circumstances, Outcome
from crosslit.campaigns.results.validation import (
    from_json,
    mapping,
    number,
    one_of,
    signed,
    statistic,
    text,
    texts,
    whole,
)
from crosslit.campaigns.spec.campaign import ASKED, question_of
from crosslit.campaigns.spec.plan import PlannedRun
from crosslit.contract import PHASES, QuestionName
from crosslit.grid import Grid
from crosslit.numbers import exact
from crosslit.runs.run import Limits, Run, RunStatus, Timing

COLUMNS: dict[str, str] = {
    "key": "TEXT PRIMARY KEY",
    "puzzle": "TEXT NOT NULL",
    "contestant": "TEXT NOT NULL",
    "spec": "TEXT NOT NULL",
    "encoding": "TEXT NOT NULL",
    "question": "TEXT NOT NULL",
    "limit_solutions": "INTEGER",
    "limit_seconds": "REAL NOT NULL",
    "limit_memory_mb": "INTEGER NOT NULL",
    "seed": "INTEGER",
    "repetition": "INTEGER NOT NULL",
    "version": "TEXT NOT NULL",
    "crosslit": "TEXT NOT NULL",
    "status": "TEXT NOT NULL",
    "error": "TEXT NOT NULL",
    "solutions": "INTEGER NOT NULL",
    "answer": "TEXT NOT NULL",
    "bound": "INTEGER NOT NULL",
    **dict.fromkeys(PHASES, "REAL NOT NULL"),
    "total": "REAL NOT NULL",
    "cpu": "REAL NOT NULL",
    "wall": "REAL NOT NULL",
    "overhead": "REAL NOT NULL",
    "delayed": "REAL NOT NULL",
    "threads": "INTEGER NOT NULL",
    "memory_mb": "REAL NOT NULL",
    "stats": "TEXT NOT NULL",
    "trusts": "TEXT NOT NULL",
    "stray": "TEXT NOT NULL",
    "left_behind": "INTEGER NOT NULL",
    "attempts": "INTEGER NOT NULL",
    "lost": "TEXT NOT NULL",
    "started": "TEXT NOT NULL",
    "machine_load": "REAL NOT NULL",
    "side_by_side": "INTEGER NOT NULL",
    "carrier": "TEXT NOT NULL",
    "host": "TEXT NOT NULL",
    "processor": "TEXT NOT NULL",
    "processors": "INTEGER NOT NULL",
    "system": "TEXT NOT NULL",
    "python": "TEXT NOT NULL",
}
"""What is kept of a run, and its type in SQL. Times are in seconds, memory in 2^20 bytes; ``stats`` and ``trusts`` are
JSON; ``answer`` is a sha256 of the solutions in their order, equal where these are; empty where there are none."""

STATUSES = frozenset(get_args(RunStatus)) - {"interrupted", "lost"}
"""How a run can have ended that is kept; others are made again."""

_WAITED = 0.1
_TIMES = ("cpu", "wall", "overhead", "delayed")
# columns with the name of a field: of a `Run`, of a `Row`, of `Circumstances`
_OF_RUN = ("encoding", "version", "status", "threads", "memory_mb", "error", "stray", "repetition", "bound")
_SAME = ("key", "puzzle", "contestant", "seed", "question", "crosslit", "attempts", "lost")
_PLACED = ("started", "side_by_side", "carrier", "host", "processor", "processors", "system", "python")


@dataclass(frozen=True, kw_only=True)
class Row:
    """A run that was made, and what it belongs to.

    Args:
        key: of the planned run.
        puzzle: the id of its puzzle.
        contestant: whom it is a run of.
        seed: that the campaign set; None where it set none.
        question: that was asked.
        limits: of the run.
        crosslit: the version that made it.
        run: what it found, and how it ended.
        circumstances: where and when.
        attempts: how often it was begun.
        lost: how the first attempt was lost; empty if it was not.
    """

    key: str
    puzzle: str
    contestant: str
    seed: int | None
    question: QuestionName
    limits: Limits
    crosslit: str
    run: Run
    circumstances: Circumstances
    attempts: int
    lost: str

    @property
    def loaded(self) -> bool:
        """Whether its machine had more to do at its start than it has processors: its times may be too long."""
        return self.circumstances.load > self.circumstances.processors

    @property
    def waited(self) -> bool:
        """Whether it waited for a processor for over a tenth of its wall time: its times may be too long."""
        return self.run.timing.delayed > _WAITED * self.run.timing.wall


def values_of(
    planned: PlannedRun, outcome: Outcome, answer: str, question: QuestionName, limits: Limits
) -> dict[str, Any]:
    """The values of the columns for a run that was made.

    Args:
        planned: the run.
        outcome: what came of it.
        answer: under which its solutions are kept.
        question: that was asked.
        limits: of the run.
    """
    run, timing, where = outcome.run, outcome.run.timing, asdict(outcome.circumstances)
    values: dict[str, Any] = {
        "key": planned.key,
        "puzzle": planned.puzzle.id,
        "contestant": planned.contestant,
        "spec": planned.spec,
        "encoding": run.encoding,
        "question": question,
        "limit_solutions": limits.solutions,
        "limit_seconds": limits.seconds,
        "limit_memory_mb": limits.memory_mb,
        "seed": planned.seed,
        "repetition": planned.repetition,
        "version": plain(run.version),
        "crosslit": __version__,
        "status": run.status,
        "error": plain(run.error),
        "solutions": len(run.grids),
        "answer": answer,
        "bound": run.bound,
        **{str(phase): seconds for phase, seconds in timing.phases.items()},
        "total": timing.total,
        "cpu": timing.cpu,
        "wall": timing.wall,
        "overhead": timing.overhead,
        "delayed": timing.delayed,
        "threads": run.threads,
        "memory_mb": run.memory_mb,
        "stats": plain(json.dumps({key: exact(value) for key, value in run.stats.items()}, ensure_ascii=False)),
        "trusts": json.dumps(sorted(run.trusted_base)),
        "stray": plain(run.stray),
        "left_behind": run.left,
        "attempts": outcome.attempts,
        "lost": plain(outcome.lost),
        "machine_load": where["load"],
        **{name: where[name] for name in _PLACED},
    }
    return {name: values[name] for name in COLUMNS}


_READ: dict[str, Callable[[Any], Any]] = {"TEXT": text, "INTEGER": whole, "REAL": number}
_SPECIAL: dict[str, Callable[[Any], Any]] = {
    "question": one_of(frozenset(map(question_of, ASKED))),
    "status": one_of(STATUSES),
    "overhead": signed,
    "delayed": signed,
    "stats": lambda value: mapping(from_json(value), statistic),
    "trusts": lambda value: texts(from_json(value)),
}
_CHECKS = [
    (name, _SPECIAL.get(name, _READ[kind.split()[0]]), kind in ("INTEGER", "REAL", "TEXT"))
    for name, kind in COLUMNS.items()
]


def check_values(values: dict[str, Any]) -> None:
    """See that values are of the types and in the ranges of their columns: the same when they are written and read.

    Raises:
        ValueError: naming the column and what was expected.
    """
    for name, read, optional in _CHECKS:
        value = values[name]
        if value is None and optional:
            continue
        try:
            read(value)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    Limits(values["limit_solutions"], values["limit_seconds"], values["limit_memory_mb"])


def row_of(values: dict[str, Any], grids: list[Grid]) -> Row:
    """The row that has these values, which `check_values` has seen, and these solutions."""
    run = Run(
        backend=values["spec"],
        trusted_base=frozenset(json.loads(values["trusts"])),
        grids=grids,
        timing=Timing({phase: values[phase] for phase in PHASES}, **{name: values[name] for name in _TIMES}),
        stats=json.loads(values["stats"]),
        left=values["left_behind"],
        **{name: values[name] for name in _OF_RUN},
    )
    where = Circumstances(load=values["machine_load"], **{name: values[name] for name in _PLACED})
    limits = Limits(values["limit_solutions"], values["limit_seconds"], values["limit_memory_mb"])
    same = {name: values[name] for name in _SAME}
    return Row(**same, limits=limits, run=run, circumstances=where)


def plain(words: str) -> str:
    """Text that can be written as UTF-8: an error may hold the name of a file, which need not be text."""
    return words.encode(errors="replace").decode()
