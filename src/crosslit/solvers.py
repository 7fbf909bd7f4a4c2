"""Solvers that a user brings: commands, named on the command line or in a file ``crosslit.toml``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from crosslit import asking, registry
from crosslit.contract import Backend
from crosslit.errors import InputError, SpecError
from crosslit.formats import file_of

FILE = "crosslit.toml"
COMMAND = "command"  # the group of all backends that are commands
LISTED = frozenset({COMMAND})
OWN = frozenset({COMMAND, "default"})
BY_NAME_ALONE: frozenset[str] = frozenset()
_OPTION = "--solver"


def define(name: str, command: str, origin: str, folder: str = "", groups: frozenset[str] = LISTED) -> None:
    """Let a command be a backend in this process, and in the processes of its runs.

    It takes the place of an earlier definition, and of a command that Crosslit has found by itself; only one that is
    meant by its name alone does not: who asks for a command that is installed gets that.

    Args:
        name: as in a spec.
        command: as in a shell, with ``{cnf}`` for the file that it reads.
        origin: where it is defined, for messages.
        folder: where a command that is a relative path begins; by default where Crosslit was started.
        groups: of specs that mean it, beside ``all``; without any, nothing but its name does.

    Raises:
        SpecError: if the name cannot be, or is another backend's; or if the command is none.
    """
    if not registry.is_name(name):
        raise SpecError(f"{origin}: solver {name!r}: a name is lower case, digits and - only")
    known = registry.all_backends()
    existing = known.get(name)
    found = existing is not None and registry.defined(name) is None
    if existing is not None and found and (COMMAND not in existing.groups or (not groups and _runs(existing))):
        raise SpecError(f"{origin}: solver {name}: there is a backend of that name")
    if name in registry.all_groups(known):
        raise SpecError(f"{origin}: solver {name}: that is the name of a group")
    makers, lost = registry.load_commands()
    if not makers:
        raise SpecError(f"{origin}: nothing here makes a backend of a command{': ' if lost else ''}{lost}")
    try:
        registry.add(makers[0](name, command, folder or os.getcwd(), groups))  # noqa: PTH109
    except SpecError as error:
        raise SpecError(f"{origin}: {error}") from None


def _runs(backend: Backend) -> bool:
    return not asking.version(backend).problem


def define_all(options: Iterable[str] = (), puzzles: Iterable[str] = ()) -> None:
    """Define what the command line names and what the files say that lie beside puzzles and in the working directory.

    The command line wins over the working directory, and that over a folder of puzzles. What such a folder brings is
    meant by its name alone: who solves somebody's puzzles by ``all`` does not run somebody's commands.

    Args:
        options: ``NAME=COMMAND``.
        puzzles: as given to commands: paths, or puzzles themselves.

    Raises:
        InputError: if a file cannot be read.
        SpecError: if a definition is wrong, or two folders of puzzles differ in one.
    """
    here = Path.cwd()
    files = (file_of(puzzle) for puzzle in puzzles)
    paths = (Path(file).resolve() for file in files if os.path.exists(file))
    folders = {path if path.is_dir() else path.parent: None for path in paths}
    beside: dict[str, tuple[str, Path]] = {}
    for folder in folders:
        if folder == here.resolve():
            continue
        for name, command in listed(folder / FILE).items():
            if name in beside and beside[name] != (command, folder):
                raise SpecError(f"{folder / FILE}: solver {name}: another one is in {beside[name][1] / FILE}")
            beside[name] = command, folder
            define(name, command, str(folder / FILE), str(folder), BY_NAME_ALONE)
    for name, command in listed(here / FILE).items():
        define(name, command, FILE)
    named = set()
    for option in options:
        name, equals, command = option.partition("=")
        if not equals:
            raise SpecError(f"{_OPTION} {option!r}: expected NAME=COMMAND, as in 'mine=./solver {{cnf}}'")
        if name in named:
            raise SpecError(f"{_OPTION}: two solvers are called {name}")
        named.add(name)
        define(name, command, _OPTION, groups=OWN)


def listed(path: Path) -> dict[str, str]:
    """The table ``[solvers]`` of a file, empty where there is none; other tables are none of ours.

    Raises:
        InputError: if the file cannot be read, or that table is wrong.
    """
    if not path.is_file():
        return {}
    import tomllib

    try:
        record = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(str(path), error.strerror or "cannot be read") from None
    except ValueError as error:  # of TOML or of UTF-8
        raise InputError(str(path), f"expected TOML: {error}") from None
    solvers = record.get("solvers", {})
    if not (isinstance(solvers, dict) and all(isinstance(command, str) for command in solvers.values())):
        raise InputError(str(path), 'expected NAME = "COMMAND {cnf}" under [solvers]')
    return solvers
