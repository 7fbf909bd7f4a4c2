"""The Python interface: a verification in one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from crosslit_backends.programs.program import OPTIONS
from crosslit_backends.programs.protocol import Claims
from crosslit_generate import Only

from crosslit.base.errors import wrong_type
from crosslit.base.files import write_bytes
from crosslit.base.numbers import did_you_mean
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit_verify import corpus as stored
from crosslit_verify.cases import SECONDS, Settings, common_kind
from crosslit_verify.function import Function
from crosslit_verify.process import TIMEOUT, Solver
from crosslit_verify.report import Verification, junit_xml
from crosslit_verify.session import Verifier
from crosslit_verify.solver import make_solver

MEMORY_MB = 1024
"""Memory of a solver, in 2^20 bytes."""


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
    seed: int = 0,
    size: str = "",
    only: Only | None = None,
    like: PuzzleLike | None = None,
    keep_going: bool = False,
    corpus: str | os.PathLike[str] | None = None,
    junit: str | os.PathLike[str] | None = None,
    **description: Any,
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
        seed: seed of the random puzzles.
        size: rows and columns of the puzzles, such as ``"3..12,NxN"``.
        only: only puzzles that are ``solvable``, ``unique``, ``valid`` or ``unsolvable``.
        like: only puzzles with the rules of this one.
        keep_going: continue after a failure, to find one of each cause.
        corpus: a folder of puzzles that come first, to which failures are written.
        junit: a file for the result as JUnit XML.
        **description: of a command: ``format``, ``cells``, ``unsolvable``, ``unique``, ``exit={20: "unsolvable"}``,
            ``lines=True`` and ``moves=0``, as on the command line.

    Returns:
        A `Verification`: true if it passed. `print` shows the readable report, as pytest does below a failed test
            ``assert crosslit.verify(...)``.

    Raises:
        TypeError: if the solver is neither a function nor a command, or there is a backend too.
        SpecError: if there is no such backend, or it does not support such puzzles.
        ValueError: if an argument has an invalid value.
        InputError: if the command cannot be started, or crashes on the first puzzles in the same way.
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
    is_command = isinstance(solver, str | Sequence) and backend is None
    for name in description:
        if name not in OPTIONS or not is_command:
            hint = "it describes a command" if name in OPTIONS else did_you_mean(name, verify.__annotations__)
            raise TypeError(f"verify() got an unexpected keyword argument {name!r}; {hint}".rstrip("; "))
    model = as_puzzle(like) if like is not None else None
    sent_first = stored.read(os.fspath(corpus)) if corpus is not None else []
    kind = common_kind([*filter(None, [model]), *sent_first], kind or None) or ""
    settings = Settings(kind, claims, seed, size, only, model, cases, seconds, keep_going)
    tested: Solver
    if callable(solver) and backend is None:
        tested = Function(solver, claims, timeout=timeout, memory_mb=memory_mb)
    elif is_command or (backend is not None and solver is None):
        description |= {"python": python, "timeout": timeout, "memory_mb": memory_mb}
        tested = make_solver(solver if isinstance(solver, str | Sequence) else (), backend, settings, description)
    else:
        raise wrong_type("a solver as a function of a puzzle, or as a command", solver)
    found = Verifier(settings, tested, corpus=sent_first).run()
    if found.interrupted:
        raise KeyboardInterrupt
    if corpus is not None:
        stored.write(found, os.fspath(corpus))
    if junit is not None:
        write_bytes(junit, [junit_xml(found, tested.name or str(backend))])
    return found
