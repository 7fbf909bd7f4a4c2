"""The failures and the coverage of a verification, as text, JSON and JUnit XML, and the corpus of failures."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from crosslit_backends.programs.protocol import Abstention, Claims, Reply, SolverAnswer
from crosslit_generate.cases import Case

from crosslit.base.files import write_bytes
from crosslit.base.records import Result
from crosslit.base.shapes import ASCII, Style
from crosslit.base.text import format_count, one_line, shorten
from crosslit.base.version import __version__
from crosslit.formats import in_folder, read_all
from crosslit.formats.drawing import draw_lines, style_of_output
from crosslit.judging.verdict import PROBLEMS
from crosslit.kinds import Puzzle, all_kinds
from crosslit_verify.cases import Settings
from crosslit_verify.judge import MAX_SHOWN, Problem, broken, format_reply, format_right, in_order
from crosslit_verify.reference import Reference

MAX_PUZZLE = 400  # characters of a puzzle that is printed in full
_MAX_DRAWN = 40  # rows and columns of a picture
_MIN_SAMPLE = 30  # random puzzles for a bound on the failure rate, which fewer do not narrow
MIN_JUDGED, MIN_SHARE = 50, 0.05  # of the puzzles that a verification drew itself without a number of cases
NOT_FOUND = "no such puzzle was found (--size, --only, --like)"
ADVICE = "send puzzles that it answers (--size, --like, a file, or a pipe of `crosslit generate`)"

# Quoted text and numbers are mostly parts of the puzzle, and differ between failures of one fault.
_VARYING = re.compile(
    r"""(?<!\w)(?:after writing )?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?:\.\.\. \(\d+ bytes\))?"""
    r"""|without an answer|0x[0-9a-f]+|\d+|[^\w'"]+"""
)

Cause = tuple[str, str]
"""The key of a fault, of which one example is shown: its group, and the solver's words without their numbers."""


def cause_of(problem: Problem) -> Cause:
    """Return the cause of a failure."""
    if problem.group in ("crash", "malformed-output"):  # the output of the solver shows the cause
        return problem.group, " ".join(_VARYING.sub(" ", problem.detail).split())
    # a fault of its own: it does not see that there is none
    return problem.group, "there is no solution" * problem.detail.startswith("there is no solution; ")


@dataclass(frozen=True, repr=False)
class Failure(Result):
    """A puzzle on which the solver fails, shrunk as far as possible."""

    problem: Problem
    puzzle: Puzzle  # the smallest on which it was seen
    reply: Reply  # of the solver to that puzzle
    reference: Reference | None  # None if it could not be computed
    original: Puzzle  # on which the failure was first seen
    case: int  # the number of that puzzle, from 1
    family: str  # of the original puzzle
    claims: Claims
    minimal: bool = False  # whether every reduction of the puzzle passes
    tried: int = 0  # number of smaller puzzles tried
    again: bool | None = None  # whether it recurred when the puzzle was sent again; None if there was no time for that

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "problem": self.problem.group,
            "detail": self.problem.detail,
            "puzzle": self.puzzle.json(),
            "answer": format_reply(self.reply),
            "right": self._right,
            "original": self.original.text,
            **{name: getattr(self, name) for name in ("case", "family", "minimal", "tried", "again")},
        }

    def render(self, style: Style = ASCII) -> str:
        """Return the failure as text."""
        lines = [f"{self.problem.group}: {PROBLEMS[self.problem.group]}"]
        lines += [f"  puzzle   {shorten(self.puzzle.text, MAX_PUZZLE)}", f"  answer   {format_reply(self.reply)}"]
        lines += [f"  right    {self._right}", f"  because  {self.problem.detail}", "", *self._pictures(style), ""]
        return "\n".join([*lines, f"  found on case {self.case:,} ({self.family}); {self._shrinking}"])

    @property
    def _right(self) -> str:
        return "unknown" if self.reference is None else format_right(self.claims, self.reference)

    @property
    def _shrinking(self) -> str:
        if self.again is None:
            return "the time ran out before it could be shrunk"
        if not self.again:
            return f"it did not fail when asked again; --cases {self.case} with the same seed repeats the run"
        how = "no reduction of it fails" if self.minimal else "shrunk until the time ran out"
        return f"{how} ({format_count(self.tried, 'smaller puzzle')} tried)"

    def _pictures(self, style: Style) -> list[str]:
        """Return the puzzle, the answer and a right answer side by side."""
        puzzle, grids = self.puzzle, self.reply.solutions if isinstance(self.reply, SolverAnswer) else ()
        if max(puzzle.rows, puzzle.columns) > _MAX_DRAWN:
            return [f"    ({puzzle.rows} x {puzzle.columns}: too large to draw)"]
        # The first wrong grid, if there is one, and a solution that the answer lacks: they show more than others.
        given = sorted(grids, key=lambda grid: not broken(puzzle, grid))[:1]
        known = self.reference.solutions if self.reference is not None else frozenset()
        others = in_order(self.claims, known.difference(grids) or known)
        shown = [("puzzle", None), *(("answer", grid) for grid in given if puzzle.layout.admits(grid))]
        shown += [("right", grid) for grid in others[:1]]
        blocks = [[name, *draw_lines(puzzle, grid, style)] for name, grid in shown]
        padded = [[f"{line:<{max(map(len, block)) + 3}}" for line in block] for block in blocks]
        return [f"    {''.join(line)}".rstrip() for line in itertools.zip_longest(*padded, fillvalue="")]


@dataclass
class FamilyCount:
    """The numbers of puzzles of a family."""

    exhaustive: bool  # whether it is enumerated completely
    sent: int = 0
    judged: int = 0
    ended: bool = False  # whether its last puzzle was sent

    @property
    def exhausted(self) -> bool:
        """True if every puzzle of the family was judged."""
        return self.exhaustive and self.ended and self.judged == self.sent


@dataclass(repr=False)
class Coverage(Result):
    """The puzzles that were sent to the solver; one that is sent, judged or fails repeatedly counts once."""

    families: dict[str, FamilyCount] = field(default_factory=dict)
    skipped: dict[Puzzle, str] = field(default_factory=dict)  # puzzles sent and not judged, with the reason
    answered: dict[Puzzle, str] = field(default_factory=dict)  # judged ones, with the first failure's group or ""

    @property
    def cases(self) -> int:
        """The number of different puzzles sent."""
        return len(self.skipped) + len(self.answered)

    @property
    def judged(self) -> int:
        """The number of these whose answers were judged."""
        return len(self.answered)

    @property
    def counts(self) -> Counter[str]:
        """Failed puzzles, by the group of the first failure of each."""
        return Counter(filter(None, self.answered.values()))

    def count(self, case: Case, reply: Reply, skipped: str = "") -> None:
        """Count a puzzle that was sent; ``skipped`` is why its reply could not be judged, if it could not."""
        family, is_new = self.family(case), not (case.puzzle in self.skipped or case.puzzle in self.answered)
        # The generator marks the last member, since a family may be filtered and its size is not known in advance.
        family.ended = family.ended or case.last
        skipped = reply.word if isinstance(reply, Abstention) else skipped
        if is_new or case.exhaustive:
            family.sent, family.judged = family.sent + 1, family.judged + (not skipped)
        if not skipped:
            self.judge(case.puzzle)
        elif is_new:
            self.skipped[case.puzzle] = skipped

    def judge(self, puzzle: Puzzle, group: str = "") -> None:
        """Count a puzzle as judged; if it fails, it counts for its first group."""
        self.skipped.pop(puzzle, None)
        self.answered[puzzle] = self.answered.get(puzzle) or group

    def family(self, case: Case) -> FamilyCount:
        """Return the numbers of a case's family."""
        return self.families.setdefault(case.family, FamilyCount(case.exhaustive))

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        begun = {name: one for name, one in self.families.items() if one.exhaustive and not one.exhausted}
        return {
            "cases": self.cases,
            "judged": self.judged,
            "exhausted": {name: family.judged for name, family in self.families.items() if family.exhausted},
            "begun": {name: {"sent": family.sent, "judged": family.judged} for name, family in begun.items()},
            "random": {name: one.judged for name, one in self.families.items() if one.judged and not one.exhaustive},
            "skipped": dict(Counter(self.skipped.values())),
        }

    def lines(self, seed: int, passed: bool) -> Iterator[str]:
        """Yield what was covered, and if all answers are right a bound on the failures of random puzzles."""
        whole, part = list[str](), list[str]()
        for name, one in self.families.items():
            if one.exhausted and one.judged:
                whole.append(f"{name} ({one.judged:,})")
            elif one.exhaustive and one.judged:
                so_far = "" if one.ended else " so far"
                part.append(f"{name} ({one.judged:,} of {one.sent:,}{so_far})")
        yield from [f"exhausted: {', '.join(whole)}"] * bool(whole)
        yield from [f"judged in part: {', '.join(part)}"] * bool(part)
        random = Counter({name: one.judged for name, one in self.families.items() if one.judged and not one.exhaustive})
        if total := random.total():
            names = ", ".join(f"{name} {number:,}" for name, number in random.most_common())
            yield f"random: {total:,} with seed {seed} ({names})"
            if passed and total >= _MIN_SAMPLE:
                # the largest failure rate at which N random puzzles all pass with a probability of 5%
                rate = 1 - 0.05 ** (1 / total)
                yield f"        none failed: at 95% confidence, at most {rate:.2g} of such puzzles that it answers fail"
        for reason, number in Counter(self.skipped.values()).most_common():
            yield f"skipped: {number:,}, {reason}"


@dataclass(frozen=True, repr=False)
class Verification(Result):
    """The result of a verification, true if it passed.

    Examples:
        >>> import crosslit
        >>> found = crosslit.verify(lambda board: None, kind="lights-out", cases=10)
        >>> found.passed, dict(found.counts), found.failures[0].puzzle.text, found.end
        (False, {'false-unsolvable': 1}, '0', 'stopped at the first failure')
    """

    settings: Settings
    failures: tuple[Failure, ...]  # one for each cause, in the order found
    coverage: Coverage  # the puzzles sent
    seconds: float  # of wall time
    end: str  # why it ended
    interrupted: bool = False  # whether Ctrl-C ended it
    solver: str = ""  # name and version of the solver, if it is a registered backend
    own: bool = False  # whether only puzzles of the user were sent

    @property
    def counts(self) -> Counter[str]:
        """Failed puzzles, by the group of the first failure of each."""
        return self.coverage.counts

    @property
    def judged_enough(self) -> bool:
        """True if enough answers were judged: some, and more of puzzles that the user neither gave nor counted."""
        judged = self.coverage.judged
        if self.own or self.settings.cases is not None:
            return judged > 0
        return judged >= MIN_JUDGED and judged >= MIN_SHARE * self.coverage.cases

    @property
    def passed(self) -> bool:
        """True if it was not interrupted, enough answers were judged, and all are right."""
        return not (self.failures or self.interrupted) and self.judged_enough

    def __bool__(self) -> bool:
        # Only pytest loads the plugin; it then shows this verification below the test.
        if not self.passed and (plugin := sys.modules.get("crosslit.pytest_plugin")):
            plugin.failed.append(self)
        return self.passed

    def __str__(self) -> str:
        return self.render(style_of_output())

    def render(self, style: Style = ASCII) -> str:
        """Return the failures and the summary as text."""
        return "\n\n".join([*(failure.render(style) for failure in self.failures), self.summary()])

    @property
    def _word(self) -> str:
        """The result in a word or two."""
        if self.failures or self.interrupted:
            return "failed" if self.failures else "interrupted"
        return "passed" if self.passed else "too few judged" if self.coverage.judged else "nothing judged"

    def summary(self) -> str:
        """Return a summary: how much was judged and is right, and what was not covered."""
        cover, settings = self.coverage, self.settings
        # A few cases mostly wait for the start of the program.
        speed = f", {cover.cases / self.seconds:,.0f} a second" if cover.cases >= _MIN_SAMPLE else ""
        judged = "" if cover.judged == cover.cases else f"{cover.judged:,} judged of "
        kind = all_kinds()[settings.kind]
        puzzles = f"{kind.member}{'s' * (cover.cases != 1)}"
        end = "no failure so far" if self._word == self.end else self.end
        lines = [f"{self._word}: {judged}{cover.cases:,} {puzzles}, claims {settings.claims}{speed}; {end}"]
        if not (self.judged_enough or self.failures or self.interrupted):
            more = "allow more --seconds, or " * self.end.endswith(" s")
            lines += [f"too little to pass: {more}{ADVICE}" if cover.cases else NOT_FOUND]
        lines += [f"solver: {self.solver}"] if self.solver else []
        lines += [f"{group}: {format_count(number, 'puzzle')}" for group, number in self.counts.items()]
        lines += cover.lines(settings.seed, not self.failures)
        cells = max((puzzle.rows * puzzle.columns for puzzle in cover.answered), default=0)
        larger = f"{kind.member}s of more than {format_count(cells, 'cell')}" if cells else "everything"
        others = kind.uncovered if settings.like is None else "other rules"
        return "\n  ".join([*lines, f"not covered: {', '.join(filter(None, [larger, others]))}"])

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        settings = self.settings
        return {
            "passed": self.passed,
            "interrupted": self.interrupted,
            **({"solver": self.solver} if self.solver else {}),
            **{name: getattr(settings, name) for name in ("kind", "claims", "seed", "size", "only")},
            "like": settings.like and settings.like.text,
            "failures": [failure.json() for failure in self.failures],
            "counts": dict(self.counts),
            "coverage": self.coverage.json(),
            "seconds": self.seconds,
            "end": self.end,
        }

    def junit(self, name: str) -> bytes:
        """Return JUnit XML: a suite with one test case, the claim of the solver with this name."""
        from xml.etree import ElementTree

        seconds, failed = f"{self.seconds:.3f}", bool(self.failures)
        numbers = {"tests": "1", "failures": str(int(failed)), "skipped": str(int(not (self or failed)))}
        attributes = {"name": _printable(f"crosslit verify {name}"), "time": seconds, "errors": "0", **numbers}
        suite = ElementTree.Element("testsuite", attributes)
        claim = {"classname": self.settings.kind, "name": f"claims {self.settings.claims}", "time": seconds}
        case = ElementTree.SubElement(suite, "testcase", claim)
        if failed:
            words = f"{self.failures[0].problem.group} on {shorten(self.failures[0].puzzle.text, MAX_SHOWN)}"
            text = "\n\n".join(failure.render() for failure in self.failures)
            ElementTree.SubElement(case, "failure", message=_printable(words)).text = _printable(text)
        elif not self:
            ElementTree.SubElement(case, "skipped", message=self.summary().partition("\n")[0])
        ElementTree.SubElement(suite, "system-out").text = _printable(self.summary())
        return bytes(ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True))


def _printable(text: str) -> str:
    # XML 1.0 cannot express most control characters, not even as references.
    return "\n".join(map(one_line, text.split("\n")))


def read_corpus(folder: str | os.PathLike[str]) -> list[Puzzle]:
    """Return the puzzles of a folder, which need not exist yet; they are sent first."""
    path = Path(folder)
    return [puzzle for file in (in_folder(path) if path.exists() else []) for puzzle in read_all(file)]


def write_corpus(verification: Verification, folder: str | os.PathLike[str], command: str = "") -> None:
    """Write a file for each failure to the folder: a puzzle in JSON, with further keys for readers."""
    for failure in verification.failures:
        name = f"{failure.problem.group}-{sha256(failure.puzzle.text.encode()).hexdigest()[:12]}.json"
        facts = {key: fact for key, fact in failure.json().items() if key != "puzzle"}
        record = {"kind": failure.puzzle.kind, "text": failure.puzzle.text, "claims": failure.claims, **facts}
        record |= {"seed": verification.settings.seed, "version": __version__, "command": command}
        with contextlib.suppress(OSError):  # writing says why
            Path(folder).mkdir(parents=True)
        write_bytes(Path(folder, name), [json.dumps(record, indent=1, ensure_ascii=False).encode() + b"\n"])
