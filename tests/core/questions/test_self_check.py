"""Mistakes planted in parts that all backends share: Crosslit finds them in itself before it blames a backend."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

import crosslit
from crosslit import Limits, load
from crosslit.base.errors import InternalError
from crosslit.base.grid import Grid
from crosslit.base.layout import Layout
from crosslit.contract.run import Run
from crosslit.judging.verdict import Finding
from crosslit.kinds import Puzzle, all_kinds, find_kind
from crosslit.questions import self_check
from crosslit.questions.enumerate import Lister
from crosslit.registry import select_one
from crosslit.registry.defaults import default
from crosslit.runs.job import Job
from crosslit.runs.runner import Runner


@pytest.fixture(autouse=True)
def _unchecked() -> Iterator[None]:
    """Let the check run again, with what is planted."""
    self_check.check.cache_clear()
    yield
    self_check.check.cache_clear()


def listed(puzzle: Puzzle) -> Any:
    with Runner(Limits(None)) as runner:
        return Lister(puzzle, select_one(default(puzzle, "list"), puzzle), runner, lambda _: None).run(tuple)


ASK: dict[str, Callable[[Puzzle], Any]] = {
    "compare": lambda puzzle: crosslit.compare(puzzle, default(puzzle, "list"), limit=None),
    "count": lambda puzzle: crosslit.count(puzzle, "cadical195"),  # which lists them
    "enumerate": listed,
    "stats": lambda puzzle: crosslit.audit([puzzle]),
}


def plant_last_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last cell of every grid that arrives is another one."""
    answers = Layout.answers

    def planted(self: Layout, packed: bytes) -> list[Grid]:
        values = [grid.values() for grid in answers(self, packed)]
        return [pack(self, [*each[:-1], (each[-1] + 1) % self.states]) for each in values]

    def pack(layout: Layout, values: list[int]) -> Grid:
        bits = sum(value << place * layout.width for place, value in enumerate(values))
        return answers(layout, bits.to_bytes(layout.size, "little"))[0]

    monkeypatch.setattr(Layout, "answers", planted)


@pytest.mark.parametrize("ask", ASK)
@pytest.mark.parametrize("kind", all_kinds())
def test_a_grid_that_changes_on_arrival_blames_nobody(monkeypatch: pytest.MonkeyPatch, kind: str, ask: str) -> None:
    puzzle = find_kind(kind).samples()[-1]
    plant_last_cell(monkeypatch)
    with pytest.raises(InternalError):
        ASK[ask](puzzle)


@pytest.mark.parametrize("kind", [kind for kind, example in self_check._EXAMPLES.items() if example.counters])
def test_a_count_that_changes_on_arrival_blames_nobody(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    run = Runner.run

    def planted(self: Runner, job: Job, *rest: Any) -> Run:
        found = run(self, job, *rest)
        return replace(found, counted=found.counted and found.counted // 2 if job.spec != "brute" else found.counted)

    monkeypatch.setattr(Runner, "run", planted)
    with pytest.raises(InternalError):
        crosslit.count(find_kind(kind).samples()[-1], check=True)


def test_a_backend_that_is_accused_with_options_takes_no_part(monkeypatch: pytest.MonkeyPatch) -> None:
    checks: list[tuple[str, frozenset[str]]] = []
    monkeypatch.setattr(self_check, "check", lambda *of: checks.append(of))
    self_check.require_sound(load("1|1"), [Finding("line:kernel=no", "wrong-solution", "")])
    self_check.require_sound(load("1|1"), [Finding("line", "timing", "")])
    assert checks == [("nonogram", frozenset({"line"}))]
