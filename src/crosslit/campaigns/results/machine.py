"""The machine that a run is made on, as far as Linux describes it to a process."""

from __future__ import annotations

import functools
import os
import platform
import re
from pathlib import Path

CONTAINER = "CROSSLIT_CONTAINER"
"""The variable that holds the digest of the container's image: inside a container nothing else knows it."""

_CPU = Path("/sys/devices/system/cpu/cpu0/cpufreq")
_PODMAN = Path("/run/.containerenv")
_MARKS = {"/.dockerenv": "docker", "/run/.containerenv": "podman", "/.singularity.d": "apptainer"}
_MAX_BYTES = 1 << 20  # of a file of the kernel, which says no size before


@functools.cache
def processor() -> str:
    """Return the model of the processor; its architecture where the system does not say."""
    return _first(Path("/proc/cpuinfo"), r"model name\s*: *(.*)") or platform.processor() or platform.machine()


@functools.cache
def clock_mhz() -> float:
    """Return the highest clock of the first processor, or the present one where no highest is known; 0 if neither is.

    In MHz.
    """
    highest = _text(_CPU / "cpuinfo_max_freq").strip()  # in kHz
    if highest.isdecimal():
        return int(highest) / 1000
    return _number(_first(Path("/proc/cpuinfo"), r"cpu MHz\s*: *([0-9.]+)"))


def governor() -> str:
    """Return the governor of the first processor's clock, such as ``performance``; empty where there is none."""
    return _text(_CPU / "scaling_governor").strip()


@functools.cache
def memory_mb() -> float:
    """Return the memory of the machine, in 2^20 bytes; 0 if it is not known."""
    return _number(_first(Path("/proc/meminfo"), r"MemTotal: *([0-9]+) kB")) / 1024


@functools.cache
def container() -> str:
    """Return the digest of the container's image, or the kind of the container; empty outside of one."""
    given = os.environ.get(CONTAINER, "").strip() or _first(_PODMAN, r'imageid="(\w+)"')
    return given or next((kind for mark, kind in _MARKS.items() if os.path.exists(mark)), "")


def _first(path: Path, pattern: str) -> str:
    found = re.search(f"^{pattern}$", _text(path), re.MULTILINE)
    return found[1].strip() if found else ""


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_MAX_BYTES)
    except OSError:
        return ""


def _number(digits: str) -> float:
    try:
        return float(digits or 0)
    except ValueError:
        return 0.0
