"""Plain output of programs, as their users describe it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from crosslit_backends.commands.child_processes import last_words, without_control
from crosslit_backends.programs.plain import PlainOutput
from crosslit_backends.programs.program import PATTERNS, Program, describe
from crosslit_backends.programs.protocol import (
    ABSTENTIONS,
    MAX_SOLUTIONS,
    Abstention,
    SolverAnswer,
    SolverFailure,
    read_line,
)

from crosslit import Grid, Nonogram, load

PUZZLE = Nonogram([[1], [2]], [[2], [1]])
GRID = Grid.from_text("10/11")
FLAGS = {"solved": None, "unique": True, "multiple": False}


def read(text: str, cells: str = ".X", claims: Any = "one", code: int = 0, puzzle: Any = PUZZLE, **words: Any) -> Any:
    return PlainOutput(cells, **words).read(text.encode(), b"", code, puzzle, claims)


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        (".X", "UNIQUE LINE SOLUTION:\nX.\nXX\n"),
        (".X", "  +--+\n 1|X.|\n  +--+\n 2|XX|\n  +--+\n   2 1\n"),
        (".X", "\u250c\u2500\u2500\u2510\n\u2502X.\u2502\n\u2502XX\u2502\n\u2514\u2500\u2500\u2518\n"),
        ("", "took 3 ms\n10\n11\n"),
        (" #", "#\n##\n"),
        ("  ,##", "    2 1\n  .----.\n 1|##  |\n 2|####|\n  `----'\n\n"),
        (".X", "..\n..\nstep 1\nX.\nXX\n"),
        ("01", "[[1, 0],\n [1, 1]]\n3\n"),
        (" \u2588", "\n\u2588\n\u2588\u2588\n\ndone\n\n\n"),
        (" #", "#   \n##  \n"),
        (".X", "|X.|\nXX\n"),
        (".X", "a|1|X.|  1|b\nc|2|XX|2|d\n"),
        (".X", "+--+\n|X.|\n|--|\n|XX|\n"),
        (" |", "|\n||\n"),
        ("|.", ".|\n..\n"),
        ("X,", ",X\n,,\n"),
        ("..,X,", "X,..\nX,X,\n"),
    ],
)
def test_the_grid_is_found(cells: str, text: str) -> None:
    assert [grid.text for grid in read(text, cells, unsolvable="none").solutions] == ["10/11"]


@pytest.mark.parametrize("ends", [*"|\u2502\u2503\u2551\u2506\u250a\u254e", "[]", "()", "{}", ",", ";", " "])
def test_a_row_may_stand_between_bars_and_brackets(ends: str) -> None:
    text = f"{ends[0]}X.{ends[-1]}\n{ends[0]}XX{ends[-1]}\n"
    assert [grid.text for grid in read(text).solutions] == ["10/11"]


@pytest.mark.parametrize("mark", [*"|+=_*~'`.,- ", "\u2500", "\u257f"])
def test_a_line_of_a_frame_ends_no_grid(mark: str) -> None:
    assert [grid.text for grid in read(f"xo\n+{mark}+\nxx\n", "ox").solutions] == ["10/11"]


@pytest.mark.parametrize(("given", "more"), [(1, 0), (MAX_SOLUTIONS + 1, 0), (MAX_SOLUTIONS + 3, 2)])
def test_no_more_grids_are_read_than_a_truth_may_hold_and_one(given: int, more: int) -> None:
    reply = read(".\n" * given, claims="all", puzzle=load("0|0"))
    assert (len(reply.solutions), reply.more) == (given - more, more)
    reply = read_line(json.dumps({"solutions": ["0"] * given}).encode())
    assert (len(reply.solutions), reply.more) == (given - more, more)


@pytest.mark.parametrize(
    ("words", "text", "code", "reply"),
    [
        ({"unsolvable": "[Nn]o solution"}, "No solution found", 0, SolverAnswer((), True)),
        ({"unsolvable": "[Nn]o solution"}, "X.\nXX\nNo solution found", 3, SolverAnswer((), True)),
        ({"exits": ((20, "unsolvable"),)}, "", 20, SolverAnswer((), True)),
        ({"exits": ((2, "unsupported"),)}, "", 2, Abstention("unsupported")),
        ({}, "unknown", 0, Abstention("unknown")),
        ({}, "X.\nXX", 1, None),
        *(({"exits": ((3, word),)}, "X.\nXX", 3, SolverAnswer((GRID,), False, flag)) for word, flag in FLAGS.items()),
    ],
)
def test_words_and_exit_statuses(words: dict[str, Any], text: str, code: int, reply: Any) -> None:
    assert read(text, code=code, **words) == reply


@pytest.mark.parametrize("word", [*ABSTENTIONS, "unsolvable", "unique", "not unique"])
def test_a_word_of_the_protocol_is_a_line_of_either_stream(word: str) -> None:
    silent = read("X.\nXX\n")
    replies: dict[str, Any] = {"unsolvable": SolverAnswer((), True), **{name: Abstention(name) for name in ABSTENTIONS}}
    said = replies.get(word, replace(silent, unique=word == "unique"))
    for line, reply in ((f" \t{word} ", said), (f"so {word}", silent), (f"{word} so", silent), (f"un{word}", silent)):
        written = f"\n{line}\n".encode()
        assert PlainOutput(".X").read(b"X.\nXX\n" + written, b"", 0, PUZZLE, "one") == reply
        assert PlainOutput(".X").read(b"X.\nXX\n", b"note" + written, 0, PUZZLE, "one") == reply


@pytest.mark.parametrize(
    ("clues", "cells", "claims", "text", "grids"),
    [
        *(("0|0", "01", "one", text, "1") for text in ("[[1]]\n", "found in 3\n[1]\n")),
        *(("0|0", "01", "one", text, "0") for text in ("[[0]]", "(0,)\n")),
        # a line end is no grid of blanks
        *(("0|0,0", " \u2588", "one", text, "10") for text in ("\u2588 \ndone\n\n", "\n\u2588 \n")),
        ("0|0,0", " \u2588", "one", "done\n \u2588\n", "01"),
        *(("0|0,0", " \u2588", "one", text, "00") for text in ("done\n  \n", "\n")),
        ("0,1|1,0", " #", "one", "\n|  |\n|# |\n\n", "00/10"),
        # grids of other shapes
        ("1,2|2,1", ".X", "one", "X\nX.X\nXXX\n", "101/111"),
        ("1,2|2,1", ".X", "all", "X.X\n---\n\nXXX\n", "111"),
        ("1,2|2,1", ".X", "one", "X.\n.-.\nXX\n", "11"),  # a line of a frame has no cells
        ("1,2|2,1", ".X", "one", "X.\n \nXX\n", "11"),  # nor has a blank line
        *(("1,2|2,1", ".X", "one", row, "1011") for row in ("|X.||XX|\n", "|X.| |XX|\n")),
        ("1,2|2,1", " #", "one", "###\n##\n", "11"),
        # a wrong one is an answer if no other is meant
        ("1,2|2,1", ".X", "one", "X.\nX.\n\n..\n..\n", "00/00"),
        ("1,2|2,1", ".X", "one", "..\nX.\n.X\n", "00/10/01"),
        ("1,2|2,1", ".X", "all", "X.\nXX\n\n..\n..\n", "10/11 00/00"),
        ("1,2|2,1", ".X", "all", "X.\nX.\n\n..\nX.\nXX\n..\n", "10/10 00/10 11/00"),  # the solution is between them
    ],
)
def test_these_grids_are_the_answer(clues: str, cells: str, claims: str, text: str, grids: str) -> None:
    assert [grid.text for grid in read(text, cells, claims, puzzle=load(clues)).solutions] == grids.split()


BESIDE = "but 10/11 is printed too and is a solution; choose other --cells, or print only the answer"


@pytest.mark.parametrize(
    ("text", "cells", "claims", "because"),
    [
        ("contradiction\n\n", " \u2588", "one", "no grid of the cells"),
        ("\n\u2588\n\n", " \u2588", "one", "blank lines around the grid, each of which may be one of its 2 rows"),
        ("X..\n...\n---\nX\n.\n", ".X", "one", "grids of 2 x 1 and 2 x 3, none of 2 x 2"),
        ("XXXXX\n-\nX\n-\nX..\n-\n....\n", ".X", "one", "grids of 1 x 1 and 1 x 3 and 1 x 4, none of 2 x 2"),
        ("#x\n##x\n", " #", "one", "no grid"),
        ("|X.|a|XX|\n", ".X", "one", "no grid"),
        ("X.\nXX\nLights after pressing:\n..\n..\n", ".X", "one", BESIDE),
        ("X.\nXX\n..\n", ".X", "one", BESIDE),
        ("..\nX.\nXX\n", ".X", "all", BESIDE),
        ("10\n11\n\n..\n..\n", "", "one", BESIDE),
    ],
)
def test_an_ambiguous_grid_is_malformed(text: str, cells: str, claims: str, because: str) -> None:
    reply = read(text, cells, claims, unsolvable="none")
    assert isinstance(reply, SolverFailure)
    assert because in reply.detail


@pytest.mark.parametrize(
    ("errors", "words"),
    [
        (b"", ""),
        (b"one\ntwo\n\n", ": two"),
        (b"Traceback\nValueError: a\nKeyError: b\n  note\n", ": KeyError: b"),
        (b"\x1b[31mfatal: c\x1b[0m\nlast", ": fatal: c"),
        (b"no fatal error\nlast", ": last"),
        *(
            (f"{word}: a\nlast".encode(), f": {word}: a")
            for word in ("a.b.XError", "XException", "Panic", "FATAL", "fault")
        ),
        *((f"{word}: a\nlast".encode(), ": last") for word in ("Errors", "Exceptional", "a Error")),
        (b"\xff\x00\tlast \n \n", ": \ufffdlast"),
        (b"x" * 300, f": {'x' * 200}"),
    ],
)
def test_the_last_words_are_the_last_line_that_is_an_error_or_the_last_of_all(errors: bytes, words: str) -> None:
    assert last_words(errors) == words


def test_one_answer_per_line() -> None:
    two = load("1,1|1,1")
    for output, line in ((".X", b"X./.X .X/X."), ("", b"10/01 01/10"), ("", b"#./.# .#/#.")):
        reply: Any = PlainOutput(output).read_line(line, two, "all")
        assert [grid.text for grid in reply.solutions] == ["10/01", "01/10"]
    assert PlainOutput().read_line(b"10/01 not unique", two, "unique").unique is False  # type: ignore[union-attr]


def test_the_options_of_a_program_have_defaults() -> None:
    assert describe("x") == Program(("x",)) == Program(("x",), "one", "", "json", "", PlainOutput())
    assert describe("x", lines=True, format="inline").mode == "lines"
    for name in PATTERNS:
        absent, given = ({name: value} for value in (None, ".X"))
        assert describe("x", "one", "", **absent) == describe("x")
        assert getattr(describe("x", "one", "", **given).output, name) == ".X"


def test_an_example_of_an_answer_has_at_most_ten_rows_and_columns() -> None:
    for rows, columns in ((11, 10), (10, 11)):
        assert describe("x").example(load("/".join(["0" * columns] * rows))).count("0") == 100
    assert describe("x", moves=1).example(PUZZLE) == '{"solution": [[1, 1]]}, or {"unsolvable": true}'


@pytest.mark.parametrize(
    ("puzzle", "data", "suffix"),
    [
        (load("10/00"), b"10\n00\n", ".board"),
        (load("1|1"), b"width 1\nheight 1\n\nrows\n1\n\ncolumns\n1\n", ".non"),
        (load("coloured-nonogram:1a|1a"), b"<?xml ", ".xml"),
        (load("modular-lights-out:3/1"), b"modular-lights-out:3/1\n", ".txt"),
    ],
)
def test_a_file_has_the_format_of_its_kind(puzzle: Any, data: bytes, suffix: str) -> None:
    program = describe("x {file}").for_kind(puzzle.kind)
    assert program.render(puzzle).startswith(data)
    assert program.suffix == suffix


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        *(("10%\r20%\rok", "ok"), ("ok\r\n", "ok\n"), ("no\rok\r", "ok"), ("a\rb\nno\rok", "b\nok")),
        *(("\x1b[1mok\x1b[0m", "ok"), ("\x1b[?25l\x1b[38;5;1mok\x1b[1 q\x1b[2@", "ok"), ("\x1bcok", "ok")),
        *(("\x1b]0;no\x07ok", "ok"), ("\x1b]0;no\x1b\\ok", "ok"), ("o\0\x08\x0b\x1f\x7fk", "ok"), ("o\tk", "o\tk")),
    ],
)
def test_a_line_is_as_a_terminal_shows_it(text: str, shown: str) -> None:
    assert without_control(text) == shown


MOVES = "pairs of a row and a column"


@pytest.mark.parametrize(
    ("mode", "output", "first", "expected"),
    [
        *(("json", text, 0, ["010/001"]) for text in ("[[0, 1], [1, 2]]", '{"solution": [0,1,1,2]}')),
        ("json", "[[1, 2], [2, 3]]", 1, ["010/001"]),
        ("json", '{"solutions": [[[0, 1], [0, 1], [1, 0]], []]}', 0, ["000/100", "000/000"]),
        *(("json", text, 0, ["000/000"]) for text in ("[]", '{"solution": []}')),
        *(("json", text, 0, []) for text in ("null", '{"unsolvable": true, "solution": null}')),
        ("json", "[[0, 1, 2]]", 0, MOVES),
        ("json", '[["0", "1"]]', 0, MOVES),
        ("json", "[[2, 0]]", 0, "the move 2, 0 is outside of 2 x 3 cells, counted from 0"),
        ("json", "[[0, 1]]", 1, "the move 0, 1 is outside of 2 x 3 cells, counted from 1"),
        ("json", "3", 0, "expected an object"),
        *(("json", f'{{"solutions": [{each}]}}', 0, "a solution must be text") for each in ("5", "null", "{}")),
        *(("one-shot", text, 0, ["010/001"]) for text in ("[(0, 1), (1, 2)]\n", "Solution:\n0 1\n\n1,2\n", "0;1;1;2")),
        *(("one-shot", text, 0, ["000/000"]) for text in ("[]\n", "", "0 1 0 1")),
        ("one-shot", "None\n", 0, []),
        *(("one-shot", text, 0, "on lines without words") for text in ("impossible\n", "press 0 1\n", "0 1\n2 moves")),
        ("one-shot", "0 1 2\n", 0, MOVES),
        ("one-shot", "-1 0\n", 0, "the move -1, 0 is outside"),
        ("lines", "0 1 1 2", 0, ["010/001"]),
        ("lines", "unsolvable", 0, []),
    ],
)
def test_moves_are_read_as_a_grid(mode: Any, output: str, first: int, expected: Any) -> None:
    described: dict[str, Any] = {"json": {}, "lines": {"lines": True}, "one-shot": {"unsolvable": "^None$"}}[mode]
    program, board = describe(["x"], moves=first, **described), load("101/010")
    assert program.mode == mode
    if mode == "one-shot":
        reply: Any = program.output.read(output.encode(), b"", 0, board, "one")
    else:
        reply = program.read_line(output.encode(), board)
    if isinstance(expected, str):
        assert expected in reply.detail
    else:
        assert [grid.text for grid in reply.solutions] == expected


def test_moves_of_several_solutions_and_of_more_states() -> None:
    output, states = PlainOutput(moves=0), load("modular-lights-out:3/12/01")
    two: Any = output.read(b"0 1\n\n1 1\n1 0\n", b"", 0, load("10/01"), "all")
    assert [grid.text for grid in two.solutions] == ["01/00", "00/11"]
    more: Any = output.read(b"0 0\n0 0\n1 1\n", b"", 0, states, "one")
    assert [grid.text for grid in more.solutions] == ["20/01"]
    with pytest.raises(ValueError, match="moves is 0 or 1"):
        describe(["x"], moves=2)
