"""The interface of a backend: a method for each question that it answers."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence, Set
from typing import Any, Protocol

from crosslit.contract.certificate import Certificate
from crosslit.contract.task import Option, Options, Task
from crosslit.grid import Grid
from crosslit.kinds import Puzzle

NO_PRESSES = "the encoding lacks variables for some presses, so it cannot count them"
"""The reason why a minimising backend gives up on an encoding of only the first row, for example."""


class Backend(Protocol):
    """A solver: cheap to construct, importing its engine inside methods, without state between calls.

    It answers one question or more: see `AnswersSolutions`, `AnswersFewest` and the other protocols here. A module
    registers a list of backends under the entry point group ``crosslit.backends``.
    """

    @property
    def name(self) -> str:
        """The name in a spec: letters, digits and ``-``."""

    @property
    def summary(self) -> str:
        """A line that describes the backend."""

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of puzzles that it supports; empty for every kind (that has an encoding, if there are targets)."""

    @property
    def targets(self) -> frozenset[str]:
        """The encoding targets that it accepts; empty if it reads the puzzle itself."""

    @property
    def groups(self) -> frozenset[str]:
        """The groups of specs that it belongs to, in addition to ``all``."""

    @property
    def trusted_base(self) -> frozenset[str]:
        """Everything on which its correctness rests, except its encoding and the rule checker."""

    @property
    def options(self) -> Mapping[str, Option]:
        """The options that a spec may set."""

    @property
    def preload(self) -> tuple[str, ...]:
        """Modules to import before the clock starts: the engine, and the imports of its encoders."""

    def version(self) -> str:
        """Return the engine's version without importing it; `crosslit.registry.inquiry` limits the time.

        Raises:
            Unavailable: if it cannot run here; the message says why.
        """

    def unsupported_reason(self, puzzle: Puzzle, options: Options) -> str | None:
        """Return why the puzzle is unsupported, or None; this must be cheap.

        The time that this takes counts as time of the run.
        """


UNKNOWN = "unknown"
"""An entry in the trusted base of a program whose method is unknown: it is independent of no other backend."""


def are_independent(one: Set[str], other: Set[str]) -> bool:
    """Return whether two trusted bases have nothing in common.

    Examples:
        >>> are_independent({"cdcl"}, {"line"}), are_independent({"program", UNKNOWN}, {"line"})
        (True, False)
    """
    return one.isdisjoint(other) and UNKNOWN not in one | other


class MakesCommands(Protocol):
    """A function that makes a backend from a user's command, registered under ``crosslit.commands``.

    The entry point is named after the placeholder in such commands, or ``json`` for the table of a program.

    The backend must be picklable, because it is sent to the processes of its runs.
    """

    def __call__(self, name: str, text: str, folder: str, groups: frozenset[str]) -> Backend:
        """Return the backend.

        Args:
            name: the name in a spec.
            text: the command, as written in a shell.
            folder: the folder from which a relative path in the command starts.
            groups: the groups of specs that it belongs to, in addition to ``all``.

        Raises:
            SpecError: if the text is not a command.
        """


class AnswersSolutions(Backend, Protocol):
    """A backend that finds all solutions."""

    def solutions(self, puzzle: Any, task: Task) -> Generator[Grid, None, None]:
        """Yield all solutions of a puzzle of one of its kinds, each once.

        By returning, it claims that there are no more. The method frees the engine in ``finally``.

        Raises:
            GaveUp: to stop without that claim.
        """


class AnswersFewest(Backend, Protocol):
    """A backend that finds the fewest presses that clear a Lights Out board."""

    def fewest(self, puzzle: Any, task: Task) -> Generator[Grid, None, None]:
        """Yield solutions of ever fewer presses.

        By returning, it claims that the last has the fewest, or that there is none. Lower bounds go to
        ``task.improve_bound``. The method frees the engine in ``finally``.

        Raises:
            GaveUp: to stop without that claim.
        """


class AnswersBatches(AnswersSolutions, Protocol):
    """A backend that also yields solutions in batches, in a defined order.

    If it has a true attribute ``unordered``, it yields them in any order, each once, and skips none.
    """

    def batches(self, puzzle: Any, task: Task) -> Generator[bytes, None, None]:
        """Yield all solutions, packed, in ascending order of their one-line form, except the first ``task.skip``.

        Each batch is one solution or more, packed as in `crosslit.grid.Grid` and concatenated. The first batches are
        small, so that the first solution comes at once. By returning, it claims that there are no more.

        Raises:
            GaveUp: to stop without that claim.
        """


class AnswersCount(Backend, Protocol):
    """A backend that counts solutions without finding each."""

    def count(self, puzzle: Any, task: Task) -> int:
        """Return the number of solutions of a puzzle of one of its kinds.

        Raises:
            GaveUp: if it cannot determine the number.
        """


class AnswersBackbone(Backend, Protocol):
    """A backend that finds the cells that are equal in all solutions, without finding all solutions."""

    def backbone(self, puzzle: Any, task: Task) -> Generator[Grid, None, None]:
        """Yield solutions; by returning, it claims that cells on which they agree are equal in all solutions.

        If it yields none, it claims that there is none. The method frees the engine in ``finally``.

        Raises:
            GaveUp: to stop without that claim.
        """


class AnswersReveal(Backend, Protocol):
    """A backend that finds the fewest cells to reveal."""

    def reveal(self, puzzle: Any, task: Task) -> Generator[Grid, None, None]:
        """Yield ever fewer cells of ``task.candidates`` whose values in ``task.target`` leave no other solution.

        Every cell of an answer is necessary. By returning, it claims that the last answer has the fewest cells. If it
        returns without an answer, it claims that there is no solution, or that even all of ``task.candidates`` do not
        suffice. Lower bounds go to ``task.improve_bound``. The method frees the engine in ``finally``.

        Raises:
            GaveUp: to stop without that claim.
        """


class AnswersMus(Backend, Protocol):
    """A backend that finds minimal unsatisfiable subsets (MUS) of a puzzle's constraints."""

    def mus(self, puzzle: Any, task: Task) -> Generator[Grid, None, None]:
        """Yield ever fewer contradicting constraints of ``task.candidates``, in the shape of `answer_shape`.

        Every constraint of an answer is necessary. By returning, it claims that the last answer has the fewest. If it
        returns without an answer, it claims that the constraints do not contradict each other. Lower bounds go to
        ``task.improve_bound``. The method frees the engine in ``finally``.

        Raises:
            GaveUp: to stop without that claim.
        """


class Certifies(Backend, Protocol):
    """A backend that can also give checkable evidence for its claims.

    If its attribute ``certifies_at_limit`` is true, it can derive the number of all solutions from a few of them. It is
    then also asked about runs that stopped at a limit, if no run is complete.
    """

    def certify(self, puzzle: Any, task: Task, solutions: Sequence[Grid]) -> Certificate:
        """Return a certificate for the claim of a complete run of this backend.

        Crosslit calls this method in a separate process after that run. The certificate is a claim like any other until
        `check` of `crosslit.certificates` accepts it.

        Args:
            puzzle: a puzzle of one of its kinds.
            task: the task of that run: encoding, options.
            solutions: all solutions that the run found, each accepted by the rules; none means the claim
                ``unsolvable``.

        Raises:
            GaveUp: if it cannot certify this; the message says why.
        """
