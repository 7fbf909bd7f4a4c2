"""The software of a campaign: a hash of the sources of a run, the installed versions, and the commit of Crosslit.

An edited backend is a different one, even if its version is the same, so the key of a run contains the hash. It covers
the packages of Crosslit, of the backend and of the encoding, and the program of a command with its scripts; imported
libraries enter only through the version of the backend.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from crosslit.base.version import __file__ as _version_file
from crosslit.base.version import __version__
from crosslit.contract import Backend, Encoding

CORE = Path(_version_file).parent
"""The folder of Crosslit's sources."""

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*", re.ASCII)  # of a distribution, at the start of a requirement
_SUFFIXES = (".py", *EXTENSION_SUFFIXES)
_NO_PART_OF_A_RUN = ("cli", "drawing", "examples")  # folders of the core that no run executes
_DIGITS = 12  # shown digits of a commit
_GIT_SECONDS = 10.0


@dataclass(frozen=True, kw_only=True)
class Software:
    """The software at the time of planning."""

    version: str = ""  # of Crosslit
    commit: str = ""  # of its sources; empty if unknown
    is_modified: bool = False  # True if the sources have uncommitted changes
    origin: str = ""  # address of the repository, without credentials; empty if unknown
    # versions of the engines used, and of all distributions that these and Crosslit require, by name
    libraries: Mapping[str, str] = field(default_factory=dict)

    @property
    def versions(self) -> dict[str, str]:
        """The commit of Crosslit and the versions of the libraries, with a name for each."""
        commit = (self.commit[:_DIGITS] or "unknown") + (", with changes" if self.is_modified else "")
        return {"commit of crosslit": commit, **{f"library {name}": text for name, text in self.libraries.items()}}


def content_of(backend: Backend, encoding: Encoding | None) -> str:
    """Return a sha256 of the files that runs of a backend with an encoding depend on.

    Sources are read once per process, as imports are; programs are read again when they change.
    """
    modules = {kind.__module__.partition(".")[0] for item in (backend, encoding) for kind in type(item).__mro__}
    modules.add(getattr(getattr(encoding, "encode", None), "__module__", "").partition(".")[0])
    named = sorted(modules - {"", "crosslit"} - sys.stdlib_module_names)
    parts = [of_folder(CORE), *map(_of_module, named), *map(_of_file, programs(backend))]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def programs(backend: Backend) -> tuple[str, ...]:
    """Return the programs and scripts that a backend starts, as far as it can list them."""
    try:
        return tuple(map(str, getattr(backend, "files", tuple)()))
    except Exception:
        return ()


def _of_file(path: str) -> str:
    """Return the sha256 of a file, cached until it changes; empty if it cannot be read."""
    try:
        state = os.stat(path)  # noqa: PTH116
        # files of /proc have size 0 too, and reading one may never end
        return _read(path, state.st_ino, state.st_size, state.st_mtime_ns) if state.st_size else ""
    except OSError:
        return ""


@functools.lru_cache(maxsize=4096)
def _read(path: str, _inode: int, _size: int, _changed: int) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@functools.cache
def _of_module(name: str) -> str:
    """Return a sha256 of the sources of an imported package or module."""
    module = sys.modules.get(name)
    folders, file = getattr(module, "__path__", ()), getattr(module, "__file__", None)  # None in a notebook
    if folders or file is None:
        return " ".join(of_folder(Path(folder)) for folder in folders)
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


@functools.cache
def of_folder(folder: Path) -> str:
    """Return a sha256 of the sources below a folder, which does not depend on its location."""
    state = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.name.endswith(_SUFFIXES)):
        inside = path.relative_to(folder)
        if folder != CORE or inside.parts[0] not in _NO_PART_OF_A_RUN:
            state.update(f"{inside.as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return state.hexdigest()


def software_of(versions: Iterable[str]) -> Software:
    """Return the installed software that a campaign uses: Crosslit, the engines, and all that they require.

    The version of a backend names the distributions of its engines: ``0.2.0, python-sat 1.9``.
    """
    due = ["crosslit", *{part.partition(" ")[0] for version in versions for part in version.split(", ")}]
    found: dict[str, str] = {}
    while due:
        with contextlib.suppress(PackageNotFoundError, ValueError):  # a program, a number, or not needed on this system
            installed = distribution(due.pop())
            if installed.name not in found:
                found[installed.name] = installed.version
                required = (line for line in installed.requires or () if "extra" not in line.partition(";")[2])
                due += [match[0] for line in required if (match := _NAME.match(line))]
    found.pop("crosslit", None)  # absent if only its sources are there
    return Software(version=__version__, **_commit(), libraries=dict(sorted(found.items())))


@functools.cache
def _commit() -> dict[str, Any]:
    """Return the commit of Crosslit's sources, whether they are modified, and the origin, as far as known."""
    direct: dict[str, Any] = {}  # pip's record of an installation that is not from an index (PEP 610)
    with contextlib.suppress(PackageNotFoundError, ValueError, OSError):
        direct = json.loads(distribution("crosslit").read_text("direct_url.json") or "{}")
    address = str(direct.get("url", ""))
    if commit := direct.get("vcs_info", {}).get("commit_id"):
        return {"commit": str(commit), "origin": public_address(address)}
    for package in (CORE, Path(unquote(urlsplit(address).path), "src", "crosslit")):
        # `pip install .` copies the sources, and the checkout may have changed since.
        same = package == CORE or _of_copy(package) == _of_copy(CORE)
        if same and _git(package, "ls-files", "--", "*.py"):
            return {
                "commit": _git(package, "rev-parse", "HEAD"),
                "is_modified": bool(_git(package, "status", "--porcelain", "--", ".")),
                "origin": public_address(_git(package, "config", "--get", "remote.origin.url")),
            }
    return {}


def _of_copy(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.rglob("*.py")) if "examples" not in path.parts]


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
