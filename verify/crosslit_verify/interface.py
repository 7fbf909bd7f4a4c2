"""The Python interface: a verification in one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict, Unpack

from crosslit_backends.programs.program import OPTIONS
from crosslit_backends.programs.protocol import Claims
from crosslit_generate import Only

from crosslit.base.errors import wrong_type
from crosslit.base.files import write_bytes
from crosslit.base.numbers import did_you_mean
from crosslit.formats import read as read_puzzle
from crosslit.kinds import Puzzle
from crosslit_verify import corpus as stored
from crosslit_verify.cases import SECONDS, Settings, common_kind
from crosslit_verify.function import Function
from crosslit_verify.process import TIMEOUT, Solver
from crosslit_verify.report import Verification, junit_xml
from crosslit_verify.session import Verifier
from crosslit_verify.solver import make_solver

MEMORY_MB = 1024
"""Memory of a solver, in 2^20 bytes."""


class Options(TypedDict, total=False):
    """Further arguments of `verify`: fields of `Settings`, files, and the description of a command."""

    seed: int
    size: str
    only: Only | None
    like: Puzzle | str | None
    keep_going: bool
    corpus: str | os.PathLike[str] | None
    junit: str | os.PathLike[str] | None
    format: str
    cells: str
    unsolvable: str
    unique: str
    unknown: str
    exit: Mapping[int, str] | Sequence[str]
    lines: bool
    moves: int | str


def verify(
    solver: Callable[[Any], Any] | str | Sequence[str] | None = None,
    kind: str = "",
    claims: Claims = "one",
    *,
    backend: str | None = None,
    python: str = "",
    timeout: float = TIMEOUT,
    memory_mb: int = MEMORY_MB,
    cases: int | None = None,
    seconds: float | None = None,
    **options: Unpack[Options],
) -> Verification:
    """Verify a solver: send it puzzles, compare its answers with a reference, and shrink the first failing puzzle.

    All small puzzles are sent, smallest first, alternating with larger random ones; equal arguments give equal puzzles.

    Args:
        solver: a function of a puzzle that returns a `Grid`, several, or None for unsolvable; or a
            command, as a text or as words, that speaks the protocol of ``docs/reference/verify-protocol.md``.
        kind: kind of the puzzles, such as ``lights-out`` or ``nonogram``; not needed with ``like``.
        claims: the answer that the solver promises: ``one`` solution (any), ``all``, ``unique`` (one, and whether there
            is another), or ``fewest`` (one with the fewest presses).
        backend: instead of a solver, the spec of a registered backend, which then runs in a separate process.
        python: interpreter, or folder of an environment, that has the engine of the backend; by default this one.
        timeout: time limit of one answer, in seconds.
        memory_mb: memory limit of the solver, in 2^20 bytes.
        cases: maximum number of puzzles.
        seconds: maximum wall time; if neither is given, 60.
        **options: other options of ``crosslit verify``: ``seed``, ``size`` such as ``"3..12,NxN"``, ``only``,
            ``like``, a puzzle, ``keep_going``, ``corpus``, a folder, ``junit``, a file for the result; and for a
            command, those that describe it: ``format``, ``cells``, ``unsolvable``, ``unique``, ``unknown``,
            ``exit={20: "unsolvable"}``, ``lines=True`` and ``moves=0``.

    Returns:
        A `Verification`: true if it passed. `print` shows the readable report, as pytest does below a failed test
            ``assert crosslit.verify(...)``.

    Raises:
        TypeError: if the solver is neither a function nor a command, or there is a backend too.
        SpecError: if there is no such backend, or it does not support such puzzles.
        ValueError: if an argument has an invalid value.
        InputError: if the command cannot be started, or crashes on the first three puzzles in the same way.
        InternalError: if Crosslit notices a bug in itself, such as `ReferencesDiffer`: its solvers disagree.
        KeyboardInterrupt: after Ctrl-C, when all processes have ended.

    See Also:
        Verification: the result.
        compare: the built-in solvers on one puzzle.

    Examples:
        A function that leaves out the last row:

        >>> import crosslit
        >>> def forgetful(board):
        ...     presses = crosslit.solve(board)
        ...     return presses and crosslit.Grid.from_rows([*presses.row_bits()[:-1], 0], presses.columns)
        >>> found = crosslit.verify(forgetful, kind="lights-out", cases=200)
        >>> found.passed, found.failures[0].puzzle.text, found.failures[0].problem.group
        (False, '1', 'wrong-solution')
        >>> crosslit.verify(crosslit.solve, like="press=king/wrap=torus/1", cases=200).passed
        True
        >>> crosslit.verify(backend="cpsat", kind="lights-out", cases=20).passed
        True
    """
    if cases is None and seconds is None:
        seconds = SECONDS
    more: dict[str, Any] = dict(options)
    junit, folder, is_command = more.pop("junit", None), more.pop("corpus", None), isinstance(solver, str | Sequence)
    described = {name: more.pop(name) for name in OPTIONS if is_command and backend is None and name in more}
    for name in sorted(more.keys() - Settings.__annotations__):
        known = (*verify.__annotations__, *Options.__annotations__)
        hint = "it describes a command" if name in OPTIONS else did_you_mean(name, known)
        raise TypeError(f"verify() got an unexpected keyword argument {name!r}; {hint}".rstrip("; "))
    if isinstance(more.get("like"), str):
        more["like"] = read_puzzle(more["like"])
    sent_first = stored.read(folder) if folder is not None else []
    like = [more["like"]] if more.get("like") else []
    kind = common_kind([*like, *sent_first], kind or None) or ""
    settings = Settings(kind, claims, cases=cases, seconds=seconds, **more)
    tested: Solver
    if callable(solver) and backend is None:
        tested = Function(solver, claims, timeout=timeout, memory_mb=memory_mb)
    elif (is_command and backend is None) or (backend is not None and solver is None):
        described |= {"python": python, "timeout": timeout, "memory_mb": memory_mb}
        tested = make_solver(solver if isinstance(solver, str | Sequence) else (), backend, settings, described)
    else:
        raise wrong_type("a solver as a function of a puzzle, or as a command", solver)
    found = Verifier(settings, tested, corpus=sent_first).run()
    if found.interrupted:
        raise KeyboardInterrupt
    if folder is not None:
        stored.write(found, folder)
    if junit is not None:
        write_bytes(junit, [junit_xml(found, tested.name or str(backend))])
    return found
