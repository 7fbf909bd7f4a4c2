"""Many grids of one layout, packed one after another: a million of 10 x 10 cells take 13 MB."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from crosslit.base.grid import Grid
from crosslit.base.layout import Layout

_BLOCK = 1 << 10  # grids that are made, or cut, at a time
_MAX_SET = 1 << 16  # grids of a set of bytes: loading numpy takes as long as sorting these


class Grids(Sequence[Grid]):
    """A sequence of packed grids, each made when it is asked for; it equals a list of the same grids.

    Examples:
        >>> grids = Grids(Layout(1, 3), bytes([0b101, 0b010]))
        >>> len(grids), grids[-1], grids == [Grid.from_text("101"), Grid.from_text("010")]
        (2, Grid.from_text('010'), True)
    """

    __slots__ = ("layout", "packed")
    __hash__ = None  # type: ignore[assignment]  # as that of a list

    def __init__(self, layout: Layout, packed: bytes | bytearray = b"") -> None:
        self.layout, self.packed = layout, bytearray(packed)

    def extend(self, packed: bytes) -> None:
        """Add packed grids, which the layout admits; see `Layout.require`."""
        self.packed.extend(packed)

    def __len__(self) -> int:
        return len(self.packed) // self.layout.size

    def __getitem__(self, index: Any) -> Any:
        size, places = self.layout.size, range(len(self))[index]
        if isinstance(places, int):
            return self.layout.answers(bytes(self.packed[places * size : (places + 1) * size]))[0]
        if places.step == 1:
            return Grids(self.layout, self.packed[places.start * size : places.stop * size])
        return Grids(self.layout, b"".join([self.packed[place * size : (place + 1) * size] for place in places]))

    def __iter__(self) -> Iterator[Grid]:
        for block in packed_blocks(self):
            yield from self.layout.answers(b"".join(block))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Grids):
            return self.layout[:3] == other.layout[:3] and self.packed == other.packed
        return list(self) == other if isinstance(other, list) else NotImplemented

    def __repr__(self) -> str:
        return f"<{len(self)} grids of {self.layout.rows} x {self.layout.columns}>"


def pack(grids: Sequence[Grid]) -> bytes:
    """Return grids in packed form, concatenated."""
    return bytes(grids.packed) if isinstance(grids, Grids) else b"".join([grid.packed for grid in grids])


def packed_blocks(grids: Sequence[Grid], count: int = _BLOCK) -> Iterator[list[bytes]]:
    """Yield grids, each in packed form, this number at a time."""
    for first in range(0, len(grids), count):
        if isinstance(grids, Grids):
            size = grids.layout.size
            yield grids.layout.parts(bytes(grids.packed[first * size : (first + count) * size]))
        else:
            yield [grid.packed for grid in grids[first : first + count]]


def distinct(packed: bytes, size: int, *, by_bits: bool = False) -> bytes:
    """Return the different ones among packed grids of some size, in the order of their bytes or of their bits."""
    if len(packed) <= _MAX_SET * size:
        different = {packed[first : first + size] for first in range(0, len(packed), size)}
        return b"".join(sorted(different, key=(lambda grid: grid[::-1]) if by_bits else None))
    import numpy as np

    step = -1 if by_bits else 1
    cells = np.ascontiguousarray(np.frombuffer(packed, np.uint8).reshape(-1, size)[:, ::step])
    words = np.sort(cells.view(f"S{size}").ravel())  # three times as fast as bytes (V), in the same order
    new = np.append(True, words[1:] != words[:-1])
    return bytes(words[new].view(np.uint8).reshape(-1, size)[:, ::step].tobytes())
