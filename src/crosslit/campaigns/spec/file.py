"""A campaign's file: TOML that says what is compared, on which puzzles, under which limits.

A small one (``docs/campaigns.md`` has all keys)::

    title = "Two encodings of nonograms"
    task = "unique"                     # first, unique, all or fewest
    repetitions = 3

    [limits]
    seconds = 10

    [backends]                          # by the names of groups; or: backends = ["glucose4/*"]
    "one-hot starts" = ["glucose4/direct"]
    ladder = ["glucose4/order", "glucose4/order-cover"]

    [[puzzles]]
    family = "half filled"
    generate = "nonogram"               # lights-out, nonogram or pigeonhole
    sizes = [10, 15, "20x25"]
    count = 5
    seed = 7

    [[puzzles]]
    family = "survey"
    files = ["boards/*.non"]            # from the folder of this file

Everything is checked before anything runs: a key that is unknown, a value out of range, a spec that means nothing and a
pattern that matches no file are told with their line.
"""

from __future__ import annotations

import contextlib
import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from crosslit import formats, registry
from crosslit.campaigns.spec import sources
from crosslit.campaigns.spec.campaign import ASKED, SOLUTIONS, Asked, Campaign, Source
from crosslit.campaigns.spec.toml_tables import (
    LineIndex,
    TomlTable,
    a_flag,
    a_number,
    a_text,
    a_whole,
    a_word,
    parsed,
    shown,
)
from crosslit.contract import QuestionName
from crosslit.errors import InputError, SpecError
from crosslit.formats import FORMATS
from crosslit.formats.board import pattern
from crosslit.generation.constrained import DIFFICULTIES, BoardSpec, NonogramOrder, check_size
from crosslit.grid import Grid
from crosslit.puzzles import LightsOut, Nonogram, Puzzle
from crosslit.puzzles.lights_out import WRAPS, Wrap
from crosslit.registry.commands import FILE as SOLVERS_FILE
from crosslit.registry.commands import OWN, define, listed
from crosslit.runs.run import MAX_SECONDS, Limits

TOP = ("title", "about", "task", "repetitions", "seeds", "seed", "backends", "limits", "solvers", "puzzles")
KINDS = (LightsOut.kind, Nonogram.kind, "pigeonhole")
"""What ``generate`` may ask for."""

_MAX_PUZZLES = 20_000  # puzzles of a table
_MAX_REPETITIONS = 10_000
_MAX_SEED = 2**31 - 1  # as the backends take them
_SIZE = re.compile(r"([0-9]{1,6})x([0-9]{1,6})", re.ASCII)
_SAMPLES: tuple[Puzzle, ...] = (formats.from_line("10/01"), formats.from_line("1,1|1,1"))


def read(path: Path) -> Campaign:
    """The campaign of a file.

    Its solvers are not defined by that: `define_solvers` does it, before anything is planned.

    Raises:
        InputError: naming the file, the line and what was expected, for all that is wrong.
    """
    record, text = parsed(path)
    origin, lines, folder = shown(path), LineIndex(text), path.resolve().parent
    top = TomlTable(record, origin, lines)
    asked: Asked = top.take("task", a_word(*ASKED), _either(ASKED), "unique")
    campaign = Campaign(
        name=path.stem.encode(errors="replace").decode(),
        title=top.take("title", a_text, "a text", path.stem.encode(errors="replace").decode()),
        about=top.take("about", a_text, "a text", ""),
        asked=asked,
        limits=_limits(top, origin, lines, asked),
        contestants=_contestants(top, origin, lines),
        sources=(),
        repetitions=top.take(
            "repetitions", a_whole(1, _MAX_REPETITIONS), f"a whole number from 1 to {_MAX_REPETITIONS}", 1
        ),
        seeds=tuple(dict.fromkeys(top.items("seeds", a_whole(0, _MAX_SEED), f"whole numbers from 0 to {_MAX_SEED}"))),
        seed=top.take("seed", a_whole(0, 2**63 - 1), "a whole number from 0", 0),
        solvers=_commands(top, origin, lines),
        folder=folder,
        text=text,
    )
    puzzles: list[Mapping[str, Any]] = top.take("puzzles", _tables, "tables headed [[puzzles]], in two brackets", [])
    top.finish()
    if not puzzles:
        raise InputError(origin, "expected a table [[puzzles]], found none")
    tables = [TomlTable(table, origin, lines, "puzzles", place) for place, table in enumerate(puzzles)]
    campaign = dataclasses.replace(campaign, solvers=_with_listed(campaign))
    _check_specs(campaign, origin, lines)
    parts = tuple(_source(table, folder) for table in tables)
    return dataclasses.replace(campaign, sources=(sources.CombinedSource(parts),))


def define_solvers(campaign: Any) -> None:
    """Let the commands of a campaign be backends in this process.

    Args:
        campaign: a `Campaign`, or what a store says about one: its ``solvers`` and ``folder`` are looked at.

    Raises:
        SpecError: if a name or a command cannot be.
    """
    for name, command in campaign.solvers.items():
        define(name, command, f"campaign {campaign.name}", str(campaign.folder), OWN)


def _either(words: tuple[str, ...]) -> str:
    return f"{', '.join(map(repr, words[:-1]))} or {words[-1]!r}"


def _limits(top: TomlTable, origin: str, lines: LineIndex, asked: Asked) -> Limits:
    table = TomlTable(top.take("limits", _table, "a table [limits]", {}), origin, lines, "limits")
    usual = Limits()
    expected = f"a number of seconds above 0, at most {MAX_SECONDS:.0f}"
    seconds = table.take("seconds", a_number(0, MAX_SECONDS, above=True), expected, usual.seconds)
    memory = table.take("memory_mb", a_whole(1, 2**40), "a whole number of MB, at least 1", usual.memory_mb)
    if "solutions" in table:
        raise table.error("how many solutions are asked for is said by `task`, above all tables", "solutions")
    table.finish(TOP)
    return Limits(SOLUTIONS[asked], seconds, memory)


def _contestants(top: TomlTable, origin: str, lines: LineIndex) -> dict[str, tuple[str, ...]]:
    expected = 'a list of specs such as ["gauss", "glucose4/*"], or a table [backends] of named lists'
    given = top.take("backends", _list_or_table, expected, None)
    if given is None:
        raise InputError(origin, f"expected backends = {expected}, found none")
    spec = "a spec such as 'glucose4/*'"
    if isinstance(given, list):
        return {"": top.items("backends", a_text, spec)}
    table = TomlTable(given, origin, lines, "backends")
    groups: dict[str, tuple[str, ...]] = {}
    for name in given:
        plain = name.strip()
        if not plain or not plain.isprintable():
            raise table.error(f"expected a group with a name that can be printed, found {name!r}", name)
        if plain in groups:
            raise table.error(f"expected groups of different names, found {plain!r} twice", name)
        groups[plain] = table.items(name, a_text, spec)
    if not groups:
        raise table.error("expected a group of backends, found none")
    return groups


def _commands(top: TomlTable, origin: str, lines: LineIndex) -> dict[str, str]:
    given: Mapping[str, Any] = top.take("solvers", _table, "a table [solvers]", {})
    table = TomlTable(given, origin, lines, "solvers")
    return {name: table.take(name, a_text, "'COMMAND {cnf}'", "") for name in given}


def _with_listed(campaign: Campaign) -> dict[str, str]:
    """The solvers of a campaign, and of a ``crosslit.toml`` beside it those that are named by their name.

    A campaign is to mean the same wherever it is started: so the working directory counts for nothing here, and what
    lies beside puzzles for as little as elsewhere.
    """
    named = {re.split("[/:]", spec.strip())[0] for specs in campaign.contestants.values() for spec in specs}
    beside = listed(campaign.folder / SOLVERS_FILE, named - set(campaign.solvers))
    return {**{name: beside[name] for name in beside if name in named}, **campaign.solvers}


def _check_specs(campaign: Campaign, origin: str, lines: LineIndex) -> None:
    with _defined(campaign, origin, lines):
        for group, specs in campaign.contestants.items():
            for spec in specs:
                _check_spec(spec, group, campaign.question, origin, lines)


def _check_spec(spec: str, group: str, question: QuestionName, origin: str, lines: LineIndex) -> None:
    try:
        for puzzle in _SAMPLES:
            registry.select([spec], puzzle, question)
    except SpecError as error:
        at = lines.of("backends", 0, group, spec) if group else lines.of("", 0, "backends", spec)
        raise InputError(origin, str(error), at) from None


@contextlib.contextmanager
def _defined(campaign: Campaign, origin: str, lines: LineIndex) -> Iterator[None]:
    """The solvers of a campaign for a moment, and then what was there before."""
    before = {name: registry.defined(name) for name in campaign.solvers}
    try:
        for name, command in campaign.solvers.items():
            try:
                define(name, command, "[solvers]", str(campaign.folder), OWN)
            except SpecError as error:
                raise InputError(origin, str(error), lines.of("solvers", 0, name)) from None
        yield
    finally:
        for name, backend in before.items():
            if backend is not None:
                registry.add(backend)
            elif registry.defined(name) is not None:
                registry.forget(name)


def _source(table: TomlTable, folder: Path) -> Source:
    family = table.take("family", a_text, "a text", "").strip()
    if not family.isprintable():
        raise table.error(f"expected a family that can be printed, found {family!r}", "family")
    ways = [way for way in ("generate", "files", "puzzles") if way in table]
    if len(ways) != 1:
        which = " and ".join(ways) or "none"
        raise table.error(f"expected in [[puzzles]] one of generate, files and puzzles, found {which}")
    made = {"generate": _generated, "files": _files, "puzzles": _inline}[ways[0]](table, family, folder)
    table.finish(TOP)
    return made


def _files(table: TomlTable, family: str, folder: Path) -> Source:
    patterns = table.items("files", a_text, "a path such as 'boards/*.non'")
    format_name = table.take("format", a_word(*FORMATS), f"one of {', '.join(FORMATS)}", None)

    def error(problem: str, at: str) -> InputError:
        return table.error(problem, "files", at)

    return sources.FileSource(family or "files", sources.found(patterns, folder, error), format_name)


def _inline(table: TomlTable, family: str, _: Path) -> Source:
    def puzzle(value: Any) -> Puzzle:
        return formats.from_line(a_text(value), "puzzle")

    return sources.InlineSource(
        family or "puzzles", table.items("puzzles", puzzle, "a puzzle such as '10/01' or '1,1|1,1'")
    )


def _generated(table: TomlTable, family: str, _: Path) -> Source:
    kind = table.take("generate", a_word(*KINDS), _either(KINDS), KINDS[0])
    holes = kind == "pigeonhole"
    expected = "a number of columns such as 10" if holes else "5 or '11x16', 11 rows of 16"
    sizes: tuple[Any, ...] = table.items("sizes", a_whole(1, 2000) if holes else _a_size, expected)
    if not sizes:
        raise table.error("expected sizes = [...], the sizes of the puzzles")
    each = f"seconds for each puzzle, above 0, at most {MAX_SECONDS:.0f}"
    timeout = table.take("timeout", a_number(0, MAX_SECONDS, above=True), each, 60.0)
    if holes:
        orders = tuple(sources.pigeonholes(dict.fromkeys(sizes)))
        return sources.GeneratedSource(family=family or "pigeonhole", orders=orders, error=table.error, seconds=timeout)
    count = table.take("count", a_whole(1, _MAX_PUZZLES), f"a whole number from 1 to {_MAX_PUZZLES}", 1)
    seed = table.take("seed", a_whole(0, 2**63 - 1), "a whole number from 0", 0)
    made = tuple(islice(_GENERATORS[kind](table, tuple(dict.fromkeys(sizes)), count, seed), _MAX_PUZZLES + 1))
    if len(made) > _MAX_PUZZLES:
        raise table.error(f"expected at most {_MAX_PUZZLES} puzzles of one table, found more")
    return sources.GeneratedSource(family=family or kind, orders=made, error=table.error, seconds=timeout)


def _boards(
    table: TomlTable, sizes: tuple[tuple[int, int], ...], count: int, seed: int
) -> Iterator[sources.PuzzleSpec]:
    solvable: bool | None = table.take("solvable", a_flag, "true or false", None)
    offsets = table.take("press", lambda name: pattern(a_text(name), "press"), "a pattern or its picture", None)
    wrap: Wrap = table.take("wrap", a_word(*WRAPS), _either(WRAPS), "none")
    presses = table.take("presses", a_whole(0, 10**6), "the fewest presses, a whole number from 0", 0)
    if presses and solvable is False:
        raise table.error("a board without a solution has no fewest presses", "presses")
    dark = Grid.from_bits(1, 1, 0)
    rules = LightsOut(dark, wrap=wrap) if offsets is None else LightsOut(dark, offsets, wrap)
    for rows, columns in sizes:
        order = BoardSpec(rows, columns, rules, solvable, presses)
        try:
            check_size(rows, columns)
            if solvable is False and not order.nullity():
                raise ValueError(f"every board of {rows} x {columns} has a solution: its nullity is 0")
        except ValueError as error:
            raise table.error(str(error), "sizes") from None
    return sources.boards(sizes, BoardSpec(1, 1, rules, solvable, presses), count, seed)


def _nonograms(
    table: TomlTable, sizes: tuple[tuple[int, int], ...], count: int, seed: int
) -> Iterator[sources.PuzzleSpec]:
    densities = table.items("densities", a_number(0, 1), "numbers from 0 to 1")
    unique = table.take("unique", a_flag, "true or false", None)
    difficulty = table.take("difficulty", a_word(*DIFFICULTIES), _either(DIFFICULTIES), None)
    tries = table.take(
        "tries", a_whole(1, _MAX_PUZZLES), f"a whole number from 1 to {_MAX_PUZZLES}", NonogramOrder(1, 1).tries
    )
    if difficulty and unique is False:
        raise table.error("only puzzles with one solution have a difficulty: expected no unique = false", "unique")
    for rows, columns in sizes:
        try:
            check_size(rows, columns)
        except ValueError as error:
            raise table.error(str(error), "sizes") from None
    order = NonogramOrder(1, 1, None, bool(unique), difficulty, tries)
    return sources.nonograms(sizes, tuple(dict.fromkeys(densities)) or (None,), order, count, seed)


_GENERATORS: dict[str, Callable[[TomlTable, tuple[tuple[int, int], ...], int, int], Iterator[sources.PuzzleSpec]]]
_GENERATORS = {LightsOut.kind: _boards, Nonogram.kind: _nonograms}


def _a_size(value: Any) -> tuple[int, int]:
    if type(value) is int and 1 <= value < 10**6:
        return value, value
    found = _SIZE.fullmatch(value) if isinstance(value, str) else None
    if found is None or not int(found[1]) or not int(found[2]):
        raise ValueError
    return int(found[1]), int(found[2])


def _table(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError
    return value


def _tables(value: Any) -> list[Mapping[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(table, dict) for table in value):
        raise ValueError
    return value


def _list_or_table(value: Any) -> list[Any] | dict[str, Any]:
    if not isinstance(value, list | dict):
        raise ValueError
    return value
