"""The sections of a report on measurement and environment, and the commands that repeat a campaign."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import tomli_w

from crosslit.base.numbers import format_count, join_names, one_line
from crosslit.base.table import Table
from crosslit.contract import FEWEST
from crosslit.formats import lines
from crosslit_bench.plan.campaign import EXPECTED
from crosslit_bench.plan.software import Software, public_address
from crosslit_bench.report.text import REFERENCE, Column, Section, brief, facts, tables_of
from crosslit_bench.results.frame import CONDITIONS, MEASURES, Contestant, Measure, PuzzleResult, Results

if TYPE_CHECKING:
    pass

ASKED = {
    "first": "one solution",
    "unique": "whether there is a solution, and whether there is a second",
    "all": "all solutions",
    FEWEST.name: "the fewest presses, proved",
}
_MAX_MACHINES = 50
_SOURCE = "the repeated campaign"
_PIP = "venv/bin/python -m pip install --quiet --disable-pip-version-check"
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
    yield "time compared", f"{'total ' * (measure == 'total')}{MEASURES[measure]} of a run"
    parallel = " or ".join(map(str, sorted(set(frame["side_by_side"])))) or "no"
    yield "order", f"random (seed {about.seed}); runs in parallel: {parallel}"
    times = "once" if about.repetitions == 1 else f"{about.repetitions} times"
    if about.seeds:
        times += f", with the seeds {', '.join(map(str, about.seeds))} if the backend has that option"
    yield "each configuration ran", times
    expected = [result for result in results.judged if "expected" in result.instance.facts]
    if expected:
        yield "expected verdicts", _expected(expected)


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


def _machines(results: Results) -> tuple[Table, ...]:
    setups = results.setups()
    names = ("kind", *CONDITIONS)
    shown = [index for index in range(len(names)) if not {texts[index] for texts in setups} <= {"", "unknown", "none"}]

    def began(text: str) -> str:
        return brief(text[:19].replace("T", " "))

    columns = [
        Column(names[index], partial(lambda index, setup: brief(setup[0][index], 100), index), True) for index in shown
    ]
    columns += [
        Column("runs", lambda setup: f"{len(setup[1]):,}"),
        Column("highest load", lambda setup: f"{max(run['machine_load'] for run in setup[1]):.1f}"),
        Column("first run (UTC)", lambda setup: began(min(run["started"] for run in setup[1])), True),
        Column("last run (UTC)", lambda setup: began(max(run["started"] for run in setup[1])), True),
    ]
    return tables_of("Machines", setups.items(), columns, _MAX_MACHINES)


def _engines(results: Results) -> tuple[Table, ...]:
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
    return tables_of("Contestants", results.contestants, columns)


def _software(software: Software | None) -> tuple[Table, ...]:
    if software is None:
        return ()
    versions = [("Crosslit", software.version), *software.versions.items()]
    return facts("Software", ((brief(name), brief(version)) for name, version in versions), ("software", "version"))


def commands(results: Results) -> str:
    """Return the commands that repeat the campaign, or if they are too long, the command that prints them."""
    try:
        block = reproduction(results)
    except (AttributeError, LookupError, TypeError, ValueError):  # the campaign's text in a damaged file may be invalid
        block = ""
    command = f"crosslit bench reproduce {shlex.quote(f'{results.about.name}.sqlite')}"
    return block if 0 < len(block) <= _MAX_BLOCK else f"{command}  # prints the commands\n"


def reproduction(results: Results) -> str:
    """Return commands that install Crosslit and the engines, write the campaign's files, run it, and check it.

    The campaign's file expects the verdicts of these results, so that a repetition with others has a finding. If the
    origin of Crosslit is unknown, the reader has to set a variable. The files of commands are not included.
    """
    about = results.about
    name = re.sub(r"[^\w.-]+", "-", about.name, flags=re.ASCII).lstrip("-.") or "campaign"
    again = shlex.quote(f"{name}-repeated.sqlite")
    software = about.software
    pins = [_pin(*item) for item in (software.libraries if software is not None else {}).items()]
    parts = [
        _remark(f"Repeats the campaign {about.title or about.name}: paste it into a shell in an empty folder."),
        "(",
        "set -eu",
        *_fetched(software or Software()),
        '"${PYTHON:-python3}" -m venv venv',
        " ".join([_PIP, '"$CROSSLIT"', *filter(None, pins)]),
    ]
    for file, text in campaign_files(f"{name}.toml", results).items():
        parts += _here_document(file, text)
    command = "venv/bin/crosslit bench"
    parts += [
        f"{command} run {shlex.quote(f'{name}.toml')} --store {again} || [ $? -eq 1 ]",
        "result=0",  # `status` is read-only in zsh
        f"{command} check {again} || result=$?",
        _remark("If the original results are available, the times are compared too."),
        f"ORIGINAL=${{ORIGINAL:-{shlex.quote(f'{name}.sqlite')}}}",
        # The statistics need SciPy and pandas. Exit status 3: there are too few puzzles to compare times.
        f'if [ -e "$ORIGINAL" ]; then {_PIP} pandas scipy;'
        f' {command} diff "$ORIGINAL" {again} || [ $? -eq 3 ] || result=1; fi',
        'exit "$result"',
        ")",
    ]
    return "\n".join([*parts, ""])


def campaign_files(name: str, results: Results) -> dict[str, str]:
    """Return the files of a campaign by name: its TOML file, and packs with all puzzles, by family and verdict."""
    about = results.about
    packs: dict[tuple[str, str], list[PuzzleResult]] = {}
    for judged in results.judged:
        packs.setdefault((judged.instance.family, judged.comparison.verdict.status), []).append(judged)
    files, tables = {}, []
    for number, ((family, verdict), members) in enumerate(packs.items(), 1):
        pack = f"puzzles-{number}.puzzles"
        puzzles = (member.instance.puzzle for member in members)
        files[pack] = "".join(lines.write_all(puzzle.named(one_line(puzzle.name)) for puzzle in puzzles))
        expected = {"expected": verdict, "source": _SOURCE} if verdict in EXPECTED else {}
        flat = {"growth": False} if family in about.without_growth else {}
        tables.append({"family": family, "files": [pack], **expected, **flat})
    solvers = {solver: command.replace(f"{about.folder}/", "./") for solver, command in about.solvers.items()}
    record = {**tomllib.loads(about.text), "puzzles": tables, **({"solvers": solvers} if solvers else {})}
    return {**files, name: tomli_w.dumps(record)}


def _fetched(crosslit: Software) -> list[str]:
    """Return the commands that set the variable CROSSLIT to pip's argument for Crosslit."""
    if not re.fullmatch("[0-9a-f]+", crosslit.commit):  # git could take another text for an option
        version = re.sub(r"[^\w ,./-]", "", f"Crosslit {crosslit.version}", flags=re.ASCII).strip()
        return [f': "${{CROSSLIT:?set CROSSLIT to a wheel or the sources of {version}}}"']
    what = f"the address or folder of a Git repository of Crosslit with commit {crosslit.commit[:12]}"
    origin = public_address(crosslit.origin)
    address = shlex.quote(origin) if origin else f'"${{CROSSLIT:?set CROSSLIT to {what}}}"'
    changed = [_remark("The sources of Crosslit had uncommitted changes.")] if crosslit.is_modified else []
    return [
        *changed,
        f"git clone --quiet {address} ./crosslit",
        f"git -C ./crosslit checkout --quiet {crosslit.commit}",
        "CROSSLIT=./crosslit",
    ]


def _pin(name: str, version: str) -> str:
    """Return the requirement for pip; empty if it is malformed, as pip could take it for an option."""
    is_plain = re.fullmatch(r"[A-Za-z0-9][\w.-]*==\w[\w.+!-]*", f"{name}=={version}", re.ASCII) is not None
    return f"{name}=={version}" if is_plain else ""


def _remark(text: str) -> str:
    """Return a command that does nothing: a shell such as zsh reads no comments where a block is pasted."""
    return f": {shlex.quote(one_line(text))}"


def _here_document(name: str, text: str) -> list[str]:
    end = "END"
    while end in text.splitlines():
        # A line of the text that equals the end mark would end the document early, and run the rest as commands.
        end += "_"
    return [f"cat > {shlex.quote(name)} <<'{end}'", text.removesuffix("\n"), end]
