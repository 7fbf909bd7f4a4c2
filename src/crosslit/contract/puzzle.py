"""The interface of a kind of puzzle: one class, from which the rest of Crosslit learns all that it can do with it."""

from __future__ import annotations

import copy
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from crosslit.base.grid import Drawable, Grid, Layout
from crosslit.base.records import Short
from crosslit.base.text import one_line, shorten

if TYPE_CHECKING:
    from crosslit.contract.family import Population

TEXT_LIMIT = 100_000  # maximum length of a one-line form in JSON


def function_at(place: str) -> Any:
    """Return a method that is the function at ``MODULE:NAME``, which few commands need: it is imported when called."""
    return lambda *arguments, **options: pkgutil.resolve_name(place)(*arguments, **options)


class Puzzle(Drawable, Short, ABC):
    """A kind of puzzle: its puzzles, whose solutions are grids, and what Crosslit can do with them.

    A kind is a frozen dataclass with ``slots`` that derives from this class, so that its puzzles can be compared,
    hashed and sent to other processes; a distribution registers it under the entry point group ``crosslit.kinds``. It
    must define ``kind``, ``label`` and ``plural``, ``name`` (default "", not part of the puzzle's identity), the
    abstract methods, and, unless other formats hold its puzzles, `parse`. That suffices to read, show, compare,
    enumerate, verify and measure its puzzles. All else has a default that suits any puzzle.
    """

    __slots__ = ()

    kind: ClassVar[str]  # its name: lower case, digits and -
    label: ClassVar[str]  # the kind in a title
    plural: ClassVar[str]  # puzzles of the kind in a sentence: "nonograms"
    member: ClassVar[str] = "puzzle"  # one puzzle among all of a shape: "every 2 x 2 board"
    constraints: ClassVar[str] = "constraints"  # the noun for the constraints of such a puzzle, in the plural
    uncovered: ClassVar[str] = ""  # a description of the puzzles that `crosslit verify` never generates
    is_linear: ClassVar[bool] = False  # whether the number of solutions is 0, or 2 to the power of a nullity
    has_presses: ClassVar[bool] = False  # whether its solutions are presses, so that the fewest can be asked for
    file_format: ClassVar[str] = ""  # the format of a file with a puzzle, as other programs for this kind read it
    data_keys: ClassVar[tuple[str, ...]] = ("text",)  # the keys of `data` without which it is not complete
    certificates: ClassVar[Mapping[str, Callable[..., Any]]] = {}  # the checkers of certificates for it, by format

    # Identity, form and rules.

    name: str  # the title of the puzzle; "" if it has none
    rows: int
    columns: int
    missing: Grid | None = None  # the cells that are not part of it
    # Each of these may be a property.
    is_usual: Any = True  # whether it follows the common rules of its kind, which other programs can read
    facts: Any = ()  # texts for a title in addition to kind and size
    shown: Any = None  # the grid of cells that a picture shows in addition to a solution
    sums: Any = None  # the numbers of filled cells by the rows and by the columns, if constraints are such numbers
    density: Any = None  # the fraction of true cells in every solution, if it is known
    min_true_cells: Any = 0  # a lower bound on the true cells of a solution, without a search
    most_solutions: Any = None  # an upper bound on the number of solutions, by arithmetic

    @property
    @abstractmethod
    def text(self) -> str:
        """The canonical one-line form; except for Crosslit's own kinds it starts with the kind and a colon."""

    @abstractmethod
    def violations(self, grid: Grid) -> Iterator[str]:
        """Yield a line for each violation of the rules by a grid; a ValueError says that it has another shape."""

    @classmethod
    @abstractmethod
    def samples(cls) -> Sequence[Self]:
        """Return small puzzles, including one without a solution, one with one, and, last, one with several."""

    @classmethod
    def parse(cls, text: str, origin: str = "text") -> Self:  # noqa: ARG003
        """Read a puzzle from its one-line form, with its origin for messages; a ValueError says what was expected."""
        raise ValueError(f"{cls.plural} are read by the formats that hold them")

    @property
    def data(self) -> Mapping[str, Any]:
        """The definition of the puzzle as JSON values, for programs that are asked to solve it."""
        return {"text": self.text}

    @classmethod
    def read_data(cls, record: Mapping[str, Any], origin: str) -> Self:
        """Read a puzzle from its data, given with their origin for messages."""
        return cls.parse(record["text"], origin)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns, as those of its solutions."""
        return self.rows, self.columns

    @property
    def layout(self) -> Layout:
        """The form of its solutions: by default one Boolean cell for each cell of the puzzle."""
        return Layout(self.rows, self.columns, missing=self.missing)

    @property
    def id(self) -> str:
        """The SHA-256 of the canonical one-line form, in hexadecimal."""
        import hashlib  # loads OpenSSL, which many commands do not need

        return hashlib.sha256(self.text.encode()).hexdigest()

    def json(self, nullity: int | None = None) -> dict[str, Any]:
        """Return the JSON form of its description, without a one-line form of more than `TEXT_LIMIT` characters."""
        record = {name: getattr(self, name) for name in ("name", "kind", "rows", "columns", "id")}
        if len(text := self.text) <= TEXT_LIMIT:
            record["text"] = text
        return {**record, "nullity": nullity}

    def all_right(self, packed: bytes) -> bool:
        """Return whether every grid of a batch in packed form, of its layout, is a solution; faster if possible."""
        return not any(next(self.violations(grid), "") for grid in self.layout.grids(packed))

    def all_solutions(self) -> Iterable[Grid]:
        """Return all solutions of a sample from the rules, by trying grids."""
        return (grid for grid in self.layout.every() if next(self.violations(grid), None) is None)

    def named(self, name: str) -> Self:
        """Return the puzzle with another title."""
        # The parts have been checked already; only the title of a frozen object changes.
        renamed = copy.copy(self)
        object.__setattr__(renamed, "name", name)
        return renamed

    def image(self, symmetry: Symmetry) -> Self | None:  # noqa: ARG002
        """Return the puzzle turned and mirrored, with its solutions turned likewise; None if there is none."""
        return None

    # Constraints, and what is known without a search.

    @property
    def constraints_shape(self) -> tuple[int, int]:
        """The shape of a grid with a cell for each constraint, in answers to the question ``mus``."""
        return self.rows, self.columns

    def constraint_words(self, number: int) -> str:  # noqa: ARG002
        """Return a description of a constraint, by its place in `constraints_shape`; "" if a picture shows it."""
        return ""

    def contradictions(self) -> Iterator[str]:
        """Yield reasons why there is no solution that are found without a search; there may be others."""
        return iter(())

    def needed(self, constraints: Grid) -> Grid | None:  # noqa: ARG002
        """Return those of some constraints that suffice for a contradiction by the rules; None if they show none."""
        return None

    def nullity(self) -> int | None:
        """Return the number k for which a puzzle with any solution has 2^k; None if it is unknown."""
        return None

    def count_up_to(self, limit: int) -> int | None:  # noqa: ARG002
        """Count the solutions of a random puzzle up to a number without an engine; None if that is not possible."""
        return None

    # Random, complete and smaller puzzles.

    @classmethod
    def larger_samples(cls) -> Sequence[Self]:
        """Return puzzles whose smallest solution is not found by luck, such as boards of 4 x 4."""
        return ()

    @classmethod
    def population(cls) -> Population:
        """Return the families of random puzzles, by default the samples, and those that are enumerated completely."""
        from crosslit.contract.family import Population  # loads `random`

        return Population((), ())

    def like(self) -> Population:
        """Return the families of puzzles with the rules of this one; by default all of the kind have the same rules."""
        return self.population()

    @property
    def measure(self) -> tuple[int, ...]:
        """A measure of size and simplicity: of two puzzles of a kind, the one with the smaller tuple is simpler."""
        return (self.rows * self.columns,)

    def smaller(self, solution: Grid | None, square: bool) -> Iterator[Self]:  # noqa: ARG002
        """Yield smaller puzzles by `measure`, the largest steps first, to find a small one on which a solver fails.

        They keep the solution if possible, and, if ``square``, equal numbers of rows and columns.
        """
        return iter(())

    def exchanged(self) -> Iterator[Self]:
        """Yield puzzles of the same measure, whose smaller ones are tried when no smaller one fails."""
        return iter(())

    # Titles and pictures.

    def __repr__(self) -> str:
        line = super().__repr__()
        if line.endswith(")"):  # it has all fields
            return line
        return f"<{shorten(f'{type(self).__name__} {self.title()}; {self.text}', 98)}>"

    def title(self, nullity: int | None = None) -> str:
        """Return the name, kind and size on one line, and the nullity if given: ``nonogram, 2 x 2``."""
        facts = [] if nullity is None else [f"nullity {nullity}"]
        text = ", ".join([self.label, f"{self.rows} x {self.columns}", *self.facts, *facts])
        return f"{one_line(self.name)}: {text}" if self.name else text

    def frame(self, lines: Iterator[str]) -> Iterable[str]:
        """Add the surroundings of the cells, such as clues, to their lines of text."""
        return lines

    def tint(self, picture: str) -> str | None:  # noqa: ARG002
        """Return such a picture with the colours of a terminal; None if signs and numbers have theirs."""
        return None

    def scene(self, lines: Sequence[str]) -> tuple[float, float, Iterable[Any]]:
        """Return the space left of and above the cells, and the shapes of a picture."""
        from crosslit.base.shapes import MARGIN, squares

        return MARGIN, MARGIN, squares(self, lines, MARGIN, MARGIN)

    def contradiction(self, constraints: Grid, style: Any) -> tuple[str, str] | None:  # noqa: ARG002
        """Return a picture of constraints that contradict each other, and the reason; None to list them in words."""
        return None


T = TypeVar("T")


@dataclass(frozen=True)
class Symmetry:
    """A rotation or reflection: exchange rows and columns, then turn upside down, then mirror, each if set."""

    turn: bool = False
    flip: bool = False
    mirror: bool = False

    def __call__(self, grid: Grid) -> Grid:
        """Return the grid turned and mirrored."""
        lines = (grid.transposed() if self.turn else grid).lines()[:: -1 if self.flip else 1]
        lines = [line[:: -1 if self.mirror else 1] for line in lines]
        return Grid.from_text("/".join(lines), grid.states)

    def axes(self, rows: T, columns: T) -> tuple[T, T]:
        """Return the values for rows and for columns, exchanged if the symmetry exchanges rows and columns."""
        return (columns, rows) if self.turn else (rows, columns)


TRANSPOSED = Symmetry(turn=True)
_SIDES = (False, True)
SYMMETRIES = tuple(Symmetry(turn, flip, mirror) for turn in _SIDES for mirror in _SIDES for flip in _SIDES)[1:]
"""All symmetries except the identity."""
