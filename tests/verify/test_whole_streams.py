"""The complete sequences of puzzles, as stored in ``streams.txt``."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from crosslit_generate import cases
from crosslit_verify import Settings
from crosslit_verify.cases import probes, stream

from crosslit import load
from tests.stored import check

HERE = Path(__file__).parent


def digest(*parts: object) -> str:
    """Eight digits that stand for what is too long to be stored."""
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:8]


SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("lights-out", {}),
    ("lights-out", {"seed": 1}),
    ("lights-out", {"size": "3..5,NxN", "only": "solvable"}),
    ("lights-out", {"only": "unsolvable"}),
    ("lights-out", {"size": "..1"}),
    ("modular-lights-out", {}),
    ("nonogram", {}),
    ("nonogram", {"only": "valid", "size": "1..3"}),
    ("nonogram", {"only": "unique", "size": "NxN"}),
    ("nonogram", {"size": "10", "only": "solvable"}),
    ("nonogram", {"size": "12..18", "seed": 7}),
    ("coloured-nonogram", {}),
    ("lights-out", {"like": "press=king/wrap=torus/1_"}),
    ("modular-lights-out", {"like": "modular-lights-out:3/edges=1-2,2-3/012"}),
    ("coloured-nonogram", {"only": "unsolvable", "size": "..2"}),
]


def solutions_of(case: Any) -> list[str] | None:
    """The solutions of a case in a fixed order, if they are known."""
    return None if case.solutions is None else sorted(grid.text for grid in case.solutions)


@pytest.mark.parametrize(("kind", "given"), SETTINGS)
def test_settings_mean_the_same_puzzles_for_ever(kind: str, given: dict[str, Any]) -> None:
    like = {"like": load(given["like"])} if "like" in given else {}
    settings = Settings(kind, **given | like)
    found = list(itertools.islice(stream(settings), 40))
    lines = [
        f"{settings.members}, up to {settings.longest}, {len(settings.allowed_shapes)} shapes",
        f"probes: {' '.join(puzzle.text for puzzle in probes(settings)[:4])}",
    ]
    families = Counter(case.family for case in found)
    lines += [", ".join(f"{name} {number}" for name, number in families.items())]
    lines += [f"{case.family}: {case.puzzle.text[:80]}" for case in found[2:6]]
    lines.append(digest(*((case.family, case.puzzle.text, case.last, solutions_of(case)) for case in found)))
    check(HERE / "streams.txt", f"{kind} {given}", "\n".join(lines))


RANDOM: list[tuple[str, dict[str, Any]]] = [
    (kind, given)
    for kind in ("lights-out", "modular-lights-out", "nonogram", "coloured-nonogram")
    for given in (
        {},
        {"square": True, "seed": 2},
        {"max_size": 3},
        {"shapes": [(2, 4), (4, 3)], "only": "solvable"},
        {"most_solutions": 1},
        {"max_size": 4, "only": "unique"},
    )
]


@pytest.mark.parametrize(("kind", "given"), RANDOM)
def test_random_puzzles_are_the_same_for_ever(kind: str, given: dict[str, Any]) -> None:
    found = list(itertools.islice(cases(kind, exhaustive=False, **given), 40))
    families = Counter(case.family for case in found)
    words = ", ".join(f"{name} {number}" for name, number in families.items())
    shapes = Counter(f"{case.puzzle.rows}x{case.puzzle.columns}" for case in found)
    text = f"{words}\n{dict(shapes.most_common(8))}\n{digest(*(case.puzzle.text for case in found))}"
    check(HERE / "streams.txt", f"random {kind} {given}", text)
