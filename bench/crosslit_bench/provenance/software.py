"""The versions of Crosslit and of the engines that a campaign uses, for its reproduction."""

from __future__ import annotations

import contextlib
import functools
import json
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from crosslit._version import __version__
from crosslit_bench.provenance import contents

CROSSLIT = "crosslit"
_LEFT_OUT = re.compile(r"extra\s*==\s*['\"](?:dev|docs|dask|plot)['\"]")  # no run and no analysis needs these extras
_DIGITS = 12  # shown digits of a commit
_GIT_SECONDS = 10.0


@dataclass(frozen=True, kw_only=True)
class Component:
    """The checkout of Crosslit that makes the runs."""

    name: str  # ``crosslit``
    version: str
    commit: str = ""  # commit of the sources; empty if unknown
    is_modified: bool = False  # True if the sources have uncommitted changes
    origin: str = ""  # address of the repository, without credentials; empty if unknown


@dataclass(frozen=True, kw_only=True)
class Software:
    """The software of a campaign."""

    components: tuple[Component, ...]  # Crosslit; in files of earlier versions, plugins follow
    # versions of the distributions that it requires and of the plugins used, by name
    libraries: Mapping[str, str] = field(default_factory=dict)

    @property
    def versions(self) -> dict[str, str]:
        """The commit of Crosslit and the versions of the libraries, with a name for each."""
        crosslit = self.components[0]
        commit = (crosslit.commit[:_DIGITS] or "unknown") + (", with changes" if crosslit.is_modified else "")
        return {"commit of crosslit": commit, **{f"library {name}": text for name, text in self.libraries.items()}}


def software_of(plugins: Iterable[Distribution]) -> Software:
    """Return the installed software, with the plugins that a campaign uses."""
    libraries = {owner.metadata["Name"]: owner.version for owner in plugins if owner.metadata["Name"] != CROSSLIT}
    for name in _requirements(CROSSLIT):
        with contextlib.suppress(PackageNotFoundError, ValueError):
            libraries[name] = distribution(name).version
    return Software(components=(_crosslit(),), libraries=dict(sorted(libraries.items())))


def _requirements(name: str) -> Iterator[str]:
    with contextlib.suppress(PackageNotFoundError):
        for line in distribution(name).requires or ():
            found = re.match(r"[A-Za-z0-9][A-Za-z0-9._-]*", line)
            if found and not _LEFT_OUT.search(line):
                yield found[0]


@functools.cache
def _crosslit() -> Component:
    direct = _direct_url()
    source, origin = direct.get("vcs_info"), str(direct.get("url", ""))
    made = functools.partial(Component, name=CROSSLIT, version=__version__)
    if isinstance(source, dict) and isinstance(source.get("commit_id"), str):
        return made(commit=source["commit_id"], origin=public_address(origin))
    for package in (contents.CORE, Path(unquote(urlsplit(origin).path), "src", CROSSLIT)):
        # `pip install .` copies the sources, and the checkout may have changed since.
        same = package == contents.CORE or contents.of_core(package) == contents.of_core(contents.CORE)
        if same and _git(package, "ls-files", "--", "*.py"):
            return made(
                commit=_git(package, "rev-parse", "HEAD"),
                is_modified=bool(_git(package, "status", "--porcelain", "--", ".")),
                origin=public_address(_git(package, "config", "--get", "remote.origin.url")),
            )
    return made()


def _direct_url() -> dict[str, Any]:
    """Return pip's record of an installation that is not from an index (PEP 610)."""
    with contextlib.suppress(PackageNotFoundError, ValueError, OSError):
        found = json.loads(distribution(CROSSLIT).read_text("direct_url.json") or "{}")
        if isinstance(found, dict):
            return found
    return {}


def _git(folder: Path, *words: str) -> str:
    """Return the output of a Git command; empty if it fails, for example outside a checkout."""
    # `core.fsmonitor` may name a program, which a foreign checkout must not start.
    command = ["git", "-C", str(folder), "-c", "core.fsmonitor=false", *words]
    try:
        # Without input, so that Git cannot wait for a password.
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_GIT_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode(errors="replace").strip()


def public_address(address: str) -> str:
    """Return the address of a repository without user and password; empty for a local folder.

    Examples:
        >>> public_address("https://me:secret@example.org/a.git"), public_address("/home/me/a")
        ('https://example.org/a.git', '')
        >>> public_address("git@example.org:a.git")
        'ssh://example.org/a.git'
    """
    copied = re.fullmatch(r"(?:[^@/]+@)?([\w.-]+):([^/\s].*)", address) if "://" not in address else None
    if copied:
        return f"ssh://{copied[1]}/{copied[2]}"
    parts = urlsplit(address)
    if parts.scheme not in ("https", "http", "ssh", "git") or not parts.hostname:
        return ""
    # User and password stand before the last @ of the host part.
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
