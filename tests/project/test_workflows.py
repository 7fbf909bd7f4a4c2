"""The workflows: no action can change below them, and none has more rights than it needs."""

from __future__ import annotations

import re
import tomllib
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


def test_only_a_tag_is_published_with_consent_after_all_its_files_were_installed() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))["jobs"]
    (name,) = (name for name, job in jobs.items() if "id-token" in job.get("permissions", {}))
    assert jobs[name]["if"] == "github.ref_type == 'tag'"
    assert jobs[name]["environment"] == "pypi"
    assert {"sources", "wheels", "install"} <= set(jobs[name]["needs"])
    uploads = [step for step in jobs[name]["steps"] if "gh-action-pypi-publish" in step.get("uses", "")]
    assert len(uploads) == 1
    assert "password" not in uploads[0]["with"]  # trusted publishing, which attests the files


def test_the_wheels_are_tried_on_every_python_of_the_classifiers() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    names = settings["project"]["classifiers"]
    pythons = [last for name in names if re.fullmatch(r"3\.\d+", last := name.rpartition(" ")[2])]
    assert settings["tool"]["cibuildwheel"]["build"] == [f"cp{python.replace('.', '')}-*" for python in pythons]
