"""constraints.txt has one version of each required package, on every Python and system."""

from __future__ import annotations

import itertools
import re
import tomllib

import pytest
from packaging.requirements import Requirement

from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
PYTHONS = [
    last for line in PROJECT["project"]["classifiers"] if re.fullmatch(r"3\.\d+", last := line.rpartition(" ")[2])
]
SYSTEMS = [
    {"sys_platform": "linux", "platform_system": "Linux", "platform_machine": "x86_64"},
    {"sys_platform": "linux", "platform_system": "Linux", "platform_machine": "aarch64"},
    {"sys_platform": "darwin", "platform_system": "Darwin", "platform_machine": "arm64"},
    {"sys_platform": "win32", "platform_system": "Windows", "platform_machine": "AMD64"},
]
LOCK = (ROOT / "constraints.txt").read_text(encoding="utf-8")
PINS = [Requirement(line) for line in LOCK.splitlines() if not line.startswith("#")]
REQUIREMENTS = [
    Requirement(line)
    for line in [
        *PROJECT["build-system"]["requires"],
        *PROJECT["project"]["dependencies"],
        *itertools.chain.from_iterable(EXTRAS.values()),
    ]
]


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: "-".join(list(system.values())[1:]))
def test_every_requirement_has_one_version_that_it_allows(python: str, system: dict[str, str]) -> None:
    here = {**system, "python_version": python, "python_full_version": f"{python}.9"}
    pins = [pin for pin in PINS if pin.marker is None or pin.marker.evaluate(here)]
    versions = {pin.name: next(iter(pin.specifier)).version for pin in pins}
    assert len(versions) == len(pins)
    for wanted in REQUIREMENTS:
        if wanted.marker is None or wanted.marker.evaluate(here):
            assert wanted.specifier.contains(versions[wanted.name.lower()], prereleases=True), wanted


def test_the_pages_show_faults_of_locked_versions() -> None:
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")]
    shown = {f"{name}=={version}" for page in pages for name, version in re.findall(r"<!-- of (\S+) (\S+) -->", page)}
    assert shown
    assert shown <= set(LOCK.split())


def test_the_lock_names_no_host_and_no_folder() -> None:
    assert [line for line in LOCK.splitlines() if re.search(r"://|@|^-", line) or " /" in line] == []


def test_tools_and_engines_are_apart() -> None:
    names = {extra: {Requirement(line).name for line in lines} for extra, lines in EXTRAS.items()}
    assert names["dev"] & (names["engines"] | names["exact"] | names["ganak"]) == set()
    alone = [names[extra] for extra in ("choco", "clingo", "cms", "scip", "z3")]
    assert names["engines"] == set().union(*alone)
