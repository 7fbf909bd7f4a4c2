"""The interface of a backend: one base class, with a method for each question."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence, Set
from typing import Any, ClassVar

from crosslit.base.grid import Grid
from crosslit.contract.certificate import Certificate
from crosslit.contract.puzzle import Puzzle
from crosslit.contract.task import Option, Options, Task

NO_PRESSES = "the encoding lacks variables for some presses, so it cannot count them"
"""The reason why a minimising backend gives up on an encoding of only the first row, for example."""


class Backend:
    """A solver: cheap to construct, importing its engine inside methods, without state between calls.

    A backend answers the questions whose methods it overrides, one or more. A method that yields frees its engine in
    ``finally``; by returning, it claims that it has finished, and it raises `GaveUp` to stop without that claim. A
    module registers a list of backends under the entry point group ``crosslit.backends``.

    Examples:
        >>> class Empty(Backend):
        ...     name, summary = "empty", "finds nothing"
        ...
        ...     def solutions(self, puzzle, task):
        ...         yield from ()
        >>> Empty().answers("solutions"), Empty().answers("count")
        (True, False)
    """

    # Who it is.
    name: str  # in a spec: letters, digits and -
    summary: str  # a line for `crosslit backends`
    groups: frozenset[str] = frozenset()  # groups of specs that it belongs to, in addition to `all`
    trusted_base: frozenset[str] = frozenset()  # all that it relies on, except its encoding and the rule checker

    # What it takes.
    kinds: frozenset[str] = frozenset()  # kinds of puzzles; empty for all, or with targets, all that have an encoding
    targets: frozenset[str] = frozenset()  # encoding targets; empty if it reads the puzzle itself
    options: ClassVar[Mapping[str, Option]] = {}  # options that a spec may set
    switches: tuple[str, ...] = ()  # options, as KEY=VALUE, that `verify --blame` tries, the most special first
    preload: tuple[str, ...] = ()  # modules to import before the clock starts: the engine, and those of its encoders
    seldom: tuple[str, ...] = ()  # those that few puzzles need, likewise, but not for `solve` and `enumerate`

    # How it answers.
    unordered: bool = False  # `batches` yields in any order, and skips no solution
    certifies_at_limit: bool = False  # `certify` needs only some solutions, so a run that stopped at a limit suffices

    def version(self) -> str:
        """Return the engine's version without importing it, or raise `Unavailable` with the reason."""
        return ""

    def unsupported_reason(self, puzzle: Puzzle, options: Options) -> str | None:  # noqa: ARG002
        """Return why the puzzle is unsupported, or None; the time that this takes counts as time of the run."""
        return None

    def solutions(self, puzzle: Any, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions of a puzzle, each once."""
        raise NotImplementedError

    def batches(self, puzzle: Any, task: Task) -> Generator[bytes, None, None]:
        """Yield all solutions in ascending order of their one-line form, except the first ``task.skip``.

        Each batch is one solution or more, packed as in `crosslit.Grid` and concatenated. The first batches are
        small, so that the first solution comes at once.
        """
        raise NotImplementedError

    def count(self, puzzle: Any, task: Task) -> int:
        """Return the number of solutions."""
        raise NotImplementedError

    def fewest(self, puzzle: Any, task: Task) -> Generator[Grid, None, None]:
        """Yield solutions of ever fewer presses: the last has the fewest. Bounds go to ``task.improve_bound``."""
        raise NotImplementedError

    def backbone(self, puzzle: Any, task: Task) -> Generator[Grid, None, None]:
        """Yield solutions: cells on which all of them agree are equal in every solution."""
        raise NotImplementedError

    def reveal(self, puzzle: Any, task: Task) -> Generator[Grid, None, None]:
        """Yield ever fewer cells of ``task.candidates`` whose values in ``task.target`` leave no other solution.

        Every cell of an answer is necessary, and the last answer has the fewest cells. No answer means that there is no
        solution, or that all of ``task.candidates`` do not suffice. Lower bounds go to ``task.improve_bound``.
        """
        raise NotImplementedError

    def mus(self, puzzle: Any, task: Task) -> Generator[Grid, None, None]:
        """Yield ever fewer contradicting constraints of ``task.candidates``, in the form of `answer_layout`.

        Every constraint of an answer is necessary, and the last answer has the fewest. No answer means that the
        constraints do not contradict each other. Lower bounds go to ``task.improve_bound``.
        """
        raise NotImplementedError

    def certify(self, puzzle: Any, task: Task, solutions: Sequence[Grid]) -> Certificate:
        """Return a certificate for the claim of a complete run of this backend.

        Crosslit calls this method in a separate process after that run, with its task and all solutions that it found,
        each accepted by the rules; none means the claim ``unsolvable``. The certificate is a claim like any other until
        `check` of `crosslit.certificates` accepts it. The method raises `GaveUp` if it cannot certify this.
        """
        raise NotImplementedError

    def answers(self, method: str) -> bool:
        """Return whether it has this method for a question, ``batches`` or ``certify`` itself."""
        own = getattr(type(self), method, None)
        return callable(own) and own is not getattr(Backend, method, None)


FAULTY = "faulty"
"""The group of engines that are known to give wrong answers: the group ``all`` leaves them out."""

UNKNOWN = "unknown"
"""An entry in the trusted base of a program whose method is unknown: it is independent of no other backend."""


def dependence(one: Set[str], other: Set[str]) -> str:
    """Return why two backends with these trusted bases are not independent; an empty text if they are.

    Examples:
        >>> dependence({"cdcl", "pysat"}, {"pysat"}), dependence({"program", UNKNOWN}, {"line solving"})
        ('both rest on pysat', 'the method of a program is unknown')
    """
    if UNKNOWN in one | other:
        return "the method of a program is unknown"
    shared = sorted(one & other)
    return f"both rest on {', '.join(shared)}" if shared else ""


def are_independent(one: Set[str], other: Set[str]) -> bool:
    """Return whether two trusted bases have nothing in common."""
    return not dependence(one, other)


MakesCommands = Callable[[str, str, str, frozenset[str]], Backend]
"""A function that makes a backend from a user's command, registered under ``crosslit.commands``.

The entry point is named after the placeholder in such commands, or ``json`` for the table of a program. The arguments
are the name in a spec, the command as written in a shell, the folder from which a relative path in the command starts,
and the groups of specs that the backend belongs to in addition to ``all``. It raises `SpecError` if the text is not a
command. The backend must be picklable, because it is sent to the processes of its runs.
"""
