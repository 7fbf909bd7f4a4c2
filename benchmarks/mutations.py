"""Mutation testing: each mistake of a list is planted in a copy of the project, and its tests must fail.

Run it with ``python benchmarks/mutations.py`` in the environment of the tests. The list is ``mutations.toml`` in this
folder, or any file of this form::

    [[mutation]]
    file = "src/crosslit/base/grid.py"
    old = "text that is in the file once"
    new = "text to put in its place"
    tests = ["tests/core/test_grid.py"]     # files, or single tests as pytest names them
    survives = "why no test can fail"  # only for a mutation that changes nothing, or nothing worth a test

A mutation is killed if one of its tests fails or exceeds the time limit. The tests first run on the unchanged copy,
because a test that fails or is skipped there proves nothing.

Each run of tests is a fork of a process that has loaded pytest and the libraries, but no module of Crosslit, so quick
tests take about a second. A mutation of a C file compiles the kernel of the copy.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).parents[1]
LIST = Path(__file__).with_suffix(".toml")
PACKAGES = ("src", "encoders", "backends", "verify", "bench", "generate", "play")
# what most tests import first, and what does not start threads
LIBRARIES = ("click.testing", "defusedxml.ElementTree", "hypothesis", "jinja2", "numpy", "pysat.solvers", "pytest")
COMPILE = """
import pathlib, sys
import hatch_build

home = pathlib.Path("backends/crosslit_backends/compiled")
sys.exit(hatch_build.build(home, home))
"""
EXPECTED = {"killed", "survived as expected", "tests are skipped"}
PASSED, SKIPPED, FAILED, NOT_FOUND = range(4)
USAGE_ERRORS = {4, 5}  # of pytest: a path that does not exist, and no test collected
PROBLEMS = {SKIPPED: "tests are skipped", FAILED: "tests fail without it", NOT_FOUND: "tests do not exist"}


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
    """The mutations of a list."""
    return [Mutation(**entry) for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutation"]]


class Counts:
    """A plugin of pytest that counts the tests that pass."""

    passed = 0

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Count a test if this is the report of its call."""
        self.passed += report.when == "call" and report.passed


class Copy:
    """A copy of the project, in which one mutation at a time is planted.

    Args:
        folder: an empty folder.
        seconds: the limit of each run of tests.
    """

    def __init__(self, folder: Path, seconds: float) -> None:
        self.folder, self.seconds = folder, seconds
        self._unchanged: dict[tuple[str, ...], int] = {}
        listing = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        listed = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():  # skips files deleted since the last commit
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        self._compile()

    def outcome(self, mutation: Mutation) -> str:
        """Plant a mutation, run its tests, and undo it; return the result in words."""
        path, tests = self.folder / mutation.file, tuple(mutation.tests)
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if text.count(mutation.old) != 1 or mutation.old == mutation.new:
            return "does not apply"
        if tests not in self._unchanged:
            self._unchanged[tests] = self._test(tests)
        if self._unchanged[tests] != PASSED:
            return PROBLEMS[self._unchanged[tests]]
        try:
            self._write(path, text.replace(mutation.old, mutation.new))
            passed = self._test(tests) == PASSED
        finally:
            self._write(path, text)
        if mutation.survives:
            return "survived as expected" if passed else "killed unexpectedly"
        return "survived" if passed else "killed"

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text, encoding="utf-8")
        now = time.time_ns()  # compiled modules tell versions of a file apart by its size and the second of its time
        os.utime(path, ns=(now, random.randrange(now // 2)))
        if path.suffix in {".c", ".h"}:
            self._compile()

    def _compile(self) -> None:
        subprocess.run([sys.executable, "-c", COMPILE], cwd=self.folder, stderr=subprocess.DEVNULL, check=False)

    def _test(self, tests: Sequence[str]) -> int:
        """Run tests in a fork of this process, within the limit of time; return one of the four outcomes."""
        child = os.fork()
        if not child:
            self._run(tests)
        end = time.monotonic() + self.seconds
        ended, status = 0, 0
        while not ended and time.monotonic() < end:
            time.sleep(0.02)
            ended, status = os.waitpid(child, os.WNOHANG)
        if not ended:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status) if ended else FAILED

    def _run(self, tests: Sequence[str]) -> NoReturn:
        """Run tests in the copy, in this process, and end it."""
        os.setsid()
        os.chdir(self.folder)
        paths = [str(self.folder / name) for name in PACKAGES]
        sys.path[:0] = [str(self.folder), *paths]  # they precede those of an editable installation
        os.environ["PYTHONPATH"] = os.pathsep.join(paths)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(null, stream)
        pytest, counts = importlib.import_module("pytest"), Counts()
        options = [
            "-x",
            "-n",
            "0",
            "-m",
            "",
            "-p",
            "no:cacheprovider",
            "-W",
            "ignore::pytest.PytestAssertRewriteWarning",
        ]
        status = pytest.main([*options, *tests], plugins=[counts])
        if status in USAGE_ERRORS:
            os._exit(NOT_FOUND)
        os._exit(FAILED if status else PASSED if counts.passed else SKIPPED)


def work(copy: Copy, mutations: Sequence[Mutation], results: Any) -> None:
    """Try some mutations in one copy."""
    for mutation in mutations:
        results.put((copy.outcome(mutation), mutation.label()))


def main() -> int:
    """Print one line for each mutation, then their numbers; return 1 if one did not come out as expected."""
    parser = argparse.ArgumentParser(description="Plant mistakes in a copy of the project and run its tests.")
    parser.add_argument("list", nargs="?", type=Path, default=LIST)
    parser.add_argument("--only", default="", metavar="TEXT", help="only mutations whose line holds this text")
    parser.add_argument("--sample", type=int, metavar="N", help="only N of them, chosen at random")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the choice (default: the time)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="run N at a time (default: 2)")
    parser.add_argument("--seconds", type=float, default=120, help="time limit of each run of tests (default: 120)")
    options = parser.parse_args()
    # tests send interrupts, which processes started in the background of a shell ignore
    signal.signal(signal.SIGINT, signal.default_int_handler)
    mutations = [mutation for mutation in listed(options.list) if options.only in mutation.label()]
    if options.sample is not None:
        print(f"seed {options.seed}")
        mutations = random.Random(options.seed).sample(mutations, min(options.sample, len(mutations)))
    mutations.sort(key=lambda mutation: mutation.tests)  # a copy runs each list of tests once without a mutation
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for name in LIBRARIES:
        importlib.import_module(name)
    counts: Counter[str] = Counter()
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    share = -(-len(mutations) // options.jobs)
    with tempfile.TemporaryDirectory(prefix="crosslit-mutations-", ignore_cleanup_errors=True) as name:
        for job in range(options.jobs):
            copy = Copy(Path(name, str(job)), options.seconds)
            mine = mutations[job * share : (job + 1) * share]
            context.Process(target=work, args=(copy, mine, results), daemon=True).start()
        for _ in mutations:
            result, label = results.get()
            counts[result] += 1
            print(f"{result:21} {label}", flush=True)
    print(", ".join(f"{count} {result}" for result, count in counts.most_common()))
    return 0 if counts and counts.keys() <= EXPECTED else 1


if __name__ == "__main__":
    sys.exit(main())
