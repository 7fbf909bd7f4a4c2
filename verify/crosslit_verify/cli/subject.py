"""The settings of `crosslit verify` and the solver under test, from its options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crosslit.kinds import Puzzle
    from crosslit_verify import Settings
    from crosslit_verify.subject import Subject

DESCRIBED = ("form", "exits", "cells", "unsolvable", "unique", "unknown", "unsupported")
"""Options that describe a program."""


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
