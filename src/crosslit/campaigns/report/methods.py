"""How a campaign was measured, where, with what, and how to make it again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from crosslit._version import __version__
from crosslit.campaigns.report.text import Section, Sheet, brief
from crosslit.campaigns.results.judged import Results
from crosslit.campaigns.results.rows import Row
from crosslit.campaigns.results.table import Measure
from crosslit.contract import FEWEST
from crosslit.numbers import format_count, format_seconds
from crosslit.runs.run import Limits

MEASURED: dict[Measure, str] = {
    "total": "the phases of a run together (encode, load, solve, decode), as the run's own clock told them; importing"
    " the engine and starting the process are left out",
    "cpu": "user and system time of all processes of a run, from the operating system",
    "wall": "from the start of a run's process to its end, measured from outside, with what starting it costs",
    "solve": "the search alone, as the run's own clock told it: encoding, loading and decoding are left out",
}
ASKED = {
    "first": "one solution",
    "unique": "whether there is a solution, and whether there is a second",
    "all": "all solutions",
    FEWEST.name: "the fewest presses, proved",
}
_MAX_MACHINES = 50
_MAX_LOST = 50


def measured(results: Results, measure: Measure) -> Section:
    """How it was measured."""
    rows = results.rows
    flagged = [row for row in rows if row.waited or row.loaded]
    lost = [row for row in rows if row.attempts > 1]
    sheets = [sheet for sheet in (_flagged(flagged), _lost(lost, results)) if sheet is not None]
    return Section(
        id="measured",
        title="How it was measured",
        paragraphs=tuple(_said(results, measure, rows, flagged, lost)),
        figures=(),
        sheets=sheets,
    )


def _said(
    results: Results, measure: Measure, rows: Sequence[Row], flagged: Sequence[Row], lost: Sequence[Row]
) -> Iterator[str]:
    about = results.about
    yield (
        f"Every run was asked for {ASKED[about.asked]}, under limits that its process was held to from outside:"
        f" {_limits(about.limits)}. The limits cover encoding, loading, search and decoding."
    )
    yield f"The time that is compared is {MEASURED[measure]}."
    if measure != "total":
        yield (
            "The limit is one of wall time all the same: a run that hit it counts as unsolved, and is taken to need"
            " more than that of the time that is compared."
        )
    yield (
        "Before anything counts, every backend makes a run with each of its encodings on a tiny puzzle, to warm up;"
        " these runs are in no figure. Every run has a process of its own, and engines are imported before its clock"
        " starts."
    )
    beside = sorted({row.circumstances.side_by_side for row in rows})
    side = " or ".join(map(str, beside)) if beside else "no"
    runs = "run was" if beside in ([], [1]) else "runs were"
    seeds = (
        f", with the seeds {', '.join(map(str, about.seeds))} where a backend has that option" if about.seeds else ""
    )
    times = "once" if about.repetitions == 1 else f"{about.repetitions} times"
    median = (
        ""
        if len(about.seeds) < 2 and about.repetitions == 1
        else (
            " Of the runs of one contestant on one puzzle the median counts, where an unsolved run is longer than any."
        )
    )
    yield (
        f"The order of all runs was shuffled (seed {about.seed}); {side} {runs} made at a time. Every configuration ran"
        f" {times}{seeds}.{median}"
    )
    yield (
        "A run that did not answer within its limits is censored, and never dropped: it counts as unsolved in the"
        f" medians, and as {format_seconds(2 * about.limits.seconds)} (twice the limit) in PAR-2. A crash counts as"
        " unsolved, but says nothing of how time grows, and is not in the fits."
        " Whoever gave a wrong answer is disqualified, and is in no ranking."
    )
    if flagged:
        part = f"{format_count(len(flagged), 'run')} of {len(rows):,}"
        yield f"Flagged: {part} waited for a processor for over 10% of their time, or began on a busy machine (below)."
    elif rows:
        yield (
            "No run waited for a processor for over 10% of its time, and none began on a machine whose load was above"
            " its number of processors."
        )
    if rows:
        again = f"{format_count(len(lost), 'run')} had to be made again" if lost else "No run had to be made again"
        yield f"{again} because what carried it was lost."


def _limits(limits: Limits) -> str:
    return f"{format_seconds(limits.seconds)} of wall time, {limits.memory_mb:,} MB of memory"


def _flagged(rows: Sequence[Row]) -> Sheet | None:
    if not rows:
        return None
    names = sorted({row.contestant for row in rows})
    told = []
    for name in names:
        own = [row for row in rows if row.contestant == name]
        shares = [row.run.timing.delayed / row.run.timing.wall for row in own if row.run.timing.wall > 0]
        worst = f"{max(shares, default=0):.0%}"
        told.append((brief(name), str(sum(row.waited for row in own)), worst, str(sum(row.loaded for row in own))))
    columns = ("contestant", "runs that waited", "longest wait, of its time", "runs on a busy machine")
    notes = ("Busy: the load average was above the number of processors. Times of these runs may be too long.",)
    return Sheet(caption="Flagged runs", columns=columns, rows=told, notes=notes)


def _lost(rows: Sequence[Row], results: Results) -> Sheet | None:
    if not rows:
        return None
    names = {judged.instance.puzzle.id: judged.instance.puzzle for judged in results.judged}
    told = [
        (
            brief(row.contestant),
            brief(names[row.puzzle].name) or row.puzzle[:8],
            str(row.attempts),
            brief(row.lost, 200),
        )
        for row in rows[:_MAX_LOST]
    ]
    notes = (f"And {len(rows) - _MAX_LOST:,} more.",) if len(rows) > _MAX_LOST else ()
    columns = ("contestant", "puzzle", "attempts", "how it was lost")
    return Sheet(caption="Runs that were made again", columns=columns, rows=told, words=frozenset({1, 3}), notes=notes)


def environment(results: Results) -> Section:
    """Where and with what it was measured."""
    return Section(
        id="environment",
        title="Environment",
        paragraphs=(),
        figures=(),
        sheets=[_machines(results.rows), _engines(results)],
    )


def _machines(rows: Sequence[Row]) -> Sheet:
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        where = row.circumstances
        said = (where.host, where.processor, str(where.processors), where.system, where.python, row.crosslit)
        groups.setdefault((*said, where.carrier), []).append(row)
    told = []
    for place, own in list(groups.items())[:_MAX_MACHINES]:
        began = sorted(row.circumstances.started for row in own)
        load = max(row.circumstances.load for row in own)
        times = (began[0][:19].replace("T", " "), began[-1][:19].replace("T", " "))
        told.append((*(brief(text, 100) for text in place), f"{len(own):,}", f"{load:.1f}", *map(brief, times)))
    columns = (
        *("host", "processor", "processors", "system", "Python", "Crosslit", "carrier", "runs", "highest load"),
        *("first run (UTC)", "last run (UTC)"),
    )
    notes = (f"And {len(groups) - _MAX_MACHINES} more.",) if len(groups) > _MAX_MACHINES else ()
    return Sheet(caption="Machines", columns=columns, rows=told, words=frozenset({1, 3, 4, 5, 6, 9, 10}), notes=notes)


def _engines(results: Results) -> Sheet:
    used: dict[str, dict[str, None]] = {}
    for row in results.rows:
        used.setdefault(row.contestant, {})[row.run.version] = None
    told = [
        (
            brief(one.label),
            brief(one.group),
            brief(" / ".join(used.get(one.label, {one.version: None})), 200),
            "yes" if one.disqualified else "",
        )
        for one in results.contestants
    ]
    columns = ("contestant", "group", "version of its engine", "disqualified")
    return Sheet(caption="Contestants", columns=columns, rows=told, words=frozenset({1, 2, 3}))


def commands(results: Results) -> str:
    """The lines that make the campaign, and this report, again."""
    about = results.about
    made = shlex.join(about.command) if about.command else f"crosslit bench run {shlex.quote(about.name + '.toml')}"
    versions = sorted({row.crosslit for row in results.rows}) or [__version__]
    installed = [f"pip install {shlex.quote(f'crosslit=={version}')}" for version in versions]
    return "\n".join([*installed, made, ""])
