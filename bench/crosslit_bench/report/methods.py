"""The sections of a report on measurement, environment and reproduction."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from crosslit.contract import FEWEST
from crosslit.numbers import format_count, join_names
from crosslit_bench.provenance.software import Software
from crosslit_bench.report.text import REFERENCE, Column, Section, Sheet, brief, facts
from crosslit_bench.results.frame import CONDITIONS, MEASURES, Contestant, Measure, PuzzleResult, Results
from crosslit_bench.results.reproduction import reproduction

if TYPE_CHECKING:
    from pandas import DataFrame

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
    about, frame = results.about, results.frame
    yield "question", ASKED[about.asked]
    yield "limits of a run", f"{about.limits.words}, enforced by {limits_by(frame['limits_by'])}"
    yield "time", MEASURES[measure]
    parallel = " or ".join(map(str, sorted(set(frame["side_by_side"])))) or "no"
    yield "order", f"random (seed {about.seed}); runs in parallel: {parallel}"
    times = "once" if about.repetitions == 1 else f"{about.repetitions} times"
    if about.seeds:
        times += f", with the seeds {', '.join(map(str, about.seeds))} if the backend has that option"
    yield "each configuration ran", times
    expected = [result for result in results.judged if "expected" in result.instance.facts]
    if expected:
        yield "expected verdicts", _expected(expected)
    disturbed = int(frame["disturbed"].sum())
    yield (
        "disturbed runs",
        f"{disturbed:,} of {format_count(len(frame), 'run')} waited for a processor for over 10% of their time, or"
        " started when the load of the machine was above its number of processors",
    )
    yield (
        "repeated runs",
        f"{format_count(int((frame['attempts'] > 1).sum()), 'run')}, because the process that made them was lost",
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


def limits_by(means: Iterable[str]) -> str:
    """Return the means by which the limits of runs were enforced."""
    known = {brief(found, 60) for found in means} - {""}
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
    machines = [results.machines.get(row.machine, "unknown") for judged in results.judged for row in judged.rows]
    frame = results.conditions.assign(kind=machines)
    shown = [name for name in ("kind", *CONDITIONS) if not set(frame[name]) <= {"", "unknown", "none"}]
    made = results.frame[["machine_load", "started"]].groupby(
        [frame[name] for name in ("kind", *CONDITIONS)], sort=False
    )

    def began(text: str) -> str:
        return brief(text[:19].replace("T", " "))

    columns = [
        Column(name, partial(_condition, index), True)
        for index, name in enumerate(("kind", *CONDITIONS))
        if name in shown
    ]
    columns += [
        Column("runs", lambda group: f"{len(group[1]):,}"),
        Column("highest load", lambda group: f"{group[1]['machine_load'].max():.1f}"),
        Column("first run (UTC)", lambda group: began(group[1]["started"].min()), True),
        Column("last run (UTC)", lambda group: began(group[1]["started"].max()), True),
    ]
    return Sheet.of("Machines", made, columns, _MAX_MACHINES)


def _condition(index: int, group: tuple[Sequence[str], DataFrame]) -> str:
    return brief(group[0][index], 100)


def _engines(results: Results) -> tuple[Sheet, ...]:
    used: dict[str, dict[str, None]] = {}
    for label, version in zip(results.frame["label"], results.frame["version"], strict=True):
        if version:  # a run on an unsupported puzzle may have none
            used.setdefault(label, {})[version] = None

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
