"""The progress of a running campaign, as callbacks, for commands that do not load what makes runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crosslit.contract.run import Run
    from crosslit_bench.plan.campaign import PlannedRun
    from crosslit_bench.store.store import Store


class CampaignProgress:
    """Callbacks during a campaign, which do nothing here."""

    def step(self, text: str) -> None:
        """Show what is being done before the first run."""

    def begin(self, store: Store, due: Sequence[PlannedRun], replaced: int) -> None:
        """Begin the runs."""

    def ended(self, planned: PlannedRun, run: Run) -> None:
        """Count a finished run."""

    def end(self) -> None:
        """End the runs, before their answers are compared."""
