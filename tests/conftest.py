"""Fixtures of all tests. Random numbers come from fixed seeds, so that all runs of the suite are equal."""

from __future__ import annotations

import gc
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from crosslit import Grid, LightsOut, Nonogram, registry
from crosslit.contract import registered
from crosslit.contract.family import random_grid
from crosslit.formats import FORMATS
from crosslit.kinds.lights_out.families import random_board, random_rules
from crosslit.kinds.nonogram import families
from tests.inline import InlineServer
from tests.stored import IS_WRITING

__all__ = ["random_board", "random_grid", "random_rules"]  # for the tests that import them from here

ROOT = Path(__file__).parents[1]
PLANTED = Path(__file__).parent / "planted"

if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    # Tests start hundreds of processes, and without compiled modules each would compile its imports. The compiled
    # modules are kept in the cache folder of pytest, not next to the sources.
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(ROOT / ".pytest_cache" / "compiled")
    sys.dont_write_bytecode = False  # pytest rewrites the assertions of all modules, half the time of a collection

# The commands that tests interrupt inherit ignored signals: SIGHUP under nohup, SIGINT in the background of a script.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(getattr(signal, "SIGHUP", signal.SIGTERM), signal.SIG_DFL)  # Windows has no SIGHUP


def pytest_configure(config: pytest.Config) -> None:
    if IS_WRITING and config.getoption("numprocesses", None):
        raise pytest.UsageError("CROSSLIT_WRITE_TRANSCRIPTS rewrites whole files: leave out -n")


settings.register_profile("crosslit", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("crosslit")

# To look for doctests in these distributions, pytest would put their folders on the path of every test; one that needs
# them installs them. A distribution's Python has a module of its own with the name of the one in `simulated`.
collect_ignore_glob = ["planted*", "simulated*"]


def all_grids(rows: int, columns: int) -> Iterator[Grid]:
    """Every grid of a shape."""
    return (Grid.from_bits(rows, columns, bits) for bits in range(1 << rows * columns))


def shapes(most_cells: int) -> list[tuple[int, int]]:
    """Every shape up to this number of cells."""
    sizes = range(1, most_cells + 1)
    return [(rows, columns) for rows, columns in itertools.product(sizes, sizes) if rows * columns <= most_cells]


def random_nonogram(rng: random.Random, rows: int, columns: int) -> Nonogram:
    """A nonogram with a solution: a random picture's clues."""
    return families.random_nonogram(rng, rows, columns, rng.choice([0.3, 0.5, 0.7]))


def plant_nullity(monkeypatch: pytest.MonkeyPatch, nullity: int) -> None:
    """Make every board of two states have this nullity, whether that is true or not."""
    monkeypatch.setattr(LightsOut, "nullity", lambda _: nullity)


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The broken backends are installed, in this process and in those that it starts."""
    list(FORMATS)  # loaded once for all tests of this process, so before the broken ones are there
    monkeypatch.syspath_prepend(str(PLANTED))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(PLANTED), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setattr(registered, "FAILURES", {})
    registry.all_backends.cache_clear()
    registry.all_encodings.cache_clear()
    yield
    monkeypatch.undo()  # first, otherwise the registry would be read with the folder still there
    registry.all_backends.cache_clear()
    registry.all_encodings.cache_clear()


@pytest.fixture(autouse=True)
def no_definitions_stay() -> Iterator[None]:
    """Solvers that a test defines are unknown to the next one."""
    yield
    for name in [*registered.defined]:
        registry.forget(name)


@pytest.fixture(autouse=True)
def runs_in_this_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are carried out in this process, but for tests of processes: a fork server takes longer than most runs."""
    is_isolated = {"processes", "verify", "bench"}.intersection(request.path.parts)
    if not is_isolated and "isolated_runs" not in request.fixturenames:
        monkeypatch.setattr("crosslit.runs.runner.ForkServer", InlineServer)


@pytest.fixture
def isolated_runs() -> None:
    """Runs have a process, as in production."""


@pytest.fixture
def planted_environment() -> dict[str, str]:
    """An environment in which the distribution of broken backends is installed."""
    path = os.pathsep.join(filter(None, [str(PLANTED), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path}


def installed(folder: Path, project: Path) -> dict[str, str]:
    """An environment in which a distribution is installed as pip would do it, without building it.

    Args:
        folder: where its metadata go.
        project: the folder of its ``pyproject.toml`` and modules.
    """
    described = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    name, version = described["name"], described["version"]
    metadata = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
    points = [
        line
        for group, names in described["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in names.items()))
    ]
    (metadata / "entry_points.txt").write_text("\n".join(points), encoding="utf-8")
    path = os.pathsep.join(filter(None, [str(folder), str(project), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path}


def other_processes(*command: str) -> str:
    """Run a command in another namespace of process ids, as in a container, and return its output."""
    words = ["unshare", "--pid", "--fork", "--mount-proc"]
    if not shutil.which("unshare") or subprocess.run([*words, "true"], capture_output=True).returncode:
        pytest.skip("another namespace of processes is not permitted here")
    return subprocess.run([*words, *command], capture_output=True, encoding="utf-8", check=True).stdout


def executable(path: Path, script: str) -> Path:
    """Write a script for sh that can be started, and return its path."""
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def crosslit() -> Command:
    """Run the command line in a new interpreter; `run_inline` is quicker for those without limits and plugins."""

    def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "crosslit", *arguments]
        options = {"timeout": 120, **options}
        return subprocess.run(command, capture_output=True, encoding="utf-8", **options)  # type: ignore[call-overload]

    return run


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put tests first that fork this process, which is quick as long as it has loaded no engine."""
    items.sort(key=lambda item: [name not in item.path.parts for name in ("verify", "stored")])


def pytest_collection_finish() -> None:
    """Exempt all that is loaded from garbage collection: it stays, and forked processes would copy its pages."""
    gc.collect()
    gc.freeze()
