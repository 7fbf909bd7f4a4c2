"""A block of shell commands that repeats a campaign in an empty folder, and compares what comes of it."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile

from crosslit.campaigns.results.about import About
from crosslit.campaigns.results.audit import expectations
from crosslit.campaigns.results.judged import Results
from crosslit.campaigns.results.software import Component, Software, public_address
from crosslit.campaigns.spec.campaign import Instance
from crosslit.campaigns.spec.toml_text import toml_text
from crosslit.formats import lines
from crosslit.numbers import one_line

EXPECTED = "expected.txt"
# options that a repetition does without, each with a value
_VALUED = ("--store", "--shard", "--dask", "--workers", "--keep-output")
_EXPECTATION = ("expected", "expected_by")  # facts of a puzzle
_REPLACED = ("family", "files", "format", "expected", "source")  # keys of a table of puzzles
_DIGITS = 12  # of a hash in a remark
_PIP = "venv/bin/python -m pip install --quiet --disable-pip-version-check"


def reproduction(results: Results) -> str:
    """Return the block: it installs the software, writes the campaign, makes it, and compares plan and verdicts.

    Everything is in the block but the code of Crosslit, plugins and commands, which have a commit, a version or at
    least a hash. Where the origin of some code is not known, a variable that the reader sets stands for it.
    """
    about = results.about
    name = re.sub(r"[^\w.-]+", "-", about.name, flags=re.ASCII).lstrip("-.") or "campaign"
    pythons = sorted({row.circumstances.python for row in results.rows})
    files = {**campaign_files(f"{name}.toml", about, [one.instance for one in results.judged])}
    files[EXPECTED] = "".join(f"{line}\n" for line in expectations(results))
    parts = [
        _remark(f"Repeats the campaign {about.title or about.name}: paste it into a shell in an empty folder."),
        _remark(f"It needs Python{' (it was ' + ', '.join(pythons) + ')' if pythons else ''} and a network."),
        "(",
        "set -eu",
        *_programs(about.software),
        *_installation(about.software),
    ]
    for file, text in files.items():
        parts += _here_document(file, text)
    again = shlex.quote(f"{name}-repeated.sqlite")
    options = shlex.join(_options(about.command))
    command = "venv/bin/crosslit bench"
    parts += [
        f"{command} run {shlex.quote(f'{name}.toml')} --store {again} {options}".rstrip() + " || [ $? -eq 1 ]",
        "result=0",  # `status` is read-only in zsh
        f"{command} check {again} --expect {EXPECTED} || result=$?",
        _remark("With the first results at hand, the times are compared too."),
        f"ORIGINAL=${{ORIGINAL:-{shlex.quote(f'{name}.sqlite')}}}",
        f'if [ -e "$ORIGINAL" ]; then {command} diff "$ORIGINAL" {again} || result=$?; fi',
        'exit "$result"',
        ")",
    ]
    return "\n".join([*parts, ""])


def campaign_files(name: str, about: About, instances: Sequence[Instance]) -> dict[str, str]:
    """Return the files of a campaign by their names, without any other file that it reads.

    Puzzles of files are written into packs beside it, in the order of the campaign; its text changes only for these,
    for commands that a ``crosslit.toml`` has defined, and for absolute paths of commands in the campaign's folder.

    Args:
        name: of the campaign's file.
        about: the campaign.
        instances: its puzzles, in order.
    """
    record = tomllib.loads(about.text)
    solvers = {name: command.replace(f"{about.folder}/", "./") for name, command in about.solvers.items()}
    tables = record.get("puzzles", [])
    if solvers == record.get("solvers", {}) and not any("files" in table for table in tables):
        return {name: about.text if about.text.endswith("\n") else f"{about.text}\n"}
    packs: dict[str, str] = {}
    kept, rest = [], list(instances)
    for table in tables:
        if "files" not in table:
            kept.append(table)
            rest = rest[len([*takewhile(lambda one: "file" not in one.facts, rest)]) :]
            continue
        family = str(table.get("family", "")).strip() or "files"
        taken = [*takewhile(lambda one: "file" in one.facts and one.family == family, rest)]  # noqa: B023
        rest = rest[len(taken) :]
        # patterns of file names, by which a table may expect verdicts, fit no puzzle of a pack
        for (verdict, source), group in groupby(taken, lambda one: tuple(map(one.facts.get, _EXPECTATION))):
            pack = f"puzzles-{len(packs) + 1}.puzzles"
            named = (one.puzzle.named(one_line(one.puzzle.name)) for one in group)
            packs[pack] = "".join(lines.write_all(named))
            same = {key: value for key, value in table.items() if key not in _REPLACED}
            expected = {"expected": verdict, "source": source} if verdict else {}
            kept.append({"family": family, "files": [pack], **same, **expected})
    changed = {**record, "puzzles": kept, **({"solvers": solvers} if solvers else {})}
    return {**packs, name: toml_text(changed)}


def _programs(software: Software | None) -> Iterator[str]:
    """The files of commands, which only a reader can bring: those of the campaign's folder are checked."""
    for one in software.programs if software is not None else ():
        if one.name.startswith("./"):
            yield _remark(f"The command {one.backend} needs this file here:")
            yield f"echo {shlex.quote(f'{one.sha256}  {one.name}')} | sha256sum --check --quiet"
        else:
            yield _remark(f"The command {one.backend} uses {one.name}, sha256 {one.sha256}.")


def _installation(software: Software | None) -> list[str]:
    """The commands that fetch and install all code; those that may lack something from the reader come first."""
    venv = '"${PYTHON:-python3}" -m venv venv'
    if software is None:
        what = "a folder with the sources of Crosslit, whose commit is not recorded"
        return [f"CROSSLIT={_variable('CROSSLIT', what)}", venv, f'{_PIP} "$CROSSLIT"']
    fetched: list[str] = []
    crosslit, *plugins = software.components
    pins = filter(None, (_pin(name, version) for name, version in software.libraries.items()))
    installed = [" ".join([_PIP, _source(crosslit, "Crosslit", "CROSSLIT", fetched), *pins])]
    for plugin in plugins:
        fetched.append(_remark(f"{plugin.name} {plugin.version} brings {', '.join(plugin.brings)}."))
        variable = f"PLUGIN_{re.sub(r'[^A-Z0-9]+', '_', plugin.name.upper())}"
        installed.append(f"{_PIP} {_source(plugin, 'this plugin', variable, fetched)}")
    return [*fetched, venv, *installed]


def _source(one: Component, called: str, variable: str, fetched: list[str]) -> str:
    """The word for pip that installs a component; commands that fetch it first are added to a list."""
    if re.fullmatch("[0-9a-f]+", one.commit):  # git could take another word for one of its options
        folder = shlex.quote(f"./{variable.lower()}")
        what = f"the address or folder of a Git repository of {called} with commit {one.commit[:_DIGITS]}"
        if one.is_modified:
            changed = f"The sources of {called} had changes that are in no commit: they will not be as expected."
            fetched.append(_remark(changed))
        fetched.append(f"git clone --quiet {_address(one, variable, what)} {folder}")
        fetched.append(f"git -C {folder} checkout --quiet {shlex.quote(one.commit)}")
        return folder
    if one.is_published and _pin(one.name, one.version):
        return _pin(one.name, one.version)
    what = f"a folder with the sources of {called} {one.version}, sha256 {one.content[:_DIGITS]}"
    fetched.append(f"{variable}={_variable(variable, what)}")
    return f'"${variable}"'


def _address(component: Component, variable: str, what: str) -> str:
    """Where to clone from: the recorded origin, or else a variable that the reader sets."""
    origin = public_address(component.origin)
    return shlex.quote(origin) if origin else _variable(variable, what)


def _pin(name: str, version: str) -> str:
    """The requirement for pip; empty for what is none, which pip could take for one of its options."""
    is_plain = re.fullmatch(r"[A-Za-z0-9][\w.-]*==\w[\w.+!-]*", f"{name}=={version}", re.ASCII) is not None
    return f"{name}=={version}" if is_plain else ""


def _variable(name: str, what: str) -> str:
    """A variable that the reader has to set, with the message of the shell if it is not set."""
    words = re.sub(r"[^\w ,./-]", "", what, flags=re.ASCII)
    return f'"${{{name}:?set {name} to {words}}}"'


def _options(command: Sequence[str]) -> list[str]:
    """The options of the first run that a repetition takes too."""
    words, kept = iter(command[4:]), []
    for word in words:
        if word in _VALUED:
            next(words, None)
        else:
            kept.append(word)
    return kept


def _remark(text: str) -> str:
    """Return a command that does nothing: a shell such as zsh reads no comments where a block is pasted."""
    return f": {shlex.quote(one_line(text))}"


def _here_document(name: str, text: str) -> list[str]:
    end = "END"
    while end in text.splitlines():
        end += "_"
    return [f"cat > {shlex.quote(name)} <<'{end}'", text.removesuffix("\n"), end]
