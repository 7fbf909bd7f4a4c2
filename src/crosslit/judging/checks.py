"""The check of runs by the rules, on packed grids: each run is checked when it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from crosslit.base.grids import Grids, distinct, packed_blocks
from crosslit.contract.run import Run
from crosslit.kinds import Puzzle, kind_of
from crosslit.kinds.batch import wrong_grids

_BLOCK = 1 << 12  # grids checked at a time, in less than half a second
_BLOCK_BYTES = 1 << 16, 1 << 22  # the same in bytes: one by one, and if the kind has rules for batches

_Checked = tuple[int, int, bytes | None, bytes | None]


class CheckedRuns:
    """The different grids of some runs, checked by the rules."""

    def __init__(self, puzzle: Puzzle, stops: Callable[[Run, int], bool] = lambda _run, _done: False) -> None:
        self.rejected: dict[bytes, str] = {}  # packed grids that break the rules, with the violation
        self._puzzle, self._stops, self._layout = puzzle, stops, puzzle.layout
        block_bytes = _BLOCK_BYTES[kind_of(puzzle).all_right is not None]
        self._block = max(1, min(_BLOCK, block_bytes // self._layout.size))
        self._last: dict[bytes, int] = {}  # packed grids, with the number of the last run that has them
        self._runs: dict[int, _Checked] = {}

    @property
    def found(self) -> int:
        """The number of different solutions."""
        return len(self._last) - len(self.rejected)

    def add(self, run: Run) -> _Checked:
        """Return the numbers of a run's different grids and of its solutions, and its first wrong and repeated grid.

        Between blocks, ``stops`` is called with the run and the number of grids done. If it returns True, the run is
        left with these and counts as interrupted. A run that was added before is not checked again.
        """
        if id(run) in self._runs:
            return self._runs[id(run)]
        number, block = len(self._runs), self._block
        repeated: list[bytes] = []
        wrong: dict[bytes, None] = {}
        for index, records in enumerate(packed_blocks(run.grids, block)):
            if index and self._stops(run, done := index * block):
                run.grids, run.status, run.error = run.grids[:done], "interrupted", "its other grids were not checked"
                break
            new = []
            for packed in records:
                last = self._last.get(packed)
                if last is None:
                    new.append(packed)
                elif last == number:
                    repeated.append(packed)
                self._last[packed] = number
            for place, reason in wrong_grids(self._puzzle, Grids(self._layout, b"".join(new))) if new else ():
                self.rejected[new[place]] = reason
            if self.rejected:
                wrong |= dict.fromkeys(packed for packed in records if packed in self.rejected)
        different = len(run.grids) - len(repeated)
        firsts = next(iter(wrong), None), next(iter(repeated), None)
        self._runs[id(run)] = different, different - len(wrong), *firsts
        return self._runs[id(run)]

    def solutions(self) -> Grids:
        """Return the different solutions in the order of their bits; a million are sorted when they are looked at."""
        layout, packed = self._layout, bytearray()
        for grid in self._last:
            if grid not in self.rejected:
                packed += grid  # `join` takes another 80 bytes for each
        return Grids(layout, lambda: distinct(bytes(packed), layout.size, by_bits=True))


def finds(runs: Sequence[Run], rejected: Mapping[bytes, str]) -> Iterator[tuple[bytes, str]]:
    """Yield the packed solutions of runs in order, with the backend."""
    for run in runs:
        for block in packed_blocks(run.grids):
            yield from ((packed, run.backend) for packed in block if packed not in rejected)
