"""Cross-checks of solutions, their number and the fewest presses: the conclusion, the errors, and who is to blame."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Self

from crosslit.base.grid import Grid, Grids, distinct, pack
from crosslit.base.text import format_count, number_words
from crosslit.contract import Certified
from crosslit.contract.run import Limits, Presses, Run
from crosslit.judging.verdict import (
    DISAGREEMENT,
    DISCREDITS,
    Comparison,
    CountResult,
    Finding,
    MinimalSubset,
    Verdict,
    VerdictStatus,
    grade,
    run_findings,
)
from crosslit.kinds import Puzzle, first_wrong, wrong_grids

MAX_DIGITS = 4300  # of a number that Python writes by default
NULLITY = "nullity"  # stands for a backend when the nullity itself is wrong
TWICE = "gave this solution more than once"


@dataclass
class ListResult:
    """The judgement of one list of solutions, which `Solutions` fills."""

    backend: str
    first: int  # the number of different grids that were known before it
    right: int = 0  # its number of different solutions
    faults: dict[str, Finding] = field(default_factory=dict)  # the first of each problem
    is_complete: bool = False  # whether it claims to be
    lacking: tuple[bytes, str] | None = None  # a packed solution that it lacks in spite of that, and who found it


class Solutions:
    """The different solutions of a puzzle in some lists, one list after another, each checked by the rules.

    A solution of one list refutes every other list that claims to be complete without it. A solution may be known from
    elsewhere, as one that the rules accept.
    """

    def __init__(self, puzzle: Puzzle, known: Iterable[bytes] = (), stops: bool = False) -> None:
        self.puzzle, self.lists = puzzle, list[ListResult]()
        self._stops = stops  # whether nothing after the first fault of a list counts
        self.rejected: dict[bytes, str] = {}  # packed grids that break the rules, with the violation
        self._last = dict.fromkeys(known, 0)  # packed grids, with the number of the last list that has them, from 1

    @classmethod
    def of(cls, puzzle: Puzzle, runs: Iterable[Run]) -> Self:
        """Return the solutions of runs that have ended."""
        found = cls(puzzle)
        for run in runs:
            found.start(run.backend)
            found.take(pack(run.grids))
            found.end(run.status == "complete")
        return found

    @property
    def found(self) -> int:
        """The number of different solutions."""
        return max([len(self._last) - len(self.rejected), *(listed.right for listed in self.lists)])

    def start(self, backend: str) -> ListResult:
        """Begin the list of a backend."""
        self.lists.append(ListResult(backend, len(self._last)))
        return self.lists[-1]

    def take(self, packed: bytes, keep: bool = True) -> bytes:
        """Add grids to the current list, and return those that are right and in no list so far.

        Without ``keep`` nothing is compared with them: the caller knows that they are new.
        """
        listed, number, layout = self.lists[-1], len(self.lists), self.puzzle.layout
        if not keep:
            rejected = first_wrong(self.puzzle, packed)
            if rejected is not None:
                packed, rest = packed[: rejected[0] * layout.size], packed[rejected[0] * layout.size :]
                self.blame("wrong-solution", rejected[1], rest[: layout.size])
            listed.right += len(packed) // layout.size
            return packed
        records, right = layout.parts(packed), list[bytes]()
        new = [grid for grid in dict.fromkeys(records) if grid not in self._last]
        wrong = {new[index]: reason for index, reason in wrong_grids(self.puzzle, b"".join(new))}
        for grid in records:
            last = self._last.get(grid)
            if grid in wrong:
                self.rejected[grid] = wrong[grid]
            if grid in self.rejected:
                self.blame("wrong-solution", self.rejected[grid], grid)
            if last == number:
                self.blame("duplicate-solution", TWICE, grid)
            elif grid not in self.rejected:
                listed.right += 1
                if last is None:
                    right.append(grid)
            self._last[grid] = number
            if self._stops and listed.faults:
                break
        return b"".join(right)

    def blame(self, problem: str, detail: str, packed: bytes) -> None:
        """Note a fault of the current list."""
        listed = self.lists[-1]
        if problem not in listed.faults:  # one is enough: a broken backend can make a million errors
            listed.faults[problem] = Finding(listed.backend, problem, detail, self._text(packed))

    def end(self, is_complete: bool) -> None:
        """End the current list; compare it with the complete ones, and all others with it if it is complete."""
        listed, number = self.lists[-1], len(self.lists)
        listed.is_complete = is_complete
        new = (grid for grid in islice(self._last, listed.first, None) if grid not in self.rejected)
        if (first := next(new, None)) is not None:
            for earlier in self.lists[:-1]:
                if earlier.is_complete:
                    earlier.lacking = earlier.lacking or (first, listed.backend)
        if is_complete and listed.right < self.found:
            listed.lacking = next((find for find in self.finds() if self._last[find[0]] != number), None)

    def forget(self) -> None:
        """Keep no solutions any more: no further list can be compared."""
        self._last.clear()

    def findings(self, listed: ListResult) -> list[Finding]:
        """Return the errors of a list."""
        if listed.lacking is None:
            return [*listed.faults.values()]
        # Only a list without grids claims "unsolvable"; with wrong grids it just lacks some.
        problem = "missing-solution" if listed.right or listed.faults else "false-unsolvable"
        witness, finder = listed.lacking
        missing, source = self.found - listed.right, f"{finder} found" if finder else "was known before"
        lacks = f"misses {missing:,}, {'' if missing == 1 else 'one of '}which {source}"
        right = format_count(listed.right, "right solution" if listed.faults else "solution")
        detail = f"claims completeness with {right}; {lacks}"
        return [*listed.faults.values(), Finding(listed.backend, problem, detail, self._text(witness))]

    def all(self) -> Grids:
        """Return the different solutions in the order of their bits."""
        layout, packed = self.puzzle.layout, bytearray()
        for grid in self._last:
            if grid not in self.rejected:
                packed += grid  # `join` takes another 80 bytes for each
        return Grids(layout, distinct(bytes(packed), layout.size, by_bits=True))

    def finds(self) -> Iterator[tuple[bytes, str]]:
        """Yield the solutions in the order in which they were found, packed, with the backend that found each first."""
        for index, grid in enumerate(self._last):
            if grid not in self.rejected:
                yield grid, next((listed.backend for listed in reversed(self.lists) if listed.first <= index), "")

    def _text(self, packed: bytes) -> str | None:
        try:
            return self.puzzle.layout.grids(packed)[0].text
        except ValueError:  # bits after the last cell; the detail says so
            return None


def judge(
    puzzle: Puzzle, runs: list[Run], limits: Limits, certified: Certified | None = None, refused: Collection[str] = ()
) -> Comparison:
    """Check every solution by the rules, every claim against all solutions, and grade the evidence.

    A run of a backend in ``refused``, whose certificate was rejected, is not believed as long as there are others.
    """
    nullity, solutions = puzzle.nullity(), Solutions.of(puzzle, runs)
    findings, believed = sift(runs, solutions)
    # A run whose reason turned out wrong confirms no other run; with no run left, the claim of one remains a claim.
    believed = [run for run in believed if run.backend not in refused] or believed[:1]
    claims = {solutions.found: believed} if believed else {}
    contradictions, certified = reconcile(claims, solutions.found, nullity, certified)
    verdict = _verdict(solutions, claims.get(solutions.found, []), certified)
    findings = list(dict.fromkeys(findings + contradictions))  # repetitions tend to fail alike
    return Comparison(puzzle, nullity, limits, runs, findings, verdict, solutions.all())


def sift(runs: Sequence[Run], solutions: Solutions) -> tuple[list[Finding], list[Run]]:
    """Return the errors of runs that listed these solutions, and those to believe.

    The latter are the complete runs of backends without an error in any repetition. They all have the same solutions.
    """
    findings: list[Finding] = []
    for run, listed in zip(runs, solutions.lists, strict=True):
        findings += [*solutions.findings(listed), *run_findings(run)]
    # By backend and not by run: a backend that is wrong in one repetition is not believed in the next.
    discredited = {finding.backend for finding in findings if finding.problem in DISCREDITS}
    return findings, [run for run in runs if run.status == "complete" and run.backend not in discredited]


def reconcile(
    claims: dict[int, list[Run]], found: int, nullity: int | None, certified: Certified | None = None
) -> tuple[list[Finding], Certified | None]:
    """Compare claimed numbers of solutions, with their runs, with the nullity and with a certificate.

    The number of solutions found refutes the nullity or a certificate that allow fewer. Runs of one lineage whose
    number contradicts the nullity are blamed. If two independent ones do, or one and a certificate, or if the
    certificate contradicts anything, nothing shows which side is wrong: all are named, and none is believed. Claims
    that are not believed are removed. Returned are the findings, and the certificate if it is still believed.
    """
    findings: list[Finding] = []
    counted = f"{found} solutions were found and checked"
    if nullity is not None and found > 1 << nullity:
        detail = f"{counted}; a board of nullity {nullity} has at most 2^{nullity}"
        findings.append(Finding(NULLITY, "contradicts-nullity", detail))
        nullity = None
    if certified is not None and found > certified.checked.count:
        claim = f"a certificate of {certified.certificate.format} was accepted for {certified.checked.claim}"
        detail = f"{claim}; {counted}, so its checker is wrong too"
        findings.append(Finding(certified.by, "contradicted-certificate", detail))
        certified = None
    # Possible numbers of solutions, the names of those that claim so, and words for both.
    facts: list[tuple[set[int], list[str], str]] = []
    against: list[int] = []
    if nullity is not None:
        possible = {0, 1 << nullity}  # the nullity gives the number of solutions of solvable boards only
        facts.append((possible, [NULLITY], f"by the nullity of {nullity}: 0 or {number_words(1 << nullity)}"))
        against = [number for number in claims if number not in possible]
    supported = certified.checked.count if certified is not None else None
    if certified is not None:
        words = f"by a certificate of {certified.certificate.format} from {certified.by}"
        facts.append(({certified.checked.count}, [certified.by], f"{words}: {number_words(certified.checked.count)}"))
    if all(number != supported and grade(claims[number])[0] == "claimed" for number in against):
        for number in against:
            fact = f"a solvable board of nullity {nullity} has 2^{nullity}"
            detail = f"{number_words(number)} solutions claimed to be all; {fact}"
            findings += [Finding(run.backend, "contradicts-nullity", detail) for run in claims.pop(number)]
    named = [(number, list(dict.fromkeys(run.backend for run in runs))) for number, runs in claims.items()]
    sides = [({number}, names, f"by {' and '.join(names)}: {number_words(number)}") for number, names in named] + facts
    involved = [side for side in sides if any(side[0].isdisjoint(numbers) for numbers, _, _ in sides)]
    # Claims of runs that differ from each other only are left to the caller.
    if any(fact in involved for fact in facts):
        detail = f"solutions {'; '.join(words for _, _, words in involved)}; one of them is wrong"
        culprits = dict.fromkeys(name for _, names, _ in involved for name in names)
        findings += [Finding(name, DISAGREEMENT, detail) for name in culprits]
        claims.clear()
        certified = None
    return findings, certified


def _verdict(solutions: Solutions, complete: list[Run], certified: Certified | None) -> Verdict:
    """Return the verdict from the checked solutions, the complete runs without errors, and a certificate."""
    found = solutions.found
    evidence, by = grade(complete) if complete else (None, ())
    # A formula that forbids too much is easily refuted, so a run without that encoder has to agree.
    if certified is not None and (not certified.checked.trusts_encoder or evidence in ("brute-force", "agreed")):
        count = certified.checked.count
        return Verdict(_status(count), count, found, True, "certified", (certified.by,), certified)
    if complete:
        return Verdict(_status(found), found, found, True, evidence, by, certified)
    if found > 1:
        # Two different checked solutions prove "multiple"; no backend has to be trusted for that. Those named have
        # found together as many as are counted.
        by = tuple(dict.fromkeys(finder for _, finder in solutions.finds()))
        return Verdict("multiple", None, found, False, "witnessed", by)
    return Verdict("undecided", None, found, False, None, ())


def _status(solutions: int) -> VerdictStatus:
    return "unsolvable" if solutions == 0 else "unique" if solutions == 1 else "multiple"


def judge_count(
    puzzle: Puzzle, runs: Sequence[Run], limits: Limits, lists: Sequence[Run] = (), solutions: Solutions | None = None
) -> CountResult:
    """Judge counts and complete lists of one puzzle together: the number, the errors, and who is to blame.

    A count is wrong if it is below the number of solutions found and checked, or differs from the number on which brute
    force, or two independent backends, agree; see `reconcile` for the nullity. If two single claims differ, one is
    wrong, and both are named. The ``solutions`` are those of lists that were checked as they came.
    """
    solutions = solutions or Solutions.of(puzzle, lists)
    findings, believed = sift(lists, solutions)
    # Complete lists are claims about the number too, so they are grouped with equal counts.
    groups: dict[int, list[Run]] = {solutions.found: believed} if believed else {}
    for run in runs:
        errors = run_findings(run)
        number = run.counted
        if number is not None and number < solutions.found:
            detail = f"counts {number}; {solutions.found} solutions were found and checked"
            errors.append(Finding(run.backend, "wrong-count", detail))
        if number is not None and not any(finding.problem in DISCREDITS for finding in errors):
            groups.setdefault(number, []).append(run)
        findings += errors
    findings += reconcile(groups, solutions.found, puzzle.nullity())[0]
    grades = {claimed: grade(group) for claimed, group in groups.items()}
    strong = [claimed for claimed, (evidence, _) in grades.items() if evidence != "claimed"]
    # One claim stands by itself; among several, the only one with independent evidence wins.
    settled = list(groups) if len(groups) == 1 else strong if len(strong) == 1 else []
    number = settled[0] if settled else None
    words = {claimed: number_words(claimed, MAX_DIGITS) for claimed in groups}
    for claimed in [claimed for claimed in groups if claimed != number]:
        if number is None:
            problem, other = "counts-differ", next(other for other in groups if other != claimed)
            against = f"{groups[other][0].backend} counts {words[other]}: one of them is wrong"
        else:
            problem, against = "wrong-count", f"{' and '.join(grades[number][1])} counted {words[number]}"
        detail = f"counts {words[claimed]}; {against}"
        findings += [Finding(run.backend, problem, detail) for run in groups[claimed]]
    evidence, by = grades[number] if number is not None else (None, ())
    about, every = tuple(dict.fromkeys(findings)), (*runs, *lists)
    return CountResult(puzzle, number, evidence, by, about, every, limits, solutions.found)


def judge_fewest(puzzle: Puzzle, runs: list[Run], limits: Limits) -> Comparison:
    """Check every solution by the rules, every claimed optimum and bound against all of them, and grade the evidence.

    A bound that nothing contradicts is a claim like any other: if it equals the best solution of another run, the two
    decide the question together.
    """
    found = Solutions.of(puzzle, runs)
    # By number of presses, then by bits, so that reports do not depend on the order of runs.
    solutions = sorted(found.all(), key=lambda grid: (grid.count(), grid.bits))
    best = solutions[0] if solutions else None
    fewest = best.count() if best else None
    finder = dict(found.finds())[best.packed] if best else ""
    findings: list[Finding] = []
    for run, listed in zip(runs, found.lists, strict=True):
        findings += [fault for fault in listed.faults.values() if fault.problem == "wrong-solution"]
        findings += [*_false_claims(puzzle, run, found, best, finder), *run_findings(run)]
    discredited = {finding.backend for finding in findings if finding.problem in DISCREDITS}
    sound = [run for run in runs if run.backend not in discredited]  # in all repetitions, complete or not
    believed = [run for run in sound if run.status == "complete"]
    bounding = max(sound, key=lambda run: run.bound, default=None)  # the first of those with the best bound
    # A press toggles a limited number of lights, which bounds every solution without any backend.
    bound = max(puzzle.min_true_cells, bounding.bound if bounding else 0)
    if believed:
        evidence, by = grade(believed)
    elif bound == fewest:
        # Credited to a run without errors, if one of these has found it too; without a bound, the lights decide.
        finder = next((run.backend for run in sound if best in run.grids), finder)
        decides = [bounding.backend] if bounding and bounding.bound == bound else []
        evidence, by = "claimed", tuple(dict.fromkeys([finder, *decides]))
    else:
        evidence, by = None, ()
    is_decided = evidence is not None
    status: VerdictStatus = "undecided" if not is_decided else "optimal" if best else "unsolvable"
    presses = Presses(fewest, fewest if believed else bound, is_decided)
    verdict = Verdict(status, None, len(solutions), is_decided, evidence, by)
    about = list(dict.fromkeys(findings))
    return Comparison(puzzle, puzzle.nullity(), limits, runs, about, verdict, solutions, presses)


def _false_claims(puzzle: Puzzle, run: Run, found: Solutions, best: Grid | None, finder: str) -> Iterator[Finding]:
    """Yield the claim of a run about the fewest presses that the best solution refutes, or that no grid can fulfil."""
    max_presses = puzzle.rows * puzzle.columns * (puzzle.layout.states - 1)  # of any grid
    own = min((grid.count() for grid in run.grids if grid.packed not in found.rejected), default=None)
    problem = claim = ""
    if best is None:
        if run.status != "complete" and run.bound > max_presses:
            detail = f"claims at least {run.bound} presses of at most {max_presses}, and not that there is no solution"
            yield Finding(run.backend, "false-bound", detail)
        return
    if run.status == "complete" and not run.grids:
        problem, claim = "false-unsolvable", "that there is no solution"
    elif run.status == "complete" and own not in (None, best.count()):
        problem, claim = "not-fewest", f"{own} presses as the fewest"
    elif run.bound > best.count():
        problem, claim = "false-bound", f"at least {run.bound} presses"
    if problem:
        yield Finding(run.backend, problem, f"claims {claim}; {finder} found {best.count()}", best.text)


def judge_minimal_subset(run: Run, check: Run | None = None) -> MinimalSubset:
    """Return the answer of a run, and whether another one, asked only about this answer, needs all of it."""
    findings, runs = run_findings(run), [run] if check is None else [run, check]
    best, bound = min(run.grids, key=Grid.count, default=None), run.bound
    decided, supporting = run.status == "complete", [run]
    if any(finding.problem in DISCREDITS for finding in findings):
        best, bound, decided = None, 0, False
    elif best is not None:
        bound = best.count() if decided else bound
        # The check tries to leave out each element; its last answer is all that it needs.
        if check is not None and check.status == "complete":
            if check.grids[-1:] == [best]:
                supporting = runs
            else:
                says = f"only {check.grids[-1].text} of it is needed" if check.grids else "it does not suffice"
                detail = f"gave {best.text}; {check.backend} says that {says}"
                findings.append(Finding(run.backend, "unconfirmed", detail))
    evidence = None if best is None and not decided else grade(supporting)[0]
    by = tuple(supporter.backend for supporter in supporting)
    return MinimalSubset(best, bound, decided, evidence, by, tuple(findings), tuple(runs))
