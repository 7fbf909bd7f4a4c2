"""Cross-checks of solutions, and of the fewest presses: the conclusion, the errors, and who is to blame."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from crosslit.base.grid import Grid
from crosslit.base.grids import Grids, distinct, packed_blocks
from crosslit.base.numbers import format_count, number_words
from crosslit.contract import Certified
from crosslit.contract.run import Limits, Presses, Run
from crosslit.judging.verdict import (
    DISAGREEMENT,
    DISCREDITS,
    Comparison,
    Finding,
    Verdict,
    VerdictStatus,
    grade,
    run_findings,
)
from crosslit.kinds import Puzzle, kind_of
from crosslit.kinds.batch import wrong_grids

NULLITY = "nullity"  # stands for a backend when the nullity itself is wrong
TWICE = "gave this solution more than once"


class CheckedRuns:
    """The different grids of some runs, checked by the rules."""

    def __init__(self, puzzle: Puzzle) -> None:
        self.rejected: dict[bytes, str] = {}  # packed grids that break the rules, with the violation
        self._puzzle, self._layout = puzzle, puzzle.layout
        self._last: dict[bytes, int] = {}  # packed grids, with the number of the last run that has them
        self._runs: dict[int, tuple[int, int, bytes | None, bytes | None]] = {}

    @property
    def found(self) -> int:
        """The number of different solutions."""
        return len(self._last) - len(self.rejected)

    def add(self, run: Run) -> tuple[int, int, bytes | None, bytes | None]:
        """Return the numbers of a run's different grids and of its solutions, and its first wrong and repeated grid.

        A run that was added before is not checked again.
        """
        if id(run) in self._runs:
            return self._runs[id(run)]
        number = len(self._runs)
        repeated: list[bytes] = []
        wrong: dict[bytes, None] = {}
        for records in packed_blocks(run.grids, 1 << 12):
            new = []
            for packed in records:
                last = self._last.get(packed)
                if last is None:
                    new.append(packed)
                elif last == number:
                    repeated.append(packed)
                self._last[packed] = number
            for place, reason in wrong_grids(self._puzzle, Grids(self._layout, b"".join(new))) if new else ():
                self.rejected[new[place]] = reason
            if self.rejected:
                wrong |= dict.fromkeys(packed for packed in records if packed in self.rejected)
        different = len(run.grids) - len(repeated)
        firsts = next(iter(wrong), None), next(iter(repeated), None)
        self._runs[id(run)] = different, different - len(wrong), *firsts
        return self._runs[id(run)]

    def solutions(self) -> Grids:
        """Return the different solutions in the order of their bits."""
        layout, packed = self._layout, bytearray()
        for grid in self._last:
            if grid not in self.rejected:
                packed += grid  # `join` takes another 80 bytes for each
        return Grids(layout, distinct(bytes(packed), layout.size, by_bits=True))

    def finds(self, runs: Sequence[Run]) -> Iterator[tuple[bytes, str]]:
        """Yield the packed solutions of runs in order, with the backend."""
        for run in runs:
            for block in packed_blocks(run.grids):
                yield from ((packed, run.backend) for packed in block if packed not in self.rejected)


def judge(
    puzzle: Puzzle,
    runs: list[Run],
    limits: Limits,
    certified: Certified | None = None,
    refused: Collection[str] = (),
    checks: CheckedRuns | None = None,
) -> Comparison:
    """Check every solution by the rules, every claim against all solutions, and grade the evidence.

    A solution of any run that passed the rules refutes every run that claims to be complete without it, so that every
    difference has a culprit and a witness. A run of a backend in ``refused``, whose certificate about the puzzle was
    rejected, is not believed as long as there are others. The runs may be in ``checks`` already.
    """
    nullity = kind_of(puzzle).nullity(puzzle)
    findings, believed, checks = sift(puzzle, runs, checks)
    # A run whose reason turned out wrong confirms no other run; with no run left, the claim of one remains a claim.
    believed = [run for run in believed if run.backend not in refused] or believed[:1]
    claims = {checks.found: believed} if believed else {}
    contradictions, certified = reconcile(claims, checks.found, nullity, certified)
    verdict = _verdict(checks.found, claims.get(checks.found, []), checks.finds(runs))
    if certified is not None:
        verdict = _certified(verdict, certified, checks.found)
    findings = list(dict.fromkeys(findings + contradictions))  # repetitions tend to fail alike
    return Comparison(puzzle, nullity, limits, runs, findings, verdict, checks.solutions())


def sift(
    puzzle: Puzzle, runs: Sequence[Run], checks: CheckedRuns | None = None
) -> tuple[list[Finding], list[Run], CheckedRuns]:
    """Judge runs asked for all solutions by the rules and by each other's solutions.

    Returns:
        Their errors; the complete runs of backends without an error in any repetition, which all have the same
            solutions; and the check of all solutions by the rules.
    """
    checks = checks or CheckedRuns(puzzle)
    for run in runs:
        checks.add(run)
    findings: list[Finding] = []
    for run in runs:
        findings += [*_about_solutions(run, runs, puzzle, checks), *run_findings(run)]
    # By backend and not by run: a backend that is wrong in one repetition is not believed in the next.
    discredited = {finding.backend for finding in findings if finding.problem in DISCREDITS}
    believed = [run for run in runs if run.status == "complete" and run.backend not in discredited]
    return findings, believed, checks


def reconcile(
    claims: dict[int, list[Run]], found: int, nullity: int | None, certified: Certified | None = None
) -> tuple[list[Finding], Certified | None]:
    """Compare claimed numbers of solutions, with their runs, with the nullity and with a certificate.

    The number of solutions found refutes the nullity or a certificate that allow fewer. Runs of one lineage whose
    number contradicts the nullity are blamed. If two independent ones do, or a certificate for the same number is a
    second source, or if the certificate contradicts anything, nothing shows which side is wrong: all are named in
    findings, and none is believed. Claims that are not believed are removed; returned are the findings, and the
    certificate if it is still believed.
    """
    findings: list[Finding] = []
    if nullity is not None and found > 1 << nullity:
        detail = f"{found} solutions were found and checked; a board of nullity {nullity} has at most 2^{nullity}"
        findings.append(Finding(NULLITY, "contradicts-nullity", detail))
        nullity = None
    if certified is not None and found > certified.checked.count:
        claim = f"a certificate of {certified.certificate.format} was accepted for {certified.checked.claim}"
        detail = f"{claim}; {found} solutions were found and checked, so its checker is wrong too"
        findings.append(Finding(certified.by, "contradicted-certificate", detail))
        certified = None
    # 0 is allowed too: the nullity gives the number of solutions of solvable boards only.
    against = {
        number: runs for number, runs in claims.items() if nullity is not None and number not in (0, 1 << nullity)
    }
    supported = certified.checked.count if certified is not None else None
    if all(number != supported and grade(runs)[0] == "claimed" for number, runs in against.items()):
        for number, runs in against.items():
            fact = f"a solvable board of nullity {nullity} has 2^{nullity}"
            detail = f"{number_words(number)} solutions claimed to be all; {fact}"
            findings += [Finding(run.backend, "contradicts-nullity", detail) for run in runs]
            del claims[number]
    # Possible numbers of solutions, the names of those that claim so, and words for both.
    sides: list[tuple[set[int], list[str], str]] = []
    for number, runs in claims.items():
        names = list(dict.fromkeys(run.backend for run in runs))
        sides.append(({number}, names, f"by {' and '.join(names)}: {number_words(number)}"))
    if nullity is not None:
        words = f"by the nullity of {nullity}: 0 or {number_words(1 << nullity)}"
        sides.append(({0, 1 << nullity}, [NULLITY], words))
    if certified is not None:
        count, format_name = certified.checked.count, certified.certificate.format
        words = f"by a certificate of {format_name} from {certified.by}: {number_words(count)}"
        sides.append(({count}, [certified.by], words))
    involved = [side for side in sides if any(side[0].isdisjoint(numbers) for numbers, _, _ in sides)]
    # Claims of runs that differ from each other only are left to the caller.
    if any(side in involved for side in sides[len(claims) :]):
        detail = f"solutions {'; '.join(words for _, _, words in involved)}; one of them is wrong"
        names = list(dict.fromkeys(chain.from_iterable(names for _, names, _ in involved)))
        findings += [Finding(name, DISAGREEMENT, detail) for name in names]
        claims.clear()
        certified = None
    return findings, certified


def _certified(verdict: Verdict, certified: Certified, found: int) -> Verdict:
    """Return the verdict from a certificate that nothing contradicts, and from the runs."""
    if certified.checked.trusts_encoder and verdict.evidence not in ("brute-force", "agreed"):
        # a formula that forbids too much is easily refuted, so a run without that encoder has to agree
        return replace(verdict, certificate=certified) if verdict.complete else verdict
    count = certified.checked.count
    return Verdict(_status(count), count, found, True, "certified", (certified.by,), certified)


def _about_solutions(run: Run, runs: Sequence[Run], puzzle: Puzzle, checks: CheckedRuns) -> list[Finding]:
    different, valid, wrong, repeated = checks.add(run)
    # one finding per problem is enough: a broken backend can make a million errors
    errors: list[tuple[str, str, bytes]] = []
    if wrong is not None:
        errors.append(("wrong-solution", checks.rejected[wrong], wrong))
    if repeated is not None:
        errors.append(("duplicate-solution", TWICE, repeated))
    if run.status == "complete" and valid < checks.found:
        own = set(chain.from_iterable(packed_blocks(run.grids)))
        lacking, finder = next((packed, backend) for packed, backend in checks.finds(runs) if packed not in own)
        # Only a run without grids claims "unsolvable"; with wrong grids it just lacks some.
        problem = "missing-solution" if different else "false-unsolvable"
        errors.append((problem, incomplete(valid, checks.found - valid, f"{finder} found"), lacking))
    return [
        Finding(run.backend, problem, detail, puzzle.layout.answers(packed)[0].text)
        for problem, detail, packed in errors
    ]


def incomplete(claimed: int, missing: int, source: str) -> str:
    """Return the detail of a finding that some solutions are missing.

    Examples:
        >>> incomplete(1, 2, "gauss found")
        'claims completeness with 1 solution; misses 2, one of which gauss found'
    """
    which = "which" if missing == 1 else "one of which"
    return f"claims completeness with {format_count(claimed, 'solution')}; misses {missing:,}, {which} {source}"


def _verdict(found: int, complete: list[Run], finds: Iterator[tuple[bytes, str]]) -> Verdict:
    """Return the verdict from the checked solutions and the complete runs without errors."""
    if complete:
        evidence, by = grade(complete)
        return Verdict(_status(found), found, found, True, evidence, by)
    if found > 1:
        # Two different checked solutions prove "multiple"; no backend has to be trusted for that.
        first, finder = next(finds)
        other = next(backend for packed, backend in finds if packed != first)
        return Verdict("multiple", None, found, False, "witnessed", tuple(dict.fromkeys([finder, other])))
    return Verdict("undecided", None, found, False, None, ())


def _status(solutions: int) -> VerdictStatus:
    return "unsolvable" if solutions == 0 else "unique" if solutions == 1 else "multiple"


def judge_fewest(puzzle: Puzzle, runs: list[Run], limits: Limits) -> Comparison:
    """Check every solution by the rules, every claimed optimum and bound against all of them, and grade the evidence.

    A checked solution refutes every run that claims an optimum with more presses, and every bound above it. A bound
    that nothing contradicts is a claim like any other: if it equals the best solution of another run, the two decide
    the question together.
    """
    rejected: dict[Grid, str] = {}
    finders: dict[Grid, str] = {}  # the backend that found each solution first
    for run in runs:
        for grid in run.grids:
            if grid in finders or grid in rejected:
                continue
            if (violation := next(puzzle.violations(grid), None)) is None:
                finders[grid] = run.backend
            else:
                rejected[grid] = violation
    # By number of presses, then by bits, so that reports do not depend on the order of runs.
    solutions = sorted(finders, key=lambda grid: (grid.count(), grid.bits))
    best = solutions[0] if solutions else None
    findings: list[Finding] = []
    for run in runs:
        findings += [*_about_presses(run, rejected, finders, best, puzzle), *run_findings(run)]
    discredited = {finding.backend for finding in findings if finding.problem in DISCREDITS}
    sound = [run for run in runs if run.backend not in discredited]  # in all repetitions, complete or not
    believed = [run for run in sound if run.status == "complete"]
    bounding = max(sound, key=lambda run: run.bound, default=None)  # the first of those with the best bound
    nullity = kind_of(puzzle).nullity(puzzle)
    fewest = best.count() if best else None
    # A press toggles a limited number of lights, which bounds every solution without any backend.
    least = max(puzzle.min_true_cells, bounding.bound if bounding else 0)
    if believed:
        presses = Presses(fewest, fewest, True)
        evidence, by = grade(believed)
        verdict = Verdict("optimal" if best else "unsolvable", None, len(solutions), True, evidence, by)
    elif best is not None and least == fewest:
        presses = Presses(fewest, least, True)
        # Credited to a run without errors, if one of these has found it too.
        finder = next((run.backend for run in sound if best in run.grids), finders[best])
        # otherwise the number of lights decides
        decides = [bounding.backend] if bounding and bounding.bound == least else []
        by = tuple(dict.fromkeys([finder, *decides]))
        verdict = Verdict("optimal", None, len(solutions), True, "claimed", by)
    else:
        presses = Presses(fewest, least, False)
        verdict = Verdict("undecided", None, len(solutions), False, None, ())
    return Comparison(puzzle, nullity, limits, runs, list(dict.fromkeys(findings)), verdict, solutions, presses)


def _about_presses(
    run: Run, rejected: dict[Grid, str], finders: dict[Grid, str], best: Grid | None, puzzle: Puzzle
) -> list[Finding]:
    """Return the errors in a run's grids and claims, with one witness for each problem."""
    found = []
    bad = next((grid for grid in run.grids if grid in rejected), None)
    if bad is not None:
        found.append(Finding(run.backend, "wrong-solution", rejected[bad], bad.text))
    counts = [grid.count() for grid in run.grids]
    for before, after, grid in zip(counts, counts[1:], run.grids[1:], strict=False):
        # The contract of this question: each solution is better than the one before.
        if after >= before:
            detail = f"gave {after} presses after {before}"
            found.append(Finding(run.backend, "not-improving", detail, grid.text))
            break
    cells = puzzle.rows * puzzle.columns
    if best is None:
        # No solution presses a cell as often as it has states, so such a bound is a wrong way to say "unsolvable".
        if run.bound > cells * (puzzle.layout.states - 1) and run.status != "complete":
            detail = f"claims at least {run.bound} presses on {cells} cells, and not that there is no solution"
            found.append(Finding(run.backend, "false-bound", detail))
        return found
    fewest = best.count()
    own = min((grid.count() for grid in run.grids if grid in finders), default=None)
    better = f"{finders[best]} found {fewest}"
    if run.status == "complete" and own is None and bad is None:
        found.append(Finding(run.backend, "false-unsolvable", f"claims that there is no solution; {better}", best.text))
    elif run.status == "complete" and own is not None and own > fewest:
        found.append(Finding(run.backend, "not-fewest", f"claims {own} presses as the fewest; {better}", best.text))
    elif run.bound > fewest:
        found.append(Finding(run.backend, "false-bound", f"claims at least {run.bound} presses; {better}", best.text))
    return found
