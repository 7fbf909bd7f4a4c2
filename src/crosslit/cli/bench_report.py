"""``crosslit bench report``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crosslit.campaigns.results.store import Store


def report(path: Path, goal: str, figures: str | None, measure: Any, as_json: bool) -> int:
    """Write the page of a campaign, and figures if there are to be any; the exit status.

    Args:
        path: of the store.
        goal: the page.
        figures: a folder.
        measure: which time, one of `crosslit.campaigns.results.table.MEASURES`.
        as_json: tell what was written in JSON.
    """
    from crosslit.campaigns.report import html
    from crosslit.campaigns.results.judged import WRONG, load
    from crosslit.cli.exit_status import FINDING
    from crosslit.cli.output import one_line, write, write_file, write_json

    with Store(path) as store:
        results = load(store)
    page = html(results, measure).encode()
    drawn: list[str] = []
    if figures is not None:
        from crosslit.campaigns.analysis.growth import fits
        from crosslit.campaigns.figures import save

        table = results.table(measure)
        drawn = [str(file) for file in save(table, fits(table), Path(figures))]
    write_file(goal, [page])
    done, wrong = len(results.rows), sum(bool(one.disqualified) for one in results.contestants)
    if as_json:
        said = {"runs": done, "planned": results.planned, "disqualified": wrong}
        written = {"file": goal, "bytes": len(page), "figures": drawn}
        write_json({"task": "bench-report", "store": str(path), "measure": measure, **written, **said})
    else:
        write(one_line(goal + (f", and {len(drawn)} figures in {figures}" if drawn else "")))
    return FINDING if any(finding.problem in WRONG for _, finding in results.findings) else 0
