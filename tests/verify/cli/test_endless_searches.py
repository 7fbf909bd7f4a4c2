"""A kind whose puzzles no engine finishes: commands keep their limits, and end when they are told to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PLANTED = Path(__file__).parents[2] / "planted_kind"
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(PLANTED), os.environ.get("PYTHONPATH")]))}
VERIFY = ["verify", "--kind", "endless"]
COMMAND = [*VERIFY, "--", sys.executable, "-S", "-c", "for _ in open(0): print('[]', flush=True)"]
CRASHING = [*VERIFY, "--", "false"]


def started(*words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "crosslit", *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, encoding="utf-8", env=ENVIRONMENT)


@pytest.mark.slow
@pytest.mark.parametrize("words", [[*VERIFY, "--backend", "glucose4"], COMMAND, CRASHING])
def test_a_verification_keeps_its_time_though_no_puzzle_can_be_counted(words: list[str]) -> None:
    with started(*words[:3], "--seconds", "2", *words[3:]) as process:
        try:
            stdout, stderr = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, stdout[:18]) == (3, "nothing judged: 0 "), stderr


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_ends_at_a_signal_while_an_engine_searches(number: signal.Signals) -> None:
    with started(*COMMAND) as process:
        time.sleep(3)
        process.send_signal(number)
        try:
            _, stderr = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 128 + number, stderr
