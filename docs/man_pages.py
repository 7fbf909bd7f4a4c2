"""Write a man page for each command, from the text of its help: python docs/man_pages.py FOLDER.

A wheel is built by it too, where of all packages only click is installed.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click


def pages(command: click.Command, parent: click.Context | None, name: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of the page of a command, and of those below it."""
    with click.Context(command, parent, info_name=name) as ctx:
        yield ctx.command_path.replace(" ", "-"), page(command, ctx)
        if isinstance(command, click.Group):
            for word in command.list_commands(ctx):
                found = command.get_command(ctx, word)
                if found is not None:
                    yield from pages(found, ctx, word)


def page(command: click.Command, ctx: click.Context) -> str:
    """Return the text of a page: name, synopsis, description, options and examples."""
    from crosslit import __version__

    title = ctx.command_path.replace(" ", "-")
    usage = " ".join(command.collect_usage_pieces(ctx))
    lines = [f'.TH "{title.upper()}" 1 "" "crosslit {__version__}"', ".SH NAME"]
    lines += [escape(f"{title} - {command.get_short_help_str(200)}"), ".SH SYNOPSIS"]
    lines += [f".B {escape(ctx.command_path)}", escape(usage), ".SH DESCRIPTION"]
    for paragraph in (command.help or "").split("\n\n"):
        lines += [escape(" ".join(paragraph.split())), ".PP"]
    options = [record for found in command.get_params(ctx) if (record := found.get_help_record(ctx))]
    lines.append(".SH OPTIONS")
    for names, text in options:
        lines += [".TP", f".B {escape(names)}", escape(text)]
    if isinstance(command, click.Group):
        lines.append(".SH COMMANDS")
        for word in command.list_commands(ctx):
            found = command.get_command(ctx, word)
            lines += [
                ".TP",
                f".BR {escape(title)}\\-{escape(word)} (1)",
                escape(found.get_short_help_str(200) if found else ""),
            ]
    lines.append(".SH EXAMPLES")
    for example in getattr(command, "examples", ()):
        lines += [".nf", escape(example), ".fi"]
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    """Return text in which troff sees no command, no escape and no dash that is not the one of an option."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in text.split("\n"))


def main(folder: Path) -> None:
    """Write all pages to a folder."""
    checkout = Path(__file__).parents[1]
    described = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))
    sys.path[:0] = [str(checkout / place) for place in described["tool"]["hatch"]["build"]["dev-mode-dirs"]]
    from crosslit.cli.group import root

    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages(root, None, "crosslit"):
        (folder / f"{name}.1").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python docs/man_pages.py FOLDER")
    main(Path(sys.argv[1]))
