"""Plant mistakes at random in a copy of the checkout, and report how many of them the tests find.

All run once to learn which of them reach each mistake; then those run with it, the quickest first. In C, all do.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import pytest

from hatch_build import build

ROOT = Path(__file__).parents[1]
PACKAGES = ("src", "encoders", "backends", "verify", "bench", "generate", "play")
SWAPPED = {"Lt": "<=", "LtE": "<", "Gt": ">=", "GtE": ">", "Eq": "!=", "NotEq": "==", "In": "not in", "NotIn": "in"}
SWAPPED |= {"Is": "is not", "IsNot": "is", "Add": "-", "Sub": "+", "Mult": "+", "FloorDiv": "*", "LShift": ">>"}
SWAPPED |= {"RShift": "<<", "BitAnd": "|", "BitOr": "&", "And": "or", "Or": "and"}
C_OPERATORS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "^": "|"}
C_OPERATORS |= {"+": "-", "-": "+", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "+=": "-=", "|=": "&="}
# comments, directives and strings match without a group, so that nothing in them is taken
C_TOKENS = re.compile(r"//.*|/\*[\s\S]*?\*/|^#.*|\"[^\"]*\"|(?<= )([<>=!&|+^-]{1,2})(?= )|\b(\d+)\b", re.MULTILINE)
TOUCH = """
import builtins, os
seen = set()  # each site once in a test: some are reached a million times
def touch(site):
    key = site, os.environ.get("PYTEST_CURRENT_TEST")
    if key not in seen:
        seen.add(key)
        with open("PATH", "a") as log:
            log.write(f"{site}\\n")
    return True
builtins.touch = touch
"""


class Site(NamedTuple):
    """A place in a file, as offsets in bytes, and the text that would be a mistake there."""

    path: str
    start: int
    end: int
    mistake: str


def mistakes(node: ast.AST, text: Callable[[ast.expr], str]) -> Iterator[tuple[ast.expr, str]]:
    """Yield pairs of an expression in a node and a mistake in its place, given the source text of expressions."""
    match node:
        case ast.Compare(left, [sign], [right]) | ast.BinOp(left, sign, right) if type(sign).__name__ in SWAPPED:
            yield node, f"{text(left)} {SWAPPED[type(sign).__name__]} {text(right)}"
        case ast.BoolOp(sign, values):
            yield node, f" {SWAPPED[type(sign).__name__]} ".join(map(text, values))
        case ast.Constant(int(value)):  # True and False are numbers, too
            yield node, str(not value) if isinstance(value, bool) else str(value + 1)
        case ast.If(test) | ast.IfExp(test):
            yield test, f"not {text(test)}"
        case ast.Expr(ast.Call() as call):
            yield call, "None"


def expressions(node: ast.AST, is_inside: bool = False) -> Iterator[ast.AST]:
    """Yield the nodes in the functions of a module, without annotations, format strings, patterns and assertions."""
    if is_inside:
        yield node
    left_out = getattr(node, "annotation", None)
    is_inside = is_inside or isinstance(node, ast.FunctionDef)
    for child in node.body if isinstance(node, ast.FunctionDef) else ast.iter_child_nodes(node):
        is_strict = isinstance(child, ast.keyword) and child.arg == "strict"  # no call of zip depends on it
        if child is not left_out and not is_strict and not isinstance(child, ast.JoinedStr | ast.pattern | ast.Assert):
            yield from expressions(child, is_inside)


def python_sites(path: str, source: bytes) -> Iterator[Site]:
    """Yield the possible mistakes in a module."""
    starts = [0, *accumulate(map(len, source.splitlines(keepends=True)))]

    def span(node: ast.expr) -> slice:
        last, column = node.end_lineno or 0, node.end_col_offset or 0
        return slice(starts[node.lineno - 1] + node.col_offset, starts[last - 1] + column)

    def text(node: ast.expr) -> str:
        return f"({source[span(node)].decode()})"

    for node in expressions(ast.parse(source)):
        for old, mistake in mistakes(node, text):
            if not any(isinstance(part, ast.Yield | ast.YieldFrom | ast.NamedExpr) for part in ast.walk(old)):
                yield Site(path, span(old).start, span(old).stop, f"({mistake})")


def c_sites(path: str, source: bytes) -> Iterator[Site]:
    """Yield the possible mistakes in a file of C: other operators, and numbers that are larger by one."""
    for token in C_TOKENS.finditer(source.decode("ascii")):
        operator, number = token.groups()
        if mistake := C_OPERATORS.get(operator) if operator else number and str(int(number) + 1):
            yield Site(path, *token.span(), mistake)


def write(path: Path, source: bytes) -> None:
    """Write a module with a later time than it has, so that its compiled form is not taken for the new one's."""
    nanoseconds = path.stat().st_mtime_ns + 5 * 10**9
    path.write_bytes(source)
    os.utime(path, ns=(nanoseconds, nanoseconds))


def run_tests(tree: Path, *arguments: str, **environment: str) -> bool:
    """Return whether all tests pass in the copy, in an hour."""
    command = ["timeout", "3600", sys.executable, "-m", "pytest", "-p", "benchmarks.plant", "--timeout=60", *arguments]
    return subprocess.run(command, cwd=tree, env=os.environ | environment, stdout=subprocess.DEVNULL).returncode == 0


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note which sites a test reached that passed (this module is a plugin of pytest, too)."""
    log = Path(os.environ.get("CROSSLIT_TOUCHED", ""))
    if report.when == "call" and log.is_file():
        with log.with_suffix(".jsonl").open("a", encoding="utf-8") as out:
            for site in {*log.read_bytes().split()} if report.passed else ():
                print(json.dumps([int(site), report.duration, report.nodeid]), file=out)
        log.unlink()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the chosen tests, in the order in which they are chosen."""
    if chosen := os.environ.get("CROSSLIT_CHOSEN"):
        order = {name: index for index, name in enumerate(json.loads(chosen))}
        items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])


def reaching(tree: Path, sites: list[Site], tests: list[str]) -> dict[int, list[tuple[float, str]]]:
    """Run the tests once, and return those that reach each site, by its index, with their seconds."""
    log = tree / "touched"
    (tree / "sitecustomize.py").write_bytes(TOUCH.replace("PATH", str(log)).encode())
    for index, site in sorted(enumerate(sites), key=lambda pair: pair[1].start, reverse=True):
        source = (tree / site.path).read_bytes()
        touching = b"(touch(%d) and (%s))" % (index, source[site.start : site.end])
        write(tree / site.path, source[: site.start] + touching + source[site.end :])
    run_tests(tree, *tests, CROSSLIT_TOUCHED=str(log))
    for site in sites:
        write(tree / site.path, (ROOT / site.path).read_bytes())
    found = defaultdict(list)
    for index, needed, name in map(json.loads, log.with_suffix(".jsonl").read_bytes().splitlines()):
        found[index].append((needed, name))
    return found


def main() -> None:
    """Draw sites, run the tests of each, and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", default=PACKAGES, help="folders and files  [default: all packages]")
    parser.add_argument("--number", type=int, default=30, help="mistakes to plant")
    parser.add_argument("--seed", default="0", help="seed of the draw")
    parser.add_argument("--tests", nargs="+", default=[], metavar="PATH", help="[default: the default suite]")
    parser.add_argument("--c", action="store_true", help="plant in the compiled kernel")
    args = parser.parse_args()
    sites_of, pattern = (c_sites, "*.c") if args.c else (python_sites, "*.py")
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch, "checkout")
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__"))
        os.environ["PYTHONPATH"] = os.pathsep.join(map(str, [tree, *(tree / package for package in PACKAGES)]))
        paths = map(tree.joinpath, args.paths)
        files = sorted(file for path in paths for file in (path.rglob(pattern) if path.is_dir() else [path]))
        places = [site for path in files for site in sites_of(str(path.relative_to(tree)), path.read_bytes())]
        sites, found = list[Site](), 0
        for site in random.Random(args.seed).sample(places, len(places)):
            others = (each for each in sites if each.path == site.path and each.start < site.end)
            if len(sites) < args.number and all(each.end <= site.start for each in others):
                sites.append(site)
        tests = {} if args.c else reaching(tree, sites, args.tests)
        for index, site in enumerate(sites):
            source = (tree / site.path).read_bytes()
            write(tree / site.path, source[: site.start] + site.mistake.encode() + source[site.end :])
            if args.c:
                kernel = (tree / site.path).parent
                passed = not build(kernel, kernel) and run_tests(tree, "-x", "--timeout-method=thread", *args.tests)
            else:
                chosen = [name for _, name in sorted(tests[index])[:500]]
                modules = {name.partition("::")[0] for name in chosen}
                passed = not chosen or run_tests(tree, "-x", *modules, CROSSLIT_CHOSEN=json.dumps(chosen))
            write(tree / site.path, source)
            found += not passed
            line, old = source[: site.start].count(b"\n") + 1, source[site.start : site.end].decode()
            print(f"{'LEFT ' if passed else 'found'} {site.path}:{line}: {old} -> {site.mistake}", flush=True)
    print(f"{found} of {len(sites)} found, of {len(places)} places (seed {args.seed})")


if __name__ == "__main__":
    main()
