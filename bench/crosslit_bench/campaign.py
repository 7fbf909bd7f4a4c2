"""The Python interface of campaigns: built from puzzles and backends or from a TOML file, with tables and plots."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, get_args

import tomli_w

from crosslit.base.display import NotebookBar
from crosslit.base.errors import wrong_type
from crosslit.base.files import write_bytes
from crosslit.base.numbers import format_count, one_line, shorten
from crosslit.base.records import Result, data_frame
from crosslit.contract.run import Limits, Run
from crosslit.formats import PuzzleLike, as_puzzles
from crosslit.kinds import Puzzle
from crosslit_bench.execution.progress import CampaignProgress
from crosslit_bench.plan import campaign, file, sources
from crosslit_bench.results.frame import NAMES, TIMES, Measure, Results, load, unpacked
from crosslit_bench.results.status import CampaignStatus, campaign_status
from crosslit_bench.store.schema import store_path
from crosslit_bench.store.store import Store

if TYPE_CHECKING:
    from pandas import DataFrame

    from crosslit_bench.figures import Plot
    from crosslit_bench.plan.campaign import PlannedRun

Puzzles = Iterable[PuzzleLike] | Puzzle | str


class Campaign:
    """A comparison of backends on many puzzles under equal conditions, each run isolated.

    docs/reference/campaigns.md describes campaigns.

    Args:
        puzzles: puzzles or their one-line forms; or several lists of them, by the name of their family.
        backends: specs such as ``["gauss", "glucose4/*"]``; or several lists of them, by the name of their group.
        task: ``unique`` (whether there is a second solution), ``first``, ``all``, or ``fewest`` (presses).
        seconds: limit of each run's wall time.
        memory_mb: limit of each run's memory, in 2^20 bytes.
        cpu_seconds: limit of the CPU time of all processes of a run; None for no limit.
        cores: number of processor cores reserved for each run; None to let runs move between all cores.
        repetitions: number of repetitions of each run.
        seeds: seeds with each of which a backend runs if it has an option ``seed``.
        seed: seed for the random order of the runs.
        title: title of the report.

    Raises:
        InputError: if a one-line form is not a puzzle.
        TypeError: if an argument has a wrong type.
        ValueError: if there is no puzzle or no backend, or an argument is out of its range.

    See Also:
        compare: backends on one puzzle.
        CampaignResults: the result of a run.

    Examples:
        >>> results = Campaign(["11/11", "111/111"], "gauss,glucose4", task="all", seconds=10).run()
        >>> results.wrong, len(results.to_dataframe())
        ([], 4)
        >>> [(score.contestant.label, score.solved) for score in results.status.scores]
        [('gauss', 2), ('glucose4/chased-shared', 2)]
    """

    def __init__(
        self,
        puzzles: Puzzles | Mapping[str, Puzzles],
        backends: str | Sequence[str] | Mapping[str, str | Sequence[str]],
        *,
        task: campaign.Asked = "unique",
        seconds: float = Limits.seconds,
        memory_mb: int = Limits.memory_mb,
        cpu_seconds: float | None = None,
        cores: int | None = None,
        repetitions: int = 1,
        seeds: Iterable[int] = (),
        seed: int = 0,
        title: str = "campaign",
    ) -> None:
        if task not in campaign.ASKED:
            raise ValueError(f"a task is one of {', '.join(get_args(campaign.Asked))}, not {task!r:.40}")
        if index(repetitions) < 1:
            raise ValueError(f"runs are repeated at least once, not {repetitions} times")
        families = puzzles if isinstance(puzzles, Mapping) else {"puzzles": puzzles}
        found = {family: list(as_puzzles(some)) for family, some in families.items()}
        groups = backends if isinstance(backends, Mapping) else {"": backends}
        contestants = {group: _specs(some) for group, some in groups.items()}
        if not any(found.values()) or not any(contestants.values()):
            raise ValueError("a campaign has at least one puzzle and one backend")
        limits = Limits(campaign.SOLUTIONS[task], seconds, memory_mb, cpu_seconds, cores)
        seeds = list(seeds)
        settings = {"title": title, "task": task, "repetitions": repetitions, "seeds": seeds, "seed": seed}
        self._spec = campaign.CampaignSpec(
            name="campaign",
            title=title,
            about="",
            asked=task,
            limits=limits,
            contestants=contestants,
            sources=tuple(partial(sources.inline, family, some) for family, some in found.items()),
            repetitions=repetitions,
            seeds=tuple(seeds),
            seed=seed,
            folder=Path.cwd(),
            text=_toml(settings, limits, contestants, found),
        )

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read a campaign from its TOML file, as `crosslit bench run` does.

        Args:
            path: the file.

        Returns:
            The campaign, ready to run.

        Raises:
            InputError: for any mistake, with the file, the line and the expected value.
        """
        found = cls.__new__(cls)
        found._spec = file.read(Path(path))
        return found

    def __repr__(self) -> str:
        specs = ", ".join(spec for specs in self._spec.contestants.values() for spec in specs)
        return f"<{shorten(f'Campaign {self._spec.title}: {self._spec.asked}; {specs}', 98)}>"

    @property
    def toml(self) -> str:
        """The campaign as the text of a TOML file, for `crosslit bench run`."""
        return self._spec.text

    def run(self, path: str | os.PathLike[str] | None = None, *, side_by_side: int = 1) -> CampaignResults:
        """Make the runs, with a progress bar in a notebook, and judge all answers.

        Args:
            path: the file of results, created if it does not exist; its runs are not repeated, so an interrupted
                campaign continues. By default, results are kept only in memory.
            side_by_side: number of parallel runs; more than one disturbs timings.

        Returns:
            The results of all planned runs, judged.

        Raises:
            InputError: if the file cannot be written, or is not a file of results.
            SpecError: if a spec is invalid, or only wildcards are given and no backend supports any of the puzzles.
            KeyboardInterrupt: after Ctrl-C, when all processes have ended; finished runs are in the file.
        """
        if path is not None:
            return self._run(Path(path), side_by_side)
        with tempfile.TemporaryDirectory(prefix="crosslit-") as folder:
            return self._run(Path(folder, "results.sqlite"), side_by_side)

    def _run(self, path: Path, side_by_side: int) -> CampaignResults:
        from crosslit_bench.execution.campaign import ExecutionOptions, run_campaign

        run = run_campaign(self._spec, path, ExecutionOptions(jobs=side_by_side), _Bar())
        if run.interrupted:
            raise KeyboardInterrupt
        return CampaignResults.read(path)


@dataclass(frozen=True, repr=False)
class CampaignResults(Result):
    """The results of a campaign; `print` and notebooks show a table of contestants.

    Args:
        results: every puzzle with its runs and its verdict.
        status: the contestants with their scores, and all findings.
        records: the runs in the form of `crosslit bench export`.

    See Also:
        Campaign: the campaign that has these results.

    Examples:
        >>> results = Campaign(["11/11", "10/01"], ["gauss", "polynomial"], task="all").run()
        >>> print(repr(results))
        <CampaignResults: 4 runs, 0 wrong answers>
        >>> [record["solutions"] for record in results.records]
        [1, 1, 1, 1]
    """

    results: Results
    status: CampaignStatus
    records: tuple[dict[str, Any], ...]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read the results in a file, such as one of `crosslit bench run`.

        Args:
            path: the file of results, or the campaign's TOML file for the one of its name in the working directory.

        Returns:
            The results of all planned runs, judged.

        Raises:
            InputError: if it is not a file of results.
        """
        with Store(store_path(path)) as store:
            results, status = load(store), campaign_status(store)
        return cls(results.by_machine(), status, tuple(map(unpacked, results.records())))

    @property
    def wrong(self) -> list[str]:
        """The wrong answers, one line each."""
        found = self.status.wrong
        return [
            f"{finding.backend}: {finding.problem} on {instance.puzzle.name}: {finding.detail}"
            for instance, finding in found
        ]

    def to_dataframe(self) -> DataFrame:
        """Return a ``pandas.DataFrame`` with a row for each run; docs/reference/campaigns.md describes the columns.

        Times are in seconds, memory in 2^20 bytes; they and ``solutions`` are NaN for a run with the status
        ``unsupported``, which never started.

        Returns:
            The data frame, in the order of the plan.

        Raises:
            Unavailable: if pandas is not installed.
        """
        return data_frame(self.records, NAMES).astype(dict.fromkeys(TIMES, float))

    def analysis(self, measure: Measure = "total") -> dict[str, list[dict[str, Any]]]:
        """Return the analysis as tables by name, the same as those of `crosslit bench report --tables`.

        See `crosslit_bench.analysis.tables.tables`; each table suits ``pandas.DataFrame``.

        Args:
            measure: the time to compare: ``total``, ``cpu``, ``wall`` or ``solve``.

        Returns:
            For each table, its rows as records.

        Raises:
            Unavailable: if pandas or SciPy is not installed.
        """
        from crosslit_bench.analysis.tables import tables

        return tables(self.results.table(measure))

    def plots(self, measure: Measure = "total") -> list[Plot]:
        """Return the plots of the report, each with its Matplotlib ``figure``; a notebook shows them as SVG.

        A cactus plot for each kind of puzzle comes first, then growth with size by family, then pairs of contestants.

        Args:
            measure: the time to plot, as in `analysis`.

        Returns:
            The plots, in the order of the report.

        Raises:
            Unavailable: if pandas, Matplotlib or SciPy is not installed.
        """
        from crosslit_bench.analysis.growth import fits
        from crosslit_bench.figures import figures_of

        table = self.results.table(measure)
        return figures_of(table, fits(table))

    def report(self, path: str | os.PathLike[str], measure: Measure = "total", columns: Sequence[str] = ()) -> None:
        """Write the report, a self-contained HTML page, as `crosslit bench report` does.

        Args:
            path: the file to write.
            measure: the time to compare, as in `analysis`.
            columns: the columns of the ranking, by their names in `analysis`; by default those that differ.

        Raises:
            InputError: if the file cannot be written.
            Unavailable: if pandas, Matplotlib, SciPy or Jinja is not installed.
        """
        from crosslit_bench.report import html

        write_bytes(path, [html(self.results, measure, columns).encode()])

    def _lines(self) -> list[str]:
        made = f"{format_count(self.status.made, 'run')}, {format_count(len(self.status.wrong), 'wrong answer')}"
        return [*(f"wrong: {one_line(text)}" for text in self.wrong), made]

    _repr_pretty_ = Result._repr_pretty_  # IPython would take the __repr__ of this class

    def __repr__(self) -> str:
        return f"<CampaignResults: {self._lines()[-1]}>"

    def __str__(self) -> str:
        return "\n".join([str(self.status.table()), "", *self._lines()])

    def _repr_html_(self) -> str:
        return "".join([self.status.table()._repr_html_(), *(f"<p>{escape(line)}</p>" for line in self._lines())])


class _Bar(CampaignProgress):
    """The progress of a campaign in a notebook."""

    def __init__(self) -> None:
        self._bar = NotebookBar(0)

    def begin(self, store: Store, due: Sequence[PlannedRun], replaced: int) -> None:  # noqa: ARG002
        """Show the bar."""
        self._bar = NotebookBar(len(due))
        self._bar.__enter__()
        self._bar.step("runs", len(store.keys() & {planned.key for planned in due}))

    def ended(self, planned: PlannedRun, run: Run) -> None:  # noqa: ARG002
        """Count a run."""
        self._bar.step(f"runs; {planned.contestant} on {planned.puzzle.name}")

    def end(self) -> None:
        """Hide the bar."""
        self._bar.__exit__()


def _specs(given: str | Sequence[str]) -> tuple[str, ...]:
    specs = given.split(",") if isinstance(given, str) else given
    if not isinstance(specs, Iterable) or not all(isinstance(spec, str) for spec in specs):
        raise wrong_type("specs of backends such as ['gauss', 'glucose4/*']", given)
    return tuple(spec.strip() for spec in specs)


def _toml(
    settings: Mapping[str, Any],
    limits: Limits,
    contestants: Mapping[str, Sequence[str]],
    families: Mapping[str, Sequence[Puzzle]],
) -> str:
    """Return the text of a campaign's file."""
    groups = {name: list(specs) for name, specs in contestants.items()}
    tables = [{"family": name, "puzzles": [puzzle.text for puzzle in puzzles]} for name, puzzles in families.items()]
    bounds = {name: value for name, value in limits.json().items() if name != "solutions"}
    return tomli_w.dumps({**settings, "backends": groups.get("", groups), "limits": bounds, "puzzles": tables})
