"""The Python interface of campaigns."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from crosslit.base.files import write_bytes
from crosslit.base.records import Result
from crosslit.base.text import format_count, one_line, shorten
from crosslit.formats import FORMATS, PuzzleLike, as_puzzles
from crosslit.kinds import Puzzle
from crosslit_bench.results import Measure, Results, load, unpacked
from crosslit_bench.run import local_runs, run_campaign
from crosslit_bench.spec import CampaignSpec, CampaignTask
from crosslit_bench.store import store_path

if TYPE_CHECKING:
    from pandas import DataFrame

    from crosslit_bench.figures import Plot


class Campaign:
    """A comparison of backends on many puzzles under equal conditions, each run isolated.

    The arguments are the keys of a campaign's file, which docs/reference/campaigns.md describes.

    Args:
        puzzles: puzzles or their one-line forms; and tables, such as ``{"generate": "nonogram", "size": [10, 15]}``.
        backends: specs such as ``["gauss", "glucose4/*"]``; or several lists of them, by the name of their group.
        task: ``unique`` (whether there is a second solution), ``first``, ``all``, or ``fewest`` (presses).
        limits: limits of each run: ``timeout``, ``cpu_timeout``, ``memory_mb`` and ``cores``.
        solvers: commands, programs, and backends in other environments, by name.
        repetitions: number of repetitions of each run.
        seeds: seeds with each of which a backend runs if it has an option ``seed``.
        seed: seed for the random order of the runs.
        title: title of the report.
        about: purpose of the campaign.

    Raises:
        InputError: if a one-line form is not a puzzle.
        TypeError: if something is not a puzzle.
        ValueError: if another argument is wrong.

    Examples:
        >>> results = Campaign(["11/11", "111/111"], "gauss,glucose4", task="all", limits={"timeout": 10}).run()
        >>> results.wrong, [(row["backend"], row["solved"]) for row in results.status]
        ([], [('gauss', 2), ('glucose4/chased-shared', 2)])
    """

    def __init__(
        self,
        puzzles: Iterable[PuzzleLike | Mapping[str, Any]] | Puzzle | str,
        backends: str | Sequence[str] | Mapping[str, str | Sequence[str]],
        *,
        task: CampaignTask = "unique",
        limits: Mapping[str, Any] | None = None,
        solvers: Mapping[str, Any] | None = None,
        repetitions: int = 1,
        seeds: Iterable[int] = (),
        seed: int = 0,
        title: str = "campaign",
        about: str = "",
    ) -> None:
        given = [puzzles] if isinstance(puzzles, Puzzle | str) else list(puzzles)
        tables = [table for table in given if isinstance(table, Mapping)]
        others = as_puzzles(puzzle for puzzle in given if not isinstance(puzzle, Mapping))
        lines = [FORMATS["lines"].write(puzzle).strip() for puzzle in others]
        keys: dict[str, Any] = {"title": title, "about": about, "task": task, "backends": backends}
        keys |= {"repetitions": repetitions, "seeds": list(seeds), "seed": seed}
        keys |= {"limits": limits or {}, "solvers": solvers or {}}
        keys["puzzles"] = [*tables, *([{"puzzles": lines}] if lines else [])]
        self._spec = CampaignSpec.of(keys, "campaign", Path.cwd())

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read a campaign from its TOML file, as `crosslit bench run` does.

        Args:
            path: the file.

        Raises:
            InputError: for any mistake, with the file, and the key or the line.
        """
        found = cls.__new__(cls)
        found._spec = CampaignSpec.read(Path(path))
        return found

    def __repr__(self) -> str:
        specs = ", ".join(spec for specs in self._spec.backends.values() for spec in specs)
        return f"<{shorten(f'Campaign {self._spec.title}: {self._spec.task}; {specs}', 98)}>"

    @property
    def toml(self) -> str:
        """The campaign as the text of a TOML file, for `crosslit bench run`."""
        return self._spec.toml

    def run(self, path: str | os.PathLike[str] | None = None, *, jobs: int = 1) -> CampaignResults:
        """Make the runs, and judge all answers.

        Args:
            path: the file of results, created if it does not exist; its runs are not repeated, so an interrupted
                campaign continues. By default, results are kept only in memory.
            jobs: number of parallel runs; more than one disturbs timings.

        Returns:
            The results of all planned runs, judged.

        Raises:
            InputError: if the file cannot be written, or is not a file of results.
            SpecError: if no backend supports any of the puzzles.
            KeyboardInterrupt: after Ctrl-C, when all processes have ended; finished runs are in the file.
        """
        with tempfile.TemporaryDirectory(prefix="crosslit-") as folder:
            target = Path(path or Path(folder, "results.sqlite"))
            if run_campaign(self._spec, target, partial(local_runs, jobs=jobs)).interrupted:
                raise KeyboardInterrupt
            return CampaignResults.read(target)


@dataclass(frozen=True, repr=False)
class CampaignResults(Result):
    """The results of a campaign; `print` and notebooks show a table of contestants.

    Examples:
        >>> results = Campaign(["11/11", "10/01"], "gauss,polynomial", task="all").run()
        >>> print(repr(results))
        <CampaignResults: 4 runs, 0 wrong answers>
        >>> [record["solutions"] for record in results.records]
        [1, 1, 1, 1]
    """

    results: Results  # every puzzle with its runs and its verdict

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read the results in a file, such as one of `crosslit bench run`.

        Args:
            path: the file of results, or the campaign's TOML file for the one of its name in the working directory.

        Raises:
            InputError: if it is not a file of results.
        """
        return cls(load(store_path(path)))

    @property
    def status(self) -> list[dict[str, Any]]:
        """For each contestant its number of runs, solved puzzles and wrong answers, and its median time in seconds."""
        return self.results.rows

    @property
    def records(self) -> list[dict[str, Any]]:
        """The runs in the form of `crosslit bench export`."""
        return [unpacked(record) for record in self.results.records]

    @property
    def wrong(self) -> list[str]:
        """The wrong answers, one line each."""
        found = self.results.wrong
        return [f"{finding.culprit}: {finding.problem} on {result.name}: {finding.detail}" for result, finding in found]

    def to_dataframe(self) -> DataFrame:
        """Return a ``pandas.DataFrame`` with a row for each run; docs/reference/json.md describes the columns.

        Columns that `Comparison.to_dataframe` has too have the same names. Times are in seconds, memory in 2^20 bytes;
        they and ``solutions`` are NaN for a run with the status ``unsupported``, which never started.

        Raises:
            Unavailable: if pandas is not installed.
        """
        return self.results.frame

    def analysis(self, measure: Measure = "total") -> dict[str, list[dict[str, Any]]]:
        """Return the analysis as tables by name, the same as those of `crosslit bench report --tables`.

        Args:
            measure: the time to compare: ``total``, ``cpu``, ``wall`` or ``solve``.

        Returns:
            For each table, its rows as records, which suit ``pandas.DataFrame``.

        Raises:
            Unavailable: if pandas or SciPy is not installed.
        """
        from crosslit_bench.analysis import tables

        return tables(self.results.times(measure))

    def plots(self, measure: Measure = "total") -> list[Plot]:
        """Return the plots of the report, each with its Matplotlib ``figure``; a notebook shows them as SVG.

        A cactus plot for each kind of puzzle comes first, then growth with size by family, then pairs of contestants.

        Args:
            measure: the time to plot, as in `analysis`.

        Raises:
            Unavailable: if pandas, Matplotlib or SciPy is not installed.
        """
        from crosslit_bench.analysis import fits
        from crosslit_bench.figures import figures_of

        times = self.results.times(measure)
        return figures_of(times, fits(times))

    def report(self, path: str | os.PathLike[str], measure: Measure = "total") -> None:
        """Write the report, a self-contained HTML page, as `crosslit bench report` does.

        Args:
            path: the file to write.
            measure: the time to compare, as in `analysis`.

        Raises:
            InputError: if the file cannot be written.
            Unavailable: if pandas, Matplotlib, SciPy or Jinja is not installed.
        """
        from crosslit_bench.report import html

        write_bytes(path, [html(self.results, measure).encode()])

    def _lines(self) -> list[str]:
        made, wrong = self.results.made, self.wrong
        summary = f"{format_count(made, 'run')}, {format_count(len(wrong), 'wrong answer')}"
        return [*(f"wrong: {one_line(text)}" for text in wrong), summary]

    _repr_pretty_ = Result._repr_pretty_  # IPython would take the __repr__ of this class

    def __repr__(self) -> str:
        return f"<CampaignResults: {self._lines()[-1]}>"

    def __str__(self) -> str:
        return "\n".join([str(self.results.table()), "", *self._lines()])

    def _repr_html_(self) -> str:
        return "".join([self.results.table()._repr_html_(), *(f"<p>{escape(line)}</p>" for line in self._lines())])
