"""A block of shell commands that repeats a campaign in an empty folder and compares the results."""

from __future__ import annotations

import re
import shlex
import tomllib

import tomli_w

from crosslit.formats import lines
from crosslit.numbers import one_line
from crosslit_bench.plan.sources import EXPECTED
from crosslit_bench.provenance.software import Component, public_address
from crosslit_bench.results.frame import PuzzleResult, Results

_SOURCE = "the repeated campaign"
_PIP = "venv/bin/python -m pip install --quiet --disable-pip-version-check"


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
        *_fetched(software.components[0] if software is not None else None),
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


def _fetched(crosslit: Component | None) -> list[str]:
    """Return the commands that set the variable CROSSLIT to pip's argument for Crosslit."""
    if crosslit is None or not re.fullmatch("[0-9a-f]+", crosslit.commit):  # git could take another text for an option
        version = f" {crosslit.version}" if crosslit is not None else ""
        return [f': "${{CROSSLIT:?set CROSSLIT to a wheel or the sources of Crosslit{_plain(version)}}}"']
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


def _plain(text: str) -> str:
    return re.sub(r"[^\w ,./-]", "", text, flags=re.ASCII)


def _remark(text: str) -> str:
    """Return a command that does nothing: a shell such as zsh reads no comments where a block is pasted."""
    return f": {shlex.quote(one_line(text))}"


def _here_document(name: str, text: str) -> list[str]:
    end = "END"
    while end in text.splitlines():
        # A line of the text that equals the end mark would end the document early, and run the rest as commands.
        end += "_"
    return [f"cat > {shlex.quote(name)} <<'{end}'", text.removesuffix("\n"), end]
