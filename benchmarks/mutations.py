"""Mutation testing: each mistake of a list is planted in a copy of the project, and its tests must fail.

Run it with ``python benchmarks/mutations.py`` in the environment of the tests. The list is ``mutations.toml`` in this
folder, or any file of this form::

    [[mutation]]
    file = "src/crosslit/grid.py"
    old = "text that is in the file once"
    new = "text to put in its place"
    tests = ["tests/core/test_grid.py"]     # files, or single tests as pytest names them
    survives = "why no test can fail"  # only for a mutation that changes nothing, or nothing worth a test

A mutation is killed if one of its tests fails or exceeds the time limit. All tests first run on the unchanged copy,
because a test that fails there proves nothing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_suffix(".toml")
PACKAGES = ("src", "encoders", "backends", "verify", "bench", "generate", "play")
EXPECTED = {"killed", "survived as expected"}


@dataclass(frozen=True)
class Mutation:
    """A mistake: a text of a file, the text that replaces it, and the tests that should fail then."""

    file: str
    old: str
    new: str
    tests: Sequence[str]
    survives: str = ""

    def label(self) -> str:
        """One line that names it."""
        old, new = (" ".join(text.split()) for text in (self.old, self.new))
        return f"{self.file}: {old} -> {new or '(nothing)'}"


def listed(path: Path) -> list[Mutation]:
    """Return the mutations of a list."""
    return [Mutation(**entry) for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutation"]]


def copy_project(folder: Path) -> None:
    """Copy the files of the checkout as they are now, without what git ignores."""
    listing = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    listed = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():  # skips files deleted since the last commit
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def tests_pass(folder: Path, tests: Sequence[str], seconds: float) -> bool:
    """Run tests in a copy of the project.

    Args:
        folder: the copy.
        tests: files or single tests.
        seconds: the limit of time; tests that exceed it do not pass.

    Returns:
        True if all of them passed or were skipped.
    """
    # the copy's paths precede those of an editable installation
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(str(folder / name) for name in PACKAGES)}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-m", "", "-p", "no:cacheprovider", *tests]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return process.wait(seconds) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def outcome(mutation: Mutation, folder: Path, number: int, seconds: float) -> str:
    """Make a mutation in the copy, run its tests, and undo it; return the result in words."""
    path = folder / mutation.file
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    if text.count(mutation.old) != 1 or mutation.old == mutation.new:
        return "does not apply"
    if not tests_pass_unchanged(folder, tuple(mutation.tests), seconds):
        return "tests fail without it"
    try:
        path.write_text(text.replace(mutation.old, mutation.new), encoding="utf-8")
        os.utime(path, (number, number))  # a different time for each, so that no stale compiled module is used
        passed = tests_pass(folder, mutation.tests, seconds)
    finally:
        path.write_text(text, encoding="utf-8")
        os.utime(path, (0, 0))
    if mutation.survives:
        return "survived as expected" if passed else "killed unexpectedly"
    return "survived" if passed else "killed"


_PASSED: dict[tuple[str, ...], bool] = {}


def tests_pass_unchanged(folder: Path, tests: tuple[str, ...], seconds: float) -> bool:
    """Return whether tests pass in the unchanged copy; they are run once."""
    if tests not in _PASSED:
        _PASSED[tests] = tests_pass(folder, tests, seconds)
    return _PASSED[tests]


def main() -> int:
    """Print one line for each mutation, then their numbers; return 1 if one did not come out as expected."""
    parser = argparse.ArgumentParser(description="Plant mistakes in a copy of the project and run its tests.")
    parser.add_argument("list", nargs="?", type=Path, default=LIST)
    parser.add_argument("--only", default="", metavar="TEXT", help="only mutations whose line holds this text")
    parser.add_argument("--seconds", type=float, default=120, help="time limit of each run of tests (default: 120)")
    options = parser.parse_args()
    # tests send interrupts, which processes started in the background of a shell ignore
    signal.signal(signal.SIGINT, signal.default_int_handler)
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="crosslit-mutations-", ignore_cleanup_errors=True) as name:
        copy_project(Path(name))
        for number, mutation in enumerate(listed(options.list), 1):
            if options.only in mutation.label():
                result = outcome(mutation, Path(name), number, options.seconds)
                counts[result] += 1
                print(f"{result:21} {mutation.label()}", flush=True)
    print(", ".join(f"{count} {result}" for result, count in counts.most_common()))
    return 0 if counts and counts.keys() <= EXPECTED else 1


if __name__ == "__main__":
    sys.exit(main())
