"""The results of a campaign, and the difference of two."""

from __future__ import annotations

import math
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from crosslit_bench.difference import difference, min_puzzles
from crosslit_bench.results import NAMES, exported, is_disturbed
from crosslit_bench.spec import CampaignLimits, CampaignSpec, Instance
from crosslit_bench.store import RUN_COLUMNS

from crosslit import Grid, LightsOut, compare, load
from crosslit.contract.run import Run, Timing
from crosslit.judging.verdict import RUN_COLUMNS as COMPARED
from tests.bench.stores import BOARD, BOTH, PICTURE, Answer, campaign, honest, right, solved, unsolved

DARK = Grid.from_text("000/000/000")  # no solution of BOARD
TWO = load("1,1|1,1").named("two")
ONE, OTHER = Grid.from_text("10/01"), Grid.from_text("01/10")


def test_a_record_has_every_column_and_those_of_compare(tmp_path: Path) -> None:
    results = campaign(tmp_path / "s", honest, {"g": ["a"]}, task="fewest")
    for record in results.records:
        assert record.keys() >= set(NAMES)
    assert set(NAMES) >= {"puzzle", "kind", *COMPARED, *RUN_COLUMNS} - {"bound"}
    assert set(compare("10/01", "gauss").to_dataframe().columns) <= set(results.frame.columns)
    own = {"puzzle": "a board", "backend": "a", "group": "g", "judgement": "right", "presses": 1, "timeout": 5.0}
    assert results.records[0].items() >= own.items()


@pytest.mark.parametrize(
    ("run", "judgement", "problems"),
    [
        (solved(0.1), "wrong", "false-unsolvable"),
        (solved(0.1, DARK), "wrong", "wrong-solution missing-solution"),
        (unsolved(grids=[DARK]), "wrong", "wrong-solution"),
        (unsolved(), "unsolved", ""),
        (unsolved(status="error", error="it crashed"), "unsolved", "error"),
        (unsolved(status="memory"), "unsolved", ""),
        (solved(0.1, right(BOARD)), "right", ""),
        (solved(0.1, right(BOARD), stray="x"), "right", "stray-output"),
    ],
    ids=lambda value: getattr(value, "status", value),
)
def test_an_answer_is_judged_beside_an_honest_one(tmp_path: Path, run: Run, judgement: str, problems: str) -> None:
    results = campaign(tmp_path / "s", lambda *some: run if some[1] == "b" else honest(*some), ["a", "b"], BOTH[:1])
    (record,) = (record for record in results.records if record["backend"] == "b")
    assert (record["judgement"], record["problems"]) == (judgement, problems)
    assert [one.label for one in results.entrants if one.wrong] == ["b"] * (judgement == "wrong")
    assert math.isfinite(results.times().seconds.loc[BOARD.id, "b"]) == (judgement == "right")
    assert bool(results.wrong) == (judgement == "wrong")
    assert len(results.errors) == (problems == "error")


def test_a_disagreement_disqualifies_nobody_and_solves_nothing(tmp_path: Path) -> None:
    dark = [Instance(load("00/00/00").named("dark"), "f")]  # four solutions, of which two lineages find one
    answers = {label: solved(0.01, Grid.from_bits(3, 2, 0), trusted_base=frozenset({label})) for label in "ab"}
    results = campaign(tmp_path / "s", lambda _, label: answers[label], "a,b", dark)
    assert {finding.problem for _, finding in results.wrong} == {"disagreement"}
    assert not any(one.wrong for one in results.entrants)
    assert {record["judgement"] for record in results.records} == {"unsolved"}


@pytest.mark.parametrize(
    ("task", "answer", "verdict", "evidence"),
    [
        ("first", unsolved(grids=[ONE], status="limit"), "solvable", "witnessed"),
        ("first", unsolved(), "undecided", None),
        ("first", solved(0.1), "unsolvable", "claimed"),
        ("unique", unsolved(grids=[ONE]), "undecided", None),
        ("unique", unsolved(grids=[ONE, OTHER], status="limit"), "multiple", "witnessed"),
    ],
)
def test_a_puzzle_is_undecided_only_if_its_question_is(
    tmp_path: Path, task: Any, answer: Run, verdict: str, evidence: str | None
) -> None:
    results = campaign(tmp_path / "s", lambda *_: answer, instances=[Instance(TWO, "f")], task=task)
    assert (results.puzzles[0].facts["verdict"], results.puzzles[0].facts["evidence"]) == (verdict, evidence)


@pytest.mark.parametrize("cpu_timeout", [None, 4.0])
def test_times_are_medians_of_the_right_answers(tmp_path: Path, cpu_timeout: float | None) -> None:
    times, limits = iter([0.5, 0.1, 0.3, 0.2000006]), CampaignLimits(timeout=9.0, cpu_timeout=cpu_timeout)
    keys = {"repetitions": 4, "instances": BOTH[:1], "limits": limits}
    results = campaign(tmp_path / "s", lambda *_: solved(next(times), right(BOARD)), **keys)
    found = results.times()
    assert found.seconds.loc[BOARD.id, "a"] == pytest.approx(0.2500003)
    assert results.rows[0]["seconds"] == 0.25
    assert (found.measure, found.limit) == (("cpu", 4.0) if cpu_timeout else ("total", 9.0))
    assert results.times("wall").measure == "wall"


@pytest.mark.parametrize(
    ("where", "timing", "disturbed"),
    [
        ({"machine_load": 4.0}, (0.1, 1.0, 0.9, 0.1), False),
        ({"machine_load": 4.1}, (0.1, 1.0, 0.9, 0.1), True),
        ({}, (0.1, 1.0, 0.9, 0.11), True),
    ],
)
def test_load_and_waiting_disturb_a_run(tmp_path: Path, where: Any, timing: Any, disturbed: bool) -> None:
    run = solved(0.1, right(BOARD))
    run.timing = Timing(run.timing.phases, *timing)
    results = campaign(tmp_path / "s", lambda *_: (run, where), instances=BOTH[:1])
    assert is_disturbed(results.records[0]) is disturbed
    words = "1 of 1 run disturbed by other load: times may be too long"
    assert results.disturbance == (words if disturbed else "")
    assert results.json()["disturbed"] == disturbed


def test_the_exported_campaign_has_all_puzzles_and_can_be_repeated(tmp_path: Path) -> None:
    instances = [*BOTH, Instance(TWO, "pictures", "multiple", "a survey")]
    puzzles = ({"family": "boards", "growth": False, "files": ["away.non"]},)
    keys = {"title": "T", "seed": 9, "puzzles": puzzles, "task": "all"}
    results = campaign(tmp_path / "s", lambda *_: unsolved(), ["gauss", "line"], instances, **keys)
    again = CampaignSpec.of(tomllib.loads("".join(exported(results, "toml"))), "small", tmp_path)
    assert list(again.instances()) == instances
    assert (again.title, again.seed, again.task, again.backends) == ("T", 9, "all", {"": ("gauss", "line")})
    assert again.without_growth == {"boards"}


ALL = solved(0.1, ONE, OTHER)


@pytest.mark.parametrize(
    ("expected", "run", "found"),
    [
        ("unique", ALL, "a survey: it says unique; 2 solutions found and checked by the rules"),
        (
            "unsolvable",
            unsolved(grids=[ONE]),
            "a survey: it says unsolvable; 1 solution found and checked by the rules",
        ),
        ("multiple", solved(0.1, ONE), "a: it says unique; a survey says multiple"),
        ("multiple", ALL, ""),
        ("multiple", solved(0.1, Grid.from_text("11/11")), "a: row 1 has blocks 2, its clue is 1"),  # and nothing more
        ("multiple", unsolved(grids=[ONE]), ""),
    ],
)
def test_an_expected_verdict_is_contradicted_by_its_source_or_a_claim(
    tmp_path: Path, expected: Any, run: Run, found: str
) -> None:
    instances = [Instance(TWO, "f", expected, "a survey")]
    results = campaign(tmp_path / "s", lambda *_: run, instances=instances)
    assert [f"{one.backend}: {one.detail}" for _, one in results.findings] == [found] * bool(found)
    assert {one.problem for _, one in results.findings} <= {"disagreement", "wrong-solution"}


@pytest.mark.parametrize(("grids", "problems"), [([right(BOARD)], []), ([], ["disagreement"])])
def test_the_fewest_presses_are_no_claim_about_other_solutions(tmp_path: Path, grids: Any, problems: Any) -> None:
    instances = [Instance(BOARD, "f", "multiple", "a survey")]
    results = campaign(tmp_path / "s", lambda *_: solved(0.1, *grids), instances=instances, task="fewest")
    assert [one.problem for _, one in results.findings] == problems


THERE = {"host": "node", "processor": "Other CPU", "processors": 64}


def test_unlike_machines_separate_the_contestants_and_a_wrong_answer_disqualifies_on_all(tmp_path: Path) -> None:
    def answer(instance: Instance, label: str) -> Answer:
        run = solved(1.0) if label == "line" else honest(instance, label)
        return run, {} if instance.puzzle == BOARD else THERE

    results = campaign(tmp_path / "s", answer, {"": ["gauss"], "x": ["line"]})
    assert [(one.label, one.group, one.planned, bool(one.wrong)) for one in results.entrants] == [
        ("gauss on machine 1", "machine 1", 2, False),
        ("gauss on machine 2", "machine 2", 0, False),
        ("line on machine 1", "x on machine 1", 2, True),
        ("line on machine 2", "x on machine 2", 0, True),
    ]
    assert [is_red for _, is_red in results.table().rows] == [False, False, True, True]
    asked = results.times().seconds.notna()
    assert (asked["gauss on machine 1"] != asked["gauss on machine 2"]).all()
    texts = {text.partition(": ")[2] for text in results.machines}
    assert texts == {"Some CPU, 4, 0 GB, 2 runs", "Other CPU, 64, 0 GB, 2 runs"}


@pytest.mark.parametrize(
    ("where", "unlike"),
    [
        ({"host": "desk2", "machine_memory_mb": 100.5}, False),
        ({"machine_memory_mb": 64000.0}, True),
        ({"governor": "powersave"}, True),
    ],
)
def test_only_some_facts_make_machines_unlike(tmp_path: Path, where: dict[str, Any], unlike: bool) -> None:
    results = campaign(tmp_path / "s", lambda one, _: (honest(one, ""), where if one.puzzle == PICTURE else {}))
    assert bool(results.machines) == unlike


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
        ({}, {"seed": 1, "load": 2.0}, "same"),  # under other load, which makes 20 puzzles time out
        ({}, {"seed": 1, "factor": 1.08}, "same"),  # within the tolerance
        ({}, {"seed": 1, "factor": 0.93}, "same"),
        ({"solves": 59}, {"seed": 1, "factor": 0.93}, "faster"),  # with one puzzle more
        ({}, {"seed": 1, "factor": 1.2, "solves": 60}, "slower"),
        ({"load": 1.8}, {"seed": 1, "factor": 0.7, "load": 1.0}, "faster"),
        ({}, {"seed": 1, "factor": 0.7, "solves": 57}, "mixed"),  # fewer solved is never faster
        ({}, {"seed": 1, "solves": 45}, "slower"),
        ({}, {"seed": 1, "solves": 58}, "same"),  # two puzzles may be chance
    ],
)
def test_solved_puzzles_count_first_and_then_cpu_time(tmp_path: Path, old: Any, new: Any, expected: str) -> None:
    found = compared(tmp_path, times(**old), times(**new))
    assert trend(found) == expected
    assert found["worse"] == (expected in ("slower", "mixed"))
    assert not found["undecided"]


def test_too_few_puzzles_are_undecided(tmp_path: Path) -> None:
    assert [min_puzzles(count) for count in (1, 10)] == [8, 11]
    found = compared(tmp_path, times(), times(2.0), boards=BOARDS[:7])
    assert (trend(found), found["worse"], found["undecided"]) == ("too few puzzles", False, True)
    assert trend(compared(tmp_path, times(), times(2.0), boards=BOARDS[:8])) == "slower"


FOUR = load("00/00/00").named("four")  # solutions: the dark grid, and others of four presses
NONE, FEW, MANY = (Grid.from_text(text) for text in ("00/00/00", "11/00/11", "10/11/10"))


@pytest.mark.parametrize(
    ("task", "old", "new", "change", "is_worse"),
    [
        ("unique", solved(0.1, ONE), ALL, ("1 solution", "2 solutions"), True),
        ("unique", unsolved(), ALL, ("undecided", "2 solutions"), False),
        ("unique", unsolved(grids=[ONE, OTHER]), ALL, None, False),  # which is several, too
        ("first", unsolved(grids=[ONE], status="limit"), solved(0.1, ONE), ("solvable", "1 solution"), False),
        ("first", unsolved(grids=[ONE], status="limit"), solved(0.1), ("solvable", "unsolvable"), True),
        ("fewest", solved(0.1, MANY), solved(0.1, NONE), ("4 presses", "0 presses"), True),
        ("fewest", solved(0.1, MANY), solved(0.1, FEW), None, False),
        ("fewest", unsolved(grids=[MANY]), solved(0.1, FEW), ("undecided", "4 presses"), False),
    ],
)
def test_a_verdict_that_contradicts_an_earlier_one_is_worse(
    tmp_path: Path, task: Any, old: Run, new: Run, change: Any, is_worse: bool
) -> None:
    puzzle = [Instance(FOUR if task == "fewest" else TWO, "f")]
    both = [campaign(tmp_path / "s", lambda *_, run=run: run, instances=puzzle, task=task) for run in (old, new)]
    found = difference(*both)
    assert [(one["old"], one["new"]) for one in found["verdicts"]] == [change] * (change is not None)
    assert [one["contradicts"] for one in found["verdicts"]] == [is_worse] * (change is not None)
    assert found["worse"] == is_worse


def test_a_new_wrong_answer_is_worse(tmp_path: Path) -> None:
    two = [Instance(TWO, "f")]
    new = campaign(tmp_path / "2", lambda *_: ALL, instances=two)
    liar = campaign(tmp_path / "3", lambda _, label: ALL if label == "a" else solved(0.1, ONE), "a,b", two)
    found = difference(new, liar)
    assert [(wrong["backend"], wrong["finding"]["problem"]) for wrong in found["wrong"]] == [("b", "missing-solution")]
    assert (found["worse"], found["only_new"], found["only_old"]) == (True, ["b"], [])
    assert difference(liar, liar)["wrong"] == []  # known before
    assert difference(liar, new)["only_old"] == ["b"]


def test_set_ups_that_differ_are_listed(tmp_path: Path) -> None:
    old = campaign(tmp_path / "1")
    busy = {"python": "3.14.0", "machine_load": 9.0}
    new = campaign(tmp_path / "2", lambda *some: (honest(*some), busy), ["a", "b"], limits=LIMITS)
    newer = [replace(one, contestant=one.contestant._replace(version="2.0")) for one in new.entrants]
    found = difference(old, replace(new, entrants=tuple(newer)))["setups"]
    setups = {one["condition"]: (one["old"], one["new"]) for one in found}
    assert setups.keys() == {"limits of a run", "python", "disturbed", "version of a"}
    assert setups["python"] == ("3.12.1", "3.14.0")
    assert setups["disturbed"][0] == "no run"


def test_campaigns_without_a_common_question_or_puzzle_are_refused(tmp_path: Path) -> None:
    one, other = (campaign(tmp_path / "s", lambda *_, run=run: run, instances=BOTH[:1]) for run in (unsolved(), None))
    with pytest.raises(ValueError, match="no puzzle has runs in both files"):
        difference(one, other)
    with pytest.raises(ValueError, match="one campaign asks for 'unique', the other for 'first'"):
        difference(one, campaign(tmp_path / "3", task="first"))
