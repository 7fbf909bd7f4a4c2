"""Anonymous results for double-blind review: no names of hosts or users, and no paths."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import getpass
import re
import socket
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from crosslit_bench.plan.campaign import Instance
from crosslit_bench.plan.plan import PlannedRun
from crosslit_bench.plan.toml_text import toml_text
from crosslit_bench.provenance.software import Software
from crosslit_bench.store.about import About
from crosslit_bench.store.store import Store

_HASHES = frozenset({"key", "puzzle", "answer"})  # columns of hashes, which contain no names
_HOME = re.compile(r"/(?:home|Users)/[^/\s'\"]+|/root(?=/|\b)")
# an absolute path, or one that leaves the folder; not the part of a URL after ://
_PATH = re.compile(r"(?<![\w:/.}])(?:~[\w.-]*/|(?:\.\./)+|/)(?:[^\s/'\"|]+/)*([^\s/'\"|]+)/?")


class AnonymousStore(Store):
    """A file of results that is read without names of hosts and users, and with file names instead of paths.

    Hosts are numbered, so that runs on the same host remain recognisable. Texts by the author, such as the title, lose
    only these names.
    """

    def clean(self, words: str) -> str:
        """Return a text without names and paths."""
        # Paths inside the campaign's folder stay readable relative to it, because they say which file is meant.
        words = words.replace(f"{super().about.folder}/", "./")
        for folder in self._folders:  # first, because their names may contain spaces, which end a match of _PATH
            words = words.replace(folder, "/folder")
        words = _PATH.sub(r"\1", _HOME.sub("", words))
        return self._names.sub(lambda found: self._hosts.get(found[0], "user"), words) if self._names else words

    @functools.cached_property
    def _hosts(self) -> dict[str, str]:
        """The number of each host by its name; hosts of runs come first."""
        names = [name for (name,) in self.select("SELECT DISTINCT host FROM runs ORDER BY host") if name]
        known = dict.fromkeys([*map(str, names), socket.gethostname()])
        return {name: f"host {number}" for number, name in enumerate(known, 1)}

    @functools.cached_property
    def _names(self) -> re.Pattern[str] | None:
        users = {part.name for part in map(Path, self._folders) if part.parent.name in ("home", "Users")}
        with contextlib.suppress(KeyError, OSError):  # the user id may have no name
            users.add(getpass.getuser())
        # The longest first, so that a name that begins another one does not cut it in two.
        names = sorted({*self._hosts, *users} - {"", "root"}, key=len, reverse=True)
        return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})(?![\w-])") if names else None

    @functools.cached_property
    def _folders(self) -> list[str]:
        """The folders that texts may mention, with their parents, longest first."""
        places = [super().about.folder, Path.cwd(), self.path.resolve().parent, Path.home()]
        # Short folders such as /home identify nobody, and replacing them would spoil other paths.
        inside = {str(one) for place in places for one in (place, *place.parents) if len(one.parts) > 2}
        return sorted(inside, key=len, reverse=True)

    @property
    def about(self) -> About:
        """The description of the campaign, without its folder and the origins of its software."""
        about = super().about
        return dataclasses.replace(
            about,
            name=self.clean(about.name),
            title=self.clean(about.title),
            about=self.clean(about.about),
            text=self._text(about.text),
            folder=Path(),
            solvers={name: self.clean(command) for name, command in about.solvers.items()},
            command=tuple(self._command(about.command)),
            software=None if about.software is None else _without_origins(about.software),
        )

    def _text(self, text: str) -> str:
        """Return the campaign's file without comments; puzzles and specs stay, even if they look like paths."""
        with contextlib.suppress(ValueError):
            # Parsed and written again: comments may contain anything, and no pattern could clean them.
            return toml_text(self._cleaned(tomllib.loads(text)))
        return ""

    def _cleaned(self, value: Any) -> Any:
        if isinstance(value, dict):
            kept = ("puzzles", "backends")
            return {
                self.clean(key): one if key in kept and not _is_tables(one) else self._cleaned(one)
                for key, one in value.items()
            }
        if isinstance(value, list):
            return [self._cleaned(one) for one in value]
        return self.clean(value) if isinstance(value, str) else value

    def _command(self, words: tuple[str, ...]) -> Iterator[str]:
        before = ""
        for word in words:
            yield "ADDRESS" if before == "--dask" and word != "local" else self.clean(word)
            before = word

    def instances(self) -> list[Instance]:
        """Return the puzzles, with file names instead of paths."""
        return [
            dataclasses.replace(
                one,
                puzzle=one.puzzle.named(self.clean(one.puzzle.name)),
                facts={key: self.clean(value) if isinstance(value, str) else value for key, value in one.facts.items()},
            )
            for one in super().instances()
        ]

    def plan(self) -> list[PlannedRun]:
        """Return the planned runs, without paths in their versions."""
        return [dataclasses.replace(one, version=self.clean(one.version)) for one in super().plan()]

    def values(self) -> Iterator[dict[str, Any]]:
        """Yield the runs of the plan by column, without names and paths."""
        for values in super().values():
            yield {
                name: self.clean(value) if isinstance(value, str) and name not in _HASHES else value
                for name, value in values.items()
            }


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(one, dict) for one in value)


def _without_origins(software: Software) -> Software:
    return dataclasses.replace(
        software, components=tuple(dataclasses.replace(one, origin="") for one in software.components)
    )
