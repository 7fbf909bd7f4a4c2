"""Where the puzzles of a campaign come from: made to order, read from files, or written in the campaign itself.

`crosslit.generation` makes what is made, so the puzzles are those of ``crosslit generate``. Making one may take long
and hears of no interrupt, so it happens in a process of its own, under a limit of time.
"""

from __future__ import annotations

import dataclasses
import functools
import glob
import itertools
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosslit import formats
from crosslit.campaigns.spec.campaign import Campaign, Instance, Source
from crosslit.errors import GaveUp, InputError
from crosslit.formats.files import show_path
from crosslit.generation.constrained import BoardSpec, NonogramOrder, board_to_order, nonogram_to_order
from crosslit.generation.random_puzzles import pigeonhole, seeded
from crosslit.puzzles import Puzzle
from crosslit.sandbox.forked import ForkedWorker

Error = Callable[[str], InputError]
"""What to raise about the table that a source was read from, given the problem."""
Step = Callable[[str], None]
PatternError = Callable[[str, str], InputError]

_MAX_NAME_LENGTH = 40  # characters of an inline puzzle that is called by its own text


@dataclass(frozen=True, kw_only=True)
class PuzzleSpec:
    """A puzzle that is to be made.

    Args:
        name: of the puzzle.
        size: what time is drawn against.
        facts: of how it is made.
        make: makes it; may take long.
    """

    name: str
    size: float
    facts: Mapping[str, Any]
    make: Callable[[Step], Puzzle]


@dataclass(frozen=True, kw_only=True)
class GeneratedSource:
    """Puzzles that are made to order.

    Args:
        family: of the campaign.
        orders: in order.
        error: of the table.
        seconds: each may take.
    """

    family: str
    orders: tuple[PuzzleSpec, ...]
    error: Error
    seconds: float = 60.0

    def instances(self) -> Iterator[Instance]:
        """The puzzles, each as soon as it is made.

        Raises:
            InputError: if one cannot be, or was not found, or not in time.
            KeyboardInterrupt: if Ctrl-C came meanwhile.
        """

        def make(number: int, on_step: Step) -> Puzzle:
            return self.orders[number - 1].make(on_step)

        number = 0
        with ForkedWorker(make, len(self.orders), self.seconds, "timeout") as making:
            made = making.results(lambda _: None)
            for number, order in enumerate(self.orders):  # noqa: B007  (told below)
                try:
                    puzzle = next(made, None)
                except (GaveUp, ValueError) as error:
                    raise self.error(f"the puzzle {order.name!r} cannot be made: {error}") from None
                if puzzle is None:
                    raise KeyboardInterrupt
                yield Instance(
                    puzzle=puzzle.named(order.name),
                    family=self.family,
                    size=order.size,
                    facts=order.facts,
                )


def boards(sizes: Iterable[tuple[int, int]], order: BoardSpec, count: int, seed: int) -> Iterator[PuzzleSpec]:
    """Lights Out boards: ``count`` of each size, otherwise as in ``order``."""
    solvable = order.solvable or order.presses
    kind = "solvable" if solvable else "random" if order.solvable is None else "unsolvable"
    beside = [*order.rules.settings, *([f"at least {order.presses} presses"] if order.presses else [])]
    for rows, columns in sizes:
        sized = dataclasses.replace(order, rows=rows, columns=columns)
        for number in range(1, count + 1):
            name = _name(f"{kind} {rows}x{columns}", beside, number, seed)
            make = functools.partial(_board, sized, seed, number)
            yield PuzzleSpec(
                name=name, size=math.sqrt(rows * columns), facts={"seed": seed, "number": number}, make=make
            )


def _board(order: BoardSpec, seed: int, number: int, _: Step) -> Puzzle:
    return board_to_order(order, seeded("lights-out", seed, number))


def nonograms(
    sizes: Iterable[tuple[int, int]],
    densities: Iterable[float | None],
    order: NonogramOrder,
    count: int,
    seed: int,
) -> Iterator[PuzzleSpec]:
    """Nonograms: ``count`` of each size and density, otherwise as in ``order``."""
    thinning = tuple(densities)
    kind = order.difficulty or ("unique" if order.unique else "random")
    for rows, columns in sizes:
        for density in thinning:
            sized = dataclasses.replace(order, rows=rows, columns=columns, density=density)
            beside = [] if density is None else [f"density {density:g}"]
            known = {} if density is None else {"density": density}
            for number in range(1, count + 1):
                name = _name(f"{kind} {rows}x{columns}", beside, number, seed)
                make = functools.partial(_nonogram, sized, seed, number)
                yield PuzzleSpec(
                    name=name,
                    size=math.sqrt(rows * columns),
                    facts={**known, "seed": seed, "number": number},
                    make=make,
                )


def _nonogram(order: NonogramOrder, seed: int, number: int, on_step: Step) -> Puzzle:
    return nonogram_to_order(order, seeded("nonogram", seed, number), on_step).puzzle


def pigeonholes(sizes: Iterable[int]) -> Iterator[PuzzleSpec]:
    """Nonograms of n + 1 rows and n columns whose clues are all 1."""
    for size in sizes:
        make = functools.partial(_pigeonhole, size)
        yield PuzzleSpec(name=f"{size + 1} rows, {size} columns", size=float(size), facts={}, make=make)


def _pigeonhole(size: int, _: Step) -> Puzzle:
    return pigeonhole(size)


def _name(what: str, beside: Iterable[str], number: int, seed: int) -> str:
    return f"{', '.join([what, *beside])} #{number} (seed {seed})"


@dataclass(frozen=True)
class FileSource:
    """Puzzles of files.

    Args:
        family: of the campaign.
        files: paths, or ``FILE:7`` for the seventh puzzle of one, and what to call each.
        format: of the files; None for what their extension or content tells.
    """

    family: str
    files: tuple[tuple[str, str], ...]
    format: str | None = None

    def instances(self) -> Iterator[Instance]:
        """The puzzles, each read when it is its turn.

        Raises:
            InputError: naming the file, if it holds none.
        """
        for path, called in self.files:
            file = Path(path) if os.path.exists(path) else path
            for puzzle in formats.read_all(file, self.format):
                yield Instance(
                    puzzle=_text_name(puzzle), family=self.family, size=_side(puzzle), facts={"file": called}
                )


@dataclass(frozen=True)
class InlineSource:
    """Puzzles that the campaign holds itself.

    Args:
        family: of the campaign.
        puzzles: in order.
    """

    family: str
    puzzles: tuple[Puzzle, ...]

    def instances(self) -> Iterator[Instance]:
        """The puzzles."""
        for number, puzzle in enumerate(self.puzzles, 1):
            name = puzzle.text if len(puzzle.text) <= _MAX_NAME_LENGTH else f"puzzle {number}"
            yield Instance(
                puzzle=puzzle.named(name),
                family=self.family,
                size=_side(puzzle),
                facts={"number": number},
            )


def found(patterns: Iterable[str], folder: Path, error: PatternError) -> tuple[tuple[str, str], ...]:
    """The files that patterns mean, each once, sorted within a pattern; of a folder, those that hold puzzles.

    Args:
        patterns: paths with ``*``, ``?``, ``[...]``, and ``**`` for any folders; or ``FILE:7``.
        folder: where they begin.
        error: of a pattern, given the problem and the pattern.

    Returns:
        Paths, and what to call each: the path from the folder.

    Raises:
        InputError: if a pattern matches nothing that holds a puzzle.
    """
    files: dict[str, str] = {}
    for pattern in patterns:
        matched = list(_matched(pattern, folder, error))
        if not matched:
            raise error(f"no file matches {pattern!r} in {show_path(folder)}", pattern)
        for path in matched:
            files.setdefault(path, os.path.relpath(path, folder).encode(errors="replace").decode())
    return tuple(files.items())


def _matched(pattern: str, folder: Path, error: PatternError) -> Iterator[str]:
    if "\0" in pattern:
        raise error("a path holds no null byte", pattern)
    whole = str(folder / pattern)
    if formats.file_of(whole) != whole:
        yield whole
        return
    literal = os.path.exists(whole)  # a name may hold what is a pattern otherwise
    for path in [whole] if literal else _glob(pattern, folder):
        found_at = os.path.normpath(folder / path)
        if not os.path.isdir(found_at):
            yield found_at
            continue
        inside = formats.in_folder(found_at)
        if literal and not inside:
            raise error(f"the folder {pattern!r} holds no puzzle", pattern)
        yield from map(str, inside)


def _glob(pattern: str, folder: Path) -> list[str]:
    return sorted(glob.glob(pattern, root_dir=folder, recursive=True))  # noqa: PTH207  (that takes no absolute one)


@dataclass(frozen=True)
class CombinedSource:
    """All puzzles of some sources, each once; within a family no two have one name.

    Args:
        parts: in order.
    """

    parts: tuple[Source, ...]

    def instances(self) -> Iterator[Instance]:
        """The puzzles.

        Raises:
            InputError: if a source has no such puzzles.
            KeyboardInterrupt: if Ctrl-C came while one was made.
        """
        known: set[str] = set()
        names: set[tuple[str, str]] = set()
        for instance in itertools.chain.from_iterable(part.instances() for part in self.parts):
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


def all_instances(campaign: Campaign) -> Iterator[Instance]:
    """All puzzles of a campaign, in order.

    Raises:
        InputError: if a source has no such puzzles.
        KeyboardInterrupt: if Ctrl-C came while one was made.
    """
    for source in campaign.sources:
        yield from source.instances()


def _side(puzzle: Puzzle) -> float:
    return math.sqrt(puzzle.rows * puzzle.columns)


def _text_name(puzzle: Puzzle) -> Puzzle:
    """With a name that is text, even where that of its file is not."""
    return puzzle.named(puzzle.name.encode(errors="replace").decode())
