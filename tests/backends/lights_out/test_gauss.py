"""Answers from a kernel basis, by `gauss` and by `polynomial`, which share no code for it."""

from __future__ import annotations

import functools

from crosslit import Grid, LightsOut, registry
from crosslit.contract import Task
from crosslit.runs.job import drive

BOTH = ["gauss", "polynomial"]
DARK = LightsOut(Grid.from_bits(19, 19, 0))  # 2^16 solutions: more than one batch of either backend


def answered(name: str, board: LightsOut, task: Task) -> list[Grid]:
    return list(drive(registry.all_backends()[name], board, task))


def joined(name: str) -> bytes:
    return b"".join(registry.all_backends()[name].batches(DARK, Task()))  # type: ignore[attr-defined]


@functools.cache
def whole() -> bytes:
    return joined("polynomial")


def test_batches_of_both_have_the_same_solutions() -> None:
    assert joined("gauss") == whole()


def test_gauss_finds_each_of_many_solutions_once() -> None:
    size = (19 * 19 + 7) // 8
    found = [grid.packed for grid in answered("gauss", DARK, Task())]
    assert len(found) == 65_536
    assert set(found) == {whole()[at : at + size] for at in range(0, len(whole()), size)}
