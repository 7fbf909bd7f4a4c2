"""The sections of a report on measurement, environment and reproduction."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from crosslit.contract import FEWEST
from crosslit.numbers import format_count, join_names
from crosslit_bench.provenance.software import Software
from crosslit_bench.report.text import REFERENCE, Column, Section, Sheet, brief, facts
from crosslit_bench.results.judged import PuzzleResult, Results
from crosslit_bench.results.likeness import CONDITIONS, kind_of
from crosslit_bench.results.reproduction import reproduction
from crosslit_bench.results.table import MEASURES, Contestant, Measure
from crosslit_bench.store.rows import Row

ASKED = {
    "first": "one solution",
    "unique": "whether there is a solution, and whether there is a second",
    "all": "all solutions",
    FEWEST.name: "the fewest presses, proved",
}
_MAX_MACHINES = 50
_MAX_BLOCK = 100_000  # characters of the commands that repeat a campaign


def measured(results: Results, measure: Measure) -> Section:
    """Return the section on the measurement."""
    sheets = facts("Method", _facts(results, measure))
    line = "The question, the limits, the order of the runs, and the time that is compared"
    return Section(id="measured", title="Measurement", paragraphs=(REFERENCE,), sheets=sheets, folded=line)


def _facts(results: Results, measure: Measure) -> Iterator[tuple[str, str]]:
    about, rows = results.about, results.rows
    yield "question", ASKED[about.asked]
    yield "limits of a run", f"{about.limits.words}, enforced by {limits_by(rows)}"
    yield "time", MEASURES[measure]
    parallel = " or ".join(map(str, sorted({row.circumstances.side_by_side for row in rows}))) or "no"
    yield "order", f"random (seed {about.seed}); runs in parallel: {parallel}"
    times = "once" if about.repetitions == 1 else f"{about.repetitions} times"
    if about.seeds:
        times += f", with the seeds {', '.join(map(str, about.seeds))} if the backend has that option"
    yield "each configuration ran", times
    expected = [result for result in results.judged if "expected" in result.instance.facts]
    if expected:
        yield "expected verdicts", _expected(expected)
    flagged = sum(row.waited or row.loaded for row in rows)
    yield (
        "disturbed runs",
        f"{flagged:,} of {format_count(len(rows), 'run')} waited for a processor for over 10% of their time, or started"
        " when the load of the machine was above its number of processors",
    )
    yield (
        "repeated runs",
        f"{format_count(sum(row.attempts > 1 for row in rows), 'run')}, because the process that made them was lost",
    )


def _expected(judged: Sequence[PuzzleResult]) -> str:
    """Return the numbers of expected verdicts that were found or not, and their sources."""
    verdicts = [(result.instance.facts["expected"], result.comparison.verdict.status) for result in judged]
    found = sum(expected == verdict for expected, verdict in verdicts)
    undecided = sum(verdict == "undecided" for _, verdict in verdicts)
    sources = join_names(sorted({brief(str(result.instance.facts["expected_by"])) for result in judged}))
    return (
        f"of {format_count(len(judged), 'puzzle')}, by {sources}: {found:,} found, {undecided:,} undecided,"
        f" {len(judged) - found - undecided:,} other; contradictions are among the wrong answers"
    )


def limits_by(rows: Sequence[Row]) -> str:
    """Return the means by which the limits of runs were enforced."""
    known = {brief(row.circumstances.limits_by, 60) for row in rows} - {""}
    return " or ".join(sorted(known)) or "means that were not recorded"


def environment(results: Results) -> Section:
    """Return the section on machines and software."""
    return Section(
        id="environment",
        title="Environment",
        sheets=[*_machines(results), *_engines(results), *_software(results.about.software)],
        folded="Machines, and the versions of Crosslit, of the engines and of their libraries",
    )


def _machines(results: Results) -> tuple[Sheet, ...]:
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in results.rows:
        kind = results.machines.get(kind_of(row.circumstances), "unknown")
        groups.setdefault((kind, *(read(row) for read in CONDITIONS.values())), []).append(row)

    def field(index: int, group: tuple[Sequence[str], Sequence[Row]]) -> str:
        return brief(group[0][index], 100)

    def began(which: Callable[[Iterable[str]], str], group: tuple[Sequence[str], Sequence[Row]]) -> str:
        return brief(which(row.circumstances.started for row in group[1])[:19].replace("T", " "))

    columns = [
        Column(name, partial(field, index), True)
        for index, name in enumerate(("kind", *CONDITIONS))
        if not {group[index] for group in groups} <= {"", "unknown", "none"}
    ]
    columns += [
        Column("runs", lambda group: f"{len(group[1]):,}"),
        Column("highest load", lambda group: f"{max(row.circumstances.load for row in group[1]):.1f}"),
        Column("first run (UTC)", partial(began, min), True),
        Column("last run (UTC)", partial(began, max), True),
    ]
    return Sheet.of("Machines", groups.items(), columns, _MAX_MACHINES)


def _engines(results: Results) -> tuple[Sheet, ...]:
    used: dict[str, dict[str, None]] = {}
    for row in results.rows:
        if row.run.version:  # a run on an unsupported puzzle may have none
            used.setdefault(row.contestant, {})[row.run.version] = None

    def versions(contestant: Contestant) -> str:
        return brief(" / ".join(used.get(contestant.label, {contestant.version: None})), 200)

    columns = (
        Column("contestant", lambda contestant: brief(contestant.label)),
        Column("version of its engine", versions, True),
    )
    return Sheet.of("Contestants", results.contestants, columns)


def _software(software: Software | None) -> tuple[Sheet, ...]:
    if software is None:
        return ()
    versions = [("Crosslit", software.components[0].version), *software.versions.items()]
    return facts("Software", ((brief(name), brief(version)) for name, version in versions), ("software", "version"))


def commands(results: Results) -> str:
    """Return the commands that repeat the campaign, or if they are too long, the command that prints them."""
    try:
        block = reproduction(results)
    except (AttributeError, LookupError, TypeError, ValueError):  # the campaign's text in a damaged file may be invalid
        block = ""
    command = f"crosslit bench reproduce {shlex.quote(f'{results.about.name}.sqlite')}"
    return block if 0 < len(block) <= _MAX_BLOCK else f"{command}  # prints the commands\n"
