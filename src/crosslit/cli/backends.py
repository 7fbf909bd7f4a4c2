"""``crosslit backends``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from crosslit.cli import output
from crosslit.cli.help import example_command
from crosslit.cli.options import json_option, solver_option

if TYPE_CHECKING:
    from crosslit.registry.listing import BackendInfo


@example_command("crosslit backends", "crosslit backends glucose4 'cadical*'")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@solver_option
@json_option
def command(names: tuple[str, ...], as_json: bool) -> None:
    """List every backend; or show the version, encodings, groups and options of each NAME.

    A NAME may be a group or a wildcard: sat, 'cadical*'.
    """
    from crosslit.registry import listing

    listed = listing.backends(names)
    if as_json:
        for backend in listed:
            output.write_json(backend.json())
    elif names:
        output.write("\n\n".join("\n".join(_details(backend)) for backend in listed))
    else:
        _write_list(listed)


def _write_list(listed: list[BackendInfo]) -> None:
    """Print the backends that can run here, grouped if they differ only in name, then the names of the others."""
    from crosslit.base.table import Table
    from crosslit.registry import listing

    alike: dict[tuple[str, str, str], list[str]] = {}
    for backend in listed:
        if not backend.unavailable:
            default = "yes" if "default" in backend.groups else ""
            alike.setdefault((_kinds(backend), default, backend.summary), []).append(backend.name)
    table = Table("backend", "puzzles", "default", "about", prose={"backend", "puzzles", "about"})
    for cells, names in alike.items():
        table.add_row(", ".join(names), *cells)
    output.write_table(table)
    if note := listing.kernel_note({backend.name: backend.version for backend in listed}):
        for line in output.wrapped(note):
            output.write(line)
    missing = [backend.name for backend in listed if backend.unavailable]
    if missing:
        for line in output.wrapped(f"Cannot run here: {', '.join(missing)}."):
            output.write(line)
    for line in output.wrapped("`crosslit backends NAME` shows version, encodings and options, or why it cannot run."):
        output.write(line)


def _details(backend: BackendInfo) -> Iterator[str]:
    yield backend.name
    facts = {
        "about": backend.summary,
        "puzzles": _kinds(backend),
        "version": backend.version,
        "cannot run": backend.unavailable,
        "groups": ", ".join(backend.groups),
        "answers": ", ".join(backend.questions),
        "encodings": ", ".join(dict.fromkeys(name for _, name in backend.encodings)),
        "rests on": ", ".join([*backend.rests_on, *["its encoding"] * bool(backend.encodings)]),
        "abilities": ", ".join(backend.abilities or ()),
        **{f":{key}=": summary for key, summary in backend.options.items()},
    }
    width = max(12, *map(len, facts)) + 2
    for name, fact in facts.items():
        if fact:
            yield from output.wrapped(output.one_line(fact), f"  {name}".ljust(width + 2))


def _kinds(backend: BackendInfo) -> str:
    from crosslit.kinds.registry import all_kinds

    return "all" if {*backend.kinds} == {*all_kinds()} else ", ".join(backend.kinds)
