"""The time that commands take, with compiled modules, as in an installed package."""

from __future__ import annotations

import os
import resource
import subprocess
import time

from crosslit.cli.output import FINDING, UNDECIDED


def compiled(folder: str) -> dict[str, str]:
    """Return the environment for commands, which keep their modules compiled in a folder."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**environment, "PYTHONPYCACHEPREFIX": folder}


def command_seconds(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Return how long a command takes: by the clock, and processor time of all its processes."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    nowhere = subprocess.DEVNULL
    code = subprocess.run(command, env=environment, stdout=nowhere, stderr=nowhere).returncode
    if code not in (0, FINDING, UNDECIDED):
        raise SystemExit(f"the command {command} ended with exit status {code}")
    clock, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
