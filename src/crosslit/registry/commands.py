"""Solvers that a user brings: commands, named on the command line or in a file ``crosslit.toml``."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Container, Iterable
from pathlib import Path
from typing import Any

from crosslit.errors import InputError, SpecError
from crosslit.formats import file_of
from crosslit.formats.files import read_toml
from crosslit.registry import specs

FILE = "crosslit.toml"
COMMAND = "command"  # the group of all backends that are commands
LISTED = frozenset({COMMAND})
OWN = frozenset({COMMAND, "default"})
BY_NAME_ALONE: frozenset[str] = frozenset()
_OPTION = "--solver"


def define(name: str, command: str, origin: str, folder: str = "", groups: frozenset[str] = LISTED) -> None:
    """Let a command be a backend in this process, and in the processes of its runs.

    It takes the place of an earlier definition, and of a command that Crosslit knows by itself.

    Args:
        name: as in a spec.
        command: as in a shell, with ``{cnf}`` for the file that it reads; or a table of a program, in JSON.
        origin: where it is defined, for messages.
        folder: where a command that is a relative path begins; by default where Crosslit was started.
        groups: of specs that mean it, beside ``all``; without any, nothing but its name does.

    Raises:
        SpecError: if the name cannot be, or is another backend's; or if the command is none.
    """
    if not specs.is_name(name):
        raise SpecError(f"{origin}: solver {name!r}: a name is lower case, digits and - only")
    known = specs.all_backends()
    existing = known.get(name)
    found = existing is not None and specs.defined(name) is None
    if existing is not None and found and COMMAND not in existing.groups:
        raise SpecError(f"{origin}: solver {name}: there is a backend of that name")
    if name in specs.all_groups(known):
        raise SpecError(f"{origin}: solver {name}: that is the name of a group")
    maker, lost = specs.find_maker(command)
    if maker is None:
        raise SpecError(f"{origin}: nothing here makes a backend of a command{': ' if lost else ''}{lost}")
    try:
        specs.add(maker(name, command, folder or os.getcwd(), groups))  # noqa: PTH109
    except SpecError as error:
        raise SpecError(f"{origin}: {error}") from None


def define_all(options: Iterable[str] = (), puzzles: Iterable[str] = (), specs: str = "") -> None:
    """Define what the command line names and what the files say that lie beside puzzles and in the working directory.

    The command line wins over the working directory, and that over a folder of puzzles. What such a folder brings is
    meant by its name alone: who solves somebody's puzzles by ``all`` does not run somebody's commands. No file says
    what a name means that Crosslit knows, such as ``kissat``: see `listed`.

    Args:
        options: ``NAME=COMMAND``.
        puzzles: as given to commands: paths, or puzzles themselves.
        specs: the backends that are asked for.

    Raises:
        InputError: if a file cannot be read.
        SpecError: if a definition is wrong, two folders of puzzles differ in one, or a name is asked for that a file
            must not define.
    """
    split = [(option, *option.partition("=")) for option in options]
    asked = {re.split("[/:]", spec.strip())[0] for spec in specs.split(",")} - {name for _, name, _, _ in split}
    here = Path.cwd()
    files = (file_of(puzzle) for puzzle in puzzles)
    paths = (Path(file).resolve() for file in files if os.path.exists(file))
    folders = {path if path.is_dir() else path.parent: None for path in paths}
    beside: dict[str, tuple[str, Path]] = {}
    for folder in folders:
        if folder == here.resolve():
            continue
        for name, command in listed(folder / FILE, asked).items():
            if name in beside and beside[name] != (command, folder):
                raise SpecError(f"{folder / FILE}: solver {name}: another one is in {beside[name][1] / FILE}")
            beside[name] = command, folder
            define(name, command, str(folder / FILE), str(folder), BY_NAME_ALONE)
    for name, command in listed(here / FILE, asked).items():
        define(name, command, FILE)
    named = set()
    for option, name, equals, command in split:
        if not equals:
            raise SpecError(f"{_OPTION} {option!r}: expected NAME=COMMAND, as in 'mine=./solver {{cnf}}'")
        if name in named:
            raise SpecError(f"{_OPTION}: two solvers are called {name}")
        named.add(name)
        define(name, command, _OPTION, groups=OWN)


def listed(path: Path, asked: Container[str] = ()) -> dict[str, str]:
    """Read the tables ``[solvers]`` and ``[programs.NAME]`` of a file; other tables belong to others.

    A name of a command that Crosslit knows by itself, such as ``kissat``, is left out: such a name reads like that
    solver, and the file may have come with somebody's puzzles. It is an error only where that name is asked for.

    Args:
        path: of the file.
        asked: names of the backends that are asked for.

    Raises:
        InputError: if the file cannot be read, or that table is wrong.
        SpecError: if it defines a name that it must not, and that is asked for.
    """
    if not path.is_file():
        return {}
    content = read_toml(path)
    solvers, described = content.get("solvers", {}), content.get("programs", {})
    if not (isinstance(solvers, dict) and all(isinstance(command, str) for command in solvers.values())):
        raise InputError(str(path), 'expected NAME = "COMMAND {cnf}" under [solvers]')
    if not (isinstance(described, dict) and all(isinstance(table, dict) for table in described.values())):
        raise InputError(str(path), 'expected tables such as [programs.mine] with command = "./solver {file}"')
    if twice := solvers.keys() & described.keys():
        raise InputError(
            str(path), f"expected one definition of {min(twice)}, found one of a solver and one of a program"
        )
    solvers = solvers | {name: _described(path, name, table) for name, table in described.items()}
    known = {name for name in solvers if _is_known_command(name)}
    for name in sorted(known):
        if name in asked:
            advice = f"choose another name, or give {_OPTION} {name}=COMMAND"
            raise SpecError(f"{path}: solver {name}: a file cannot define a command that Crosslit knows; {advice}")
    return {name: command for name, command in solvers.items() if name not in known}


def _described(path: Path, name: str, table: dict[str, Any]) -> str:
    """The definition of a program as one text, which campaigns keep and workers receive like any other command."""
    from crosslit.programs.program import parse_table

    try:
        parse_table(table)
    except ValueError as error:
        raise InputError(f"{path}: [programs.{name}]", str(error)) from None
    return json.dumps(table)


def _is_known_command(name: str) -> bool:
    existing = specs.all_backends().get(name)
    return existing is not None and specs.defined(name) is None and COMMAND in existing.groups


def add_solver(name: str, command: str) -> None:
    """Let a command that reads DIMACS be a backend of this process, in the groups ``command`` and ``default``.

    Args:
        name: as in a spec.
        command: as in a shell, which is not involved: ``{cnf}`` stands for the file that it reads (without it, it reads
            standard input), ``{out}`` for one that it writes its answer to, where that is not standard output.

    Raises:
        SpecError: if the name cannot be, or is another backend's; or if the command is none.

    Examples:
        >>> add_solver("mine", "./my-solver --quiet {cnf}")
        >>> sorted(specs.all_backends()["mine"].groups)
        ['command', 'default']
        >>> specs.forget("mine")
    """
    define(name, command, "add_solver", groups=OWN)
