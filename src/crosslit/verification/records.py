"""What a verification finds and covers, in words and as JSON."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from crosslit.drawing import ASCII, Style, draw
from crosslit.puzzles import Puzzle, all_kinds
from crosslit.verification.answers import CLAIMS, FEWEST, Answer, Claims
from crosslit.verification.judging import PROBLEMS, Problem, Reply, right_words, words
from crosslit.verification.reference import Truth

Shape = tuple[int, int]
_LONG = 400  # characters of a puzzle that are printed
_PICTURE = 40  # columns that are drawn
MAX_SIZE = 40
"""Rows and columns of puzzles that the command line asks for."""

ONLY = ("solvable", "unique", "unsolvable")
"""To what puzzles may be narrowed."""


@dataclass(frozen=True)
class Settings:
    """What is verified, and on which puzzles.

    Args:
        kind: of the puzzles, such as ``lights-out``.
        claims: what the solver promises.
        seed: of everything random.
        square: only puzzles of as many rows as columns.
        only: ``solvable``, ``unique`` or ``unsolvable`` ones alone; None for all.
        max_size: rows and columns at most; None for the source's own.
        cases: how many puzzles at most; None for no such end.
        seconds: of wall time at most; None for no such end.
        keep_going: whether to go on after a failure, for one example of each group.
    """

    kind: str
    claims: Claims = "one"
    seed: int = 0
    square: bool = False
    only: str | None = None
    max_size: int | None = None
    cases: int | None = None
    seconds: float | None = None
    keep_going: bool = False

    def __post_init__(self) -> None:
        kinds = all_kinds()
        if self.kind not in kinds:
            raise ValueError(f"kind is one of {', '.join(kinds)}, not {self.kind!r:.40}")
        if self.claims not in CLAIMS:
            raise ValueError(f"claims is one of {', '.join(CLAIMS)}, not {self.claims!r:.40}")
        if self.claims == FEWEST and FEWEST not in kinds[self.kind].questions:
            raise ValueError("the fewest presses are asked of lights-out boards alone")
        if self.only not in (None, *ONLY):
            raise ValueError(f"only is one of {', '.join(ONLY)}, not {self.only!r:.40}")
        for name, value in (("cases", self.cases), ("seconds", self.seconds), ("max_size", self.max_size)):
            if value is not None and not value > 0:
                raise ValueError(f"{name} is a positive number, not {value}")

    @property
    def members(self) -> str:
        """The puzzles of the kind in words."""
        return f"{all_kinds()[self.kind].member}s"

    @property
    def puzzles(self) -> str:
        """The puzzles in words."""
        parts = [self.only or "", "square" if self.square else "", self.members]
        return " ".join(filter(None, parts))


@dataclass(frozen=True)
class Failure:
    """A puzzle on which the solver fails, as small as it could be made.

    Args:
        problem: what is wrong.
        puzzle: the smallest on which it was seen.
        reply: what the solver said of it.
        truth: what is true of it; None where that is out of reach.
        original: the puzzle on which it was seen first.
        case: the number of that one, from 1; 0 for one of a replay file.
        asked: how many cases had been asked when it was seen first.
        family: where it came from.
        minimal: whether every reduction of the puzzle passes.
        tried: how many smaller puzzles were tried.
        again: whether it was seen again when the puzzle was asked again.
        claims: what the solver promises.
    """

    problem: Problem
    puzzle: Puzzle
    reply: Reply
    truth: Truth | None
    original: Puzzle
    case: int
    asked: int
    family: str
    minimal: bool
    tried: int
    again: bool
    claims: Claims

    @property
    def right(self) -> str:
        """A right answer in one line."""
        return "unknown" if self.truth is None else right_words(self.claims, self.truth)

    def text(self, style: Style = ASCII) -> str:
        """The failure for people: the puzzle on one line, the answer beside the right one, and a picture."""
        lines = [
            f"{self.problem.group}: {PROBLEMS[self.problem.group]}",
            f"  puzzle   {_cut(self.puzzle.text)}",
            f"  answer   {words(self.reply)}",
            f"  right    {self.right}",
            f"  because  {self.problem.detail}",
            "",
            *(f"    {line}".rstrip() for line in self._pictures(style)),
            "",
        ]
        if self.case:
            lines.append(f"  found on case {self.case:,} ({self.family}); {self._shrinking}")
        return "\n".join(lines).rstrip()

    @property
    def _shrinking(self) -> str:
        if not self.again:
            return f"it did not fail when asked again: --cases {self.asked} and the same seed ask all before it too"
        if self.minimal:
            return f"no reduction of it fails ({self.tried} smaller puzzles tried)"
        return f"shrunk as far as the time went ({self.tried} smaller puzzles tried)"

    def _pictures(self, style: Style) -> list[str]:
        """The puzzle, the answer and a right answer, side by side."""
        if self.puzzle.columns > _PICTURE or self.puzzle.rows > _PICTURE:
            return [f"({self.puzzle.rows} x {self.puzzle.columns}: too large to draw)"]
        pictures = [("puzzle", draw(self.puzzle, None, style))]
        given = next(iter(self.reply.solutions), None) if isinstance(self.reply, Answer) else None
        if given is not None and (given.rows, given.columns) == (self.puzzle.rows, self.puzzle.columns):
            pictures.append(("answer", draw(self.puzzle, given, style)))
        if self.truth is not None and self.truth.solutions:
            solutions = sorted(self.truth.solutions, key=lambda grid: grid.text())
            if self.claims == FEWEST:
                solutions.sort(key=lambda grid: grid.count())
            given_ones = frozenset(self.reply.solutions if isinstance(self.reply, Answer) else ())
            new = [grid for grid in solutions if grid not in given_ones]
            pictures.append(("right", draw(self.puzzle, (new or solutions)[0], style)))
        return _beside([[name, *picture.split("\n")] for name, picture in pictures])

    def json(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "problem": self.problem.group,
            "detail": self.problem.detail,
            "puzzle": self.puzzle.text,
            "answer": words(self.reply),
            "right": self.right,
            "original": self.original.text,
            "case": self.case,
            "asked": self.asked,
            "family": self.family,
            "minimal": self.minimal,
            "tried": self.tried,
            "again": self.again,
        }


@dataclass
class Coverage:
    """What was asked, and what not.

    Args:
        exhausted: the families of which every puzzle was asked, and how many these were.
        begun: the family that was being gone through when it ended, and how many of it were asked.
        random: the puzzles from families, judged, by family.
        sizes: the puzzles asked, by shape.
        skipped: the puzzles that were not judged, by the reason.
        again: how many were asked again.
        related: how many relations between puzzles were checked.
    """

    exhausted: dict[str, int] = field(default_factory=dict)
    begun: Counter[str] = field(default_factory=Counter)
    random: Counter[str] = field(default_factory=Counter)
    sizes: Counter[Shape] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    again: int = 0
    related: int = 0

    @property
    def cases(self) -> int:
        """Puzzles asked."""
        return self.sizes.total()

    @property
    def judged(self) -> int:
        """Puzzles whose answers were judged."""
        return self.cases - self.skipped.total()

    @property
    def largest(self) -> Shape:
        """The largest shape asked, by its cells."""
        return max(self.sizes, key=lambda shape: (shape[0] * shape[1], shape), default=(0, 0))

    def json(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "cases": self.cases,
            "judged": self.judged,
            "exhausted": dict(self.exhausted),
            "begun": dict(self.begun),
            "random": dict(self.random),
            "skipped": dict(self.skipped),
            "largest": list(self.largest),
            "asked_again": self.again,
            "relations": self.related,
        }


@dataclass(frozen=True)
class Verification:
    """The end of a verification: true if it passed.

    Args:
        settings: what was verified.
        failures: one a group, in the order in which they were found.
        counts: how many puzzles failed, by group.
        coverage: what was asked.
        seconds: that it took, without shrinking.
        shares: seconds of it that went into ``solver`` and ``truth``.
        end: why it ended.
        interrupted: whether it was Ctrl-C.
        replayed: whether it was one puzzle of a replay file, and not what the settings say.
    """

    settings: Settings
    failures: tuple[Failure, ...]
    counts: Mapping[str, int]
    coverage: Coverage
    seconds: float
    shares: Mapping[str, float]
    end: str
    interrupted: bool = False
    replayed: bool = False

    @property
    def passed(self) -> bool:
        """Whether some answers were judged, and nothing is wrong with any."""
        return not self.failures and self.coverage.judged > 0

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        return f"<Verification {'passed' if self.passed else 'failed'}>\n{self.text()}"

    def raise_for_failure(self) -> None:
        """Do nothing if it passed.

        Raises:
            AssertionError: if it did not; its message is `text`.
        """
        if not self.passed:
            raise AssertionError(f"\n{self.text()}")

    def text(self, style: Style = ASCII) -> str:
        """The failures, and the summary."""
        return "\n\n".join([*(failure.text(style) for failure in self.failures), self.summary()])

    def summary(self) -> str:
        """What was covered, what was not, and how it ended."""
        return "\n".join(self._summary())

    def _summary(self) -> Iterator[str]:
        cover, settings = self.coverage, self.settings
        rate = f", {cover.cases / self.seconds:,.0f} a second" if self.seconds > 0 else ""
        word = "passed" if self.passed else "failed" if self.failures else "nothing judged"
        if self.replayed:
            yield f"{word}: the puzzle of the replay file, claims {settings.claims}; {self.end}"
            return
        puzzles = settings.puzzles if cover.cases != 1 else settings.puzzles.removesuffix("s")
        yield f"{word}: {cover.cases:,} {puzzles}, claims {settings.claims}{rate}; {self.end}"
        for group, number in self.counts.items():
            yield f"  {group}: {number:,} {'puzzle' if number == 1 else 'puzzles'}"
        if cover.exhausted:
            yield f"  exhausted: {'; '.join(_by_shape(cover.exhausted))}"
        for name, number in cover.begun.items():
            yield f"  begun: {name} ({number:,} of them)"
        total = cover.random.total()
        if total:
            families = ", ".join(f"{name} {number:,}" for name, number in cover.random.most_common())
            yield f"  random: {total:,} with seed {settings.seed} ({families})"
            if not self.failures:
                yield f"          none failed: a rate below {3 / total:.2g} (3/N) at 95% for that distribution"
        yield f"  asked again: {cover.again:,}; relations between puzzles: {cover.related:,}"
        for reason, number in cover.skipped.most_common():
            yield f"  skipped: {number:,}, {reason}"
        rows, columns = cover.largest
        yield f"  not covered: {self._uncovered(rows, columns)}"

    def _uncovered(self, rows: int, columns: int) -> str:
        missing = [f"{self.settings.members} of more than {rows * columns} cells" if rows else "everything"]
        if uncovered := all_kinds()[self.settings.kind].uncovered:
            missing.append(uncovered)
        if self.settings.square:
            missing.append("those that are not square")
        if self.settings.only is not None:
            missing.append(f"those that are not {self.settings.only}")
        if self.settings.claims == "one":
            missing.append("whether all solutions are found")
        return ", ".join(missing)

    def json(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "passed": self.passed,
            "interrupted": self.interrupted,
            "kind": self.settings.kind,
            "claims": self.settings.claims,
            "seed": self.settings.seed,
            "square": self.settings.square,
            "only": self.settings.only,
            "max_size": self.settings.max_size,
            "failures": [failure.json() for failure in self.failures],
            "counts": dict(self.counts),
            "coverage": self.coverage.json(),
            "seconds": self.seconds,
            "shares": dict(self.shares),
            "end": self.end,
        }


def _by_shape(families: Mapping[str, int]) -> Iterator[str]:
    """Families and their sizes, those that differ in nothing but their shape together.

    Examples:
        >>> list(_by_shape({"every 1 x 1 board": 2, "every 1 x 2 board": 4}))
        ['every board of 1x1 (2), 1x2 (4)']
    """
    grouped: dict[str, list[str]] = {}
    for name, number in families.items():
        shape = re.search(r" ?(\d+) x (\d+)", name)
        rest = name if shape is None else f"{name[: shape.start()]}{name[shape.end() :]}"
        word = "" if shape is None else f"{shape[1]}x{shape[2]} "
        grouped.setdefault(rest, []).append(f"{word}({number:,})")
    return (f"{name} of {', '.join(shapes)}" for name, shapes in grouped.items())


def _cut(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[: _LONG - 3]}... ({len(text)} characters)"


def _beside(blocks: list[list[str]]) -> list[str]:
    height = max(map(len, blocks))
    widths = [max(map(len, block)) + 3 for block in blocks]
    padded = [block + [""] * (height - len(block)) for block in blocks]
    return [
        "".join(f"{line:<{width}}" for line, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*padded, strict=True)
    ]
