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
from tests.verify.contract_checks.test_whole_checks import lying
from tests.verify.test_whole_reports import abstains, crashes, first, solver_of, top_heavy, without_last
from tests.verify.zoo import boards

STORED = Path(__file__).with_name("commands.txt")
SOLVERS: dict[str, Any] = {"right": first, "heavy": top_heavy, "crashes": crashes, "abstains": abstains}
SOLVERS |= {"loses": boards.drops_last, "misses": without_last, "flaky": boards.Flaky}
_CHANGING = re.compile(r'[\d,.]+ a second|"seconds": [\d.e-]+|time="[\d.]+"|"versions": .*')

COMMANDS = [
    "--kind lights-out --cases 12 -- right",
    "--kind lights-out --cases 12 --json -- right",
    "--kind lights-out --cases 40 -- heavy",
    "--kind lights-out --cases 40 --json -- heavy",
    "--like press=king/wrap=torus/1 --cases 60 -- right",
    "--kind lights-out --cases 40 --corpus corpus -- heavy",
    "--kind lights-out --cases 40 --keep-going --junit out.xml -- crashes",
    "--kind lights-out --cases 40 --keep-going --corpus corpus --timeout 3 -- crashes",
    "--kind nonogram --cases 20 -- abstains",
    "--kind nonogram --cases 20 --claims all --size 1..3 -- misses",
    "--kind lights-out --cases 9 --claims all --seed 4 -- loses",
    "--cases 9 11/11 10/01 -- heavy",
    "--kind lights-out --cases 9 --size 50 -- right",
    "--kind lights-out --cases 9 --claims two -- right",
    "--kind lights-out --cases 0 -- right",
    "--cases 9 -- right",
    "--kind lights-out",
    "--like missing.txt -- right",
    "--kind lights-out --junit /nowhere/out.xml -- right",
]


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


@pytest.fixture
def _in_this_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def made(words: Sequence[str], _spec: Any, settings: Any, *_: Any) -> Any:
        solver = SOLVERS[words[0]]
        subject = solver_of(solver() if isinstance(solver, type) else solver, settings.claims)
        subject.name = words[0]
        return subject

    monkeypatch.setattr("crosslit_verify.solver.make_solver", made)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("line", COMMANDS)
@pytest.mark.usefixtures("_in_this_process")
def test_verify_prints_and_writes_all_that_is_stored(line: str, tmp_path: Path) -> None:
    text = "\n".join([invoked(["verify", *line.split()]), *files_below(tmp_path)])
    check(STORED, f"verify {line}", scrubbed(text))


@pytest.mark.parametrize("more", [[], ["--json"]])
@pytest.mark.parametrize("name", ["honest", "ends on tall puzzles"])
def test_check_backend_prints_all_that_is_stored(monkeypatch: pytest.MonkeyPatch, name: str, more: list[str]) -> None:
    monkeypatch.setattr("crosslit.runs.runner.Runner.runs", lambda _, jobs: lying(name)(jobs))
    text = invoked(["check-backend", "gauss", "--kind", "lights-out", "--level", "quick", *more])
    check(STORED, f"check-backend {name} {' '.join(more)}", scrubbed(text))
