"""A user's own puzzles: files, or a folder with puzzles and replay files of earlier runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from crosslit_generate import Case

from crosslit.errors import InputError
from crosslit.formats import in_folder, read_all
from crosslit.kinds import Puzzle
from crosslit_verify import replay


@dataclass(frozen=True)
class Corpus:
    """Puzzles that a verification sends first, in this order."""

    puzzles: tuple[Puzzle, ...] = ()
    family: str = ""  # their name in a report
    is_all: bool = False  # only these are sent

    def cases(self) -> Iterator[Case]:
        """Yield the cases, the last one marked as such."""
        for number, puzzle in enumerate(self.puzzles, 1):
            yield Case(puzzle, self.family, True, number == len(self.puzzles))

    def __add__(self, other: Corpus) -> Corpus:
        families = " and ".join(filter(None, (self.family, other.family)))
        return Corpus(self.puzzles + other.puzzles, families, self.is_all or other.is_all)

    def require_kind(self, kind: str | None) -> str | None:
        """Return the kind of its puzzles, or the one given if there are none; raise an `InputError` if kinds differ."""
        for puzzle in self.puzzles:
            kind = kind or puzzle.kind
            if puzzle.kind != kind:
                raise InputError(puzzle.name or puzzle.text[:80], f"expected a {kind} puzzle, found a {puzzle.kind}")
        return kind


NO_CORPUS = Corpus()


def of_puzzles(sources: Iterable[str]) -> Corpus:
    """Return puzzles given as files or in one-line form; if there are any, only these are sent."""
    puzzles = tuple(puzzle for source in sources for puzzle in read_all(source))
    return Corpus(puzzles, "own puzzles", bool(puzzles))


def of_folder(folder: str) -> Corpus:
    """Return the puzzles and replay files of a folder, which need not exist yet."""
    path = Path(folder)
    if not path.exists():
        return NO_CORPUS
    # Sorted, because the order of a folder differs between file systems, and cases are numbered.
    replays = sorted(file for file in path.glob("*.txt") if file.is_file() and replay.is_replay(file))
    found = [replay.puzzle_of(replay.read(str(file)), str(file)) for file in replays]
    others = (puzzle for file in in_folder(path) if file not in replays for puzzle in read_all(file))
    return Corpus((*found, *others), "corpus")
