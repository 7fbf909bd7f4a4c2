"""Exams are deterministic, tell no answer, and score contestants by the rules."""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from crosslit_bench.exam import CONTESTANTS, Plan, commit, compare, make, run, score
from crosslit_bench.exam.contestants import guessing, read_answers
from crosslit_bench.exam.lines import chase, deduced, grade_of_clues
from crosslit_bench.exam.page import html
from crosslit_bench.exam.questions import Answer, Item, guess, json_line, judged

from crosslit import load
from crosslit.cli.group import root
from crosslit.errors import InputError
from crosslit.kinds import Nonogram
from crosslit.kinds.clue_puzzle import words
from crosslit.kinds.coloured_nonogram.puzzle import ColouredNonogram
from crosslit.kinds.rules import solutions_by_rules
from crosslit.questions.count import count
from crosslit.records import to_json

SMALL = Plan(30, sizes=(4,), grades=("line", "search"))


@pytest.fixture(scope="module")
def exam() -> tuple[list[Item], list[dict[str, Any]]]:
    """Return a small exam of all kinds."""
    return make("a seed", SMALL)


def _answers(items: list[Item], name: str) -> list[Answer]:
    return [Answer(item.id, CONTESTANTS[name](item.prompt)) for item in items]


def _one(items: list[Item], question: str) -> Item:
    return next(item for item in items if item.question == question)


def test_equal_seeds_give_equal_exams(exam: tuple[list[Item], list[dict[str, Any]]]) -> None:
    assert make("a seed", SMALL) == exam


def test_another_seed_gives_other_puzzles(exam: tuple[list[Item], list[dict[str, Any]]]) -> None:
    other, _ = make("another seed", Plan(12, sizes=(5,), grades=("search",), kinds=("lights-out",)))
    assert not {item.puzzle for item in other} & {item.puzzle for item in exam[0]}


def test_the_solver_answers_everything(exam: tuple[list[Item], list[dict[str, Any]]]) -> None:
    found = score(*exam, _answers(exam[0], "hybrid"))
    assert found.groups[0].outcomes == {"right": 30}


def test_line_solving_answers_all_of_its_grade_and_nothing_wrong(
    exam: tuple[list[Item], list[dict[str, Any]]],
) -> None:
    groups = {group.name: group for group in score(*exam, _answers(exam[0], "line")).groups}
    assert groups["grade line"].share == 1
    assert groups["grade search"].share < 0.5


def test_guessing_is_right_as_often_as_computed(exam: tuple[list[Item], list[dict[str, Any]]]) -> None:
    items, key = exam
    rights = 0
    for number in range(50):
        rng = random.Random(number)
        answers = [
            Answer(item.id, f"ANSWER: {guess(item.question, load(item.puzzle), item.given, rng)}") for item in items
        ]
        rights += score(items, key, answers).groups[0].outcomes.get("right", 0)
    expected = sum(entry["chance"] for entry in key[1:])
    assert rights / 50 == pytest.approx(expected, abs=0.2 * expected)


def test_small_puzzles_have_the_solutions_that_the_key_says(exam: tuple[list[Item], list[dict[str, Any]]]) -> None:
    for item in exam[0]:
        if item.size == 4 and item.question == "solvable" and item.kind in ("nonogram", "lights-out"):
            answers = [Answer(item.id, f"ANSWER: {'yes' if solutions_by_rules(load(item.puzzle)) else 'no'}")]
            assert score(*exam, answers).outcomes[item.id] == "right"


def test_items_have_no_answer(exam: tuple[list[Item], list[dict[str, Any]]]) -> None:
    names = {"id", "kind", "size", "grade", "question", "puzzle", "given", "drawing", "prompt"}
    assert {frozenset(to_json(item)) for item in exam[0]} == {frozenset(names)}


def test_every_number_of_solutions_is_proved(exam: tuple[list[Item], list[dict[str, Any]]]) -> None:
    assert {entry["evidence"] for entry in exam[1][1:]} <= {"certified", "agreed", "brute-force", "witnessed"}


def test_published_puzzles_are_left_out_with_their_images() -> None:
    plan = Plan(4, kinds=("lights-out",), sizes=(5,), grades=("search",))
    published = [load(item.puzzle) for item in make("s", plan)[0]]
    others = [load(item.puzzle) for item in make("s", plan, published)[0]]
    assert not {image.id for board in others for image in board.images()} & {board.id for board in published}


def test_a_plan_without_puzzles_is_refused() -> None:
    with pytest.raises(ValueError, match="only 0 puzzles fit the plan"):
        make("s", Plan(3, kinds=("nonogram",), sizes=(2,), grades=("search",)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ANSWER: 10", None),
        ("no final line", None),
        ("ANSWER: <script>alert(1)</script>", None),
        ("\x1b[31mANSWER:\x1b[0m **11/11**", False),
        ("ANSWER: 1 0\n0 0", True),
        ("answer: `01/00`... no. ANSWER: 10/00.", True),
        ("ANSWER: unsolvable", "none"),
        ("x" * 10_000_000 + "ANSWER: 10/00", True),
    ],
)
def test_answers_are_read_from_any_text(text: str, expected: object) -> None:
    item = Item("1", "nonogram", 2, "line", "solve", "1,0|1,0", "", "", "")
    assert judged(item, text) == expected


@pytest.mark.parametrize(
    ("question", "answer"), [("count", "three"), ("unique", "maybe"), ("wrong-line", "line 2"), ("step", "1")]
)
def test_answers_of_another_form_are_malformed(
    exam: tuple[list[Item], list[dict[str, Any]]], question: str, answer: str
) -> None:
    assert judged(_one(exam[0], question), f"ANSWER: {answer}") is None


def test_a_key_of_another_exam_is_refused(exam: tuple[list[Item], list[dict[str, Any]]]) -> None:
    with pytest.raises(InputError, match="key of this exam"):
        score(exam[0][::-1], exam[1], [])


def test_a_commitment_depends_on_the_plan() -> None:
    assert commit("a", Plan(3))["commitment"] != commit("a", Plan(4))["commitment"]


def test_unanswered_items_are_missing(exam: tuple[list[Item], list[dict[str, Any]]]) -> None:
    assert score(*exam, []).groups[0].outcomes == {"missing": 30}


@pytest.mark.parametrize("clue", ["0", "2", "1 1", "1a 1b", "2b 1b"])
def test_a_line_is_deduced_as_from_all_its_fillings(clue: str) -> None:
    lines = list(map("".join, itertools.product("012", repeat=4)))
    kind = ColouredNonogram if "b" in clue else Nonogram
    fits = [line for line in lines if words(kind.blocks([line])[0]) == clue and ("b" in clue or "2" not in line)]
    values = [{line[index] for line in fits} for index in range(4)]
    assert deduced(clue, "????") == "".join(min(digits) if len(digits) == 1 else "?" for digits in values)


def test_probing_finds_what_lines_do_not() -> None:
    puzzle = load("1,1|1,1")
    assert (grade_of_clues(puzzle, frozenset(range(4))), grade_of_clues(puzzle)) == ("line", "search")


def test_a_chase_puts_out_the_lights() -> None:
    board: Any = load("01/11")
    presses = chase(board, [0, 0])
    assert presses is None or not any(board.violations(presses))


def test_two_contestants_are_compared_on_the_items_that_one_has_right(
    exam: tuple[list[Item], list[dict[str, Any]]],
) -> None:
    right, nothing = score(*exam, _answers(exam[0], "hybrid")), score(*exam, [])
    assert compare(right, nothing)[:2] == (30, 0)


def test_the_page_escapes_names(exam: tuple[list[Item], list[dict[str, Any]]]) -> None:
    assert "<script>alert" not in html([score(*exam, [], "<script>alert(1)</script>")], ["a<script>alert"])


def test_a_run_continues_where_it_stopped(exam: tuple[list[Item], list[dict[str, Any]]], tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    run(exam[0][:5], guessing, str(path))
    path.write_bytes(path.read_bytes() + b'{"id": "00')  # as a kill leaves it
    assert run(exam[0], guessing, str(path)) == 25
    assert [answer.id for answer in read_answers(str(path))] == [item.id for item in exam[0]]


def test_a_killed_run_loses_no_answer(exam: tuple[list[Item], list[dict[str, Any]]], tmp_path: Path) -> None:
    source, path = tmp_path / "exam.jsonl", tmp_path / "answers.jsonl"
    source.write_bytes(b"".join(map(json_line, exam[0])))
    words = [sys.executable, "-m", "crosslit", "exam", "run", str(source), "-o", str(path)]
    process = subprocess.Popen([*words, "--command", "sh -c 'cat >/dev/null; sleep 0.05; echo ANSWER: no'"])
    while not path.exists() or path.read_bytes().count(b"\n") < 3:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = path.read_bytes().count(b"\n")
    assert run(exam[0], guessing, str(path)) == 30 - kept


def test_a_command_that_hangs_is_ended_with_its_children(
    exam: tuple[list[Item], list[dict[str, Any]]], tmp_path: Path
) -> None:
    pid = tmp_path / "pid"
    script = f"echo ANSWER: 7; echo COST: 0.5 >&2; sleep 60 & echo $! > {pid}; wait"
    run(exam[0][:1], ["sh", "-c", script], str(tmp_path / "a"), timeout=0.3)
    assert read_answers(str(tmp_path / "a"))[0].answer == "ANSWER: 7\n"
    with pytest.raises(ProcessLookupError):
        for _ in range(200):
            os.kill(int(pid.read_text()), 0)
            time.sleep(0.01)


def test_the_commands_make_run_and_score_an_exam(tmp_path: Path) -> None:
    exam, key, answers = (str(tmp_path / name) for name in ("exam", "key", "answers"))
    plan = ["--seed", "s", "--kinds", "lights-out", "--sizes", "3", "--number", "6"]
    for arguments in (
        ["make", *plan, "-o", exam, "--key", key],
        ["run", exam, "-o", answers, "--by", "hybrid"],
        ["score", exam, key, answers, "--json"],
    ):
        result = CliRunner().invoke(root, ["exam", *arguments])
        assert not result.exit_code, result.output
    assert json.loads(result.output)["scores"][0]["groups"][0]["right"] == 6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("make -o same --key same", "are the same file"),
        ("make -o e --key k --sizes 3,x", "sizes: expected some of 2, 3"),
        ("run damaged -o answers --by line", "damaged:1: question is missing"),
        ("run exam -o exam --by line", "exam:1: answer is missing"),
        ("run exam -o answers --command 'a", "No closing quotation"),
        ("score exam damaged answers", "expected a key"),
    ],
)
def test_damaged_files_and_wrong_options_are_refused(
    exam: tuple[list[Item], list[dict[str, Any]]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: str,
    message: str,
) -> None:
    (tmp_path / "exam").write_bytes(json_line(exam[0][0]))
    (tmp_path / "damaged").write_text('{"id": "1", "kind": "", "size": 1, "grade": ""}\n')
    (tmp_path / "answers").write_bytes(json_line(Answer("0001", "")))
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(root, ["exam", *arguments.split()])
    assert result.exit_code == 2 or isinstance(result.exception, InputError)
    assert message in result.output + str(result.exception)


@pytest.mark.slow
def test_two_hundred_items_have_the_answers_that_other_backends_count() -> None:
    items, key = make("two hundred", Plan(200))
    answers = []
    for item in items:
        number = count(load(item.puzzle), None, timeout=120).number
        assert number is not None
        right = {"solvable": "yes" if number else "no", "unique": "yes" if number == 1 else "no", "count": str(number)}
        right["solve"] = "unsolvable" if not number else ""
        if right.get(item.question):
            answers.append(Answer(item.id, f"ANSWER: {right[item.question]}"))
    outcomes = score(items, key, answers).outcomes
    assert {outcomes[answer.id] for answer in answers} == {"right"}
