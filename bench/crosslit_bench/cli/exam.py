"""``crosslit exam``: exams for language models and agents."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from crosslit.cli import output
from crosslit.cli.help import ExampleCommand, ExampleGroup
from crosslit.cli.options import Number, combined, json_option, output_option, seed_option, timeout_option
from crosslit.errors import InputError
from crosslit.numbers import format_count
from crosslit.records import from_json, to_json

_PLAN = "--seed S --number 20"
_MAKE = f"crosslit exam make {_PLAN} -o exam.jsonl --key key.json"
_RUN = "crosslit exam run exam.jsonl -o answers.jsonl --command './my-model'"
_RUN_SOLVER = "crosslit exam run exam.jsonl -o other.jsonl --by hybrid"
_SCORE = "crosslit exam score exam.jsonl key.json answers.jsonl"


@click.group(cls=ExampleGroup, examples=[_MAKE, _SCORE])
def command() -> None:
    """Make exams of puzzles with proved answers for language models and agents, and score the answers."""


def _subcommand(short_help: str, *examples: str) -> Callable[[Callable[..., None]], click.Command]:
    return command.command(cls=ExampleCommand, examples=examples, short_help=short_help)


_plan_options = combined(
    seed_option(required=True, help="Equal seeds give equal exams."),
    click.option("--kinds", metavar="LIST", default="all", show_default=True, help="Kinds of puzzles."),
    click.option(
        "--sizes", metavar="N,...", default="5,8,10,15", show_default=True, help="Numbers of rows and of columns."
    ),
    click.option("--grades", metavar="LIST", default="line,probe,search", show_default=True, help="Work of puzzles."),
    click.option("--number", type=Number(1, 100_000), default=100, show_default=True, help="Number of items."),
)


def _plan(number: int, **lists: str) -> Any:
    from crosslit_bench.exam import Plan

    split = {name: text.replace(" ", "").split(",") for name, text in lists.items() if text != "all" or name == "sizes"}
    try:
        given: Any = split | {"sizes": [int(size) if size.isdecimal() else size for size in split["sizes"]]}
        return from_json(Plan, {"number": number, **given})
    except ValueError as error:
        raise InputError("options", str(error)) from None


@_subcommand("Make an exam and its key.", _MAKE)
@_plan_options
@click.option("--exclude", metavar="FILE", multiple=True, help="Published puzzles that must not occur.  Repeatable.")
@output_option(required=True, help="Write the items to FILE, in lines of JSON.")
@click.option("--key", metavar="FILE", required=True, help="The key: keep it secret until the exam is over.")
def make(seed: str, exclude: tuple[str, ...], path: str, key: str, **plan: Any) -> None:
    """Make an exam: puzzles with proved answers, and questions about them.

    The items have no hint at an answer. The key has the seed, hashes of the answers, and certificates.
    """
    from crosslit.formats import load_all
    from crosslit_bench.exam import json_line, make

    if Path(path).resolve() == Path(key).resolve():
        raise click.UsageError("'--output' and '--key' are the same file.")
    published = (puzzle for source in exclude for puzzle in load_all(source))
    with output.Progress(0) as progress:
        items, answers = make(seed, _plan(**plan), published, progress.says)
    output.write_files({path: "".join(map(json_line, items)).encode(), key: json_line(answers).encode()})
    output.write(f"{format_count(len(items), 'item')}, commitment {answers.commitment}")


@_subcommand("Print the commitment to publish before an exam.", f"crosslit exam commit {_PLAN}")
@_plan_options
def commit(seed: str, **plan: Any) -> None:
    """Print a hash of the seed, the plan and the generator's sources, to publish before the exam and its seed."""
    from crosslit_bench.exam import commit

    output.write(commit(seed, _plan(**plan)))


@_subcommand("Ask a contestant, and keep its answers.", _RUN, _RUN_SOLVER)
@click.argument("exam")
@output_option(required=True, help="Write the answers to FILE, in lines of JSON.")
@click.option("--command", "text", metavar="CMD", help="A command from the prompt on its input to the answer.")
@click.option("--by", type=click.Choice(("random", "line", "hybrid")), help="A contestant that needs no model.")
@timeout_option(default=600, help="Limit on the wall time of one answer of CMD.")
def run(exam: str, path: str, text: str | None, by: str | None, timeout: float) -> None:
    """Ask a contestant every item of an exam, and append each answer to FILE at once.

    The command is started for each item. It reads the prompt from standard input and writes its answer to standard
    output; a last line "COST: NUMBER" is the cost of the answer. Answers that FILE has are not asked for again, so a
    run that was ended continues where it stopped.
    """
    from crosslit_bench.exam import CONTESTANTS, Item, command, records, run

    if bool(text) == bool(by):
        raise click.UsageError("Choose one of '--command' and '--by'.")
    try:
        contestant = CONTESTANTS[by] if by else command(shlex.split(text or ""), timeout)
    except ValueError as error:
        raise click.UsageError(f"--command: {error}") from None
    number = 0
    with output.Progress(0) as progress:
        for number, _ in enumerate(run(records(Item, exam), contestant, path), 1):
            progress.says(f"{number} answers")
    output.write(f"{format_count(number, 'answer')} given now")


@_subcommand("Score answers, and compare contestants.", _SCORE, f"{_SCORE} other.jsonl --page exam.html")
@click.argument("exam")
@click.argument("key")
@click.argument("answers", nargs=-1, required=True)
@click.option("--page", metavar="FILE", help="Write a page with the tables and a figure.")
@json_option
def score(exam: str, key: str, answers: tuple[str, ...], page: str | None, as_json: bool) -> None:
    """Score files of answers: any answer that obeys the rules is right.

    "low" to "high" is Wilson's interval of 95%, and "guessing" the expected share of a contestant that guesses. Two
    files are compared by the exact test of McNemar on the items that only one of them has right.
    """
    from crosslit.formats.files import show_path
    from crosslit_bench.exam import Item, Key, compare, html, read_answers, records, score

    output.check_page(page or "")
    items, keys = records(Item, exam), records(Key, key)
    if len(keys) != 1:
        raise InputError(key, "expected a key, as `crosslit exam make` writes it")
    scores = [score(items, keys[0], read_answers(path), show_path(Path(path).stem)) for path in answers]
    if page is not None:
        output.write_file(page, [html(scores).encode()])
    if as_json:
        output.write_json({"scores": to_json(scores)})
        return
    for found in scores:
        output.write(found.name)
        output.write_table(found.table())
    for other in scores[1:]:
        output.write(compare(scores[0], other))
