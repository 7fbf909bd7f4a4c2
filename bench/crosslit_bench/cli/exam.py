"""``crosslit exam``: exams for language models and agents."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crosslit.cli import output
from crosslit.cli.help import ExampleCommand, ExampleGroup
from crosslit.cli.options import Number, combined, json_option, output_option, seed_option, timeout_option
from crosslit.drawing.table import Table
from crosslit.errors import InputError
from crosslit.numbers import format_count

if TYPE_CHECKING:
    from crosslit_bench.exam import Plan

_MAX_FILE = 1 << 30  # bytes


@click.group(
    cls=ExampleGroup,
    examples=[
        "crosslit exam make --seed S --number 20 -o exam.jsonl --key key.jsonl",
        "crosslit exam score exam.jsonl key.jsonl answers.jsonl",
    ],
)
def command() -> None:
    """Make exams of puzzles with proved answers for language models and agents, and score the answers."""


def _subcommand(name: str, short_help: str, *examples: str) -> Callable[[Callable[..., int]], click.Command]:
    return command.command(name, cls=ExampleCommand, examples=examples, short_help=short_help)


_plan_options = combined(
    click.option("--kinds", metavar="KIND,...", default="", help="Kinds of puzzles.  [default: all with grades]"),
    click.option(
        "--sizes", metavar="N,...", default="5,8,10,15", show_default=True, help="Numbers of rows and of columns."
    ),
    click.option(
        "--grades", metavar="GRADE,...", default="line,probe,search", show_default=True, help="Work of the puzzles."
    ),
    click.option("--number", type=Number(1, 100_000), default=100, show_default=True, help="Number of items."),
)


def _plan(kinds: str, sizes: str, grades: str, number: int) -> Plan:
    from crosslit_bench.exam import Plan

    texts = {"kinds": kinds, "sizes": sizes, "grades": grades}
    names: dict[str, Any] = {name: text.replace(" ", "").split(",") for name, text in texts.items() if text}
    names["sizes"] = [int(size) if size.isdecimal() else size for size in names.get("sizes", ())]
    try:
        return Plan(number, **{name: tuple(values) for name, values in names.items() if values})
    except ValueError as error:
        raise InputError("options", str(error)) from None


@_subcommand(
    "make", "Make an exam and its key.", "crosslit exam make --seed S --number 20 -o exam.jsonl --key key.jsonl"
)
@seed_option(help="Equal seeds give equal exams.  [default: a random one]")
@_plan_options
@click.option("--exclude", metavar="FILE", multiple=True, help="Published puzzles that must not occur.  Repeatable.")
@output_option(required=True, help="Write the items to FILE, in lines of JSON.")
@click.option("--key", metavar="FILE", required=True, help="The key: keep it secret until the exam is over.")
def make(seed: str | None, exclude: tuple[str, ...], path: str, key: str, **options: Any) -> int:
    """Make an exam: puzzles with proved answers, and questions about them.

    The items have no hint at an answer. The key has the seed, hashes of the answers, and certificates. Equal seeds and
    plans give equal files.
    """
    from crosslit.formats import load_all
    from crosslit_bench.exam import make
    from crosslit_bench.exam.questions import json_line

    if Path(path).resolve() == Path(key).resolve():
        raise click.UsageError("'--output' and '--key' are the same file.")
    plan = _plan(**options)
    published = [puzzle for source in exclude for puzzle in load_all(source)]
    with output.Progress(0) as progress:
        try:
            items, entries = make(secrets.token_hex(16) if seed is None else seed, plan, published, progress.says)
        except ValueError as error:
            raise InputError("options", str(error)) from None
    output.write_files({name: b"".join(map(json_line, lines)) for name, lines in ((path, items), (key, entries))})
    output.write(f"{format_count(len(items), 'item')}, commitment {entries[0]['commitment']}")
    return 0


@_subcommand("commit", "Print the commitment to publish before an exam.", "crosslit exam commit --seed S --number 20")
@seed_option(required=True, help="Equal seeds give equal exams.")
@_plan_options
@json_option
def commit(seed: str, as_json: bool, **options: Any) -> int:
    """Print a hash of the seed, the plan and the generator's sources, to publish before the exam.

    Publish the seed after the exam: then everybody can make the exam again, and compare the hash.
    """
    from crosslit_bench.exam import commit

    found = commit(seed, _plan(**options))
    if as_json:
        output.write_json(found)
    else:
        output.write(found["commitment"])
    return 0


@_subcommand(
    "run",
    "Ask a contestant, and keep its answers.",
    "crosslit exam run exam.jsonl -o answers.jsonl --command './my-model'",
    "crosslit exam run exam.jsonl -o other.jsonl --by hybrid",
)
@click.argument("exam")
@output_option(required=True, help="Write the answers to FILE, in lines of JSON.")
@click.option("--command", "words", metavar="CMD", help="A command from the prompt on its input to the answer.")
@click.option(
    "--by", type=click.Choice(("random", "line", "hybrid")), help="A contestant that needs no model, instead."
)
@timeout_option(default=600, help="Limit on the wall time of one answer of CMD.")
def run(exam: str, path: str, words: str | None, by: str | None, timeout: float) -> int:
    """Ask a contestant every item of an exam, and append each answer to FILE at once.

    The command is started for each item. It reads the prompt from standard input and writes its answer to standard
    output; a line "COST: NUMBER" on standard error is the cost of the answer. Answers that FILE has are not asked for
    again, so a run that was ended continues where it stopped.
    """
    from crosslit_bench.exam import CONTESTANTS, run
    from crosslit_bench.exam.questions import Item, records

    if (words is None) == (by is None):
        raise click.UsageError("Choose one of '--command' and '--by'.")
    try:
        contestant: Any = CONTESTANTS[by] if by is not None else shlex.split(words or "")
    except ValueError as error:
        raise click.UsageError(f"--command: {error}") from None
    if not contestant:
        raise click.UsageError("--command: expected the words of a command")
    items = records(Item, exam, output.read_input(exam, _MAX_FILE))
    with output.Progress(len(items)) as progress:
        given = run(items, contestant, path, timeout, lambda number: progress.says(f"{number} answers"))
    output.write(f"{format_count(given, 'answer')} given now")
    return 0


@_subcommand(
    "score",
    "Score answers, and compare contestants.",
    "crosslit exam score exam.jsonl key.jsonl answers.jsonl",
    "crosslit exam score exam.jsonl key.jsonl answers.jsonl other.jsonl --page exam.html",
)
@click.argument("exam")
@click.argument("key")
@click.argument("answers", nargs=-1, required=True)
@click.option("--page", metavar="FILE", help="Write a page with the tables and a figure.")
@json_option
def score(exam: str, key: str, answers: tuple[str, ...], page: str | None, as_json: bool) -> int:
    """Score files of answers: any answer that obeys the rules is right.

    The intervals are those of Wilson, 95%. "guessing" is the expected share of a contestant that guesses. Two files are
    compared by the exact test of McNemar on the items that only one of them has right.
    """
    from crosslit_bench.exam import compare, score
    from crosslit_bench.exam.contestants import read_answers
    from crosslit_bench.exam.page import HEADINGS, html, rows
    from crosslit_bench.exam.questions import Item, records

    output.check_page(page or "")
    items = records(Item, exam, output.read_input(exam, _MAX_FILE))
    entries = records(dict[str, Any], key, output.read_input(key, _MAX_FILE))
    scores = [score(items, entries, read_answers(path), Path(path).stem) for path in answers]
    sentences = []
    for other in scores[1:]:
        first, second, p = compare(scores[0], other)
        only = f"only {scores[0].name} is right on {first}, only {other.name} on {second}"
        sentences.append(f"{only}: p = {p:.2g} (McNemar, exact)")
    if page is not None:
        output.write_file(page, [html(scores, sentences).encode()])
    if as_json:
        output.write_json({"scores": [found.json() for found in scores]})
        return 0
    for found in scores:
        cost = "" if found.cost is None else f", cost {found.cost:g}"
        output.write(f"{found.name}: {found.groups[0].share:.0%} right, {found.seconds:.0f} s{cost}")
        output.write_table(Table(*HEADINGS, rows=rows(found), right=HEADINGS[1:]))
    for sentence in sentences:
        output.write(sentence)
    return 0
