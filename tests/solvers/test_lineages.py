"""Independent backends share no code: the tests follow their imports, and plant a bug in shared code."""

from __future__ import annotations

import ast
import functools
import importlib.util
import inspect
import itertools
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crosslit import load, registry
from crosslit.kinds import LightsOut, Nonogram, Puzzle, all_kinds
from crosslit.registry import Choice
from crosslit.registry.defaults import turns
from crosslit.registry.table import find_row
from tests.conftest import Command

OURS = ("crosslit", "crosslit_encoders", "crosslit_backends")

SHARED = {
    "crosslit.base.version": "the version of the package",
    "crosslit.contract": "the contract of backends and encodings",
    "crosslit.contract.registered": "backends, encodings and file forms by name",
    "crosslit.contract.certificate": "the form of a certificate; the checkers run in another process",
    "crosslit.base.errors": "the errors of the contract",
    "crosslit.base.grid": "grids of cells, their layout, and lists of them",
    "crosslit.base.posix": "the lock on the folder of a run; it decides nothing about a puzzle",
    "crosslit.kinds.lights_out.board": "the puzzle and its rules",
    "crosslit.kinds.lights_out.rules": "the lights that a press changes",
    "crosslit.kinds.nonogram.puzzle": "the puzzle and its rules",
    "crosslit.kinds.nonogram.colours": "the rules of nonograms in several colours",
    "crosslit.contract.puzzle": "what every kind of puzzle has",
    "crosslit.base.text": "numbers in JSON",
    "crosslit.base.records": "how a formula is printed",
    "crosslit_backends.lights_out.certificate": "short certificates, checked by code that shares nothing with it",
    "crosslit_backends.compiled": "the library of C, in whose source `alignment` has its own file",
    "crosslit_backends.commands.child_processes": "the words, the version and the output of a command",
    "crosslit_encoders.cells": "comments of a formula that is written to a file, and the cells that it is about",
    "crosslit_backends.base": "the name, groups and version of a native backend",
}
"""The modules that independent backends may share, each with the reason; docs/explanation/evidence.md refers here."""

PUZZLES = ("crosslit.contract.puzzle", "crosslit.kinds.lights_out.board", "crosslit.registry.table")


@functools.cache
def source(module: str) -> ast.Module | None:
    """The parsed source of a module; None if there is no such module."""
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError:
        return None
    return ast.parse(Path(spec.origin).read_text(encoding="utf-8")) if spec is not None and spec.origin else None


def imports(tree: ast.AST, outside: bool = False) -> Iterator[tuple[str, str | None]]:
    """The modules that a module imports anywhere, each with the name it takes from there; not those for types only.

    With ``outside``, only those that it imports outside functions.
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if outside and isinstance(node, ast.FunctionDef):
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute here"
            yield from ((str(node.module), alias.name) for alias in node.names)
        yield from imports(node, outside)


@functools.cache
def home(module: str, name: str | None) -> str:
    """The module that defines an imported name: a package only re-exports the names of its modules."""
    if name is None:
        return module
    tree = source(module)
    assert tree is not None
    for origin, taken in imports(tree):
        if taken == name and origin.split(".")[0] in OURS and origin != module:  # else its own module of that name
            return home(origin, name)
    submodule = f"{module}.{name}"
    return submodule if submodule.split(".")[0] in OURS and source(submodule) is not None else module


@functools.cache
def closure(module: str) -> frozenset[str]:
    """The modules of ours that are needed for one of them, itself included."""
    found: set[str] = set()
    left = [module]
    while left:
        tree = source(module := left.pop())
        if module in found or tree is None:
            continue
        found.add(module)
        # a package that is imported for one of its modules is not entered: `home` has found that module
        # The methods of puzzles import what commands need; which of them solvers execute, test_shared_functions finds.
        named = imports(tree, outside=module in PUZZLES)
        left += [home(origin, name) for origin, name in named if origin.split(".")[0] in OURS]
    return frozenset(found)


def defining(thing: Any) -> tuple[str, str]:
    while isinstance(thing, functools.partial):
        thing = thing.func
    return str(thing.__module__), str(thing.__name__)


def choices() -> list[Choice]:
    """Every built-in backend, with each encoding that it takes."""
    found = []
    for name, backend in registry.all_backends().items():
        if not backend.targets:
            found.append(Choice(name, backend, None))
        found += [
            Choice(f"{name}/{encoding.name}", backend, encoding)
            for encoding in registry.all_encodings().values()
            if encoding.target in backend.targets and encoding.kind in registry.kinds(backend)
        ]
    return [choice for choice in found if type(choice.backend).__module__.startswith("crosslit_backends.")]


def team(puzzle: Puzzle) -> list[Choice]:
    """The solver of the reference of `crosslit verify`, and those that check it."""
    row = find_row(puzzle, "verify")
    assert row is not None
    return [turn.choice for turn in turns([*row.answers, *row.checks], puzzle, "verify")]


@functools.cache
def reached(module: str, name: str) -> frozenset[str]:
    """What a name of the encoders needs: the names of its module that its code uses, as module:name, and modules."""
    tree = source(module)
    assert tree is not None
    if not module.startswith("crosslit_encoders.lights_out."):  # only these files have encodings of several lineages
        return closure(module)
    taken = {name: origin for origin, name in imports(tree) if name is not None}
    defined = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    found, left, seen = set[str](), [name], set[str]()
    while left:
        if (each := left.pop()) in seen:
            continue
        seen.add(each)
        if each in defined:
            found.add(f"{module}:{each}")
            hints = {
                getattr(node, part, None) for node in ast.walk(defined[each]) for part in ("annotation", "returns")
            }
            types = {part for hint in hints if isinstance(hint, ast.AST) for part in ast.walk(hint)}  # run no code
            left += [node.id for node in {*ast.walk(defined[each])} - types if isinstance(node, ast.Name)]
        elif each in taken and taken[each].split(".")[0] in OURS:
            origin = home(taken[each], each)
            found |= closure(origin) if origin == f"{taken[each]}.{each}" else reached(origin, each)
    return frozenset(found)


def needed(choice: Choice) -> frozenset[str]:
    """The modules of ours that a choice runs, and the functions of a file with encodings of several lineages."""
    found = closure(type(choice.backend).__module__)
    if choice.encoding is not None:
        encode = choice.encoding.encode
        while isinstance(encode, functools.partial):
            found |= frozenset().union(*(reached(*defining(each)) for each in encode.args if callable(each)))
            encode = encode.func
        found |= reached(*defining(encode))
    return found


def modules() -> set[str]:
    """The modules that any choice runs."""
    return {each.partition(":")[0] for choice in choices() for each in needed(choice)}


def kinds(choice: Choice) -> frozenset[str]:
    return registry.kinds(choice.backend) if choice.encoding is None else frozenset({choice.encoding.kind})


@pytest.mark.slow
def test_backends_of_disjoint_lineages_share_only_the_documented_modules() -> None:
    shared: dict[tuple[str, str], list[str]] = {}
    pairs = 0
    for one, other in itertools.combinations(choices(), 2):
        if one.trusted_base.isdisjoint(other.trusted_base) and kinds(one) & kinds(other):
            pairs += 1
            if beyond := sorted((needed(one) & needed(other)).difference(SHARED)):
                shared[one.spec, other.spec] = beyond
    assert shared == {}
    assert pairs > 50


@pytest.mark.parametrize("text", ["10/01", "press=king/10/01", "1,1|1,1"])
def test_what_verify_compares_shares_only_the_documented_modules(text: str) -> None:
    puzzle = load(text)
    first, *others = team(puzzle)
    for other in others:
        assert first.trusted_base.isdisjoint(other.trusted_base)
        assert (needed(first) & needed(other)).issubset(SHARED), other.spec


def test_the_walk_sees_what_backends_need() -> None:
    folder = "crosslit_backends.lights_out"
    assert {f"{folder}.enumeration", "crosslit.algebra.chase"} <= closure(f"{folder}.polynomial")
    assert "crosslit_encoders.nonogram.order" in closure("crosslit_backends.nonogram.hybrid")  # imported in a function
    assert closure("crosslit_backends.lights_out.gauss").difference(SHARED) == {
        "crosslit_backends.lights_out.gauss",
        "crosslit.algebra.boards",
    }


def test_every_shared_module_is_needed() -> None:
    every = [needed(choice) for choice in choices()]
    assert [module for module in SHARED if sum(module in found for found in every) < 2] == []
    assert not [reason for reason in SHARED.values() if not reason]


def test_no_backend_imports_by_a_name_that_the_walk_cannot_see() -> None:
    loading = set()
    for module in modules():
        tree = source(module)
        assert tree is not None
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        if "__import__" in names or {origin for origin, _ in imports(tree)} & {"importlib", "pkgutil", "runpy"}:
            loading.add(module)
    # pictures; methods of kinds, which the next test is about; plugins
    known = ("base.grid", "contract.puzzle", "contract.registered")
    assert loading == {f"crosslit.{name}" for name in known}


def test_no_backend_calls_a_method_of_a_kind_that_is_imported_by_its_name() -> None:
    hidden = set()
    for kind in all_kinds().values():
        for name, member in inspect.getmembers_static(kind):
            function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
            if getattr(function, "__qualname__", "").startswith("function_at."):
                hidden.add(name)
    assert {"nullity", "all_right", "smaller", "scene"} <= hidden
    called = set()
    for module in modules():
        if module.startswith(("crosslit_backends", "crosslit_encoders", "crosslit.algebra")):
            tree = source(module)
            assert tree is not None
            used = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in hidden)
            called |= {(module, ast.unparse(node)) for node in used if ast.unparse(node.value) in ("puzzle", "board")}
    assert called == set()


@pytest.mark.parametrize("kind", [LightsOut.kind, Nonogram.kind])
def test_there_are_independent_backends_of_every_kind(kind: str) -> None:
    of_kind = [choice for choice in choices() if kind in kinds(choice)]
    assert any(one.trusted_base.isdisjoint(other.trusted_base) for one, other in itertools.combinations(of_kind, 2))


STOPS = """
from crosslit_backends.lights_out import enumeration as module

def coset(start, basis):
    yield start

def packed_batches(first, dimension, vector, size):
    yield first.to_bytes(size, "little")

module.coset = coset
module.packed_batches = packed_batches
"""
"""Runs when Python starts, in workers too: the enumerator of `polynomial` stops after one."""


BOTH_STOP = f"""
{STOPS}
import crosslit_backends.lights_out.gauss

crosslit_backends.lights_out.gauss._counted = lambda start, vectors: iter([start])
"""
"""The enumerator of `gauss` stops after one too."""


def environment(tmp_path: Path, at_start: str) -> dict[str, str]:
    (tmp_path / "sitecustomize.py").write_text(at_start, encoding="utf-8")
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path}


def test_an_enumerator_that_stops_after_one_solution_is_found_out(crosslit_started: Command, tmp_path: Path) -> None:
    stops_after_one = environment(tmp_path, STOPS)
    board = "0000/0000/0000/0000"
    arguments = ["compare", board, "--backends", "gauss,polynomial", "--all", "--json"]
    done = crosslit_started(*arguments, env=stops_after_one)
    comparison = json.loads(done.stdout)
    assert done.returncode == 1, done.stderr
    assert [run["solutions"] for run in comparison["runs"]] == [16, 1]
    assert [(one["backend"], one["problem"]) for one in comparison["findings"]] == [("polynomial", "missing-solution")]
    verdict = comparison["verdict"]
    assert (verdict["solutions"], verdict["evidence"], verdict["by"]) == (16, "claimed", ["gauss"])
    # the nullity alone cannot tell who is wrong; a check by another backend finds the solutions that are missing
    for check, problem in ([], "contradicts-nullity"), (["--check"], "missing-solution"):
        arguments = ["enumerate", board, "--backend", "polynomial", *check, "--json"]
        done = crosslit_started(*arguments, env=stops_after_one)
        told = json.loads(done.stdout.splitlines()[-1])
        assert (done.returncode, told["complete"]) == (1, False)
        assert {finding["problem"] for finding in told["findings"]} == {problem}


def test_two_backends_that_agree_on_too_few_solutions_do_not_win_against_nullity_and_certificate(
    crosslit_started: Command, tmp_path: Path
) -> None:
    arguments = ["compare", "0000/0000/0000/0000", "--backends", "gauss,polynomial", "--all"]
    both_stop = environment(tmp_path, BOTH_STOP)
    done = crosslit_started(*arguments, env=both_stop)
    assert done.returncode == 1, done.stderr
    detail = "solutions by gauss and polynomial: 1; by the nullity of 4: 0 or 16; one of them is wrong"
    assert f"  wrong: gauss, polynomial, nullity: disagreement: {detail}\n" in done.stdout
    assert "verdict: undecided" in done.stdout
    done = crosslit_started(*arguments, "--certify", "--json", env=both_stop)
    comparison = json.loads(done.stdout)
    assert done.returncode == 1, done.stderr
    assert {(one["backend"], one["problem"]) for one in comparison["findings"]} == {
        (name, "disagreement") for name in ("gauss", "polynomial", "nullity")
    }
    (detail,) = {one["detail"] for one in comparison["findings"]}
    assert "by a certificate of lights-out-" in detail
    assert (comparison["verdict"]["status"], comparison["verdict"]["evidence"]) == ("undecided", None)


def short_sums(puzzle: Any) -> tuple[int, int]:
    """The sums of a nonogram's clues, but a block of 10 or more in a column counts as 9."""
    columns = (min(block, 9) for clue in puzzle.column_clues for block in clue)
    return sum(map(sum, puzzle.row_clues)), sum(columns)


SHORT_SUMS = f"""
from __future__ import annotations
from crosslit.kinds import Nonogram

{inspect.getsource(short_sums)}
Nonogram.sums_by_colour = lambda self: {{1: short_sums(self)}}
"""
TALL = "1,1,1,1,1,1,1,1,1,1|10"


@pytest.mark.slow
def test_wrong_sums_of_clues_are_agreed_by_nobody(crosslit_started: Command, tmp_path: Path) -> None:
    wrong_sums = environment(tmp_path, SHORT_SUMS)
    done = crosslit_started("compare", TALL, "--all", "--backends", "alignment,line", "--json", env=wrong_sums)
    comparison = json.loads(done.stdout)
    assert done.returncode == 1, done.stderr
    assert [(one["backend"], one["problem"]) for one in comparison["findings"]] == [("line", "false-unsolvable")]
    assert (comparison["verdict"]["status"], comparison["verdict"]["by"]) == ("unique", ["alignment"])
    for puzzle in ("3,3,3,3,3,3,3,3,3,3|10,10,10", "2,2,2,2,2,2,2,2,2,2,2|11,11"):
        counted = json.loads(crosslit_started("count", puzzle, "--check", "--json", env=wrong_sums).stdout)
        # two others, which are independent, find what the wrong one denies
        assert (counted["count"], counted["evidence"], "line" in counted["by"]) == (1, "agreed", False)
        assert [(one["backend"], one["problem"]) for one in counted["findings"]] == [("line", "false-unsolvable")]
