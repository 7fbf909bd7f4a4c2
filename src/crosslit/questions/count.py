"""The number of solutions, counted or listed by one backend after another, and confirmed by an independent one."""

from __future__ import annotations

from dataclasses import replace

from crosslit.contract import COUNT
from crosslit.contract.run import Limits
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.judging.answers import CountResult
from crosslit.judging.verdict import DISCREDITS
from crosslit.questions.inquiry import Inquiry
from crosslit.questions.turns import can_confirm, take_turns
from crosslit.registry.defaults import answers, row, turns
from crosslit.runs.runner import Runner, isolated


def count(
    puzzle: PuzzleLike,
    backend: str | None = None,
    *,
    check: bool = False,
    timeout: float = Limits.timeout,
    memory_mb: int = Limits.memory_mb,
    runner: Runner | None = None,
) -> CountResult:
    """Return the number of solutions of a puzzle, and the evidence for it.

    Lights Out boards have 2^nullity solutions or none. Nonograms are counted by listing all solutions, each checked by
    the rules, or by dynamic programming, in turns: `crosslit.registry.table` has their order. Each backend runs in a
    separate process. With ``check`` independent backends count or list too, for tiny puzzles brute force, until one has
    finished.

    Args:
        puzzle: the puzzle, or its one-line form.
        backend: one spec; by default several are asked in turns.
        check: also ask an independent backend.
        timeout: limit of all runs together, in seconds of wall time, and again of those that check.
        memory_mb: limit of each run, in 2^20 bytes.
        runner: an open runner to use, with its own limits; after an interrupt the answer is incomplete.

    Returns:
        A `CountResult`: ``number`` (None if no reliable run gives it), ``evidence``, ``by``, ``findings``, and
            ``unchecked``: why ``check`` confirmed nothing, if so.

    Raises:
        SpecError: if the spec does not name exactly one backend that supports the puzzle.

    Examples:
        >>> from crosslit import load
        >>> found = count(load("1,1,1,1|1,1,1,1"), check=True)
        >>> found.number, found.evidence
        (24, 'agreed')
    """
    puzzle = as_puzzle(puzzle)
    first = answers(puzzle, COUNT.name, backend)
    with isolated(runner, Limits(None, timeout, memory_mb)) as runner:
        inquiry, limits = Inquiry(puzzle, runner), replace(runner.limits, solutions=None)

        def is_open() -> bool:
            errors = any(finding.problem in DISCREDITS for finding in inquiry.result.findings)
            return inquiry.result.number is None and not errors

        take_turns(first, runner, inquiry.ask, is_open, limits=limits)
        if check:
            take_turns(
                turns(row(puzzle, COUNT.name).checks, puzzle, COUNT.name),
                runner,
                inquiry.ask,
                lambda: inquiry.result.evidence in (None, "claimed"),
                lambda choice: can_confirm(choice, inquiry.result.runs, inquiry.result.by),
                limits,
            )
        result = replace(inquiry.result, findings=tuple(inquiry.findings()))
    return replace(result, unchecked=_unchecked(result)) if check and result.evidence == "claimed" else result


def _unchecked(result: CountResult) -> str:
    """Return why nothing has confirmed a number; the runs have the reason of each."""
    others = dict.fromkeys(run.backend for run in result.runs if run.backend not in result.by)
    return f"{', '.join(others)} did not finish" if others else "no independent backend supports this puzzle"
