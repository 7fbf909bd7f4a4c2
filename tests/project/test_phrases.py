"""Phrases that must not occur in code, messages and documents, each with a better one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
import pytest

from benchmarks.words import comments, docstrings, messages
from tests.conftest import ROOT

PHRASES = {
    r"by chance": "random",
    r"(?<![-\w])alone\b": "only, single, by itself",
    r"\btold\b": "given, reported",
    r"\btells\b": "says, shows, reports",
    r"\bvouch": "guarantee, confirm",
    r"\bbeside\b": "next to, in addition to",
    r"\banew\b": "again; rebuilt, restarted",
    r"\bwhoever\b": "the process (caller, user) that",
    r"\bis due\b": "is expected",
    r"\bso many\b": "that many, a number of",
    r"\bof (?:its|their) own\b": "separate, own",
}
"""Regular expression and replacement, for all texts."""

PHRASES_IN_CODE = PHRASES | {
    r"\bfor people\b": "(leave it out)",
    r"\bif (?:it|that) is none\b": "if it is not a ...",
    r"\bstands? still\b": "does not change, is paused",
    r"\bin vain\b": "without success",
    r"\bunder way\b": "current",
    r"\bborne? out\b|\bbears? out\b": "confirm",
    r"\blaid to\b": "attributed to",
    r"\bat next to no cost\b": "cheap",
    r"\bgone through\b": "enumerated",
    r"\blooked at\b": "examined, checked",
    r"\bone after the other\b": "in sequence, concatenated",
    r"\bwhat is left\b": "the rest, the remaining ...",
    r"\bwhat there is\b": "(name it)",
    r"\bnone twice\b": "each once",
    r"\bunless forced\b": "unless ... is set",
    r"\bprobability of [\w ]+ to be\b": "probability that ... is",
    r"\b(?:maxi|mini)mum of (?:rows|columns)\b": "... number of rows and of columns",
    r"\bspecs? (?:does not )?means?\b": "select, name",
}
"""Further ones for docstrings, comments and messages."""

CLAUSE = re.compile(r"(?:What|How|Of|Nothing|That|Who|Whose)\b")
"""The first word of a docstring that is a clause where a noun or a verb belongs."""

SOURCES = [
    path
    for folder in ("src", "encoders", "backends", "verify", "bench", "generate", "play")
    for path in sorted((ROOT / folder).rglob("*.py"))
]


def every_text(source: str) -> Iterator[tuple[int, str]]:
    """The docstrings, comments and messages of a module, with their lines."""
    for part in (docstrings, comments, messages):
        yield from part(source)


def found_in(texts: Iterable[tuple[int, str]], phrases: dict[str, str]) -> list[str]:
    """The phrases in some texts: line, phrase and replacement."""
    return [
        f"{line}: {found[0]!r}: {better}"
        for line, text in ((line, " ".join(text.split())) for line, text in texts)
        for phrase, better in phrases.items()
        if (found := re.search(phrase, text))
    ]


def test_code_is_in_plain_english() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{found}"
        for path in SOURCES
        for found in found_in(every_text(path.read_text(encoding="utf-8")), PHRASES_IN_CODE)
    ]
    assert wrong == [], "\n".join(wrong)


def test_no_docstring_begins_with_a_clause() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {text[:40]}"
        for path in SOURCES
        for line, text in docstrings(path.read_text(encoding="utf-8"))
        if CLAUSE.match(text)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").rglob("*.md")), ids=lambda p: p.name
)
def test_a_document_is_in_plain_english(path: Path) -> None:
    prose = re.sub(r"```.*?```|`[^`\n]*`|\"[^\"]*\"", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert found_in([(1, prose)], PHRASES_IN_CODE) == []


def commands(group: click.Group, context: click.Context) -> Iterator[click.Command]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield command
        if isinstance(command, click.Group):
            yield from commands(command, context)


def test_help_is_in_plain_english() -> None:
    from crosslit.cli.group import root

    context = click.Context(root)
    texts = [(command.name, command.get_help(context)) for command in (root, *commands(root, context))]
    assert len(texts) > 25
    found = {name: found_in([(1, text)], PHRASES) for name, text in texts}
    assert {name: phrases for name, phrases in found.items() if phrases} == {}
