"""Hashes of the files that a run depends on: an edited backend is a different one, even if its version is the same.

These are the sources of Crosslit itself, all sources of the distributions that provide the backend and the encoding,
and the program of a command with its scripts. Imported libraries enter only through the backend's version.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
from collections.abc import Mapping
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any

from crosslit import _version, plugins
from crosslit.contract import Backend, Encoding
from crosslit.registry import BACKENDS, ENCODERS

_SUFFIXES = (".py", *EXTENSION_SUFFIXES)
_CORE = "crosslit"
CORE = Path(_version.__file__).parent
"""The folder of Crosslit's sources."""
# no run executes these: a change of the report makes no result out of date, and only a wheel has the examples
_NO_PART_OF_A_RUN = ("cli", "drawing", "examples")
_EMPTY = hashlib.sha256().hexdigest()
# keyed by id; the object is kept alive with its hash, so that its id is not reused
_known: dict[int, tuple[object, str]] = {}


def content_of(backend: Backend, encoding: Encoding | None) -> str:
    """Return a sha256 of the files that runs of a backend with an encoding depend on.

    Python files are read once per process, as imports are; programs are read again when they change. The hash does not
    depend on the location of the files.
    """
    parts = [of_core(CORE), sources_of(BACKENDS, backend), *(digest(path) for path in programs(backend) or ())]
    if encoding is not None:
        parts.append(sources_of(ENCODERS, encoding))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def programs(backend: Backend) -> tuple[str, ...] | None:
    """Return the programs and scripts that a backend starts; None if it starts none or cannot list them."""
    try:
        files = getattr(backend, "files", None)
        return tuple(map(str, files())) if callable(files) else None
    except Exception:
        return None


@functools.cache
def of_core(folder: Path) -> str:
    """Return a sha256 of Crosslit's own sources that runs use, in a folder."""
    return _of_files(_in_package(_CORE, folder, _NO_PART_OF_A_RUN))


def sources_of(group: str, item: Any) -> str:
    """Return a sha256 of the sources of the distribution that provides a backend or an encoding."""
    if id(item) not in _known:
        modules = [kind.__module__ for kind in type(item).__mro__]
        modules.append(getattr(getattr(item, "encode", None), "__module__", "") or "")
        files: dict[Path, str] = {}
        point = _entry_point(group, item)
        if point is not None:
            modules.append(point.module)
            if point.dist is not None:
                for file in point.dist.files or ():
                    if file.name.endswith(_SUFFIXES) and not file.name.startswith("__editable__"):
                        files[Path(str(file.locate())).resolve()] = str(file)
        for root in {module.partition(".")[0] for module in modules} - {"", _CORE} - sys.stdlib_module_names:
            files |= _of_module(root)
        _known[id(item)] = item, _of_files(files)
    return _known[id(item)][1]


def distribution_of(group: str, item: Any) -> Distribution | None:
    """Return the distribution of the plugin that provides a backend or an encoding; None if it is no plugin."""
    point = _entry_point(group, item)
    return point.dist if point is not None else None


def _entry_point(group: str, item: Any) -> plugins.Point | None:
    found = (point for point, items in plugins.load(group, list) if any(provided is item for provided in items))
    return next(found, None)


def _of_module(name: str) -> dict[Path, str]:
    """Return the files of a top-level module or package, with their names relative to it."""
    module = sys.modules.get(name)
    files: dict[Path, str] = {}
    for folder in getattr(module, "__path__", ()):
        files |= _in_package(name, Path(folder))
    if file := getattr(module, "__file__", None):
        files[Path(file).resolve()] = f"{name}/{Path(file).name}" if hasattr(module, "__path__") else Path(file).name
    return files


def _in_package(name: str, folder: Path, without: tuple[str, ...] = ()) -> dict[Path, str]:
    files: dict[Path, str] = {}
    for path in folder.rglob("*"):
        inside = path.relative_to(folder)
        if path.name.endswith(_SUFFIXES) and inside.parts[0] not in without:
            files[path.resolve()] = f"{name}/{inside.as_posix()}"
    return files


def _of_files(files: Mapping[Path, str]) -> str:
    lines = sorted(f"{name} {digest(str(path))}" for path, name in files.items())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def digest(path: str) -> str:
    """Return the sha256 of a file, cached until it changes; empty if it cannot be read."""
    try:
        state = os.stat(path)  # noqa: PTH116
        if not state.st_size:  # files of /proc have size 0 too, and reading one may never end
            return _EMPTY
        return _read(path, state.st_ino, state.st_size, state.st_mtime_ns)
    except OSError:
        return ""


@functools.lru_cache(maxsize=4096)
def _read(path: str, _inode: int, _size: int, _changed: int) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
