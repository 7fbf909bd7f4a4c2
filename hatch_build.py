"""Compiles the kernel of the nonogram solvers, and makes the man pages, when Crosslit is installed or built.

Without a C compiler, or if anything goes wrong, the package is installed without the kernel: its backends run in pure
Python then, and `crosslit backends` says why.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zlib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "crosslit_backends/compiled"
LIBRARY, STATE = "_kernel.so", "_kernel.txt"
# no -march: the wheel must run on every processor of its platform
FLAGS = ["-std=c11", "-O3", "-fPIC", "-shared", "-fvisibility=hidden", "-s"]
# in a process of its own: a library that is broken can end the process that loads it
PROBE = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"


class KernelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Compiles the kernel: into the source tree for an editable installation, else into the wheel only."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the library, or the reason why there is none, to what is built."""
        home = Path(self.root, "backends", PACKAGE)
        self._scratch = tempfile.TemporaryDirectory()  # lives as long as this hook
        folder = home if version == "editable" else Path(self._scratch.name)
        problem = build(home, folder)
        if problem:
            self.app.display_warning(f"the compiled kernel is left out: {problem}")
        else:
            build_data["pure_python"] = False
            # not inferred: that would be the tag of this Python's version, and the library serves them all
            build_data["tag"] = f"py3-none-{re.sub('[-.]', '_', _platform())}"
        if folder != home:
            build_data["force_include"] |= {str(made): f"{PACKAGE}/{made.name}" for made in folder.iterdir()}
            pages = Path(self._scratch.name, "man1")
            command = [sys.executable, str(Path(self.root, "docs", "man_pages.py")), str(pages)]
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
            if done.returncode:
                self.app.display_warning(f"the man pages are left out: {done.stderr.strip()}")
            else:
                build_data["shared_data"][str(pages)] = "share/man/man1"


def _platform() -> str:
    """Return the platform that the compiler builds for; `_PYTHON_HOST_PLATFORM` names another one than this."""
    name = sysconfig.get_platform()
    # A Python of macOS for two processors has a compiler that builds for this one, unless ARCHFLAGS names both.
    if name.endswith("universal2") and not os.environ.get("ARCHFLAGS"):
        name = name.replace("universal2", platform.machine())
    return re.sub(r"-10\.\d+-arm64", "-11.0-arm64", name)  # the first macOS on that processor


def build(home: Path, folder: Path) -> str:
    """Compile the sources, unless ``CROSSLIT_KERNEL=0`` in the environment asks for a wheel for every system.

    Args:
        home: where they are.
        folder: where to leave the library, and a file that says how it stands: ``built`` with the checksums of the
            sources and of the library, or the reason why there is none.

    Returns:
        That reason, or nothing.
    """
    sources = zlib.crc32(b"".join(source.read_bytes() for source in sorted(home.glob("*.[ch]"))))
    problem = "no C compiler (cc, gcc, clang) when Crosslit was installed"
    for name in (LIBRARY, STATE):
        (folder / name).unlink(missing_ok=True)
    given = os.environ.get("CC", "")
    compilers = [given] if given else [*filter(shutil.which, ("cc", "gcc", "clang"))]
    if os.environ.get("CROSSLIT_KERNEL") == "0":
        problem, compilers = "this wheel is the one for every system", []
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch, LIBRARY)
        for compiler in compilers:
            problem = _compile(shlex.split(compiler), sorted(home.glob("*.c")), made)
            if not problem:
                part = folder / f"{LIBRARY}.part"
                shutil.copyfile(made, part)
                part.replace(folder / LIBRARY)
                break
        state = problem or f"built {sources:08x} {zlib.crc32(made.read_bytes()):08x}"
    (folder / STATE).write_text(f"{state}\n", encoding="utf-8")
    return problem


def _compile(compiler: list[str], sources: list[Path], made: Path) -> str:
    """Compile and try to load the library; return what went wrong, or nothing."""
    architectures = shlex.split(os.environ.get("ARCHFLAGS", "")) if sys.platform == "darwin" else []
    commands = [
        [*compiler, *FLAGS, *architectures, "-o", str(made), *map(str, sources)],
        [sys.executable, "-I", "-c", PROBE, str(made)],
    ]
    if not _platform().endswith((platform.machine().lower(), "universal2")):
        del commands[1:]  # for another processor, which cannot be tried here
    environment = {**os.environ}
    if oldest := sysconfig.get_config_var("MACOSX_DEPLOYMENT_TARGET"):  # of the wheel's tag, not of this machine
        environment.setdefault("MACOSX_DEPLOYMENT_TARGET", str(oldest))
    settings: dict[str, Any] = {"capture_output": True, "text": True, "errors": "replace", "timeout": 120}
    for command in commands:
        try:
            done = subprocess.run(command, env=environment, **settings, check=False)
        except (OSError, subprocess.SubprocessError) as error:
            return f"{command[0]}: {error}"
        if done.returncode:
            lines = done.stderr.strip().splitlines()
            words = next((line for line in lines if "rror" in line), lines[-1] if lines else "it printed nothing")
            return f"{command[0]} ended with {done.returncode} when Crosslit was installed: {words}"
    return ""
