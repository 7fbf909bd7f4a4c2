"""All that ``verify`` and ``check-backend`` print and write for solvers in this process, as in ``commands.txt``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from crosslit.base.errors import CrosslitError
from crosslit.base.version import __version__
from crosslit.cli.group import root
from tests.stored import check
from tests.verify import scripted
from tests.verify.contract_checks.test_checks import lying
from tests.verify.zoo import boards, nonograms

STORED = Path(__file__).with_name("commands.txt")
HOMES = (scripted, boards, nonograms)
_CHANGING = re.compile(r', [\d,.]+ a second|"seconds": [\d.e-]+|time="[\d.]+"|"versions": .*')

COMMANDS = """
--kind lights-out --cases 100 -- elimination
--kind lights-out --cases 100 -- contiguous_first_rows
--kind lights-out --cases 100 --keep-going -- Flaky
--kind lights-out --cases 100 --keep-going --corpus corpus --timeout 3 -- crashes
--kind lights-out --cases 100 --keep-going -- hangs
--kind lights-out --cases 100 --junit out.xml -- abstains
--kind lights-out --cases 100 --claims fewest -- any_solution
--kind lights-out --cases 40 --corpus corpus --junit out.xml -- top_heavy
--kind lights-out --cases 60 --only unique --size NxN -- above_two_rows
--kind lights-out --cases 9 --claims all --seed 4 -- drops_last
--like press=king/wrap=torus/1 --cases 60 -- ignores_wrap
--like modular-lights-out:2/matrix=100,010,110/110 --cases 9 -- all_zero
--kind modular-lights-out --cases 100 --size 1..4 -- all_zero
--kind nonogram --cases 100 --claims all --size 1..5 -- search
--kind nonogram --cases 100 --keep-going --size 1..6 -- columns_unchecked
--kind nonogram --cases 100 --keep-going -- unreadable
--kind nonogram --cases 100 --claims unique --only valid --size ..4 -- always_unique
--kind nonogram --cases 20 --claims all -- with_wrong_one
--kind coloured-nonogram --cases 100 --claims all --size 1..4 -- without_last
--kind lights-out --cases 20 --size 3x3 --junit out.xml -- abstains
--like modular-lights-out:3/edges=1-2,2-3/012 --cases 20 --claims all --keep-going -- without_last
--kind coloured-nonogram --cases 40 --claims unique --keep-going --only solvable --seed 2 -- always_unique
--cases 9 11/11 10/01 -- top_heavy
--claims all press=000,101,000/0/0/0/0/0/0/0/0/0/0/0/0/0/0 -- elimination
--kind lights-out --cases 9 --size 50 -- first
--kind lights-out --cases 9 --claims two -- first
--kind lights-out --cases 0 -- first
--cases 9 -- first
--kind lights-out
--like missing.txt -- first
--kind lights-out --junit /nowhere/out.xml -- first
"""


def scrubbed(text: str) -> str:
    return _CHANGING.sub("...", text).replace(__version__, "VERSION")


def invoked(arguments: Sequence[str]) -> str:
    done = CliRunner().invoke(root, arguments)
    assert isinstance(done.exception, CrosslitError | SystemExit | None), done.exception
    error = f"{done.exception}\n" if isinstance(done.exception, CrosslitError) else ""
    return f"{done.output}{error}exit status {done.exit_code}"


def files_below(folder: Path) -> list[str]:
    """The files in a folder, with their contents."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    # cut when what changes is gone, so that the end is the same
    texts = [scrubbed(path.read_text(encoding="utf-8"))[:2000].rstrip() for path in paths]
    return [f"-- {path.relative_to(folder)}\n{text}" for path, text in zip(paths, texts, strict=True)]


@pytest.mark.parametrize("line", COMMANDS.strip().splitlines())
def test_verify_prints_and_writes_all_that_is_stored(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(words: Sequence[str], _spec: Any, settings: Any, *_: Any) -> Any:
        solver = next(getattr(home, words[0]) for home in HOMES if hasattr(home, words[0]))
        subject = scripted.scripted(solver() if isinstance(solver, type) else solver)
        subject.claims, subject.name = settings.claims, words[0]
        return subject

    monkeypatch.setattr("crosslit_verify.session.make_solver", made)
    monkeypatch.chdir(tmp_path)
    text = "\n".join([invoked(["verify", *line.split()]), *files_below(tmp_path)])
    in_json = invoked(["verify", "--json", *line.split()]) if "claims" in text and "corpus" not in line else ""
    check(STORED, f"verify {line}", scrubbed(f"{text}\n{in_json}"))


@pytest.mark.parametrize("more", [[], ["--json"]])
@pytest.mark.parametrize("name", ["honest", "ends on tall puzzles"])
def test_check_backend_prints_all_that_is_stored(monkeypatch: pytest.MonkeyPatch, name: str, more: list[str]) -> None:
    monkeypatch.setattr("crosslit.runs.runner.Runner.runs", lambda _, jobs: lying(name)(jobs))
    text = invoked(["check-backend", "gauss", "--kind", "lights-out", "--level", "quick", *more])
    check(STORED, f"check-backend {name} {' '.join(more)}", scrubbed(text))
