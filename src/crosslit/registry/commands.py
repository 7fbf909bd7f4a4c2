"""Solver commands of a user, from the command line or a file ``crosslit.toml``."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import sys
from collections.abc import Collection, Container, Iterable
from pathlib import Path
from typing import Any

from crosslit.base.errors import InputError, SpecError, wrong_type
from crosslit.base.files import read_toml
from crosslit.base.numbers import did_you_mean, one_line
from crosslit.contract import MakesCommands, registered
from crosslit.formats import file_of

FILE = "crosslit.toml"
COMMAND = "command"  # the group of all backends that are commands
LISTED = frozenset({COMMAND})  # without `default`: neither `all` nor a wildcard selects it
OWN = frozenset({COMMAND, "default"})
BY_NAME_ALONE: frozenset[str] = frozenset()
COMMANDS = "crosslit.commands"
_OPTION = "--solver"


def define(name: str, command: str, origin: str, folder: str = "", groups: frozenset[str] = LISTED) -> None:
    """Define a command as a backend in this process and in the processes of its runs.

    It replaces an earlier definition of the name, or a command that Crosslit knows. ``origin`` is the place of the
    definition, for messages; a relative path in the command starts from ``folder``, by default the working directory.
    Without any groups of specs, only its name selects it.
    """
    if not registered.NAME.fullmatch(name):
        raise SpecError(f"{origin}: solver {name!r}: a name is lower case, digits and - only")
    # A definition may replace an earlier one and a known command, such as another build of `kissat`, but never an
    # engine of Crosslit: results under its name would be taken for that engine's.
    known = registered.all_backends()
    existing = known.get(name)
    if existing is not None and registered.defined(name) is None and COMMAND not in existing.groups:
        raise SpecError(f"{origin}: solver {name}: there is a backend of that name")
    if name in registered.all_groups(known):
        raise SpecError(f"{origin}: solver {name}: that is the name of a group")
    maker, lost = _find_maker(command)
    if maker is None:
        raise SpecError(f"{origin}: no plugin makes a backend of such a command{lost}")
    try:
        registered.add(maker(name, command, folder or os.getcwd(), groups))  # noqa: PTH109
    except SpecError as error:
        raise SpecError(f"{origin}: {error}") from None


def _find_maker(text: str) -> tuple[MakesCommands | None, str]:
    """Return the function that makes a backend from a command, and why some such functions cannot be loaded.

    It is registered under the placeholder in the command: ``cnf`` if there is none, ``json`` for a table.
    """
    makers: dict[str, MakesCommands] = {}
    for point, maker in registered.load(COMMANDS):
        makers.setdefault(point.name, maker)  # Crosslit's own come first
    name = "json" if text.startswith("{") else next((name for name in makers if f"{{{name}}}" in text), "cnf")
    return makers.get(name), registered.reasons(COMMANDS)


def define_all(options: Iterable[str] = (), puzzles: Iterable[str] = (), specs: str = "") -> None:
    """Define the solvers of the command line and of files in the working directory and the puzzles' folders.

    The command line has priority over the working directory, and that over a folder of puzzles. A solver from a file
    must be named explicitly, so that solving somebody's puzzles with ``all`` does not run somebody's commands; the
    group ``command`` selects those of the working directory too. The files of the selected ones are named on standard
    error. No file can redefine a name that Crosslit knows, such as ``kissat``; see `listed`.
    """
    split = [(option, *option.partition("=")) for option in options]
    requested = {re.split("[/:]", spec.strip())[0] for spec in specs.split(",")} - {name for _, name, _, _ in split}
    here = Path.cwd()
    # Resolved, so that two spellings of one folder are not taken for two definitions.
    paths = (Path(file).resolve() for file in map(file_of, puzzles) if os.path.exists(file))
    folders = {path if path.is_dir() else path.parent: None for path in paths}
    beside: dict[str, tuple[str, Path]] = {}
    # From the weakest definition to the strongest, because each replaces the one before.
    for folder in folders:
        if folder == here.resolve():
            continue
        for name, command in listed(folder / FILE, requested).items():
            # The folder belongs to the definition: an equal relative command in two folders runs two programs.
            if name in beside and beside[name] != (command, folder):
                raise SpecError(f"{folder / FILE}: solver {name}: another one is in {beside[name][1] / FILE}")
            beside[name] = command, folder
            define(name, command, str(folder / FILE), str(folder), BY_NAME_ALONE)
    own = listed(here / FILE, requested)
    for name, command in own.items():
        define(name, command, FILE)
    overridden = {name for _, name, _, _ in split}
    chosen = own.keys() if COMMAND in requested else own.keys() & requested
    announce(FILE, chosen - overridden)
    for folder in folders:
        names = {name for name in beside.keys() & requested if beside[name][1] == folder}
        announce(str(folder / FILE), names - own.keys() - overridden)
    named = set()
    for option, name, equals, command in split:
        if not equals:
            raise SpecError(f"{_OPTION} {option!r}: expected NAME=COMMAND, as in 'mine=./solver {{cnf}}'")
        if name in named:
            raise SpecError(f"{_OPTION}: two solvers are called {name}")
        named.add(name)
        define(name, command, _OPTION, groups=OWN)


def require_selected(options: Iterable[str], specs: str) -> None:
    """Refuse a solver of the command line that no spec selects: without a word, it would not run."""
    engines = [re.split("[/:]", spec.strip())[0] for spec in specs.split(",")]
    for name in (definition.partition("=")[0] for definition in options):
        if not any(engine in OWN | {"all"} or fnmatch.fnmatchcase(name, engine) for engine in engines):
            raise SpecError(f"{_OPTION} {name}: nothing would run it, as no backend of the command names it")


def define_named(name: str) -> bool:
    """Define a solver of the file in the working directory; return whether there is one of this name."""
    command = listed(Path(FILE), {name}).get(name)
    if command is not None:
        define(name, command, FILE)
        announce(FILE, {name})
    return command is not None


def announce(path: str, names: Collection[str]) -> None:
    """Name on standard error a file, perhaps another person's, whose commands run."""
    if names and sys.stderr is not None:
        sys.stderr.write(f"crosslit: {one_line(path)}: runs its {'commands' if len(names) > 1 else 'command'} ")
        sys.stderr.write(f"{', '.join(sorted(names))}\n")


def listed(path: Path, requested: Container[str] = ()) -> dict[str, str]:
    """Read the tables ``[solvers]`` and ``[programs.NAME]`` of a file; tables of other names are ignored.

    Names of commands that Crosslit knows, such as ``kissat``, are skipped: users expect that solver, and the file may
    have come with somebody's puzzles. Such a definition is an error only if its name is requested.
    """
    if not path.is_file():
        return {}
    content = read_toml(path)
    for table in content.keys() - {"solvers", "programs"}:
        if hint := did_you_mean(table, ("solvers", "programs")):
            raise InputError(str(path), f"expected [solvers] or [programs.NAME], found [{table}]; {hint}")
    solvers, described = content.get("solvers", {}), content.get("programs", {})
    if not (isinstance(solvers, dict) and all(isinstance(command, str) for command in solvers.values())):
        raise InputError(str(path), 'expected NAME = "COMMAND {cnf}" under [solvers]')
    if not (isinstance(described, dict) and all(isinstance(table, dict) for table in described.values())):
        raise InputError(str(path), 'expected tables such as [programs.mine] with command = "./solver {file}"')
    if twice := solvers.keys() & described.keys():
        raise InputError(str(path), f"expected one definition of {min(twice)}, found a solver and a program")
    # A program is one text too, which campaigns store and workers receive like any command.
    solvers = solvers | {name: json.dumps(table, default=str) for name, table in described.items()}
    commands = {name for name, backend in registered.all_backends().items() if COMMAND in backend.groups}
    known = {name for name in solvers.keys() & commands if registered.defined(name) is None}
    # Sorted, so that the message does not depend on the order of a set.
    for name in sorted(filter(requested.__contains__, known)):
        advice = f"choose another name, or give {_OPTION} {name}=COMMAND"
        raise SpecError(f"{path}: solver {name}: a file cannot define a command that Crosslit knows; {advice}")
    return {name: command for name, command in solvers.items() if name not in known}


def add_solver(name: str, command: str, **options: Any) -> None:
    """Register a command as a backend in this process, in the groups ``command`` and ``default``.

    Args:
        name: the name in a spec: lower case, digits and ``-``.
        command: the command as in a shell (no shell is started): ``{cnf}`` stands for the file that it reads (without
            it, it reads standard input), ``{out}`` for the file of its answer, if that is not standard output;
            ``{file}`` stands for a file with the puzzle.
        **options: of a program that reads puzzles: its description as in ``crosslit.toml``, such as ``cells=".X"``.

    Raises:
        SpecError: if the name is invalid or belongs to another backend, or the text is not a command.
        TypeError: if the command is not text.

    See Also:
        backends: the registered backends.
        compare: runs backends and cross-checks their claims.

    Examples:
        >>> add_solver("mine", "./my-solver --quiet {cnf}")
        >>> sorted(registered.all_backends()["mine"].groups)
        ['command', 'default']
        >>> registered.forget("mine")
    """
    if not isinstance(command, str):
        raise wrong_type("a command such as './my-solver {cnf}'", command)
    define(name, json.dumps({"command": command, **options}) if options else command, "add_solver", groups=OWN)
