"""Sources of puzzles: the same ones every time, those of ``crosslit generate``, with names and sizes."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from crosslit_bench.plan import file, sources
from crosslit_bench.plan.campaign import CampaignSpec, Instance

from crosslit import InputError, fewest, nullity, solutions
from crosslit.cli.group import root
from crosslit.kinds import LightsOut, Nonogram

Write = Callable[[str], CampaignSpec]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Makes a campaign of some tables of puzzles."""

    def write(tables: str) -> CampaignSpec:
        path = tmp_path / "some.toml"
        path.write_text(f'backends = ["gauss"]\n{tables}', encoding="utf-8")
        return file.read(path)

    return write


def made(campaign: CampaignSpec) -> list[Instance]:
    first, second = list(sources.all_instances(campaign)), list(sources.all_instances(campaign))
    assert first == second
    assert [one.puzzle.name for one in first] == [one.puzzle.name for one in second]
    return first


def generated(*arguments: str) -> list[str]:
    done = CliRunner().invoke(root, ["generate", *arguments])
    assert done.exit_code == 0
    return done.stdout.splitlines()


def test_boards_are_those_of_the_command(write: Write) -> None:
    instances = made(
        write('[[puzzles]]\ngenerate = "lights-out"\nsizes = [5, "4x9"]\nsolvable = false\ncount = 2\nseed = 7\n')
    )
    expected = [
        text
        for size in ("5x5", "4x9")
        for text in generated("lights-out", "--size", size, "--unsolvable", "--count", "2", "--seed", "7")
    ]
    assert [one.puzzle.text for one in instances] == expected
    assert [one.puzzle.name for one in instances][::3] == ["unsolvable 5x5 #1 (seed 7)", "unsolvable 4x9 #2 (seed 7)"]
    assert [one.size for one in instances] == [5, 5, 6, 6]
    assert [one.facts["number"] for one in instances] == [1, 2, 1, 2]
    assert {one.family for one in instances} == {"lights-out"}
    assert all(next(solutions(one.puzzle, "first-row"), None) is None for one in instances)


def test_boards_of_other_rules_and_with_many_presses(write: Write) -> None:
    table = '[[puzzles]]\ngenerate = "lights-out"\nsizes = [3]\npress = "king"\nwrap = "torus"\ncount = 2\n'
    presses = '[[puzzles]]\ngenerate = "lights-out"\nsizes = [4]\npresses = 6\n'
    *boards, demanding = (one.puzzle for one in made(write(table + presses)))
    assert boards[0].name == "random 3x3, press=king, wrap=torus #1 (seed 0)"
    assert demanding.name == "solvable 4x4, at least 6 presses #1 (seed 0)"
    assert all(isinstance(board, LightsOut) and board.settings == ("press=king", "wrap=torus") for board in boards)
    assert isinstance(demanding, LightsOut)
    best = fewest(demanding)
    assert best is not None
    assert best.count() >= 6


def test_random_lights_are_neither_solvable_nor_unsolvable_by_order(write: Write) -> None:
    instances = made(write('[[puzzles]]\ngenerate = "lights-out"\nsizes = [5]\ncount = 30\n'))
    solved = sum(next(solutions(one.puzzle, "gauss"), None) is not None for one in instances)
    assert nullity(5, 5) == 2
    assert 1 <= solved <= 20  # a quarter, more or less


def test_nonograms_are_those_of_the_command(write: Write) -> None:
    instances = made(
        write('[[puzzles]]\nfamily = "n"\ngenerate = "nonogram"\nsizes = [6]\ndensities = [0.3, 0.6]\nunique = true\n')
    )
    expected = [
        text
        for density in ("0.3", "0.6")
        for text in generated("nonogram", "--size", "6x6", "--density", density, "--unique")
    ]
    assert [one.puzzle.text for one in instances] == expected
    assert [one.facts["density"] for one in instances] == [0.3, 0.6]
    assert [one.puzzle.name for one in instances] == [
        "unique 6x6, density 0.3 #1 (seed 0)",
        "unique 6x6, density 0.6 #1 (seed 0)",
    ]


def test_a_difficulty_is_met(write: Write) -> None:
    (one,) = made(write('[[puzzles]]\ngenerate = "nonogram"\nsizes = [4]\ndifficulty = "probe"\n'))
    assert [one.puzzle.text] == generated("nonogram", "--size", "4x4", "--difficulty", "probe")
    assert one.puzzle.name == "probe 4x4 #1 (seed 0)"


def test_pigeonholes(write: Write) -> None:
    instances = made(write('[[puzzles]]\ngenerate = "pigeonhole"\nsizes = [1, 3]\n'))
    assert [one.puzzle.text for one in instances] == ["1,1|1", "1,1,1,1|1,1,1"]
    assert [one.size for one in instances] == [1, 3]
    assert all(next(solutions(one.puzzle, "brute"), None) is None for one in instances)


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('generate = "nonogram"\nsizes = [30]\ndifficulty = "line"', "determined only up to 625 cells"),
        ('generate = "nonogram"\nsizes = [2]\ndifficulty = "search"', "none of 200 pictures"),
        ('generate = "nonogram"\nsizes = [60]\ndensities = [0.3]\nunique = true\ntimeout = 0.2', "(timeout)"),
        ('generate = "lights-out"\nsizes = [2]\npresses = 5', "fewer cells"),
    ],
)
def test_what_cannot_be_made_names_its_table(write: Write, table: str, told: str) -> None:
    campaign = write(f"[[puzzles]]\npuzzles = ['1']\n[[puzzles]]\n{table}\n")
    with pytest.raises(
        InputError, match=r"some\.toml: \[\[puzzles\]\] 2: the puzzle .* cannot be generated: "
    ) as error:
        list(sources.all_instances(campaign))
    assert told in str(error.value)


def test_an_interrupt_ends_the_making(write: Write) -> None:
    def interrupts(number: int, seed: int) -> sources.PuzzleOrder:
        def make(_: Callable[[str], None]) -> Nonogram:
            if number == 2:
                os.kill(os.getppid(), signal.SIGINT)
                signal.pause()
            return Nonogram([(1,)], [(1,)])

        return sources.PuzzleOrder(name=f"{number} {seed}", size=1.0, facts={}, make=make)

    found = []
    orders = tuple(interrupts(number, 0) for number in (1, 2, 3))
    with pytest.raises(KeyboardInterrupt):
        for instance in sources.generated("f", orders, 60.0):
            found.append(instance.puzzle.name)  # noqa: PERF401  (keeps the items from before the error)
    assert found == ["1 0"]


def test_a_table_without_a_family_is_named_by_its_way(write: Write, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("10/01", encoding="utf-8")
    tables = ('files = ["a.txt"]', 'puzzles = ["11/11"]', 'generate = "nonogram"\nsizes = [3]')
    instances = made(write("".join(f"[[puzzles]]\n{table}\n" for table in tables)))
    assert [one.family for one in instances] == ["files", "puzzles", "nonogram"]


def test_files_by_patterns_folders_and_places(write: Write, tmp_path: Path) -> None:
    for name, text in {
        "b.txt": "10/01\n11/11\n",
        "deep/er/c.txt": "1/0\n",
        "deep/a.non": "width 1\nheight 1\nrows\n1\ncolumns\n1\n",
        "deep/README.md": "no puzzle",
        "[odd].txt": "111\n000\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    instances = made(
        write('[[puzzles]]\nfiles = ["b.txt:2", "*.txt", "deep", "deep/**/*.txt", "deep", "[odd].txt"]\nfamily = "f"\n')
    )
    assert [(one.facts["file"], one.puzzle.name) for one in instances] == [
        ("b.txt:2", "b:2"),
        ("[odd].txt", "[odd]"),
        ("b.txt", "b:1"),
        ("deep/a.non", "a"),
        ("deep/er/c.txt", "c"),
    ]
    assert math.isclose(instances[1].size, math.sqrt(6))


def test_a_file_without_a_puzzle_is_named_when_it_is_read(write: Write, tmp_path: Path) -> None:
    (tmp_path / "a.non").write_text("no puzzle", encoding="utf-8")
    campaign = write('[[puzzles]]\nfiles = ["*.non"]\n')
    with pytest.raises(InputError, match=r"a\.non"):
        list(sources.all_instances(campaign))


def test_a_format_is_obeyed(write: Write, tmp_path: Path) -> None:
    (tmp_path / "a.b").write_text("1,1|1,1", encoding="utf-8")
    (one,) = made(write('[[puzzles]]\nfiles = ["a.b"]\nformat = "clues"\n'))
    assert one.puzzle.text == "1,1|1,1"


def test_inline_puzzles_are_puzzles_even_where_files_have_their_names(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "10").mkdir()
    (tmp_path / "10" / "01").write_text("1,1|1,1", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    long = "/".join(["10101"] * 9)
    instances = made(write(f'[[puzzles]]\npuzzles = ["10/01", "1,1|1,1", "{long}"]\n'))
    assert [one.puzzle.text for one in instances] == ["10/01", "1,1|1,1", long]
    assert [one.puzzle.name for one in instances] == ["10/01", "1,1|1,1", "puzzle 3"]


def test_names_are_distinguished_and_equal_puzzles_come_once(write: Write, tmp_path: Path) -> None:
    for folder, text in (("a", "10/01"), ("b", "11/11"), ("c", "11/11")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.txt").write_text(text, encoding="utf-8")
    table = '[[puzzles]]\nfiles = ["*/x.txt"]\nfamily = "f"\n'
    inline = '[[puzzles]]\nfamily = "g"\npuzzles = ["{}"]\n'
    texts = ["/".join([row] * 9) for row in ("10101", "10111", "11111")]
    instances = made(write(table + "".join(map(inline.format, [*texts, "10/01"]))))
    names = [(instance.family, instance.puzzle.name) for instance in instances]
    assert names == [("f", "x"), ("f", "x (b/x.txt)"), *(("g", f"puzzle 1{place}") for place in ("", " (2)", " (3)"))]
