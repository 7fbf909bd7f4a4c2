"""The settings of `crosslit verify` and the solver under test, from its options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from crosslit.errors import InputError

if TYPE_CHECKING:
    from crosslit.kinds import Puzzle
    from crosslit_verify import Session, Settings
    from crosslit_verify.subject import Subject
    from crosslit_verify.variants.session import VariantSession, VariantSettings

DESCRIBED = ("form", "exits", "cells", "unsolvable", "unique", "unknown", "unsupported")
"""Options that describe a program."""

VARIANT = {
    *("spec", "variants", "hard", "kind", "seed", "cases", "seconds", "keep_going", "python", "against", "timeout"),
    *("memory_mb", "jobs", "dask", "blame", "baseline", "junit", "replay_file", "as_json"),
}
"""Options that variants take."""


def has_variants(ctx: click.Context) -> bool:
    """Return whether variants are verified, which have other options than puzzles."""
    if not (ctx.params["variants"] or ctx.params["hard"]):
        return False
    given = {name for name in ctx.params if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    if other := sorted(given - VARIANT):
        raise click.UsageError(f"--variants and --hard do not take --{other[0].replace('_', '-')}.", ctx)
    if ctx.params["spec"] is None:
        raise click.UsageError("--variants and --hard need --backend.", ctx)
    return True


def make_variants(spec: str, options: Mapping[str, Any], **given: Any) -> VariantSettings:
    """Return the settings of a verification with variants."""
    from crosslit_verify.variants.session import VariantSettings
    from crosslit_verify.variants.techniques import TECHNIQUES

    names = options["variants"] or "all"
    techniques = tuple(TECHNIQUES) if names == "all" else tuple(names.split(","))
    if unknown := {*techniques} - {*TECHNIQUES}:
        raise InputError("--variants", f"no technique {min(unknown)!r}; choose from: all, {', '.join(TECHNIQUES)}")
    given |= {field.name: options[field.name] for field in fields(VariantSettings) if field.name in options}
    return VariantSettings(spec, techniques=techniques, is_hard=options["hard"], **given)


def make_settings(*, options: Mapping[str, Any], **given: Any) -> Settings:
    """Return the settings of a verification; the given ones have priority."""
    from crosslit_verify.settings import Settings, parse_shape, parse_sizes

    given |= {field.name: options[field.name] for field in fields(Settings) if field.name in options}
    sizes = {"sizes": parse_sizes(options["sizes"]), "shapes": tuple(map(parse_shape, options["shapes"]))}
    return Settings(**given | sizes)


def make_subject_of(
    words: Sequence[str], spec: str | None, settings: Settings, puzzles: Sequence[Puzzle], options: Mapping[str, Any]
) -> Subject:
    """Return the solver under test: a backend, or else a command as the options describe it; or two to compare."""
    from pathlib import Path

    from crosslit_backends.programs.program import describe

    from crosslit_verify.backend_command import BackendCommand, interpreter
    from crosslit_verify.batch import subject_of
    from crosslit_verify.pair import Pair

    if other := options["against"]:
        options = {**options, "against": ""}
        first = make_subject_of(words, spec, settings, puzzles, options)
        if not Path(other).expanduser().exists():
            spec = other
        elif spec is None:
            words = [interpreter(other), *words[1:]]
        else:
            options |= {"python": other}
        return Pair(first, make_subject_of(words, spec, settings, puzzles, options))

    bounds = {"timeout": options["timeout"], "memory_mb": options["memory_mb"]}
    if spec is not None:
        return BackendCommand(spec, settings, python=options["python"], puzzles=puzzles, **bounds)
    mode = "lines" if options["lines"] else "one-shot" if options["one_shot"] else None
    program = describe(words, settings.claims, mode=mode, **{name: options[name] for name in DESCRIBED})
    return subject_of(program, **bounds)


def show_puzzles(progress: Any, session: Session) -> None:
    """Show the puzzles sent so far."""
    rows, columns = session.coverage.largest
    failed = ", ".join(f"{number} {group}" for group, number in session.counts.items())
    _show(progress, session.coverage.cases, session.seconds, f", up to {rows} x {columns}; {failed or 'no failure'}")


def show_variants(progress: Any, session: VariantSession) -> None:
    """Show the variants sent so far."""
    failed = f"; {session.counts['wrong']} wrong, {session.counts['not confirmed']} not confirmed"
    _show(progress, session.counts["cases"], session.seconds, failed)


def _show(progress: Any, cases: int, seconds: float, rest: str) -> None:
    if progress.is_due:
        progress.says(f"{cases:,} cases, {cases / max(seconds, 1e-9):,.0f}/s{rest}")
