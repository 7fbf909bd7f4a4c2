"""Results as records and as a table of times, computed by hand."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from crosslit_bench.plan.campaign import Instance
from crosslit_bench.results.frame import (
    CONDITIONS,
    DISAGREEMENT,
    DISQUALIFIES,
    NAMES,
    TIMES,
    Results,
    has_waited,
    is_loaded,
    judgement,
    names_of,
    unlike_machines,
    usual_measure,
    written,
)
from crosslit_bench.store.outcome import Outcome

from crosslit import CampaignResults, Grid, LightsOut
from crosslit.contract.run import Limits, Run
from tests.bench.reports import BOARD, CORNER, DRAWN, HERE, PICTURE, campaign, named, solved, unsolved
from tests.bench.tables import table

SOME = [named(BOARD, "A board"), named(PICTURE, "A picture", "pictures", 2.5)]


@pytest.mark.parametrize(
    ("status", "grids", "problems", "expected"),
    [
        ("complete", 0, [], "right"),
        ("limit", 1, [], "right"),
        ("complete", 1, ["timing"], "right"),
        ("complete", 1, ["error"], "right"),
        ("complete", 1, [DISAGREEMENT], "undecided"),
        ("timeout", 0, [], "undecided"),
        ("timeout", 1, [], "undecided"),
        ("timeout", 0, ["wrong-solution"], "undecided"),  # another repetition was wrong, and this one claims nothing
        ("timeout", 1, ["wrong-solution"], "wrong"),
        ("complete", 0, [DISAGREEMENT, "false-unsolvable"], "wrong"),
        ("error", 0, ["error"], "undecided"),
    ],
)
def test_an_answer_is_right_wrong_or_undecided(status: Any, grids: int, problems: list[str], expected: str) -> None:
    assert judgement(Run("", status=status, grids=[CORNER] * grids), problems) == expected
    for problem in sorted(DISQUALIFIES):
        assert judgement(Run("", status="complete"), [problem]) == "wrong"


KINDS = Counter({("A", 4, 16, ""): 2, ("B", 1, 0, "performance"): 3, ("A", 2, 16, ""): 2})


def test_kinds_of_machines_are_numbered_by_their_runs() -> None:
    assert names_of(KINDS) == {
        ("B", 1, 0, "performance"): "machine 1",
        ("A", 2, 16, ""): "machine 2",
        ("A", 4, 16, ""): "machine 3",
    }
    assert unlike_machines(KINDS) == [
        "machine 1: B, 1 processor, governor performance, 3 runs",
        "machine 2: A, 2 processors, 16 GB, 2 runs",
        "machine 3: A, 4 processors, 16 GB, 2 runs",
    ]
    assert names_of(Counter({("A", 4, 16, ""): 9})) == {}
    assert unlike_machines(Counter()) == []
    (first, _) = unlike_machines(Counter({("x" * 70, 1, 0, ""): 1, ("y", 1, 0, ""): 1}))
    assert first == f"machine 1: {'x' * 60}, 1 processor, 1 run"


@pytest.mark.parametrize(
    ("run", "loaded", "waited"),
    [
        ({"machine_load": 4.0, "processors": 4, "delayed": 0.1, "wall": 1.0}, False, False),
        ({"machine_load": 4.1, "processors": 4, "delayed": 0.11, "wall": 1.0}, True, True),
        ({"machine_load": 0.0, "processors": 1, "delayed": -1.0, "wall": 1.0}, False, False),
        ({"machine_load": 4.1, "processors": 4, "delayed": 0.0, "wall": 0.0}, False, False),  # it does not begin
    ],
)
def test_a_run_is_disturbed_by_load_or_by_waiting(run: dict[str, float], loaded: bool, waited: bool) -> None:
    assert (is_loaded(run), has_waited(run)) == (loaded, waited)


def test_conditions_that_are_not_known_are_said_so(tmp_path: Path) -> None:
    known = replace(HERE, clock_mhz=2100.5, governor="powersave", machine_memory_mb=8191.0, container="docker")
    texts = []
    for where in (HERE, known):
        made = campaign(
            tmp_path,
            SOME[:1],
            ["a"],
            lambda *_, where=where: Outcome(key="", run=solved(1.0, CORNER), circumstances=where),
        )
        ((record,),) = made.setups().values()
        texts.append({name: read(record) for name, read in CONDITIONS.items()})
    names = ("clock", "governor", "memory", "container")
    assert [texts[0][name] for name in names] == ["unknown", "unknown", "0 GB", "none"]
    assert [texts[1][name] for name in names] == ["2100.5 MHz", "powersave", "8 GB", "docker"]
    assert {name for name in CONDITIONS if texts[0][name] != texts[1][name]} == set(names)


def made(folder: Path) -> Results:
    """Two contestants with three runs on each of two puzzles."""
    runs: dict[tuple[str, str], list[Run]] = {
        ("a", "A board"): [solved(3.0, CORNER), solved(1.0, CORNER), solved(2.0, CORNER)],
        ("b", "A board"): [solved(3.0, CORNER), unsolved(), unsolved()],
        ("a", "A picture"): [solved(1.0, DRAWN), solved(2.0, DRAWN), unsolved(status="memory")],
        ("b", "A picture"): [unsolved(status="unsupported")] * 3,
    }
    left = {key: iter(found) for key, found in runs.items()}

    def run(instance: Instance, label: str) -> Run:
        return dataclasses.replace(next(left[label, instance.puzzle.name]), stats={"difficulty": "lines"})

    return campaign(folder, SOME, {"x": ["b"], "y": ["a"]}, run, runs=3, par=5.0)


def test_the_table_has_medians_and_all_statuses(tmp_path: Path) -> None:
    found = made(tmp_path).table()
    assert [(each.label, each.group) for each in found.contestants] == [("b", "x"), ("a", "y")]
    assert found.seconds.tolist() == [[math.inf, 2.0], [pytest.approx(math.nan, nan_ok=True), 2.0]]
    assert [[set(words.split(" / ")) for words in line] for line in found.statuses.tolist()] == [
        [{"complete", "timeout"}, {"complete"}],
        [{"unsupported"}, {"complete", "memory"}],
    ]
    assert (found.limit, found.measure, found.par) == (5.0, "total", 5.0)
    assert [(entry.name, entry.family, entry.size, entry.kind) for entry in found.entries] == [
        ("A board", "boards", 3, "lights-out"),
        ("A picture", "pictures", 2.5, "nonogram"),
    ]
    assert (found.families, found.kinds) == (("boards", "pictures"), ("lights-out", "nonogram"))
    assert [found.of_family("pictures").entries, found.of_kind("nonogram").entries] == [found.entries[1:]] * 2
    assert found.entries[0].difficulty == "lines"


def test_records_are_in_the_order_of_the_plan_with_the_columns_of_an_export(tmp_path: Path) -> None:
    results = made(tmp_path)
    records = results.records()
    assert (results.planned, results.made, len(records)) == (12, 12, 12)
    places = [(record["puzzle_name"], record["contestant"], record["repetition"]) for record in records]
    assert places == [(name, label, turn) for name in ("A board", "A picture") for label in "ba" for turn in range(3)]
    assert [record["judgement"] for record in records[:6]] == ["right", *["undecided"] * 2, *["right"] * 3]
    lines = [json.loads(line) for line in written(records, "jsonl")]
    assert [list(line) for line in lines] == [list(NAMES)] * 12
    assert {json.dumps(line["stats"]) for line in lines} == {'{"difficulty": "lines"}'}
    head, *rows = csv.reader(written(records, "csv"))
    assert (head, len(rows)) == (list(NAMES), 12)
    assert [row[head.index("repetition")] for row in rows[:3]] == ["0", "1", "2"]


def test_a_run_on_an_unsupported_puzzle_has_no_time_memory_or_solutions_in_any_export(tmp_path: Path) -> None:
    found = made(tmp_path)
    empty = {*TIMES, "memory_mb", "solutions"}
    lines = [json.loads(line) for line in written(found.records(), "jsonl")]
    cells = list(csv.DictReader(io.StringIO("".join(written(found.records(), "csv")))))
    rows = CampaignResults.read(tmp_path / "results.sqlite").to_dataframe()
    for line, cell, (_, row) in zip(lines, cells, rows.iterrows(), strict=True):
        missing = empty if line["status"] == "unsupported" else set()
        assert {name for name in empty if line[name] is None} == missing
        assert {name for name in empty if not cell[name]} == missing
        assert {name for name in empty if row[name] != row[name]} == missing
    assert rows.groupby("contestant")["wall"].median().to_dict() == {"a": 2.0, "b": 5.0}


def test_times_are_numbers_in_a_frame_of_unsupported_runs_only(tmp_path: Path) -> None:
    results = campaign(tmp_path, SOME[:1], ["a"], lambda *_: unsolved(status="unsupported"))
    rows = CampaignResults.read(tmp_path / "results.sqlite").to_dataframe()
    assert {str(rows[name].dtype) for name in TIMES} == {"float64"}
    assert math.isnan(results.table().seconds[0, 0])


def test_a_puzzle_without_a_name_is_called_by_its_size_and_its_id(tmp_path: Path) -> None:
    board = LightsOut(Grid.from_text("10/01/11"))
    (found,) = campaign(tmp_path, [Instance(puzzle=board, family="f", size=1.0)], ["a"], lambda *_: unsolved()).judged
    assert found.name == f"3 x 2 {board.id[:8]}"
    assert found.entry.name == found.name
    assert (found.entry.rows, found.entry.columns, found.entry.difficulty) == (3, 2, None)


def test_the_parts_of_a_table_keep_the_order_that_is_given() -> None:
    given = table([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], wrong=["b"], statuses=[["p", "q", "r"], ["s", "t", "u"]])
    part = given.among(rows=[1, 0], columns=[2, 0])
    assert (part.seconds.tolist(), part.statuses.tolist()) == ([[6.0, 4.0], [3.0, 1.0]], [["u", "s"], ["r", "p"]])
    assert [contestant.label for contestant in part.contestants] == ["c", "a"]
    assert [entry.id for entry in part.entries] == ["id1", "id0"]
    assert given.ranked.seconds.tolist() == [[1.0, 3.0], [4.0, 6.0]]


def test_the_measure_is_the_time_that_is_limited() -> None:
    assert [usual_measure(Limits(cpu_seconds=seconds)) for seconds in (None, 5.0)] == ["total", "cpu"]
