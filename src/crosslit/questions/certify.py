"""Certificates about all solutions of a puzzle: one run makes a certificate, and another one checks it."""

from __future__ import annotations

from collections.abc import Sequence

from crosslit.contract import Certificate, Certified, CheckResult, UnreadableCertificate
from crosslit.contract.run import Run, RunStatus
from crosslit.judging.verdict import BLAMES, Comparison, Finding
from crosslit.kinds import Puzzle
from crosslit.runs.job import Certify, CheckCertificate, Job
from crosslit.runs.runner import Runner

NEEDS = "there is no reliable complete run"


def seek(
    comparison: Comparison, planned: Sequence[Job], runner: Runner
) -> tuple[Certified | None, list[Finding], dict[str, str]]:
    """Ask the backends of complete, undiscredited runs for certificates, the fastest first, until one is accepted.

    A certificate whose check trusts an encoder is used only if there is no better one. If there are none, backends of
    runs that stopped at the limit are asked if they can derive the number of all solutions. Returned are the accepted
    certificate, if any; the errors in rejected ones; and by backend the reason why none was accepted (the key is empty
    if no run could be asked).
    """
    choices = {job.choice.spec: job.choice for job in planned if job.choice is not None}
    runs, stopped = candidates(comparison, "complete"), candidates(comparison, "limit")
    if not comparison.verdict.complete:
        runs += [run for run in stopped if choices[run.backend].backend.certifies_at_limit]
    stops = f"a run stopped at {comparison.limits.solutions} solutions; a proof needs all of them (--all)"
    reasons: dict[str, str] = {} if runs else {"": stops if stopped else NEEDS}
    findings: list[Finding] = []
    weaker: Certified | None = None
    for run in runs:
        choice = choices[run.backend]
        if not choice.backend.answers("certify"):
            reasons[run.backend] = "it makes no certificates"
            continue
        if runner.interrupted:
            break
        attempt = runner.run(Job(choice=choice, puzzle=comparison.puzzle, request=Certify(run.grids)))
        if attempt.status == "error":
            findings.append(Finding(run.backend, "error", f"while it made a certificate: {attempt.error}"))
        if attempt.status != "complete":
            reasons[run.backend] = _reason(attempt)
            continue
        # In another run than the one that made it: a bug that damages the maker's process cannot damage the check.
        check = check_apart(comparison.puzzle, attempt.text, runner)
        # A check that ran out of time or memory says nothing against the certificate, so it is no finding.
        if check.status in ("gave-up", "error"):
            sides = f"{run.backend} and the certificate checker contradict each other"
            detail = f"{_format(attempt.text)}: {check.error}; {sides}"
            findings.append(Finding(run.backend, "refused-certificate", detail))
        if check.status != "complete":
            reasons[run.backend] = f"the check: {_reason(check)}"
            continue
        try:
            certificate = Certificate.from_json(attempt.text)
            certified = Certified(certificate, run.backend, CheckResult.from_json(check.text))
        except UnreadableCertificate as error:  # the check has read it, so the check's own output is broken
            reasons[run.backend] = f"the check was not understood: {error}"
            continue
        if not certified.checked.trusts_encoder:
            return certified, findings, reasons
        # Go on: the next backend may give a certificate that trusts no encoder.
        weaker = weaker or certified
    return weaker, findings, reasons


def check_apart(puzzle: Puzzle, text: str, runner: Runner) -> Run:
    """Check a certificate from any source, in a separate process.

    The run is ``complete`` with the text of `CheckResult.json`, or ``gave-up`` if the certificate is rejected or cannot
    be read.
    """
    return runner.run(Job(choice=None, puzzle=puzzle, request=CheckCertificate(text)))


def candidates(comparison: Comparison, status: RunStatus) -> list[Run]:
    """Return one run of each undiscredited backend that ended with a status, the fastest first."""
    blamed = {finding.backend for finding in comparison.findings if finding.problem in BLAMES}
    found: dict[str, Run] = {}
    for run in sorted(comparison.runs, key=lambda run: run.timing.total):
        if run.status == status and run.backend not in blamed:
            found.setdefault(run.backend, run)
    return list(found.values())


def _reason(run: Run) -> str:
    return run.error if run.status == "gave-up" else f"{run.status}: {run.error}" if run.error else run.status


def _format(text: str) -> str:
    try:
        # Cut, since an unknown format is any text that a backend wrote.
        return Certificate.from_json(text).format[:40]
    except UnreadableCertificate:
        return "unreadable"
