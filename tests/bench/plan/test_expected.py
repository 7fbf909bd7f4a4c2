"""Expected verdicts of a campaign: their syntax, and reports of contradictions."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from crosslit_bench.plan import file, sources
from crosslit_bench.plan.campaign import Instance, expectation
from crosslit_bench.report.methods import measured
from crosslit_bench.results.frame import load as load_results
from crosslit_bench.results.status import campaign_status
from crosslit_bench.store.store import Store

from crosslit import Grid, InputError, load
from crosslit.contract.run import Run
from tests.bench.reports import BOARD, CORNER, campaign, named, solved, unsolved
from tests.conftest import Command

HEAD = 'backends = ["line"]\n[[puzzles]]\n'
TWO = load("1,1|1,1")
ONE = Grid.from_text("10/01")
OTHER = Grid.from_text("01/10")


def facts(path: Path) -> list[tuple[str, object, object]]:
    instances = sources.all_instances(file.read(path))
    return [(one.puzzle.text, one.facts.get("expected"), one.facts.get("expected_by")) for one in instances]


def written(folder: Path, text: str) -> Path:
    path = folder / "my.toml"
    path.write_text(HEAD + text, encoding="utf-8")
    return path


def test_one_verdict_for_all_puzzles_of_a_table(tmp_path: Path) -> None:
    path = written(tmp_path, 'puzzles = ["1|1", "0|0"]\nexpected = "unique"\nsource = "a survey"\n')
    assert facts(path) == [("1|1", "unique", "a survey"), ("0|0", "unique", "a survey")]


def test_verdicts_by_file(tmp_path: Path) -> None:
    for name, text in (("a", "1|1"), ("b", "1,1|1,1"), ("c", "0|0")):
        (tmp_path / f"{name}.clues").write_text(text, encoding="utf-8")
    path = written(tmp_path, 'files = ["*.clues"]\nexpected = {"a.*" = "unique", "b.*" = "multiple"}\n')
    assert facts(path) == [
        ("1|1", "unique", "the campaign"),
        ("1,1|1,1", "multiple", "the campaign"),
        ("0|0", None, None),
    ]
    path = written(tmp_path, 'files = ["*.clues"]\nexpected = {"b.*" = "multiple", "*" = "unique"}\n')
    assert [verdict for _, verdict, _ in facts(path)] == ["unique", "multiple", "unique"]  # the first that matches


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('expected = "two"\n', "expected: *: expected 'unique' | 'multiple' | 'unsolvable', found 'two'"),
        ("expected = {}\n", "expected: expected verdicts, found none"),
        ('expected = {"*" = 2}\n', "expected: *: expected 'unique' | 'multiple' | 'unsolvable', found 2"),
        ('source = "S"\n', "source: it is the source of the verdicts in `expected`, which is missing"),
        ('expected = {"b*" = "unique"}\n', "expected: it matches no puzzle of its table: 'b*'"),
    ],
)
def test_expectations_that_cannot_be(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(InputError) as refused:
        facts(written(tmp_path, f'puzzles = ["1|1"]\n{text}'))
    assert str(refused.value) == f"{tmp_path / 'my.toml'}: [[puzzles]] 1: {problem}"


def expecting(verdict: str) -> Instance:
    instance = named(TWO, "two")
    return dataclasses.replace(instance, facts={"expected": verdict, "expected_by": "a survey"})


def findings(folder: Path, verdict: str, **runs: Run) -> list[tuple[str, str, str]]:
    results = campaign(folder, [expecting(verdict)], list(runs), lambda _, label: runs[label])
    return [(finding.backend, finding.problem, finding.detail) for _, finding in results.findings]


def complete(*grids: Grid) -> Run:
    run = solved(0.01, *grids)
    return dataclasses.replace(run, status="complete")


def test_solutions_that_were_checked_contradict_the_source(tmp_path: Path) -> None:
    found = findings(tmp_path, "unique", a=complete(ONE, OTHER))
    assert found == [("a survey", "disagreement", "it says unique; 2 solutions found and checked by the rules")]
    with Store(tmp_path / "results.sqlite") as store:
        (record,) = load_results(store).records()
        known = campaign_status(store)
    assert (record["judgement"], record["expected"], record["problems"]) == ("right", "unique", "")
    assert [score.solved for score in known.scores] == [1]
    assert [finding.backend for _, finding in known.wrong] == ["a survey"]


def test_a_claim_that_nothing_decides_contradicts_the_source(tmp_path: Path, crosslit: Command) -> None:
    found = findings(tmp_path, "multiple", a=complete(ONE))
    assert found == [("a", "disagreement", "it says unique; a survey says multiple")]
    done = crosslit("bench", "status", str(tmp_path / "results.sqlite"))
    assert done.returncode == 1
    assert "wrong: a: disagreement on two: it says unique; a survey says multiple" in done.stdout
    with Store(tmp_path / "results.sqlite") as store:
        assert [score.solved for score in campaign_status(store).scores] == [0]
        assert load_results(store).table().seconds.tolist() == [[float("inf")]]  # nor does the report count it


@pytest.mark.parametrize(("grids", "found"), [([CORNER], []), ([], ["disagreement"])])
def test_the_fewest_presses_are_no_claim_about_other_solutions(
    tmp_path: Path, grids: list[Grid], found: list[str]
) -> None:
    """Though a claim that there is none contradicts the source."""
    instance = dataclasses.replace(named(BOARD, "board"), facts={"expected": "multiple", "expected_by": "a survey"})
    results = campaign(tmp_path, [instance], ["a"], lambda *_: complete(*grids), asked="fewest")
    assert [finding.problem for _, finding in results.findings] == found


def test_a_source_in_a_store_that_is_no_text_is_refused() -> None:
    with pytest.raises(ValueError, match="expected the source of a verdict, found 3"):
        expectation(dataclasses.replace(expecting("unique"), facts={"expected": "unique", "expected_by": 3}))


def test_a_wrong_answer_is_reported_once(tmp_path: Path) -> None:
    found = findings(tmp_path, "multiple", a=complete(ONE), b=complete(ONE, OTHER))
    assert [problem for _, problem, _ in found] == ["false-unique"]


def test_what_agrees_is_no_finding(tmp_path: Path) -> None:
    assert findings(tmp_path, "multiple", a=complete(ONE, OTHER)) == []
    assert findings(tmp_path, "multiple", a=unsolved(grids=[ONE])) == []  # nor what did not end


def test_the_report_counts_what_was_found_as_expected(tmp_path: Path) -> None:
    instances = [expecting("multiple"), dataclasses.replace(expecting("unique"), puzzle=load("1|1"))]
    results = campaign(
        tmp_path, instances, ["a"], lambda one, _: complete(*([ONE, OTHER] if one.puzzle == TWO else []))
    )
    (sheet, *_) = measured(results, "total").sheets
    facts = {row[0]: row[1] for row, _ in sheet.rows}
    assert facts["expected verdicts"] == (
        "of 2 puzzles, by a survey: 1 found, 0 undecided, 1 other; contradictions are among the wrong answers"
    )
