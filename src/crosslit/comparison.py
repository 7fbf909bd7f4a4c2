"""Cross-checking: what the runs on one puzzle say together, what is wrong, and who is to blame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from crosslit import gf2, registry
from crosslit.certificates import Certified
from crosslit.certification import seek
from crosslit.contract import Question
from crosslit.errors import SpecError
from crosslit.findings import DISCREDITS, PROBLEMS, about_running, checked, grade
from crosslit.grid import Grid
from crosslit.isolation import Job, Runner
from crosslit.optimality import judge_fewest
from crosslit.puzzles import LightsOut, Puzzle
from crosslit.records import Comparison, Finding, Limits, Run, Verdict, VerdictStatus, number_words

NULLITY = "nullity"  # stands for a backend where the nullity itself is to blame


def jobs(puzzle: Puzzle, specs: str | Iterable[str], repeat: int = 1, question: Question = "solutions") -> list[Job]:
    """The runs of a comparison: every backend once, then every one again, so that all repetitions see the same machine.

    Raises:
        SpecError: if a spec cannot be read, or nothing that was named suits the puzzle.
        ValueError: if there is to be no repetition.
    """
    if repeat < 1:
        raise ValueError(f"runs are repeated at least once, not {repeat} times")
    chosen = registry.select(specs, puzzle, question)
    if not chosen:
        what = f"this {puzzle.kind} puzzle of {puzzle.rows} x {puzzle.columns}"
        asked = "" if question == "solutions" else f" and the question of {registry.ASKED[question]}"
        raise SpecError(f"no backend among {specs} suits {what}{asked}")
    return [Job(choice, puzzle, repetition, question) for repetition in range(repeat) for choice in chosen]


def compare_jobs(
    puzzle: Puzzle,
    planned: Sequence[Job],
    runner: Runner,
    on_end: Callable[[Run], None] = lambda _: None,
    certify: bool = False,
) -> Comparison:
    """Make the runs, and judge them.

    Args:
        puzzle: what is solved.
        planned: from `jobs`.
        runner: holds the limits.
        on_end: called with each run when it ends.
        certify: also ask complete runs' backends for a certificate, the quickest first, until one is accepted.
    """
    order = {(job.choice.spec, job.repetition): index for index, job in enumerate(planned)}
    runs = []
    with runner.guard():  # over the judging too: an interrupt must not lose what was found
        for _, run in runner.runs(planned):
            on_end(run)
            runs.append(run)
        runs.sort(key=lambda run: order[run.backend, run.repetition])
        fewest = any(job.question == "fewest" for job in planned)
        if fewest:
            return judge_fewest(puzzle, runs, runner.limits)
        comparison = judge(puzzle, runs, runner.limits)
        if not certify:
            return comparison
        certified, findings, reasons = seek(comparison, planned, runner)
        comparison = judge(puzzle, runs, runner.limits, certified)
        comparison.findings += findings
        comparison.uncertified = reasons
        return comparison


def judge(puzzle: Puzzle, runs: list[Run], limits: Limits, certified: Certified | None = None) -> Comparison:
    """Check every solution by the rules, every claim against all solutions, and grade the evidence.

    Pure: it looks at the runs alone. A solution that was found by any run and passed the rules proves wrong every run
    that claims to be complete without it, so that a difference always has a culprit and a witness.

    Args:
        puzzle: what was solved.
        runs: on this puzzle, under the same limits.
        limits: of each run.
        certified: a certificate about the puzzle that was accepted.
    """
    nullity = gf2.board_nullity(puzzle) if isinstance(puzzle, LightsOut) else None
    wrong, finders = checked(puzzle, runs)
    findings: list[Finding] = []
    believed: list[Run] = []  # complete, and nothing speaks against them: so all of them have the same solutions
    for run in runs:
        about = [*_about_solutions(run, wrong, finders), *about_running(run)]
        findings += about
        if run.status == "complete" and not any(finding.problem in DISCREDITS for finding in about):
            believed.append(run)
    solutions = sorted(finders, key=lambda grid: grid.bits)
    if nullity is not None and len(solutions) > (1 << nullity):
        detail = (
            f"{len(solutions)} solutions were found and checked; a board of nullity {nullity} has at most 2^{nullity}"
        )
        findings.append(Finding(NULLITY, "contradicts-nullity", detail))
    elif believed and nullity is not None and len(solutions) not in (0, 1 << nullity):
        against = _about_nullity(len(solutions), nullity, believed)
        findings += against
        believed = [run for run in believed if run.backend not in {finding.backend for finding in against}]
    verdict = _verdict(solutions, believed, finders)
    if certified is not None:
        count = certified.checked.count
        if count == len(solutions) or (not verdict.complete and count > len(solutions)):
            verdict = _certified(verdict, certified, len(solutions))
            if nullity is not None and count not in (0, 1 << nullity):
                detail = f"{number_words(count)} solutions are certified; nullity {nullity} means 0 or 2^{nullity}"
                findings.append(Finding(NULLITY, "contradicts-nullity", detail))
        else:
            findings.append(_contradicted(certified, verdict))
    findings = list(dict.fromkeys(findings))  # repetitions tend to fail alike
    return Comparison(puzzle, nullity, limits, runs, findings, verdict, solutions)


def _certified(verdict: Verdict, certified: Certified, found: int) -> Verdict:
    """What follows from a certificate that nothing contradicts, and from the runs."""
    if certified.checked.trusts_encoder and verdict.evidence not in ("brute-force", "agreed"):
        # a formula that forbids too much is refuted with ease: so somebody without that encoder has to say the same
        return replace(verdict, certificate=certified) if verdict.complete else verdict
    count = certified.checked.count
    return Verdict(_status(count), count, found, True, "certified", (certified.by,), certified)


def _contradicted(certified: Certified, verdict: Verdict) -> Finding:
    """What is wrong with a certificate that says something else than the runs."""
    # a checked solution beyond the certified number, or sound complete runs: the checker itself may be to blame
    claim = f"a certificate of {certified.certificate.format} was accepted for {certified.checked.claim}"
    found = f"{verdict.at_least} solutions {'claimed to be all' if verdict.complete else 'were found and checked'}"
    return Finding(certified.by, "contradicted-certificate", f"{claim}; {found}")


def _about_nullity(found: int, nullity: int, believed: list[Run]) -> list[Finding]:
    """Who is wrong when all solutions are fewer than 2^nullity: the nullity, if two lineages agree on them."""
    detail = f"{found} solutions claimed to be all; a solvable board of nullity {nullity} has 2^{nullity}"
    if grade(believed)[0] != "claimed":
        return [Finding(NULLITY, "contradicts-nullity", detail)]
    return [Finding(run.backend, "contradicts-nullity", detail) for run in believed]


def _about_solutions(run: Run, wrong: dict[Grid, str], finders: dict[Grid, str]) -> list[Finding]:
    found: list[Finding] = []
    own: set[Grid] = set()
    for grid in run.grids:
        if grid in own:
            found.append(Finding(run.backend, "duplicate-solution", "gave this solution more than once", grid.text()))
        elif grid in wrong:
            found.append(Finding(run.backend, "wrong-solution", wrong[grid], grid.text()))
        own.add(grid)
    # one finding a problem is enough: a broken backend can break a million times
    first = {finding.problem: finding for finding in reversed(found)}
    found = [first[problem] for problem in PROBLEMS if problem in first]
    if run.status == "complete":
        lacking = [grid for grid in finders if grid not in own]
        if lacking:
            valid = [grid for grid in own if grid in finders]
            problem = "missing-solution"
            if len(own) == len(valid) < 2:
                problem = "false-unique" if valid else "false-unsolvable"
            detail = f"claims all with {len(valid)}, lacks {len(lacking)}, one found by {finders[lacking[0]]}"
            found.append(Finding(run.backend, problem, detail, lacking[0].text()))
    return found


def _verdict(solutions: list[Grid], complete: list[Run], finders: dict[Grid, str]) -> Verdict:
    """What follows from the checked solutions and the complete runs that nothing speaks against."""
    found = len(solutions)
    if complete:
        evidence, by = grade(complete)
        return Verdict(_status(found), found, found, True, evidence, by)
    if found > 1:
        witnesses = list(finders.values())[:2]
        return Verdict("multiple", None, found, False, "witnessed", tuple(dict.fromkeys(witnesses)))
    return Verdict("undecided", None, found, False, None, ())


def _status(solutions: int) -> VerdictStatus:
    return "unsolvable" if solutions == 0 else "unique" if solutions == 1 else "multiple"
