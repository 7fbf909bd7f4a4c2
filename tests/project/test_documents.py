"""Every example of README.md and of the pages in docs/ is run, and its output compared with the page.

Examples of Python are doctests (`testpaths` in pyproject.toml). This module runs the commands: a block ``console``
has commands after ``$ `` and their output, in which ``[...]`` stands for anything; a block ``sh`` has commands that
succeed, as those in the lists of ``i-want-to.md`` do. Times differ from run to run and are not compared. A block after
``<!-- file: NAME -->`` is written to that file, one after ``<!-- not run: why -->`` is only shown, and one after ``<!--
of NAME VERSION -->`` shows a fault of that version of a package, and runs if it is installed.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import importlib.metadata
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import crosslit
from crosslit import contract
from tests.conftest import ROOT, installed
from tests.inline import run_inline

PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if "reports" not in page.parts]  # their scripts need the programs with the faults
ELSEWHERE = {
    "docs/how-to/add-a-backend.md": "tests/project/test_structure.py",
    "docs/reference/verify-protocol.md": "tests/verify/test_protocol_page.py",
}
"""Pages with examples that need more than a command, and the tests that run them."""
LANGUAGES = {"console", "json", "mermaid", "pycon", "sh", "text", "toml"}
WITH_A_BUG = "examples/contiguous_first_rows.py"
_FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
_NOT_RUN = re.compile(r"<!-- (not run: \S.*|\w+ command) -->\s*\Z")  # .ci/run runs the two commands of the README
_FILE = re.compile(r"<!-- file: ([\w.]+) -->\s*\Z")
_OF = re.compile(r"<!-- of (\S+) (\S+) -->\s*\Z")
_TIME = re.compile(r"\b\d[\d.,]*( ms| s| us)\b|\b\d+ (?=a second)")
_LOAD = re.compile(r"^warning: .* disturbed by other load.*$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    text: str
    runs: bool
    file: str | None


def blocks(path: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page."""
    page = path.read_text(encoding="utf-8")
    for fence in _FENCE.finditer(page):
        text = re.sub(f"^{fence[1]}", "", fence[3], flags=re.MULTILINE)
        before = page[: fence.start()]
        file, of = _FILE.search(before), _OF.search(before)
        runs = not _NOT_RUN.search(before) and (of is None or is_installed(of[1], of[2]))
        yield Block(fence[2], text, runs, file and file[1])
    if path.name == "i-want-to.md":
        commands = re.findall(r"^  `(.+)`$", page, re.MULTILINE)
        yield Block("sh", "\n".join(commands), True, None)


def is_installed(name: str, version: str) -> bool:
    try:
        return importlib.metadata.version(name) == version
    except importlib.metadata.PackageNotFoundError:
        return False


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


WITH_COMMANDS = [
    path
    for path in PAGES
    if name_of(path) not in ELSEWHERE
    and any(block.runs and block.language in {"console", "sh"} for block in blocks(path))
]


SLOW = {"add-a-kind.md", "i-want-to.md", "researchers.md"}


class Shell:
    """Runs the commands of a page in a folder that has the examples, as a checkout does."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._environment = folder, dict(os.environ)
        shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))

    def run(self, line: str) -> tuple[int, str]:
        """Return the exit status of a command line, and its standard output and errors."""
        words = [sys.executable if word == "python" else word for word in shlex.split(line)]
        if words[:2] == ["pip", "install"]:  # a distribution of the examples
            self._environment = installed(self.folder, self.folder / words[-1])
            return 0, ""
        if words[0] == "crosslit" and self._environment == os.environ:
            done = run_inline(*words[1:], cwd=self.folder)
        else:
            words = [sys.executable, "-m"] * (words[0] == "crosslit") + words
            options = {"cwd": self.folder, "env": self._environment, "timeout": 120}
            done = subprocess.run(words, capture_output=True, text=True, **options)  # type: ignore[call-overload]
        return done.returncode, done.stdout + done.stderr


def comparable(text: str) -> str:
    """Return a text without the parts that differ between runs: times, widths that depend on them, and other load."""
    text = _TIME.sub("TIME", text.replace(shlex.quote(sys.executable), "python"))
    return "\n".join(" ".join(line.split()) for line in re.sub("─+", "─", _LOAD.sub("", text)).strip().splitlines())


def check_output(line: str, shown: str, given: str) -> None:
    """Compare the output of a command with that of the page."""
    expected = ".*".join(map(re.escape, comparable(shown).split("[...]")))
    assert re.fullmatch(expected, comparable(given), re.DOTALL), f"$ {line}\n{given}\nthe page has\n{shown}"


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.slow] if path.name in SLOW else [], id=name_of(path))
        for path in WITH_COMMANDS
    ],
)
def test_the_commands_of_a_page_do_what_it_shows(path: Path, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    for block in blocks(path):
        if block.file:
            text = block.text.replace('"python ', f'"{shlex.quote(sys.executable)} ')  # as in commands
            (tmp_path / block.file).write_text(text, encoding="utf-8")
        elif block.runs and block.language == "sh":
            for line in block.text.replace("\\\n", "").splitlines():
                status, output = shell.run(line)
                assert status == (WITH_A_BUG in line), f"$ {line}\n{output}"
        elif block.runs and block.language == "console":
            for example in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
                line, _, shown = example.partition("\n")
                status, output = shell.run(line)
                assert status < 4, f"$ {line}\n{output}"
                check_output(line, shown, output)


@pytest.mark.parametrize("path", [path for path in PAGES if name_of(path) not in ELSEWHERE], ids=name_of)
def test_every_block_of_a_page_is_of_a_language_that_is_run_or_read(path: Path) -> None:
    for block in blocks(path):
        if block.runs and not block.file:
            assert block.language in LANGUAGES, block.text
            assert ("\n$ " in "\n" + block.text) == (block.language == "console"), block.text
            assert ("\n>>> " in "\n" + block.text) == (block.language == "pycon"), block.text
            if block.language == "json":
                json.loads(block.text)
            elif block.language == "toml":
                tomllib.loads(block.text)


def test_the_pages_that_something_else_runs_are_run_by_it() -> None:
    for page, program in ELSEWHERE.items():
        assert (ROOT / page).exists()
        assert Path(page).name in (ROOT / program).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_every_link_of_a_page_leads_to_a_file_of_the_checkout(path: Path) -> None:
    prose = _FENCE.sub("", path.read_text(encoding="utf-8"))
    links = [link for link in re.findall(r"\]\(([^)#]+)[)#]", prose) if "://" not in link]
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_every_path_that_a_page_names_is_in_the_checkout() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in PAGES)
    folders = "backends|bench|benchmarks|docs|encoders|examples|generate|play|src|tests|verify"
    paths = set(re.findall(rf"`((?:{folders})/[\w/.-]+)`", text))
    assert len(paths) > 40
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []


def public_names(module: ModuleType) -> list[str]:
    imported = {"annotations", *vars(typing), *vars(collections.abc), *vars(dataclasses)}
    objects = ((name, value) for name, value in vars(module).items() if name not in imported)
    names = [name for name, value in objects if name[0] != "_" and not isinstance(value, ModuleType)]
    return getattr(module, "__all__", names)


@pytest.mark.parametrize(
    ("page", "modules"),
    [("python", [crosslit]), ("plugin-api", [contract])],
    ids=["python", "plugin-api"],
)
def test_the_pages_of_the_api_have_every_public_name(page: str, modules: list[ModuleType]) -> None:
    text = (ROOT / "docs" / "reference" / f"{page}.md").read_text(encoding="utf-8")
    generated = re.findall(r"^::: (.+)$", text, re.MULTILINE)
    named = {name.rpartition(".")[2] for name in generated} | set(re.findall(r"`(\w+)`", text)) | {"__version__"}
    assert [name for module in modules for name in public_names(module) if name not in named] == []
    for name in generated:
        module, _, short = name.rpartition(".")
        assert short in public_names(import_module(module))


def test_the_pictures_of_the_pages_are_those_that_their_code_draws() -> None:
    path = ROOT / "docs" / "figures.py"
    names = runpy.run_path(str(path))
    assert [
        name for name, text in names["figures"]().items() if (path.parent / name).read_text(encoding="utf-8") != text
    ] == []


def test_the_citation_and_the_changelog_name_a_release() -> None:
    if ".dev" not in crosslit.__version__:
        assert f"\n## [{crosslit.__version__}] - " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        assert f"\nversion: {crosslit.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
