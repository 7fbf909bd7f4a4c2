"""Docstrings of the public names: sections for arguments, results, errors, related names and an example."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

import pytest

import crosslit
from tests.conftest import ROOT

NAMES = [
    name
    for name in crosslit.__all__
    if inspect.isfunction(value := getattr(crosslit, name))
    or (inspect.isclass(value) and not issubclass(value, Exception))
]


def missing_sections(name: str) -> list[str]:
    value = getattr(crosslit, name)
    sections = set(re.findall(r"^ *([A-Z][A-Za-z ]+):$", value.__doc__, re.MULTILINE))
    needed = {"Args", "Examples", "See Also"}
    if inspect.isfunction(value):
        needed |= {"Raises"} | (set() if value.__annotations__["return"] == "None" else {"Returns"})
    return sorted(needed - sections - ({"Returns"} if "Yields" in sections else set()))


@pytest.mark.parametrize("name", NAMES)
def test_a_public_docstring_has_all_sections(name: str) -> None:
    assert missing_sections(name) == []


def test_every_related_name_is_public() -> None:
    for name in NAMES:
        doc = inspect.getdoc(getattr(crosslit, name)) or ""
        section = re.search(r"^See Also:\n((?: +.*\n?)+)", doc, re.MULTILINE)
        for related in re.findall(r"^ +([\w.]+):", section[1] if section else "", re.MULTILINE):
            assert related.partition(".")[0] in crosslit.__all__, f"{name}: {related}"


@pytest.fixture(scope="module")
def violations() -> dict[str, list[str]]:
    """What pydoclint finds wrong with public names and their methods, by name; pyproject.toml has its settings."""
    pytest.importorskip("pydoclint")
    modules = {inspect.getfile(getattr(crosslit, name)) for name in NAMES}
    command = [sys.executable, "-m", "pydoclint.main", "--quiet", "--config", str(ROOT / "pyproject.toml")]
    done = subprocess.run([*command, *sorted(modules)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, list[str]] = {}
    for line in (done.stdout + done.stderr).splitlines():
        if subject := re.search(r"DOC\d+: (?:Function|Method|Class) `((\w+)[\w.]*)`", line):
            found.setdefault(subject[2], []).append(line.strip())
    assert found, "other functions of these modules have shorter docstrings: does pydoclint still print the same?"
    return found


def test_arguments_and_results_are_documented(violations: dict[str, list[str]]) -> None:
    assert {name: violations[name] for name in NAMES if name in violations} == {}
