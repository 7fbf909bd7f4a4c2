"""``crosslit backends``."""

from __future__ import annotations

import click

from crosslit.cli.options import json_option, solver_option

_WRAPPED = frozenset({"encodings", "groups", "about"})


@click.command()
@solver_option
@json_option
def command(solvers: tuple[str, ...], as_json: bool) -> None:
    """List every backend: version, puzzles, encodings, groups, options, and why one is unavailable."""
    from crosslit.cli import output
    from crosslit.registry import listing
    from crosslit.registry.commands import define_all

    define_all(solvers)
    listed = listing.backends()
    if as_json:
        for backend in listed:
            output.write_json(backend.json())
        return
    table = output.plain_table("backend", "version", "puzzles", "encodings", "groups", "about", wrapped=_WRAPPED)
    for backend in listed:
        about = "; ".join([backend.summary, *(f":{key}= {summary}" for key, summary in backend.options.items())])
        cells = [
            backend.name,
            backend.version or f"unavailable: {backend.unavailable}",
            "both" if len(backend.kinds) == 2 else ", ".join(backend.kinds),
            _shortened([*dict.fromkeys(name for _, name in backend.encodings)]),
            ", ".join(backend.groups),
            about,
        ]
        output.add_row(table, *cells)
    output.write_table(table)


def _shortened(encodings: list[str]) -> str:
    """Some of many names: `crosslit encode --list` has them all."""
    return ", ".join(encodings if len(encodings) <= 4 else [*encodings[:3], f"... ({len(encodings)})"])
