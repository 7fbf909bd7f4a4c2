"""``crosslit verify --variants``."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crosslit.cli import output
from crosslit.cli.exit_status import BUG, exit_status
from crosslit.errors import InputError, InternalError

SCRIPT = "crosslit-variant.py"
_BOUNDS = ("python", "seed", "kind", "timeout", "memory_mb")
_RUN = ("seconds", "cases", "keep_going", "replay_file", "as_json", "blame", "baseline")
OPTIONS = {"spec", "variants", "hard", *_RUN, *_BOUNDS}
"""The options of ``crosslit verify`` that variants take."""


def verify_variants(options: Mapping[str, Any]) -> int:
    """Verify an engine with variants, print the result, and write a script for each failure; return the exit status."""
    from crosslit_verify import SECONDS
    from crosslit_verify.blame import read_baseline, unknown_groups
    from crosslit_verify.variants.session import VariantSession
    from crosslit_verify.variants.techniques import TECHNIQUES

    if options["spec"] is None:
        raise InputError("--variants", "needs --backend")
    names = options["variants"] or "all"
    techniques = tuple(TECHNIQUES) if names == "all" else tuple(names.split(","))
    if unknown := {*techniques} - {*TECHNIQUES}:
        raise InputError("--variants", f"no technique {min(unknown)!r}; choose from: all, {', '.join(TECHNIQUES)}")
    seconds, cases = options["seconds"], options["cases"]
    seconds = SECONDS if seconds is None and cases is None else seconds
    interrupted, baseline = False, options["baseline"]
    known = read_baseline(baseline) if baseline is not None else []
    path = Path(SCRIPT if options["is_default_path"] else options["replay_file"])
    bounds = {name: options[name] for name in _BOUNDS}
    with (
        output.Progress(0) as progress,
        VariantSession(options["spec"], techniques=techniques, is_hard=options["hard"], **bounds) as session,
    ):
        try:
            show = functools.partial(_show, progress)
            session.run(seconds or math.inf, cases or math.inf, options["keep_going"] or baseline is not None, show)
        except KeyboardInterrupt:
            interrupted = True
        except InternalError as error:
            progress.hide()
            output.complain(f"a bug of Crosslit, not of your solver: {error}")
            return BUG
        files = {}
        for number, failure in enumerate(session.failures, 1):
            target = path if number == 1 else path.with_stem(f"{path.stem}-{number}")
            files[target] = failure.script
            if failure.export:
                files[target.with_suffix(f".{session.engine.export[1]}")] = failure.export
    for target, text in files.items():
        output.write_file(str(target), [text.encode()])
    new = [failure.group for failure in session.failures if failure.confirmed]
    if baseline is not None:
        new, data = unknown_groups(known, [f"{options['spec']} {group}" for group in new])
        output.write_file(baseline, [data])
    if options["as_json"]:
        failures = [failure.json() for failure in session.failures]
        counts = dict(session.counts)
        output.write_json({"engine": session.version, "passed": session.passed, "counts": counts, "failures": failures})
    else:
        for failure in session.failures:
            output.write(f"{failure.text()}\n")
        word = "passed" if session.passed else "failed" if session.counts["wrong"] else "nothing judged"
        rest = ", ".join(f"{number:,} {name}" for name, number in session.counts.items() if name != "cases" and number)
        speed = session.counts["cases"] / max(session.seconds, 1e-9)
        summary = f"{word}: {session.version}, {session.counts['cases']:,} cases, {speed:,.0f} a second; {rest}"
        output.write("\n  written to ".join([summary, *map(str, files)]))
        if baseline is not None:
            output.write(f"  new in {baseline}: {'; '.join(new) or 'none'}")
    undecided = not (session.passed or session.failures)
    wrong = bool(session.counts["wrong"] if baseline is None else new)
    return exit_status(interrupted=interrupted, wrong=wrong, undecided=undecided)


def _show(progress: Any, session: Any) -> None:
    if progress.is_due:
        failed = f"{session.counts['wrong']} wrong, {session.counts['not confirmed']} not confirmed"
        progress.says(
            f"{session.counts['cases']:,} cases, {session.counts['cases'] / session.seconds:,.0f}/s; {failed}"
        )
