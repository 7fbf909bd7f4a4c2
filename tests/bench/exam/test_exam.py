"""Exams are deterministic, tell no answer, and score contestants by the rules."""

from __future__ import annotations

import itertools
import json
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from crosslit_bench.exam import (
    CONTESTANTS,
    Answer,
    Item,
    Key,
    Plan,
    command,
    commit,
    compare,
    html,
    json_line,
    make,
    read_answers,
    run,
    score,
)
from crosslit_bench.exam.contestants import chase
from crosslit_bench.exam.questions import deduced

from crosslit import load
from crosslit.cli.group import root
from crosslit.errors import InputError
from crosslit.kinds.coloured_nonogram.puzzle import ColouredNonogram
from crosslit.questions.count import count
from crosslit.records import to_json
from tests.verify.solvers import gone

SMALL = Plan(30, sizes=(4,), grades=("line", "search"))
Exam = tuple[list[Item], Key]


@pytest.fixture(scope="module")
def exam() -> Exam:
    """Return a small exam of all kinds."""
    return make("a seed", SMALL)


def answers_by(name: str, items: list[Item]) -> list[Answer]:
    return [Answer(item.id, CONTESTANTS[name](item)) for item in items]


def test_equal_seeds_give_equal_exams(exam: Exam) -> None:
    assert make("a seed", SMALL) == exam


def test_another_seed_gives_other_puzzles(exam: Exam) -> None:
    other, _ = make("another seed", Plan(12, sizes=(5,), grades=("search",), kinds=("lights-out",)))
    assert not {item.puzzle for item in other} & {item.puzzle for item in exam[0]}


def test_a_commitment_depends_on_the_seed_and_on_the_plan() -> None:
    assert len({commit("a", Plan(3)), commit("b", Plan(3)), commit("a", Plan(4))}) == 3


def test_the_solver_answers_everything(exam: Exam) -> None:
    assert set(score(*exam, answers_by("hybrid", exam[0])).outcomes.values()) == {"right"}


def test_line_solving_answers_all_of_its_grade_and_little_else(exam: Exam) -> None:
    shares = {row["items"]: row["right"] for row in score(*exam, answers_by("line", exam[0])).rows}
    assert shares["grade line"] == 1
    assert shares["grade search"] < 0.5


def test_guessing_is_right_as_often_as_computed(exam: Exam) -> None:
    item = next(item for item in exam[0] if item.question == "wrong-line")
    rights = 0
    for choice in item.definition.choices(item):
        found = score(*exam, [Answer(item.id, f"ANSWER: {choice}")])
        rights += found.outcomes[item.id] == "right"
    guessing = {row["items"]: row["guessing"] for row in found.rows}
    assert (rights, guessing["question wrong-line"]) == (2, 2 / 8)


def test_items_have_no_answer(exam: Exam) -> None:
    names = {"id", "kind", "size", "grade", "question", "puzzle", "given", "drawing", "prompt"}
    assert {frozenset(to_json(item)) for item in exam[0]} == {frozenset(names)}


def test_drawings_are_ascii(exam: Exam) -> None:
    assert all(item.prompt.isascii() for item in exam[0])


def test_every_number_of_solutions_is_proved(exam: Exam) -> None:
    assert {evidence for evidence, _ in exam[1].proofs.values()} <= {"certified", "agreed", "brute-force", "witnessed"}


def test_published_puzzles_are_left_out_with_their_images() -> None:
    plan = Plan(4, kinds=("lights-out",), sizes=(5,), grades=("search",))
    published = [load(item.puzzle) for item in make("s", plan)[0]]
    others = [load(item.puzzle) for item in make("s", plan, published)[0]]
    assert not {image.id for board in others for image in board.images()} & {board.id for board in published}


def test_a_plan_without_puzzles_is_refused() -> None:
    with pytest.raises(InputError, match="only 0 puzzles fit it"):
        make("s", Plan(3, kinds=("nonogram",), sizes=(2,), grades=("probe",)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ANSWER: 10", None),
        ("no final line", None),
        ("ANSWER: <script>alert(1)</script>", None),
        ("\x1b[31mANSWER:\x1b[0m **11/11**", "wrong"),
        ("ANSWER: 1 0\n0 0\nThat is all.", "solution"),
        ("answer: `01/00`... no. ANSWER: 10/00.\nCOST: 1", "solution"),
        ("ANSWER: Unsolvable", "unsolvable"),
        ("x" * 10_000_000 + "ANSWER: 10/00", "solution"),
    ],
)
def test_answers_are_read_from_any_text(text: str, expected: object) -> None:
    assert Item("1", "nonogram", 2, "line", "solve", "1,0|1,0", "", "", "").reading(text) == expected


@pytest.mark.parametrize(
    ("question", "answer"), [("count", "three"), ("unique", "maybe"), ("wrong-line", "line 2"), ("step", "1")]
)
def test_answers_of_another_form_are_malformed(exam: Exam, question: str, answer: str) -> None:
    item = next(item for item in exam[0] if item.question == question)
    assert score(*exam, [Answer(item.id, f"ANSWER: {answer}")]).outcomes[item.id] == "malformed"


def test_unanswered_items_are_missing(exam: Exam) -> None:
    assert score(*exam, []).rows[0]["missing"] == 30


def test_a_key_of_another_exam_is_refused(exam: Exam) -> None:
    with pytest.raises(InputError, match="key of this exam"):
        score(exam[0][::-1], exam[1], [])


def test_a_key_may_name_the_items_in_another_order(exam: Exam) -> None:
    key = replace(exam[1], answers=dict(reversed(exam[1].answers.items())))  # from item 10,000 on, its file does
    assert score(exam[0], key, []).rows[0]["missing"] == 30


@pytest.mark.parametrize("clue", ["", "2a", "1a 1a", "1a 1b", "2b 1b"])
def test_a_line_is_deduced_as_from_all_its_fillings(clue: str) -> None:
    lines = list(map("".join, itertools.product("012", repeat=4)))
    blocks = {line: ColouredNonogram.blocks([line])[0] for line in lines}
    fits = [line for line in lines if " ".join(map(str, blocks[line])) == clue]
    values = [{line[index] for line in fits} for index in range(4)]
    expected = "".join(min(digits) if len(digits) == 1 else "?" for digits in values)
    assert deduced(blocks[fits[0]], "????") == expected


def test_a_chase_puts_out_the_lights() -> None:
    board: Any = load("modular-lights-out:3/120/210/022")
    found = [chase(board, row) for row in itertools.product(range(3), repeat=3)]
    assert [list(board.violations(grid)) for grid in found if grid] == [[]]


def test_two_contestants_are_compared_on_the_items_that_one_has_right(exam: Exam) -> None:
    right, nothing = score(*exam, answers_by("hybrid", exam[0]), "a"), score(*exam, [], "b")
    assert compare(right, nothing) == "only a is right on 30, only b on 0: p = 1.9e-09 (McNemar, exact)"


def test_the_page_escapes_names(exam: Exam) -> None:
    assert "<script>alert" not in html([score(*exam, [], "<script>alert(1)</script>")] * 2)


def test_a_run_continues_where_it_stopped(exam: Exam, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    list(run(exam[0][:5], CONTESTANTS["random"], str(path)))
    path.write_bytes(path.read_bytes() + b'{"id": "00')  # as a kill leaves it
    assert len(list(run(exam[0], CONTESTANTS["random"], str(path)))) == 25
    assert [answer.id for answer in read_answers(str(path))] == [item.id for item in exam[0]]


def test_a_killed_run_loses_no_answer(exam: Exam, tmp_path: Path) -> None:
    source, path = tmp_path / "exam.jsonl", tmp_path / "answers.jsonl"
    source.write_text("".join(map(json_line, exam[0])), encoding="utf-8")
    words = [sys.executable, "-m", "crosslit", "exam", "run", str(source), "-o", str(path)]
    process = subprocess.Popen([*words, "--command", "sh -c 'cat >/dev/null; sleep 0.05; echo ANSWER: no'"])
    while not path.exists() or path.read_bytes().count(b"\n") < 3:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = path.read_bytes().count(b"\n")
    assert len(list(run(exam[0], CONTESTANTS["random"], str(path)))) == 30 - kept


def test_a_command_that_hangs_is_ended_with_its_children(exam: Exam, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    script = f"sleep 60 & echo $! > {shlex.quote(str(pid))}; echo ANSWER: 7; echo COST: 0.5; wait"
    (answer,) = run(exam[0][:1], command(["sh", "-c", script], timeout=2), str(tmp_path / "a"))
    assert (answer.answer, answer.cost) == ("ANSWER: 7\nCOST: 0.5\n", 0.5)
    assert gone(int(pid.read_text(encoding="utf-8")))


def test_a_command_that_fails_without_an_answer_ends_the_run(exam: Exam, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="false: ended with status 1 and no answer"):
        list(run(exam[0], command(["false"]), str(tmp_path / "a")))


def test_two_runs_at_once_lose_no_answer(exam: Exam, tmp_path: Path) -> None:
    first, second = (run(exam[0][:2], lambda _: "x", str(tmp_path / "a")) for _ in range(2))
    given = [next(first), next(second), *first, *second]
    assert sorted(map(str, given)) == sorted(map(str, read_answers(str(tmp_path / "a"))))


def test_the_commands_make_run_and_score_an_exam(tmp_path: Path) -> None:
    exam, key, answers = (str(tmp_path / name) for name in ("exam", "key", "answers"))
    plan = ["--seed", "s", "--kinds", "lights-out", "--sizes", "3", "--number", "6"]
    for arguments in (
        ["make", *plan, "-o", exam, "--key", key],
        ["run", exam, "-o", answers, "--by", "hybrid"],
        ["score", exam, key, answers, "--page", str(tmp_path / "page")],
    ):
        result = CliRunner().invoke(root, ["exam", *arguments])
        assert not result.exit_code, result.output
    assert " all 100% 61% 100% " in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("make --seed s -o e --key k --sizes 3,x", "sizes: expected int, found 'x'"),
        ("make --seed s -o same --key ./same", "are the same file"),
        ("commit --seed s --sizes 99", "sizes: expected 2 to 20 rows"),
        ("commit --seed s --sizes all", "sizes: expected int, found 'all'"),
        ("run damaged -o answers --by line", "damaged:1: question is missing"),
        ("run odd -o answers --by line", "odd:1: given: expected the number of a row"),
        ("run path -o answers --by line", "path:1: 0001: expected"),
        ("run exam -o exam --by line", "exam:1: answer is missing"),
        ("run exam -o answers --command 'a", "No closing quotation"),
        ("run exam -o answers --command ./missing", "is not found"),
        ("score exam damaged answers", "damaged:1: seed is missing"),
    ],
)
def test_damaged_files_and_wrong_options_are_refused(
    exam: Exam, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, message: str
) -> None:
    step = next(item for item in exam[0] if item.question == "step")
    (tmp_path / "exam").write_text(json_line(step), encoding="utf-8")
    (tmp_path / "odd").write_text(json.dumps(to_json(step) | {"given": "oddly"}), encoding="utf-8")
    (tmp_path / "path").write_text(json.dumps(to_json(step) | {"id": "0001", "puzzle": "answers"}), encoding="utf-8")
    (tmp_path / "damaged").write_text('{"id": "1", "kind": "nonogram", "size": 1, "grade": "line"}\n', encoding="utf-8")
    (tmp_path / "answers").write_text(json_line(Answer("0001", "")), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(root, ["exam", *arguments.split()])
    assert result.exit_code == 2 or isinstance(result.exception, InputError)
    assert message in result.output + str(result.exception)


@pytest.mark.slow
def test_two_hundred_items_have_the_answers_that_other_backends_count() -> None:
    items, key = make("two hundred", Plan(200))
    counted = [item for item in items if item.question not in ("wrong-line", "step")]
    answers = []
    for item in counted:
        number = count(load(item.puzzle), check=True, timeout=120).number
        right = item.definition.right(item, number, None)  # no solution is known
        answers += [Answer(item.id, f"ANSWER: {right[0]}")] if right else []
    outcomes = score(items, key, answers).outcomes
    assert {outcomes[answer.id] for answer in answers} == {"right"}
