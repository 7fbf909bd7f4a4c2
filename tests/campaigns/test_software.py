"""The software of a campaign: commits of checkouts, contents of plugins, hashes of commands."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from crosslit_bench.plan.file import define_solvers, read
from crosslit_bench.plan.plan import plan
from crosslit_bench.plan.sources import all_instances
from crosslit_bench.provenance import contents, software
from crosslit_bench.provenance.software import Software
from crosslit_bench.store.about import About

from crosslit import registry
from tests.campaigns.test_contents import plugin

__all__ = ["plugin"]

# Commits are read by git, which Crosslit does without where it is missing.
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
CAMPAIGN = """
backends = ["edited", "mine", "gauss"]
[solvers]
mine = "./tools/solver.sh {cnf}"
[[puzzles]]
puzzles = ["10/01"]
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package in a repository without a commit."""
    folder = tmp_path / "repository" / "src" / "crosslit_somebodys"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("A = 1\n")
    git(tmp_path / "repository", "init", "-q")
    monkeypatch.syspath_prepend(str(folder.parent))
    __import__(folder.name)
    yield folder
    sys.modules.pop(folder.name, None)


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"]
    return subprocess.run(
        ["git", "-C", folder, *who, *words], check=True, capture_output=True, text=True
    ).stdout.strip()


def commit(package: Path) -> str:
    git(package, "add", "-A")
    git(package, "commit", "-qm", "A package")
    return git(package, "rev-parse", "HEAD")


def described(package: Path, direct: dict[str, Any] | None = None) -> software.Component:
    owner: Any = SimpleNamespace(
        version="1.0", read_text={"direct_url.json": json.dumps(direct) if direct else None}.get
    )
    return software._described("somebodys", owner, [package.name], "content", ())


@needs_git
def test_the_commit_of_a_checkout_is_known_and_whether_it_was_edited(package: Path) -> None:
    assert described(package).commit == ""
    made = commit(package)
    git(package, "remote", "add", "origin", "https://me:secret@example.org/somebodys.git")
    found = described(package)
    assert (found.commit, found.is_modified, found.origin) == (made, False, "https://example.org/somebodys.git")
    (package / "__init__.py").write_text("A = 2\n")
    assert described(package).is_modified


@needs_git
def test_an_environment_inside_of_a_checkout_has_no_commit_of_it(package: Path) -> None:
    (package.parent / "other.py").write_text("")
    git(package, "add", str(package.parent / "other.py"))
    git(package, "commit", "-qm", "Another file")
    assert described(package).commit == ""


@needs_git
def test_sources_copied_from_a_checkout_have_its_commit_while_they_are_the_same(package: Path, tmp_path: Path) -> None:
    made = commit(package)
    site = tmp_path / "site" / package.name
    shutil.copytree(package, site)
    sys.modules[package.name].__spec__ = importlib.util.spec_from_file_location(package.name, site / "__init__.py")
    direct = {"url": (tmp_path / "repository").as_uri(), "dir_info": {}}
    assert described(package, direct).commit == made
    (package / "__init__.py").write_text("A = 3\n")
    assert described(package, direct).commit == ""


def test_pip_says_the_commit_of_what_it_fetched_from_a_repository(tmp_path: Path) -> None:
    direct = {"url": "https://example.org/a.git", "vcs_info": {"vcs": "git", "commit_id": "0123abcd"}}
    found = described(tmp_path, direct)
    assert (found.commit, found.origin, found.is_modified) == ("0123abcd", "https://example.org/a.git", False)


def test_plugins_and_commands_have_the_hashes_of_their_files(
    plugin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tools").mkdir()
    script = Path("tools/solver.sh")
    script.write_text("#!/bin/sh\nexit 20\n")
    script.chmod(0o755)
    Path("c.toml").write_text(CAMPAIGN)
    campaign = read(Path("c.toml"))
    define_solvers(campaign)
    try:
        about = About.of(campaign, planned=plan(campaign, all_instances(campaign)))
    finally:
        registry.forget("mine")
    found = about.software
    assert found is not None
    crosslit, edited = found.components
    assert (crosslit.name, edited.name, edited.version, edited.brings) == ("crosslit", "edited", "1.0", ("edited",))
    content = hashlib.sha256(plugin.read_bytes()).hexdigest()
    assert edited.content == hashlib.sha256(f"{plugin.name} {content}".encode()).hexdigest()
    digest = hashlib.sha256(script.read_bytes()).hexdigest()
    assert software.ProgramFile(backend="mine", name="./tools/solver.sh", sha256=digest) in found.programs
    assert found.libraries["numpy"] == np.__version__
    assert {"scipy", "ortools", "python-sat"} <= found.libraries.keys()
    assert "mypy" not in found.libraries
    assert Software.from_record(json.loads(json.dumps(about.record()))["software"]) == found


def test_compiled_files_do_not_change_the_content_of_sources(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1\n")
    before = contents.of_folder(tmp_path)
    (tmp_path / "b.abi3.so").write_bytes(b"compiled")
    assert contents.of_folder(tmp_path) == before
    (tmp_path / "a.py").write_text("a = 2\n")
    assert contents.of_folder(tmp_path) != before
