"""A block of shell commands that repeats a campaign in an empty folder and compares the results."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile

from crosslit.formats import lines
from crosslit.numbers import one_line
from crosslit_bench.plan.campaign import Instance
from crosslit_bench.plan.toml_text import toml_text
from crosslit_bench.provenance.software import Component, Software, public_address
from crosslit_bench.results.audit import expectations
from crosslit_bench.results.judged import Results
from crosslit_bench.store.about import About

EXPECTED = "expected.txt"
# options with a value that a repetition omits
_VALUED = ("--store", "--shard", "--dask", "--workers", "--keep-output")
_EXPECTATION = ("expected", "expected_by")  # facts of a puzzle
_REPLACED = ("family", "files", "format", "expected", "source")  # keys of a table [[puzzles]]
_DIGITS = 12  # shown digits of a hash
_PIP = "venv/bin/python -m pip install --quiet --disable-pip-version-check"


def reproduction(results: Results) -> str:
    """Return commands that install the software, write the campaign's files, run it, and compare plan and verdicts.

    The block contains everything except the code of Crosslit, plugins and commands, which it identifies by a commit, a
    version or at least a hash. If the origin of some code is unknown, the reader has to set a variable.
    """
    about = results.about
    name = re.sub(r"[^\w.-]+", "-", about.name, flags=re.ASCII).lstrip("-.") or "campaign"
    pythons = sorted({row.circumstances.python for row in results.rows})
    files = {**campaign_files(f"{name}.toml", about, [one.instance for one in results.judged])}
    files[EXPECTED] = "".join(f"{line}\n" for line in expectations(results))
    parts = [
        _remark(f"Repeats the campaign {about.title or about.name}: paste it into a shell in an empty folder."),
        _remark(f"It needs Python{' (originally ' + ', '.join(pythons) + ')' if pythons else ''} and a network."),
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
        _remark("If the original results are available, the times are compared too."),
        f"ORIGINAL=${{ORIGINAL:-{shlex.quote(f'{name}.sqlite')}}}",
        f'if [ -e "$ORIGINAL" ]; then {command} diff "$ORIGINAL" {again} || result=$?; fi',
        'exit "$result"',
        ")",
    ]
    return "\n".join([*parts, ""])


def campaign_files(name: str, about: About, instances: Sequence[Instance]) -> dict[str, str]:
    """Return the files of a campaign by name, complete, so that it needs no other file.

    Puzzles from files become packs in the order of the campaign. The campaign's text changes only for these, for
    commands from a ``crosslit.toml``, and for absolute paths of commands in the campaign's folder.

    Args:
        name: name of the campaign's file.
        about: the campaign.
        instances: the puzzles, in order.
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
        # a pack for each verdict: patterns of file names in `expected` would match no puzzle of a pack
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
    """Yield lines about the files of commands, which the reader has to provide; those in its folder are checked."""
    for one in software.programs if software is not None else ():
        if one.name.startswith("./"):
            yield _remark(f"The command {one.backend} needs this file here:")
            yield f"echo {shlex.quote(f'{one.sha256}  {one.name}')} | sha256sum --check --quiet"
        else:
            yield _remark(f"The command {one.backend} uses {one.name}, sha256 {one.sha256}.")


def _installation(software: Software | None) -> list[str]:
    """Return the commands that fetch and install all code; those that may need a variable come first."""
    venv = '"${PYTHON:-python3}" -m venv venv'
    if software is None:
        what = "a folder with the sources of Crosslit, whose commit is not recorded"
        return [f"CROSSLIT={_variable('CROSSLIT', what)}", venv, f'{_PIP} "$CROSSLIT"']
    fetched: list[str] = []
    crosslit, *plugins = software.components
    pins = filter(None, (_pin(name, version) for name, version in software.libraries.items()))
    installed = [" ".join([_PIP, _source(crosslit, "Crosslit", "CROSSLIT", fetched), *pins])]
    for plugin in plugins:
        fetched.append(_remark(f"{plugin.name} {plugin.version} provides {', '.join(plugin.brings)}."))
        variable = f"PLUGIN_{re.sub(r'[^A-Z0-9]+', '_', plugin.name.upper())}"
        installed.append(f"{_PIP} {_source(plugin, 'this plugin', variable, fetched)}")
    return [*fetched, venv, *installed]


def _source(one: Component, called: str, variable: str, fetched: list[str]) -> str:
    """Return pip's argument for a component; commands that fetch it first are added to a list."""
    if re.fullmatch("[0-9a-f]+", one.commit):  # git could take another text for an option
        folder = shlex.quote(f"./{variable.lower()}")
        what = f"the address or folder of a Git repository of {called} with commit {one.commit[:_DIGITS]}"
        if one.is_modified:
            changed = f"The sources of {called} had uncommitted changes: their hash differs from the expected one."
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
    """Return the address to clone: the recorded origin, or else a variable that the reader sets."""
    origin = public_address(component.origin)
    return shlex.quote(origin) if origin else _variable(variable, what)


def _pin(name: str, version: str) -> str:
    """Return the requirement for pip; empty if it is malformed, as pip could take it for an option."""
    is_plain = re.fullmatch(r"[A-Za-z0-9][\w.-]*==\w[\w.+!-]*", f"{name}=={version}", re.ASCII) is not None
    return f"{name}=={version}" if is_plain else ""


def _variable(name: str, what: str) -> str:
    """Return a variable that the reader has to set, with an error message for the shell."""
    words = re.sub(r"[^\w ,./-]", "", what, flags=re.ASCII)
    return f'"${{{name}:?set {name} to {words}}}"'


def _options(command: Sequence[str]) -> list[str]:
    """Return the options of the original command that a repetition keeps."""
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
        # A line of the text that equals the end mark would end the document early, and run the rest as commands.
        end += "_"
    return [f"cat > {shlex.quote(name)} <<'{end}'", text.removesuffix("\n"), end]
