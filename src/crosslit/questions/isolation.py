"""The runner of a question: that of the caller, or one for this question only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from crosslit.runs.run import Limits
from crosslit.runs.runner import Runner


@contextmanager
def isolated(runner: Runner | None, limits: Limits, side_by_side: int = 1) -> Iterator[Runner]:
    """Yield the given runner, whose owner handles interrupts, or a new one, which raises them when it has ended."""
    if runner is not None:
        yield runner
        return
    with Runner(limits, side_by_side) as own:
        yield own
    if own.interrupted:
        raise KeyboardInterrupt
