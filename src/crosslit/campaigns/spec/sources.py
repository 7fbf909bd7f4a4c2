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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosslit import formats
from crosslit.campaigns.spec.campaign import Campaign, Instance
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


def generated(family: str, specs: Sequence[PuzzleSpec], error: Error, seconds: float) -> Iterator[Instance]:
    """Yield puzzles that are made to order, each as soon as it is made.

    Args:
        family: of the puzzles.
        specs: in order.
        error: of the table.
        seconds: each may take.

    Raises:
        InputError: if one cannot be made, or was not found, or not in time.
        KeyboardInterrupt: if Ctrl-C came meanwhile.
    """

    def make(number: int, on_step: Step) -> Puzzle:
        return specs[number - 1].make(on_step)

    with ForkedWorker(make, len(specs), seconds, "timeout") as making:
        made = making.results(lambda _: None)
        for spec in specs:
            try:
                puzzle = next(made, None)
            except (GaveUp, ValueError) as problem:
                raise error(f"the puzzle {spec.name!r} cannot be made: {problem}") from None
            if puzzle is None:
                raise KeyboardInterrupt
            yield Instance(puzzle=puzzle.named(spec.name), family=family, size=spec.size, facts=spec.facts)


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
            facts = {"seed": seed, "number": number}
            yield PuzzleSpec(name=name, size=math.sqrt(rows * columns), facts=facts, make=make)


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
                facts = {**known, "seed": seed, "number": number}
                yield PuzzleSpec(name=name, size=math.sqrt(rows * columns), facts=facts, make=make)


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


def from_files(family: str, files: Iterable[tuple[str, str]], format_name: str | None) -> Iterator[Instance]:
    """Yield the puzzles of files, each read when it is its turn.

    Args:
        family: of the puzzles.
        files: paths, or ``FILE:7`` for the seventh puzzle of one, each with its name in the results.
        format_name: of the files; None to determine it by extension or content.

    Raises:
        InputError: naming the file, if it holds none.
    """
    for path, called in files:
        for puzzle in formats.read_all(Path(path) if os.path.exists(path) else path, format_name):
            named = puzzle.named(puzzle.name.encode(errors="replace").decode())  # a file's name may be no text
            yield Instance(puzzle=named, family=family, size=_side(puzzle), facts={"file": called})


def inline(family: str, puzzles: Iterable[Puzzle]) -> Iterator[Instance]:
    """Yield puzzles that the campaign holds itself."""
    for number, puzzle in enumerate(puzzles, 1):
        name = puzzle.name or (puzzle.text if len(puzzle.text) <= _MAX_NAME_LENGTH else f"puzzle {number}")
        yield Instance(puzzle=puzzle.named(name), family=family, size=_side(puzzle), facts={"number": number})


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


def all_instances(campaign: Campaign) -> Iterator[Instance]:
    """Yield all puzzles of a campaign in order, each once; within a family no two have one name.

    Raises:
        InputError: if a source has no such puzzles.
        KeyboardInterrupt: if Ctrl-C came while one was made.
    """
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


def _side(puzzle: Puzzle) -> float:
    return math.sqrt(puzzle.rows * puzzle.columns)
