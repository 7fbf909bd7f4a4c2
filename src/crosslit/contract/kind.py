"""The object that a kind of puzzle consists of for the rest of Crosslit: its class, and its capabilities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from crosslit.contract.puzzle import Puzzle

if TYPE_CHECKING:
    from crosslit.base.grid import Grid
    from crosslit.contract import Certificate, CheckResult
    from crosslit.contract.family import Maker, Population, Sort
    from crosslit.contract.shapes import Shape, Style


@dataclass(frozen=True)
class Row:
    """The default backends of one purpose, such as ``("line 0.1", "glucose4")``.

    A text is a spec, or a spec and the seconds of processor time of its turn. Those that do not support the puzzle are
    skipped, and after the last, those that were too slow get four times as long.

    Args:
        answers: the backends that are asked until one has answered.
        checks: those that are asked until one has confirmed the answer; only if they are independent of it.
        quick: maximum cells of a puzzle on which all of them are fast, so that they need no process with limits.
        quick_formula: the same for those with an encoding.
    """

    answers: tuple[str, ...]
    checks: tuple[str, ...] = ()
    quick: int = 0
    quick_formula: int = 0


def _none(*_: Any) -> Iterator[Any]:
    return iter(())


def _undecided(*_: Any) -> None:
    return None


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of puzzle: its class and what Crosslit can do with its puzzles.

    A distribution registers one under the entry point group ``crosslit.kinds``. The class and the samples suffice to
    read, show, compare, enumerate, verify and measure its puzzles. All else is optional: a command that needs a
    capability refuses kinds without it.

    Args:
        puzzle: the class of the puzzles.
        samples: returns small puzzles, including one without a solution, one with one, and, last, one with several.
        parse: reads the one-line form, given with its origin for messages; without it, `Puzzle.parse` does.
        file_format: the format of a file with a puzzle, as other programs for this kind read it; by default the
            one-line form.
        is_usual: returns whether other programs know the rules of a puzzle of this kind.
        data_keys: the keys of `Puzzle.data` without which it is not complete.
        read_data: reads a puzzle from its data, given with their origin for messages.
        larger_samples: returns puzzles whose smallest solution is not found by luck, such as boards of 4 x 4.
        solutions: returns all solutions of a sample by trying grids, faster than trying all of them.
        all_right: returns whether every grid of a batch of packed grids is a solution, faster than one by one.
        satisfied: returns the constraints that a grid satisfies, as bits in `Puzzle.constraints_shape`.
        defaults: returns the default backends for a puzzle and a purpose; None for the group ``default``. For the
            purpose ``default``, those of this group. Those of Crosslit's kinds are in `crosslit.registry.table`.
        makers: returns the families of random puzzles; without any, the samples are drawn.
        families: returns the families that are enumerated completely.
        like: returns the puzzles with the rules of one; without it, all puzzles of the kind have the same rules.
        count_up_to: counts the solutions of a random puzzle up to a number. Without it, the default backend for the
            purpose ``few`` lists them, or all grids are tried if there are at most 12 cells, or an engine is asked.
        most_solutions: returns an upper bound on the number of solutions, faster than counting.
        smaller: yields smaller puzzles by `Puzzle.measure`, the largest steps first, for finding a small one on which a
            solver fails; its arguments are the puzzle, a solution to keep if possible or None, and whether rows and
            columns must stay equal in number.
        exchanged: yields puzzles of the same measure, whose smaller ones are tried when no smaller one fails.
        certificates: the formats of certificates for this kind, with the functions that check them.
        nullity: returns the number k for which a puzzle with any solution has 2^k; None if it is unknown.
        cost: returns the cost of a solution, if its puzzles have the question of the best one.
        page: returns the data of a puzzle for its page, as the scripts of `crosslit_play` read them.
        stories: returns the solvers whose steps a page shows: the spec and a title.
        frame: adds the surroundings of the cells, such as clues, to their lines of text.
        tint: adds the colours of a terminal to such a picture; without it, signs and numbers of all kinds have theirs.
        scene: returns the space left of and above the cells, and the shapes of a picture; plain squares without it.
        contradiction: returns a picture of constraints that contradict each other, and the reason in words; without it
            they are listed in the words of `Puzzle.constraint_words`.
    """

    puzzle: type[Puzzle]
    samples: Callable[[], Sequence[Puzzle]]
    parse: Callable[[str, str], Puzzle] | None = None
    file_format: str = ""
    is_usual: Callable[[Any], bool] = lambda _: True
    data_keys: tuple[str, ...] = ()
    read_data: Callable[[Mapping[str, Any], str], Puzzle] | None = None
    larger_samples: Callable[[], Sequence[Puzzle]] = tuple
    solutions: Callable[[Any], Iterable[Grid]] | None = None
    all_right: Callable[[Any, bytes], bool] | None = None
    satisfied: Callable[[Any, Grid], int] | None = None
    defaults: Callable[[Any, str], Row | None] = _undecided
    makers: Callable[[], Sequence[Maker]] = tuple
    families: Callable[[], Sequence[Sort]] = tuple
    like: Callable[[Any], Population] | None = None
    count_up_to: Callable[[Any, int], int] | None = None
    most_solutions: Callable[[Any], int] | None = None
    smaller: Callable[[Any, Grid | None, bool], Iterator[Puzzle]] = _none
    exchanged: Callable[[Any], Iterator[Puzzle]] = _none
    certificates: Mapping[str, Callable[[Any, Certificate], CheckResult]] = field(default_factory=dict)
    nullity: Callable[[Any], int | None] = _undecided
    cost: Callable[[Grid], int] | None = None
    page: Callable[[Any], Mapping[str, Any]] | None = None
    stories: Callable[[Any], Iterable[tuple[str, str]]] = _none
    frame: Callable[[Any, list[str]], list[str]] | None = None
    tint: Callable[[Any, str], str] | None = None
    scene: Callable[[Any, Sequence[str]], tuple[float, float, Iterable[Shape]]] | None = None
    contradiction: Callable[[Any, Grid, Style], tuple[str, str]] | None = None

    @property
    def name(self) -> str:
        """The name of the kind: lower case, digits and ``-``."""
        return self.puzzle.kind
