"""The puzzles of a campaign: the tables ``[[puzzles]]`` of its file, and the puzzles of each.

`crosslit_generate` generates puzzles, so they are the same as those of ``crosslit generate``. Generation may take long
and cannot be interrupted, so it runs in a separate process with a time limit.
"""

from __future__ import annotations

import dataclasses
import glob
import itertools
import math
import os
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property, partial
from itertools import islice, product
from pathlib import Path
from typing import Any, NamedTuple

from crosslit_generate.forked import ForkedWorker
from crosslit_generate.lights_out import BoardSpec, board_to_order
from crosslit_generate.nonogram import Difficulty, NonogramOrder, nonogram_to_order

from crosslit import formats
from crosslit.base.errors import GaveUp, InputError
from crosslit.base.files import file_of, show_path
from crosslit.base.numbers import did_you_mean
from crosslit.contract.family import check_size, seeded
from crosslit.contract.run import MAX_SECONDS
from crosslit.formats import FORMATS
from crosslit.kinds import LightsOut, Nonogram, Puzzle
from crosslit.kinds.lights_out.rules import Wrap
from crosslit.kinds.lights_out.text import rules
from crosslit.kinds.nonogram.making import pigeonhole
from crosslit_bench.plan.campaign import NOBODY, CampaignSpec, ExpectedVerdict, Instance

MAX_PUZZLES = 20_000
"""Maximum number of puzzles of one table."""
MAX_SEED = 2**63 - 1
_MAX_NAME_LENGTH = 40  # longest text of an inline puzzle that serves as its name
_MAX_HOLES = 2000
_MAX_PRESSES = 10**6
_SIZE = re.compile(r"([0-9]{1,6})x([0-9]{1,6})", re.ASCII)

Step = Callable[[str], None]


class PuzzleOrder(NamedTuple):
    """The specification of a puzzle to generate."""

    name: str
    size: float  # size for the growth of time
    facts: Mapping[str, Any]  # parameters of its generation
    make: Callable[[Step], Puzzle]  # generates the puzzle; may take long


_Make = Callable[[random.Random, Step], Puzzle]


def require_range(key: str, value: Any, least: float, most: float, *, above: bool = False) -> None:
    """Reject a number, or one in a tuple, that is not from one bound to the other, or not above the first."""
    for number in value if isinstance(value, tuple) else (value,):
        if number is not None and (not least <= number <= most or (above and number == least)):
            bounds = f"{'above' if above else 'from'} {least:g} to {most:.10g}"
            raise ValueError(f"{key}: expected a number {bounds}, found {number!r:.60}")


def require_text(key: str, value: Any, kind: str = "a text") -> None:
    """Reject a text that is blank, or a tuple that is empty or has such a text."""
    for text in (value or ("",)) if isinstance(value, tuple) else (value,):
        if text is not None and not text.strip():
            raise ValueError(f"{key}: expected {kind}, found {text!r}")


@dataclass(frozen=True, kw_only=True)
class PuzzleTable:
    """A table ``[[puzzles]]``: the keys that all of them may have."""

    family: str = ""
    growth: bool = True
    expected: Mapping[str, ExpectedVerdict] | None = None  # verdicts by pattern of file names; the first match counts
    source: str | None = None

    def __post_init__(self) -> None:
        if not self.family.strip().isprintable():
            raise ValueError(f"family: expected a printable family, found {self.family!r:.60}")
        require_text("source", self.source)
        if self.expected == {}:
            raise ValueError("expected: expected verdicts, found none")
        if self.source is not None and self.expected is None:
            raise ValueError("source: it is the source of the verdicts in `expected`, which is missing")

    @property
    def name(self) -> str:
        """The family of the puzzles, or the way to get them."""
        return self.family.strip() or getattr(self, "generate", "files" if hasattr(self, "files") else "puzzles")

    def prepare(self, folder: Path) -> None:
        """Check what other files or the generators decide; a folder is that of the campaign."""

    def found(self) -> Iterator[Instance]:
        """Yield the puzzles, the same at every call; generating one may take a while."""
        raise NotImplementedError

    def instances(self) -> Iterator[Instance]:
        """Yield the puzzles with the verdicts that are expected for them."""
        words = self.expected or {}
        unused = dict.fromkeys(words)
        for instance in self.found():
            path = str(instance.facts.get("file", instance.puzzle.name))
            names = (path, Path(path).name, instance.puzzle.name)
            pattern = next((one for one in words if any(fnmatchcase(name, one) for name in names)), None)
            if pattern is None:
                yield instance
                continue
            unused.pop(pattern, None)
            facts = {**instance.facts, "expected": words[pattern], "expected_by": self.source or NOBODY}
            yield dataclasses.replace(instance, facts=facts)
        for pattern in unused:
            raise ValueError(f"expected: it matches no puzzle of its table: {pattern!r}")


@dataclass(frozen=True, kw_only=True)
class GivenPuzzles(PuzzleTable):
    """Puzzles in their one-line forms."""

    puzzles: tuple[str, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        require_text("puzzles", self.puzzles, "a puzzle such as '10/01' or '1,1|1,1'")
        for text in self.puzzles:
            try:
                formats.from_line(text, "puzzle")
            except ValueError as error:
                raise ValueError(f"puzzles: found {text!r:.60}: {error}") from None

    def found(self) -> Iterator[Instance]:
        """Yield the puzzles."""
        return inline(self.name, (formats.from_line(text, "puzzle") for text in self.puzzles))


@dataclass(frozen=True, kw_only=True)
class PuzzleFiles(PuzzleTable):
    """Puzzles in files, by patterns: with ``*``, ``?``, ``[...]``, ``**`` for any folders; a folder; or ``FILE:7``."""

    format: str | None = None
    files: tuple[str, ...]
    paths: dict[str, str] = field(default_factory=dict, init=False)  # the found files, with their relative paths

    def __post_init__(self) -> None:
        super().__post_init__()
        require_text("files", self.files, "a path such as 'boards/*.non'")
        if self.format is not None and self.format not in FORMATS:
            hint = did_you_mean(self.format, FORMATS)
            raise ValueError(
                f"format: expected one of {', '.join(FORMATS)}, found {self.format!r:.60}{hint and f'; {hint}'}"
            )

    def prepare(self, folder: Path) -> None:
        """Find the files: sorted within a pattern, each once."""
        for pattern in self.files:
            matched = list(_matched(pattern, folder))
            if not matched:
                raise ValueError(f"files: no file matches {pattern!r} in {show_path(folder)}")
            for path in matched:
                self.paths.setdefault(path, os.path.relpath(path, folder).encode(errors="replace").decode())

    def found(self) -> Iterator[Instance]:
        """Yield the puzzles; a file is read only when its first puzzle is requested."""
        for path, called in self.paths.items():
            for puzzle in formats.read_all(Path(path) if os.path.exists(path) else path, self.format):
                named = puzzle.named(puzzle.name.encode(errors="replace").decode())  # a file's name may not be UTF-8
                yield Instance(puzzle=named, family=self.name, size=_side(puzzle), facts={"file": called})


@dataclass(frozen=True, kw_only=True)
class GeneratedPuzzles(PuzzleTable):
    """Puzzles that are generated."""

    generate: str
    sizes: tuple[Any, ...]
    timeout: float = 60.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_text("sizes", tuple(map(str, self.sizes)), "sizes")
        require_range("timeout", self.timeout, 0, MAX_SECONDS, above=True)

    def specified(self) -> Iterator[PuzzleOrder]:
        """Yield the specifications of the puzzles."""
        raise NotImplementedError

    @cached_property
    def orders(self) -> tuple[PuzzleOrder, ...]:
        """The specifications of the puzzles."""
        return tuple(islice(self.specified(), MAX_PUZZLES + 1))

    def prepare(self, folder: Path) -> None:  # noqa: ARG002
        """Check the sizes and the number of puzzles."""
        if len(self.orders) > MAX_PUZZLES:
            raise ValueError(f"expected at most {MAX_PUZZLES} puzzles of one table, found more")

    def found(self) -> Iterator[Instance]:
        """Yield the puzzles, each as soon as it is finished."""
        return generated(self.name, self.orders, self.timeout)


@dataclass(frozen=True, kw_only=True)
class RandomPuzzles(GeneratedPuzzles):
    """Puzzles of sizes such as 5 or ``11x16`` (11 rows of 16), each with separate random numbers."""

    count: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_range("count", self.count, 1, MAX_PUZZLES)
        require_range("seed", self.seed, 0, MAX_SEED)

    def each(self, title: str, shape: tuple[int, int], facts: Mapping[str, Any], make: _Make) -> Iterator[PuzzleOrder]:
        """Yield the specifications of puzzles that differ only in their random numbers."""
        for index in range(1, self.count + 1):
            numbers = {"seed": self.seed, "number": index}
            name = f"{title} #{index} (seed {self.seed})"
            yield PuzzleOrder(name, math.sqrt(math.prod(shape)), {**facts, **numbers}, partial(self._made, make, index))

    def _made(self, make: _Make, index: int, step: Step) -> Puzzle:
        return make(seeded(self.generate, self.seed, index), step)

    def shapes(self) -> Iterator[tuple[int, int]]:
        """Yield the different sizes, which are possible."""
        for size in dict.fromkeys(map(_size, self.sizes)):
            try:
                check_size(*size)
            except ValueError as error:
                raise ValueError(f"sizes: {error}") from None
            yield size


@dataclass(frozen=True, kw_only=True)
class GeneratedBoards(RandomPuzzles):
    """Lights Out boards."""

    solvable: bool | None = None  # None for random lights
    presses: int = 0
    press: str = "plus"
    wrap: Wrap = "none"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_range("presses", self.presses, 0, _MAX_PRESSES)
        if self.presses and self.solvable is False:
            raise ValueError("presses: a board without a solution has no fewest presses")

    def specified(self) -> Iterator[PuzzleOrder]:
        """Yield the specifications, by size."""
        try:
            board = rules(self.press, self.wrap)
        except InputError as error:
            raise ValueError(str(error)) from None
        word = "solvable" if self.solvable or self.presses else "random" if self.solvable is None else "unsolvable"
        least = [f"at least {self.presses} presses"] if self.presses else []
        notes = "".join(f", {note}" for note in [*board.settings, *least])
        for rows, columns in self.shapes():
            spec = BoardSpec(rows, columns, board, self.solvable, self.presses)
            if self.solvable is False and not spec.nullity():
                raise ValueError(f"sizes: every board of {rows} x {columns} has a solution: its nullity is 0")
            yield from self.each(f"{word} {rows}x{columns}{notes}", (rows, columns), {}, partial(_board, spec))


@dataclass(frozen=True, kw_only=True)
class GeneratedNonograms(RandomPuzzles):
    """Nonograms of random pictures."""

    densities: tuple[float, ...] | None = None
    unique: bool | None = None
    difficulty: Difficulty | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require_text("densities", None if self.densities is None else tuple(map(str, self.densities)), "densities")
        require_range("densities", self.densities, 0, 1)
        if self.difficulty and self.unique is False:
            raise ValueError("unique: only puzzles with one solution have a difficulty: expected no unique = false")

    def specified(self) -> Iterator[PuzzleOrder]:
        """Yield the specifications, by size and density."""
        for (rows, columns), density in product(self.shapes(), dict.fromkeys(self.densities or (None,))):
            spec = NonogramOrder(rows, columns, density, bool(self.unique), self.difficulty)
            title = f"{self.difficulty or ('unique' if self.unique else 'random')} {rows}x{columns}"
            title, facts = (title, {}) if density is None else (f"{title}, density {density:g}", {"density": density})
            yield from self.each(title, (rows, columns), facts, partial(_nonogram, spec))


@dataclass(frozen=True, kw_only=True)
class Pigeonholes(GeneratedPuzzles):
    """Nonograms with n + 1 rows, n columns and all clues 1, which have no solution."""

    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        require_range("sizes", self.sizes, 1, _MAX_HOLES)

    def specified(self) -> Iterator[PuzzleOrder]:
        """Yield the specifications, by size."""
        for size in dict.fromkeys(self.sizes):
            yield PuzzleOrder(f"{size + 1} rows, {size} columns", float(size), {}, partial(_pigeonhole, size))


WAYS: dict[str, type[PuzzleTable]] = {"files": PuzzleFiles, "puzzles": GivenPuzzles}
"""The class of a table by its key."""
GENERATED: dict[str, type[PuzzleTable]] = {
    LightsOut.kind: GeneratedBoards,
    Nonogram.kind: GeneratedNonograms,
    "pigeonhole": Pigeonholes,
}
"""The class of a table by the value of its key ``generate``."""


def generated(family: str, orders: Sequence[PuzzleOrder], seconds: float) -> Iterator[Instance]:
    """Yield generated puzzles, each as soon as it is finished."""

    def make(number: int, on_step: Step) -> Puzzle:
        return orders[number - 1].make(on_step)

    with ForkedWorker(make, len(orders), seconds, "timeout") as worker:
        puzzles = worker.results(lambda _: None)
        for order in orders:
            try:
                puzzle = next(puzzles, None)
            except (GaveUp, ValueError) as problem:
                raise ValueError(f"the puzzle {order.name!r} cannot be generated: {problem}") from None
            if puzzle is None:
                raise KeyboardInterrupt
            yield Instance(puzzle=puzzle.named(order.name), family=family, size=order.size, facts=order.facts)


def inline(family: str, puzzles: Iterable[Puzzle]) -> Iterator[Instance]:
    """Yield puzzles that are given in the campaign's file."""
    for number, puzzle in enumerate(puzzles, 1):
        name = puzzle.name or (puzzle.text if len(puzzle.text) <= _MAX_NAME_LENGTH else f"puzzle {number}")
        yield Instance(puzzle=puzzle.named(name), family=family, size=_side(puzzle), facts={"number": number})


def _matched(pattern: str, folder: Path) -> Iterator[str]:
    if "\0" in pattern:
        raise ValueError("files: a path cannot contain a null byte")
    whole = str(folder / pattern)
    if file_of(whole) != whole:
        yield whole
        return
    literal = os.path.exists(whole)  # the name of a file may look like a pattern
    for path in [whole] if literal else sorted(glob.glob(pattern, root_dir=folder, recursive=True)):  # noqa: PTH207  (Path.glob rejects absolute patterns)
        found_at = os.path.normpath(folder / path)
        if not os.path.isdir(found_at):
            yield found_at
            continue
        inside = formats.in_folder(found_at)
        if literal and not inside:
            raise ValueError(f"files: the folder {pattern!r} contains no puzzle")
        yield from map(str, inside)


def all_instances(campaign: CampaignSpec) -> Iterator[Instance]:
    """Yield all puzzles of a campaign in order, each once; names are unique within a family."""
    known: set[str] = set()
    names: set[tuple[str, str]] = set()
    for instance in itertools.chain.from_iterable(source() for source in campaign.sources):
        puzzle = instance.puzzle
        if puzzle.id in known:
            continue
        known.add(puzzle.id)
        name = puzzle.name
        if (instance.family, name) in names and "file" in instance.facts:
            name = f"{name} ({instance.facts['file']})"
        plain, place = name, 1
        while (instance.family, name) in names:
            place += 1
            name = f"{plain} ({place})"
        names.add((instance.family, name))
        yield dataclasses.replace(instance, puzzle=puzzle.named(name))


def _board(spec: BoardSpec, rng: random.Random, _: Step) -> Puzzle:
    return board_to_order(spec, rng)


def _nonogram(order: NonogramOrder, rng: random.Random, step: Step) -> Puzzle:
    return nonogram_to_order(order, rng, step).puzzle


def _pigeonhole(size: int, _: Step) -> Puzzle:
    return pigeonhole(size)


def _size(value: Any) -> tuple[int, int]:
    if type(value) is int and 1 <= value < 10**6:
        return value, value
    found = _SIZE.fullmatch(value) if isinstance(value, str) else None
    if found is None or not int(found[1]) or not int(found[2]):
        raise ValueError(f"sizes: expected 5 or '11x16', 11 rows of 16, found {value!r:.60}")
    return int(found[1]), int(found[2])


def _side(puzzle: Puzzle) -> float:
    return math.sqrt(puzzle.rows * puzzle.columns)
