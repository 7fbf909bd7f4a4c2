"""Files with one slip of the hand: the puzzles that are read of each, or the message about it, are in ``slips.txt``."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from crosslit import InputError
from crosslit.base.text import shorten
from crosslit.contract.family import between, pick
from crosslit.formats import FORMATS, parse_all
from crosslit.kinds import NAMED, OWN, find_kind
from tests.conftest import random_nonogram
from tests.stored import check

from .test_reading import CERTAIN, GUESSED, SPELLINGS

SIGNS = "0123456789 ,|/#._xX-:=$()[]{}<>&;\"'abc\n\n\n\n\n"


def slips(rng: random.Random, text: str) -> Iterator[str]:
    """Texts that differ at one place: a sign, a word or a line is missing, double or another one, or the rest is."""
    for separator in ("", "\n"):
        parts = text.split(separator) if separator else [*text]
        at, other = between(rng, 0, len(parts) - 1), pick(rng, [pick(rng, SIGNS), pick(rng, parts)])
        changed = pick(rng, [[], [parts[at]] * 2, [other], [other, parts[at]]])
        yield separator.join([*parts[:at], *changed, *(parts[at + 1 :] if rng.random() < 0.9 else [])])


def outcome(text: str, origin: str, name: str | None) -> str:
    """The puzzles of a text, each with its title, or the message about it."""
    try:
        return "; ".join(f"{puzzle.text} {puzzle.name}".rstrip() for puzzle in parse_all(text.encode(), origin, name))
    except InputError as error:
        return re.sub("(JSON|XML): .*?(?=, column|$)", r"\1: ...", str(error))  # the words of a library


def written(rng: random.Random, name: str) -> Iterator[str]:
    """Some samples, and a larger nonogram, in a format."""
    samples = [sample for kind in (*OWN, *NAMED) for sample in find_kind(kind).samples()[::9]]
    for number, puzzle in enumerate([*samples, random_nonogram(rng, 25, 25)]):
        if puzzle.kind in (FORMATS[name].kinds or (*OWN, *NAMED)) and (name != "taai" or puzzle.rows == 25):
            yield FORMATS[name].write(puzzle.named(f"No. {number}"))


PICTURES = ["P1\n3 2\n101\n010", "P4 9 1 ab", "X X\n X\n", "#../.#."]


@pytest.mark.parametrize("name", [None, *FORMATS])
def test_a_slip_is_read_or_refused_as_it_always_was(name: str | None, capfd: pytest.CaptureFixture[str]) -> None:
    rng = random.Random(f"slips of {name}")
    texts = [*SPELLINGS.values(), *GUESSED, *CERTAIN] if name in (None, "lists") else PICTURES * 3
    texts = [*written(rng, name)] if name and FORMATS[name].writes else texts
    lines = [
        f"{shorten(repr(slip), 100)} -> {shorten(outcome(slip, 'slip', name), 200)}"
        for text in texts[::2]
        for slip in slips(rng, text)
        if slip.strip() not in ("", text.strip())
    ]
    check(Path(__file__).parent / "slips.txt", str(name), "\n".join(lines) + capfd.readouterr().err)
