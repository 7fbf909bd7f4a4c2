"""``crosslit verify``."""

from __future__ import annotations

import contextlib
import functools
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from crosslit.base.errors import ContractError, InputError, InternalError, SpecError, WrongSolution
from crosslit.cli import output
from crosslit.cli.exit_status import BAD_INPUT, BUG, exit_status
from crosslit.cli.group import ExampleCommand, example_command
from crosslit.cli.options import (
    SECONDS,
    KindName,
    Number,
    backend_option,
    json_option,
    limits,
    seed_option,
    solver_option,
)
from crosslit.contract import FEWEST

if TYPE_CHECKING:
    from crosslit_verify import Verification, Verifier

_AFTER = "crosslit_verify.cli.verify.command"
_REPLAY_FILE = "crosslit-replay.json"
BUGS = (InternalError, SpecError, WrongSolution, ContractError)
"""Errors of a verification that has begun: its own backends are to blame, and neither the solver nor the user."""


class _Command(ExampleCommand):
    """A command whose words before -- are puzzles, if there is a --."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the words after the first -- for the command."""
        if "--" in args:
            index = args.index("--")
            args, ctx.meta[_AFTER] = args[:index], tuple(args[index + 1 :])
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (of click)
        """Show where the puzzles and the command are."""
        return ["[OPTIONS]", "[PUZZLE]...", "{--", "COMMAND...", "|", "--backend", "SPEC}"]


def _pattern(name: str, meaning: str) -> Callable[[Any], Any]:
    """Return an option for a pattern in plain output."""
    text = f"Pattern in plain output that means: {meaning}."
    return click.option(f"--{name}", metavar="REGEX", default="", help=text)


@example_command(
    "crosslit verify --kind nonogram --seconds 10 -- ./my-solver {file}",
    "crosslit verify --kind lights-out --backend cadical195 --seconds 10",
    cls=_Command,
    short_help="Find the smallest puzzle on which your solver is wrong.",
)
@click.argument("words", nargs=-1, metavar="-- COMMAND...", type=click.UNPROCESSED)
@backend_option(help="Verify this backend instead of a command, with any encoding and options.")
@solver_option
@click.option(
    "--python",
    metavar="PATH",
    default="",
    help="Run the backend in another environment, which need not contain Crosslit: its interpreter or folder.",
)
@click.option(
    "--against",
    metavar="PATH|SPEC",
    default="",
    help="Send the puzzles also to the backend in another environment, or to another backend, and stop at the first on "
    "which they differ. With PATH, a COMMAND is started with that interpreter in place of its first word.",
)
@click.option("--kind", type=KindName(), help="Only puzzles of this kind; required without a PUZZLE and --replay.")
@click.option(
    "--claims",
    type=click.Choice(["one", "all", "unique", FEWEST.name]),
    help="What the solver promises: one solution, all, one and whether it is unique, or one with the fewest "
    "presses.  [default: one]",
)
@click.option("--seconds", type=SECONDS, help="Stop after this time.  [default: 60, or no limit with --cases]")
@click.option("--cases", type=Number(1), help="Stop after this number of puzzles.")
@seed_option(type=Number(), default=0)
@click.option(
    "--size",
    metavar="RxC",
    multiple=True,
    help="Rows and columns of all puzzles: 5x7, 3..12, NxN for squares, or several with commas.  Repeatable.  "
    "[default: 1..12]",
)
@click.option(
    "--only",
    type=click.Choice(["solvable", "unique", "valid", "unsolvable"]),
    help="Only puzzles of this class; valid: every clue fits its line, and rows and columns have equal sums.",
)
@click.option("--keep-going", is_flag=True, help="Continue after a failure, and show one failure for each cause.")
@click.option("--no-unknown", is_flag=True, help="Count the answers unknown and unsupported as failures.")
@click.option(
    "--lines",
    is_flag=True,
    help="Exchange plain text with one process: one line for each puzzle, and one for each answer.",
)
@click.option(
    "--format",
    metavar="FORMAT",
    help="Format of the puzzles that are read by the solver, which is started for each of them and reads standard "
    "input or {file}: inline, json, grid, or any of `crosslit convert`.  [default: that of the kind's files in {file}, "
    "such as board or non; else inline]",
)
@click.option(
    "--cells", metavar="XY", default="", help="Characters of an empty and a filled cell in plain output, such as .X."
)
@_pattern("unsolvable", "the puzzle has no solution")
@_pattern("unique", "the solution is unique")
@_pattern("unknown", "the solver gave up, or does not support the puzzle")
@click.option(
    "--exit",
    metavar="STATUS=MEANING",
    multiple=True,
    help="Meaning of an exit status: solved, unsolvable, unique, multiple, unknown or unsupported.  Repeatable.",
)
@click.option(
    "--corpus", metavar="FOLDER", help="Start with the puzzles and replay files in FOLDER, and write failures there."
)
@click.option("--junit", metavar="FILE", help="Write the result as JUnit XML to FILE.")
@click.option("--replay", "replay_path", metavar="FILE", help="Send the puzzle of a replay file again.")
@click.option(
    "-o",
    "--output",
    "replay_file",
    default=_REPLAY_FILE,
    show_default=True,
    metavar="FILE",
    help="Write the failure to FILE, for --replay.",
)
@limits(10, 1024, "one answer", "the solver and all its processes")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    words: tuple[str, ...],
    spec: str | None,
    kind: str | None,
    claims: Any,
    seconds: float | None,
    cases: int | None,
    replay_path: str | None,
    replay_file: str,
    corpus: str | None,
    junit: str | None,
    **options: Any,
) -> int:
    """Verify the solver COMMAND, or a backend: send it puzzles, check its answers, shrink the first that fails.

    By default the command is started once. It reads one puzzle per line from standard input, as JSON, and answers each
    with a line, as the example `contiguous_first_rows.py` does. It is started again for every puzzle if it contains
    {puzzle} or {file}, which are replaced by the name of a file with the puzzle, or if an option such as --cells
    describes its plain output. Crosslit sends all small puzzles, alternating with larger random ones. At the first
    failure it shrinks the puzzle, shows it, and writes it to a file for --replay.

    Exit status: 0 passed, 1 failed, 2 bad usage or input, 3 no answer could be judged or nothing decides
    whether one is wrong, 130 interrupted.
    """
    from crosslit.base.files import require_writable
    from crosslit.kinds import all_kinds
    from crosslit_verify.replay import NO_CORPUS, of_folder, of_puzzles, read
    from crosslit_verify.session import Verifier
    from crosslit_verify.settings import SECONDS, Settings
    from crosslit_verify.solver import make_solver

    puzzles, words = _split(ctx, words, spec)
    own = of_puzzles(puzzles) + (of_folder(corpus) if corpus is not None else NO_CORPUS)
    replay = read(replay_path) if replay_path is not None else None
    if replay is not None and replay.options and not _run_options(ctx):
        options |= (stored := _stored_options(ctx, replay.options))
        output.complain(f"the failure was found with {replay.options}{', which are used again' if stored else ''}")
    for path in filter(None, (junit, None if replay_file == _REPLAY_FILE else replay_file)):
        require_writable(path)
    kind = own.require_kind(replay.puzzle.kind if replay is not None else kind)
    if kind is None:
        raise click.UsageError(f"Missing option '--kind'. Choose from: {', '.join(all_kinds())}.", ctx)
    options["no_unknown"] |= replay is not None and replay.no_unknown
    claims = claims or (replay.claims if replay is not None else "one")
    # With a number of cases but no time given, the cases decide when it ends.
    if cases is None and seconds is None:
        seconds = SECONDS
    with output.Progress(0) as progress:
        try:
            chosen = {name: options[name] for name in ("seed", "only", "keep_going", "no_unknown")}
            settings = Settings(kind, claims, size=",".join(options["size"]), cases=cases, seconds=seconds, **chosen)
            solver = make_solver(words, spec, settings, options, own.puzzles)
            verifier = Verifier(settings, solver, functools.partial(_show, progress), corpus=own)
        except (InputError, SpecError):
            raise
        except ValueError as error:
            raise InputError("options", str(error)) from None
        try:
            verification = verifier.run() if replay is None else verifier.replay(replay.puzzle)
        except BUGS as error:
            output.complain(f"a bug of Crosslit, not of your solver: {error}")
            return BUG
    return _report(verification, words, ctx)


def _show(progress: output.Progress, verifier: Verifier) -> None:
    """Show the cases sent so far."""
    if not progress.is_due:
        return
    cases, (rows, columns) = verifier.coverage.cases, verifier.coverage.largest
    failed = ", ".join(f"{number} {group}" for group, number in verifier.counts.items()) or "no failure"
    speed = cases / max(verifier.seconds, 1e-9)
    progress.says(f"{cases:,} cases, {speed:,.0f}/s, up to {rows} x {columns}; {failed}")


def _report(verification: Verification, words: Sequence[str], ctx: click.Context) -> int:
    """Print the result, write its files, and return the exit status."""
    from crosslit_verify.report import junit_xml

    spec, junit, options = ctx.params["spec"], ctx.params["junit"], _run_options(ctx)
    replays = _replays(verification, options, words, ctx) if ctx.params["replay_path"] is None else {}
    files = dict(replays)
    ending = [verification.summary()]
    if junit is not None:
        ending.append(f"  written to {junit}")
        files[junit] = junit_xml(verification, spec or shlex.join(words))
    try:
        # Before the files, so that a full disk does not lose the verdict.
        if ctx.params["as_json"]:
            output.write_json(verification.json() | {"replay": [*replays]})
        else:
            _write(verification, [*replays], [*shlex.split(options), *(["--", *words] if words else [])], ending)
    finally:  # also if nobody reads the output
        are_written = _write_files(files)
    status = exit_status(
        interrupted=verification.interrupted,
        wrong=bool(verification.failures),
        undecided=not (verification.passed or verification.failures),
    )
    return status or (0 if are_written else BAD_INPUT)


def _split(ctx: click.Context, words: tuple[str, ...], spec: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the puzzles and the words of the command, of which a backend has none."""
    puzzles: tuple[str, ...] = ()
    if _AFTER in ctx.meta or spec is not None:
        puzzles, words = words, ctx.meta.get(_AFTER, ())
    if bool(words) == (spec is not None):
        raise click.UsageError("Missing argument '-- COMMAND...'." if spec is None else "COMMAND or --backend", ctx)
    return puzzles, words


def _write_files(files: Mapping[str, bytes]) -> bool:
    """Write the files, and return whether all are written."""
    unwritten = 0
    for path, data in files.items():
        try:
            output.write_file(path, [data])
        except InputError as error:
            output.complain(f"{error}: the result is not written there")
            unwritten += 1
    return not unwritten


def _replays(verification: Verification, options: str, words: Sequence[str], ctx: click.Context) -> dict[str, bytes]:
    """Return a replay file for every failure: the first at the path, the others numbered; in a corpus, by content."""
    from hashlib import sha256
    from pathlib import Path

    from crosslit_verify.replay import write

    replays, path, corpus = {}, Path(ctx.params["replay_file"]), ctx.params["corpus"]
    for number, failure in enumerate(verification.failures, 1):
        target = path if number == 1 else path.with_stem(f"{path.stem}-{number}")
        if corpus is not None and str(path) == _REPLAY_FILE:
            with contextlib.suppress(OSError):  # then its files cannot be written either, which is reported
                Path(corpus).mkdir(parents=True, exist_ok=True)
            # A failure found again replaces its file instead of adding one.
            digest = sha256(failure.puzzle.text.encode()).hexdigest()[:12]
            target = Path(corpus, f"{failure.problem.group}-{digest}.json")
        replays[str(target)] = write(failure, verification.settings, options, words)
    return replays


def _run_options(ctx: click.Context) -> str:
    """Return the options of running the solver that differ from the defaults."""
    from crosslit_backends.programs.program import OPTIONS

    running, given = {"spec", "solvers", "python", "against", "timeout", "memory_mb", *OPTIONS}, []
    for parameter in ctx.command.params:
        name, value = parameter.name, ctx.params.get(str(parameter.name))
        if name in running and value not in (None, (), parameter.get_default(ctx)):
            option = parameter.opts[0]
            each = [[]] if value is True else [[str(item)] for item in (value if isinstance(value, tuple) else [value])]
            given += [word for words in each for word in (option, *words)]
    return shlex.join(given)


def _stored_options(ctx: click.Context, text: str) -> dict[str, Any]:
    """Return the options of a replay file if they only describe a command's text and its limits; none otherwise."""
    from crosslit_backends.programs.program import OPTIONS

    with contextlib.suppress(ValueError, click.UsageError):
        given, _, _ = ctx.command.make_parser(ctx).parse_args(shlex.split(text))
        found = {str(option.name): option for option in ctx.command.params if option.name in given.keys() - {"words"}}
        if found.keys() <= {"timeout", "memory_mb", *OPTIONS}:
            return {name: option.type_cast_value(ctx, given[name]) for name, option in found.items()}
    return {}


def _write(verification: Verification, replays: list[str], solver: Sequence[str], ending: Sequence[str]) -> None:
    """Write the failures, each with the command that sends its puzzle again, and the end of the report."""
    for number, text in enumerate(verification.failure_texts(output.picture_style())):
        output.write(text)
        if replays:
            output.write(f"  replay   {shlex.join(['crosslit', 'verify', '--replay', replays[number], *solver])}")
        output.write("")
    output.write("\n".join(ending))
