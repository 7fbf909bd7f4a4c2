"""The machine of a run, and control groups: enforcement and accounting by the kernel."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from crosslit_bench.machine import GroupTree, circumstances, delegated
from crosslit_bench.store import RUN_COLUMNS

from crosslit import Limits, load, registry
from crosslit.questions.compare import jobs
from crosslit.registry.specs import define
from crosslit.runs.runner import Runner

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="control groups are of Linux")


def test_the_machine_is_described_by_columns_of_the_store() -> None:
    found = circumstances(3)
    assert found.keys() < RUN_COLUMNS.keys()
    assert (found["jobs"], found["limits_by"]) == (3, "rlimit and /proc (cgroup v2 not delegated)")
    assert found["processors"] >= 1
    assert found["processor"]


@needs_linux
def test_a_group_without_the_controllers_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "cgroup.controllers").write_text("cpu io\n", encoding="utf-8")
    with pytest.raises(OSError, match="no controller memory in "):
        GroupTree(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["cgroup.controllers"]


@needs_linux
def test_the_kernel_ends_a_run_that_needs_more_memory_than_its_group_may() -> None:
    tree = delegated()
    if tree is None:
        # Only systemd or root can delegate the controller; elsewhere the limit is polled, which other tests show.
        pytest.skip("no cgroup v2 with a controller of memory is delegated here")
    define(
        "under-test",
        f'{shlex.quote(sys.executable)} -c "bytes([1]) * (200 << 20); import time; time.sleep(60)"',
        "test",
    )
    try:
        with Runner(Limits(timeout=20, memory_mb=100), group_of=tree.path) as runner:
            run = runner.run(*jobs(load("1,1|1,1"), "under-test"))
    finally:
        registry.forget("under-test")
        tree.close()
    assert run.status == "memory"
