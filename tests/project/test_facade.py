"""The Python interface where the README does not show it: errors, early ends, interrupts."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import numpy
import pandas
import pytest

import crosslit
from crosslit.base.errors import SpecError
from crosslit.cli.group import root
from crosslit.registry import all_backends
from tests.conftest import ROOT

MANY = crosslit.load("1111/1111/1111/1111")


def test_a_spec_is_looked_at_before_the_first_solution() -> None:
    with pytest.raises(SpecError, match="there is no 'nosuch'"):
        crosslit.solutions(MANY, "nosuch")


def test_an_interrupt_while_a_search_is_put_away_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted_at_the_end(*_: object) -> Iterator[crosslit.Grid]:
        try:
            yield crosslit.Grid.from_bits(4, 4, 0)
        finally:
            raise KeyboardInterrupt

    dark = crosslit.load("0000/0000/0000/0000")
    monkeypatch.setattr(type(all_backends()["gauss"]), "solutions", interrupted_at_the_end)
    with pytest.raises(KeyboardInterrupt):
        crosslit.solve(dark, "gauss")


@pytest.mark.parametrize("backend", ["cpsat", "glucose4", "kissat404", "gauss"])
def test_solutions_of_several_searches_at_once(backend: str) -> None:
    searches = [crosslit.solutions(MANY, backend) for _ in range(3)]
    found = [[grid for grid, _ in zip(search, range(3), strict=False)] for search in searches]
    assert found[0] == found[1] == found[2]
    assert len(set(found[0])) == 3


@pytest.mark.parametrize(
    "call",
    [
        lambda: crosslit.load(ROOT / "examples" / "article-50x50.txt"),
        lambda: crosslit.Grid.from_bits(50, 50, 1),
        lambda: crosslit.compare(MANY, "native"),
        lambda: crosslit.count("10/00"),
        lambda: crosslit.draw("1,1|1,1"),
        lambda: crosslit.Campaign(["11/11"], "gauss"),
        *(lambda target=target: crosslit.encode("1|1", target=target) for target in ("cnf", "fd", "cp-sat", "opb")),
    ],
)
def test_the_representation_of_a_result_is_one_short_line(call: Callable[[], object]) -> None:
    shown = repr(call())
    assert "\n" not in shown
    assert len(shown) <= 100


def run_script(script: str, interrupt_after: float | None = None) -> subprocess.CompletedProcess[str]:
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", script], **pipes) as process:
        try:
            if interrupt_after is not None:
                assert process.stdout.readline() == "started\n"
                time.sleep(interrupt_after)
                process.send_signal(signal.SIGINT)
            # `communicate` would lose what `readline` has read beyond its line
            output, errors = process.stdout.read(), process.stderr.read()
            process.wait()
        finally:
            process.kill()
    return subprocess.CompletedProcess([], process.returncode, output, errors)


@pytest.mark.parametrize(
    ("backend", "size"),
    [
        ("glucose4", 11),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in [("cpsat", 18), ("cadical195", 11), ("gauss", 18)]),
    ],
)
def test_an_interrupt_inline_is_an_interrupt(backend: str, size: int) -> None:
    """At the parity wall, or in a loop of Python's own; a SAT solver hears it when it has solved."""
    script = f"""
import crosslit
board = crosslit.load("/".join(["1" * {size}] * {size}))
crosslit.solve(crosslit.load("1"), {backend!r})  # nothing is imported any more when the interrupt comes
try:
    print("started", flush=True)
    while True:
        crosslit.solve(board, {backend!r})
except KeyboardInterrupt:
    print("interrupted")
"""
    done = run_script(script, interrupt_after=0.5)
    # PySAT's own message about a solver interrupted during its creation
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr


def test_a_script_needs_no_guard_and_a_thread_will_do() -> None:
    script = "import crosslit; print(crosslit.compare(crosslit.load('10/01'), 'native').verdict.status)"
    assert run_script(script).stdout == "unique\n"
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(crosslit.compare(MANY, "native").verdict.status))
    thread.start()
    thread.join()
    assert found == ["multiple"]


_LEFT_OPEN = """
import atexit
import crosslit

def explain(error):
    print(error)

def go_on():
    try:
        next(left_open[0])
    except crosslit.GaveUp as error:
        explain(error)

atexit.register(go_on)
puzzle = crosslit.load("1,1,1|1,1,1")
left_open = [crosslit.solutions(puzzle, spec) for spec in {specs}]
left_open.append(crosslit.batches(puzzle))
for search in left_open:
    next(search)
print("the end")
"""


@pytest.mark.slow
def test_a_script_that_ends_with_open_searches_ends_without_a_word() -> None:
    specs = ["glucose4", "cadical195", "lingeling", "kissat404", "cpsat", "line", "hybrid", "alignment"]
    done = run_script(_LEFT_OPEN.format(specs=specs))
    assert done.stdout.splitlines() == ["the end", "the search was closed because Python exits"]
    assert (done.returncode, done.stderr) == (0, "")


# numbers, arrays and constructors


@pytest.mark.parametrize("text", ["10/11/00", "modular-lights-out:4/12/30/01"])
def test_a_grid_is_what_users_of_numpy_expect(text: str) -> None:
    board = crosslit.load(text)
    assert isinstance(board, crosslit.LightsOut)
    grid, array = board.lit, board.lit.array().astype(int)
    assert board.shape == grid.shape == array.shape == (3, 2)
    assert grid.tolist() == [*grid] == array.tolist()
    assert [grid[0], grid[-1], grid[1, 1], len(grid)] == [*array[[0, -1]].tolist(), array[1, 1], 3]
    assert pandas.DataFrame(grid).to_numpy().tolist() == grid.tolist()


@pytest.mark.parametrize("cells", [[[1, 2], [3, 0]], numpy.array([[0.5, 0], [0, 1]]), [[True, -1]], [[None, 1]]])
@pytest.mark.parametrize(
    "make", [crosslit.LightsOut, crosslit.ModularLightsOut, crosslit.Nonogram.of, crosslit.Grid.from_cells]
)
def test_numbers_that_are_no_truth_values_are_refused(make: Callable[[Any], object], cells: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^(expected cells|the cells of a grid|a cell is 0 or 1)"):
        make(cells)


def test_a_nonogram_is_made_of_the_rows_of_a_picture() -> None:
    cells = [[1, 0, 1], [0, 1, 0]]
    assert (
        crosslit.Nonogram.of(cells) == crosslit.Nonogram.of(numpy.array(cells, float)) == crosslit.load("1 1,1|1,1,1")
    )
    assert crosslit.ColouredNonogram.of(numpy.array([[1, 1, 2], [0, 2, 0]])).text.endswith(":2a 1b,1b|1a,1a 1b,1b")
    assert crosslit.ColouredNonogram.of([[0]]).states == 2
    with pytest.raises(ValueError, match=r"a cell is 0 or 1, not 2; .* ColouredNonogram.of takes colours"):
        crosslit.Nonogram.of(crosslit.Grid.from_text("012", 3))


def test_a_path_that_is_given_as_a_puzzle_is_refused_with_the_function_that_reads_it() -> None:
    for path in ("nofile.non", "none/10.txt"):
        with pytest.raises(crosslit.InputError, match=rf"found '{path}' \(the puzzle of a path is crosslit.load"):
            crosslit.solve(path)
    with pytest.raises(crosslit.InputError, match=r"found 'hello'$"):
        crosslit.solve("hello")


@pytest.mark.usefixtures("isolated_runs")
@pytest.mark.parametrize("ask", [crosslit.solve, crosslit.fewest, lambda *x, **y: list(crosslit.solutions(*x, **y))])
def test_questions_have_a_limit_of_time(ask: Callable[..., object]) -> None:
    assert ask("11/11", timeout=60) == ask("11/11")
    spec = "rc2/full-direct" if ask is crosslit.fewest else "glucose4/full-direct"
    with pytest.raises(crosslit.GaveUp, match="full-direct: stopped after"):
        ask("/".join(["1" * 25] * 25), spec, timeout=0.1)


# everything that the commands do


@pytest.mark.parametrize("command", sorted({*root.list_commands(click.Context(root))}))
def test_every_command_has_a_function(command: str) -> None:
    try:
        assert callable(getattr(crosslit, command.replace("-", "_")))
    except AttributeError as error:
        assert f"in Python, the command `{command}` is " in str(error)


def test_a_stored_campaign_is_a_data_frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = crosslit.Campaign(["11/11", "10/01"], "gauss", task="all").run(tmp_path / "c.sqlite")
    read = crosslit.CampaignResults.read(tmp_path / "c.sqlite")
    assert read.to_dataframe().equals(made.to_dataframe())
    assert str(read) == str(made)
    read.report(tmp_path / "report.html")
    assert "2 of 2 runs made" in (tmp_path / "report.html").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    Path("c.toml").touch()  # as for the commands, the file of results has the name of the campaign's file
    assert str(crosslit.CampaignResults.read("c.toml")) == str(made)
    with pytest.raises(crosslit.InputError, match="no such file"):
        crosslit.CampaignResults.read(tmp_path / "d.sqlite")


def test_an_editor_finds_every_public_name_where_python_does() -> None:
    stub = (ROOT / "src" / "crosslit" / "__init__.pyi").read_text(encoding="utf-8")
    homes = {name: module for module, name in re.findall(r"^from (\S+) import (\w+) as \2$", stub, re.MULTILINE)}
    homes |= dict.fromkeys(re.findall(r"^def (\w+)", stub, re.MULTILINE), "crosslit.questions.formula")  # overloaded
    assert {*homes, "__version__"} == {*crosslit.__all__}
    assert all(getattr(crosslit, name) is getattr(sys.modules[home], name) for name, home in homes.items())
