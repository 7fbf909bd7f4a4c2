"""The workflows: no action can change below them, and none has more rights than it needs."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.conftest import ROOT

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.fixture(params=WORKFLOWS, ids=lambda path: path.name)
def text(request: pytest.FixtureRequest) -> str:
    return str(request.param.read_text(encoding="utf-8"))


def test_every_action_is_pinned_by_its_commit(text: str) -> None:
    used = re.findall(r"^ *(?:- )?uses: *(.*)$", text, re.MULTILINE)
    assert used
    assert [line for line in used if not re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v[\d.]+", line)] == []


def test_an_action_has_one_version_in_all_workflows() -> None:
    pins = {pin for path in WORKFLOWS for pin in re.findall(r"uses: *(.*)$", path.read_text("utf-8"), re.MULTILINE)}
    assert len(pins) == len({pin.partition("@")[0] for pin in pins})


def test_a_workflow_reads_the_repository_and_ends_its_predecessor_or_waits(text: str) -> None:
    workflow: dict[str, Any] = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}  # a job that needs more asks for it
    assert "group" in workflow["concurrency"]
    assert all("timeout-minutes" in job for job in workflow["jobs"].values())


def test_no_checkout_leaves_its_token_to_the_steps_after_it(text: str) -> None:
    steps = [step for job in yaml.safe_load(text)["jobs"].values() for step in job["steps"]]
    checkouts = [step for step in steps if step.get("uses", "").startswith("actions/checkout@")]
    assert all(step.get("with", {}).get("persist-credentials") is False for step in checkouts)
