"""The record of a campaign's software for its reproduction: commits, hashes of sources and versions."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urlsplit, urlunsplit

from crosslit._version import __version__
from crosslit.contract import QuestionName
from crosslit.registry import BACKENDS, ENCODERS
from crosslit_bench.plan.plan import PlannedRun, chosen
from crosslit_bench.provenance import contents
from crosslit_bench.store.validation import mapping, text, texts

CROSSLIT = "crosslit"
_PACKAGES = (CROSSLIT, "crosslit_encoders", "crosslit_backends")
_EXTRAS_LEFT_OUT = frozenset({"dev", "dask", "plot"})  # no run and no analysis needs them
_GIT_SECONDS = 10.0
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)(?:[^;]*;(.*))?")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([\w-]+)['"]""")


@dataclass(frozen=True, kw_only=True)
class Component:
    """A distribution whose code takes part in runs: Crosslit or a plugin.

    Args:
        name: name of the distribution, or of the module if it is not installed.
        version: its version.
        content: a sha256 of its sources.
        commit: commit of the sources; empty if unknown.
        is_modified: True if the sources have uncommitted changes.
        origin: address of the repository, without credentials; empty if unknown.
        is_published: True if it was installed from a package index.
        brings: names of the campaign's backends and encodings that it provides.
    """

    name: str
    version: str
    content: str
    commit: str = ""
    is_modified: bool = False
    origin: str = ""
    is_published: bool = False
    brings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ProgramFile:
    """A file of a command: the program, a script, or a file that one of its words names.

    Args:
        backend: name of the command.
        name: path of the file relative to the campaign's folder, such as ``./solver``; for other files only the name.
        sha256: hash of its content.
    """

    backend: str
    name: str
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Software:
    """The software of a campaign.

    Args:
        components: Crosslit, then plugins.
        programs: files of commands.
        libraries: versions of all distributions that these require, by name: engines, NumPy, SciPy and others.
    """

    components: tuple[Component, ...]
    programs: tuple[ProgramFile, ...] = ()
    libraries: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @classmethod
    def from_record(cls, record: Any) -> Self:
        """Return the software from its record in a file of results, after checking every value.

        Raises:
            ValueError: if a value is of a wrong type.
            KeyError: if a value is missing.
        """
        known = mapping(record)
        return cls(
            components=tuple(map(_component, known["components"])),
            programs=tuple(ProgramFile(**mapping(one, text)) for one in known["programs"]),
            libraries=mapping(known["libraries"], text),
        )


def _component(record: Any) -> Component:
    known = mapping(record)
    brings = texts(known.pop("brings"))
    modified, published = (known.pop(name) is True for name in ("is_modified", "is_published"))
    return Component(**mapping(known, text), brings=brings, is_modified=modified, is_published=published)


def software_of(planned: Iterable[PlannedRun], question: QuestionName, folder: Path) -> Software:
    """Return the installed software for some planned runs.

    Args:
        planned: the planned runs.
        question: their question.
        folder: folder of the campaign.
    """
    plugins: dict[str, tuple[Distribution | None, Any, str, list[str]]] = {}
    programs: dict[ProgramFile, None] = {}
    seen: set[tuple[str, str]] = set()
    for one in planned:
        head = one.contestant.partition(":")[0]
        # Options do not change the files, so one look for each backend, encoding and kind is enough.
        if (head, one.puzzle.kind) in seen:
            continue
        seen.add((head, one.puzzle.kind))
        choice = chosen(one.spec, one.puzzle, question)
        items: list[tuple[str, Any]] = [(BACKENDS, choice.backend)]
        items += [(ENCODERS, choice.encoding)] if choice.encoding is not None else []
        for group, item in items:
            module = contents.package_of(item)
            if module not in _PACKAGES:
                owner = contents.distribution_of(group, item)
                name = owner.metadata["Name"] if owner is not None else module
                content = contents.sources_of(group, item)
                plugins.setdefault(name, (owner, module, content, []))[3].append(str(item.name))
        for path in contents.programs(choice.backend) or ():
            programs[
                ProgramFile(backend=choice.backend.name, name=_short(path, folder), sha256=contents.digest(path))
            ] = None
    components = [_crosslit()]
    for name in sorted(plugins):
        owner, module, content, brings = plugins[name]
        components.append(_described(name, owner, (module,), content, tuple(dict.fromkeys(brings))))
    needed = [one for one in (_installed(component.name) for component in components) if one is not None]
    return Software(components=tuple(components), programs=tuple(programs), libraries=_libraries(needed))


def _short(path: str, folder: Path) -> str:
    inside = Path(os.path.abspath(path))  # noqa: PTH100  (Path.resolve would follow links)
    name = f"./{inside.relative_to(folder).as_posix()}" if inside.is_relative_to(folder) else inside.name
    return name.encode(errors="replace").decode()


def _installed(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except (PackageNotFoundError, ValueError):
        return None


@functools.cache
def _crosslit() -> Component:
    return _described(CROSSLIT, _installed(CROSSLIT), _PACKAGES, contents.of_packages(_PACKAGES), ())


def _described(
    name: str, owner: Distribution | None, packages: Sequence[str], content: str, brings: tuple[str, ...]
) -> Component:
    version = __version__ if name == CROSSLIT else owner.version if owner is not None else ""
    direct = _direct_url(owner)
    # PEP 610: pip writes `direct_url.json` only for what does not come from an index.
    published = owner is not None and not direct and bool(owner.read_text("INSTALLER"))
    made = Component(name=name, version=version, content=content, brings=brings, is_published=published)
    vcs = direct.get("vcs_info")
    if isinstance(vcs, dict) and isinstance(vcs.get("commit_id"), str):
        return dataclasses.replace(made, commit=vcs["commit_id"], origin=public_address(str(direct.get("url", ""))))
    folders = [folder for package in packages if (folder := contents.folder_of(package)) is not None]
    checkout = _tracked(folders) or _copied(str(direct.get("url", "")), folders)
    commit = _git(checkout[0], "rev-parse", "HEAD") if checkout else ""
    if not commit:
        return made
    return dataclasses.replace(
        made,
        commit=commit,
        is_published=False,
        is_modified=bool(_git(checkout[0], "status", "--porcelain", "--", *map(str, checkout))),
        origin=public_address(_git(checkout[0], "config", "--get", "remote.origin.url")),
    )


def _direct_url(owner: Distribution | None) -> dict[str, Any]:
    """Return pip's record of a distribution that is not from an index (PEP 610)."""
    with contextlib.suppress(ValueError, OSError):
        found = json.loads((owner.read_text("direct_url.json") if owner is not None else None) or "{}")
        if isinstance(found, dict):
            return found
    return {}


def _tracked(folders: Sequence[Path]) -> list[Path]:
    """Return the folders if Git tracks all of them; an environment inside a checkout is not tracked."""
    return [*folders] if folders and all(_git(folder, "ls-files", "--", "*.py") for folder in folders) else []


def _copied(url: str, folders: Sequence[Path]) -> list[Path]:
    """Return the folders from which packages were installed, if these still have the same sources."""
    parts = urlsplit(url)
    checkout = Path(unquote(parts.path))
    if parts.scheme != "file" or not checkout.is_dir():
        return []
    found: list[Path] = []
    for folder in folders:
        content = contents.of_folder(folder)
        places = _git(checkout, "ls-files", "--", f"*{folder.name}/__init__.py", f"{folder.name}/__init__.py").split(
            "\n"
        )
        same = [place for name in places if contents.of_folder(place := (checkout / name).parent) == content]
        if not same:
            return []
        found.append(same[0])
    return found


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


def _libraries(roots: Iterable[Distribution]) -> dict[str, str]:
    """Return the versions of all installed distributions that some require, by name, including their extras."""
    found: dict[str, str] = {}
    waiting = [(one, True) for one in roots]
    known = {one.metadata["Name"] for one, _ in waiting}
    while waiting:
        owner, is_root = waiting.pop()
        for name in _requirements(owner, is_root):
            needed = _installed(name)
            if needed is not None and needed.metadata["Name"] not in known:
                known.add(needed.metadata["Name"])
                found[needed.metadata["Name"]] = needed.version
                waiting.append((needed, False))
    return dict(sorted(found.items(), key=lambda item: item[0].lower()))


def _requirements(owner: Distribution, with_extras: bool) -> Iterator[str]:
    for line in owner.requires or ():
        found = _REQUIREMENT.match(line)
        extras = set(_EXTRA.findall((found and found[2]) or ""))
        if found and (not extras or (with_extras and not extras & _EXTRAS_LEFT_OUT)):
            yield found[1]
