"""Many packed grids as a sequence, their different ones, and the bytes that are none."""

from __future__ import annotations

import pickle
import random

import pytest

from crosslit import Grid
from crosslit.base import grids as module
from crosslit.base.grids import Grids, distinct, pack, packed_blocks
from crosslit.base.layout import Layout

_EDGES = sorted(size for block in (1, 2) for size in (block * module._BLOCK - 1, block * module._BLOCK + 1))


def some(layout: Layout, count: int) -> list[Grid]:
    chance = random.Random(count)
    cells = range(layout.rows * layout.columns)
    return [layout.pack([chance.randrange(layout.states) for _ in cells]) for _ in range(count)]


@pytest.mark.parametrize("count", [0, 1, 7, module._BLOCK, *_EDGES])
@pytest.mark.parametrize("layout", [Layout(3, 3), Layout(1, 5, states=3)])
def test_packed_grids_are_a_sequence_as_a_list_is(layout: Layout, count: int) -> None:
    expected = some(layout, count)
    grids = Grids(layout)
    for first in range(0, count, 500):
        grids.extend(pack(expected[first : first + 500]))
    assert grids == expected == [*Grids(layout, pack(expected))] == [*pickle.loads(pickle.dumps(grids))]
    assert (len(grids), [*reversed(grids)], pack(grids)) == (count, expected[::-1], pack(expected))
    for cut in (slice(None, -1), slice(2, 5), slice(5, 2), slice(None, None, -3), slice(-4, None, 2)):
        assert grids[cut] == expected[cut]
    for block in (1, 3, count + 1):
        both = [[packed for part in packed_blocks(given, block) for packed in part] for given in (grids, expected)]
        assert both == [[grid.packed for grid in expected]] * 2
    for place in {-count, 0, count - 1} if count else ():
        assert grids[place] == expected[place]
    for outside in (count, -count - 1):
        with pytest.raises(IndexError):
            grids[outside]


def test_other_grids_are_not_equal() -> None:
    grids = Grids(Layout(2, 2), b"\1\2")
    assert grids != Grids(Layout(2, 2), b"\2\1")
    assert grids != Grids(Layout(1, 4), b"\1\2")
    assert grids != grids[:1]
    assert grids != tuple(grids)
    assert repr(grids) == "<2 grids of 2 x 2>"


@pytest.mark.parametrize("size", [1, 3, 8, 13])
def test_different_grids_are_sorted_alike_as_a_set_and_as_an_array(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    chance = random.Random(size)
    for count in (0, 1, 5, 100):
        # few values, among them 0 in the first and last bytes, so that there are repetitions and common ends
        records = [bytes(chance.choice((0, 0, 1, 255)) for _ in range(size)) for _ in range(count)]
        for by_bits, key in ((False, bytes), (True, lambda record: int.from_bytes(record, "little"))):
            expected = b"".join(sorted({*records}, key=key))
            for most in {count, max(0, count - 1)}:
                monkeypatch.setattr(module, "_MAX_SET", most)
                assert distinct(b"".join(records), size, by_bits=by_bits) == expected


@pytest.mark.parametrize("states", range(2, 37))
def test_packed_answers_are_valid_if_every_cell_has_a_value(states: int) -> None:
    layout = Layout(1, 9, states)
    good = layout.pack([states - 1] * 9).packed
    layout.require(good * 3)
    with pytest.raises(ValueError, match="not a whole number of answers"):
        layout.require(good + good[:1])
    for place in range(layout.size * 8):
        for bits in (1 << place, int.from_bytes(good, "little") ^ 1 << place):
            packed = bits.to_bytes(layout.size, "little")
            values = [bits >> cell * layout.width & (1 << layout.width) - 1 for cell in range(9)]
            if max(values) < states and not bits >> layout.bits:
                layout.require(good + packed)
            else:
                with pytest.raises(ValueError, match="past the last cell" if bits >> layout.bits else "a value from 0"):
                    layout.require(good + packed + good)
