"""A kind whose puzzles no engine finishes: a verification keeps its time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

FOLDERS = [str(Path(__file__).parents[2] / "planted_kind"), str(ROOT / "examples" / "formulas")]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [*FOLDERS, os.environ.get("PYTHONPATH")]))}
VERIFY = ["verify", "--kind", "endless"]
COMMAND = [*VERIFY, "--", sys.executable, "-S", "-c", "for _ in open(0): print('[]', flush=True)"]
CRASHING = [*VERIFY, "--", "false"]


@pytest.mark.slow
@pytest.mark.parametrize("words", [[*VERIFY, "--backend", "glucose4"], COMMAND, CRASHING])
def test_a_verification_keeps_its_time_though_no_puzzle_can_be_counted(words: list[str]) -> None:
    command = [sys.executable, "-m", "crosslit", *words[:3], "--seconds", "2", *words[3:]]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=60, check=False)
    assert (done.returncode, done.stdout[:18]) == (3, "nothing judged: 0 "), done.stderr
