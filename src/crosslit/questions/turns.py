"""The planner of all questions: backends are asked in turns, short ones first, until the question is answered."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from crosslit.contract import are_independent
from crosslit.contract.run import Limits, Run
from crosslit.registry import Choice
from crosslit.registry.defaults import Turn
from crosslit.runs.runner import Runner

GROWTH = 4
"""Factor by which turns become longer in each round. Starting again then costs a third; 2 cost .3 to .9 more."""


def take_turns(
    turns: Iterable[Turn],
    runner: Runner,
    ask: Callable[[Choice, Limits], Run],
    is_open: Callable[[], bool],
    suits: Callable[[Choice], bool] = lambda _: True,
    limits: Limits | None = None,
) -> None:
    """Ask the backends that suit in turns while a question is open, then in longer turns, until the time is up.

    A backend that was not stopped by the end of its turn is not asked again, and the last that is left gets all the
    time. ``limits`` are those of the question, by default those of a run; a turn is shorter, in processor time, so that
    a busy machine asks the same backends. A run that such a limit has ended says so in its ``error``.
    """
    limits = limits or runner.limits
    began, factor, asked = time.monotonic(), 1, False
    late: list[Turn] = []
    ended: set[str] = set()
    waiting = iter(turns)
    # Only then the next one: to find out whether it supports the puzzle may import its engine.
    while is_open() and not runner.interrupted:
        turn = next(waiting, None)
        if turn is None:
            again = [turn for turn in late if turn.choice.spec not in ended]
            if not again:
                return
            is_last = len({turn.choice.spec for turn in again}) == 1
            waiting, late, factor = iter([Turn(again[0].choice)] if is_last else again), [], factor * GROWTH
            continue
        choice, seconds = turn
        left = limits.timeout - (round(time.monotonic() - began, 1) if asked else 0)
        if left <= 0:
            return
        if choice.spec in ended or not suits(choice):
            continue
        share = seconds and min(seconds * factor, left)
        run, asked = ask(choice, replace(limits, timeout=left, cpu_timeout=share)), True
        if run.status == "timeout" and not run.error and left < limits.timeout:
            run.error = f"stopped after {left:.3g} s, all the time that was left"
        if run.status == "timeout" and share is not None and share < left:
            late.append(turn)
        else:
            ended.add(choice.spec)


def can_confirm(choice: Choice, runs: Iterable[Run], by: Collection[str]) -> bool:
    """Return whether a backend is independent of the complete runs on whose backends a claim rests."""
    claims = (run.trusted_base for run in runs if run.status == "complete" and run.backend in by)
    return all(are_independent(choice.trusted_base, claim) for claim in claims)
