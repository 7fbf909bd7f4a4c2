"""Output of `crosslit enumerate`: solutions as bytes, and the result at the end."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from crosslit.cli.output import PipeClosed, complain, read_by_somebody

if TYPE_CHECKING:
    from crosslit.questions.enumerate import Enumeration


def write_bytes(data: bytes | bytearray) -> None:
    """Print bytes unchanged, at once.

    Raises:
        PipeClosed: if the reader has closed the stream.
    """
    if sys.stdout is None:
        raise PipeClosed("there is no standard output")
    rest = memoryview(data)
    with read_by_somebody():
        while rest:  # an unbuffered stream may take only a part when a signal arrives
            rest = rest[sys.stdout.buffer.write(rest) :]
        sys.stdout.buffer.flush()


def tell_end(outcome: Enumeration) -> None:
    """Print on standard error whether the list is complete, and the evidence."""
    for finding in outcome.findings:
        witness = f" (witness {finding.witness})" if finding.witness and len(finding.witness) <= 120 else ""
        complain(f"{finding.backend}: {finding.problem}: {finding.detail}{witness}")
    number = outcome.found
    counted = "no solution" if number == 0 else "1 solution" if number == 1 else f"{number} solutions"
    if outcome.known:
        counted += f", {outcome.known} of them known before"
    if outcome.complete:
        note = f"; {outcome.reason}" if outcome.reason else ""
        complain(f"{counted}, complete (evidence: {outcome.evidence}, by {', '.join(outcome.by)}){note}")
    else:
        # "no solution" would be a claim
        complain(f"{counted if number else 'none listed'}, incomplete ({outcome.reason})")


def record(outcome: Enumeration, limits: Any) -> dict[str, Any]:
    """Return the JSON form of the result."""
    from crosslit.judging.verdict import head_json
    from crosslit.kinds import kind_of
    from crosslit.numbers import exact

    puzzle = outcome.puzzle
    nullity = kind_of(puzzle).nullity(puzzle)
    runs = []
    for run, given in outcome.runs:
        about = run.json()
        del about["digest"], about["repetition"]
        runs.append({**about, "solutions": given})
    return {
        **head_json("enumerate", limits, puzzle, nullity),
        "solutions": exact(outcome.found),
        "known": exact(outcome.known),
        "complete": outcome.complete,
        "evidence": outcome.evidence,
        "by": list(outcome.by),
        "reason": outcome.reason or None,
        "consistent": outcome.consistent,
        "findings": [finding.json() for finding in outcome.findings],
        "runs": runs,
    }
