"""Making items in a separate process: limits, ends, and kept results."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import pytest
from crosslit_generate.forked import ForkedWorker

from crosslit import GaveUp, InputError
from crosslit.base.errors import UnenforcedLimit

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
        (InputError("file", "none"), ValueError, "file: none"),
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


def test_without_forks_this_process_makes_everything_and_says_that_no_limit_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("crosslit_generate.forked.isolation_problem", lambda: "no forks here")
    steps: list[str] = []

    def make(number: int, on_step: Step) -> tuple[int, int]:
        on_step(f"number {number}")
        if number == 3:
            raise GaveUp("not found")
        return number, os.getpid()

    with pytest.warns(UnenforcedLimit, match="--seconds has no effect on this system"):
        making = ForkedWorker(make, 4, 0.0, "--seconds").__enter__()
    results = making.results(steps.append)
    assert [next(results), next(results)] == [(1, os.getpid()), (2, os.getpid())]
    with pytest.raises(GaveUp, match="not found"):
        next(results)
    making.__exit__()
    assert steps == ["number 1", "number 2", "number 3"]


def test_a_second_interrupt_is_raised() -> None:
    before = signal.getsignal(signal.SIGINT)
    with ForkedWorker(stubborn, 5, 60.0) as making:
        making._interrupt()
        assert making.interrupted
        with pytest.raises(KeyboardInterrupt):
            making._interrupt()
    assert signal.getsignal(signal.SIGINT) is before


def test_an_ignored_interrupt_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with ForkedWorker(lambda number, _: number, 2, 60.0) as making:
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            assert list(making.results(print)) == [1, 2]
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_each_item_has_the_whole_time_and_a_wait_is_cut_to_what_a_system_accepts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("crosslit_generate.forked._MAX_WAIT_SECONDS", 0.01)

    def slow(number: int, _: Step) -> int:
        time.sleep(0.05)
        return number

    with ForkedWorker(slow, 3, 1e300) as making:
        assert list(making.results(print)) == [1, 2, 3]
