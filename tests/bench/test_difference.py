"""Two campaigns compared: what changed, and what only seems to because of other load."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from crosslit_bench.difference import difference, min_puzzles
from crosslit_bench.spec import CampaignLimits, Instance

from crosslit import Grid, LightsOut, load
from crosslit.contract.run import Run, Timing
from tests.bench.stores import BOTH, Answer, campaign, honest, solved

BOARDS = [
    Instance(LightsOut(Grid.from_bits(3, 3, 0), name=f"b{at}").pressed(Grid.from_bits(3, 3, at)), "f")
    for at in range(1, 61)
]
GRIDS = {one.puzzle.id: Grid.from_bits(3, 3, at) for at, one in enumerate(BOARDS, 1)}
LIMITS = CampaignLimits(timeout=3.0, memory_mb=512)
HARD = 2.5  # CPU seconds of the hardest puzzle


def times(factor: float = 1.0, load: float = 1.0, solves: int = 60, seed: int = 0) -> Any:
    """CPU times of a backend, up to 2.5 s, on a machine that is busy: it gets only a part of the wall time."""
    rng = np.random.default_rng(seed)
    base = np.random.default_rng(99).uniform(0.01, HARD, 60)
    noise = np.exp(0.04 * rng.standard_normal(60))

    def answer(instance: Instance, _: str) -> Answer:
        at = BOARDS.index(instance)
        cpu = float(base[at] * factor * noise[at])
        wall = cpu * load
        run = solved(wall, GRIDS[instance.puzzle.id])
        if at >= solves or wall > LIMITS.timeout:
            run.status, run.grids, cpu, wall = "timeout", [], LIMITS.timeout / load, LIMITS.timeout
        run.timing = Timing(run.timing.phases, cpu, wall, 0.0, wall - wall / load)
        return run, {"machine_load": 4.0 * load}

    return answer


def compared(folder: Path, old: Any, new: Any, *arguments: Any, boards: Any = BOARDS) -> dict[str, Any]:
    paths = [folder / "old.sqlite", folder / "new.sqlite"]
    both = [campaign(path, one, ["a"], boards, limits=LIMITS) for path, one in zip(paths, (old, new), strict=True)]
    return difference(*both, *arguments)


def trend(found: dict[str, Any]) -> str:
    (change,) = found["changes"]
    return str(change["trend"])


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({}, {"seed": 1}, "same"),
        ({}, {"seed": 1, "load": 2.0}, "same"),  # under other load, which makes 20 puzzles time out
        ({"load": 2.0}, {"seed": 1}, "same"),
        ({}, {"seed": 1, "factor": 1.08}, "same"),  # within the tolerance
        ({}, {"seed": 1, "factor": 1.2, "solves": 60}, "slower"),
        ({}, {"seed": 1, "factor": 0.7}, "faster"),
        ({"load": 1.8}, {"seed": 1, "factor": 0.7, "load": 1.0}, "faster"),
        ({}, {"seed": 1, "factor": 0.7, "solves": 57}, "mixed"),  # fewer solved is never faster
        ({}, {"seed": 1, "solves": 45}, "slower"),
        ({"solves": 45}, {"seed": 1}, "faster"),
        ({}, {"seed": 1, "solves": 58}, "same"),  # two puzzles may be chance
    ],
)
def test_solved_puzzles_count_first_and_then_cpu_time(tmp_path: Path, old: Any, new: Any, expected: str) -> None:
    found = compared(tmp_path, times(**old), times(**new))
    assert trend(found) == expected
    assert found["worse"] == (expected in ("slower", "mixed"))
    assert not found["undecided"]


def test_wall_time_would_blame_the_load(tmp_path: Path) -> None:
    assert trend(compared(tmp_path, times(), times(seed=1, load=1.15), "total")) == "slower"


def test_too_few_puzzles_are_undecided(tmp_path: Path) -> None:
    assert [min_puzzles(count) for count in (1, 10)] == [8, 11]
    found = compared(tmp_path, times(), times(2.0), boards=BOARDS[:7])
    assert (trend(found), found["worse"], found["undecided"]) == ("too few puzzles", False, True)


def test_contradicted_verdicts_and_new_wrong_answers_are_worse(tmp_path: Path) -> None:
    two = [Instance(load("1,1|1,1").named("two"), "f")]
    both = [Grid.from_text("10/01"), Grid.from_text("01/10")]
    one = campaign(tmp_path / "1", lambda *_: solved(0.1, both[0]), instances=two)
    new = campaign(tmp_path / "2", lambda *_: solved(0.1, *both), instances=two)
    found = difference(one, new)
    (change,) = found["verdicts"]
    assert (change["puzzle"]["name"], change["old"], change["new"]) == ("two", "1 solution", "2 solutions")
    assert change["contradicts"]
    assert found["worse"]
    liar = campaign(tmp_path / "3", lambda _, label: solved(0.1, *both["ab".index(label) :]), "a,b", two)
    found = difference(new, liar)
    assert [(wrong["backend"], wrong["finding"]["problem"]) for wrong in found["wrong"]] == [("b", "missing-solution")]
    assert (found["worse"], found["only_new"]) == (True, ["b"])
    assert difference(liar, liar)["wrong"] == []  # known before
    late = campaign(tmp_path / "4", lambda *_: Run("", status="timeout"), instances=two)
    found = difference(late, new)
    assert ([change["contradicts"] for change in found["verdicts"]], found["worse"]) == ([False], False)


def test_set_ups_that_differ_are_listed(tmp_path: Path) -> None:
    old = campaign(tmp_path / "1")
    busy = {"python": "3.14.0", "machine_load": 9.0}
    new = campaign(tmp_path / "2", lambda *some: (honest(*some), busy), limits=LIMITS)
    setups = {one["condition"]: (one["old"], one["new"]) for one in difference(old, new)["setups"]}
    assert setups.keys() == {"limits of a run", "python", "disturbed"}
    assert setups["python"] == ("3.12.1", "3.14.0")
    assert setups["disturbed"][0] == "no run"


def test_campaigns_without_a_common_question_or_puzzle_are_refused(tmp_path: Path) -> None:
    one, other = campaign(tmp_path / "1", instances=BOTH[:1]), campaign(tmp_path / "2", instances=BOTH[1:])
    with pytest.raises(ValueError, match="no puzzle has runs in both files"):
        difference(one, other)
    with pytest.raises(ValueError, match="one campaign asks for 'unique', the other for 'first'"):
        difference(one, campaign(tmp_path / "3", task="first"))
