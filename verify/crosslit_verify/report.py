"""The failures and the coverage of a verification, as text, JSON and JUnit XML."""

from __future__ import annotations

import itertools
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from crosslit_backends.programs.protocol import FEWEST, Abstention, Claims, Reply, SolverAnswer
from crosslit_generate import Case
from crosslit_generate.exhaustive import is_valid

from crosslit.base.grid import Grid
from crosslit.base.numbers import format_count, shorten
from crosslit.base.records import Result
from crosslit.contract.shapes import ASCII, Style
from crosslit.formats.drawing import draw, style_for
from crosslit.judging.verdict import FAILURES, puzzle_json
from crosslit.kinds import Puzzle, all_kinds
from crosslit_verify.cases import Settings, Shape
from crosslit_verify.judge import Problem, broken, format_reply, format_right
from crosslit_verify.reference import Reference

MAX_PUZZLE = 400  # characters of a puzzle that is printed in full
MAX_SHOWN = 120  # characters of a puzzle or a cause in a summary
_MAX_DRAWN = 40  # rows and columns of a picture
_MIN_SAMPLE = 30  # random puzzles for a bound on the failure rate, which fewer do not narrow
MIN_JUDGED, MIN_SHARE = 50, 0.05  # of the puzzles that a verification drew itself without a number of cases
ABSTAINS = "stopped, because it abstains from nearly all random puzzles"  # before the requested number of cases
ADVICE = "too little to pass: send puzzles that it answers (--like, or a file or a pipe from `crosslit generate`)"

_WORDED = frozenset({"crash", "malformed-output"})  # groups in which the output of the solver shows the cause
# Quoted text and numbers are mostly parts of the puzzle, and differ between failures of one fault.
_QUOTED = re.compile(r"(?<!\w)(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")(?:\.\.\. \(\d+ bytes\))?")
_NUMBER = re.compile(r"\b(?:0x[0-9a-f]+|\d+)(?:[ ,./|x:]*\b(?:0x[0-9a-f]+|\d+))*\b", re.IGNORECASE)


class Cause(NamedTuple):
    """The key of a fault: failures with equal keys count as one."""

    group: str
    words: str  # output of the solver, without quotations and numbers; empty if it shows nothing


def cause_of(problem: Problem) -> Cause:
    """Return the cause of a failure.

    Examples:
        >>> cause_of(Problem("crash", "exit status 1 without an answer: KeyError: (0, 12) not in '0/1'"))
        Cause(group='crash', words='exit status N without an answer: KeyError: (N) not in ...')
        >>> cause_of(Problem("wrong-solution", "there is no solution; 10/11: row 1, column 2 stays lit"))
        Cause(group='wrong-solution', words='there is no solution')
    """
    words = _NUMBER.sub("N", _QUOTED.sub("...", problem.detail)) if problem.group in _WORDED else ""
    if problem.group == "wrong-solution":  # a fault of its own: the solver does not see that there is none
        words = problem.detail.partition("; ")[0] if problem.detail.startswith("there is no solution; ") else ""
    return Cause(problem.group, words.replace("after writing ...", "without an answer"))


def by_group(causes: Mapping[Cause, int]) -> Counter[str]:
    """Return the numbers of failed puzzles by group."""
    counts = Counter[str]()
    for cause, number in causes.items():
        counts[cause.group] += number
    return counts


@dataclass(frozen=True, repr=False)
class Failure(Result):
    """A puzzle on which the solver fails, shrunk as far as possible."""

    problem: Problem
    puzzle: Puzzle  # the smallest on which it was seen
    reply: Reply  # of the solver to that puzzle
    reference: Reference | None  # None if it could not be computed
    original: Puzzle  # on which the failure was first seen
    case: int  # the number of that puzzle, from 1; 0 for a puzzle of the user
    asked: int  # number of cases sent before it was first seen
    family: str  # of the original puzzle
    claims: Claims
    minimal: bool = False  # whether every reduction of the puzzle passes
    tried: int = 0  # number of smaller puzzles tried
    again: bool | None = None  # whether it recurred when the puzzle was sent again; None if there was no time for that
    notes: Mapping[str, str] = field(default_factory=dict)  # input, output, an example of an answer, advice: if known

    @property
    def right(self) -> str:
        """A right answer in one line."""
        return "unknown" if self.reference is None else format_right(self.claims, self.reference)

    def render(self, style: Style = ASCII, *, first: bool = True) -> str:
        """Return the failure as text; one that is not the first of its group has no pictures."""
        facts = {"puzzle": shorten(self.puzzle.text, MAX_PUZZLE), "answer": format_reply(self.reply)}
        facts |= {"right": self.right, "because": self.problem.detail, **self._notes}
        lines = [
            f"{self.problem.group}: {FAILURES[self.problem.group] if first else 'another cause'}",
            *(f"  {name:<8} {text}" for name, text in facts.items()),
            *(["", *_side_by_side(self, style), ""] if first else []),
            f"  found on {f'case {self.case:,} ({self.family})' if self.case else self.family}; {self._shrinking}",
        ]
        return "\n".join(lines)

    @property
    def _notes(self) -> dict[str, str]:
        is_misfit = self.reference is not None and not self.reference.solvable and not is_valid(self.puzzle)
        hint = {"hint": "if it need not expect clues that do not fit or match: --only valid"} if is_misfit else {}
        return {**hint, **self.notes}

    @property
    def _shrinking(self) -> str:
        if self.again is None:
            return "the time ran out before it could be asked again"
        if not self.again:
            return f"it did not fail when asked again; --cases {self.asked} with the same seed repeats the run"
        if not self.minimal and not self.tried:
            return "it was not shrunk"
        how = "no reduction of it fails" if self.minimal else "shrunk until the time ran out"
        return f"{how} ({format_count(self.tried, 'smaller puzzle')} tried)"

    def pictures(self) -> dict[str, Grid | None]:
        """Return the grids to draw, by title: none for the puzzle itself, the answer, and a right answer."""
        pictures: dict[str, Grid | None] = {"puzzle": None}
        grids = self.reply.solutions if isinstance(self.reply, SolverAnswer) else ()
        # The first wrong grid, if there is one: a right one among many would show nothing.
        given = next((grid for grid in grids if broken(self.puzzle, grid)), grids[0] if grids else None)
        if given is not None and (given.rows, given.columns) == (self.puzzle.rows, self.puzzle.columns):
            pictures["answer"] = given
        if self.reference is not None and self.reference.solutions:
            # A solution that the answer lacks shows more than one that it has.
            new = self.reference.solutions.difference(grids) or self.reference.solutions
            pictures["right"] = min(new, key=lambda grid: (self.claims == FEWEST and grid.count(), grid.text))
        return pictures

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "problem": self.problem.group,
            "detail": self.problem.detail,
            "puzzle": puzzle_json(self.puzzle, None),
            "answer": format_reply(self.reply),
            "right": self.right,
            "original": self.original.text,
            **self._notes,
            **{name: getattr(self, name) for name in ("case", "asked", "family", "minimal", "tried", "again")},
        }


def _side_by_side(failure: Failure, style: Style) -> list[str]:
    """Return the pictures of a failure as lines of text."""
    rows, columns = failure.puzzle.rows, failure.puzzle.columns
    if max(rows, columns) > _MAX_DRAWN:
        return [f"    ({rows} x {columns}: too large to draw)"]
    blocks = [[name, *draw(failure.puzzle, grid, style).split("\n")] for name, grid in failure.pictures().items()]
    widths = [max(map(len, block)) + 3 for block in blocks]
    lines = itertools.zip_longest(*blocks, fillvalue="")
    padded = ("".join(f"{part:<{width}}" for part, width in zip(line, widths, strict=True)) for line in lines)
    return [f"    {line}".rstrip() for line in padded]


@dataclass
class FamilyCount:
    """The numbers of puzzles of a family."""

    exhaustive: bool  # whether it is enumerated completely
    sent: int = 0
    judged: int = 0
    passed_over: int = 0  # puzzles not sent, because the solver had abstained from many others
    ended: bool = False  # whether its last puzzle was sent

    @property
    def exhausted(self) -> bool:
        """True if every puzzle of the family was judged."""
        return self.exhaustive and self.ended and self.judged == self.sent


@dataclass(repr=False)
class Coverage(Result):
    """The puzzles that were sent to the solver; one that is sent, judged or fails repeatedly counts once."""

    families: dict[str, FamilyCount] = field(default_factory=dict)
    cases: int = 0  # different puzzles sent
    judged: int = 0  # of these, those whose answers were judged
    largest: Shape = (0, 0)  # the largest shape judged, by number of cells
    skipped: Counter[str] = field(default_factory=Counter)  # puzzles not judged when first sent, by reason
    abstained: Counter[str] = field(default_factory=Counter)  # puzzles first answered `unknown` or `unsupported`
    smallest: dict[str, Puzzle] = field(default_factory=dict)  # the smallest of these puzzles, by that word
    _known: dict[Puzzle, bool] = field(default_factory=dict)  # puzzles sent, and whether they were judged
    _failed: set[Puzzle] = field(default_factory=set)

    def count(self, case: Case, reply: Reply, skipped: str = "") -> None:
        """Count a puzzle that was sent; ``skipped`` is why its reply could not be judged, if it could not."""
        puzzle, family, is_new = case.puzzle, self.family(case), case.puzzle not in self._known
        # The generator marks the last member, since a family may be filtered and its size is not known in advance.
        family.ended = family.ended or case.last
        is_judged = not (skipped or isinstance(reply, Abstention))
        if is_new or case.exhaustive:
            family.sent, family.judged = family.sent + 1, family.judged + is_judged
        self._add(puzzle, is_judged)
        if not is_new:
            return
        if isinstance(reply, Abstention):
            self.abstained[reply.word] += 1
            self.smallest[reply.word] = min(self.smallest.get(reply.word, puzzle), puzzle, key=lambda one: one.measure)
        elif skipped:
            self.skipped[skipped] += 1

    def fail(self, puzzle: Puzzle) -> bool:
        """Count a puzzle that fails, which was thus judged; return False if it has failed before."""
        self._add(puzzle, is_judged=True)
        is_new = puzzle not in self._failed
        self._failed.add(puzzle)
        return is_new

    def _add(self, puzzle: Puzzle, is_judged: bool) -> None:
        was_judged = self._known.get(puzzle, False)
        self.cases += puzzle not in self._known
        self._known[puzzle] = was_judged or is_judged
        if is_judged and not was_judged:
            self.judged += 1
            self.largest = max(
                self.largest, (puzzle.rows, puzzle.columns), key=lambda shape: (shape[0] * shape[1], shape)
            )

    def family(self, case: Case) -> FamilyCount:
        """Return the numbers of a case's family."""
        return self.families.setdefault(case.family, FamilyCount(case.exhaustive))

    @property
    def random(self) -> Counter[str]:
        """Numbers of judged random puzzles, by family."""
        return Counter({name: one.judged for name, one in self.families.items() if one.judged and not one.exhaustive})

    @property
    def exhausted(self) -> dict[str, int]:
        """Numbers of puzzles of the families of which every puzzle was judged."""
        return {name: family.judged for name, family in self.families.items() if family.exhausted}

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        begun = {name: one for name, one in self.families.items() if one.exhaustive and not one.exhausted}
        return {
            "cases": self.cases,
            "judged": self.judged,
            "exhausted": self.exhausted,
            "begun": {name: {"sent": family.sent, "judged": family.judged} for name, family in begun.items()},
            "random": dict(self.random),
            "skipped": dict(self.skipped),
            **{word: {"puzzles": self.abstained[word], "smallest": one.text} for word, one in self.smallest.items()},
        }

    def lines(self, seed: int, passed: bool) -> Iterator[str]:
        """Yield what was covered, with a bound on the failures of random puzzles if all answers are right."""
        for word, number in self.abstained.items():
            yield f"{word}: {number:,} of {self.cases:,}, the smallest {self.smallest[word].text[:MAX_SHOWN]}"
        parts: dict[str, dict[str, str]] = {"exhausted": {}, "judged in part": {}, "begun": {}}
        for name, family in self.families.items():
            if family.exhausted:
                parts["exhausted"][name] = f"{family.judged:,}"
            elif family.exhaustive and family.ended:
                parts["judged in part"][name] = f"{family.judged:,} of {family.sent + family.passed_over:,}"
            elif family.exhaustive:
                parts["begun"][name] = f"{family.judged:,} of them"
        yield from (f"{word}: {'; '.join(_by_shape(families))}" for word, families in parts.items() if families)
        if total := self.random.total():
            names = ", ".join(f"{name} {number:,}" for name, number in self.random.most_common())
            yield f"random: {total:,} with seed {seed} ({names})"
            if passed and total >= _MIN_SAMPLE:
                # the largest failure rate at which N random puzzles all pass with a probability of 5%
                rate = 1 - 0.05 ** (1 / total)
                yield f"        none failed: at 95% confidence, at most {rate:.2g} of such puzzles that it answers fail"
        yield from (f"skipped: {number:,}, {reason}" for reason, number in self.skipped.most_common())


@dataclass(frozen=True, repr=False)
class Verification(Result):
    """The result of a verification, true if it passed.

    See Also:
        verify: the function that returns it.

    Examples:
        >>> import crosslit
        >>> found = crosslit.verify(lambda board: None, kind=crosslit.load("1").kind, cases=10)
        >>> found.passed, dict(found.counts)
        (False, {'false-unsolvable': 1})
        >>> found.failures[0].puzzle.text, found.end
        ('0', 'stopped at the first failure')
    """

    settings: Settings
    failures: tuple[Failure, ...]  # one for each cause, in the order found
    causes: Mapping[Cause, int]  # failed puzzles, by the first cause of each
    coverage: Coverage  # the puzzles sent
    seconds: float  # of wall time, without shrinking
    end: str  # why it ended
    interrupted: bool = False  # whether Ctrl-C ended it
    solver: str = ""  # name and version of the solver, if it is a registered backend
    own: bool = False  # whether only puzzles of the user were sent

    @property
    def counts(self) -> Counter[str]:
        """Failed puzzles, by group."""
        return by_group(self.causes)

    @property
    def judged_enough(self) -> bool:
        """True if enough answers were judged: some, and more of puzzles that the user neither gave nor counted."""
        judged = self.coverage.judged
        if self.own or (self.settings.cases is not None and self.end != ABSTAINS):
            return judged > 0
        return judged >= MIN_JUDGED and judged >= MIN_SHARE * self.coverage.cases

    @property
    def passed(self) -> bool:
        """True if enough answers were judged, and all are right."""
        return not self.failures and self.judged_enough

    def __bool__(self) -> bool:
        # Only pytest loads the plugin; it then shows this verification below the test.
        if not self.passed and (plugin := sys.modules.get("crosslit.pytest_plugin")):
            plugin.failed.append(self)
        return self.passed

    _repr_pretty_ = Result._repr_pretty_  # IPython would take the __repr__ of this class

    def __repr__(self) -> str:
        failures = "".join(f"; {failure.problem.group} on {failure.puzzle.text}" for failure in self.failures)
        words = f"Verification {self._word}: {format_count(self.coverage.cases, 'puzzle')}{failures}"
        return f"<{shorten(words, 98)}>"

    def __str__(self) -> str:
        return self.render(style_for(sys.stdout.encoding if sys.stdout is not None else None))

    def raise_for_failure(self) -> None:
        """Raise an error unless the verification passed.

        Raises:
            AssertionError: if it did not pass; the message is `text`.
        """
        if not self.passed:
            raise AssertionError(f"\n{self.render()}")

    def render(self, style: Style = ASCII) -> str:
        """Return the failures and the summary as text."""
        return "\n\n".join([*self.failure_texts(style), self.summary()])

    def failure_texts(self, style: Style = ASCII) -> Iterator[str]:
        """Yield the failures as text, the first of each group with pictures."""
        groups: set[str] = set()
        for failure in self.failures:
            yield failure.render(style, first=failure.problem.group not in groups)
            groups.add(failure.problem.group)

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
        is_timed = cover.cases >= _MIN_SAMPLE and self.seconds > 0
        speed = f", {cover.cases / self.seconds:,.0f} a second" if is_timed else ""
        judged = "" if cover.judged == cover.cases else f"{cover.judged:,} judged of "
        puzzles = settings.members.removesuffix("s" * (cover.cases == 1))
        end = "no failure so far" if self._word == self.end else self.end
        lines = [f"{self._word}: {judged}{cover.cases:,} {puzzles}, claims {settings.claims}{speed}; {end}"]
        if not (self.judged_enough or self.failures or self.interrupted):
            lines.append(ADVICE)
        lines += [f"solver: {self.solver}"] if self.solver else []
        for group, number in self.counts.items():
            lines.append(f"{group}: {format_count(number, 'puzzle') if number else 'a puzzle that is counted above'}")
            causes = Counter({cause.words: times for cause, times in self.causes.items() if cause.group == group})
            for words, times in causes.most_common() if len(causes) > 1 else ():
                lines.append(f"  {times:,} {shorten(words or 'others', MAX_SHOWN)}")
        lines += cover.lines(settings.seed, not self.failures)
        return "\n  ".join([*lines, f"not covered: {', '.join(self._uncovered())}"])

    def _uncovered(self) -> Iterator[str]:
        settings, (rows, columns) = self.settings, self.coverage.largest
        yield f"{settings.members} of more than {rows * columns} cells" if rows else "everything"
        if settings.like is not None:
            yield f"rules other than those of {shorten(settings.like.text, MAX_SHOWN)}"
        elif uncovered := all_kinds()[settings.kind].puzzle.uncovered:
            yield uncovered
        if settings.has_sizes or settings.sizes.square:
            yield f"sizes other than {settings.size}"
        if settings.only is not None:
            yield f"puzzles that are not {settings.only}"
        if settings.claims == "one":
            yield "whether all solutions are found"

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


def _by_shape(families: Mapping[str, str]) -> Iterator[str]:
    """Yield families with their numbers, joined if they differ only in shape: ``every board of 1x1 (2), 1x2 (4)``."""
    grouped: dict[str, list[str]] = {}
    for name, number in families.items():
        shape = re.search(r" ?(\d+) x (\d+)", name)
        rest = name if shape is None else f"{name[: shape.start()]}{name[shape.end() :]}"
        grouped.setdefault(rest, []).append(f" of {shape[1]}x{shape[2]} ({number})" if shape else f" ({number})")
    return (name + ",".join(shapes).replace(", of ", ", ") for name, shapes in grouped.items())


def junit_xml(verification: Verification, name: str) -> bytes:
    """Return a JUnit suite with one test case, the claim."""
    from xml.etree import ElementTree

    settings, failures, seconds = verification.settings, verification.failures, f"{verification.seconds:.3f}"
    numbers = {"failures": int(bool(failures)), "errors": 0, "skipped": int(not (verification or failures))}
    attributes = {"name": f"crosslit verify {name}", "tests": "1", "time": seconds}
    suite = ElementTree.Element("testsuite", attributes | {key: str(number) for key, number in numbers.items()})
    claim = {"classname": settings.kind, "name": f"claims {settings.claims}", "time": seconds}
    case = ElementTree.SubElement(suite, "testcase", claim)
    if failures:
        words = f"{failures[0].problem.group} on {shorten(failures[0].puzzle.text, MAX_SHOWN)}"
        text = "\n\n".join(failure.render() for failure in failures)
        ElementTree.SubElement(case, "failure", message=words).text = _printable(text)
    elif not verification:
        ElementTree.SubElement(case, "skipped", message=ADVICE)
    ElementTree.SubElement(suite, "system-out").text = _printable(verification.summary())
    written: bytes = ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True)
    return written


def _printable(text: str) -> str:
    # XML 1.0 cannot express most control characters, not even as references.
    return "".join(character for character in text if character.isprintable() or character == "\n")
