"""Verdicts that a campaign expects for its puzzles, for example from the literature."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from crosslit_bench.plan.campaign import Instance, Source
from crosslit_bench.plan.toml_tables import TomlTable, Value, text

ExpectedVerdict = Literal["unique", "multiple", "unsolvable"]
EXPECTED: tuple[ExpectedVerdict, ...] = get_args(ExpectedVerdict)
NOBODY = "the campaign"
"""The default source of expected verdicts."""

_FORM = '"unique", "multiple" or "unsolvable", or a table such as {"a.non" = "unique", "*" = "multiple"}'


class Expectation(NamedTuple):
    """The verdict that is expected for a puzzle, and its source."""

    verdict: ExpectedVerdict
    source: str


def expecting(table: TomlTable, puzzles: Source) -> Source:
    """Return a source of the same puzzles, with the verdicts that a table ``[[puzzles]]`` expects for them.

    Its key ``expected`` is a verdict, or a table of verdicts by pattern of file names; the first match counts.
    """
    words: dict[str, ExpectedVerdict] = table.take("expected", Value(_FORM, _verdicts), {})
    source = table.take("source", text(), NOBODY)
    if "source" in table and not words:
        raise table.error("`source` is the source of the verdicts in `expected`, which is missing", "source")
    if not words:
        return puzzles

    def instances() -> Iterator[Instance]:
        unused = dict.fromkeys(words)
        for instance in puzzles():
            found = _find(instance, words)
            if found is None:
                yield instance
                continue
            unused.pop(found, None)
            facts = {**instance.facts, "expected": words[found], "expected_by": source}
            yield dataclasses.replace(instance, facts=facts)
        for pattern in unused:
            raise table.error(f"`expected` matches no puzzle of its table: {pattern!r}", "expected")

    return instances


def expectation(instance: Instance) -> Expectation | None:
    """Return the verdict that is expected for a puzzle, if any."""
    verdict = instance.facts.get("expected")
    if verdict is None:
        return None
    if verdict not in EXPECTED:
        raise ValueError(f"expected a verdict, found {verdict!r:.40}")
    source = instance.facts.get("expected_by", NOBODY)
    if not isinstance(source, str):
        raise ValueError(f"expected the source of a verdict, found {source!r:.40}")
    return Expectation(verdict, source)


def _verdicts(value: Any) -> dict[str, ExpectedVerdict]:
    words: Mapping[str, Any] = value if isinstance(value, Mapping) else {"*": value}
    if not words or not set(map(str, words.values())) <= set(EXPECTED):
        raise ValueError
    return dict(words)


def _find(instance: Instance, patterns: Mapping[str, ExpectedVerdict]) -> str | None:
    """Return the first pattern that matches the file of a puzzle, by its path or name, or the puzzle's name."""
    path = str(instance.facts.get("file", instance.puzzle.name))
    names = (path, Path(path).name, instance.puzzle.name)
    return next((pattern for pattern in patterns if any(fnmatchcase(name, pattern) for name in names)), None)
