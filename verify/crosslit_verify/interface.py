"""The Python interface: a verification in one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from crosslit_backends.programs.program import OPTIONS
from crosslit_backends.programs.protocol import Claims
from crosslit_generate.exhaustive import Only

from crosslit.base.errors import InputError, wrong_type
from crosslit.base.files import write_bytes
from crosslit.base.text import did_you_mean
from crosslit.formats import PuzzleLike, as_puzzle
from crosslit.kinds import Puzzle
from crosslit_verify.cases import Settings
from crosslit_verify.process import MEMORY_MB, TIMEOUT
from crosslit_verify.report import Verification, read_corpus, write_corpus
from crosslit_verify.session import Verifier
from crosslit_verify.solver import make_solver


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
    The ``solver`` is a function of a puzzle that returns a `Grid`, several, or None for unsolvable; or a command, as a
    text or as words, that speaks the protocol of ``docs/reference/verify-protocol.md``. Without one, ``backend`` is the
    spec of a registered backend. A ``kind`` is not needed with ``like`` or a ``corpus`` of puzzles. All arguments are
    options of the command, which ``docs/reference/verify.md`` describes; the ``description`` of a command may have
    ``format``, ``cells``, ``unsolvable``, ``unique``, ``exit={20: "unsolvable"}``, ``lines=True`` and ``moves=0``.

    Returns:
        A `Verification`: true if it passed. `print` and pytest show its report.

    Raises:
        TypeError, ValueError, SpecError, InputError: if an argument is wrong, or the command cannot be started.
        InternalError: if Crosslit's own solvers disagree.
        KeyboardInterrupt: after Ctrl-C, when all processes have ended.

    Examples:
        >>> import crosslit
        >>> def forgetful(board):  # which leaves out the last row
        ...     presses = crosslit.solve(board)
        ...     return presses and crosslit.Grid.from_rows([*presses.row_bits()[:-1], 0], presses.columns)
        >>> found = crosslit.verify(forgetful, kind="lights-out", cases=200)
        >>> found.passed, found.failures[0].puzzle.text, found.failures[0].problem.group
        (False, '1', 'wrong-solution')
        >>> crosslit.verify(backend="cpsat", like="press=king/wrap=torus/1", cases=20).passed
        True
    """
    options = {"python": python, "timeout": timeout, "memory_mb": memory_mb, "like": like, "corpus": corpus}
    options |= {"cases": cases, "seconds": seconds, "seed": seed, "size": size, "only": only, "keep_going": keep_going}
    for name in description:
        if name not in OPTIONS or callable(solver) or solver is None:
            hint = "it describes a command" if name in OPTIONS else did_you_mean(name, verify.__annotations__)
            raise TypeError(f"verify() got an unexpected keyword argument {name!r}; {hint}".rstrip("; "))
    if not (solver is None if backend is not None else callable(solver) or isinstance(solver, str | Sequence)):
        raise wrong_type("a solver as a function of a puzzle, or as a command", solver)
    found = prepare(solver or (), backend, kind, claims, options | description).run()
    if corpus is not None:  # also after an interrupt, which loses no failure
        write_corpus(found, corpus)
    if found.interrupted:
        raise KeyboardInterrupt
    if junit is not None:
        write_bytes(junit, [found.junit(getattr(solver, "__name__", "") or str(solver or backend))])
    return found


def prepare(
    solver: Callable[[Any], Any] | str | Sequence[str],
    backend: str | None,
    kind: str | None,
    claims: Claims,
    options: Mapping[str, Any],
    own: Sequence[Puzzle] = (),
    on_case: Callable[[Verifier], None] = lambda _: None,
) -> Verifier:
    """Return the verification of a function, a command or a backend, with the options of `verify`; see `Verifier`."""
    model = as_puzzle(options["like"]) if options["like"] is not None else None
    corpus = read_corpus(options["corpus"]) if options["corpus"] is not None else []
    puzzles = [*([model] if model else []), *own, *corpus]
    kind = kind or (puzzles[0].kind if puzzles else "")
    for puzzle in puzzles:
        if puzzle.kind != kind:
            raise InputError(puzzle.name or puzzle.text[:80], f"expected a {kind} puzzle, found a {puzzle.kind}")
    chosen = {name: options[name] for name in ("seed", "size", "only", "cases", "seconds", "keep_going")}
    settings = Settings(kind, claims, like=model, **chosen)
    return Verifier(settings, make_solver(solver, backend, settings, options, own), on_case, own=own, corpus=corpus)
