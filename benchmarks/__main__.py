"""One table of what Crosslit takes: commands, runs and hard puzzles, as ratios to another version and to peers.

Run it with ``python -m benchmarks [PART ...]``. The parts are ``start``, ``list``, ``campaign``, ``run``, ``encode``
and ``hard``. ``--before PYTHON`` is an interpreter with another version of Crosslit, which takes turns with this one,
from a checkout.
Figures are milliseconds, and medians of some rounds; those of hard puzzles are the best for each puzzle. Commands are
measured in CPU time of all their processes, with compiled modules. The other benchmarks of this folder look closer.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from itertools import islice
from operator import add, itemgetter
from pathlib import Path

from crosslit_bench.machine import circumstances

from benchmarks.commands import command_seconds, compiled
from crosslit import Grid, LightsOut, Nonogram, __version__
from crosslit.base.text import Table
from crosslit.formats import read_all

ROOT = Path(__file__).parents[1]
PICTURE = str(ROOT / "examples" / "article-50x50.txt")
ENGINES = {"python-sat": "pysat", "ortools": "ortools", "clingo": "clingo", "pychoco": "pychoco", "exact": "exact"}
SLOW = {"knotty", "faase"}  # several solutions each, which SAT by itself does not find in minutes
# Makes a store by the tests of the version that executes it, as no version reads the stores of a later one.
FILL = """
import sys, crosslit
from importlib import import_module
from pathlib import Path
root = Path(crosslit.__file__).parents[2]
sys.path.insert(0, str(root))
(source,) = root.glob("tests/*/stores.py")
path, rows, repetitions = sys.argv[1:]
import_module(f"tests.{source.parent.name}.stores").fill(Path(path), int(rows), repetitions=int(repetitions))
"""
PERMUTATIONS = "|".join([",".join("1" * 9)] * 2)  # one cell in every row and column: 9! solutions
CLINGO = """
row(1..9). col(1..9). 1 {f(R,C) : col(C)} 1 :- row(R). 1 {f(R,C) : row(R)} 1 :- col(C).
"""


@dataclass(frozen=True)
class Bench:
    """The interpreters to measure, how often, and the folder for files."""

    pythons: tuple[str, ...]
    rounds: int
    folder: Path
    data: Path

    def row(self, name: str, work: Callable[[str], float], peer: Callable[[], float] | None = None) -> list[str]:
        """Return a row of the table: the medians of each version and of a peer, which take turns, and their ratios."""
        seconds: list[list[float]] = [[] for _ in (*self.pythons, peer)]
        able = list[str]()
        for python in self.pythons:
            # an earlier version lacks some commands
            with suppress(SystemExit) if able else nullcontext():
                work(python)  # compiles
                able.append(python)
        for _ in range(self.rounds):
            for python, found in zip(able, seconds, strict=False):
                found.append(work(python))
            if peer is not None:
                seconds[-1].append(peer())
        now, *others = (statistics.median(found) if found else None for found in seconds)
        return cells(name, now or 0.0, *(others if len(self.pythons) > 1 else (None, others[0])))

    def command(self, name: str, *words: str, peer: Sequence[str] = ()) -> list[str]:
        """Return the row of a command."""
        environment = compiled(str(self.folder / "compiled"))

        def measure(command: Sequence[str]) -> float:
            return command_seconds(list(command), environment)[1]

        beside = (lambda: measure([sys.executable, *peer])) if peer else None
        return self.row(name, lambda python: measure([python, "-m", "crosslit", *words]), beside)

    def runs(self, name: str, value: Callable[[dict[str, float]], float], spec: str, *puzzles: str) -> list[str]:
        """Return the row of a figure of isolated runs, summed over the puzzles: the best of several repetitions."""
        return self.row(name, lambda python: sum(fastest(python, value, spec, puzzles)[spec]))


def cells(name: str, now: float, before: float | None, peer: float | None) -> list[str]:
    """Return a row of the table."""
    row = [name, f"{now * 1000:.1f}"]
    for other in (before, peer):
        row += [f"{other * 1000:.1f}", f"{now / other:.2f}"] if other else ["-", "-"]
    return row


def fastest(
    python: str, value: Callable[[dict[str, float]], float], specs: str, puzzles: Sequence[str], *options: str
) -> dict[str, list[float]]:
    """Return a figure of the runs of each spec, the best of three repetitions, for each puzzle."""
    words = ["compare", "--json", "--repeat", "3", "--timeout", "120", "--backends", specs, *options, *puzzles]
    done = subprocess.run([python, "-m", "crosslit", *words], capture_output=True, text=True)
    # One object per puzzle; the status may say that a single run confirms nothing.
    found = [json.loads(line)["runs"] for line in done.stdout.splitlines()]
    return {
        spec: [min(value(run["seconds"]) for run in runs if run["backend"] == spec) for runs in found]
        for spec in specs.split(",")
    }


def start(bench: Bench) -> Iterator[list[str]]:
    """Commands on small puzzles, beside a plain start of Python."""
    plain = ["-c", "pass"]
    yield bench.command("crosslit --help", "--help", peer=plain)
    yield bench.command("solve, 50 x 50", "solve", PICTURE, peer=plain)
    yield bench.command("solve, a 2 x 2 board", "solve", "10/01", peer=plain)
    yield bench.command("compare, native, 50 x 50", "compare", "--backends", "native", PICTURE, peer=plain)
    board = bench.folder / "board.txt"
    board.write_text(
        LightsOut(Grid.from_bits(3000, 3000, (1 << 9_000_000) - 1)).text.replace("/", "\n") + "\n", encoding="utf-8"
    )
    yield bench.command("solve, 3000 x 3000", "solve", str(board))
    yield bench.command("solve --json, 3000 x 3000", "solve", "--json", str(board))
    modular = bench.folder / "modular.txt"
    modular.write_text("/".join(["modular-lights-out:6", *["0" * 200] * 200]) + "\n", encoding="utf-8")
    yield bench.command("solve, 200 x 200 modulo 6", "solve", str(modular))
    yield bench.command("count, a 2 x 2 board", "count", "10/01", peer=plain)
    yield bench.command("verify --help", "verify", "--help", peer=plain)
    session = ["--kind", "nonogram", "--backend", "line", "--size", "5", "--cases", "1000"]
    yield bench.command("verify, 1,000 nonograms of 5 x 5", "verify", *session)


def listing(bench: Bench) -> Iterator[list[str]]:
    """Lists of solutions."""
    clingo = bench.folder / "permutations.lp"
    clingo.write_text(CLINGO, encoding="utf-8")
    peer = ["-m", "clingo", "0", str(clingo)] if find_spec("clingo") else []
    for name, *words in (("default",), ("line", "--backend", "line")):
        yield bench.command(f"362,880 permutations, {name}", "enumerate", PERMUTATIONS, *words, peer=peer)
    board = LightsOut(Grid.from_bits(39, 39, 0)).text
    yield bench.command("300,000 quiet patterns of 39 x 39", "enumerate", board, "--limit", "300000")


def campaign(bench: Bench) -> Iterator[list[str]]:
    """Results of a campaign of 10,000 runs, the status of 100,000, and the wall time of a stored run."""
    environment = compiled(str(bench.folder / "compiled"))
    stores = {python: str(bench.folder / f"{number}.sqlite") for number, python in enumerate(bench.pythons)}

    def reading(*words: str) -> Callable[[str], float]:
        start = ["-m", "crosslit", "bench", words[0]]
        return lambda python: command_seconds([python, *start, stores[python], *words[1:]], environment)[1]

    for rows, repetitions in (("10000", "5"), ("100000", "5"), ("100000", "1")):
        for python, store in stores.items():
            Path(store).unlink(missing_ok=True)
            subprocess.run([python, "-c", FILL, store, rows, repetitions], check=True)
        yield bench.row(f"bench status, {rows} runs, repetitions: {repetitions}", reading("status"))
        if rows == "10000":
            for command, suffix in (("report", "html"), ("export", "csv")):
                output = reading(command, "-o", str(bench.folder / f"{command}.{suffix}"))
                yield bench.row(f"bench {command}, {rows} runs, repetitions: {repetitions}", output)
    boards, file, results = (bench.folder / name for name in ("boards.txt", "tiny.toml", "tiny.sqlite"))
    boards.write_text(
        "".join(f"{LightsOut(Grid.from_bits(3, 3, bits)).text}\n" for bits in range(512)), encoding="utf-8"
    )
    file.write_text(
        'title = "tiny"\nbackends = ["gauss"]\n[[puzzles]]\nfamily = "tiny"\nfiles = ["boards.txt"]\n', encoding="utf-8"
    )

    def stored(python: str) -> float:
        results.unlink(missing_ok=True)
        words = ["bench", "run", str(file), "-o", str(results)]
        return command_seconds([python, "-m", "crosslit", *words], environment)[0] / 512

    yield bench.row("bench run, a tiny board, wall", stored)


def isolation(bench: Bench) -> Iterator[list[str]]:
    """What an isolated run takes beyond the backend."""
    for spec in ("gauss", "glucose4", "cpsat"):
        yield bench.runs(f"isolated run, {spec}", lambda seconds: seconds["wall"] - seconds["total"], spec, "10/01")


def encoding(bench: Bench) -> Iterator[list[str]]:
    """Encoding and loading the 50 x 50."""
    sat = ("glucose4/order", "cadical195/order", "glucose4/direct")
    engines = {"clingo": "clingo", "choco": "pychoco", "exact": "exact"}
    installed = (name for name, module in engines.items() if find_spec(module))
    for spec in (*sat, "cpsat/order", "cpsat/starts", "cpsat/automaton", *installed):
        yield bench.runs(f"{spec}, 50 x 50: encode", lambda seconds: seconds["encode"], spec, PICTURE)
        yield bench.runs(f"{spec}, 50 x 50: load", lambda seconds: seconds["load"], spec, PICTURE)
        yield bench.runs(f"{spec}, 50 x 50: all", lambda seconds: seconds["total"], spec, PICTURE)


def hard(bench: Bench) -> Iterator[list[str]]:
    """Uniqueness of nonograms that take search; the peer is the better of two others for each puzzle."""
    rng = random.Random(7)
    pictures = [[[rng.random() < 0.5 for _ in range(30)] for _ in range(30)] for _ in range(50)]
    sets = {"50 random 30 x 30": [Nonogram.of(Grid.from_cells(picture)).text for picture in pictures]}
    survey = sorted((bench.data / "survey-redistributable").glob("*.non"))
    sets["survey"] = [str(file) for file in survey if file.stem not in SLOW]
    tournament = bench.data / "taai" / "taai-2011-first-100.txt"
    sets["25 of the tournament of 2011"] = (
        [p.text for p in islice(read_all(tournament), 25)] if tournament.exists() else []
    )
    others = ("line", "glucose4/order")
    sums: dict[str, list[float]] = {}
    for name, puzzles in sets.items():
        if not puzzles:
            continue
        python, *before = (partial(fastest, python, itemgetter("total")) for python in bench.pythons)
        specs = ",".join(["hybrid", *others])
        works = [partial(it, specs, puzzles) for it in (python, *before)]
        rounds = [[work() for work in works] for _ in range(bench.rounds)]
        times, *earlier = (
            {spec: [*map(min, zip(*(found[spec] for found in turns), strict=True))] for spec in turns[0]}
            for turns in zip(*rounds, strict=True)
        )
        known = earlier[0] if earlier else {}
        better = [*map(min, *(times[spec] for spec in others))]
        for spec, found in times.items():
            row = [sum(found), sum(known.get(spec.partition(",")[0], [])), sum(better)]
            sums[spec] = [*map(add, sums.get(spec, [0.0] * 3), row)]
            yield cells(f"{name}, {spec}", *row)
        ratios = [own / other for own, other in zip(times["hybrid"], better, strict=True) if other > 0.003]
        yield [f"{name}, hybrid, at worst above 3 ms", *"----", f"{max(ratios, default=0):.2f}"]
    for spec, row in sums.items():
        yield cells(f"all of these, {spec}", *row)


PARTS = {"start": start, "list": listing, "campaign": campaign, "run": isolation, "encode": encoding, "hard": hard}


def main() -> None:
    """Print the machine, then the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"what to measure: {', '.join(PARTS)}; by default all")
    parser.add_argument("--before", metavar="PYTHON", help="an interpreter with another version of Crosslit")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data", help="the folder of real puzzles")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"unknown part {min(unknown)}: expected {', '.join(PARTS)}")
    load, processor = os.getloadavg()[0], circumstances(1)["processor"]
    machine = f"{processor} ({os.cpu_count()} processors, load {load:.1f}), {platform.platform()}"
    engines = [f"{name} {version(name)}" for name in ENGINES if find_spec(ENGINES[name])]
    lines = [machine, ", ".join([f"crosslit {__version__}", f"Python {platform.python_version()}", *engines])]
    print(*lines, sep="\n")
    with tempfile.TemporaryDirectory() as folder:
        pythons = (sys.executable, *([options.before] if options.before else []))
        bench = Bench(pythons, options.rounds, Path(folder), options.data)
        rows = [row for name in options.parts or PARTS for row in PARTS[name](bench)]
    numbers = ("now", "before", "now / before", "peer", "now / peer")
    print(Table("milliseconds", *numbers, rows=rows, right=numbers).render())


if __name__ == "__main__":
    main()
