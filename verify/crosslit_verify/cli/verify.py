"""``crosslit verify``."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from crosslit.base.errors import ContractError, InputError, InternalError, SpecError, WrongSolution
from crosslit.base.text import format_count
from crosslit.cli import output
from crosslit.cli.group import ExampleCommand, example_command
from crosslit.cli.options import (
    COUNT,
    SECONDS,
    Decorator,
    NewFile,
    backend_option,
    json_option,
    kind_option,
    memory_option,
    seed_option,
    solver_option,
    timeout_option,
)
from crosslit.cli.output import BAD_INPUT, BUG, exit_status
from crosslit.contract import FEWEST

if TYPE_CHECKING:
    from crosslit_verify.report import Verification
    from crosslit_verify.session import Verifier

_AFTER = "crosslit_verify.cli.verify.command"
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


def _text(name: str, metavar: str, words: str) -> Decorator:
    multiple = name in ("--size", "--exit")
    return click.option(name, metavar=metavar, multiple=multiple, help=words + "  Repeatable." * multiple)


@example_command(
    "crosslit verify --kind nonogram --seconds 10 -- ./my-solver {file}",
    "crosslit verify --kind lights-out --backend cadical195 --seconds 10",
    cls=_Command,
    short_help="Find the smallest puzzle on which your solver is wrong.",
)
@click.argument("words", nargs=-1, metavar="-- COMMAND...", type=click.UNPROCESSED)
@backend_option(help="Verify this backend instead of a command, with any encoding and options.")
@solver_option
@_text("--python", "PATH", "Run the backend with another interpreter, or the folder of its environment.")
@_text("--against", "PATH|SPEC", "Compare with the same solver in another environment, or with another backend.")
@kind_option(help="Only puzzles of this kind; required without any puzzle.")
@click.option(
    "--claims",
    type=click.Choice(["one", "all", "unique", FEWEST.name]),
    default="one",
    show_default=True,
    help="What the solver promises: one solution, all, one and whether it is unique, or one with the fewest presses.",
)
@click.option("--seconds", type=SECONDS, metavar="S", help="Stop after this time.  [default: 60, or none with --cases]")
@click.option("--cases", type=COUNT, metavar="N", help="Stop after this number of puzzles.")
@seed_option(type=int, default=0)
@_text("--size", "RxC", "Rows and columns: 5x7, 3..12, NxN for squares, or several with commas.  [default: 1..12]")
@click.option(
    "--only",
    type=click.Choice(["solvable", "unique", "valid", "unsolvable"]),
    help="Only puzzles of this class; valid: every clue fits its line, and rows and columns have equal sums.",
)
@_text("--like", "PUZZLE", "Only puzzles with the rules of this one: edges, pattern, holes, states, graph, colours.")
@click.option("--keep-going", is_flag=True, help="Continue after a failure, and show one failure for each cause.")
@click.option("--lines", is_flag=True, help="Exchange plain text with one process: a line for each puzzle and answer.")
@_text("--format", "FORMAT", "Start the command for each puzzle, in this format of {file} or of standard input.")
@_text("--cells", "XY", "Characters of an empty and a filled cell in plain output, such as .X.")
@_text("--unsolvable", "REGEX", "Pattern in plain output that means: the puzzle has no solution.")
@_text("--unique", "REGEX", "Pattern in plain output that means: the solution is unique.")
@_text("--exit", "STATUS=MEANING", "An exit status: solved, unsolvable, unique, multiple, unknown or unsupported.")
@click.option(
    "--moves",
    type=click.Choice(["0", "1"]),
    help="An answer is a list of pressed cells such as [[0,1],[2,2]], in JSON or plain text, counted from this number.",
)
@_text("--corpus", "FOLDER", "Start with the puzzles in FOLDER, and write each failure to a file there.")
@click.option("--junit", type=NewFile(), metavar="FILE", help="Write the result as JUnit XML to FILE.")
@timeout_option(default=10, help="Limit on the wall time of one answer.")
@memory_option(default=1024, help="Memory limit of the solver and all its processes.")
@json_option
@click.pass_context
def command(
    ctx: click.Context, /, words: tuple[str, ...], spec: str | None, kind: str | None, claims: Any, **options: Any
) -> int:
    """Verify the solver COMMAND, or a backend: send it puzzles, check its answers, shrink the first that fails.

    By default the command is started once. It reads one puzzle per line from standard input, as JSON, and answers each
    with a line, as the example `contiguous_first_rows.py` does. It is started again for every puzzle if it contains
    {file}, the name of a file with the puzzle, or if an option such as --cells describes its plain output. Crosslit
    sends all small puzzles, alternating with larger random ones, or only the given PUZZLEs. At the first failure it
    shrinks the puzzle, and shows it with the command that sends it again.

    Exit status: 0 passed, 1 failed, 2 bad usage or input, 3 too few answers could be judged, 130 interrupted.
    """
    from crosslit.formats import read, read_all
    from crosslit_verify.session import prepare

    sources: tuple[str, ...] = ()
    if _AFTER in ctx.meta or spec is not None:  # a backend has no words
        sources, words = words, ctx.meta.get(_AFTER, ())
    if bool(words) == (spec is not None):
        raise click.UsageError("Missing argument '-- COMMAND...'." if spec is None else "COMMAND or --backend", ctx)
    own = [puzzle for source in sources for puzzle in read_all(source)]
    options |= {"size": ",".join(options["size"]), "like": options["like"] and read(options["like"])}
    with output.Progress() as progress:

        def show(verifier: Verifier) -> None:
            if progress.is_due:
                cover = verifier.coverage
                failed = ", ".join(f"{number} {group}" for group, number in cover.counts.items()) or "no failure"
                progress.says(f"{format_count(cover.cases, 'case')}; {failed}")

        try:
            verifier = prepare(words, spec, kind, claims, options, own, show)
        except (InputError, SpecError):
            raise
        except ValueError as error:
            raise InputError("options", str(error)) from None
        try:
            found = verifier.run()
        except BUGS as error:
            output.complain(f"a bug of Crosslit, not of your solver: {error}")
            return BUG
    return _report(found, shlex.join([*solver_words(ctx), *(["--", *words] if words else [])]), ctx)


def _report(found: Verification, solver: str, ctx: click.Context) -> int:
    """Write the files of the result, print it, and return the exit status."""
    from crosslit_verify.report import MAX_PUZZLE, write_corpus

    folder, junit, are_written = ctx.params["corpus"], ctx.params["junit"], True
    try:
        if folder is not None:
            write_corpus(found, folder, f"crosslit verify {solver}")
        if junit is not None:
            output.write_file(junit, [found.junit(solver.removeprefix("-- "))])
    except InputError as error:
        output.complain(f"{error}: the result is not written there")
        are_written = False
    if ctx.params["as_json"]:
        output.write_json(found.json())
    else:
        for failure in found.failures:
            name = failure.puzzle.text
            again = f"  again    crosslit verify {shlex.quote(name)} {solver}\n" if len(name) <= MAX_PUZZLE else ""
            output.write(f"{failure.render(output.picture_style())}\n{again}")
        output.write(found.summary())
    wrong = bool(found.failures)
    status = exit_status(interrupted=found.interrupted, wrong=wrong, undecided=not (found.passed or wrong))
    return status or (0 if are_written else BAD_INPUT)


def solver_words(ctx: click.Context) -> list[str]:
    """Return the options that decide how the solver is run and judged, without those that are defaults."""
    from crosslit_backends.programs.program import OPTIONS

    deciding, found = {"spec", "solvers", "python", "against", "claims", "timeout", "memory_mb", *OPTIONS}, []
    for parameter in ctx.command.params:
        value = ctx.params.get(str(parameter.name))
        if parameter.name in deciding and value not in (None, (), parameter.get_default(ctx)):
            for item in value if isinstance(value, tuple) else [value]:
                found += [parameter.opts[0], *([] if item is True else [str(item)])]
    return found
