"""The coverage and the failures of a verification, as text, JSON and JUnit XML."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from crosslit_backends.programs.protocol import ABSTENTIONS, Abstention, Reply, SolverAnswer
from crosslit_generate import Case

from crosslit.base.numbers import format_count, shorten
from crosslit.base.records import Result, to_json
from crosslit.contract.shapes import ASCII, Style
from crosslit.formats.drawing import style_for
from crosslit.judging.verdict import FAILURES
from crosslit.kinds import Puzzle, all_kinds
from crosslit_verify.failure import RIGHT, Cause, Causes, Failure, class_of
from crosslit_verify.judging import CLAIM_OF
from crosslit_verify.settings import Settings, Shape

_MAX_SHOWN = 120  # maximum characters of a puzzle in a summary
_SHOWN_SETTINGS = ("kind", "claims", "seed", "size", "only", "varied")
_MIN_SAMPLE = 30  # minimum random puzzles for a bound on the failure rate, which fewer do not narrow


@dataclass(repr=False)
class Coverage(Result):
    """The numbers of puzzles that were sent to the solver."""

    exhausted: dict[str, int] = field(default_factory=dict)  # puzzles of each family that was sent completely
    begun: Counter[str] = field(default_factory=Counter)  # puzzles sent from each family that was not finished
    random: Counter[str] = field(default_factory=Counter)  # random puzzles judged, by family
    sizes: Counter[Shape] = field(default_factory=Counter)  # puzzles sent, by shape
    skipped: Counter[str] = field(default_factory=Counter)  # puzzles not judged, by reason
    abstained: Counter[str] = field(default_factory=Counter)  # puzzles answered `unknown` or `unsupported`, by word
    smallest: dict[str, Puzzle] = field(default_factory=dict)  # the smallest of these puzzles, by that word
    causes: Causes = field(default_factory=Causes)  # puzzles failed and puzzles answered correctly, by cause and class
    unanswered: tuple[Puzzle, float] | None = None  # when the time ran out, and the seconds left when it was sent
    again: int = 0  # puzzles sent a second time
    related: int = 0  # checked relations between puzzles

    def count(self, case: Case) -> None:
        """Count a puzzle that was sent."""
        self.sizes[case.puzzle.rows, case.puzzle.columns] += 1
        if not case.exhaustive:
            return
        self.begun[case.family] += 1
        # The generator marks the last member, since a family may be filtered and its size is not known in advance.
        if case.last:
            self.exhausted[case.family] = self.begun.pop(case.family)

    def count_judged(self, case: Case, reply: Reply, failed: bool) -> None:
        """Count a puzzle whose answer was judged."""
        if isinstance(reply, Abstention):
            if not failed:
                self.abstained[reply.word] += 1
                self.smallest[reply.word] = min(
                    self.smallest.get(reply.word, case.puzzle), case.puzzle, key=attrgetter("measure")
                )
            return
        if isinstance(reply, SolverAnswer) and not failed:
            self.causes.numbers[Cause(RIGHT, "", class_of(case.puzzle, not reply.unsolvable))] += 1
        if not case.exhaustive:
            self.random[case.family] += 1

    @property
    def cases(self) -> int:
        """Number of puzzles sent."""
        return self.sizes.total()

    @property
    def judged(self) -> int:
        """Number of puzzles whose answers were judged."""
        return self.cases - self.skipped.total() - self.abstained.total()

    @property
    def largest(self) -> Shape:
        """The largest shape sent, by number of cells."""
        return max(self.sizes, key=lambda shape: (shape[0] * shape[1], shape), default=(0, 0))

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        words = {
            word: {"puzzles": self.abstained[word], "smallest": self.smallest[word].text} for word in self.abstained
        }
        return {
            "cases": self.cases,
            "judged": self.judged,
            "exhausted": dict(self.exhausted),
            "begun": dict(self.begun),
            "random": dict(self.random),
            "classes": self.causes.json(),
            "skipped": dict(self.skipped),
            **words,
            **({} if self.unanswered is None else {"unanswered": self.unanswered[0].text}),
            "largest": list(self.largest),
            "asked_again": self.again,
            "relations": self.related,
        }


@dataclass(frozen=True, repr=False)
class Verification(Result):
    """The result of a verification, true if it passed.

    Args:
        settings: settings of the verification.
        failures: one failure for each cause, in the order found.
        counts: failed puzzles, by group.
        coverage: the puzzles sent.
        seconds: wall time, without shrinking.
        shares: seconds spent in ``solver`` and ``reference``.
        end: why it ended.
        interrupted: whether Ctrl-C ended it.
        replayed: whether only the puzzle of a replay file was sent.
        solver: name and version of the solver, if it is a registered backend.

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
    failures: tuple[Failure, ...]
    counts: Mapping[str, int]
    coverage: Coverage
    seconds: float
    shares: Mapping[str, float]
    end: str
    interrupted: bool = False
    replayed: bool = False
    solver: str = ""

    @property
    def problems(self) -> tuple[str, ...]:
        """The groups of failures that a solver with this claim can have."""
        claims = self.settings.claims
        groups = [group for group in FAILURES if CLAIM_OF.get(group, claims) == claims]
        return tuple(group for group in groups if group not in ABSTENTIONS or self.settings.no_unknown)

    @property
    def passed(self) -> bool:
        """True if some answers were judged, and all are right."""
        return not self.failures and self.coverage.judged > 0

    def __bool__(self) -> bool:
        # Only pytest loads the plugin; it then shows this verification below the test.
        if not self.passed and (plugin := sys.modules.get("crosslit.pytest_plugin")):
            plugin.failed.append(self)
        return self.passed

    _repr_pretty_ = Result._repr_pretty_  # IPython would take the __repr__ of this class

    def __repr__(self) -> str:
        failures = "; ".join(f"{failure.problem.group} on {failure.puzzle.text}" for failure in self.failures)
        line = f"{'passed' if self.passed else 'failed'}: {format_count(self.coverage.cases, 'puzzle')}"
        return f"<{shorten(f'Verification {line}; {failures}'.removesuffix('; '), 98)}>"

    def __str__(self) -> str:
        return self.text(style_for(sys.stdout.encoding if sys.stdout is not None else None))

    def raise_for_failure(self) -> None:
        """Raise an error unless the verification passed.

        Raises:
            AssertionError: if it did not pass; the message is `text`.
        """
        if not self.passed:
            raise AssertionError(f"\n{self.text()}")

    def text(self, style: Style = ASCII) -> str:
        """Return the failures and the summary as text."""
        return "\n\n".join([*self.failure_texts(style), self.summary()])

    def failure_texts(self, style: Style = ASCII) -> Iterator[str]:
        """Yield the failures as text, the first of each group with pictures."""
        groups: set[str] = set()
        for failure in self.failures:
            yield failure.text(style, first=failure.problem.group not in groups)
            groups.add(failure.problem.group)

    def summary(self) -> str:
        """Return a summary: the coverage, its limits, and why it ended."""
        return "\n".join(self._summary())

    @property
    def _word(self) -> str:
        """The result in a word or two."""
        if self.failures or self.interrupted:
            return "failed" if self.failures else "interrupted"
        return "passed" if self.passed else "nothing judged"

    def _summary(self) -> Iterator[str]:
        cover, settings = self.coverage, self.settings
        # a few cases mostly wait for the start of the program
        is_timed = cover.cases >= _MIN_SAMPLE and self.seconds > 0
        speed = f", {cover.cases / self.seconds:,.0f} a second" if is_timed else ""
        word = self._word
        if self.replayed:
            solver = f" for {self.solver}" if self.solver else ""
            yield f"{word}: the puzzle of the replay file{solver}, claims {settings.claims}; {self.end}"
            return
        puzzles = settings.puzzles if cover.cases != 1 else settings.puzzles.removesuffix("s")
        end = "no failure so far" if word == self.end else self.end
        yield f"{word}: {cover.cases:,} {puzzles}, claims {settings.claims}{speed}; {end}"
        if self.solver:
            yield f"  solver: {self.solver}"
        for group, number in self.counts.items():
            yield f"  {group}: {number:,} {'puzzle' if number == 1 else 'puzzles'}{cover.causes.classes(group)}"
            yield from (f"    {line}" for line in cover.causes.lines(group))
        if right := cover.causes.right(self.counts):
            yield f"  right: {right}"
        for word, number in cover.abstained.items():
            smallest = shorten(cover.smallest[word].text, _MAX_SHOWN)
            yield f"  {word}: {number:,} of {cover.cases:,}, the smallest {smallest}"
        if cover.exhausted:
            yield f"  exhausted: {'; '.join(_by_shape(cover.exhausted))}"
        for name, number in cover.begun.items():
            yield f"  begun: {name} ({number:,} of them)"
        total = cover.random.total()
        if total:
            families = ", ".join(f"{name} {number:,}" for name, number in cover.random.most_common())
            yield f"  random: {total:,} with seed {settings.seed} ({families})"
            if not self.failures and total >= _MIN_SAMPLE:
                # the largest failure rate at which N random puzzles all pass with a probability of 5%
                rate = 1 - 0.05 ** (1 / total)
                yield f"          none failed: at 95% confidence, at most {rate:.2g} of such puzzles fail"
        yield f"  asked again: {cover.again:,}; relations between puzzles: {cover.related:,}"
        for reason, number in cover.skipped.most_common():
            yield f"  skipped: {number:,}, {reason}"
        if cover.unanswered is not None and (waited := cover.unanswered[1]) >= 1:
            puzzle = shorten(cover.unanswered[0].text, _MAX_SHOWN)
            yield f"  no answer yet: {puzzle}, asked {waited:.1f} s before the end"
        rows, columns = cover.largest
        yield f"  not covered: {self._uncovered(rows, columns)}"

    def _uncovered(self, rows: int, columns: int) -> str:
        missing = [f"{self.settings.members} of more than {rows * columns} cells" if rows else "everything"]
        if uncovered := all_kinds()[self.settings.kind].puzzle.uncovered:
            missing.append(uncovered)
        if self.settings.has_sizes:
            missing.append("other sizes")
        if self.settings.sizes.square:
            missing.append("puzzles that are not square")
        if self.settings.only is not None:
            missing.append(f"puzzles that are not {self.settings.only}")
        if self.settings.claims == "one":
            missing.append("whether all solutions are found")
        return ", ".join(missing)

    def json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "passed": self.passed,
            "interrupted": self.interrupted,
            **({"solver": self.solver} if self.solver else {}),
            **{name: value for name, value in to_json(self.settings).items() if name in _SHOWN_SETTINGS},
            "failures": [failure.json() for failure in self.failures],
            "counts": dict(self.counts),
            "coverage": self.coverage.json(),
            "seconds": self.seconds,
            "shares": dict(self.shares),
            "end": self.end,
        }


def _by_shape(families: Mapping[str, int]) -> Iterator[str]:
    """Yield families with their sizes, joined if they differ only in shape: ``every board of 1x1 (2), 1x2 (4)``."""
    grouped: dict[str, list[str]] = {}
    for name, number in families.items():
        shape = re.search(r" ?(\d+) x (\d+)", name)
        rest = name if shape is None else f"{name[: shape.start()]}{name[shape.end() :]}"
        word = "" if shape is None else f"{shape[1]}x{shape[2]} "
        grouped.setdefault(rest, []).append(f"{word}({number:,})")
    return (f"{name} of {', '.join(shapes)}".replace(" of (", " (") for name, shapes in grouped.items())


def junit_xml(verification: Verification, name: str) -> bytes:
    """Return a JUnit suite with a test case for each problem of the claim; those not reached are skipped."""
    from xml.etree import ElementTree

    settings, counts = verification.settings, Counter[str]()
    reached = verification.passed or (settings.keep_going and bool(verification.failures))
    suite = ElementTree.Element("testsuite", name=f"crosslit verify {name}")
    for group in verification.problems:
        parent = ElementTree.SubElement(suite, "testcase", classname=f"{settings.kind}.{settings.claims}", name=group)
        if failures := [failure for failure in verification.failures if failure.problem.group == group]:
            text = "\n\n".join(failure.text() for failure in failures)
            ElementTree.SubElement(parent, "failure", message=failures[0].problem.detail).text = _printable(text)
            counts["failures"] += 1
        elif not reached:
            ElementTree.SubElement(parent, "skipped", message="not reached")
            counts["skipped"] += 1
    numbers = {"tests": len(suite), "failures": counts["failures"], "errors": 0, "skipped": counts["skipped"]}
    suite.attrib |= {key: str(number) for key, number in numbers.items()} | {"time": f"{verification.seconds:.3f}"}
    ElementTree.SubElement(suite, "system-out").text = _printable(verification.summary())
    written: bytes = ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True)
    return written


def _printable(text: str) -> str:
    # XML 1.0 cannot express most control characters, not even as references.
    return "".join(character for character in text if character.isprintable() or character == "\n")
