"""Faults planted in the functions that a verification executes, and how it ends then for an honest solver.

    python -P tests/planted/faults.py KIND FUNCTION...
    python -P tests/planted/faults.py KIND NUMBER SEED

prints the functions that decide what a solution of this kind is, then a line of JSON for each fault: the first of each
sort in these functions, or a random sample of all. A fault is one changed place in the syntax tree of a function, and
is planted in a fork of this process. The solver is honest: it answers in another fork, where nothing is planted.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import ctypes
import importlib
import itertools
import json
import os
import random
import resource
import select
import signal
import sys
import tempfile
import types
from collections.abc import Callable, Iterator
from functools import _lru_cache_wrapper
from multiprocessing.connection import Client, Listener
from pathlib import Path
from typing import Any, NamedTuple

from crosslit_backends.programs import protocol
from crosslit_verify import Settings, SolverFailure, Subject, Verifier
from crosslit_verify.cli.verify import BUGS

import crosslit
from crosslit.base.errors import CrosslitError
from crosslit.base.grid import Grid
from crosslit.formats import parse_line
from crosslit.formats.json import parse as parse_json
from crosslit.kinds import batch, find_kind
from crosslit.questions import self_check

PACKAGES = (
    *("crosslit.kinds", "crosslit_generate", "crosslit_verify"),
    *(f"crosslit.algebra.{name}" for name in ("boards", "chase", "howell", "nullity")),
    *(f"crosslit.contract.{name}" for name in ("family", "kind", "puzzle")),
)
CASES, SIZE = 150, "1..5"
MAX_SOLUTIONS = 2000  # with a fault, a random puzzle may have any number
CPU_SECONDS, WALL_SECONDS, MEMORY = 4, 60, 4 << 30  # of a verification with a fault, which may never end

# Nothing is planted here: a fault in the handling of processes or files could harm more than the verification.
UNTOUCHED = """
    plugins parts channel guard commands function backend_command backend_server subject clock solver blame replay cli
    Oracle.close Oracle._ask require_transport Verifier._result Trial.close
"""


def answer(question: str) -> dict[str, Any]:
    """Return the right answer to a question of the protocol, of which the text and the data are read in turn."""
    asked = json.loads(question)
    data = json.dumps({key: value for key, value in asked.items() if key != "text"})
    puzzle = parse_json(data, "data") if asked["id"] % 2 else parse_line(asked["kind"], asked["text"], "text")
    found = list(itertools.islice(crosslit.solutions(puzzle), MAX_SOLUTIONS))
    if len(found) == MAX_SOLUTIONS:
        return {"unknown": True}
    if not found:
        return {"unsolvable": True}
    if asked["claims"] == "all":
        return {"solutions": [grid.text() for grid in found]}
    unique = {"unique": len(found) == 1} if asked["claims"] == "unique" else {}
    return {"solution": min(found, key=Grid.count).text(), **unique}


class Honest(Subject):
    """The honest solver behind a socket."""

    def __init__(self, path: str, claims: Any) -> None:
        self._path, self.claims, self._number = path, claims, 0

    def ask(self, puzzle: Any, meanwhile: Callable[[], None] = lambda: None) -> Any:
        self._number += 1
        with Client(self._path) as connection:
            connection.send(protocol.question(puzzle, self._number, self.claims).decode())
            meanwhile()
            line = connection.recv()
        if not line:
            return SolverFailure("crash", "it cannot read the question")
        return protocol.read_line(line.encode(), states=puzzle.layout.states)

    def close(self) -> None:
        return None


def fork() -> int:
    """Fork, and let the child end with this process."""
    if (pid := os.fork()) == 0:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    return pid


@contextlib.contextmanager
def honest_solver() -> Iterator[str]:
    """Start the honest solver in a fork, and yield the path of its socket."""
    with tempfile.TemporaryDirectory(prefix="crosslit-") as folder, Listener(f"{folder}/honest") as listener:
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        pid = fork()
        while pid == 0:
            with contextlib.suppress(Exception), listener.accept() as connection:
                try:
                    signal.alarm(WALL_SECONDS // 4)
                    line = json.dumps(answer(connection.recv()))
                except (Exception, KeyboardInterrupt):
                    line = ""
                signal.alarm(0)
                connection.send(line)
        yield f"{folder}/honest"
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def verified(settings: Settings, path: str) -> str:
    """Return how the command ends with the honest solver: passed, 70, or something else and the reason."""
    try:
        found = Verifier(settings, Honest(path, settings.claims)).run()
    except CrosslitError as error:
        return f"{70 if isinstance(error, BUGS) else 2}: {type(error).__name__} {error}"
    except Exception as error:
        return f"70: {type(error).__name__} {error}"
    if found.failures:
        return f"accused: {found.failures[0].problem}"
    return "passed" if found.passed else found.summary()


def damaged(value: Any) -> Any:
    """Return another value of the same type, if there is a simple one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, Grid):
        return value.layout.pack([1 - min(1, value.values()[0]), *value.values()[1:]])
    if isinstance(value, str | tuple | list) and not hasattr(value, "_fields"):
        return value[:-1]
    if isinstance(value, frozenset | set):
        return type(value)(sorted(value, key=repr)[1:])
    return value


PAIRS = [(ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.In, ast.NotIn), (ast.Is, ast.IsNot)]
PAIRS += [(ast.Add, ast.Sub), (ast.And, ast.Or), (ast.Mult, ast.Add), (ast.Mod, ast.Add), (ast.BitAnd, ast.BitXor)]
OTHER = {one: other for pair in PAIRS for one, other in (pair[::-1], pair)}


def change(node: Any) -> str:
    """Change a node, and return the sort of change; "" if there is none for such a node."""
    match node:
        case ast.If() | ast.IfExp() | ast.While():
            node.test = ast.UnaryOp(ast.Not(), node.test)
            return "negated condition"
        case ast.Compare(ops=[op, *_]) if type(op) in OTHER:
            node.ops[0] = OTHER[type(op)]()
            return "other comparison"
        case ast.BinOp() | ast.BoolOp() | ast.AugAssign() if type(node.op) in OTHER:
            node.op = OTHER[type(node.op)]()
            return "other operator"
        case ast.Constant(value=int(number)) if type(number) is int:
            node.value += 1
            return "number + 1"
        case ast.Expr(value=ast.Call()):
            node.value = ast.Constant(None)
            return "call left out"
        case ast.Return(value=ast.expr()) | ast.Yield(value=ast.expr()):
            node.value = ast.Call(ast.Name("damaged", ast.Load()), [node.value], [])
            return "damaged result"
        case ast.comprehension(ifs=[_, *_]):
            node.ifs = node.ifs[1:]
            return "filter left out"
    return ""


class Fault(NamedTuple):
    """A changed place of a function, by its number among all nodes of its syntax tree."""

    function: str
    place: int
    change: str


def function(name: str) -> Any:
    """Return the function with a name such as ``module:Class.method``."""
    module, _, path = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in path.split("."):
        found = vars(found)[part]
    for inner in ("fget", "func", "__func__", "__wrapped__"):
        found = getattr(found, inner, None) or found
    return found


def parsed(code: types.CodeType) -> tuple[ast.Module, list[ast.AST]]:
    """Return the syntax tree of a function's module, and the nodes of the function, without messages."""
    tree = ast.parse(Path(code.co_filename).read_text(encoding="utf-8"))
    named = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == code.co_name)
    line = code.co_firstlineno  # of its first decorator, if it has any
    definition = next(node for node in named if line in {node.lineno, *(each.lineno for each in node.decorator_list)})
    nodes = [*itertools.chain.from_iterable(map(ast.walk, definition.body))]
    messages = {id(inner) for node in nodes if isinstance(node, ast.Raise | ast.JoinedStr) for inner in ast.walk(node)}
    return tree, [node for node in nodes if id(node) not in messages]


def faults(name: str) -> list[Fault]:
    """Return all faults of a function."""
    _, nodes = parsed(function(name).__code__)
    changes = ((place, change(node)) for place, node in enumerate(nodes))
    return [Fault(name, place, made) for place, made in changes if made]


def plant(fault: Fault) -> None:
    """Plant a fault in this process."""
    planted = function(fault.function)
    old = planted.__code__
    tree, nodes = parsed(old)
    change(nodes[fault.place])
    codes = [compile(ast.fix_missing_locations(tree), old.co_filename, "exec", dont_inherit=True)]
    while (codes[-1].co_qualname, codes[-1].co_firstlineno) != (old.co_qualname, old.co_firstlineno):
        codes += [inner for inner in codes.pop().co_consts if isinstance(inner, types.CodeType)]
    planted.__code__ = codes[-1]
    builtins.damaged = damaged  # type: ignore[attr-defined]


def forget() -> None:
    """Empty the caches of all modules, but not their registries."""
    for module in [found for name, found in sys.modules.items() if name.startswith("crosslit")]:
        for value in [*vars(module).values()]:
            for cached in (value, *(vars(value).values() if isinstance(value, type) else ())):
                if isinstance(cached, _lru_cache_wrapper) and "registry" not in cached.__module__:
                    cached.cache_clear()


def executed(work: Callable[[], Any]) -> set[str]:
    """Return the names of the functions that work executes, without those of `UNTOUCHED`."""
    found = set()

    def note(frame: types.FrameType, event: str, _: object) -> None:
        module, name = str(frame.f_globals.get("__name__")), frame.f_code.co_qualname.split(".<locals>")[0]
        words = {*module.split("."), *name.split("."), name}
        generated = "<" in name + frame.f_code.co_filename
        if event == "call" and module.startswith(PACKAGES) and not generated and not words & {*UNTOUCHED.split()}:
            found.add(f"{module}:{name}")

    forget()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found


def rules(kind: str) -> set[str]:
    """Return the names of the functions that decide whether a grid is a solution."""
    pairs = [(puzzle, next(puzzle.layout.every())) for puzzle in find_kind(kind).samples()]
    return executed(lambda: [list(puzzle.violations(grid)) for puzzle, grid in pairs])


def end_of(fault: Fault, settings: Settings, path: str) -> str:
    """Return how a verification ends with a fault, in a fork with limits."""
    reader, writer = os.pipe()
    if (pid := fork()) == 0:
        end = "not planted"
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            forget()
            self_check.check.cache_clear()
            plant(fault)
            end = verified(settings, path)
        finally:
            os.write(writer, end.encode(errors="replace")[:4000])
            os._exit(0)
    os.close(writer)
    # not to its end: a process that is left behind may hold the other end open
    end = os.read(reader, 4000).decode() if select.select([reader], [], [], WALL_SECONDS)[0] else ""
    os.close(reader)
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError):
            kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return end or "endless"


def main(kind: str, *chosen: str) -> None:
    """Print the rules of a kind, and how its verification ends with each fault."""
    batch._FEW = 500, 10  # also small lists are judged as batches, whose functions are planted in
    excluded = rules(kind)
    print(json.dumps(sorted(excluded)))
    runs: dict[str, list[Settings]] = {}
    with honest_solver() as path:
        for claims in ("one", "unique", "all") + ("fewest",) * (kind == "lights-out"):
            settings = Settings(kind, claims, cases=CASES, size=SIZE)
            assert verified(settings, path) == "passed"
            for name in executed(lambda settings=settings: verified(settings, path)) - excluded:
                runs.setdefault(name, []).append(settings)
        every = [fault for name in (chosen if ":" in chosen[0] else sorted(runs)) for fault in faults(name)]
        if ":" in chosen[0]:
            if unused := {*chosen} - runs.keys():
                sys.exit(f"not executed, or part of the rules: {', '.join(sorted(unused))}")
            every = [*{(fault.function, fault.change): fault for fault in reversed(every)}.values()]
        else:
            every = random.Random(chosen[1]).sample(every, min(int(chosen[0]), len(every)))
        for number, fault in enumerate(every):
            settings = runs[fault.function][number % len(runs[fault.function])]
            print(json.dumps([*fault, settings.claims, end_of(fault, settings, path)]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
