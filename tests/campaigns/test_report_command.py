"""``crosslit bench report``: what it writes and what it says."""

from __future__ import annotations

import html as escaping
import json
from pathlib import Path

from tests.campaigns.reports import campaign
from tests.campaigns.test_report import BOTH, WRONG, honest, with_liar
from tests.conftest import Command


def test_the_command_writes_a_page_and_figures(tmp_path: Path, crosslit: Command) -> None:
    campaign(tmp_path, BOTH, ["a", WRONG], with_liar)
    goal, folder = tmp_path / "r.html", tmp_path / "figures"
    done = crosslit("bench", "report", str(tmp_path / "results.sqlite"), "-o", str(goal), "--figures", str(folder))
    assert done.returncode == 1, done.stderr  # somebody was wrong
    assert done.stdout.startswith(f"{goal}, and ")
    assert len(done.stdout.splitlines()) == 1
    assert goal.read_text().startswith("<!doctype html>")
    assert (folder / "cactus.svg").exists()
    assert (folder / "cactus.pdf").read_bytes().startswith(b"%PDF")


def test_the_command_tells_in_json_what_it_wrote(tmp_path: Path, crosslit: Command) -> None:
    campaign(tmp_path, BOTH, ["a"], honest)
    goal = tmp_path / "r.html"
    done = crosslit("bench", "report", str(tmp_path / "results.sqlite"), "-o", str(goal), "--measure", "cpu", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["bytes"] == goal.stat().st_size
    assert (told["measure"], told["runs"], told["planned"], told["disqualified"]) == ("cpu", 2, 2, 0)
    assert "user and system time" in escaping.unescape(goal.read_text())
