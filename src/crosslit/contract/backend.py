"""The promises of a backend: its questions are methods, present or absent."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence, Set
from typing import Any, Protocol

from crosslit.contract.certificate import Certificate
from crosslit.contract.task import Option, Options, Task
from crosslit.grid import Grid
from crosslit.puzzles import Puzzle

NO_PRESSES = "the encoding has no variable for every press, so that it cannot count them"
"""Why a backend that minimises gives up on an encoding of, say, the first row alone."""


class Backend(Protocol):
    """A solver. Cheap to build; imports its engine inside methods; keeps no state between calls.

    It answers one question or more: `AnswersSolutions`, `AnswersFewest`, and those of `crosslit.contract`. A module
    registers a list of them under the entry point group ``crosslit.backends``.
    """

    @property
    def name(self) -> str:
        """As in a spec: letters, digits and ``-``."""

    @property
    def summary(self) -> str:
        """One line for people."""

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of puzzles it takes (with an encoding, if it accepts any)."""

    @property
    def targets(self) -> frozenset[str]:
        """The encoding targets it takes; empty means that it reads the puzzle itself."""

    @property
    def groups(self) -> frozenset[str]:
        """The groups of specs it belongs to, beside ``all``."""

    @property
    def trusted_base(self) -> frozenset[str]:
        """What its correctness rests on, beside its encoding and the rule checker."""

    @property
    def options(self) -> Mapping[str, Option]:
        """The options a spec may set."""

    @property
    def preload(self) -> tuple[str, ...]:
        """What is imported before the clock starts: the engine, and what its encoders import."""

    def version(self) -> str:
        """The engine's version, found without importing it; `crosslit.registry.inquiry` limits the time for it.

        Raises:
            Unavailable: if it cannot run here; says why.
        """

    def unsupported_reason(self, puzzle: Puzzle, options: Options) -> str | None:
        """Why this puzzle is beyond this backend, found at next to no cost; None if it is not.

        The time that it takes is added to that of the run.
        """


UNKNOWN = "unknown"
"""An entry of the trusted base of a program of which nothing is known: it is independent of no other backend."""


def are_independent(one: Set[str], other: Set[str]) -> bool:
    """Return whether two trusted bases have nothing in common.

    Examples:
        >>> are_independent({"cdcl"}, {"line"}), are_independent({"program", UNKNOWN}, {"line"})
        (True, False)
    """
    return one.isdisjoint(other) and UNKNOWN not in one | other


class MakesCommands(Protocol):
    """A function that makes a backend of a user's command; registered under ``crosslit.commands``.

    The entry point has the name of the placeholder in such commands, or is ``json`` for a table of a program.

    The backend is sent to the processes of its runs, so that pickle must be able to carry it.
    """

    def __call__(self, name: str, text: str, folder: str, groups: frozenset[str]) -> Backend:
        """The backend.

        Args:
            name: as in a spec.
            text: the command, as it is written in a shell.
            folder: where a command that is a relative path begins.
            groups: the groups of specs it belongs to, beside ``all``.

        Raises:
            SpecError: if the text is no command.
        """


class AnswersSolutions(Backend, Protocol):
    """A backend that finds all solutions."""

    def solutions(self, puzzle: Any, task: Task) -> Generator[Grid, None, None]:
        """All solutions of a puzzle of one of its kinds, none twice; a return claims that there are no more.

        Frees the engine in ``finally``.

        Raises:
            GaveUp: to stop without that claim.
        """


class AnswersFewest(Backend, Protocol):
    """A backend that finds the fewest presses that put out a Lights Out board."""

    def fewest(self, puzzle: Any, task: Task) -> Generator[Grid, None, None]:
        """Solutions of ever fewer presses; a return claims that the last one has the fewest, or that there is none.

        What is proved meanwhile goes to ``task.improve_bound``. Frees the engine in ``finally``.

        Raises:
            GaveUp: to stop without that claim.
        """


class AnswersBatches(AnswersSolutions, Protocol):
    """A backend that also hands solutions over many at a time, in a defined order.

    One with an attribute ``unordered``, that is true, gives them in any order, none twice, and skips none.
    """

    def batches(self, puzzle: Any, task: Task) -> Generator[bytes, None, None]:
        """All solutions in ascending order of their one-line form, but for the first ``task.skip``, packed.

        Each batch is one solution or more, as in `crosslit.grid.Grid`, one after the other. The first batches are
        small, so that the first solution comes at once. A return claims that there are no more.

        Raises:
            GaveUp: to stop without that claim.
        """


class AnswersCount(Backend, Protocol):
    """A backend that tells how many solutions there are, without finding each."""

    def count(self, puzzle: Any, task: Task) -> int:
        """How many solutions a puzzle of one of its kinds has.

        Raises:
            GaveUp: if it does not find out.
        """


class AnswersBackbone(Backend, Protocol):
    """A backend that finds which cells are equal in all solutions, without finding all of them."""

    def backbone(self, puzzle: Any, task: Task) -> Generator[Grid, None, None]:
        """Solutions; a return claims that where all of them agree, all solutions of the puzzle do.

        Without any, it claims that there is none. Frees the engine in ``finally``.

        Raises:
            GaveUp: to stop without that claim.
        """


class AnswersReveal(Backend, Protocol):
    """A backend that finds the fewest cells to reveal."""

    def reveal(self, puzzle: Any, task: Task) -> Generator[Grid, None, None]:
        """Ever fewer cells, of ``task.candidates``: their values in ``task.target`` leave no other solution.

        No cell of an answer can be left out. A return claims that the last answer has the fewest; without any, that
        there is no solution, or that not even all cells of ``task.candidates`` suffice. What is proved meanwhile goes
        to ``task.improve_bound``. Frees the engine in ``finally``.

        Raises:
            GaveUp: to stop without that claim.
        """


class AnswersMus(Backend, Protocol):
    """A backend that finds minimal unsatisfiable subsets (MUS) of a puzzle's constraints."""

    def mus(self, puzzle: Any, task: Task) -> Generator[Grid, None, None]:
        """Ever fewer constraints, of ``task.candidates``, that contradict each other, in the shape of `answer_shape`.

        None of an answer can be left out. A return claims that the last answer has the fewest; without any, that they
        do not contradict each other. What is proved meanwhile goes to ``task.improve_bound``. Frees the engine in
        ``finally``.

        Raises:
            GaveUp: to stop without that claim.
        """


class Certifies(Backend, Protocol):
    """A backend that can also give evidence for its claims, which anyone can check.

    One whose attribute ``certifies_at_limit`` is true can derive the number of all solutions from a few of them. It is
    also asked about runs that stopped at a limit, if no run is complete.
    """

    def certify(self, puzzle: Any, task: Task, solutions: Sequence[Grid]) -> Certificate:
        """A certificate for what a complete run of this backend said.

        Called in a process of its own, after that run. What it writes is a claim like any other, until `check` of
        `crosslit.certificates` has accepted it.

        Args:
            puzzle: of one of its kinds.
            task: as that run had it: encoding, options.
            solutions: all that the run found, each accepted by the rules; none means that it claims ``unsolvable``.

        Raises:
            GaveUp: if it cannot certify this; says why.
        """
