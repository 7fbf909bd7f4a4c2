"""A failed assertion in pytest shows the whole report."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TEST = """
import crosslit

def test_right():
    assert crosslit.verify(crosslit.solve, kind="lights-out", cases=2)

def test_wrong():
    assert crosslit.verify(lambda board: None, kind="lights-out", cases=5)
"""


@pytest.mark.slow
def test_the_whole_report_is_shown_once(tmp_path: Path) -> None:
    (tmp_path / "test_solver.py").write_text(TEST, encoding="utf-8")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
    done = subprocess.run([*words, "test_solver.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert done.stdout.count("- crosslit verify -") == 1
    for line in ("  puzzle   0", "  answer   unsolvable", "failed: 1 board, claims one"):
        assert line in done.stdout, done.stdout
