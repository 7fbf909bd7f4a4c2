"""The settings of `crosslit verify`, from its options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crosslit_verify import Settings, Verifier


def make_settings(*, options: Mapping[str, Any], **given: Any) -> Settings:
    """Return the settings of a verification; the given ones have priority."""
    from crosslit_verify.settings import Settings

    given |= {field.name: options[field.name] for field in fields(Settings) if field.name in options}
    return Settings(**given | {"size": ",".join(options["size"])})


def show(progress: Any, verifier: Verifier) -> None:
    """Show the cases sent so far."""
    if not progress.is_due:
        return
    cases, (rows, columns) = verifier.coverage.cases, verifier.coverage.largest
    failed = ", ".join(f"{number} {group}" for group, number in verifier.counts.items()) or "no failure"
    speed = cases / max(verifier.seconds, 1e-9)
    progress.says(f"{cases:,} cases, {speed:,.0f}/s, up to {rows} x {columns}; {failed}")
