"""Making items in a separate process: limits, ends, and kept results."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import pytest
from crosslit_generate.forked import ForkedWorker

from crosslit import GaveUp

Step = Callable[[str], None]


def stubborn(number: int, on_step: Step) -> int:
    """An item maker that is quick twice, and then ignores everything."""
    on_step(f"number {number}")
    if number == 3:
        signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP})
        time.sleep(60)
    return number


def test_a_process_that_ignores_signals_is_stopped_and_its_items_kept() -> None:
    made: list[int] = []
    steps: list[str] = []
    with ForkedWorker(stubborn, 5, 0.5) as making, pytest.raises(GaveUp, match=r"stopped after 0.5 s \(--timeout\)"):
        for number in making.results(steps.append):
            made.append(number)  # noqa: PERF402  (keeps the items from before the error)
    assert (made, making.interrupted) == ([1, 2], False)
    assert steps == ["number 1", "number 2", "number 3"]


def test_an_interrupt_ends_it_and_is_not_raised() -> None:
    before = signal.getsignal(signal.SIGINT)
    with ForkedWorker(stubborn, 5, 60.0) as making:
        made = list(making.results(lambda what: os.kill(os.getpid(), signal.SIGINT) if what[-1] == "3" else None))
    assert (made, making.interrupted) == ([1, 2], True)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(
    ("error", "raised", "told"),
    [
        (ValueError("none of it"), ValueError, "none of it"),
        (GaveUp("not found"), GaveUp, "not found"),
        (KeyError("a mistake"), RuntimeError, "KeyError: 'a mistake'"),
    ],
)
def test_errors_are_those_of_the_maker(error: Exception, raised: type[Exception], told: str) -> None:
    def fails(number: int, _: Step) -> int:
        if number == 2:
            raise error
        return number

    with ForkedWorker(fails, 3, 60.0) as making:
        results = making.results(print)
        assert next(results) == 1
        with pytest.raises(raised, match=told):
            next(results)


def test_a_process_that_is_killed_has_made_nothing_more() -> None:
    def killed(number: int, _: Step) -> int:
        if number == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    with ForkedWorker(killed, 3, 60.0) as making:
        results = making.results(print)
        assert next(results) == 1
        with pytest.raises(GaveUp, match="the process that makes them was ended"):
            next(results)
