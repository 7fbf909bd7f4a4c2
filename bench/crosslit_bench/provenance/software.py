"""The versions of Crosslit and of the engines that a campaign uses, for its reproduction."""

from __future__ import annotations

import contextlib
import functools
import json
import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from crosslit._version import __version__
from crosslit_bench.provenance import contents

CROSSLIT = "crosslit"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*", re.ASCII)  # of a distribution, at the start of a requirement
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
    # versions of the plugins and engines used, and of all distributions that these and Crosslit require, by name
    libraries: Mapping[str, str] = field(default_factory=dict)

    @property
    def versions(self) -> dict[str, str]:
        """The commit of Crosslit and the versions of the libraries, with a name for each."""
        crosslit = self.components[0]
        commit = (crosslit.commit[:_DIGITS] or "unknown") + (", with changes" if crosslit.is_modified else "")
        return {"commit of crosslit": commit, **{f"library {name}": text for name, text in self.libraries.items()}}


def software_of(plugins: Iterable[Distribution], versions: Iterable[str]) -> Software:
    """Return the installed software that a campaign uses: Crosslit, its plugins and engines, and all that they require.

    The version of a backend names the distributions of its engines: ``0.2.0, python-sat 1.9``.
    """
    engines = {part.partition(" ")[0] for version in versions for part in version.split(", ")}
    due = [CROSSLIT, *(plugin.name for plugin in plugins), *engines]
    found: dict[str, str] = {}
    while due:
        with contextlib.suppress(PackageNotFoundError, ValueError):  # a program, a number, or not needed on this system
            installed = distribution(due.pop())
            if installed.name not in found:
                found[installed.name] = installed.version
                required = (line for line in installed.requires or () if "extra" not in line.partition(";")[2])
                due += [match[0] for line in required if (match := _NAME.match(line))]
    found.pop(CROSSLIT, None)  # absent if only its sources are there
    return Software(components=(_crosslit(),), libraries=dict(sorted(found.items())))


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
