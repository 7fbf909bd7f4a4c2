"""Commands in this process whose runs are given by a test."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from click.testing import CliRunner, Result

from crosslit import Limits
from crosslit.cli.group import root
from crosslit.contract.run import Run
from crosslit.runs.job import Job
from tests.driving import Given

End = Callable[[Job], Run]
Asked = Callable[..., tuple[Result, Given, dict[str, Any]]]


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Run a command; the runs are made by one function, or by one after another."""

    def ask(
        *arguments: str, runs: End | Iterable[End], interrupted: bool = False
    ) -> tuple[Result, Given, dict[str, Any]]:
        left, options = iter(() if callable(runs) else runs), dict[str, Any]()
        make = runs if callable(runs) else lambda job: next(left)(job)
        runner = Given(make, interrupted=interrupted)

        def opened(limits: Limits, on_start: object = None, **more: Any) -> Given:
            options.update(more)
            runner.limits = limits
            return runner

        for name in ("Runner", "open_runner"):
            monkeypatch.setattr(f"crosslit.runs.runner.{name}", opened)
        monkeypatch.setattr("crosslit.runs.resources.free_cores", lambda: 7)
        return CliRunner().invoke(root, [*arguments]), runner, options

    return ask
