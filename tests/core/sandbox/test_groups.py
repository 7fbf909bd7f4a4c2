"""Control groups: processes that have left their parent are counted and ended."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from crosslit_bench.machine import GroupTree, own_group

from crosslit.runs.sandbox import ProcessGroup, RunGroup, enter


@pytest.fixture
def groups() -> Iterator[GroupTree]:
    """Return the control group of this process, where groups may be made below it; whatever their controllers."""
    try:
        tree = GroupTree(own_group(), controllers=())
    except OSError as error:
        # Only the system can delegate a group; the parsing of its files is tested everywhere.
        pytest.skip(f"cgroup v2 is not delegated here: {error}")
    yield tree
    tree.close()


@pytest.mark.skipif(sys.platform != "linux", reason="control groups are of Linux")
def test_a_group_counts_and_ends_what_has_left_its_parent(groups: GroupTree) -> None:
    path = groups.path(1)
    group = RunGroup(path, 1 << 30)

    def leave_a_process() -> None:
        enter(path)
        if os.fork() == 0:
            os.setsid()
            exec("import time\nuntil = time.process_time() + 0.1\nwhile time.process_time() < until: pass")
            time.sleep(600)

    session = ProcessGroup(leave_a_process)
    while not session.has_ended() or group.cpu() < 0.1:
        time.sleep(0.01)
    session.reap()
    assert Path(path, "cgroup.procs").read_text(encoding="utf-8").split()
    assert not group.is_out_of_memory()
    group.close()
    assert not Path(path).exists()
