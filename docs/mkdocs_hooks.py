"""Hooks of MkDocs: files outside of ``docs/`` that pages link to, examples of commands, and the tables of JSON."""

from __future__ import annotations

import inspect
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crosslit.cli.group import root
from crosslit.judging.verdict import PROBLEMS

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
JOBS = ("how-to/", "i-want-to.md", "tutorials/")
"""The pages that a search prefers."""
_HEAD = ("schema", "crosslit", "task")
PAGES = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "RELEASING.md")
_LINK = re.compile(r"(?<=\]\()([^)#:]+)(?=[)#])")
_CODE = re.compile(r"`[^`\n]+`")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add pages to the last tab, and the examples of each command to its help, of which mkdocs-click makes a page."""
    docs = Path(config.docs_dir)
    reports = sorted(page.relative_to(docs).as_posix() for page in (docs / "reports").rglob("*.md"))
    config.nav[-1]["Background"].append({"Reports": reports})
    for command in _commands(root):
        examples = "".join(f"    {line}\n" for line in getattr(command, "examples", ()))
        if examples:
            command.help = f"{inspect.cleandoc(command.help or '')}\n\nExamples:\n\n{examples}"
            command.examples = ()  # type: ignore[attr-defined]  # a second build in one process adds nothing
    return config


def _commands(command: click.Command) -> Iterator[click.Command]:
    yield command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None:
                below.name = name  # that of its function, if nothing else was said
                command.commands[name] = below  # imported only when it is asked for
                yield from _commands(below)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the project's first folder, and every example that a page links to."""
    from mkdocs.structure.files import File

    sources = [Path(config.docs_dir, file.src_uri) for file in files.documentation_pages()]
    linked = {path for source in [*sources, *(ROOT / name for name in PAGES)] for path in _outside(source)}
    for path in linked | set(PAGES):
        files.append(File.generated(config, _place(path), abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, **_: Any) -> str:
    """Return the page with its links to files outside of ``docs/`` turned to their places on the site.

    The page of JSON gets its tables: the problems with their meanings, and the keys of each object.

    In tables, GitHub needs a backslash before ``|`` in code, which Python-Markdown would show.
    """
    uri = page.file.src_uri
    if uri.startswith(JOBS):
        page.meta["search"] = {"boost": 3}
    source = ROOT / uri.removeprefix("project/") if uri.startswith("project/") else Path(config.docs_dir, uri)
    folder = Path(uri).parent

    def turned(link: re.Match[str]) -> str:
        target = (source.parent / link[1]).resolve()
        if not target.is_relative_to(ROOT):
            return link[1]
        return os.path.relpath(_place(target.relative_to(ROOT).as_posix()), folder)

    if uri == "reference/json.md":
        meanings = [f"| `{problem}` | {meaning} |" for problem, meaning in PROBLEMS.items()]
        markdown = markdown.replace(
            "::: crosslit problems", "\n".join(["| problem | meaning |", "|---|---|", *meanings])
        )
        markdown = markdown.replace("::: crosslit keys", "\n".join(["| object | keys |", "|---|---|", *_keys()]))
    return _CODE.sub(lambda code: code[0].replace("\\|", "|"), _LINK.sub(turned, markdown))


def _keys() -> Iterator[str]:
    """Yield a row of a table for each object of the JSON Schema."""
    definitions = json.loads((ROOT / "docs" / "reference" / "json.schema.json").read_text(encoding="utf-8"))["$defs"]
    for name, definition in definitions.items():
        fields = {key: of for key, of in definition.get("properties", {}).items() if key not in _HEAD}
        needed = definition.get("required", ())
        keys = (f"`{key}`{'' if key in needed else '?'} {_type(of)}" for key, of in fields.items())
        yield f"| {name} | {', '.join(keys) or _type(definition)} |"


def _type(of: dict[str, Any]) -> str:
    if "anyOf" in of:
        return " or ".join(map(_type, of["anyOf"]))
    if "items" in of:
        return f"list of {_type(of['items'])}"
    if "additionalProperties" in of:
        return f"object of {_type(of['additionalProperties'])}"
    if "enum" in of:
        return " ".join(f"`{word}`" for word in of["enum"])
    return str(of.get("type") or of.get("$ref", "anything").rpartition("/")[2])


def _outside(source: Path) -> Iterator[str]:
    """Yield the files outside of ``docs/`` to which a page links, from the folder of the project."""
    for link in _LINK.finditer(source.read_text(encoding="utf-8")):
        target = (source.parent / link[1]).resolve()
        if target.is_file() and target.is_relative_to(ROOT) and not target.is_relative_to(ROOT / "docs"):
            yield target.relative_to(ROOT).as_posix()


def _place(path: str) -> str:
    """Return the place on the site of a file of the project."""
    return path.removeprefix("docs/") if path.startswith("docs/") else f"project/{path}"
