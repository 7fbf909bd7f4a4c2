"""Help texts: examples that are right, correct hints, shell completion and man pages."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from crosslit.cli.group import root
from tests.conftest import ROOT
from tests.stored import check


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command and group below a group, with its words."""
    with click.Context(group) as ctx:
        for name in group.list_commands(ctx):
            command = group.get_command(ctx, name)
            assert command is not None
            yield (*path, name), command
            if isinstance(command, click.Group):
                yield from commands(command, (*path, name))


ALL = dict([((), root), *commands(root)])


def help_of(path: tuple[str, ...]) -> str:
    done = CliRunner().invoke(root, [*path, "--help"], prog_name="crosslit")
    assert done.exit_code == 0
    return done.output


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_help_begins_with_examples(path: tuple[str, ...]) -> None:
    text, examples = help_of(path), ALL[path].examples  # type: ignore[attr-defined]
    shown = [f"  {example}" for example in examples]
    assert "\n".join(["", "Examples:" if examples[1:] else "Example:", *shown, ""]) in text
    assert all(example.startswith(" ".join(["crosslit", *path])) or "; " in example for example in examples)
    assert " ".join((ALL[path].help or "").split()[:4]) in text
    assert "RANGE" not in text
    assert "<x" not in text
    assert "{'" not in text


def test_help_lists_commands_and_formats() -> None:
    assert "\n  solve              Print one solution, checked by the rules.\n" in help_of(())
    assert "\n  xml      .xml             nonograms" in help_of(("convert",))


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_options_have_the_stored_types_and_defaults(path: tuple[str, ...]) -> None:
    lines, names = [], ("nargs", "required", "multiple", "default", "show_default", "metavar")
    for param in ALL[path].params:
        known = {name: str(getattr(param, name, None)) for name in names}
        shown = [f"{name} {value}" for name, value in known.items() if value not in ("None", "False", "Sentinel.UNSET")]
        kind = repr(param.type).removeprefix("<click.types.").partition(" object")[0]
        lines.append(f"{' '.join([*param.opts, *param.secondary_opts])}: {', '.join([kind, *shown])}")
    check(Path(__file__).parent / "options.txt", " ".join(path) or "crosslit", "\n".join(lines))


def parsed(command: click.Command, words: list[str]) -> None:
    """Read a command line, but run nothing; an unknown option or word is an error."""
    if isinstance(command, click.Group):
        ctx = command.make_context("crosslit", words)
        name, found, rest = command.resolve_command(ctx, words)
        assert name is not None and found is not None
        parsed(found, rest)
    else:
        command.make_context("crosslit", list(words))


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_examples_are_commands(path: tuple[str, ...]) -> None:
    examples = ALL[path].examples  # type: ignore[attr-defined]
    assert 1 <= len(examples) <= 3
    for example in examples:
        words = shlex.split(example.partition("; ")[2] or example)
        assert words[0] == "crosslit"
        parsed(root, words[1:])


def completed(*words: str) -> set[str]:
    """Return the completions that the shell offers for the last word."""
    *args, incomplete = words
    return {
        found.value
        for found in ShellComplete(root, {}, "crosslit", "_CROSSLIT_COMPLETE").get_completions(args, incomplete)
    }


def test_the_shell_completes_commands_backends_and_files() -> None:
    assert "solve" in completed("so")
    assert {"glucose3", "glucose4", "gluecard3"} <= completed("solve", "10/01", "--backend", "glu")
    assert "gauss,native" in completed("compare", "10/01", "--backends", "gauss,nat")
    found = ShellComplete(root, {}, "crosslit", "_CROSSLIT_COMPLETE").get_completions(["solve"], "exa")
    assert [item.type for item in found] == ["file"]


def test_man_pages_are_made_of_the_help(tmp_path: Path) -> None:
    # as where a wheel is built: without the installed packages but click
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "click").symlink_to(Path(click.__file__).parent)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "packages")}
    command = [sys.executable, "-S", ROOT / "docs" / "man_pages.py", tmp_path / "man1"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    pages = {page.name: page.read_text(encoding="utf-8") for page in (tmp_path / "man1").iterdir()}
    assert pages.keys() == {"-".join(["crosslit", *path]) + ".1" for path in ALL}
    text = pages["crosslit-solve.1"]
    assert '.TH "CROSSLIT-SOLVE" 1' in text
    assert "crosslit solve 10/11 \\-\\-fewest" in text
    assert "\\-\\-fewest" in text
    assert "Exit status" in text
