"""The contract of a puzzle kind: what the rest of Crosslit asks of every puzzle."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from crosslit.grid import Drawable, Grid
from crosslit.numbers import one_line
from crosslit.puzzles.symmetry import SYMMETRIES, Symmetry

if TYPE_CHECKING:
    from random import Random


class Puzzle(Drawable, ABC):
    """A puzzle whose solutions are grids of cells that are true or false.

    A kind is a frozen dataclass with ``slots`` that derives from this class, so that its puzzles are compared, hashed
    and sent to other processes. It must define ``name`` (with the default ""; no part of the puzzle's identity), the
    class attributes, and what is abstract here. All else has a default that fits a puzzle of which nothing is known.

    Attributes:
        kind: the name of the kind: lower case, digits and ``-``.
        label: the kind in a title: "nonogram".
        plural: puzzles of the kind in a sentence: "nonograms".
        member: one puzzle among all of a shape: "every 2 x 2 **board**".
        constraints: what the constraints of such a puzzle are, in the plural.
        uncovered: the puzzles of the kind that are never generated for `crosslit.verify`, in words.
        is_linear: whether the number of solutions, if there is any, is 2 to the power of a nullity.
    """

    __slots__ = ()

    kind: ClassVar[str]
    label: ClassVar[str]
    plural: ClassVar[str]
    member: ClassVar[str] = "puzzle"
    constraints: ClassVar[str] = "constraints"
    uncovered: ClassVar[str] = ""
    is_linear: ClassVar[bool] = False

    @property
    @abstractmethod
    def name(self) -> str:
        """The title of the puzzle, for people; "" if it has none."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """Number of rows."""

    @property
    @abstractmethod
    def columns(self) -> int:
        """Number of columns."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The canonical one-line form; it begins with the kind and a colon, but for the kinds of Crosslit itself."""

    @abstractmethod
    def violations(self, grid: Grid) -> Iterator[str]:
        """List what is wrong with a grid by the rules, one line each; nothing for a solution.

        Raises:
            ValueError: if the grid has another shape than the puzzle.
        """

    @classmethod
    def parse(cls, text: str) -> Self:  # noqa: ARG003
        """Read a puzzle from its one-line form.

        Raises:
            ValueError: if it is none; says what was expected.
        """
        raise ValueError(f"{cls.plural} are read by the formats that hold them")

    @classmethod
    def random(cls, rng: Random, rows: int, columns: int) -> Self | None:  # noqa: ARG003
        """Make a puzzle of a size by chance; None where there is none of that size."""
        return None

    @classmethod
    def samples(cls) -> Sequence[Self]:
        """Return a few small puzzles: among them one without a solution, with one, and with many."""
        return ()

    @property
    def id(self) -> str:
        """The sha256 of the canonical one-line form, in hexadecimal."""
        import hashlib  # it loads OpenSSL, which many commands do not need

        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def missing(self) -> Grid | None:
        """The cells that are no part of the puzzle; None for none."""
        return None

    @property
    def shown(self) -> Grid | None:
        """The cells that a picture of the puzzle shows, beside those of a solution; None for none."""
        return None

    def broken(self, grid: Grid) -> Grid | None:  # noqa: ARG002
        """Return the cells at which a grid breaks the rules; None where rules are not about single cells."""
        return None

    @property
    def facts(self) -> tuple[str, ...]:
        """What a title says beside kind and size."""
        return ()

    def title(self, nullity: int | None = None) -> str:
        """Return the name, kind and size in one line, and the nullity where it is given.

        Examples:
            >>> from crosslit import load
            >>> load("1,1|1,1").title()
            'nonogram, 2 x 2'
        """
        facts = [] if nullity is None else [f"nullity {nullity}"]
        text = ", ".join([self.label, f"{self.rows} x {self.columns}", *self.facts, *facts])
        return f"{one_line(self.name)}: {text}" if self.name else text

    @property
    def data(self) -> Mapping[str, Any]:
        """What defines the puzzle, as JSON values, for programs that are asked to solve it."""
        return {}

    @property
    def measure(self) -> tuple[int, ...]:
        """How large the puzzle is: of two of a kind, the smaller tuple is the simpler puzzle."""
        return (self.rows * self.columns,)

    @property
    def density(self) -> float | None:
        """The share of true cells in every solution; None where that is not known."""
        return None

    @property
    def min_text(self) -> int:
        """A bound on the characters of the one-line form, for puzzles whose form is long."""
        return 0

    @property
    def constraints_shape(self) -> tuple[int, int]:
        """The shape of a grid with a cell for each constraint, in answers to the question ``mus``."""
        return self.rows, self.columns

    def contradictions(self) -> Iterator[str]:
        """List reasons against any solution that are seen without solving; none here is no claim that there is one."""
        return iter(())

    def constraint_words(self, number: int) -> str:  # noqa: ARG002
        """Say a constraint in words, by its place in `constraints_shape`; "" where a picture shows it."""
        return ""

    def contradicts(self, constraints: Grid) -> bool | None:  # noqa: ARG002
        """Tell whether some constraints contradict each other, by the rules alone; None where that does not show."""
        return None

    @property
    def min_true_cells(self) -> int:
        """A bound on the true cells of a solution that needs no search."""
        return 0

    @property
    def sums(self) -> tuple[int, int] | None:
        """The filled cells that the rows need, and the columns; None where constraints are no such numbers."""
        return None

    @property
    def is_refuted(self) -> bool:
        """Whether the puzzle has no solution, seen without any search."""
        return False

    def image(self, symmetry: Symmetry) -> Self | None:  # noqa: ARG002
        """Return the puzzle turned and mirrored, whose solutions are turned likewise; None where there is none."""
        return None

    def images(self) -> Iterator[Self]:
        """Yield the puzzle rotated and mirrored: eight, which may be equal, with its solutions rotated and mirrored.

        Examples:
            >>> from crosslit import load
            >>> sorted({image.text for image in load("1 2,0|1,0,1,1").images()})[:4]
            ['0,1 2|1,0,1,1', '0,2 1|1,1,0,1', '1 2,0|1,0,1,1', '1,0,1,1|0,1 2']
        """
        yield self
        yield from filter(None, map(self.image, SYMMETRIES))

    def smaller(self, picture: Grid | None = None) -> Iterator[Self]:  # noqa: ARG002
        """List smaller puzzles by `measure`, the smallest first, to find a small one on which a solver fails.

        Args:
            picture: a solution, where the smaller puzzles should keep one.
        """
        return iter(())

    def named(self, name: str) -> Self:
        """Return the puzzle with another title."""
        renamed = copy.copy(self)
        object.__setattr__(renamed, "name", name)
        return renamed
