"""Cross-checks of solutions, and of the fewest presses: the conclusion, the errors, and who is to blame."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from crosslit.base.grid import Grid
from crosslit.base.grids import packed_blocks
from crosslit.base.numbers import format_count, number_words
from crosslit.contract import Certified
from crosslit.contract.run import Limits, Presses, Run
from crosslit.judging.checks import CheckedRuns, finds
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

NULLITY = "nullity"  # stands for a backend when the nullity itself is wrong


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
    difference has a culprit and a witness. It refutes the nullity or a certificate in the same way, if there are more
    solutions than they allow. If complete runs claim fewer solutions than the nullity or the certificate, nothing shows
    which side is wrong: all are named in findings, and none is believed. Nor is a run of a backend in ``refused``,
    whose certificate about the puzzle was rejected, as long as there are others. The runs may be in ``checks`` already.
    """
    # Kept twice: a disproved nullity must not judge anybody, but the report still shows it.
    nullity = board_nullity = kind_of(puzzle).nullity(puzzle)
    findings, believed, checks = sift(puzzle, runs, checks)
    # A run whose reason turned out wrong confirms no other run; with no run left, the claim of one remains a claim.
    believed = [run for run in believed if run.backend not in refused] or believed[:1]
    found = checks.found
    if nullity is not None and found > 1 << nullity:
        findings.append(disproved_nullity(found, nullity))
        nullity = None
    if certified is not None and found > certified.checked.count:
        findings.append(_disproved(certified, found))
        certified = None
    # A certificate for the same number is a second source, so a single run is not blamed because of the nullity.
    supported = certified is not None and certified.checked.count == found
    # One lineage against the nullity: the run is blamed. Two independent ones are not, see below.
    single = bool(believed) and grade(believed)[0] == "claimed" and not supported
    if single and nullity is not None and found not in (0, 1 << nullity):
        findings += against_nullity(found, nullity, believed)
        believed = []
    # Only now: claims that checked solutions disproved have been removed, and cannot make others doubtful.
    disagreeing = _disagreement(found, believed, nullity, certified)
    if disagreeing:
        findings += disagreeing
        # It is not known which of them is wrong, so none counts.
        believed, certified = [], None
    verdict = _verdict(found, believed, finds(runs, checks.rejected))
    if certified is not None:
        verdict = _certified(verdict, certified, found)
    findings = list(dict.fromkeys(findings))  # repetitions tend to fail alike
    return Comparison(puzzle, board_nullity, limits, runs, findings, verdict, checks.solutions())


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


def disproved_nullity(found: int, nullity: int) -> Finding:
    """Return the finding that more solutions passed the rules than the nullity allows."""
    detail = f"{found} solutions were found and checked; a board of nullity {nullity} has at most 2^{nullity}"
    return Finding(NULLITY, "contradicts-nullity", detail)


def against_nullity(number: int, nullity: int, believed: Iterable[Run]) -> list[Finding]:
    """Blame non-independent runs for a number of solutions that is not 2^nullity."""
    words = number_words(number)
    detail = f"{words} solutions claimed to be all; a solvable board of nullity {nullity} has 2^{nullity}"
    return [Finding(run.backend, "contradicts-nullity", detail) for run in believed]


def disagreement(claims: Iterable[tuple[Iterable[str], str, str]]) -> list[Finding]:
    """Return a finding for each party to a contradiction; it names all of them and blames none.

    A claim is the names of its backends, a phrase for them, and the claimed number.
    """
    claims = list(claims)
    detail = f"solutions {'; '.join(f'by {who}: {number}' for _, who, number in claims)}; one of them is wrong"
    names = dict.fromkeys(name for group, _, _ in claims for name in group)
    return [Finding(name, DISAGREEMENT, detail) for name in names]


def nullity_claim(nullity: int) -> tuple[list[str], str, str]:
    """Return the claim of the nullity, for `disagreement`."""
    return [NULLITY], f"the nullity of {nullity}", f"0 or {number_words(1 << nullity)}"


def run_claim(number: int, runs: Iterable[Run]) -> tuple[list[str], str, str]:
    """Return the claim of some runs, for `disagreement`."""
    names = list(dict.fromkeys(run.backend for run in runs))
    return names, " and ".join(names), number_words(number)


def _disagreement(found: int, believed: list[Run], nullity: int | None, certified: Certified | None) -> list[Finding]:
    """Name complete runs, the nullity and a certificate if two of them contradict each other."""
    claims: list[tuple[set[int], tuple[list[str], str, str]]] = []
    if believed:
        claims.append(({found}, run_claim(found, believed)))
    if nullity is not None:
        claims.append(({0, 1 << nullity}, nullity_claim(nullity)))
    if certified is not None:
        count = certified.checked.count
        who = f"a certificate of {certified.certificate.format} from {certified.by}"
        claims.append(({count}, ([certified.by], who, number_words(count))))
    # Claims are sets of possible numbers, since the nullity allows two: 0 and 2^nullity.
    involved = [claim for numbers, claim in claims if any(numbers.isdisjoint(other) for other, _ in claims)]
    return disagreement(involved) if involved else []


def _certified(verdict: Verdict, certified: Certified, found: int) -> Verdict:
    """Return the verdict from a certificate that nothing contradicts, and from the runs."""
    if certified.checked.trusts_encoder and verdict.evidence not in ("brute-force", "agreed"):
        # a formula that forbids too much is easily refuted, so a run without that encoder has to agree
        return replace(verdict, certificate=certified) if verdict.complete else verdict
    count = certified.checked.count
    return Verdict(_status(count), count, found, True, "certified", (certified.by,), certified)


def _disproved(certified: Certified, found: int) -> Finding:
    """Return the finding that more solutions passed the rules than a certificate allows."""
    claim = f"a certificate of {certified.certificate.format} was accepted for {certified.checked.claim}"
    detail = f"{claim}; {found} solutions were found and checked, so its checker is wrong too"
    return Finding(certified.by, "contradicted-certificate", detail)


def _about_solutions(run: Run, runs: Sequence[Run], puzzle: Puzzle, checks: CheckedRuns) -> list[Finding]:
    different, valid, wrong, repeated = checks.add(run)
    # one finding per problem is enough: a broken backend can make a million errors
    errors: list[tuple[str, str, bytes]] = []
    if wrong is not None:
        errors.append(("wrong-solution", checks.rejected[wrong], wrong))
    if repeated is not None:
        errors.append(("duplicate-solution", "gave this solution more than once", repeated))
    if run.status == "complete" and valid < checks.found:
        own = set(chain.from_iterable(packed_blocks(run.grids)))
        solutions = finds(runs, checks.rejected)
        lacking, finder = next((packed, backend) for packed, backend in solutions if packed not in own)
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
