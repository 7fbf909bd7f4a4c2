"""The settings of `crosslit verify`, from its options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from crosslit.base.errors import InputError

if TYPE_CHECKING:
    from crosslit_verify import Settings, Verifier
    from crosslit_verify.variants.session import VariantSession, VariantSettings

VARIANT = {
    *("spec", "solvers", "variants", "kind", "seed", "cases", "seconds", "keep_going", "python", "against", "timeout"),
    *("memory_mb", "jobs", "dask", "blame", "baseline", "junit", "replay_file", "as_json"),
}
"""Options that variants take."""
_HARD = "hard"  # among the techniques on the command line: large puzzles


def has_variants(ctx: click.Context) -> bool:
    """Return whether variants are verified, which have other options than puzzles."""
    if not ctx.params["variants"]:
        return False
    given = {name for name in ctx.params if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    if other := sorted(given - VARIANT):
        raise click.UsageError(f"--variants does not take --{other[0].replace('_', '-')}.", ctx)
    if ctx.params["spec"] is None:
        raise click.UsageError("--variants needs --backend.", ctx)
    return True


def make_variants(spec: str, options: Mapping[str, Any], **given: Any) -> VariantSettings:
    """Return the settings of a verification with variants."""
    from crosslit_verify.variants.session import VariantSettings
    from crosslit_verify.variants.techniques import TECHNIQUES

    names = set(options["variants"].split(","))
    is_hard, chosen = _HARD in names, names - {_HARD, "all"}
    if unknown := chosen - {*TECHNIQUES}:
        known = ", ".join(TECHNIQUES)
        raise InputError("--variants", f"no technique {min(unknown)!r}; choose from: all, {_HARD}, {known}")
    techniques = tuple(name for name in TECHNIQUES if name in chosen or not chosen or "all" in names)
    given |= {field.name: options[field.name] for field in fields(VariantSettings) if field.name in options}
    return VariantSettings(spec, _words(spec), techniques=techniques, is_hard=is_hard, **given)


def _words(spec: str) -> tuple[str, ...]:
    """Return the words of a solver command, which is to give one answer; empty for any other backend."""
    from crosslit_backends.commands.dimacs import SatCommand
    from crosslit_backends.commands.form import FormCommand
    from crosslit_backends.engines.minizinc import MiniZinc

    from crosslit.contract.registered import all_backends

    backend = all_backends().get(spec)
    if isinstance(backend, MiniZinc):  # which gives all solutions with -a
        return tuple(word for word in backend.words if word != "-a")
    return backend.words if isinstance(backend, FormCommand | SatCommand) else ()


def make_settings(*, options: Mapping[str, Any], **given: Any) -> Settings:
    """Return the settings of a verification; the given ones have priority."""
    from crosslit_verify.settings import Settings

    given |= {field.name: options[field.name] for field in fields(Settings) if field.name in options}
    return Settings(**given | {"size": ",".join(options["size"])})


def show(progress: Any, session: Verifier | VariantSession) -> None:
    """Show the cases sent so far."""
    from crosslit_verify import Verifier

    if not progress.is_due:
        return
    if isinstance(session, Verifier):
        cases, (rows, columns) = session.coverage.cases, session.coverage.largest
        failed = ", ".join(f"{number} {group}" for group, number in session.counts.items())
        rest = f", up to {rows} x {columns}; {failed or 'no failure'}"
    else:
        cases = session.counts["cases"]
        rest = f"; {session.counts['wrong']} wrong, {session.counts['not confirmed']} not confirmed"
    progress.says(f"{cases:,} cases, {cases / max(session.seconds, 1e-9):,.0f}/s{rest}")
