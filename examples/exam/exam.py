"""Exams for language models: puzzles from a seed, answers of any command, and scores by Crosslit.

``exam.py make EXAM SEED NUMBER`` writes an exam, one item for each line. ``exam.py ask EXAM ANSWERS COMMAND...`` starts
a command for each item that has no answer yet, with the prompt on its standard input. ``exam.py score EXAM ANSWERS``
counts the right answers. Scores need no key: Crosslit solves the puzzles again, by independent solvers.
"""

import hashlib
import json
import math
import os
import random
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import crosslit
from crosslit.contract.shapes import ASCII  # other characters depend on the terminal

SIZES = (5, 6, 8)
MAX_SECONDS = 600  # for an answer
RULES = {
    "lights-out": "Pressing a cell of this Lights Out board toggles it and the cells above, below, left and right "
    "of it. A solution is a set of presses that turns all lights (1) off: a grid with 1 for each press.",
    "nonogram": "Fill cells of this nonogram. Each clue has the lengths of the runs of filled cells in its row "
    "(before the bar, from top to bottom) or column (behind it), in order; 0 is an empty line. A solution is a grid "
    "with 1 for filled.",
}


class Question(NamedTuple):
    """A question: its text, the form of an answer, its answers, and the puzzles about which it is asked."""

    text: str
    form: str
    pattern: str  # a regular expression of well-formed answers, without blanks and in lower case
    puzzles: dict[str, tuple[dict[str, Any], ...]]  # arguments of `crosslit.generate` by kind, taken in turn
    is_right: Callable[[Any, str, int], bool]  # from a puzzle, an answer and the number of solutions


def solves(puzzle: Any, answer: str, number: int) -> bool:
    """Return whether an answer is a solution, or says rightly that there is none."""
    if answer == "unsolvable":
        return number == 0
    return not any(puzzle.violations(crosslit.Grid.from_text(answer)))


BOARDS = ({"solvable": True}, {"solvable": False})
QUESTIONS = {
    "solve": Question(
        "Find a solution, or say that there is none.",
        "the rows of the grid, each of 0 and 1, separated by /, or unsolvable",
        "[01/]+|unsolvable",
        {"lights-out": BOARDS, "nonogram": ({"unique": True},)},
        solves,
    ),
    "solvable": Question(
        "Has the board a solution?",
        "yes or no",
        "yes|no",
        {"lights-out": BOARDS},
        lambda _, answer, number: (answer == "yes") == (number > 0),
    ),
    "unique": Question(
        "The nonogram has a solution. Has it only one?",
        "yes or no",
        "yes|no",
        {"nonogram": ({"unique": True}, {"density": 0.3})},
        lambda _, answer, number: (answer == "yes") == (number == 1),
    ),
    "count": Question(
        "How many solutions are there?",
        "a number",
        "[0-9]{1,30}",
        {"lights-out": BOARDS, "nonogram": ({"density": 0.4},)},
        lambda _, answer, number: int(answer) == number,
    ),
}


def make(seed: str, number: int) -> Iterator[dict[str, str]]:
    """Yield the items of an exam: equal seeds give equal ones."""
    rng = random.Random(seed)
    plan = [(name, kind) for name, question in QUESTIONS.items() for kind in question.puzzles]
    for index in range(number):
        turn, place = divmod(index, len(plan))
        name, kind = plan[place]
        question = QUESTIONS[name]
        choices = question.puzzles[kind]
        options, size = choices[turn % len(choices)], rng.choice(SIZES)
        if options.get("solvable") is False:
            size = 5  # boards of the other sizes all have a solution
        puzzle = crosslit.generate(kind, size, seed=rng.getrandbits(32), **options)[0]  # type: ignore[arg-type]
        prompt = f"{RULES[kind]}\n\n{puzzle.text}\n\n{crosslit.draw(puzzle).text(ASCII)}\n\n{question.text}\n"
        prompt += f"End with one line: ANSWER: {question.form}\n"
        mark = hashlib.sha256(prompt.encode()).hexdigest()[:8]  # so that no answer passes for one to another exam
        yield {"id": f"{index + 1:04}-{mark}", "question": name, "puzzle": puzzle.text, "prompt": prompt}


def ask(items: list[dict[str, str]], path: Path, command: list[str]) -> None:
    """Append an answer for each item that has none to a file, as soon as it is there; all are of one command."""
    done, words = given(items, path) if path.exists() else {}, shlex.join(command)
    for answer in done.values():
        if answer.get("command") != words:
            raise ValueError(f"{path}: has answers of another command: {answer.get('command')}")
    missing = [item for item in items if item["id"] not in done]
    with path.open("a", encoding="utf-8") as file:
        for place, item in enumerate(missing, 1):
            print(f"asking {place} of {len(missing)}", end="\r", file=sys.stderr, flush=True)
            try:
                run = subprocess.run(
                    command, input=item["prompt"], text=True, stdout=subprocess.PIPE, timeout=MAX_SECONDS, check=False
                )
            except subprocess.TimeoutExpired:
                run = None  # an empty answer, which is malformed
            if run and run.returncode:  # such as a model that cannot be reached
                failed = f"item {item['id']} ended with status {run.returncode}, and its output is no answer"
                raise SystemExit(f"{command[0]}: {failed}; the same command goes on with it")
            answer = {"id": item["id"], "command": words, "answer": run.stdout if run else ""}
            print(json.dumps(answer), file=file, flush=True)
    print(f"{len(missing)} asked, {len(done)} answered before", file=sys.stderr)


def judge(item: dict[str, str], text: str) -> str:
    """Return the outcome of an answer: ``right``, ``wrong`` or ``malformed``."""
    question, puzzle = QUESTIONS[item["question"]], crosslit.load(item["puzzle"])
    _, *said = re.split("answer:", text.lower())
    words = re.sub(r"\\(boxed|text)|[ \t*`,$\"'{}]", "", said[-1] if said else "").split()  # Markdown, LaTeX, quotes
    rows = takewhile(partial(re.fullmatch, question.pattern), (word.rstrip(".") for word in words))  # text may follow
    answer = "/".join(row.removesuffix("/") or row for row in rows)
    is_grid = item["question"] == "solve" and answer != "unsolvable"
    if not re.fullmatch(question.pattern, answer) or (
        is_grid and [len(row) for row in answer.split("/")] != [puzzle.columns] * puzzle.rows
    ):
        return "malformed"
    truth = crosslit.count(puzzle, check=True)
    if truth.number is None or not truth.consistent or truth.evidence == "claimed":
        raise SystemExit(f"item {item['id']}: the number of solutions of {puzzle.text} is not confirmed")
    return "right" if question.is_right(puzzle, answer, truth.number) else "wrong"


def score(items: list[dict[str, str]], answers: dict[str, str]) -> Iterator[str]:
    """Yield a line for each question: the outcomes, and the share of right answers with its interval."""
    outcomes: dict[str, Counter[str]] = {"all": Counter()}
    for item in items:
        outcome = judge(item, answers[item["id"]]) if item["id"] in answers else "missing"
        for group in ("all", item["question"]):
            outcomes.setdefault(group, Counter())[outcome] += 1
    for group, found in outcomes.items():
        number, right = found.total(), found["right"]
        low, high = wilson(right, number)
        words = ", ".join(f"{many} {outcome}" for outcome, many in sorted(found.items()) if outcome != "right")
        share = f"{right} of {number} right ({right / number:.0%}, between {low:.0%} and {high:.0%})"
        yield f"{group:9} {share}{'; ' if words else ''}{words}"


def wilson(right: int, number: int) -> tuple[float, float]:
    """Return the interval of 95% of a share (E. B. Wilson, 1927)."""
    z, share = 1.96, right / number
    middle = share + z * z / (2 * number)
    half = z * math.sqrt(share * (1 - share) / number + z * z / (4 * number * number))
    return (middle - half) / (1 + z * z / number), (middle + half) / (1 + z * z / number)


def given(items: list[dict[str, str]], path: Path) -> dict[str, dict[str, str]]:
    """Return the answers in a file by their ids; a `ValueError` if one is to no item of the exam."""
    answers: dict[str, dict[str, str]] = {}
    for number, answer in enumerate(lines(path), 1):
        if not (isinstance(answer.get("id"), str) and isinstance(answer.get("answer"), str)):
            raise ValueError(f"{path}, line {number}: expected the texts id and answer")
        if answers.setdefault(answer["id"], answer) is not answer:
            raise ValueError(f"{path}, line {number}: has another answer to item {answer['id']}")
    for name in sorted(answers.keys() - {item["id"] for item in items}):
        raise ValueError(f"{path}: has an answer to item {name}, which is not in this exam")
    return answers


def lines(path: Path) -> list[dict[str, str]]:
    """Return the objects of a file, one for each line; a `ValueError` names the file and the line."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise ValueError(f"{path}, line {number}: expected an object of JSON")
        found.append(value)
    return found


def main(words: list[str]) -> None:
    """Make an exam, ask a command, or score answers."""
    match words:
        case ["make", exam, seed, number]:
            if not re.fullmatch("[1-9][0-9]{0,5}", number):
                raise ValueError(f"{number}: expected a number of items, from 1 to 999999")
            if Path(exam).exists():
                raise ValueError(f"{exam}: exists already, and answers may belong to it")
            items = [json.dumps(item) for item in make(seed, int(number))]
            Path(exam).write_text("\n".join([*items, ""]), encoding="utf-8")
        case ["ask", exam, answers, *command] if command:
            ask(lines(Path(exam)), Path(answers), command)
        case ["score", exam, answers]:
            asked = lines(Path(exam))
            if not asked:
                raise ValueError(f"{exam}: has no items")
            texts = {name: answer["answer"] for name, answer in given(asked, Path(answers)).items()}
            print(*score(asked, texts), sep="\n")
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:  # a reader such as `head` has ended; without the next line, Python would flush again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(141) from None
    except (OSError, ValueError) as error:
        print(f"exam.py: {error}", file=sys.stderr)
        raise SystemExit(2) from None
