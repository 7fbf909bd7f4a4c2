"""Hints about missing packages work although no index has Crosslit."""

from __future__ import annotations

import re
import tomllib

import pytest

from crosslit.base.errors import install_hint
from tests.conftest import ROOT

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


@pytest.mark.parametrize("extra", sorted(EXTRAS.keys() - {"dev", "docs"}))
def test_a_hint_names_the_packages_of_an_extra(extra: str) -> None:
    hint = install_hint(extra)
    assert hint.startswith("pip install ")
    for package in EXTRAS[extra]:
        assert package.partition(";")[0] in hint
    assert "crosslit" not in hint


def test_nobody_is_sent_to_an_index_for_crosslit() -> None:
    folders = ["src", "encoders", "backends", "verify", "bench", "generate", "play", "docs", "examples"]
    files = [
        path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".md", ".toml"}
    ]
    pattern = re.compile(r"pip install\s+['\"]?crosslit\b")
    assert [
        str(path) for path in [*files, ROOT / "README.md"] if pattern.search(path.read_text(encoding="utf-8"))
    ] == []
