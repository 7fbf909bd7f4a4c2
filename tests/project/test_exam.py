"""The program of exams in ``examples/exam``: its items, its answers from commands, and its judgement of answers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from importlib.util import module_from_spec, spec_from_file_location
from io import BytesIO, TextIOWrapper
from itertools import islice
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace
from typing import Any

import pytest
from scipy import optimize

import crosslit
from crosslit.contract.shapes import ASCII
from crosslit.kinds.rules import solutions_by_rules

PATH = Path(__file__).parents[2] / "examples" / "exam" / "exam.py"


@pytest.fixture(scope="module")
def exam() -> Any:
    spec = spec_from_file_location("exam", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts by the rules, as independent solvers would take processes."""

    def count(puzzle: Any, check: bool) -> Any:
        return SimpleNamespace(number=len(solutions_by_rules(puzzle)), consistent=check, evidence="agreed")

    monkeypatch.setattr(crosslit, "count", count)


SOLVABLE, UNSOLVABLE = "110/100/000", "10"  # one solution, and none
UNIQUE, SEVERAL, NONE = "1,2|2,1", "1,1|1,1", "1|0"


@pytest.mark.parametrize(
    ("question", "puzzle", "right", "wrong", "malformed"),
    [
        (
            "solve",
            SOLVABLE,
            ["100/000/000", "1 0 0 / 000/000", "100/\n000/\n000", "\n100\n000\n000", "100/000/000\nThat is all."],
            ["unsolvable", "000/000/000"],
            ["", "10/00", "100/000", "100/000/000/000", "100/00/000", "100, 000, 000", "1//", "/"],
        ),
        ("solve", UNSOLVABLE, ["unsolvable", "**Unsolvable.**"], ["10", "00"], ["no", "none", "2", "01 or 10"]),
        ("solve", SEVERAL, ["10/01", "01/10"], ["11/11", "unsolvable"], ["10,01;"]),
        (
            "solvable",
            SOLVABLE,
            ["yes", "YES", r"\boxed{yes}", "\n```\nyes\n```", "yes.\n\nLet me know!"],
            ["no"],
            ["yes no", "y", "1", "so\nyes"],
        ),
        ("solvable", UNSOLVABLE, ["no"], ["yes"], ["not"]),
        ("unique", UNIQUE, ["yes"], ["no"], ["maybe"]),
        ("unique", SEVERAL, ["no"], ["yes"], [""]),
        ("unique", NONE, ["no"], ["yes"], [""]),
        ("count", SEVERAL, ["2", "002", r"$\text{2}$"], ["1", "3", "0"], ["two", "-2", "2.0", "2\n3", "1" * 31]),
        ("count", UNSOLVABLE, ["0"], ["1", "1" * 30], [""]),
    ],
)
def test_an_answer_is_right_wrong_or_malformed(
    exam: Any, counted: None, question: str, puzzle: str, right: list[str], wrong: list[str], malformed: list[str]
) -> None:
    item = {"id": "0001", "question": question, "puzzle": puzzle}
    for outcome, answers in (("right", right), ("wrong", wrong), ("malformed", malformed)):
        for answer in answers:
            assert exam.judge(item, f"I think so.\nANSWER: {answer}\n") == outcome, answer
            assert exam.judge(item, f"Answer: nothing\nanswer: {answer}") == outcome, answer  # the last one counts
    assert exam.judge(item, right[0]) == "malformed"
    assert exam.judge(item, "") == "malformed"


@pytest.mark.parametrize(
    ("number", "consistent", "evidence"), [(None, True, "agreed"), (2, False, "agreed"), (2, True, "claimed")]
)
def test_an_item_whose_number_of_solutions_is_not_confirmed_is_not_judged(
    exam: Any, monkeypatch: pytest.MonkeyPatch, number: int | None, consistent: bool, evidence: str
) -> None:
    truth = SimpleNamespace(number=number, consistent=consistent, evidence=evidence)
    monkeypatch.setattr(crosslit, "count", lambda _, check: truth if check else None)
    with pytest.raises(SystemExit, match=r"item 7: the number of solutions of .* is not confirmed"):
        exam.judge({"id": "7", "question": "count", "puzzle": SEVERAL}, "ANSWER: 2")


def test_items_take_every_question_and_its_puzzles_in_turn(exam: Any) -> None:
    plan = [(name, kind) for name, question in exam.QUESTIONS.items() for kind in question.puzzles]
    items = list(exam.make("a seed", 6 * len(plan)))
    assert items == list(exam.make("a seed", 6 * len(plan)))
    assert [item["id"][:5] for item in items] == [f"{number:04}-" for number in range(1, len(items) + 1)]
    sizes: Counter[int] = Counter()
    for index, item in enumerate(items):
        name, kind = plan[index % len(plan)]
        puzzle, question = crosslit.load(item["puzzle"]), exam.QUESTIONS[name]
        assert (item["question"], puzzle.kind, puzzle.rows) == (name, kind, puzzle.columns)
        arguments = question.puzzles[kind]
        options = arguments[index // len(plan) % len(arguments)]
        number = len(list(islice(crosslit.solutions(puzzle), 2)))
        if "solvable" in options:
            assert (number > 0) == options["solvable"]
        assert "unique" not in options or number == 1
        assert exam.RULES[kind] in item["prompt"]
        assert item["prompt"].count(f"\n{puzzle.text}\n") == 1
        assert crosslit.draw(puzzle).text(ASCII) in item["prompt"]
        assert item["prompt"].endswith(f"{question.text}\nEnd with one line: ANSWER: {question.form}\n")
        sizes[puzzle.rows] += 1
    assert sorted(sizes) == sorted(exam.SIZES)


def test_items_do_not_depend_on_the_encoding_of_the_output(exam: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    exams = []
    for encoding in ("ascii", "utf-8"):
        monkeypatch.setattr(sys, "stdout", TextIOWrapper(BytesIO(), encoding))
        exams.append(list(exam.make("a seed", 6)))
    assert exams[0] == exams[1]


@pytest.mark.parametrize(("right", "number"), [(0, 5), (5, 5), (3, 10), (1, 1), (50, 200)])
def test_the_interval_of_a_share_is_that_of_wilson(exam: Any, right: int, number: int) -> None:
    def distance(share: float) -> float:  # in standard deviations of a number of right answers with this share
        return (right - number * share) ** 2 - 1.96**2 * number * share * (1 - share)

    low, high = exam.wilson(right, number)
    share = right / number
    assert low == pytest.approx(optimize.brentq(distance, 0, share - 1e-6) if right else 0.0, abs=1e-9)
    assert high == pytest.approx(optimize.brentq(distance, share + 1e-6, 1) if right < number else 1.0, abs=1e-9)


def test_a_score_has_a_line_for_all_and_for_each_question(exam: Any, counted: None) -> None:
    names = ["count", "count", "count", "solvable", "solvable"]
    puzzles = [SEVERAL, SEVERAL, SEVERAL, SOLVABLE, SOLVABLE]
    items = [
        {"id": str(place), "question": name, "puzzle": puzzle}
        for place, (name, puzzle) in enumerate(zip(names, puzzles, strict=True))
    ]
    answers = {"0": "ANSWER: 2", "1": "ANSWER: 3", "2": "two", "3": "ANSWER: yes"}
    lines = [line.split(" (")[0].split() + line.split(")")[-1].split() for line in exam.score(items, answers)]
    assert [" ".join(words) for words in lines] == [
        "all 2 of 5 right ; 1 malformed, 1 missing, 1 wrong",
        "count 1 of 3 right ; 1 malformed, 1 wrong",
        "solvable 1 of 2 right ; 1 missing",
    ]
    assert next(exam.score(items[:3], answers)).startswith("all       1 of 3 right (33%, between 6% and 79%); ")
    assert list(exam.score(items[3:4], answers)) == [
        "all       1 of 1 right (100%, between 21% and 100%)",
        "solvable  1 of 1 right (100%, between 21% and 100%)",
    ]


def test_answers_are_asked_for_once_and_kept_as_they_come(
    exam: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "answers"
    items = [{"id": str(number), "prompt": f"prompt {number}"} for number in range(3)]
    program = "import sys; word = sys.stdin.read(); print('it is', word)"
    command = [sys.executable, "-c", program]
    exam.ask(items[:1], path, command)
    exam.ask(items, path, command)
    exam.ask(items, path, command)
    assert [(answer["id"], answer["answer"].strip()) for answer in exam.lines(path)] == [
        (str(number), f"it is prompt {number}") for number in range(3)
    ]
    counter, *ends = capsys.readouterr().err.splitlines()[-4:], "2 asked, 1 answered before"
    assert counter == ["asking 1 of 2", "asking 2 of 2", *ends, "0 asked, 3 answered before"]


@pytest.mark.parametrize("output", ["", "print('ANSWER: yes');"])
def test_a_command_that_fails_gives_no_answer_and_ends_the_exam(exam: Any, tmp_path: Path, output: str) -> None:
    told = "item 1 ended with status 3, and its output is no answer; the same command goes on with it"
    with pytest.raises(SystemExit, match=told):
        exam.ask(
            [{"id": "1", "prompt": ""}], tmp_path / "answers", [sys.executable, "-c", f"{output}raise SystemExit(3)"]
        )
    assert exam.lines(tmp_path / "answers") == []


@pytest.mark.parametrize(
    ("last", "problem"),
    [
        ('{"id": "1", "answer": "ANSWER: no"}', "has another answer to item 1"),
        ('{"id": "2"}', "expected the texts id and answer"),
        ('{"answer": ""}', "expected the texts id and answer"),
        ('{"id": "2", "answer": null}', "expected the texts id and answer"),
        ("[1]", "expected an object of JSON"),
        ("{", "expected an object of JSON"),
    ],
)
def test_a_line_that_is_no_answer_is_named(exam: Any, tmp_path: Path, last: str, problem: str) -> None:
    path = tmp_path / "answers"
    path.write_text(f'{{"id": "1", "answer": "ANSWER: yes"}}\n{last}\n', encoding="utf-8")
    with pytest.raises(ValueError, match=f"answers, line 2: {problem}"):
        exam.given([{"id": "1"}, {"id": "2"}], path)


def test_an_exam_without_items_has_no_score(exam: Any, tmp_path: Path) -> None:
    (tmp_path / "exam").write_text("", encoding="utf-8")
    with pytest.raises(ValueError, match="exam: has no items"):
        exam.main(["score", str(tmp_path / "exam"), str(tmp_path / "exam")])


@pytest.mark.parametrize("line", [{"command": "echo ANSWER: yes"}, {"command": "echo"}, {}])
def test_a_file_has_the_answers_of_one_command(exam: Any, tmp_path: Path, line: dict[str, str]) -> None:
    path = tmp_path / "answers"
    path.write_text(json.dumps({"id": "1", "answer": "yes", **line}), encoding="utf-8")
    with pytest.raises(ValueError, match=f"answers: has answers of another command: {line.get('command')}"):
        exam.ask([{"id": "1", "prompt": ""}, {"id": "2", "prompt": ""}], path, ["echo", "ANSWER: yes"])
    assert len(exam.lines(path)) == 1


def test_answers_to_another_exam_are_neither_scored_nor_continued(exam: Any, tmp_path: Path) -> None:
    for seed in ("a seed", "other"):
        exam.main(["make", str(tmp_path / seed), seed, "2"])
    given, other, answers = (str(tmp_path / name) for name in ("a seed", "other", "answers"))
    exam.main(["ask", given, answers, "echo", "ANSWER: no"])
    for words in (["score", other, answers], ["ask", other, answers, "echo", "ANSWER: no"]):
        with pytest.raises(ValueError, match=r"answers: has an answer to item 0001-[0-9a-f]{8}, which is not in this"):
            exam.main(words)
    exam.main(["make", str(tmp_path / "longer"), "a seed", "3"])  # an exam may become longer
    exam.main(["ask", str(tmp_path / "longer"), answers, "echo", "ANSWER: no"])
    assert len(exam.lines(Path(answers))) == 3


def test_an_answer_that_takes_too_long_is_empty(exam: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(command: list[str], **options: Any) -> Any:
        assert (options["timeout"], options["input"]) == (exam.MAX_SECONDS, "a prompt")
        raise subprocess.TimeoutExpired(command, options["timeout"])

    monkeypatch.setattr(subprocess, "run", run)
    exam.ask([{"id": "1", "prompt": "a prompt"}], tmp_path / "answers", ["model"])
    assert exam.lines(tmp_path / "answers") == [{"id": "1", "command": "model", "answer": ""}]


def test_the_words_of_the_command_line(exam: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given, answers = str(tmp_path / "exam"), tmp_path / "answers"
    exam.main(["make", given, "a seed", "2"])
    items = list(exam.make("a seed", 2))
    assert [json.loads(line) for line in Path(given).read_text(encoding="utf-8").splitlines()] == items
    answers.write_text(json.dumps({"id": items[0]["id"], "answer": "no idea"}), encoding="utf-8")
    exam.main(["score", given, str(answers)])
    lines = capsys.readouterr().out.splitlines()
    assert ([line.split()[0] for line in lines], lines[0][-24:]) == (["all", "solve"], "; 1 malformed, 1 missing")
    for words in ([], ["make", given], ["ask", given, str(answers)], ["score", given]):
        with pytest.raises(SystemExit, match="Exams for language models"):
            exam.main(words)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["make", "new", "a seed", "x"], "x: expected a number of items, from 1 to 999999"),
        (["make", "new", "a seed", "0"], "0: expected a number of items, from 1 to 999999"),
        (["make", "new", "a seed", "1000000"], "1000000: expected a number of items, from 1 to 999999"),
        (["make", "old", "a seed", "1"], "old: exists already, and answers may belong to it"),
    ],
)
def test_what_cannot_be_made_ends_with_one_line_and_status_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], problem: str
) -> None:
    (tmp_path / "old").write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(PATH), *words])
    with pytest.raises(SystemExit) as caught:
        run_path(str(PATH), run_name="__main__")
    assert (caught.value.code, capsys.readouterr().err) == (2, f"exam.py: {problem}\n")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("old", b"")]


def test_a_reader_that_ends_early_ends_the_program_in_silence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def flush() -> None:
        raise BrokenPipeError

    with (tmp_path / "output").open("w", encoding="utf-8") as output:
        closed = SimpleNamespace(write=output.write, flush=flush, fileno=output.fileno)
        monkeypatch.setattr(sys, "stdout", closed)
        monkeypatch.setattr(sys, "argv", [str(PATH), "make", str(tmp_path / "exam"), "a seed", "1"])
        with pytest.raises(SystemExit) as caught:
            run_path(str(PATH), run_name="__main__")
        output.write("what is left")
    assert (caught.value.code, capsys.readouterr().err) == (141, "")
    assert (tmp_path / "output").read_text(encoding="utf-8") == ""
