"""Output of `crosslit enumerate`: solutions as bytes, and the result at the end."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from crosslit.cli.output import PipeClosed, complain

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
    try:
        while rest:  # an unbuffered stream may take only a part when a signal arrives
            rest = rest[sys.stdout.buffer.write(rest) :]
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # buffered text must not fail again when Python closes the stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise PipeClosed("the output was closed") from None


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
    from crosslit._version import __version__
    from crosslit.judging.verdict import SCHEMA, puzzle_json
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
        "schema": SCHEMA,
        "crosslit": __version__,
        "task": "enumerate",
        "limits": limits.json(),
        "puzzle": puzzle_json(puzzle, nullity),
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
