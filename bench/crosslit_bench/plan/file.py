"""The TOML file of a campaign: backends, puzzles and limits; docs/reference/campaigns.md lists all keys.

Everything is checked before anything runs: an unknown key, a value out of range, a spec without a backend or a pattern
that matches no file is an error with its line.
"""

from __future__ import annotations

import contextlib
import dataclasses
import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from crosslit import formats, registry
from crosslit.errors import InputError, SpecError
from crosslit.files import parse_toml, show_path
from crosslit.formats import FORMATS
from crosslit.kinds import Puzzle
from crosslit.registry.commands import FILE as SOLVERS_FILE
from crosslit.registry.commands import OWN, announce, define, listed
from crosslit.runs.end import MAX_THREADS
from crosslit.runs.run import MAX_SECONDS, Limits
from crosslit_bench.plan import sources
from crosslit_bench.plan.campaign import ASKED, PAR, SOLUTIONS, Asked, CampaignSpec, Source
from crosslit_bench.plan.expected import expecting
from crosslit_bench.plan.generated import KINDS, MAX_PUZZLES, SEED, specs
from crosslit_bench.plan.toml_tables import LineIndex, TomlTable, Value, flag, number, text, valid, whole, word

TOP = ("title", "about", "task", "repetitions", "seeds", "seed", "backends", "limits", "scores", "solvers", "puzzles")
_MAX_BYTES = 1 << 22  # size of a file; `tomllib` needs some seconds to parse that much
_SAMPLE: Puzzle = formats.from_line("10/01")
_BACKENDS = 'a list of specs such as ["gauss", "glucose4/*"], or a table [backends] of named lists'
_SPEC = text("a spec such as 'glucose4/*'")
_RUN_SEED = whole(0, 2**31 - 1)  # the range of the backends' option `seed`
_FACTOR = Value(
    "k of PAR-k, a number from 1 to 1000",
    lambda value: float(valid(type(value) in (int, float) and 1 <= value <= 1000, value)),
)
_SECONDS = number(MAX_SECONDS, "a number of seconds", positive=True)


def read(path: Path) -> CampaignSpec:
    """Read a campaign from its file.

    The solvers are not registered yet: call `define_solvers` before planning.
    """
    record, content = parse_toml(path, _MAX_BYTES)
    top = TomlTable(record, show_path(path), LineIndex(content))
    name = path.stem.encode(errors="replace").decode()
    asked: Asked = top.take("task", word(*ASKED), "unique")
    growth, scores = top.table("growth"), top.table("scores")
    campaign = CampaignSpec(
        name=name,
        title=top.take("title", text(), name),
        about=top.take("about", text(), ""),
        asked=asked,
        limits=_limits(top.table("limits"), asked),
        contestants=_contestants(top),
        sources=(),
        repetitions=top.take("repetitions", whole(1, 10_000), 1),
        seeds=tuple(dict.fromkeys(top.items("seeds", _RUN_SEED))),
        seed=top.take("seed", SEED, 0),
        solvers=_commands(top.table("solvers")),
        folder=path.resolve().parent,
        text=content,
        floor=growth.take("floor", _SECONDS, 0.0) or None,
        par=scores.take("par", _FACTOR, PAR),
    )
    growth.finish(TOP)
    scores.finish(TOP)
    tables = top.tables("puzzles")
    top.finish()
    if not campaign.contestants:
        raise InputError(top.origin, f"expected backends = {_BACKENDS}, found none")
    if not tables:
        raise InputError(top.origin, "expected a table [[puzzles]], found none")
    campaign = dataclasses.replace(campaign, solvers=_with_listed(campaign))
    _check_specs(campaign, top)
    flat = [_family(table) for table in tables if table.take("growth", flag(), None) is False]
    sources = tuple(_source(table, campaign.folder) for table in tables)
    return dataclasses.replace(campaign, sources=sources, without_growth=tuple(dict.fromkeys(flat)))


def define_solvers(campaign: CampaignSpec) -> None:
    """Register the commands of a campaign as backends in this process."""
    for name, command in campaign.solvers.items():
        define(name, command, f"campaign {campaign.name}", str(campaign.folder), OWN)


def _limits(table: TomlTable, asked: Asked) -> Limits:
    usual = Limits()
    seconds = table.take("seconds", _SECONDS, usual.seconds)
    memory = table.take("memory_mb", whole(1, 2**40), usual.memory_mb)
    cpu = table.take("cpu_seconds", _SECONDS, 0.0) or None
    cores = table.take("cores", whole(1, MAX_THREADS), 0) or None
    if "solutions" in table:
        raise table.error("`task`, above all tables, determines the number of solutions", "solutions")
    table.finish(TOP)
    return Limits(SOLUTIONS[asked], seconds, memory, cpu, cores)


def _contestants(top: TomlTable) -> dict[str, tuple[str, ...]]:
    given = top.take("backends", Value(_BACKENDS, lambda value: valid(isinstance(value, list | dict), value)), None)
    if not isinstance(given, dict):
        return {"": top.items("backends", _SPEC)} if given is not None else {}
    table = top.table("backends")
    groups: dict[str, tuple[str, ...]] = {}
    for name in given:
        plain = name.strip()
        if not plain or not plain.isprintable():
            raise table.error(f"expected a printable name of a group, found {name!r}", name)
        if plain in groups:
            raise table.error(f"expected groups with different names, found {plain!r} twice", name)
        groups[plain] = table.items(name, _SPEC)
    if not groups:
        raise table.error("expected a group of backends, found none")
    return groups


def _commands(table: TomlTable) -> dict[str, str]:
    return {name: table.take(name, text("'COMMAND {cnf}'"), "") for name in table.record}


def _with_listed(campaign: CampaignSpec) -> dict[str, str]:
    """Return the solvers of a campaign, with those in a ``crosslit.toml`` in its folder that a spec names.

    The ``crosslit.toml`` of the working directory or of a puzzle's folder is ignored, so that a campaign means the same
    wherever it is started.
    """
    named = {re.split("[/:]", spec.strip())[0] for specs in campaign.contestants.values() for spec in specs}
    found = listed(campaign.folder / SOLVERS_FILE, named - set(campaign.solvers))
    announce(str(campaign.folder / SOLVERS_FILE), found.keys() & named - campaign.solvers.keys())
    return {**{name: found[name] for name in found if name in named}, **campaign.solvers}


def _check_specs(campaign: CampaignSpec, top: TomlTable) -> None:
    """Reject specs that name no backend, with the solvers of the campaign registered temporarily."""
    before = {name: registry.defined(name) for name in campaign.solvers}
    backends = top if "" in campaign.contestants else top.table("backends")
    try:
        for name, command in campaign.solvers.items():
            with _blaming(top.table("solvers"), name):
                define(name, command, "[solvers]", str(campaign.folder), OWN)
        for group, specs in campaign.contestants.items():
            for spec in specs:
                with _blaming(backends, group or "backends", spec):
                    registry.select([spec], _SAMPLE, campaign.question, from_file=False)
    finally:
        for name, backend in before.items():
            if backend is not None:
                registry.add(backend)
            elif registry.defined(name) is not None:
                registry.forget(name)


@contextlib.contextmanager
def _blaming(table: TomlTable, key: str, item: str | None = None) -> Iterator[None]:
    try:
        yield
    except SpecError as error:
        raise table.error(str(error), key, item) from None


def _source(table: TomlTable, folder: Path) -> Source:
    source = expecting(table, _WAYS[_way(table)](table, _family(table), folder))
    table.finish(TOP)
    return source


def _way(table: TomlTable) -> str:
    ways = [way for way in _WAYS if way in table]
    if len(ways) != 1:
        which = " and ".join(ways) or "none"
        raise table.error(f"expected in [[puzzles]] one of generate, files and puzzles, found {which}")
    return ways[0]


def _family(table: TomlTable) -> str:
    family = table.take("family", text(), "").strip()
    if not family.isprintable():
        raise table.error(f"expected a printable family, found {family!r}", "family")
    way = _way(table)
    return family or (_kind(table) if way == "generate" else way)


def _kind(table: TomlTable) -> str:
    return str(table.take("generate", word(*KINDS), KINDS[0]))


def _files(table: TomlTable, family: str, folder: Path) -> Source:
    patterns = table.items("files", text("a path such as 'boards/*.non'"))
    format_name = table.take("format", word(*FORMATS), None)

    def error(problem: str, at: str) -> InputError:
        return table.error(problem, "files", at)

    return partial(sources.from_files, family, sources.found(patterns, folder, error), format_name)


def _inline(table: TomlTable, family: str, _: Path) -> Source:
    def puzzle(value: Any) -> Puzzle:
        return formats.from_line(text().read(value), "puzzle")

    puzzles = table.items("puzzles", Value("a puzzle such as '10/01' or '1,1|1,1'", puzzle))
    return partial(sources.inline, family, puzzles)


def _generated(table: TomlTable, family: str, _: Path) -> Source:
    orders = tuple(islice(specs(table, _kind(table)), MAX_PUZZLES + 1))
    if len(orders) > MAX_PUZZLES:
        raise table.error(f"expected at most {MAX_PUZZLES} puzzles of one table, found more")
    timeout = table.take("timeout", _SECONDS, 60.0)
    return partial(sources.generated, family, orders, table.error, timeout)


_WAYS: dict[str, Callable[[TomlTable, str, Path], Source]]
_WAYS = {"generate": _generated, "files": _files, "puzzles": _inline}
