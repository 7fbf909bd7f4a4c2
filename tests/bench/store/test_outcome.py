"""What is stored about the machine of a run, and the solutions that are too many to be stored."""

from __future__ import annotations

import dataclasses
import os
import platform
import zlib
from pathlib import Path
from typing import Any

import pytest
from crosslit_bench.store import outcome as module
from crosslit_bench.store.outcome import RejectedRun, StoredAnswer, check_solutions, circumstances, storable

from crosslit import Grid, load
from tests.bench.store.test_store import a_run, planned

CPU = "model name\t: Fast CPU @ 3GHz \ncpu MHz\t\t: 2100.125\nmodel name : other\ncpu MHz : 800\n"


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The texts of the files that describe a machine."""
    texts: dict[str, str] = {}
    monkeypatch.setattr(module, "_text", lambda path: texts.get(str(path), ""))
    monkeypatch.setattr(os.path, "exists", lambda path: str(path) in texts)
    monkeypatch.setattr(platform, "processor", lambda: "")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.delenv(module.CONTAINER, raising=False)
    return texts


FREQUENCY, SCALING = (str(module._CPU / name) for name in ("cpuinfo_max_freq", "scaling_governor"))


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        ({}, ("x86_64", 0.0, "", 0.0)),
        ({"/proc/cpuinfo": CPU}, ("Fast CPU @ 3GHz", 2100.125, "", 0.0)),  # the first processor
        ({"/proc/cpuinfo": CPU, FREQUENCY: "3700000\n"}, ("Fast CPU @ 3GHz", 3700.0, "", 0.0)),
        ({FREQUENCY: "<unknown>\n", SCALING: "performance\n"}, ("x86_64", 0.0, "performance", 0.0)),
        ({"/proc/meminfo": "MemFree: 1 kB\nMemTotal:       2049024 kB\n"}, ("x86_64", 0.0, "", 2001.0)),
        ({"/proc/cpuinfo": "old model name : x\n"}, ("x86_64", 0.0, "", 0.0)),
    ],
)
def test_a_machine_is_described_by_what_its_system_says(
    files: dict[str, str], texts: dict[str, str], found: tuple[Any, ...]
) -> None:
    files.update(texts)
    processor, clock, memory = (
        function.__wrapped__() for function in (module.processor, module.clock_mhz, module.memory_mb)
    )
    assert (processor, clock, module.governor(), memory) == found


@pytest.mark.parametrize(
    ("given", "texts", "found"),
    [
        ("", {}, ""),
        (" sha256:1 ", {"/.dockerenv": ""}, "sha256:1"),
        ("", {"/.dockerenv": ""}, "docker"),
        ("", {"/run/.containerenv": 'engine="podman"\nimageid="abc"\n'}, "abc"),
        ("", {"/run/.containerenv": ""}, "podman"),
        ("", {"/.singularity.d": ""}, "apptainer"),
    ],
)
def test_a_container_is_named_by_its_image_or_its_kind(
    files: dict[str, str], monkeypatch: pytest.MonkeyPatch, given: str, texts: dict[str, str], found: str
) -> None:
    files.update(texts)
    monkeypatch.setenv(module.CONTAINER, given)
    assert module.container.__wrapped__() == found


def test_a_file_of_the_system_is_read_up_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_BYTES", 5)
    (tmp_path / "long").write_bytes(b"12345678")
    (tmp_path / "bytes").write_bytes(b"a\xff")
    assert [module._text(tmp_path / name) for name in ("long", "bytes", "none")] == ["12345", "a\ufffd", ""]


def test_the_circumstances_of_a_run_are_those_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (1.5, 2.5, 3.5), raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    found = circumstances(4, "dask", module.BY_CGROUP)
    assert (found.load, found.side_by_side, found.carrier, found.limits_by) == (1.5, 4, "dask", module.BY_CGROUP)
    assert (found.processors, found.started[-6:], len(found.started)) == (3, "+00:00", 29)
    assert (found.clock_mhz, found.machine_memory_mb) == (module.clock_mhz(), module.memory_mb())
    assert (circumstances(1).carrier, circumstances(1).limits_by) == ("local", module.BY_PROC)

    def fails() -> Any:
        raise OSError

    monkeypatch.setattr(os, "getloadavg", fails, raising=False)
    assert circumstances(1).load == 0.0


@pytest.mark.parametrize(("grids", "size", "is_stored"), [(4, 4, True), (3, 4, False), (4, 3, False)])
def test_solutions_are_stored_up_to_a_number_and_to_a_size(
    monkeypatch: pytest.MonkeyPatch, grids: int, size: int, is_stored: bool
) -> None:
    monkeypatch.setattr(module, "MAX_GRIDS", grids)
    monkeypatch.setattr(module, "MAX_BYTES", size)
    run = a_run(grids=[Grid.from_bits(2, 2, bits) for bits in (1, 2, 4, 8)])  # a byte each
    stored, answer = storable(run)
    assert (stored == run, answer is not None) == (is_stored, is_stored)
    whole = StoredAnswer.of(run.grids)
    if is_stored:
        assert whole.grids(load("10/01")) == run.grids
        return
    assert (stored.status, stored.grids) == ("memory", [])
    with pytest.raises(ValueError, match="more solutions than are ever stored"):
        whole.grids(load("10/01"))


@pytest.mark.parametrize(
    "changed",
    [
        {"id": "0" * 64},
        {"count": 3},
        {"count": 5},
        {"columns": 1},
        {"packed": zlib.compress(b"\1\2\4\x09")},
        {"packed": zlib.compress(b"\1\2\4\x08\x08")},
        {"packed": zlib.compress(b"\1\2\4\x08")[:-1]},
    ],
)
def test_solutions_that_are_not_the_stored_ones_are_refused(changed: dict[str, Any]) -> None:
    whole = StoredAnswer.of([Grid.from_bits(2, 2, bits) for bits in (1, 2, 4, 8)])
    with pytest.raises(ValueError, match="not the ones that were stored"):
        dataclasses.replace(whole, **changed).grids(load("10/01"))


def test_the_number_of_stored_solutions_is_that_of_the_run() -> None:
    board, grids = load("10/01"), [Grid.from_bits(2, 2, 1)] * 2
    check_solutions(board, grids, 2)
    check_solutions(board, [], 0)
    for number in (1, 3):
        with pytest.raises(ValueError, match=f"a run has {number} solutions, and 2 of them are stored"):
            check_solutions(board, grids, number)
    with pytest.raises(ValueError, match="expected grids of 2 x 2, found 1 x 4"):
        check_solutions(board, [Grid.from_text("0000")], 1)


def test_a_rejected_run_names_its_contestant_and_its_puzzle() -> None:
    run = planned("a" * 64)
    assert str(RejectedRun(run, "why")) == "cpsat/bool-xor:seed=1 on a board: why"
    unnamed = dataclasses.replace(run, puzzle=run.puzzle.named(""))
    assert str(RejectedRun(unnamed, "why")) == f"cpsat/bool-xor:seed=1 on {run.puzzle.id[:12]}: why"
