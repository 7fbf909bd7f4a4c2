"""``crosslit bench report``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crosslit.campaigns.store import Store


def report(path: Path, goal: str, figures: str | None, measure: Any, as_json: bool) -> int:
    """Write the page of a campaign, and figures if there are to be any; the exit status.

    Args:
        path: of the store.
        goal: the page.
        figures: a folder.
        measure: which time, one of `crosslit.campaigns.table.MEASURES`.
        as_json: tell what was written in JSON.
    """
    from crosslit.campaigns.report import html
    from crosslit.campaigns.results import load
    from crosslit.cli import FINDING
    from crosslit.cli.output import one_line, write, write_file, write_json

    with Store(path) as store:
        results = load(store)
    write_file(goal, [html(results, measure).encode(errors="replace")])
    made = [goal]
    if figures is not None:
        from crosslit.campaigns.figures import save

        made += [str(file) for file in save(results.table(measure), Path(figures))]
    if as_json:
        write_json({"task": "bench-report", "store": str(path), "files": made})
    else:
        write(f"written: {', '.join(map(one_line, made))}")
    return FINDING if any(contestant.disqualified for contestant in results.contestants) else 0
