"""The puzzles of a campaign: generated, read from files, or given in the campaign's file.

`crosslit_generate` generates them, so they are the same as those of ``crosslit generate``. Generation may take long
and cannot be interrupted, so it runs in a separate process with a time limit.
"""

from __future__ import annotations

import dataclasses
import glob
import itertools
import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from crosslit_generate.forked import ForkedWorker

from crosslit import formats
from crosslit.errors import GaveUp, InputError
from crosslit.files import show_path
from crosslit.kinds import Puzzle
from crosslit_bench.plan.campaign import CampaignSpec, Instance
from crosslit_bench.plan.generated import PuzzleSpec, Step

Error = Callable[[str], InputError]
"""Returns the exception for a problem with the table that a source was read from."""
PatternError = Callable[[str, str], InputError]

_MAX_NAME_LENGTH = 40  # longest text of an inline puzzle that serves as its name


def generated(family: str, specs: Sequence[PuzzleSpec], error: Error, seconds: float) -> Iterator[Instance]:
    """Yield generated puzzles, each as soon as it is finished."""

    def make(number: int, on_step: Step) -> Puzzle:
        return specs[number - 1].make(on_step)

    with ForkedWorker(make, len(specs), seconds, "timeout") as worker:
        puzzles = worker.results(lambda _: None)
        for spec in specs:
            try:
                puzzle = next(puzzles, None)
            except (GaveUp, ValueError) as problem:
                raise error(f"the puzzle {spec.name!r} cannot be generated: {problem}") from None
            if puzzle is None:
                raise KeyboardInterrupt
            yield Instance(puzzle=puzzle.named(spec.name), family=family, size=spec.size, facts=spec.facts)


def from_files(family: str, files: Iterable[tuple[str, str]], format_name: str | None) -> Iterator[Instance]:
    """Yield the puzzles of files; a file is read only when its first puzzle is requested."""
    for path, called in files:
        for puzzle in formats.read_all(Path(path) if os.path.exists(path) else path, format_name):
            named = puzzle.named(puzzle.name.encode(errors="replace").decode())  # the name of a file may not be UTF-8
            yield Instance(puzzle=named, family=family, size=_side(puzzle), facts={"file": called})


def inline(family: str, puzzles: Iterable[Puzzle]) -> Iterator[Instance]:
    """Yield puzzles that are given in the campaign's file."""
    for number, puzzle in enumerate(puzzles, 1):
        name = puzzle.name or (puzzle.text if len(puzzle.text) <= _MAX_NAME_LENGTH else f"puzzle {number}")
        yield Instance(puzzle=puzzle.named(name), family=family, size=_side(puzzle), facts={"number": number})


def found(patterns: Iterable[str], folder: Path, error: PatternError) -> tuple[tuple[str, str], ...]:
    """Return the files that match some patterns, each with its path relative to the folder, by which results name it.

    A pattern may have ``*``, ``?``, ``[...]``, and ``**`` for any folders, or be ``FILE:7``. Files are sorted within a
    pattern and appear once; of folders, their puzzle files are returned.
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
        raise error("a path cannot contain a null byte", pattern)
    whole = str(folder / pattern)
    if formats.file_of(whole) != whole:
        yield whole
        return
    literal = os.path.exists(whole)  # the name of a file may look like a pattern
    for path in [whole] if literal else _glob(pattern, folder):
        found_at = os.path.normpath(folder / path)
        if not os.path.isdir(found_at):
            yield found_at
            continue
        inside = formats.in_folder(found_at)
        if literal and not inside:
            raise error(f"the folder {pattern!r} contains no puzzle", pattern)
        yield from map(str, inside)


def _glob(pattern: str, folder: Path) -> list[str]:
    return sorted(glob.glob(pattern, root_dir=folder, recursive=True))  # noqa: PTH207  (Path.glob rejects absolute patterns)


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


def _side(puzzle: Puzzle) -> float:
    return math.sqrt(puzzle.rows * puzzle.columns)
