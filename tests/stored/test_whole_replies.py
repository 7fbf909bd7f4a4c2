"""All replies to a table of outputs, descriptions and ways to end, as stored in ``replies.txt``."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from crosslit_backends.commands.child_processes import last_words
from crosslit_backends.programs.plain import PlainOutput
from crosslit_backends.programs.program import describe, parse
from crosslit_backends.programs.protocol import question, read_line, read_text, shown, text

from crosslit import load
from crosslit.base.errors import CrosslitError
from crosslit.contract import GaveUp, Task
from crosslit.registry import define, select_one
from tests.stored import check

STORED = Path(__file__).with_name("replies.txt")
TWO, ONE, TALL, THREE = load("1,1|1,1"), load("1,2|2,1"), load("1,1,1|3"), load("modular-lights-out:3/12/20")


def attempt(function: Callable[..., Any], *arguments: Any, **options: Any) -> str:
    """What a function returns, or its error."""
    try:
        return str(function(*arguments, **options))
    except (CrosslitError, ValueError, TypeError) as error:
        return f"{type(error).__name__}: {error}"


def grouped(outcomes: Iterable[tuple[str, str]]) -> str:
    """A line for each outcome, with the inputs that have it, because most have few."""
    inputs: dict[str, list[str]] = {}
    for given, outcome in outcomes:
        inputs.setdefault(outcome, []).append(given)
    return "\n".join(f"{outcome} <- {'; '.join(given)}" for outcome, given in inputs.items())


TEXTS = {
    "the grid": "X.\n.X\n",
    "both with a blank line": "X.\n.X\n\n.X\nX.\n",
    "both without": "X.\n.X\n.X\nX.\n",
    "a wrong one last": "X.\n.X\n\nXX\n..\n",
    "a wrong one first": "XX\n..\n\nX.\n.X\n",
    "another shape": "X.X\n.X.\n",
    "two other shapes": "X.X\n.X.\n\nX\n.\n",
    "one row": "X.\n",
    "three rows": "X.\n.X\nX.\n",
    "a frame": "+--+\n|X.|\n|.X|\n+--+\n",
    "blanks between cells": "X .\n. X\n",
    "digits": "10\n01\n",
    "digits in brackets": "[[1, 0],\n [0, 1]]\n",
    "unsolvable": "unsolvable\n",
    "unsolvable and a grid": "X.\n.X\nunsolvable\n",
    "in a sentence": "it is unsolvable\n",
    "unique": "X.\n.X\nunique\n",
    "not unique": "X.\n.X\nnot unique\n",
    "unknown": "X.\n.X\nunknown\n",
    "nothing": "",
    "blank lines": "\n\n\n",
    "colours": "\x1b[31mX\x1b[0m.\n.X\x1b[K\n",
    "progress": "1%\r99%\rX.\r\n.X\r\n",
    "a byte order mark": "\ufeffX.\n.X\n",
    "words before": "answer: X.\n        .X\n",
}
DESCRIPTIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "cells": {"cells": ".X"},
    "words": {"cells": ".X", "unsolvable": "^it is", "unique": "^X"},
}


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_every_text_is_read_as_stored(name: str) -> None:
    output, lines = PlainOutput(**DESCRIPTIONS[name]), []
    for title, written in TEXTS.items():
        data, line = written.encode(), written.strip().replace("\n", "/").encode()
        lines += [
            (f"{title}, {claims}", attempt(output.read, data, b"", 0, TWO, claims)) for claims in ("all", "unique")
        ]
        lines.append((f"{title}, of a line", attempt(output.read_line, line, TWO, "all")))
    grid = TEXTS["the grid"].encode()
    lines += [(f"exit {code}", attempt(output.read, grid, b"", code, TWO, "unique")) for code in range(6)]
    lines.append(("errors", attempt(output.read, b"", b"unsolvable", 0, TWO, "one")))
    lines.append(("not UTF-8", attempt(output.read, bytes([255]), b"", 0, TWO, "one")))
    lines.append(("three states", attempt(output.read, b"12/20", b"", 0, THREE, "one")))
    lines.append((repr(output.example(TALL)), str(output.is_protocol)))
    check(STORED, f"texts, {name}", grouped(lines))


RECORDS = [
    '{"solution": "10/01"}',
    '{"solution": "10/01", "unique": true}',
    '{"solution": "10/01", "unique": false, "id": 7}',
    '{"solutions": ["10/01", "01/10"], "unique": true}',
    '{"solutions": ["10/01", "10/01"]}',
    '{"solutions": []}',
    '{"solutions": [], "unsolvable": false}',
    '{"unsolvable": true}',
    '{"unsolvable": true, "solution": "10/01"}',
    '{"unsolvable": true, "unique": true}',
    '{"unsolvable": false}',
    '{"unsolvable": 1}',
    '{"unknown": true}',
    '{"unknown": true, "solution": "10/01"}',
    '{"unknown": false, "solution": "10/01"}',
    '{"unsupported": true}',
    '{"solution": null}',
    '{"solution": []}',
    '{"solution": [[1, 0], [0]]}',
    '{"solution": [[1, 2], [0, 1]]}',
    '{"solution": ["12/20"]}',
    '{"solution": "10/0"}',
    '{"solution": ""}',
    '{"solution": 5}',
    '{"solution": "10/01", "solution": "10/01"}',
    '{"solution": "10/01", "solutions": ["10/01"]}',
    '{"solution": NaN}',
    '{"id": 6, "solution": "10/01"}',
    *("null", "[]", "[1]", "5", '"10/01"', "true", "{}", "{", "", "10/01", "unsolvable", "[" * 30),
    '{"solution": ' + "9" * 5000 + "}",
    *("#./.#", "10\n01", "10\n01\n\n01\n10", "10/01\n\nunique", "not unique", "unique", "10\n0", "12\n20", "1 0\n0 1"),
]


def test_every_record_is_read_as_stored() -> None:
    found = []
    for record in RECORDS:
        for states in (2, 3):
            readers = {"line": lambda data, states: read_line(data, 7, states), "text": read_text}
            found += [
                (f"{record[:60]!r} {states} {name}", attempt(read, record.encode(), states))
                for name, read in readers.items()
            ]
    lines = [f"{length}: {shown(b'x' * length)[-14:]}" for length in (59, 60, 61, 119, 120, 121, 200)]
    for puzzle in (TWO, ONE, TALL, THREE):
        lines += [attempt(question, puzzle, 3, claims) for claims in ("one", "all", "unique", "fewest")]
        lines += [f"{form}: {attempt(text, puzzle, form)}" for form in ("inline", "board", "non")]
    errors = (b"", b"a\nb", b"KeyError: x\nmore", b"\x1b[31mfatal\x1b[0m\n\n", b"x" * 300, b"a\rb")
    lines += [f"{last_words(error)}|" for error in errors]
    check(STORED, "records", "\n".join([grouped(found), *lines]))


COMMANDS: list[tuple[Any, dict[str, Any]]] = [
    ("solver", {}),
    ("solver {file}", {}),
    ("solver {file} -x", {"format": "non"}),
    ("solver {other}", {}),
    ("sh -c 'a {other} b'", {}),
    ("solver ${HOME}", {}),
    ("solver", {"format": "inline"}),
    ("solver", {"lines": True}),
    ("solver {file}", {"lines": True}),
    ("solver", {"lines": True, "format": "non"}),
    ("solver", {"format": "board"}),
    ("solver", {"format": "nothing"}),
    ("solver", {"cells": ".X"}),
    ("solver", {"cells": "X"}),
    ("solver", {"cells": "..,X"}),
    ("solver", {"unsolvable": "("}),
    ("solver", {"exit": {20: "unsolvable", 0: "solved"}}),
    ("solver", {"exit": ["255=unique", " 1 = unknown"]}),
    ("solver", {"exit": ["256=unique"]}),
    ("solver", {"exit": ["1=nothing"]}),
    ("solver", {"exit": ["x=unique"]}),
    ("solver", {"exit": 5}),
    ("solver", {"claims": "two"}),
    ("solver", {"kind": "sudoku"}),
    ("solver", {"kind": "nonogram", "claims": "all"}),
    ("solver", {"lines": "yes"}),
    ("solver", {"colour": "red"}),
    ("solver 'open", {}),
    ("", {}),
    (["a b", "{file}"], {}),
    ([], {}),
]


def test_every_description_means_what_is_stored() -> None:
    lines = []
    for command, options in COMMANDS:
        described = attempt(describe, command, **options)
        lines.append(f"{command!r} {options}: {described}")
        if described.startswith("Program("):
            program = describe(command, **options).for_kind("nonogram")
            facts = (program.form, program.suffix, program.reads_file, program.filled("P"))
            lines.append(f"  {facts} {attempt(program.render, ONE)} {attempt(program.read_line, b'10/01', TWO)}")
    tables = ("solver {file}", '{"command": "x", "format": "inline"}', '{command = "x", cells = ".X"}', "{}")
    lines += [f"{written}: {attempt(parse, written)}" for written in tables]
    check(STORED, "descriptions", "\n".join(lines))


ENDS = ["exit 0", "exit 1", "exit 10", "exit 20", "echo no license >&2; exit 3", "kill -SEGV $$"]
ANSWERS = {
    "{cnf}": [
        "s SATISFIABLE\nv 1 -2 0",
        "s SATISFIABLE\nv -1 2 0",
        "s UNSATISFIABLE",
        "s UNKNOWN",
        "v 1 0",
        "s SATISFIABLE\nv 9 0",
        "",
    ],
    "{opb}": [
        "s SATISFIABLE\nv x1 -x2 -x3 x4 x5 x6 x7 x8",
        "s SATISFIABLE\nv x1",
        "s UNSATISFIABLE",
        "s UNKNOWN",
        "s SATISFIABLE",
        "x",
        "",
    ],
    "{file}": ["10/01", "11/00", "1", "unsolvable", "unknown", "10/01\n\n01/10", "10/01\n\n10/01", ""],
}


def solved(place: str, answer: str, end: str, folder: Path) -> str:
    """The solutions by a command that answers so and ends so, or its error."""
    (folder / "answer").write_text(answer.replace("/", "\n"), encoding="utf-8")
    (folder / "solver").write_text(f"cat {shlex.quote(str(folder / 'answer'))}\n{end}\n", encoding="utf-8")
    command = f"sh {shlex.quote(str(folder / 'solver'))} {place}"
    if place == "{file}":
        record = {"command": command, "kind": "nonogram", "claims": "all", "exit": {"20": "unsolvable"}}
        define("mine", json.dumps(record), "test")
    else:
        define("mine", command, "test")
    puzzle = TWO if place == "{file}" else load("10/01")
    choice = select_one("mine", puzzle)
    found: list[str] = []
    task = Task(encoding=choice.encoding, options=choice.options)
    try:
        for grid in choice.backend.solutions(puzzle, task):
            found.append(grid.text)  # noqa: PERF401  (those before an error count)
    except (CrosslitError, GaveUp) as error:
        return f"{' '.join(found)} {type(error).__name__}: {error}".replace(str(folder), "FOLDER")
    return f"{' '.join(found)} and no more"


@pytest.mark.skipif(sys.platform != "linux", reason="commands need files in memory")
@pytest.mark.parametrize("place", ANSWERS)
def test_every_answer_of_a_command_ends_as_stored(place: str, tmp_path: Path) -> None:
    lines = []
    for number, answer in enumerate(ANSWERS[place]):
        ends = ENDS if number < 3 else ENDS[:1]
        lines += [(f"{answer!r}, {end}", solved(place, answer, end, tmp_path)) for end in ends]
    check(STORED, f"commands, {place}", grouped(lines))
